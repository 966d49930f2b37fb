//! Where rows stand by a matching: their neighbours and gaps in the list of their nearest matched
//! ancestor, and the place where they are expected in the other tree.

use super::side::Side;
use treelace_tree::increasing::longest_increasing;
use treelace_tree::tree::NONE;

/// Children asked for their vote.
pub(super) const KIDS: usize = 24;

/// How much the matched ones of the first children of each row have to say.
pub(super) fn matched_children(side: &Side, partner: &[u32], voice: &[f32]) -> Vec<f32> {
    let matched = |i: usize| {
        side.children(i).iter().take(KIDS).filter(|&&child| partner[child as usize] != NONE)
    };
    (0..side.len()).map(|i| matched(i).map(|&child| voice[child as usize]).sum()).collect()
}

/// For each row of `side` whether the partners of its neighbours leave no room between them in
/// `other`.
pub(super) fn closed(
    side: &Side,
    other: &Side,
    partner: &[u32],
    owner: &[u32],
    left: &[u32],
    right: &[u32],
) -> Vec<bool> {
    let to = |row: u32| partner[row as usize];
    let is_closed = |i: usize| {
        let list = to(owner[i]);
        let after = if left[i] == NONE { list + 1 } else { other.end[to(left[i]) as usize] };
        let before = if right[i] == NONE { other.end[list as usize] } else { to(right[i]) };
        after == before
    };
    (0..side.len()).map(|i| i > 0 && is_closed(i)).collect()
}

/// For each row what stands between the partners of its neighbours, if it is one matched row.
pub(super) fn slots(
    rows: usize,
    partner: &[u32],
    owner: &[u32],
    left: &[u32],
    right: &[u32],
    (other, other_partner, other_owner, other_left): (&Side, &[u32], &[u32], &[u32]),
) -> Vec<u32> {
    let to = |row: u32| partner[row as usize];
    let mut slots = vec![NONE; rows];
    for i in 1..rows {
        // the row before the right neighbour's partner, in its list
        if right[i] != NONE {
            let after = to(right[i]) as usize;
            let came = other_left[after];
            let before = if left[i] == NONE { NONE } else { to(left[i]) };
            if came != NONE
                && other_owner[after] == to(owner[i])
                && came != before
                && other_left[came as usize] == before
            {
                slots[i] = came;
            }
        } else {
            let after =
                if left[i] == NONE { to(owner[i]) + 1 } else { other.end[to(left[i]) as usize] };
            if (after as usize) < other.len()
                && other_partner[after as usize] != NONE
                && other_owner[after as usize] == to(owner[i])
            {
                slots[i] = after;
            }
        }
    }
    slots
}

/// Left and right neighbours, in two walks. The list a row stands in belongs to its nearest matched
/// ancestor.
pub(super) fn neighbours(side: &Side, partner: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let n = side.len();
    let mut owner = vec![0u32; n];
    let mut last = vec![NONE; n];
    let mut left = vec![NONE; n];
    for i in 1..n {
        let parent = side.parent[i];
        owner[i] = if partner[parent as usize] != NONE { parent } else { owner[parent as usize] };
        let list = owner[i] as usize;
        left[i] = last[list];
        if partner[i] != NONE {
            last[list] = i as u32;
        }
    }
    let mut next = vec![NONE; n];
    let mut right = vec![NONE; n];
    // parents before children, children from right to left
    let mut stack: Vec<u32> = side.children(0).to_vec();
    while let Some(i) = stack.pop() {
        let list = owner[i as usize] as usize;
        right[i as usize] = next[list];
        if partner[i as usize] != NONE {
            next[list] = i;
        }
        stack.extend_from_slice(side.children(i as usize));
    }
    (owner, left, right)
}

/// Where each old row should stand: between its neighbours in the longest increasing subsequence of
/// the pairs, itself left out.
pub(super) fn expected(to_new: &[u32], new_len: usize) -> Vec<f32> {
    let n = to_new.len();
    let rows: Vec<u32> = (0..n as u32).filter(|&i| to_new[i as usize] != NONE).collect();
    let partners: Vec<u32> = rows.iter().map(|&i| to_new[i as usize]).collect();
    let run = longest_increasing(&partners);
    let mut expected = vec![0.0; n];
    // the run as points, with one past both ends
    let mut points: Vec<(f32, f32)> =
        run.into_iter().map(|k| (rows[k] as f32, partners[k] as f32)).collect();
    points.push((n as f32, new_len as f32));
    let mut at = 0; // points[at] is the first one not before i
    let mut before = (-1.0, -1.0);
    for (i, place) in expected.iter_mut().enumerate() {
        let here = i as f32;
        while points[at].0 < here {
            before = points[at];
            at += 1;
        }
        let after = if points[at].0 == here { points[at + 1] } else { points[at] };
        *place = before.1 + (after.1 - before.1) * (here - before.0) / (after.0 - before.0);
    }
    expected
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random, the same each time.
    fn numbers(seed: u64) -> impl FnMut(u32) -> u32 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        move |below| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as u32) % below
        }
    }

    #[test]
    fn neighbours_are_the_nearest_matched_in_the_list_of_the_nearest_matched_ancestor() {
        for seed in 0..300 {
            let mut number = numbers(seed);
            let n = 2 + number(14) as usize;
            // preorder: the parent of a row is the row before it or one of that one's ancestors
            let mut side =
                Side { parent: vec![NONE], node: (0..n as u32).collect(), ..Side::default() };
            for i in 1..n as u32 {
                let mut parent = i - 1;
                while parent != 0 && number(2) == 0 {
                    parent = side.parent[parent as usize];
                }
                side.parent.push(parent);
            }
            side.link();
            let partner: Vec<u32> =
                (0..n).map(|i| if i == 0 || number(3) > 0 { 1 } else { NONE }).collect();
            let (owner, left, right) = neighbours(&side, &partner);
            let owner_of = |i: usize| {
                let mut above = side.parent[i];
                while partner[above as usize] == NONE {
                    above = side.parent[above as usize];
                }
                above
            };
            for i in 1..n {
                assert_eq!(owner[i], owner_of(i));
                let stands_in_the_list =
                    |k: &usize| partner[*k] != NONE && owner_of(*k) == owner[i];
                let apart = |k: &usize| !side.holds(i as u32, *k as u32);
                assert_eq!(
                    left[i],
                    (1..i).rev().find(stands_in_the_list).map_or(NONE, |k| k as u32)
                );
                assert_eq!(
                    right[i],
                    (i + 1..n).filter(apart).find(stands_in_the_list).map_or(NONE, |k| k as u32)
                );
            }
        }
    }
}
