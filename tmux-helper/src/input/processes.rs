//! A list of processes as JSON or as `ps` prints it.

use madohub_detect::Process;

/// The columns of `ps -o pid,ppid,pgid,tpgid,tty,stat,comm,args`, in order.
pub const PS_COLUMNS: &str = "pid,ppid,pgid,tpgid,tty,stat,comm,args";

/// Reads a JSON array of processes, or the text that `ps -o` with [`PS_COLUMNS`] prints, with or
/// without its heading. The error says what is wrong and in which line.
pub fn parse_processes(text: &str) -> Result<Vec<Process>, String> {
    match text.trim_start().chars().next() {
        Some('[') => serde_json::from_str(text).map_err(|error| error.to_string()),
        Some('{') => Err("the processes are a JSON array, `[{\"pid\": …}, …]`".to_owned()),
        _ => ps(text),
    }
}

fn ps(text: &str) -> Result<Vec<Process>, String> {
    let mut args_column = None;
    let mut processes = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("pid")) {
            args_column = last_column(line);
        } else if !line.trim().is_empty() {
            let process = row(line, args_column)
                .ok_or_else(|| format!("line {}: not a row of `ps -o {PS_COLUMNS}`", number + 1))?;
            processes.push(process);
        }
    }
    Ok(processes)
}

/// Where the last column begins, in characters: the name of a process may hold spaces, so that
/// only the heading tells where it ends.
fn last_column(heading: &str) -> Option<usize> {
    let (before, _) = heading.trim_end().rsplit_once(' ')?;
    Some(before.chars().count() + 1)
}

fn row(line: &str, args_column: Option<usize>) -> Option<Process> {
    let mut rest = line.trim_end();
    let mut word = || {
        rest = rest.trim_start();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(end)?;
        rest = after;
        (!word.is_empty()).then_some(word)
    };
    // The fields are read in the order in which they are written here.
    let process = Process {
        pid: word()?.parse().ok()?,
        ppid: word()?.parse().ok()?,
        pgid: Some(word()?.parse().ok()?),
        tpgid: Some(word()?.parse().ok()?),
        tty: Some(word()?.to_owned()),
        stat: Some(word()?.to_owned()),
        ..Process::default()
    };
    let (comm, command_line) = names(line, rest, args_column)?;
    let argv = command_line.split_whitespace().map(str::to_owned).collect();
    Some(Process { comm: comm.to_owned(), argv, ..process })
}

/// Splits what follows the state into the name and the command line.
fn names<'a>(
    line: &'a str,
    rest: &'a str,
    args_column: Option<usize>,
) -> Option<(&'a str, &'a str)> {
    let rest = rest.trim_start();
    let by_column = || {
        let at = line.char_indices().nth(args_column?)?.0;
        let (before, args) = line.split_at_checked(at)?;
        // A number wider than its column has moved the rest of the row to the right.
        let in_place = before.ends_with(' ') && !args.starts_with(' ');
        let comm = before.get(line.trim_end().len() - rest.len()..)?.trim_end();
        (in_place && !comm.is_empty()).then_some((comm, args))
    };
    by_column().or_else(|| {
        let (comm, args) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        (!comm.is_empty()).then(|| (comm, args.trim_start()))
    })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failing test may panic")]
mod tests {
    use super::*;

    const PS: &str = "
    PID    PPID    PGID   TPGID TT       STAT COMMAND         COMMAND
    303     300     303     323 pts/4    Ss   bash            -bash
    323     303     323     323 pts/4    Sl+  claude          claude --resume
    400     323     400      -1 ?        Ss   tmux: server    tmux -L x new-session -d
    401     323     323     323 pts/4    Z+   node            [node] <defunct>
";

    #[test]
    fn a_name_with_spaces_ends_where_the_heading_says() {
        let processes = parse_processes(PS).unwrap();
        assert_eq!(processes.len(), 4);
        assert_eq!(processes[1].argv, ["claude", "--resume"]);
        assert_eq!(processes[1].tpgid, Some(323));
        assert_eq!(processes[2].comm, "tmux: server");
        assert_eq!(processes[2].argv[..3], ["tmux", "-L", "x"]);
        assert_eq!(processes[2].tpgid, Some(-1));
        assert_eq!(processes[3].stat.as_deref(), Some("Z+"));
    }

    #[test]
    fn without_a_heading_the_name_is_one_word() {
        let processes =
            parse_processes("7 1 7 7 pts/0 S+ sh sh -c x\n8 1 8 8 ? S kworker\n").unwrap();
        assert_eq!(processes[0].comm, "sh");
        assert_eq!(processes[0].argv, ["sh", "-c", "x"]);
        assert_eq!(processes[1].argv, [] as [String; 0]);
    }

    #[test]
    fn json_is_told_by_its_first_character() {
        let processes = parse_processes(" [{\"pid\":5,\"argv\":[\"codex\"]}]").unwrap();
        assert_eq!((processes[0].pid, processes[0].argv[0].as_str()), (5, "codex"));
        assert_eq!(parse_processes("").unwrap(), []);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        assert!(parse_processes("PID X\nseven\n").unwrap_err().starts_with("line 2:"));
        assert!(parse_processes("{\"pid\":5}").unwrap_err().contains("array"));
        assert!(parse_processes("[{\"pid\":\"x\"}]").unwrap_err().contains("line 1"));
    }
}
