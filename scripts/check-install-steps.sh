#!/usr/bin/env bash
# What scripts/check-install.sh does inside of the clean root, where it is alone.
# The words in single quotes are for the shells of the new user.
# shellcheck disable=SC2016
set -euo pipefail

user=${1:?the new user}
home=/home/$user
checkout=$home/checkout

say() { printf '\033[1m== %s\033[m\n' "$*"; }
die() { printf 'check-install: %s\n' "$*" >&2; exit 1; }
# What fails without a word must not end without one.
trap 'die "line $LINENO failed with $?: $BASH_COMMAND"' ERR
as_user() {
    su "$user" -c "cd '$checkout' && export LANG=C.UTF-8 TERM=xterm-256color PATH=\"\$HOME/.local/bin:\$PATH\" && $1"
}

# expect TEXT COMMAND: what the command says has the text in it.
expect() {
    local said
    said=$(as_user "$2" 2>&1) || die "failed: $2: $said"
    case $said in
        *"$1"*) printf 'ok  %s\n' "$2" ;;
        *) die "$2: no \`$1\` in: $said" ;;
    esac
}

# Every path of the root with its mode and its bytes, but for the checkout, what cargo and dpkg keep, and
# what fish writes by itself: what it was asked to complete, and when.
listing() {
    find / -xdev \( -path "$checkout" -o -path "$home/.cargo" -o -path "$home/vendor" \
        -o -path '/home/*/.local/share/fish/fish_*' -o -path '/home/*/.cache/fish' \
        -o -path '/home/*/.config/fish/fish_*' -o -path '/root/.*' -o -path /var/lib/dpkg \
        -o -path /var/log -o -path /var/cache/man \) -prune -o \( -type f -printf '%p %m ' -exec sha256sum {} \; \) -o -printf '%p %m %l\n' |
        sed 's/  .*//' | LC_ALL=C sort
}

same_as_before() {
    listing >/tmp/after
    diff /tmp/before /tmp/after || die 'the root is not as it was'
    printf 'ok  %s paths as before\n' "$(wc -l </tmp/after)"
}

# What a person meets of it, wherever it is installed: below that folder; zsh looks there by itself, or
# finds what is said first.
looks() {
    local share=$1 zsh=$2
    say 'what was installed'
    expect "madohub $version" 'madohub --version'
    expect "$share/man/man1/madohub.1" 'man -w madohub'
    expect 'madohub-tmux-start.1' 'man -w madohub-tmux-start'
    expect 'MADOHUB' 'MANWIDTH=80 man madohub | cat | tr a-z A-Z'
    expect 'madohub' 'bash -c ". /usr/share/bash-completion/bash_completion; _comp_load madohub || _completion_loader madohub; complete -p madohub"'
    expect '_madohub' "zsh -fc \"$zsh autoload -U compinit; compinit -u -D; print \\\$_comps[madohub]\""
    expect 'doctor' 'fish -c "complete -C \"madohub do\""'
    expect 'asm' "head -c 4 $share/madohub/madohub.wasm"
    expect 'Claude Code' 'madohub rules list'

    say 'in a tmux server'
    as_user 'tmux -L clean new-session -d -x 120 -y 40'
    as_user "tmux -L clean run-shell $share/madohub/madohub.tmux"
    local running=
    for _ in $(seq 100); do
        if as_user 'madohub tmux status -L clean' >/tmp/status 2>&1; then running=yes; break; fi
        sleep 0.1
    done
    [ -n "$running" ] || die "no daemon: $(cat /tmp/status)"
    expect "$version" 'madohub tmux status -L clean'
    expect 'Nothing is wrong.' 'madohub doctor -L clean'
    as_user 'madohub tmux stop -L clean && tmux -L clean kill-server'
}

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$checkout/Cargo.toml" | head -n 1)
say "$(tmux -V), $(cargo --version), $(rustc --version)"
# The shells and man have been used before, so that what they keep is no news.
as_user 'fish -c true; zsh -fc true; man -w ls' >/dev/null
listing >/tmp/before

if [ -f /package.deb ]; then
    say 'dpkg --install'
    dpkg --install /package.deb
    looks /usr/share ''
    say 'dpkg --purge'
    dpkg --purge madohub
    # A package leaves homes alone: what the daemon kept there is its user's.
    as_user 'rm -r ~/.local/state'
    same_as_before
    exit 0
fi

say './install.sh --dry-run'
expect 'share/fish/vendor_completions.d/madohub.fish' './install.sh --dry-run'

say './install.sh'
as_user './install.sh' || die './install.sh failed'

# What the installer says to put into ~/.zshrc.
looks "$home/.local/share" 'fpath+=(~/.local/share/zsh/site-functions);'

say './install.sh --uninstall'
expect 'is removed' './install.sh --uninstall'
same_as_before

say './install.sh --prefix /usr/local, as root'
(cd "$checkout" && HOME=$home ./install.sh --prefix /usr/local >/tmp/said) || die "$(cat /tmp/said)"
# Debian's man names the folder by its other name, /usr/local/man.
expect '/man/man1/madohub.1' 'man -w madohub'
expect 'doctor' 'fish -c "complete -C \"madohub do\""'
expect '_madohub' 'zsh -fc "autoload -U compinit; compinit -u -D; print \$_comps[madohub]"'
(cd "$checkout" && HOME=$home ./install.sh --uninstall --prefix /usr/local)
same_as_before

say 'cargo install'
as_user 'cargo install --locked --quiet --path tmux-helper --root /tmp/cargo-root --target-dir target'
expect "madohub $version" '/tmp/cargo-root/bin/madohub --version'
