//! The heaviest increasing subsequence: which siblings stay where they are.

/// Positions (in `values`) of an increasing subsequence with the largest sum of weights, in O(s log s). Ties: the sequence that
/// ends earlier, then the earlier predecessor.
///
/// Exact for any number of children: a Fenwick tree over the ranks of the values holds the best sum of a sequence that ends in
/// a value up to that rank (the paper cuts the children into blocks of 50 instead).
pub fn heaviest_increasing(values: &[u32], weights: &[f64]) -> Vec<usize> {
    let mut sorted: Vec<u32> = values.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    // best[r]: heaviest sum of a sequence that ends in a value of rank < r, and the position of its last member
    let mut best: Vec<(f64, usize)> = vec![(0.0, usize::MAX); sorted.len() + 1];
    let mut before = vec![usize::MAX; values.len()];
    let mut heaviest = (0.0, usize::MAX);
    for (position, value) in values.iter().enumerate() {
        let rank = sorted.partition_point(|v| v < value);
        let mut top = (0.0, usize::MAX);
        let mut r = rank;
        while r > 0 {
            if best[r].0 > top.0 {
                top = best[r];
            }
            r &= r - 1;
        }
        before[position] = top.1;
        let sum = top.0 + weights[position];
        if sum > heaviest.0 {
            heaviest = (sum, position);
        }
        let mut r = rank + 1;
        while r < best.len() {
            if sum > best[r].0 {
                best[r] = (sum, position);
            }
            r += r & r.wrapping_neg();
        }
    }
    let mut chosen = Vec::new();
    let mut position = heaviest.1;
    while position != usize::MAX {
        chosen.push(position);
        position = before[position];
    }
    chosen.reverse();
    chosen
}

#[cfg(test)]
mod tests {
    use super::heaviest_increasing;

    #[test]
    fn one_child_moved_to_the_end_is_one_move() {
        assert_eq!(heaviest_increasing(&[2, 3, 4, 5, 6, 1], &[1.0; 6]), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_heavy_child_stays_and_the_light_ones_move() {
        assert_eq!(heaviest_increasing(&[3, 1, 2], &[9.0, 1.0, 1.0]), [0]);
        assert_eq!(heaviest_increasing(&[], &[]), [0usize; 0]);
    }

    #[test]
    fn agrees_with_trying_every_subset() {
        let mut state = 12345u32;
        let mut random = |n: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % n
        };
        for _ in 0..300 {
            let size = random(9) as usize;
            let mut values: Vec<u32> = (0..size as u32).collect();
            for i in (1..size).rev() {
                values.swap(i, random(i as u32 + 1) as usize);
            }
            let weights: Vec<f64> = (0..size).map(|_| f64::from(1 + random(5))).collect();
            let sum = |chosen: &[usize]| chosen.iter().map(|&i| weights[i]).sum::<f64>();
            let most = (0u32..1 << size)
                .map(|set| (0..size).filter(|i| set >> i & 1 == 1).collect::<Vec<_>>())
                .filter(|chosen| chosen.windows(2).all(|pair| values[pair[0]] < values[pair[1]]))
                .map(|chosen| sum(&chosen))
                .fold(0.0, f64::max);
            assert_eq!(sum(&heaviest_increasing(&values, &weights)), most);
        }
    }
}
