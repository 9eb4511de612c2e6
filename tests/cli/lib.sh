# What the scripts here share: an empty directory to work in, expectations about one run of the command, and keysets.
# Sourced with the path of the command as the first argument of the script: . "$(dirname "$0")/lib.sh"
set -eu
millrace=$(realpath "${1:?usage: $0 MILLRACE [HELPER]}")
tool=${2:+$(realpath "$2")}  # a helper in C, where a script needs one
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
base=$(mktemp -d)
out=$base/out  # what the last run wrote to stdout and to stderr
err=$base/err
mkdir "$base/work"
at_end() { chmod -R u+rwx "$base/work" && rm -rf "$base"; }
trap at_end EXIT
if [ -n "${PYTHON:-}" ]; then PATH=$(dirname "$PYTHON"):$PATH; fi
cd "$base/work"
umask 022
unset TERM NO_COLOR

fail() {
  echo "$(basename "$0"), line ${BASH_LINENO[-2]}: $*" >&2
  if [ -s "$err" ]; then sed 's/^/  stderr: /' "$err" >&2; fi
  exit 1
}

# expect_status N COMMAND...: runs it, keeps its output in $out and $err.
expect_status() {
  local want=$1 got=0
  shift
  "$@" > "$out" 2> "$err" || got=$?
  [ "$got" = "$want" ] || fail "status $got, not $want: $*"
}

# expect_stderr TEXT...: the last run said exactly one line, and it holds each TEXT.
expect_stderr() {
  local text
  [ "$(wc -l < "$err")" = 1 ] || fail "not one line of message"
  for text; do
    grep -qF -- "$text" "$err" || fail "the message lacks '$text'"
  done
}

# refused N TEXT... -- COMMAND...: the usual end of bad input: a status, and one line that holds each TEXT.
refused() {
  local want=$1 texts=()
  shift
  while [ "$1" != -- ]; do
    texts+=("$1")
    shift
  done
  shift
  expect_status "$want" "$@"
  expect_stderr "millrace: " "${texts[@]}"
}

expect_silence() { [ ! -s "$err" ] || fail "a message where none was expected"; }
expect_equal() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }
expect_mode() { [ "$(stat -c %a "$2")" = "$1" ] || fail "$2 has mode $(stat -c %a "$2"), not $1"; }
expect_absent() { [ ! -e "$1" ] && [ ! -L "$1" ] || fail "$1 exists"; }

# expect_only NAME...: the working directory holds these and nothing else (no temporary either).
expect_only() {
  local want have
  want=$(printf '%s\n' "$@" | sort)
  have=$(ls -A | sort)
  [ "$want" = "$have" ] || fail "the directory holds: $(echo $have)"
}

# random_file NAME SIZE
random_file() { head -c "$2" /dev/urandom > "$1"; }
new_keyset() { "$millrace" keyset new --template "${2:-AES256_GCM_HKDF_4KB}" -o "$1"; }
# wait_for COMMAND...: until it succeeds, at most 20 seconds.
wait_for() {
  local i
  for ((i = 0; i < 400; i++)); do
    if "$@" > /dev/null 2>&1; then return 0; fi
    sleep 0.05
  done
  fail "waited in vain: $*"
}
