//! HTML's tokenizer over one contiguous text: characters to tags, texts, comments and doctypes.
//!
//! The rules are those of the standard (13.2.5 Tokenization); the form is not its state machine.
//! Since the whole text is at hand and newlines are already `\n`, a run of characters is found by
//! one search and handed on as a slice of the shared text, where html5ever's tokenizer goes through
//! a queue of buffers and copies character by character. On real pages that queue was 60 % of all
//! parsing time (docs/explanation/html-parsing.md), so this file stands in front of html5ever's
//! tree construction. The whole tokenizer suite of html5lib is its test.
//!
//! One file for each kind of token: `tag`, `characters` (text in all its modes), `declaration`
//! (comments, doctypes, CDATA), `reference` (`&amp;` and its sisters).

mod characters;
mod declaration;
mod doctype;
mod reference;
mod tag;
#[cfg(test)]
mod tests;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Doctype, Tag};
use html5ever::{Attribute, LocalName};
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

/// Takes the tokens. `at` is where a token starts, in bytes: counting lines for each would cost
/// more than finding the token.
pub(super) trait Consumer {
    /// A start or end tag; the answer says how to read on.
    fn tag(&mut self, tag: Tag, at: usize) -> Content;
    /// Characters, none of them U+0000.
    fn text(&mut self, text: StrTendril, at: usize);
    /// U+0000 where the standard leaves it to tree construction.
    fn null(&mut self, at: usize);
    /// A comment.
    fn comment(&mut self, text: StrTendril, at: usize);
    /// A doctype.
    fn doctype(&mut self, doctype: Doctype, at: usize);
    /// The end of the document.
    fn end(&mut self, at: usize);
    /// Something the standard calls a parse error, by its code.
    fn problem(&mut self, code: &'static str, at: usize);
    /// Whether the node that is open is an SVG or MathML element.
    fn is_in_foreign_content(&self) -> bool;
    /// An empty vector for attributes, with room where there is some to be used again.
    fn spare(&mut self) -> Vec<Attribute> {
        Vec::new()
    }
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
        if self.content == Content::Cdata {
            out.problem("eof-in-cdata", self.at);
        }
        out.end(self.at);
        out.check()
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
    fn slice_without_null(
        &mut self,
        from: usize,
        to: usize,
        out: &mut impl Consumer,
    ) -> StrTendril {
        let bytes = &self.bytes[from..to];
        if memchr::memchr(0, bytes).is_none() {
            return self.slice(from, to);
        }
        for at in memchr_iter(0, bytes) {
            out.problem("unexpected-null-character", from + at);
        }
        StrTendril::from(self.text[from..to].replace('\0', "\u{FFFD}"))
    }
}

/// Where the raw text of the element `local` ends that begins with `text` and goes on with the
/// element's end tag.
pub(super) fn raw_text_end(local: &str, text: &str) -> usize {
    let name = LocalName::from(local);
    let shared = StrTendril::from(format!("{text}</{local}>"));
    let mut tokenizer =
        Tokenizer::new(&shared, super::driver::content_of(&name), Limits::default());
    tokenizer.last_start = Some(name);
    match tokenizer.content {
        Content::Script => tokenizer.script_end().0,
        Content::Rawtext => tokenizer.rawtext_end(),
        _ => text.len(),
    }
}

/// HTML's white space (`\r` is gone by now).
fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0C' | b' ')
}
