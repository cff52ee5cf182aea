//! The theme options of the user's zellij configuration. The plugin changes the theme for a
//! moment and has to put back what the user has.

use kdl::{KdlDocument, KdlValue};
use serde::Serialize;
use std::fs;
use std::path::Path;

/// The options, where set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ThemeOptions {
    /// `theme`
    pub theme: Option<String>,
    /// `theme_dark`
    pub theme_dark: Option<String>,
    /// `theme_light`
    pub theme_light: Option<String>,
}

/// Reads the options from a configuration file; none when there is a file that cannot be read.
pub fn theme_options(config: &Path) -> Option<ThemeOptions> {
    match fs::read_to_string(config) {
        Ok(text) => read(&text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(ThemeOptions::default()),
        Err(_) => None,
    }
}

fn read(config: &str) -> Option<ThemeOptions> {
    let document: KdlDocument = config.parse().ok()?;
    let option = |name| document.get_arg(name).and_then(KdlValue::as_string).map(str::to_owned);
    Some(ThemeOptions {
        theme: option("theme"),
        theme_dark: option("theme_dark"),
        theme_light: option("theme_light"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_set() {
        let config = "// theme \"old\"\ntheme_dark \"a b\"\nkeybinds {\n}\ntheme_light r\"c\"\n";
        let options = read(config).unwrap_or_default();
        assert_eq!(options.theme, None);
        assert_eq!(options.theme_dark.as_deref(), Some("a b"));
        assert_eq!(options.theme_light.as_deref(), Some("c"));
        assert_eq!(read("theme \""), None);
    }
}
