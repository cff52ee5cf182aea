#!/usr/bin/env bash
# Builds the WebAssembly programs that only tests and benchmarks use, and prints their paths: the
# engine as the plugin has it, for zellij's interpreter; a plugin that only watches; and what compares
# the plugin's messages with those of zellij's own library.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1-} in
    '') ;;
    -h | --help)
        echo "Usage: scripts/test-programs-build.sh"
        exit 0
        ;;
    *)
        echo "test-programs-build: it takes no arguments" >&2
        exit 2
        ;;
esac

linker=$(scripts/setup-wasm-target.sh)
[ -z "$linker" ] || export CARGO_TARGET_WASM32_WASIP1_LINKER="$linker"
RUSTFLAGS='' cargo build --locked --package madohub-zellij --bin engine-verdicts --bin witness \
    --bin dialect --features test-programs --target wasm32-wasip1 --profile plugin >&2
built=$PWD/target/wasm32-wasip1/plugin
# As the plugin is: its answers are compared.
scripts/smaller-wasm.sh "$built/engine-verdicts.wasm" "$built/verdicts.wasm" >&2
printf '%s\n' "$built"/{verdicts,witness,dialect}.wasm
