//! Decision trees: where a sum of evidence is in doubt, they say the log-odds that a pair is right.
//!
//! Grown by `python -m experiments.lace_quality.forest`, which writes `generated/forest.bin`: for
//! each of two forests (with texts, without) the number of trees and of nodes, where each tree
//! starts, and the nodes.

use std::sync::OnceLock;

use super::doubt::FEATURES;

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

/// Trees whose answers add up.
#[derive(Debug, Default)]
pub(super) struct Forest {
    roots: Vec<u16>,
    nodes: Vec<Node>,
}

/// The forest for matching with texts or without.
pub(super) fn forest(with_text: bool) -> &'static Forest {
    static FORESTS: OnceLock<[Forest; 2]> = OnceLock::new();
    &FORESTS.get_or_init(|| {
        let mut bytes = include_bytes!("generated/forest.bin").as_slice();
        [Forest::read(&mut bytes), Forest::read(&mut bytes)]
    })[usize::from(!with_text)]
}

impl Forest {
    fn read(bytes: &mut &[u8]) -> Forest {
        let trees = usize::from(u16::from_le_bytes(take(bytes)));
        let count = usize::from(u16::from_le_bytes(take(bytes)));
        let roots = (0..trees).map(|_| u16::from_le_bytes(take(bytes))).collect();
        let node = |bytes: &mut &[u8]| {
            let [feature] = take(bytes);
            Node {
                feature,
                right: u16::from_le_bytes(take(bytes)),
                bound: f32::from_le_bytes(take(bytes)),
            }
        };
        Forest { roots, nodes: (0..count).map(|_| node(bytes)).collect() }
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

fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let (first, rest) = bytes.split_first_chunk().expect("forest.bin is whole: a test reads it");
    *bytes = rest;
    *first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(bound: f32) -> Node {
        Node { feature: LEAF, right: 0, bound }
    }

    #[test]
    fn a_tree_goes_left_up_to_the_bound_and_trees_add_up() {
        let nodes =
            vec![Node { feature: 0, right: 2, bound: 1.5 }, leaf(-1.0), leaf(2.0), leaf(0.25)];
        let forest = Forest { roots: vec![0, 3], nodes };
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
        for forest in [forest(true), forest(false)] {
            assert!(
                !forest.roots.is_empty()
                    && forest.roots.iter().all(|&root| usize::from(root) < forest.nodes.len())
            );
            for (at, node) in forest.nodes.iter().enumerate() {
                // children come behind their parent, so every walk ends
                let right = usize::from(node.right);
                assert!(node.bound.is_finite());
                assert!(
                    node.feature == LEAF
                        || (usize::from(node.feature) < FEATURES
                            && right > at + 1
                            && right < forest.nodes.len())
                );
            }
        }
    }
}
