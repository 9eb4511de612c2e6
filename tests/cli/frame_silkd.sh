# frame silkd and unframe silkd: what is written, what comes back, what is refused and leaves nothing.
. "$(dirname "$0")/lib.sh"

# decode OP CLOSING SIZE: another decoder. Frames on stdin, payload on stdout; each frame but the last is full.
decode() {
  python3 -c '
import base64, json, sys
op, closing, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
lines = sys.stdin.buffer.read().split(b"\n")
assert lines.pop() == b""
assert json.loads(lines.pop()) == {"v": 1, "op": closing}
for i, line in enumerate(lines):
    frame = json.loads(line)
    assert list(frame) == ["v", "op", "data"] and frame["v"] == 1 and frame["op"] == op
    payload = base64.b64decode(frame["data"], validate=True)
    assert len(payload) == size or (i == len(lines) - 1 and 0 < len(payload) < size)
    assert line == json.dumps(frame, separators=(",", ":")).encode()
    sys.stdout.buffer.write(payload)' "$@"
}

for size in 0 1 2 3 262143 262144 262145 1000000; do
  random_file plain $size
  "$millrace" frame silkd plain > frames
  decode data data_end 262144 < frames | cmp - plain
  "$millrace" unframe silkd -o back frames
  expect_equal plain back
  "$millrace" frame silkd --op stdin --chunk 1000 -f -o frames < plain
  decode stdin stdin_close 1000 < frames | cmp - plain
  "$millrace" unframe silkd < frames | cmp - plain
  rm back
done
"$millrace" frame silkd --chunk 6291432 plain | decode data data_end 6291432 | cmp - plain
printf '' | "$millrace" frame silkd | cmp - <(printf '{"v":1,"op":"data_end"}\n')
"$millrace" frame silkd --producer 'printf hello' | cmp - <(printf '{"v":1,"op":"data","data":"aGVsbG8="}\n{"v":1,"op":"data_end"}\n')
"$millrace" frame silkd --json -o frames -f plain > "$out"
grep -q '"bytes":1000000,"output_bytes":'"$(stat -c %s frames)", "$out" || fail "the report is wrong"

# The payload of an answer, and its errors.
printf '{"type":"data","data":"aGVs"}\r\n{"data":"bG8=","type":"data","x":[{}]}\n{"type":"done"}' > answer
"$millrace" unframe silkd answer | cmp - <(printf hello)
printf '{"type":"error","kind":"not_found","message":"open: no such file"}\n' > answer
refused 3 answer "the agent failed" "it says: open: no such file" -- "$millrace" unframe silkd -o back answer

printf '{"type":"data","data":"aGVs"}\n{"type":"data","data":"aGV"}\n{"type":"done"}\n' > answer
refused 3 answer malformed -- "$millrace" unframe silkd -o back answer
printf '{"type":"data","data":"aGVs"}\n{"type":"exit","code":0}\n' > answer
refused 3 answer "another frame" -- "$millrace" unframe silkd -o back answer

# A command that fails half-way: the frames are not closed.
expect_status 1 "$millrace" frame silkd --producer 'printf hello; exit 1'
if grep -q data_end "$out"; then fail "closed in spite of the failure"; fi

refuse_frames() {
  printf "$1" > bad
  refused 3 bad "${2:-malformed}" -- "$millrace" unframe silkd -o back bad
}
good='{"v":1,"op":"data","data":"aGVs"}\n' end='{"v":1,"op":"data_end"}\n'
refuse_frames ''
refuse_frames "$good"
refuse_frames "$end$good"
refuse_frames "$end$end"
refuse_frames "$end\n"
refuse_frames "$good\n$end"
refuse_frames "$good"'{"v":1,"op":"stdin_close"}\n'
refuse_frames "$good"'{"v":1,"op":"stdin","data":"aGVs"}\n'"$end"
refuse_frames "$good"'{"v":1,"op":"fs_chmod"}\n'"$end" 'it is called fs_chmod'
refuse_frames "$good"'{"v":1,"op":"info"}\n'"$end"
refuse_frames '{"v":1,"op":"data","data":"aGV"}\n'"$end"
refuse_frames '{"v":1,"op":"data","data":"aGV-"}\n'"$end"
refuse_frames '{"v":1,"op":"data","data":"aGVs"}x\n'"$end"
refuse_frames '{"v":1,"op":"data","data":"aGVs"}\0\n'"$end"
refuse_frames "$good"'{"v":1,"op":"data_end"}\0junk\n'
refuse_frames 'hello\n'
head -c 9000000 /dev/zero | tr '\0' ' ' > bad
refused 3 bad "limit exceeded" -- "$millrace" unframe silkd -o back bad
expect_absent back

for chunk in 0 6291433 x; do
  refused 2 -- "$millrace" frame silkd --chunk $chunk plain
done
refused 2 -- "$millrace" frame silkd --op stdout plain
expect_only answer bad frames plain
