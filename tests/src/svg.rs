//! Draws a terminal's screen as SVG.
//!
//! Text stays text; lines between panes and block elements are drawn as shapes, since fonts leave
//! gaps between them.

use crate::screen::{Cell, Colour, Screen, Style};
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
<style>text{{font:{FONT}px ui-monospace,"Cascadia Mono","SF Mono","DejaVu Sans Mono",Menlo,Consolas,monospace;white-space:pre}}.c{{shape-rendering:crispEdges}}</style>
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
    out.push_str("<g class=\"c\">\n");
    for y in 0..rows {
        draw_row(&mut out, picture, y);
    }
    out.push_str("</g>\n</svg>\n");
    out
}

fn draw_row(out: &mut String, picture: &Picture<'_>, y: usize) {
    let top = BAR + y as f64 * CELL_H;
    let cells: Vec<Cell> = (0..picture.cols).map(|x| picture.screen.cell(x, y)).collect();
    let same_background = |a: &Cell, b: &Cell| colours(a.style).1 == colours(b.style).1;
    for (x, run) in runs(&cells, same_background) {
        if let (_, Some(background)) = colours(run[0].style) {
            rect(out, (left(x), top), (run.len() as f64 * CELL_W, CELL_H), &background);
        }
    }
    let same_text = |a: &Cell, b: &Cell| {
        a.style == b.style && is_blank(a) == is_blank(b) && is_shape(a) == is_shape(b)
    };
    for (x, run) in runs(&cells, same_text) {
        if is_blank(&run[0]) {
            continue;
        }
        if is_shape(&run[0]) {
            for (at, same) in runs(run, |a, b| a.text == b.text) {
                draw_shapes(out, x + at, same, top);
            }
        } else {
            draw_text(out, x, run, top);
        }
    }
}

/// Neighbouring cells that belong together, each with its first column.
fn runs(
    cells: &[Cell],
    together: impl Fn(&Cell, &Cell) -> bool,
) -> impl Iterator<Item = (usize, &[Cell])> {
    cells.chunk_by(together).scan(0, |x, run| {
        let start = *x;
        *x += run.len();
        Some((start, run))
    })
}

fn left(x: usize) -> f64 {
    PAD + x as f64 * CELL_W
}

fn is_blank(cell: &Cell) -> bool {
    // The second half of a wide character belongs to the first.
    cell.text == " "
}

fn is_shape(cell: &Cell) -> bool {
    cell.text.chars().next().is_some_and(|c| arms(c).is_some() || !blocks(c).is_empty())
}

fn draw_text(out: &mut String, x: usize, run: &[Cell], top: f64) {
    let style = run[0].style;
    let (fg, _) = colours(style);
    let mut extra = String::new();
    if style.bold {
        extra.push_str(r#" font-weight="700""#);
    }
    if style.italic {
        extra.push_str(r#" font-style="italic""#);
    }
    if style.dim {
        extra.push_str(r#" opacity=".62""#);
    }
    if style.underline {
        extra.push_str(r#" text-decoration="underline""#);
    }
    let text: String = run.iter().map(|cell| cell.text.as_str()).collect();
    let _ = writeln!(
        out,
        r#"<text x="{:.1}" y="{:.1}" textLength="{:.1}" lengthAdjust="spacingAndGlyphs" fill="{fg}"{extra}>{}</text>"#,
        left(x),
        top + BASELINE,
        run.len() as f64 * CELL_W,
        escape(&text),
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

/// Draws cells with the same box line or block element.
fn draw_shapes(out: &mut String, x: usize, run: &[Cell], top: f64) {
    let style = run[0].style;
    let (fill, _) = colours(style);
    let Some(c) = run[0].text.chars().next() else { return };
    let Some([to_left, to_right, up, down]) = arms(c) else {
        let whole_width = blocks(c).iter().all(|block| block.2 >= 1.0);
        let (count, cells) = if whole_width { (1, run.len()) } else { (run.len(), 1) };
        for i in 0..count {
            for (bx, by, bw, bh) in blocks(c) {
                let at = (left(x + i) + bx * CELL_W, top + by * CELL_H);
                let width = bw * CELL_W * cells as f64;
                rect(out, at, (width, bh * CELL_H), &fill);
            }
        }
        return;
    };
    let middle = top + CELL_H / 2.0;
    let thick = |weight: u8| f64::from(weight) * 1.4 + if style.bold { 0.8 } else { 0.0 };
    if to_left > 0 && to_right > 0 {
        let t = thick(to_left);
        rect(out, (left(x), middle - t / 2.0), (run.len() as f64 * CELL_W, t), &fill);
    }
    for i in 0..run.len() {
        let center = left(x + i) + CELL_W / 2.0;
        let sides = [(to_left, left(x + i)), (to_right, center)];
        for (weight, from) in sides.into_iter().filter(|_| to_left == 0 || to_right == 0) {
            let t = thick(weight);
            if weight > 0 {
                rect(out, (from, middle - t / 2.0), (CELL_W / 2.0, t), &fill);
            }
        }
        for (weight, from) in [(up, top), (down, middle)].into_iter().filter(|(w, _)| *w > 0) {
            let t = thick(weight);
            rect(out, (center - t / 2.0, from), (t, CELL_H / 2.0), &fill);
        }
    }
}

/// The filled parts of a block element: left, top, width and height as parts of a cell.
fn blocks(c: char) -> &'static [(f64, f64, f64, f64)] {
    match c {
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
        _ => &[],
    }
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
