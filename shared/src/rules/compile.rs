//! From a rule file to checked rules: every pattern compiled, every example tried.

use super::compiled::{
    Agent, Background, Check, InputBox, Layout, LogRule, LogSays, ProcessNames, Region, Rule, Says,
};
use super::error::{RuleError, RuleErrorKind as Kind};
use super::file::{
    AgentFile, Condition, DialogSection, InputBoxSection, LogRuleSection, RuleFile, RuleSection,
    SCHEMA, StatusSection,
};
use super::matcher::{Matcher, RegionText, Words};
use super::pattern::{Pattern, RowPattern};
use crate::detection::{AgentId, State};
use std::collections::HashSet;

const MAX_RULES: usize = 400;

/// Whether the patterns and examples of a file were tried before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// By the tests of this crate: every pattern waits until it is used.
    Shipped,
    #[cfg(feature = "user-rules")]
    /// By nobody: all of it is tried now, so that an error is told and not met.
    Nobodys,
}

/// Reads and checks one file. `known` says whether the agent already has rules, so that a file
/// which only adds to it needs no name of its own.
pub(crate) fn compile(
    file: &RuleFile,
    known: bool,
    trust: Trust,
) -> Result<(Agent, Vec<String>), RuleError> {
    let at = Place { file: &file.name, trust };
    let raw = read(&file.text).map_err(|problem| at.error(None, Kind::Syntax(problem)))?;
    if raw.schema > SCHEMA {
        return Err(at.error(None, Kind::Schema { found: raw.schema, known: SCHEMA }));
    }
    check_agent_id(&raw.id).map_err(|kind| at.error(None, kind))?;
    let total = raw.rules.len() + raw.identify.len() + raw.log_rules.len() + raw.hook_rules.len();
    if total > MAX_RULES {
        return Err(at.error(None, Kind::TooMany(total, MAX_RULES)));
    }
    let no_way =
        raw.process.names.is_empty() && raw.process.packages.is_empty() && raw.identify.is_empty();
    if !known && (raw.name.is_none() || no_way) {
        return Err(at.error(None, Kind::NoIdentity));
    }
    at.unique_ids(&raw)?;
    let agent = Agent {
        name: raw.name.clone().unwrap_or_default(),
        checked_with: raw.checked_with.clone(),
        source: file.name.clone(),
        process: ProcessNames {
            names: raw.process.names.clone(),
            packages: raw.process.packages.clone(),
            not_args: raw.process.not_args.clone(),
            but_args: raw.process.but_args.clone(),
            headless_args: raw.process.headless_args.clone(),
        },
        layout: at.layout(&raw)?,
        version: match &raw.version {
            Some(v) => Some(at.pattern("version", "screen", &v.screen)?),
            None => None,
        },
        background: raw
            .background
            .iter()
            .map(|b| {
                Ok(Background {
                    region: at.region("background", &b.region)?,
                    count: at.pattern("background", "count", &b.count)?,
                })
            })
            .collect::<Result<_, RuleError>>()?,
        identify: raw
            .identify
            .iter()
            .map(|r| at.rule(&raw.id, r, true))
            .collect::<Result<_, _>>()?,
        rules: raw.rules.iter().map(|r| at.rule(&raw.id, r, false)).collect::<Result<_, _>>()?,
        log_rules: raw
            .log_rules
            .iter()
            .map(|r| at.log_rule(&raw.id, r))
            .collect::<Result<_, _>>()?,
        hook_rules: raw
            .hook_rules
            .iter()
            .map(|r| at.hook_rule(&raw.id, r))
            .collect::<Result<_, _>>()?,
        id: raw.id,
    };
    Ok((agent, raw.disable))
}

#[cfg(feature = "user-rules")]
fn read(text: &str) -> Result<AgentFile, String> {
    toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())
}

/// The shipped files as the build script packed them.
#[cfg(not(feature = "user-rules"))]
fn read(text: &str) -> Result<AgentFile, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Makes every `\b` the boundary of an ASCII word. The Unicode one keeps the fast matcher from
/// running on any text with a box drawing character in it, and every marker is ASCII at its ends.
fn ascii_word_boundaries(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut chars = pattern.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('b') if !in_class => out.push_str(r"(?-u:\b)"),
                Some(escaped) => out.extend(['\\', escaped]),
                None => out.push('\\'),
            },
            c => {
                in_class = (in_class || c == '[') && c != ']';
                out.push(c);
            }
        }
    }
    out
}

fn check_agent_id(id: &str) -> Result<(), Kind> {
    let good = !id.is_empty()
        && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && AgentId::new(id).is_agent();
    if good { Ok(()) } else { Err(Kind::AgentId(id.to_owned())) }
}

/// Where an error is, and how one part after the other is compiled.
struct Place<'a> {
    file: &'a str,
    trust: Trust,
}

impl Place<'_> {
    fn error(&self, section: Option<&str>, kind: Kind) -> RuleError {
        RuleError { file: self.file.to_owned(), section: section.map(str::to_owned), kind }
    }

    fn value(&self, section: &str, key: &str, problem: String) -> RuleError {
        self.error(Some(section), Kind::Value { key: key.to_owned(), problem })
    }

    fn unique_ids(&self, raw: &AgentFile) -> Result<(), RuleError> {
        let mut seen = HashSet::new();
        let screen = raw.identify.iter().chain(&raw.rules).map(|r| &r.id);
        let records = raw.log_rules.iter().chain(&raw.hook_rules).map(|r| &r.id);
        for id in screen.chain(records) {
            let prefix = format!("{}.", raw.id);
            if !id.starts_with(&prefix) || id.len() == prefix.len() {
                return Err(self.error(Some(id), Kind::RuleId(raw.id.clone())));
            }
            if !seen.insert(id) {
                return Err(self.error(Some(id), Kind::Duplicate));
            }
        }
        Ok(())
    }

    fn pattern(&self, section: &str, key: &str, pattern: &str) -> Result<Pattern, RuleError> {
        let ascii = ascii_word_boundaries(pattern);
        if self.trust == Trust::Shipped {
            return Ok(Pattern::known_good(&ascii));
        }
        Pattern::checked(&ascii).map_err(|e| {
            let problem = e.to_string().lines().last().unwrap_or_default().trim().to_owned();
            let (key, pattern) = (key.to_owned(), pattern.to_owned());
            self.error(Some(section), Kind::Pattern { key, pattern, problem })
        })
    }

    /// Several patterns as one alternation; each is tried alone first, so that an error names it.
    fn any(
        &self,
        section: &str,
        key: &str,
        patterns: &[String],
    ) -> Result<Option<Pattern>, RuleError> {
        for pattern in patterns {
            self.pattern(section, key, pattern)?;
        }
        match patterns {
            [] => Ok(None),
            [one] => self.pattern(section, key, one).map(Some),
            many => {
                let joined: Vec<String> = many.iter().map(|p| format!("(?:{p})")).collect();
                self.pattern(section, key, &joined.join("|")).map(Some)
            }
        }
    }

    fn row(&self, section: &str, key: &str, pattern: &str) -> Result<RowPattern, RuleError> {
        self.pattern(section, key, pattern).map(|good| RowPattern::known_good(good.as_str()))
    }

    fn any_row(
        &self,
        section: &str,
        key: &str,
        patterns: &[String],
    ) -> Result<Option<RowPattern>, RuleError> {
        let any = self.any(section, key, patterns)?;
        Ok(any.map(|good| RowPattern::known_good(good.as_str())))
    }

    fn optional(
        &self,
        section: &str,
        key: &str,
        pattern: Option<&String>,
    ) -> Result<Option<RowPattern>, RuleError> {
        pattern.map(|p| self.row(section, key, p)).transpose()
    }

    fn region(&self, section: &str, name: &str) -> Result<Region, RuleError> {
        Region::ALL.iter().find(|(_, n)| *n == name).map(|(region, _)| *region).ok_or_else(|| {
            let names: Vec<&str> = Region::ALL.iter().map(|(_, n)| *n).collect();
            self.value(
                section,
                "region",
                format!("`{name}` is no region; use {}", names.join(", ")),
            )
        })
    }

    fn layout(&self, raw: &AgentFile) -> Result<Layout, RuleError> {
        let boxes = raw.input_box.iter().map(|b| self.input_box(b)).collect::<Result<_, _>>()?;
        let mut layout = Layout { boxes, status_rows: 30, dialog_rows: 40, ..Layout::default() };
        if let Some(StatusSection { skip, goes_on, max_rows }) = &raw.status {
            layout.status_skip = self.any_row("status", "skip", skip)?;
            layout.status_goes_on = self.any_row("status", "goes_on", goes_on)?;
            layout.status_rows = *max_rows;
        }
        if let Some(DialogSection { after, max_rows }) = &raw.dialog {
            layout.dialog_after = self.any_row("dialog", "after", after)?;
            layout.dialog_rows = *max_rows;
        }
        Ok(layout)
    }

    fn input_box(&self, raw: &InputBoxSection) -> Result<InputBox, RuleError> {
        let at = "input_box";
        Ok(InputBox {
            top: self.optional(at, "top", raw.top.as_ref())?,
            prompt: self.row(at, "prompt", &raw.prompt)?,
            bottom: self.optional(at, "bottom", raw.bottom.as_ref())?,
            inside: self.optional(at, "inside", raw.inside.as_ref())?,
            not_followed_by: self.optional(at, "not_followed_by", raw.not_followed_by.as_ref())?,
            footer: self.optional(at, "footer", raw.footer.as_ref())?,
            max_rows: raw.max_rows,
            footer_rows: raw.footer_rows,
        })
    }

    fn rule(&self, agent: &str, raw: &RuleSection, identify: bool) -> Result<Rule, RuleError> {
        let id = raw.id.as_str();
        let matcher = Matcher {
            present: raw.present,
            after_blank: raw.after_blank,
            contains: raw.contains.chunks(1).filter_map(Words::new).collect(),
            contains_any: Words::new(&raw.contains_any),
            not_contains: Words::new(&raw.not_contains),
            lines: raw
                .lines
                .iter()
                .map(|p| self.pattern(id, "lines", p))
                .collect::<Result<_, _>>()?,
            lines_any: self.any(id, "lines_any", &raw.lines_any)?,
            not_lines: self.any(id, "not_lines", &raw.not_lines)?,
        };
        if matcher.is_empty() {
            return Err(self.error(Some(id), Kind::Empty));
        }
        let says = self.says(agent, raw, identify)?;
        let rule = Rule {
            id: raw.id.clone(),
            region: self.region(id, &raw.region)?,
            says,
            reason: raw.reason.clone(),
            matcher,
        };
        self.examples(id, &raw.matching, &raw.no_match, |text| {
            // An example is the region itself; its first line may follow the opening quotes.
            let text = text.strip_prefix('\n').unwrap_or(text).trim_end();
            rule.matcher.find(&RegionText::new(text, true)).is_ok() && !text.is_empty()
        })?;
        Ok(rule)
    }

    fn says(&self, agent: &str, raw: &RuleSection, identify: bool) -> Result<Says, RuleError> {
        let id = raw.id.as_str();
        match (identify, raw.state.as_deref()) {
            (true, None) => Ok(Says::Identified),
            (true, Some(_)) => Err(self.value(
                id,
                "state",
                format!("a rule that identifies {agent} says no state; remove the key"),
            )),
            (false, Some("hold")) => Ok(Says::Hold),
            (false, state) => match state.and_then(|s| s.parse::<State>().ok()) {
                Some(s @ (State::Working | State::Idle | State::Waiting | State::Stopped)) => {
                    Ok(Says::State(s))
                }
                _ => Err(self.value(
                    id,
                    "state",
                    "a screen rule says `working`, `waiting`, `idle`, `stopped` or `hold`; \
                     completed and failed come from the agent's own log, exited from processes"
                        .to_owned(),
                )),
            },
        }
    }

    fn log_rule(&self, agent: &str, raw: &LogRuleSection) -> Result<LogRule, RuleError> {
        let id = raw.id.as_str();
        if raw.conditions.is_empty() {
            return Err(self.error(Some(id), Kind::Empty));
        }
        let says = match raw.state.as_str() {
            "ended" => LogSays::Ended,
            "closed" => LogSays::Closed,
            "unclear" => LogSays::Unclear,
            state => match state.parse::<State>() {
                Ok(s) if !matches!(s, State::Exited | State::Unknown) => LogSays::State(s),
                _ => {
                    return Err(self.value(
                        id,
                        "state",
                        format!(
                            "`{state}` is nothing that a log of {agent} can say; use working, \
                             waiting, idle, stopped, completed, failed, ended, closed or unclear"
                        ),
                    ));
                }
            },
        };
        let mut conditions = Vec::new();
        for (pointer, condition) in &raw.conditions {
            let path = self.pointer(id, pointer)?;
            for check in self.checks(id, pointer, condition)? {
                conditions.push((path.clone(), check));
            }
        }
        let text = raw.text.as_ref().map(|p| self.pointer(id, p)).transpose()?;
        let reason = raw.reason.clone();
        let rule = LogRule { id: raw.id.clone(), says, reason, conditions, text };
        self.examples(id, &raw.matching, &raw.no_match, |line| {
            serde_json::from_str(line).is_ok_and(|record| rule.matches(&record))
        })?;
        Ok(rule)
    }

    /// A hook's report is one record, so that it cannot leave it to an older one how a turn ended.
    fn hook_rule(&self, agent: &str, raw: &LogRuleSection) -> Result<LogRule, RuleError> {
        if matches!(raw.state.as_str(), "closed" | "unclear") {
            let problem = format!(
                "`{}` is nothing that a hook of {agent} can say; use working, waiting, idle, \
                 stopped, completed, failed or ended",
                raw.state
            );
            return Err(self.value(&raw.id, "state", problem));
        }
        self.log_rule(agent, raw)
    }

    fn pointer(&self, id: &str, pointer: &str) -> Result<Vec<String>, RuleError> {
        match pointer.strip_prefix('/') {
            Some(path) => {
                let part = |p: &str| p.replace("~1", "/").replace("~0", "~");
                Ok(path.split('/').map(part).collect())
            }
            None => Err(self.value(
                id,
                "where",
                format!("`{pointer}` is no JSON pointer; it begins with `/`"),
            )),
        }
    }

    fn checks(&self, id: &str, key: &str, condition: &Condition) -> Result<Vec<Check>, RuleError> {
        Ok(match condition {
            Condition::Flag(flag) => vec![Check::Is((*flag).into())],
            Condition::Number(number) => vec![Check::Is((*number).into())],
            Condition::Text(text) => vec![Check::Is(text.as_str().into())],
            Condition::OneOf(words) => vec![Check::OneOf(words.clone())],
            Condition::Test(test) => {
                let mut checks: Vec<Check> = test.exists.map(Check::Exists).into_iter().collect();
                if let Some(value) = &test.is_not {
                    checks.push(Check::IsNot(value.clone()));
                }
                if let Some(pattern) = &test.matches {
                    checks.push(Check::Matches(self.pattern(id, key, pattern)?));
                }
                if checks.is_empty() {
                    let problem = "give `exists`, `is_not` or `matches`".to_owned();
                    return Err(self.value(id, key, problem));
                }
                checks
            }
        })
    }

    fn examples(
        &self,
        id: &str,
        good: &[String],
        bad: &[String],
        matches: impl Fn(&str) -> bool,
    ) -> Result<(), RuleError> {
        if self.trust == Trust::Shipped {
            return Ok(());
        }
        for (list, examples, wanted, problem) in
            [("match", good, true, "is not matched"), ("no_match", bad, false, "is matched")]
        {
            if examples.is_empty() {
                return Err(self.error(Some(id), Kind::NoExample(list)));
            }
            if let Some(wrong) = examples.iter().position(|text| matches(text) != wanted) {
                let number = wrong + 1;
                return Err(self.error(Some(id), Kind::Example { list, number, problem }));
            }
        }
        Ok(())
    }
}
