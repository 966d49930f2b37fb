//! Patterns: what pages of one template have in common, as one tree that other pages are laid
//! along.
//!
//! A pattern is learnt from several pages (or several records of one page): each in turn is aligned
//! with what is there, top down, and what finds no partner is put in where it stands. Laying a page
//! along a pattern is the same alignment without putting in. Cost: for every matched pair of
//! elements the product of their numbers of children.
//!
//! - [`outline`]: a page as rows: visible elements and leaves (texts, images), lone inline wrappers
//!   folded into their leaf;
//! - [`spots`]: rows with hashes and small sketches of what they hold, ready to be compared;
//! - [`align`]: pairs of rows of a pattern and a page;
//! - [`mod@learn`]: several pages into one pattern;
//! - [`laid`]: leaves of records that were laid along, sorted into columns;
//! - [`cells`]: what stands in a column of a record, as it reads.

pub mod align;
pub mod cells;
pub mod laid;
pub mod learn;
pub mod outline;
pub mod spots;

pub use align::{Aligned, Pattern};
pub use learn::{learn, Learnt, Part};
pub use outline::{Outline, Row, Sight};
