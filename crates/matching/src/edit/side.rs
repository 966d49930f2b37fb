//! One tree seen from one side, and the rows of a table that grows towards that side.
//!
//! Removing the leftmost root again and again takes the nodes away in pre-order; what is left is
//! always a suffix of it. So a table over suffixes of the pre-order covers the path from the root
//! to its *rightmost* leaf, and the mirrored pre-order (children from right to left) covers the
//! path to the leftmost leaf. A [`Side`] is either order; one program serves both.
//!
//! A row needs the row after it, and the row where its subtree ends. At any time the ends that are
//! still to be used are those of the ancestors: [`Rows`] keeps just these, so a table of n rows
//! takes the memory of a few.

use super::costs::Gain;
use crate::shape::Shape;

/// A tree in pre-order (right) or mirrored pre-order (left).
pub struct Side {
    /// Pre-order index of each node.
    pub id: Vec<u32>,
    /// Place of each pre-order index.
    pub at: Vec<u32>,
    /// Number of nodes of each subtree.
    pub size: Vec<u32>,
    /// Whether the node before is not the parent: a subtree ends here.
    pub is_boundary: Vec<bool>,
    /// How many nodes on the way from the root, the node included, have a sibling after them.
    pub level: Vec<u32>,
    /// Whether a sibling comes after (or it is the root): one table for each of these.
    pub is_key: Vec<bool>,
}

impl Side {
    /// The side of the rightmost path, or of the leftmost.
    pub fn new(shape: &Shape, depths: &[u32], mirrored: bool) -> Side {
        let n = shape.len();
        let mut side = Side {
            id: (0..n as u32).collect(),
            at: (0..n as u32).collect(),
            size: vec![0; n],
            is_boundary: vec![false; n],
            level: vec![0; n],
            is_key: vec![false; n],
        };
        if mirrored {
            for (i, &depth) in depths.iter().enumerate() {
                // place in reversed post-order
                let place = n - (i + shape.size_of(i) - depth as usize);
                side.at[i] = place as u32;
                side.id[place] = i as u32;
            }
        }
        let mut ends = vec![0; n];
        for place in 0..n {
            let i = side.id[place] as usize;
            side.size[place] = shape.size_of(i) as u32;
            ends[place] = place + shape.size_of(i);
            if place == 0 {
                side.is_key[0] = true;
                continue;
            }
            let parent = side.at[shape.parent[i] as usize] as usize;
            side.is_boundary[place] = parent != place - 1;
            side.is_key[place] = ends[place] != ends[parent];
            side.level[place] = side.level[parent] + u32::from(side.is_key[place]);
        }
        side
    }

    /// Where the nodes on the path of the subtree at `place` stand, counted from there: the
    /// subtrees that end with it.
    pub fn path(&self, place: usize) -> Vec<usize> {
        let size = self.size[place] as usize;
        (0..size).filter(|&inside| inside + self.size[place + inside] as usize == size).collect()
    }

    /// Most rows that [`Rows`] has to keep for any subtree.
    pub fn levels(&self) -> usize {
        self.level.iter().max().map_or(0, |&most| most as usize) + 1
    }
}

/// The rows of a table that are still needed, while it grows from its end to its beginning.
pub struct Rows<T> {
    kept: Vec<Vec<T>>,
    spare: [Vec<T>; 2],
    /// Where the newest row is: a kept one, or a spare one.
    newest: Newest,
}

#[derive(Clone, Copy)]
enum Newest {
    Kept(usize),
    Spare(usize),
}

impl<T: Gain> Rows<T> {
    /// Room for rows of up to `width` numbers.
    pub fn new(levels: usize, width: usize) -> Rows<T> {
        let row = || vec![T::default(); width];
        Rows {
            kept: (0..levels).map(|_| row()).collect(),
            spare: [row(), row()],
            newest: Newest::Kept(0),
        }
    }

    /// Bytes that [`Rows::new`] takes.
    pub fn memory(levels: usize, width: usize) -> u64 {
        (levels as u64 + 2) * width as u64 * size_of::<T>() as u64
    }

    /// The row behind the last one, to be filled by the caller before [`Rows::grow`].
    pub fn first(&mut self, width: usize) -> &mut [T] {
        self.newest = Newest::Kept(0);
        &mut self.kept[0][..width]
    }

    /// The newest row.
    pub fn newest(&self) -> &[T] {
        match self.newest {
            Newest::Kept(slot) => &self.kept[slot],
            Newest::Spare(slot) => &self.spare[slot],
        }
    }

    /// Makes the rows for the places `from..to` of `side`, last one first: `step(place, row after,
    /// row at the subtree's end, row)`.
    pub fn grow(
        &mut self,
        side: &Side,
        from: usize,
        to: usize,
        width: usize,
        mut step: impl FnMut(usize, &[T], &[T], &mut [T]),
    ) {
        if from == to {
            return;
        }
        // the last place lies on the path of the subtree or run in hand: its level is the lowest
        // that is met
        let base = side.level[to - 1];
        for place in (from..to).rev() {
            // never into the row that is jumped to: it may be the one that this row will replace
            let spare = usize::from(matches!(self.newest, Newest::Spare(0)));
            let mut row = std::mem::take(&mut self.spare[spare]);
            let jump = (side.level[place] - base) as usize;
            step(place, &self.newest()[..width], &self.kept[jump][..width], &mut row[..width]);
            self.spare[spare] = row;
            self.newest = Newest::Spare(spare);
            if place > from && side.is_boundary[place] {
                let slot = (side.level[place - 1] - base) as usize;
                std::mem::swap(&mut self.kept[slot], &mut self.spare[spare]);
                self.newest = Newest::Kept(slot);
            }
        }
    }
}
