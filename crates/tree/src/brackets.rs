//! Bracket notation: `{a{b}{c{d}}}` is a root `a` with children `b` and `c`. A backslash escapes a
//! brace or a backslash.
//!
//! For tests, papers and people: a tree in one line. Labels become element names and may be empty.

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::tree::{Builder, Format, Kind, Meta, Tree};

/// Reads one or more trees in bracket notation as the children of a document.
pub fn parse(text: &str, limits: Limits) -> Result<Tree> {
    let mut meta = Meta::new(Format::Xml);
    meta.is_fragment = true;
    let mut builder = Builder::new(meta, limits);
    let mut chars = text.char_indices().peekable();
    let wrong =
        |message: &str, at: usize| Error::parse(message, 1, text[..at].chars().count() as u32 + 1);
    while let Some((at, c)) = chars.next() {
        match c {
            '{' => {
                let mut label = String::new();
                while let Some(&(at, c)) = chars.peek() {
                    match c {
                        '{' | '}' => break,
                        '\\' => {
                            chars.next();
                            label.push(
                                chars
                                    .next()
                                    .ok_or_else(|| wrong("nothing after a backslash", at))?
                                    .1,
                            );
                        }
                        _ => {
                            label.push(c);
                            chars.next();
                        }
                    }
                }
                let name = builder.intern("", "", &label);
                builder.open(name, 0, 0)?;
            }
            '}' if builder.open_depth() > 1 => builder.close(),
            c if c.is_whitespace() => {}
            _ => return Err(wrong("expected a brace", at)),
        }
    }
    if builder.open_depth() > 1 {
        return Err(wrong("a brace is not closed", text.len()));
    }
    Ok(builder.finish())
}

/// Writes the elements of a tree in bracket notation; other nodes are left out.
pub fn write(tree: &Tree) -> String {
    let mut out = String::new();
    let mut open: Vec<usize> = Vec::new();
    for i in (0..tree.len()).filter(|&i| tree.kind(i) == Kind::Element) {
        while open.last().is_some_and(|&top| tree.end(top) <= i) {
            open.pop();
            out.push('}');
        }
        open.push(i);
        out.push('{');
        for c in tree.local(i).chars() {
            if matches!(c, '{' | '}' | '\\') {
                out.push('\\');
            }
            out.push(c);
        }
    }
    out.extend(std::iter::repeat_n('}', open.len()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_written() {
        for text in ["{a}", "{a{b}{c{d}}}", "{}", "{a}{b}", "", "{\\{x\\}{y\\\\}}"] {
            let tree = parse(text, Limits::default()).unwrap();
            tree.validate().unwrap();
            assert_eq!(write(&tree), text);
        }
    }

    #[test]
    fn what_is_not_closed_is_refused() {
        for text in ["{a", "a", "}", "{a}}", "{a\\"] {
            assert!(matches!(parse(text, Limits::default()), Err(Error::Parse { .. })), "{text}");
        }
    }
}
