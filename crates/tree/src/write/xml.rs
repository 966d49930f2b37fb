//! XML 1.0 with namespaces: what is written is well-formed, and reads back as the same tree
//! wherever [`super::expressible`] says so.
//!
//! Texts and values are escaped as in Canonical XML (a carriage return, and tab and line feed in
//! values, as references); attributes keep their order. Namespace declarations are attributes of
//! the tree: those of an XML tree are written as they are and never added, so a prefix that is not
//! declared is refused. HTML trees have no declarations: they are written as XHTML, with the
//! declarations that their names need. A part of a tree is written with the declarations in scope
//! there, or it could not be read alone.

use std::collections::HashSet;

use super::chars;
use super::markup::{refused, Markup, StartTag};
use super::scope::{Prefixes, Scope, Slot, Uri};
use super::OnInvalid;
use crate::error::Result;
use crate::limits::Limits;
use crate::tree::{attr_flags, Format, Kind, Tree, HTML};
use crate::watch::Watch;

/// How XML is written.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Begin with `<?xml version="1.0" encoding="UTF-8"?>`.
    pub declaration: bool,
    /// Write the document type with its internal subset.
    pub doctype: bool,
    /// Write attributes that the document type supplied; they read back either way as long as it is
    /// written too.
    pub defaults: bool,
    /// Add the namespace declarations that the names need.
    pub declare: bool,
    /// What to do with what XML cannot write.
    pub on_invalid: OnInvalid,
}

impl Options {
    /// The usual options for a tree: everything written, namespaces declared where the tree is
    /// HTML.
    pub fn for_tree(tree: &Tree) -> Self {
        Options {
            declaration: false,
            doctype: true,
            defaults: true,
            declare: tree.meta().format == Format::Html,
            on_invalid: OnInvalid::Error,
        }
    }
}

/// Writes the subtree of node `index` as XML.
pub fn write(
    tree: &Tree,
    index: usize,
    options: &Options,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<String> {
    let (mut prefixes, _) = Prefixes::new(tree, &[]);
    let mut scope = Scope::new(&mut prefixes);
    let mut markup = Markup::new(tree, options.on_invalid, limits);
    markup.out.reserve((tree.end(index) - index) * 24);
    let is_document = index == 0 && !tree.meta().is_fragment;
    if is_document {
        check_document(tree)?;
    }
    if options.declaration {
        markup.out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"");
        if let Some(standalone) = tree.meta().standalone.filter(|_| is_document) {
            markup.out.push_str(if standalone {
                " standalone=\"yes\""
            } else {
                " standalone=\"no\""
            });
        }
        markup.out.push_str("?>\n");
    }
    let mut tag = StartTag::default();
    let inherited = in_scope(tree, index, &mut prefixes, &mut scope);
    let mut open: Vec<usize> = Vec::new();
    for i in index..tree.end(index) {
        if i % 8192 == 0 {
            watch.check()?;
        }
        close(&mut markup, &mut open, i)?;
        // parsers drop blanks outside the root element, so a document may have them for people
        if is_document
            && tree.depth(i) == 1
            && !markup.out.is_empty()
            && !markup.out.ends_with('\n')
        {
            markup.out.push('\n');
        }
        match tree.kind(i) {
            Kind::Document => continue,
            Kind::Element => {
                tag.of(&markup, i, &mut prefixes, &mut scope, options.declare)?;
                start(
                    &mut markup,
                    i,
                    &tag,
                    &prefixes,
                    options,
                    if i == index { &inherited } else { &[] },
                )?;
                if tree.end(i) > i + 1 {
                    markup.out.push('>');
                    open.push(i);
                } else if is_never_empty(tree, i) {
                    markup.out.push_str("></");
                    markup.name(i, tree.name(i))?;
                    markup.out.push('>');
                } else {
                    markup.out.push_str("/>");
                }
            }
            Kind::Text => markup.text(i)?,
            Kind::Comment => markup.comment(i)?,
            Kind::Instruction => markup.instruction(i)?,
            Kind::Doctype if !options.doctype => continue,
            Kind::Doctype => doctype(&mut markup, i, is_document || i == index)?,
        }
        markup.check_size()?;
    }
    close(&mut markup, &mut open, tree.end(index))?;
    Ok(markup.out)
}

/// Writes the end tags of elements that end before node `i`.
fn close(markup: &mut Markup<'_>, open: &mut Vec<usize>, i: usize) -> Result<()> {
    while let Some(top) = open.pop_if(|&mut top| markup.tree.end(top) <= i) {
        markup.out.push_str("</");
        markup.name(top, markup.tree.name(top))?;
        markup.out.push('>');
    }
    Ok(())
}

/// Writes a start tag but for its `>`.
fn start(
    markup: &mut Markup<'_>,
    i: usize,
    tag: &StartTag,
    prefixes: &Prefixes<'_>,
    options: &Options,
    inherited: &[(Slot, Uri)],
) -> Result<()> {
    let tree = markup.tree;
    markup.out.push('<');
    markup.name(i, tree.name(i))?;
    let here: HashSet<Slot> = if inherited.is_empty() {
        HashSet::new()
    } else {
        tag.own.iter().map(|it| it.0).chain(tag.added.iter().map(|it| it.0)).collect()
    };
    for &(slot, uri) in inherited.iter().filter(|it| !here.contains(&it.0)).chain(&tag.added) {
        markup.declaration(i, prefixes.spelled(slot), prefixes.uri_text(uri))?;
    }
    // both lists are in document order: put them together again
    let (mut own, mut attributes) =
        (tag.own.iter().map(|it| it.2).peekable(), tag.attributes.iter().copied().peekable());
    while let Some(a) = match (own.peek(), attributes.peek()) {
        (Some(left), Some(right)) if left < right => own.next(),
        (_, Some(_)) => attributes.next(),
        _ => own.next(),
    } {
        if options.defaults || tree.attr_flags(a) & attr_flags::DEFAULTED == 0 {
            markup.attribute(i, a)?;
        }
    }
    Ok(())
}

/// Binds what the ancestors of `index` declare, and lists what is in scope there.
pub(super) fn in_scope<'t>(
    tree: &'t Tree,
    index: usize,
    prefixes: &mut Prefixes<'t>,
    scope: &mut Scope,
) -> Vec<(Slot, Uri)> {
    let mut ancestors: Vec<usize> = tree.ancestors(index).collect();
    ancestors.reverse();
    scope.enter(usize::MAX);
    for a in ancestors.into_iter().flat_map(|i| tree.attributes(i)) {
        if let Some(slot) = prefixes
            .declared_by(tree.attr_name(a))
            .filter(|&slot| !matches!(prefixes.spelled(slot), "xml" | "xmlns"))
        {
            scope.bind(slot, prefixes.uri(tree.attr_value(a)));
        }
    }
    let mut all: Vec<(Slot, Uri)> =
        scope.all().filter(|it| prefixes.spelled(it.0) != "xml").collect();
    all.sort_by_key(|it| prefixes.spelled(it.0));
    all
}

/// Whether an HTML element without content needs an end tag all the same, so that an HTML parser
/// reads it too.
fn is_never_empty(tree: &Tree, i: usize) -> bool {
    const VOID: [&str; 18] = [
        "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input",
        "keygen", "link", "meta", "param", "source", "track", "wbr",
    ];
    tree.meta().format == Format::Html
        && tree.names().namespace(tree.name(i)) == HTML
        && !VOID.contains(&tree.local(i))
}

/// Refuses a document that XML has not: it must hold one element, no text beside it, and its type
/// first.
fn check_document(tree: &Tree) -> Result<()> {
    let (mut elements, mut doctypes) = (0, 0);
    for i in tree.children(0) {
        match tree.kind(i) {
            Kind::Element => elements += 1,
            Kind::Text => return Err(refused(tree, i, "stands outside the root element")),
            Kind::Doctype if elements > 0 || doctypes > 0 => {
                return Err(refused(tree, i, "is not the only one before the root element"))
            }
            Kind::Doctype => doctypes += 1,
            _ => {}
        }
    }
    if elements != 1 {
        return Err(refused(tree, 0, &format!("has {elements} root elements instead of one")));
    }
    Ok(())
}

/// Writes the document type; the internal subset as it is.
fn doctype(markup: &mut Markup<'_>, i: usize, may_be_here: bool) -> Result<()> {
    let tree = markup.tree;
    let is_inside = tree.parent(i) != 0;
    let checked = if may_be_here && !is_inside {
        check_doctype(tree, i)
    } else {
        Err("does not stand at the beginning of a document")
    };
    if let Err(why) = checked {
        return if markup.on_invalid == OnInvalid::Replace {
            Ok(())
        } else {
            Err(refused(tree, i, why))
        };
    }
    let (public, system, subset) =
        (tree.attribute(i, "public"), tree.attribute(i, "system"), tree.text(i));
    let out = &mut markup.out;
    out.push_str("<!DOCTYPE ");
    out.push_str(tree.local(i));
    if let Some(public) = public {
        out.push_str(" PUBLIC \"");
        out.push_str(public);
        out.push('"');
    }
    if let Some(system) = system {
        out.push_str(if public.is_none() { " SYSTEM " } else { " " });
        let quote = if system.contains('"') { '\'' } else { '"' };
        out.push(quote);
        out.push_str(system);
        out.push(quote);
    }
    if !subset.is_empty() {
        out.push_str(" [");
        out.push_str(subset);
        out.push(']');
    }
    out.push('>');
    Ok(())
}

/// Whether a document type can be written; the words of the rule it breaks. The internal subset is
/// not looked into.
fn check_doctype(tree: &Tree, i: usize) -> std::result::Result<(), &'static str> {
    let (public, system) = (tree.attribute(i, "public"), tree.attribute(i, "system"));
    if !chars::is_qname(tree.local(i)) {
        return Err("has a name that XML cannot write");
    }
    if public.is_some_and(|it| !chars::is_public_id(it)) {
        return Err("has a public identifier that XML cannot write");
    }
    if public.is_some() && system.is_none() {
        return Err("has a public identifier without a system identifier");
    }
    if system.is_some_and(|it| !chars::is_clean(it) || (it.contains('"') && it.contains('\''))) {
        return Err("has a system identifier that XML cannot write");
    }
    if !chars::is_clean(tree.text(i)) {
        return Err("has an internal subset that XML cannot write");
    }
    Ok(())
}
