//! Decision trees: they say the log-odds that a pair is right, of a pair in doubt
//! ([`super::doubt`]) and of a pair that was made ([`super::sure`]).
//!
//! Grown by `python -m experiments.lace_quality.learn`, which writes `generated/forest.bin` and
//! `generated/confidence.bin`: for each of two forests (with texts, without) the number of trees
//! and of nodes, where each tree starts, and the nodes.

/// After so many trees a pair that they speak against so clearly is given up: the others could not
/// save it.
const FIRST: usize = 40;
const GIVEN_UP: f32 = -4.0;
/// Marks a leaf.
const LEAF: u8 = u8::MAX;

/// A node of a tree, its left child behind it: the feature it asks for (or [`LEAF`]), the right
/// child, the bound (or what the leaf says).
#[derive(Debug, Clone, Copy)]
struct Node {
    feature: u8,
    right: u16,
    bound: f32,
}

/// Trees over so many features whose answers add up.
#[derive(Debug, Default)]
pub struct Forest<const FEATURES: usize> {
    roots: Vec<u16>,
    nodes: Vec<Node>,
}

/// The forests in a generated file: with texts, and without.
pub(super) fn read_all<const FEATURES: usize>(mut bytes: &[u8]) -> [Forest<FEATURES>; 2] {
    let mut next = || Forest::read(&mut bytes).expect("the file is whole: a test reads it");
    [next(), next()]
}

impl<const FEATURES: usize> Forest<FEATURES> {
    /// The forest in these bytes, laid out as in a generated file; none where they are not
    /// one whole forest in which every walk ends.
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let forest = Forest::read(&mut bytes)?;
        (bytes.is_empty() && forest.is_sound()).then_some(forest)
    }

    /// Whether every walk ends in a leaf: children come behind their parent, and the last node is a
    /// leaf.
    pub(super) fn is_sound(&self) -> bool {
        let count = self.nodes.len();
        let is_inside = |root: &u16| usize::from(*root) < count;
        self.roots.iter().all(is_inside)
            && self.nodes.iter().enumerate().all(|(at, node)| {
                let right = usize::from(node.right);
                node.bound.is_finite()
                    && (node.feature == LEAF
                        || (usize::from(node.feature) < FEATURES
                            && right > at + 1
                            && right < count))
            })
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let trees = u16::from_le_bytes(take(bytes)?);
        let count = u16::from_le_bytes(take(bytes)?);
        let roots =
            (0..trees).map(|_| take(bytes).map(u16::from_le_bytes)).collect::<Option<_>>()?;
        let node = |bytes: &mut &[u8]| {
            let [feature] = take(bytes)?;
            let right = u16::from_le_bytes(take(bytes)?);
            Some(Node { feature, right, bound: f32::from_le_bytes(take(bytes)?) })
        };
        Some(Forest { roots, nodes: (0..count).map(|_| node(bytes)).collect::<Option<_>>()? })
    }

    /// The log-odds that a pair is right.
    pub(super) fn ask(&self, features: &[f32; FEATURES]) -> f32 {
        let mut sum = 0.0;
        for (tree, &root) in self.roots.iter().enumerate() {
            if tree == FIRST && sum < GIVEN_UP {
                break;
            }
            let mut at = usize::from(root);
            loop {
                let node = self.nodes[at];
                if node.feature == LEAF {
                    sum += node.bound;
                    break;
                }
                at = if features[usize::from(node.feature)] <= node.bound {
                    at + 1
                } else {
                    usize::from(node.right)
                };
            }
        }
        sum
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::super::{doubt, sure};
    use super::*;

    const FEATURES: usize = 4;

    fn leaf(bound: f32) -> Node {
        Node { feature: LEAF, right: 0, bound }
    }

    #[test]
    fn a_tree_goes_left_up_to_the_bound_and_trees_add_up() {
        let nodes =
            vec![Node { feature: 0, right: 2, bound: 1.5 }, leaf(-1.0), leaf(2.0), leaf(0.25)];
        let forest = Forest::<FEATURES> { roots: vec![0, 3], nodes };
        let mut features = [0.0; FEATURES];
        features[0] = 1.5;
        assert_eq!(forest.ask(&features), -0.75);
        features[0] = 1.6;
        assert_eq!(forest.ask(&features), 2.25);
    }

    #[test]
    fn what_the_first_trees_give_up_is_given_up() {
        let forest = |said| Forest { roots: vec![0; FIRST + 1], nodes: vec![leaf(said)] };
        assert_eq!(forest(-0.125).ask(&[0.0; FEATURES]), -0.125 * FIRST as f32);
        assert_eq!(forest(-0.0625).ask(&[0.0; FEATURES]), -0.0625 * (FIRST + 1) as f32);
    }

    #[test]
    fn every_path_of_the_forests_ends_in_a_leaf() {
        for with_text in [true, false] {
            let (doubt, sure) = (doubt::forest(with_text), sure::forest(with_text));
            assert!(!doubt.roots.is_empty() && doubt.is_sound());
            assert!(!sure.roots.is_empty() && sure.is_sound());
        }
    }

    #[test]
    fn bytes_that_are_no_whole_forest_are_none() {
        let bytes = [1, 0, 3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, LEAF, 0, 0, 0, 0, 0, 0, LEAF, 0, 0]
            .into_iter()
            .chain([0; 4])
            .collect::<Vec<u8>>();
        let read = Forest::<FEATURES>::from_bytes;
        assert!(read(&bytes).is_some());
        assert!(read(&bytes[..bytes.len() - 1]).is_none());
        assert!(read(&[&bytes[..], &[0]].concat()).is_none());
        for (at, wrong) in [(4, 3), (6, FEATURES as u8), (7, 1), (7, 3), (12, 0x7F)] {
            let mut broken = bytes.clone();
            broken[at] = wrong;
            if at == 12 {
                broken[11] = 0x80; // infinite
            }
            assert!(read(&broken).is_none(), "byte {at}");
        }
    }
}
