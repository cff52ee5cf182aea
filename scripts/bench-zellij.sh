#!/usr/bin/env bash
# Measures what the plugin costs a zellij server whose ten panes animate about ten times a second,
# against the same server without it; how long a change takes to reach the terminal; the plugin's
# size and the time that zellij takes to load it; then what a verdict costs in zellij's interpreter, as
# a ratio to the native engine. Takes some two minutes after the builds.
# Arguments go to the benchmark: --seconds N (each measurement).
set -euo pipefail
cd "$(dirname "$0")/.."

MADOHUB_PLUGIN=$(scripts/plugin-build.sh)
MADOHUB_ZELLIJ=$(scripts/zellij-build.sh)
scripts/test-programs-build.sh >&2
export MADOHUB_PLUGIN MADOHUB_ZELLIJ
cargo build --quiet --locked -p madohub-tests --bins
"${CARGO_TARGET_DIR:-target}/debug/bench_zellij" "$@"
# The native engine as it is shipped.
cargo run --quiet --locked --release -p madohub-tests --bin bench_wasm
