#!/usr/bin/env bash
# Draws the README's pictures from real screens: the demos', with this workspace's binary and
# plugin. With a file, only that of tmux, after `zellij` only that of zellij, after `dash` only that of
# the dashboard, is drawn there.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
cargo build --quiet --locked -p madohub-tests -p tmux-helper --bins

draw_tmux() {
    "$target/debug/demo" "$target/debug/madohub" --svg "$1"
    echo "$1"
}
draw_zellij() {
    MADOHUB_PLUGIN=$(scripts/plugin-build.sh) MADOHUB_ZELLIJ=$(scripts/zellij-build.sh) \
        "$target/debug/demo_zellij" "$target/debug/madohub" --svg "$1"
    echo "$1"
}
draw_dash() {
    "$target/debug/demo" "$target/debug/madohub" --dash-svg "$1"
    echo "$1"
}
mkdir -p docs/images
case ${1-} in
    '')
        draw_tmux docs/images/tmux.svg
        draw_dash docs/images/dash.svg
        draw_zellij docs/images/zellij.svg
        ;;
    dash) draw_dash "${2:-docs/images/dash.svg}" ;;
    zellij) draw_zellij "${2:-docs/images/zellij.svg}" ;;
    *) draw_tmux "$1" ;;
esac
