//! Programs of this workspace, as they were built.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// A binary of this workspace that stands beside the running one.
pub(crate) fn built(name: &str) -> PathBuf {
    let path = profile_dir().join(name);
    assert!(path.exists(), "{} is not built", path.display());
    path
}

/// The product, built where it is not up to date.
pub(crate) fn workspace_binary() -> PathBuf {
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(build_product);
    built("madohub")
}

fn profile_dir() -> PathBuf {
    let exe = std::env::current_exe().expect("a path");
    let dir = exe.parent().expect("a folder");
    if dir.ends_with("deps") { dir.parent().expect("a folder") } else { dir }.to_owned()
}

/// Cargo builds the binaries of another package for nobody but itself. Under nextest every test
/// is a process of its own; the run's id lets the first one build for all.
fn build_product() {
    let dir = profile_dir();
    let run = std::env::var("NEXTEST_RUN_ID").unwrap_or_default();
    let lock = File::create(dir.join(".madohub-build-lock")).expect("a lock file");
    lock.lock().expect("the build lock");
    let stamp = dir.join(".madohub-built-for");
    if !run.is_empty() && fs::read_to_string(&stamp).is_ok_and(|last| last == run) {
        return;
    }
    // A run of the whole workspace has built it, and its other tests are using that file.
    if !is_up_to_date(&dir) {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(["build", "--quiet", "-p", "tmux-helper", "--bin", "madohub"]);
        // What cargo says to tests is about their package. Build scripts would hear of another one
        // than in a build from the command line, and half the dependencies be built each time anew.
        for (name, _) in std::env::vars_os() {
            let of_tests = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_EXE_", "NEXTEST"];
            if name.to_str().is_some_and(|name| of_tests.iter().any(|it| name.starts_with(it))) {
                command.env_remove(name);
            }
        }
        command
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args(dir.ends_with("release").then_some("--release"));
        assert!(command.status().expect("cargo runs").success(), "madohub does not build");
    }
    File::create(&stamp).and_then(|mut f| f.write_all(run.as_bytes())).expect("the build stamp");
}

/// Whether nothing that the product was made of, as cargo wrote that down, is newer than it.
fn is_up_to_date(dir: &Path) -> bool {
    let time = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified()).ok();
    let Some(made) = time(&dir.join("madohub")) else { return false };
    let Ok(list) = fs::read_to_string(dir.join("madohub.d")) else { return false };
    let Some((_, parts)) = list.split_once(": ") else { return false };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifests = ["Cargo.toml", "Cargo.lock", "shared/Cargo.toml", "tmux-helper/Cargo.toml"];
    let manifests = manifests.map(|name| root.join(name));
    // A space in a path is written `\ `.
    let parts = parts.trim_end().replace("\\ ", "\0");
    let parts = parts.split(' ').map(|part| PathBuf::from(part.replace('\0', " ")));
    let is_older = |then: Option<SystemTime>| then.is_some_and(|then| then <= made);
    manifests.into_iter().chain(parts).all(|part| is_older(time(&part)))
}
