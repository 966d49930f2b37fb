//! What repeats on a page: the loops of the `records` extractor.
//!
//! [`View`] is a page as a reader sees it: its visible texts, its children without mere formatting.
//! [`Candidates`] are all lists of records that could be meant, found many ways; each is measured
//! by [`features`](features::measure) and a few are kept by [`choose`]; [`columns`] lines the
//! records of one up, and [`cells`] reads what stands in each column. What tags mean, which words
//! speak of navigation, how features are weighed: all that is the caller's, and comes in as
//! [`Rules`] and arrays.
//!
//! A record is a run of neighbours among the children of one node, so it is kept as a [`Run`] of
//! the view's flat list of children; records of one node are runs of length one.

pub mod candidates;
pub mod cells;
pub mod choose;
pub mod columns;
mod context;
mod facts;
pub mod features;
pub mod forest;
mod groups;
mod measured;
pub mod pattern;
mod pieces;
pub mod rules;
mod shapes;
pub mod tag_strings;
pub mod view;

pub use candidates::{Candidates, How};
pub use rules::{roles, Rules, Topics, Word};
pub use view::View;

/// Neighbours in the flat list of children of a [`View`]: where they start, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Run {
    /// Place of the first in `View::kids`.
    pub start: u32,
    /// How many.
    pub len: u32,
}

impl Run {
    /// A record of one node.
    pub(crate) fn one(place: u32) -> Run {
        Run { start: place, len: 1 }
    }

    /// The places of the nodes.
    pub(crate) fn places(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}
