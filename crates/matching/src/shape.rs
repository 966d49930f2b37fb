//! Two trees as the distances see them: nodes in pre-order with labels that mean the same in both.
//!
//! A distance is defined on two rooted, ordered, labelled trees. A document is not quite that: it
//! may hold several top nodes, or none. Where both documents hold exactly one node in view, that
//! node is the root; otherwise the document itself stands as root on both sides, which adds a pair
//! of equal nodes and turns forests into trees ([`Shape::size`] does not count it).

use treelace_tree::error::Result;
use treelace_tree::hash::Map;
use treelace_tree::tree::{Kind, Tree, NONE};
use treelace_tree::watch::Watch;

/// What a node is called, and which nodes are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct View {
    /// An element is called by its name and its attributes, not by its name alone.
    pub attributes: bool,
    /// Text, comments, instructions and the doctype are nodes too, each called by what it says.
    pub text: bool,
}

/// One tree in pre-order. Index 0 is the root.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shape {
    /// Row of each node in its `Tree`.
    pub node: Vec<u32>,
    /// Parent of each node; [`NONE`] for the root.
    pub parent: Vec<u32>,
    /// One past the subtree of each node.
    pub end: Vec<u32>,
    /// Label: equal numbers mean equal names, in both trees. The top three bits are the kind.
    pub label: Vec<u32>,
    /// Whether the root is the document, put there to hold a forest.
    pub has_document: bool,
}

const KIND_SHIFT: u32 = 29;

/// Whether two labels belong to nodes of one kind.
pub fn same_kind(left: u32, right: u32) -> bool {
    (left ^ right) >> KIND_SHIFT == 0
}

impl Shape {
    /// Number of nodes, a document that holds a forest included.
    pub fn len(&self) -> usize {
        self.node.len()
    }

    /// Never: there is always a root.
    pub fn is_empty(&self) -> bool {
        self.node.is_empty()
    }

    /// Number of nodes that count.
    pub fn size(&self) -> usize {
        self.len() - usize::from(self.has_document)
    }

    /// Number of nodes of the subtree of `i`.
    pub fn size_of(&self, i: usize) -> usize {
        self.end[i] as usize - i
    }

    /// Whether `i` has no children.
    pub fn is_leaf(&self, i: usize) -> bool {
        self.end[i] as usize == i + 1
    }

    /// Children of `i`, left to right.
    pub fn children(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.end[i] as usize;
        let mut next = i + 1;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = next;
                next = self.end[child] as usize;
                child
            })
        })
    }

    /// Level of each node; the root has 0.
    pub fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0; self.len()];
        for i in 1..self.len() {
            depths[i] = depths[self.parent[i] as usize] + 1;
        }
        depths
    }

    /// The nodes `range` of this shape, which must be one subtree, as a shape of their own.
    pub fn subtree(&self, root: usize) -> Shape {
        let range = root..self.end[root] as usize;
        let base = root as u32;
        let mut parent: Vec<u32> =
            self.parent[range.clone()].iter().map(|&p| p.wrapping_sub(base)).collect();
        parent[0] = NONE;
        Shape {
            node: self.node[range.clone()].to_vec(),
            parent,
            end: self.end[range.clone()].iter().map(|&e| e - base).collect(),
            label: self.label[range].to_vec(),
            has_document: self.has_document && root == 0,
        }
    }
}

/// Labels of one pair of trees.
#[derive(Default)]
pub(crate) struct Labels {
    numbers: Map<Vec<u8>, u32>,
    key: Vec<u8>,
}

impl Labels {
    /// The label of node `i` of `tree`.
    pub(crate) fn of(&mut self, tree: &Tree, i: usize, view: View) -> u32 {
        let key = &mut self.key;
        key.clear();
        let kind = tree.kind(i);
        key.push(kind as u8);
        let mut put = |text: &str| {
            key.extend_from_slice(&(text.len() as u32).to_le_bytes());
            key.extend_from_slice(text.as_bytes());
        };
        put(tree.names().namespace(tree.name(i)));
        put(tree.local(i));
        put(tree.text(i));
        if kind != Kind::Element || view.attributes {
            let name = |a: usize| (tree.names().namespace(tree.attr_name(a)), tree.attr_local(a));
            let mut attributes: Vec<usize> = tree.attributes(i).collect();
            attributes.sort_by_key(|&a| name(a));
            for a in attributes {
                put(name(a).0);
                put(name(a).1);
                put(tree.attr_value(a));
            }
        }
        let next = self.numbers.len() as u32;
        let number = match self.numbers.get(key) {
            Some(&number) => number,
            None => {
                self.numbers.insert(key.clone(), next);
                next
            }
        };
        (kind as u32) << KIND_SHIFT | number
    }
}

/// Two trees with labels that mean the same in both.
pub fn pair(old: &Tree, new: &Tree, view: View, watch: &dyn Watch) -> Result<(Shape, Shape)> {
    let mut labels = Labels::default();
    let single = [old, new]
        .iter()
        .all(|tree| tree.children(0).filter(|&i| sees(tree, i, view)).count() == 1);
    Ok((
        shape(old, view, single, &mut labels, watch)?,
        shape(new, view, single, &mut labels, watch)?,
    ))
}

/// Two subtrees with labels that mean the same in both: the subtree of node `at[k]` of `trees[k]`.
pub fn subtrees(
    trees: [&Tree; 2],
    at: [usize; 2],
    view: View,
    watch: &dyn Watch,
) -> Result<(Shape, Shape)> {
    let mut labels = Labels::default();
    let mut of = |k: usize| rows(trees[k], at[k], true, view, &mut labels, watch);
    Ok((of(0)?, of(1)?))
}

/// Many trees with labels that mean the same in all; each has its document as root.
pub fn collection<'t>(
    trees: impl Iterator<Item = &'t Tree>,
    view: View,
    watch: &dyn Watch,
) -> Result<Vec<Shape>> {
    let mut labels = Labels::default();
    trees.map(|tree| shape(tree, view, false, &mut labels, watch)).collect()
}

fn sees(tree: &Tree, i: usize, view: View) -> bool {
    match tree.kind(i) {
        Kind::Document => false,
        Kind::Element => true,
        _ => view.text,
    }
}

fn shape(
    tree: &Tree,
    view: View,
    single: bool,
    labels: &mut Labels,
    watch: &dyn Watch,
) -> Result<Shape> {
    let mut shape = rows(tree, 0, !single, view, labels, watch)?;
    shape.has_document = !single;
    Ok(shape)
}

/// The nodes of a subtree that are in view, and its root in any case if it is wanted.
fn rows(
    tree: &Tree,
    root: usize,
    wants_root: bool,
    view: View,
    labels: &mut Labels,
    watch: &dyn Watch,
) -> Result<Shape> {
    let mut shape = Shape::default();
    // in the shape: the nearest open node, and where each row went
    let mut open: Vec<u32> = Vec::new();
    // an element's label depends on nothing but its name, unless attributes are looked at
    let mut of_name = vec![NONE; tree.names().len()];
    for i in root..tree.end(root) {
        if i.is_multiple_of(4096) {
            watch.check()?;
        }
        if !(sees(tree, i, view) || i == root && wants_root) {
            continue;
        }
        while let Some(&top) = open.last() {
            if tree.end(shape.node[top as usize] as usize) > i {
                break;
            }
            open.pop();
            shape.end[top as usize] = shape.node.len() as u32;
        }
        let cached = tree.is_element(i) && !view.attributes;
        let label = match of_name[tree.name(i) as usize] {
            known if cached && known != NONE => known,
            _ => labels.of(tree, i, view),
        };
        if cached {
            of_name[tree.name(i) as usize] = label;
        }
        let number = shape.node.len() as u32;
        shape.parent.push(open.last().copied().unwrap_or(NONE));
        shape.node.push(i as u32);
        shape.end.push(number + 1);
        shape.label.push(label);
        open.push(number);
    }
    for top in open {
        shape.end[top as usize] = shape.node.len() as u32;
    }
    Ok(shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use treelace_tree::watch::Unwatched;
    use treelace_tree::{brackets, Limits};

    fn read(text: &str) -> Tree {
        brackets::parse(text, Limits::default()).unwrap()
    }

    #[test]
    fn a_single_root_is_the_root_and_a_forest_gets_the_document() {
        let (left, right) =
            pair(&read("{a{b}{c}}"), &read("{a{c}}"), View::default(), &Unwatched).unwrap();
        assert_eq!(
            (left.node.clone(), left.end.clone(), left.size()),
            (vec![1, 2, 3], vec![3, 2, 3], 3)
        );
        assert_eq!((left.label[0], left.label[2]), (right.label[0], right.label[1]));
        let (left, right) = pair(&read("{a}"), &read(""), View::default(), &Unwatched).unwrap();
        assert_eq!((left.len(), left.size(), right.len(), right.size()), (2, 1, 1, 0));
    }

    #[test]
    fn a_subtree_is_a_shape() {
        let (left, _) =
            pair(&read("{a{b{d}}{c}}"), &read("{a}"), View::default(), &Unwatched).unwrap();
        let sub = left.subtree(1);
        assert_eq!((sub.node, sub.parent, sub.end), (vec![2, 3], vec![NONE, 0], vec![2, 2]));
    }
}
