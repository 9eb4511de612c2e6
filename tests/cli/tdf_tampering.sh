# Altered TDF files (tdf_t12, tdf_t13): status 3, one line with "tamper" and the object, no file left, no unverified byte on
# a pipe.
. "$(dirname "$0")/lib.sh"
. "$here/tdf_lib.sh"
new_pair rsa rsa:2048
new_pair other rsa:2048
random_file plain 50000
seal rsa --kid r1 --segment-size 16KiB --system-metadata-assertion -a https://example.com/attr/a/value/b -o e plain
keys="--kas-private-key $base/rsa"

# tampered TEXT CODE: what every verb says about it.
tampered() {
  tdf_edit e bad "$2"
  refused 3 "bad: " tamper $1 -- "$millrace" decrypt $keys -o d bad
  refused 3 "bad: " tamper $1 -- "$millrace" verify $keys bad
  refused 3 "bad: " tamper $1 -- "$millrace" decrypt $keys bad
  is_prefix
  refused 3 "standard input: " tamper $1 -- "$millrace" decrypt $keys --threads 1 < <(cat bad)
  is_prefix
  expect_absent d
}
# is_prefix: whole segments of the plaintext from its beginning, and not all of them.
is_prefix() {
  local size
  size=$(stat -c %s "$out")
  cmp -s -n "$size" "$out" plain || fail "bytes that are not of the plaintext"
  [ $((size % 16384)) = 0 ] || fail "$size bytes left, not whole segments"
}
# Hashes as the suite of OpenTDF damages them: the decoded value gets other last characters, or the text is no base64.
damage='d=lambda h: base64.b64encode(base64.b64decode(h)[:-3] + b"zz9").decode();'
tampered root "$damage"'i=s["rootSignature"]; i["sig"]=d(i["sig"])'
tampered root 's["rootSignature"]["sig"]="no base64 at all"'
tampered signature "$damage"'s["segments"][0]["hash"]=d(s["segments"][0]["hash"])'
tampered signature 's["segments"][1]["hash"]="b'"'"'...'"'"'"'
tampered binding 'm["encryptionInformation"]["policy"]=base64.b64encode(b"{}").decode()'
tampered binding "$damage"'b=m["encryptionInformation"]["keyAccess"][0]["policyBinding"]; b["hash"]=d(b["hash"])'
tampered binding 'm["encryptionInformation"]["keyAccess"][0]["policyBinding"]["hash"]="b'"'"'...'"'"'"'
tampered key "k=m['encryptionInformation']['keyAccess'][0]; k['wrappedKey']=base64.b64encode(bytes(256)).decode()"
tampered assertion 'm["assertions"][0]["statement"]["value"]="{}"'
tampered assertion 'm["assertions"][0]["binding"]["signature"]="a.b.c"'
tampered segment 'p[20000]^=1'
tampered segment 'p[0]^=1'
tampered segment 'p[-1]^=1'
tampered segment 'p.extend(b"more")'
tampered segment 'del p[-1]'
tampered segment 's["segments"][0]["encryptedSegmentSize"]+=1; s["segments"][0]["segmentSize"]+=1'
tampered segment 'p[0:16412], p[16412:32824] = p[16412:32824], p[0:16412]'
tampered root 's["segments"][0], s["segments"][1] = s["segments"][1], s["segments"][0]'
tampered root 'del s["segments"][-1]; del p[-1000:]'
tampered root 's["segments"].append(copy.deepcopy(s["segments"][0])); p.extend(p[:16412])'

# tdf_t05, tdf_t08: what no reader should take. Not all of it is tampering; all of it is refused.
for code in 's["rootSignature"]["alg"]="GMAC"' 's["segmentHashAlg"]="MD5"' 's["segments"][0]["encryptedSegmentSize"]=-1' \
  's["segments"][0]["encryptedSegmentSize"]=0' 's["segments"][0]["encryptedSegmentSize"]=27' 's["segments"][0]["encryptedSegmentSize"]=1.5' \
  's["segments"][0]["encryptedSegmentSize"]="16412"' 's["segments"][0]["encryptedSegmentSize"]=2**63' \
  's["segments"][0]["encryptedSegmentSize"]=2**40; s["segments"][0]["segmentSize"]=2**40-28' 'm["schemaVersion"]="5.0.0"' 'm["payload"]["isEncrypted"]=False' \
  'm["encryptionInformation"]["method"]["algorithm"]="AES-128-CBC"' 'del m["encryptionInformation"]["keyAccess"]'; do
  tdf_edit e bad "$code"
  refused 3 "bad: " -- "$millrace" decrypt $keys -o d bad
  refused 3 "bad: " -- "$millrace" verify $keys bad
  expect_absent d
done

# Assertions that are not to be verified do not matter; everything else still does.
tdf_edit e bad 'm["assertions"][0]["statement"]["value"]="{}"'
expect_status 0 "$millrace" decrypt --no-verify-assertions $keys bad
expect_equal plain "$out"
# Cuts of the archive.
size=$(stat -c %s e)
for at in 0 1 3 4 100 20000 $((size - 22)) $((size - 1)); do
  head -c $at e > bad
  refused 3 "bad: " -- "$millrace" decrypt $keys -o d bad
  refused 3 "standard input: " -- "$millrace" decrypt $keys -o d < <(cat bad)
  expect_absent d
done
# The wrong key: what the file asks for, in one line; an old file is not touched.
echo old > d
refused 3 "e: " "kid r1" $url -- "$millrace" decrypt --kas-private-key "$base/other" --force -o d e
tdf_edit e bad 'p[20000]^=1'
refused 3 "bad: " -- "$millrace" decrypt $keys --force -o d bad
[ "$(cat d)" = old ] || fail "the old file was touched"
expect_only bad d e plain
