//! Which trees HTML can express: those that read back equal from what [`super::write`] writes.
//!
//! A tree that a browser could hold is not always one that markup can make: a `p` in a `p`, a `tr`
//! outside a table, a comment with `-->` in it. The predicate goes through the tree as the parser
//! would go through the tags, with the ancestors of a node as the stack of open elements, and asks
//! of each node whether the parser would put it just there and change nothing else.
//!
//! What it accepts reads back equal (tested on random trees). What it refuses does not, but for
//! three oddities that may cancel out: parts of a table beside other things in one template, a link
//! in a link inside SVG, a `selectedcontent` that holds what it would be filled with.

mod body;
mod foreign;
mod place;
mod strings;

use super::{forms, names, sets};
use crate::limits::Limits;
use crate::parse::html;
use crate::tree::{Kind, Quirks, Tree, HTML};
use crate::watch::Unwatched;
use place::Place;

/// Why HTML cannot express a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Obstacle {
    /// The first node that is in the way.
    pub node: usize,
    /// What is wrong with it.
    pub reason: &'static str,
}

/// A node and its ancestors, as the parser sees them.
struct Walk<'t> {
    tree: &'t Tree,
    /// Open elements, the outermost first.
    path: Vec<usize>,
    /// Whether the document, read again, is in quirks mode.
    is_quirky: bool,
}

/// What keeps HTML from expressing a tree; `None` where it can.
pub fn obstacle(tree: &Tree) -> Option<Obstacle> {
    let mut walk = Walk { tree, path: Vec::new(), is_quirky: is_quirky(tree) };
    let forms = forms::plan(tree, 0);
    for node in 0..tree.len() {
        while walk.path.pop_if(|open| tree.end(*open) <= node).is_some() {}
        let reason = if forms.impossible == Some(node) {
            Some("a form in a form")
        } else {
            walk.reason(node)
        };
        if let Some(reason) = reason {
            return Some(Obstacle { node, reason });
        }
        if tree.is_element(node) {
            walk.path.push(node);
        }
    }
    None
}

/// The mode a document will be in when it is read again.
fn is_quirky(tree: &Tree) -> bool {
    if tree.meta().is_fragment {
        return false;
    }
    let mut start = String::new();
    if let Some(doctype) = tree.children(0).find(|&i| tree.kind(i) == Kind::Doctype) {
        super::doctype(tree, doctype, &mut start);
    }
    html::parse(&start, &html::Options::default(), Limits::default(), &Unwatched)
        .is_ok_and(|tree| tree.meta().quirks == Quirks::Full)
}

impl Walk<'_> {
    /// What is wrong with a node.
    fn reason(&self, i: usize) -> Option<&'static str> {
        if self.tree.depth(i) > Limits::HTML_DEPTH {
            return Some("deeper than HTML is read");
        }
        let place = Place::of(self.tree, self.path.last().copied());
        match self.tree.kind(i) {
            Kind::Document => self.document(),
            Kind::Doctype if place == Place::Document => strings::doctype(self.tree, i),
            Kind::Doctype => Some("a doctype inside something"),
            Kind::Instruction => Some("HTML has no instructions"),
            Kind::Comment if place.is_text_only() => Some("a comment where only text can stand"),
            Kind::Comment => strings::comment(self.tree.text(i)),
            Kind::Text => self.text(i, place),
            Kind::Element => strings::names(self.tree, i).or_else(|| self.element(i, place)),
        }
    }

    /// The children of a document: comments, one doctype at most, one `html`.
    fn document(&self) -> Option<&'static str> {
        if self.tree.meta().is_fragment {
            return None;
        }
        let mut has_doctype = false;
        let mut root = None;
        for child in self.tree.children(0) {
            match self.tree.kind(child) {
                Kind::Comment => {}
                Kind::Doctype if root.is_none() && !has_doctype => has_doctype = true,
                Kind::Element
                    if root.is_none() && sets::name(self.tree, child) == (HTML, "html") =>
                {
                    root = Some(child)
                }
                _ => return Some("a document that is not a doctype, html and comments"),
            }
        }
        match root {
            None => Some("a document without html"),
            Some(root) => self.root(root),
        }
    }

    /// The children of `html`: `head`, then `body` or `frameset`; comments; white space where it is
    /// not dropped or moved.
    fn root(&self, root: usize) -> Option<&'static str> {
        let mut seen = Vec::new();
        for child in self.tree.children(root) {
            match self.tree.kind(child) {
                Kind::Comment => {}
                Kind::Text
                    if matches!(seen[..], ["head"] | ["head", "frameset"])
                        && is_space(self.tree.text(child)) => {}
                Kind::Element if sets::name(self.tree, child).0 == HTML => {
                    seen.push(self.tree.local(child))
                }
                _ => return Some("something in html that does not stay there"),
            }
        }
        let is_right = matches!(seen[..], ["head", "body" | "frameset"]);
        (!is_right).then_some("an html that is not head and body")
    }

    fn text(&self, i: usize, place: Place) -> Option<&'static str> {
        let text = self.tree.text(i);
        if text.is_empty() {
            return Some("a text without characters");
        }
        if text.contains('\0') {
            return Some("U+0000");
        }
        if self.previous_sibling(i).is_some_and(|sibling| self.tree.kind(sibling) == Kind::Text) {
            return Some("two texts side by side");
        }
        match place {
            Place::Void => Some("contents of an element that has none"),
            Place::TextOnly => strings::raw(self.tree, self.tree.parent(i) as usize),
            Place::Document => Some("text in a document"),
            // the order of what stands in html was looked at with the document
            Place::Root => None,
            place if place.takes_any_text() || is_space(text) => None,
            _ => Some("text that the parser moves elsewhere"),
        }
    }

    fn previous_sibling(&self, i: usize) -> Option<usize> {
        let parent = self.tree.parent(i) as usize;
        let mut before = i - 1;
        while before != parent && self.tree.parent(before) as usize != parent {
            before = self.tree.parent(before) as usize;
        }
        (before != parent).then_some(before)
    }

    fn element(&self, i: usize, place: Place) -> Option<&'static str> {
        let (namespace, local) = sets::name(self.tree, i);
        if place.is_foreign() {
            return foreign::child(self.tree, *self.path.last()?, i, place)
                .or_else(|| self.inside_foreign(i, place));
        }
        if namespace != HTML {
            return foreign::root(self.tree, i).or_else(|| {
                (!place.takes_flow()).then_some("a foreign element that the parser moves elsewhere")
            });
        }
        if matches!(local, "template") {
            if let Some(reason) = place::template(self.tree, i) {
                return Some(reason);
            }
        }
        match place {
            Place::Document | Place::Root => None,
            Place::Void => Some("contents of an element that has none"),
            Place::TextOnly => Some("an element where only text can stand"),
            Place::Flow => self.flow(i, local),
            Place::Template if place::is_structure(local) => None,
            Place::Template => self.flow(i, local),
            Place::Foreign | Place::MathText | Place::Annotation => None,
            _ if place.holds(local) => self.special(i, local),
            _ => Some("an element that the parser moves elsewhere"),
        }
    }

    /// HTML where foreign and HTML elements may stand.
    fn inside_foreign(&self, i: usize, place: Place) -> Option<&'static str> {
        let (namespace, local) = sets::name(self.tree, i);
        if namespace != HTML || place == Place::Foreign {
            return None;
        }
        self.flow(i, local)
    }

    /// Elements that may stand in tables and heads only on conditions.
    fn special(&self, i: usize, local: &str) -> Option<&'static str> {
        match local {
            "input" => {
                let is_hidden = self
                    .tree
                    .attribute(i, "type")
                    .is_some_and(|kind| kind.eq_ignore_ascii_case("hidden"));
                (!is_hidden).then_some("an input in a table that is not hidden")
            }
            "form" if self.tree.end(i) > i + 1 => Some("contents of a form in a table"),
            "form" if self.has_in_path("template") => Some("a form in a table in a template"),
            _ => None,
        }
    }
}

/// Whether a text is white space only.
fn is_space(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_whitespace())
}
