//! HTML as browsers read it: our tokenizer, html5ever's tree construction, our own arena.
//!
//! Scripting is off, so the contents of `noscript` are elements. The contents of a `template` are
//! its children, marked [`crate::tree::flags::IN_TEMPLATE`]; a declarative shadow root is a
//! template like any other. [`parse`] is the seam: no other module knows which parser stands behind
//! it.

mod arena;
mod atoms;
mod driver;
mod flatten;
mod lines;
mod problems;
mod selected;
mod sink;
#[cfg(test)]
mod tests;
mod tokenizer;

use std::borrow::Cow;

use encoding_rs::Encoding;
use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{create_element, TreeBuilder, TreeBuilderOpts};
use html5ever::{ns, LocalName, Namespace, QualName};

use super::encoding::{self, Decoded};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::tree::{Problem, Tree};
use crate::watch::Watch;

/// How to read a document.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Read a fragment, as if inside this element: a local name, or `svg` or `math` and a local
    /// name (`svg desc`). `None` reads a document.
    pub context: Option<String>,
    /// Problems that were found before, such as characters that had to be replaced.
    pub problems: Vec<Problem>,
}

/// Reads HTML from text. Never fails on broken markup: what was mended stands in `meta().problems`.
pub fn parse(text: &str, options: &Options, limits: Limits, watch: &dyn Watch) -> Result<Tree> {
    Limits::check("bytes", limits.bytes, text.len() as u64)?;
    match build(text, options, None, limits, watch)? {
        Built::Tree(tree) => Ok(*tree),
        Built::Redeclared(_) => unreachable!("text has no encoding to be declared"),
    }
}

/// Reads HTML from bytes. `transport` is the encoding that whoever brought them named: a label or a
/// `Content-Type`.
pub fn parse_bytes(
    bytes: &[u8],
    transport: Option<&str>,
    options: &Options,
    limits: Limits,
    watch: &dyn Watch,
) -> Result<Tree> {
    Limits::check("bytes", limits.bytes, bytes.len() as u64)?;
    let Decoded { text, mut encoding, source, mut problems } =
        encoding::decode_html(bytes, transport);
    problems.splice(0..0, options.problems.iter().cloned());
    let mut options = Options { problems, ..options.clone() };
    let built = build(&text, &options, source.is_tentative().then_some(encoding), limits, watch)?;
    let mut tree = match built {
        Built::Tree(tree) => *tree,
        Built::Redeclared(declared) => {
            // the standard's "change the encoding": begin again
            encoding = declared;
            let (text, problem) = encoding::decode(bytes, declared);
            options.problems.extend(problem);
            match build(&text, &options, None, limits, watch)? {
                Built::Tree(tree) => *tree,
                Built::Redeclared(_) => unreachable!("the encoding is certain by now"),
            }
        }
    };
    tree.meta.encoding = encoding.name().to_string();
    Ok(tree)
}

/// What came of a text.
enum Built {
    Tree(Box<Tree>),
    /// A `meta` says that the bytes are in this encoding, which is not the one they were read with.
    Redeclared(&'static Encoding),
}

/// Builds the tree; with a `tentative` encoding, unless the document declares another one.
fn build(
    text: &str,
    options: &Options,
    tentative: Option<&'static Encoding>,
    limits: Limits,
    watch: &dyn Watch,
) -> Result<Built> {
    Limits::check("bytes", u64::from(u32::MAX), text.len() as u64)?;
    let text = StrTendril::from_slice(&newlines(text.strip_prefix('\u{FEFF}').unwrap_or(text)));
    let kept = atoms::NameArena::with_capacity(64);
    let no_name = kept.keep(QualName::new(None, ns!(), LocalName::default()));
    let sink = sink::Sink::new(arena::Arena::new(&kept, limits, text.len()), no_name);
    let builder_options =
        TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let mut content = tokenizer::Content::Data;
    let builder = match &options.context {
        None => TreeBuilder::new(sink, builder_options),
        Some(context) => {
            let name = context_name(context)?;
            if name.ns == ns!(html) {
                content = driver::content_of(&name.local);
            }
            let element = create_element(&sink, name, Vec::new());
            TreeBuilder::new_for_fragment(sink, element, None, builder_options)
        }
    };
    let mut driver = driver::Driver::new(builder, watch);
    driver.tentative = tentative;
    driver.is_in_select = options.context.as_deref() == Some("select");
    let result = tokenizer::Tokenizer::new(&text, content, limits).run(&mut driver);
    if let Some(encoding) = driver.redeclared {
        return Ok(Built::Redeclared(encoding));
    }
    result?;
    let sink = driver.builder.sink;
    let mut arena = sink.arena.into_inner();
    lines::resolve(&text, arena.rows.iter_mut().map(|row| &mut row.line));
    selected::fill(&mut arena);
    let flatten::Flattened { mut tree, too_deep } = flatten::flatten(arena, options)?;
    let cut = too_deep.map(|line| Problem {
        line,
        message: format!("deeper than {} levels: attached at that level", Limits::HTML_DEPTH),
    });
    (tree.meta.problems, tree.meta.problem_count) =
        sink.problems.into_inner().finish(&text, &options.problems, cut);
    Ok(Built::Tree(Box::new(tree)))
}

/// Whether an element with raw text (`script`, `style`, …) that holds `text` would end before its
/// end tag, or not with it.
pub(crate) fn raw_text_ends_early(local: &str, text: &str) -> bool {
    tokenizer::raw_text_end(local, text) != text.len()
}

/// Every newline as `\n`.
fn newlines(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\r', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        out.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The element a fragment stands in.
fn context_name(context: &str) -> Result<QualName> {
    let (ns, local): (Namespace, &str) = match context.split_once(' ') {
        None => (ns!(html), context),
        Some(("svg", local)) => (ns!(svg), local),
        Some(("math", local)) => (ns!(mathml), local),
        Some(_) => {
            return Err(Error::Usage(format!(
                "'{context}' is no context: use a local name, or 'svg NAME', or 'math NAME'"
            )))
        }
    };
    if local.is_empty()
        || local.contains(|c: char| c.is_ascii_whitespace() || matches!(c, '<' | '>' | '/'))
    {
        return Err(Error::Usage(format!(
            "'{context}' is no context: use a local name, or 'svg NAME', or 'math NAME'"
        )));
    }
    Ok(QualName::new(None, ns, LocalName::from(local)))
}
