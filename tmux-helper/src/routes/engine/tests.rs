#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failing test may panic"
)]

use super::*;
use crate::routes::memory::tests::{agent_in, event};

const SERVER: (i64, i64) = (7, 70);

/// A pane with an agent in this state.
fn pane(id: &str, role: &str, state: State, turn: u64) -> PaneView {
    PaneView {
        id: id.to_owned(),
        role: role.to_owned(),
        session: "main".to_owned(),
        window: "build".to_owned(),
        cwd: Some("/src/api".to_owned()),
        occupant: 100,
        tracked: Some(agent_in(state, turn)),
        ..PaneView::default()
    }
}

fn panes(target: State) -> Vec<PaneView> {
    vec![pane("%1", "author", State::Completed, 1), pane("%2", "reviewer", target, 5)]
}

fn route(name: &str, from: &str, to: &str) -> Route {
    Route {
        name: name.to_owned(),
        from: Filter { pane: Some(from.to_owned()), ..Filter::default() },
        on: vec![State::Completed, State::Waiting],
        to: Target::Pane { pane: to.to_owned(), shell: false },
        text: Some(Template::parse("Review {cwd}.", &FIELDS).unwrap()),
        limits: Limits::default(),
    }
}

fn engine(routes: Vec<Route>) -> Engine {
    Engine::new(routes, Memory::new(SERVER, 0), 0.0).0
}

/// `route outcome (why)` of each entry.
fn said(log: &[LogEntry]) -> Vec<String> {
    log.iter()
        .map(|e| match &e.why {
            Some(why) => format!("{} {} ({why})", e.route, e.outcome),
            None => format!("{} {}", e.route, e.outcome),
        })
        .collect()
}

/// The same engine after a kill: what was stored, and nothing else.
fn restarted(engine: &Engine) -> Engine {
    let text = serde_json::to_string(engine.memory()).unwrap();
    Engine::new(engine.routes().to_vec(), serde_json::from_str(&text).unwrap(), 50.0).0
}

const DELIVERED: Ended = Ended::Letter(Outcome::Delivered);

#[test]
fn an_event_fires_once_also_over_a_restart() {
    let mut engine = engine(vec![route("review", "author", "reviewer")]);
    let ends = event(1, "%1", "working>completed 1 log");
    let panes = panes(State::Idle);
    assert_eq!(said(&engine.take(&ends, &panes, 1.0)), ["review queued"]);
    assert_eq!(engine.take(&ends, &panes, 1.0), []);
    let mut later = restarted(&engine);
    assert_eq!(later.take(&ends, &panes, 2.0), []);
    let [item] = later.memory().queue() else { panic!("{:?}", later.memory()) };
    let Job::Letter(letter) = &item.job else { panic!("{item:?}") };
    assert_eq!((letter.pane.as_str(), letter.text.as_str()), ("%2", "Review /src/api."));
    let id = item.id;
    assert_eq!(said(&[later.finish(id, &DELIVERED, Some(6), 3.0).unwrap()]), ["review delivered"]);
    assert!(later.finish(id, &DELIVERED, Some(6), 3.0).is_none());
    assert!(!restarted(&later).is_busy());
}

#[test]
fn what_the_target_is_decides() {
    let shell =
        PaneView { role: "reviewer".to_owned(), id: "%2".to_owned(), ..PaneView::default() };
    let at_prompt = {
        let mut tracked = agent_in(State::Idle, 0);
        tracked.detection.agent = madohub_detect::AgentId::shell();
        PaneView { tracked: Some(tracked), ..shell.clone() }
    };
    for (target, expected) in [
        (pane("%2", "reviewer", State::Idle, 5), "review queued"),
        (pane("%2", "reviewer", State::Working, 5), "review queued"),
        (
            pane("%2", "reviewer", State::Waiting, 5),
            "review refused (%2 waits for a person's decision)",
        ),
        (
            pane("%2", "reviewer", State::Exited, 5),
            "review refused (%2 holds an agent that exited)",
        ),
        (shell, "review refused (%2 holds no agent)"),
        (at_prompt, "review refused (%2 holds no agent)"),
        (pane("%2", "other", State::Idle, 5), "review refused (no pane is called `reviewer`)"),
    ] {
        let mut engine = engine(vec![route("review", "author", "reviewer")]);
        let panes = [pane("%1", "author", State::Completed, 1), target];
        let log = engine.take(&event(1, "%1", "working>completed 1 log"), &panes, 1.0);
        assert_eq!(said(&log), [expected]);
    }
}

#[test]
fn filters_say_whose_states_are_meant() {
    let all = Filter::default();
    for (filter, fires) in [
        (all.clone(), true),
        (Filter { agent: Some("claude".to_owned()), ..all.clone() }, true),
        (Filter { agent: Some("codex".to_owned()), ..all.clone() }, false),
        (Filter { window: Some("bu*".to_owned()), ..all.clone() }, true),
        (Filter { window: Some("web".to_owned()), ..all.clone() }, false),
        (Filter { cwd: Some("/src".to_owned()), ..all.clone() }, true),
        (Filter { cwd: Some("/srv".to_owned()), ..all.clone() }, false),
        (Filter { pane: Some("%1".to_owned()), ..all.clone() }, true),
        (Filter { pane: Some("reviewer".to_owned()), ..all.clone() }, false),
        (Filter { session: Some("main".to_owned()), mux: Some("tmux".to_owned()), ..all }, true),
    ] {
        let mut route = route("review", "", "reviewer");
        route.from = filter.clone();
        let mut engine = engine(vec![route]);
        let log = engine.take(&event(1, "%1", "working>completed 1 log"), &panes(State::Idle), 1.0);
        assert_eq!(!log.is_empty(), fires, "{filter:?}");
    }
    let mut other = engine(vec![route("review", "author", "reviewer")]);
    let working = event(1, "%1", "idle>working 1 log");
    assert_eq!(other.take(&working, &panes(State::Idle), 1.0), []);
}

#[test]
fn a_late_word_fires_what_the_end_did_not_and_once() {
    let mut any = route("any", "author", "reviewer");
    any.on = vec![State::Stopped, State::Completed];
    let mut failed = route("failed", "author", "reviewer");
    failed.on = vec![State::Failed];
    let mut engine = engine(vec![route("review", "author", "reviewer"), any, failed]);
    engine.once(shot()).unwrap();
    let panes = panes(State::Idle);
    let mut ends = event(3, "%1", "working>stopped 1 screen");
    ends.since = 1.0;
    assert_eq!(said(&engine.take(&ends, &panes, 3.0)), ["any queued"]);
    let word = event(3, "%1", "stopped>completed 1 log");
    assert_eq!(said(&engine.refine(&word, &panes, 9.0)), ["review queued", "once-1 queued"]);
    assert_eq!(engine.refine(&word, &panes, 9.0), []);
    let mut later = restarted(&engine);
    assert_eq!(later.refine(&word, &panes, 60.0), []);
    assert_eq!(later.take(&event(3, "%1", "stopped>completed 1 log"), &panes, 60.0), []);
    let next = event(8, "%1", "idle>failed 2 log");
    assert_eq!(said(&later.refine(&next, &panes, 70.0)), ["failed queued"]);
}

#[test]
fn what_only_the_screen_shows_must_last() {
    let mut engine = engine(vec![route("review", "author", "reviewer")]);
    let panes = panes(State::Idle);
    let asks = event(1, "%1", "working>waiting 1 screen");
    assert_eq!(engine.take(&asks, &panes, 1.0), []);
    let mut engine = restarted(&engine);
    assert_eq!(engine.due(&panes, 2.9), []);
    assert_eq!(said(&engine.due(&panes, 3.0)), ["review queued"]);
    assert_eq!(engine.take(&event(10, "%1", "working>waiting 2 screen"), &panes, 10.0), []);
    let log = engine.take(&event(11, "%1", "waiting>working 2 screen"), &panes, 11.0);
    assert_eq!(said(&log), ["review refused (`waiting` did not last)"]);
    assert_eq!(engine.due(&panes, 60.0), []);
}

#[test]
fn one_text_of_a_route_waits_for_a_pane() {
    let mut engine = engine(vec![route("review", "author", "reviewer")]);
    let panes = panes(State::Working);
    engine.take(&event(1, "%1", "working>completed 1 log"), &panes, 1.0);
    let log = engine.take(&event(9, "%1", "working>completed 2 log"), &panes, 9.0);
    let newer = "review replaced (a newer one of the same route waits now)";
    assert_eq!(said(&log), [newer, "review queued"]);
    assert_eq!(engine.memory().queue().len(), 1);
    // One that is being typed is no longer in the way.
    let idle = agent_in(State::Idle, 5);
    let sight = madohub_detect::delivery::Sight {
        same_occupant: true,
        shows: State::Idle,
        composer: None,
        hands_off: None,
    };
    let Job::Letter(letter) = &mut engine.queue_mut()[0].job else { panic!() };
    letter.delivery.step(Some(&idle), Some(&sight), 10.0);
    let log = engine.take(&event(20, "%1", "working>completed 3 log"), &panes, 20.0);
    assert_eq!(said(&log), ["review queued"]);
    assert_eq!(engine.memory().queue().len(), 2);
}

#[test]
fn a_route_rests_between_two_firings() {
    let mut engine = engine(vec![route("review", "author", "reviewer")]);
    let panes = panes(State::Idle);
    engine.take(&event(1, "%1", "working>completed 1 log"), &panes, 1.0);
    let log = engine.take(&event(2, "%1", "working>completed 2 log"), &panes, 5.9);
    assert_eq!(said(&log), ["review refused (it fired less than 5 s ago for this pane)"]);
    let log = engine.take(&event(3, "%1", "working>completed 3 log"), &panes, 6.0);
    assert_eq!(said(&log).last().map(String::as_str), Some("review queued"));
}

/// Two agents that set each other to work stop; a person who starts a turn starts anew.
#[test]
fn a_loop_of_two_routes_stops_at_the_limit() {
    let routes = vec![route("there", "author", "reviewer"), route("back", "reviewer", "author")];
    let mut engine = engine(routes);
    let panes = panes(State::Idle);
    let (mut log, mut turns) = (Vec::new(), [1, 5]);
    let mut seq = 0;
    for round in 0_usize..20 {
        let from = round % 2;
        seq += 10;
        let line = format!("working>completed {} log", turns[from]);
        let ends = event(seq, ["%1", "%2"][from], &line);
        log = engine.take(&ends, &panes, ends.time);
        let Some(item) = engine.memory().queue().first() else { break };
        let (id, to) = (item.id, 1 - from);
        turns[to] += 1;
        engine.finish(id, &DELIVERED, Some(turns[to]), ends.time);
        engine = restarted(&engine);
    }
    assert_eq!(said(&log), ["back refused (it is a loop: 5 deliveries led to one another)"]);
    let line = format!("working>completed {} log", turns[1] + 1);
    let log = engine.take(&event(500, "%2", &line), &panes, 500.0);
    assert_eq!(said(&log), ["back queued"]);
}

#[test]
fn paused_routes_fire_nothing_and_go_on_later() {
    let mut engine = engine(vec![route("review", "author", "reviewer")]);
    let panes = panes(State::Idle);
    engine.pause(true);
    let mut engine = restarted(&engine);
    let log = engine.take(&event(1, "%1", "working>completed 1 log"), &panes, 1.0);
    assert_eq!(said(&log), ["review refused (routes are paused)"]);
    engine.pause(false);
    let log = engine.take(&event(2, "%1", "working>completed 2 log"), &panes, 2.0);
    assert_eq!(said(&log), ["review queued"]);
}

fn shot() -> OneShot {
    OneShot {
        id: 0,
        from: "%1".to_owned(),
        from_occupant: 100,
        on: vec![State::Completed],
        to: "%2".to_owned(),
        to_occupant: 100,
        text: "Now you: {agent}".to_owned(),
        until: 1_000.0,
        shell: false,
    }
}

#[test]
fn a_one_shot_fires_once() {
    let mut engine = engine(Vec::new());
    let panes = panes(State::Working);
    assert_eq!(engine.once(shot()), Ok(1));
    let mut engine = restarted(&engine);
    let log = engine.take(&event(1, "%1", "working>completed 1 log"), &panes, 1.0);
    assert_eq!(said(&log), ["once-1 queued"]);
    let mut engine = restarted(&engine);
    assert_eq!(engine.take(&event(2, "%1", "working>completed 2 log"), &panes, 50.0), []);
    assert!(engine.once(OneShot { text: "{nonsense}".to_owned(), ..shot() }).is_err());
}

#[test]
fn a_one_shot_is_pinned_called_off_and_expires() {
    let mut engine = engine(Vec::new());
    engine.once(OneShot { from_occupant: 99, ..shot() }).unwrap();
    let panes = panes(State::Idle);
    let log = engine.take(&event(1, "%1", "working>completed 1 log"), &panes, 1.0);
    let why = "%1 holds another process than when this was set";
    assert_eq!(said(&log), [format!("once-1 refused ({why})")]);
    let id = engine.once(OneShot { to_occupant: 98, ..shot() }).unwrap();
    assert!(engine.cancel(id, 2.0).0);
    assert!(!engine.cancel(id, 2.0).0);
    engine.once(shot()).unwrap();
    assert_eq!(engine.due(&panes, 999.0), []);
    let log = engine.due(&panes, 1_000.0);
    assert_eq!(said(&log), ["once-3 expired (%1 entered none of its states in time)"]);
}

#[test]
fn programs_and_files_get_data() {
    let word = |text: &str| Template::parse(text, &FIELDS).unwrap();
    let mut command = route("tell", "author", "");
    command.to = Target::Command(vec![word("notify"), word("{agent} is {state}"), word("{title}")]);
    command.text = None;
    let mut file = route("note", "author", "");
    file.to = Target::File("/tmp/x".into());
    file.text = Some(word("{title}"));
    let mut notice = route("told", "author", "");
    notice.to = Target::Notify;
    notice.text = Some(word("{title}"));
    let mut engine = engine(vec![command, file, notice]);
    let mut panes = panes(State::Idle);
    panes[0].title = "a\u{1b}[2J\n$(x)".to_owned();
    assert_eq!(engine.take(&event(1, "%1", "working>completed 1 log"), &panes, 1.0), []);
    let jobs: Vec<Job> = engine.memory().queue().iter().map(|item| item.job.clone()).collect();
    let argv = ["notify", "claude is completed", "a[2J $(x)"].map(str::to_owned).to_vec();
    assert_eq!(jobs[0], Job::Command { argv, begun: false });
    let (path, text) = ("/tmp/x".into(), "a[2J $(x)".to_owned());
    assert_eq!(jobs[1], Job::File { path, text: text.clone(), begun: false });
    assert_eq!(jobs[2], Job::Notify { text, urgent: false, begun: false });
    panes[0].title = "--exec".to_owned();
    let log = engine.take(&event(9, "%1", "working>completed 2 log"), &panes, 9.0);
    assert_eq!(said(&log), ["tell refused (an argument would begin with `-`: --exec)"]);
}

#[test]
fn what_was_begun_by_a_killed_daemon_is_not_repeated_but_said() {
    let mut engine = engine(vec![route("tell", "author", "")]);
    engine.routes[0].to = Target::Command(vec![Template::parse("x", &FIELDS).unwrap()]);
    engine.take(&event(1, "%1", "working>completed 1 log"), &panes(State::Idle), 1.0);
    assert!(restarted(&engine).is_busy());
    let Job::Command { begun, .. } = &mut engine.queue_mut()[0].job else { panic!() };
    *begun = true;
    let memory = engine.memory().clone();
    let (later, log) = Engine::new(Vec::new(), memory, 2.0);
    assert!(!later.is_busy());
    assert_eq!(
        said(&log),
        ["tell failed (the daemon ended while it was done; it is not repeated)"]
    );
}

#[test]
fn panes_of_another_server_are_other_panes() {
    let mut engine = engine(vec![route("review", "author", "reviewer")]);
    engine.take(&event(1, "%1", "working>completed 1 log"), &panes(State::Working), 1.0);
    engine.once(shot()).unwrap();
    assert_eq!(engine.begin(SERVER, 2.0), []);
    let log = engine.begin((8, 80), 2.0);
    assert_eq!(said(&log), ["review refused (is gone with its tmux server)"]);
    assert!(!engine.is_busy() && engine.memory().once().is_empty());
}

#[test]
fn a_preview_says_what_would_be_done() {
    let route = route("review", "author", "reviewer");
    let panes = panes(State::Idle);
    let would = |line: &str, pane: &str| preview(&route, &event(1, pane, line), &panes, 1.0);
    assert!(matches!(would("working>completed 1 log", "%1"), Ok(Job::Letter(_))));
    assert_eq!(
        would("working>stopped 1", "%1"),
        Err("state is `stopped`, not completed or waiting".to_owned())
    );
    assert_eq!(would("working>completed 1", "%2"), Err("pane is %2, not `author`".to_owned()));
}

#[test]
fn a_clock_that_was_set_back_holds_no_route_up() {
    let mut engine = engine(vec![route("review", "%1", "%2")]);
    let panes = panes(State::Idle);
    for (seq, now) in [(1, 10_000.0), (2, 100.0)] {
        let ended = event(seq, "%1", &format!("working>completed {seq} log"));
        let log = said(&engine.take(&ended, &panes, now));
        assert_eq!(log.last().unwrap(), "review queued", "{log:?}");
    }
    // A state that has to last, by a clock that is an hour ahead.
    let asks = Event { since: 3_800.0, ..event(3, "%1", "working>waiting 3") };
    assert_eq!(said(&engine.take(&asks, &panes, 3_800.0)), Vec::<String>::new());
    let log = said(&engine.due(&panes, 200.0));
    assert_eq!(log.last().unwrap(), "review queued", "{log:?}");
}
