//! Putting the plugin in place, step by step, with a record that undoes it.

use super::config::{Insertion, is_marked, without};
use super::{Places, permissions};
use crate::Error;
use crate::user_files::{read, remove, write};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// The layout that is offered: zellij's own default one with a bar.
const LAYOUT: &str = include_str!("layout.kdl");
/// Stands for the plugin's path in [`LAYOUT`].
const PLUGIN_MARK: &str = "@PLUGIN@";

/// One step, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What is done, as in "write".
    pub what: String,
    /// The file.
    pub path: PathBuf,
    /// The lines that go into a file of the user's; empty where a file is ours as a whole.
    pub lines: String,
}

/// What an installation will do.
#[derive(Debug, Clone)]
pub struct Plan {
    places: Places,
    /// The plugin's bytes; none where it was shipped to the very place that zellij loads it from.
    shipped: Option<Vec<u8>>,
    layout: String,
    config: Option<String>,
    insertion: Insertion,
}

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Record {
    config: PathBuf,
    /// There was a configuration before.
    existed: bool,
    /// The lines that were put into it.
    inserted: String,
    layout: Option<PathBuf>,
    granted: bool,
    /// The plugin was copied to its place.
    copied: bool,
}

/// How an installation stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "four things that are there or not")]
pub struct State {
    /// The plugin's file is there.
    pub plugin: bool,
    /// The configuration loads it.
    pub loaded: bool,
    /// The layout is there.
    pub layout: bool,
    /// zellij will not ask for its permissions.
    pub granted: bool,
}

impl Plan {
    /// Plans an installation of the plugin at `shipped` that asks `helper`. Nothing is written.
    pub fn new(places: Places, shipped: &Path, helper: &str) -> Result<Self, Error> {
        let bytes = fs::read(shipped)
            .map_err(|error| Error::file("cannot read the plugin", shipped, &error))?;
        if !bytes.starts_with(b"\0asm") {
            return Err(Error::usage(format!("{} is no WebAssembly", shipped.display())));
        }
        let config = read(&places.config)?;
        let record = Record::load(&places)?;
        let mut clean = config.clone().unwrap_or_default();
        if let Some(record) = &record {
            clean = without(&clean, &record.inserted).unwrap_or(clean);
        }
        let refused = |why: String| {
            Error::refused(format!("{} is left alone: {why}", places.config.display()))
                .remedy("Add the plugin to `load_plugins` by hand; the README shows how.")
        };
        if is_marked(&clean) {
            return Err(refused("it has lines of an installation that is not recorded".to_owned()));
        }
        let plugin = places.plugin.display().to_string();
        let insertion = Insertion::plan(&clean, &plugin, helper).map_err(refused)?;
        // A file of the user's is only new when there is none, not after our own lines went out.
        let existed = record.as_ref().map_or(config.is_some(), |r| r.existed);
        let layout = LAYOUT.replace(PLUGIN_MARK, &super::config::quoted(&format!("file:{plugin}")));
        let same = |path: &Path| path.canonicalize().ok();
        let there = same(shipped).is_some_and(|path| Some(path) == same(&places.plugin));
        // One that an earlier installation copied is a copy still.
        let ours = record.as_ref().is_some_and(|record| record.copied);
        let shipped = Some(bytes).filter(|_| !there || ours);
        Ok(Self { places, shipped, layout, config: existed.then_some(clean), insertion })
    }

    /// What will be done, in order.
    pub fn changes(&self) -> Vec<Change> {
        let places = &self.places;
        let whole = |what: &str, path: &Path| Change {
            what: what.to_owned(),
            path: path.to_owned(),
            lines: String::new(),
        };
        let mut all = Vec::new();
        if self.shipped.is_some() {
            all.push(whole("write the plugin", &places.plugin));
        }
        if self.config.is_some() {
            all.push(whole("keep a copy of the configuration", &places.backup));
        }
        let what = if self.config.is_some() {
            "add to the configuration"
        } else {
            "write a configuration"
        };
        all.push(Change {
            what: what.to_owned(),
            path: places.config.clone(),
            lines: self.insertion.text.trim_matches('\n').to_owned(),
        });
        all.push(whole("write a layout with the bar", &places.layout));
        all
    }

    /// Does it; `grant` also records the permissions, so that zellij does not ask.
    pub fn apply(&self, grant: bool) -> Result<(), Error> {
        let places = &self.places;
        if let Some(plugin) = &self.shipped {
            write(&places.plugin, plugin)?;
        }
        let before = self.config.as_deref().unwrap_or_default();
        if let Some(config) = &self.config {
            write(&places.backup, config.as_bytes())?;
        }
        // The record first: whatever is interrupted after it can be undone.
        let record = Record {
            config: places.config.clone(),
            existed: self.config.is_some(),
            inserted: self.insertion.text.clone(),
            layout: Some(places.layout.clone()),
            granted: grant,
            copied: self.shipped.is_some(),
        };
        record.save(places)?;
        write(&places.config, self.insertion.apply(before).as_bytes())?;
        write(&places.layout, self.layout.as_bytes())?;
        if grant {
            let known = read(&places.permissions)?.unwrap_or_default();
            let plugin = places.plugin_name().display().to_string();
            let text = permissions::grant(&known, &plugin).map_err(|why| {
                Error::refused(format!("{} is left alone: {why}", places.permissions.display()))
            })?;
            write(&places.permissions, text.as_bytes())?;
        }
        Ok(())
    }
}

impl State {
    /// Looks at what is there.
    pub fn read(places: &Places) -> Result<Self, Error> {
        let config = read(&places.config)?.unwrap_or_default();
        let record = Record::load(places)?;
        let plugin = places.plugin_name().display().to_string();
        let granted = read(&places.permissions)?.unwrap_or_default();
        Ok(Self {
            plugin: places.plugin.is_file(),
            loaded: record.is_some_and(|r| config.contains(&r.inserted)) || is_marked(&config),
            layout: places.layout.is_file(),
            granted: permissions::is_granted(&granted, &plugin),
        })
    }

    /// Takes everything away that [`Plan::apply`] put in place; says what was done. A
    /// configuration that was edited meanwhile loses our lines only.
    pub fn undo(places: &Places) -> Result<Vec<Change>, Error> {
        let Some(record) = Record::load(places)? else { return Ok(Vec::new()) };
        let mut done = Vec::new();
        let mut note = |what: &str, path: &Path| {
            done.push(Change {
                what: what.to_owned(),
                path: path.to_owned(),
                lines: String::new(),
            });
        };
        if let Some(config) = read(&record.config)? {
            match without(&config, &record.inserted) {
                Some(rest) if rest.is_empty() && !record.existed => {
                    remove(&record.config)?;
                    note("removed the configuration that was written", &record.config);
                }
                Some(rest) => {
                    write(&record.config, rest.as_bytes())?;
                    note("took the plugin's lines out of", &record.config);
                }
                None if is_marked(&config) => {
                    return Err(Error::refused(format!(
                        "the plugin's lines in {} were edited",
                        record.config.display()
                    ))
                    .remedy("Take them out by hand, from `madohub: begin` to `madohub: end`."));
                }
                None => {}
            }
        }
        if let Some(layout) = &record.layout {
            let ours = read(layout)?.is_some_and(|text| is_marked_layout(&text));
            if ours && remove(layout)? {
                note("removed the layout", layout);
            }
        }
        if record.granted {
            let plugin = places.plugin_name().display().to_string();
            let known = read(&places.permissions)?.unwrap_or_default();
            if let Some(text) = permissions::revoke(&known, &plugin) {
                write(&places.permissions, text.as_bytes())?;
                note("took the permissions back in", &places.permissions);
            }
        }
        if record.copied && remove(&places.plugin)? {
            note("removed the plugin", &places.plugin);
        }
        remove(&places.backup)?;
        remove(&places.record)?;
        Ok(done)
    }
}

/// A layout that still says that it is ours; one that the user made their own does not.
fn is_marked_layout(text: &str) -> bool {
    LAYOUT.lines().next().is_some_and(|first| text.starts_with(first))
}

impl Record {
    fn load(places: &Places) -> Result<Option<Self>, Error> {
        let Some(text) = read(&places.record)? else { return Ok(None) };
        serde_json::from_str(&text).map(Some).map_err(|error| {
            Error::usage(format!("cannot read {}: {error}", places.record.display()))
                .remedy("Remove it, and take the plugin out of zellij's configuration by hand.")
        })
    }

    fn save(&self, places: &Places) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(self).map_err(std::io::Error::from)?;
        write(&places.record, text.as_bytes())
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a failing test may panic")]
mod tests {
    use super::*;
    use crate::config::Paths;

    struct Home {
        dir: tempfile::TempDir,
        places: Places,
    }

    fn home(config: Option<&str>) -> Home {
        let dir = tempfile::tempdir().unwrap();
        let var = |name: &str| (name == "HOME").then(|| dir.path().to_owned());
        let places = Places::from_lookup(&Paths::from_lookup(var), var);
        if let Some(config) = config {
            write(&places.config, config.as_bytes()).unwrap();
        }
        fs::write(dir.path().join("shipped.wasm"), b"\0asm1").unwrap();
        Home { dir, places }
    }

    impl Home {
        fn plan(&self) -> Result<Plan, Error> {
            let shipped = self.dir.path().join("shipped.wasm");
            Plan::new(self.places.clone(), &shipped, "/bin/madohub")
        }

        fn files(&self) -> Vec<PathBuf> {
            let mut all = Vec::new();
            let mut dirs = vec![self.dir.path().to_owned()];
            while let Some(dir) = dirs.pop() {
                for entry in fs::read_dir(dir).unwrap() {
                    let path = entry.unwrap().path();
                    if path.is_dir() { dirs.push(path) } else { all.push(path) }
                }
            }
            all.sort();
            all
        }
    }

    #[test]
    fn every_configuration_is_as_it_was_after_an_uninstall() {
        for config in [None, Some(""), Some("theme \"x\""), Some("load_plugins {\r\n}\r\n// é")] {
            let home = home(config);
            let before = (home.files(), read(&home.places.config).unwrap());
            for grant in [false, true] {
                home.plan().unwrap().apply(grant).unwrap();
                // Once more: an update of what is there.
                home.plan().unwrap().apply(grant).unwrap();
                let state = State::read(&home.places).unwrap();
                let all = State { plugin: true, loaded: true, layout: true, granted: grant };
                assert_eq!(state, all, "{config:?}");
                assert!(!State::undo(&home.places).unwrap().is_empty());
                assert_eq!(read(&home.places.config).unwrap(), before.1);
                let rest: Vec<PathBuf> = home.files();
                let ours = |p: &&PathBuf| p.file_name().is_some_and(|n| n != "permissions.kdl");
                assert_eq!(rest.iter().filter(ours).cloned().collect::<Vec<_>>(), before.0);
                assert_eq!(State::undo(&home.places).unwrap(), [], "a second time does nothing");
            }
        }
    }

    #[test]
    fn a_plugin_that_was_shipped_to_its_place_is_left_there() {
        let home = home(None);
        write(&home.places.plugin, b"\0asm1").unwrap();
        let plan = || Plan::new(home.places.clone(), &home.places.plugin, "/bin/madohub").unwrap();
        plan().apply(false).unwrap();
        plan().apply(false).unwrap();
        State::undo(&home.places).unwrap();
        assert!(home.places.plugin.is_file());
    }

    #[test]
    fn what_the_user_wrote_meanwhile_stays() {
        let home = home(Some("a true\n"));
        home.plan().unwrap().apply(false).unwrap();
        let config = read(&home.places.config).unwrap().unwrap();
        write(&home.places.config, format!("b true\n{config}").as_bytes()).unwrap();
        write(&home.places.layout, b"layout {\n}\n").unwrap();
        State::undo(&home.places).unwrap();
        assert_eq!(read(&home.places.config).unwrap().unwrap(), "b true\na true\n");
        assert!(home.places.layout.is_file(), "a layout that is not ours any more");
    }

    #[test]
    fn a_linked_configuration_stays_a_link() {
        let home = home(None);
        let real = home.dir.path().join("dotfiles.kdl");
        fs::write(&real, "a true\n").unwrap();
        fs::create_dir_all(home.places.config.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&real, &home.places.config).unwrap();
        home.plan().unwrap().apply(false).unwrap();
        assert!(fs::symlink_metadata(&home.places.config).unwrap().is_symlink());
        assert!(fs::read_to_string(&real).unwrap().contains("madohub"));
    }

    #[test]
    fn refuses_what_it_does_not_understand() {
        let home = home(Some("theme \"x"));
        assert_eq!(home.plan().unwrap_err().exit(), crate::Exit::Refused);
        fs::write(home.dir.path().join("shipped.wasm"), b"text").unwrap();
        assert_eq!(home.plan().unwrap_err().exit(), crate::Exit::Usage);
    }
}
