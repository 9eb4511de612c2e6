# kas keygen and kas public-key: every algorithm, modes, what is never replaced; the pair works.
. "$(dirname "$0")/lib.sh"
. "$here/tdf_lib.sh"
echo text > plain
for algorithm in rsa:2048 rsa:4096 ec:secp256r1 ec:secp384r1 ec:secp521r1; do
  expect_status 0 "$millrace" kas keygen --algorithm $algorithm -o key.pem
  expect_silence
  [ ! -s "$out" ] || fail "keygen printed something"
  expect_mode 600 key.pem
  expect_mode 644 key.pem.pub
  grep -q '^-----BEGIN PRIVATE KEY-----$' key.pem || fail "not PKCS#8 PEM"
  grep -q '^-----BEGIN PUBLIC KEY-----$' key.pem.pub || fail "not SPKI PEM"
  # The public key is the one of the private key, from a file, a pipe, a descriptor and the environment.
  for how in key.pem '< key.pem' '- < <(cat key.pem)' 'fd:5 5< key.pem'; do
    expect_status 0 eval '"$millrace" kas public-key '"$how"
    expect_silence
    expect_equal key.pem.pub "$out"
  done
  expect_status 0 env KEY="$(cat key.pem)" "$millrace" kas public-key env:KEY
  expect_equal key.pem.pub "$out"
  if command -v openssl > "$out"; then
    openssl pkey -in key.pem -pubout 2> "$err" | cmp -s - key.pem.pub || fail "openssl sees another public key"
    openssl pkey -in key.pem -outform DER -out key.der 2> "$err"
    expect_status 0 env KEY="$(base64 -w 0 key.der)" "$millrace" kas public-key env:KEY
    expect_equal key.pem.pub "$out"
    rm key.der
  fi
  expect_status 0 "$millrace" encrypt -q --tdf --kas-public-key key.pem.pub --kas-url $url -o e plain
  want=wrapped
  case $algorithm in ec:*) want=ec-wrapped ;; esac
  manifest e "keys[0]['type'] == '$want'"
  expect_status 0 "$millrace" decrypt --kas-private-key key.pem e
  expect_equal plain "$out"
  rm e key.pem key.pem.pub
done

# The default is RSA of 2048 bits; to standard output the private key alone; the public key where it is wanted.
expect_status 0 "$millrace" kas keygen
cp "$out" printed
head -n 1 printed | grep -q 'BEGIN PRIVATE KEY' || fail "no private key on stdout"
"$millrace" kas keygen -o a --public-key b
expect_only a b plain printed
"$millrace" kas public-key a -o c
expect_equal b c
expect_status 0 "$millrace" encrypt -q --tdf --kas-public-key c --kas-url $url -o e plain
manifest e "len(base64.b64decode(keys[0]['wrappedKey'])) == 256"
rm c e printed

# An existing file is refused, whichever of the two it is, and then neither is made or changed.
cp a a.old
cp b b.old
refused 2 "a: the file exists" --force -- "$millrace" kas keygen -o a --public-key x
refused 2 "b: the file exists" --force -- "$millrace" kas keygen -o x --public-key b
refused 2 "b: the file exists" -- "$millrace" kas public-key a -o b
expect_equal a a.old
expect_equal b b.old
expect_absent x
chmod 644 a
expect_status 0 "$millrace" kas keygen --force -o a --public-key b
! cmp -s a a.old || fail "--force kept the old key"
expect_mode 600 a
"$millrace" kas public-key a | cmp - b || fail "not a pair after --force"
refused 1 "no/b" -- "$millrace" kas keygen -o x --public-key no/b
expect_absent x
refused 2 -- "$millrace" kas keygen -o x --public-key x
refused 2 rsa:1024 -- "$millrace" kas keygen --algorithm rsa:1024 -o x
refused 2 "standard output" -- "$millrace" kas keygen --public-key -
refused 2 empty -- "$millrace" kas keygen -o ""
refused 3 plain "private key" -- "$millrace" kas public-key plain
refused 2 "b: " "private key" -- "$millrace" kas public-key b
refused 1 missing -- "$millrace" kas public-key missing
chmod 644 a
expect_status 0 "$millrace" kas public-key a
expect_stderr "millrace: warning: a: a private key that others can read" "chmod 600"
expect_only a a.old b b.old plain
