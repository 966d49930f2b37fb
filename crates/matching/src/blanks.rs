//! White space between elements: paired last, between neighbours that stay, or with a neighbour
//! that moves. For the matchers that leave blanks out of the classes of their parents.

use super::subtrees::Subtrees;
use treelace_tree::error::Result;
use treelace_tree::increasing::heaviest_increasing;
use treelace_tree::tree::NONE;
use treelace_tree::watch::Watch;

/// A matching without blanks, to which they are added.
struct State<'s, 't> {
    subtrees: &'s Subtrees<'t>,
    new_of: &'s mut [u32],
    old_of: &'s mut [u32],
    /// Old blanks that were paired with an equal one, and with another.
    equal: Vec<u32>,
    placed: Vec<u32>,
}

impl State<'_, '_> {
    fn pair(&mut self, a: usize, b: usize) {
        self.new_of[a] = b as u32;
        self.old_of[b] = a as u32;
        let is_equal = self.subtrees.old.class[a] == self.subtrees.new.class[b];
        if is_equal { &mut self.equal } else { &mut self.placed }.push(a as u32);
    }
}

/// Pairs the blanks below every pair; gives the old ones that are paired with an equal blank, and
/// those with another. Linear but for children in another order.
pub(super) fn pair(
    subtrees: &Subtrees<'_>,
    new_of: &mut [u32],
    old_of: &mut [u32],
    watch: &dyn Watch,
) -> Result<(Vec<u32>, Vec<u32>)> {
    let mut state = State { subtrees, new_of, old_of, equal: Vec::new(), placed: Vec::new() };
    pair_all(&mut state, watch)?;
    Ok((state.equal, state.placed))
}

fn pair_all(state: &mut State<'_, '_>, watch: &dyn Watch) -> Result<()> {
    let size = state.subtrees.new.tree.len();
    let mut stays = vec![false; size];
    let mut open = Vec::new();
    for j in 0..size {
        if j.is_multiple_of(4096) {
            watch.check()?;
        }
        let i = state.old_of[j];
        if i == NONE {
            continue;
        }
        if same_layout(state, i as usize, j) {
            state.subtrees.new.tree.children(j).for_each(|b| stays[b] = true);
        } else {
            mark_stayers(state, i as usize, j, &mut stays);
            open.push(j);
        }
    }
    with_movers(state, &stays);
    for j in open {
        between_stayers(state, state.old_of[j] as usize, j, &stays);
    }
    Ok(())
}

/// Pairs all blanks below two partners whose children line up one to one; `false` if they do not.
fn same_layout(state: &mut State<'_, '_>, i: usize, j: usize) -> bool {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let (mut olds, mut news) = (old.tree.children(i), new.tree.children(j));
    loop {
        match (olds.next(), news.next()) {
            (None, None) => break,
            (Some(a), Some(b)) if old.is_blank[a] && new.is_blank[b] => {
                if old.class[a] != new.class[b] {
                    return false;
                }
            }
            (Some(a), Some(b)) if state.new_of[a] == b as u32 => {}
            _ => return false,
        }
    }
    let blanks: Vec<(usize, usize)> =
        old.tree.children(i).zip(new.tree.children(j)).filter(|&(a, _)| old.is_blank[a]).collect();
    blanks.into_iter().for_each(|(a, b)| state.pair(a, b));
    true
}

/// Marks the children of `j` that stay in order among those of `i`.
fn mark_stayers(state: &State<'_, '_>, i: usize, j: usize, stays: &mut [bool]) {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let mut kept: Vec<(u32, u64)> = Vec::new();
    for a in old.tree.children(i) {
        let b = state.new_of[a];
        if b != NONE && new.tree.parent(b as usize) as usize == j {
            kept.push((b, u64::from(old.bytes[a]) + 1));
        }
    }
    heaviest_increasing(&kept).into_iter().for_each(|k| stays[kept[k].0 as usize] = true);
}

/// In each gap between children that stay: the first blank with the first, the last with the last,
/// if they are equal.
fn between_stayers(state: &mut State<'_, '_>, i: usize, j: usize, stays: &[bool]) {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let olds: Vec<usize> = old.tree.children(i).collect();
    let news: Vec<usize> = new.tree.children(j).collect();
    let mut x = 0;
    let mut y = 0;
    for next_y in
        (0..=news.len()).filter(|&y| y == news.len() || stays[news[y]] && !new.is_blank[news[y]])
    {
        let next_x = news
            .get(next_y)
            .map_or(olds.len(), |&b| olds.partition_point(|&a| a < state.old_of[b] as usize));
        gap(state, &olds[x..next_x], &news[y..next_y]);
        (x, y) = (next_x + 1, next_y + 1);
    }
}

fn gap(state: &mut State<'_, '_>, olds: &[usize], news: &[usize]) {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let old_blanks: Vec<usize> =
        olds.iter().copied().filter(|&a| old.is_blank[a] && state.new_of[a] == NONE).collect();
    let new_blanks: Vec<usize> =
        news.iter().copied().filter(|&b| new.is_blank[b] && state.old_of[b] == NONE).collect();
    let (Some(&a), Some(&b)) = (old_blanks.first(), new_blanks.first()) else { return };
    let same = |a: usize, b: usize| old.class[a] == new.class[b];
    let is_first = same(a, b);
    if is_first {
        state.pair(a, b);
    }
    let (last_a, last_b) = (old_blanks[old_blanks.len() - 1], new_blanks[new_blanks.len() - 1]);
    if state.new_of[last_a] == NONE && state.old_of[last_b] == NONE && same(last_a, last_b) {
        state.pair(last_a, last_b);
    } else if !is_first && olds.len() == 1 && news.len() == 1 {
        // nothing but white space on both sides: it changed
        state.pair(a, b);
    }
}

/// A blank behind a child that moved (or before it) goes along, if an equal one stands there on
/// both sides.
fn with_movers(state: &mut State<'_, '_>, stays: &[bool]) {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let mut before = vec![NONE; new.tree.len()];
    let mut old_before = vec![NONE; old.tree.len()];
    for (side, column) in [(old, &mut old_before), (new, &mut before)] {
        for k in 1..side.tree.len() {
            if let Some(next) = side.tree.next_sibling(k) {
                column[next] = k as u32;
            }
        }
    }
    for j in 1..new.tree.len() {
        let i = state.old_of[j];
        if i == NONE || new.is_blank[j] || stays[j] {
            continue;
        }
        let i = i as usize;
        let behind = (old.tree.next_sibling(i), new.tree.next_sibling(j));
        let ahead = (
            (old_before[i] != NONE).then_some(old_before[i] as usize),
            (before[j] != NONE).then_some(before[j] as usize),
        );
        for pair in [behind, ahead] {
            let (Some(a), Some(b)) = pair else { continue };
            let is_free = old.is_blank[a]
                && new.is_blank[b]
                && state.new_of[a] == NONE
                && state.old_of[b] == NONE;
            if is_free && old.class[a] == new.class[b] {
                state.pair(a, b);
                break;
            }
        }
    }
}
