//! Heaviest increasing subsequences: which of the children that changed places stayed, so that the fewest have moved.

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

    #[test]
    fn one_child_moved_to_the_end_is_one_move() {
        let rows: Vec<(u32, u64)> = [2, 3, 4, 5, 6, 1].into_iter().map(|place| (place, 1)).collect();
        assert_eq!(heaviest_increasing(&rows), [0, 1, 2, 3, 4]);
        assert_eq!(heaviest_increasing(&[(3, 9), (1, 1), (2, 1)]), [0]);
    }

    proptest! {
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
