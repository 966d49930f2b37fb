//! The gain of every pair of subtrees.
//!
//! Pairs with a leaf are solved first, by a maximum over the other subtree. Then the pair of roots
//! is taken apart as the strategy says, on a stack of our own: what hangs off the path first, the
//! program for the path after it. What was solved for two subtrees is copied for two others that
//! are equal to them.

use super::columns::{columns, widest, Columns};
use super::costs::{Costs, Gain};
use super::inner::{self, Faces};
use super::side::{Rows, Side};
use super::strategy::{hanging, memory as plan_memory, plan, Choice, Facts, Path};
use crate::classes::classes;
use crate::shape::Shape;
use treelace_tree::error::Result;
use treelace_tree::hash::Map;
use treelace_tree::limits::Limits;
use treelace_tree::watch::Watch;

/// How many cells are filled between two looks at the watch.
const CELLS: usize = 1 << 20;

/// The gains of all pairs of subtrees: row for each old node, column for each new one.
pub struct Solved<T> {
    /// By rows.
    pub table: Vec<T>,
    /// Length of a row: one more than there are new nodes, the last one zero.
    pub stride: usize,
}

impl<T: Gain> Solved<T> {
    /// The gain of the subtrees of `old` and `new`.
    pub fn gain(&self, old: usize, new: usize) -> T {
        self.table[old * self.stride + new]
    }
}

/// How paths are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// By cost.
    #[default]
    Best,
    /// Always this one: for tests and for comparisons.
    Always(Choice),
}

enum Task {
    Solve(usize, usize),
    Path(Choice, usize, usize),
}

/// Bytes needed for two trees of these sizes whatever their shape: the table, and the directions
/// for the way back.
pub fn least_memory<T>(old: usize, new: usize) -> u64 {
    let cells = old as u64 * (new as u64 + 1);
    cells * size_of::<T>() as u64 + cells / 4
}

/// Solves all pairs. Refuses, before anything large is allocated, what would need more memory than
/// the limit.
pub fn solve<C: Costs>(
    old: &Shape,
    new: &Shape,
    costs: &C,
    strategy: Strategy,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Solved<C::Gain>> {
    let (n, m) = (old.len(), new.len());
    let least = least_memory::<C::Gain>(n, m);
    Limits::check("memory", limits.memory, least)?;
    let (old_depths, new_depths) = (old.depths(), new.depths());
    let sides = |shape: &Shape, depths: &[u32]| {
        [Side::new(shape, depths, false), Side::new(shape, depths, true)]
    };
    let (old_sides, new_sides) = (sides(old, &old_depths), sides(new, &new_depths));
    let levels = old_sides[0].levels().max(old_sides[1].levels());
    let plain = least + plan_memory(old, new, levels) + Rows::<C::Gain>::memory(levels, widest(m));
    Limits::check("memory", limits.memory, plain)?;
    let all_levels = levels.max(new_sides[0].levels()).max(new_sides[1].levels());
    let inner = plain + inner::memory::<C::Gain>(all_levels, n.max(m)) <= limits.memory;

    let facts = [Facts::new(old), Facts::new(new)];
    let mut table = vec![C::Gain::default(); n * (m + 1)];
    match strategy {
        Strategy::Best => plan([old, new], [&facts[0], &facts[1]], inner, &mut table, watch)?,
        Strategy::Always(choice) => {
            let code = Choice::ALL.iter().position(|&one| one == choice).unwrap_or(0);
            table.fill(C::Gain::of_code(code as u8));
        }
    }
    for row in table.chunks_exact_mut(m + 1) {
        row[m] = C::Gain::default();
    }
    let rows = Rows::new(levels, widest(m));
    let most = costs.most();
    let (columns, columns_of) = (Vec::new(), None);
    let (old_class, new_class) = classes(old, new);
    let classes = [old_class, new_class];
    let mut run = Run {
        old,
        new,
        costs,
        classes,
        old_sides,
        new_sides,
        facts,
        table,
        stride: m + 1,
        rows,
        columns,
        columns_of,
        most,
        filled: 0,
        watch,
    };
    run.leaves()?;
    run.all()?;
    Ok(Solved { table: run.table, stride: m + 1 })
}

struct Run<'a, C: Costs> {
    old: &'a Shape,
    new: &'a Shape,
    costs: &'a C,
    /// Equal subtrees have equal numbers.
    classes: [Vec<u32>; 2],
    old_sides: [Side; 2],
    new_sides: [Side; 2],
    facts: [Facts; 2],
    table: Vec<C::Gain>,
    stride: usize,
    rows: Rows<C::Gain>,
    columns: Vec<Columns<C::Gain>>,
    /// Which columns these are: lane, root, whether those of all subtrees.
    columns_of: Option<(usize, usize, bool)>,
    most: C::Gain,
    filled: usize,
    watch: &'a dyn Watch,
}

impl<C: Costs> Run<'_, C> {
    /// A leaf gains most from the best partner in the other subtree.
    fn leaves(&mut self) -> Result<()> {
        let (n, m) = (self.old.len(), self.new.len());
        let new_leaves: Vec<usize> = (0..m).filter(|&w| self.new.is_leaf(w)).collect();
        for v in (0..n).rev() {
            self.count(m)?;
            let line = v * self.stride;
            if self.old.is_leaf(v) {
                for w in (0..m).rev() {
                    let best = self.costs.gain(v, w);
                    self.table[line + w] = best;
                }
                for w in (1..m).rev() {
                    let up = line + self.new.parent[w] as usize;
                    self.table[up] = self.table[up].or(self.table[line + w]);
                }
            } else {
                // the children stand behind it and have been here
                for &w in &new_leaves {
                    let best = self.costs.gain(v, w);
                    self.table[line + w] = best;
                }
                for child in self.old.children(v) {
                    for &w in &new_leaves {
                        let below = self.table[child * self.stride + w];
                        self.table[line + w] = self.table[line + w].or(below);
                    }
                }
            }
        }
        Ok(())
    }

    fn all(&mut self) -> Result<()> {
        let mut tasks = vec![Task::Solve(0, 0)];
        let mut solved: Map<(u32, u32), (usize, usize)> = Map::default();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Solve(v, w) if self.old.is_leaf(v) || self.new.is_leaf(w) => {}
                Task::Solve(v, w) => {
                    if let Some(&equal) = solved.get(&(self.classes[0][v], self.classes[1][w])) {
                        self.copy(equal, v, w)?;
                        continue;
                    }
                    let choice = Choice::of_code(self.table[v * self.stride + w].code());
                    tasks.push(Task::Path(choice, v, w));
                    if choice.in_new {
                        hanging(self.new, &self.facts[1], w, choice.path, |u| {
                            tasks.push(Task::Solve(v, u))
                        });
                    } else {
                        hanging(self.old, &self.facts[0], v, choice.path, |u| {
                            tasks.push(Task::Solve(u, w))
                        });
                    }
                }
                Task::Path(choice, v, w) => {
                    self.follow(choice, v, w)?;
                    solved.insert((self.classes[0][v], self.classes[1][w]), (v, w));
                }
            }
        }
        Ok(())
    }

    /// All pairs of the subtrees of `v` and `w`, from two subtrees that equal them.
    fn copy(&mut self, (from_v, from_w): (usize, usize), v: usize, w: usize) -> Result<()> {
        let (rows, width) = (self.old.size_of(v), self.new.size_of(w));
        for k in 0..rows {
            let from = (from_v + k) * self.stride + from_w;
            self.table.copy_within(from..from + width, (v + k) * self.stride + w);
        }
        self.count(rows * (width / 8 + 1))
    }

    fn follow(&mut self, choice: Choice, v: usize, w: usize) -> Result<()> {
        let lane = match choice.path {
            Path::Right => 0,
            Path::Left => 1,
            Path::Heavy => return self.follow_inner(choice.in_new, v, w),
        };
        // hanging subtrees of the old tree come one after the other against the same new one
        let columns_of = (lane, w, !choice.in_new);
        if self.columns_of != Some(columns_of) {
            self.columns = columns(
                self.new,
                &self.new_sides[lane],
                &self.classes[1],
                w,
                !choice.in_new,
                self.most,
            );
            self.columns_of = Some(columns_of);
        }
        if !choice.in_new {
            return self.fill(lane, v);
        }
        // one table for each class of subtrees with a sibling on that side, small ones first
        let first = self.old_sides[lane].at[v] as usize;
        let mut filled: Map<u32, usize> = Map::default();
        for place in (first..first + self.old.size_of(v)).rev() {
            let side = &self.old_sides[lane];
            if place == first || side.is_key[place] && side.size[place] > 1 {
                let root = side.id[place] as usize;
                match filled.get(&self.classes[0][root]) {
                    Some(&equal) => self.copy_paths(lane, equal, place, w),
                    None => {
                        filled.insert(self.classes[0][root], place);
                        self.fill(lane, root)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The pairs of two paths, that of the old subtree at `place` and that of `w`, from an old
    /// subtree equal to it.
    fn copy_paths(&mut self, lane: usize, equal: usize, place: usize, w: usize) {
        let (old, new) = (&self.old_sides[lane], &self.new_sides[lane]);
        let first = new.at[w] as usize;
        let ends = new.path(first);
        for inside in old.path(place) {
            let (from, to) = (
                old.id[equal + inside] as usize * self.stride,
                old.id[place + inside] as usize * self.stride,
            );
            for &end in &ends {
                let j = new.id[first + end] as usize;
                self.table[to + j] = self.table[from + j];
            }
        }
    }

    /// The tables of the columns in hand: the suffixes of the subtree of `v` against theirs, as
    /// `lane` orders them.
    fn fill(&mut self, lane: usize, v: usize) -> Result<()> {
        let side = &self.old_sides[lane];
        let from = side.at[v] as usize;
        let to = from + side.size[from] as usize;
        let (costs, table, stride) = (self.costs, &mut self.table, self.stride);
        let mut filled = 0;
        for columns in &self.columns {
            let width = columns.width();
            columns.clear(self.rows.first(width));
            self.rows.grow(side, from, to, width, |place, after, jump, row| {
                let i = side.id[place] as usize;
                let solved = &mut table[i * stride..(i + 1) * stride];
                if place + side.size[place] as usize == to {
                    tree_row(columns, after, jump, row, solved, |j| costs.gain(i, j));
                } else {
                    forest_row(columns, after, jump, row, solved);
                }
            });
            filled += (to - from) * (width + 8);
        }
        self.count(filled)
    }

    fn follow_inner(&mut self, in_new: bool, v: usize, w: usize) -> Result<()> {
        let (stride, costs) = (self.stride, self.costs);
        let old = Faces { shape: self.old, sides: &self.old_sides, heavy: &self.facts[0].heavy };
        let new = Faces { shape: self.new, sides: &self.new_sides, heavy: &self.facts[1].heavy };
        if in_new {
            inner::run(
                &new,
                w,
                &old,
                v,
                |x, y| costs.gain(y, x),
                &mut self.table,
                |x, y| y * stride + x,
                self.watch,
            )
        } else {
            inner::run(
                &old,
                v,
                &new,
                w,
                |x, y| costs.gain(x, y),
                &mut self.table,
                |x, y| x * stride + y,
                self.watch,
            )
        }
    }

    fn count(&mut self, cells: usize) -> Result<()> {
        self.filled += cells;
        if self.filled >= CELLS {
            self.filled = 0;
            self.watch.check()?;
        }
        Ok(())
    }
}

/// A row where the old forest is several trees: all pairs of subtrees are known.
#[inline(never)]
fn forest_row<T: Gain>(columns: &Columns<T>, after: &[T], jump: &[T], row: &mut [T], solved: &[T]) {
    let mut value = T::default();
    for ((cell, &above), &(node, end)) in row.iter_mut().zip(after).zip(&columns.cells).rev() {
        let paired = jump[end as usize] + solved[node as usize];
        value = value.or(above.or(paired));
        *cell = value;
    }
}

/// A row where the old forest is one tree: wherever the new one is a tree as well, their pair is
/// solved here.
#[inline(never)]
fn tree_row<T: Gain>(
    columns: &Columns<T>,
    after: &[T],
    jump: &[T],
    row: &mut [T],
    solved: &mut [T],
    gain: impl Fn(usize) -> T,
) {
    for block in columns.blocks.iter().rev() {
        let close = block.columns.end;
        let mut value = block.base;
        row[close] = value;
        for column in block.columns.clone().rev() {
            let (node, end) = columns.cells[column];
            let node = node as usize;
            if end as usize == close {
                value = value.or(after[column]).or(after[column + 1] + gain(node));
                solved[node] = value - block.base;
            } else {
                value = value.or(after[column]).or(jump[end as usize] + solved[node]);
            }
            row[column] = value;
        }
        for &(from, to) in &block.copies {
            solved[to as usize] = solved[from as usize];
        }
    }
}
