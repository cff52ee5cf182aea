//! Puts hooks into an agent's settings and takes them out again.

use super::agents::{AGENTS, Form, Target};
use super::merge::{Hook, with, without};
use crate::config::Paths;
use crate::user_files::{read, remove, write};
use crate::{Error, Kind};
use madohub_detect::RuleSet;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// What would be done to set an agent's hooks up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    target: Target,
    backup: Backup,
    /// The file without anything of ours; nothing where there is none.
    before: Option<String>,
    after: String,
    /// What a person would put in by hand.
    shown: String,
    in_place: bool,
}

impl Plan {
    /// The plan for an agent, with what its settings hold now. `program` is what hooks call.
    pub fn new(
        agent: &str,
        rules: &RuleSet,
        program: &Path,
        paths: &Paths,
        var: impl Fn(&str) -> Option<PathBuf>,
    ) -> Result<Self, Error> {
        let target = target(agent, var)?;
        let hooks: Vec<Hook> = rules
            .hook_events(agent)
            .into_iter()
            .map(|event| Hook { command: command(program, &event, agent), event })
            .collect();
        let backup = Backup::of(&target, paths);
        let now = read(&target.path)?;
        let before = backup.without_ours(now.as_deref(), &target)?;
        let wrong = |problem: String| unusable(&target.path, &problem);
        let (after, shown) = match target.form {
            Form::Groups(timeout) => {
                let alone = with("", &hooks, timeout).map_err(wrong)?;
                let merged = with(before.as_deref().unwrap_or_default(), &hooks, timeout);
                (merged.map_err(wrong)?, alone)
            }
            Form::List => own(list(&hooks)),
            Form::Plugin => own(plugin(program)),
        };
        let in_place = now.as_deref() == Some(after.as_str());
        Ok(Self { target, backup, before, after, shown, in_place })
    }

    /// The file that is written.
    pub fn path(&self) -> &Path {
        &self.target.path
    }

    /// What goes into it.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Whether everything is in place already.
    pub fn is_in_place(&self) -> bool {
        self.in_place
    }

    /// Folder with the file as it was.
    pub fn backup(&self) -> &Path {
        &self.backup.dir
    }

    /// Writes the file, after its backup.
    pub fn apply(&self) -> Result<(), Error> {
        self.backup.save(self.before.as_deref(), &self.after)?;
        write(&self.target.path, self.after.as_bytes())
    }
}

/// Takes an agent's hooks out again; answers the file that was changed. The file is as it was
/// before, byte for byte, where nobody changed it meanwhile; else only what is ours goes.
pub fn uninstall(
    agent: &str,
    paths: &Paths,
    var: impl Fn(&str) -> Option<PathBuf>,
) -> Result<Option<PathBuf>, Error> {
    let target = target(agent, var)?;
    let backup = Backup::of(&target, paths);
    let now = read(&target.path)?;
    let before = backup.without_ours(now.as_deref(), &target)?;
    let changed = before != now;
    match before {
        _ if !changed => {}
        Some(text) => write(&target.path, text.as_bytes())?,
        None => {
            remove(&target.path)?;
        }
    }
    backup.forget();
    Ok(changed.then_some(target.path))
}

fn target(agent: &str, var: impl Fn(&str) -> Option<PathBuf>) -> Result<Target, Error> {
    Target::of(agent, var).ok_or_else(|| {
        Error::usage(format!("the hooks of `{agent}` cannot be set up"))
            .remedy(format!("Agents with hooks: {}.", AGENTS.join(", ")))
    })
}

fn unusable(path: &Path, problem: &str) -> Error {
    Error::new(Kind::Usage, format!("{}: {problem}", path.display()))
        .remedy("Nothing was changed. Mend the file, or put the hooks in by hand: --print.")
}

fn own(text: String) -> (String, String) {
    (text.clone(), text)
}

/// What the agent's shell runs. It is silent and succeeds also when the program is gone: agents
/// show what a hook says, and some stop for one that fails.
fn command(program: &Path, event: &str, agent: &str) -> String {
    let program = program.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    let program = if program.chars().all(plain) {
        program.into_owned()
    } else {
        format!("'{}'", program.replace('\'', r"'\''"))
    };
    format!("{program} hook {event} --agent {agent} 2>/dev/null || :")
}

/// Whether a command of a hook is one that [`command`] made.
fn is_ours(command: &str, agent: &str) -> bool {
    let end = format!(" --agent {agent} 2>/dev/null || :");
    command.strip_suffix(&end).is_some_and(|start| {
        start.rsplit_once(" hook ").is_some_and(|(program, event)| {
            program.trim_end_matches('\'').ends_with("madohub") && !event.contains(' ')
        })
    })
}

fn list(hooks: &[Hook]) -> String {
    let events = hooks.iter().map(|hook| {
        let command = json!([{ "type": "command", "bash": hook.command, "timeoutSec": 5 }]);
        (hook.event.clone(), command)
    });
    let file = json!({ "version": 1, "hooks": events.collect::<serde_json::Map<_, Value>>() });
    format!("{file:#}\n")
}

fn plugin(program: &Path) -> String {
    // A JSON text is a JavaScript one.
    let name = Value::from(program.to_string_lossy()).to_string();
    include_str!("opencode.js").replace("\"@MADOHUB@\"", &name)
}

/// The file as it was before and as we wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Backup {
    dir: PathBuf,
    before: PathBuf,
    after: PathBuf,
}

impl Backup {
    fn of(target: &Target, paths: &Paths) -> Self {
        let dir = paths.state_dir.join("hooks").join(target.agent);
        Self { before: dir.join("before"), after: dir.join("after"), dir }
    }

    /// The file without anything of ours.
    fn without_ours(&self, now: Option<&str>, target: &Target) -> Result<Option<String>, Error> {
        let Some(text) = now else { return Ok(None) };
        if read(&self.after)?.as_deref() == Some(text) {
            return read(&self.before);
        }
        match target.form {
            Form::Groups(_) => {
                let rest = without(text, |command| is_ours(command, target.agent))
                    .map_err(|problem| unusable(&target.path, &problem))?;
                // It was written for the hooks alone.
                let bare = rest != text && rest.split_whitespace().eq(["{}"]);
                let made = bare && self.after.exists() && !self.before.exists();
                Ok(Some(rest).filter(|_| !made))
            }
            Form::List if text.contains(" hook ") && text.contains("--agent copilot") => Ok(None),
            Form::Plugin if text.contains("Tells MadoHub what OpenCode does.") => Ok(None),
            Form::List | Form::Plugin => {
                Err(Error::refused(format!("{} is not a file of MadoHub", target.path.display())))
            }
        }
    }

    fn save(&self, before: Option<&str>, after: &str) -> Result<(), Error> {
        fs::create_dir_all(&self.dir)
            .map_err(|error| Error::file("cannot create the folder", &self.dir, &error))?;
        match before {
            Some(text) => write(&self.before, text.as_bytes())?,
            None => {
                remove(&self.before)?;
            }
        }
        write(&self.after, after.as_bytes())
    }

    fn forget(&self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    struct Home(tempfile::TempDir);

    impl Home {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn var(&self) -> impl Fn(&str) -> Option<PathBuf> {
            let home = self.0.path().to_owned();
            move |name| (name == "HOME").then(|| home.clone())
        }

        fn paths(&self) -> Paths {
            Paths::from_lookup(self.var())
        }

        fn plan(&self, agent: &str) -> Result<Plan, Error> {
            let rules = RuleSet::builtin().unwrap();
            let program = Path::new("/opt/it's here/madohub");
            Plan::new(agent, &rules, program, &self.paths(), self.var())
        }

        fn uninstall(&self, agent: &str) -> Result<Option<PathBuf>, Error> {
            uninstall(agent, &self.paths(), self.var())
        }
    }

    const SETTINGS: [Option<&str>; 4] = [
        None,
        Some("{}"),
        Some(
            "{\"model\":\"x\", // c\n  \"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"beep\"}]}]}}",
        ),
        Some("{\r\n\t\"b\": 1,\r\n\t\"a\": 2\r\n}\r\n"),
    ];

    #[test]
    fn every_file_is_as_it_was_after_an_uninstall() {
        for agent in AGENTS {
            for before in SETTINGS {
                let home = Home::new();
                let plan = home.plan(agent).unwrap();
                let own = !matches!(plan.target.form, Form::Groups(_));
                if own && before.is_some() {
                    continue;
                }
                if let Some(text) = before {
                    write(plan.path(), text.as_bytes()).unwrap();
                }
                let plan = home.plan(agent).unwrap();
                assert!(!plan.is_in_place());
                plan.apply().unwrap();
                assert!(fs::read_to_string(plan.path()).unwrap().contains("hook"));
                let again = home.plan(agent).unwrap();
                assert!(again.is_in_place(), "{agent}: a second time changes nothing");
                again.apply().unwrap();
                assert_eq!(home.uninstall(agent).unwrap().as_deref(), Some(plan.path()));
                assert_eq!(read(plan.path()).unwrap().as_deref(), before, "{agent}");
                assert_eq!(home.uninstall(agent).unwrap(), None);
                assert!(!plan.backup().exists());
            }
        }
    }

    #[test]
    fn what_the_person_changed_meanwhile_stays() {
        let home = Home::new();
        let plan = home.plan("claude").unwrap();
        write(plan.path(), b"{\n  \"a\": 1\n}\n").unwrap();
        home.plan("claude").unwrap().apply().unwrap();
        let text = fs::read_to_string(plan.path()).unwrap().replace("\"a\": 1", "\"a\": 2");
        write(plan.path(), text.as_bytes()).unwrap();
        // Set up again, as with a new version, and then taken out.
        home.plan("claude").unwrap().apply().unwrap();
        home.uninstall("claude").unwrap();
        assert_eq!(fs::read_to_string(plan.path()).unwrap(), "{\n  \"a\": 2\n}\n");
    }

    #[test]
    fn files_of_others_are_left_alone() {
        let home = Home::new();
        for agent in ["copilot", "opencode"] {
            let path = home.plan(agent).unwrap().path().to_owned();
            write(&path, b"mine").unwrap();
            assert_eq!(home.plan(agent).unwrap_err().kind(), Kind::Refused);
            assert_eq!(home.uninstall(agent).unwrap_err().kind(), Kind::Refused);
            assert_eq!(fs::read_to_string(path).unwrap(), "mine");
        }
        let path = home.plan("gemini").unwrap().path().to_owned();
        write(&path, b"[1]").unwrap();
        let error = home.plan("gemini").unwrap_err();
        assert!(error.message().contains("no JSON object"), "{error}");
        assert_eq!(home.plan("aider").unwrap_err().kind(), Kind::Usage);
    }

    #[test]
    fn commands_are_known_again() {
        for (program, shown) in [
            ("/usr/bin/madohub", "/usr/bin/madohub hook Stop --agent claude 2>/dev/null || :"),
            ("/a b/madohub", "'/a b/madohub' hook Stop --agent claude 2>/dev/null || :"),
            ("/it's/madohub", r"'/it'\''s/madohub' hook Stop --agent claude 2>/dev/null || :"),
        ] {
            let command = command(Path::new(program), "Stop", "claude");
            assert_eq!(command, shown);
            assert!(is_ours(&command, "claude") && !is_ours(&command, "codex"));
        }
        assert!(!is_ours("notify hook Stop --agent claude 2>/dev/null || :", "claude"));
        assert!(!is_ours("beep", "claude"));
    }
}
