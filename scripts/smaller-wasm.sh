#!/usr/bin/env bash
# Makes a WebAssembly program smaller with wasm-opt (package binaryen), where that is installed, and
# copies it where it is not, or where it is too old for what the compiler wrote.
set -euo pipefail

if [[ $# != 2 || $1 == -* ]]; then
    echo "Usage: scripts/smaller-wasm.sh FROM TO"
    [[ ${1-} == -h || ${1-} == --help ]] && exit 0
    exit 2
fi
from=$1 to=$2
# It takes some seconds.
[[ $to -nt $from ]] && exit 0

# What rustc 1.95 writes for wasm32-wasip1; zellij's interpreter takes all of it.
features=(bulk-memory multivalue mutable-globals nontrapping-float-to-int reference-types sign-ext)
new=$(mktemp "$to.XXXXXX")
trap 'rm -f "$new"' EXIT
if ! command -v wasm-opt >/dev/null; then
    echo "smaller-wasm: without wasm-opt (package binaryen) it stays an eighth larger" >&2
    cp "$from" "$new"
elif ! wasm-opt -Oz "${features[@]/#/--enable-}" "$from" -o "$new"; then
    echo "smaller-wasm: $(wasm-opt --version) does not take it; it stays as it is" >&2
    cp "$from" "$new"
fi
chmod 755 "$new"
mv -f "$new" "$to"
