//! The columns of several tables side by side, so that one long loop serves them all.
//!
//! Most subtrees are tiny, and a table for each would spend its time on starting rows. So the
//! tables of many subtrees stand in one block row, each closed by a column for the empty forest.
//! The running maximum must not run from one table into the next: each table starts from a base
//! that is larger than anything the one before it can reach, and the bases are taken off at the
//! end.
//!
//! Pages repeat themselves: of several equal subtrees only one gets a table, and what it finds is
//! copied to the others.

use std::collections::hash_map::Entry;

use super::costs::Gain;
use super::side::Side;
use crate::shape::Shape;
use treelace_tree::hash::Map;

/// About how many cells one row should have: enough to make starting a row cheap, few enough to
/// stay in the cache.
const WIDTH: usize = 4096;

/// One table among the columns.
pub struct Block<T> {
    /// Its columns, the closing one left out.
    pub columns: std::ops::Range<usize>,
    /// Added to everything in it.
    pub base: T,
    /// What is solved for the first node holds for the second one, too: the paths of equal
    /// subtrees.
    pub copies: Vec<(u32, u32)>,
}

/// Tables side by side.
pub struct Columns<T> {
    /// Node of the column, and the column where its subtree ends. A closing column has the node
    /// past the last one and ends at itself.
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

/// The tables of the subtree of `w`, in groups that are to be filled in turn: its own, and with
/// `all` one for each class of subtrees in it that have a sibling after them on this side. `class`
/// numbers equal subtrees, `most` is the largest gain of one pair.
pub fn columns<T: Gain>(
    shape: &Shape,
    side: &Side,
    class: &[u32],
    w: usize,
    all: bool,
    most: T,
) -> Vec<Columns<T>> {
    let first = side.at[w] as usize;
    let last = first + shape.size_of(w);
    // what lies inside a subtree comes after it, so the last of equal ones is the one to be filled
    // before any of them is needed
    let mut tables: Vec<Table> = Vec::new();
    let mut table_of: Map<u32, usize> = Map::default();
    for place in (first..last).rev() {
        if place != first && !(all && side.is_key[place] && side.size[place] > 1) {
            continue;
        }
        match table_of.entry(class[side.id[place] as usize]) {
            Entry::Occupied(known) => tables[*known.get()].again.push(place),
            Entry::Vacant(new) => {
                new.insert(tables.len());
                tables.push(Table { place, again: Vec::new() });
            }
        }
    }
    let mut groups = Vec::new();
    let (mut start, mut width) = (0, 0);
    for (number, table) in tables.iter().enumerate() {
        let more = side.size[table.place] as usize + 1;
        if number > start && width + more > WIDTH {
            groups.push(side_by_side(shape, side, &tables[start..number], most));
            (start, width) = (number, 0);
        }
        width += more;
    }
    groups.push(side_by_side(shape, side, &tables[start..], most));
    groups
}

/// A subtree that gets a table, and the places of its equals.
struct Table {
    place: usize,
    again: Vec<usize>,
}

/// `tables` has those that must be filled first at its beginning.
fn side_by_side<T: Gain>(shape: &Shape, side: &Side, tables: &[Table], most: T) -> Columns<T> {
    let mut bases = Vec::with_capacity(tables.len());
    let mut base = T::default();
    for table in tables {
        bases.push(base);
        base = base + most.times(side.size[table.place] + 1);
    }
    let mut columns = Columns { cells: Vec::new(), blocks: Vec::with_capacity(tables.len()) };
    for (table, &base) in tables.iter().zip(&bases).rev() {
        let start = columns.cells.len();
        let (place, count) = (table.place, side.size[table.place] as usize);
        for inside in 0..count {
            let end = start + inside + side.size[place + inside] as usize;
            columns.cells.push((side.id[place + inside], end as u32));
        }
        columns.cells.push((shape.len() as u32, (start + count) as u32));
        let on_path = side.path(place);
        let copies = table
            .again
            .iter()
            .flat_map(|&other| {
                on_path
                    .iter()
                    .map(move |&inside| (side.id[place + inside], side.id[other + inside]))
            })
            .collect();
        columns.blocks.push(Block { columns: start..start + count, base, copies });
    }
    columns
}
