//! What an edit costs, turned round: what a pair of nodes saves.
//!
//! With W the cost of deleting all of the old tree and inserting all of the new one, a mapping M
//! costs W minus the sum, over its pairs, of delete(i) + insert(j) - rename(i, j). That saving is
//! the *gain* of the pair. The programs in this folder look for the mapping with the largest gain:
//! deletions and insertions then need no addition at all, which makes the inner loops a running
//! maximum. A pair that saves nothing is never worth having, so gains below zero count as zero.

use std::ops::{Add, Sub};

use crate::shape::same_kind;

/// A number that gains are counted in.
pub trait Gain:
    Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Default + Send + Sync
{
    /// A small number put in the place of a gain, and read back by [`Gain::code`].
    fn of_code(code: u8) -> Self;
    /// The small number.
    fn code(self) -> u8;
    /// So many of it.
    fn times(self, count: u32) -> Self;
    /// As a cost.
    fn as_f64(self) -> f64;
    /// The larger one.
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        if other > self {
            other
        } else {
            self
        }
    }
}

impl Gain for u32 {
    fn of_code(code: u8) -> u32 {
        u32::from(code)
    }
    fn code(self) -> u8 {
        self as u8
    }
    fn times(self, count: u32) -> u32 {
        self * count
    }
    fn as_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn or(self, other: u32) -> u32 {
        self.max(other)
    }
}

impl Gain for f64 {
    fn of_code(code: u8) -> f64 {
        f64::from(code)
    }
    fn code(self) -> u8 {
        self as u8
    }
    fn times(self, count: u32) -> f64 {
        self * f64::from(count)
    }
    fn as_f64(self) -> f64 {
        self
    }
}

/// A cost model for two shapes; nodes are given by their pre-order index.
pub trait Costs: Sync {
    /// What gains are counted in.
    type Gain: Gain;
    /// What pairing `old` with `new` saves; zero if it saves nothing.
    fn gain(&self, old: usize, new: usize) -> Self::Gain;
    /// The largest gain of any pair, or more.
    fn most(&self) -> Self::Gain;
    /// Cost of deleting the old tree and inserting the new one.
    fn total(&self) -> f64;
    /// Whether insert and delete cost the same for every node, and equal labels rename for nothing.
    fn is_uniform(&self) -> bool;
}

/// Every insertion, deletion and rename costs 1. Nodes of two kinds are never paired.
pub struct Unit<'a> {
    /// Labels of the old shape.
    pub old: &'a [u32],
    /// Labels of the new shape.
    pub new: &'a [u32],
}

impl Costs for Unit<'_> {
    type Gain = u32;

    #[inline(always)]
    fn gain(&self, old: usize, new: usize) -> u32 {
        let (old, new) = (self.old[old], self.new[new]);
        u32::from(same_kind(old, new)) + u32::from(old == new)
    }

    fn most(&self) -> u32 {
        2
    }

    fn total(&self) -> f64 {
        (self.old.len() + self.new.len()) as f64
    }

    fn is_uniform(&self) -> bool {
        true
    }
}

/// Costs by label: one number for each node to delete or insert, and a table of gains by label.
pub struct Weighted {
    /// Row of [`Weighted::gains`] for each old node.
    pub old: Vec<u32>,
    /// Column of [`Weighted::gains`] for each new node.
    pub new: Vec<u32>,
    /// Number of columns.
    pub columns: usize,
    /// Gain for each pair of labels, by rows.
    pub gains: Vec<f64>,
    /// Cost of deleting the old tree and inserting the new one.
    pub total: f64,
}

impl Costs for Weighted {
    type Gain = f64;

    #[inline(always)]
    fn gain(&self, old: usize, new: usize) -> f64 {
        self.gains[self.old[old] as usize * self.columns + self.new[new] as usize]
    }

    fn most(&self) -> f64 {
        self.gains.iter().copied().fold(0.0, f64::max)
    }

    fn total(&self) -> f64 {
        self.total
    }

    fn is_uniform(&self) -> bool {
        false
    }
}
