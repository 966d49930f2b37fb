//! Time warping: the cheapest way to stretch two series onto each other.

use treelace_tree::error::Result;
use treelace_tree::watch::Watch;

/// Cells between two looks at the watch.
const EVERY: usize = 1 << 20;

/// Σ |x − y| along the best monotone path through both series (Yi, Jagadish, Faloutsos 1998). Time
/// O(n m), memory O(min(n, m)). Infinite where just one series is empty: nothing can be stretched
/// onto something.
pub fn distance(left: &[f64], right: &[f64], watch: &dyn Watch) -> Result<f64> {
    let (long, short) = if left.len() >= right.len() { (left, right) } else { (right, left) };
    if short.is_empty() {
        return Ok(if long.is_empty() { 0.0 } else { f64::INFINITY });
    }
    // row[j]: the cheapest path that ends at (the sample before this one, short[j])
    let mut row = vec![f64::INFINITY; short.len()];
    let rows_between = (EVERY / short.len()).max(1);
    for (i, &x) in long.iter().enumerate() {
        if i % rows_between == 0 {
            watch.check()?;
        }
        let mut diagonal = if i == 0 { 0.0 } else { f64::INFINITY };
        let mut before = f64::INFINITY;
        for (cell, &y) in row.iter_mut().zip(short) {
            let best = diagonal.min(*cell).min(before);
            diagonal = *cell;
            before = best + (x - y).abs();
            *cell = before;
        }
    }
    Ok(row[short.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use treelace_tree::watch::Unwatched;

    #[test]
    fn stretching_is_free_and_difference_costs() {
        let of = |left: &[f64], right: &[f64]| distance(left, right, &Unwatched).unwrap();
        assert_eq!(of(&[1.0, 2.0, 3.0], &[1.0, 1.0, 2.0, 2.0, 2.0, 3.0]), 0.0);
        assert_eq!(of(&[1.0, 2.0, 3.0], &[1.0, 4.0]), 2.0);
        assert_eq!((of(&[], &[]), of(&[1.0], &[])), (0.0, f64::INFINITY));
    }
}
