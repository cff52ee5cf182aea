//! What stands in the `{…}` places of a route's texts. All of it is data.

use super::view::PaneView;
use crate::config::Template;
use crate::protocol::Event;
use madohub_detect::delivery::{harmless, harmless_value};

/// The fields of a text.
pub const FIELDS: [&str; 15] = [
    "agent",
    "state",
    "from_state",
    "reason",
    "pane",
    "place",
    "role",
    "session",
    "window",
    "title",
    "cwd",
    "model",
    "last_message",
    "host",
    "turn",
];
/// Characters that one value may have.
const VALUE_MAX: usize = 8_000;

/// The values of an event and its pane.
pub struct Values<'a> {
    event: &'a Event,
    pane: Option<&'a PaneView>,
}

impl<'a> Values<'a> {
    /// Of this event; `pane` is the pane that it happened in, unless it is gone.
    pub fn new(event: &'a Event, pane: Option<&'a PaneView>) -> Self {
        Self { event, pane }
    }

    /// A text for an input box or a file: the user's own lines, and values of one line each.
    pub fn fill(&self, template: &Template) -> String {
        harmless(&template.fill(|field| self.value(field)))
    }

    /// An argument of a program; refused where a value would make an option of it.
    pub fn argument(&self, template: &Template) -> Result<String, String> {
        let text = self.fill(template);
        let own = template.fill(|_| String::new());
        if text.starts_with('-') && !own.starts_with('-') {
            return Err(format!("an argument would begin with `-`: {text}"));
        }
        Ok(text)
    }

    fn value(&self, field: &str) -> String {
        let event = self.event;
        let view = |value: fn(&PaneView) -> &str| self.pane.map_or("", value);
        let row = self.pane.and_then(|pane| pane.listed.as_ref()).map(|listed| &listed.row);
        let text = match field {
            "agent" => event.agent.as_str(),
            "state" => event.to.as_str(),
            "from_state" => event.from.as_str(),
            "reason" => event.reason.as_deref().unwrap_or_default(),
            "pane" => event.pane.as_str(),
            "place" => view(|pane| pane.places.first().map_or("", String::as_str)),
            "role" => view(|pane| &pane.role),
            "session" => view(|pane| &pane.session),
            "window" => view(|pane| &pane.window),
            "title" => view(|pane| &pane.title),
            "cwd" => self.pane.and_then(|pane| pane.cwd.as_deref()).unwrap_or_default(),
            "model" => row.and_then(|row| row.model.as_deref()).unwrap_or_default(),
            "last_message" => row.and_then(|row| row.last_message.as_deref()).unwrap_or_default(),
            "host" => event.host.as_str(),
            "turn" => event.turn.as_str(),
            _ => "",
        };
        let cut: String = text.chars().take(VALUE_MAX).collect();
        harmless_value(&cut)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::*;
    use crate::routes::memory::tests::event;

    fn filled(text: &str, title: &str) -> String {
        let event = event(1, "%3", "working>completed 4 log");
        let pane = PaneView { title: title.to_owned(), ..PaneView::default() };
        let template = Template::parse(text, &FIELDS).unwrap();
        Values::new(&event, Some(&pane)).fill(&template)
    }

    #[test]
    fn values_are_data_on_one_line() {
        assert_eq!(filled("{agent} {state} in {pane}", ""), "claude completed in %3");
        assert_eq!(filled("of {title}:\nnext", "a\u{1b}[201~\r\nb\u{202e}"), "of a[201~ b:\nnext");
        assert_eq!(filled("{title}", "$(x) `x` #(x) {agent}"), "$(x) `x` #(x) {agent}");
        assert_eq!(filled("{title}", &"x".repeat(9_000)).len(), VALUE_MAX);
    }

    #[test]
    fn no_value_becomes_an_option() {
        let event = event(1, "%3", "working>completed 4 log");
        let pane = PaneView { title: "--exec=x".to_owned(), ..PaneView::default() };
        let values = Values::new(&event, Some(&pane));
        let argument = |text: &str| values.argument(&Template::parse(text, &FIELDS).unwrap());
        assert!(argument("{title}").is_err());
        assert_eq!(argument("title: {title}").unwrap(), "title: --exec=x");
        assert_eq!(argument("--title={title}").unwrap(), "--title=--exec=x");
    }

    #[test]
    fn every_field_has_a_value() {
        for field in FIELDS {
            let text = filled(&format!("<{{{field}}}>"), "t");
            assert!(text.starts_with('<') && text.ends_with('>'), "{field}: {text}");
        }
    }
}
