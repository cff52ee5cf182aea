#!/usr/bin/env bash
# How many instructions the engine takes for a recorded screen, counted by callgrind: the same on
# every run, whatever else the machine does. Fails when it takes more of them than it may, as
# ratios to reading the same bytes once.
set -euo pipefail
cd "$(dirname "$0")/.."

# A tenth above what was measured when they were set. Whoever makes the engine faster lowers them;
# whoever must raise them says in the commit what is bought with it.
declare -A limits=([known]=7.6 [screen]=13.2)

case ${1:-} in
    '') ;;
    -h | --help) echo "usage: scripts/bench-instructions.sh"; exit 0 ;;
    *) echo "usage: scripts/bench-instructions.sh" >&2; exit 2 ;;
esac
command -v valgrind >/dev/null || {
    echo "bench-instructions: valgrind is missing: apt-get install valgrind" >&2
    exit 1
}

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# Cargo says where it put the program.
program=$(cargo bench --locked -p madohub-detect --bench instructions --no-run 2>&1 |
    sed -n 's/.*Executable .*(\(.*\)).*/\1/p')
[ -x "$program" ] || {
    echo "bench-instructions: the benchmark was not built:" >&2
    cargo bench --locked -p madohub-detect --bench instructions --no-run >&2
    exit 1
}

# Instructions of a screen in the given view.
count() {
    VIEW=$1 valgrind --tool=callgrind --collect-atstart=no \
        --toggle-collect='instructions::measured' --callgrind-out-file="$out/$1" "$program" \
        >"$out/said" 2>"$out/errors"
    awk -v screens="$(sed -n 's/^screens //p' "$out/said")" '
        /Collected : / && screens > 0 { printf "%d\n", $NF / screens; found = 1 }
        END { exit !found }' "$out/errors" || { cat "$out/errors" >&2; exit 1; }
}

floor=$(count scan)
printf '%-8s %8s %8s %8s\n' view instr. ratio limit
printf '%-8s %8d %8.1f\n' scan "$floor" 1
failed=0
for view in known screen; do
    taken=$(count "$view")
    ratio=$(awk -v a="$taken" -v b="$floor" 'BEGIN { printf "%.1f", a / b }')
    printf '%-8s %8d %8s %8s\n' "$view" "$taken" "$ratio" "${limits[$view]}"
    awk -v a="$ratio" -v b="${limits[$view]}" 'BEGIN { exit !(a > b) }' && failed=1
done
[ "$failed" = 0 ] || { echo "bench-instructions: more than the limit" >&2; exit 1; }
