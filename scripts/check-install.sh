#!/usr/bin/env bash
# Installs MadoHub as a new user would, in a clean root made from the distribution's packages,
# looks at what came of it, and sees that removing it leaves nothing.
#
# The root has no network: the crates come in as `cargo vendor` fetched them on this machine, by
# whatever settings cargo has here. Everything runs in namespaces of its own, so that its mounts
# and its processes end with it.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    cat <<'TEXT'
usage: scripts/check-install.sh [--suite SUITE] [--target DIR] [--quick] [--keep]
       scripts/check-install.sh --deb FILE [--suite SUITE] [--keep]

  --suite SUITE  suite of the distribution that the root is made from (default: testing, for a
                 compiler that is new enough)
  --target DIR   cargo's target folder inside of the root; kept, so that a second run builds little
  --quick        build with little optimization: it is the installation that is checked
  --deb FILE     install this Debian package instead of building, and remove it again
  --keep         keep the root afterwards, and say where

Needs root, debootstrap, unshare and cargo. The packages are kept in $MADOHUB_CACHE (default:
~/.cache/madohub-ci) as a folder for each suite; to have newer ones, remove it.
TEXT
}

say() { printf '\033[1m== %s\033[m\n' "$*"; }
die() {
    printf 'check-install: %s\n' "$1" >&2
    shift
    for line; do printf '  %s\n' "$line" >&2; done
    exit 1
}

suite=testing
target=
quick=()
deb=
keep=false
while [ $# -gt 0 ]; do
    case $1 in
        --suite) suite=${2:?--suite needs a name}; shift ;;
        --target) target=${2:?--target needs a folder}; shift ;;
        --quick)
            quick=(CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off
                CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_PLUGIN_LTO=off)
            ;;
        --deb) deb=${2:?--deb needs a file}; shift ;;
        --keep) keep=true ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done

[ -z "$deb" ] || [ -f "$deb" ] || die "there is no $deb" 'scripts/release.sh makes one.'
[ "$(id -u)" = 0 ] || die 'a root can only be made by root' 'Run it with sudo, or in a container.'
for tool in debootstrap unshare chroot cargo git; do
    command -v "$tool" >/dev/null || die "$tool is missing" "Debian: apt-get install debootstrap util-linux git"
done

cache=${MADOHUB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/madohub-ci}
base=$cache/root-$suite
mkdir -p "$cache"

# What a person who installs from source has: a compiler, tmux, and the shells with their
# completions. The standard library for the plugin and the linker are packages as well.
packages=build-essential,cargo,rustc,libstd-rust-dev-wasm32,lld,tmux,man-db
packages=$packages,bash-completion,zsh,fish
if [ ! -e "$base" ]; then
    say "packages of $suite"
    # The mirror that apt has here. The words in $(…) are apt's, not the shell's.
    # shellcheck disable=SC2016
    mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' |
        grep -v -- -security | sort -u | head -n 1)
    [ -n "$mirror" ] || die 'apt knows no mirror of Debian' 'apt-get update may help.'
    rm -rf "$base.new"
    debootstrap --variant=minbase --include="$packages" "$suite" "$base.new" "$mirror" \
        >"$cache/debootstrap.log" 2>&1 || die "debootstrap failed: $cache/debootstrap.log"
    rm -rf "$base.new"/var/cache/apt/archives/*.deb
    mv "$base.new" "$base"
fi

work=$(mktemp -d)
root=$work/root
leave() {
    status=$?
    if $keep; then say "kept: $root"; else rm -rf "$work"; fi
    exit "$status"
}
trap leave EXIT
trap 'exit 1' HUP INT TERM

say 'a clean root'
cp -a "$base" "$root"
user=newcomer
home=/home/$user
chroot "$root" useradd --create-home --shell /bin/bash "$user"

say 'the checkout and its crates'
mkdir "$root$home/checkout"
git ls-files --cached --others --exclude-standard -z |
    tar --create --null --files-from=- | tar --extract -C "$root$home/checkout"
mkdir -p "$root$home/.cargo"
if [ -n "$deb" ]; then
    cp "$deb" "$root/package.deb"
else
    cargo vendor --locked --versioned-dirs "$root$home/vendor" 2>"$work/vendor.log" |
        sed "s|$root||" >"$root$home/.cargo/config.toml"
    grep -q vendored-sources "$root$home/.cargo/config.toml" ||
        die 'cargo vendor failed' "$(cat "$work/vendor.log")"
    printf '\n[net]\noffline = true\n' >>"$root$home/.cargo/config.toml"
fi
chroot "$root" chown -R "$user:$user" "$home"

if [ -n "$target" ]; then
    mkdir -p "$target" "$root$home/checkout/target"
fi

# In the namespaces: mounts, then one step after the other as the new user.
cp scripts/check-install-steps.sh "$root/steps.sh"
export root home user target
# shellcheck disable=SC2016
unshare --mount --pid --net --ipc --uts --fork --kill-child bash -euc '
    mount --make-rprivate /
    mount -t proc proc "$root/proc"
    mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
    mount --rbind /dev "$root/dev"
    if [ -n "$target" ]; then
        mount --bind "$target" "$root$home/checkout/target"
        chroot "$root" chown "$user:$user" "$home/checkout/target"
    fi
    chroot "$root" /usr/bin/env -i HOME="$home" USER="$user" LANG=C.UTF-8 TERM=xterm-256color \
        PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin "$@" \
        bash /steps.sh "$user"
' check-install "${quick[@]}"
say 'all right'
