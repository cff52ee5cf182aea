#!/usr/bin/env bash
# Our detector beside those of other programs, as far as package registries have them, on the same
# recorded screens in one run: how often each is right, and how long it takes for a screen.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
    '') ;;
    -h | --help) echo "usage: scripts/bench-peers.sh"; exit 0 ;;
    *) echo "usage: scripts/bench-peers.sh" >&2; exit 2 ;;
esac
for tool in cargo node npm tar; do
    command -v "$tool" >/dev/null || { echo "bench-peers: $tool is missing" >&2; exit 1; }
done

ccmanager=4.2.3
target=${CARGO_TARGET_DIR:-$PWD/target}/peers
export CARGO_TARGET_DIR=$target
for peer in tmuxcc tmai; do
    cargo build --quiet --locked --release --manifest-path "tests/peers/$peer/Cargo.toml"
done
if [ ! -e "$target/ccmanager-$ccmanager/package.json" ]; then
    rm -rf "$target/unpack"
    mkdir -p "$target/unpack"
    (cd "$target/unpack" && npm pack --silent "ccmanager@$ccmanager" >/dev/null)
    tar -xzf "$target/unpack/ccmanager-$ccmanager.tgz" -C "$target/unpack"
    mv "$target/unpack/package" "$target/ccmanager-$ccmanager"
    rm -rf "$target/unpack"
fi
"$target/release/madohub-peer-tmuxcc" shared/corpus/recorded "$target/screens.jsonl"
"$target/release/madohub-peer-tmai" shared/corpus/recorded
node tests/peers/ccmanager.mjs "$target/ccmanager-$ccmanager" "$target/screens.jsonl"
