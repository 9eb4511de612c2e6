#!/usr/bin/env bash
# pkg_config.sh PKGCONFIG_DIR CXX OUT: builds and runs the consumer with what pkg-config says about millrace, nothing else.
set -euo pipefail
here=$(dirname "$0")
export PKG_CONFIG_PATH=$1
cxx=$2
out=$3

read -ra cflags < <(pkg-config --cflags millrace)
read -ra libs < <(pkg-config --libs millrace)
"$cxx" -std=c++20 "${cflags[@]}" "$here/record.cc" -o "$out" "${libs[@]}"
"$out"

# The archives must stand in an order in which a linker that reads each once finds everything.
read -ra archives < <(pkg-config --libs-only-l millrace)
printf '%s\n' "${archives[@]}" | grep -qx -e -lmillrace_base
pkg-config --exact-version="$(pkg-config --modversion millrace)" millrace
