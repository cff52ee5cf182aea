//! Every command in the documents for users is run, as it stands or as near to that as is safe.

use super::markdown::{Block, Document};
use super::{for_users, root};
use madohub_tests::{Broker, Stage, StageOptions, wait_until, zellij_program};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Files that documents name as the reader's own.
const READERS_FILES: [(&str, &str); 1] = [("my-agent.toml", "docs/examples/acme.toml")];

/// A machine whose reader follows a document: agents in four panes, the daemon running, the command
/// installed, and a folder that looks like the checkout.
struct Reader {
    stage: Stage,
    folder: PathBuf,
}

impl Reader {
    fn new() -> Self {
        let stage = Stage::with(&StageOptions { size: (200, 40), ..StageOptions::default() });
        let panes = stage.side_by_side(&[
            ("claude-2.1.332", "working"),
            ("codex-0.171.0", "approval"),
            ("opencode-1.18.33", "finished"),
        ]);
        // `%3` is the pane that documents speak of.
        assert_eq!(stage.split(), "%3");
        stage.agent("%3", "gemini-0.61.0", "idle");
        let home = stage.env.home();
        let folder = home.join("checkout");
        for dir in [".local/bin", ".local/share/madohub", "checkout"] {
            fs::create_dir_all(home.join(dir)).unwrap();
        }
        symlink(stage.madohub.program(), home.join(".local/bin/madohub")).unwrap();
        let entry = home.join(".local/share/madohub/madohub.tmux");
        fs::copy(root().join("madohub.tmux"), entry).unwrap();
        for name in ["Cargo.toml", "docs", "install.sh", "scripts", "shared"] {
            symlink(root().join(name), folder.join(name)).unwrap();
        }
        for (name, origin) in READERS_FILES {
            fs::copy(root().join(origin), folder.join(name)).unwrap();
        }
        stage.start();
        stage.wait_state(&panes[1].0, "waiting");
        Self { stage, folder }
    }

    /// Runs a command line as a person in a pane of the server does.
    fn run(&self, line: &str) -> Output {
        let mut command = self.stage.env.command("sh");
        command.args(["-c", line]).current_dir(&self.folder).stdin(Stdio::null());
        self.at_home(&mut command);
        command.output().unwrap()
    }

    /// The environment of that person: the folders of somebody who has set no XDG variable.
    fn at_home(&self, command: &mut Command) {
        let path = command.get_envs().find(|(name, _)| *name == "PATH").unwrap().1.unwrap();
        let mut path = path.to_owned();
        path.push(format!(":{}", self.stage.env.home().join(".local/bin").display()));
        // With a private home `cargo` would look for its toolchains there.
        let cargo = std::env::var_os("CARGO").map(PathBuf::from);
        if let Some(bin) = cargo.as_deref().and_then(Path::parent) {
            path = [bin.as_os_str(), &path].join(OsStr::new(":"));
        }
        let tmux = &self.stage.tmux;
        command
            .env("PATH", path)
            .env("TMUX", format!("{},{},0", tmux.socket_path().display(), tmux.pid()))
            .env("TMUX_PANE", "%3")
            .env_remove("XDG_CONFIG_HOME");
    }

    /// Follows a command of a document. An unknown one is a failure: say here how it is run.
    fn follow(&self, line: &str) -> Result<String, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let output = match words[..] {
            // It ends when it is interrupted; that it begins is seen by the daemon letting it in.
            ["madohub", "watch", "--json", ref more @ ..] => {
                self.stage.watch_with(more);
                return Ok(String::new());
            }
            ["madohub", "dash"] => {
                self.open_dashboard();
                return Ok(String::new());
            }
            ["madohub", "fleet", ref more @ ..] => return self.fleet(line, more),
            // Here the agent works on what was sent to it just before.
            ["madohub", "wait", ..] => self.run(&format!("{line} --state working")),
            // In the foreground it stays; a second daemon for a server is refused or content.
            ["madohub", "tmux", "start", "--foreground"] => {
                self.run("madohub tmux start --help | grep -e --foreground")
            }
            ["madohub", "doctor"] => {
                let output = self.run(line);
                let said = String::from_utf8_lossy(&output.stdout).into_owned();
                // What is wrong on the machine of the test is for its owner.
                return if output.status.code().is_some_and(|code| code < 2) && !said.is_empty() {
                    Ok(said)
                } else {
                    Err(describe(&output))
                };
            }
            // What agents there are is the reader's business; anything can take their place.
            ["madohub", "run", "--", ..] => self.run("madohub run -- true"),
            ["./install.sh", "--demo"] => {
                let dry = self.run("./install.sh --demo --dry-run");
                if !dry.status.success() {
                    return Err(describe(&dry));
                }
                let mut demo = self.stage.env.command(env!("CARGO_BIN_EXE_demo"));
                demo.arg(self.stage.madohub.program()).output().unwrap()
            }
            ["./install.sh", "--demo", "zellij"] => {
                let dry = self.run("MADOHUB_ZELLIJ=zellij ./install.sh --demo zellij --dry-run");
                if !dry.status.success() {
                    return Err(describe(&dry));
                }
                let mut demo = Command::new(env!("CARGO_BIN_EXE_demo_zellij"));
                demo.arg(self.stage.madohub.program()).output().unwrap()
            }
            // It asks, and here is nobody to answer.
            ["madohub", "zellij", "install"] => {
                let plugin = self.folder.join("madohub.wasm");
                fs::write(&plugin, b"\0asm").unwrap();
                self.run(&format!("{line} --dry-run --plugin '{}'", plugin.display()))
            }
            // Nothing is in place, and that is an answer.
            ["madohub", "zellij", "status"] => self.run(&format!("{line} || [ $? = 1 ]")),
            // It asks, and here is nobody to answer.
            ["madohub", "record", ..] => self.run(&format!("{line} --yes")),
            ["madohub" | "tmux" | "mkdir" | "cp" | "ps", ..] => self.run(line),
            ["./install.sh", ..] => self.run(&format!("{line} --dry-run")),
            ["scripts/check.sh", ..] => self.run("scripts/check.sh --help"),
            _ => return Err("the test does not know how to run it".to_owned()),
        };
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() { Ok(said) } else { Err(describe(&output)) }
    }

    /// Runs a command of the fleet, with a broker as the reader has one.
    fn fleet(&self, line: &str, command: &[&str]) -> Result<String, String> {
        let broker = Broker::new(&self.stage.env);
        let folder = self.stage.env.home().join(".config/madohub");
        fs::create_dir_all(&folder).unwrap();
        let settings = folder.join("config.toml");
        let port = broker.port();
        let text = format!(
            "[fleet]\nbroker = \"127.0.0.1\"\ntls = false\nport = {port}\nhost = \"zeus\"\n"
        );
        fs::write(&settings, text).unwrap();
        // They end when they are interrupted; that they begin is seen by the broker letting them in.
        let answer = if let ["publish" | "watch", ..] = command {
            let mut program = self.stage.env.command("sh");
            program.args(["-c", &format!("exec {line}")]).current_dir(&self.folder);
            self.at_home(&mut program);
            let mut child = program.stdin(Stdio::null()).spawn().unwrap();
            broker.wait_logged("Sending SUBACK to");
            child.kill().unwrap();
            child.wait().unwrap();
            Ok(String::new())
        } else {
            let output = self.run(line);
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            if output.status.success() { Ok(said) } else { Err(describe(&output)) }
        };
        fs::remove_file(settings).unwrap();
        answer
    }

    /// Opens the dashboard in a window of its own, and leaves it.
    fn open_dashboard(&self) {
        let (stage, home) = (&self.stage, self.stage.env.home());
        let line = format!("exec '{}' dash", home.join(".local/bin/madohub").display());
        let pane = stage.tmux.run(&["new-window", "-d", "-P", "-F", "#{pane_id}", &line]);
        let screen = || stage.tmux.capture(&pane);
        wait_until("the dashboard", screen, |screen| screen.contains("Enter go"));
        stage.tmux.run(&["send-keys", "-t", &pane, "q"]);
        let panes = || stage.tmux.run(&["list-panes", "-a", "-F", "#{pane_id}"]);
        wait_until("its end", panes, |all| all.lines().all(|one| one != pane));
    }

    /// Has zellij read its configuration.
    fn configure_zellij(&self, block: &Block) {
        let file = self.folder.join("config.kdl");
        fs::write(&file, &block.text).unwrap();
        let mut check = self.stage.env.command(zellij_program());
        let output = check.arg("--config").arg(&file).args(["setup", "--check"]).output().unwrap();
        assert!(output.status.success(), "{}: {}", block.place, describe(&output));
    }

    fn follow_block(&self, block: &Block) {
        for (line, shown) in block.commands() {
            let said = match self.follow(&line) {
                Ok(said) => said,
                Err(why) => panic!("{}: `{line}`: {why}", block.place),
            };
            let said: Vec<&str> = said.lines().map(str::trim_end).collect();
            // Rows of a table are of their moment; its headings stay.
            let lasting = if line == "madohub list" { 1 } else { usize::MAX };
            for row in shown.lines().take(lasting) {
                let words = |row: &str| row.split_whitespace().collect::<Vec<_>>().join(" ");
                let is_said = said.iter().any(|said| words(said) == words(row));
                assert!(is_said, "{}: `{line}` does not say: {row}\n{said:#?}", block.place);
            }
        }
    }

    /// Takes lines for `~/.tmux.conf` into the server.
    fn configure(&self, block: &Block) {
        let file = self.folder.join("tmux.conf");
        fs::write(&file, &block.text).unwrap();
        // `~` and `$HOME` are those of the server, which has this world's home.
        let path = file.to_str().unwrap();
        let output = self.stage.tmux.try_run(&["source-file", path]);
        assert!(output.status.success(), "{}: {}", block.place, describe(&output));
    }

    fn follow_document(&self, document: &Document) -> usize {
        for block in &document.blocks {
            match block.language.as_str() {
                "sh" | "console" => self.follow_block(block),
                "tmux" => self.configure(block),
                "kdl" => self.configure_zellij(block),
                "toml" | "" => {}
                other => panic!("{}: nobody knows how to try `{other}`", block.place),
            }
        }
        document.blocks.iter().map(|block| block.commands().len()).sum()
    }
}

fn describe(output: &Output) -> String {
    format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn every_command_of_the_readme_runs() {
    let reader = Reader::new();
    let commands = reader.follow_document(&Document::read("README.md"));
    assert!(commands >= 10, "{commands} commands found");
}

#[test]
fn every_command_of_the_other_documents_runs() {
    let documents = for_users().into_iter().filter(|document| document.name != "README.md");
    let reader = Reader::new();
    let commands: usize = documents.map(|document| reader.follow_document(&document)).sum();
    assert!(commands >= 10, "{commands} commands found");
}

/// What the README has people put into `~/.tmux.conf` shows what it says.
#[test]
fn the_status_line_of_the_readme_shows_the_segment() {
    let reader = Reader::new();
    let readme = Document::read("README.md");
    let block = readme.blocks_in("tmux").find(|block| block.text.contains("status-right"));
    reader.configure(block.expect("the segment's line"));
    madohub_tests::wait_until(
        "the segment in the status line",
        || reader.stage.screen(),
        |screen| screen.row_text(screen.rows.len() - 1).contains("?1"),
    );
}
