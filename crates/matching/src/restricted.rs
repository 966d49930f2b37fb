//! Distances that allow fewer mappings than the edit distance, and cost less to find (unit costs).
//!
//! - `children`: lining up two lists of children. `top_down`: the program that four of them share.
//! - [`selkow`]: roots are always paired, and children only below paired parents.
//! - [`simple`]: the same, and only nodes with equal labels (simple tree matching).
//! - [`rtdm`]: the same, renaming only where one side is a leaf.
//! - [`nierman`]: whole subtrees come and go at cost 1 where the other tree has them.
//! - [`bottom_up`]: equal subtrees.
//! - [`constrained`]: disjoint subtrees go to disjoint subtrees.
//! - [`alignment`]: both trees grow, by insertions, into one.

pub mod alignment;
pub mod bottom_up;
mod children;
pub mod constrained;
pub mod nierman;
pub mod rtdm;
pub mod selkow;
pub mod simple;
mod top_down;

/// A distance, and the pairs of a mapping that costs it, in the order of the old shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restricted {
    /// The distance.
    pub distance: u64,
    /// Pairs of the two shapes.
    pub pairs: Vec<(u32, u32)>,
}
