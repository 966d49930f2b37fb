//! Lining up two lists of children in order: the string edit program that every restricted distance
//! is made of.

/// Where the best value of a cell came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    Insert = 0,
    Delete = 1,
    Pair = 2,
}

/// The least cost of lining up two lists: `delete` and `insert` by place, `pair(row, column)` for
/// putting two together.
pub fn cost(
    delete: &[u64],
    insert: &[u64],
    pair: impl Fn(usize, usize) -> u64,
    row: &mut Vec<u64>,
) -> u64 {
    row.clear();
    row.push(0);
    for &cost in insert {
        row.push(row[row.len() - 1] + cost);
    }
    for (i, &gone) in delete.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] += gone;
        for (j, &come) in insert.iter().enumerate() {
            let best = (row[j + 1] + gone).min(row[j] + come).min(diagonal + pair(i, j));
            diagonal = std::mem::replace(&mut row[j + 1], best);
        }
    }
    row[insert.len()]
}

/// The places that a cheapest line-up puts together, in order.
///
/// Among equals the way back from the end tries an insertion first, then a deletion, then the pair:
/// the earliest pairs win, and two that save nothing are left apart.
pub fn line_up(
    delete: &[u64],
    insert: &[u64],
    pair: impl Fn(usize, usize) -> u64,
) -> Vec<(usize, usize)> {
    let columns = insert.len();
    let mut row = vec![0];
    for &cost in insert {
        row.push(row[row.len() - 1] + cost);
    }
    // two bits a cell
    let mut ways = vec![0u8; delete.len() * columns / 4 + 1];
    for (i, &gone) in delete.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] += gone;
        for (j, &come) in insert.iter().enumerate() {
            let (inserted, deleted, paired) =
                (row[j] + come, row[j + 1] + gone, diagonal + pair(i, j));
            let best = inserted.min(deleted).min(paired);
            let way = if best == inserted {
                From::Insert
            } else if best == deleted {
                From::Delete
            } else {
                From::Pair
            };
            let cell = i * columns + j;
            ways[cell / 4] |= (way as u8) << (cell % 4 * 2);
            diagonal = std::mem::replace(&mut row[j + 1], best);
        }
    }
    let (mut i, mut j) = (delete.len(), columns);
    let mut pairs = Vec::new();
    while i > 0 && j > 0 {
        let cell = (i - 1) * columns + j - 1;
        match ways[cell / 4] >> (cell % 4 * 2) & 3 {
            0 => j -= 1,
            1 => i -= 1,
            _ => {
                i -= 1;
                j -= 1;
                pairs.push((i, j));
            }
        }
    }
    pairs.reverse();
    pairs
}
