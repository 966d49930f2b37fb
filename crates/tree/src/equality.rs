//! When two trees are the same: what Canonical XML 1.1 with comments sees, node by node, and the
//! doctype.
//!
//! Seen: kinds and order of nodes; names with prefix and namespace; attributes, namespace
//! declarations among them, with their values; every text, comment and instruction; name, public
//! and system identifier and internal subset of the doctype. Not seen: the order of attributes,
//! CDATA against text, source lines, the type of an attribute and where it came from, `template`
//! marks, and everything in [`crate::tree::Meta`]. A reference to an entity that could not be read
//! differs from the same characters as text.
//!
//! Nodes are compared one for one, so two adjacent texts differ from one long text, and a namespace
//! declared twice from the same declared once, though both pairs look alike in Canonical XML: a
//! subtree must be equal by itself, without its context, and a delta must give back every node.
//! Time O(bytes of the smaller tree).

use crate::tree::{flags, Kind, NameId, NamespaceId, Tree};

/// Whether two whole trees are equal.
pub fn equal(left: &Tree, right: &Tree) -> bool {
    if std::ptr::eq(left, right) {
        return true;
    }
    if left.len() != right.len() {
        return false;
    }
    if let (Some(left), Some(right)) = (left.lazy.digests.get(), right.lazy.digests.get()) {
        return left[0] == right[0];
    }
    equal_subtree(left, 0, right, 0)
}

/// Whether the subtree of `i` in `left` equals the subtree of `j` in `right`.
pub fn equal_subtree(left: &Tree, i: usize, right: &Tree, j: usize) -> bool {
    let size = left.end(i) - i;
    if size != right.end(j) - j || left.kind(i) != right.kind(j) {
        return false;
    }
    let same_tree = std::ptr::eq(left, right);
    if same_tree && i == j {
        return true;
    }
    let names = if same_tree { NameMap::Same } else { NameMap::between(left, right) };
    let same_shape = left.kind_numbers()[i..i + size] == right.kind_numbers()[j..j + size]
        && left.ends()[i..i + size]
            .iter()
            .zip(&right.ends()[j..j + size])
            .all(|(&a, &b)| a as usize - i == b as usize - j);
    same_shape && (0..size).all(|k| equal_node(left, i + k, right, j + k, &names))
}

impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        equal(self, other)
    }
}

impl Eq for Tree {}

/// For a name of one tree the number of the same name in another.
enum NameMap {
    Same,
    Table(Vec<Option<NameId>>),
}

impl NameMap {
    fn between(left: &Tree, right: &Tree) -> NameMap {
        let (names, others) = (left.names(), right.names());
        // a namespace is looked up once, however many names are in it
        let namespaces: Vec<Option<NamespaceId>> =
            names.namespaces().map(|text| others.find_namespace(text)).collect();
        let same = |id| {
            others.find_in(
                names.prefix(id),
                namespaces[names.namespace_id(id) as usize]?,
                names.local(id),
            )
        };
        NameMap::Table((0..names.len() as NameId).map(same).collect())
    }

    fn get(&self, id: NameId) -> Option<NameId> {
        match self {
            NameMap::Same => Some(id),
            NameMap::Table(table) => table[id as usize],
        }
    }
}

/// Two nodes without their children.
fn equal_node(left: &Tree, i: usize, right: &Tree, j: usize, names: &NameMap) -> bool {
    match left.kind(i) {
        Kind::Document => true,
        Kind::Element => {
            names.get(left.name(i)) == Some(right.name(j))
                && equal_attributes(left, i, right, j, names)
        }
        Kind::Text => {
            left.text(i) == right.text(j)
                && (left.flags(i) ^ right.flags(j)) & flags::REFERENCE == 0
        }
        Kind::Comment => left.text(i) == right.text(j),
        Kind::Instruction => {
            names.get(left.name(i)) == Some(right.name(j)) && left.text(i) == right.text(j)
        }
        Kind::Doctype => {
            names.get(left.name(i)) == Some(right.name(j))
                && left.text(i) == right.text(j)
                && equal_attributes(left, i, right, j, names)
        }
    }
}

fn equal_attributes(left: &Tree, i: usize, right: &Tree, j: usize, names: &NameMap) -> bool {
    let (mine, other) = (left.attributes(i), right.attributes(j));
    if mine.len() != other.len() {
        return false;
    }
    let same = |a: usize, b: usize| {
        names.get(left.attr_name(a)) == Some(right.attr_name(b))
            && left.attr_value(a) == right.attr_value(b)
    };
    if mine.clone().zip(other.clone()).all(|(a, b)| same(a, b)) {
        return true;
    }
    // another order: line both up by the names of the right tree
    let mut mine: Vec<usize> = mine.collect();
    let mut other: Vec<usize> = other.collect();
    mine.sort_by_key(|&a| names.get(left.attr_name(a)));
    other.sort_by_key(|&b| right.attr_name(b));
    mine.iter().zip(&other).all(|(&a, &b)| same(a, b))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tree::sample::{build, steps, Step};

    proptest! {
        #[test]
        fn what_equality_does_not_see_changes_nothing(steps in steps()) {
            let (left, right) = (build(&steps, false), build(&steps, true));
            left.validate().unwrap();
            right.validate().unwrap();
            prop_assert!(equal_subtree(&left, 0, &right, 0));
            prop_assert_eq!(left.digests(), right.digests());
            prop_assert!(equal(&left, &right));
        }

        #[test]
        fn equal_subtrees_and_only_those_have_equal_digests(left in steps(), right in steps()) {
            // two documents with a common part
            let joined: Vec<Step> = left.iter().chain(&right).cloned().collect();
            let (left, right) = (build(&joined, false), build(&right, true));
            for i in 0..left.len() {
                for j in 0..right.len() {
                    let same = left.digest(i) == right.digest(j);
                    prop_assert_eq!(equal_subtree(&left, i, &right, j), same, "{} {}", i, j);
                }
                for j in 0..left.len() {
                    let same = left.digest(i) == left.digest(j);
                    prop_assert_eq!(equal_subtree(&left, i, &left, j), same, "{} {}", i, j);
                }
            }
        }
    }
}
