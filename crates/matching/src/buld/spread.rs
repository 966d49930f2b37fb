//! Phase 4, and the end of phase 1: matches spread to parents and to only children (§5.3,
//! "propagate").

use super::super::subtrees::Side;
use super::State;
use treelace_tree::error::Result;
use treelace_tree::hash::Map;
use treelace_tree::tree::NONE;
use treelace_tree::watch::Watch;

/// Bottom-up: an unmatched node takes the parent of its matched children with the largest weight of
/// children, if the labels are equal. Ties go to the parent of the first child.
pub(super) fn up(state: &mut State<'_, '_>, watch: &dyn Watch) -> Result<()> {
    let (old, new) = (state.subtrees.old.tree, state.subtrees.new.tree);
    let mut sums: Map<u32, (f64, usize)> = Map::default();
    for (step, j) in new.post_order().into_iter().enumerate() {
        if step.is_multiple_of(4096) {
            watch.check()?;
        }
        let j = j as usize;
        if state.old_of[j] != NONE || state.new_locked[j] {
            continue;
        }
        sums.clear();
        let mut best: Option<u32> = None;
        let mut order = Vec::new();
        for (number, child) in new.children(j).enumerate() {
            let partner = state.old_of[child];
            if partner == NONE {
                continue;
            }
            let parent = old.parent(partner as usize);
            let row = sums.entry(parent).or_insert_with(|| {
                order.push(parent);
                (0.0, number)
            });
            row.0 += state.new_weight[child];
        }
        for &parent in order.iter().filter(|&&parent| {
            state.is_free(parent as usize, j) && state.same_label(parent as usize, j)
        }) {
            if best.is_none_or(|other| sums[&parent].0 > sums[&other].0) {
                best = Some(parent);
            }
        }
        if let Some(parent) = best {
            state.pair(parent as usize, j);
        }
    }
    Ok(())
}

/// Top-down: the only unmatched child with a label is matched to the only unmatched child with that
/// label on the other side.
pub(super) fn down(state: &mut State<'_, '_>, watch: &dyn Watch) -> Result<()> {
    for j in 0..state.subtrees.new.tree.len() {
        if j.is_multiple_of(4096) {
            watch.check()?;
        }
        let i = state.old_of[j];
        if i == NONE {
            continue;
        }
        let news = only_children(
            &state.subtrees.new,
            j,
            |child| state.old_of[child] == NONE && !state.new_locked[child],
            state.leaves_blanks_out,
        );
        if news.is_empty() {
            continue;
        }
        let olds = only_children(
            &state.subtrees.old,
            i as usize,
            |child| state.new_of[child] == NONE && !state.old_locked[child],
            state.leaves_blanks_out,
        );
        for (label, child) in news {
            if let Ok(at) = olds.binary_search_by_key(&label, |row| row.0) {
                state.pair(olds[at].1, child);
            }
        }
    }
    Ok(())
}

/// (label, child) of the children `is_open` accepts that are alone with their label, by label.
fn only_children(
    side: &Side<'_>,
    parent: usize,
    is_open: impl Fn(usize) -> bool,
    skips_blanks: bool,
) -> Vec<(u32, usize)> {
    let children = side
        .tree
        .children(parent)
        .filter(|&child| !(skips_blanks && side.is_blank[child]) && is_open(child));
    let mut open: Vec<(u32, usize)> = children.map(|child| (side.label[child], child)).collect();
    open.sort_unstable();
    let is_only = |k: usize| {
        (k == 0 || open[k - 1].0 != open[k].0)
            && (k + 1 == open.len() || open[k + 1].0 != open[k].0)
    };
    (0..open.len()).filter(|&k| is_only(k)).map(|k| open[k]).collect()
}
