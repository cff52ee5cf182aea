//! Which log belongs to which process of an agent. Two never share one: what cannot be told apart
//! is ambiguous, and then no log is read.

use super::source::{Candidate, LogId, Strength};
use std::collections::{HashMap, HashSet};

/// What is known of a process's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tie {
    /// This one, and by what that is known.
    Log(LogId, String),
    /// One of these.
    Ambiguous(Vec<LogId>),
    /// None was found.
    None,
}

/// What a process of an agent may have for a log.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claim<'a> {
    /// The process, by any number.
    pub(super) who: u64,
    /// Folder that it works in.
    pub(super) place: Option<&'a str>,
    /// What it may be.
    pub(super) candidates: &'a [Candidate],
}

/// Gives every process of one agent its log. Surer claims go first; of equally sure ones a log
/// goes to the process that alone has it and has nothing else. One that began with a process is
/// its own unless the process may have gone on in a later one, or another one may have begun it. A
/// process that is alone in its folder wrote every log that was begun there since it started, so
/// that it goes on in the one that was written last.
pub(super) fn tie(claims: &[Claim<'_>]) -> HashMap<u64, Tie> {
    let mut ties: HashMap<u64, Tie> = HashMap::new();
    let mut taken: HashSet<&LogId> = HashSet::new();
    for strength in [Strength::Process, Strength::Argv, Strength::Shown, Strength::Start] {
        // What each process that has none yet could take with this strength.
        let open: Vec<(u64, Vec<&Candidate>)> = claims
            .iter()
            .filter(|claim| !ties.contains_key(&claim.who))
            .map(|claim| {
                let fits = match strength {
                    Strength::Start | Strength::Place => claim.placed(claims, &taken),
                    _ => claim.open(strength, &taken),
                };
                (claim.who, fits)
            })
            .filter(|(_, fits)| !fits.is_empty())
            .collect();
        let mut wanted: HashMap<&LogId, usize> = HashMap::new();
        for candidate in open.iter().flat_map(|(_, fits)| fits) {
            *wanted.entry(&candidate.log).or_default() += 1;
        }
        for (who, fits) in &open {
            let tie = match fits.as_slice() {
                [only] if wanted.get(&only.log) == Some(&1) => {
                    Tie::Log(only.log.clone(), only.how.clone())
                }
                several => Tie::Ambiguous(several.iter().map(|c| c.log.clone()).collect()),
            };
            ties.insert(*who, tie);
        }
        // Also what is ambiguous is somebody's: no weaker claim may take it.
        taken.extend(open.iter().flat_map(|(_, fits)| fits).map(|candidate| &candidate.log));
    }
    for claim in claims {
        ties.entry(claim.who).or_insert(Tie::None);
    }
    ties
}

impl<'a> Claim<'a> {
    /// What only lies in the right place: the log that was begun with the process, and those that it
    /// may have gone on in since; else all that it may have begun. A log that was begun with one
    /// process may be one that another process began later than itself.
    fn placed(&self, claims: &[Claim<'_>], taken: &HashSet<&LogId>) -> Vec<&'a Candidate> {
        let mut fits = self.open(Strength::Start, taken);
        if fits.is_empty() {
            fits = self.open(Strength::Place, taken);
        } else {
            fits.extend(self.later(&fits, claims, taken));
        }
        if self.is_alone(claims) {
            fits.sort_by(|a, b| b.written.total_cmp(&a.written));
            fits.truncate(1);
        }
        fits
    }

    /// The candidates that the process may have gone on in after `first`: written later, and not
    /// begun with another process.
    fn later(
        &self,
        first: &[&Candidate],
        claims: &[Claim<'_>],
        taken: &HashSet<&LogId>,
    ) -> Vec<&'a Candidate> {
        let written = first.iter().map(|candidate| candidate.written).fold(0.0, f64::max);
        let foreign = |log: &LogId| {
            claims.iter().any(|other| {
                let mut began = other.candidates.iter().filter(|c| c.strength == Strength::Start);
                other.who != self.who && began.any(|candidate| candidate.log == *log)
            })
        };
        let mut later = self.open(Strength::Place, taken);
        later.retain(|candidate| candidate.written > written && !foreign(&candidate.log));
        later
    }

    /// The candidates of this strength that nobody took, each log once.
    fn open(&self, strength: Strength, taken: &HashSet<&LogId>) -> Vec<&'a Candidate> {
        let mut fits: Vec<&Candidate> = Vec::new();
        for candidate in self.candidates {
            let new = fits.iter().all(|known| known.log != candidate.log);
            if new && candidate.strength == strength && !taken.contains(&candidate.log) {
                fits.push(candidate);
            }
        }
        fits
    }

    /// Whether no other process of the agent works in the same folder.
    fn is_alone(&self, claims: &[Claim<'_>]) -> bool {
        !claims.iter().any(|other| other.who != self.who && other.place == self.place)
    }
}

#[cfg(test)]
mod tests;
