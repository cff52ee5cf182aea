//! Observations that no host would make, grown from real ones.

use crate::cases::RECORDED;
use madohub_detect::{Cursor, Observation, Previous, State};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// One way to spoil an observation. Indexes fit any length.
#[derive(Debug, Clone)]
enum Spoil {
    SwapRows(Index, Index),
    CutScreen(Index),
    DropFirstRows(Index),
    CutRow(Index, Index),
    /// Writes text into a row.
    WriteInto(Index, Index, String),
    RepeatRow(Index, usize),
    BlankRow(Index),
    /// A row of another recording.
    ForeignRow(Index, Index, Index),
    ForeignTitle(Index),
    Title(String),
    Command(String),
    Size(u16, u16),
    Cursor(i64, i64),
    Hint(String),
    Previous(String, State),
    Dead(bool, Option<i64>),
    InMode,
    /// Breaks the process tree: loops, orphans, twins.
    Relation(Index, i64, i64),
    DropProcess(Index),
    NoProcesses,
    Stat(Index, String),
    CutRecord(Index, Index),
    SwapRecords(Index, Index),
    Record(Index, String),
    Status(String),
}

/// A recorded observation, in one of three depths, spoiled up to eight times.
pub(crate) fn spoiled() -> impl Strategy<Value = Observation> {
    (any::<Index>(), 0..3_u8, vec(spoil(), 0..8)).prop_map(|(case, depth, spoils)| {
        let case = case.get(&RECORDED);
        let mut seen = match depth {
            0 => case.screen_only(),
            1 => case.host_only(),
            _ => case.observation.clone(),
        };
        for spoil in spoils {
            spoil.apply(&mut seen);
        }
        seen
    })
}

/// Text of any characters, control characters and escape sequences among them.
fn garbage() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => any::<char>().prop_map(String::from),
        1 => select(vec![
            "\u{1b}[31m", "\u{1b}]0;x\u{7}", "\u{9b}", "\u{202e}", "\u{200b}", "\u{a0}", "\u{fe0f}",
            "\r", "\n", "\t", "\0", "│", "╭─", "─────", "❯ ", "› ", "> ", "✽ ", "⏺ ", "…", "⠋ ",
            "esc to interrupt", "Do you want to proceed?", "❯ 1. Yes", "(y/n)", "漢字", "e\u{301}",
            "👩‍💻",
        ])
        .prop_map(str::to_owned),
    ];
    vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn agent() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec!["claude", "codex", "amp", "opencode", "gemini", "shell", "unknown", "", "x"])
            .prop_map(str::to_owned),
        garbage(),
    ]
}

fn state() -> impl Strategy<Value = State> {
    select([State::BY_NEED.to_vec(), vec![State::Unknown]].concat())
}

fn spoil() -> impl Strategy<Value = Spoil> {
    let i = any::<Index>;
    let screen = prop_oneof![
        (i(), i()).prop_map(|(a, b)| Spoil::SwapRows(a, b)),
        i().prop_map(Spoil::CutScreen),
        i().prop_map(Spoil::DropFirstRows),
        (i(), i()).prop_map(|(row, at)| Spoil::CutRow(row, at)),
        (i(), i(), garbage()).prop_map(|(row, at, text)| Spoil::WriteInto(row, at, text)),
        (i(), 0..200_usize).prop_map(|(row, times)| Spoil::RepeatRow(row, times)),
        i().prop_map(Spoil::BlankRow),
        (i(), i(), i()).prop_map(|(row, case, other)| Spoil::ForeignRow(row, case, other)),
    ];
    let pane = prop_oneof![
        i().prop_map(Spoil::ForeignTitle),
        garbage().prop_map(Spoil::Title),
        garbage().prop_map(Spoil::Command),
        any::<(u16, u16)>().prop_map(|(cols, rows)| Spoil::Size(cols, rows)),
        any::<(i64, i64)>().prop_map(|(x, y)| Spoil::Cursor(x, y)),
        agent().prop_map(Spoil::Hint),
        (agent(), state()).prop_map(|(agent, state)| Spoil::Previous(agent, state)),
        any::<(bool, Option<i64>)>().prop_map(|(dead, status)| Spoil::Dead(dead, status)),
        Just(Spoil::InMode),
    ];
    let processes = prop_oneof![
        (i(), -2..500_i64, -2..500_i64)
            .prop_map(|(p, pid, parent)| Spoil::Relation(p, pid, parent)),
        i().prop_map(Spoil::DropProcess),
        Just(Spoil::NoProcesses),
        (i(), garbage()).prop_map(|(process, stat)| Spoil::Stat(process, stat)),
    ];
    let records = prop_oneof![
        (i(), i()).prop_map(|(record, at)| Spoil::CutRecord(record, at)),
        (i(), i()).prop_map(|(a, b)| Spoil::SwapRecords(a, b)),
        (i(), garbage()).prop_map(|(record, text)| Spoil::Record(record, text)),
        garbage().prop_map(Spoil::Status),
    ];
    prop_oneof![4 => screen, 2 => pane, 1 => processes, 1 => records]
}

impl Spoil {
    fn apply(self, seen: &mut Observation) {
        match self {
            Self::SwapRows(a, b) => swap(rows(seen), a, b),
            Self::CutScreen(at) => {
                let rows = rows(seen);
                rows.truncate(at.index(rows.len() + 1));
            }
            Self::DropFirstRows(to) => {
                let rows = rows(seen);
                rows.drain(..to.index(rows.len() + 1));
            }
            Self::CutRow(row, at) => with(rows(seen), row, |row| cut(row, at)),
            Self::WriteInto(row, at, text) => {
                with(rows(seen), row, |row| row.insert_str(boundary(row, at), &text));
            }
            Self::RepeatRow(row, times) => with(rows(seen), row, |row| *row = row.repeat(times)),
            Self::BlankRow(row) => with(rows(seen), row, String::clear),
            Self::ForeignRow(row, case, other) => {
                let screen = case.get(&RECORDED).observation.screen.clone().unwrap_or_default();
                if !screen.is_empty() {
                    with(rows(seen), row, |row| row.clone_from(other.get(&screen)));
                }
            }
            Self::ForeignTitle(case) => {
                seen.title.clone_from(&case.get(&RECORDED).observation.title);
            }
            Self::Title(title) => seen.title = Some(title),
            Self::Command(command) => seen.command = Some(command),
            Self::Size(cols, rows) => (seen.cols, seen.rows) = (Some(cols), Some(rows)),
            Self::Cursor(x, y) => seen.cursor = Some(Cursor { x, y, visible: true }),
            Self::Hint(agent) => seen.agent_hint = Some(agent),
            Self::Previous(agent, state) => {
                seen.previous = Some(Previous { agent: Some(agent), state: Some(state) });
            }
            Self::Dead(dead, status) => (seen.dead, seen.exit_status) = (dead, status),
            Self::InMode => seen.in_mode = true,
            Self::Relation(process, pid, parent) => {
                let processes = seen.processes.get_or_insert_default();
                with(processes, process, |p| (p.pid, p.ppid) = (pid, parent));
            }
            Self::DropProcess(process) => {
                let processes = seen.processes.get_or_insert_default();
                if !processes.is_empty() {
                    processes.remove(process.index(processes.len()));
                }
            }
            Self::NoProcesses => seen.processes = Some(Vec::new()),
            Self::Stat(process, stat) => {
                let processes = seen.processes.get_or_insert_default();
                with(processes, process, |p| p.stat = Some(stat));
            }
            Self::CutRecord(record, at) => with(records(seen), record, |record| cut(record, at)),
            Self::SwapRecords(a, b) => swap(records(seen), a, b),
            Self::Record(record, text) => with(records(seen), record, |record| *record = text),
            Self::Status(status) => seen.registry.get_or_insert_default().status = Some(status),
        }
    }
}

fn rows(seen: &mut Observation) -> &mut Vec<String> {
    seen.screen.get_or_insert_default()
}

fn records(seen: &mut Observation) -> &mut Vec<String> {
    &mut seen.log.get_or_insert_default().records
}

fn with<T>(values: &mut [T], at: Index, change: impl FnOnce(&mut T)) {
    if !values.is_empty() {
        change(&mut values[at.index(values.len())]);
    }
}

fn swap<T>(values: &mut [T], a: Index, b: Index) {
    if !values.is_empty() {
        values.swap(a.index(values.len()), b.index(values.len()));
    }
}

fn cut(text: &mut String, at: Index) {
    text.truncate(boundary(text, at));
}

/// A place between two characters.
fn boundary(text: &str, at: Index) -> usize {
    text.floor_char_boundary(at.index(text.len() + 1))
}
