//! Hooks in an agent's settings file: put in and taken out, with everything else as it was,
//! comments and layout too.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};

/// One hook: an event of the agent and the command that it calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hook {
    pub(super) event: String,
    pub(super) command: String,
}

/// Adds groups with these hooks. Fails with what is wrong where the file is no settings file.
pub(super) fn with(text: &str, hooks: &[Hook], timeout: u32) -> Result<String, String> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = parse(text)?;
    let table = settings(&root)?
        .object_value_or_create("hooks")
        .ok_or_else(|| "`hooks` is no object".to_owned())?;
    for hook in hooks {
        let groups = table
            .array_value_or_create(&hook.event)
            .ok_or_else(|| format!("`hooks.{}` is no list", hook.event))?;
        let object = |pairs: Vec<(&str, CstInputValue)>| {
            let owned = pairs.into_iter().map(|(key, value)| (key.to_owned(), value));
            CstInputValue::Object(owned.collect())
        };
        let command = object(vec![
            ("type", "command".into()),
            ("command", hook.command.as_str().into()),
            ("timeout", CstInputValue::Number(timeout.to_string())),
        ]);
        groups.append(object(vec![("hooks", CstInputValue::Array(vec![command]))]));
    }
    Ok(root.to_string())
}

/// Takes out every hook whose command is ours, and what is empty without it.
pub(super) fn without(text: &str, is_ours: impl Fn(&str) -> bool) -> Result<String, String> {
    if text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let root = parse(text)?;
    let Some(table) = settings(&root)?.get("hooks") else { return Ok(text.to_owned()) };
    let Some(events) = table.object_value() else { return Ok(text.to_owned()) };
    let mut changed = false;
    for event in events.properties() {
        let Some(groups) = event.array_value() else { continue };
        let mut taken = false;
        for group in groups.elements() {
            let Some(commands) = group.as_object().and_then(|group| group.array_value("hooks"))
            else {
                continue;
            };
            let ours = commands.elements().into_iter().filter(|command| {
                let command = command.as_object().and_then(|command| command.get("command"));
                let text = command.and_then(|command| command.value()?.as_string_lit());
                text.and_then(|text| text.decoded_value().ok()).is_some_and(|text| is_ours(&text))
            });
            let ours: Vec<_> = ours.collect();
            taken |= !ours.is_empty();
            let emptied = !ours.is_empty() && ours.len() == commands.elements().len();
            if emptied {
                group.remove();
            } else {
                ours.into_iter().for_each(jsonc_parser::cst::CstNode::remove);
            }
        }
        changed |= taken;
        if taken && groups.elements().is_empty() {
            event.remove();
        }
    }
    if changed && events.properties().is_empty() {
        table.remove();
    }
    Ok(if changed { root.to_string() } else { text.to_owned() })
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    CstRootNode::parse(text, &options).map_err(|error| error.to_string())
}

fn settings(root: &CstRootNode) -> Result<CstObject, String> {
    root.object_value().ok_or_else(|| "it is no JSON object".to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn hooks() -> Vec<Hook> {
        let hook = |event: &str| Hook {
            event: event.to_owned(),
            command: format!("madohub hook {event} --agent claude"),
        };
        vec![hook("Stop"), hook("SessionStart")]
    }

    fn is_ours(command: &str) -> bool {
        command.starts_with("madohub hook ")
    }

    #[test]
    fn an_empty_file_gets_hooks_and_loses_them() {
        for empty in ["", "{}", "{}\n", " \n"] {
            let merged = with(empty, &hooks(), 5).unwrap();
            let value: serde_json::Value = serde_json::from_str(&merged).unwrap();
            let hook = value.pointer("/hooks/Stop/0/hooks/0").unwrap();
            let text = |key: &str| hook.get(key).and_then(serde_json::Value::as_str);
            assert_eq!(text("command"), Some("madohub hook Stop --agent claude"));
            assert_eq!(text("type"), Some("command"));
            assert_eq!(hook.get("timeout").and_then(serde_json::Value::as_u64), Some(5));
            let back = without(&merged, is_ours).unwrap();
            assert_eq!(back.split_whitespace().collect::<String>(), "{}", "{back}");
        }
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        let text = r#"{
    // mine
    "zeta": 1.50, "alpha": [1,2],
    "hooks": {
        "Stop": [ { "matcher": "x", "hooks": [ { "type": "command", "command": "beep" } ] } ],
        "PreToolUse": []
    },   /* end */
    "last": null
}
"#;
        let merged = with(text, &hooks(), 5).unwrap();
        for part in ["// mine\n    \"zeta\": 1.50, \"alpha\": [1,2],", "/* end */", "\"beep\""] {
            assert!(merged.contains(part), "{part}\n{merged}");
        }
        let stop = merged.find("beep").unwrap();
        assert!(merged.find("madohub hook Stop").unwrap() > stop, "{merged}");
        let back = without(&merged, is_ours).unwrap();
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(plain(&back), plain(text));
        assert_eq!(without(text, is_ours).unwrap(), text, "nothing of ours, nothing changed");
    }

    #[test]
    fn what_is_no_settings_file_is_refused() {
        for (text, told) in [
            ("[]", "no JSON object"),
            ("{", "Unterminated object"),
            (r#"{"hooks": []}"#, "`hooks` is no object"),
            (r#"{"hooks": {"Stop": {}}}"#, "`hooks.Stop` is no list"),
        ] {
            let error = with(text, &hooks(), 5).unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
