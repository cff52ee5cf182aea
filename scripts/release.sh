#!/usr/bin/env bash
# Makes the files of a release: an archive for this kind of machine, the sources, a Debian package, a
# list of the components (SBOM, CycloneDX), and the checksums of all of them.
#
# What is packed is what ./install.sh installs, so that there is one list of files. Archives are made
# so that the same commit and the same compiler give the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    cat <<'TEXT'
usage: scripts/release.sh [--out DIR] [--from PREFIX] [--no-deb] [--no-sbom]

  --out DIR      where the files go (default: target/release-files); emptied first
  --from PREFIX  pack what ./install.sh has put there, instead of building
  --no-deb       without the Debian package
  --no-sbom      without the list of components

cargo-deb and cargo-cyclonedx are installed into $MADOHUB_CACHE (default: ~/.cache/madohub-ci) where
they are missing.
TEXT
}

say() { printf '\033[1m== %s\033[m\n' "$*"; }
die() {
    printf 'release: %s\n' "$1" >&2
    shift
    for line; do printf '  %s\n' "$line" >&2; done
    exit 1
}

out=target/release-files
from=
deb=true
sbom=true
while [ $# -gt 0 ]; do
    case $1 in
        --out) out=${2:?--out needs a folder}; shift ;;
        --from) from=${2:?--from needs a folder}; shift ;;
        --no-deb) deb=false ;;
        --no-sbom) sbom=false ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done

cache=${MADOHUB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/madohub-ci}
export PATH="$cache/tools/bin:$PATH"
# Built without optimization: they run for seconds, their build would take minutes more.
tool() {
    command -v "$1" >/dev/null && return
    say "installing $1"
    mkdir -p "$cache/tools/bin"
    CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off \
        CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_DEBUG=0 \
        CARGO_TARGET_DIR="$cache/tools/target" \
        cargo install --locked --quiet --root "$cache/tools" "$1"
    rm -rf "$cache/tools/target"
}

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
name=madohub-$version
machine=$(rustc --version --verbose | sed -n 's/^host: //p')
# The time of the commit stands for all times in the archives.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# cargo-deb takes its files from here; see tmux-helper/Cargo.toml.
stage=target/package-files
rm -rf "$stage"
mkdir -p "$stage"

if [ -z "$from" ]; then
    say 'building'
    ./install.sh --prefix "$work/prefix" >"$work/install.log"
    from=$work/prefix
fi
for file in bin/madohub share/madohub/madohub.tmux share/madohub/madohub.wasm; do
    [ -f "$from/$file" ] || die "$from has no $file" 'A release holds the plugin too: ./install.sh builds it.'
done
for folder in bin share/man share/bash-completion share/zsh share/fish share/madohub; do
    mkdir -p "$stage/$(dirname "$folder")"
    cp -r "$from/$folder" "$stage/$(dirname "$folder")/"
done
# The record of an installation is of that installation.
rm -f "$stage/share/madohub/installed"

rm -rf "$out"
mkdir -p "$out"

# archive FOLDER FILE: the same files give the same bytes.
archive() {
    tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        --mode=u=rwX,go=rX -C "$1" "$name" | gzip --best --no-name >"$2"
}

say 'archives'
mkdir -p "$work/binary/$name" "$work/source"
cp -r "$stage/." README.md CHANGELOG.md LICENSE SECURITY.md docs "$work/binary/$name/"
archive "$work/binary" "$out/$name-$machine.tar.gz"
git archive --prefix="$name/" HEAD | tar --extract -C "$work/source"
archive "$work/source" "$out/$name.tar.gz"

if $sbom; then
    say 'list of components'
    tool cargo-cyclonedx
    # It writes a file into every package of the workspace; in a copy, that harms nobody.
    (cd "$work/source/$name" &&
        cargo cyclonedx --quiet --manifest-path tmux-helper/Cargo.toml --format json \
            --override-filename components)
    cp "$work/source/$name/tmux-helper/components.json" "$out/$name.cdx.json"
fi

if $deb; then
    say 'Debian package'
    tool cargo-deb
    cargo deb --quiet --no-build --no-strip -p tmux-helper --output "$out/"
    package=$(echo "$out"/*.deb)
    [ -f "$package" ] || die 'cargo-deb left no package'
    if command -v dpkg-deb >/dev/null; then
        dpkg-deb --contents "$package" >"$work/contents"
        for path in usr/bin/madohub usr/share/man/man1/madohub.1.gz usr/share/madohub/madohub.tmux \
            usr/share/madohub/madohub.wasm usr/share/bash-completion/completions/madohub \
            usr/share/zsh/vendor-completions/_madohub \
            usr/share/fish/vendor_completions.d/madohub.fish; do
            grep -q " ./$path\$" "$work/contents" || die "the package has no /$path"
        done
    fi
fi

(cd "$out" && sha256sum -- * >"$work/sums" && mv "$work/sums" SHA256SUMS)
say "in $out"
cat "$out/SHA256SUMS"
