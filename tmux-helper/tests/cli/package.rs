//! What a release packs: the same files that `install.sh` installs, and checksums that hold.

use crate::world::World;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const STAGE: &str = "../target/package-files/";

fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap()
}

/// What the Debian package takes, and where each goes.
fn assets() -> Vec<[String; 3]> {
    let manifest = fs::read_to_string(root().join("tmux-helper/Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let assets = manifest["package"]["metadata"]["deb"]["assets"].clone();
    assets.try_into().unwrap()
}

/// Below a prefix, what `install.sh` says that it writes.
fn installed() -> BTreeSet<String> {
    let mut dry = Command::new("sh");
    dry.arg(root().join("install.sh")).args(["--dry-run", "--prefix", "/x"]);
    let Output { status, stdout, .. } = dry.output().unwrap();
    assert!(status.success());
    let said = String::from_utf8(stdout).unwrap();
    let paths = said.lines().filter_map(|line| line.trim().strip_prefix("/x/"));
    paths.map(|path| path.split(' ').next().unwrap().to_owned()).collect()
}

#[test]
fn the_debian_package_has_what_is_installed_and_the_documents() {
    let assets = assets();
    let packed: BTreeSet<String> = assets
        .iter()
        .filter_map(|[from, ..]| from.strip_prefix(STAGE))
        .map(|path| path.replace("*.1", "madohub.1"))
        .collect();
    let installed = installed();
    assert!(installed.len() >= 7, "{installed:?}");
    assert_eq!(packed, installed);
    for [from, to, mode] in &assets {
        assert!(to.starts_with("usr/") && to.ends_with('/'), "{to}");
        assert_eq!(
            mode == "755",
            from.contains("/bin/madohub") || from.contains("madohub.tmux"),
            "{from}"
        );
        // The zsh of Debian looks there.
        assert!(!to.contains("site-functions"), "{to}");
        if from.starts_with(STAGE) {
            continue;
        }
        let (folder, pattern) =
            from.trim_start_matches("../").rsplit_once('/').unwrap_or(("", from));
        let there = if pattern.contains('*') {
            fs::read_dir(root().join(folder)).is_ok_and(|mut all| all.next().is_some())
        } else {
            root().join("tmux-helper").join(from).is_file()
        };
        assert!(there, "{from} is not there");
    }
}

#[test]
fn a_release_of_an_installation_has_archives_and_their_checksums() {
    let world = World::new();
    for path in installed() {
        world.file(&format!("prefix/{path}"), "x");
    }
    world.file("prefix/share/madohub/installed", "f bin/madohub\n");
    let release = |prefix: &str| {
        let mut release = Command::new("bash");
        release.arg(root().join("scripts/release.sh")).args(["--no-deb", "--no-sbom", "--out"]);
        release.arg(world.path().join("out")).arg("--from").arg(world.path().join(prefix));
        release.output().unwrap()
    };
    let output = release("prefix");
    assert!(output.status.success(), "{output:?}");
    let sums = || fs::read_to_string(world.path().join("out/SHA256SUMS")).unwrap();
    let first = sums();
    assert_eq!(first.lines().count(), 2, "{first}");
    assert!(release("prefix").status.success());
    assert_eq!(sums(), first, "the same files, the same bytes");
    let mut check = Command::new("sha256sum");
    check.args(["--check", "SHA256SUMS"]).current_dir(world.path().join("out"));
    assert!(check.output().unwrap().status.success());
    let archive = first.lines().find(|line| line.contains("linux") || line.contains("apple"));
    let archive = archive.and_then(|line| line.split_whitespace().last()).unwrap();
    let mut list = Command::new("tar");
    list.arg("tzf").arg(world.path().join("out").join(archive));
    let listed = String::from_utf8(list.output().unwrap().stdout).unwrap();
    for path in ["/bin/madohub", "/share/madohub/madohub.wasm", "/README.md", "/docs/states.md"] {
        assert!(listed.lines().any(|line| line.ends_with(path)), "{path}: {listed}");
    }
    assert!(!listed.contains("/installed"), "{listed}");
    fs::remove_file(world.path().join("prefix/share/madohub/madohub.wasm")).unwrap();
    let output = release("prefix");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && said.contains("has no share/madohub/madohub.wasm"),
        "{said}"
    );
    assert!(!release("nothing").status.success(), "there is nothing to pack");
}
