#!/usr/bin/env bash
# Provides the zellij that the tests run against and prints the path of its binary.
#
# It is built once from its published crate, with a profile that compiles fast and keeps only
# the plugin interpreter optimised, and kept outside the source tree. A later call checks the
# version of what it finds and builds again only when that is missing or another one.
set -euo pipefail

default=0.45.1
version=$default
usage() {
    cat <<TEXT
Usage: scripts/zellij-build.sh [--check] [VERSION]

Builds a zellij for the tests when it is missing and prints the path of its binary.

  VERSION   a published version of zellij (default: $default)
  --check   only look: print the path, or exit 1 when it would have to be built

Environment:
  MADOHUB_CACHE    folder for what is built (default: the user's cache folder, madohub-ci/)
  MADOHUB_ZELLIJ   a zellij of that version to use instead of building one
TEXT
}

say() { printf 'zellij-build: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}

# The binary is there and says that it is the version wanted.
usable() { [[ -x $1 && $("$1" --version 2>/dev/null) == "zellij $version" ]]; }

check=false
for argument; do
    case $argument in
        --check) check=true ;;
        -h | --help)
            usage
            exit 0
            ;;
        [0-9]*.[0-9]*.[0-9]*) version=$argument ;;
        *)
            usage >&2
            exit 2
            ;;
    esac
done

if [[ -n ${MADOHUB_ZELLIJ-} ]]; then
    usable "$MADOHUB_ZELLIJ" || die "MADOHUB_ZELLIJ=$MADOHUB_ZELLIJ is not zellij $version"
    printf '%s\n' "$MADOHUB_ZELLIJ"
    exit 0
fi

cache=${MADOHUB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/madohub-ci}/zellij-$version
binary=$cache/bin/zellij
if usable "$binary"; then
    printf '%s\n' "$binary"
    exit 0
fi
$check && exit 1

# Two callers at once: the second one waits and then finds the binary.
mkdir -p "$cache"
if command -v flock >/dev/null; then
    exec 9>"$cache/lock"
    flock 9
    if usable "$binary"; then
        printf '%s\n' "$binary"
        exit 0
    fi
    # Nobody else builds now: what is there was left by a build that was killed.
    rm -rf "$cache"/build.*
fi

# What compiling its TLS and HTTP parts needs from the system.
missing=()
command -v cmake >/dev/null || missing+=(cmake)
command -v pkg-config >/dev/null || missing+=(pkg-config)
pkg-config --exists libcurl 2>/dev/null || missing+=(libcurl4-openssl-dev)
if ((${#missing[@]})); then
    if command -v apt-get >/dev/null && [[ $(id -u) == 0 ]]; then
        say "installing ${missing[*]}"
        install=(apt-get install -y --no-install-recommends "${missing[@]}")
        DEBIAN_FRONTEND=noninteractive "${install[@]}" >/dev/null 2>&1 || {
            apt-get update -q >/dev/null 2>&1 || true
            DEBIAN_FRONTEND=noninteractive "${install[@]}" >&2
        }
    else
        die "please install ${missing[*]} (names as in Debian) and run this again"
    fi
fi

say "building zellij $version, this takes some minutes once"
optimised=()
for package in wasmi wasmi_core wasmi_collections wasmi_ir vte sha2; do
    optimised+=(--config "profile.release.package.$package.opt-level=3")
done
root=$(mktemp -d "$cache/build.XXXXXX")
trap 'rm -rf "$root"' EXIT
CARGO_PROFILE_RELEASE_LTO=off \
    CARGO_PROFILE_RELEASE_CODEGEN_UNITS=64 \
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 \
    CARGO_PROFILE_RELEASE_DEBUG=0 \
    CARGO_PROFILE_RELEASE_STRIP=true \
    CARGO_TARGET_DIR="$root/target" \
    RUSTFLAGS='' \
    cargo install zellij --version "$version" --locked --no-default-features \
    --root "$root" --no-track --quiet "${optimised[@]}" >&2

usable "$root/bin/zellij" || die "what was built is not zellij $version"
mkdir -p "$cache/bin"
mv -f "$root/bin/zellij" "$binary"
printf '%s\n' "$binary"
