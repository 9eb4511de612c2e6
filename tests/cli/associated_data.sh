# Associated data: as text, from a file, wrong, missing, and both at once.
. "$(dirname "$0")/lib.sh"
new_keyset k.json
echo text > plain
printf 'backup of 2026' > context
printf 'a\0b\n\xff' > binary
"$millrace" encrypt --keyset k.json --associated-data 'backup of 2026' -o e plain
"$millrace" encrypt --keyset k.json --associated-data-file binary -o b plain

for verb in decrypt "cat --range 0-" verify; do
  want=plain
  if [ "$verb" = verify ]; then want=/dev/null; fi
  for source in "e" "- < e"; do
    expect_status 0 eval '"$millrace" $verb --keyset k.json --associated-data-file context '"$source"
    expect_equal $want "$out"
    expect_status 0 eval '"$millrace" $verb --keyset k.json --associated-data "backup of 2026" '"$source"
    expect_equal $want "$out"
    for wrong in '' '--associated-data=backup' '--associated-data-file binary' '--associated-data='; do
      refused 3 "not authentic" -- eval '"$millrace" $verb --keyset k.json '"$wrong $source"
      [ ! -s "$out" ] || fail "bytes left with wrong associated data"
    done
  done
done
expect_status 0 "$millrace" decrypt --keyset k.json --associated-data-file binary b
expect_equal plain "$out"
expect_status 0 "$millrace" decrypt --keyset k.json --associated-data-file <(cat binary) b
expect_equal plain "$out"

refused 2 --associated-data -- "$millrace" encrypt --keyset k.json --associated-data x --associated-data-file context plain
refused 1 missing -- "$millrace" encrypt --keyset k.json --associated-data-file missing -o x plain
refused 1 "Is a directory" -- "$millrace" encrypt --keyset k.json --associated-data-file . -o x plain
expect_only b binary context e k.json plain
