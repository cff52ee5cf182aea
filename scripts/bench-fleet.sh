#!/usr/bin/env bash
# Measures what it costs to follow 200 hosts with 30 panes each, of which each changes once a second,
# against what the broker itself needs for the same messages. Takes about a minute.
# Arguments go to the benchmark: --seconds N (each measurement). MADOHUB_BIN names a madohub to measure
# instead of a release build of this checkout.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${MADOHUB_BIN:-}" ]; then
    cargo build --quiet --locked --release -p tmux-helper --bin madohub
    MADOHUB_BIN=${CARGO_TARGET_DIR:-target}/release/madohub
fi
exec cargo run --quiet --locked -p madohub-tests --bin bench_fleet -- "$MADOHUB_BIN" "$@"
