//! Canonical XML 1.0 and 1.1, and Exclusive Canonical XML 1.0, of a document or of one element with
//! all it holds.
//!
//! Sources: W3C REC-xml-c14n-20010315, REC-xml-c14n11-20080502, REC-xml-exc-c14n-20020718. The
//! document type is left out, default attributes are in; namespace declarations come first, by
//! prefix, where they say something new; then attributes by namespace and local name. What stands
//! above an element that is written alone reaches it as each version says: namespaces in scope (all
//! or those in use), `xml:` attributes (1.0 all of them, 1.1 `xml:lang` and `xml:space`, and
//! `xml:base` joined; exclusive none).
//!
//! Node sets that are not whole subtrees are not offered. HTML trees get the declarations that
//! their names need, as in [`super::xml`].

use std::collections::HashSet;

use super::markup::{refused, Markup, StartTag};
use super::scope::{Prefixes, Scope, Slot, Uri, DEFAULT};
use super::xml::in_scope;
use super::{uri, OnInvalid};
use crate::error::Result;
use crate::limits::Limits;
use crate::tree::{flags, Format, Kind, Tree, XML};
use crate::watch::Watch;

/// Which recommendation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Canonical XML 1.0.
    Inclusive10,
    /// Canonical XML 1.1.
    Inclusive11,
    /// Exclusive Canonical XML 1.0.
    Exclusive10,
}

/// How Canonical XML is written.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which recommendation.
    pub method: Method,
    /// Whether comments stay.
    pub comments: bool,
    /// The InclusiveNamespaces PrefixList of the exclusive method; the empty prefix is its
    /// `#default`.
    pub prefixes: Vec<String>,
    /// What to do with what XML cannot write.
    pub on_invalid: OnInvalid,
}

/// Writes the subtree of node `index` in canonical form.
pub fn write(
    tree: &Tree,
    index: usize,
    options: &Options,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<String> {
    let (mut prefixes, listed) = Prefixes::new(tree, &options.prefixes);
    let mut is_listed = vec![options.method != Method::Exclusive10; prefixes.len()];
    listed.into_iter().for_each(|slot| is_listed[slot as usize] = true);
    let scope = Scope::new(&mut prefixes);
    let rendered = Scope::new(&mut prefixes);
    let markup = Markup::new(tree, options.on_invalid, limits);
    let mut writer = Writer {
        markup,
        prefixes,
        scope,
        rendered,
        is_listed,
        ranks: tree.names().ranks(),
        namespaces: Vec::new(),
        slots: Vec::new(),
        apex: Vec::new(),
    };
    writer.apex = in_scope(tree, index, &mut writer.prefixes, &mut writer.scope);
    let declare = tree.meta().format == Format::Html;
    let is_document = index == 0 && !tree.meta().is_fragment;
    let mut tag = StartTag::default();
    let mut open: Vec<usize> = Vec::new();
    let mut has_root = false;
    for i in index..tree.end(index) {
        if i % 8192 == 0 {
            watch.check()?;
        }
        writer.close(&mut open, i)?;
        let is_outside = is_document && tree.depth(i) == 1;
        match tree.kind(i) {
            Kind::Element => {
                has_root = true;
                tag.of(&writer.markup, i, &mut writer.prefixes, &mut writer.scope, declare)?;
                let base = if i == index {
                    writer.inherit(&mut tag, i, options.method, watch)?
                } else {
                    None
                };
                writer.start(i, &mut tag, i == index, base)?;
                open.push(i);
            }
            Kind::Text
                if tree.flags(i) & flags::REFERENCE != 0
                    && options.on_invalid == OnInvalid::Error =>
            {
                return Err(refused(
                    tree,
                    i,
                    "is a reference to an entity that could not be read, \
                 which Canonical XML cannot hold",
                ));
            }
            Kind::Text if !is_outside => writer.markup.text(i)?,
            Kind::Comment | Kind::Instruction
                if tree.kind(i) == Kind::Instruction || options.comments =>
            {
                if is_outside && has_root {
                    writer.markup.out.push('\n');
                }
                if tree.kind(i) == Kind::Comment {
                    writer.markup.comment(i)?;
                } else {
                    writer.markup.instruction(i)?;
                }
                if is_outside && !has_root {
                    writer.markup.out.push('\n');
                }
            }
            _ => {}
        }
        writer.markup.check_size()?;
    }
    writer.close(&mut open, tree.end(index))?;
    Ok(writer.markup.out)
}

struct Writer<'t> {
    markup: Markup<'t>,
    prefixes: Prefixes<'t>,
    /// What the prefixes stand for in the tree, and in what has been written.
    scope: Scope,
    rendered: Scope,
    /// Whether a prefix is treated inclusively.
    is_listed: Vec<bool>,
    ranks: Vec<u32>,
    /// Declarations of the element at hand.
    namespaces: Vec<(Slot, Uri)>,
    slots: Vec<Slot>,
    /// What is in scope above the first element written.
    apex: Vec<(Slot, Uri)>,
}

impl Writer<'_> {
    fn close(&mut self, open: &mut Vec<usize>, i: usize) -> Result<()> {
        while let Some(top) = open.pop_if(|&mut top| self.markup.tree.end(top) <= i) {
            self.markup.out.push_str("</");
            self.markup.name(top, self.markup.tree.name(top))?;
            self.markup.out.push('>');
        }
        Ok(())
    }

    /// Adds the `xml:` attributes that reach element `i` from above; gives back the row and the new
    /// value of its `xml:base`.
    fn inherit(
        &self,
        tag: &mut StartTag,
        i: usize,
        method: Method,
        watch: &dyn Watch,
    ) -> Result<Option<(usize, String)>> {
        let tree = self.markup.tree;
        if method == Method::Exclusive10 {
            return Ok(None);
        }
        let xml_attributes = |i: usize| {
            tree.attributes(i).filter(|&a| tree.names().namespace(tree.attr_name(a)) == XML)
        };
        let mut seen: HashSet<&str> = xml_attributes(i).map(|a| tree.attr_local(a)).collect();
        // nearest first
        let mut bases: Vec<usize> =
            xml_attributes(i).filter(|&a| tree.attr_local(a) == "base").collect();
        let own_bases = bases.len();
        for a in tree.ancestors(i).flat_map(xml_attributes) {
            let local = tree.attr_local(a);
            if method == Method::Inclusive11 && local == "base" {
                bases.push(a);
            } else if (method == Method::Inclusive10 || matches!(local, "lang" | "space"))
                && seen.insert(local)
            {
                tag.attributes.push(a);
            }
        }
        if method == Method::Inclusive10 || bases.len() == own_bases {
            return Ok(None);
        }
        let mut joined = String::new();
        for (step, &a) in bases.iter().rev().enumerate() {
            if step % 64 == 63 {
                watch.check()?;
            }
            joined = if step == 0 {
                tree.attr_value(a).to_string()
            } else {
                uri::join(&joined, tree.attr_value(a))
            };
        }
        tag.attributes.retain(|a| !bases[..own_bases].contains(a));
        if joined.is_empty() {
            return Ok(None);
        }
        tag.attributes.push(bases[0]);
        Ok(Some((bases[0], joined)))
    }

    fn start(
        &mut self,
        i: usize,
        tag: &mut StartTag,
        is_apex: bool,
        base: Option<(usize, String)>,
    ) -> Result<()> {
        let tree = self.markup.tree;
        self.collect_namespaces(i, tag, is_apex);
        self.markup.out.push('<');
        self.markup.name(i, tree.name(i))?;
        for k in 0..self.namespaces.len() {
            let (slot, uri) = self.namespaces[k];
            self.markup.declaration(i, self.prefixes.spelled(slot), self.prefixes.uri_text(uri))?;
        }
        tag.attributes.sort_by_key(|&a| self.ranks[tree.attr_name(a) as usize]);
        for &a in &tag.attributes {
            match &base {
                Some((row, joined)) if *row == a => {
                    self.markup.out.push_str(" xml:base");
                    self.markup.value(i, joined)?;
                }
                _ => self.markup.attribute(i, a)?,
            }
        }
        self.markup.out.push('>');
        Ok(())
    }

    /// What element `i` must declare: what is listed or in use, and not yet rendered so.
    fn collect_namespaces(&mut self, i: usize, tag: &StartTag, is_apex: bool) {
        let tree = self.markup.tree;
        self.namespaces.clear();
        let mut slots = std::mem::take(&mut self.slots);
        slots.clear();
        if is_apex {
            slots.extend(self.apex.iter().map(|it| it.0));
        }
        slots.extend(tag.own.iter().map(|it| it.0));
        slots.extend(tag.added.iter().map(|it| it.0));
        slots.retain(|&slot| self.is_listed[slot as usize]);
        slots.push(self.prefixes.of(tree.name(i)));
        slots.extend(
            tag.attributes
                .iter()
                .map(|&a| self.prefixes.of(tree.attr_name(a)))
                .filter(|&slot| slot != DEFAULT),
        );
        self.rendered.leave_before(i);
        for &slot in &slots {
            let uri = self.scope.get(slot);
            if self.rendered.get(slot) != uri {
                if self.namespaces.is_empty() {
                    self.rendered.enter(tree.end(i));
                }
                self.rendered.bind(slot, uri);
                self.namespaces.push((slot, uri));
            }
        }
        self.slots = slots;
        self.namespaces.sort_by_key(|it| self.prefixes.spelled(it.0));
    }
}
