//! Which trees XML can express: those that read back equal from what [`super::xml`] writes.
//!
//! A tree is expressible if and only if
//! 1. the writer takes it as it is, without adding a declaration: names, characters, comments and
//!    instructions are XML's, every prefix is declared, no element has two attributes of one name,
//!    a document has one root element, no text beside it, and at most one doctype, before the root,
//!    a fragment none;
//! 2. no text is empty, and no two texts are adjacent: they would come back as none, and as one;
//! 3. no comment, instruction or doctype holds a carriage return (it would come back as a line
//!    feed), and the data of an instruction does not begin with white space;
//! 4. instructions and doctypes have no namespace, and a doctype nothing but its identifiers;
//! 5. every `xml:id` is free of blanks at its ends and of double blanks, which parsers remove;
//! 6. a fragment has no reference, and does not begin with U+FEFF, which would be taken for a byte
//!    order mark;
//! 7. the internal subset is one that the parser takes and that changes nothing: every attribute it
//!    supplies is there, every value it says to be a list of tokens is free of superfluous blanks,
//!    and every reference in the tree is one it does not declare.
//!
//! Limits are not looked at: the reader must be allowed what the writer was.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::xml::{self, Options};
use super::{chars, OnInvalid};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::parse::xml as reader;
use crate::tree::{flags, Kind, NameId, Tree, NO_NAMESPACE, XML};
use crate::watch::Watch;

/// Whether XML can express the tree. Linear; fails only by a limit.
pub fn is_expressible(tree: &Tree, limits: &Limits, watch: &dyn Watch) -> Result<bool> {
    let options =
        Options { declare: false, on_invalid: OnInvalid::Error, ..Options::for_tree(tree) };
    let text = match xml::write(tree, 0, &options, limits, watch) {
        Err(Error::Usage(_)) => return Ok(false),
        other => other?,
    };
    if tree.meta().is_fragment && text.starts_with('\u{FEFF}') {
        return Ok(false);
    }
    if !(0..tree.len()).all(|i| keeps_its_text(tree, i) && keeps_its_ids(tree, i)) {
        return Ok(false);
    }
    subset_changes_nothing(tree, limits, watch)
}

/// Conditions 2, 3 and 4.
fn keeps_its_text(tree: &Tree, i: usize) -> bool {
    let text = tree.text(i);
    let is_reference = |i: usize| tree.flags(i) & flags::REFERENCE != 0;
    match tree.kind(i) {
        Kind::Text => {
            let after = tree.next_sibling(i).filter(|&next| tree.kind(next) == Kind::Text);
            !text.is_empty() && (is_reference(i) || after.is_none_or(is_reference))
        }
        Kind::Comment => !text.contains('\r'),
        Kind::Instruction => {
            !text.contains('\r')
                && !text.starts_with([' ', '\t', '\n'])
                && has_plain_name(tree, tree.name(i))
        }
        Kind::Doctype => {
            let mut keys = HashSet::new();
            let is_plain = |a: usize| {
                has_plain_name(tree, tree.attr_name(a))
                    && matches!(tree.attr_local(a), "public" | "system")
            };
            !text.contains('\r')
                && has_plain_name(tree, tree.name(i))
                && tree.attributes(i).all(|a| {
                    is_plain(a)
                        && keys.insert(tree.attr_name(a))
                        && !tree.attr_value(a).contains('\r')
                })
        }
        Kind::Document | Kind::Element => true,
    }
}

fn has_plain_name(tree: &Tree, id: NameId) -> bool {
    tree.names().prefix(id).is_empty() && tree.names().namespace_id(id) == NO_NAMESPACE
}

/// Condition 5.
fn keeps_its_ids(tree: &Tree, i: usize) -> bool {
    let names = tree.names();
    tree.attributes(i).all(|a| {
        let id = tree.attr_name(a);
        names.local(id) != "id" || names.namespace(id) != XML || is_squeezed(tree.attr_value(a))
    })
}

fn is_squeezed(value: &str) -> bool {
    !value.starts_with(' ') && !value.ends_with(' ') && !value.contains("  ")
}

/// Condition 7, by a small document with the same doctype: one element of each name without
/// attributes, which comes back with those that are supplied; one with all it has in the tree, each
/// with superfluous blanks; and every reference.
fn subset_changes_nothing(tree: &Tree, limits: &Limits, watch: &dyn Watch) -> Result<bool> {
    let references: BTreeSet<&str> = (0..tree.len())
        .filter(|&i| tree.flags(i) & flags::REFERENCE != 0)
        .map(|i| tree.text(i))
        .collect();
    let doctype = tree.children(0).find(|&i| tree.kind(i) == Kind::Doctype);
    if tree.meta().is_fragment {
        return Ok(references.is_empty());
    }
    if references.is_empty() && doctype.is_none_or(|i| tree.text(i).is_empty()) {
        return Ok(true);
    }
    let mut attributes: HashMap<NameId, BTreeSet<NameId>> = HashMap::new();
    for i in (0..tree.len()).filter(|&i| tree.is_element(i)) {
        attributes
            .entry(tree.name(i))
            .or_default()
            .extend(tree.attributes(i).map(|a| tree.attr_name(a)));
    }
    let mut elements: Vec<NameId> = attributes.keys().copied().collect();
    elements.sort_unstable();
    let Some(text) = probe(tree, doctype, &elements, &attributes, &references, limits) else {
        return Ok(false);
    };
    let options = reader::Options { namespaces: false, ..reader::Options::default() };
    let read = match reader::parse_str(&text, &options, *limits, watch) {
        Err(Error::Parse { .. }) => return Ok(false),
        other => other?,
    };
    // the children of the root in the order in which they were put there
    let Some(root) = read.children(0).find(|&i| read.is_element(i)) else { return Ok(false) };
    let inside: Vec<usize> = read.children(root).collect();
    let (pairs, rest) = inside.split_at((elements.len() * 2).min(inside.len()));
    if rest.len() != references.len()
        || !rest.iter().all(|&i| read.flags(i) & flags::REFERENCE != 0)
    {
        return Ok(false);
    }
    let mut supplied: HashMap<NameId, Vec<&str>> = HashMap::new();
    let mut tokens: HashSet<(NameId, &str)> = HashSet::new();
    for (&element, pair) in elements.iter().zip(pairs.chunks(2)) {
        supplied.insert(element, read.attributes(pair[0]).map(|a| read.attr_local(a)).collect());
        tokens.extend(
            read.attributes(pair[1])
                .filter(|&a| read.attr_value(a) == "a b")
                .map(|a| (element, read.attr_local(a))),
        );
    }
    let qualified: Vec<String> =
        (0..tree.names().len() as NameId).map(|id| tree.names().qualified(id)).collect();
    Ok((0..tree.len()).filter(|&i| tree.is_element(i)).all(|i| {
        let element = tree.name(i);
        let has = |wanted: &str| {
            tree.attributes(i).any(|a| qualified[tree.attr_name(a) as usize] == wanted)
        };
        let is_token =
            |a: usize| tokens.contains(&(element, qualified[tree.attr_name(a) as usize].as_str()));
        supplied[&element].iter().all(|&name| has(name))
            && tree.attributes(i).all(|a| !is_token(a) || is_squeezed(tree.attr_value(a)))
    }))
}

/// The text of the small document; nothing where a name is not XML's.
fn probe(
    tree: &Tree,
    doctype: Option<usize>,
    elements: &[NameId],
    attributes: &HashMap<NameId, BTreeSet<NameId>>,
    references: &BTreeSet<&str>,
    limits: &Limits,
) -> Option<String> {
    let mut text = String::new();
    if let Some(i) = doctype {
        let options =
            Options { declare: false, on_invalid: OnInvalid::Error, ..Options::for_tree(tree) };
        text.push_str(&xml::write(tree, i, &options, limits, &crate::watch::Unwatched).ok()?);
    }
    text.push_str("<_>");
    for element in elements {
        let name = tree.names().qualified(*element);
        text.push_str(&format!("<{name}/><{name}"));
        for &attribute in &attributes[element] {
            let name = tree.names().qualified(attribute);
            if !chars::is_qname(&name) {
                return None;
            }
            text.push_str(&format!(" {name}=\"  a  b \""));
        }
        text.push_str("/>");
    }
    references.iter().for_each(|it| text.push_str(it));
    text.push_str("</_>");
    Some(text)
}
