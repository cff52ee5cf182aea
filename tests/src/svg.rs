//! Draws a terminal's screen as SVG.
//!
//! Text stays text; lines between panes and block elements are drawn as shapes, since fonts leave
//! gaps between them.

use crate::screen::{Colour, Screen, Style};
use std::fmt::Write as _;

/// What to draw around a screen.
#[derive(Debug, Clone)]
pub struct Picture<'a> {
    /// The screen.
    pub screen: &'a Screen,
    /// Columns of the terminal.
    pub cols: usize,
    /// Text in the middle of the window's title bar.
    pub title: &'a str,
    /// What the picture shows, for those who cannot see it.
    pub description: &'a str,
}

const CELL_W: f64 = 8.4;
const CELL_H: f64 = 18.0;
const BASELINE: f64 = 13.2;
const FONT: f64 = 14.0;
const PAD: f64 = 14.0;
const BAR: f64 = 34.0;
const BACKGROUND: &str = "#16181d";
const FOREGROUND: &str = "#c9ced6";

/// Draws the picture.
pub fn svg(picture: &Picture<'_>) -> String {
    let rows = picture.screen.rows.len();
    let (w, h) = (picture.cols as f64 * CELL_W + 2.0 * PAD, rows as f64 * CELL_H + BAR + PAD);
    let mut out = String::new();
    let _ = write!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w:.0} {h:.0}" width="{w:.0}" height="{h:.0}" role="img" aria-label="{label}">
<title>{label}</title>
<style>text{{font:{FONT}px ui-monospace,"Cascadia Mono","SF Mono","DejaVu Sans Mono",Menlo,Consolas,monospace;white-space:pre}}</style>
<rect x=".5" y=".5" width="{rw:.0}" height="{rh:.0}" rx="9" fill="{BACKGROUND}" stroke="#2d3139"/>
<circle cx="20" cy="17" r="5.5" fill="#e0645c"/><circle cx="38" cy="17" r="5.5" fill="#dfa83f"/><circle cx="56" cy="17" r="5.5" fill="#5bb35f"/>
<text x="{mid:.1}" y="21.5" fill="#7d8590" text-anchor="middle">{title}</text>
"##,
        label = escape(picture.description),
        title = escape(picture.title),
        rw = w - 1.0,
        rh = h - 1.0,
        mid = w / 2.0,
    );
    for y in 0..rows {
        draw_row(&mut out, picture, y);
    }
    out.push_str("</svg>\n");
    out
}

/// Neighbouring cells of one style.
struct Run {
    x: usize,
    width: usize,
    text: String,
    style: Style,
}

fn draw_row(out: &mut String, picture: &Picture<'_>, y: usize) {
    let top = BAR + y as f64 * CELL_H;
    let mut run: Option<Run> = None;
    for x in 0..picture.cols {
        let cell = picture.screen.cell(x, y);
        let (fg, bg) = colours(cell.style);
        if let Some(bg) = &bg {
            rect(out, (PAD + x as f64 * CELL_W, top), (CELL_W + 0.3, CELL_H + 0.3), bg);
        }
        let shape = cell.text.chars().next().and_then(|c| shape(c, x, top, &fg, cell.style.bold));
        if let Some(shape) = &shape {
            out.push_str(shape);
        }
        let text = if shape.is_some() { "" } else { cell.text.as_str() };
        let blank = text.trim().is_empty();
        match &mut run {
            Some(open) if blank || open.style != cell.style => {
                draw_run(out, open, top);
                run = (!blank).then(|| Run { x, width: 1, text: text.into(), style: cell.style });
            }
            Some(open) => {
                open.text.push_str(text);
                open.width += 1;
            }
            None if !blank => {
                run = Some(Run { x, width: 1, text: text.into(), style: cell.style });
            }
            None => {}
        }
    }
    if let Some(open) = &run {
        draw_run(out, open, top);
    }
}

fn draw_run(out: &mut String, run: &Run, top: f64) {
    let (fg, _) = colours(run.style);
    let mut extra = String::new();
    if run.style.bold {
        extra.push_str(r#" font-weight="700""#);
    }
    if run.style.italic {
        extra.push_str(r#" font-style="italic""#);
    }
    if run.style.dim {
        extra.push_str(r#" opacity=".62""#);
    }
    if run.style.underline {
        extra.push_str(r#" text-decoration="underline""#);
    }
    let _ = writeln!(
        out,
        r#"<text x="{:.1}" y="{:.1}" textLength="{:.1}" lengthAdjust="spacingAndGlyphs" fill="{fg}"{extra}>{}</text>"#,
        PAD + run.x as f64 * CELL_W,
        top + BASELINE,
        run.width as f64 * CELL_W,
        escape(&run.text),
    );
}

/// Foreground, and the background where it is not the window's.
fn colours(style: Style) -> (String, Option<String>) {
    let hex = |colour: Colour| colour.rgb().map(|(r, g, b)| format!("#{r:02x}{g:02x}{b:02x}"));
    let (fg, bg) = (hex(style.fg), hex(style.bg));
    if style.reverse {
        let fg = fg.unwrap_or_else(|| FOREGROUND.to_owned());
        return (bg.unwrap_or_else(|| BACKGROUND.to_owned()), Some(fg));
    }
    (fg.unwrap_or_else(|| FOREGROUND.to_owned()), bg)
}

fn rect(out: &mut String, at: (f64, f64), size: (f64, f64), fill: &str) {
    let ((x, y), (w, h)) = (at, size);
    let _ = writeln!(
        out,
        r#"<rect x="{x:.1}" y="{y:.1}" width="{w:.1}" height="{h:.1}" fill="{fill}"/>"#
    );
}

/// A box line or block element as shape; `None` for what a font draws.
fn shape(c: char, x: usize, top: f64, fill: &str, bold: bool) -> Option<String> {
    let left = PAD + x as f64 * CELL_W;
    if let Some(arms) = arms(c) {
        return Some(lines(arms, (left, top), fill, bold));
    }
    let blocks: &[(f64, f64, f64, f64)] = match c {
        '█' => &[(0.0, 0.0, 1.0, 1.0)],
        '▀' => &[(0.0, 0.0, 1.0, 0.5)],
        '▄' => &[(0.0, 0.5, 1.0, 0.5)],
        '▌' => &[(0.0, 0.0, 0.5, 1.0)],
        '▎' => &[(0.0, 0.0, 0.25, 1.0)],
        '▐' => &[(0.5, 0.0, 0.5, 1.0)],
        '▔' => &[(0.0, 0.0, 1.0, 0.125)],
        '▁' => &[(0.0, 0.875, 1.0, 0.125)],
        '▘' => &[(0.0, 0.0, 0.5, 0.5)],
        '▝' => &[(0.5, 0.0, 0.5, 0.5)],
        '▖' => &[(0.0, 0.5, 0.5, 0.5)],
        '▗' => &[(0.5, 0.5, 0.5, 0.5)],
        '▛' => &[(0.0, 0.0, 1.0, 0.5), (0.0, 0.5, 0.5, 0.5)],
        '▜' => &[(0.0, 0.0, 1.0, 0.5), (0.5, 0.5, 0.5, 0.5)],
        '▙' => &[(0.0, 0.0, 0.5, 0.5), (0.0, 0.5, 1.0, 0.5)],
        '▟' => &[(0.5, 0.0, 0.5, 0.5), (0.0, 0.5, 1.0, 0.5)],
        _ => return None,
    };
    let mut out = String::new();
    for (bx, by, bw, bh) in blocks {
        let at = (left + bx * CELL_W, top + by * CELL_H);
        rect(&mut out, at, (bw * CELL_W + 0.2, bh * CELL_H + 0.2), fill);
    }
    Some(out)
}

/// Which ways a line goes from the middle of its cell: left, right, up, down; 2 is heavy.
fn arms(c: char) -> Option<[u8; 4]> {
    Some(match c {
        '─' | '╌' | '┄' => [1, 1, 0, 0],
        '━' => [2, 2, 0, 0],
        '│' | '╎' | '┆' => [0, 0, 1, 1],
        '┃' => [0, 0, 2, 2],
        '┌' | '╭' => [0, 1, 0, 1],
        '┐' | '╮' => [1, 0, 0, 1],
        '└' | '╰' => [0, 1, 1, 0],
        '┘' | '╯' => [1, 0, 1, 0],
        '├' => [0, 1, 1, 1],
        '┤' => [1, 0, 1, 1],
        '┬' => [1, 1, 0, 1],
        '┴' => [1, 1, 1, 0],
        '┼' => [1, 1, 1, 1],
        '╹' => [0, 0, 2, 0],
        '╻' => [0, 0, 0, 2],
        _ => return None,
    })
}

fn lines(arms: [u8; 4], at: (f64, f64), fill: &str, bold: bool) -> String {
    let (mid_x, mid_y) = (at.0 + CELL_W / 2.0, at.1 + CELL_H / 2.0);
    let thick = |weight: u8| if bold { 1.0 } else { 0.0 } + f64::from(weight) * 1.3;
    let mut out = String::new();
    let [left, right, up, down] = arms;
    for (weight, x, w) in [(left, at.0, CELL_W / 2.0), (right, mid_x, CELL_W / 2.0)] {
        if weight > 0 {
            let t = thick(weight);
            rect(&mut out, (x - 0.1, mid_y - t / 2.0), (w + 0.2, t), fill);
        }
    }
    for (weight, y, h) in [(up, at.1, CELL_H / 2.0), (down, mid_y, CELL_H / 2.0)] {
        if weight > 0 {
            let t = thick(weight);
            rect(&mut out, (mid_x - t / 2.0, y - 0.1), (t, h + 0.2), fill);
        }
    }
    out
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_lines_are_shapes() {
        let screen = Screen::parse("\x1b[38;2;1;2;3ma<b\x1b[m │");
        let picture = svg(&Picture { screen: &screen, cols: 8, title: "t", description: "\"d\"" });
        assert!(picture.contains("a&lt;b</text>"), "{picture}");
        assert!(picture.contains("#010203"));
        assert!(!picture.contains('│'));
        assert!(picture.contains("aria-label=\"&quot;d&quot;\""));
    }
}
