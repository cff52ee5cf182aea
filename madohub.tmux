#!/bin/sh
# Entry for tmux plugin managers, and for `run-shell` in ~/.tmux.conf: starts the daemon of the
# tmux server that runs it. Options, each to be set before it is run:
#   set -g @madohub_bin '/path/to/madohub'   the command, where it is not in PATH or beside this
#   set -g @madohub_autostart 'off'          start nothing; for `madohub tmux start` by hand
#   set -g @madohub_list_key 'A'             prefix + this key shows the list in a popup
# The segment is an option, there for any status line: set -g status-right '#{@madohub_status}'
set -eu

option() {
    value=$(tmux show-option -gqv "$1")
    printf '%s' "${value:-$2}"
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
program=$(option @madohub_bin '')
if [ -z "$program" ]; then
    # Installed: the command is two folders up. Cloned by a plugin manager: perhaps built here.
    for candidate in "$here/../../bin/madohub" "$here/target/release/madohub" "$HOME/.local/bin/madohub"; do
        if [ -x "$candidate" ]; then
            program=$candidate
            break
        fi
    done
    if command -v madohub >/dev/null 2>&1; then program=$(command -v madohub); fi
fi
if [ -z "$program" ] || ! command -v "$program" >/dev/null 2>&1; then
    tmux display-message "madohub is not installed: run $here/install.sh, or set @madohub_bin"
    exit 0
fi

# One word for the shell that tmux starts, whatever the path holds; `#` would be a tmux format.
quoted=$(printf '%s' "$program" | sed "s/'/'\\\\''/g; s/#/##/g")

key=$(option @madohub_list_key '')
if [ -n "$key" ]; then
    # Without -E the popup stays until Escape closes it.
    tmux bind-key "$key" display-popup -w 90% -h 60% "'$quoted' list" 2>/dev/null ||
        tmux display-message 'madohub: @madohub_list_key needs tmux 3.2 or newer'
fi

if [ "$(option @madohub_autostart on)" != off ]; then
    # tmux shows output over the pane in front; a failure it tells in the status line.
    tmux run-shell -b "'$quoted' tmux start >/dev/null"
fi
