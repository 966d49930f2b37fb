//! Longest common subsequences of children: near-linear, bounded, deterministic.

/// Differences after which the search goes on from the furthest point it has reached.
const MOST_DIFFERENCES: usize = 160;

/// Pairs of positions of a long common subsequence of two lists of classes, in order.
///
/// Equal ends are taken off first; the middle is compared by Myers' greedy algorithm. It is the
/// longest one as long as the lists differ in at most 160 places; past that the path to the
/// furthest point is kept and the search starts again from there, so time stays O(160 (n + m)) for
/// any input.
pub fn common(old: &[u32], new: &[u32]) -> Vec<(usize, usize)> {
    let front = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let back = old[front..]
        .iter()
        .rev()
        .zip(new[front..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
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
fn stretch(
    old: &[u32],
    new: &[u32],
    (base_x, base_y): (usize, usize),
    pairs: &mut Vec<(usize, usize)>,
) -> (usize, usize) {
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

    proptest! {
        #[test]
        fn a_common_subsequence_is_common_and_longest(
            old in prop::collection::vec(0u32..5, 0..40),
            new in prop::collection::vec(0u32..5, 0..40),
        ) {
            let pairs = common(&old, &new);
            prop_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
            prop_assert!(pairs.iter().all(|&(a, b)| old[a] == new[b]));
            prop_assert_eq!(pairs.len(), longest(&old, &new));
        }

        #[test]
        fn long_lists_that_differ_everywhere_end(
            old in prop::collection::vec(0u32..3, 500..900),
            new in prop::collection::vec(2u32..6, 500..900),
        ) {
            let pairs = common(&old, &new);
            prop_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
            prop_assert!(pairs.iter().all(|&(a, b)| old[a] == new[b]));
        }
    }
}
