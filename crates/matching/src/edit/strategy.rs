//! Which path to follow for which pair of subtrees.
//!
//! A pair of subtrees is solved along one path of one of them: first the subtrees that hang off the
//! path are solved against the whole other tree, then one program runs up the path (Pawlik &
//! Augsten, "RTED", VLDB 2011; "Tree edit distance: robust and memory-efficient", Inf. Syst. 2016).
//! Along a leftmost or rightmost path of v the program fills a table of |v| rows for each subtree
//! of w that has a sibling on that side; along an inner path it needs |v| rows for each forest of
//! w. The best choice for a pair follows from the best choices for the pairs below it:
//!
//! ```text
//! cost(v, w) = min over the six paths p of
//!     program(p, v, w) + sum over u hanging off p of cost(u, w) or cost(v, u)
//! ```
//!
//! Pairs are visited from the leaves up. The sums are carried along: a row of three numbers for
//! each node that has a finished child and is not finished itself. The choice is written into the
//! table of gains, whose cells are free until the pair is solved.

use super::costs::Gain;
use crate::shape::Shape;
use treelace_tree::error::Result;
use treelace_tree::tree::NONE;
use treelace_tree::watch::Watch;

/// The path to follow: in which tree, and where to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Whether the path lies in the new tree.
    pub in_new: bool,
    /// Where it ends.
    pub path: Path,
}

/// Where a path from the root of a subtree to one of its leaves runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// Always to the first child.
    Left,
    /// Always to the last child.
    Right,
    /// Always to the child with the largest subtree, the first of them on a tie.
    Heavy,
}

const PATHS: [Path; 3] = [Path::Left, Path::Right, Path::Heavy];

impl Choice {
    /// All choices.
    pub const ALL: [Choice; 6] = [
        Choice { in_new: true, path: Path::Right },
        Choice { in_new: true, path: Path::Left },
        Choice { in_new: false, path: Path::Right },
        Choice { in_new: false, path: Path::Left },
        Choice { in_new: true, path: Path::Heavy },
        Choice { in_new: false, path: Path::Heavy },
    ];

    /// The choice with this number in [`Choice::ALL`].
    pub fn of_code(code: u8) -> Choice {
        Choice::ALL[code as usize % 6]
    }
}

// What the programs cost beside their cells, in cells: a pair of subtrees, starting a row of a
// table, and one cell of an inner table against a plain one. Measured on pages of 2,000 elements
// and random trees; the result does not depend on them, only the time.
const PAIR: f32 = 300.0;
const ROW: f32 = 40.0;
const INNER_CELL: f32 = 2.5;

/// What the strategy must know of one tree.
pub struct Facts {
    /// Child on the heavy path of each node; [`NONE`] for leaves.
    pub heavy: Vec<u32>,
    size: Vec<f32>,
    /// For left and right: nodes of all subtrees that have a table of their own, and how many such
    /// subtrees there are.
    table: [Vec<f32>; 2],
    tables: [Vec<f32>; 2],
    /// For each path: whether the node lies on the path of its parent.
    on_path: [Vec<bool>; 3],
}

impl Facts {
    /// Counted in one pass.
    pub fn new(shape: &Shape) -> Facts {
        let n = shape.len();
        let size: Vec<f32> = (0..n).map(|i| shape.size_of(i) as f32).collect();
        let mut facts = Facts {
            heavy: vec![NONE; n],
            table: [size.clone(), size.clone()],
            tables: [vec![1.0; n], vec![1.0; n]],
            on_path: [vec![false; n], vec![false; n], vec![false; n]],
            size,
        };
        for i in (1..n).rev() {
            let parent = shape.parent[i] as usize;
            // children come last first, so the first of equals wins with >=
            if facts.heavy[parent] == NONE
                || shape.size_of(i) >= shape.size_of(facts.heavy[parent] as usize)
            {
                facts.heavy[parent] = i as u32;
            }
            let is_on = [i == parent + 1, shape.end[i] == shape.end[parent]];
            for (side, is_on) in is_on.into_iter().enumerate() {
                facts.on_path[side][i] = is_on;
                // the tables of a subtree: its own, and those of what hangs off its path; leaves
                // are solved beforehand
                let own = f32::from(u8::from(is_on));
                facts.table[side][parent] += facts.table[side][i] - own * facts.size[i];
                facts.tables[side][parent] += facts.tables[side][i] - own;
                if shape.is_leaf(i) && !is_on {
                    facts.table[side][parent] -= 1.0;
                    facts.tables[side][parent] -= 1.0;
                }
            }
        }
        for i in 1..n {
            facts.on_path[2][i] = facts.heavy[shape.parent[i] as usize] == i as u32;
        }
        facts
    }
}

/// Three sums for each node of the new tree: costs of what hangs off the left, right and heavy
/// path.
type Sums = [Vec<f32>; 3];

/// Bytes that [`plan`] needs beside the table.
pub fn memory(old: &Shape, new: &Shape, levels: usize) -> u64 {
    let row = new.len() as u64 * 4;
    (levels as u64 + 3) * 3 * row + (old.len() + new.len()) as u64 * 40
}

/// Writes the code of the best choice into the cell of each pair of inner nodes. `inner` allows
/// heavy paths.
pub fn plan<T: Gain>(
    shapes: [&Shape; 2],
    facts: [&Facts; 2],
    inner: bool,
    table: &mut [T],
    watch: &dyn Watch,
) -> Result<()> {
    let [old, new] = shapes;
    let [f, g] = facts;
    let m = new.len();
    let inner_nodes: Vec<usize> = (0..m).rev().filter(|&w| !new.is_leaf(w)).collect();
    let mut waiting: Vec<Option<Sums>> = vec![None; old.len()];
    let mut spare: Vec<Sums> = Vec::new();
    let none: Sums = std::array::from_fn(|_| vec![0.0; m]);
    let mut below_new: Sums = none.clone();
    let mut costs = vec![0.0f32; m];
    for v in (0..old.len()).rev() {
        if old.is_leaf(v) {
            continue;
        }
        watch.check()?;
        let below_old = waiting[v].take();
        let sums = below_old.as_ref().unwrap_or(&none);
        below_new.iter_mut().for_each(|sum| sum.fill(0.0));
        let size_v = f.size[v];
        for &w in &inner_nodes {
            let size_w = g.size[w];
            let mut best = f32::INFINITY;
            let mut code = 0;
            let mut consider = |number: u8, cost: f32| {
                if cost < best {
                    best = cost;
                    code = number;
                }
            };
            // the table of a pair has a row for each node of the old subtree
            consider(0, f.table[1][v] * (size_w + ROW) + below_new[1][w]);
            consider(1, f.table[0][v] * (size_w + ROW) + below_new[0][w]);
            consider(2, size_v * (g.table[1][w] + g.tables[1][w] + ROW) + sums[1][w]);
            consider(3, size_v * (g.table[0][w] + g.tables[0][w] + ROW) + sums[0][w]);
            if inner {
                consider(4, INNER_CELL * size_w * 0.5 * size_v * (size_v + ROW) + below_new[2][w]);
                consider(5, INNER_CELL * size_v * 0.5 * size_w * (size_w + ROW) + sums[2][w]);
            }
            best += PAIR;
            costs[w] = best;
            table[v * (m + 1) + w] = T::of_code(code);
            let parent = new.parent[w];
            if parent != NONE {
                for (sum, on_path) in below_new.iter_mut().zip(&g.on_path) {
                    let carried = if on_path[w] { sum[w] } else { best };
                    sum[parent as usize] += carried;
                }
            }
        }
        let parent = old.parent[v];
        if parent != NONE {
            let parent = parent as usize;
            let mut sums_up = waiting[parent].take().unwrap_or_else(|| {
                let mut sums = spare.pop().unwrap_or_else(|| none.clone());
                sums.iter_mut().for_each(|sum| sum.fill(0.0));
                sums
            });
            for path in 0..3 {
                let carried = if f.on_path[path][v] { &sums[path] } else { &costs };
                for (up, &cost) in sums_up[path].iter_mut().zip(carried) {
                    *up += cost;
                }
            }
            waiting[parent] = Some(sums_up);
        }
        spare.extend(below_old);
    }
    Ok(())
}

/// The subtrees of `shape` that hang off the path of `v`, leaves left out, handed to `found`.
pub fn hanging(shape: &Shape, facts: &Facts, v: usize, path: Path, mut found: impl FnMut(usize)) {
    let lane = PATHS.iter().position(|&p| p == path).unwrap_or(0);
    let mut top = v;
    loop {
        let mut next = None;
        for child in shape.children(top) {
            if facts.on_path[lane][child] {
                next = Some(child);
            } else if !shape.is_leaf(child) {
                found(child);
            }
        }
        match next {
            Some(child) => top = child,
            None => return,
        }
    }
}
