//! Which nodes of a delta's content XML can write as themselves; the others are written escaped.

use std::collections::{HashMap, HashSet};

use super::long_form::NAMESPACE as FIRST_NAMESPACE;
use super::{Bindings, NAMESPACE};
use treelace_tree::tree::{flags, Kind, NameId, Tree, XML, XMLNS};
use treelace_tree::write::chars;

/// Goes through the content of one operation and asks of each node whether it can stand there as
/// itself.
pub(super) struct Look<'t, 'h> {
    pub(super) tree: &'t Tree,
    pub(super) is_hole: &'h [bool],
    /// Declarations inside the operation, innermost last.
    pub(super) bound: HashMap<&'t str, Vec<&'t str>>,
    /// End of the element, prefixes it binds.
    pub(super) frames: Vec<(usize, Vec<&'t str>)>,
    pub(super) outer: Bindings<'t>,
}

impl<'t> Look<'t, '_> {
    pub(super) fn is_expressible(
        &mut self,
        row: usize,
        is_first: bool,
        is_escaped: &[bool],
    ) -> bool {
        let (tree, text) = (self.tree, self.tree.text(row));
        match tree.kind(row) {
            Kind::Element => self.element(row),
            Kind::Text => {
                // the row before is the sibling before if that is a leaf
                let is_beside_text = !is_first
                    && tree.kind(row - 1) == Kind::Text
                    && tree.parent(row - 1) == tree.parent(row);
                let glues = is_beside_text && !self.is_hole[row - 1] && !is_escaped[row - 1];
                !text.is_empty()
                    && !glues
                    && tree.flags(row) & flags::REFERENCE == 0
                    && chars::is_clean(text)
            }
            Kind::Comment => {
                chars::is_clean(text)
                    && !text.contains('\r')
                    && !text.contains("--")
                    && !text.ends_with('-')
            }
            Kind::Instruction => {
                let names = tree.names();
                let (id, target) = (tree.name(row), tree.local(row));
                let is_plain = names.prefix(id).is_empty() && names.namespace(id).is_empty();
                let has_target =
                    is_plain && chars::is_ncname(target) && !target.eq_ignore_ascii_case("xml");
                let has_data = chars::is_clean(text)
                    && !text.contains('\r')
                    && !text.contains("?>")
                    && !text.starts_with([' ', '\t', '\n']);
                has_target && has_data && tree.attributes(row).is_empty()
            }
            Kind::Document | Kind::Doctype => false,
        }
    }

    fn element(&mut self, row: usize) -> bool {
        let (tree, names) = (self.tree, self.tree.names());
        while let Some((_, prefixes)) = self.frames.pop_if(|&mut (end, _)| end <= row) {
            for prefix in prefixes {
                self.bound.entry(prefix).or_default().pop();
            }
        }
        let id = tree.name(row);
        if matches!(names.namespace(id), NAMESPACE | FIRST_NAMESPACE)
            || !is_spelled(tree, id)
            || !self.has_good_attributes(row)
        {
            return false;
        }
        let own: Vec<(&str, &str)> = tree
            .attributes(row)
            .filter_map(|a| {
                declared(tree, tree.attr_name(a)).map(|prefix| (prefix, tree.attr_value(a)))
            })
            .collect();
        let mut needed = vec![(names.prefix(id), names.namespace(id))];
        for a in tree.attributes(row) {
            let id = tree.attr_name(a);
            if names.namespace(id) != XMLNS && !names.prefix(id).is_empty() {
                needed.push((names.prefix(id), names.namespace(id)));
            }
        }
        let mut wanted: Vec<(&str, &str)> = Vec::new();
        for (prefix, namespace) in needed {
            if prefix == "xml" && namespace == XML {
                continue;
            }
            if matches!(prefix, "xml" | "xmlns")
                || matches!(namespace, XML | XMLNS)
                || (!prefix.is_empty() && namespace.is_empty())
            {
                return false;
            }
            let here = own.iter().find(|it| it.0 == prefix).map(|it| it.1);
            let inside =
                here.or_else(|| self.bound.get(prefix).and_then(|stack| stack.last().copied()));
            let earlier = wanted.iter().find(|it| it.0 == prefix).map(|it| it.1);
            match inside.or_else(|| self.outer.get(prefix).copied()).or(earlier) {
                Some(have) if have == namespace => {}
                Some(_) => return false,
                None => wanted.push((prefix, namespace)),
            }
        }
        self.outer.extend(wanted);
        if !own.is_empty() {
            own.iter().for_each(|&(prefix, namespace)| {
                self.bound.entry(prefix).or_default().push(namespace)
            });
            self.frames.push((tree.end(row), own.into_iter().map(|it| it.0).collect()));
        }
        true
    }

    /// Names, values and declarations that XML takes as they are, each name once.
    fn has_good_attributes(&self, row: usize) -> bool {
        let (tree, names) = (self.tree, self.tree.names());
        let is_good = |a: usize| {
            let (id, value) = (tree.attr_name(a), tree.attr_value(a));
            let (prefix, namespace, local) =
                (names.prefix(id), names.namespace(id), names.local(id));
            if !chars::is_clean(value) {
                return false;
            }
            if namespace == XMLNS {
                return match declared(tree, id) {
                    Some("") => !matches!(value, XML | XMLNS),
                    Some(prefix) => {
                        chars::is_ncname(local)
                            && !matches!(prefix, "xml" | "xmlns")
                            && !matches!(value, "" | XML | XMLNS)
                    }
                    None => false,
                };
            }
            // parsers trim an xml:id, and many refuse one that is no name
            let is_good_id = namespace != XML || local != "id" || chars::is_ncname(value);
            is_spelled(tree, id)
                && prefix.is_empty() == namespace.is_empty()
                && local != "xmlns"
                && is_good_id
        };
        let mut seen: HashSet<(&str, &str)> = HashSet::new();
        let mut once =
            |a: usize| seen.insert((names.namespace(tree.attr_name(a)), tree.attr_local(a)));
        let attributes = tree.attributes(row);
        attributes.clone().all(is_good)
            && (attributes.len() < 2 || attributes.into_iter().all(&mut once))
    }
}

/// Whether prefix and local name are names without a colon.
fn is_spelled(tree: &Tree, id: NameId) -> bool {
    let (prefix, local) = (tree.names().prefix(id), tree.names().local(id));
    chars::is_ncname(local) && (prefix.is_empty() || chars::is_ncname(prefix))
}

/// The prefix that an attribute of this name declares.
fn declared(tree: &Tree, id: NameId) -> Option<&str> {
    let names = tree.names();
    match (names.namespace(id), names.prefix(id), names.local(id)) {
        (XMLNS, "xmlns", local) => Some(local),
        (XMLNS, "", "xmlns") => Some(""),
        _ => None,
    }
}
