//! One agent's rules on one screen.

use crate::detection::{Evidence, Via};
use crate::layout::Regions;
use crate::rules::{Agent, Pairs, Region, RegionText, Rule};
use crate::screen::Screen;
use serde::Serialize;
use std::cell::OnceCell;
use std::ops::Range;

/// What all rules look at: the clean screen and the clean title of one observation.
#[derive(Debug, Default)]
pub(crate) struct Sight {
    pub(crate) screen: Screen,
    pub(crate) title: String,
    /// The pairs of the whole screen, once they were asked for.
    pub(crate) pairs: OnceCell<Pairs>,
}

/// The regions of one screen for one agent; each is cut at most once.
pub(crate) struct Scan<'a> {
    pub(crate) agent: &'a Agent,
    sight: &'a Sight,
    regions: OnceCell<Regions>,
    texts: [OnceCell<Option<RegionText<'a>>>; Region::ALL.len()],
}

/// A rule that matched, and where.
#[derive(Debug, Clone)]
pub(crate) struct Mark<'a> {
    pub(crate) rule: &'a Rule,
    place: Range<usize>,
}

/// One rule tried, for people who ask why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attempt {
    /// Id of the rule.
    pub rule: String,
    /// Region that it looks at.
    pub region: &'static str,
    /// Whether it matched.
    pub matched: bool,
    /// The condition that failed: `no region`, or the key and the pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// Collects attempts for an explanation; a detection leaves it switched off.
#[derive(Debug, Default)]
pub(crate) struct Tried(Option<Vec<Attempt>>);

impl Tried {
    /// Collects every rule tried.
    pub(crate) fn collecting() -> Self {
        Self(Some(Vec::new()))
    }

    /// Whether every rule is to be tried to its first failing condition.
    fn collects(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn into_attempts(self) -> Vec<Attempt> {
        self.0.unwrap_or_default()
    }

    pub(crate) fn note(&mut self, attempt: impl FnOnce() -> Attempt) {
        if let Some(attempts) = &mut self.0 {
            attempts.push(attempt());
        }
    }
}

impl Sight {
    /// What many agents' rules are to be asked about: those that find nothing anywhere on the
    /// screen are passed over from here on, before the agent's regions are looked for.
    pub(crate) fn for_many(&self) {
        self.pairs.get_or_init(|| Pairs::of(self.screen.region(&(0..self.screen.len()))));
    }

    /// Whether a rule can match in any region of any agent.
    fn may_match(&self, rule: &Rule) -> bool {
        let pairs = self.pairs.get().filter(|_| rule.region != Region::Title);
        pairs.is_none_or(|pairs| rule.matcher.may_match(pairs))
    }
}

impl<'a> Scan<'a> {
    pub(crate) fn new(agent: &'a Agent, sight: &'a Sight) -> Self {
        Self { agent, sight, regions: OnceCell::new(), texts: Default::default() }
    }

    /// Where the agent's regions are.
    pub(crate) fn regions(&self) -> &Regions {
        self.regions.get_or_init(|| Regions::find(&self.sight.screen, &self.agent.layout))
    }

    /// The first rule that matches, in file order.
    pub(crate) fn first(
        &self,
        rules: impl IntoIterator<Item = &'a Rule>,
        tried: &mut Tried,
    ) -> Option<Mark<'a>> {
        rules.into_iter().find_map(|rule| {
            if !tried.collects() && !self.sight.may_match(rule) {
                return None;
            }
            let Some(text) = self.text(rule.region) else {
                tried.note(|| attempt(rule, Some("no region".to_owned())));
                return None;
            };
            match rule.matcher.find(text) {
                Ok(place) => {
                    tried.note(|| attempt(rule, None));
                    Some(Mark { rule, place })
                }
                Err(miss) => {
                    tried.note(|| {
                        attempt(
                            rule,
                            Some(format!("{} {}", miss.key, miss.pattern).trim().to_owned()),
                        )
                    });
                    None
                }
            }
        })
    }

    /// What a matching rule leaves as evidence.
    pub(crate) fn evidence(&self, mark: &Mark<'_>) -> Evidence {
        let region = mark.rule.region;
        let via = if region == Region::Title { Via::Title } else { Via::Screen };
        let mut evidence = Evidence::new(via, &mark.rule.id);
        if let Some(text) = self.text(region) {
            evidence = evidence.with_text(text.text.get(mark.place.clone()).unwrap_or_default());
        }
        evidence.rows =
            self.regions().rows(region).map(|rows| self.sight.screen.rows_of(rows, &mark.place));
        evidence
    }

    /// Work that outlives the turn, as far as the interface counts it.
    pub(crate) fn background(&self) -> u32 {
        let counts = self.agent.background.iter().filter_map(|pattern| {
            let text = self.text(pattern.region)?;
            let count = pattern.count.captures(text)?.get(1)?;
            count.as_str().parse::<u32>().ok()
        });
        counts.max().unwrap_or(0)
    }

    /// The agent's version, where its banner is still on the screen.
    pub(crate) fn version(&self) -> Option<String> {
        let pattern = self.agent.version.as_ref()?;
        let found = pattern.captures(self.text(Region::Screen)?)?;
        found.get(1).map(|version| version.as_str().to_owned())
    }

    fn text(&self, region: Region) -> Option<&RegionText<'a>> {
        let cut = || match region {
            Region::Title => {
                let title = self.sight.title.as_str();
                (!title.is_empty()).then(|| RegionText::new(title, true))
            }
            region => {
                let text = self.regions().text(&self.sight.screen, region)?;
                Some(text.knowing(self.sight.pairs.get()))
            }
        };
        self.texts.get(region as usize).and_then(|cell| cell.get_or_init(cut).as_ref())
    }
}

fn attempt(rule: &Rule, failed: Option<String>) -> Attempt {
    Attempt { rule: rule.id.clone(), region: rule.region.name(), matched: failed.is_none(), failed }
}
