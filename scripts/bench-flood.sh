#!/usr/bin/env bash
# Measures how long a change of state takes to its pane's option in tmux while other panes change
# without end, against the same with the other panes at rest, in the same server and run.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/private-tmux.sh
. scripts/private-tmux.sh

usage() {
    cat <<'TEXT'
usage: scripts/bench-flood.sh [--panes N] [--rate N] [--changes N]

  --panes N    panes that change (default: 50)
  --rate N     changes of each of them in a second (default: 20)
  --changes N  changes that are timed, with and without them (default: 30)

  MADOHUB_BIN  a madohub to measure (default: a release build of this checkout)
TEXT
}

panes=50 rate=20 changes=30
while [ $# -gt 0 ]; do
    case $1 in
        --panes) panes=$2; shift 2 ;;
        --rate) rate=$2; shift 2 ;;
        --changes) changes=$2; shift 2 ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done
open_world mhflood
finish() {
    rm -f "$world/flood"
    wait
    close_world
}
trap finish EXIT

rule=────────────────────────────
box="$rule\n❯ \n$rule\n  ? for shortcuts"
printf '\033[H\033[2J✻ Pondering… (12s · ↓ 300 tokens)\n\n%b' "$box" >"$world/works"
printf '\033[H\033[2J%s\n Bash command\n\n   cargo test\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel' \
    "$rule" >"$world/waits"
for n in $(seq 20); do
    printf '[[route]]\nname = "r%s"\non = ["working", "waiting"]\ncooldown = 0\nto = { file = "%s/log%s" }\nsend = "{state}"\n' \
        "$n" "$world" "$n"
done >"$world/config/madohub/config.toml"

tm new-session -d -s s -x 100 -y 30 "exec cat"
touch "$world/quiet"
pane=$(tm new-window -d -P -F '#{pane_id}' bash -c "exec -a claude tail -f '$world/quiet'")
for n in $(seq "$panes"); do
    cp "$world/waits" "$world/screen$n"
    tm new-window -d bash -c "exec -a claude tail -f '$world/screen$n'"
done
# Changes all of them while the file `flood` is there, and starts no program for it.
flood() {
    local works waits screen n pause
    pause=$((1000 / rate))
    printf -v pause '0.%03d' "$pause"
    works=$(<"$world/works") waits=$(<"$world/waits")
    while [ -e "$world/flood" ]; do
        for screen in "$works" "$waits"; do
            for n in $(seq "$panes"); do printf '%s' "$screen" >>"$world/screen$n"; done
            read -rt "$pause" <>"$world/never" || true
        done
    done
}
mkfifo "$world/never"
hub tmux start >/dev/null

seq_now() {
    hub list --history --json | grep -o '"seq":[0-9]*' | cut -d: -f2 | sort -n | tail -n 1
}
now_ms() { echo $(($(date +%s%N) / 1000000)); }

# Milliseconds from the pane's bytes to its option, one a line.
measure() {
    local n screen state began
    for n in $(seq "$changes"); do
        if [ $((n % 2)) = 1 ]; then screen=works state=working; else screen=waits state=waiting; fi
        sleep 0.5
        began=$(now_ms)
        cat "$world/$screen" >>"$world/quiet"
        while [ "$(tm display-message -p -t "$pane" '#{@madohub_state}')" != "$state" ]; do :; done
        echo $(($(now_ms) - began))
    done
}
median() { sort -n | sed -n "$((changes / 2 + 1))p"; }

sleep 3
rest=$(measure | median)
touch "$world/flood"
flood &
sleep 3
first=$(seq_now) began=$(now_ms)
flood=$(measure | median)
last=$(seq_now) ended=$(now_ms)

echo "$panes panes change $rate times a second, 20 routes on every change, $changes timed changes of another pane"
echo "events told: $(((last - first) * 1000 / (ended - began))) a second"
echo "median at rest $rest ms, in the flood $flood ms: $((flood * 100 / (rest > 0 ? rest : 1))) % of it"
