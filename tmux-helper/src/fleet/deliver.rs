//! Texts from other hosts for panes of this one. They are taken only from hosts that the settings
//! name, and delivered as `madohub send` delivers: into the empty input box of an agent that is ready.

use super::bell::Rope;
use super::link::{Message, Out};
use super::message::{AnswerMessage, RouteMessage, VERSION, bounded};
use super::topic::{Kind, Topics};
use crate::Context;
use crate::cli::PaneRef;
use crate::client::Client;
use crate::config::Fleet;
use crate::daemon::Files;
use crate::output::ListedPane;
use crate::protocol::SendAsk;
use crate::routes::{LogEntry, RouteLog};
use crate::time;
use crate::tmux::Server;
use crate::zellij::Session;
use madohub_detect::delivery::Outcome;
use madohub_detect::text::clean;
use std::collections::VecDeque;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// Bytes of a message with a text.
pub(super) const ROUTE_MAX: usize = 160 * 1024;
/// Bytes of a text.
pub(super) const TEXT_MAX: usize = 64 * 1024;
/// Texts on their way at the same time; more get no answer.
const AT_ONCE: usize = 8;
/// Texts that are remembered, so that none is delivered twice.
const REMEMBERED: usize = 1000;
/// Seconds between two refusals that are answered and written down: whoever is not allowed must not
/// fill the log.
const REFUSAL_PAUSE: f64 = 1.0;
/// Seconds for which a text may wait for its pane.
pub(super) const WAIT_MAX: f64 = 1800.0;
/// Seconds for which an answer is worth something.
const ANSWER_EXPIRY: u32 = 600;
/// How often a zellij session is asked that does not answer.
const ASKED_MAX: usize = 3;
/// Answers that wait for the broker, at most.
const ANSWERS_MAX: usize = 200;

/// What becomes of texts from other hosts.
pub(super) struct Deliveries {
    host: String,
    allowed: Vec<String>,
    topics: Topics,
    ctx: Context,
    rope: Rope,
    seen: VecDeque<String>,
    running: Arc<AtomicUsize>,
    refused: f64,
    tell: Sender<Out>,
    answers: Receiver<Out>,
    ready: VecDeque<Out>,
}

impl Deliveries {
    pub(super) fn new(fleet: &Fleet, host: &str, ctx: &Context, rope: Rope) -> Self {
        let (tell, answers) = channel();
        Self {
            host: host.to_owned(),
            allowed: fleet.allow_routes_from.clone(),
            topics: Topics::below(&fleet.prefix),
            ctx: ctx.clone(),
            rope,
            seen: VecDeque::new(),
            running: Arc::default(),
            refused: f64::NEG_INFINITY,
            tell,
            answers,
            ready: VecDeque::new(),
        }
    }

    /// Where texts come.
    pub(super) fn topic(&self) -> String {
        self.topics.of(&self.host, &Kind::Route)
    }

    /// The next answer for the broker.
    pub(super) fn answer(&mut self) -> Option<Out> {
        self.ready.extend(self.answers.try_iter());
        while self.ready.len() > ANSWERS_MAX {
            self.ready.pop_front();
        }
        self.ready.pop_front()
    }

    /// Takes a text. One that the broker had kept is from some other time, and left.
    pub(super) fn take(&mut self, message: &Message, now: f64) {
        let Some(route) = read(message) else { return };
        if self.seen.contains(&route.id) {
            return;
        }
        self.seen.push_back(route.id.clone());
        if self.seen.len() > REMEMBERED {
            self.seen.pop_front();
        }
        if self.running.load(Ordering::Relaxed) >= AT_ONCE {
            return;
        }
        let is_allowed = self.allowed.contains(&route.from);
        let refusal =
            (!is_allowed).then(|| format!("{} takes no texts from {}", self.host, route.from));
        if refusal.is_some() {
            if now - self.refused < REFUSAL_PAUSE {
                return;
            }
            self.refused = now;
        }
        let job = Job { route, topics: self.topics.clone(), ctx: self.ctx.clone() };
        self.running.fetch_add(1, Ordering::Relaxed);
        let (tell, rope, running) =
            (self.tell.clone(), self.rope.clone(), Arc::clone(&self.running));
        let body = move || {
            let _ = tell.send(match refusal {
                Some(why) => job.ended("refused", Some(&why)),
                None => job.run(),
            });
            running.fetch_sub(1, Ordering::Relaxed);
            rope.ring();
        };
        if thread::Builder::new().name("deliver".to_owned()).spawn(body).is_err() {
            self.running.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Reads a text; nothing where it is none that can be answered.
fn read(message: &Message) -> Option<RouteMessage> {
    let mut route: RouteMessage = bounded(&message.payload, ROUTE_MAX)?;
    let is_id = (8..=64).contains(&route.id.len())
        && route.id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let holds = !message.retained
        && route.v == VERSION
        && is_id
        && Fleet::is_name(&route.from)
        && route.text.len() <= TEXT_MAX;
    route.text.retain(|c| !c.is_control() || c == '\n' || c == '\t');
    route.wait = route.wait.map(|wait| wait.clamp(0.0, WAIT_MAX));
    (holds && !route.text.trim().is_empty()).then_some(route)
}

/// Where a text goes.
enum Target {
    /// A pane of a tmux server, by its daemon.
    Tmux(Client, ListedPane),
    /// A pane of a zellij session, by the plugin in it.
    Zellij(Session, ListedPane),
}

/// One text on its way.
struct Job {
    route: RouteMessage,
    topics: Topics,
    ctx: Context,
}

impl Job {
    /// Delivers it, and says how that ended.
    fn run(&self) -> Out {
        let sent = match self.find() {
            Ok(Target::Tmux(client, pane)) => client.send(SendAsk {
                pane: pane.row.pane,
                text: self.route.text.clone(),
                wait: self.route.wait.is_some(),
                timeout: self.route.wait.unwrap_or(0.0),
                shell: false,
            }),
            Ok(Target::Zellij(session, pane)) => {
                session.send(&pane.row.pane, &self.route.text, self.route.wait).map(Some)
            }
            Err(why) => return self.ended("refused", Some(&why)),
        };
        match sent {
            Ok(Some(outcome)) => {
                let (word, why) = match &outcome {
                    Outcome::Delivered => ("delivered", None),
                    Outcome::Unproved => ("unproved", None),
                    Outcome::Refused(why) => ("refused", Some(why)),
                    Outcome::NotNow(why) => ("not-now", Some(why)),
                    Outcome::Expired(why) => ("expired", Some(why)),
                    Outcome::Stopped(why) => ("stopped", Some(why)),
                };
                self.ended(word, why.map(String::as_str))
            }
            Ok(None) => self.ended("failed", Some("the daemon is gone")),
            Err(error) => self.ended("failed", Some(error.message())),
        }
    }

    /// The pane that is meant, among those of all tmux servers and zellij sessions here.
    fn find(&self) -> Result<Target, String> {
        let name = clean(&self.route.pane);
        let of_zellij = Session::is_pane(&self.route.pane);
        let wanted = match self.route.pane.parse::<PaneRef>() {
            Ok(wanted) => wanted.to_string(),
            Err(_) if of_zellij => self.route.pane.clone(),
            Err(_) => return Err(format!("`{name}` is no name of a pane")),
        };
        let mut found = Vec::new();
        for client in Client::all(self.ctx.paths()) {
            for pane in client.list().ok().flatten().unwrap_or_default() {
                if pane.row.pane == wanted || pane.place() == wanted {
                    found.push(Target::Tmux(client.clone(), pane));
                }
            }
        }
        // tmux's own ids are none of zellij's, which starts programs to be asked.
        let sessions = if wanted.starts_with('%') { Vec::new() } else { Session::all() };
        let mut silent = None;
        for session in sessions {
            // zellij 0.45.1 loses an answer now and then.
            let asked = (0..ASKED_MAX).map(|_| session.list()).find(Result::is_ok);
            let Some(Ok(panes)) = asked else {
                silent = Some(format!("zellij session {} does not answer", clean(session.name())));
                continue;
            };
            for pane in panes {
                if pane.row.pane == wanted || pane.place() == wanted {
                    found.push(Target::Zellij(session.clone(), pane));
                }
            }
        }
        match found.len() {
            0 => Err(silent.unwrap_or_else(|| format!("no agent runs in {name}"))),
            1 => found.pop().ok_or_else(String::new),
            n => Err(format!("{name} means {n} panes, of several servers or sessions")),
        }
    }

    /// Writes down how it ended; the answer to who sent it.
    fn ended(&self, outcome: &str, why: Option<&str>) -> Out {
        self.log(outcome, why);
        let route = &self.route;
        let answer = AnswerMessage {
            v: VERSION,
            id: route.id.clone(),
            outcome: outcome.to_owned(),
            why: why.map(str::to_owned),
        };
        Out {
            topic: self.topics.of(&route.from, &Kind::Answer(route.id.clone())),
            payload: serde_json::to_vec(&answer).unwrap_or_default(),
            retain: false,
            expiry: Some(ANSWER_EXPIRY),
        }
    }

    /// Into the route log of the tmux server that is meant, or of all where none is.
    fn log(&self, outcome: &str, why: Option<&str>) {
        let entry = LogEntry {
            v: 1,
            time: time::now(),
            route: "fleet".to_owned(),
            seq: 0,
            from: self.route.from.clone(),
            to: self.route.pane.chars().take(200).collect(),
            outcome: outcome.to_owned(),
            why: why.map(str::to_owned),
        };
        let mut servers: Vec<String> = Vec::new();
        if let Ok(Target::Tmux(_, pane)) = self.find() {
            servers.push(pane.row.server);
        } else {
            let hello = |client: Client| Some(client.hello().ok()??.server);
            servers.extend(Client::all(self.ctx.paths()).into_iter().filter_map(hello));
        }
        if servers.is_empty() {
            let (from, to) = (clean(&entry.from), clean(&entry.to));
            let why = entry.why.as_deref().map(|why| format!(": {}", clean(why)));
            let text = format!("a text from {from} for {to}: {outcome}{}", why.unwrap_or_default());
            let _ = writeln!(std::io::stderr().lock(), "madohub: {text}");
        }
        for server in servers {
            let files = Files::of(&Server::at(&server), self.ctx.paths());
            if let Err(error) = RouteLog::at(&files.route_log).append(std::slice::from_ref(&entry))
            {
                let text = format!("cannot write {}: {error}", files.route_log.display());
                let _ = writeln!(std::io::stderr().lock(), "madohub: {text}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn message(change: impl FnOnce(&mut Value)) -> Message {
        let mut value = json!({
            "v": 1, "id": "0123abcd-1", "from": "hera", "pane": "%3", "text": "Go on.", "new": 1,
        });
        change(&mut value);
        Message {
            topic: "madohub/zeus/route".to_owned(),
            payload: value.to_string().into_bytes(),
            retained: false,
            expiry: None,
        }
    }

    #[test]
    fn only_a_whole_text_of_now_is_taken() {
        assert!(read(&message(|_| {})).is_some());
        assert!(read(&Message { retained: true, ..message(|_| {}) }).is_none());
        for (key, wrong) in [
            ("v", json!(2)),
            ("id", json!("../../x")),
            ("id", json!("short")),
            ("from", json!("he/ra")),
            ("text", json!(" \n")),
            ("text", json!("x".repeat(TEXT_MAX + 1))),
            ("pane", Value::Null),
        ] {
            assert!(read(&message(|value| value[key] = wrong.clone())).is_none(), "{key}: {wrong}");
        }
    }

    #[test]
    fn a_text_cannot_end_the_paste_that_it_is() {
        let read = read(&message(|value| {
            value["text"] = json!("a\u{1b}[201~\r\nb\tc\u{9b}d");
            value["wait"] = json!(1e9);
        }));
        let route = read.map(|route| (route.text, route.wait));
        assert_eq!(route, Some(("a[201~\nb\tcd".to_owned(), Some(WAIT_MAX))));
    }
}
