#!/usr/bin/env bash
# For other scripts to read in: a tmux server with a home, settings and sockets of its own, and the
# madohub that is run in it. After `set -euo pipefail`, in the root of the checkout:
#
#   . scripts/private-tmux.sh
#   open_world NAME    makes the folder $world; MADOHUB_BIN is built where nobody named one
#   here, tm, hub      run a program, tmux, madohub in there
#   close_world        ends what runs there and takes the folder away

open_world() {
    if [ -z "${MADOHUB_BIN:-}" ]; then
        cargo build --quiet --locked --release -p tmux-helper --bin madohub
        MADOHUB_BIN=$PWD/target/release/madohub
    fi
    world=$(mktemp -d "/tmp/$1.XXXXXX")
    mkdir -m 700 "$world"/{home,run,tmux,config,state}
    mkdir "$world/config/madohub"
}

here() {
    env -i PATH="$PATH" HOME="$world/home" LANG=C.UTF-8 TERM=xterm-256color SHELL=/bin/sh \
        XDG_CONFIG_HOME="$world/config" XDG_STATE_HOME="$world/state" XDG_RUNTIME_DIR="$world/run" \
        TMUX_TMPDIR="$world/tmux" "$@"
}

tm() { here tmux -u -f /dev/null -L m "$@"; }

hub() { here "$MADOHUB_BIN" "$@" -L m; }

close_world() {
    hub tmux stop >/dev/null 2>&1 || true
    tm kill-server 2>/dev/null || true
    rm -rf "$world"
}
