use super::*;
use Strength::{Argv, Place, Process, Shown, Start};

type Row<'a> = (u64, &'a str, &'a [(&'a str, Strength, f64)]);

/// Processes as `(number, folder, candidates)`, where a candidate is a log's name, how sure it
/// is and when it was written; answers `1=a 2=? 3=-` for a log, an ambiguity and nothing.
fn ties(processes: &[Row<'_>]) -> String {
    let candidates: Vec<Vec<Candidate>> = processes
        .iter()
        .map(|(_, _, logs)| {
            let candidate = |(name, strength, written): &(&str, Strength, f64)| Candidate {
                log: LogId::file("/logs", *name),
                strength: *strength,
                how: String::new(),
                written: *written,
            };
            logs.iter().map(candidate).collect()
        })
        .collect();
    let claims: Vec<Claim<'_>> = processes
        .iter()
        .zip(&candidates)
        .map(|((who, place, _), candidates)| Claim { who: *who, place: Some(place), candidates })
        .collect();
    let mut ties: Vec<(u64, Tie)> = tie(&claims).into_iter().collect();
    ties.sort_by_key(|(who, _)| *who);
    let word = |tie: &Tie| match tie {
        Tie::Log(log, _) => log.path.display().to_string(),
        Tie::Ambiguous(logs) => "?".repeat(logs.len()),
        Tie::None => "-".to_owned(),
    };
    ties.iter().map(|(who, tie)| format!("{who}={}", word(tie))).collect::<Vec<_>>().join(" ")
}

#[expect(clippy::too_many_lines, reason = "a table")]
#[test]
fn a_log_has_one_process_at_most() {
    for (why, processes, expected) in [
        ("nothing is known", &[(1, "/w", &[][..])][..], "1=-"),
        ("its own", &[(1, "/w", &[("a", Process, 0.0)])], "1=a"),
        (
            "each its own, in one folder",
            &[(1, "/w", &[("a", Process, 0.0)]), (2, "/w", &[("b", Process, 0.0)])],
            "1=a 2=b",
        ),
        (
            "a process is surer than a command line",
            &[(1, "/w", &[("a", Argv, 0.0)]), (2, "/w", &[("a", Process, 0.0)])],
            "1=- 2=a",
        ),
        (
            "two command lines name one session",
            &[(1, "/w", &[("a", Argv, 0.0)]), (2, "/v", &[("a", Argv, 0.0)])],
            "1=? 2=?",
        ),
        ("the only one in its folder", &[(1, "/w", &[("a", Place, 0.0)])], "1=a"),
        (
            "two in one folder, one log",
            &[(1, "/w", &[("a", Place, 0.0)]), (2, "/w", &[("a", Place, 0.0)])],
            "1=? 2=?",
        ),
        (
            "two in one folder, two logs",
            &[
                (1, "/w", &[("a", Place, 0.0), ("b", Place, 1.0)]),
                (2, "/w", &[("a", Place, 0.0), ("b", Place, 1.0)]),
            ],
            "1=?? 2=??",
        ),
        (
            "the second one began later, and has none yet",
            &[(1, "/w", &[("a", Place, 0.0)]), (2, "/w", &[])],
            "1=a 2=-",
        ),
        (
            "the log of a surer one is no candidate",
            &[
                (1, "/w", &[("a", Place, 0.0), ("b", Place, 0.0)]),
                (2, "/w", &[("a", Process, 0.0)]),
            ],
            "1=b 2=a",
        ),
        (
            "alone in its folder it goes on in the newest",
            &[(1, "/w", &[("a", Place, 5.0), ("b", Place, 9.0), ("c", Place, 7.0)])],
            "1=b",
        ),
        (
            "each began with its process, in one folder",
            &[
                (1, "/w", &[("a", Start, 5.0), ("b", Place, 9.0)]),
                (2, "/w", &[("b", Start, 9.0), ("a", Place, 5.0)]),
            ],
            "1=a 2=b",
        ),
        (
            "one of two went on in a third log",
            &[
                (1, "/w", &[("a", Start, 5.0), ("b", Place, 6.0), ("c", Place, 9.0)]),
                (2, "/w", &[("b", Start, 6.0), ("c", Place, 9.0)]),
            ],
            "1=?? 2=??",
        ),
        (
            "alone it went on in a later log",
            &[(1, "/w", &[("a", Start, 5.0), ("b", Place, 9.0), ("c", Place, 3.0)])],
            "1=b",
        ),
        (
            "two began at the same time",
            &[(1, "/w", &[("a", Start, 5.0)]), (2, "/w", &[("a", Start, 5.0)])],
            "1=? 2=?",
        ),
        (
            "begun with one process, by another one that took its time",
            &[(1, "/w", &[("a", Place, 5.0)]), (2, "/w", &[("a", Start, 5.0)])],
            "1=? 2=?",
        ),
        (
            "each shows its own, and one goes on in a third",
            &[
                (1, "/w", &[("a", Shown, 5.0), ("b", Place, 6.0), ("c", Place, 9.0)]),
                (2, "/w", &[("a", Start, 5.0), ("b", Shown, 6.0), ("c", Place, 9.0)]),
            ],
            "1=a 2=b",
        ),
        (
            "one is shown, the other one is left",
            &[
                (1, "/w", &[("a", Shown, 5.0), ("b", Place, 6.0)]),
                (2, "/w", &[("a", Place, 5.0), ("b", Place, 6.0)]),
            ],
            "1=a 2=b",
        ),
        (
            "an ambiguity of surer ones keeps weaker ones away",
            &[
                (1, "/w", &[("a", Argv, 0.0)]),
                (2, "/w", &[("a", Argv, 0.0)]),
                (3, "/w", &[("a", Place, 0.0)]),
            ],
            "1=? 2=? 3=-",
        ),
        (
            "the same log twice is one",
            &[(1, "/w", &[("a", Process, 0.0), ("a", Process, 0.0)])],
            "1=a",
        ),
    ] {
        assert_eq!(ties(processes), expected, "{why}");
    }
}
