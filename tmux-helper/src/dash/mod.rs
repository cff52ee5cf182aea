//! `madohub dash`: all agents on one screen, those that need a person first.
//!
//! [`model`] holds what is shown and decides what a key means, without input or output; [`view`]
//! draws it; [`feed`] asks daemons, tmux, zellij and [`fleet`] the broker in threads of its own, so that one that hangs
//! holds nothing up.

mod feed;
mod fleet;
mod keys;
mod model;
mod screen;
mod style;
mod view;

use crate::cli::DashArgs;
use crate::tmux::Server;
use crate::{Context, Error, Exit, commands, time};
use feed::{Feed, News};
use model::{Dash, Effect};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{
    self, DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use ratatui::crossterm::execute;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::{IsTerminal as _, stdin, stdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;
use style::Palette;

/// The times since when a state lasts are drawn anew this often.
const TICK: Duration = Duration::from_secs(1);

/// Runs the command.
pub(crate) fn run(args: &DashArgs, ctx: &Context) -> Result<Exit, Error> {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return Err(Error::usage("the dashboard needs a terminal")
            .remedy("`madohub list` and `madohub watch` go without."));
    }
    let palette = Palette::new(ctx.config()?.looks, crate::output::Terminal::of_stdout().colours);
    let is_chosen = args.server.socket_name.is_some() || args.server.socket_path.is_some();
    let only = is_chosen.then(|| Server::resolve(&args.server));
    let (tell, hear) = channel();
    let feed = Feed::start(only, ctx, &tell);
    if !feed.has_source() {
        return Err(Error::no_server(
            "no daemon watches a tmux server, and no zellij session runs",
        )
        .remedy("Start one in tmux: `madohub tmux start`."));
    }
    let mut dash = Dash::new(args.keep);
    let ended = on_screen(|terminal| {
        listen(tell)?;
        show(terminal, &mut dash, &palette, &feed, &hear, ctx)
    })?;
    match ended {
        Ended::Left => Ok(Exit::Ok),
        Ended::To(pane) => commands::go_to(&pane),
    }
}

/// How the dashboard ended.
enum Ended {
    /// The person left it.
    Left,
    /// The person goes to this pane.
    To(Box<crate::output::ListedPane>),
}

/// Runs `body` on the alternate screen, and puts the terminal back whatever comes of it.
fn on_screen<T>(body: impl FnOnce(&mut DefaultTerminal) -> Result<T, Error>) -> Result<T, Error> {
    let failed =
        |error: std::io::Error| Error::failed(format!("cannot use this terminal: {error}"));
    let mut terminal = ratatui::try_init().map_err(failed)?;
    // A terminal without a mouse or without pastes is used without.
    let _ = execute!(stdout(), EnableMouseCapture, EnableBracketedPaste);
    let answer = body(&mut terminal);
    let _ = execute!(stdout(), DisableBracketedPaste, DisableMouseCapture);
    ratatui::try_restore().map_err(failed)?;
    answer
}

/// Hands on what the person does, and who ends the dashboard from outside: the terminal is put back
/// then, too.
fn listen(tell: Sender<News>) -> Result<(), Error> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let ended = tell.clone();
    let heed = move || {
        for _ in signals.forever() {
            if ended.send(News::HungUp).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(heed)?;
    let read = move || {
        loop {
            let news = event::read().map_or_else(|_| News::HungUp, News::Input);
            let is_over = matches!(news, News::HungUp);
            if tell.send(news).is_err() || is_over {
                return;
            }
        }
    };
    thread::Builder::new().name("keys".to_owned()).spawn(read)?;
    Ok(())
}

fn show(
    terminal: &mut DefaultTerminal,
    dash: &mut Dash,
    palette: &Palette,
    feed: &Feed,
    hear: &Receiver<News>,
    ctx: &Context,
) -> Result<Ended, Error> {
    loop {
        terminal.draw(|frame| view::draw(frame, dash, palette, time::now()))?;
        let first = match hear.recv_timeout(TICK) {
            Ok(news) => Some(news),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(Ended::Left),
        };
        // Whatever came meanwhile is drawn at once, not one by one.
        for news in first.into_iter().chain(hear.try_iter()) {
            for effect in dash.update(news) {
                match effect {
                    Effect::Leave => return Ok(Ended::Left),
                    Effect::Go(pane) => return Ok(Ended::To(pane)),
                    Effect::GoBehind(pane) => dash.say(match commands::go_behind(&pane) {
                        Ok(place) => format!("Went to {place}."),
                        Err(error) => error.message().to_owned(),
                    }),
                    Effect::Look(focus) => feed.look(focus),
                    Effect::Send { pane, text } => feed.send(*pane, text, ctx),
                }
            }
        }
    }
}
