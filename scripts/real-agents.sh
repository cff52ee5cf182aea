#!/usr/bin/env bash
# Installs real agent programs into a private folder, brings them into every state in real tmux
# panes against a model that follows a script, and prints what MadoHub said about each and how long
# after it was true. Nothing but loopback is within their reach, and no key is a real one.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    cat <<'TEXT'
usage: scripts/real-agents.sh [AGENT[@VERSION]...] [--situation NAME]... [--newest]

  AGENT      as in tests/real-agents/agents; all of them without it
  --newest   the newest version of each only
  --situation NAME
             only this one of tests/real-agents/situations.toml

  MADOHUB_REAL_AGENTS  folder for packages and reports (default: target/real-agents)
  MADOHUB_BIN          a madohub to test (default: a release build of this checkout)
TEXT
}

case ${1:-} in -h | --help) usage; exit 0 ;; esac

need() {
    command -v "$1" >/dev/null || { echo "real-agents: $1 is missing: $2" >&2; exit 1; }
}
need cargo "see https://rustup.rs"
need npm "apt-get install npm"
need tmux "apt-get install tmux"
need git "apt-get install git"
need unshare "apt-get install util-linux"
need ip "apt-get install iproute2"

cargo build --quiet --locked -p madohub-tests --features real-agents --bins
if [ -z "${MADOHUB_BIN:-}" ]; then
    cargo build --quiet --locked --release -p tmux-helper --bin madohub
    MADOHUB_BIN=$PWD/target/release/madohub
fi
export MADOHUB_BIN

target/debug/real_agents install "$@"

# A network of its own, with loopback alone.
alone=(unshare --net)
[ "$(id -u)" = 0 ] || alone=(unshare --user --map-current-user --keep-caps --net)
exec "${alone[@]}" sh -c 'ip link set lo up && exec "$@"' sh target/debug/real_agents run "$@"
