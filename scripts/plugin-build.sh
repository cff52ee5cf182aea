#!/usr/bin/env bash
# Builds the zellij plugin and prints its path.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1-} in
    '') ;;
    -h | --help)
        echo "Usage: scripts/plugin-build.sh"
        echo
        echo "Builds target/wasm32-wasip1/plugin/madohub.wasm; gets the compiler's target first."
        echo "With wasm-opt (package binaryen) it is an eighth smaller."
        exit 0
        ;;
    *)
        echo "plugin-build: it takes no arguments" >&2
        exit 2
        ;;
esac

linker=$(scripts/setup-wasm-target.sh)
[ -z "$linker" ] || export CARGO_TARGET_WASM32_WASIP1_LINKER="$linker"
# Flags for the machine's own programs are none for the plugin's.
RUSTFLAGS='' cargo build --locked --package madohub-zellij --features plugin \
    --target wasm32-wasip1 --profile plugin >&2
built=$PWD/target/wasm32-wasip1/plugin
scripts/smaller-wasm.sh "$built/madohub-plugin.wasm" "$built/madohub.wasm" >&2
printf '%s\n' "$built/madohub.wasm"
