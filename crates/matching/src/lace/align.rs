//! Lists of rows aligned in order, as a whole: which pairs, none crossing another, say most
//! together.
//!
//! Neighbours confirm each other pair by pair, and a block of rows matched one row too low confirms
//! itself. A whole list does not: the sum of what its pairs say by themselves is lower one row too
//! low.

use treelace_tree::tree::NONE;

/// Rows grouped by the row whose list they stand in, in document order.
pub(super) struct Lists {
    start: Vec<u32>,
    rows: Vec<u32>,
    /// Place of each row in its list.
    place: Vec<u32>,
}

impl Lists {
    /// Groups the rows by owner. Row 0 stands nowhere.
    pub(super) fn new(owner: &[u32]) -> Lists {
        let n = owner.len();
        let mut start = vec![0u32; n + 1];
        for &above in &owner[1..] {
            start[above as usize + 1] += 1;
        }
        for i in 0..n {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut lists = Lists { start, rows: vec![0; n - 1], place: vec![0; n] };
        for (i, &above) in owner.iter().enumerate().skip(1) {
            let at = &mut next[above as usize];
            lists.rows[*at as usize] = i as u32;
            lists.place[i] = *at - lists.start[above as usize];
            *at += 1;
        }
        lists
    }

    /// The rows of one list.
    pub(super) fn of(&self, owner: u32) -> &[u32] {
        &self.rows[self.start[owner as usize] as usize..self.start[owner as usize + 1] as usize]
    }
}

/// Partners that the alignment of lists gives.
#[derive(Default)]
pub(super) struct Aligned {
    pub(super) to_new: Vec<u32>,
    pub(super) to_old: Vec<u32>,
    /// For each place in the new list, as a Fenwick tree of maxima: the best sum that ends before
    /// it, and the pair it ends with.
    best: Vec<(f32, u32)>,
}

impl Aligned {
    pub(super) fn new(old: usize, new: usize) -> Aligned {
        Aligned { to_new: vec![NONE; old], to_old: vec![NONE; new], best: Vec::new() }
    }

    /// Aligns one pair of lists, given all (old row, new row, weight > 0) by old row: the heaviest
    /// run that increases in both. O(p log p) for p pairs.
    pub(super) fn align(&mut self, pairs: &mut [(u32, u32, f32)], lists: &Lists) {
        if pairs.is_empty() {
            return;
        }
        let most =
            pairs.iter().map(|pair| lists.place[pair.1 as usize]).max().unwrap_or(0) as usize + 1;
        self.best.clear();
        self.best.resize(most + 1, (0.0, NONE));
        let mut back = vec![NONE; pairs.len()];
        let mut from = 0;
        while from < pairs.len() {
            let row = pairs[from].0;
            let to = from + pairs[from..].iter().take_while(|pair| pair.0 == row).count();
            for at in from..to {
                let (sum, last) = self.before(lists.place[pairs[at].1 as usize] as usize);
                pairs[at].2 += sum;
                back[at] = last;
            }
            for (at, pair) in pairs.iter().enumerate().take(to).skip(from) {
                self.put(lists.place[pair.1 as usize] as usize, pair.2, at as u32);
            }
            from = to;
        }
        let (_, mut at) = self.before(most);
        while at != NONE {
            let (i, j, _) = pairs[at as usize];
            self.to_new[i as usize] = j;
            self.to_old[j as usize] = i;
            at = back[at as usize];
        }
    }

    /// The best sum that ends before a place.
    fn before(&self, place: usize) -> (f32, u32) {
        let mut best = (0.0, NONE);
        let mut at = place;
        while at > 0 {
            if self.best[at].0 > best.0 {
                best = self.best[at];
            }
            at &= at - 1;
        }
        best
    }

    fn put(&mut self, place: usize, sum: f32, pair: u32) {
        let mut at = place + 1;
        while at < self.best.len() {
            if sum > self.best[at].0 {
                self.best[at] = (sum, pair);
            }
            at += at & at.wrapping_neg();
        }
    }
}
