//! Columns: texts that read as one become cells, and cells are lined up by path, class, kind and
//! order.
//!
//! 1. The texts of a record become pieces ([`super::pieces`]).
//! 2. A run of pieces with one path whose length differs from record to record is a list in a cell,
//!    and is one piece too.
//! 3. A label and what it stands before are one.
//! 4. Brackets, commas and bars between pieces go with their neighbour.
//! 5. The record with most pieces starts the columns; each other record's pieces are laid along
//!    them in order, so that they fit best; what fits nowhere becomes a column where it stands.

use super::pieces::{Piece, Pieces};
use super::View;
use treelace_tree::error::Result;
use treelace_tree::hash::Map;
use treelace_tree::watch::Watch;

/// What the caller thinks of columns.
#[derive(Debug, Clone)]
pub struct ColumnRules {
    /// Share of records with the same cut from which on a mixed text is a pattern and not a flow.
    pub steady: f64,
    /// What a piece with a known set of classes gains.
    pub same_class: f64,
    /// What a piece gains if all pieces of the column have its kind of text.
    pub same_kind: f64,
    /// What a piece gains if all pieces of the column have its text.
    pub same_text: f64,
    /// Most characters of a label, its colon left out.
    pub longest_label: usize,
    /// Most characters of a text that has a kind of its own.
    pub longest_kind: usize,
    /// Marks that go with what follows them.
    pub opening: Vec<char>,
}

/// Items of one record in one column: `nodes[start..end]` of [`Lined`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Number of the record.
    pub record: u32,
    /// Number of the column.
    pub column: u32,
    /// End of its items; they start where those of the slot before end.
    pub end: u32,
}

/// Records lined up: slots record by record, in reading order.
#[derive(Debug, Clone, Default)]
pub struct Lined {
    /// The slots that are filled.
    pub slots: Vec<Slot>,
    /// The items of all slots.
    pub nodes: Vec<u32>,
    /// How many columns there are.
    pub columns: u32,
}

/// Lines records up; the roots of each are given. Time O(records · pieces · columns).
pub fn line_up(
    view: &View,
    records: &[Vec<u32>],
    rules: &ColumnRules,
    watch: &dyn Watch,
) -> Result<Lined> {
    let mut records = records.to_vec();
    records.iter_mut().for_each(|roots| roots.sort_unstable());
    let rows =
        labelled(view, merged(Pieces::new(view, rules).rows(&records, watch)?, rules), rules);
    let mut columns = Columns::default();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|&number| std::cmp::Reverse(rows[number].len()));
    let mut homes = vec![Vec::new(); rows.len()];
    for number in order {
        watch.check()?;
        homes[number] = columns.lay(&rows[number], rules);
    }
    let mut number_of = vec![0; columns.all.len()];
    for (number, &column) in columns.order.iter().enumerate() {
        number_of[column] = number as u32;
    }
    let mut lined = Lined { columns: columns.order.len() as u32, ..Lined::default() };
    for (record, (row, homes)) in rows.iter().zip(&homes).enumerate() {
        for (piece, &home) in row.iter().zip(homes) {
            lined.nodes.extend_from_slice(&piece.nodes);
            lined.slots.push(Slot {
                record: record as u32,
                column: number_of[home],
                end: lined.nodes.len() as u32,
            });
        }
    }
    Ok(lined)
}

/// Runs of text pieces with equal path and classes made one, where their length is not the same in
/// all records that have one.
fn merged(rows: Vec<Vec<Piece>>, rules: &ColumnRules) -> Vec<Vec<Piece>> {
    let mut lengths: Map<(u64, u64), (usize, bool)> = Map::default();
    for row in &rows {
        for run in row.chunk_by(|left, right| left.key() == right.key()) {
            let known = lengths.entry(run[0].key()).or_insert((run.len(), false));
            known.1 |= known.0 != run.len();
        }
    }
    let join = |row: Vec<Piece>| {
        let mut made: Vec<Piece> = Vec::with_capacity(row.len());
        let mut is_in_run = false;
        for piece in row {
            let varies = piece.is_text() && lengths[&piece.key()].1;
            match made.last_mut() {
                Some(last) if varies && is_in_run && last.key() == piece.key() => last.join(&piece),
                _ => made.push(piece),
            }
            is_in_run = varies;
        }
        made.iter_mut().for_each(|piece| piece.name_kind(rules.longest_kind));
        made
    };
    rows.into_iter().map(join).collect()
}

/// Labels joined with what follows them in the same block: short texts that come back in most
/// records and end in a colon.
fn labelled(view: &View, rows: Vec<Vec<Piece>>, rules: &ColumnRules) -> Vec<Vec<Piece>> {
    // text: records that have it, the last of them
    let mut counts: Map<u64, (usize, usize)> = Map::default();
    for (number, row) in rows.iter().enumerate() {
        for piece in row {
            let entry = counts.entry(piece.text_hash).or_insert((0, usize::MAX));
            if entry.1 != number {
                *entry = (entry.0 + 1, number);
            }
        }
    }
    let count = rows.len();
    let is_label = |label: &Piece, piece: &Piece| {
        !piece.text.is_empty()
            && is_label(&label.text, rules.longest_label)
            && 2 * counts[&label.text_hash].0 > count
            && block(view, label.nodes[label.nodes.len() - 1]) == block(view, piece.nodes[0])
    };
    let join = |row: Vec<Piece>| {
        let mut made: Vec<Piece> = Vec::with_capacity(row.len());
        for mut piece in row {
            match made.last_mut() {
                Some(label) if is_label(label, &piece) => {
                    piece.nodes.splice(0..0, label.nodes.iter().copied());
                    *label = piece;
                }
                _ => made.push(piece),
            }
        }
        made
    };
    rows.into_iter().map(join).collect()
}

fn is_label(text: &str, longest: usize) -> bool {
    let Some(words) = text.strip_suffix(':') else { return false };
    !words.contains(':') && (1..=longest).contains(&words.chars().count())
}

/// The nearest element around a node that starts a new line.
pub(super) fn block(view: &View, node: u32) -> usize {
    let mut above = view.parent(node as usize);
    while view.is(above, super::roles::INLINE) {
        above = view.parent(above);
    }
    above
}

/// A column as it grows.
#[derive(Debug, Default)]
struct Column {
    path: u64,
    classes: Map<u64, u32>,
    kinds: Map<u64, u32>,
    texts: Map<u64, u32>,
    filled: u32,
}

impl Column {
    fn take(&mut self, piece: &Piece) {
        *self.classes.entry(piece.classes).or_default() += 1;
        *self.kinds.entry(piece.kind).or_default() += 1;
        *self.texts.entry(piece.text_hash).or_default() += 1;
        self.filled += 1;
    }

    /// How well a piece fits; 0 where its path is another.
    fn fit(&self, piece: &Piece, rules: &ColumnRules) -> f64 {
        if piece.path != self.path {
            return 0.0;
        }
        let filled = f64::from(self.filled);
        let count =
            |counts: &Map<u64, u32>, key: u64| f64::from(counts.get(&key).copied().unwrap_or(0));
        let same_class = f64::from(u8::from(self.classes.contains_key(&piece.classes)));
        let same_text =
            if self.filled > 1 { count(&self.texts, piece.text_hash) / filled } else { 0.0 };
        1.0 + rules.same_class * same_class
            + rules.same_kind * count(&self.kinds, piece.kind) / filled
            + rules.same_text * same_text
    }
}

/// Columns in the order they were made, and their order on the page.
#[derive(Debug, Default)]
struct Columns {
    all: Vec<Column>,
    order: Vec<usize>,
    best: Vec<f64>,
    fits: Vec<f64>,
}

impl Columns {
    /// The column of each piece; columns that are missing are put in where they belong.
    fn lay(&mut self, row: &[Piece], rules: &ColumnRules) -> Vec<usize> {
        let (high, wide) = (row.len(), self.order.len());
        self.fits.clear();
        for piece in row {
            self.fits.extend(self.order.iter().map(|&column| self.all[column].fit(piece, rules)));
        }
        let at = |i: usize, j: usize| i * (wide + 1) + j;
        self.best.clear();
        self.best.resize((high + 1) * (wide + 1), 0.0);
        for i in (0..high).rev() {
            for j in (0..wide).rev() {
                let fit = self.fits[i * wide + j];
                let with_pair = if fit > 0.0 { self.best[at(i + 1, j + 1)] + fit } else { 0.0 };
                self.best[at(i, j)] =
                    self.best[at(i + 1, j)].max(self.best[at(i, j + 1)]).max(with_pair);
            }
        }
        let (mut homes, mut new) = (Vec::with_capacity(high), Vec::new());
        let (mut i, mut j) = (0, 0);
        while i < high {
            let fit = if j < wide { self.fits[i * wide + j] } else { 0.0 };
            if fit > 0.0 && self.best[at(i, j)] == self.best[at(i + 1, j + 1)] + fit {
                homes.push(self.order[j]);
                (i, j) = (i + 1, j + 1);
            } else if j < wide && self.best[at(i, j)] == self.best[at(i, j + 1)] {
                j += 1;
            } else {
                homes.push(self.all.len());
                new.push((j, self.all.len()));
                self.all.push(Column { path: row[i].path, ..Column::default() });
                i += 1;
            }
        }
        self.put_in(&new);
        for (piece, &home) in row.iter().zip(&homes) {
            self.all[home].take(piece);
        }
        homes
    }

    /// Puts new columns into the order, each before the place it is given with; places do not
    /// decrease.
    fn put_in(&mut self, new: &[(usize, usize)]) {
        if new.is_empty() {
            return;
        }
        let mut order = Vec::with_capacity(self.order.len() + new.len());
        let mut ahead = new.iter().peekable();
        for (place, &column) in self.order.iter().enumerate() {
            while let Some(&(_, made)) = ahead.next_if(|&&(at, _)| at == place) {
                order.push(made);
            }
            order.push(column);
        }
        order.extend(ahead.map(|&(_, made)| made));
        self.order = order;
    }
}
