//! Costs that depend on what nodes are called.

use super::bounds::shared;
use super::costs::Weighted;
use crate::shape::{same_kind, Shape};
use treelace_tree::error::{Error, Result};
use treelace_tree::hash::Map;
use treelace_tree::limits::Limits;
use treelace_tree::tree::{Kind, Tree};
use treelace_tree::watch::Watch;

/// What edits cost: a number for all, and others for some tags. Texts are called `#text`, comments
/// `#comment`, and so on.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    /// Cost of an insertion.
    pub insert: f64,
    /// Cost of a deletion.
    pub delete: f64,
    /// Cost of a rename, of a full one where renames are graded.
    pub rename: f64,
    /// Insertions of these tags cost something else.
    pub insert_tag: Vec<(String, f64)>,
    /// Deletions of these tags cost something else.
    pub delete_tag: Vec<(String, f64)>,
    /// Renames from the first tag to the second cost something else.
    pub rename_tag: Vec<(String, String, f64)>,
    /// A rename costs its share: half for another tag, half for the share of attributes (of words,
    /// for text) that are not in both.
    pub graded: bool,
}

impl Prices {
    fn check(&self) -> Result<()> {
        let tags = self.insert_tag.iter().chain(&self.delete_tag).map(|(_, cost)| *cost);
        let all = [self.insert, self.delete, self.rename]
            .into_iter()
            .chain(tags)
            .chain(self.rename_tag.iter().map(|(_, _, cost)| *cost));
        for cost in all {
            if !(cost.is_finite() && cost >= 0.0) {
                return Err(Error::Usage(format!(
                    "a cost of {cost}: costs are finite and not negative"
                )));
            }
        }
        Ok(())
    }
}

/// A label: its tag, and what is compared where renames are graded.
struct Label {
    tag: u32,
    words: Vec<u32>,
    example: u32,
}

/// The labels of one shape, in order of appearance, and the number of each node's.
struct Labelled {
    labels: Vec<Label>,
    of_node: Vec<u32>,
}

/// The cost model for two shapes of these trees.
pub fn weighted(
    trees: [&Tree; 2],
    shapes: [&Shape; 2],
    prices: &Prices,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Weighted> {
    prices.check()?;
    let (mut tags, mut words) = (Map::default(), Map::default());
    let [old, new] =
        [0, 1].map(|k| labelled(trees[k], shapes[k], prices.graded, &mut tags, &mut words));
    let (rows, columns) = (old.labels.len(), new.labels.len());
    Limits::check("memory", limits.memory, rows as u64 * columns as u64 * 8)?;
    let by_tag = |all: f64, some: &[(String, f64)]| -> Vec<f64> {
        let mut costs = vec![all; tags.len()];
        for (tag, cost) in some {
            if let Some(&number) = tags.get(tag.as_str()) {
                costs[number as usize] = *cost;
            }
        }
        costs
    };
    let (delete, insert) =
        (by_tag(prices.delete, &prices.delete_tag), by_tag(prices.insert, &prices.insert_tag));
    let mut rename: Map<(u32, u32), f64> = Map::default();
    for (from, to, cost) in &prices.rename_tag {
        if let (Some(&from), Some(&to)) = (tags.get(from.as_str()), tags.get(to.as_str())) {
            rename.insert((from, to), *cost);
        }
    }
    let mut gains = Vec::with_capacity(rows * columns);
    for a in &old.labels {
        watch.check()?;
        for b in &new.labels {
            let (x, y) = (shapes[0].label[a.example as usize], shapes[1].label[b.example as usize]);
            let cost = if x == y {
                0.0
            } else if !same_kind(x, y) {
                f64::INFINITY
            } else if let Some(&cost) = rename.get(&(a.tag, b.tag)) {
                cost
            } else if prices.graded {
                prices.rename
                    * (0.5 * f64::from(u8::from(a.tag != b.tag))
                        + 0.5 * (1.0 - dice(&a.words, &b.words)))
            } else {
                prices.rename
            };
            gains.push((delete[a.tag as usize] + insert[b.tag as usize] - cost).max(0.0));
        }
    }
    // a document that holds a forest is free, and always paired
    let sum = |side: &Labelled, shape: &Shape, costs: &[f64]| -> f64 {
        side.of_node
            .iter()
            .skip(usize::from(shape.has_document))
            .map(|&label| costs[side.labels[label as usize].tag as usize])
            .sum()
    };
    let mut total = sum(&old, shapes[0], &delete) + sum(&new, shapes[1], &insert);
    if shapes[0].has_document {
        total += gains[0];
    }
    Ok(Weighted { old: old.of_node, new: new.of_node, columns, gains, total })
}

fn labelled<'t>(
    tree: &'t Tree,
    shape: &Shape,
    graded: bool,
    tags: &mut Map<&'t str, u32>,
    words: &mut Map<String, u32>,
) -> Labelled {
    let mut numbers: Map<u32, u32> = Map::default();
    let mut labels = Vec::new();
    let of_node = (0..shape.len()).map(|i| {
        *numbers.entry(shape.label[i]).or_insert_with(|| {
            let node = shape.node[i] as usize;
            let next = tags.len() as u32;
            let tag = *tags.entry(tag(tree, node)).or_insert(next);
            labels.push(Label {
                tag,
                words: if graded { words_of(tree, node, words) } else { Vec::new() },
                example: i as u32,
            });
            labels.len() as u32 - 1
        })
    });
    let of_node = of_node.collect();
    Labelled { labels, of_node }
}

fn tag(tree: &Tree, node: usize) -> &str {
    match tree.kind(node) {
        Kind::Document => "#document",
        Kind::Element => tree.local(node),
        Kind::Text => "#text",
        Kind::Comment => "#comment",
        Kind::Instruction => "#instruction",
        Kind::Doctype => "#doctype",
    }
}

/// Attributes of an element, words of a text: as sorted numbers.
fn words_of(tree: &Tree, node: usize, words: &mut Map<String, u32>) -> Vec<u32> {
    let mut put = |word: String| {
        let next = words.len() as u32;
        *words.entry(word).or_insert(next)
    };
    let mut found: Vec<u32> = tree
        .attributes(node)
        .map(|a| put(format!("{}={}", tree.attr_local(a), tree.attr_value(a))))
        .collect();
    found.extend(tree.text(node).split_whitespace().map(|word| put(word.to_string())));
    found.sort_unstable();
    found
}

/// Share of what is in both of two sorted lists; two empty lists share everything.
fn dice(left: &[u32], right: &[u32]) -> f64 {
    if left.is_empty() && right.is_empty() {
        return 1.0;
    }
    2.0 * shared(left, right) as f64 / (left.len() + right.len()) as f64
}
