//! The program for an inner path: the forests of one subtree grow around a path, against every
//! forest of the other.
//!
//! Let v0 (leaf) … vk be the path of the path tree P from below. The forest in hand starts empty
//! and takes in, for each path node, the nodes right of the path below it, then those left of it,
//! then the node itself. A forest of the other tree O is what remains after removing the nodes
//! before place p in pre-order and before place q in mirrored pre-order: the table holds its best
//! gain against the forest in hand at (p, q). Nodes right of the path only ever touch q, nodes left
//! of it only p, so each run of them is a plain two-dimensional program for each p, or each q.
//! (Demaine, Mozes, Rossman, Weimann, "An optimal decomposition algorithm for tree edit distance",
//! ICALP 2007, whose bound this keeps; the order of loops is our own.)

use super::costs::Gain;
use super::side::{Rows, Side};
use crate::shape::Shape;
use treelace_tree::error::Result;
use treelace_tree::watch::Watch;

/// One tree with both sides: right first, then left.
pub struct Faces<'a> {
    /// The tree.
    pub shape: &'a Shape,
    /// Pre-order, then mirrored pre-order.
    pub sides: &'a [Side; 2],
    /// The heavy path.
    pub heavy: &'a [u32],
}

/// Bytes that [`run`] needs for another tree of `size` nodes.
pub fn memory<T: Gain>(levels: usize, size: usize) -> u64 {
    let row = size as u64 + 1;
    row * row * size_of::<T>() as u64 + Rows::<T>::memory(levels, size + 1) + 64 * row
}

/// Solves the pairs of every node of the heavy path of `v` with every node of the subtree of `w`.
///
/// `gain(x, y)` is what pairing x of the path tree with y of the other saves; `solved(x, y)` reads
/// the gain of two subtrees where x hangs off the path, `solve(x, y, gain)` writes it where x lies
/// on it.
#[allow(clippy::too_many_arguments)]
pub fn run<T: Gain>(
    path_tree: &Faces<'_>,
    v: usize,
    other: &Faces<'_>,
    w: usize,
    gain: impl Fn(usize, usize) -> T,
    table: &mut [T],
    at: impl Fn(usize, usize) -> usize,
    watch: &dyn Watch,
) -> Result<()> {
    let k = other.shape.size_of(w);
    let [_, mirror] = other.sides;
    let mirror_w = mirror.at[w] as usize;
    // places of the other tree, counted from its root
    let mirrored: Vec<usize> = (0..k).map(|p| mirror.at[w + p] as usize - mirror_w).collect();
    let at_mirrored: Vec<usize> = (0..k).map(|q| mirror.id[mirror_w + q] as usize - w).collect();
    let size: Vec<usize> = (0..k).map(|p| other.shape.size_of(w + p)).collect();
    let width = k + 1;
    let mut grid = vec![T::default(); width * width];
    let mut levels = [0, 0];
    for (side, most) in path_tree.sides.iter().zip(&mut levels) {
        let from = side.at[v] as usize;
        let deepest =
            side.level[from..from + side.size[from] as usize].iter().max().copied().unwrap_or(0);
        *most = (deepest - side.level[from]) as usize + 1;
    }
    let mut rows = Rows::<T>::new(levels[0].max(levels[1]), width);
    let (mut list, mut best, mut partner) =
        (Vec::with_capacity(k), vec![T::default(); width], vec![T::default(); k]);

    let mut path: Vec<usize> = vec![v];
    while let Some(&last) = path.last() {
        if path_tree.shape.is_leaf(last) {
            break;
        }
        path.push(path_tree.heavy[last] as usize);
    }
    let mut below: Option<usize> = None;
    for &node in path.iter().rev() {
        if let Some(child) = below {
            let [plain, mirrored_path] = path_tree.sides;
            // right of the path: for each p, a table over q
            let (from, to) =
                (mirrored_path.at[node] as usize + 1, mirrored_path.at[child] as usize);
            for p in (0..k).filter(|_| from < to) {
                watch.check()?;
                list.clear();
                list.extend(at_mirrored.iter().copied().filter(|&y| y >= p));
                let line = p * width;
                let start = rows.first(list.len() + 1);
                for (cell, &y) in start.iter_mut().zip(&list) {
                    *cell = grid[line + mirrored[y]];
                }
                start[list.len()] = T::default();
                run_of_siblings(&mut rows, mirrored_path, from, to, &list, &size, |x, y| {
                    table[at(x, w + y)]
                });
                let mut value = T::default();
                let mut place = list.len();
                for q in (0..k).rev() {
                    if at_mirrored[q] >= p {
                        place -= 1;
                        value = rows.newest()[place];
                    }
                    grid[line + q] = value;
                }
            }
            // left of the path: for each q, a table over p
            let (from, to) = (plain.at[node] as usize + 1, plain.at[child] as usize);
            for q in (0..k).filter(|_| from < to) {
                watch.check()?;
                list.clear();
                list.extend((0..k).filter(|&p| mirrored[p] >= q));
                let start = rows.first(list.len() + 1);
                for (cell, &y) in start.iter_mut().zip(&list) {
                    *cell = grid[y * width + q];
                }
                start[list.len()] = T::default();
                run_of_siblings(&mut rows, plain, from, to, &list, &size, |x, y| {
                    table[at(x, w + y)]
                });
                let mut value = T::default();
                let mut place = list.len();
                for p in (0..k).rev() {
                    if mirrored[p] >= q {
                        place -= 1;
                        value = rows.newest()[place];
                    }
                    grid[p * width + q] = value;
                }
            }
        }
        // the path node itself: it is deleted, or paired with some node of the forest, whose
        // children then meet its own
        for (p, best) in partner.iter_mut().enumerate() {
            *best = grid[(p + 1) * width + mirrored[p] + 1] + gain(node, w + p);
        }
        best.fill(T::default());
        for p in (0..k).rev() {
            for cell in &mut best[..=mirrored[p]] {
                *cell = cell.or(partner[p]);
            }
            for (cell, &better) in grid[p * width..(p + 1) * width].iter_mut().zip(&best) {
                *cell = cell.or(better);
            }
            table[at(node, w + p)] = grid[p * width + mirrored[p]];
        }
        below = Some(node);
    }
    Ok(())
}

/// Takes in the nodes at the places `from..to` of the path tree, one after the other, against the
/// forests of `list`.
fn run_of_siblings<T: Gain>(
    rows: &mut Rows<T>,
    side: &Side,
    from: usize,
    to: usize,
    list: &[usize],
    size: &[usize],
    solved: impl Fn(usize, usize) -> T,
) {
    let width = list.len() + 1;
    rows.grow(side, from, to, width, |place, after, jump, row| {
        let x = side.id[place] as usize;
        let mut value = T::default();
        row[list.len()] = value;
        for (position, &y) in list.iter().enumerate().rev() {
            let paired = jump[position + size[y]] + solved(x, y);
            value = value.or(after[position]).or(paired);
            row[position] = value;
        }
    });
}
