//! Notifications on the desktop that the daemon runs on, through the desktop's own program.

use super::Notice;
use crate::child;
use std::env;
use std::process::Command;
use std::time::Duration;

/// Part of libnotify, which desktops ship.
const PROGRAM: &str = "notify-send";
/// How long it may take; a session bus that hangs must not hold up what is told next.
const LIMIT: Duration = Duration::from_secs(5);

/// Whether there may be a desktop to talk to.
pub(super) fn is_there() -> bool {
    env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some()
}

/// Shows it; false where nobody takes it, as on a machine without a desktop.
pub(super) fn notify(notice: &Notice, sound: bool) -> bool {
    let mut command = Command::new(PROGRAM);
    command.args(arguments(notice, sound));
    child::run(command, b"", LIMIT).is_ok_and(|said| said.status.success())
}

fn arguments(notice: &Notice, sound: bool) -> Vec<String> {
    let urgency = if notice.urgent { "normal" } else { "low" };
    vec![
        "--app-name=MadoHub".to_owned(),
        format!("--urgency={urgency}"),
        format!("--hint=boolean:suppress-sound:{}", !sound),
        // What follows is text, whatever it begins with.
        "--".to_owned(),
        notice.title.clone(),
        // Desktops read markup in the body.
        escaped(&notice.body),
    ]
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_arguments_and_nothing_else() {
        let notice = Notice::new("--help", "<b>$(x)</b> & `y`", true);
        let arguments = arguments(&notice, false);
        let (options, texts) = arguments.split_at(arguments.len() - 2);
        assert_eq!(options.last().map(String::as_str), Some("--"));
        assert_eq!(texts, ["--help", "&lt;b&gt;$(x)&lt;/b&gt; &amp; `y`"]);
        assert!(options.contains(&"--hint=boolean:suppress-sound:true".to_owned()));
    }
}
