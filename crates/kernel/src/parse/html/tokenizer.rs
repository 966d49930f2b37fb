//! HTML's tokenizer over one contiguous text: characters to tags, texts, comments and doctypes.
//!
//! The rules are those of the standard (13.2.5 Tokenization); the form is not its state machine. Since the whole text is at
//! hand and newlines are already `\n`, a run of characters is found by one search and handed on as a slice of the shared
//! text, where html5ever's tokenizer goes through a queue of buffers and copies character by character. On real pages that
//! queue was 60 % of all parsing time (docs/explanation/html-parsing.md), so this file stands in front of html5ever's tree
//! construction. The whole tokenizer suite of html5lib is its test.
//!
//! One file for each kind of token: `tag`, `characters` (text in all its modes), `declaration` (comments, doctypes, CDATA),
//! `reference` (`&amp;` and its sisters).

mod characters;
mod declaration;
mod doctype;
mod reference;
mod tag;
#[cfg(test)]
mod tests;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Doctype, Tag};
use html5ever::LocalName;
use memchr::memchr_iter;

use super::atoms::AtomCache;
use crate::error::Result;
use crate::limits::Limits;

/// What the characters that come next are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// Markup.
    Data,
    /// Text with references, up to the end tag (`title`, `textarea`).
    Rcdata,
    /// Text up to the end tag (`style`, `xmp`, …).
    Rawtext,
    /// A script, with its comment-like escapes.
    Script,
    /// Text up to the end of the document.
    Plaintext,
    /// A CDATA section, which only foreign content has.
    Cdata,
}

/// Takes the tokens. Lines are those where a token starts, from 1.
pub(super) trait Consumer {
    /// A start or end tag; the answer says how to read on.
    fn tag(&mut self, tag: Tag, line: u32) -> Content;
    /// Characters, none of them U+0000.
    fn text(&mut self, text: StrTendril, line: u32);
    /// U+0000 where the standard leaves it to tree construction.
    fn null(&mut self, line: u32);
    /// A comment.
    fn comment(&mut self, text: StrTendril, line: u32);
    /// A doctype.
    fn doctype(&mut self, doctype: Doctype, line: u32);
    /// The end of the document.
    fn end(&mut self, line: u32);
    /// Something the standard calls a parse error, by its code.
    fn problem(&mut self, code: &'static str, line: u32);
    /// Whether the node that is open is an SVG or MathML element.
    fn is_in_foreign_content(&self) -> bool;
    /// Whether to go on; asked after each token.
    fn check(&mut self) -> Result<()>;
}

/// Where the tokenizer stands in its text.
pub(super) struct Tokenizer<'t> {
    /// The text once more: slices of it are tokens without a copy.
    shared: &'t StrTendril,
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    content: Content,
    /// Name of the last start tag: only its end tag ends raw text.
    last_start: Option<LocalName>,
    atoms: AtomCache,
    /// Room for values that are not a slice of the text.
    buffer: String,
    limits: Limits,
    /// Newlines before `counted` are in `line`.
    counted: usize,
    line: u32,
}

impl<'t> Tokenizer<'t> {
    /// A tokenizer at the start of `shared`, which has no `\r` and no byte-order mark.
    pub fn new(shared: &'t StrTendril, content: Content, limits: Limits) -> Self {
        let text: &str = shared;
        Tokenizer {
            shared,
            text,
            bytes: text.as_bytes(),
            at: 0,
            content,
            last_start: None,
            atoms: AtomCache::default(),
            buffer: String::new(),
            limits,
            counted: 0,
            line: 1,
        }
    }

    /// Reads to the end.
    pub fn run(&mut self, out: &mut impl Consumer) -> Result<()> {
        while self.at < self.bytes.len() {
            match self.content {
                Content::Data => self.data(out)?,
                Content::Rcdata => self.rcdata(out)?,
                Content::Rawtext => self.rawtext(out)?,
                Content::Script => self.script(out)?,
                Content::Plaintext => self.plaintext(out),
                Content::Cdata => self.cdata(out),
            }
            out.check()?;
        }
        let line = self.line_of(self.at);
        if self.content == Content::Cdata {
            out.problem("eof-in-cdata", line);
        }
        out.end(line);
        out.check()
    }

    /// The line of byte `at`, which must not lie before the last one asked for (else that one's line).
    fn line_of(&mut self, at: usize) -> u32 {
        if at > self.counted {
            self.line += memchr_iter(b'\n', &self.bytes[self.counted..at]).count() as u32;
            self.counted = at;
        }
        self.line
    }

    fn problem(&mut self, out: &mut impl Consumer, code: &'static str, at: usize) {
        let line = self.line_of(at);
        out.problem(code, line);
    }

    /// The byte at `at`, or `None` at the end.
    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// The text from `from` to `to`, shared where it is long.
    fn slice(&self, from: usize, to: usize) -> StrTendril {
        self.shared.subtendril(from as u32, (to - from) as u32)
    }

    /// The text from `from` to `to` with U+FFFD for U+0000.
    fn slice_without_null(&mut self, from: usize, to: usize, out: &mut impl Consumer) -> StrTendril {
        let bytes = &self.bytes[from..to];
        if memchr::memchr(0, bytes).is_none() {
            return self.slice(from, to);
        }
        for at in memchr_iter(0, bytes) {
            self.problem(out, "unexpected-null-character", from + at);
        }
        StrTendril::from(self.text[from..to].replace('\0', "\u{FFFD}"))
    }
}

/// HTML's white space (`\r` is gone by now).
fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0C' | b' ')
}
