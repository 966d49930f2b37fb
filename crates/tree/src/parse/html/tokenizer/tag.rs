//! Tags: a name, then attributes.

use std::collections::HashSet;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind};
use html5ever::{ns, Attribute, LocalName, QualName};
use memchr::memchr3;

use super::{is_space, Consumer, Tokenizer};
use crate::error::{Error, Result};

/// From this many attributes on, names are looked up in a set: a tag of many attributes must not
/// take quadratic time.
const MANY: usize = 24;

const SPACE: u8 = 1;
const ENDS_TAG_NAME: u8 = 2;
const ENDS_ATTRIBUTE_NAME: u8 = 4;
/// Must be changed when it stands in a name: upper case, U+0000.
const CHANGES: u8 = 8;
/// Not wanted in the name of an attribute, but kept.
const ODD_IN_NAME: u8 = 16;
const ENDS_UNQUOTED: u8 = 32;
/// `&`, U+0000 and what is not wanted in an unquoted value.
const STOPS_UNQUOTED: u8 = 64;

/// What each byte means inside a tag.
static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b'\t' | b'\n' | b'\x0C' | b' ' => {
                SPACE | ENDS_TAG_NAME | ENDS_ATTRIBUTE_NAME | ENDS_UNQUOTED
            }
            b'/' => ENDS_TAG_NAME | ENDS_ATTRIBUTE_NAME,
            b'>' => ENDS_TAG_NAME | ENDS_ATTRIBUTE_NAME | ENDS_UNQUOTED,
            b'=' => ENDS_ATTRIBUTE_NAME | STOPS_UNQUOTED,
            b'A'..=b'Z' => CHANGES,
            0 => CHANGES | STOPS_UNQUOTED,
            b'"' | b'\'' | b'<' => ODD_IN_NAME | STOPS_UNQUOTED,
            b'`' | b'&' => STOPS_UNQUOTED,
            _ => 0,
        };
        byte += 1;
    }
    class
};

fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

/// The attributes of one tag as they come in.
#[derive(Default)]
struct Attributes {
    list: Vec<Attribute>,
    /// All names, once there are many.
    seen: Option<HashSet<LocalName>>,
    has_duplicates: bool,
}

impl Attributes {
    /// Whether an attribute of this name is there already.
    fn has(&mut self, name: &LocalName) -> bool {
        if self.list.len() < MANY {
            return self.list.iter().any(|a| a.name.local == *name);
        }
        let seen = self
            .seen
            .get_or_insert_with(|| self.list.iter().map(|a| a.name.local.clone()).collect());
        !seen.insert(name.clone())
    }
}

impl Tokenizer<'_> {
    /// 13.2.5.8 and 13.2.5.32 to 13.2.5.40: a tag whose `<` is at `open` and whose name begins at
    /// `name`.
    pub(super) fn tag(
        &mut self,
        kind: TagKind,
        open: usize,
        name: usize,
        out: &mut impl Consumer,
    ) -> Result<()> {
        let end = self.end_of(name, ENDS_TAG_NAME);
        let name = self.name(name, end, out)?;
        let mut attributes = Attributes { list: out.spare(), ..Attributes::default() };
        self.at = end;
        let Some(self_closing) = self.attributes(&mut attributes, out)? else {
            self.at = self.bytes.len();
            out.problem("eof-in-tag", self.at);
            return Ok(());
        };
        match kind {
            TagKind::StartTag => self.last_start = Some(name.clone()),
            TagKind::EndTag => {
                if !attributes.list.is_empty() {
                    out.problem("end-tag-with-attributes", self.at);
                }
                if self_closing {
                    out.problem("end-tag-with-trailing-solidus", self.at);
                }
            }
        }
        let tag = Tag {
            kind,
            name,
            self_closing,
            attrs: attributes.list,
            had_duplicate_attributes: attributes.has_duplicates,
        };
        self.content = out.tag(tag, open);
        Ok(())
    }

    /// The first byte from `at` on that is of `class`, or the end.
    fn end_of(&self, at: usize, class: u8) -> usize {
        self.bytes[at..]
            .iter()
            .position(|&b| is(b, class))
            .map_or(self.bytes.len(), |found| at + found)
    }

    /// The name from `from` to `to`: in lower case, U+FFFD for U+0000.
    fn name(&mut self, from: usize, to: usize, out: &mut impl Consumer) -> Result<LocalName> {
        if (to - from) as u64 > self.limits.text {
            return Err(Error::Limit {
                limit: "text",
                bound: self.limits.text,
                needed: Some((to - from) as u64),
            });
        }
        let name = &self.text[from..to];
        if !name.bytes().any(|b| is(b, CHANGES)) {
            return Ok(self.atoms.get(name));
        }
        let mut changed = name.to_ascii_lowercase();
        if changed.contains('\0') {
            changed = changed.replace('\0', "\u{FFFD}");
            out.problem("unexpected-null-character", from);
        }
        Ok(self.atoms.get(&changed))
    }

    /// The attributes and the end of the tag; whether it closes itself, or `None` where the
    /// document ends first.
    fn attributes(
        &mut self,
        attributes: &mut Attributes,
        out: &mut impl Consumer,
    ) -> Result<Option<bool>> {
        loop {
            // before attribute name
            let mut at = self.at;
            while self.byte(at).is_some_and(is_space) {
                at += 1;
            }
            match self.byte(at) {
                None => return Ok(None),
                Some(b'>') => {
                    self.at = at + 1;
                    return Ok(Some(false));
                }
                Some(b'/') => {
                    at += 1;
                    match self.byte(at) {
                        None => return Ok(None),
                        Some(b'>') => {
                            self.at = at + 1;
                            return Ok(Some(true));
                        }
                        Some(_) => {
                            out.problem("unexpected-solidus-in-tag", at);
                            self.at = at;
                            continue;
                        }
                    }
                }
                Some(_) => {}
            }
            if !self.attribute(at, attributes, out)? {
                return Ok(None);
            }
        }
    }

    /// One attribute whose name begins at `from`; false where the document ends in it.
    fn attribute(
        &mut self,
        from: usize,
        attributes: &mut Attributes,
        out: &mut impl Consumer,
    ) -> Result<bool> {
        let mut start = from;
        if self.bytes[from] == b'=' {
            out.problem("unexpected-equals-sign-before-attribute-name", from);
            start += 1;
        }
        let end = self.end_of(start, ENDS_ATTRIBUTE_NAME);
        for at in from..end {
            if is(self.bytes[at], ODD_IN_NAME) {
                out.problem("unexpected-character-in-attribute-name", at);
            }
        }
        let name = self.name(from, end, out)?;
        let is_duplicate = attributes.has(&name);
        if is_duplicate {
            out.problem("duplicate-attribute", end);
            attributes.has_duplicates = true;
        }
        // after attribute name
        let mut at = end;
        while self.byte(at).is_some_and(is_space) {
            at += 1;
        }
        let mut value = StrTendril::new();
        if self.byte(at) == Some(b'=') {
            match self.value(at + 1, out) {
                None => return Ok(false),
                Some(found) => value = found,
            }
        } else {
            self.at = at;
        }
        if !is_duplicate {
            if attributes.list.len() as u64 >= self.limits.attributes {
                return Err(Error::limit("attributes", self.limits.attributes));
            }
            // the tree builder puts names of foreign elements into their namespaces
            attributes.list.push(Attribute { name: QualName::new(None, ns!(), name), value });
        }
        Ok(true)
    }

    /// The value after a `=` that ends before `at`; `None` where the document ends in it.
    fn value(&mut self, mut at: usize, out: &mut impl Consumer) -> Option<StrTendril> {
        while self.byte(at).is_some_and(is_space) {
            at += 1;
        }
        match self.byte(at)? {
            quote @ (b'"' | b'\'') => {
                let value = self.quoted(quote, at + 1, out)?;
                match self.byte(self.at)? {
                    b'>' | b'/' => {}
                    byte if is_space(byte) => {}
                    _ => out.problem("missing-whitespace-between-attributes", self.at),
                }
                Some(value)
            }
            b'>' => {
                out.problem("missing-attribute-value", at);
                self.at = at;
                Some(StrTendril::new())
            }
            _ => self.unquoted(at, out),
        }
    }

    /// A value up to its quote.
    fn quoted(&mut self, quote: u8, start: usize, out: &mut impl Consumer) -> Option<StrTendril> {
        let mut at = start;
        let mut copied = start;
        self.buffer.clear();
        loop {
            at += memchr3(quote, b'&', 0, &self.bytes[at..])?;
            if self.bytes[at] == quote {
                break;
            }
            (at, copied) = self.change(at, copied, out);
        }
        self.at = at + 1;
        Some(self.finish_value(start, copied, at))
    }

    /// A value up to white space or `>`.
    fn unquoted(&mut self, start: usize, out: &mut impl Consumer) -> Option<StrTendril> {
        let mut at = start;
        let mut copied = start;
        self.buffer.clear();
        loop {
            at = self.end_of(at, ENDS_UNQUOTED | STOPS_UNQUOTED);
            match self.byte(at)? {
                byte if is(byte, ENDS_UNQUOTED) => break,
                b'&' | 0 => (at, copied) = self.change(at, copied, out),
                _ => {
                    out.problem("unexpected-character-in-unquoted-attribute-value", at);
                    at += 1;
                }
            }
        }
        self.at = at;
        Some(self.finish_value(start, copied, at))
    }

    /// A reference or U+0000 in a value: where to go on, and up to where the buffer has the value.
    fn change(&mut self, at: usize, copied: usize, out: &mut impl Consumer) -> (usize, usize) {
        if self.bytes[at] == 0 {
            out.problem("unexpected-null-character", at);
            self.buffer.push_str(&self.text[copied..at]);
            self.buffer.push('\u{FFFD}');
            return (at + 1, at + 1);
        }
        match self.reference(at, true, out) {
            None => (at + 1, copied),
            Some((chars, after)) => {
                self.buffer.push_str(&self.text[copied..at]);
                self.buffer.extend(chars.into_iter().flatten());
                (after, after)
            }
        }
    }

    fn finish_value(&mut self, start: usize, copied: usize, end: usize) -> StrTendril {
        if copied == start {
            return self.slice(start, end);
        }
        self.buffer.push_str(&self.text[copied..end]);
        StrTendril::from_slice(&self.buffer)
    }
}
