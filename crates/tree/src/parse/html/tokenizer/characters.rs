//! Text, in each of its modes.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::TagKind;
use memchr::{memchr, memchr2, memchr3};

use super::{is_space, Consumer, Content, Tokenizer};
use crate::error::Result;

/// How far a script is inside something that looks like a comment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escape {
    No,
    /// After `<!--`.
    Once,
    /// After `<!--` and `<script`.
    Twice,
}

impl Tokenizer<'_> {
    /// Markup, or text up to markup.
    pub(super) fn data(&mut self, out: &mut impl Consumer) -> Result<()> {
        if self.bytes[self.at] == b'<' && self.is_markup(self.at) {
            return self.markup(out);
        }
        let start = self.at;
        let mut at = start;
        // text before `copied` stands in the buffer; a run without references is never copied
        let mut copied = start;
        self.buffer.clear();
        loop {
            at = match memchr3(b'<', b'&', 0, &self.bytes[at..]) {
                None => self.bytes.len(),
                Some(found) => at + found,
            };
            match self.byte(at) {
                Some(b'&') => {
                    if let Some((chars, after)) = self.reference(at, false, out) {
                        self.buffer.push_str(&self.text[copied..at]);
                        self.buffer.extend(chars.into_iter().flatten());
                        copied = after;
                        at = after;
                    } else {
                        at += 1;
                    }
                }
                Some(b'<') if !self.is_markup(at) => {
                    let code = if at + 1 < self.bytes.len() && self.bytes[at + 1] != b'/' {
                        "invalid-first-character-of-tag-name"
                    } else {
                        "eof-before-tag-name"
                    };
                    out.problem(code, at);
                    at += 1;
                }
                _ => break,
            }
        }
        self.emit(start, copied, at, out);
        if self.byte(at) == Some(0) {
            out.problem("unexpected-null-character", at);
            out.null(at);
            at += 1;
        }
        self.at = at;
        Ok(())
    }

    /// Hands on the text from `start` to `end`, of which everything before `copied` is already in
    /// the buffer.
    fn emit(&mut self, start: usize, copied: usize, end: usize, out: &mut impl Consumer) {
        if copied == start {
            if end > start {
                out.text(self.slice(start, end), start);
            }
            return;
        }
        self.buffer.push_str(&self.text[copied..end]);
        out.text(StrTendril::from_slice(&self.buffer), start);
    }

    /// Whether the `<` at `at` begins a tag or a declaration, and is not a mere character.
    fn is_markup(&self, at: usize) -> bool {
        match self.byte(at + 1) {
            Some(b'/') => at + 2 < self.bytes.len(),
            Some(next) => next.is_ascii_alphabetic() || next == b'!' || next == b'?',
            None => false,
        }
    }

    /// 13.2.5.6, 13.2.5.7: what follows a `<`.
    fn markup(&mut self, out: &mut impl Consumer) -> Result<()> {
        let at = self.at;
        match self.bytes[at + 1] {
            b'/' => match self.bytes[at + 2] {
                letter if letter.is_ascii_alphabetic() => {
                    self.tag(TagKind::EndTag, at, at + 2, out)
                }
                b'>' => {
                    out.problem("missing-end-tag-name", at);
                    self.at = at + 3;
                    Ok(())
                }
                _ => {
                    out.problem("invalid-first-character-of-tag-name", at);
                    self.bogus_comment(at, at + 2, out);
                    Ok(())
                }
            },
            b'!' => {
                self.declaration(out);
                Ok(())
            }
            b'?' => {
                out.problem("unexpected-question-mark-instead-of-tag-name", at);
                self.bogus_comment(at, at + 1, out);
                Ok(())
            }
            _ => self.tag(TagKind::StartTag, at, at + 1, out),
        }
    }

    /// 13.2.5.2: text with references, up to its end tag.
    pub(super) fn rcdata(&mut self, out: &mut impl Consumer) -> Result<()> {
        let start = self.at;
        let mut at = start;
        let mut copied = start;
        self.buffer.clear();
        loop {
            at = match memchr3(b'<', b'&', 0, &self.bytes[at..]) {
                None => self.bytes.len(),
                Some(found) => at + found,
            };
            match self.byte(at) {
                None => break,
                Some(b'<') if self.is_appropriate_end(at) => break,
                Some(b'&') => {
                    if let Some((chars, after)) = self.reference(at, false, out) {
                        self.buffer.push_str(&self.text[copied..at]);
                        self.buffer.extend(chars.into_iter().flatten());
                        copied = after;
                        at = after;
                    } else {
                        at += 1;
                    }
                }
                Some(0) => {
                    out.problem("unexpected-null-character", at);
                    self.buffer.push_str(&self.text[copied..at]);
                    self.buffer.push('\u{FFFD}');
                    at += 1;
                    copied = at;
                }
                Some(_) => at += 1,
            }
        }
        self.emit(start, copied, at, out);
        self.end_raw(at, out)
    }

    /// 13.2.5.3: text up to its end tag.
    pub(super) fn rawtext(&mut self, out: &mut impl Consumer) -> Result<()> {
        let end = self.rawtext_end();
        self.emit_raw(end, out);
        self.end_raw(end, out)
    }

    /// Where the end tag of raw text begins, or the document ends.
    pub(super) fn rawtext_end(&self) -> usize {
        let mut at = self.at;
        while let Some(found) = memchr(b'<', &self.bytes[at..]) {
            at += found;
            if self.is_appropriate_end(at) {
                return at;
            }
            at += 1;
        }
        self.bytes.len()
    }

    /// 13.2.5.4 and 13.2.5.15 to 13.2.5.31: a script up to its end tag.
    pub(super) fn script(&mut self, out: &mut impl Consumer) -> Result<()> {
        let (end, is_escaped) = self.script_end();
        self.emit_raw(end, out);
        if end == self.bytes.len() && is_escaped {
            out.problem("eof-in-script-html-comment-like-text", end);
        }
        self.end_raw(end, out)
    }

    /// Where the end tag of a script begins, or the document ends; and whether that is inside
    /// something like a comment.
    pub(super) fn script_end(&self) -> (usize, bool) {
        let mut at = self.at;
        let mut escape = Escape::No;
        loop {
            let found = match escape {
                Escape::No => memchr(b'<', &self.bytes[at..]),
                _ => memchr2(b'<', b'-', &self.bytes[at..]),
            };
            let Some(found) = found else { return (self.bytes.len(), escape != Escape::No) };
            at += found;
            let rest = &self.bytes[at..];
            match escape {
                Escape::No if rest.starts_with(b"<!--") => {
                    escape = Escape::Once;
                    // its dashes may be the dashes of `-->`
                    at += 2;
                }
                Escape::No | Escape::Once if self.is_appropriate_end(at) => {
                    return (at, escape != Escape::No)
                }
                Escape::No => at += 1,
                _ if rest[0] == b'-' => {
                    let dashes = rest.iter().take_while(|&&b| b == b'-').count();
                    at += dashes;
                    if dashes >= 2 && self.byte(at) == Some(b'>') {
                        escape = Escape::No;
                    }
                }
                Escape::Once if is_word(rest, b"<", b"script") => {
                    escape = Escape::Twice;
                    at += b"<script".len();
                }
                Escape::Twice if is_word(rest, b"</", b"script") => {
                    escape = Escape::Once;
                    at += b"</script".len();
                }
                _ => at += 1,
            }
        }
    }

    /// 13.2.5.5: text to the end.
    pub(super) fn plaintext(&mut self, out: &mut impl Consumer) {
        let end = self.bytes.len();
        self.emit_raw(end, out);
        self.at = end;
    }

    fn emit_raw(&mut self, end: usize, out: &mut impl Consumer) {
        if end > self.at {
            let text = self.slice_without_null(self.at, end, out);
            out.text(text, self.at);
        }
    }

    /// At the end tag of raw text, or the end of the document.
    fn end_raw(&mut self, at: usize, out: &mut impl Consumer) -> Result<()> {
        self.at = at;
        if at == self.bytes.len() {
            return Ok(());
        }
        self.content = Content::Data;
        self.tag(TagKind::EndTag, at, at + 2, out)
    }

    /// Whether the end tag of the element whose raw text this is begins at `at`.
    fn is_appropriate_end(&self, at: usize) -> bool {
        match &self.last_start {
            None => false,
            Some(name) => is_word(&self.bytes[at..], b"</", name.as_bytes()),
        }
    }
}

/// Whether `rest` begins with `before` and the tag name `name` in any case, and the name ends
/// there.
fn is_word(rest: &[u8], before: &[u8], name: &[u8]) -> bool {
    let Some(rest) = rest.strip_prefix(before) else { return false };
    rest.len() > name.len()
        && rest[..name.len()].eq_ignore_ascii_case(name)
        && (is_space(rest[name.len()]) || matches!(rest[name.len()], b'/' | b'>'))
}
