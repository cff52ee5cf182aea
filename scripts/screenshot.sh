#!/usr/bin/env bash
# Draws the README's picture from a real screen: the demo's, with this workspace's binary.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
out=${1:-docs/images/tmux.svg}
mkdir -p "$(dirname "$out")"
cargo build --quiet --locked -p madohub-tests -p tmux-helper --bins
"$target/debug/demo" "$target/debug/madohub" --svg "$out"
echo "$out"
