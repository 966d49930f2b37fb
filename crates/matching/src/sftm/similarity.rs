//! Steps 1 to 3: how similar two elements are by their tokens, by their parents and children, and
//! by how many children they have.
//!
//! Similarities are rows: for each new element the old ones with a similarity above zero. A step of
//! the propagation looks at one new parent at a time, its row spread out over all old elements, so
//! no pair is ever looked up in a map.

use super::tokens::Elements;
use super::{Edge, Options};
use treelace_tree::error::{Error, Result};
use treelace_tree::limits::Limits;
use treelace_tree::tree::NONE;
use treelace_tree::watch::Watch;

/// Rows of (old element, similarity), one for each new element.
struct Rows {
    starts: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

impl Rows {
    fn row(&self, j: usize) -> &[(u32, f64)] {
        &self.entries[self.starts[j]..self.starts[j + 1]]
    }
}

/// Bytes a pair takes at the worst moment: two generations of rows and an edge.
const PAIR: u64 = 48;

/// The edges of the graph with their similarities s (eq. 7), in no order that is promised.
pub(super) fn edges(
    old: &Elements,
    new: &Elements,
    options: &Options,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Vec<Edge>> {
    let mut rows = initial(old, new, options, limits, watch)?;
    for (&down, &up) in options.from_parents.iter().zip(&options.to_parents) {
        rows = propagate(&rows, old, new, down, up, limits, watch)?;
    }
    let mut edges = Vec::with_capacity(rows.entries.len());
    for j in 0..new.node.len() {
        for &(i, similarity) in rows.row(j) {
            let penalty = if options.no_penalty {
                0.0
            } else {
                penalty(old.children[i as usize], new.children[j])
            };
            edges.push(Edge { old: i, new: j as u32, similarity: similarity * (1.0 - penalty) });
        }
    }
    Ok(edges)
}

/// Step 1: s0, the weight of the tokens two nodes share (eq. 3, 4, Algorithm 1).
fn initial(
    old: &Elements,
    new: &Elements,
    options: &Options,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Rows> {
    let n = old.node.len();
    let most = (n as f64).powf(options.alpha).floor() as usize;
    let index = Index::new(old, new.bound().max(old.bound()), most);
    let mut rows = Rows { starts: vec![0], entries: Vec::new() };
    let mut sum = vec![0.0f64; n];
    let mut touched: Vec<u32> = Vec::new();
    for j in 0..new.node.len() {
        if j.is_multiple_of(256) {
            watch.check()?;
            check_memory(rows.entries.len(), limits)?;
        }
        for &token in new.tokens(j) {
            let nodes = index.nodes(token);
            let weight = (n as f64 / nodes.len() as f64).ln();
            if nodes.is_empty() || weight == 0.0 {
                continue;
            }
            for &i in nodes {
                if sum[i as usize] == 0.0 {
                    touched.push(i);
                }
                sum[i as usize] += weight;
            }
        }
        touched.sort_unstable();
        rows.entries.extend(touched.iter().map(|&i| (i, sum[i as usize])));
        touched.iter().for_each(|&i| sum[i as usize] = 0.0);
        touched.clear();
        keep_nearest(&mut rows, options.neighbours as usize);
        rows.starts.push(rows.entries.len());
    }
    Ok(rows)
}

/// Cuts the last row down to its most similar entries; 0 keeps all.
fn keep_nearest(rows: &mut Rows, most: usize) {
    let from = rows.starts[rows.starts.len() - 1];
    if most == 0 || rows.entries.len() - from <= most {
        return;
    }
    let row = &mut rows.entries[from..];
    row.select_nth_unstable_by(most, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    rows.entries.truncate(from + most);
    rows.entries[from..].sort_unstable_by_key(|entry| entry.0);
}

/// Step 2: one step of eq. 5 and 6, all from the similarities before it. A pair of parents that had
/// none may get one.
fn propagate(
    before: &Rows,
    old: &Elements,
    new: &Elements,
    down: f64,
    up: f64,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Rows> {
    let children = children_of(new);
    let mut parent_row = vec![0.0f64; old.node.len()];
    let mut given = vec![0.0f64; old.node.len()];
    let mut touched: Vec<u32> = Vec::new();
    let mut after = Rows { starts: vec![0], entries: Vec::with_capacity(before.entries.len()) };
    for j in 0..new.node.len() {
        if j.is_multiple_of(256) {
            watch.check()?;
            check_memory(after.entries.len(), limits)?;
        }
        // what the children of j give (eq. 6)
        for &child in children.row(j) {
            for &(i, similarity) in before.row(child as usize) {
                let parent = old.parent[i as usize];
                if parent != NONE {
                    if given[parent as usize] == 0.0 {
                        touched.push(parent);
                    }
                    given[parent as usize] += up * similarity;
                }
            }
        }
        // what the parents give (eq. 5)
        let parent = new.parent[j];
        if parent != NONE {
            before
                .row(parent as usize)
                .iter()
                .for_each(|&(i, similarity)| parent_row[i as usize] = similarity);
        }
        for &(i, similarity) in before.row(j) {
            let above = old.parent[i as usize];
            let inherited = if above == NONE { 0.0 } else { down * parent_row[above as usize] };
            after.entries.push((i, similarity + inherited + given[i as usize]));
            given[i as usize] = 0.0;
        }
        if parent != NONE {
            before.row(parent as usize).iter().for_each(|&(i, _)| parent_row[i as usize] = 0.0);
        }
        let known = after.entries.len();
        for &i in &touched {
            if given[i as usize] > 0.0 {
                after.entries.push((i, given[i as usize]));
            }
            given[i as usize] = 0.0;
        }
        touched.clear();
        if after.entries.len() > known {
            let from = after.starts[j];
            after.entries[from..].sort_unstable_by_key(|entry| entry.0);
        }
        after.starts.push(after.entries.len());
    }
    Ok(after)
}

/// Step 3 (eq. 8); two leaves have no penalty.
fn penalty(left: u32, right: u32) -> f64 {
    if left == right {
        return 0.0;
    }
    f64::from(left.abs_diff(right)) / f64::from(left.max(right))
}

/// The inverted index TM over the old elements, without tokens on more than f(N) of them.
struct Index {
    starts: Vec<u32>,
    nodes: Vec<u32>,
}

impl Index {
    fn new(old: &Elements, tokens: usize, most: usize) -> Index {
        let mut counts = vec![0u32; tokens + 1];
        for i in 0..old.node.len() {
            old.tokens(i).iter().for_each(|&token| counts[token as usize] += 1);
        }
        let mut starts = vec![0u32; tokens + 1];
        for token in 0..tokens {
            let kept = if counts[token] as usize > most { 0 } else { counts[token] };
            starts[token + 1] = starts[token] + kept;
        }
        let mut nodes = vec![0u32; starts[tokens] as usize];
        let mut next = starts.clone();
        for i in 0..old.node.len() {
            for &token in old.tokens(i) {
                if counts[token as usize] as usize <= most {
                    nodes[next[token as usize] as usize] = i as u32;
                    next[token as usize] += 1;
                }
            }
        }
        Index { starts, nodes }
    }

    fn nodes(&self, token: u32) -> &[u32] {
        &self.nodes[self.starts[token as usize] as usize..self.starts[token as usize + 1] as usize]
    }
}

/// The children of each element, as rows.
struct Children {
    starts: Vec<u32>,
    children: Vec<u32>,
}

impl Children {
    fn row(&self, i: usize) -> &[u32] {
        &self.children[self.starts[i] as usize..self.starts[i + 1] as usize]
    }
}

fn children_of(side: &Elements) -> Children {
    let mut starts = vec![0u32; side.node.len() + 1];
    for i in 0..side.node.len() {
        starts[i + 1] = starts[i] + side.children[i];
    }
    let mut next = starts.clone();
    let mut children = vec![0u32; starts[side.node.len()] as usize];
    for (i, &parent) in side.parent.iter().enumerate() {
        if parent != NONE {
            children[next[parent as usize] as usize] = i as u32;
            next[parent as usize] += 1;
        }
    }
    Children { starts, children }
}

fn check_memory(pairs: usize, limits: &Limits) -> Result<()> {
    let needed = pairs as u64 * PAIR;
    if needed > limits.memory {
        return Err(Error::Limit { limit: "memory", bound: limits.memory, needed: Some(needed) });
    }
    Ok(())
}
