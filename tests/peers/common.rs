//! What every comparison with a peer shares: the recorded screens, and how an answer is judged and
//! timed.
//!
//! Every detector is told which agent it looks at, and is asked only about agents that all of them
//! know, alive and with an interface. An answer is right if it is one of the states that the screen
//! allows; for a peer, "idle" covers every end of a turn, and its "error" both `failed` and
//! `stopped`.
use flate2::read::GzDecoder;
use madohub_detect::{Observation, RuleSet, State, detect};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::time::{Duration, Instant};

/// Agents that all the peers know.
const AGENTS: [&str; 4] = ["claude", "codex", "gemini", "opencode"];
const ROUNDS: usize = 21;

#[derive(Deserialize)]
struct Recorded {
    observation: Observation,
    expected: Expected,
}

#[derive(Deserialize)]
struct Expected {
    agent: String,
    screen_accept: Vec<State>,
}

/// One screen for everybody.
#[derive(Serialize)]
pub struct Case {
    pub agent: String,
    pub title: String,
    /// Rows joined by line ends.
    pub text: String,
    rows: Vec<String>,
    accept: Vec<State>,
    #[serde(skip)]
    seen: Observation,
}

/// Runs `NAME FOLDER [SCREENS]`: a row of the table for a peer on the recorded screens of FOLDER.
/// With SCREENS, ours comes before it, and the screens are written there as JSON lines, for peers
/// in other languages.
pub fn compare(name: &str, ask: impl Fn(&Case) -> Vec<State>) {
    let mut args = std::env::args().skip(1);
    let Some(folder) = args.next() else {
        eprintln!("needs the folder of the recorded screens");
        std::process::exit(2);
    };
    let cases = cases(&folder);
    if let Some(out) = args.next() {
        let mut file = BufWriter::new(File::create(&out).unwrap());
        for case in &cases {
            serde_json::to_writer(&mut file, case).unwrap();
            file.write_all(b"\n").unwrap();
        }
        file.flush().unwrap();
        let rules = RuleSet::builtin().unwrap();
        println!("{} screens\n", cases.len());
        println!("| detector | right | mean, µs | median, µs | p99, µs |\n|---|---|---|---|---|");
        row("MadoHub", &cases, |case| vec![detect(&rules, &case.seen).state]);
    }
    row(name, &cases, ask);
}

/// What a detector means that knows one state for an agent which does nothing.
pub fn ends() -> Vec<State> {
    vec![State::Idle, State::Completed, State::Failed, State::Stopped]
}

fn cases(folder: &str) -> Vec<Case> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for path in files.iter().filter(|path| path.extension().is_some_and(|e| e == "gz")) {
        for line in BufReader::new(GzDecoder::new(File::open(path).unwrap())).lines() {
            let Recorded { observation, expected } = serde_json::from_str(&line.unwrap()).unwrap();
            let alive = !expected.screen_accept.contains(&State::Exited);
            let Some(rows) = observation.screen.clone() else { continue };
            if !AGENTS.contains(&expected.agent.as_str()) || !alive {
                continue;
            }
            let title = observation.title.clone().unwrap_or_default();
            let seen = Observation {
                id: observation.id.clone(),
                screen: Some(rows.clone()),
                title: observation.title,
                cols: observation.cols,
                cursor: observation.cursor,
                agent_hint: Some(expected.agent.clone()),
                ..Observation::default()
            };
            let text = rows.join("\n");
            let (agent, accept) = (expected.agent, expected.screen_accept);
            cases.push(Case { agent, title, text, rows, accept, seen });
        }
    }
    assert!(!cases.is_empty(), "{folder}: no recorded screens");
    cases
}

/// Asks a detector about every screen and prints how often it is right and how long it takes: of
/// each screen the median of all rounds but the first, then over all screens.
fn row(name: &str, cases: &[Case], ask: impl Fn(&Case) -> Vec<State>) {
    let right =
        cases.iter().filter(|case| ask(case).iter().any(|state| case.accept.contains(state)));
    let right = right.count();
    let mut times = vec![Vec::with_capacity(ROUNDS); cases.len()];
    for _ in 0..ROUNDS {
        for (case, times) in cases.iter().zip(&mut times) {
            let start = Instant::now();
            black_box(ask(black_box(case)));
            times.push(start.elapsed());
        }
    }
    let mut medians: Vec<Duration> = times.into_iter().map(|times| at(times, 50)).collect();
    medians.sort();
    let mean = medians.iter().sum::<Duration>() / cases.len() as u32;
    println!(
        "| {name} | {:.1} % | {:.1} | {:.1} | {:.1} |",
        100.0 * right as f64 / cases.len() as f64,
        mean.as_secs_f64() * 1e6,
        at(medians.clone(), 50).as_secs_f64() * 1e6,
        at(medians, 99).as_secs_f64() * 1e6,
    );
}

fn at(mut times: Vec<Duration>, percentile: usize) -> Duration {
    times.sort();
    times[(times.len() - 1) * percentile / 100]
}
