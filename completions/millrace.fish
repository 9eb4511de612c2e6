# fish completion for millrace(1).

set -l verbs encrypt decrypt cat verify inspect keyset kas sum bench frame unframe
set -l actions new list add promote enable disable delete convert seal unseal

function __millrace_verb_is
    set -l words (commandline -opc)
    test (count $words) -ge 2; and contains -- $words[2] $argv
end
function __millrace_action_is
    set -l words (commandline -opc)
    test (count $words) -ge 3; and contains -- $words[2] keyset kas; and contains -- $words[3] $argv
end
# The ids of the keys in the keyset that is on the command line.
function __millrace_ids
    for word in (commandline -opc)[4..-1]
        if test -f $word
            millrace keyset list $word 2>/dev/null | awk 'NR > 1 {print $1 "\t" $2 " " $NF}'
        end
    end
end

complete -c millrace -s h -l help -d 'Show help'
complete -c millrace -n "not __fish_seen_subcommand_from $verbs" -f -l version -d 'Show the version'
complete -c millrace -n "not __fish_seen_subcommand_from $verbs" -f -a encrypt -d 'Encrypt a file or a pipe with a Tink keyset, or as a TDF file'
complete -c millrace -n "not __fish_seen_subcommand_from $verbs" -f -a decrypt -d 'Decrypt a file or a pipe'
complete -c millrace -n "not __fish_seen_subcommand_from $verbs" -f -a cat -d 'Write a byte range of the plaintext'
complete -c millrace -n "not __fish_seen_subcommand_from $verbs" -f -a verify -d 'Authenticate everything, write nothing'
complete -c millrace -n "not __fish_seen_subcommand_from $verbs" -f -a inspect -d 'Show the layout of an encrypted file'
complete -c millrace -n "not __fish_seen_subcommand_from $verbs" -f -a keyset -d 'Make and manage Tink keysets'
complete -c millrace -n "not __fish_seen_subcommand_from $verbs" -f -a kas -d 'Make keys for TDF files'
complete -c millrace -n "not __fish_seen_subcommand_from $verbs" -f -a sum -d 'Compute or check checksums'
complete -c millrace -n "not __fish_seen_subcommand_from $verbs" -f -a bench -d 'Measure what this machine gives'
complete -c millrace -n "not __fish_seen_subcommand_from $verbs" -f -a frame -d 'Put a payload into the framing of a protocol'
complete -c millrace -n "not __fish_seen_subcommand_from $verbs" -f -a unframe -d 'Verify the framing of a protocol and write the payload'

set -l keyed '__millrace_verb_is encrypt decrypt cat verify inspect frame'
complete -c millrace -n "$keyed" -l keyset -r -F -d 'Tink keyset: FILE, fd:N or env:NAME'
complete -c millrace -n "$keyed" -l associated-data -x -d 'Authenticated with the stream, not stored in it'
complete -c millrace -n "$keyed" -l associated-data-file -r -F -d 'The same, from a file'
complete -c millrace -n "$keyed" -l kek -r -F -d 'The keyset that opens an encrypted keyset'
complete -c millrace -n "$keyed" -l kek-associated-data -x -d 'Associated data of the encrypted keyset'

set -l tdf '__millrace_verb_is encrypt'
complete -c millrace -n "$tdf" -l tdf -d 'Write a TDF file'
complete -c millrace -n "$tdf" -l kas-public-key -r -F -d 'Whom it is for: public key or certificate'
complete -c millrace -n "$tdf" -l kas-url -x -d 'The key access server of each key'
complete -c millrace -n "$tdf" -l kid -x -d 'The id of each key'
complete -c millrace -n "$tdf" -l split -x -a 'all any' -d 'Several keys: all are needed, or any will do'
complete -c millrace -n "$tdf" -s a -l attr -x -d 'Attribute value of the policy'
complete -c millrace -n "$tdf" -l policy -r -F -d 'The whole policy, as JSON'
complete -c millrace -n "$tdf" -l mime-type -x -d 'Type of the plaintext'
complete -c millrace -n "$tdf" -l segment-size -x -d 'Plaintext of a segment'
complete -c millrace -n "$tdf" -l segment-hash -x -a 'GMAC HS256' -d 'What is kept of a segment'
complete -c millrace -n "$tdf" -l target-mode -x -a '4.2.2 4.3.0' -d 'Version of the format'
complete -c millrace -n "$tdf" -l metadata -x -d 'Stored encrypted'
complete -c millrace -n "$tdf" -l metadata-file -r -F -d 'The same, from a file'
complete -c millrace -n "$tdf" -l with-assertions -r -F -d 'Assertions to sign, JSON or a file of it'
complete -c millrace -n "$tdf" -l system-metadata-assertion -d 'Add the assertion about time and system'
set -l opening '__millrace_verb_is decrypt cat verify inspect'
complete -c millrace -n "$opening" -l kas-private-key -r -F -d 'TDF: private key, FILE, fd:N or env:NAME'
complete -c millrace -n "$opening" -l with-assertion-verification-keys -r -F -d 'TDF: keys of assertions, as JSON'
complete -c millrace -n "$opening" -l no-verify-assertions -d 'TDF: open whatever the assertions are'
complete -c millrace -n "$tdf; or $opening" -l max-manifest-size -x -d 'TDF: largest manifest'
complete -c millrace -n "$opening" -l max-segment-size -x -d 'TDF: largest segment that is opened'
complete -c millrace -n "$opening" -l max-segments -x -d 'TDF: most segments that a file may have'

set -l writing '__millrace_verb_is encrypt decrypt cat frame unframe'
complete -c millrace -n "$writing" -s o -l output -r -F -d 'Output file, made complete or not at all'
complete -c millrace -n "$writing" -s f -l force -d 'Replace an existing output file'
complete -c millrace -n "$writing" -l fsync -d 'Return only when the output has reached the disk'

set -l moving '__millrace_verb_is encrypt decrypt cat verify frame unframe'
complete -c millrace -n "$moving; or __millrace_verb_is sum" -l threads -x -d 'Worker threads'
complete -c millrace -n "$moving" -l producer -x -a '(__fish_complete_command)' -d 'Run a command and take its output as the input'
complete -c millrace -n "$moving; or __millrace_verb_is sum bench" -s q -l quiet -d 'No progress, no summary'
complete -c millrace -n "$moving; or __millrace_verb_is sum bench" -l progress -x -a 'auto lines none' -d 'How progress is shown'
complete -c millrace -n '__millrace_verb_is encrypt decrypt cat verify inspect sum bench frame unframe; or __millrace_action_is list' -l json -d 'Print a JSON object'
complete -c millrace -n '__millrace_verb_is cat' -l range -x -d 'A-B (inclusive), A- or -N'

set -l formats aws-chunked silkd
complete -c millrace -n "__millrace_verb_is frame unframe; and not __fish_seen_subcommand_from $formats" -f -a aws-chunked -d 'Body of an upload to S3'
complete -c millrace -n "__millrace_verb_is frame unframe; and not __fish_seen_subcommand_from $formats" -f -a silkd -d 'Frames of silkd'
set -l aws '__millrace_verb_is frame unframe; and __fish_seen_subcommand_from aws-chunked'
complete -c millrace -n "$aws" -l checksum -x -a 'crc32 crc32c crc64nvme sha1 sha256' -d 'Trailing checksum'
complete -c millrace -n "$aws" -l sign -x -d 'Sign the chunks, from the signature of the request on'
complete -c millrace -n "$aws" -l region -x -d 'Region of the signature'
complete -c millrace -n "$aws" -l date -x -d 'x-amz-date of the request'
complete -c millrace -n "$aws" -l secret-key-file -r -F -d 'The secret access key'
complete -c millrace -n "$aws" -l length -x -d 'unframe: size of the payload'
complete -c millrace -n "$aws" -l small-chunks -d 'unframe: take chunks below 8 KiB that are not the last'
complete -c millrace -n "$aws" -l chunk-size -x -d 'frame: payload of a chunk'
complete -c millrace -n "$aws" -l encrypt -d 'frame: encrypt first, with --keyset'
complete -c millrace -n "$aws" -l put -x -d 'frame: sign a PUT to URL and its chunks'
complete -c millrace -n "$aws" -l headers -r -F -d 'frame: write the headers that the request needs'
complete -c millrace -n '__millrace_verb_is frame' -l op -x -a 'data stdin' -d 'What the frames are for'
complete -c millrace -n '__millrace_verb_is frame' -l chunk -x -d 'Payload of a frame'

set -l choosing "__millrace_verb_is keyset; and not __fish_seen_subcommand_from $actions"
complete -c millrace -n "$choosing" -f -a new -d 'Make a keyset with one fresh key'
complete -c millrace -n "$choosing" -f -a list -d 'Show ids, statuses and templates'
complete -c millrace -n "$choosing" -f -a add -d 'Add a fresh key, not primary, and print its id'
complete -c millrace -n "$choosing" -f -a promote -d 'Make a key the one that encrypts'
complete -c millrace -n "$choosing" -f -a enable -d 'Use a disabled key again'
complete -c millrace -n "$choosing" -f -a disable -d 'Keep a key but do not use it'
complete -c millrace -n "$choosing" -f -a delete -d 'Remove a key for good'
complete -c millrace -n "$choosing" -f -a convert -d 'Write a keyset in another form'
complete -c millrace -n "$choosing" -f -a seal -d 'Encrypt a keyset under another'
complete -c millrace -n "$choosing" -f -a unseal -d 'Decrypt an encrypted keyset'

set -l acting "__millrace_action_is $actions"
complete -c millrace -n "$acting" -l keyset -r -F -d 'The keyset, instead of FILE'
complete -c millrace -n "$acting" -l kek -r -F -d 'The keyset that encrypts this one'
complete -c millrace -n "$acting" -l kek-associated-data -x -d 'Associated data of that encryption'
complete -c millrace -n '__millrace_action_is promote enable disable delete' -a '(__millrace_ids)'

set -l templates AES128_GCM_HKDF_4KB AES128_GCM_HKDF_1MB AES256_GCM_HKDF_4KB AES256_GCM_HKDF_1MB \
    AES128_CTR_HMAC_SHA256_4KB AES128_CTR_HMAC_SHA256_1MB AES256_CTR_HMAC_SHA256_4KB AES256_CTR_HMAC_SHA256_1MB AES256_GCM
complete -c millrace -n '__millrace_action_is new add' -l template -x -a "$templates" -d 'Kind of key'

set -l rewriting '__millrace_action_is new convert seal unseal'
complete -c millrace -n "$rewriting" -l to -x -a 'json binary' -d 'Form of the result'
complete -c millrace -n "$rewriting" -l format -x -a 'json binary' -d 'Form of the result'
complete -c millrace -n "$rewriting" -s o -l output -r -F -d 'Output file, mode 0600'
complete -c millrace -n "$rewriting" -s f -l force -d 'Replace an existing output file'

set -l pairing "__millrace_verb_is kas; and not __fish_seen_subcommand_from keygen public-key"
complete -c millrace -n "$pairing" -f -a keygen -d 'Make a key pair'
complete -c millrace -n "$pairing" -f -a public-key -d 'Print the public key of a private key'
complete -c millrace -n '__millrace_action_is keygen' -l algorithm -x -a 'rsa:2048 rsa:4096 ec:secp256r1 ec:secp384r1 ec:secp521r1' -d 'Kind of key'
complete -c millrace -n '__millrace_action_is keygen' -l public-key -r -F -d 'Where the public key goes'
complete -c millrace -n '__millrace_action_is keygen public-key' -s o -l output -r -F -d 'Output file'
complete -c millrace -n '__millrace_action_is keygen public-key' -s f -l force -d 'Replace existing files'

set -l algorithms crc32 crc32c crc64nvme sha1 sha256 sha512 md5 xxhash3 xxhash64 xxhash128
complete -c millrace -n '__millrace_verb_is sum' -s a -l algorithm -x -a "$algorithms" -d 'Which checksums'
complete -c millrace -n '__millrace_verb_is sum' -s r -l recursive -d 'Sum the regular files of directories'
complete -c millrace -n '__millrace_verb_is sum' -s c -l check -d 'Check the files that the FILEs list'
complete -c millrace -n '__millrace_verb_is sum' -l ignore-missing -d 'With -c: skip listed files that are not there'
complete -c millrace -n '__millrace_verb_is sum' -l strict -d 'With -c: status 3 for lines that are not checksums'
complete -c millrace -n '__millrace_verb_is sum' -l tag -d 'Lines like SHA256 (NAME) = HEX'
complete -c millrace -n '__millrace_verb_is sum' -l base64 -d 'Base64 of the big-endian value, as S3 writes it'

set -l families crc32 crc32c crc64nvme base64-encode base64-decode aes-256-gcm aes-128-gcm aes-256-ctr sha256 files
complete -c millrace -n '__millrace_verb_is bench' -l only -x -a "$families" -d 'What to measure'
complete -c millrace -n '__millrace_verb_is bench' -l size -x -d 'Measure this size too'
complete -c millrace -n '__millrace_verb_is bench' -l rounds -x -d 'Rounds, whose median is shown'
complete -c millrace -n '__millrace_verb_is bench' -l seconds-per-cell -x -d 'Time for one kernel at one size in one round'
complete -c millrace -n '__millrace_verb_is bench' -l file-size -x -d 'Size of the file that is encrypted and summed'
complete -c millrace -n '__millrace_verb_is bench' -l quick -d 'Few sizes and short rounds'
complete -c millrace -n '__millrace_verb_is bench' -l plot -r -F -d 'Draw throughput over size, an SVG'
complete -c millrace -n '__millrace_verb_is bench' -s f -l force -d 'Replace an existing file of --plot'
