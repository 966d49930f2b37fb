//! Longest common subsequences and increasing subsequences of children: near-linear, bounded, deterministic.

/// Differences after which the search goes on from the furthest point it has reached.
const MOST_DIFFERENCES: usize = 160;

/// Pairs of positions of a long common subsequence of two lists of classes, in order.
///
/// Equal ends are taken off first; the middle is compared by Myers' greedy algorithm. It is the longest one as long as the lists differ
/// in at most 160 places; past that the path to the furthest point is kept and the search starts again from there,
/// so time stays O(160 (n + m)) for any input.
pub fn common(old: &[u32], new: &[u32]) -> Vec<(usize, usize)> {
    let front = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let back = old[front..].iter().rev().zip(new[front..].iter().rev()).take_while(|(a, b)| a == b).count();
    let mut pairs: Vec<(usize, usize)> = (0..front).map(|k| (k, k)).collect();
    let (mut x, mut y) = (front, front);
    let (old_end, new_end) = (old.len() - back, new.len() - back);
    while x < old_end && y < new_end {
        let (steps_x, steps_y) = stretch(&old[x..old_end], &new[y..new_end], (x, y), &mut pairs);
        (x, y) = (x + steps_x, y + steps_y);
    }
    pairs.extend((0..back).map(|k| (old_end + k, new_end + k)));
    pairs
}

/// One search from the start of both lists; how far it came.
fn stretch(old: &[u32], new: &[u32], (base_x, base_y): (usize, usize), pairs: &mut Vec<(usize, usize)>) -> (usize, usize) {
    let (n, m) = (old.len() as isize, new.len() as isize);
    let most = MOST_DIFFERENCES.min(old.len() + new.len()) as isize;
    let offset = most + 1;
    let mut furthest = vec![0isize; (2 * most + 3) as usize];
    let mut trace: Vec<Vec<isize>> = Vec::new();
    let mut best = (0isize, 0isize, 0isize);
    'search: for d in 0..=most {
        // only the diagonals this round reads
        trace.push(furthest[(offset - d - 1).max(0) as usize..=(offset + d + 1) as usize].to_vec());
        let mut k = -d;
        while k <= d {
            let at = (offset + k) as usize;
            let down = k == -d || (k != d && furthest[at - 1] < furthest[at + 1]);
            let mut x = if down { furthest[at + 1] } else { furthest[at - 1] + 1 };
            let mut y = x - k;
            while x < n && y < m && old[x as usize] == new[y as usize] {
                (x, y) = (x + 1, y + 1);
            }
            furthest[at] = x;
            if x <= n && y <= m && x + y > best.0 + best.1 {
                best = (x, y, d);
            }
            if x >= n && y >= m {
                break 'search;
            }
            k += 2;
        }
    }
    let (end_x, end_y, differences) = best;
    let (mut x, mut y) = (end_x, end_y);
    let start = pairs.len();
    for d in (0..=differences).rev() {
        let (from_x, from_y) = if d == 0 {
            (0, 0)
        } else {
            let row = &trace[d as usize];
            let read = |k: isize| row[(k + d + 1) as usize];
            let k = x - y;
            let down = k == -d || (k != d && read(k - 1) < read(k + 1));
            let before = if down { k + 1 } else { k - 1 };
            (read(before), read(before) - before)
        };
        // the diagonal comes last in a round: walk it back
        while x > from_x && y > from_y && old[x as usize - 1] == new[y as usize - 1] {
            (x, y) = (x - 1, y - 1);
            pairs.push((base_x + x as usize, base_y + y as usize));
        }
        (x, y) = (from_x, from_y);
    }
    pairs[start..].reverse();
    // every difference is a step, so this is never (0, 0)
    (end_x as usize, end_y as usize)
}

/// Which of `rows` (position in the new list, weight), given in the order of the old list, form a heaviest increasing
/// subsequence: their numbers, in order. Positions are distinct. O(s log s).
pub fn heaviest_increasing(rows: &[(u32, u64)]) -> Vec<usize> {
    if rows.windows(2).all(|two| two[0].0 < two[1].0) {
        return (0..rows.len()).collect();
    }
    let mut sorted: Vec<u32> = rows.iter().map(|row| row.0).collect();
    sorted.sort_unstable();
    // heaviest chain that ends at a position or before: (weight, number + 1), as a tree of prefix maxima
    let mut heaviest = vec![(0u64, 0usize); sorted.len() + 1];
    let mut before = vec![0usize; rows.len()];
    for (number, &(position, weight)) in rows.iter().enumerate() {
        let rank = sorted.partition_point(|&other| other < position);
        let mut chain = (0u64, 0usize);
        let mut at = rank;
        while at > 0 {
            if heaviest[at].0 > chain.0 {
                chain = heaviest[at];
            }
            at &= at - 1;
        }
        before[number] = chain.1;
        let mine = (chain.0 + weight, number + 1);
        let mut at = rank + 1;
        while at < heaviest.len() {
            if mine.0 > heaviest[at].0 {
                heaviest[at] = mine;
            }
            at += at & at.wrapping_neg();
        }
    }
    let mut best = (0u64, 0usize);
    let mut at = sorted.len();
    while at > 0 {
        if heaviest[at].0 > best.0 {
            best = heaviest[at];
        }
        at &= at - 1;
    }
    let mut chain = Vec::new();
    let mut number = best.1;
    while number > 0 {
        chain.push(number - 1);
        number = before[number - 1];
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The length of a longest common subsequence, by the table everybody knows.
    fn longest(old: &[u32], new: &[u32]) -> usize {
        let mut row = vec![0; new.len() + 1];
        for a in old {
            let mut corner = 0;
            for (k, b) in new.iter().enumerate() {
                let above = row[k + 1];
                row[k + 1] = if a == b { corner + 1 } else { above.max(row[k]) };
                corner = above;
            }
        }
        row[new.len()]
    }

    #[test]
    fn one_child_moved_to_the_end_is_one_move() {
        let rows: Vec<(u32, u64)> = [2, 3, 4, 5, 6, 1].into_iter().map(|place| (place, 1)).collect();
        assert_eq!(heaviest_increasing(&rows), [0, 1, 2, 3, 4]);
        assert_eq!(heaviest_increasing(&[(3, 9), (1, 1), (2, 1)]), [0]);
    }

    proptest! {
        #[test]
        fn a_common_subsequence_is_common_and_longest(old in prop::collection::vec(0u32..5, 0..40), new in prop::collection::vec(0u32..5, 0..40)) {
            let pairs = common(&old, &new);
            prop_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
            prop_assert!(pairs.iter().all(|&(a, b)| old[a] == new[b]));
            prop_assert_eq!(pairs.len(), longest(&old, &new));
        }

        #[test]
        fn long_lists_that_differ_everywhere_end(old in prop::collection::vec(0u32..3, 500..900), new in prop::collection::vec(2u32..6, 500..900)) {
            let pairs = common(&old, &new);
            prop_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
            prop_assert!(pairs.iter().all(|&(a, b)| old[a] == new[b]));
        }

        #[test]
        fn no_increasing_subsequence_is_heavier(weights in prop::collection::vec(1u64..9, 0..10), seed in any::<u64>()) {
            let mut positions: Vec<u32> = (0..weights.len() as u32).collect();
            positions.sort_by_key(|&p| (u64::from(p) + 1).wrapping_mul(seed | 1).rotate_left(17));
            let rows: Vec<(u32, u64)> = positions.into_iter().zip(weights).collect();
            let chosen = heaviest_increasing(&rows);
            prop_assert!(chosen.windows(2).all(|two| two[0] < two[1] && rows[two[0]].0 < rows[two[1]].0));
            let got: u64 = chosen.iter().map(|&k| rows[k].1).sum();
            for subset in 0u32..1 << rows.len() {
                let picked: Vec<(u32, u64)> = (0..rows.len()).filter(|k| subset >> k & 1 == 1).map(|k| rows[k]).collect();
                if picked.windows(2).all(|two| two[0].0 < two[1].0) {
                    prop_assert!(picked.iter().map(|row| row.1).sum::<u64>() <= got);
                }
            }
        }
    }
}
