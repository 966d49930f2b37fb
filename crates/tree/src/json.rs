//! A strict JSON reader (RFC 8259) without recursion: any nesting within the limits, never a crash.
//!
//! The result is flat, as our trees are: values in document order, each with the number of the
//! value after it. Strict means: no comments, no trailing commas, no key twice in one object, no
//! lone surrogates, nothing after the value.

use std::collections::HashSet;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::watch::Watch;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`; the text of the value says which.
    Bool,
    /// A number, as it is written.
    Number,
    /// A string.
    String,
    /// A list of values.
    Array,
    /// Keys and values, in turn.
    Object,
}

#[derive(Debug, Clone, Copy)]
struct Item {
    kind: Kind,
    /// Characters of a string, number or word, in `Json::text`.
    start: u32,
    len: u32,
    /// One past the last value inside.
    end: u32,
    /// Where it begins in the source.
    at: u32,
}

/// A JSON value with all that is in it. Value 0 is the whole.
#[derive(Debug)]
pub struct Json<'s> {
    source: &'s str,
    items: Vec<Item>,
    text: String,
}

impl<'s> Json<'s> {
    /// What value `i` is.
    pub fn kind(&self, i: usize) -> Kind {
        self.items[i].kind
    }

    /// The characters of a string, number or word; empty for containers.
    pub fn text(&self, i: usize) -> &str {
        let item = self.items[i];
        &self.text[item.start as usize..(item.start + item.len) as usize]
    }

    /// The values of an array, or keys and values of an object in turn.
    pub fn inside(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let (mut next, end) = (i + 1, self.end(i));
        std::iter::from_fn(move || {
            let here = next;
            (here < end).then(|| {
                next = self.end(here);
                here
            })
        })
    }

    /// Keys and values of an object.
    pub fn members(&self, i: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let mut inside = self.inside(i);
        std::iter::from_fn(move || Some((inside.next()?, inside.next()?)))
    }

    /// One past the last value inside `i`.
    pub fn end(&self, i: usize) -> usize {
        self.items[i].end as usize
    }

    /// A parse error at the place of value `i`.
    pub fn wrong(&self, i: usize, message: impl Into<String>) -> Error {
        wrong(self.source, self.items.get(i).map_or(0, |item| item.at as usize), message)
    }
}

fn wrong(source: &str, at: usize, message: impl Into<String>) -> Error {
    let before = &source.as_bytes()[..at.min(source.len())];
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let start = memchr::memrchr(b'\n', before).map_or(0, |it| it + 1);
    // bytes that continue a character are no columns
    let column = before[start..].iter().filter(|&&b| b & 0xC0 != 0x80).count() + 1;
    Error::parse(message, line as u32, column as u32)
}

/// Reads one JSON value.
pub fn read<'s>(source: &'s str, limits: &Limits, watch: &dyn Watch) -> Result<Json<'s>> {
    Limits::check("bytes", limits.bytes.min(u64::from(u32::MAX)), source.len() as u64)?;
    let mut reader = Reader {
        source,
        bytes: source.as_bytes(),
        at: 0,
        json: Json { source, items: Vec::new(), text: String::new() },
    };
    reader.run(limits, watch)?;
    Ok(reader.json)
}

struct Reader<'s> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    json: Json<'s>,
}

impl Reader<'_> {
    fn run(&mut self, limits: &Limits, watch: &dyn Watch) -> Result<()> {
        // open containers, innermost last
        let mut open: Vec<usize> = Vec::new();
        // a level of a tree is an object and an array
        let deepest = limits.depth.saturating_mul(2).saturating_add(8);
        let mut steps = 0u32;
        loop {
            steps += 1;
            if steps.is_multiple_of(8192) {
                watch.check()?;
            }
            self.blanks();
            if let Some(&top) = open.last() {
                // after `[`, `{` or a value inside
                let is_first = self.json.items.len() == top + 1;
                let close = if self.json.items[top].kind == Kind::Array { b']' } else { b'}' };
                if self.peek() == Some(close) {
                    self.at += 1;
                    self.json.items[top].end = self.json.items.len() as u32;
                    self.check_keys(top)?;
                    open.pop();
                    if open.is_empty() {
                        break;
                    }
                    continue;
                }
                if !is_first {
                    self.expect(b',')?;
                    self.blanks();
                }
                if close == b'}' {
                    if self.peek() != Some(b'"') {
                        return Err(self.wrong("a key in quotes was expected"));
                    }
                    self.string()?;
                    self.blanks();
                    self.expect(b':')?;
                    self.blanks();
                }
            }
            match self.peek() {
                Some(b'[') | Some(b'{') => {
                    if open.len() as u64 >= deepest {
                        return Err(Error::limit("depth", limits.depth));
                    }
                    open.push(self.json.items.len());
                    let kind = if self.peek() == Some(b'[') { Kind::Array } else { Kind::Object };
                    self.push(kind, 0, self.at);
                    self.at += 1;
                }
                Some(b'"') => self.string()?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b't') => self.word("true", Kind::Bool)?,
                Some(b'f') => self.word("false", Kind::Bool)?,
                Some(b'n') => self.word("null", Kind::Null)?,
                _ => return Err(self.wrong("a value was expected")),
            }
            if open.is_empty() {
                break;
            }
        }
        self.blanks();
        if self.at < self.bytes.len() {
            return Err(self.wrong("nothing was expected after the value"));
        }
        Ok(())
    }

    fn check_keys(&self, top: usize) -> Result<()> {
        let json = &self.json;
        if json.items[top].kind == Kind::Array {
            return Ok(());
        }
        let mut keys: HashSet<&str> = HashSet::new();
        let few = json.members(top).take(17).count() <= 16;
        for (number, (key, _)) in json.members(top).enumerate() {
            let is_there = |text: &str| {
                json.members(top).take(number).any(|(before, _)| json.text(before) == text)
            };
            if if few { is_there(json.text(key)) } else { !keys.insert(json.text(key)) } {
                return Err(json.wrong(key, format!("the key {:?} is there twice", json.text(key))));
            }
        }
        Ok(())
    }

    fn push(&mut self, kind: Kind, len: usize, at: usize) {
        let start = self.json.text.len() - len;
        let end = self.json.items.len() as u32 + 1;
        self.json.items.push(Item {
            kind,
            start: start as u32,
            len: len as u32,
            end,
            at: at as u32,
        });
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Result<()> {
        if self.peek() != Some(byte) {
            return Err(self.wrong(format!("'{}' was expected", byte as char)));
        }
        self.at += 1;
        Ok(())
    }

    fn wrong(&self, message: impl Into<String>) -> Error {
        wrong(self.source, self.at, message)
    }

    fn word(&mut self, word: &str, kind: Kind) -> Result<()> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(self.wrong("a value was expected"));
        }
        self.json.text.push_str(word);
        self.push(kind, word.len(), self.at);
        self.at += word.len();
        Ok(())
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - from
    }

    fn number(&mut self) -> Result<()> {
        let from = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        let leading_zero = self.peek() == Some(b'0');
        let whole = self.digits();
        let mut is_good = whole == 1 || (whole > 1 && !leading_zero);
        if self.peek() == Some(b'.') {
            self.at += 1;
            is_good &= self.digits() > 0;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            is_good &= self.digits() > 0;
        }
        if !is_good {
            return Err(wrong(self.source, from, "this is no number"));
        }
        self.json.text.push_str(&self.source[from..self.at]);
        self.push(Kind::Number, self.at - from, from);
        Ok(())
    }

    fn string(&mut self) -> Result<()> {
        let from = self.at;
        let before = self.json.text.len();
        self.at += 1;
        loop {
            let run =
                self.bytes[self.at..].iter().position(|&b| b == b'"' || b == b'\\' || b < 0x20);
            let Some(run) = run else {
                return Err(wrong(self.source, from, "this string is not closed"));
            };
            self.json.text.push_str(&self.source[self.at..self.at + run]);
            self.at += run + 1;
            match self.bytes[self.at - 1] {
                b'"' => break,
                b'\\' => self.escape()?,
                _ => {
                    self.at -= 1;
                    return Err(self.wrong("a control character must be escaped"));
                }
            }
        }
        self.push(Kind::String, self.json.text.len() - before, from);
        Ok(())
    }

    /// What comes after a backslash.
    fn escape(&mut self) -> Result<()> {
        let letter = self.peek();
        self.at += 1;
        let c = match letter {
            Some(c @ (b'"' | b'\\' | b'/')) => c as char,
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{C}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let unit = self.hex()?;
                let pair = if (0xD800..0xDC00).contains(&unit)
                    && self.bytes[self.at..].starts_with(b"\\u")
                {
                    self.at += 2;
                    let low = self.hex()?;
                    if (0xDC00..0xE000).contains(&low) {
                        0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)
                    } else {
                        unit
                    }
                } else {
                    unit
                };
                char::from_u32(pair)
                    .ok_or_else(|| self.wrong("half of a surrogate pair is no character"))?
            }
            _ => return Err(self.wrong("there is no such escape")),
        };
        self.json.text.push(c);
        Ok(())
    }

    fn hex(&mut self) -> Result<u32> {
        let digits =
            self.bytes.get(self.at..self.at + 4).filter(|it| it.iter().all(u8::is_ascii_hexdigit));
        let Some(digits) = digits else {
            return Err(self.wrong("four hexadecimal digits were expected"));
        };
        self.at += 4;
        Ok(digits.iter().fold(0, |sum, &d| sum * 16 + (d as char).to_digit(16).unwrap_or(0)))
    }
}

/// Appends `text` as a JSON string, with its quotes.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut done = 0;
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(&text[done..at]);
        done = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            _ => out.push_str(&format!("\\u{byte:04x}")),
        }
    }
    out.push_str(&text[done..]);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::watch::Unwatched;

    fn strings(source: &str) -> Result<Vec<String>> {
        let json = read(source, &Limits::default(), &Unwatched)?;
        Ok(json.inside(0).map(|i| json.text(i).to_string()).collect())
    }

    #[test]
    fn escapes_are_read() {
        assert_eq!(
            strings(r#"["a\n\u00e9\ud83d\ude00\/\"", "", "ü"]"#).unwrap(),
            ["a\né😀/\"", "", "ü"]
        );
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for source in [
            "",
            "[",
            "]",
            "{",
            "[1,]",
            "[,1]",
            "{\"a\":1,}",
            "{a:1}",
            "{\"a\" 1}",
            "[1 2]",
            "01",
            "1.",
            "-",
            "1e",
            "\"\\x\"",
            "\"\\ud800\"",
            "\"a",
            "\"\u{1}\"",
            "nul",
            "[1] 2",
            "{\"a\":1,\"a\":2}",
            "\"\\u12\"",
            "[\"a\\",
            "\"\\u00é\"",
        ] {
            assert!(
                matches!(read(source, &Limits::default(), &Unwatched), Err(Error::Parse { .. })),
                "{source}"
            );
        }
    }

    #[test]
    fn good_numbers_are_kept_as_written() {
        assert_eq!(
            strings("[0, -0, 1.5e+10, 12, true, null]").unwrap(),
            ["0", "-0", "1.5e+10", "12", "true", "null"]
        );
    }

    #[test]
    fn errors_have_a_place() {
        assert_eq!(
            read("[1,\n \"ü\", x]", &Limits::default(), &Unwatched).unwrap_err(),
            Error::parse("a value was expected", 2, 7)
        );
    }

    #[test]
    fn nesting_is_bounded_by_limits_alone() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        read(&deep, &Limits::default(), &Unwatched).unwrap();
        let limits = Limits { depth: 10, ..Limits::default() };
        assert!(matches!(
            read(&deep, &limits, &Unwatched),
            Err(Error::Limit { limit: "depth", .. })
        ));
    }

    proptest! {
        #[test]
        fn any_string_round_trips(text in any::<String>()) {
            let mut out = String::from("[");
            write_string(&mut out, &text);
            out.push(']');
            prop_assert_eq!(strings(&out).unwrap(), [text]);
        }

        #[test]
        fn nothing_panics(text in "[\\[\\]{}\",:\\\\u0-9ae tru-]{0,40}") {
            let _ = read(&text, &Limits::default(), &Unwatched);
        }
    }
}
