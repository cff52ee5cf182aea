#!/bin/sh
# The dashboard of workmux (0.1.278 from the crate registry) over the panes of the tmux server that it runs
# in, for `scripts/bench-daemon.sh --peer`. It reads no screens to find states: agents' hooks tell it,
# so each pane is told of once by the same command, and what is measured is that it watches them.
set -eu
HOME=$(mktemp -d)
export HOME
mkdir -p "$HOME/.config/workmux"
echo 'nerdfont: false' >"$HOME/.config/workmux/config.yaml"
for pane in $(tmux list-panes -a -F '#{pane_id}'); do
    TMUX_PANE=$pane workmux set-window-status working </dev/null
done
exec workmux dashboard
