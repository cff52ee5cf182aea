//! The formats that tmux evaluates whenever it draws a border.
//!
//! They read the options of the pane, so that a change of state is one `set` and a pulse or a
//! running time is none. They hold no text of a pane, a log or a title, only names of options.
//! tmux 3.2 and 3.3 give up ten levels deep, so the formats are flat.

use super::decor::Taken;
use super::names::{environment, global, pane};
use crate::config::{Border, Part};

/// After so many seconds without a sign of life the user's own style comes back. Above the
/// slowest pace, at which nobody looks.
const STALE: u32 = 10;

/// The formats of one configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formats {
    /// For [`global::BORDER`].
    pub border: String,
    /// For [`global::ACTIVE_BORDER`].
    pub active_border: String,
    /// For [`global::LABEL`].
    pub label: String,
}

impl Formats {
    /// For tmux 3.2 and newer.
    pub fn full(border: &Border, coloured_label: bool) -> Self {
        let pulsing =
            format!("#{{&&:#{{!=:#{{{}}},}},#{{==:#{{{}}},1}}}}", pane::PULSE, environment::PHASE);
        let paint = format!("#{{?{pulsing},#{{{}}},#{{{}}}}}", pane::PULSE, pane::STYLE);
        let fresh = format!(
            "#{{e|<:#{{e|-:#{{T:{}}},#{{{}}}}},{STALE}}}",
            global::CLOCK,
            environment::BEAT
        );
        let when = |option: &str, then: &str, otherwise: &str| {
            format!("#{{?#{{&&:#{{!=:#{{{option}}},}},{fresh}}},{then},{otherwise}}}")
        };
        let user = |taken: Taken| format!("#{{E:{}}}", taken.copy());
        let colour = if coloured_label { format!("#[{paint}]") } else { String::new() };
        let label =
            format!("#{{?pane_active,#[reverse],}}{colour} {} #[default]", label(border).trim());
        Self {
            border: when(pane::STYLE, &paint, &user(Taken::Border)),
            active_border: when(pane::STYLE, &format!("{paint}#,bold"), &user(Taken::ActiveBorder)),
            label: when(pane::STATE, &label, &format!("#{{T:{}}}", Taken::Label.copy())),
        }
    }

    /// For tmux 3.0 and 3.1, which can neither calculate nor put formats in border styles: the
    /// label alone, without times.
    pub fn label_only() -> Self {
        let label = format!(
            "#[#{{{}}}] #{{{}}} #{{{}}} #{{{}}} #[default]",
            pane::STYLE,
            pane::ICON,
            pane::AGENT,
            pane::WHAT
        );
        let user = Taken::Label.copy();
        Self {
            border: String::new(),
            active_border: String::new(),
            label: format!("#{{?#{{{}}},{label},#{{E:{user}}}}}", pane::STATE),
        }
    }
}

/// The label, shorter where the pane is narrow.
fn label(border: &Border) -> String {
    let option = |name: &str| format!("#{{{name}}}");
    let (icon, agent, age) = (option(pane::ICON), option(pane::AGENT), age());
    let mut full = template(border);
    if border.title {
        // A `#` in a title must not start a style.
        full.push_str(" #{q/h:pane_title}");
    }
    let at_least = |cells: &str, then: &str, otherwise: &str| {
        format!("#{{?#{{e|>=:#{{pane_width}},{cells}}},{then},{otherwise}}}")
    };
    let narrow = at_least("12", &format!("{icon} #{{=5:{}}}", pane::AGENT), &icon);
    let short = at_least("22", &format!("{icon} {agent} {age}"), &narrow);
    at_least(&option(pane::WIDE), &full, &short)
}

/// The user's text of the label as a format.
fn template(border: &Border) -> String {
    let mut out = String::new();
    let mut optional: Option<&str> = None;
    for part in border.label.parts() {
        let field = match part {
            Part::Field(field) => *field,
            Part::Text(text) => {
                // A field without a value takes the space beside it along.
                let rest = escape(text.strip_prefix(' ').unwrap_or(text));
                let text = escape(text);
                match optional.take() {
                    Some(option) => out.extend(["#{?#{", option, "},", &text, ",", &rest, "}"]),
                    None => out.push_str(&text),
                }
                continue;
            }
        };
        optional = match field {
            "reason" => Some(pane::REASON),
            "background" => Some(pane::BACKGROUND),
            _ => None,
        };
        let option = match field {
            "glyph" => pane::ICON,
            "agent" => pane::AGENT,
            "state" => pane::STATE,
            "what" => pane::WHAT,
            "reason" => pane::REASON,
            "background" => pane::BACKGROUND,
            // `since`
            _ => {
                out.push_str(&age());
                continue;
            }
        };
        out.extend(["#{", option, "}"]);
    }
    out
}

/// Text as it is, inside a branch of a format.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in crate::output::for_tmux(text).chars() {
        match c {
            ',' | '}' => out.extend(['#', c]),
            // `pane-border-format` goes through strftime.
            '%' => out.push_str("%%"),
            c => out.push(c),
        }
    }
    out
}

/// How long the pane has been in its state, as [`crate::output::since`] writes it.
fn age() -> String {
    let seconds = format!("#{{e|-:#{{T:{}}},#{{{}}}}}", global::CLOCK, pane::SINCE);
    let div = |n: u32| format!("#{{e|/:{seconds},{n}}}");
    // `e|m` divides with a remainder in every version; `%` would meet strftime.
    let rest = |n: u32| format!("#{{e|m:{seconds},{n}}}");
    let within = |from: u32, to: u32, text: String| {
        format!("#{{?#{{&&:#{{e|>=:{seconds},{from}}},#{{e|<:{seconds},{to}}}}},{text},}}")
    };
    let minutes_of_hour = format!("#{{e|/:#{{e|m:{seconds},3600}},60}}");
    [
        format!("#{{?#{{e|<:{seconds},0}},0s,}}"),
        within(0, 60, format!("{seconds}s")),
        within(60, 600, format!("{}m{}s", div(60), rest(60))),
        within(600, 3600, format!("{}m", div(60))),
        within(3600, 36_000, format!("{}h{minutes_of_hour}m", div(3600))),
        within(36_000, 172_800, format!("{}h", div(3600))),
        format!("#{{?#{{e|>=:{seconds},172800}},{}d,}}", div(86_400)),
    ]
    .concat()
}
