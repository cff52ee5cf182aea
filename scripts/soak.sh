#!/usr/bin/env bash
# A long day in a short time: agents that change their states without end, panes that come and go,
# and readers that connect and hang up, in a private tmux server. At every checkpoint each state
# must be the truth, and the daemon must need no more than it did at the first one.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/private-tmux.sh
. scripts/private-tmux.sh

usage() {
    cat <<'TEXT'
usage: scripts/soak.sh [--minutes N] [--panes N]

  --minutes N  how long (default: 20)
  --panes N    panes with an agent, besides those that come and go (default: 12)

  MADOHUB_BIN  a madohub to run (default: a release build of this checkout)
TEXT
}

minutes=20 panes=12
while [ $# -gt 0 ]; do
    case $1 in
        --minutes) minutes=$2; shift 2 ;;
        --panes) panes=$2; shift 2 ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done
open_world mhsoak
# A signal is heeded between two commands, so that none of them outlives the world.
finish() {
    wait
    close_world
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
fail() {
    echo "soak: $*" >&2
    exit 1
}

# The screens of an agent, and the state that each of them shows.
rule=────────────────────────────
box="$rule\n❯ \n$rule\n  ? for shortcuts"
clear='\033[H\033[2J'
states=(idle working waiting)
printf '%b%b' "$clear" "$box" >"$world/idle"
printf '%b✻ Pondering… (12s · ↓ 300 tokens)\n\n%b' "$clear" "$box" >"$world/working"
printf '%b%s\n Bash command\n\n   cargo test\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel' \
    "$clear" "$rule" >"$world/waiting"
{
    printf '[tracking]\nsettle = 1\n'
    printf '[[route]]\nname = "diary"\non = ["working", "waiting"]\ncooldown = 0\nto = { file = "%s" }\nsend = "{pane} {state}"\n' \
        "$world/diary"
} >"$world/config/madohub/config.toml"

agent() { tm new-window -d -P -F '#{pane_id}' bash -c "exec -a claude tail -n 200 -f '$world/screen$1'"; }
show() { cat "$world/$2" >>"$world/screen$1"; }
options() {
    local scope pane window
    for scope in -s -g -gw; do tm show-options "$scope"; done
    for window in $(tm list-windows -a -F '#{window_id}'); do tm show-options -w -t "$window"; done
    for pane in $(tm list-panes -a -F '#{pane_id}'); do tm show-options -p -t "$pane"; done
}

tm new-session -d -s s -x 100 -y 30 "exec cat"
tm set-option -g automatic-rename off
declare -a pane_of truth
for n in $(seq "$panes"); do
    cp "$world/idle" "$world/screen$n"
    pane_of[n]=$(agent "$n")
done
options >"$world/before"
hub tmux start >/dev/null
daemon=$(hub tmux status --json | grep -o '"pid":[0-9]*' | cut -d: -f2)

# Some changes of all kinds, as fast as they can be shown.
stir() {
    local round n extra reader
    for round in $(seq 40); do
        for n in $(seq "$panes"); do
            [ $((RANDOM % 3)) = 0 ] && show "$n" "${states[RANDOM % 3]}"
        done
        case $((round % 10)) in
            1) cp "$world/waiting" "$world/screen0"; extra=$(agent 0) ;;
            6) tm kill-pane -t "$extra" ;;
            3) hub list --history --json >/dev/null ;;
            5)
                # It hangs up in the middle of a stream.
                here timeout 0.3 "$MADOHUB_BIN" watch --json -L m >/dev/null &
                reader=$!
                ;;
            8) wait "$reader" || true ;;
        esac
        sleep 0.1
    done
}

# Shows a state in each pane and waits until tmux has all of them.
settle() {
    local n wrong deadline
    for n in $(seq "$panes"); do
        truth[n]=${states[RANDOM % 3]}
        show "$n" "${truth[n]}"
    done
    deadline=$((SECONDS + 15))
    while :; do
        tm list-panes -a -F '#{pane_id} #{@madohub_state}' >"$world/shown"
        wrong=''
        for n in $(seq "$panes"); do
            grep -qx "${pane_of[n]} ${truth[n]}" "$world/shown" || wrong+=" ${pane_of[n]}:${truth[n]}"
        done
        [ -n "$wrong" ] || break
        [ "$SECONDS" -lt "$deadline" ] || fail "not the truth:$wrong; $(tr '\n' ';' <"$world/shown")"
        sleep 0.2
    done
}

# What the daemon needs: resident memory in KiB, descriptors, sockets among them, threads, children.
needs() {
    local rss fds sockets threads children
    kill -0 "$daemon" 2>/dev/null || fail "the daemon is gone"
    rss=$(grep VmRSS "/proc/$daemon/status" | tr -dc 0-9)
    fds=$(find "/proc/$daemon/fd" -mindepth 1 2>/dev/null | wc -l || true)
    sockets=$(find "/proc/$daemon/fd" -mindepth 1 -lname 'socket:*' 2>/dev/null | wc -l || true)
    threads=$(find "/proc/$daemon/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l || true)
    children=$(ps -o pid= --ppid "$daemon" 2>/dev/null | wc -l || true)
    echo "$rss $fds $sockets $threads $children $(options | wc -l)"
}
# The least of some looks: a run of tmux that is under way is no growth.
least() {
    for _ in 1 2 3 4 5 6; do
        needs
        sleep 0.3
    done | sort -n -k2 | head -n 1
}

# Whether a child that ended was not heard of yet.
zombies() { [[ $(ps -o stat= --ppid "$daemon" 2>/dev/null) == *Z* ]]; }

names=(memory descriptors sockets threads children options)
first='' now=''
end=$((SECONDS + minutes * 60))
while [ "$SECONDS" -lt "$end" ]; do
    stir
    settle
    if zombies; then
        sleep 1
        if zombies; then fail "a zombie stays"; fi
    fi
    now=$(least)
    echo "$((SECONDS / 60)) min: $now"
    # The first rounds fill caches.
    if [ -z "$first" ]; then
        rounds=$((${rounds:-0} + 1))
        [ "$rounds" -lt 3 ] || first=$now
        continue
    fi
    read -ra was <<<"$first"
    read -ra is <<<"$now"
    [ "${is[0]}" -le $((was[0] * 5 / 4 + 2048)) ] || fail "memory grows: ${was[0]} to ${is[0]} KiB"
    for n in 1 2 3 4; do
        [ "${is[n]}" -le $((was[n] + 1)) ] || fail "${names[n]} grow: ${was[n]} to ${is[n]}"
    done
    # Reasons and `+2` come and go with states: a pane has at most two of them.
    [ "${is[5]}" -le $((was[5] + 2 * panes)) ] || fail "options grow: ${was[5]} to ${is[5]}"
done
hub tmux stop >/dev/null
options >"$world/after"
diff "$world/before" "$world/after" >&2 || fail "tmux is not as it was"
told=$(wc -l <"$world/diary")
echo "memory KiB, descriptors, sockets, threads, children, lines of options"
echo "first: $first"
echo "last:  $now"
echo "every state was the truth at every checkpoint; $told lines by a route; tmux is as it was"
