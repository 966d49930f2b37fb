//! Tokens of a node (eq. 10): its absolute XPath, its tag, the names of its attributes and the
//! words of their values.
//!
//! Tokens of different kinds never meet: the tag `menu` is not the class `menu`. A node has a set
//! of them, not a bag. Texts have no tokens and are no nodes here.

use std::hash::Hasher;

use rapidhash::fast::RapidHasher;

use super::Options;
use treelace_tree::error::Result;
use treelace_tree::hash::Map;
use treelace_tree::tree::{Tree, NONE};
use treelace_tree::watch::Watch;

/// The elements of a tree in document order, with their tokens.
#[derive(Default)]
pub(super) struct Elements {
    /// Index in the tree.
    pub(super) node: Vec<u32>,
    /// Parent among the elements, or [`NONE`].
    pub(super) parent: Vec<u32>,
    /// How many children are elements.
    pub(super) children: Vec<u32>,
    starts: Vec<u32>,
    tokens: Vec<u32>,
}

impl Elements {
    /// The tokens of element `i`, as numbers, each once.
    pub(super) fn tokens(&self, i: usize) -> &[u32] {
        &self.tokens[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    /// One past the largest token number.
    pub(super) fn bound(&self) -> usize {
        self.tokens.iter().max().map_or(0, |&token| token as usize + 1)
    }
}

/// Both trees, with the same numbers for the same tokens.
pub(super) fn read(
    old: &Tree,
    new: &Tree,
    options: &Options,
    watch: &dyn Watch,
) -> Result<(Elements, Elements)> {
    let mut numbers: Map<u64, u32> = Map::default();
    let mut old = elements(old, options, &mut numbers, watch)?;
    let mut new = elements(new, options, &mut numbers, watch)?;
    if options.parent_token {
        let mut counts = vec![0u32; numbers.len()];
        for i in 0..old.node.len() {
            old.tokens(i).iter().for_each(|&token| counts[token as usize] += 1);
        }
        for side in [&mut old, &mut new] {
            with_parent_token(side, &counts);
        }
    }
    Ok((old, new))
}

fn elements(
    tree: &Tree,
    options: &Options,
    numbers: &mut Map<u64, u32>,
    watch: &dyn Watch,
) -> Result<Elements> {
    let mut out = Elements::default();
    let mut number = vec![NONE; tree.len()];
    let paths = paths(tree, options.always_rank);
    for i in (0..tree.len()).filter(|&i| tree.is_element(i)) {
        if out.node.len().is_multiple_of(1024) {
            watch.check()?;
        }
        number[i] = out.node.len() as u32;
        let parent = number[tree.parent(i) as usize];
        if parent != NONE {
            out.children[parent as usize] += 1;
        }
        out.node.push(i as u32);
        out.parent.push(parent);
        out.children.push(0);
        let start = out.tokens.len();
        out.starts.push(start as u32);
        let mut add = |hash: u64| {
            let next = numbers.len() as u32;
            out.tokens.push(*numbers.entry(hash).or_insert(next));
        };
        add(hash(b"path", &[&paths[i].to_le_bytes()]));
        add(hash(b"tag", &[tree.local(i).as_bytes()]));
        for a in tree.attributes(i) {
            let name = tree.attr_local(a);
            if options.skip_data && name.starts_with("data") {
                continue;
            }
            add(hash(b"name", &[name.as_bytes()]));
            let value = tree.attr_value(a);
            let is_word = |c: char| match options.latin {
                true => is_latin(c),
                false => c.is_alphanumeric(),
            };
            let words = || value.split(|c: char| !is_word(c)).filter(|word| !word.is_empty());
            if options.whole_beyond > 0 && words().nth(options.whole_beyond as usize).is_some() {
                add(hash(b"value", &[name.as_bytes(), value.as_bytes()]));
            } else {
                words().for_each(|word| add(hash(b"word", &[name.as_bytes(), word.as_bytes()])));
            }
        }
        let mine = &mut out.tokens[start..];
        mine.sort_unstable();
        let kept = dedup(mine);
        out.tokens.truncate(start + kept);
    }
    out.starts.push(out.tokens.len() as u32);
    Ok(out)
}

/// Letters of the Latin blocks of Unicode up to Extended-B; no digits.
fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic() || (matches!(c, '\u{C0}'..='\u{24F}') && c.is_alphabetic())
}

/// Moves the distinct numbers of a sorted slice to its front; how many there are.
fn dedup(sorted: &mut [u32]) -> usize {
    let mut kept = 0;
    for at in 0..sorted.len() {
        if kept == 0 || sorted[kept - 1] != sorted[at] {
            sorted[kept] = sorted[at];
            kept += 1;
        }
    }
    kept
}

/// Hash of the absolute XPath of each element: `html/body/div[2]/p`, a rank only where there are
/// several such siblings.
fn paths(tree: &Tree, always_rank: bool) -> Vec<u64> {
    let mut total: Map<(u32, u32), u32> = Map::default();
    for i in (1..tree.len()).filter(|&i| tree.is_element(i)) {
        *total.entry((tree.parent(i), tree.name(i))).or_insert(0) += 1;
    }
    let mut seen: Map<(u32, u32), u32> = Map::default();
    let mut paths = vec![0u64; tree.len()];
    for i in (1..tree.len()).filter(|&i| tree.is_element(i)) {
        let key = (tree.parent(i), tree.name(i));
        let rank = seen.entry(key).or_insert(0);
        *rank += 1;
        let written = if always_rank || total[&key] > 1 { *rank } else { 0 };
        paths[i] = hash(
            b"step",
            &[
                &paths[tree.parent(i) as usize].to_le_bytes(),
                tree.local(i).as_bytes(),
                &written.to_le_bytes(),
            ],
        );
    }
    paths
}

/// Gives each element the rarest token of its parent: the one on the fewest old nodes, the first of
/// several.
fn with_parent_token(side: &mut Elements, counts: &[u32]) {
    let rarest: Vec<Option<u32>> = (0..side.node.len())
        .map(|i| {
            side.tokens(i)
                .iter()
                .copied()
                .filter(|&token| counts[token as usize] > 0)
                .min_by_key(|&token| (counts[token as usize], token))
        })
        .collect();
    let (mut starts, mut tokens) = (
        Vec::with_capacity(side.starts.len()),
        Vec::with_capacity(side.tokens.len() + side.node.len()),
    );
    for i in 0..side.node.len() {
        starts.push(tokens.len() as u32);
        tokens.extend_from_slice(side.tokens(i));
        if side.parent[i] != NONE {
            if let Some(token) =
                rarest[side.parent[i] as usize].filter(|token| !side.tokens(i).contains(token))
            {
                tokens.push(token);
            }
        }
    }
    starts.push(tokens.len() as u32);
    (side.starts, side.tokens) = (starts, tokens);
}

fn hash(kind: &[u8], parts: &[&[u8]]) -> u64 {
    let mut hasher = RapidHasher::default();
    hasher.write(kind);
    for part in parts {
        hasher.write_usize(part.len());
        hasher.write(part);
    }
    hasher.finish()
}
