//! A place in a text, and the small words of the grammar that can be read from it.

use super::chars;
use crate::error::Error;

/// Why reading stopped.
#[derive(Debug)]
pub enum Stop {
    /// The text breaks a rule of XML.
    Syntax {
        /// Byte in the text that was read.
        at: usize,
        /// What is wrong, in a few words.
        message: String,
    },
    /// A limit, or the caller.
    Kernel(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Kernel(error)
    }
}

impl Stop {
    /// The same at another place, if there is one to move to.
    pub fn moved_to(self, place: Option<usize>) -> Stop {
        match (self, place) {
            (Stop::Syntax { message, .. }, Some(at)) => Stop::Syntax { at, message },
            (stop, _) => stop,
        }
    }

    /// The same, counted from a place further left.
    pub fn shifted(self, by: usize) -> Stop {
        match self {
            Stop::Syntax { at, message } => Stop::Syntax { at: at + by, message },
            stop => stop,
        }
    }
}

pub type Step<T> = std::result::Result<T, Stop>;

/// A syntax error at a byte.
#[cold]
pub fn fail<T>(at: usize, message: impl Into<String>) -> Step<T> {
    Err(Stop::Syntax { at, message: message.into() })
}

/// Reads a text from left to right.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'a> {
    pub text: &'a str,
    pub pos: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str, pos: usize) -> Self {
        Cursor { text, pos }
    }

    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.bytes().get(self.pos).copied()
    }

    #[inline]
    pub fn is_at(&self, word: &str) -> bool {
        self.bytes()[self.pos..].starts_with(word.as_bytes())
    }

    /// Goes past `word` if it stands here.
    #[inline]
    pub fn eat(&mut self, word: &str) -> bool {
        let found = self.is_at(word);
        if found {
            self.pos += word.len();
        }
        found
    }

    pub fn expect(&mut self, word: &str) -> Step<()> {
        if self.eat(word) {
            return Ok(());
        }
        fail(self.pos, format!("'{word}' expected, {} found", self.found()))
    }

    /// What stands here, for a message.
    pub fn found(&self) -> String {
        match self.text.get(self.pos..).and_then(|rest| rest.chars().next()) {
            None => "the end".to_string(),
            Some('\'') => "\"'\"".to_string(),
            Some(c) if c.is_control() || c.is_whitespace() => format!("U+{:04X}", c as u32),
            Some(c) => format!("'{c}'"),
        }
    }

    /// Goes past white space; whether there was some.
    #[inline]
    pub fn space(&mut self) -> bool {
        let before = self.pos;
        self.pos = chars::skip_space(self.bytes(), before);
        self.pos > before
    }

    pub fn expect_space(&mut self) -> Step<()> {
        if self.space() {
            return Ok(());
        }
        fail(self.pos, format!("white space expected, {} found", self.found()))
    }

    /// A Name (production 5).
    pub fn name(&mut self, what: &str) -> Step<&'a str> {
        let start = self.pos;
        self.pos = chars::name_end(self.text, start);
        if self.pos == start {
            return fail(start, format!("{what} expected, {} found", self.found()));
        }
        Ok(&self.text[start..self.pos])
    }

    /// A Name; with `namespaces` a QName.
    pub fn qname(&mut self, what: &str, namespaces: bool) -> Step<&'a str> {
        let start = self.pos;
        let name = self.name(what)?;
        if namespaces && !chars::is_qname(name) {
            return fail(start, format!("{what} with a colon in the wrong place"));
        }
        Ok(name)
    }

    /// A Name; with `namespaces` one without a colon.
    pub fn plain_name(&mut self, what: &str, namespaces: bool) -> Step<&'a str> {
        let start = self.pos;
        let name = self.name(what)?;
        if namespaces && name.contains(':') {
            return fail(start, format!("{what} may not have a colon"));
        }
        Ok(name)
    }

    /// An Nmtoken (production 7).
    pub fn token(&mut self, what: &str) -> Step<&'a str> {
        let start = self.pos;
        self.pos = chars::token_end(self.text, start);
        if self.pos == start {
            return fail(start, format!("{what} expected, {} found", self.found()));
        }
        Ok(&self.text[start..self.pos])
    }

    /// What stands between two quotes of the same kind, and where it starts.
    pub fn quoted(&mut self, what: &str) -> Step<(&'a str, usize)> {
        let quote = match self.peek() {
            Some(b @ (b'"' | b'\'')) => b,
            _ => {
                return fail(self.pos, format!("{what} in quotes expected, {} found", self.found()))
            }
        };
        let start = self.pos + 1;
        match memchr::memchr(quote, &self.bytes()[start..]) {
            Some(len) => {
                self.pos = start + len + 1;
                Ok((&self.text[start..start + len], start))
            }
            None => fail(self.pos, format!("the quote of this {what} is never closed")),
        }
    }

    /// A comment (production 15) whose `<!--` has been read: start and end of its text.
    pub fn comment(&mut self) -> Step<(usize, usize)> {
        let start = self.pos;
        match find_pair(self.bytes(), start, *b"--") {
            None => fail(start - 4, "this comment is never closed"),
            Some(end) if self.bytes().get(end + 2) != Some(&b'>') => {
                fail(end, "'--' inside a comment")
            }
            Some(end) => {
                self.pos = end + 3;
                Ok((start, end))
            }
        }
    }

    /// A processing instruction (production 16) whose `<?` has been read: its target; start and end
    /// of its data.
    pub fn instruction(&mut self, namespaces: bool) -> Step<(&'a str, usize, usize)> {
        let opened = self.pos - 2;
        let target = self.plain_name("the target of a processing instruction", namespaces)?;
        if target.eq_ignore_ascii_case("xml") {
            return fail(opened, "the XML declaration may only stand at the very start");
        }
        let has_space = self.space();
        let start = self.pos;
        let Some(end) = find_pair(self.bytes(), start, *b"?>") else {
            return fail(opened, "this processing instruction is never closed");
        };
        if !has_space && end > start {
            return fail(start, format!("white space or '?>' expected, {} found", self.found()));
        }
        self.pos = end + 2;
        Ok((target, start, end))
    }
}

/// First place from `from` on where these two bytes stand.
pub fn find_pair(bytes: &[u8], from: usize, pair: [u8; 2]) -> Option<usize> {
    let mut at = from;
    while let Some(n) = memchr::memchr(pair[0], bytes.get(at..)?) {
        let hit = at + n;
        if bytes.get(hit + 1) == Some(&pair[1]) {
            return Some(hit);
        }
        at = hit + 1;
    }
    None
}

/// First place from `from` on where `]]>` stands.
pub fn find_section_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(n) = memchr::memchr(b'>', bytes.get(at..)?) {
        let hit = at + n;
        if hit >= from + 2 && bytes[hit - 2..hit] == *b"]]" {
            return Some(hit - 2);
        }
        at = hit + 1;
    }
    None
}

/// A character reference (production 66) whose `&#` has been read up to `at`: the character and the
/// place after `;`.
pub fn character(text: &str, at: usize) -> Step<(char, usize)> {
    let bytes = text.as_bytes();
    let (radix, digits) = if bytes.get(at) == Some(&b'x') { (16, at + 1) } else { (10, at) };
    let mut value = 0u32;
    let mut i = digits;
    while let Some(digit) = bytes.get(i).and_then(|&b| (b as char).to_digit(radix)) {
        value = value.saturating_mul(radix).saturating_add(digit);
        i += 1;
    }
    if i == digits || bytes.get(i) != Some(&b';') {
        return fail(at - 2, "a character reference is '&#', digits and ';'");
    }
    match char::from_u32(value).filter(|&c| chars::is_char(c)) {
        Some(c) => Ok((c, i + 1)),
        None => fail(
            at - 2,
            format!(
                "the character reference {} names no character of XML",
                &text[at - 2..(i + 1).min(at + 16)]
            ),
        ),
    }
}
