//! Packs the rule files for builds that read no others: no comments, no examples, no pattern that
//! needs more tables than the others do, and JSON, which needs no reader of its own.

mod letter_case;

use std::error::Error;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build");
    if env::var_os("CARGO_FEATURE_USER_RULES").is_some() {
        return Ok(());
    }
    println!("cargo::rerun-if-changed=rules");
    let out = env::var_os("OUT_DIR").ok_or("cargo names no folder")?;
    for entry in fs::read_dir("rules")? {
        let path = entry?.path();
        let name = path.file_stem().ok_or("a rule file without a name")?;
        let mut file: toml::Table = fs::read_to_string(&path)?.parse()?;
        for rules in ["identify", "rules", "log_rules", "hook_rules"] {
            let rules = file.get_mut(rules).and_then(toml::Value::as_array_mut);
            for rule in rules.into_iter().flatten().filter_map(toml::Value::as_table_mut) {
                // The tests of this crate tried them.
                rule.remove("match");
                rule.remove("no_match");
            }
        }
        file.iter_mut().try_for_each(|(_, value)| spell_out(value))?;
        let packed = Path::new(&out).join(name).with_extension("json");
        fs::write(packed, serde_json::to_string(&file)?)?;
    }
    Ok(())
}

/// Spells out both cases in all patterns of a file.
fn spell_out(value: &mut toml::Value) -> Result<(), Box<dyn Error>> {
    match value {
        toml::Value::String(text) if text.contains("(?i") => {
            *text = letter_case::spelled_out(text)?;
        }
        toml::Value::Array(all) => all.iter_mut().try_for_each(spell_out)?,
        toml::Value::Table(all) => all.iter_mut().try_for_each(|(_, value)| spell_out(value))?,
        _ => {}
    }
    Ok(())
}
