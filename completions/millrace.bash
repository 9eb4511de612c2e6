# bash completion for millrace(1). Needs nothing but bash; with bash-completion it is loaded when first used.

_millrace_templates="AES128_GCM_HKDF_4KB AES128_GCM_HKDF_1MB AES256_GCM_HKDF_4KB AES256_GCM_HKDF_1MB
  AES128_CTR_HMAC_SHA256_4KB AES128_CTR_HMAC_SHA256_1MB AES256_CTR_HMAC_SHA256_4KB AES256_CTR_HMAC_SHA256_1MB
  AES256_GCM"

_millrace_algorithms="crc32 crc32c crc64nvme sha1 sha256 sha512 md5 xxhash3 xxhash64 xxhash128"
_millrace_families="crc32 crc32c crc64nvme base64-encode base64-decode aes-256-gcm aes-128-gcm aes-256-ctr sha256 files"

_millrace_reply() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2"); }
# The same for the last name of a list with commas.
_millrace_list() { mapfile -t COMPREPLY < <(compgen -P "${2%"${2##*,}"}" -W "$1" -- "${2##*,}"); }
_millrace_files() {
  compopt -o filenames 2> /dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_millrace() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev="" verb="" action="" word options i
  if ((COMP_CWORD > 0)); then prev=${COMP_WORDS[COMP_CWORD - 1]}; fi
  COMPREPLY=()
  # bash splits --option=value at the "=".
  if [[ $cur == "=" ]]; then
    cur=""
  elif [[ $prev == "=" ]] && ((COMP_CWORD > 1)); then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi

  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == -* ]]; then continue; fi
    if [[ -z $verb ]]; then
      verb=$word
      if [[ ! $verb =~ ^(keyset|kas|frame|unframe)$ ]]; then break; fi
    else
      action=$word
      break
    fi
  done

  if [[ -z $verb ]]; then
    _millrace_reply "encrypt decrypt cat verify inspect keyset kas sum bench frame unframe --help --version" "$cur"
    return
  fi
  if [[ $verb == keyset && -z $action ]]; then
    _millrace_reply "new list add promote enable disable delete convert seal unseal --help" "$cur"
    return
  fi
  if [[ $verb == kas && -z $action ]]; then
    _millrace_reply "keygen public-key --help" "$cur"
    return
  fi
  if [[ $verb =~ ^(frame|unframe)$ && -z $action ]]; then
    _millrace_reply "aws-chunked silkd --help" "$cur"
    return
  fi

  case $prev in
    --keyset | --kek | --associated-data-file | --output | -o | --plot | --headers | --secret-key-file | \
      --kas-public-key | --kas-private-key | --policy | --metadata-file | --with-assertions | \
      --with-assertion-verification-keys | --public-key)
      _millrace_files "$cur"
      return
      ;;
    --template)
      _millrace_reply "$_millrace_templates" "$cur"
      return
      ;;
    --algorithm | -a | --checksum)
      case $verb in
        kas) _millrace_reply "rsa:2048 rsa:4096 ec:secp256r1 ec:secp384r1 ec:secp521r1" "$cur" ;;
        encrypt) ;;  # -a is an attribute there
        *) _millrace_list "$_millrace_algorithms" "$cur" ;;
      esac
      return
      ;;
    --split)
      _millrace_reply "all any" "$cur"
      return
      ;;
    --segment-hash)
      _millrace_reply "GMAC HS256" "$cur"
      return
      ;;
    --target-mode)
      _millrace_reply "4.2.2 4.3.0" "$cur"
      return
      ;;
    --only)
      _millrace_list "$_millrace_families" "$cur"
      return
      ;;
    --progress)
      _millrace_reply "auto lines none" "$cur"
      return
      ;;
    --to | --format)
      _millrace_reply "json binary" "$cur"
      return
      ;;
    --producer)
      mapfile -t COMPREPLY < <(compgen -c -- "$cur")
      return
      ;;
    --op)
      _millrace_reply "data stdin" "$cur"
      return
      ;;
    --threads | --range | --associated-data | --kek-associated-data | --size | --rounds | --seconds-per-cell | --file-size | \
      --chunk | --chunk-size | --length | --region | --date | --sign | --put | --kas-url | --kid | --attr | \
      --mime-type | --segment-size | --metadata | --max-manifest-size | --max-segment-size | --max-segments)
      return
      ;;
  esac

  if [[ $cur != -* ]]; then
    if [[ $action =~ ^(promote|enable|disable|delete)$ && -f $prev ]]; then
      # The ids of the keys in the keyset that was just named.
      _millrace_reply "$("${COMP_WORDS[0]}" keyset list "$prev" 2> /dev/null | awk 'NR > 1 {print $1}')" "$cur"
    else
      _millrace_files "$cur"
    fi
    return
  fi

  local keys="--keyset --associated-data --associated-data-file --kek --kek-associated-data"
  local tdf="--tdf --kas-public-key --kas-url --kid --split --attr --policy --mime-type --segment-size --segment-hash
    --target-mode --metadata --metadata-file --with-assertions --system-metadata-assertion --max-manifest-size"
  local opening="$keys --kas-private-key --with-assertion-verification-keys --no-verify-assertions --max-manifest-size
    --max-segment-size --max-segments"
  local output="--output --force --fsync"
  local transfer="--threads --producer"
  local report="--quiet --json --progress"
  case $verb in
    encrypt) options="$keys $tdf $output $transfer $report" ;;
    decrypt) options="$opening $output $transfer $report" ;;
    cat) options="$opening $output $transfer $report --range" ;;
    verify) options="$opening $transfer $report" ;;
    inspect) options="$opening --json" ;;
    kas)
      options="--output --force"
      if [[ $action == keygen ]]; then options+=" --algorithm --public-key"; fi
      ;;
    sum) options="--algorithm --recursive --check --ignore-missing --strict --tag --base64 --threads $report" ;;
    bench) options="--only --size --rounds --seconds-per-cell --file-size --quick --plot --force $report" ;;
    frame | unframe)
      local signing="--sign --region --date --secret-key-file"
      options="$output $transfer $report"
      case $verb/$action in
        frame/aws-chunked) options+=" $keys $signing --chunk-size --checksum --encrypt --put --headers" ;;
        unframe/aws-chunked) options+=" $signing --checksum --length --small-chunks" ;;
        frame/silkd) options+=" --op --chunk" ;;
      esac
      ;;
    keyset)
      options="--keyset --kek --kek-associated-data"
      case $action in
        new) options+=" --template --to --format --output --force" ;;
        list) options+=" --json" ;;
        add) options+=" --template" ;;
        promote | enable | disable | delete) ;;
        convert | seal | unseal) options+=" --to --format --output --force" ;;
      esac
      ;;
  esac
  _millrace_reply "$options --help" "$cur"
}

complete -F _millrace millrace
