#!/usr/bin/env bash
# Runs the tests in a real zellij against other versions of zellij than the one that CI has, with the
# plugin as it is built. By hand: each version is built first, which takes minutes of two cores and a
# gigabyte for a while.
#
# Prints one line per version: VERSION<TAB>what came of it.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    cat <<'TEXT'
Usage: scripts/zellij-versions.sh [VERSION...]

Builds these versions of zellij where they are missing (default: 0.44.3, the newest one before 0.45) and
runs the tests in a real zellij against each. What a version has no command for is left out.

Environment: MADOHUB_CACHE, as for scripts/zellij-build.sh
TEXT
}

case ${1-} in
    -h | --help)
        usage
        exit 0
        ;;
    -*)
        usage >&2
        exit 2
        ;;
esac
[[ $# -gt 0 ]] || set -- 0.44.3

# It names the one version that all other tests run against.
unset MADOHUB_ZELLIJ
scripts/plugin-build.sh >&2
scripts/test-programs-build.sh >&2
failed=0
for version; do
    if ! MADOHUB_ZELLIJ=$(scripts/zellij-build.sh "$version"); then
        printf '%s\tcannot be built\n' "$version"
        failed=1
        continue
    fi
    export MADOHUB_ZELLIJ
    if cargo nextest run --locked -p madohub-tests -E 'test(/^zellij_/)' >&2; then
        printf '%s\tall tests passed\n' "$version"
    else
        printf '%s\ttests failed\n' "$version"
        failed=1
    fi
    unset MADOHUB_ZELLIJ
done
exit "$failed"
