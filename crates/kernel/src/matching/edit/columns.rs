//! The columns of several tables side by side, so that one long loop serves them all.
//!
//! Most subtrees are tiny, and a table for each would spend its time on starting rows. So the tables of many subtrees stand in one
//! block row, each closed by a column for the empty forest. The running maximum must not run from one table into the next: each
//! table starts from a base that is larger than anything the one before it can reach, and the bases are taken off at the end.

use super::costs::Gain;
use super::side::Side;
use crate::matching::shape::Shape;

/// About how many cells one row should have: enough to make starting a row cheap, few enough to stay in the cache.
const WIDTH: usize = 4096;

/// One table among the columns.
pub struct Block<T> {
    /// Its columns, the closing one left out.
    pub columns: std::ops::Range<usize>,
    /// Added to everything in it.
    pub base: T,
}

/// Tables side by side.
pub struct Columns<T> {
    /// Node of the column, and the column where its subtree ends. A closing column has the node past the last one and ends at itself.
    pub cells: Vec<(u32, u32)>,
    /// The tables. They are filled from the last to the first.
    pub blocks: Vec<Block<T>>,
}

impl<T: Gain> Columns<T> {
    /// Number of cells in a row.
    pub fn width(&self) -> usize {
        self.cells.len()
    }

    /// Writes the row against the empty forest.
    pub fn clear(&self, row: &mut [T]) {
        for block in &self.blocks {
            row[block.columns.start..=block.columns.end].fill(block.base);
        }
    }
}

/// Most cells a row can have for a shape of `nodes` nodes.
pub fn widest(nodes: usize) -> usize {
    WIDTH.min(nodes * (nodes + 1) / 2 + nodes).max(nodes + 1)
}

/// The tables of the subtree of `w`, in groups that are to be filled in turn: its own, and with `all` one for each subtree in it that has a
/// sibling after it on this side. `most` is the largest gain of one pair.
pub fn columns<T: Gain>(shape: &Shape, side: &Side, w: usize, all: bool, most: T) -> Vec<Columns<T>> {
    let first = side.at[w] as usize;
    let last = first + shape.size_of(w);
    let mut groups = Vec::new();
    let mut group: Vec<usize> = Vec::new();
    let mut width = 0;
    for place in (first..last).rev() {
        if place != first && !(all && side.is_key[place] && side.size[place] > 1) {
            continue;
        }
        let more = side.size[place] as usize + 1;
        if !group.is_empty() && width + more > WIDTH {
            groups.push(side_by_side(shape, side, &group, most));
            group.clear();
            width = 0;
        }
        group.push(place);
        width += more;
    }
    groups.push(side_by_side(shape, side, &group, most));
    groups
}

/// `places` has those that must be filled first at its beginning.
fn side_by_side<T: Gain>(shape: &Shape, side: &Side, places: &[usize], most: T) -> Columns<T> {
    let mut bases = Vec::with_capacity(places.len());
    let mut base = T::default();
    for &place in places {
        bases.push(base);
        base = base + most.times(side.size[place] + 1);
    }
    let mut columns = Columns { cells: Vec::new(), blocks: Vec::with_capacity(places.len()) };
    for (&place, &base) in places.iter().zip(&bases).rev() {
        let start = columns.cells.len();
        let count = side.size[place] as usize;
        for inside in 0..count {
            let end = start + inside + side.size[place + inside] as usize;
            columns.cells.push((side.id[place + inside], end as u32));
        }
        columns.cells.push((shape.len() as u32, (start + count) as u32));
        columns.blocks.push(Block { columns: start..start + count, base });
    }
    columns
}
