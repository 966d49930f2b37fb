//! Records that stand elsewhere: a place alone does not keep a record whose content is found in
//! another place.
//!
//! A product moves from one section to another and gets a new price; a new product takes its place.
//! Both sections then hold one product in both versions, and nothing but the name says which is
//! which. The name occurs once in each version, so it votes ([`super::votes`]); one voice makes no
//! pair, but it makes a **rival**: the two products are not paired with those that stand at their
//! places now, unless these are as much like them.

use super::super::subtrees::Side;
use super::bags::Bag;
use super::votes::{Vote, Votes};
use super::State;
use treelace_tree::tree::NONE;

/// Votes of less heft are chance: a number of two digits.
const LEAST_WEIGHT: u32 = 10;
/// Two records less alike than this are not one record that moved.
const LEAST_ALIKE: f32 = 0.4;

/// Whether a node holds two elements or more: a record, not a value and not a box around one.
pub(super) fn is_record(side: &Side<'_>, i: usize) -> bool {
    side.tree.is_element(i)
        && side.tree.children(i).filter(|&child| side.tree.is_element(child)).nth(1).is_some()
}

/// How much old node `i` is like the free node in another place that shares its content; 0 where
/// there is none.
pub(super) fn of_old(state: &State<'_, '_>, votes: &Votes, i: usize) -> f32 {
    votes.majority_of_old(i).map_or(0.0, |vote| likeness(state, vote))
}

/// As [`of_old`], for new node `j`.
pub(super) fn of_new(state: &State<'_, '_>, votes: &Votes, j: usize) -> f32 {
    votes.majority_of_new(j).map_or(0.0, |vote| likeness(state, vote))
}

/// How alike the two records of a vote are; 0 unless both are free and under parents that are not
/// partners.
pub(super) fn likeness(state: &State<'_, '_>, vote: &Vote) -> f32 {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let (i, j) = (vote.old as usize, vote.new as usize);
    if vote.weight < LEAST_WEIGHT
        || !state.could_pair(i, j)
        || state.new_of[old.tree.parent(i) as usize] == new.tree.parent(j)
        || !is_record(old, i)
        || !is_record(new, j)
    {
        return 0.0;
    }
    let alike = Bag::of(old, &state.steady, i).similarity(&Bag::of(new, &state.steady, j));
    if alike >= LEAST_ALIKE {
        alike
    } else {
        0.0
    }
}

/// Whether a free vote of one voice is enough for a move: two records that are alike, between
/// parents that stay.
pub(super) fn is_move(state: &State<'_, '_>, vote: &Vote) -> bool {
    let old_parent = state.subtrees.old.tree.parent(vote.old as usize) as usize;
    let new_parent = state.subtrees.new.tree.parent(vote.new as usize) as usize;
    state.new_of[old_parent] != NONE
        && state.old_of[new_parent] != NONE
        && likeness(state, vote) > 0.0
}
