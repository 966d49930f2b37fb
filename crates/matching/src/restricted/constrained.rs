//! Zhang's constrained distance ("A constrained edit distance between unordered labeled trees",
//! 1996; the ordered case 1995): disjoint subtrees are mapped to disjoint subtrees.
//!
//! In gains (what a mapping saves against deleting and inserting everything; see `edit::costs`),
//! with s(a, b) = 2 for equal labels, 1 for a rename:
//!
//! ```text
//! tree(a, b)   = max( forest(a, b) + s(a, b),
//!                     tree(a, c) for c below b,  tree(c, b) for c below a )
//! forest(a, b) = max( E(children of a, children of b; tree),
//!                     forest(a, c) for c below b,  forest(c, b) for c below a )
//! ```
//!
//! "Below" means children. O(nm) time and two numbers for each pair of nodes.

use super::children::line_up;
use super::Restricted;
use crate::shape::{same_kind, Shape};
use treelace_tree::error::Result;
use treelace_tree::limits::Limits;
use treelace_tree::watch::Watch;

struct Tables<'a> {
    old: &'a Shape,
    new: &'a Shape,
    tree: Vec<u32>,
    forest: Vec<u32>,
}

enum Task {
    Tree(usize, usize),
    Forest(usize, usize),
}

/// The distance and its mapping.
pub fn constrained(
    old: &Shape,
    new: &Shape,
    wants_pairs: bool,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Restricted> {
    let (n, m) = (old.len(), new.len());
    Limits::check("memory", limits.memory, n as u64 * m as u64 * 8)?;
    let mut tables = Tables { old, new, tree: vec![0; n * m], forest: vec![0; n * m] };
    let children = |shape: &Shape| -> Vec<Vec<usize>> {
        (0..shape.len()).map(|i| shape.children(i).collect()).collect()
    };
    let (old_children, new_children) = (children(old), children(new));
    let mut row = Vec::new();
    for a in (0..n).rev() {
        for b in (0..m).rev() {
            if b.is_multiple_of(256) {
                watch.check()?;
            }
            let (below_a, below_b) = (&old_children[a], &new_children[b]);
            let mut forest = together(&tables.tree, m, below_a, below_b, &mut row);
            let mut tree = 0;
            for &c in below_b {
                forest = forest.max(tables.forest[a * m + c]);
                tree = tree.max(tables.tree[a * m + c]);
            }
            for &c in below_a {
                forest = forest.max(tables.forest[c * m + b]);
                tree = tree.max(tables.tree[c * m + b]);
            }
            tables.forest[a * m + b] = forest;
            tables.tree[a * m + b] = tree.max(forest + tables.saved(a, b));
        }
    }
    let distance = (n + m) as u64 - u64::from(tables.tree[0]);
    let pairs =
        if wants_pairs { tables.walk(&old_children, &new_children, watch)? } else { Vec::new() };
    Ok(Restricted { distance, pairs })
}

/// The best gain of lining up two lists of children.
fn together(tree: &[u32], m: usize, olds: &[usize], news: &[usize], row: &mut Vec<u32>) -> u32 {
    if olds.is_empty() || news.is_empty() {
        return 0;
    }
    row.clear();
    row.resize(news.len() + 1, 0);
    for &i in olds {
        let mut diagonal = 0;
        for (place, &j) in news.iter().enumerate() {
            let best = row[place].max(row[place + 1]).max(diagonal + tree[i * m + j]);
            diagonal = std::mem::replace(&mut row[place + 1], best);
        }
    }
    row[news.len()]
}

impl Tables<'_> {
    fn saved(&self, a: usize, b: usize) -> u32 {
        let (x, y) = (self.old.label[a], self.new.label[b]);
        u32::from(same_kind(x, y)) + u32::from(x == y)
    }

    fn walk(
        &self,
        old_children: &[Vec<usize>],
        new_children: &[Vec<usize>],
        watch: &dyn Watch,
    ) -> Result<Vec<(u32, u32)>> {
        let m = self.new.len();
        let mut pairs = Vec::new();
        let mut row = Vec::new();
        let mut open = vec![Task::Tree(0, 0)];
        while let Some(task) = open.pop() {
            watch.check()?;
            match task {
                Task::Tree(a, b) => {
                    let best = self.tree[a * m + b];
                    let saved = self.saved(a, b);
                    if best == self.forest[a * m + b] + saved {
                        if saved > 0 {
                            pairs.push((a as u32, b as u32));
                        }
                        open.push(Task::Forest(a, b));
                    } else if let Some(&c) =
                        new_children[b].iter().find(|&&c| self.tree[a * m + c] == best)
                    {
                        open.push(Task::Tree(a, c));
                    } else if let Some(&c) =
                        old_children[a].iter().find(|&&c| self.tree[c * m + b] == best)
                    {
                        open.push(Task::Tree(c, b));
                    }
                }
                Task::Forest(a, b) => {
                    let best = self.forest[a * m + b];
                    let (olds, news) = (&old_children[a], &new_children[b]);
                    if best == 0 {
                        continue;
                    }
                    if together(&self.tree, m, olds, news, &mut row) == best {
                        let size = |shape: &Shape, list: &[usize]| -> Vec<u64> {
                            list.iter().map(|&i| shape.size_of(i) as u64).collect()
                        };
                        let (deletes, inserts) = (size(self.old, olds), size(self.new, news));
                        let cost = |i: usize, j: usize| {
                            deletes[i] + inserts[j] - u64::from(self.tree[olds[i] * m + news[j]])
                        };
                        open.extend(
                            line_up(&deletes, &inserts, cost)
                                .into_iter()
                                .map(|(i, j)| Task::Tree(olds[i], news[j])),
                        );
                    } else if let Some(&c) = news.iter().find(|&&c| self.forest[a * m + c] == best)
                    {
                        open.push(Task::Forest(a, c));
                    } else if let Some(&c) = olds.iter().find(|&&c| self.forest[c * m + b] == best)
                    {
                        open.push(Task::Forest(c, b));
                    }
                }
            }
        }
        pairs.sort_unstable();
        Ok(pairs)
    }
}
