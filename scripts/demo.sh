#!/usr/bin/env bash
# Shows MadoHub at work where nothing else is needed: recorded agents in a private tmux server, or
# in a private zellij with the plugin, watched by the given binary. Exits 0 only if every state and
# every colour is right.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { echo "usage: scripts/demo.sh PATH_TO_MADOHUB [zellij PATH_TO_PLUGIN]" >&2; }
case $#:${2-} in
    1:)
        case $1 in -h | --help) usage; exit 2 ;; esac
        ;;
    3:zellij) ;;
    *) usage; exit 2 ;;
esac
# It plays the terminal around zellij as well.
command -v tmux >/dev/null || { echo "demo: tmux is not installed" >&2; exit 3; }
if [ $# -eq 3 ] && [ -z "${MADOHUB_ZELLIJ-}" ]; then
    MADOHUB_ZELLIJ=$(command -v zellij) || { echo "demo: zellij is not installed" >&2; exit 3; }
    export MADOHUB_ZELLIJ
fi
cargo build --quiet --locked -p madohub-tests --bins
bin=${CARGO_TARGET_DIR:-target}/debug
if [ $# -eq 3 ]; then
    MADOHUB_PLUGIN=$3 exec "$bin/demo_zellij" "$1"
fi
exec "$bin/demo" "$1"
