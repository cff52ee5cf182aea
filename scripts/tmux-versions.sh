#!/usr/bin/env bash
# Puts other tmux versions into a cache folder outside the tree, for the tests that compare versions.
#
# Each version comes from a package suite of the machine's own Debian mirror: apt checks the signed
# indexes and the checksums in a private root, nothing is installed. A version runs with its own
# libc through that libc's loader, so that the machine's release does not matter.
#
# Prints one line per version: VERSION<TAB>PATH of an executable `tmux`.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/tmux-versions.sh [--list] [--min N] [SUITE...]

  --list   print what the cache holds, fetch nothing
  --min N  fail unless at least N versions are there at the end (default: 1)
  SUITE    package suites to take tmux from (default: bullseye trixie trixie-backports sid)

Cache: $MADOHUB_CACHE, else $XDG_CACHE_HOME/madohub-ci, else ~/.cache/madohub-ci
TEXT
}

cache=${MADOHUB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/madohub-ci}/tmux
fetch=1
min=1
suites=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) usage; exit 0 ;;
        --list) fetch=0 ;;
        --min) min=${2:?--min needs a number}; shift ;;
        -*) echo "tmux-versions: unknown option $1" >&2; usage >&2; exit 2 ;;
        *) suites+=("$1") ;;
    esac
    shift
done
[ ${#suites[@]} -gt 0 ] || suites=(bullseye trixie trixie-backports sid)

say() { echo "tmux-versions: $*" >&2; }

# The Debian mirror that apt is set up with.
mirror() {
    # shellcheck disable=SC2016 # apt's own placeholders
    apt-get indextargets --format '$(SITE) $(ORIGIN) $(LABEL)' 'Identifier: Packages' |
        awk '$2 == "Debian" && $3 == "Debian" { print $1; exit }'
}

# apt in a private root: own sources, lists and archives, an empty list of installed packages.
private_apt() {
    local root=$1
    shift
    "$@" -qq \
        -o Dir="$root" \
        -o Dir::Etc::Trusted=/etc/apt/trusted.gpg \
        -o Dir::Etc::TrustedParts=/etc/apt/trusted.gpg.d \
        -o Dir::Etc::Parts=/etc/apt/apt.conf.d \
        -o Dir::State::status="$root/status" \
        -o APT::Sandbox::User=root \
        -o APT::Install-Recommends=false \
        -o Debug::NoLocking=true
}

# fetch_suite SUITE: unpacks that suite's tmux with the libraries it needs.
fetch_suite() {
    local suite=$1 work keyring loader libs version dest
    work=$(mktemp -d "$cache/.work.XXXXXX")
    # shellcheck disable=SC2064 # the folder of this call
    trap "rm -rf '$work'" RETURN
    mkdir -p "$work"/apt/{etc/apt/{sources.list.d,preferences.d,apt.conf.d},var/lib/apt/lists/partial,var/cache/apt/archives/partial}
    : >"$work/apt/status"
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    local from=("$suite")
    # A backports suite holds only what differs from its base.
    case $suite in *-backports) from=("${suite%-backports}" "$suite") ;; esac
    local s
    for s in "${from[@]}"; do
        echo "deb [signed-by=$keyring] $site $s main"
    done >"$work/apt/etc/apt/sources.list"

    private_apt "$work/apt" apt-get update >&2 || { say "$suite: no usable index at the mirror"; return 1; }
    private_apt "$work/apt" apt-get install --yes --download-only -t "$suite" tmux >&2 ||
        { say "$suite: tmux and its libraries cannot be had"; return 1; }

    mkdir "$work/root"
    local deb
    for deb in "$work"/apt/var/cache/apt/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$work/root"
    done
    rm -rf "$work/root/usr/share"
    loader=$(cd "$work/root" && find . -name 'ld-linux*.so*' -path '*/lib*' \( -type f -o -type l \) -print -quit)
    [ -n "$loader" ] || { say "$suite: the libc package holds no loader"; return 1; }
    loader=${loader#./}
    libs=$(cd "$work/root" && find . -name 'lib*.so.*' -printf '%h\n' | sed 's,^\./,,' | sort -u)

    mkdir "$work/root/bin.run"
    {
        echo '#!/bin/sh'
        # shellcheck disable=SC2016 # for the written script
        echo 'root=$(dirname "$(dirname "$(readlink -f "$0")")")'
        # shellcheck disable=SC2016
        printf 'exec "$root/%s" --library-path "' "$loader"
        # shellcheck disable=SC2016
        printf '%s\n' "$libs" | sed 's,^,$root/,' | paste -sd: | tr -d '\n'
        # shellcheck disable=SC2016
        echo '" "$root/usr/bin/tmux" "$@"'
    } >"$work/root/bin.run/tmux"
    chmod +x "$work/root/bin.run/tmux"

    version=$("$work/root/bin.run/tmux" -V) || { say "$suite: the unpacked tmux does not run"; return 1; }
    version=${version#tmux }
    case $version in
        [0-9]*.[0-9]*) ;;
        *) say "$suite: strange version '$version'"; return 1 ;;
    esac
    dest=$cache/$version
    rm -rf "$dest"
    mv "$work/root" "$dest"
    echo "$version" >"$cache/.suite-$suite"
}

# known_version VERSION: it is unpacked and says that it is that version.
known_version() {
    [ -x "$cache/$1/bin.run/tmux" ] && [ "$("$cache/$1/bin.run/tmux" -V 2>/dev/null)" = "tmux $1" ]
}

mkdir -p "$cache"
if [ "$fetch" = 1 ]; then
    for tool in apt-get dpkg-deb tar; do
        command -v "$tool" >/dev/null || { say "needs $tool: other versions come from Debian's packages"; exit 1; }
    done
    exec 9>"$cache/.lock"
    flock 9
    site=
    for suite in "${suites[@]}"; do
        mark=$cache/.suite-$suite
        if [ -f "$mark" ] && known_version "$(cat "$mark")"; then
            continue
        fi
        [ -n "$site" ] || site=$(mirror)
        [ -n "$site" ] || { say "apt knows no Debian mirror (run apt-get update first)"; exit 1; }
        fetch_suite "$suite" || say "$suite: left out"
    done
fi

count=0
for dir in "$cache"/[0-9]*/; do
    version=$(basename "$dir")
    known_version "$version" || continue
    printf '%s\t%s\n' "$version" "$cache/$version/bin.run/tmux"
    count=$((count + 1))
done
if [ "$count" -lt "$min" ]; then
    say "$count version(s) in $cache, $min wanted"
    exit 1
fi
