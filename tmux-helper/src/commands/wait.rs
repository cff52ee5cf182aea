//! `madohub wait`: Until panes are in a state.

use crate::cli::{PaneRef, WaitArgs};
use crate::client::Client;
use crate::events::Line;
use crate::output::{ListedPane, clean};
use crate::protocol::Event;
use crate::tmux::Server;
use crate::{Context, Error, Exit};
use madohub_detect::{State, TurnEnd};
use std::collections::BTreeMap;
use std::io::{Write as _, stdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often the list is looked at where no event comes: a turn that was seen is quietly idle.
const TICK: Duration = Duration::from_millis(250);

/// One pane that is waited for.
#[derive(Debug)]
struct Wanted {
    pane: String,
    /// The agent's process at the start.
    pid: Option<i64>,
    is_there: bool,
    /// How its last turn had ended at the start.
    ended: Option<TurnEnd>,
}

/// How it stands with a pane.
#[derive(Debug, PartialEq)]
enum Standing {
    Reached(State),
    Not,
    Gone,
    Replaced,
}

/// Runs the command.
pub(crate) fn run(args: &WaitArgs, ctx: &Context) -> Result<Exit, Error> {
    let server = Server::resolve(&args.server);
    let client = Client::of(&server, ctx.paths());
    let gone = || super::tmux::no_daemon(&server);
    // Before events come and the list is looked at, so that nothing falls between.
    let mut ends = client.ends()?.ok_or_else(gone)?;
    let events = follow(&client)?.ok_or_else(gone)?;
    let rows = client.list()?.ok_or_else(gone)?;
    let mut wanted: Vec<Wanted> =
        args.panes.iter().map(|pane| find(pane, &rows, &ends)).collect::<Result<_, _>>()?;
    let deadline = args.timeout.map(|span| Instant::now() + Duration::from_secs_f64(span.0));
    let mut rows = Some(rows);
    let mut event = None;
    loop {
        for one in wanted.iter_mut().filter(|one| !one.is_there) {
            let states = &args.states.0;
            let standing = match (&rows, &event) {
                (_, Some(event)) if one.is_told(event, states) => Standing::Reached(event.to),
                (Some(rows), _) => one.stands(rows, &ends, states),
                (None, _) => Standing::Not,
            };
            let pane = clean(&one.pane);
            match standing {
                Standing::Reached(state) => {
                    one.is_there = true;
                    say(&one.pane, state, rows.as_deref(), args.json)?;
                }
                Standing::Not => {}
                Standing::Gone => return Err(Error::failed(format!("{pane} holds no agent now"))),
                Standing::Replaced => {
                    return Err(Error::refused(format!(
                        "{pane} holds another process than at the start"
                    )));
                }
            }
        }
        let (mut all, mut any) = (true, false);
        for one in &wanted {
            all &= one.is_there;
            any |= one.is_there;
        }
        if all || any && !args.all {
            return Ok(Exit::Ok);
        }
        let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return Err(Error::failed("the time is up"));
        }
        event = match events.recv_timeout(TICK.min(left.unwrap_or(TICK))) {
            Ok(event) => Some(event?),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Err(gone()),
        };
        ends = client.ends()?.ok_or_else(gone)?;
        rows = Some(client.list()?.ok_or_else(gone)?);
    }
}

/// Events as they come; the thread ends with the daemon or with us.
fn follow(client: &Client) -> Result<Option<Receiver<Result<Event, Error>>>, Error> {
    let Some(events) = client.watch(None)? else { return Ok(None) };
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for event in events {
            let said = match event {
                Ok((_, Line::Event(event))) => Ok(*event),
                Ok((_, Line::Gap { .. })) => continue,
                Err(error) => Err(error),
            };
            if sender.send(said).is_err() {
                return;
            }
        }
    });
    Ok(Some(receiver))
}

/// How the last turns ended, by pane.
type Ends = BTreeMap<String, TurnEnd>;

fn find(wanted: &PaneRef, rows: &[ListedPane], ends: &Ends) -> Result<Wanted, Error> {
    let name = wanted.to_string();
    let row = rows.iter().find(|row| row.row.pane == name || row.place() == name);
    let row = row.ok_or_else(|| {
        Error::failed(format!("{name} holds no agent"))
            .remedy("`madohub list` shows the panes that hold one.")
    })?;
    let ListedPane { row, .. } = row;
    let ended = ends.get(&row.pane).copied();
    Ok(Wanted { pane: row.pane.clone(), pid: row.pid, is_there: false, ended })
}

impl Wanted {
    fn is_told(&self, event: &Event, states: &[State]) -> bool {
        event.pane == self.pane && states.contains(&event.to)
    }

    fn stands(&self, rows: &[ListedPane], ends: &Ends, states: &[State]) -> Standing {
        let Some(row) = rows.iter().find(|row| row.row.pane == self.pane) else {
            let ends = states.contains(&State::Exited);
            return if ends { Standing::Reached(State::Exited) } else { Standing::Gone };
        };
        let state = row.row.state;
        if states.contains(&state) && (state == State::Exited || self.is_same(row)) {
            Standing::Reached(state)
        } else if state == State::Exited {
            Standing::Gone
        } else if self.is_same(row) {
            // What the agent said of a turn whose end its pane no longer shows.
            let end = ends.get(&self.pane).filter(|end| self.ended != Some(**end));
            let end = end.filter(|end| states.contains(&end.to));
            end.map_or(Standing::Not, |end| Standing::Reached(end.to))
        } else {
            Standing::Replaced
        }
    }

    fn is_same(&self, row: &ListedPane) -> bool {
        self.pid.is_none() || row.row.pid.is_none() || self.pid == row.row.pid
    }
}

fn say(pane: &str, state: State, rows: Option<&[ListedPane]>, json: bool) -> Result<(), Error> {
    let mut out = stdout();
    let row = rows.into_iter().flatten().find(|row| row.row.pane == pane);
    match row.filter(|_| json) {
        Some(row) => {
            let mut row = row.row.clone();
            row.state = state;
            let line =
                serde_json::to_string(&row).map_err(|error| Error::failed(error.to_string()))?;
            writeln!(out, "{line}")?;
        }
        None if json => writeln!(out, "{}", serde_json::json!({ "pane": pane, "state": state }))?,
        None => writeln!(out, "{} {state}", clean(pane))?,
    }
    out.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::example_pane;

    fn row(state: State, pid: Option<i64>) -> ListedPane {
        let mut pane = example_pane("api", "codex", state);
        pane.row.pid = pid;
        pane
    }

    fn wanted(ended: Option<TurnEnd>) -> Wanted {
        Wanted { pane: "%3".to_owned(), pid: Some(7), is_there: false, ended }
    }

    #[test]
    fn a_word_on_the_end_of_a_turn_counts_when_it_is_new() {
        let end = |turn, to| TurnEnd { turn, to };
        let completed = end(4, State::Completed);
        for (ended, now, pid, expected) in [
            (None, completed, 7, Standing::Reached(State::Completed)),
            (Some(end(4, State::Stopped)), completed, 7, Standing::Reached(State::Completed)),
            (Some(end(3, State::Completed)), completed, 7, Standing::Reached(State::Completed)),
            (Some(completed), completed, 7, Standing::Not),
            (None, end(4, State::Stopped), 7, Standing::Not),
            (None, completed, 8, Standing::Replaced),
        ] {
            let rows = [row(State::Idle, Some(pid))];
            let ends = Ends::from([("%3".to_owned(), now), ("%4".to_owned(), completed)]);
            let stands = wanted(ended).stands(&rows, &ends, &[State::Completed]);
            assert_eq!(stands, expected, "{ended:?} {now:?} {pid}");
        }
    }

    #[test]
    fn a_pane_is_pinned_to_its_process() {
        let wanted = wanted(None);
        let ends = [State::Completed, State::Stopped];
        for (rows, states, expected) in [
            (vec![row(State::Working, Some(7))], &ends[..], Standing::Not),
            (vec![row(State::Stopped, Some(7))], &ends[..], Standing::Reached(State::Stopped)),
            (vec![row(State::Stopped, Some(8))], &ends[..], Standing::Replaced),
            (vec![row(State::Working, Some(8))], &ends[..], Standing::Replaced),
            // Where a host cannot tell processes, the pane is all there is.
            (vec![row(State::Stopped, None)], &ends[..], Standing::Reached(State::Stopped)),
            (vec![row(State::Exited, Some(1))], &ends[..], Standing::Gone),
            (vec![row(State::Exited, Some(1))], &[State::Exited], Standing::Reached(State::Exited)),
            (vec![], &ends[..], Standing::Gone),
            (vec![], &[State::Exited], Standing::Reached(State::Exited)),
        ] {
            assert_eq!(wanted.stands(&rows, &Ends::new(), states), expected, "{rows:?} {states:?}");
        }
    }
}
