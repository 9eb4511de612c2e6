# The man page and the completions know every verb, option and template that --help shows, and no option beyond.
. "$(dirname "$0")/lib.sh"
root=$(cd "$here/../.." && pwd)
PATH=$(dirname "$millrace"):$PATH
sed 's/\\-/-/g; s/\\~/ /g' "$root/man/millrace.1" > page
# has FILE WORD: as a word of its own.
has() { grep -qE -- "(^|[^A-Za-z0-9-])$2([^A-Za-z0-9-]|\$)" "$1" || fail "$(basename "$1") lacks $2"; }

# complete_line WORD...: what bash offers for the last word.
cat > complete_line <<'P'
set -u
. "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_millrace
printf '%s\n' "${COMPREPLY[@]}"
P
offers() { bash complete_line "$root/completions/millrace.bash" millrace "$@" 2> "$err" | sort -u; }
expect_offer() {
  local want=$1
  shift
  [ "$(offers "$@" | xargs)" = "$want" ] || fail "completion of '$*' is '$(offers "$@" | xargs)', not '$want'"
}

verbs="encrypt decrypt cat verify inspect keyset kas sum bench frame unframe"
actions="new list add promote enable disable delete convert seal unseal"
help_options() { "$millrace" "$@" --help | grep -E '^  +-' | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u; }
formats="kas/keygen kas/public-key frame/aws-chunked unframe/aws-chunked frame/silkd unframe/silkd"
for line in "" $verbs $formats $(for action in $actions; do echo "keyset/$action"; done); do
  words=${line//\// }
  help_options $words > options
  [ -s options ] || fail "no options in the help of '$words'"
  while read -r option; do
    has page "$option"
    case $option in
      --*) has "$root/completions/_millrace" "$option" && has "$root/completions/millrace.fish" "-l ${option#--}" ;;
    esac
  done < options
  offers $words -- > offered
  if [[ $words =~ ^(|keyset|kas|frame|unframe)$ ]]; then grep '^--' offered > o || true; mv o offered; fi
  cmp -s options offered || fail "bash offers other options for '$words': $(diff options offered | grep '^[<>]' | xargs)"
done

"$millrace" keyset new --help | grep -oE 'AES(128|256)_[A-Z0-9_]+' | sort -u > templates
[ "$(wc -l < templates)" = 9 ] || fail "number of templates"
for file in page "$root/completions/_millrace" "$root/completions/millrace.fish" "$root/completions/millrace.bash"; do
  while read -r template; do has "$file" "$template"; done < templates
  for verb in $verbs $actions; do has "$file" "$verb"; done
done
# The algorithms of sum and the families of bench, as the messages about an unknown one list them.
for names in "sum -a" "bench --only"; do
  "$millrace" $names no-such-name 2> "$err" && fail "$names no-such-name"
  sed 's/.*one of //' "$err" | tr -d , | xargs -n 1 > names
  [ "$(wc -l < names)" = 10 ] || fail "number of names of $names"
  for file in page "$root/completions/_millrace" "$root/completions/millrace.fish"; do
    while read -r name; do has "$file" "$name"; done < names
  done
  expect_offer "$(sort names | xargs)" $names ""
done
"$millrace" kas keygen --help | grep -oE '(rsa|ec):[a-z0-9]+' | sort -u > names
[ "$(wc -l < names)" = 5 ] || fail "number of algorithms of kas keygen"
while read -r name; do
  has page "$name" && has "$root/completions/_millrace" "${name/:/\\\\:}" && has "$root/completions/millrace.fish" "$name"
done < names
expect_offer "$(xargs < names)" kas keygen --algorithm ""
"$millrace" --help > help
for verb in $verbs; do grep -q "^  $verb " help || fail "help lacks $verb"; done
"$millrace" keyset --help > help
[ "$(sed -n '/^Subcommands/,/^$/s/^  \([a-z]*\) .*/\1/p' help | xargs)" = "$actions" ] || fail "keyset has other verbs"

# The completion as a user meets it.
"$millrace" keyset new --template AES256_GCM_HKDF_4KB -o keys.json
id=$("$millrace" keyset list keys.json | awk 'NR == 2 {print $1}')
expect_offer "encrypt" enc
expect_offer "decrypt" d
expect_offer "--help --version" --
expect_offer "delete disable" keyset d
expect_offer "keys.json" encrypt --keyset keys
expect_offer "keys.json" encrypt ke
expect_offer "keys.json" keyset promote ke
expect_offer "$id" keyset promote keys.json ""
expect_offer "auto lines none" decrypt --progress ""
expect_offer "lines" decrypt --progress = l
expect_offer "binary json" keyset convert --to ""
expect_offer "AES256_GCM AES256_GCM_HKDF_1MB AES256_GCM_HKDF_4KB" keyset new --template AES256_G
expect_offer "" cat --range ""
expect_offer "--help keygen public-key" kas ""
expect_offer "" encrypt -a ""
expect_offer "all any" encrypt --split ""
expect_offer "4.2.2 4.3.0" encrypt --target-mode ""
expect_offer "GMAC HS256" encrypt --segment-hash ""
expect_offer "keys.json" decrypt --kas-private-key ke
expect_offer "crc32,sha1 crc32,sha256 crc32,sha512" sum -a crc32,sh

# The version is the same everywhere, and the tools that read these files are content.
has page "$("$millrace" --version | head -n 1)"
bash -n "$root/completions/millrace.bash"
if command -v zsh > "$out"; then zsh -n "$root/completions/_millrace"; fi
if command -v fish > "$out"; then fish --no-execute "$root/completions/millrace.fish"; fi
if command -v man > "$out"; then
  MANWIDTH=100 man --warnings -l "$root/man/millrace.1" > "$out" 2> "$err"
  expect_silence
  grep -q '^EXIT STATUS' "$out" || fail "the page as it is shown"
fi
