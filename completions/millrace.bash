# bash completion for millrace(1). Needs nothing but bash; with bash-completion it is loaded when first used.

_millrace_templates="AES128_GCM_HKDF_4KB AES128_GCM_HKDF_1MB AES256_GCM_HKDF_4KB AES256_GCM_HKDF_1MB
  AES128_CTR_HMAC_SHA256_4KB AES128_CTR_HMAC_SHA256_1MB AES256_CTR_HMAC_SHA256_4KB AES256_CTR_HMAC_SHA256_1MB
  AES256_GCM"

_millrace_reply() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2"); }
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
      if [[ ! $verb =~ ^(keyset|frame|unframe)$ ]]; then break; fi
    else
      action=$word
      break
    fi
  done

  if [[ -z $verb ]]; then
    _millrace_reply "encrypt decrypt cat verify inspect keyset frame unframe --help --version" "$cur"
    return
  fi
  if [[ $verb == keyset && -z $action ]]; then
    _millrace_reply "new list add promote enable disable delete convert seal unseal --help" "$cur"
    return
  fi

  if [[ $verb =~ ^(frame|unframe)$ && -z $action ]]; then
    _millrace_reply "silkd --help" "$cur"
    return
  fi

  case $prev in
    --keyset | --kek | --associated-data-file | --output | -o)
      _millrace_files "$cur"
      return
      ;;
    --template)
      _millrace_reply "$_millrace_templates" "$cur"
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
    --threads | --range | --chunk | --associated-data | --kek-associated-data)
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
  local output="--output --force --fsync"
  local transfer="--threads --producer"
  local report="--quiet --json --progress"
  case $verb in
    encrypt | decrypt) options="$keys $output $transfer $report" ;;
    cat) options="$keys $output $transfer $report --range" ;;
    verify) options="$keys $transfer $report" ;;
    inspect) options="$keys --json" ;;
    frame | unframe)
      options="$output $transfer $report"
      if [[ $verb == frame ]]; then options+=" --op --chunk"; fi
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
