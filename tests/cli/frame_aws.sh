# frame and unframe aws-chunked: the bytes, what is refused, and an upload by curl to a server of another language.
. "$(dirname "$0")/lib.sh"
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_REGION AWS_DEFAULT_REGION
frame() { "$millrace" frame aws-chunked "$@"; }
unframe() { "$millrace" unframe aws-chunked "$@"; }
printf 'hello world' > hello
: > empty
random_file big 300000

# Known bytes.
printf 'b\r\nhello world\r\n0\r\nx-amz-checksum-crc32:DUoRhQ==\r\n\r\n' > "$base/hello.crc32"
printf '0\r\nx-amz-checksum-crc64nvme:AAAAAAAAAAA=\r\n\r\n' > "$base/empty.crc64nvme"
expect_status 0 frame --checksum crc32 hello
expect_equal "$base/hello.crc32" "$out"
expect_status 0 eval 'frame --checksum crc32 < hello'
expect_equal "$base/hello.crc32" "$out"
expect_status 0 frame empty
expect_equal "$base/empty.crc64nvme" "$out"

# There and back: files, pipes, a producer, any checksum, any chunk size.
for arguments in "" "--chunk-size 8KiB" "--chunk-size 16376 --checksum sha256,crc32c" \
  "--chunk-size 1MiB --checksum md5 --checksum xxhash128"; do
  frame $arguments -o framed big
  cat big | frame $arguments | cmp - framed || fail "a pipe gives other bytes: $arguments"
  frame $arguments --producer 'cat big' | cmp - framed || fail "a producer gives other bytes: $arguments"
  unframe framed | cmp - big || fail "another payload: $arguments"
  unframe -o back framed
  expect_equal big back
  rm framed back
done
frame --checksum crc32 --chunk-size 8KiB -o framed big
expect_status 0 unframe --checksum crc32 --length 300000 framed
expect_status 0 unframe --json -o back framed
grep -q '"bytes":300000.*"verified":true' "$out" || fail "report"
rm back

# Any fault is status 3, and no file.
refused 3 "trailer that was not announced" framed -- "$millrace" unframe aws-chunked --checksum sha1 -o back framed
refused 3 "decoded length" -- "$millrace" unframe aws-chunked --length 299999 -o back framed
head -c 100000 framed > cut
refused 3 "ends early" cut -- "$millrace" unframe aws-chunked -o back cut
{ head -c 5000 framed; printf X; tail -c +5002 framed; } > altered
cmp -s framed altered && fail "nothing altered"
refused 3 checksum -- "$millrace" unframe aws-chunked -o back altered
{ cat framed; echo; } > longer
refused 3 "after the end" -- "$millrace" unframe aws-chunked -o back longer
refused 3 "" -- "$millrace" unframe aws-chunked -o back hello
refused 3 "" -- "$millrace" unframe aws-chunked -o back empty
printf '2\r\nab\r\n1\r\nc\r\n0\r\nx-amz-checksum-crc32:NSRBwg==\r\n\r\n' > small
refused 3 "small chunk" -- "$millrace" unframe aws-chunked -o back small
expect_status 0 unframe --small-chunks small
[ "$(cat "$out")" = abc ] || fail "small chunks"
expect_absent back
# A producer that fails leaves no final chunk.
refused 1 "exited with status 7" -- "$millrace" frame aws-chunked --producer 'cat hello; exit 7' -o x
expect_absent x
rm cut altered longer small

# Signed chunks, from the seed of a request. The example is the one of the S3 documentation.
export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
seed="--sign 4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9 --region us-east-1 --date 20130524T000000Z"
head -c 66560 /dev/zero | tr '\0' a > a66560
frame $seed -o signed a66560
[ "$(stat -c %s signed)" = 66824 ] || fail "size of the documented example"
[ "$(grep -a -o 'chunk-signature=[0-9a-f]*' signed | tr '\n' ' ')" = "chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648 \
chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497 \
chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9 " ] || fail "documented signatures"
unframe $seed signed | cmp - a66560 || fail "signed payload"
refused 3 "chunk signature" -- "$millrace" unframe aws-chunked ${seed/us-east-1/eu-west-1} -o back signed
refused 3 "" -- "$millrace" unframe aws-chunked -o back signed
printf '%s\n' "$AWS_SECRET_ACCESS_KEY" > secret
unset AWS_SECRET_ACCESS_KEY
refused 2 AWS_SECRET_ACCESS_KEY -- "$millrace" frame aws-chunked $seed a66560
frame $seed --secret-key-file secret a66560 | cmp - signed || fail "secret from a file"
refused 2 region -- "$millrace" frame aws-chunked --secret-key-file secret --sign 00 --date 20130524T000000Z hello
refused 2 date -- "$millrace" frame aws-chunked --secret-key-file secret --sign 00 --region r hello
refused 2 date -- "$millrace" frame aws-chunked --secret-key-file secret --sign 00 --region r --date today hello
rm signed secret a66560

# Usage.
refused 2 8KiB -- "$millrace" frame aws-chunked --chunk-size 8191 hello
refused 2 16MiB -- "$millrace" frame aws-chunked --chunk-size 17MiB hello
refused 2 "one of crc32" -- "$millrace" frame aws-chunked --checksum crc99 hello
refused 2 --keyset -- "$millrace" frame aws-chunked --encrypt hello
refused 2 --headers -- "$millrace" frame aws-chunked --put http://h/k hello
refused 2 "not known beforehand" -- "$millrace" frame aws-chunked --headers h < <(cat hello)
for url in ftp://h/k http://h http:///k http://u:p@h/k http://h:0/k http://h:x/k http://h/%4; do
  refused 2 "" -- env AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=s AWS_REGION=r "$millrace" frame aws-chunked --headers h --put "$url" hello
done
expect_absent h

# Encrypted in the same process.
new_keyset k.json
frame --encrypt --keyset k.json --associated-data name --checksum crc32c -o framed --force big
unframe framed | "$millrace" decrypt --keyset k.json --associated-data name | cmp - big || fail "encrypted payload"

# curl sends it, and a server in Python takes it apart and verifies it.
python3 "$here/aws_chunked_server.py" port received > server.log 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || :; at_end' EXIT
wait_for test -s port
endpoint=http://127.0.0.1:$(cat port)
export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=SECRETEXAMPLE AWS_REGION=us-east-1
put() { curl -sS --path-as-is -o /dev/null -w '%{http_code}' -H @headers -T body "$1"; }
for payload in empty hello big; do
  for token in "" TOKEN/+=; do
    for arguments in "" "--checksum crc32" "--chunk-size 8KiB --checksum sha256"; do
      url="$endpoint/bucket/a%20b//${payload}?x-id=PutObject"
      AWS_SESSION_TOKEN=$token frame $arguments --put "$url" --headers headers -o body "$payload"
      expect_mode 600 headers
      [ "$(put "$url")" = 200 ] || fail "signed, $payload $arguments: $(cat server.log)"
      expect_equal "$payload" received
      [ "$(put "$endpoint/bucket/other")" = 403 ] || fail "the signature is good for another key"
      rm headers body
    done
  done
  frame --checksum crc32 --headers headers -o body "$payload"
  [ "$(put "$endpoint/unsigned")" = 200 ] || fail "unsigned $payload: $(cat server.log)"
  expect_equal "$payload" received
  rm headers body
done
frame --put "$endpoint/k" --checksum crc32 --headers headers -o body big
printf X | dd of=body bs=1 seek=1000 conv=notrunc status=none
[ "$(put "$endpoint/k")" = 400 ] || fail "an altered body was taken"

# A failed run leaves no headers.
rm headers
refused 1 "" -- "$millrace" frame aws-chunked --headers headers -o /dev/full big
expect_absent headers
