//! Routes as they are written in the settings, and how they are checked.

use super::{Fleet, Template};
use crate::cli::PaneRef;
use crate::routes::{FIELDS, Filter, Limits, Route, Target};
use madohub_detect::State;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// What a notification says where the route does not.
const NOTIFICATION: &str = "{agent} is {state}: {place}";

/// One `[[route]]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RouteTable {
    name: String,
    from: FromTable,
    on: Option<Vec<String>>,
    to: ToTable,
    send: Option<String>,
    expire: Option<f64>,
    tries: Option<u32>,
    cooldown: Option<f64>,
    hops: Option<u32>,
}

/// How long a text waits on another machine for a pane that is not ready; programs of routes have a
/// minute.
const ELSEWHERE_WAIT: &str = "20s";

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct FromTable {
    mux: Option<String>,
    session: Option<String>,
    window: Option<String>,
    pane: Option<String>,
    title: Option<String>,
    agent: Option<String>,
    cwd: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ToTable {
    host: Option<String>,
    pane: Option<String>,
    shell: bool,
    command: Option<Vec<String>>,
    file: Option<String>,
    notify: bool,
}

/// Checks all routes; the error names the route and the key.
pub(super) fn routes(tables: Vec<RouteTable>, home: Option<&Path>) -> Result<Vec<Route>, String> {
    let mut routes: Vec<Route> = Vec::new();
    for (number, table) in tables.into_iter().enumerate() {
        let name = table.name.clone();
        let wrong = |what: String| match name.as_str() {
            "" => format!("route {}: {what}", number + 1),
            name => format!("route `{name}`: {what}"),
        };
        let route = table.check(home).map_err(wrong)?;
        if routes.iter().any(|other| other.name == route.name) {
            return Err(wrong("name: another route has it already".to_owned()));
        }
        routes.push(route);
    }
    Ok(routes)
}

impl RouteTable {
    fn check(self, home: Option<&Path>) -> Result<Route, String> {
        let plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        if self.name.is_empty() || !self.name.chars().all(plain) || self.name.len() > 64 {
            return Err("name: a word of letters, digits, `-`, `_` and `.` is needed".to_owned());
        }
        if self.name.starts_with("once-") {
            return Err("name: `once-` begins the names of one-shots".to_owned());
        }
        let (to, send) = match &self.to.host {
            Some(host) => (elsewhere(host, &self.to, self.send.as_deref())?, None),
            None => (self.to.check(home)?, self.send),
        };
        let text = match (&to, &send) {
            (Target::Command(_), Some(_)) => {
                return Err("send: a command gets its texts as arguments".to_owned());
            }
            (Target::Command(_), None) => None,
            (Target::Notify, None) => Some(template("send", NOTIFICATION)?),
            (_, None) => return Err("send: the text is missing".to_owned()),
            (_, Some(text)) if text.trim().is_empty() => {
                return Err("send: the text is empty".to_owned());
            }
            (_, Some(text)) => Some(template("send", text)?),
        };
        let default = Limits::default();
        let limits = Limits {
            expire: within("expire", self.expire, default.expire, 1.0, 604_800.0)?,
            cooldown: within("cooldown", self.cooldown, default.cooldown, 0.0, 86_400.0)?,
            tries: within("tries", self.tries, default.tries, 1, 10)?,
            hops: within("hops", self.hops, default.hops, 1, 100)?,
        };
        let from = self.from.check(home)?;
        Ok(Route { name: self.name, from, on: states(self.on)?, to, text, limits })
    }
}

impl FromTable {
    fn check(self, home: Option<&Path>) -> Result<Filter, String> {
        let filter = Filter {
            mux: self.mux,
            session: self.session,
            window: self.window,
            pane: self.pane,
            title: self.title,
            agent: self.agent,
            cwd: self.cwd.map(|cwd| at_home(&cwd, home).to_string_lossy().into_owned()),
        };
        let empty = [&filter.mux, &filter.session, &filter.window, &filter.pane, &filter.agent];
        if empty.into_iter().flatten().any(String::is_empty) {
            return Err("from: an empty name matches nothing; leave the key out".to_owned());
        }
        Ok(filter)
    }
}

impl ToTable {
    fn check(self, home: Option<&Path>) -> Result<Target, String> {
        if self.shell && self.pane.is_none() {
            return Err("to.shell: only with to.pane".to_owned());
        }
        match (self.pane, self.command, self.file, self.notify) {
            (Some(pane), None, None, false) if pane.is_empty() => {
                Err("to.pane: an empty name means no pane".to_owned())
            }
            (Some(pane), None, None, false) => Ok(Target::Pane { pane, shell: self.shell }),
            (None, Some(argv), None, false) => command(&argv),
            (None, None, Some(file), false) => {
                let path = at_home(&file, home);
                if !path.is_absolute() {
                    return Err("to.file: a path from `/` or `~/` is needed".to_owned());
                }
                Ok(Target::File(path))
            }
            (None, None, None, true) => Ok(Target::Notify),
            _ => Err("to: one of pane, command, file and notify is needed".to_owned()),
        }
    }
}

/// A pane of another machine: this program itself brings the text there, because the daemon has no
/// connection.
fn elsewhere(host: &str, to: &ToTable, send: Option<&str>) -> Result<Target, String> {
    if !Fleet::is_name(host) {
        return Err(format!("to.host: `{host}` is no name of a host"));
    }
    let is_alone = to.command.is_none() && to.file.is_none() && !to.notify && !to.shell;
    let Some(pane) = to.pane.as_deref().filter(|_| is_alone) else {
        return Err("to.host: only with to.pane".to_owned());
    };
    if pane.parse::<PaneRef>().is_err() {
        return Err(format!(
            "to.pane: `{pane}` is no pane of another host; %3 and session:window.pane are"
        ));
    }
    let text = match send {
        Some(text) if !text.trim().is_empty() => template("send", text)?,
        _ => return Err("send: the text is missing".to_owned()),
    };
    let program = std::env::current_exe().ok();
    let program = program.as_deref().and_then(Path::to_str).unwrap_or("madohub");
    let to = format!("{host}:{pane}");
    let words = [program, "fleet", "send", "--wait", ELSEWHERE_WAIT, &to];
    let plain = |word: &str| {
        let word = word.replace('{', "{{").replace('}', "}}");
        Template::parse(&word, &FIELDS).map_err(|what| format!("to: {what}"))
    };
    let words = words.into_iter().map(plain);
    Ok(Target::Command(words.chain([Ok(text)]).collect::<Result<_, _>>()?))
}

fn command(argv: &[String]) -> Result<Target, String> {
    let words: Vec<Template> =
        argv.iter().map(|word| template("to.command", word)).collect::<Result<_, _>>()?;
    let Some(program) = argv.first().filter(|program| !program.is_empty()) else {
        return Err("to.command: the program is missing".to_owned());
    };
    if words.first().is_some_and(|word| FIELDS.iter().any(|field| word.uses(field))) {
        return Err(format!("to.command: the program itself, `{program}`, cannot have fields"));
    }
    Ok(Target::Command(words))
}

fn states(on: Option<Vec<String>>) -> Result<Vec<State>, String> {
    let Some(on) = on else { return Ok(vec![State::Completed]) };
    if on.is_empty() {
        return Err("on: no state never fires".to_owned());
    }
    let state = |word: &String| match word.parse::<State>() {
        Ok(State::Unknown) | Err(_) => Err(format!(
            "on: `{word}` is no state; the states are {}",
            State::BY_NEED.map(State::as_str).join(", ")
        )),
        Ok(state) => Ok(state),
    };
    on.iter().map(state).collect()
}

fn template(key: &str, text: &str) -> Result<Template, String> {
    Template::parse(text, &FIELDS).map_err(|what| format!("{key}: {what}"))
}

pub(super) fn at_home(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

fn within<T: PartialOrd + std::fmt::Display + Copy>(
    key: &str,
    value: Option<T>,
    default: T,
    least: T,
    most: T,
) -> Result<T, String> {
    let value = value.unwrap_or(default);
    if value >= least && value <= most {
        Ok(value)
    } else {
        Err(format!("{key}: {value} is out of range, {least} to {most}"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        clippy::panic,
        reason = "a failing test may panic"
    )]

    use crate::config::Config;
    use crate::routes::Target;
    use madohub_detect::State;
    use std::path::Path;

    fn read(text: &str) -> Result<Config, String> {
        Config::parse(text, Path::new("config.toml")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_route_is_read_with_its_defaults() {
        let config = read(
            "[[route]]\nname = \"review\"\nfrom = { agent = \"claude\", window = \"build\" }\n\
             to = { pane = \"reviewer\" }\nsend = \"Review {cwd}.\"\n",
        )
        .unwrap();
        let route = &config.routes[0];
        assert_eq!((route.name.as_str(), &route.on[..]), ("review", &[State::Completed][..]));
        assert_eq!(route.from.describe(), "window=build agent=claude");
        assert_eq!(route.to, Target::Pane { pane: "reviewer".to_owned(), shell: false });
        let limits = route.limits;
        assert_eq!(
            (limits.expire, limits.tries, limits.cooldown, limits.hops),
            (1800.0, 3, 5.0, 5)
        );
    }

    #[test]
    fn a_notification_has_a_text_of_its_own_or_a_given_one() {
        let read = |send: &str| {
            let text = format!("[[route]]\nname = \"a\"\nto = {{ notify = true }}\n{send}");
            let route = read(&text).unwrap().routes.remove(0);
            assert_eq!(route.to, Target::Notify);
            route.text.unwrap().fill(str::to_uppercase)
        };
        assert_eq!(read(""), "AGENT is STATE: PLACE");
        assert_eq!(read("send = \"{pane}!\""), "PANE!");
    }

    #[test]
    fn a_pane_of_another_machine_is_this_program_with_the_text_as_it_is() {
        let config = read(
            "[[route]]\nname = \"a\"\nto = { host = \"zeus\", pane = \"api:1.0\" }\n\
             send = \"-{agent} {{x}}\"\n",
        );
        let route = config.unwrap().routes.remove(0);
        let Target::Command(words) = route.to else { panic!("{:?}", route.to) };
        let words: Vec<String> = words.iter().map(|word| word.fill(str::to_uppercase)).collect();
        assert_eq!(words[1..], ["fleet", "send", "--wait", "20s", "zeus:api:1.0", "-AGENT {x}"]);
        assert!(words[0].starts_with('/') && route.text.is_none());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_route() {
        let pane = "to = { pane = \"x\" }\n";
        for (text, words) in [
            (format!("{pane}send = \"x\""), "route 1: name"),
            (format!("name = \"a b\"\n{pane}send = \"x\""), "name: a word"),
            (format!("name = \"once-1\"\n{pane}send = \"x\""), "one-shots"),
            (format!("name = \"a\"\n{pane}"), "route `a`: send: the text is missing"),
            (format!("name = \"a\"\n{pane}send = \" \""), "send: the text is empty"),
            (format!("name = \"a\"\n{pane}send = \"{{who}}\""), "`{who}` is no field"),
            (format!("name = \"a\"\n{pane}send = \"x\"\non = [\"done\"]"), "`done` is no state"),
            (format!("name = \"a\"\n{pane}send = \"x\"\non = []"), "never fires"),
            (format!("name = \"a\"\n{pane}send = \"x\"\nhops = 0"), "hops: 0 is out of range"),
            (format!("name = \"a\"\n{pane}send = \"x\"\nwhen = 1"), "unknown field `when`"),
            ("name = \"a\"\nsend = \"x\"".to_owned(), "one of pane, command, file and notify"),
            (
                "name = \"a\"\nto = { pane = \"x\", file = \"/x\" }\nsend = \"x\"".to_owned(),
                "one of pane, command, file and notify",
            ),
            ("name = \"a\"\nto = { file = \"x\" }\nsend = \"x\"".to_owned(), "from `/`"),
            ("name = \"a\"\nto = { command = [] }".to_owned(), "program is missing"),
            ("name = \"a\"\nto = { command = [\"{title}\"] }".to_owned(), "cannot have fields"),
            ("name = \"a\"\nto = { command = [\"x\"] }\nsend = \"x\"".to_owned(), "as arguments"),
            ("name = \"a\"\nto = { shell = true, file = \"/x\" }".to_owned(), "only with to.pane"),
            (
                "name = \"a\"\nto = { host = \"a/b\", pane = \"%1\" }\nsend = \"x\"".to_owned(),
                "to.host: `a/b` is no name",
            ),
            (
                "name = \"a\"\nto = { host = \"b\", file = \"/x\" }\nsend = \"x\"".to_owned(),
                "to.host: only with to.pane",
            ),
            (
                "name = \"a\"\nto = { host = \"b\", pane = \"reviewer\" }\nsend = \"x\"".to_owned(),
                "is no pane of another host",
            ),
            ("name = \"a\"\nto = { host = \"b\", pane = \"%1\" }".to_owned(), "text is missing"),
        ] {
            let error = read(&format!("[[route]]\n{text}\n")).unwrap_err();
            assert!(error.contains(words), "{text}\n{error}");
        }
        let twice = "[[route]]\nname = \"a\"\nto = { pane = \"x\" }\nsend = \"x\"\n".repeat(2);
        assert!(read(&twice).unwrap_err().contains("another route has it"));
    }
}
