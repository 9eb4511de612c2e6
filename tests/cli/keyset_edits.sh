# Edits of one keyset at the same time: each waits for the others and none is lost.
. "$(dirname "$0")/lib.sh"
new_keyset k.json
edits=()
for ((i = 0; i < 16; i++)); do
  "$millrace" keyset add k.json --template AES128_GCM_HKDF_4KB > "$base/id.$i" &
  edits+=($!)
done
for pid in "${edits[@]}"; do wait "$pid"; done
[ "$(cat "$base"/id.* | sort -u | wc -l)" = 16 ] || fail "ids of 16 edits"
"$millrace" keyset list k.json > "$out"
for id in "$base"/id.*; do grep -q "^$(cat "$id") " "$out" || fail "an edit was lost"; done
expect_only k.json

# Only a file can be changed in place.
for where in - fd:3 env:KEYS /dev/stdin; do
  refused 2 "$where" "only a keyset in a file" -- "$millrace" keyset add "$where" --template AES128_GCM_HKDF_4KB 3< k.json < <(cat k.json)
done
refused 1 missing.json -- "$millrace" keyset add missing.json --template AES128_GCM_HKDF_4KB
expect_only k.json
