//! What is left over on both sides and says nearly the same: moved, and changed too much for votes.
//!
//! Votes need content that occurs once in each whole version. Among the few elements that are left
//! over far more is rare: a record of common values, moved and given one more field, is still the
//! only one of its kind here. Tokens of the leftovers that few of them share find the candidates; a
//! pair is taken when each is the other's best, by a share of what both say, the heaviest first.

use super::align;
use super::bags::Bag;
use super::votes::Votes;
use super::{State, ALIKE};
use treelace_tree::error::Result;
use treelace_tree::hash::Map;
use treelace_tree::tree::NONE;
use treelace_tree::watch::Watch;

/// Elements of fewer bytes are not looked for.
const LEAST: u32 = 40;
/// A token that more of the leftovers hold finds no candidates.
const RARE: usize = 8;
/// The share of what both say that makes them one.
const ENOUGH: f32 = 0.6;
/// Candidates of one element that are compared in full.
const MOST_COMPARED: usize = 6;

/// Pairs elements that are free on both sides and alike.
pub(super) fn find(state: &mut State<'_, '_>, votes: &Votes, watch: &dyn Watch) -> Result<()> {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let is_open = |tree: &treelace_tree::tree::Tree, bytes: &[u32], partner: &[u32], i: usize| {
        partner[i] == NONE && bytes[i] >= LEAST && tree.is_element(i)
    };
    let olds: Vec<usize> =
        (1..old.tree.len()).filter(|&i| is_open(old.tree, &old.bytes, &state.new_of, i)).collect();
    let news: Vec<usize> =
        (1..new.tree.len()).filter(|&j| is_open(new.tree, &new.bytes, &state.old_of, j)).collect();
    if olds.is_empty() || news.is_empty() {
        return Ok(());
    }
    let old_bags: Vec<Bag> =
        olds.iter().map(|&i| Bag::of_free(old, &state.steady, &state.new_of, i)).collect();
    watch.check()?;
    let new_bags: Vec<Bag> =
        news.iter().map(|&j| Bag::of_free(new, &state.steady, &state.old_of, j)).collect();
    watch.check()?;
    // who holds a token, by label
    let mut holders: Map<(u32, u64), Vec<u32>> = Map::default();
    for (x, &i) in olds.iter().enumerate() {
        for (token, _) in old_bags[x].distinct() {
            let row = holders.entry((old.label[i], token)).or_default();
            if row.len() <= RARE {
                row.push(x as u32);
            }
        }
    }
    let mut found: Vec<(f32, f32, u32, u32)> = Vec::new();
    let mut shared: Map<u32, f32> = Map::default();
    for (y, &j) in news.iter().enumerate() {
        if y.is_multiple_of(1024) {
            watch.check()?;
        }
        shared.clear();
        for (token, weight) in new_bags[y].distinct() {
            if let Some(row) = holders.get(&(new.label[j], token)).filter(|row| row.len() <= RARE) {
                row.iter()
                    .for_each(|&x| *shared.entry(x).or_default() += weight / row.len() as f32);
            }
        }
        let mut best: Vec<(f32, u32)> = shared.iter().map(|(&x, &weight)| (weight, x)).collect();
        best.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for &(_, x) in best.iter().take(MOST_COMPARED) {
            let alike = old_bags[x as usize].similarity(&new_bags[y]);
            if alike >= ENOUGH {
                found.push((
                    alike * old.bytes[olds[x as usize]].min(new.bytes[j]) as f32,
                    alike,
                    x,
                    y as u32,
                ));
            }
        }
    }
    // a larger pair says who its children are; ties by document order
    found.sort_unstable_by(|a, b| {
        b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.3.cmp(&b.3)).then(a.2.cmp(&b.2))
    });
    for (_, _, x, y) in found {
        let (i, j) = (olds[x as usize], news[y as usize]);
        if state.could_pair(i, j) {
            state.pair(i, j, ALIKE);
            align::sweep(state, votes, j, watch)?;
        }
    }
    Ok(())
}
