//! Rows of `list-panes` and its like, safe against whatever names and titles hold.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, RandomState};

/// Asks tmux for several values in one row, and finds them again in its answer.
///
/// Titles and names are untrusted, so that neither a newline nor any fixed separator will do:
/// rows and values are set apart by a word that nobody can foresee.
#[derive(Debug)]
pub(super) struct Listing<const N: usize> {
    fields: [Cow<'static, str>; N],
    row: String,
    separator: String,
}

impl<const N: usize> Listing<N> {
    /// A listing of these tmux variables, each a whole format such as `#{pane_id}`.
    pub(super) fn new<T: Into<Cow<'static, str>>>(fields: [T; N]) -> Self {
        let fields = fields.map(Into::into);
        let word = RandomState::new().hash_one(0_u8);
        Self { fields, row: format!("<row {word:x}>"), separator: format!("<{word:x}>") }
    }

    /// The format to give to tmux.
    pub(super) fn format(&self) -> String {
        format!("{}{}", self.row, self.fields.join(&self.separator))
    }

    /// The values of every row. What is no row of ours is skipped.
    pub(super) fn rows<'a>(&self, answer: &'a str) -> impl Iterator<Item = [&'a str; N]> {
        answer.split(self.row.as_str()).skip(1).filter_map(|row| {
            let row = row.strip_suffix('\n').unwrap_or(row);
            let values: Vec<&str> = row.split(self.separator.as_str()).collect();
            values.try_into().ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_may_hold_anything() {
        let listing = Listing::new(["#{pane_id}", "#{pane_title}"]);
        let row = |id: &str, title: &str| {
            format!(
                "{}\n",
                listing.format().replace("#{pane_id}", id).replace("#{pane_title}", title)
            )
        };
        let answer = row("%1", "a\nb\t<row 0>") + &row("%2", "") + &row("%3", "c");
        let rows: Vec<_> = listing.rows(&answer).collect();
        assert_eq!(rows, [["%1", "a\nb\t<row 0>"], ["%2", ""], ["%3", "c"]]);
        assert_eq!(listing.rows(&format!("noise\n{answer}")).count(), 3);
    }

    #[test]
    fn a_row_that_lacks_values_is_skipped() {
        let listing = Listing::new(["#{a}", "#{b}"]);
        assert_eq!(listing.rows(&format!("{}%1\n", listing.row)).count(), 0);
    }
}
