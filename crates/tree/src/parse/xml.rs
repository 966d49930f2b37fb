//! XML 1.0 (5th edition) with namespaces, read in one pass straight into the tree. It does not
//! validate, and fetches nothing.
//!
//! The text of the document becomes the front of the tree's heap, so that texts and attribute
//! values that stand there as they are cost no copy. `docs/explanation/xml-parsing.md` tells how it
//! goes; `docs/decisions/` why it is our own.
//!
//! Reading order: [`decode`] (bytes to text), [`prolog`] and [`subset`] (document type),
//! [`content`] and [`tags`] (the rest).

mod chars;
mod content;
mod cursor;
mod decode;
mod dtd;
mod model;
mod namespaces;
mod place;
mod prolog;
mod qnames;
mod shared;
mod subset;
mod tags;
#[cfg(test)]
mod tests;
mod values;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::tree::{Builder, Format, Meta, Tree};
use crate::watch::Watch;
use content::Content;
use cursor::{Cursor, Step, Stop};
use decode::Source;
use dtd::Budget;
use qnames::QNames;
use shared::Shared;

/// How to read a document.
#[derive(Debug, Clone)]
pub struct Options {
    /// The charset the transport named, if any. A byte order mark is stronger, the XML declaration
    /// weaker.
    pub transport: Option<String>,
    /// Resolve prefixes. Without, a colon is a letter like any other.
    pub namespaces: bool,
    /// Read content: any number of elements and texts, no document type.
    pub fragment: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { transport: None, namespaces: true, fragment: false }
    }
}

/// Reads XML from bytes. The first error stops; it has a line and a column.
pub fn parse(bytes: &[u8], options: &Options, limits: Limits, watch: &dyn Watch) -> Result<Tree> {
    Limits::check("bytes", limits.bytes.min(u64::from(u32::MAX) - 1), bytes.len() as u64)?;
    read(decode::from_bytes(bytes, options.transport.as_deref())?, options, limits, watch)
}

/// Reads XML from text. What the XML declaration says about encoding is not heard.
pub fn parse_str(text: &str, options: &Options, limits: Limits, watch: &dyn Watch) -> Result<Tree> {
    Limits::check("bytes", limits.bytes.min(u64::from(u32::MAX) - 1), text.len() as u64)?;
    read(decode::from_str(text), options, limits, watch)
}

fn read(source: Source, options: &Options, limits: Limits, watch: &dyn Watch) -> Result<Tree> {
    let Source { text, encoding, problems, forbidden } = source;
    Limits::check("bytes", u64::from(u32::MAX) - 1, text.len() as u64)?;
    watch.check()?;
    let mut meta = Meta::new(Format::Xml);
    meta.encoding = encoding;
    meta.is_fragment = options.fragment;
    let mut shared = Shared {
        builder: Builder::over(meta, limits, expected_nodes(&text, &limits), text.len()),
        names: QNames::new(options.namespaces),
        budget: Budget::new(limits.entity_expansion, text.len() as u64),
        limits,
        namespaces: options.namespaces,
        watch,
        ticks: 0,
    };
    for problem in problems {
        shared.problem(0, problem);
    }
    let outcome = document(&text, &mut shared, options.fragment);
    // a forbidden character is found before reading, but whatever is wrong before it comes first
    let (at, message) = match (outcome, forbidden) {
        (Err(Stop::Kernel(error)), _) => return Err(error),
        (Err(Stop::Syntax { at, message }), None) => (at, message),
        (Err(Stop::Syntax { at, message }), Some(bad)) if at < bad => (at, message),
        (_, Some(bad)) => (
            bad,
            format!(
                "the character U+{:04X} may not stand in XML",
                text[bad..].chars().next().map_or(0, u32::from)
            ),
        ),
        (Ok(()), None) => return Ok(finish(shared.builder, text)),
    };
    let (line, column) = place::of(&text, at);
    Err(Error::parse(message, line, column))
}

fn document(text: &str, shared: &mut Shared<'_>, is_fragment: bool) -> Step<()> {
    let mut cursor = Cursor::new(text, 0);
    let dtd = prolog::read(&mut cursor, shared, is_fragment)?;
    let mut cursor = Content::new(cursor, &dtd, shared, is_fragment).read()?;
    prolog::read_rest(&mut cursor, shared)
}

/// A guess: with too few the columns grow on the way, with too many some address space is given
/// back at the end.
fn expected_nodes(text: &str, limits: &Limits) -> usize {
    (text.len() / 12 + 16).min(limits.nodes as usize)
}

/// Bytes become lines.
fn finish(mut builder: Builder, text: String) -> Tree {
    let mut lines = place::Lines::new(&text);
    builder.map_lines(|at| lines.of(at as usize));
    let mut lines = place::Lines::new(&text);
    for problem in &mut builder.meta_mut().problems {
        problem.line = lines.of(problem.line as usize);
    }
    builder.finish_over(text)
}
