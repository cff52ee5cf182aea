#!/usr/bin/env bash
# Every check and every test of the project, in one command. Fails at the first thing that is not
# right, warnings and missing tools included.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    cat <<'TEXT'
usage: scripts/check.sh [--quick]

  --quick  formatting, lints and tests only, with the tools and tmux versions that are there
TEXT
}

quick=0
case ${1:-} in
    '') ;;
    --quick) quick=1 ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac

step() { printf '\n\033[1m== %s\033[m\n' "$*"; }
need() {
    command -v "$1" >/dev/null || { echo "check: $1 is missing: $2" >&2; exit 1; }
}

need cargo "see https://rustup.rs"
need cargo-nextest "cargo install --locked cargo-nextest"
need tmux "apt-get install tmux"
need git "apt-get install git"
need openssl "apt-get install openssl"
PATH=$PATH:/usr/sbin need mosquitto "apt-get install mosquitto"
if [ "$quick" = 0 ]; then
    need shellcheck "apt-get install shellcheck"
    need cargo-deny "cargo install --locked cargo-deny"
    need valgrind "apt-get install valgrind"
    need cargo-fuzz "cargo install --locked cargo-fuzz"
    need python3 "apt-get install python3"
fi

# A warning anywhere is a failure.
export RUSTFLAGS="${RUSTFLAGS:-} -D warnings"
export RUSTDOCFLAGS="${RUSTDOCFLAGS:-} -D warnings"

step "format"
cargo fmt --all --check

if [ "$quick" = 0 ]; then
    step "shell scripts"
    scripts=()
    while IFS= read -r file; do
        case $(head -c 64 "$file" | head -n 1 | tr -d '\0') in
            '#!'*sh) scripts+=("$file") ;;
        esac
    done < <(git ls-files --cached --others --exclude-standard)
    [ ${#scripts[@]} -gt 0 ] || { echo "check: no shell scripts found" >&2; exit 1; }
    shellcheck "${scripts[@]}"
    echo "${#scripts[@]} scripts"

    step "dependencies"
    # Advisories need a database from outside; the rest needs nothing.
    cargo deny --log-level error check bans licenses sources
fi

step "lints"
# The run with real agents is not made here, but it builds.
cargo clippy --workspace --all-targets --locked --features madohub-tests/real-agents -- -D warnings

if [ "$quick" = 0 ]; then
    step "documentation"
    cargo doc --workspace --no-deps --locked --quiet

    step "tmux versions"
    scripts/tmux-versions.sh
    export MADOHUB_TMUX_VERSIONS=required
fi

step "zellij"
scripts/plugin-build.sh
scripts/test-programs-build.sh
if [ "$quick" = 0 ]; then
    cargo clippy --locked -p madohub-zellij --features plugin,test-programs --target wasm32-wasip1 -- -D warnings
fi
MADOHUB_ZELLIJ=$(scripts/zellij-build.sh)
export MADOHUB_ZELLIJ

step "tests"
cargo nextest run --workspace --locked

step "rules as the plugin has them"
# Packed, and with the patterns' parts that they need: under the same floors.
cargo nextest run -p madohub-detect --no-default-features --locked -E 'kind(test)'

if [ "$quick" = 0 ]; then
    step "fuzz targets, for a moment"
    scripts/fuzz.sh 5

    step "instructions per screen"
    scripts/bench-instructions.sh
fi

step "documentation tests"
cargo test --workspace --doc --locked --quiet

step "all checks passed"
