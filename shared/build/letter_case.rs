//! Patterns without regard to case, with both cases spelled out. The build script has it, and a test.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{Ast, Flag, FlagsItemKind, GroupKind, Span};
use regex_syntax::hir::{Class, Hir, HirKind};
use std::error::Error;
use std::fmt::Write as _;

/// A pattern that matches the same texts as this one, without the flag `i`: what runs it needs no
/// table of all letters' cases then.
pub(crate) fn spelled_out(pattern: &str) -> Result<String, Box<dyn Error>> {
    let ast = Parser::new().parse(pattern)?;
    let mut edits = Vec::new();
    collect(pattern, &ast, false, &mut edits)?;
    let (mut out, mut done) = (String::new(), 0);
    for (span, text) in edits {
        out += pattern.get(done..span.start.offset).ok_or("edits in order")?;
        out += &text;
        done = span.end.offset;
    }
    out += pattern.get(done..).ok_or("edits in order")?;
    Ok(out)
}

/// What to put in place of which parts, in order. Answers whether `i` holds behind `ast`, in the
/// group that it is in.
fn collect(
    pattern: &str,
    ast: &Ast,
    mut any_case: bool,
    edits: &mut Vec<(Span, String)>,
) -> Result<bool, Box<dyn Error>> {
    match ast {
        Ast::Flags(set) => {
            any_case = only_any_case(&set.flags)?;
            edits.push((set.span, String::new()));
        }
        Ast::Group(group) => {
            let mut inner = any_case;
            if let GroupKind::NonCapturing(flags) = &group.kind
                && !flags.items.is_empty()
            {
                inner = only_any_case(flags)?;
                edits.push((flags.span, String::new()));
            }
            collect(pattern, &group.ast, inner, edits)?;
        }
        Ast::Concat(concat) => {
            for part in &concat.asts {
                any_case = collect(pattern, part, any_case, edits)?;
            }
        }
        // Flags of one branch hold in the ones behind it.
        Ast::Alternation(alternation) => {
            for part in &alternation.asts {
                any_case = collect(pattern, part, any_case, edits)?;
            }
        }
        Ast::Repetition(repetition) => {
            collect(pattern, &repetition.ast, any_case, edits)?;
        }
        Ast::Literal(_) | Ast::ClassBracketed(_) if any_case => {
            let span = *ast.span();
            let part = pattern.get(span.start.offset..span.end.offset).ok_or("a part")?;
            let folded = regex_syntax::parse(&format!("(?i:{part})"))?;
            if folded != regex_syntax::parse(part)? {
                edits.push((span, class(&folded)?));
            }
        }
        // The rest is the same in both cases.
        _ => {}
    }
    Ok(any_case)
}

/// The flag `i` alone, switched on.
fn only_any_case(flags: &regex_syntax::ast::Flags) -> Result<bool, Box<dyn Error>> {
    match flags.items.as_slice() {
        [item] if item.kind == FlagsItemKind::Flag(Flag::CaseInsensitive) => Ok(true),
        _ => Err("of a pattern's flags only (?i) is known here".into()),
    }
}

fn class(hir: &Hir) -> Result<String, Box<dyn Error>> {
    let HirKind::Class(Class::Unicode(class)) = hir.kind() else {
        return Err("letters in both cases are a class".into());
    };
    let mut out = String::from("[");
    for range in class.ranges() {
        for (n, end) in [range.start(), range.end()].into_iter().enumerate() {
            match (n, end) {
                (1, _) if range.start() == range.end() => {}
                (0, c) if c.is_ascii_alphanumeric() => out.push(c),
                (0, c) => write!(out, "\\x{{{:x}}}", u32::from(c))?,
                (_, c) if c.is_ascii_alphanumeric() => out.extend(['-', c]),
                (_, c) => write!(out, "-\\x{{{:x}}}", u32::from(c))?,
            }
        }
    }
    out.push(']');
    Ok(out)
}
