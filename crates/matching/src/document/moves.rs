//! What found no place among its siblings: moved, if its content says so.

use super::votes::Votes;
use super::{align, alike, rivals};
use super::{State, VOTED};
use treelace_tree::error::Result;
use treelace_tree::hash::Map;
use treelace_tree::tree::NONE;
use treelace_tree::watch::Watch;

/// Votes of less heft do not make a move.
const LEAST_HEFT: u32 = 40;
/// Equal subtrees left over on both sides, and only there, of at least this many bytes have moved.
const UNIQUE: u32 = 60;
/// Content that occurs once in each version has moved if it has at least this many bytes.
const LEAST: u32 = 4;
/// As [`UNIQUE`], between parents that are not deleted or inserted.
const UNIQUE_BETWEEN_STAYERS: u32 = 12;
/// Equal subtrees of at least this many bytes have moved even if there are several.
const LARGE: u32 = 120;
/// Fewer bytes than this are not worth a move out of what is deleted or into what is inserted: of
/// content that is unique, and of other.
const LEAST_RESCUE: (u32, u32) = (40, 80);
/// Nor fewer than this out of what is deleted and into what is inserted.
const LEAST_DOUBLE_RESCUE: (u32, u32) = (80, 120);

/// Pairs moved subtrees, changed or not, and takes back the moves that are not worth it.
pub(super) fn find(state: &mut State<'_, '_>, votes: &Votes, watch: &dyn Watch) -> Result<()> {
    changed(state, votes, watch)?;
    equal(state, watch)?;
    alike::find(state, votes, watch)?;
    holders(state, votes, watch)?;
    take_back(state);
    Ok(())
}

/// Subtrees that moved and changed: what the votes agree on, the heaviest first.
fn changed(state: &mut State<'_, '_>, votes: &Votes, watch: &dyn Watch) -> Result<()> {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let mut open: Vec<u32> = Vec::new();
    for (number, vote) in votes.all.iter().enumerate() {
        let (i, j) = (vote.old as usize, vote.new as usize);
        // one voice would drag a thin container along
        let is_most = u64::from(vote.weight) * 5 >= 3 * u64::from(old.heft[i].max(new.heft[j]));
        let is_heard = vote.weight >= LEAST_HEFT || is_most || rivals::is_move(state, vote);
        if state.could_pair(i, j)
            && (vote.voices >= 2 || rivals::is_move(state, vote))
            && votes.is_majority(vote)
            && is_heard
            && old.tree.is_element(i)
        {
            open.push(number as u32);
        }
    }
    open.sort_by_key(|&number| std::cmp::Reverse(votes.all[number as usize].weight));
    for number in open {
        let (i, j) =
            (votes.all[number as usize].old as usize, votes.all[number as usize].new as usize);
        if state.could_pair(i, j) {
            state.pair(i, j, VOTED);
            align::sweep(state, votes, j, watch)?;
        }
    }
    Ok(())
}

/// Equal subtrees that are left over.
fn equal(state: &mut State<'_, '_>, watch: &dyn Watch) -> Result<()> {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let mut waiting: Map<u32, (Vec<u32>, usize, u32)> = Map::default();
    for i in (1..old.tree.len())
        .filter(|&i| state.new_of[i] == NONE && !old.is_blank[i] && old.bytes[i] >= LEAST)
    {
        if state.subtrees.new_count[old.class[i] as usize] > 0 {
            waiting.entry(old.class[i]).or_default().0.push(i as u32);
        }
    }
    if waiting.is_empty() {
        return Ok(());
    }
    for j in (1..new.tree.len()).filter(|&j| state.old_of[j] == NONE) {
        if let Some(row) = waiting.get_mut(&new.class[j]) {
            row.2 += 1;
        }
    }
    for j in 1..new.tree.len() {
        if j.is_multiple_of(4096) {
            watch.check()?;
        }
        if state.old_of[j] != NONE {
            continue;
        }
        let Some((olds, next, count)) = waiting.get_mut(&new.class[j]) else { continue };
        while *next < olds.len() && state.new_of[olds[*next] as usize] != NONE {
            *next += 1;
        }
        let Some(&i) = olds.get(*next) else { continue };
        let is_unique = olds.len() == 1 && *count == 1;
        // between parents that stay, a move is the cheaper way to say it
        let stays = state.old_of[new.tree.parent(j) as usize] != NONE
            && state.new_of[old.tree.parent(i as usize) as usize] != NONE;
        let least = match is_unique {
            false => LARGE,
            true if state.subtrees.is_unique(new.class[j]) => LEAST,
            true if stays => UNIQUE_BETWEEN_STAYERS,
            true => UNIQUE,
        };
        if new.bytes[j] >= least {
            *next += 1;
            state.pair_subtrees(i as usize, j);
        }
    }
    Ok(())
}

/// Two that are still free, of one label, and hold the two halves of a pair: the holder moved, not
/// what it holds. Children before parents; the heaviest child decides.
fn holders(state: &mut State<'_, '_>, votes: &Votes, watch: &dyn Watch) -> Result<()> {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    for j in (1..new.tree.len()).rev() {
        if j.is_multiple_of(4096) {
            watch.check()?;
        }
        if state.old_of[j] != NONE || !new.tree.is_element(j) {
            continue;
        }
        let holder_of = |child: usize| {
            (state.old_of[child] != NONE)
                .then(|| old.tree.parent(state.old_of[child] as usize) as usize)
        };
        let candidates =
            new.solid_children(j).filter_map(|child| Some((new.bytes[child], holder_of(child)?)));
        let best = candidates
            .filter(|&(_, i)| state.could_pair(i, j))
            .max_by_key(|&(bytes, i)| (bytes, std::cmp::Reverse(i)));
        // a small thing that two strangers have in common does not make them one
        if let Some((_, i)) = best.filter(|&(bytes, i)| {
            u64::from(bytes) * 5 >= 2 * u64::from(old.bytes[i].max(new.bytes[j]))
        }) {
            state.pair(i, j, VOTED);
            align::sweep(state, votes, j, watch)?;
        }
    }
    Ok(())
}

/// Takes apart pairs that would be small moves out of deleted or into inserted subtrees.
fn take_back(state: &mut State<'_, '_>) {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    for j in 1..new.tree.len() {
        let i = state.old_of[j];
        if i == NONE {
            continue;
        }
        let i = i as usize;
        let from_deleted = state.new_of[old.tree.parent(i) as usize] == NONE;
        let to_inserted = state.old_of[new.tree.parent(j) as usize] == NONE;
        let least = match (from_deleted, to_inserted) {
            (true, true) => LEAST_DOUBLE_RESCUE,
            (true, false) | (false, true) => LEAST_RESCUE,
            _ => continue,
        };
        let is_unique = old.class[i] == new.class[j] && state.subtrees.is_unique(new.class[j]);
        if old.bytes[i].min(new.bytes[j]) < if is_unique { least.0 } else { least.1 } {
            state.release(i, j);
        }
    }
}
