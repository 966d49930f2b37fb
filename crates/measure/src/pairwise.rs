//! Every pair of two lists, on all cores.
//!
//! The work is cut into square tiles, and the thread that called writes the matrix. Memory is the
//! matrix and a few tiles.

use std::time::{Duration, Instant};

use super::{cores, Comparison, Features};
use treelace_tree::error::Result;
use treelace_tree::watch::Watch;

/// Rows and columns of a tile at most: 64 × 64 features fit the cache, and 4,096 comparisons
/// outweigh the bookkeeping.
const TILE: usize = 64;

/// A list is cut into this many tiles at least, so that a few slow comparisons are shared out too.
const CUTS: usize = 16;

/// How often progress is told.
const TELL: Duration = Duration::from_millis(100);

/// Told now and then how many of all pairs are done; an error stops the work.
pub type Progress<'p> = &'p mut dyn FnMut(u64, u64) -> Result<()>;

/// Two lists and how to compare them; `half` if they are one list and only the upper half of the
/// matrix is wanted.
struct Work<'w> {
    left: &'w [&'w Features],
    right: &'w [&'w Features],
    how: Comparison,
    half: bool,
    side: usize,
}

struct Tile {
    row: usize,
    column: usize,
    width: usize,
    values: Vec<f64>,
}

/// The matrix of all pairs of one list, row by row. Symmetric comparisons are made once for each
/// pair.
pub fn matrix(
    items: &[&Features],
    how: Comparison,
    watch: &dyn Watch,
    progress: Progress<'_>,
) -> Result<Vec<f64>> {
    if !how.is_symmetric() {
        return cross(items, items, how, watch, progress);
    }
    let n = items.len();
    let mut out = vec![0.0; n * n];
    Work { left: items, right: items, how, half: true, side: side(n) }.run(
        watch,
        progress,
        |tile| {
            for (at, value) in tile.values.into_iter().enumerate() {
                let (i, j) = (tile.row + at / tile.width, tile.column + at % tile.width);
                if i <= j {
                    out[i * n + j] = value;
                    out[j * n + i] = value;
                }
            }
        },
    )?;
    Ok(out)
}

/// The matrix of every item of `left` (rows) with every item of `right` (columns), row by row.
pub fn cross(
    left: &[&Features],
    right: &[&Features],
    how: Comparison,
    watch: &dyn Watch,
    progress: Progress<'_>,
) -> Result<Vec<f64>> {
    let columns = right.len();
    let mut out = vec![0.0; left.len() * columns];
    Work { left, right, how, half: false, side: side(left.len().max(columns)) }.run(
        watch,
        progress,
        |tile| {
            for (line, values) in tile.values.chunks(tile.width).enumerate() {
                let start = (tile.row + line) * columns + tile.column;
                out[start..start + tile.width].copy_from_slice(values);
            }
        },
    )?;
    Ok(out)
}

fn side(longest: usize) -> usize {
    (longest / CUTS).clamp(1, TILE)
}

impl Work<'_> {
    fn run(
        &self,
        watch: &dyn Watch,
        progress: Progress<'_>,
        mut place: impl FnMut(Tile),
    ) -> Result<()> {
        let (rows, columns) = (self.left.len(), self.right.len());
        let corners = (0..rows)
            .step_by(self.side)
            .flat_map(|row| (0..columns).step_by(self.side).map(move |column| (row, column)));
        let corners: Vec<(usize, usize)> =
            corners.filter(|(row, column)| !self.half || row <= column).collect();
        let total = if self.half {
            rows as u64 * (rows as u64 + 1) / 2
        } else {
            rows as u64 * columns as u64
        };
        let (mut done, mut told) = (0, Instant::now());
        cores::each(
            corners.len(),
            |at, watch| self.tile(corners[at], watch),
            watch,
            |_, tile| {
                done += if self.half && tile.row == tile.column {
                    tile.width * (tile.width + 1) / 2
                } else {
                    tile.values.len()
                } as u64;
                place(tile);
                if told.elapsed() >= TELL || done == total {
                    told = Instant::now();
                    progress(done, total)?;
                }
                Ok(())
            },
        )
    }

    /// One tile; of a tile on the diagonal of a half only the upper half is compared.
    fn tile(&self, (row, column): (usize, usize), watch: &dyn Watch) -> Result<Tile> {
        let (bottom, edge) =
            ((row + self.side).min(self.left.len()), (column + self.side).min(self.right.len()));
        let mut values = Vec::with_capacity((bottom - row) * (edge - column));
        for i in row..bottom {
            watch.check()?;
            for j in column..edge {
                let skipped = self.half && j < i;
                values.push(if skipped {
                    0.0
                } else {
                    self.how.of(self.left[i], self.right[j], watch)?
                });
            }
        }
        Ok(Tile { row, column, width: edge - column, values })
    }
}

#[cfg(test)]
mod tests {
    use super::super::bag::Bag;
    use super::*;
    use treelace_tree::error::Error;
    use treelace_tree::watch::Unwatched;

    fn items(n: u64) -> Vec<Features> {
        (0..n).map(|i| Features::Bag(Bag::of((i..i + 10).collect()))).collect()
    }

    #[test]
    fn every_pair_stands_in_its_place() {
        let items = items(150);
        let views: Vec<&Features> = items.iter().collect();
        let mut last = (0, 0);
        let square = matrix(&views, Comparison::BagDice, &Unwatched, &mut |_, _| Ok(())).unwrap();
        let across = cross(
            &views,
            &views[..70],
            Comparison::SetContainment,
            &Unwatched,
            &mut |done, total| {
                last = (done, total);
                Ok(())
            },
        );
        let across = across.unwrap();
        assert_eq!(last, (150 * 70, 150 * 70));
        for i in 0..150 {
            for j in 0..150 {
                assert_eq!(
                    square[i * 150 + j],
                    Comparison::BagDice.of(views[i], views[j], &Unwatched).unwrap()
                );
            }
            for j in 0..70 {
                assert_eq!(
                    across[i * 70 + j],
                    Comparison::SetContainment.of(views[i], views[j], &Unwatched).unwrap()
                );
            }
        }
        assert_eq!(
            matrix(&[], Comparison::BagDice, &Unwatched, &mut |_, _| Ok(())).unwrap(),
            Vec::<f64>::new()
        );
    }

    #[test]
    fn whoever_asks_to_stop_is_heard() {
        struct Stop;
        impl Watch for Stop {
            fn check(&self) -> Result<()> {
                Err(Error::Interrupted)
            }
        }
        let items = items(500);
        let views: Vec<&Features> = items.iter().collect();
        assert_eq!(
            matrix(&views, Comparison::BagDice, &Stop, &mut |_, _| Ok(())),
            Err(Error::Interrupted)
        );
    }
}
