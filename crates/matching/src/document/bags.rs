//! What a subtree says, as a small bag of tokens with weights: how alike two nodes are that nothing
//! unique speaks for.

use super::super::subtrees::{pair, text_hash, Side};
use super::votes::words;
use treelace_tree::tree::{Kind, NONE};

/// Nodes of a subtree that are looked at.
const MOST_NODES: usize = 48;
/// Tokens of a bag.
const MOST_TOKENS: usize = 160;

/// Tokens of one subtree in order, with their weights.
pub(super) struct Bag {
    tokens: Vec<(u64, f32)>,
    weight: f32,
}

impl Bag {
    /// The bag of node `i`: words, attributes, labels of what stands below.
    pub fn of(side: &Side<'_>, steady: &[f32], i: usize) -> Bag {
        Self::of_nodes(side, steady, i, 0.5, |_| true)
    }

    /// As [`Bag::of`], without labels and what has found its partner: what elements of one label
    /// have in common anyway says nothing.
    pub fn of_free(side: &Side<'_>, steady: &[f32], partner: &[u32], i: usize) -> Bag {
        Self::of_nodes(side, steady, i, 0.0, |k| partner[k] == NONE)
    }

    fn of_nodes(
        side: &Side<'_>,
        steady: &[f32],
        i: usize,
        label: f32,
        is_asked: impl Fn(usize) -> bool,
    ) -> Bag {
        let tree = side.tree;
        let mut tokens: Vec<(u64, f32)> = Vec::new();
        let solid = (i..tree.end(i)).filter(|&k| !side.is_blank[k] && is_asked(k)).take(MOST_NODES);
        for k in solid {
            let holder = if tree.is_element(k) || k == i { k } else { tree.parent(k) as usize };
            let counts = steady[side.label[holder] as usize];
            match tree.kind(k) {
                Kind::Element => {
                    if k != i && label > 0.0 {
                        tokens.push((pair(1, u64::from(side.label[k])), label));
                    }
                    for a in tree.attributes(k) {
                        let value = tree.attr_value(a);
                        tokens.push((
                            pair(text_hash(tree.attr_local(a)), text_hash(value)),
                            (1.0 + value.len() as f32).sqrt() * counts,
                        ));
                    }
                }
                _ => tokens.extend(
                    words(tree.text(k))
                        .map(|word| (text_hash(word), (word.len() as f32).sqrt() * counts)),
                ),
            }
            if tokens.len() > MOST_TOKENS {
                break;
            }
        }
        tokens.sort_unstable_by_key(|token| token.0);
        let weight = tokens.iter().map(|token| token.1).sum();
        Bag { tokens, weight }
    }

    /// Each token once, with its weight.
    pub fn distinct(&self) -> impl Iterator<Item = (u64, f32)> + '_ {
        let is_first = |k: usize| k == 0 || self.tokens[k - 1].0 != self.tokens[k].0;
        (0..self.tokens.len()).filter(move |&k| is_first(k)).map(|k| self.tokens[k])
    }

    /// Share of the weight that both have: 1 for equal bags, 0 for nothing in common or nothing at
    /// all.
    pub fn similarity(&self, other: &Bag) -> f32 {
        let (mut a, mut b, mut shared) = (0, 0, 0.0);
        while a < self.tokens.len() && b < other.tokens.len() {
            let (left, right) = (self.tokens[a], other.tokens[b]);
            match left.0.cmp(&right.0) {
                std::cmp::Ordering::Less => a += 1,
                std::cmp::Ordering::Greater => b += 1,
                std::cmp::Ordering::Equal => {
                    shared += left.1.min(right.1);
                    (a, b) = (a + 1, b + 1);
                }
            }
        }
        let all = self.weight + other.weight;
        if all > 0.0 {
            2.0 * shared / all
        } else {
            0.0
        }
    }
}
