# What was encrypted comes back: every template, sizes at the borders of segments, files and pipes, threads.
. "$(dirname "$0")/lib.sh"

# round_trip KEYSET FILE ENCRYPT-THREADS DECRYPT-THREADS: by each of the four ways through the command.
round_trip() {
  local keyset=$1 plain=$2 n=$3 m=$4
  "$millrace" encrypt --keyset $keyset --threads $n -o e $plain
  "$millrace" decrypt --keyset $keyset --threads $m -o d e
  expect_equal $plain d
  "$millrace" decrypt --keyset $keyset --threads $m e | cmp - $plain || fail "file to pipe, $plain"
  "$millrace" encrypt --keyset $keyset --threads $n $plain | "$millrace" decrypt --keyset $keyset --threads $m -o d -f
  expect_equal $plain d
  cat $plain | "$millrace" encrypt --keyset $keyset --threads $m -f -o e2
  [ "$(stat -c %s e)" = "$(stat -c %s e2)" ] || fail "other sizes by file and by pipe, $plain"
  cat e2 | "$millrace" decrypt --keyset $keyset --threads $n | cmp - $plain || fail "pipe to pipe, $plain"
  "$millrace" verify --keyset $keyset --threads $n e2
  rm e d e2
}

# All templates at a size of several 4 KiB segments, two of them also beyond 1 MiB.
random_file small 20000
random_file large 3500000
for template in AES128_GCM_HKDF_4KB AES128_GCM_HKDF_1MB AES256_GCM_HKDF_4KB AES256_GCM_HKDF_1MB \
  AES128_CTR_HMAC_SHA256_4KB AES128_CTR_HMAC_SHA256_1MB AES256_CTR_HMAC_SHA256_4KB AES256_CTR_HMAC_SHA256_1MB; do
  new_keyset $template.json $template
  round_trip $template.json small 1 2
done
for template in AES128_GCM_HKDF_4KB AES256_GCM_HKDF_1MB AES256_CTR_HMAC_SHA256_1MB; do
  round_trip $template.json large 1 4
  round_trip $template.json large 4 1
  round_trip $template.json large 2 2
done

# Sizes: AES128 with 4 KiB segments holds 4096-24-16 = 4056 bytes in the first and 4096-16 = 4080 in each other one.
# The size of the stream is known from that, and there is never an empty segment at the end.
check_size() {
  local plain=$1 stream=$2
  head -c $plain large > p
  for how in p /dev/stdin; do
    cat p | "$millrace" encrypt --keyset AES128_GCM_HKDF_4KB.json -f -o e $how
    [ "$(stat -c %s e)" = $stream ] || fail "$plain bytes give $(stat -c %s e), not $stream, from $how"
    "$millrace" decrypt --keyset AES128_GCM_HKDF_4KB.json -f -o d e
    expect_equal p d
    cat e | "$millrace" decrypt --keyset AES128_GCM_HKDF_4KB.json | cmp - p || fail "$plain bytes by pipe"
  done
}
check_size 0 40
check_size 1 41
check_size 4055 4095
check_size 4056 4096
check_size 4057 4113
check_size 8135 8191
check_size 8136 8192
check_size 8137 8209
check_size $((4056 + 62 * 4080)) 258048
check_size $((4056 + 63 * 4080 + 1)) $((262144 + 17))
rm p e d

# The same plaintext never gives the same stream.
"$millrace" encrypt --keyset AES256_GCM_HKDF_4KB.json -o a small
"$millrace" encrypt --keyset AES256_GCM_HKDF_4KB.json -o b small
! cmp -s a b || fail "two equal streams"

# A rotated keyset opens old streams, and seals with the new key.
"$millrace" keyset promote AES256_GCM_HKDF_4KB.json "$("$millrace" keyset add AES256_GCM_HKDF_4KB.json --template AES128_CTR_HMAC_SHA256_1MB)"
"$millrace" encrypt --keyset AES256_GCM_HKDF_4KB.json -o c small
for stream in a b c; do
  "$millrace" decrypt --keyset AES256_GCM_HKDF_4KB.json $stream | cmp - small || fail "rotated: $stream"
  cat $stream | "$millrace" decrypt --keyset AES256_GCM_HKDF_4KB.json | cmp - small || fail "rotated: $stream by pipe"
done
