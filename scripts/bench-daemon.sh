#!/usr/bin/env bash
# Measures what the daemon costs with 50 idle panes and with 10 of them animating, against the same
# panes unwatched and against one plain `tmux list-panes -a` a second, and how long a change takes
# to reach the terminal. Takes about 5 minutes.
# Arguments go to the benchmark: --seconds N (each measurement), --panes N, --peer PROGRAM (another
# program that watches the tmux server which it runs in, for comparison).
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
cargo build --quiet --locked --release -p tmux-helper --bin madohub
cargo build --quiet --locked --release -p madohub-tests --bins
exec "$target/release/bench_daemon" "$target/release/madohub" "$@"
