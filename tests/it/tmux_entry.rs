//! How the product gets into a person's tmux: the plugin entry and the demo.

use madohub_tests::{Stage, wait_for, wait_until};
use std::path::{Path, PathBuf};
use std::process::Command;

fn entry() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../madohub.tmux")
}

fn run_entry(stage: &Stage) {
    stage.tmux.run(&["run-shell", &format!("'{}'", entry().display())]);
}

#[test]
fn the_plugin_entry_starts_one_daemon() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "approval")]);
    let program = stage.madohub.program().display().to_string();
    stage.tmux.run(&["set-option", "-g", "@madohub_bin", &program]);
    run_entry(&stage);
    stage.wait_state(&panes[1].0, "waiting");
    // What started it has the same name, and ends.
    let alone = || match stage.daemons()[..] {
        [daemon] => Ok(daemon),
        ref all => Err(format!("{all:?}")),
    };
    let one = wait_for("the daemon alone", alone);
    // A person sources the configuration again: what is started then finds the daemon, and ends.
    run_entry(&stage);
    stage.wait_state(&panes[0].0, "working");
    assert_eq!(wait_for("the daemon alone again", alone), one);
}

#[test]
fn the_plugin_entry_takes_a_program_with_any_path() {
    let stage = Stage::new();
    let dir = stage.env.path().join("it's #{pid} $(x) #(y); ~");
    std::fs::create_dir(&dir).unwrap();
    let program = dir.join("madohub");
    std::fs::copy(stage.madohub.program(), &program).unwrap();
    let value = program.display().to_string();
    stage.tmux.run(&["set-option", "-g", "@madohub_bin", &value]);
    run_entry(&stage);
    wait_until("the daemon", || stage.daemons().len(), |count| *count == 1);
}

#[test]
fn the_plugin_entry_starts_nothing_when_told_so() {
    let stage = Stage::new();
    let program = stage.madohub.program().display().to_string();
    stage.tmux.run(&["set-option", "-g", "@madohub_bin", &program]);
    stage.tmux.run(&["set-option", "-g", "@madohub_autostart", "off"]);
    stage.tmux.run(&["set-option", "-g", "@madohub_list_key", "A"]);
    run_entry(&stage);
    assert!(stage.tmux.run(&["list-keys", "-T", "prefix", "A"]).contains("display-popup"));
    assert!(stage.daemons().is_empty());
}

/// Where the distribution's package puts the plugin manager, and where people clone it to.
fn plugin_manager() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".tmux/plugins/tpm"));
    let places = [Some("/usr/share/tmux-plugin-manager".into()), home];
    let found = places.into_iter().flatten().find(|dir| dir.join("tpm").exists());
    let required = std::env::var_os("MADOHUB_TMUX_VERSIONS").is_some_and(|v| v == "required");
    assert!(found.is_some() || !required, "no plugin manager: apt-get install tmux-plugin-manager");
    found
}

#[test]
fn the_plugin_manager_fetches_and_starts_it() {
    let Some(tpm) = plugin_manager() else {
        eprintln!("not tried: there is no tpm on this machine");
        return;
    };
    let stage = Stage::new();
    let home = stage.env.home();
    // What a person cloned; the manager clones it once more.
    let checkout = home.join("src/madohub");
    std::fs::create_dir_all(&checkout).unwrap();
    std::fs::copy(entry(), checkout.join("madohub.tmux")).unwrap();
    let me = ["-c", "user.name=me", "-c", "user.email=me@example.org"];
    for args in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "x"]] {
        let mut git = stage.env.command("git");
        assert!(git.args(me).args(args).current_dir(&checkout).status().unwrap().success());
    }
    let readme = std::fs::read_to_string(entry().with_file_name("README.md")).unwrap();
    let line = readme.lines().find(|line| line.starts_with("set -g @plugin")).unwrap();
    let line = line.replace("/path/to/your/clone", checkout.to_str().unwrap());
    let conf = home.join(".tmux.conf");
    let text = format!(
        "{line}\nset -g @madohub_bin '{}'\nset -g @madohub_list_key 'A'\nrun '{}'\n",
        stage.madohub.program().display(),
        tpm.join("tpm").display()
    );
    std::fs::write(&conf, text).unwrap();
    let read = || stage.tmux.run(&["source-file", conf.to_str().unwrap()]);
    // The first time there is nothing yet; prefix + I fetches it.
    read();
    assert!(stage.daemons().is_empty());
    stage.tmux.run(&["run-shell", &tpm.join("bin/install_plugins").display().to_string()]);
    assert!(home.join(".tmux/plugins/madohub/madohub.tmux").exists());
    read();
    wait_until("the daemon", || stage.daemons().len(), |count| *count == 1);
    assert!(stage.tmux.run(&["list-keys", "-T", "prefix", "A"]).contains("display-popup"));
}

#[test]
fn the_demo_finds_every_state_right() {
    let stage = Stage::new();
    let demo = env!("CARGO_BIN_EXE_demo");
    let output = Command::new(demo).arg(stage.madohub.program()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    for word in ["waiting", "working", "stopped", "idle", "approval", "all right"] {
        assert!(said.contains(word), "{word} in {said}");
    }
}
