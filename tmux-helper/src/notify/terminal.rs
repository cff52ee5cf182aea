//! Notifications through the terminals of attached clients, which works over ssh as well.

use super::Notice;
use rustix::fs::{Mode, OFlags, fstat, open};
use rustix::io::write;
use rustix::process::geteuid;
use rustix::termios::isatty;
use std::path::{Path, PathBuf};

/// A client's terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screen {
    /// Its device.
    pub tty: PathBuf,
    /// `TERM` of the client.
    pub term: String,
    /// What the terminal calls itself (XTVERSION), where it said so.
    pub name: String,
}

/// The sequences by which a terminal takes notifications.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// `OSC 9`: one text. iTerm2's; most others take it or let it pass.
    Osc9,
    /// `OSC 777;notify`: title and body. rxvt's; also VTE, foot, `WezTerm`, Ghostty.
    Osc777,
    /// `OSC 99`: kitty's.
    Osc99,
    /// None.
    Silent,
}

impl Screen {
    fn dialect(&self) -> Dialect {
        let name = self.name.to_ascii_lowercase();
        let is = |what: &str| name.starts_with(what) || self.term.contains(what);
        // In another multiplexer it would end; consoles show what they do not know.
        if ["tmux", "screen", "linux", "dumb", "vt1", "vt2"]
            .iter()
            .any(|t| self.term.starts_with(t))
        {
            Dialect::Silent
        } else if is("kitty") {
            Dialect::Osc99
        } else if ["ghostty", "wezterm", "foot", "vte", "rxvt"].iter().any(|what| is(what)) {
            Dialect::Osc777
        } else {
            Dialect::Osc9
        }
    }

    /// Tells it there. A terminal that takes nothing now misses it.
    pub(super) fn notify(&self, notice: &Notice, sound: bool) {
        let bytes = sequence(notice, self.dialect(), sound);
        if !bytes.is_empty() {
            let _ = put(&self.tty, bytes.as_bytes());
        }
    }
}

/// The bytes for a notification. Its texts hold no control characters.
fn sequence(notice: &Notice, dialect: Dialect, sound: bool) -> String {
    let Notice { title, body, urgent } = notice;
    let mut bytes = match dialect {
        Dialect::Silent => String::new(),
        // A number in front would be another command.
        Dialect::Osc9 => format!("\x1b]9;MadoHub: {title}{}{body}\x1b\\", dash(body)),
        Dialect::Osc777 => {
            let field = |text: &str| text.replace(';', ",");
            format!("\x1b]777;notify;{};{}\x1b\\", field(title), field(body))
        }
        Dialect::Osc99 => {
            let urgency = if *urgent { 2 } else { 1 };
            format!(
                "\x1b]99;i=madohub:u={urgency}:d=0;{title}\x1b\\\x1b]99;i=madohub:d=1:p=body;{body}\x1b\\"
            )
        }
    };
    if sound {
        bytes.push('\x07');
    }
    bytes
}

fn dash(body: &str) -> &str {
    if body.is_empty() { "" } else { " – " }
}

/// Writes to a terminal of this user, all at once and without waiting: a sequence in two pieces
/// could have output of tmux between them.
fn put(tty: &Path, bytes: &[u8]) -> rustix::io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = open(tty, flags | OFlags::NOFOLLOW, Mode::empty())?;
    if isatty(&file) && fstat(&file)?.st_uid == geteuid().as_raw() {
        write(&file, bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialect(term: &str, name: &str) -> Dialect {
        Screen { tty: PathBuf::new(), term: term.into(), name: name.into() }.dialect()
    }

    #[test]
    fn each_terminal_in_its_own_way() {
        for (term, name, expected) in [
            ("xterm-256color", "", Dialect::Osc9),
            ("xterm-256color", "iTerm2 3.5.0", Dialect::Osc9),
            ("xterm-256color", "VTE(7600)", Dialect::Osc777),
            ("xterm-256color", "WezTerm 20240203", Dialect::Osc777),
            ("xterm-ghostty", "ghostty 1.2.0", Dialect::Osc777),
            ("foot", "", Dialect::Osc777),
            ("rxvt-unicode-256color", "", Dialect::Osc777),
            ("xterm-kitty", "", Dialect::Osc99),
            ("xterm-256color", "kitty(0.40.0)", Dialect::Osc99),
            ("tmux-256color", "tmux 3.5", Dialect::Silent),
            ("screen-256color", "", Dialect::Silent),
            ("linux", "", Dialect::Silent),
        ] {
            assert_eq!(dialect(term, name), expected, "{term} {name}");
        }
    }

    #[test]
    fn sequences_are_whole_and_hold_nothing_else() {
        let notice = Notice::new("4;3;x\u{1b}\\", "a;b\u{7}", true);
        assert_eq!(sequence(&notice, Dialect::Osc9, false), "\x1b]9;MadoHub: 4;3;x \\ – a;b\x1b\\");
        assert_eq!(
            sequence(&notice, Dialect::Osc777, true),
            "\x1b]777;notify;4,3,x \\;a,b\x1b\\\x07"
        );
        assert_eq!(
            sequence(&notice, Dialect::Osc99, false),
            "\x1b]99;i=madohub:u=2:d=0;4;3;x \\\x1b\\\x1b]99;i=madohub:d=1:p=body;a;b\x1b\\"
        );
        assert_eq!(sequence(&notice, Dialect::Silent, false), "");
        assert_eq!(sequence(&notice, Dialect::Silent, true), "\x07");
        let bare = Notice::new("done", "", false);
        assert_eq!(sequence(&bare, Dialect::Osc9, false), "\x1b]9;MadoHub: done\x1b\\");
    }

    #[test]
    fn only_terminals_are_written_to() {
        let file = tempfile::NamedTempFile::new().map_err(|error| error.to_string());
        let path = file.as_ref().map(|file| file.path().to_owned()).unwrap_or_default();
        let _ = put(&path, b"x");
        assert_eq!(std::fs::read(&path).ok(), Some(Vec::new()));
    }
}
