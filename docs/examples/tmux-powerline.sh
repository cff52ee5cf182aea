# shellcheck shell=bash
# MadoHub's segment for tmux-powerline: copy this to madohub.sh in its folder for your own segments,
# and name `madohub` in your theme. docs/segment.md shows how.

run_segment() {
    local segment
    segment=$(tmux show-option -gqv @madohub_status) || return 0
    # Nothing to say: tmux-powerline leaves out a segment that prints nothing.
    [ -n "$segment" ] || return 0
    # The segment goes back to the default after each colour; here that is the theme's look.
    printf '#[push-default]%s#[pop-default]\n' "$segment"
}
