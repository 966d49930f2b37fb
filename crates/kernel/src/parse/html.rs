//! HTML as browsers read it: html5ever's tokenizer and tree construction, feeding our own arena.
//!
//! Scripting is off, so the contents of `noscript` are elements. The contents of a `template` are its children, marked
//! [`crate::tree::flags::IN_TEMPLATE`].

mod flatten;
mod sink;

use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ns, LocalName, ParseOpts, QualName};

use crate::error::Result;
use crate::limits::Limits;
use crate::tree::Tree;
use crate::watch::Watch;

/// Bytes handed to the tokenizer between two looks at the watch.
const CHUNK: usize = 1 << 16;

/// How to read a document.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Read a fragment, as if inside an element of this local name; `None` reads a document.
    pub context: Option<String>,
    /// What the bytes were read with, for [`crate::tree::Meta`].
    pub encoding: String,
}

/// Reads HTML. Never fails on broken markup: what was mended stands in `meta().problems`.
pub fn parse(text: &str, options: &Options, limits: Limits, watch: &dyn Watch) -> Result<Tree> {
    Limits::check("bytes", limits.bytes, text.len() as u64)?;
    let sink = sink::Sink::new(limits, text.len());
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let parse_options = ParseOpts { tree_builder, ..ParseOpts::default() };
    let mut parser = match &options.context {
        None => html5ever::parse_document(sink, parse_options),
        Some(context) => {
            let name = QualName::new(None, ns!(html), LocalName::from(context.as_str()));
            html5ever::parse_fragment(sink, parse_options, name, Vec::new(), false)
        }
    };
    let mut rest = text;
    while !rest.is_empty() {
        let mut cut = CHUNK.min(rest.len());
        while !rest.is_char_boundary(cut) {
            cut += 1;
        }
        parser.process(StrTendril::from_slice(&rest[..cut]));
        rest = &rest[cut..];
        watch.check()?;
        parser.tokenizer.sink.sink.failure()?;
    }
    let arena = parser.finish();
    flatten::flatten(arena, options, limits)
}
