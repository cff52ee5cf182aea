#!/usr/bin/env bash
# Runs every fuzz target for a while, with the recorded cases as seeds.
#   scripts/fuzz.sh [SECONDS]    for each target; 10 when not given
# A finding is written to fuzz/artifacts; fuzz/README.md says what to do with it.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-10} in
    -h | --help) echo "usage: scripts/fuzz.sh [SECONDS]"; exit 0 ;;
    *[!0-9]*) echo "usage: scripts/fuzz.sh [SECONDS]" >&2; exit 2 ;;
    *) seconds=${1:-10} ;;
esac
command -v cargo-fuzz >/dev/null || {
    echo "fuzz: cargo-fuzz is missing: cargo install --locked cargo-fuzz" >&2
    exit 1
}

# Seeds are made anew; what a run finds besides them stays.
python3 scripts/pack-corpus.py seeds fuzz/corpus >/dev/null
targets=$(cd fuzz && cargo fuzz list)
[ -n "$targets" ] || { echo "fuzz: no target found" >&2; exit 1; }

# cargo-fuzz would bring Cargo.lock up to date by itself.
cargo metadata --locked --format-version 1 --manifest-path fuzz/Cargo.toml >/dev/null

# Coverage needs flags that the stable toolchain takes only so; it is not the project's own.
export RUSTC_BOOTSTRAP=1
unset RUSTFLAGS
(cd fuzz && cargo fuzz build --sanitizer none)
for target in $targets; do
    echo "fuzz: $target"
    (cd fuzz && cargo fuzz run --sanitizer none "$target" -- \
        -max_total_time="$seconds" -timeout=20 -print_final_stats=1 2>target/last.log) || {
        tail -n 40 fuzz/target/last.log >&2
        exit 1
    }
    sed -n 's/^stat::number_of_executed_units: */  inputs: /p' fuzz/target/last.log
done
