//! Topics: `madohub/<host>/…`, and nothing in them that a broker reads as a pattern.

use crate::config::Fleet;
use crate::output::PaneRow;
use std::fmt::Write as _;

/// Longest id of a pane, as it is written.
const ID_MAX: usize = 512;

/// What a topic is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Whether a host is there.
    Presence,
    /// The state of a pane, by its id.
    Pane(String),
    /// What a pane shows, by its id.
    Screen(String),
    /// Changes of state.
    Event,
    /// Texts for the host's panes.
    Route,
    /// How a text of this host's ended, by the text's id.
    Answer(String),
}

/// The topics below one prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topics(String);

impl Topics {
    /// The topics below this prefix, which the settings have checked.
    pub fn below(prefix: &str) -> Self {
        Self(prefix.to_owned())
    }

    /// The topic of a host; `+` for all hosts.
    pub fn of(&self, host: &str, kind: &Kind) -> String {
        let prefix = &self.0;
        match kind {
            Kind::Presence => format!("{prefix}/{host}/presence"),
            Kind::Pane(id) => format!("{prefix}/{host}/pane/{id}"),
            Kind::Screen(id) => format!("{prefix}/{host}/screen/{id}"),
            Kind::Event => format!("{prefix}/{host}/event"),
            Kind::Route => format!("{prefix}/{host}/route"),
            Kind::Answer(id) => format!("{prefix}/{host}/answer/{id}"),
        }
    }

    /// What a topic says: the host, and what it is about. Nothing where it is none of ours, or a
    /// name in it is none that we give.
    pub fn read<'a>(&self, topic: &'a str) -> Option<(&'a str, Kind)> {
        let rest = topic.strip_prefix(self.0.as_str())?.strip_prefix('/')?;
        let mut parts = rest.splitn(3, '/');
        let host = parts.next().filter(|host| Fleet::is_name(host))?;
        let id = |text: Option<&str>| text.filter(|id| is_id(id)).map(str::to_owned);
        let kind = match (parts.next()?, parts.next()) {
            ("presence", None) => Kind::Presence,
            ("event", None) => Kind::Event,
            ("route", None) => Kind::Route,
            ("pane", rest) => Kind::Pane(id(rest)?),
            ("screen", rest) => Kind::Screen(id(rest)?),
            ("answer", rest) => Kind::Answer(id(rest)?),
            _ => return None,
        };
        Some((host, kind))
    }
}

/// The id of a pane in topics: multiplexer, server and pane. Servers in the same folder as tmux puts
/// them by itself go by their name, others by their whole path. What may not stand in a topic, or
/// would make it more than one part, is written as `%2F`.
pub fn pane_id(row: &PaneRow) -> String {
    let folder = row.server.rsplit_once('/').filter(|(dir, name)| {
        let own = dir.rsplit('/').next().unwrap_or_default();
        own.starts_with("tmux-") && !name.is_empty()
    });
    let server = folder.map_or(row.server.as_str(), |(_, name)| name);
    let mut id = String::new();
    for (n, part) in [row.mux.as_str(), server, row.pane.as_str()].into_iter().enumerate() {
        if n > 0 {
            id.push(':');
        }
        for byte in part.bytes() {
            if byte.is_ascii_alphanumeric() || b"-_.@".contains(&byte) {
                id.push(char::from(byte));
            } else {
                let _ = write!(id, "%{byte:02X}");
            }
        }
    }
    id
}

fn is_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.@:%".contains(&byte);
    !id.is_empty() && id.len() <= ID_MAX && id.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::example_pane;
    use madohub_detect::State;

    fn id(mux: &str, server: &str, pane: &str) -> String {
        let mut row = example_pane("s", "claude", State::Idle).row;
        (row.mux, row.server, row.pane) = (mux.to_owned(), server.to_owned(), pane.to_owned());
        pane_id(&row)
    }

    #[test]
    fn an_id_is_one_part_of_a_topic() {
        for (mux, server, pane, expected) in [
            ("tmux", "/tmp/tmux-1000/default", "%3", "tmux:default:%253"),
            ("tmux", "/run/work.sock", "%12", "tmux:%2Frun%2Fwork.sock:%2512"),
            ("zellij", "a+b#c", "terminal_3", "zellij:a%2Bb%23c:terminal_3"),
            ("zellij", "日", "terminal_0", "zellij:%E6%97%A5:terminal_0"),
            ("a:b", "c", "d", "a%3Ab:c:d"),
        ] {
            let id = id(mux, server, pane);
            assert_eq!(id, expected);
            assert!(is_id(&id));
        }
    }

    #[test]
    fn topics_are_read_as_they_are_written() {
        let topics = Topics::below("team/madohub");
        for kind in [
            Kind::Presence,
            Kind::Pane("tmux:default:%253".to_owned()),
            Kind::Screen("x".to_owned()),
            Kind::Event,
            Kind::Route,
            Kind::Answer("7f".to_owned()),
        ] {
            let topic = topics.of("zeus", &kind);
            assert!(topic.starts_with("team/madohub/zeus/"), "{topic}");
            assert_eq!(topics.read(&topic), Some(("zeus", kind)));
        }
    }

    #[test]
    fn other_topics_are_none_of_ours() {
        let topics = Topics::below("madohub");
        for topic in [
            "",
            "madohub",
            "madohub/zeus",
            "madohub/zeus/",
            "madohub2/zeus/event",
            "madohub//event",
            "madohub/ze us/event",
            "madohub/+/event",
            "madohub/zeus/event/more",
            "madohub/zeus/pane",
            "madohub/zeus/pane/",
            "madohub/zeus/pane/a/b",
            "madohub/zeus/pane/a\u{1b}b",
            "madohub/zeus/other",
            "$SYS/broker/uptime",
        ] {
            assert_eq!(topics.read(topic), None, "{topic}");
        }
        let long = format!("madohub/zeus/pane/{}", "x".repeat(ID_MAX + 1));
        assert_eq!(topics.read(&long), None);
    }
}
