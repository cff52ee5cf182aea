//! Starting the daemon in the background.
//!
//! The program starts itself once more. The second one opens a new session, says on its standard
//! output whether it watches the server now, and lets go of everything that it inherited.

use super::files::Files;
use super::watch::{Setup, run};
use crate::client::Client;
use crate::config::Paths;
use crate::protocol::Hello;
use crate::tmux::Server;
use crate::{Context, Error, Kind};
use rustix::process::setsid;
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Bytes that the first word of the daemon may have.
const WORD_MAX: u64 = 64 * 1024;

/// How a start ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Started {
    /// The daemon was started and watches.
    New(Hello),
    /// It ran already.
    Already(Hello),
}

/// What the daemon says to whoever started it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Ready(Box<Hello>),
    Failed { refused: bool, no_server: bool, message: String, remedy: Option<String> },
}

/// Starts the daemon of this server in the background and waits until it watches.
pub fn start(server: &Server, ctx: &Context) -> Result<Started, Error> {
    let paths = ctx.paths();
    if let Some(hello) = Client::of(server, paths).hello()? {
        return Ok(Started::Already(hello));
    }
    // What is wrong with the settings or the server is said here, to the person who starts it.
    ctx.config()?;
    server.identity()?;
    Files::of(server, paths).create_folders(paths)?;
    let program = std::env::current_exe()
        .map_err(|error| Error::failed(format!("cannot find this program: {error}")))?;
    let failed =
        |error: &std::io::Error| Error::failed(format!("cannot start the daemon: {error}"));
    let mut child = Command::new(program)
        .args(["tmux", "start", "--detached", "-S"])
        .arg(server.socket())
        .current_dir("/")
        .env_remove("TMUX")
        .env_remove("TMUX_PANE")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(&error))?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout.take(WORD_MAX)).read_line(&mut line).map_err(|e| failed(&e))?;
    }
    match serde_json::from_str(&line) {
        Ok(Word::Ready(hello)) => Ok(Started::New(*hello)),
        Ok(Word::Failed { refused, no_server, message, remedy }) => {
            let _ = child.wait();
            // Two were started at the same time and the other one was faster.
            if let Some(hello) = Client::of(server, paths).hello()?.filter(|_| refused) {
                return Ok(Started::Already(hello));
            }
            let kind = match (refused, no_server) {
                (true, _) => Kind::Refused,
                (_, true) => Kind::NoServer,
                _ => Kind::Failed,
            };
            let error = Error::new(kind, message);
            Err(match remedy {
                Some(remedy) => error.remedy(remedy),
                None => error,
            })
        }
        Err(_) => {
            let log = Files::of(server, paths).log;
            Err(Error::failed("the daemon ended at once").remedy(format!("See {}.", log.display())))
        }
    }
}

/// Is the daemon in the background; the counterpart of [`start`].
pub fn background(server: Server, ctx: &Context) -> Result<(), Error> {
    // Not in the session of the terminal: closing that must not end the daemon. It fails where
    // the process leads a session already, which is as good.
    let _ = setsid();
    let said = setup(server, ctx, false).and_then(|setup| {
        run(setup, |hello| {
            say(&Word::Ready(Box::new(hello.clone())));
            let_go();
        })
    });
    if let Err(error) = &said {
        say(&Word::Failed {
            refused: error.kind() == Kind::Refused,
            no_server: error.kind() == Kind::NoServer,
            message: error.message().to_owned(),
            remedy: error.hint().map(str::to_owned),
        });
    }
    said
}

/// All that a daemon needs, by the settings and rules of the user.
pub fn setup(server: Server, ctx: &Context, log_to_terminal: bool) -> Result<Setup, Error> {
    let paths: &Paths = ctx.paths();
    let files = Files::of(&server, paths);
    files.create_folders(paths)?;
    let (rules, left_out) = ctx.rules()?;
    let (config, paths) = (ctx.config()?, paths.clone());
    let left_out = left_out.iter().map(|error| format!("{error}; left out"));
    let warnings = left_out.chain(config.warnings()).collect();
    let rules = Arc::new(rules);
    Ok(Setup { server, config, rules, warnings, paths, files, log_to_terminal })
}

fn say(word: &Word) {
    if let Ok(line) = serde_json::to_string(word) {
        let mut out = std::io::stdout();
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    }
}

/// Nobody waits for the end of what we inherited.
fn let_go() {
    let nothing = OpenOptions::new().read(true).write(true).open("/dev/null");
    if let Ok(nothing) = nothing {
        let _ = dup2_stdin(&nothing).and_then(|()| dup2_stdout(&nothing));
        let _ = dup2_stderr(&nothing);
    }
}
