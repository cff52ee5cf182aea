//! A request to the model, whatever interface it came by.

use super::truth::Key;
use serde_json::Value;
use std::collections::BTreeMap;

/// What a request says, as far as the script needs it.
#[derive(Debug)]
pub(super) struct Asked {
    /// The conversation, oldest first.
    pub(super) items: Vec<Item>,
    /// The tools on offer with the schemas of their arguments.
    pub(super) tools: BTreeMap<String, Value>,
    /// The reply is wanted as a stream.
    pub(super) stream: bool,
}

/// One thing in a conversation.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// What the person, or the agent in its name, wrote.
    User(String),
    /// The result of a tool, as text.
    ToolResult(String),
    /// Everything else.
    Other,
}

impl Asked {
    /// The newest scene that a prompt names, and the number of tool results since.
    pub(super) fn scene(&self) -> Option<(Key, usize)> {
        let mut results = 0;
        for item in self.items.iter().rev() {
            match item {
                Item::ToolResult(_) => results += 1,
                Item::User(text) => {
                    if let Some(key) = scene(text) {
                        return Some((key, results));
                    }
                }
                Item::Other => {}
            }
        }
        None
    }

    /// The first identifier in the newest tool result: what a subagent is waited for by.
    pub(super) fn result_id(&self) -> Option<String> {
        let newest = self.items.iter().rev().find_map(|item| match item {
            Item::ToolResult(text) => Some(text),
            _ => None,
        })?;
        let words = newest.split(|c: char| !c.is_ascii_hexdigit() && c != '-');
        words.into_iter().find(|word| is_uuid(word)).map(str::to_owned)
    }

    /// Agents also ask for titles and summaries, which no person sees as a turn: with no tools, or
    /// with one that takes the answer.
    pub(super) fn is_aside(&self) -> bool {
        self.tools.len() < 2
    }
}

fn is_uuid(word: &str) -> bool {
    word.split('-').map(str::len).eq([8, 4, 4, 4, 12])
}

/// The last `scene:NAME-NUMBER` in a text.
fn scene(text: &str) -> Option<Key> {
    let (_, rest) = text.rsplit_once("scene:")?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// All text in a message's content: a string, or a list of parts.
pub(super) fn texts(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let text =
                |part: &Value| part.as_str().or_else(|| part["text"].as_str()).map(str::to_owned);
            parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_newest_prompt_and_its_results_count() {
        let user = |text: &str| Item::User(text.to_owned());
        let result = |text: &str| Item::ToolResult(text.to_owned());
        let items = vec![
            user("scene:old-1"),
            result("ok"),
            user("please scene:tool-2 now"),
            Item::Other,
            result(r#"{"id":"0199a1b2-0000-7000-8000-00000000000a","n":1}"#),
            user("<environment>"),
        ];
        let asked = Asked { items, tools: BTreeMap::new(), stream: true };
        assert_eq!(asked.scene(), Some(("tool-2".parse().unwrap(), 1)));
        assert_eq!(asked.result_id().unwrap(), "0199a1b2-0000-7000-8000-00000000000a");
        assert!(asked.is_aside());
    }

    #[test]
    fn text_comes_in_parts_or_whole() {
        assert_eq!(texts(&json!("a")), "a");
        assert_eq!(texts(&json!([{"type": "text", "text": "a"}, "b", {"type": "image"}])), "a\nb");
        assert_eq!(texts(&Value::Null), "");
    }
}
