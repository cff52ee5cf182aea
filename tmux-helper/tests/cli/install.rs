//! `install.sh` at the root, with a cargo that only hands over the program that is tested.

use crate::world::World;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../install.sh");

/// Everything that the script may use besides cargo, the compiler and tmux.
const TOOLS: [&str; 18] = [
    "sh", "basename", "cat", "chmod", "cp", "cut", "dirname", "grep", "head", "mkdir", "mktemp",
    "mv", "printf", "rm", "rmdir", "sed", "sort", "tr",
];

struct Machine {
    world: World,
}

impl Machine {
    /// A machine with a compiler, tmux, and Rust of this version.
    fn new(rust: &str) -> Self {
        let machine = Self { world: World::new() };
        for tool in TOOLS {
            let place = ["/usr/bin", "/bin"].map(|dir| Path::new(dir).join(tool));
            let found = place.iter().find(|path| path.exists()).unwrap();
            machine.world.file("path/.keep", "");
            symlink(found, machine.world.path().join("path").join(tool)).unwrap();
        }
        let target = machine.world.path().join("target");
        let build = format!(
            "case $1 in\n\
             build) mkdir -p '{target}/release'; cp '{binary}' '{target}/release/madohub' ;;\n\
             metadata) printf '{{\"packages\":[],\"target_directory\":\"{target}\"}}' ;;\n\
             esac",
            target = target.display(),
            binary = env!("CARGO_BIN_EXE_madohub")
        );
        machine.program("cargo", &build);
        machine.program("rustc", &format!("echo 'rustc {rust} (0 2026-01-01)'"));
        machine.program("cc", ":");
        // Runs scripts/plugin-build.sh, which is for a shell that this machine has not.
        let wasm = machine.world.file("built.wasm", "\0asm");
        machine.program("bash", &format!("echo '{}'", wasm.display()));
        machine.program("tmux", ":");
        machine
    }

    fn program(&self, name: &str, body: &str) {
        let path = self.world.file(&format!("path/{name}"), format!("#!/bin/sh\n{body}\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn without(&self, name: &str) {
        fs::remove_file(self.world.path().join("path").join(name)).unwrap();
    }

    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let Output { status, stdout, stderr } = Command::new("/bin/sh")
            .arg(SCRIPT)
            .args(args)
            .current_dir(self.world.path())
            .env_clear()
            .env("HOME", self.world.path())
            .env("PATH", self.world.path().join("path"))
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (status.code().unwrap(), text(stdout), text(stderr))
    }

    fn installs(&self, args: &[&str]) -> String {
        let (code, stdout, stderr) = self.run(args);
        assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
        stdout
    }

    /// Every path below a folder, files with their bytes.
    fn tree(&self, folder: &str) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        fn walk(path: &Path, all: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
            for entry in fs::read_dir(path).into_iter().flatten() {
                let path = entry.unwrap().path();
                let bytes = path.is_file().then(|| fs::read(&path).unwrap());
                walk(&path, all);
                all.insert(path, bytes);
            }
        }
        let mut all = BTreeMap::new();
        walk(&self.world.path().join(folder), &mut all);
        all
    }

    fn has(&self, path: &str) -> bool {
        self.world.path().join(path).exists()
    }
}

#[test]
fn it_installs_updates_and_removes_without_a_trace() {
    let machine = Machine::new("1.99.0");
    machine.world.file("local/share/man/man1/other.1", "another's");
    machine.world.settings("# mine\n");
    let before = machine.tree("local");

    let told = machine.installs(&["--prefix", "local"]);
    for part in ["madohub 0", "What to do next", "local/bin/madohub tmux start", "--uninstall"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    for path in [
        "local/bin/madohub",
        "local/share/man/man1/madohub.1",
        "local/share/man/man1/madohub-tmux-start.1",
        "local/share/bash-completion/completions/madohub",
        "local/share/zsh/site-functions/_madohub",
        "local/share/fish/vendor_completions.d/madohub.fish",
        "local/share/madohub/madohub.tmux",
        "local/share/madohub/madohub.wasm",
    ] {
        assert!(machine.has(path), "{path}");
    }
    let installed = machine.tree("local");
    machine.installs(&["--prefix", "local"]);
    assert_eq!(machine.tree("local"), installed, "a second run changes nothing");

    // A file of an older version that the new one does not have goes with the update.
    let stale = "local/share/man/man1/madohub-old.1";
    machine.world.file(stale, "old");
    let record = fs::read_to_string(machine.world.path().join("local/share/madohub/installed"));
    let record = format!("{}f share/man/man1/madohub-old.1\n", record.unwrap());
    machine.world.file("local/share/madohub/installed", record);
    machine.installs(&["--prefix=local/"]);
    assert!(!machine.has(stale));
    assert_eq!(machine.tree("local"), installed);

    let told = machine.installs(&["--uninstall", "--prefix", "local", "--dry-run"]);
    assert!(told.contains("would remove"), "{told}");
    assert_eq!(machine.tree("local"), installed);
    machine.installs(&["--uninstall", "--prefix", "local"]);
    assert_eq!(machine.tree("local"), before);
    assert!(machine.has(".config/madohub/config.toml"));
    let told = machine.installs(&["--uninstall", "--prefix", "local"]);
    assert!(told.contains("nothing to remove"), "{told}");
}

#[test]
fn the_default_is_the_users_own_folder_which_goes_again_if_it_was_not_there() {
    let machine = Machine::new("1.99.0");
    machine.installs(&[]);
    assert!(machine.has(".local/bin/madohub"));
    machine.installs(&["--uninstall"]);
    assert!(!machine.has(".local"));
}

#[test]
fn an_interrupted_run_can_be_removed() {
    let machine = Machine::new("1.99.0");
    // The folder of the completions cannot be made: a file is in its place.
    machine.world.file("local/share/zsh", "");
    let (code, _, _) = machine.run(&["--prefix", "local"]);
    assert_ne!(code, 0);
    assert!(machine.has("local/bin/madohub"));
    machine.installs(&["--uninstall", "--prefix", "local"]);
    let left: Vec<PathBuf> = machine.tree("local").into_keys().collect();
    let local = machine.world.path().join("local");
    assert_eq!(left, [local.join("share"), local.join("share/zsh")]);
}

#[test]
fn a_dry_run_does_nothing() {
    let machine = Machine::new("1.99.0");
    let told = machine.installs(&["--dry-run", "--demo", "--prefix", "local"]);
    for part in ["would build", "local/bin/madohub", "would run: scripts/demo.sh"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!machine.has("local") && !machine.has("target"));
}

#[test]
fn the_plugin_comes_along_where_it_can_be_built() {
    let machine = Machine::new("1.99.0");
    let plugin = ".local/share/madohub/madohub.wasm";
    machine.installs(&["--no-zellij"]);
    assert!(!machine.has(plugin));
    // A target that cannot be had costs the plugin and nothing else.
    let can = fs::read_to_string(machine.world.path().join("path/bash")).unwrap();
    machine.program("bash", "echo 'wasm target: no way' >&2; exit 1");
    let installs_without = |end: &str| {
        let (code, stdout, stderr) = machine.run(&[]);
        assert_eq!(code, 0, "{stderr}");
        assert!(stderr.starts_with("wasm target: no way\n"), "{stderr}");
        let last: Vec<&str> = stderr.lines().rev().take(3).collect();
        assert!(last.iter().any(|line| line.contains(end)), "{stderr}");
        assert!(machine.has(".local/bin/madohub"));
        assert!(!stdout.contains("zellij install"), "{stdout}");
    };
    installs_without("could not be built, and is not installed");
    assert!(!machine.has(plugin));
    machine.world.file("path/bash", can);
    machine.installs(&[]);
    assert!(machine.has(plugin));
    // zellij's configuration may name it.
    machine.program("bash", "echo 'wasm target: no way' >&2; exit 1");
    installs_without("the one from before is left in place");
    assert!(machine.has(plugin));
    let (code, _, stderr) = machine.run(&["--demo", "zellij"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("zellij is not installed"), "{stderr}");
}

#[test]
fn another_linker_is_named_where_the_compiler_has_none() {
    let world = World::new();
    let program = |name: &str, body: &str| {
        let path = world.file(name, format!("#!/bin/sh\n{body}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    // As Debian's compiler: it knows the target, and looks for a linker that is not there.
    let compiler = "case \"$*\" in\n\
        *sysroot*) echo /usr ;;\n\
        *linker=*/wasm-ld-7*) ;;\n\
        *) echo 'error: linker `rust-lld` not found' >&2; exit 1 ;;\n\
        esac";
    let compiler = program("compiler", compiler);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/setup-wasm-target.sh");
    let run = || {
        let path = format!("{}:/usr/bin:/bin", world.path().display());
        let mut command = Command::new(script);
        command.env_clear().env("HOME", world.path()).env("PATH", path);
        command.env("RUSTC", &compiler).output().unwrap()
    };
    let output = run();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("linker `rust-lld` not found") && said.contains("apt install"), "{said}");
    assert!(output.stdout.is_empty());
    let linker = program("wasm-ld-7", ":");
    let output = run();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{}\n", linker.display()));
}

#[test]
fn uninstalling_takes_the_plugin_out_of_zellij() {
    let machine = Machine::new("1.99.0");
    let config = machine.world.file(".config/zellij/config.kdl", "theme \"x\"\n");
    machine.installs(&[]);
    let before = machine.tree(".config/zellij");
    let mut install = Command::new(machine.world.path().join(".local/bin/madohub"));
    install.args(["zellij", "install", "--yes", "--grant"]);
    install.env_clear().env("HOME", machine.world.path());
    assert!(install.output().unwrap().status.success());
    assert!(fs::read_to_string(&config).unwrap().contains("load_plugins"));
    machine.installs(&["--uninstall"]);
    assert_eq!(machine.tree(".config/zellij").get(&config), before.get(&config));
    assert!(!machine.has(".local/share/madohub"));
    assert!(!machine.has(".config/zellij/layouts/madohub.kdl"));
}

#[test]
fn uninstalling_leaves_neither_hooks_nor_what_the_daemon_kept() {
    let machine = Machine::new("1.99.0");
    let settings = machine.world.file(".claude/settings.json", "{\"model\": \"x\"}\n");
    machine.installs(&[]);
    let mut install = Command::new(machine.world.path().join(".local/bin/madohub"));
    install.args(["hook", "install", "claude", "--yes"]);
    install.env_clear().env("HOME", machine.world.path());
    assert!(install.output().unwrap().status.success());
    assert!(fs::read_to_string(&settings).unwrap().contains("madohub hook"));
    for ending in ["json", "events", "routes", "routes.log", "log"] {
        machine.world.file(&format!(".local/state/madohub/tmux-0.{ending}"), "");
    }
    let told = machine.installs(&["--uninstall", "--dry-run"]);
    assert!(told.contains("would remove") && told.contains("tmux-0.events"), "{told}");
    assert!(machine.has(".local/state/madohub/tmux-0.log"));
    machine.installs(&["--uninstall"]);
    assert_eq!(fs::read_to_string(&settings).unwrap(), "{\"model\": \"x\"}\n");
    assert!(!machine.has(".local"));
}

#[test]
fn what_is_missing_is_said_with_the_remedy() {
    for (tool, args, part) in [
        ("cargo", &[][..], "rustup"),
        ("cc", &[], "build-essential"),
        ("tmux", &["--demo"], "apt install tmux"),
    ] {
        let machine = Machine::new("1.99.0");
        machine.without(tool);
        let (code, _, stderr) = machine.run(args);
        assert_eq!(code, 1, "{tool}: {stderr}");
        assert!(stderr.contains(part), "{tool}: {stderr}");
        assert!(!machine.has(".local"), "{tool}");
    }
    let machine = Machine::new("1.20.0");
    let (code, _, stderr) = machine.run(&[]);
    assert_eq!(code, 1);
    assert!(
        stderr.contains("Rust 1.20.0 is too old") && stderr.contains("rustup update"),
        "{stderr}"
    );
    // Without tmux everything that needs none works; what to install is said.
    let machine = Machine::new("1.99.0");
    machine.without("tmux");
    assert!(machine.installs(&[]).contains("install tmux:"));
}

#[test]
fn options_that_cannot_be_used_are_refused() {
    let machine = Machine::new("1.99.0");
    for args in [&["--prefix"][..], &["--nosuch"], &["--demo", "--uninstall"], &["--prefix", ""]] {
        let (code, _, stderr) = machine.run(args);
        assert_ne!(code, 0, "{args:?}");
        assert!(!stderr.is_empty(), "{args:?}");
    }
    let (code, stdout, _) = machine.run(&["--help"]);
    assert_eq!(code, 0);
    assert!(stdout.contains("--uninstall"));
}

#[test]
fn a_record_that_was_tampered_with_removes_nothing_elsewhere() {
    let machine = Machine::new("1.99.0");
    machine.installs(&["--prefix", "local"]);
    let precious = machine.world.file("precious", "");
    let record = machine.world.path().join("local/share/madohub/installed");
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, format!("{text}f ../precious\nf {}\n", precious.display())).unwrap();
    machine.installs(&["--uninstall", "--prefix", "local"]);
    assert!(precious.exists());
}
