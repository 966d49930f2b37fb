//! A document as a signal, compared by its spectrum (Flesca et al., sections 3.1 and 3.2).
//!
//! Three steps: the [`skeleton`] of one document (its tags in order), the [`series`] of numbers it
//! becomes within a collection (which numbers the tags and knows the greatest depth), the
//! [`spectrum`] of that series. [`warping`] compares two series in the time domain instead: the
//! paper's counter-example.

pub mod series;
pub mod skeleton;
pub mod spectrum;
pub mod warping;

pub use series::{Collection, Encoding, Ends, Scaling, Signal};
pub use skeleton::{Skeleton, TagCode};
pub use spectrum::{Spectrum, Transform};
