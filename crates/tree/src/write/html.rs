//! HTML, by the standard's "serializing HTML fragments" (13.3), so that it reads back equal.
//!
//! Where the standard's algorithm would lose something that HTML can say, this one says it: the
//! identifiers of a doctype, and the quirks mode that they stand for or that something wrong in the
//! doctype stood for; the newline that `pre`, `textarea` and `listing` swallow; `\r`; forms in
//! forms. After `plaintext`, which nothing can end, nothing is written.

pub mod expressible;
mod forms;
mod names;
mod sets;

use encoding_rs::{Encoding, UTF_8};

use crate::error::Result;
use crate::limits::Limits;
use crate::parse::{encoding, html};
use crate::tree::{Kind, Quirks, Tree};
use crate::watch::{Unwatched, Watch};

/// Nodes between two looks at the watch.
const STEPS: usize = 4096;

/// Writes node `i` and what is below it; of a document what is below it.
pub fn write(tree: &Tree, i: usize, watch: &dyn Watch) -> Result<String> {
    let mut out = String::with_capacity((tree.end(i) - i) * 32);
    let mut open: Vec<usize> = Vec::new();
    let forms = forms::plan(tree, i);
    let mut early_ends = forms.ends_before.iter().peekable();
    let mut node = i;
    while node < tree.end(i) {
        if (node - i).is_multiple_of(STEPS) {
            watch.check()?;
        }
        while let Some(top) = open.pop_if(|top| tree.end(*top) <= node) {
            close(tree, top, &forms, &mut out);
        }
        while early_ends.next_if_eq(&&node).is_some() {
            out.push_str("</form>");
        }
        let mut next = node + 1;
        match tree.kind(node) {
            Kind::Document => {}
            Kind::Doctype => doctype(tree, node, &mut out),
            Kind::Comment => out.extend(["<!--", tree.text(node), "-->"]),
            Kind::Instruction => out.extend(["<?", tree.local(node), " ", tree.text(node), ">"]),
            Kind::Text if open.last().is_some_and(|&parent| names::is_raw(tree, parent)) => {
                out.push_str(tree.text(node))
            }
            Kind::Text => text(tree.text(node), &mut out),
            Kind::Element => {
                start(tree, node, &mut out);
                if names::is_void(tree, node) {
                    next = tree.end(node);
                } else {
                    open.push(node);
                }
            }
        }
        node = next;
    }
    // nothing ends plaintext: an end tag would be read as text
    if !open.iter().any(|&top| names::is_plaintext(tree, top)) {
        while let Some(top) = open.pop() {
            close(tree, top, &forms, &mut out);
        }
    }
    Ok(out)
}

/// Writes a whole tree as UTF-8 that will be read as UTF-8: with a byte-order mark where the
/// document says of itself that it is in another encoding, since a mark overrules that.
pub fn write_bytes(tree: &Tree, watch: &dyn Watch) -> Result<Vec<u8>> {
    let text = write(tree, 0, watch)?;
    if text.is_ascii() || !declares_another_encoding(tree, &text) {
        return Ok(text.into_bytes());
    }
    Ok(["\u{FEFF}", &text].concat().into_bytes())
}

fn declares_another_encoding(tree: &Tree, text: &str) -> bool {
    let is_other =
        |found: Option<&'static Encoding>| found.is_some_and(|encoding| encoding != UTF_8);
    // what a meta anywhere says, as the parser would hear it, and what is seen before there is a
    // parser
    let metas = (0..tree.len()).filter(|&i| tree.is_element(i) && tree.local(i) == "meta");
    let says_other = |i| {
        let [charset, content] = ["charset", "content"].map(|name| tree.attribute(i, name));
        is_other(charset.and_then(|label| encoding::declared(label.as_bytes())))
            || is_other(content.and_then(encoding::from_content))
    };
    is_other(encoding::prescan(text.as_bytes())) || metas.into_iter().any(says_other)
}

fn start(tree: &Tree, i: usize, out: &mut String) {
    out.push('<');
    names::push_element(tree, i, out);
    for a in tree.attributes(i) {
        out.push(' ');
        names::push_attribute(tree, a, out);
        out.push_str("=\"");
        value(tree.attr_value(a), out);
        out.push('"');
    }
    out.push('>');
    if names::swallows_newline(tree, i)
        && tree.end(i) > i + 1
        && tree.kind(i + 1) == Kind::Text
        && tree.text(i + 1).starts_with('\n')
    {
        out.push('\n');
    }
}

fn close(tree: &Tree, i: usize, forms: &forms::Plan, out: &mut String) {
    if forms.unended.binary_search(&i).is_ok() {
        return;
    }
    out.push_str("</");
    names::push_element(tree, i, out);
    out.push('>');
}

/// A doctype with its identifiers. Where the document is in quirks mode although the doctype does
/// not ask for it, the doctype was broken when it was read, and is broken again.
fn doctype(tree: &Tree, i: usize, out: &mut String) {
    let plain = doctype_with(tree, i, false);
    let is_lost = tree.meta().quirks == Quirks::Full && quirks_of(&plain) != Quirks::Full;
    out.push_str(&if is_lost { doctype_with(tree, i, true) } else { plain });
}

fn doctype_with(tree: &Tree, i: usize, is_broken: bool) -> String {
    let (public, system) = (tree.attribute(i, "public"), tree.attribute(i, "system"));
    let quoted = |id: &str, is_last: bool| {
        let quote = if id.contains('"') { '\'' } else { '"' };
        // a quote that is missing at the end forces quirks mode
        let end = if is_broken && is_last { String::new() } else { quote.to_string() };
        format!(" {quote}{id}{end}")
    };
    let mut out = format!("<!DOCTYPE {}", tree.local(i));
    match (public, system) {
        (None, None) if is_broken => out.push_str(" quirks"),
        (None, None) => {}
        (None, Some(system)) => out.extend([" SYSTEM", &quoted(system, true)]),
        (Some(public), None) => out.extend([" PUBLIC", &quoted(public, true)]),
        (Some(public), Some(system)) => {
            out.extend([" PUBLIC", &quoted(public, false), &quoted(system, true)])
        }
    }
    out.push('>');
    out
}

/// The doctype of a document as it is written, nothing where there is none: what decides about
/// quirks mode.
pub fn doctype_of(tree: &Tree) -> String {
    tree.children(0)
        .find(|&child| tree.kind(child) == Kind::Doctype)
        .map_or_else(String::new, |child| doctype_with(tree, child, false))
}

/// The mode that a document with this doctype is in.
pub fn quirks_of(doctype: &str) -> Quirks {
    html::parse(doctype, &html::Options::default(), Limits::default(), &Unwatched)
        .map_or(Quirks::No, |tree| tree.meta().quirks)
}

/// Text, escaped.
fn text(text: &str, out: &mut String) {
    escape(text, out, |byte| match byte {
        b'&' => "&amp;",
        b'<' => "&lt;",
        b'>' => "&gt;",
        b'\r' => "&#13;",
        _ => "",
    });
}

/// The value of an attribute, escaped as the standard has it since 2025: `<` and `>` too.
fn value(text: &str, out: &mut String) {
    escape(text, out, |byte| match byte {
        b'&' => "&amp;",
        b'<' => "&lt;",
        b'>' => "&gt;",
        b'"' => "&quot;",
        b'\r' => "&#13;",
        _ => "",
    });
}

fn escape(text: &str, out: &mut String, reference: impl Fn(u8) -> &'static str) {
    let bytes = text.as_bytes();
    let mut from = 0;
    for at in 0..bytes.len() {
        // U+00A0 is two bytes
        let (reference, length) = match bytes[at] {
            0xC2 if bytes.get(at + 1) == Some(&0xA0) => ("&nbsp;", 2),
            byte => (reference(byte), 1),
        };
        if !reference.is_empty() {
            out.push_str(&text[from..at]);
            out.push_str(reference);
            from = at + length;
        }
    }
    out.push_str(&text[from..]);
}
