#!/usr/bin/env bash
# Shows MadoHub at work where nothing else is needed: recorded agents in a private tmux server,
# watched by the given binary. Exits 0 only if every state and every colour is right.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -ne 1 ] || [ "$1" = -h ] || [ "$1" = --help ]; then
    echo "usage: scripts/demo.sh PATH_TO_MADOHUB" >&2
    exit 2
fi
command -v tmux >/dev/null || { echo "demo: tmux is not installed" >&2; exit 3; }
cargo build --quiet --locked -p madohub-tests --bins
exec "${CARGO_TARGET_DIR:-target}/debug/demo" "$1"
