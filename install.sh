#!/bin/sh
# Builds MadoHub for tmux and installs it for this user, or removes it again.
set -eu

usage() {
    cat <<'EOF'
usage: ./install.sh [--prefix DIR] [--dry-run] [--demo [tmux | zellij]] [--no-zellij]
       ./install.sh --uninstall [--prefix DIR] [--dry-run]

Builds the helper and the zellij plugin, and installs the command, its man pages, completions,
tmux plugin file and zellij plugin below DIR (default: ~/.local). Running it again updates what is
there. The compiler's target for the plugin is fetched where it is missing.

  --prefix DIR   where to install; needs no root when you may write there
  --dry-run      say what would be done, and do nothing
  --demo         after installing, show it at work: recorded agents in a private tmux server, or
                 with `zellij` in a private zellij, that is gone afterwards; fails unless every
                 state is right
  --no-zellij    leave the zellij plugin out
  --uninstall    stop the daemon, take the plugin out of zellij's configuration and hooks out of
                 the agents' settings, and remove every file that was installed and what the daemon
                 kept; your settings stay
  --help         this text
EOF
}

say() { printf '%s\n' "$*"; }
fail() {
    printf 'install.sh: %s\n' "$1" >&2
    shift
    for line in "$@"; do printf '  %s\n' "$line" >&2; done
    exit 1
}

prefix=${HOME:+$HOME/.local}
dry_run=false
demo=
zellij=true
uninstall=false
while [ $# -gt 0 ]; do
    case $1 in
    --prefix)
        [ $# -ge 2 ] || fail '--prefix needs a folder' './install.sh --help shows how it is used.'
        prefix=$2
        shift
        ;;
    --prefix=*) prefix=${1#--prefix=} ;;
    --dry-run) dry_run=true ;;
    --demo)
        demo=tmux
        case ${2:-} in
        tmux | zellij)
            demo=$2
            shift
            ;;
        esac
        ;;
    --no-zellij) zellij=false ;;
    --uninstall) uninstall=true ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        usage >&2
        fail "unknown option: $1"
        ;;
    esac
    shift
done
[ -n "$prefix" ] || fail 'there is no home folder to install to' 'Name a folder: ./install.sh --prefix DIR'
if [ -n "$demo" ] && $uninstall; then fail '--demo and --uninstall exclude each other'; fi
if [ "$demo" = zellij ] && ! $zellij; then fail '--demo zellij and --no-zellij exclude each other'; fi
case $prefix in
/*) ;;
*) prefix=$PWD/$prefix ;;
esac
case $prefix in
*'
'*) fail 'a folder with a line break in its name cannot be recorded' ;;
/) ;;
*/) prefix=${prefix%/} ;;
esac

# What was written: one path below the prefix in a line, `f` a file, `d` a folder that was not
# there before (`.` the prefix itself).
record=share/madohub/installed
plugin=share/madohub/madohub.wasm

# Folders that are made are recorded, so that they can go again.
make_folder() {
    case $1 in . | '') return ;; esac
    [ ! -d "$prefix/$1" ] || return 0
    make_folder "$(dirname "$1")"
    mkdir "$prefix/$1"
    printf 'd %s\n' "$1" >>"$new_record"
}

# put MODE SOURCE PATH: a running program keeps its old file until it ends.
put() {
    make_folder "$(dirname "$3")"
    cp "$2" "$prefix/$3.new"
    chmod "$1" "$prefix/$3.new"
    mv -f "$prefix/$3.new" "$prefix/$3"
    printf 'f %s\n' "$3" >>"$new_record"
}

is_safe() {
    case /$1/ in */../* | *//*) return 1 ;; esac
    [ -n "$1" ]
}

# Removes the recorded files that `keep` does not name, then the recorded folders that are empty.
remove_recorded() {
    keep=$1
    folders=
    while read -r kind path; do
        is_safe "$path" || continue
        if [ -n "$keep" ] && grep -qxF "$kind $path" "$keep"; then continue; fi
        case $kind in
        f)
            if $dry_run; then say "would remove $prefix/$path"; else rm -f "$prefix/$path"; fi
            ;;
        d) folders="$path
$folders" ;;
        esac
    done <"$prefix/$record"
    [ -z "$keep" ] || return 0
    $dry_run || rm -f "$prefix/$record"
    printf '%s' "$folders" | sort -r | while read -r path; do
        if $dry_run; then
            say "would remove the folder $prefix/${path#.} if it is empty"
        else
            # The prefix itself is `.`, which rmdir does not take.
            rmdir "$prefix/${path#.}" 2>/dev/null || :
        fi
    done
}

# What the daemon kept: the last events, the memory of routes, logs. The copies of other programs'
# files go with what they are for; one that is still needed stays.
state=${XDG_STATE_HOME:-${HOME:+$HOME/.local/state}}
forget_state() {
    [ -n "$state" ] && [ -d "$state/madohub" ] || return 0
    for file in "$state"/madohub/tmux-*.*; do
        [ -e "$file" ] || continue
        if $dry_run; then say "would remove $file"; else rm -f "$file"; fi
    done
    $dry_run || rmdir "$state/madohub/hooks" "$state/madohub" "$state" 2>/dev/null || :
}

if $uninstall; then
    if [ ! -f "$prefix/$record" ]; then
        say "nothing to remove: MadoHub is not installed below $prefix"
        exit 0
    fi
    if $dry_run; then
        say 'would stop the daemon of the tmux server here, and put its options back'
        say "would take the plugin out of zellij's configuration, and hooks out of the agents'"
    elif [ -x "$prefix/bin/madohub" ]; then
        "$prefix/bin/madohub" tmux stop >/dev/null 2>&1 || :
        # It says what a person has to do where its lines were edited.
        "$prefix/bin/madohub" zellij uninstall >/dev/null || :
        for hooks in "$state"/madohub/hooks/*; do
            [ ! -d "$hooks" ] || "$prefix/bin/madohub" hook uninstall "$(basename "$hooks")" >/dev/null || :
        done
    fi
    forget_state
    remove_recorded ''
    $dry_run || say "MadoHub is removed from $prefix."
    say "Your settings are left as they are: ${XDG_CONFIG_HOME:-~/.config}/madohub"
    exit 0
fi

root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
needs_rust=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$root/Cargo.toml")

command -v cargo >/dev/null 2>&1 ||
    fail "cargo is not installed; Rust $needs_rust or newer is needed to build" \
        'Get it from https://rustup.rs, or from the packages of your system (Debian: apt install cargo).'
command -v cc >/dev/null 2>&1 ||
    fail 'there is no C compiler, which Rust needs to link programs' \
        'Debian and Ubuntu: apt install build-essential; Fedora: dnf install gcc; macOS: xcode-select --install'
has_rust=$(cd "$root" && rustc --version | cut -d' ' -f2)
oldest=$(printf '%s\n%s\n' "$needs_rust" "${has_rust%%-*}" | sort -t. -k1,1n -k2,2n | head -n 1)
[ "$oldest" = "$needs_rust" ] ||
    fail "Rust $has_rust is too old, $needs_rust or newer is needed" 'With rustup: rustup update stable'

has_tmux=true
if ! command -v tmux >/dev/null 2>&1; then
    has_tmux=false
    no_tmux='Debian and Ubuntu: apt install tmux; Fedora: dnf install tmux; macOS: brew install tmux'
    if [ -n "$demo" ]; then fail 'tmux is not installed, and the demo runs in it' "$no_tmux"; fi
fi
if [ "$demo" = zellij ] && [ -z "${MADOHUB_ZELLIJ:-}" ] && ! command -v zellij >/dev/null 2>&1; then
    fail 'zellij is not installed, and this demo runs in it' 'cargo install --locked zellij, or a package of your system; 0.44.2 or newer'
fi

if $dry_run; then
    say "would build: cargo build --release --locked -p tmux-helper"
    if $zellij; then
        say "would build: scripts/plugin-build.sh, which gets the compiler's target wasm32-wasip1 first"
    fi
    say "would write, and record in $prefix/$record:"
    say "  $prefix/bin/madohub"
    say "  $prefix/share/man/man1/madohub.1 and a page for each command"
    say "  $prefix/share/bash-completion/completions/madohub"
    say "  $prefix/share/zsh/site-functions/_madohub"
    say "  $prefix/share/fish/vendor_completions.d/madohub.fish"
    say "  $prefix/share/madohub/madohub.tmux"
    if $zellij; then say "  $prefix/$plugin"; fi
    case $demo in
    tmux) say "would run: scripts/demo.sh $prefix/bin/madohub" ;;
    zellij) say "would run: scripts/demo.sh $prefix/bin/madohub zellij $prefix/$plugin" ;;
    esac
    exit 0
fi

# A build for another machine could not be run here.
unset CARGO_BUILD_TARGET
(cd "$root" && cargo build --release --locked -p tmux-helper)
target=$(cd "$root" && cargo metadata --locked --no-deps --format-version 1 |
    sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')
built=$target/release/madohub
[ -x "$built" ] || fail "the build left no program at $built"
built_plugin=
if $zellij; then
    built_plugin=$("$root/scripts/plugin-build.sh") || built_plugin=
    if [ -z "$built_plugin" ]; then
        [ "$demo" != zellij ] || fail 'the zellij plugin could not be built'
        printf 'install.sh: the zellij plugin could not be built; the rest goes on\n' >&2
    fi
fi

work=$(mktemp -d)
new_record=$work/record
: >"$new_record"

save_record() {
    make_folder "$(dirname "$record")"
    sort -u "$@" >"$work/sorted"
    cp "$work/sorted" "$prefix/$record.new"
    mv -f "$prefix/$record.new" "$prefix/$record"
}

# What an interrupted run wrote can be removed as well.
leave() {
    status=$?
    trap - EXIT
    if [ -s "$new_record" ]; then
        if [ -f "$prefix/$record" ]; then cp "$prefix/$record" "$work/old"; else : >"$work/old"; fi
        save_record "$new_record" "$work/old" || :
    fi
    rm -rf "$work"
    exit "$status"
}
trap leave EXIT
trap 'exit 1' HUP INT TERM

if [ ! -d "$prefix" ]; then
    mkdir -p "$prefix" 2>/dev/null ||
        fail "cannot make the folder $prefix" 'Choose another one with --prefix DIR.'
    echo 'd .' >>"$new_record"
fi
[ -w "$prefix" ] || fail "cannot write to $prefix" 'Choose another folder with --prefix DIR.'
# Folders that an earlier run made stay ours.
if [ -f "$prefix/$record" ]; then sed -n '/^d /p' "$prefix/$record" >>"$new_record"; fi

put 755 "$built" bin/madohub
"$built" man --dir "$work/man"
for page in "$work"/man/*.1; do
    put 644 "$page" "share/man/man1/$(basename "$page")"
done
"$built" completions bash >"$work/bash"
put 644 "$work/bash" share/bash-completion/completions/madohub
"$built" completions zsh >"$work/zsh"
put 644 "$work/zsh" share/zsh/site-functions/_madohub
"$built" completions fish >"$work/fish"
put 644 "$work/fish" share/fish/vendor_completions.d/madohub.fish
put 755 "$root/madohub.tmux" share/madohub/madohub.tmux
# A plugin from before stays: zellij's configuration may name it.
old_plugin=false
if [ -n "$built_plugin" ]; then
    put 644 "$built_plugin" "$plugin"
elif $zellij && [ -f "$prefix/$plugin" ] && grep -qxF "f $plugin" "$prefix/$record" 2>/dev/null; then
    old_plugin=true
    printf 'f %s\n' "$plugin" >>"$new_record"
fi
if [ -f "$prefix/$record" ]; then remove_recorded "$new_record"; fi
save_record "$new_record"
: >"$new_record"

say
say "$("$prefix/bin/madohub" --version) is installed: $prefix/bin/madohub"
case $demo in
tmux)
    say
    "$root/scripts/demo.sh" "$prefix/bin/madohub"
    ;;
zellij)
    say
    "$root/scripts/demo.sh" "$prefix/bin/madohub" zellij "$prefix/$plugin"
    ;;
esac

command=madohub
case :$PATH: in
*:"$prefix/bin":*) ;;
*) command=$prefix/bin/madohub ;;
esac
say
say 'What to do next:'
$has_tmux || say "  install tmux: $no_tmux"
if [ "$command" != madohub ]; then
    say "  put it in your PATH:           export PATH=\"$prefix/bin:\$PATH\""
fi
if [ -n "${TMUX:-}" ] && "$prefix/bin/madohub" tmux status >/dev/null 2>&1; then
    say "  let the daemon use this one:   $command tmux restart"
else
    say "  in tmux, watch its server:     $command tmux start"
fi
say "  always, in ~/.tmux.conf:       run-shell '$prefix/share/madohub/madohub.tmux'"
if [ -n "$built_plugin" ]; then say "  in zellij, put the plugin in place: $command zellij install"; fi
case ${SHELL:-} in
*/zsh) say "  completions, in ~/.zshrc:      fpath+=('$prefix/share/zsh/site-functions')" ;;
esac
say "  see the agents:                $command list"
say "  something does not work:       $command doctor"
say "  remove it again:               ./install.sh --uninstall$([ "$prefix" = "${HOME:-}/.local" ] || printf ' --prefix %s' "$prefix")"
if $zellij && [ -z "$built_plugin" ]; then
    say
    if $old_plugin; then
        left='the zellij plugin could not be built: the one from before is left in place'
    else
        left='the zellij plugin could not be built, and is not installed'
    fi
    printf 'install.sh: %s\n' "$left" >&2
    printf '  What stopped it is said above, after the build. For tmux nothing is missing.\n' >&2
    printf '  Run ./install.sh again when that is mended; --no-zellij leaves the plugin out.\n' >&2
fi
