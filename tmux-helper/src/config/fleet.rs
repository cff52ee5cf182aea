//! The `[fleet]` table: agents of several machines, over an MQTT broker.

use serde::Deserialize;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Port of MQTT over TLS.
const TLS_PORT: u16 = 8883;
/// Port of MQTT without TLS.
const PLAIN_PORT: u16 = 1883;

/// The settings of the fleet; there are some only where a broker is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fleet {
    /// Name or address of the broker.
    pub broker: String,
    /// Its port.
    pub port: u16,
    /// The connection is encrypted, and the broker proves who it is.
    pub tls: bool,
    /// Certificates that the broker's is checked with; those of the system without it.
    pub ca_file: Option<PathBuf>,
    /// Who we are at the broker.
    pub user: Option<String>,
    /// File that holds the password.
    pub password_file: Option<PathBuf>,
    /// What this machine is called in the fleet; its own name without it.
    pub host: Option<String>,
    /// First part of all topics.
    pub prefix: String,
    /// What is told of this machine's agents.
    pub publish: Publish,
    /// After so long without a word a host is gone.
    pub keep_alive: Duration,
    /// Hosts whose texts for panes of this machine are taken.
    pub allow_routes_from: Vec<String>,
}

impl Fleet {
    /// Longest name of a host, in characters.
    pub const NAME_MAX: usize = 64;

    /// Whether a host may be called so: one part of a topic, and nothing that could act anywhere.
    pub fn is_name(name: &str) -> bool {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        !name.is_empty() && name.len() <= Self::NAME_MAX && name.chars().all(plain)
    }
}

/// What is told of this machine's agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct Publish {
    /// Which agents there are, and their states.
    pub states: bool,
    /// Working directories.
    pub folders: bool,
    /// Titles of panes.
    pub titles: bool,
    /// First lines of the agents' last messages.
    pub messages: bool,
    /// Screens.
    pub screens: bool,
}

/// A word of `publish`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    States,
    Folders,
    Titles,
    Messages,
    Screens,
}

/// The table as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct FleetTable {
    broker: String,
    port: Option<u16>,
    tls: Option<bool>,
    ca_file: String,
    user: String,
    password_file: String,
    host: String,
    prefix: Option<String>,
    publish: Option<Vec<Word>>,
    keep_alive: Option<u16>,
    allow_routes_from: Vec<String>,
}

impl FleetTable {
    /// The settings, none where no broker is named; the error begins with the key.
    pub(super) fn check(self, home: Option<&Path>) -> Result<Option<Fleet>, String> {
        let tls = self.tls.unwrap_or(true);
        let fleet = Fleet {
            broker: self.broker,
            port: self.port.unwrap_or(if tls { TLS_PORT } else { PLAIN_PORT }),
            tls,
            ca_file: file("ca_file", &self.ca_file, home)?,
            user: some(self.user),
            password_file: file("password_file", &self.password_file, home)?,
            host: some(self.host),
            prefix: self.prefix.unwrap_or_else(|| "madohub".to_owned()),
            publish: publish(self.publish.as_deref().unwrap_or(&[Word::States]))?,
            keep_alive: Duration::from_secs(self.keep_alive.unwrap_or(15).into()),
            allow_routes_from: self.allow_routes_from,
        };
        checked(&fleet)?;
        Ok((!fleet.broker.is_empty()).then_some(fleet))
    }
}

fn checked(fleet: &Fleet) -> Result<(), String> {
    let wrong = |key: &str, what: &str| Err(format!("fleet.{key}: {what}"));
    let part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let broker = &fleet.broker;
    if !broker.chars().all(part) && broker.parse::<IpAddr>().is_err() {
        return wrong("broker", "a host's name or address is needed, without scheme and port");
    }
    if fleet.port == 0 {
        return wrong("port", "0 is no port");
    }
    if fleet.ca_file.is_some() && !fleet.tls {
        return wrong("ca_file", "only used with fleet.tls = true");
    }
    if fleet.password_file.is_some() && fleet.user.is_none() {
        return wrong("password_file", "a password needs fleet.user");
    }
    if !(3..=600).contains(&fleet.keep_alive.as_secs()) {
        return wrong("keep_alive", "3 to 600 seconds are possible");
    }
    let levels = |prefix: &str| prefix.split('/').all(Fleet::is_name);
    if !levels(&fleet.prefix) || fleet.prefix.len() > 128 {
        return wrong(
            "prefix",
            "words of letters, digits, `-`, `_` and `.`, with `/` between them",
        );
    }
    if let Some(host) = fleet.host.as_deref().filter(|host| !Fleet::is_name(host)) {
        return wrong("host", &name_needed(host));
    }
    if let Some(host) = fleet.allow_routes_from.iter().find(|host| !Fleet::is_name(host)) {
        return wrong("allow_routes_from", &name_needed(host));
    }
    Ok(())
}

fn name_needed(host: &str) -> String {
    format!(
        "`{host}` is no name of a host; up to {} letters, digits, `-`, `_` and `.` are",
        Fleet::NAME_MAX
    )
}

fn publish(words: &[Word]) -> Result<Publish, String> {
    let mut publish = Publish::default();
    for word in words {
        match word {
            Word::States => publish.states = true,
            Word::Folders => publish.folders = true,
            Word::Titles => publish.titles = true,
            Word::Messages => publish.messages = true,
            Word::Screens => publish.screens = true,
        }
    }
    if !publish.states && !words.is_empty() {
        return Err("fleet.publish: nothing can be told without \"states\"".to_owned());
    }
    Ok(publish)
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn file(key: &str, path: &str, home: Option<&Path>) -> Result<Option<PathBuf>, String> {
    if path.is_empty() {
        return Ok(None);
    }
    let path = super::routes::at_home(path, home);
    if path.is_absolute() {
        Ok(Some(path))
    } else {
        Err(format!("fleet.{key}: a path from `/` or `~/` is needed"))
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a failing test may panic")]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<Fleet>, String> {
        let table: FleetTable = toml::from_str(text).map_err(|e| e.message().to_owned())?;
        table.check(Some(Path::new("/home/user")))
    }

    #[test]
    fn without_a_broker_there_is_no_fleet() {
        assert_eq!(read("").unwrap(), None);
        assert_eq!(read("broker = \"\"\nport = 1234").unwrap(), None);
    }

    #[test]
    fn what_is_not_set_keeps_its_default() {
        let fleet = read("broker = \"mqtt.example.org\"").unwrap().unwrap();
        assert_eq!((fleet.port, fleet.tls, fleet.prefix.as_str()), (8883, true, "madohub"));
        assert_eq!(fleet.publish, Publish { states: true, ..Publish::default() });
        assert_eq!(fleet.keep_alive, Duration::from_secs(15));
        assert_eq!((fleet.user, fleet.ca_file, fleet.host), (None, None, None));
        assert!(fleet.allow_routes_from.is_empty());
        let plain = read("broker = \"::1\"\ntls = false").unwrap().unwrap();
        assert_eq!(plain.port, 1883);
        let files = read("broker = \"b\"\nuser = \"u\"\npassword_file = \"~/p\"\nca_file = \"/c\"");
        let files = files.unwrap().unwrap();
        assert_eq!(files.password_file.unwrap(), Path::new("/home/user/p"));
        let quiet = read("broker = \"b\"\npublish = []").unwrap().unwrap();
        assert_eq!(quiet.publish, Publish::default());
    }

    #[test]
    fn errors_name_the_key() {
        for (text, words) in [
            ("broker = \"mqtt://b\"", "fleet.broker: a host's name"),
            ("broker = \"b:1883\"", "without scheme and port"),
            ("broker = \"b\"\nport = 0", "fleet.port"),
            ("broker = \"b\"\nport = 65536", "65536"),
            ("broker = \"b\"\ntls = false\nca_file = \"/c\"", "fleet.ca_file: only used"),
            ("broker = \"b\"\nca_file = \"c\"", "fleet.ca_file: a path from `/`"),
            ("broker = \"b\"\npassword_file = \"/p\"", "needs fleet.user"),
            ("broker = \"b\"\nkeep_alive = 2", "3 to 600"),
            ("broker = \"b\"\nprefix = \"a/+/b\"", "fleet.prefix"),
            ("broker = \"b\"\nprefix = \"\"", "fleet.prefix"),
            ("broker = \"b\"\nprefix = \"$share\"", "fleet.prefix"),
            ("broker = \"b\"\nhost = \"a/b\"", "`a/b` is no name"),
            ("broker = \"b\"\nallow_routes_from = [\"#\"]", "fleet.allow_routes_from: `#`"),
            ("broker = \"b\"\npublish = [\"screens\"]", "without \"states\""),
            ("broker = \"b\"\npublish = [\"text\"]", "unknown variant `text`"),
            ("password = \"p\"", "unknown field `password`"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
