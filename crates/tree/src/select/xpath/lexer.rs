//! Expression text to tokens (XPath 1.0 §3.7).

use crate::error::{Error, Result};

/// One token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// `(` `)` `[` `]` `.` `..` `@` `,` `::`
    Mark(&'static str),
    /// `/` `//` `|` `+` `-` `=` `!=` `<` `<=` `>` `>=` and `and` `or` `mod` `div` `*` where they
    /// are operators
    Operator(&'static str),
    /// `*` as a name test.
    Star,
    /// A name with its prefix. The local part `*` stands for `prefix:*`.
    Name(Option<String>, String),
    Variable(String),
    Literal(String),
    Number(f64),
    End,
}

/// A token and the byte it starts at.
pub(super) type Placed = (Token, usize);

const MARKS: [&str; 20] = [
    "::", "..", "//", "!=", "<=", ">=", "(", ")", "[", "]", ".", "@", ",", "/", "|", "+", "-", "=",
    "<", ">",
];

/// All tokens; the last is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Placed>> {
    let mut found: Vec<Placed> = Vec::new();
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start_matches([' ', '\t', '\n', '\r']).len();
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else {
            found.push((Token::End, at));
            return Ok(found);
        };
        // §3.7: after anything but the start, an operator, or one of @ :: ( [ , a star multiplies
        // and a name is an operator
        let is_operand_over = match found.last() {
            None | Some((Token::Operator(_) | Token::Mark("@" | "::" | "(" | "[" | ","), _)) => {
                false
            }
            Some(_) => true,
        };
        let starts_number = first.is_ascii_digit()
            || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()));
        let (token, len) = if starts_number {
            number(rest)
        } else if first == '"' || first == '\'' {
            let inside = &rest[1..];
            let len =
                inside.find(first).ok_or_else(|| wrong(text, at, "a string that is not closed"))?;
            (Token::Literal(inside[..len].to_string()), len + 2)
        } else if first == '*' {
            (if is_operand_over { Token::Operator("*") } else { Token::Star }, 1)
        } else if first == '$' {
            let (prefix, local, len) =
                name(&rest[1..]).ok_or_else(|| wrong(text, at, "expected a name after $"))?;
            if local == "*" {
                return Err(wrong(text, at, "expected a name after $"));
            }
            (
                Token::Variable(prefix.map_or(local.clone(), |prefix| format!("{prefix}:{local}"))),
                len + 1,
            )
        } else if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            let is_operator =
                !matches!(*mark, "(" | ")" | "[" | "]" | "." | ".." | "@" | "," | "::");
            (if is_operator { Token::Operator(mark) } else { Token::Mark(mark) }, mark.len())
        } else if is_operand_over {
            let word = ["and", "or", "mod", "div"]
                .into_iter()
                .find(|word| name(rest).is_some_and(|it| it.0.is_none() && it.1 == *word));
            let word = word.ok_or_else(|| {
                wrong(text, at, &format!("expected an operator, found {:?}", shown(rest)))
            })?;
            (Token::Operator(word), word.len())
        } else {
            let (prefix, local, len) =
                name(rest).ok_or_else(|| wrong(text, at, &format!("unexpected {first:?}")))?;
            (Token::Name(prefix, local), len)
        };
        found.push((token, at));
        at += len;
    }
}

/// An error at a byte of the expression.
pub(super) fn wrong(text: &str, at: usize, what: &str) -> Error {
    let column = text[..at].chars().count() + 1;
    Error::Usage(format!("XPath {:?}: {what} at character {column}", shown(text)))
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_string(),
    }
}

fn number(rest: &str) -> (Token, usize) {
    let whole = rest.bytes().take_while(u8::is_ascii_digit).count();
    let mut len = whole;
    if rest[len..].starts_with('.') {
        len += 1 + rest[len + 1..].bytes().take_while(u8::is_ascii_digit).count();
    }
    (Token::Number(rest[..len].parse().unwrap_or(f64::NAN)), len)
}

/// `local`, `prefix:local` or `prefix:*` at the start, and its length.
fn name(rest: &str) -> Option<(Option<String>, String, usize)> {
    let first = ncname(rest);
    if first == 0 {
        return None;
    }
    let after = &rest[first..];
    if let Some(tail) = after.strip_prefix(':') {
        let second = if tail.starts_with('*') { 1 } else { ncname(tail) };
        if second > 0 {
            return Some((
                Some(rest[..first].to_string()),
                tail[..second].to_string(),
                first + 1 + second,
            ));
        }
    }
    Some((None, rest[..first].to_string(), first))
}

/// Length in bytes of the name without colon at the start; 0 where there is none.
fn ncname(rest: &str) -> usize {
    let mut len = 0;
    for (at, c) in rest.char_indices() {
        if !(is_name_start(c) || (at > 0 && is_name_rest(c))) {
            break;
        }
        len = at + c.len_utf8();
    }
    len
}

/// `NameStartChar` of XML 1.0 (5th edition), without the colon.
pub(in crate::select) fn is_name_start(c: char) -> bool {
    matches!(c, 'A'..='Z' | '_' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}'
        | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}'
        | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}'
        | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

/// What `NameChar` adds.
pub(in crate::select) fn is_name_rest(c: char) -> bool {
    matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}
