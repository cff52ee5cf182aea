//! Many changes at once hold no other pane up.

use crate::world::{IDLE, WAITING, WORKING, World, wait};
use std::fmt::Write as _;
use std::fs;

/// Panes that change without end.
const RESTLESS: usize = 6;
const ROUTES: usize = 20;

/// Number of the last event that was told.
fn told(world: &World) -> u64 {
    let rows: serde_json::Value =
        serde_json::from_str(&world.said("m", &["list", "--history", "--json"])).unwrap();
    let events = rows.as_array().unwrap().iter().flat_map(|row| row["history"].as_array().unwrap());
    events.map(|event| event["seq"].as_u64().unwrap()).max().unwrap_or(0)
}

#[test]
fn a_flood_of_changes_hides_no_change_of_another_pane() {
    let world = World::new();
    world.server("m");
    let mut config = String::new();
    for n in 0..ROUTES {
        let to = world.path(&format!("log{n}"));
        let on = "on = [\"working\", \"waiting\"]\ncooldown = 0";
        let to = to.display();
        writeln!(
            config,
            "[[route]]\nname = \"r{n}\"\n{on}\nto = {{ file = \"{to}\" }}\nsend = \"{{state}}\""
        )
        .unwrap();
    }
    fs::create_dir_all(world.path("config/madohub")).unwrap();
    fs::write(world.path("config/madohub/config.toml"), config).unwrap();
    for (name, screen) in [("works", WORKING), ("waits", WAITING)] {
        fs::write(world.path(name), format!("\x1b[H\x1b[2J{}", screen.trim_end())).unwrap();
    }
    let quiet = world.agent("m", "quiet");
    world.show("quiet", IDLE);
    let flip = format!(
        "while :; do cat {0}; sleep 0.3; cat {1}; sleep 0.3; done",
        world.path("works").display(),
        world.path("waits").display()
    );
    let script = format!("exec -a claude bash -c '{flip}'");
    for _ in 0..RESTLESS {
        world.tmux("m", &["new-window", "-d", "bash", "-c", &script]);
    }
    world.said("m", &["tmux", "start"]);
    wait("the flood", || {
        let (known, told) = (world.states("m").len(), told(&world));
        if known == RESTLESS + 1 && told > 0 { Ok(()) } else { Err(format!("{known} {told}")) }
    });
    for _ in 0..5 {
        let before = told(&world);
        for (screen, state) in [(WORKING, "working"), (WAITING, "waiting")] {
            world.show("quiet", screen);
            wait(&format!("{state} on the border"), || {
                let ask = ["display-message", "-p", "-t", &quiet, "#{@madohub_state}"];
                let shown = world.tmux("m", &ask);
                if shown.trim() == state { Ok(()) } else { Err(shown) }
            });
        }
        // It went on all the time, and two of the events are the quiet pane's.
        wait("more of the flood", || {
            let now = told(&world);
            if now > before + 4 { Ok(()) } else { Err(format!("{before} {now}")) }
        });
    }
}
