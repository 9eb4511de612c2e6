# Memory: a function of threads and segment size, not of the input. Beyond what the process needs for doing nothing
# (--version) the peak of resident memory is
#   at most threads x segment + 8 MiB from file to file, and for any output with one thread or small segments;
#   at most threads x 4 MiB + 8 MiB to a pipe with segments of 1 MiB: each thread has two of them, so that it need not
#   wait for the reader, and a huge page for each;
# whatever the size: 64 MiB, 1 GiB (8 GiB too with MILLRACE_SLOW_TESTS=1). With one thread it is the same, give or take
# 512 KiB; of several threads one may be too late to get any work of a small input.
. "$(dirname "$0")/lib.sh"
meter=$tool
"$meter" "$base/peak" "$millrace" --version > "$out"
bare=$(cat "$base/peak")
sizes="64M 1G"
if [ "${MILLRACE_SLOW_TESTS:-0}" = 1 ]; then sizes="$sizes 8G"; fi
new_keyset 1M.json AES256_GCM_HKDF_1MB
new_keyset 4K.json AES256_GCM_HKDF_4KB

# check KIB WHERE ARGUMENTS...: the peak above the bare process, for a sparse input of each size.
check() {
  local most=$1 where=$2 smallest= size kib
  shift 2
  for size in $sizes; do
    rm -f input x && truncate -s $size input
    case $where in
      pipe) "$meter" "$base/peak" "$millrace" "$@" | cat > /dev/null ;;
      *) "$meter" "$base/peak" "$millrace" "$@" > "$where" ;;
    esac
    kib=$(($(cat "$base/peak") - bare))
    [ $kib -le $most ] || fail "$* to $where, $size: $kib KiB, more than $most"
    if [ -z "$smallest" ]; then smallest=$kib; fi
    [[ "$*" != *"--threads 1"* ]] || [ $((kib - smallest)) -le 512 ] || fail "$* to $where: $smallest KiB for 64M, $kib for $size"
  done
}
check $((1 * 1024 + 8192)) pipe encrypt --keyset 1M.json --threads 1 input
check $((1 * 4 + 8192)) /dev/null encrypt --keyset 4K.json --threads 1 --producer "cat input"
check $((2 * 4096 + 8192)) /dev/null encrypt --keyset 1M.json --threads 2 input
# File to file writes as much as it reads: 256 MiB will do.
sizes="16M 256M"
check $((2 * 1024 + 8192)) /dev/null encrypt --keyset 1M.json --threads 2 -o x input
