//! The commands of `zellij pipe --name madohub -- '…'`.

use crate::event::PaneId;
use crate::pane;
use crate::settings::Preset;
use madohub_detect::State;
use std::collections::BTreeMap;

/// Name of the message that carries a command.
pub(crate) const NAME: &str = "madohub";

/// What `help` prints, and every message about a command that cannot be read.
pub(crate) const HELP: &str = "\
Commands (zellij pipe --name madohub -- '<command>'):
  status [--format minimal|counts|names|zjstatus] [--json]   the segment, and what is wrong
  list [--json]                                              one row per pane with an agent
  jump [--state STATE]                                       focus the pane that needs a person
  send [--when idle] [--timeout TIME] PANE TEXT              deliver text to an agent's input box
  explain [--json] [--text] PANE                             why a pane has its state
  events                                                     change events as they happen
  pause | resume                                             stop to colour, start again
PANE is terminal_3 or 3, TIME is 90, 90s, 10m or 2h.
";

/// A command.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Command {
    Status { format: Format, json: bool },
    List { json: bool },
    Jump { state: Option<State> },
    Send(Send),
    Explain { pane: PaneId, json: bool, text: bool },
    Events,
    Pause,
    Resume,
    Help,
}

/// How `status` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// As the settings say.
    Configured,
    Preset(Preset),
    Zjstatus,
}

/// Text to deliver.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Send {
    pub(crate) pane: PaneId,
    pub(crate) text: String,
    /// Wait until the agent is idle instead of refusing while it works.
    pub(crate) wait: bool,
    /// Seconds until it is given up.
    pub(crate) timeout: Option<f64>,
}

/// Reads a command. Options may also come as arguments of the pipe (`--args pane=3,json=true`).
pub(crate) fn parse(payload: &str, args: &BTreeMap<String, String>) -> Result<Command, String> {
    let mut words = Words::new(payload, args);
    let verb = words.next_word().or_else(|| words.option("command")).unwrap_or_default();
    let command = match verb.as_str() {
        "status" => Command::Status {
            json: words.flag("json")?,
            format: match words.value("format")?.as_deref() {
                None => Format::Configured,
                Some("minimal") => Format::Preset(Preset::Minimal),
                Some("counts") => Format::Preset(Preset::Counts),
                Some("names") => Format::Preset(Preset::Names),
                Some("zjstatus") => Format::Zjstatus,
                Some(other) => return Err(format!("`{other}` is no format")),
            },
        },
        "list" => Command::List { json: words.flag("json")? },
        "jump" => Command::Jump {
            state: words
                .value("state")?
                .map(|s| s.parse::<State>().map_err(|e| e.to_string()))
                .transpose()?,
        },
        "send" => {
            let wait = match words.value("when")?.as_deref() {
                None => false,
                Some("idle") => true,
                Some(other) => return Err(format!("`--when {other}`: only `idle` is known")),
            };
            let timeout = words.value("timeout")?.map(|t| duration(&t)).transpose()?;
            let pane = words.pane()?;
            let text = words.rest().to_owned();
            if text.is_empty() {
                return Err("send: there is no text to deliver".to_owned());
            }
            words.done()?;
            return Ok(Command::Send(Send { pane, text, wait, timeout }));
        }
        "explain" => {
            let (json, text) = (words.flag("json")?, words.flag("text")?);
            Command::Explain { json, text, pane: words.pane()? }
        }
        "events" => Command::Events,
        "pause" => Command::Pause,
        "resume" => Command::Resume,
        "help" | "" => Command::Help,
        other => return Err(format!("`{other}` is no command")),
    };
    words.read_options(&[]);
    words.done()?;
    match words.rest() {
        "" => Ok(command),
        rest => Err(format!("{verb}: `{rest}` is one word too many")),
    }
}

/// `90`, `90s`, `10m`, `2h` in seconds.
fn duration(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is no time; write 90, 90s, 10m or 2h");
    let (number, unit) = match text.strip_suffix(['s', 'm', 'h']) {
        Some(number) => (number, text.chars().last().unwrap_or('s')),
        None => (text, 's'),
    };
    let number: u32 = number.parse().map_err(|_| wrong())?;
    let factor = match unit {
        'm' => 60.0,
        'h' => 3600.0,
        _ => 1.0,
    };
    Ok(f64::from(number) * factor)
}

/// A command's words: options in any order before the rest, which is kept as it is.
struct Words<'a> {
    rest: &'a str,
    options: BTreeMap<String, String>,
}

impl<'a> Words<'a> {
    fn new(payload: &'a str, args: &BTreeMap<String, String>) -> Self {
        Self { rest: payload.trim(), options: args.clone() }
    }

    fn peek(&self) -> Option<&'a str> {
        self.rest.split_whitespace().next()
    }

    fn next_word(&mut self) -> Option<String> {
        let word = self.peek()?;
        self.rest = self.rest.strip_prefix(word)?.trim_start();
        Some(word.to_owned())
    }

    /// Reads the options that stand next.
    fn read_options(&mut self, with_value: &[&str]) {
        while let Some(name) = self.peek().and_then(|w| w.strip_prefix("--")) {
            let name = name.to_owned();
            self.next_word();
            if let Some((name, value)) = name.split_once('=') {
                self.options.insert(name.to_owned(), value.to_owned());
            } else if with_value.contains(&name.as_str()) {
                let value = self.next_word().unwrap_or_default();
                self.options.insert(name, value);
            } else {
                self.options.insert(name, "true".to_owned());
            }
        }
    }

    fn option(&mut self, name: &str) -> Option<String> {
        self.options.remove(name)
    }

    fn value(&mut self, name: &str) -> Result<Option<String>, String> {
        self.read_options(&["format", "state", "when", "timeout", "pane"]);
        match self.option(name) {
            Some(value) if value.is_empty() => Err(format!("--{name} needs a value")),
            other => Ok(other),
        }
    }

    fn flag(&mut self, name: &str) -> Result<bool, String> {
        match self.value(name)?.as_deref() {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(other) => Err(format!("--{name} takes no `{other}`")),
        }
    }

    fn pane(&mut self) -> Result<PaneId, String> {
        let text = match self.value("pane")? {
            Some(text) => text,
            None => self.next_word().ok_or("which pane? write terminal_3 or 3")?,
        };
        pane::parse(&text).ok_or_else(|| format!("`{text}` is no pane; write terminal_3 or 3"))
    }

    /// Whether every option that was read was one of the command's.
    fn done(&self) -> Result<(), String> {
        match self.options.keys().next() {
            Some(name) => Err(format!("`--{name}` is no option of this command")),
            None => Ok(()),
        }
    }

    fn rest(&self) -> &'a str {
        self.rest
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used)]
    use super::*;

    fn read(text: &str) -> Result<Command, String> {
        parse(text, &BTreeMap::new())
    }

    #[test]
    fn every_command_is_read() {
        let cases = [
            ("status", Command::Status { format: Format::Configured, json: false }),
            (
                " status --json --format names ",
                Command::Status { format: Format::Preset(Preset::Names), json: true },
            ),
            ("list --json", Command::List { json: true }),
            ("jump", Command::Jump { state: None }),
            ("jump --state=failed", Command::Jump { state: Some(State::Failed) }),
            ("explain terminal_3", Command::Explain { pane: 3, json: false, text: false }),
            ("explain --text 3", Command::Explain { pane: 3, json: false, text: true }),
            ("events", Command::Events),
            ("pause", Command::Pause),
            ("resume", Command::Resume),
            ("", Command::Help),
        ];
        for (text, command) in cases {
            assert_eq!(read(text), Ok(command), "{text}");
        }
    }

    #[test]
    fn the_text_of_send_is_kept_as_it_is() {
        let Ok(Command::Send(send)) = read("send --when idle --timeout 2m 7 fix  --this\nnow")
        else {
            panic!("a send")
        };
        assert_eq!((send.pane, send.wait, send.timeout), (7, true, Some(120.0)));
        assert_eq!(send.text, "fix  --this\nnow");
        let args = BTreeMap::from([("pane".to_owned(), "4".to_owned())]);
        let Ok(Command::Send(dashes)) = read("send 7 --help me") else { panic!("a send") };
        assert_eq!(dashes.text, "--help me");
        let Ok(Command::Send(send)) = parse("send hello", &args) else { panic!("a send") };
        assert_eq!((send.pane, send.text.as_str()), (4, "hello"));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let cases = [
            ("dance", "`dance`"),
            ("list all", "`all`"),
            ("send 3", "no text"),
            ("pause --now", "`--now`"),
            ("list --color", "`--color`"),
            ("send --whenever 3 x", "`--whenever`"),
            ("send x y", "`x`"),
            ("explain", "which pane"),
            ("jump --state asleep", "asleep"),
            ("status --format huge", "huge"),
            ("send --timeout soon 3 x", "soon"),
            ("send --when dead 3 x", "dead"),
            ("status --format", "needs a value"),
        ];
        for (text, part) in cases {
            assert!(read(text).unwrap_err().contains(part), "{text}");
        }
    }
}
