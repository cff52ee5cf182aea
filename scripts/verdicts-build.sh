#!/usr/bin/env bash
# Builds the engine as the plugin has it, as a program that the tests run in zellij's interpreter, and
# prints its path.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1-} in
    '') ;;
    -h | --help)
        echo "Usage: scripts/verdicts-build.sh"
        exit 0
        ;;
    *)
        echo "verdicts-build: it takes no arguments" >&2
        exit 2
        ;;
esac

scripts/setup-wasm-target.sh >&2
RUSTFLAGS='' cargo build --locked --package madohub-zellij --bin verdicts --features verdicts \
    --target wasm32-wasip1 --profile plugin >&2
printf '%s\n' "$PWD/target/wasm32-wasip1/plugin/verdicts.wasm"
