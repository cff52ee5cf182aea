//! Takes out of a recording what is nobody's business.

use regex::{Captures, Regex};
use serde_json::Value;
use std::collections::BTreeMap;

/// Names of this machine and its person, to be replaced wherever they stand.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    /// Home folder.
    pub(super) home: Option<String>,
    /// Name of the user.
    pub(super) user: Option<String>,
    /// Name of the machine, whole and up to its first dot.
    pub(super) host: Option<String>,
}

/// Replaces, and counts what it replaced.
pub(super) struct Redactor {
    rules: Vec<(&'static str, Regex, Replacement)>,
    /// How often each kind was found.
    pub(super) counts: BTreeMap<&'static str, usize>,
}

enum Replacement {
    /// By this text.
    Text(&'static str),
    /// By as many `x`, so that what stands beside it stays where it is.
    Blank,
}

/// Names that say nothing about anybody; replacing them everywhere would spoil the screen.
const PLAIN_NAMES: [&str; 6] = ["root", "user", "admin", "home", "localhost", "devbox"];
/// Shortest name that is replaced wherever it stands.
const NAME_MIN: usize = 3;

/// A word, by ASCII letters; `-` and `.` are none, so that `host.example` and `host-1` are seen.
const START: &str = r"(?-u:\b)";

/// What is replaced whoever records.
const PATTERNS: [(&str, &str, Replacement); 6] = [
    (
        "key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?-----END [A-Z ]*PRIVATE KEY-----)?",
        Replacement::Blank,
    ),
    (
        "key",
        r"(?-u:\b)(?:sk-[0-9A-Za-z_-]{8,}|gh[pousr]_[0-9A-Za-z]{16,}|github_pat_[0-9A-Za-z_]+|glpat-[0-9A-Za-z_-]+|AKIA[A-Z0-9]{12,}|xox[abp]-[0-9A-Za-z-]+|AIza[0-9A-Za-z_-]{20,}|eyJ[0-9A-Za-z_-]{12,}(?:\.[0-9A-Za-z_-]+)*)",
        Replacement::Blank,
    ),
    (
        "key",
        r"(?i)(?-u:\b)(?:api[_-]?key|token|secret|password|passwd|bearer|authorization)(?-u:\b)\s*[:=]?\s*[\x22']?[0-9A-Za-z_+/=.~-]{12,}",
        Replacement::Blank,
    ),
    (
        "mail address",
        r"(?-u:\b)[0-9A-Za-z._%+-]+@[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*\.[A-Za-z]{2,}(?-u:\b)",
        Replacement::Text("someone@example.com"),
    ),
    ("home folder", r"/(?:home|Users)/[0-9A-Za-z._-]+", Replacement::Text("/home/user")),
    (
        "network address",
        r"(?-u:\b)(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?-u:\b)",
        Replacement::Text("192.0.2.1"),
    ),
];

impl Redactor {
    /// For this machine and person.
    pub(super) fn new(names: &Names) -> Result<Self, regex::Error> {
        let mut rules = Vec::new();
        let literal = |text: &str| Regex::new(&regex::escape(text));
        let worth = |name: &&str| name.len() >= NAME_MIN && !PLAIN_NAMES.contains(name);
        if let Some(home) = names.home.as_deref().filter(|home| home.len() > 1) {
            rules.push(("home folder", literal(home)?, Replacement::Text("/home/user")));
        }
        for (kind, pattern, by) in PATTERNS {
            rules.push((kind, Regex::new(pattern)?, by));
        }
        for (kind, name, by) in
            [("host name", &names.host, "devbox"), ("user name", &names.user, "user")]
        {
            let Some(name) = name.as_deref() else { continue };
            let short = name.split('.').next().unwrap_or(name);
            for name in [name, short].into_iter().filter(worth) {
                let word = format!("(?i){START}{}{START}", regex::escape(name));
                rules.push((kind, Regex::new(&word)?, Replacement::Text(by)));
            }
        }
        Ok(Self { rules, counts: BTreeMap::new() })
    }

    /// A text without what is nobody's business.
    pub(super) fn text(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for (kind, pattern, by) in &self.rules {
            let mut found = 0;
            let replaced = pattern.replace_all(&text, |captures: &Captures<'_>| {
                let whole = captures.get(0).map_or("", |found| found.as_str());
                let new = match by {
                    Replacement::Blank => "x".repeat(whole.chars().count()),
                    // Of this machine, and documentation's own addresses, say nothing.
                    Replacement::Text("192.0.2.1") if is_public(whole) => whole.to_owned(),
                    Replacement::Text(by) => (*by).to_owned(),
                };
                found += usize::from(new != whole);
                new
            });
            let replaced = replaced.into_owned();
            if found > 0 {
                *self.counts.entry(kind).or_default() += found;
                text = replaced;
            }
        }
        text
    }

    /// Every text in a value.
    pub(super) fn value(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.value(value)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.value(value)),
            _ => {}
        }
    }
}

fn is_public(address: &str) -> bool {
    ["127.", "0.0.0.0", "192.0.2."].iter().any(|start| address.starts_with(start))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::*;
    use serde_json::json;

    fn redactor() -> Redactor {
        let name = |text: &str| Some(text.to_owned());
        let names =
            Names { home: name("/srv/homes/alice"), user: name("alice"), host: name("mars.lan") };
        Redactor::new(&names).unwrap()
    }

    #[test]
    fn what_is_personal_is_replaced_and_counted() {
        for (text, left, kind) in [
            ("/srv/homes/alice/src", "/home/user/src", "home folder"),
            ("cd /home/bob-2/x", "cd /home/user/x", "home folder"),
            ("/Users/carol/x", "/home/user/x", "home folder"),
            ("alice@mars:~$", "user@devbox:~$", "user name"),
            ("on MARS.lan now", "on devbox now", "host name"),
            ("mail d.e+f@mail.example.org!", "mail someone@example.com!", "mail address"),
            ("from 10.1.2.3:80", "from 192.0.2.1:80", "network address"),
            ("key sk-abcdefgh12 end", "key xxxxxxxxxxxxx end", "key"),
            ("Bearer abcdefghijklmnop", "xxxxxxxxxxxxxxxxxxxxxxx", "key"),
            ("API_KEY=abcdefghijkl0", "xxxxxxxxxxxxxxxxxxxxx", "key"),
        ] {
            let mut redactor = redactor();
            assert_eq!(redactor.text(text), left);
            assert!(redactor.counts.contains_key(kind), "{text}: {:?}", redactor.counts);
        }
    }

    #[test]
    fn what_says_nothing_about_anybody_stays() {
        for text in [
            "malice and marsh",
            "127.0.0.1:8787",
            "version 2.1.332",
            "token count 12k",
            "⏵⏵ accept edits on (shift+tab to cycle)",
            "esc to interrupt · ↓ 44.7k tokens",
        ] {
            let mut redactor = redactor();
            assert_eq!(redactor.text(text), text);
            assert!(redactor.counts.is_empty(), "{text}: {:?}", redactor.counts);
        }
        let plain =
            Names { user: Some("root".to_owned()), host: Some("ab".to_owned()), home: None };
        assert_eq!(Redactor::new(&plain).unwrap().text("root ab"), "root ab");
    }

    #[test]
    fn every_text_of_a_recording_is_looked_at() {
        let mut value =
            json!({"screen": ["alice"], "processes": [{"argv": ["x", "alice"], "pid": 3}]});
        redactor().value(&mut value);
        assert_eq!(
            value,
            json!({"screen": ["user"], "processes": [{"argv": ["x", "user"], "pid": 3}]})
        );
    }
}
