//! What the run must know about one agent: `tests/real-agents/agents/<agent>.toml`.

use super::model::Tools;
use super::situation::Expect;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// One agent.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Agent {
    /// Agent id, as the product says it.
    pub id: String,
    /// npm packages, with `{version}`.
    pub packages: Vec<String>,
    /// The versions that are run, the newest first.
    pub versions: Vec<String>,
    /// Environment of the panes. Here and below `{url}` is the model server, `{home}`, `{config}`
    /// and `{project}` are folders of the world.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Files that are written before the start, by path.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Command lines by name, with `{prompt}` where one goes in; `default` is used for a name that
    /// has none.
    pub commands: BTreeMap<String, String>,
    /// What is pressed, by what it is for; as tmux names keys. `text:` types letters.
    pub keys: BTreeMap<String, Vec<String>>,
    /// Regular expressions for what the pane shows.
    pub shows: BTreeMap<String, String>,
    /// Events of the agent's hooks, by what they tell of: `asked`, `approval`, `ended`.
    #[serde(default)]
    pub hooks: BTreeMap<String, Vec<String>>,
    /// How the agent calls the tools that the model asks for.
    pub tools: Tools,
    /// Where the agent gives less, or something else, than the situations expect.
    #[serde(default)]
    pub differs: Vec<Differs>,
    /// Situations that the agent does not have.
    #[serde(default)]
    pub skips: Vec<Skip>,
}

/// Another expectation for one row.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Differs {
    /// The row.
    pub(super) row: String,
    /// Only for these versions; for all where there are none.
    #[serde(default)]
    versions: Vec<String>,
    state: Option<String>,
    source: Option<String>,
    /// `""` is no reason.
    reason: Option<String>,
    /// Why that is so.
    #[serde(rename = "why")]
    _why: String,
}

/// A situation that is left out.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skip {
    situation: String,
    #[serde(default)]
    versions: Vec<String>,
    /// Why it cannot be had.
    why: String,
}

impl Agent {
    /// Reads the agent with this id.
    pub fn read(id: &str) -> Result<Self, String> {
        super::read(&super::data_dir().join(format!("agents/{id}.toml")))
    }

    /// Ids of the agents that have a file.
    pub fn ids() -> Vec<String> {
        let files = std::fs::read_dir(super::data_dir().join("agents"));
        let id = |path: &Path| Some(path.file_stem()?.to_str()?.to_owned());
        let files = files.into_iter().flatten().flatten();
        let mut ids: Vec<String> = files.filter_map(|file| id(&file.path())).collect();
        ids.sort();
        ids
    }

    /// What a version is held to.
    pub(super) fn expectation(&self, version: &str, expect: &Expect) -> Expect {
        let mut expect = expect.clone();
        let differs = self
            .differs
            .iter()
            .filter(|differs| differs.row == expect.row && for_version(&differs.versions, version));
        for differs in differs {
            expect.state = differs.state.clone().unwrap_or(expect.state);
            expect.source = differs.source.clone().or(expect.source);
            expect.reason = differs.reason.clone().or(expect.reason);
        }
        expect
    }

    /// Why a version does not have a situation.
    pub(super) fn skip(&self, version: &str, situation: &str) -> Option<&str> {
        let is_it =
            |skip: &&Skip| skip.situation == situation && for_version(&skip.versions, version);
        self.skips.iter().find(is_it).map(|skip| skip.why.as_str())
    }
}

fn for_version(versions: &[String], version: &str) -> bool {
    versions.is_empty() || versions.iter().any(|v| v == version)
}
