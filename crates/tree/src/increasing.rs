//! Heaviest and longest increasing subsequences: which of the rows that changed places stayed, so
//! that the fewest moved.

/// Which of `rows` (position in the new list, weight), given in the order of the old list, form a
/// heaviest increasing subsequence: their numbers, in order. Positions are distinct. Of equally
/// heavy ones the earliest. O(s log s).
pub fn heaviest_increasing(rows: &[(u32, u64)]) -> Vec<usize> {
    heaviest(rows, |mine, best| mine > best)
}

/// The numbers of a longest increasing subsequence of `positions`, which are distinct. Of equally
/// long ones the one whose end came last, and so on backwards. O(s log s).
pub fn longest_increasing(positions: &[u32]) -> Vec<usize> {
    let rows: Vec<(u32, u64)> = positions.iter().map(|&position| (position, 1)).collect();
    heaviest(&rows, |mine, best| mine >= best)
}

/// `wins` says whether a weight takes the place of another one.
fn heaviest(rows: &[(u32, u64)], wins: impl Fn(u64, u64) -> bool) -> Vec<usize> {
    if rows.windows(2).all(|two| two[0].0 < two[1].0) {
        return (0..rows.len()).collect();
    }
    let mut sorted: Vec<u32> = rows.iter().map(|row| row.0).collect();
    sorted.sort_unstable();
    // heaviest chain that ends at a position or before: (weight, number + 1), as a tree of prefix
    // maxima
    let mut heaviest = vec![(0u64, 0usize); sorted.len() + 1];
    let mut before = vec![0usize; rows.len()];
    for (number, &(position, weight)) in rows.iter().enumerate() {
        let rank = sorted.partition_point(|&other| other < position);
        let mut chain = (0u64, 0usize);
        let mut at = rank;
        while at > 0 {
            if wins(heaviest[at].0, chain.0) {
                chain = heaviest[at];
            }
            at &= at - 1;
        }
        before[number] = chain.1;
        let mine = (chain.0 + weight, number + 1);
        let mut at = rank + 1;
        while at < heaviest.len() {
            if wins(mine.0, heaviest[at].0) {
                heaviest[at] = mine;
            }
            at += at & at.wrapping_neg();
        }
    }
    let mut best = (0u64, 0usize);
    let mut at = sorted.len();
    while at > 0 {
        if wins(heaviest[at].0, best.0) {
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

    #[test]
    fn one_child_moved_to_the_end_is_one_move() {
        let rows: Vec<(u32, u64)> =
            [2, 3, 4, 5, 6, 1].into_iter().map(|place| (place, 1)).collect();
        assert_eq!(heaviest_increasing(&rows), [0, 1, 2, 3, 4]);
        assert_eq!(heaviest_increasing(&[(3, 9), (1, 1), (2, 1)]), [0]);
    }

    #[test]
    fn of_equally_long_ones_the_last_is_taken() {
        assert_eq!(longest_increasing(&[2, 3, 0, 1]), [2, 3]);
        assert_eq!(heaviest_increasing(&[(2, 1), (3, 1), (0, 1), (1, 1)]), [0, 1]);
    }

    proptest! {
        #[test]
        fn no_increasing_subsequence_is_longer(
            positions in Just((0u32..10).collect::<Vec<u32>>()).prop_shuffle(),
            length in 0..=10usize,
        ) {
            let positions = &positions[..length];
            let chosen = longest_increasing(positions);
            let rises = |two: &[usize]| two[0] < two[1] && positions[two[0]] < positions[two[1]];
            prop_assert!(chosen.windows(2).all(rises));
            for subset in 0u32..1 << length {
                let kept = (0..length).filter(|k| subset >> k & 1 == 1);
                let picked: Vec<u32> = kept.map(|k| positions[k]).collect();
                let falls = picked.windows(2).any(|two| two[0] > two[1]);
                prop_assert!(picked.len() <= chosen.len() || falls);
            }
        }

        #[test]
        fn no_increasing_subsequence_is_heavier(
            weights in prop::collection::vec(1u64..9, 0..10),
            seed in any::<u64>(),
        ) {
            let mut positions: Vec<u32> = (0..weights.len() as u32).collect();
            positions.sort_by_key(|&p| (u64::from(p) + 1).wrapping_mul(seed | 1).rotate_left(17));
            let rows: Vec<(u32, u64)> = positions.into_iter().zip(weights).collect();
            let chosen = heaviest_increasing(&rows);
            let rises = |two: &[usize]| two[0] < two[1] && rows[two[0]].0 < rows[two[1]].0;
            prop_assert!(chosen.windows(2).all(rises));
            let got: u64 = chosen.iter().map(|&k| rows[k].1).sum();
            for subset in 0u32..1 << rows.len() {
                let kept = (0..rows.len()).filter(|k| subset >> k & 1 == 1);
                let picked: Vec<(u32, u64)> = kept.map(|k| rows[k]).collect();
                if picked.windows(2).all(|two| two[0].0 < two[1].0) {
                    prop_assert!(picked.iter().map(|row| row.1).sum::<u64>() <= got);
                }
            }
        }
    }
}
