#!/usr/bin/env bash
# Gives the Rust compiler in use the target that zellij plugins are built for.
#
# First the compiler's own way (`rustup target add`). Where that cannot download, the target's
# standard library is compiled from the distribution's source package of the very same compiler
# version, with the distribution's WASI C library, through apt as it is set up on this machine.
# Everything is made in a temporary folder and moved in place in one step, so that a failure or
# an interruption leaves the toolchain as it was. A second run only checks.
#
# A distribution's compiler is left as the distribution made it: its target is a package. Debian's comes
# without the linker that the compiler looks for; the system's own does as well, and is named on
# standard output, for the caller to hand on.
set -euo pipefail

target=wasm32-wasip1
usage() {
    cat <<TEXT
Usage: scripts/setup-wasm-target.sh [--check | --remove] [--from-source]

Makes \`cargo build --target $target\` work with the Rust compiler in use. Where that takes another
linker than the compiler's own, its path is printed: it belongs in CARGO_TARGET_WASM32_WASIP1_LINKER.

  --check         only look: exit 0 when the target works, 1 when not
  --remove        take away what an earlier run put into the toolchain
  --from-source   do not ask rustup, compile the target's standard library

Environment:
  RUSTC           the compiler to serve (default: rustc)
  CARGO_TARGET_WASM32_WASIP1_LINKER  the linker to use
TEXT
}

say() { printf 'wasm target: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}

work=
staged=
cleanup() {
    [[ -z $work ]] || rm -rf "$work"
    [[ -z $staged ]] || rm -rf "$staged"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

action=install
rustup=true
for argument; do
    case $argument in
        --check) action=check ;;
        --remove) action=remove ;;
        --from-source) rustup=false ;;
        -h | --help)
            usage
            exit 0
            ;;
        *)
            usage >&2
            exit 2
            ;;
    esac
done

rustc=${RUSTC:-rustc}
command -v "$rustc" >/dev/null || die "there is no $rustc; install Rust first"
sysroot=$("$rustc" --print sysroot)
rustlib=$sysroot/lib/rustlib
marker=$rustlib/$target/built-from-source
work=$(mktemp -d)

# compiles LOG [OPTION…]: a program compiles and links, which no list of files can promise.
compiles() {
    local log=$1
    shift
    echo 'fn main() { println!("{}", std::env::args().count()); }' >"$work/probe.rs"
    "$rustc" --edition 2024 --target "$target" "$@" -o "$work/probe.wasm" "$work/probe.rs" >"$log" 2>&1
}

# Linkers for WebAssembly that the system has beside the compiler's own, newest first.
linkers() {
    local name
    compgen -c wasm-ld | grep -Ex 'wasm-ld(-[0-9]+)?' | sort -Vru | while read -r name; do
        command -v "$name"
    done
}

# Whether the target works, and with which linker: none is the compiler's own.
linker=
works() {
    local other=${CARGO_TARGET_WASM32_WASIP1_LINKER:-}
    linker=$other
    if compiles "$work/probe.log" ${other:+-C "linker=$other"}; then return; fi
    linker=
    grep -q '^error: linker .* not found' "$work/probe.log" || return 1
    while read -r other && [[ -n $other ]]; do
        if compiles "$work/other.log" -C "linker=$other"; then
            linker=$other
            return
        fi
    done <<<"$(linkers)"
    return 1
}

# Says that it works, to people and to the caller.
it_works() {
    [[ $action == check ]] || say "$1${linker:+, with the linker $linker}"
    [[ -z $linker ]] || printf '%s\n' "$linker"
}

if [[ $action == remove ]]; then
    if [[ -e $marker ]]; then
        rm -rf "${rustlib:?}/$target"
        say "removed from $sysroot"
    else
        say "nothing of ours in $sysroot"
    fi
    exit 0
fi
if works; then
    it_works "$target is there"
    exit 0
fi
[[ $action == install ]] || exit 1

if $rustup && command -v rustup >/dev/null; then
    # Only a toolchain of rustup's own can be served by rustup.
    toolchain=$(basename "$sysroot")
    say "asking rustup for $target"
    limit=()
    ! command -v timeout >/dev/null || limit=(timeout 300)
    if "${limit[@]}" rustup target add --toolchain "$toolchain" "$target" \
        >"$work/rustup.log" 2>&1 &&
        works; then
        it_works "installed by rustup"
        exit 0
    fi
    say "rustup cannot get it: $(grep -m 1 '^error' "$work/rustup.log" || tail -n 1 "$work/rustup.log")"
fi

# What the package manager put there is its own, and what is missing is in its packages.
if [[ $sysroot == /usr ]]; then
    why=$(grep -m 1 '^error' "$work/probe.log" || head -n 1 "$work/probe.log")
    die "the system's own compiler does not build for $target (${why:-no reason given}); its packages \
for that are missing. Debian and Ubuntu: apt install libstd-rust-dev-wasm32 lld"
fi
if [[ -e $rustlib/$target && ! -e $marker ]]; then
    why=$(grep -m 1 '^error' "$work/probe.log" || head -n 1 "$work/probe.log")
    die "$rustlib/$target exists, is not ours and does not work (${why:-no reason given}); \
make it work, or remove it and run this again"
fi
for tool in apt-get apt-cache dpkg-deb cargo; do
    command -v "$tool" >/dev/null || die "the target cannot be had: rustup has no way to it and \
there is no $tool to build it from the distribution's sources. Get it on a machine with \
\`rustup target add $target\`, or copy $target/ from such a machine into $rustlib/"
done
[[ -w $rustlib ]] || die "no permission to write to $rustlib; run this as the owner of the toolchain"

version=$("$rustc" --version | cut -d' ' -f2)
commit=$("$rustc" --version --verbose | sed -n 's/^commit-hash: //p')

# fetch PACKAGE VERSION-PREFIX [OPTION…]: puts the newest fitting .deb into $work/debs. The
# options are apt's; without any, apt looks where the system's set-up tells it to.
fetch() {
    local package=$1 prefix=$2 found
    shift 2
    local options=(-o "Dir::Cache=$work/apt-cache" -o "APT::Sandbox::User=$(id -un)" "$@")
    found=$(apt-cache "${options[@]}" madison "$package" 2>/dev/null |
        awk -F' *[|] *' -v prefix="$prefix" \
            'prefix == "" || index($2, prefix) == 1 { print $2; exit }')
    [[ -n $found ]] || return 1
    say "fetching $package $found"
    mkdir -p "$work/debs" "$work/apt-cache/archives/partial"
    (cd "$work/debs" && apt-get "${options[@]}" -qq download "$package=$found" >&2)
}

# The mirror that apt uses for Debian itself; empty where the system is another one.
mirror() {
    # The words in $(…) are apt's, not the shell's.
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' |
        grep -v -- -security | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }'
}

# find_package PACKAGE VERSION-PREFIX: fetches from the system's own suites, else from Debian's
# other ones: a stable release rarely has the compiler's version, backports often do. Those are
# read into package lists of this run alone, checked with the keys that apt already has.
find_package() {
    local package=$1 prefix=$2 suite site
    fetch "$package" "$prefix" && return 0
    site=$(mirror)
    [[ -n $site ]] || return 1
    for suite in stable-backports testing unstable stable; do
        local own=$work/$suite
        local options=(-o "Dir::Etc::SourceList=$own/sources.list" -o Dir::Etc::SourceParts=-
            -o "Dir::State::Lists=$own/lists" -o Dir::State::Status=/dev/null)
        if [[ ! -e $own ]]; then
            mkdir -p "$own/lists/partial"
            printf 'deb [signed-by=%s] %s %s main\n' \
                /usr/share/keyrings/debian-archive-keyring.gpg "$site" "$suite" \
                >"$own/sources.list"
            say "reading the package list of $suite"
            apt-get "${options[@]}" -o "Dir::Cache=$work/apt-cache" \
                -o "APT::Sandbox::User=$(id -un)" -o Acquire::Languages=none -qq update \
                >"$work/apt.log" 2>&1 || say "cannot read it: $(tail -n 1 "$work/apt.log")"
        fi
        fetch "$package" "$prefix" "${options[@]}" && return 0
    done
    return 1
}

hint="(is apt set up? \`apt-get update\` may help)"
find_package rust-src "$version+" ||
    die "no source of the standard library: apt has no rust-src of version $version $hint"
find_package wasi-libc '' || die "no WASI C library: apt has no wasi-libc $hint"
for deb in "$work"/debs/*.deb; do
    dpkg-deb --extract "$deb" "$work/files"
done
library=$(echo "$work"/files/usr/src/rustc-*/library)
[[ -e $library/Cargo.lock ]] || die "the package rust-src has another layout than expected"

out=$work/$target
mkdir -p "$out/lib/self-contained"
cp "$work"/files/usr/lib/wasm32-wasi/{crt1-command.o,crt1-reactor.o,libc.a} \
    "$out/lib/self-contained/"

say "compiling the standard library of Rust $version for $target"
# Compiled as the compiler's own build does it; the bitcode is there so that LTO works later.
# The C library's place: the linker searches the target's self-contained folder by itself.
(
    cd "$library"
    unset CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET
    RUSTC_BOOTSTRAP=1 \
        RUSTC="$rustc" \
        CARGO_TARGET_DIR="$work/target" \
        RUSTFLAGS="-Zforce-unstable-if-unmarked -Cembed-bitcode=yes \
--remap-path-prefix=$library=/rustc/$commit/library" \
        __CARGO_DEFAULT_LIB_METADATA=stablestd \
        cargo build --quiet --release --target "$target" --manifest-path sysroot/Cargo.toml \
        --features 'panic-unwind backtrace' >&2
)
cp "$work/target/$target"/release/deps/*.rlib "$out/lib/"
printf 'std of Rust %s, by scripts/setup-wasm-target.sh\n' "$version" >"$out/built-from-source"

# On the toolchain's own file system first, so that the last step is one rename.
staged=$(mktemp -d "$rustlib/.$target.XXXXXX")
cp -r "$out" "$staged/$target"
[[ ! -e $rustlib/$target ]] || mv "$rustlib/$target" "$staged/former"
mv "$staged/$target" "$rustlib/$target"
works || {
    rm -rf "${rustlib:?}/$target"
    [[ ! -e $staged/former ]] || mv "$staged/former" "$rustlib/$target"
    die "what was compiled does not work with $("$rustc" --version); nothing was changed"
}
it_works "$target is installed in $sysroot"
