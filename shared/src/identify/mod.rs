//! Which agent a pane holds: the process tree first, then what a person or an earlier
//! observation said, then the title and the screen.

mod program;

use crate::detection::{AgentId, Evidence, Via};
use crate::observation::{Observation, Process};
use crate::rules::{Agent, Region, RegionText, RuleSet};
use crate::scan::{Scan, Sight, Tried};
use program::Program;

/// Rule id of evidence that the pane's shell itself is in the foreground.
pub const RULE_SHELL_PROMPT: &str = "process.shell";
/// Rule id of evidence that a program that is no agent is in the foreground.
pub const RULE_SHELL_COMMAND: &str = "process.command";
/// Rule id of evidence that nobody is in the foreground: what was there has died, and the shell has
/// not taken the terminal back yet.
pub(crate) const RULE_NOBODY: &str = "process.nobody";
/// Rule id of evidence that a shell wrote its prompt over an agent's interface.
pub(crate) const RULE_SHELL_SCREEN: &str = "screen.shell";

/// How the agent's process is doing, as far as it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// In the foreground with its interface.
    Interactive,
    /// In the foreground without an interface (`-p`, `exec`, `run`).
    Headless,
    /// Suspended by job control.
    Suspended,
    /// Not seen.
    Unseen,
}

/// What is known of the pane's occupant.
#[derive(Debug)]
pub(crate) enum Occupant<'r> {
    /// An agent.
    Agent { agent: &'r Agent, life: Life, evidence: Evidence },
    /// A shell, or another program.
    Other { evidence: Evidence },
    /// Nothing can be said.
    Unknown,
}

/// Names the occupant of a pane, and hands on what was scanned of its screen on the way.
pub(crate) fn identify<'a>(
    rules: &'a RuleSet,
    seen: &Observation,
    sight: &'a Sight,
    tried: &mut Tried,
) -> (Occupant<'a>, Option<Scan<'a>>) {
    let mut remote = false;
    if let Some(processes) = seen.processes.as_deref().filter(|p| !p.is_empty()) {
        match by_process(rules, processes, seen.pane_pid) {
            Found::Agent(agent, life, process) => {
                let evidence = Evidence::new(Via::Process, format!("{}.process", agent.id))
                    .with_text(&format!("pid {}", process.pid));
                return (Occupant::Agent { agent, life, evidence }, None);
            }
            Found::Other(evidence) => return (Occupant::Other { evidence }, None),
            Found::Elsewhere => remote = true,
        }
    }
    let cursor = seen.cursor.and_then(|c| sight.screen.index_of(c.y));
    let taken = rules.shell_prompt_at_end(&sight.screen, cursor);
    let hint = seen.agent_hint.as_deref().and_then(|id| rules.agent(id));
    if taken {
        let evidence = Evidence::new(Via::Screen, RULE_SHELL_SCREEN);
        return (Occupant::Other { evidence }, None);
    }
    if let Some(agent) = hint {
        let evidence = Evidence::new(Via::Hint, "agent_hint").with_text(&agent.id);
        return (Occupant::Agent { agent, life: Life::Unseen, evidence }, None);
    }
    if let Some(found) = by_command(rules, seen).filter(|_| !remote) {
        return (found, None);
    }
    by_screen(rules, seen, sight, tried)
}

/// The process of the agent that holds a pane, and the agent's id: what the agent's own records
/// are looked for by. `pane_pid` is the process that the multiplexer started in the pane.
pub fn agent_process<'p>(
    rules: &RuleSet,
    processes: &'p [Process],
    pane_pid: Option<i64>,
) -> Option<(AgentId, &'p Process)> {
    match by_process(rules, processes, pane_pid) {
        Found::Agent(agent, _, process) => Some((AgentId::new(&agent.id), process)),
        Found::Other(_) | Found::Elsewhere => None,
    }
}

/// The agent that a process is by itself, whatever runs around it.
pub fn agent_of_process(rules: &RuleSet, process: &Process) -> Option<AgentId> {
    let program = Program::of(process);
    let agent = rules.all().iter().find(|agent| program.is(&agent.process))?;
    Some(AgentId::new(&agent.id))
}

enum Found<'r, 'p> {
    Agent(&'r Agent, Life, &'p Process),
    Other(Evidence),
    /// The pane shows another machine's or multiplexer's screen.
    Elsewhere,
}

fn by_process<'r, 'p>(
    rules: &'r RuleSet,
    list: &'p [Process],
    pane_pid: Option<i64>,
) -> Found<'r, 'p> {
    let tree = Tree::new(list, pane_pid);
    let mut suspended = None;
    let mut remote = false;
    let mut leader: Option<(&Process, bool)> = None;
    for process in tree.top_down() {
        if process.stat.as_deref().is_some_and(|s| s.starts_with(['Z', 'X'])) {
            continue;
        }
        let program = Program::of(process);
        let foreground = tree.in_foreground(process);
        if let Some(agent) = agent_of(rules, process, &program, &tree) {
            let stopped = process.stat.as_deref().is_some_and(|s| s.starts_with(['T', 't']));
            match (foreground, stopped) {
                (true, false) => {
                    let headless = program.is_headless(&agent.process);
                    let life = if headless { Life::Headless } else { Life::Interactive };
                    return Found::Agent(agent, life, process);
                }
                (_, true) => suspended = suspended.or(Some((agent, process))),
                // A job in the background does not own the pane.
                (false, false) => {}
            }
        }
        // The relay of `madohub run` is there for what it runs, and outlives it by a moment.
        if foreground && !program.is_relay() {
            remote |= program.is_remote();
            let leads = leader.is_none_or(|(p, _)| Some(p.pid) != tree.foreground);
            leader = if leads { Some((process, program.is_shell())) } else { leader };
        }
    }
    if let Some((agent, process)) = suspended {
        return Found::Agent(agent, Life::Suspended, process);
    }
    match leader {
        Some(_) if remote => Found::Elsewhere,
        Some((process, shell)) => {
            let rule = if shell { RULE_SHELL_PROMPT } else { RULE_SHELL_COMMAND };
            Found::Other(Evidence::new(Via::Process, rule).with_text(&process.comm))
        }
        None => Found::Other(Evidence::new(Via::Process, RULE_NOBODY)),
    }
}

fn agent_of<'r>(
    rules: &'r RuleSet,
    process: &Process,
    program: &Program<'_>,
    tree: &Tree<'_>,
) -> Option<&'r Agent> {
    let known = rules.all().iter().find(|agent| program.is(&agent.process));
    if known.is_some() || !program.is_shell() || tree.has_children(process.pid) {
        return known;
    }
    // `sh -c 'agent …'` whose child the list does not show.
    let argv = program::shell_command(&process.argv)?;
    let inner = Process { argv, ..Process::default() };
    rules.all().iter().find(|agent| Program::of(&inner).is(&agent.process))
}

/// The multiplexer's word for the foreground command, where it is an agent's own name.
fn by_command<'r>(rules: &'r RuleSet, seen: &Observation) -> Option<Occupant<'r>> {
    let command = seen.command.as_deref().filter(|c| !program::is_vague_name(c))?;
    if program::is_shell_name(command) || program::is_remote_name(command) {
        return None;
    }
    let agent = rules.all().iter().find(|a| a.process.names.iter().any(|n| n == command))?;
    let evidence = Evidence::new(Via::Process, format!("{}.command", agent.id)).with_text(command);
    Some(Occupant::Agent { agent, life: Life::Unseen, evidence })
}

/// Screen and title alone: an agent's own marks next to a live region of that agent's shape.
fn by_screen<'a>(
    rules: &'a RuleSet,
    seen: &Observation,
    sight: &'a Sight,
    tried: &mut Tried,
) -> (Occupant<'a>, Option<Scan<'a>>) {
    if sight.screen.len() == 0 {
        return (Occupant::Unknown, None);
    }
    if let Some(found) = by_title(rules, sight, tried) {
        return found;
    }
    sight.for_many();
    for agent in rules.all().iter().filter(|a| !a.identify.is_empty()) {
        let scan = Scan::new(agent, sight);
        // A title alone names nobody here: it outlives the program that set it.
        let marks = agent.identify.iter().filter(|rule| rule.region != Region::Title);
        let Some(mark) = scan.first(marks, tried) else { continue };
        let evidence = scan.evidence(&mark);
        return (Occupant::Agent { agent, life: Life::Unseen, evidence }, Some(scan));
    }
    let known = seen.previous.as_ref().and_then(|p| p.agent.as_deref());
    let Some(agent) = known.and_then(|id| rules.agent(id)) else {
        return (Occupant::Unknown, None);
    };
    let scan = Scan::new(agent, sight);
    if scan.regions().input_box.is_none() && scan.first(&agent.rules, tried).is_none() {
        return (Occupant::Unknown, None);
    }
    let evidence = Evidence::new(Via::Hint, "previous").with_text(&agent.id);
    (Occupant::Agent { agent, life: Life::Unseen, evidence }, Some(scan))
}

/// The agent that the title names, if its interface is on the screen too: a title outlives the
/// program that set it.
fn by_title<'a>(
    rules: &'a RuleSet,
    sight: &'a Sight,
    tried: &mut Tried,
) -> Option<(Occupant<'a>, Option<Scan<'a>>)> {
    if sight.title.is_empty() {
        return None;
    }
    let title = RegionText::new(&sight.title, true);
    rules.all().iter().find_map(|agent| {
        let rule = agent.identify.iter().find(|rule| rule.region == Region::Title)?;
        rule.matcher.find(&title).ok()?;
        let scan = Scan::new(agent, sight);
        let live = scan.regions().input_box.is_some()
            || scan.first(&agent.rules, tried).is_some_and(|m| m.rule.region != Region::Title)
            || scan
                .first(agent.identify.iter().filter(|r| r.region != Region::Title), tried)
                .is_some();
        let evidence = Evidence::new(Via::Title, &rule.id).with_text(&sight.title);
        live.then_some((Occupant::Agent { agent, life: Life::Unseen, evidence }, Some(scan)))
    })
}

/// The pane's processes as a tree.
struct Tree<'a> {
    /// By parent, so that children are neighbours.
    by_parent: Vec<&'a Process>,
    roots: Vec<&'a Process>,
    /// Foreground group of the pane's terminal.
    foreground: Option<i64>,
}

impl<'a> Tree<'a> {
    fn new(list: &'a [Process], pane_pid: Option<i64>) -> Self {
        let mut pids: Vec<i64> = list.iter().map(|p| p.pid).collect();
        pids.sort_unstable();
        let root = |p: &Process| {
            Some(p.pid) == pane_pid || p.ppid == p.pid || pids.binary_search(&p.ppid).is_err()
        };
        let (roots, mut by_parent): (Vec<_>, Vec<_>) = list.iter().partition(|p| root(p));
        by_parent.sort_by_key(|p| p.ppid);
        let pane = list.iter().find(|p| Some(p.pid) == pane_pid);
        let foreground = pane.or(roots.first().copied()).and_then(|p| p.tpgid);
        Self { by_parent, roots, foreground }
    }

    fn children(&self, pid: i64) -> &[&'a Process] {
        let start = self.by_parent.partition_point(|p| p.ppid < pid);
        let end = self.by_parent.partition_point(|p| p.ppid <= pid);
        self.by_parent.get(start..end).unwrap_or_default()
    }

    /// Parents before their children. A cycle has no root, so the walk ends.
    fn top_down(&self) -> Vec<&'a Process> {
        let mut order = self.roots.clone();
        let mut next = 0;
        while let Some(process) = order.get(next).copied() {
            if next > self.by_parent.len() + self.roots.len() {
                break;
            }
            order.extend(self.children(process.pid));
            next += 1;
        }
        order
    }

    fn has_children(&self, pid: i64) -> bool {
        !self.children(pid).is_empty()
    }

    fn in_foreground(&self, process: &Process) -> bool {
        if let Some(foreground) = process.foreground {
            return foreground;
        }
        match (process.pgid, self.foreground) {
            (Some(pgid), Some(foreground)) => pgid == foreground,
            _ => process.stat.as_deref().is_none_or(|s| s.contains('+')),
        }
    }
}

impl Occupant<'_> {
    pub(crate) fn id(&self) -> AgentId {
        match self {
            Self::Agent { agent, .. } => AgentId::new(&agent.id),
            Self::Other { .. } => AgentId::shell(),
            Self::Unknown => AgentId::unknown(),
        }
    }
}
