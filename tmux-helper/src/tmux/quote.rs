//! Values in the language of tmux's configuration files, as `source-file` reads it.

/// One argument, quoted so that tmux takes it as it is, whatever it holds.
///
/// Between single quotes nothing is special, not even a trailing `;`, which on tmux's own command
/// line would end the command. Control characters go between double quotes, as octal escapes: a
/// raw newline would end the line.
pub fn quote(value: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_@%/.:,+=".contains(&b);
    // A leading `%` starts a condition of the parser (`%if`), and `%3` alone is a pane.
    let word = value.strip_prefix('%').map_or(!value.is_empty(), |rest| {
        !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit())
    });
    if word && value.bytes().all(plain) && !value.contains('=') {
        return value.to_owned();
    }
    let mut out = String::with_capacity(value.len() + 2);
    if value.contains(|c: char| c.is_ascii_control() || c == '\'') {
        out.push('"');
        for c in value.chars() {
            match c {
                '"' | '\\' | '$' => out.extend(['\\', c]),
                c if c.is_ascii_control() => {
                    let n = u32::from(c);
                    out.push('\\');
                    out.extend([n >> 6 & 7, n >> 3 & 7, n & 7].map(octal));
                }
                c => out.push(c),
            }
        }
        out.push('"');
    } else {
        out.push('\'');
        out.push_str(value);
        out.push('\'');
    }
    out
}

fn octal(digit: u32) -> char {
    char::from_digit(digit, 8).unwrap_or('0')
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn quotes_what_the_parser_would_read() {
        for (value, quoted) in [
            ("pane-border-style", "pane-border-style"),
            ("%12", "%12"),
            ("@3", "@3"),
            ("", "''"),
            ("a;", "'a;'"),
            ("%if", "'%if'"),
            ("%", "'%'"),
            ("A=b", "'A=b'"),
            ("#{x} #(date) ~ {a} $HOME", "'#{x} #(date) ~ {a} $HOME'"),
            ("it's $HOME", "\"it's \\$HOME\""),
            ("a\tb\nc\u{1b}\"\\", "\"a\\011b\\012c\\033\\\"\\\\\""),
            ("ünï ❯", "'ünï ❯'"),
        ] {
            assert_eq!(quote(value), quoted, "{value:?}");
        }
    }
}
