//! Which program a process is, by its command line: exact names only, wrappers looked through.

use crate::observation::Process;
use crate::rules::ProcessNames;

/// Programs that run a script given as an argument.
const INTERPRETERS: [&str; 8] = ["node", "nodejs", "bun", "deno", "python", "pypy", "ruby", "tsx"];
/// Programs that run another program given as an argument.
const WRAPPERS: [&str; 13] = [
    "env",
    "sudo",
    "doas",
    "nice",
    "nohup",
    "setsid",
    "stdbuf",
    "timeout",
    "time",
    "ionice",
    "chrt",
    "caffeinate",
    "exec",
];
/// Wrappers around wrappers that are looked through.
const MAX_WRAPPERS: usize = 4;
const SHELLS: [&str; 18] = [
    "bash", "zsh", "fish", "sh", "dash", "ash", "ksh", "ksh93", "mksh", "tcsh", "csh", "nu",
    "nushell", "elvish", "xonsh", "pwsh", "rbash", "login",
];
/// Programs that show another machine's, container's or multiplexer's screen.
const REMOTE: [&str; 26] = [
    "ssh",
    "mosh",
    "mosh-client",
    "et",
    "telnet",
    "docker",
    "podman",
    "nerdctl",
    "kubectl",
    "oc",
    "lxc",
    "incus",
    "distrobox",
    "toolbox",
    "machinectl",
    "nsenter",
    "devcontainer",
    "vagrant",
    "wsl",
    "tmux",
    "zellij",
    "screen",
    "dtach",
    "abduco",
    "asciinema",
    "script",
];

/// A command line read as the program that it really is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Program<'a> {
    /// Names under which it may be known.
    names: Vec<&'a str>,
    /// Path of the program or of its script.
    path: &'a str,
    /// Package that a package runner was told to run.
    package: Option<&'a str>,
    /// Arguments of the program itself.
    pub(crate) args: &'a [String],
}

impl<'a> Program<'a> {
    pub(crate) fn of(process: &'a Process) -> Self {
        let mut program = Self::read(&process.argv, 0);
        let first = process.argv.first().map(|a| name_of(a));
        let named_itself = first.is_some_and(is_interpreter)
            && !program.names.is_empty()
            && !is_interpreter(&process.comm);
        // Without a command line the kernel's name is all there is; and a script may name its
        // process (aider: comm `aider`, argv `python3 …/aider`).
        if first.is_none() || named_itself {
            program.names.push(process.comm.as_str());
        }
        if let Some(exe) = &process.exe {
            // Behind a link or an invented argv[0] the executable keeps its own name.
            let name = name_of(exe);
            program.names.extend((!is_interpreter(name)).then_some(name));
            program.names.extend(versioned_name(exe));
        }
        program
    }

    fn read(argv: &'a [String], depth: usize) -> Self {
        let none = Self { names: Vec::new(), path: "", package: None, args: &[] };
        let Some((first, rest)) = argv.split_first() else { return none };
        let name = name_of(first);
        if depth < MAX_WRAPPERS {
            if let Some(args) = package_run(name, rest) {
                let Some((package, rest)) = args.split_first() else { return none };
                return Self { package: Some(package_name(package)), args: rest, ..none };
            }
            if is_interpreter(name) {
                return Self::script(rest);
            }
            if let Some((path, args)) = shell_script(name, rest) {
                return Self { names: vec![name_of(path)], path, package: None, args };
            }
            if WRAPPERS.contains(&name) {
                return Self::read(behind_options(rest), depth + 1);
            }
        }
        let mut names = vec![name];
        names.extend(versioned_name(first));
        Self { names, path: first.trim(), package: None, args: rest }
    }

    /// The script that an interpreter runs; none for code given on the command line.
    fn script(args: &'a [String]) -> Self {
        let none = Self { names: Vec::new(), path: "", package: None, args: &[] };
        let mut rest = args;
        while let Some((first, more)) = rest.split_first() {
            match first.as_str() {
                "-c" | "-e" | "-p" | "-pe" | "--eval" | "--print" | "-" => return none,
                "-m" => {
                    let Some((module, args)) = more.split_first() else { return none };
                    let name = module.split('.').next().unwrap_or(module);
                    return Self { names: vec![name], path: "", package: None, args };
                }
                "-r" | "--require" | "--import" | "--loader" | "-X" | "-W" | "--env-file"
                | "--conditions" | "-C" => rest = more.get(1..).unwrap_or_default(),
                "run" | "x" => rest = more,
                option if option.starts_with('-') => rest = more,
                path => {
                    let base = name_of(path);
                    let name = base.rsplit_once('.').map_or(base, |(name, ext)| {
                        if matches!(ext, "js" | "mjs" | "cjs" | "ts" | "py") { name } else { base }
                    });
                    return Self { names: vec![name], path, package: None, args: more };
                }
            }
        }
        none
    }

    /// Whether this is the program that the names describe. A server or installer of the same
    /// name is not.
    pub(crate) fn is(&self, wanted: &ProcessNames) -> bool {
        let named = self.names.iter().any(|n| wanted.names.iter().any(|w| w == n));
        let packaged = wanted
            .packages
            .iter()
            .any(|p| in_package(self.path, p) || self.package == Some(p.as_str()));
        let named = named || self.package.is_some_and(|p| wanted.names.iter().any(|w| w == p));
        let is_other = self.has_word(&wanted.not_args) && !self.has_word(&wanted.but_args);
        (named || packaged) && !is_other
    }

    /// Whether the agent runs without an interface.
    pub(crate) fn is_headless(&self, wanted: &ProcessNames) -> bool {
        self.has_word(&wanted.headless_args)
    }

    /// One of the words among the options, or as one of the first two other arguments (the
    /// first may be an option's value).
    fn has_word(&self, words: &[String]) -> bool {
        let (options, others): (Vec<&String>, Vec<&String>) =
            self.args.iter().partition(|a| a.starts_with('-'));
        let option = |word: &String| {
            options.iter().any(|o| *o == word || o.split('=').next() == Some(word.as_str()))
        };
        words.iter().any(|w| {
            if w.starts_with('-') { option(w) } else { others.iter().take(2).any(|o| *o == w) }
        })
    }

    pub(crate) fn is_shell(&self) -> bool {
        self.names.first().is_some_and(|n| SHELLS.contains(n))
    }

    /// Whether this is one of the processes of `madohub run`, and not what that runs.
    pub(crate) fn is_relay(&self) -> bool {
        self.names.contains(&"madohub") && self.args.first().is_some_and(|arg| arg == "run")
    }

    pub(crate) fn is_remote(&self) -> bool {
        let known = |n: &&str| REMOTE.contains(n) || n.starts_with("tmux:");
        self.names.iter().any(known)
    }
}

/// Whether a name is one of a shell.
pub(crate) fn is_shell_name(name: &str) -> bool {
    SHELLS.contains(&name_of(name))
}

/// Whether a name is one of a program that shows another machine's screen.
pub(crate) fn is_remote_name(name: &str) -> bool {
    REMOTE.contains(&name_of(name))
}

/// Whether a name says nothing of what runs: an interpreter or a version number.
pub(crate) fn is_vague_name(name: &str) -> bool {
    is_interpreter(name) || is_version(name) || WRAPPERS.contains(&name)
}

/// The script that a shell runs, and its arguments; a shell that talks to a person has none.
fn shell_script<'a>(name: &str, args: &'a [String]) -> Option<(&'a str, &'a [String])> {
    if !SHELLS.contains(&name) {
        return None;
    }
    let at = args.iter().position(|arg| !arg.starts_with(['-', '+']))?;
    let command = |arg: &String| !arg.starts_with("--") && arg.contains(['c', 'o', 'O']);
    let (options, rest) = args.split_at_checked(at)?;
    let (path, args) = rest.split_first()?;
    (!options.iter().any(command)).then_some((path.as_str(), args))
}

/// The simple command of `sh -c 'command …'`, when it is nothing more than one command.
pub(crate) fn shell_command(argv: &[String]) -> Option<Vec<String>> {
    let at = argv.iter().position(|a| a.starts_with('-') && a.ends_with('c') && a.len() <= 4)?;
    let line = argv.get(at + 1)?;
    if line.contains([';', '|', '&', '\n', '`', '(', '<', '>']) {
        return None;
    }
    let words = line.split_whitespace().skip_while(|w| *w == "exec" || w.contains('='));
    Some(words.map(str::to_owned).collect())
}

/// File name without what packagers add: `.claude-wrapped`, `opencode.exe`, `-zsh`.
fn name_of(path: &str) -> &str {
    let path = path.trim();
    let base = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let base = base.strip_suffix(".exe").unwrap_or(base);
    let base = base.strip_prefix('-').unwrap_or(base);
    match base.strip_prefix('.') {
        Some(hidden) => hidden.strip_suffix("-wrapped").unwrap_or(hidden),
        None => base,
    }
}

/// `python3.11`, `node22` and the like.
fn is_interpreter(name: &str) -> bool {
    INTERPRETERS.contains(&base_of_interpreter(name))
}

fn base_of_interpreter(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// A file named after its version (`2.1.34`), as self-updating agents install themselves.
fn is_version(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_digit())
        && name.contains('.')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'))
}

/// `claude` of `…/claude/versions/2.1.59`.
fn versioned_name(path: &str) -> Option<&str> {
    let (folder, version) = path.trim().rsplit_once('/')?;
    let (owner, versions) = folder.rsplit_once('/')?;
    let fits = is_version(version) && versions == "versions";
    fits.then(|| name_of(owner))
}

/// What stands behind `npx`, `npm exec`, `bun x`, `uvx`, …: a package and its arguments. An
/// install is no run.
fn package_run<'a>(name: &str, args: &'a [String]) -> Option<&'a [String]> {
    let words: &[&str] = match name {
        "npx" | "bunx" | "pnpx" | "uvx" => return Some(behind_options(args)),
        "npm" => &["exec", "x"],
        "pnpm" | "yarn" => &["dlx", "exec"],
        "bun" => &["x"],
        "pipx" => &["run"],
        _ => return None,
    };
    let (first, rest) = args.split_first()?;
    words.contains(&first.as_str()).then(|| behind_options(rest))
}

/// `@openai/codex` of `@openai/codex@latest`.
fn package_name(spec: &str) -> &str {
    match spec.rfind('@') {
        Some(at) if at > 0 => spec.get(..at).unwrap_or(spec),
        _ => spec,
    }
}

/// Whether a path lies in an installed npm package.
fn in_package(path: &str, package: &str) -> bool {
    let inner = path.rsplit_once("node_modules/").map(|(_, inner)| inner);
    inner.and_then(|i| i.strip_prefix(package)).is_some_and(|rest| rest.starts_with('/'))
}

/// What stands behind a wrapper's own options and variables.
fn behind_options(args: &[String]) -> &[String] {
    let own =
        |a: &String| a.starts_with('-') || a.contains('=') || a.chars().all(|c| c.is_ascii_digit());
    let start = args.iter().position(|a| !own(a)).unwrap_or(args.len());
    args.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(comm: &str, argv: &[&str]) -> Process {
        Process {
            comm: comm.to_owned(),
            argv: argv.iter().map(|a| (*a).to_owned()).collect(),
            ..Process::default()
        }
    }

    fn codex() -> ProcessNames {
        ProcessNames {
            names: vec!["codex".into()],
            packages: vec!["@openai/codex".into()],
            not_args: vec!["app-server".into(), "threads".into()],
            but_args: vec!["continue".into()],
            headless_args: vec!["exec".into(), "-p".into()],
        }
    }

    #[test]
    fn wrappers_and_interpreters_are_looked_through() {
        for (comm, argv) in [
            ("codex", &["codex"][..]),
            ("codex", &["/opt/x/.codex-wrapped", "--yolo"]),
            ("node", &["node", "--expose-gc", "/usr/lib/node_modules/@openai/codex/bin/codex.js"]),
            ("node", &["/usr/bin/node22", "/x/node_modules/@openai/codex/dist/main.js"]),
            ("python3.11", &["python3.11", "/tmp/codex", "--model", "gpt-5"]),
            ("env", &["env", "A=b", "codex"]),
            ("sudo", &["sudo", "-n", "env", "X=1", "codex"]),
            ("2.1.34", &["/home/u/.local/share/codex/versions/2.1.34"]),
            ("MainThread", &["/home/u/bin/codex.exe"]),
            ("codex", &["codex", "threads", "continue", "T-1"]),
            ("codex", &["python3", "/usr/bin/other"]),
            ("codex", &["/bin/bash", "/home/u/bin/codex", "--yolo"]),
            ("npm", &["npm", "exec", "--yes", "@openai/codex@latest", "--yolo"]),
            ("node", &["npx", "@openai/codex"]),
            ("bun", &["bun", "x", "@openai/codex@0.1.0"]),
        ] {
            assert!(Program::of(&process(comm, argv)).is(&codex()), "{argv:?}");
        }
    }

    #[test]
    fn a_name_in_an_argument_is_no_agent() {
        for (comm, argv) in [
            ("python3", &["python3", "-c", "import time", "/tmp/codex"][..]),
            ("vim", &["vim", "codex"]),
            ("grep", &["grep", "-rn", "codex", "."]),
            ("my-codex-helper", &["/tmp/my-codex-helper"]),
            ("codex", &["codex", "app-server", "--listen", "unix://"]),
            ("codex", &["codex", "threads", "list"]),
            ("node", &["node", "-e", "1", "codex"]),
            ("npm", &["npm", "install", "-g", "@openai/codex"]),
            ("bash", &["bash", "-c", "sleep 9; codex", "codex"]),
            ("bash", &["bash", "deploy.sh", "codex"]),
            ("npm", &["npm", "view", "@openai/codex", "version"]),
            ("npx", &["npx", "@openai/codex", "app-server"]),
            ("tail", &["tail", "-f", "node_modules/@openai/codex/x.log"]),
        ] {
            assert!(!Program::of(&process(comm, argv)).is(&codex()), "{argv:?}");
        }
    }

    #[test]
    fn a_shell_is_one_only_without_a_script() {
        for argv in [&["-zsh"][..], &["bash", "-i"], &["bash", "--norc"], &["sh", "-c", "x"]] {
            assert!(Program::of(&process("sh", argv)).is_shell(), "{argv:?}");
        }
        assert!(!Program::of(&process("bash", &["bash", "./deploy.sh"])).is_shell());
    }

    #[test]
    fn headless_runs_are_told_apart() {
        let run = process("codex", &["codex", "--profile", "x", "exec", "say hello"]);
        assert!(Program::of(&run).is_headless(&codex()));
        let talk = process("codex", &["codex", "please", "do", "exec"]);
        assert!(!Program::of(&talk).is_headless(&codex()));
    }

    #[test]
    fn shell_commands_are_read_only_when_simple() {
        let argv = |line: &str| vec!["sh".to_owned(), "-lc".to_owned(), line.to_owned()];
        assert_eq!(
            shell_command(&argv("A=1 exec codex -x")),
            Some(vec!["codex".into(), "-x".into()])
        );
        assert_eq!(shell_command(&argv("codex; sleep 9")), None);
    }
}
