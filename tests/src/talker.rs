//! A made-up agent that speaks the program status sequence (OSC 7501).

/// An agent that asks whether reports are taken, and then reports whatever it is told to.
pub const TALKER: &str = r#"#!/bin/sh
stty -echo -icanon min 1 time 0
printf '\033]7501;?\033\\'
answer=$(dd bs=1 count=10 2>/dev/null | od -An -c | tr -d ' \n')
stty sane -echo
printf 'answer: %s.\n' "$answer"
while read -r body; do
    case $body in
        exit*) exit "${body#exit }" ;;
        *) printf '\033]7501;%s\007' "$body"; echo "said: $body." ;;
    esac
done
"#;
