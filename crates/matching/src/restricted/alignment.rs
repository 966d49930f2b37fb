//! The alignment distance of Jiang, Wang & Zhang ("Alignment of trees - an alternative to tree
//! edit", 1995): both trees grow by insertions until they have one shape; each place of it then
//! holds a node of one tree, of the other, or of both.
//!
//! In gains (see `edit::costs`), with F, G runs of siblings that end in trees with roots a, b:
//!
//! ```text
//! tree(a, b) = max( forest(F(a), F(b)) + s(a, b),
//!                   tree(a, c) for c below b,  tree(c, b) for c below a )
//! forest(F, G) = max( forest(F - T(a), G),  forest(F, G - T(b)),
//!                     forest(F - T(a), G - T(b)) + tree(a, b),
//!                     forest(F[..k], G - T(b)) + forest(F[k+1..], F(b)) over k,
//!                     forest(F - T(a), G[..k]) + forest(F(a), G[k+1..]) over k )
//! ```
//!
//! Starting from whole lists of children, only one of the two runs ever starts in the middle. So
//! for each pair of nodes two triangles are kept: all runs of the children of a against all
//! children of b, and the reverse. Time O(nm (da + db)²), da and db the largest numbers of
//! children; memory O(nm + m Σ da² + n Σ db²): for wide trees this is refused early.

use super::Restricted;
use crate::shape::{same_kind, Shape};
use treelace_tree::error::Result;
use treelace_tree::limits::Limits;
use treelace_tree::watch::Watch;

/// One side: children, and where the triangle of each node starts.
struct Lists {
    children: Vec<Vec<usize>>,
    start: Vec<usize>,
    cells: usize,
}

impl Lists {
    fn new(shape: &Shape) -> Lists {
        let children: Vec<Vec<usize>> =
            (0..shape.len()).map(|i| shape.children(i).collect()).collect();
        let mut start = Vec::with_capacity(children.len());
        let mut cells = 0;
        for list in &children {
            start.push(cells);
            cells += triangle(list.len());
        }
        Lists { children, start, cells }
    }
}

fn triangle(degree: usize) -> usize {
    degree * (degree + 1) / 2
}

/// Place of the run `from..to` (not empty) in a triangle.
fn run(from: usize, to: usize) -> usize {
    triangle(to - 1) + from
}

struct Tables<'a> {
    shapes: [&'a Shape; 2],
    lists: [Lists; 2],
    tree: Vec<u32>,
    /// Runs of the children of an old node against all children of a new one.
    old_runs: Vec<u32>,
    /// All children of an old node against runs of the children of a new one.
    new_runs: Vec<u32>,
}

/// Which of two lists of children starts in the middle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Middle {
    Old,
    New,
}

enum Task {
    Tree(usize, usize),
    /// Children of two nodes, one list cut to `from..to`.
    Run(usize, usize, Middle, usize, usize),
}

/// The distance and its mapping.
pub fn alignment(
    old: &Shape,
    new: &Shape,
    wants_pairs: bool,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Restricted> {
    let (n, m) = (old.len(), new.len());
    Limits::check("memory", limits.memory, n as u64 * m as u64 * 4)?;
    let lists = [Lists::new(old), Lists::new(new)];
    let cells = n as u128 * m as u128
        + lists[0].cells as u128 * m as u128
        + lists[1].cells as u128 * n as u128;
    Limits::check("memory", limits.memory, u64::try_from(cells * 4).unwrap_or(u64::MAX))?;
    let (old_runs, new_runs) = (vec![0; lists[0].cells * m], vec![0; lists[1].cells * n]);
    let mut tables = Tables { shapes: [old, new], lists, tree: vec![0; n * m], old_runs, new_runs };
    let mut grid = Vec::new();
    for a in (0..n).rev() {
        for b in (0..m).rev() {
            watch.check()?;
            let (da, db) = (tables.lists[0].children[a].len(), tables.lists[1].children[b].len());
            let mut forest = 0;
            if da > 0 && db > 0 {
                for from in 0..da {
                    tables.fill(a, b, Middle::Old, from, &mut grid);
                    for to in from + 1..=da {
                        let place = tables.old_place(a, b, from, to);
                        tables.old_runs[place] = grid[to * (db + 1) + db];
                    }
                    watch.check()?;
                }
                for from in 0..db {
                    tables.fill(a, b, Middle::New, from, &mut grid);
                    for to in from + 1..=db {
                        let place = tables.new_place(a, b, from, to);
                        tables.new_runs[place] = grid[da * (db + 1) + to];
                    }
                    watch.check()?;
                }
                forest = tables.old_runs[tables.old_place(a, b, 0, da)];
            }
            let mut best = forest + tables.saved(a, b);
            best = tables.lists[1].children[b]
                .iter()
                .fold(best, |best, &c| best.max(tables.tree[a * m + c]));
            best = tables.lists[0].children[a]
                .iter()
                .fold(best, |best, &c| best.max(tables.tree[c * m + b]));
            tables.tree[a * m + b] = best;
        }
    }
    let distance = (n + m) as u64 - u64::from(tables.tree[0]);
    let pairs = if wants_pairs { tables.walk(watch)? } else { Vec::new() };
    Ok(Restricted { distance, pairs })
}

impl Tables<'_> {
    fn saved(&self, a: usize, b: usize) -> u32 {
        let (x, y) = (self.shapes[0].label[a], self.shapes[1].label[b]);
        u32::from(same_kind(x, y)) + u32::from(x == y)
    }

    fn old_place(&self, a: usize, b: usize, from: usize, to: usize) -> usize {
        let size = triangle(self.lists[0].children[a].len());
        self.lists[0].start[a] * self.shapes[1].len() + b * size + run(from, to)
    }

    fn new_place(&self, a: usize, b: usize, from: usize, to: usize) -> usize {
        let size = triangle(self.lists[1].children[b].len());
        self.lists[1].start[b] * self.shapes[0].len() + a * size + run(from, to)
    }

    /// Old run `from..to` of the children of a against all children of b.
    fn old_run(&self, a: usize, b: usize, from: usize, to: usize) -> u32 {
        if from == to || self.lists[1].children[b].is_empty() {
            return 0;
        }
        self.old_runs[self.old_place(a, b, from, to)]
    }

    /// All children of a against the new run `from..to` of the children of b.
    fn new_run(&self, a: usize, b: usize, from: usize, to: usize) -> u32 {
        if from == to || self.lists[0].children[a].is_empty() {
            return 0;
        }
        self.new_runs[self.new_place(a, b, from, to)]
    }

    /// The grid over prefixes of the two lists of children, one of them starting at `from`.
    fn fill(&self, a: usize, b: usize, middle: Middle, from: usize, grid: &mut Vec<u32>) {
        let (olds, news) = (&self.lists[0].children[a], &self.lists[1].children[b]);
        let width = news.len() + 1;
        let (old_from, new_from) = if middle == Middle::Old { (from, 0) } else { (0, from) };
        grid.clear();
        grid.resize((olds.len() + 1) * width, 0);
        for p in old_from + 1..=olds.len() {
            for q in new_from + 1..=news.len() {
                let (i, j) = (olds[p - 1], news[q - 1]);
                let mut best = grid[(p - 1) * width + q].max(grid[p * width + q - 1]);
                best = best
                    .max(grid[(p - 1) * width + q - 1] + self.tree[i * self.shapes[1].len() + j]);
                if !self.shapes[1].is_leaf(j) {
                    best = (old_from..p).fold(best, |best, k| {
                        best.max(grid[k * width + q - 1] + self.old_run(a, j, k, p))
                    });
                }
                if !self.shapes[0].is_leaf(i) {
                    best = (new_from..q).fold(best, |best, k| {
                        best.max(grid[(p - 1) * width + k] + self.new_run(i, b, k, q))
                    });
                }
                grid[p * width + q] = best;
            }
        }
    }

    fn walk(&self, watch: &dyn Watch) -> Result<Vec<(u32, u32)>> {
        let m = self.shapes[1].len();
        let mut pairs = Vec::new();
        let mut grid = Vec::new();
        let mut open = vec![Task::Tree(0, 0)];
        while let Some(task) = open.pop() {
            watch.check()?;
            match task {
                Task::Tree(a, b) => {
                    let best = self.tree[a * m + b];
                    let (olds, news) = (&self.lists[0].children[a], &self.lists[1].children[b]);
                    let saved = self.saved(a, b);
                    if best == self.old_run(a, b, 0, olds.len()) + saved {
                        if saved > 0 {
                            pairs.push((a as u32, b as u32));
                        }
                        if !olds.is_empty() && !news.is_empty() {
                            open.push(Task::Run(a, b, Middle::Old, 0, olds.len()));
                        }
                    } else if let Some(&c) = news.iter().find(|&&c| self.tree[a * m + c] == best) {
                        open.push(Task::Tree(a, c));
                    } else if let Some(&c) = olds.iter().find(|&&c| self.tree[c * m + b] == best) {
                        open.push(Task::Tree(c, b));
                    }
                }
                Task::Run(a, b, middle, from, to) => {
                    self.fill(a, b, middle, from, &mut grid);
                    self.walk_run(a, b, middle, from, to, &grid, &mut open);
                }
            }
        }
        pairs.sort_unstable();
        Ok(pairs)
    }

    #[allow(clippy::too_many_arguments)]
    fn walk_run(
        &self,
        a: usize,
        b: usize,
        middle: Middle,
        from: usize,
        to: usize,
        grid: &[u32],
        open: &mut Vec<Task>,
    ) {
        let (olds, news) = (&self.lists[0].children[a], &self.lists[1].children[b]);
        let width = news.len() + 1;
        let (old_from, new_from) = if middle == Middle::Old { (from, 0) } else { (0, from) };
        let (mut p, mut q) =
            if middle == Middle::Old { (to, news.len()) } else { (olds.len(), to) };
        while p > old_from && q > new_from {
            let best = grid[p * width + q];
            let (i, j) = (olds[p - 1], news[q - 1]);
            if best == grid[p * width + q - 1] {
                q -= 1;
            } else if best == grid[(p - 1) * width + q] {
                p -= 1;
            } else if best
                == grid[(p - 1) * width + q - 1] + self.tree[i * self.shapes[1].len() + j]
            {
                open.push(Task::Tree(i, j));
                p -= 1;
                q -= 1;
            } else if let Some(k) =
                (old_from..p).find(|&k| best == grid[k * width + q - 1] + self.old_run(a, j, k, p))
            {
                open.push(Task::Run(a, j, Middle::Old, k, p));
                p = k;
                q -= 1;
            } else if let Some(k) = (new_from..q)
                .find(|&k| best == grid[(p - 1) * width + k] + self.new_run(i, b, k, q))
            {
                open.push(Task::Run(i, b, Middle::New, k, q));
                p -= 1;
                q = k;
            } else {
                break;
            }
        }
    }
}
