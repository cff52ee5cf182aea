//! How a session is set up: its configuration, layout, permissions and the agents' roles.

use super::ZellijStage;
use crate::agent::AgentCommand;
use crate::env::TestEnv;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Variable with the path of the zellij under test.
const ZELLIJ_VARIABLE: &str = "MADOHUB_ZELLIJ";
/// Variable with the path of a finished plugin to test instead of this workspace's.
const PLUGIN_VARIABLE: &str = "MADOHUB_PLUGIN";
/// In lines for zellij's files: the location of the plugin that only watches.
pub const WITNESS: &str = "<witness>";
/// Columns and rows of a client where nothing else is said.
const SIZE: (u16, u16) = (150, 30);

/// How a session is set up.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own for a test")]
pub struct ZellijOptions {
    /// Recording and first scene of each pane of the first tab, left to right.
    pub agents: Vec<(&'static str, &'static str)>,
    /// Over how many tabs these agents are spread, as many in each.
    pub tabs: usize,
    /// The same for a second tab.
    pub far: Vec<(&'static str, &'static str)>,
    /// Lines for the plugin's block.
    pub settings: String,
    /// Lines for zellij's configuration.
    pub config: String,
    /// The plugin has its permissions.
    pub granted: bool,
    /// A client is attached from the start.
    pub attached: bool,
    /// The plugin is loaded, and each tab has its bar.
    pub plugin: bool,
    /// How many panes of a tab stand side by side; more of them go below.
    pub abreast: usize,
    /// The panes of a tab are a stack, of which the last one is open.
    pub stacked: bool,
    /// Columns and rows of a client.
    pub size: (u16, u16),
    /// Layout of the session; `stage` is the one with the agents.
    pub layout: &'static str,
    /// Lines for the layout, below the panes of each tab.
    pub below: String,
    /// What is done in the world before zellij starts, with the plugin's file.
    pub before: fn(&Arc<TestEnv>, &Path),
}

impl Default for ZellijOptions {
    fn default() -> Self {
        Self {
            agents: vec![("claude-2.1.332", "working")],
            tabs: 1,
            far: Vec::new(),
            settings: "helper \"off\"".to_owned(),
            config: "pane_frame_style \"full\"".to_owned(),
            granted: true,
            attached: true,
            plugin: true,
            abreast: usize::MAX,
            stacked: false,
            size: SIZE,
            layout: "stage",
            below: String::new(),
            before: |_, _| {},
        }
    }
}

impl ZellijStage {
    /// Configuration, layout, permissions and roles.
    pub(super) fn write_files(&self, options: &ZellijOptions) -> Vec<AgentCommand> {
        let plugin = self.plugin.display();
        let witness = self.env.path().join("data/witness.wasm");
        let zellij = self.env.path().join("config/zellij");
        fs::create_dir_all(zellij.join("layouts")).expect("the configuration folder");
        let mut config = format!(
            "show_startup_tips false\nshow_release_notes false\nsession_serialization false\n{}\n",
            with_witness(&options.config, &witness)
        );
        if options.plugin {
            let settings = &options.settings;
            write!(config, "load_plugins {{\n\"file:{plugin}\" {{\n{settings}\n}}\n}}\n")
                .expect("a string takes all");
        }
        fs::write(zellij.join("config.kdl"), config).expect("the configuration");
        let mut commands = Vec::new();
        let mut layout = String::from("layout {\n");
        // Without agents the layout is the test's own business.
        let in_each = options.agents.len().div_ceil(options.tabs).max(1);
        let mut tabs: Vec<(String, &[_])> = (1..)
            .zip(options.agents.chunks(in_each))
            .map(|(n, agents)| (if n == 1 { "near".to_owned() } else { format!("tab{n}") }, agents))
            .collect();
        if !options.far.is_empty() {
            tabs.push(("far".to_owned(), &options.far));
        }
        for (name, agents) in tabs {
            let focus = if name == "near" { " focus=true" } else { "" };
            writeln!(layout, "tab name=\"{name}\"{focus} {{").expect("a string takes all");
            layout.push_str("pane split_direction=\"horizontal\" {\n");
            for (n, (recording, scene)) in agents.iter().enumerate() {
                if n % options.abreast == 0 {
                    layout.push_str(if n == 0 { "" } else { "}\n" });
                    layout.push_str(if options.stacked {
                        "pane stacked=true {\n"
                    } else {
                        "pane split_direction=\"vertical\" {\n"
                    });
                }
                let id = format!("z{}", commands.len());
                let role = self.env.agents().join(format!("{id}.role"));
                let command = AgentCommand::install(&self.env, recording, role.clone(), &id);
                command.cast(scene);
                layout.push_str(&pane(&command, &role));
                commands.push(command);
            }
            layout.push_str("}\n}\n");
            if options.plugin {
                write!(
                    layout,
                    "pane size=1 borderless=true {{\nplugin location=\"file:{plugin}\" {{\n\
                     role \"bar\"\n}}\n}}\n"
                )
                .expect("a string takes all");
            }
            layout.push_str(&with_witness(&options.below, &witness));
            layout.push_str("}\n");
        }
        layout.push_str("}\n");
        fs::write(zellij.join("layouts/stage.kdl"), layout).expect("the layout");
        if options.granted {
            let cache = self.env.path().join("cache/zellij");
            fs::create_dir_all(&cache).expect("the cache folder");
            let all = [grants(&self.plugin), grants(&witness)].concat();
            fs::write(cache.join("permissions.kdl"), all).expect("the grants");
        }
        commands
    }
}

/// The lines with the location of the plugin that only watches, which is put there.
fn with_witness(lines: &str, witness: &Path) -> String {
    if lines.contains(WITNESS) {
        let built = workspace().join("target/wasm32-wasip1/plugin/witness.wasm");
        fs::copy(&built, witness).unwrap_or_else(|error| {
            panic!("{}: {error}; scripts/test-programs-build.sh builds it", built.display())
        });
    }
    lines.replace(WITNESS, &format!("file:{}", witness.display()))
}

fn pane(command: &AgentCommand, role: &Path) -> String {
    let variable = crate::recording::ROLE_VARIABLE;
    let argv: Vec<String> =
        command.recording.process[0].argv.iter().map(|a| quoted_kdl(a)).collect();
    let role = quoted_kdl(&format!("{variable}={}", role.display()));
    format!("pane command=\"env\" {{\nargs {role} {}\n}}\n", argv.join(" "))
}

fn grants(plugin: &Path) -> String {
    let names = [
        "ReadApplicationState",
        "ReadPaneContents",
        "ChangeApplicationState",
        "Reconfigure",
        "ReadCliPipes",
        "MessageAndLaunchOtherPlugins",
        "WriteToStdin",
        "RunCommands",
    ];
    format!("\"{}\" {{\n{}\n}}\n", plugin.display(), names.join("\n"))
}

fn quoted_kdl(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

/// The zellij under test; `scripts/zellij-build.sh` builds it once.
pub fn zellij_program() -> PathBuf {
    if let Some(path) = std::env::var_os(ZELLIJ_VARIABLE) {
        return PathBuf::from(path);
    }
    let script = workspace().join("scripts/zellij-build.sh");
    let output = Command::new(&script).arg("--check").output().expect("the script runs");
    assert!(output.status.success(), "there is no zellij; build it: {}", script.display());
    PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())
}

pub(super) fn built_plugin() -> PathBuf {
    if let Some(path) = std::env::var_os(PLUGIN_VARIABLE) {
        return PathBuf::from(path);
    }
    let path = workspace().join("target/wasm32-wasip1/plugin/madohub.wasm");
    assert!(path.exists(), "{} is missing: scripts/plugin-build.sh builds it", path.display());
    path
}

/// A word for a shell.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
