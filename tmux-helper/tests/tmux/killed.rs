//! The daemon killed at every point of a step: nothing is told or done twice, and nothing stays.

use crate::faults::{until_told, until_well, watched};
use crate::world::{IDLE, WAITING, WORKING, World, kill, until_gone, wait};
use std::fs;

/// The points in their order, see `fault::point` in the sources.
const POINTS: [&str; 9] =
    ["judged", "shown", "told", "stored", "decided", "published", "begun", "done", "finished"];

fn killed_at(point: &str) {
    let world = World::new();
    let (mark, lines) = (world.path("mark"), world.path("lines"));
    fs::create_dir_all(world.path("config/madohub")).unwrap();
    let route = format!(
        "[[route]]\nname = \"diary\"\non = [\"working\", \"waiting\"]\ncooldown = 0\n\
         to = {{ file = \"{}\" }}\nsend = \"{{state}}\"\n",
        lines.display()
    );
    fs::write(world.path("config/madohub/config.toml"), route).unwrap();
    world.server("m");
    let agent = world.agent("m", "one");
    world.show("one", IDLE);
    let before = world.options("m");
    let mut start = world.command(env!("CARGO_BIN_EXE_madohub"));
    start.env("MADOHUB_KILLED_AT", &mark).args(["tmux", "start", "-L", "m"]);
    assert!(start.output().unwrap().status.success(), "{point}");
    world.until("m", &agent, "idle");
    let daemon = world.daemon("m");
    fs::write(&mark, point).unwrap();
    world.show("one", WORKING);
    until_gone(daemon);
    assert!(!mark.exists(), "{point}: it died of something else");

    world.said("m", &["tmux", "start"]);
    world.until_shown("m", &agent, "working");
    let written = || fs::read_to_string(&lines).unwrap_or_default();
    // What was begun when it was killed may have been done or not: it is said.
    let unknown = || world.said("m", &["route", "log", "--json"]).matches("not repeated").count();
    wait("the route was taken", || {
        let is_taken = written().contains("working") || unknown() > 0;
        if is_taken { Ok(()) } else { Err(format!("{point}: {}", written())) }
    });
    // The next change shows that nothing of the last one is still to come.
    world.show("one", WAITING);
    wait("the route was taken again", || {
        let written = written();
        if written.contains("waiting") { Ok(()) } else { Err(format!("{point}: {written}")) }
    });
    let told = world.told("m", &agent);
    assert_eq!(told, ["idle>working", "working>waiting"], "{point}");
    let (written, unknown) = (written(), unknown());
    let count = |state: &str| written.lines().filter(|line| *line == state).count();
    assert_eq!(count("waiting"), 1, "{point}: {written}");
    let is_once = (count("working"), unknown) == (1, 0) || count("working") <= 1 && unknown == 1;
    assert!(is_once, "{point}: {written} {unknown}");
    world.said("m", &["tmux", "stop"]);
    assert_eq!(world.options("m"), before, "{point}: something of us stayed");
}

#[test]
fn killed_at_any_point_of_a_step_it_tells_and_does_everything_once() {
    std::thread::scope(|scope| {
        for point in POINTS {
            scope.spawn(move || killed_at(point));
        }
    });
}

#[test]
fn of_what_was_written_by_half_nothing_is_made_up() {
    let (world, agent) = watched();
    let mut state = "idle";
    let folder = world.path("state/madohub");
    let file = |ending: &str| {
        let mut files = fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path());
        files.find(|path| path.extension().is_some_and(|e| e == ending)).unwrap()
    };
    let mut change = |known: &[String]| {
        let (screen, next) =
            if state == "working" { (WAITING, "waiting") } else { (WORKING, "working") };
        world.show("one", screen);
        world.until_shown("m", &agent, next);
        let told = [known, &[format!("{state}>{next}")]].concat();
        until_told(&world, &agent, &told);
        state = next;
        told
    };
    for endings in [&["json"][..], &["events"], &["routes"], &["json", "events", "routes"]] {
        let mut known = world.told("m", &agent);
        for _ in 0..2 {
            known = change(&known);
        }
        kill(world.daemon("m"));
        for ending in endings {
            // In the middle of the last thing that was written.
            let bytes = fs::read(file(ending)).unwrap();
            fs::write(file(ending), &bytes[..bytes.len() - 20]).unwrap();
        }
        world.said("m", &["tmux", "start"]);
        if endings.contains(&"events") {
            known.pop();
        }
        assert_eq!(world.told("m", &agent), known, "{endings:?}");
        change(&known);
        until_well(&world);
    }
}
