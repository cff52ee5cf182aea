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

# Every path of the root with its mode and its bytes, but for the checkout and what cargo keeps.
listing() {
    find / -xdev \( -path "$checkout" -o -path "$home/.cargo" -o -path "$home/vendor" \) -prune -o \
        \( -type f -printf '%p %m ' -exec sha256sum {} \; \) -o -printf '%p %m %l\n' |
        sed 's/  .*//' | LC_ALL=C sort
}

# fish writes what it asks its completions for, and when it was asked, by itself.
same_as_before() {
    listing >/tmp/after
    diff <(grep -v '/fish/' /tmp/before) <(grep -v '/fish/' /tmp/after) ||
        die 'the root is not as it was'
    printf 'ok  %s paths as before\n' "$(wc -l </tmp/after)"
}

say "$(tmux -V), $(cargo --version), $(rustc --version)"
say './install.sh --dry-run'
expect 'share/fish/vendor_completions.d/madohub.fish' './install.sh --dry-run'
# The shells and man have been used before, so that what they keep is no news.
as_user 'fish -c true; zsh -fc true; man -w ls' >/dev/null
listing >/tmp/before

say './install.sh'
as_user './install.sh' || die './install.sh failed'

say 'what was installed'
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$checkout/Cargo.toml" | head -n 1)
expect "madohub $version" 'madohub --version'
expect "$home/.local/share/man/man1/madohub.1" 'man -w madohub'
expect 'madohub-tmux-start.1' 'man -w madohub-tmux-start'
expect 'MADOHUB' 'MANWIDTH=80 man madohub | cat | tr a-z A-Z'
expect 'madohub' 'bash -c ". /usr/share/bash-completion/bash_completion; _comp_load madohub || _completion_loader madohub; complete -p madohub"'
# What the installer says to put into ~/.zshrc.
expect '_madohub' 'zsh -fc "fpath+=(~/.local/share/zsh/site-functions); autoload -U compinit; compinit -u -D; print \$_comps[madohub]"'
expect 'doctor' 'fish -c "complete -C \"madohub do\""'
expect 'asm' 'head -c 4 ~/.local/share/madohub/madohub.wasm'
expect 'Claude Code' 'madohub rules list'

say 'in a tmux server'
as_user 'tmux -L clean new-session -d -x 120 -y 40'
as_user "tmux -L clean run-shell '~/.local/share/madohub/madohub.tmux'"
running=
for _ in $(seq 100); do
    if as_user 'madohub tmux status -L clean' >/tmp/status 2>&1; then running=yes; break; fi
    sleep 0.1
done
[ -n "$running" ] || die "no daemon: $(cat /tmp/status)"
expect "$version" 'madohub tmux status -L clean'
expect 'Nothing is wrong.' 'madohub doctor -L clean'
as_user 'madohub tmux stop -L clean && tmux -L clean kill-server'

say './install.sh --uninstall'
expect 'is removed' './install.sh --uninstall'
same_as_before

say './install.sh --prefix /usr/local, as root'
(cd "$checkout" && HOME=$home ./install.sh --prefix /usr/local >/tmp/said) || die "$(cat /tmp/said)"
expect '/usr/local/share/man/man1/madohub.1' 'man -w madohub'
expect 'doctor' 'fish -c "complete -C \"madohub do\""'
expect '_madohub' 'zsh -fc "autoload -U compinit; compinit -u -D; print \$_comps[madohub]"'
(cd "$checkout" && HOME=$home ./install.sh --uninstall --prefix /usr/local)
same_as_before

say 'cargo install'
as_user 'cargo install --locked --quiet --path tmux-helper --root /tmp/cargo-root --target-dir target'
expect "madohub $version" '/tmp/cargo-root/bin/madohub --version'
