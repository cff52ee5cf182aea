#!/usr/bin/env bash
# Measures what the plugin costs a zellij server whose ten panes animate about ten times a second,
# against the same server without it; how long a change takes to reach the terminal; the plugin's
# size and the time that zellij takes to load it. Takes about a minute after the builds.
# Arguments go to the benchmark: --seconds N (each measurement).
set -euo pipefail
cd "$(dirname "$0")/.."

MADOHUB_PLUGIN=$(scripts/plugin-build.sh)
MADOHUB_ZELLIJ=$(scripts/zellij-build.sh)
export MADOHUB_PLUGIN MADOHUB_ZELLIJ
cargo build --quiet --locked -p madohub-tests --bins
exec "${CARGO_TARGET_DIR:-target}/debug/bench_zellij" "$@"
