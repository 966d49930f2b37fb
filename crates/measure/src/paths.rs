//! Labels and paths: what a node looks like to the measures of the papers.
//!
//! The nodes that count are the elements and, where asked for, the texts that are not blank (white
//! space between tags is how a source is laid out, not structure). Comments, instructions and the
//! doctype never count. A label is the pair of namespace and local name, where HTML's namespace
//! counts as none: a page read as XHTML equals the same page read as HTML.

use super::bag::Bag;
use treelace_tree::error::Result;
use treelace_tree::hash;
use treelace_tree::tree::{Kind, Tree, HTML};
use treelace_tree::watch::Watch;

/// Nodes between two looks at the watch.
const EVERY: usize = 1 << 14;

/// Which paths a measure counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// From the root to every node that counts.
    Nodes,
    /// From the root to every leaf: a node that counts and has no child that counts.
    Leaves,
}

/// The token of each name of a tree, by its number.
pub fn labels(tree: &Tree) -> Vec<u64> {
    let names = tree.names();
    (0..names.len() as u32)
        .map(|id| {
            let local = hash::text(names.local(id));
            match names.namespace(id) {
                "" | HTML => local,
                namespace => hash::pair(hash::text(namespace), local),
            }
        })
        .collect()
}

/// Whether a text is only white space.
pub fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C))
}

/// The nodes that count, in document order.
pub fn counted(tree: &Tree, texts: bool) -> impl Iterator<Item = usize> + '_ {
    (0..tree.len()).filter(move |&i| match tree.kind(i) {
        Kind::Element => true,
        Kind::Text => texts && !is_blank(tree.text(i)),
        _ => false,
    })
}

/// The tags of a document as a bag: Buttler's tag sets and weighted tags.
pub fn tags(tree: &Tree, texts: bool) -> Bag {
    let (labels, text) = (labels(tree), hash::text(hash::TEXT));
    Bag::of(
        counted(tree, texts)
            .map(|i| if tree.is_element(i) { labels[tree.name(i) as usize] } else { text })
            .collect(),
    )
}

/// The path of every node that counts, as (node, token), in document order: the labels from the
/// root to the node.
pub fn node_paths(tree: &Tree, texts: bool, watch: &dyn Watch) -> Result<Vec<(u32, u64)>> {
    let (labels, text) = (labels(tree), hash::text(hash::TEXT));
    let mut path = vec![0; tree.len()];
    let mut out = Vec::new();
    for (step, i) in counted(tree, texts).enumerate() {
        if step % EVERY == 0 {
            watch.check()?;
        }
        let label = if tree.is_element(i) { labels[tree.name(i) as usize] } else { text };
        path[i] = hash::pair(path[tree.parent(i) as usize], label);
        out.push((i as u32, path[i]));
    }
    Ok(out)
}

/// For each node of a tree how many leaves lie under it, itself if it is one; 0 for nodes that do
/// not count.
fn leaves_below(tree: &Tree, paths: &[(u32, u64)]) -> Vec<u32> {
    let mut leaves = vec![0; tree.len()];
    for &(node, _) in paths.iter().rev() {
        let node = node as usize;
        leaves[node] = leaves[node].max(1);
        leaves[tree.parent(node) as usize] += leaves[node];
    }
    leaves
}

/// The paths of a document as a bag.
pub fn path_bag(tree: &Tree, texts: bool, which: Which, watch: &dyn Watch) -> Result<Bag> {
    let paths = node_paths(tree, texts, watch)?;
    if which == Which::Nodes {
        return Ok(Bag::of(paths.into_iter().map(|(_, path)| path).collect()));
    }
    let mut has_child = vec![false; tree.len()];
    for &(node, _) in &paths {
        has_child[tree.parent(node as usize) as usize] = true;
    }
    Ok(Bag::of(
        paths
            .into_iter()
            .filter(|&(node, _)| !has_child[node as usize])
            .map(|(_, path)| path)
            .collect(),
    ))
}

/// For each path prefix of a document the number of root-to-leaf paths that run through it, each
/// weighing `weight(depth)` with the root at depth 0.
///
/// Two documents' Σ 2 w min / Σ w (a + b) over these bags is the best one-to-one assignment of
/// their paths, where a pair of paths scores the (weighted) nodes they share from the root: a path
/// prefix can be used by at most min(a, b) pairs, and pairing deepest first reaches that bound in
/// every prefix at once.
pub fn prefix_bag(
    tree: &Tree,
    texts: bool,
    weight: impl Fn(u32) -> f64,
    watch: &dyn Watch,
) -> Result<Bag> {
    let paths = node_paths(tree, texts, watch)?;
    let leaves = leaves_below(tree, &paths);
    Ok(Bag::weighted(
        paths
            .into_iter()
            .map(|(node, path)| {
                (path, leaves[node as usize], weight(tree.depth(node as usize) - 1))
            })
            .collect(),
    ))
}
