//! Pieces: the items of a record that read as one, with their path of tags in the record, its
//! classes, and a rough kind of text.
//!
//! Neighbours with the same path, formatting left out, are one piece (a sentence cut by `b` or
//! `br`). An element that mixes text with inline elements, differently from record to record, reads
//! as one: a snippet with marked words. Paths, sets of classes and cuts are numbered as they are
//! met, so equal numbers are equal things within one call.

use super::columns::{block, ColumnRules};
use super::rules::{is_digit, is_space, roles};
use super::view::TEXT;
use super::View;
use treelace_tree::error::Result;
use treelace_tree::hash;
use treelace_tree::hash::Map;
use treelace_tree::tree::NONE;
use treelace_tree::watch::Watch;

/// A kind of element (path and classes), how its text is cut in each record, and how often it holds
/// all of a record's texts.
type Cuts = ((u32, u32), Vec<Vec<u32>>, usize);

/// Items that make one cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    /// Tag of the items and number of the path to them.
    pub(super) path: u64,
    /// Number of the set of classes on the path and of the formatting around the text.
    pub(super) classes: u64,
    pub(super) kind: u64,
    pub(super) text: String,
    pub(super) text_hash: u64,
    pub(super) nodes: Vec<u32>,
}

impl Piece {
    pub(super) fn key(&self) -> (u64, u64) {
        (self.path, self.classes)
    }

    pub(super) fn is_text(&self) -> bool {
        self.path >> 32 == u64::from(TEXT)
    }

    /// Takes the items and the text of the next piece.
    pub(super) fn join(&mut self, next: &Piece) {
        self.nodes.extend_from_slice(&next.nodes);
        self.text.push(' ');
        self.text.push_str(&next.text);
    }

    /// Sets what is known of the text.
    pub(super) fn name_kind(&mut self, longest: usize) {
        self.text_hash = hash::text(&self.text);
        self.kind = kind(&self.text, longest);
    }

    fn is_mark(&self) -> bool {
        !self.text.is_empty() && !self.text.chars().any(char::is_alphanumeric)
    }
}

/// A rough kind of text: digits as 9, words as a, at most twelve signs of it; long texts are all
/// one kind.
fn kind(text: &str, longest: usize) -> u64 {
    if text.len() > longest && text.chars().count() > longest {
        return hash::text("long");
    }
    let is_letter = |c: char| c.is_alphanumeric() && !is_digit(c);
    let (mut short, mut rest) = (String::new(), text);
    while let Some(c) = rest.chars().next() {
        if is_digit(c) {
            short.push('9');
            rest = rest.trim_start_matches(|c| is_digit(c) || c == '.' || c == ',');
        } else if is_letter(c) {
            short.push('a');
            while rest.starts_with(is_letter) {
                rest = rest.trim_start_matches(is_letter);
                let after = rest.trim_start_matches(is_space);
                if after.starts_with(is_letter) {
                    rest = after;
                }
            }
        } else {
            short.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    let cut = short.char_indices().nth(12).map_or(short.len(), |(at, _)| at);
    hash::text(&short[..cut])
}

/// The nearest element around a text that is no formatting, and the element in which the text may
/// flow on beyond it.
type Holders = (Option<usize>, Option<usize>);

/// Makes pieces.
pub(super) struct Pieces<'v> {
    view: &'v View,
    rules: &'v ColumnRules,
    /// (number of the path to the parent, tag or place of the cell) to number.
    paths: Map<(u32, u64), u32>,
    /// (number of a set, number of a node's classes) to number.
    unions: Map<(u32, u32), u32>,
    sets: Vec<Vec<u32>>,
    set_numbers: Map<Vec<u32>, u32>,
    is_numbered: Vec<bool>,
    cuts: Map<Vec<u32>, u32>,
    /// Path and set of the elements met in the record at hand.
    known: Map<u32, (u32, u32)>,
    /// Whether the elements met have text of their own.
    owns: Map<u32, bool>,
    flowing: Map<(u32, u32), bool>,
}

impl<'v> Pieces<'v> {
    pub(super) fn new(view: &'v View, rules: &'v ColumnRules) -> Self {
        Pieces {
            view,
            rules,
            paths: Map::default(),
            unions: Map::default(),
            sets: vec![Vec::new()],
            set_numbers: Map::from_iter([(Vec::new(), 0)]),
            is_numbered: view.class_names.iter().map(|word| word.chars().any(is_digit)).collect(),
            cuts: Map::from_iter([(Vec::new(), 0)]),
            known: Map::default(),
            owns: Map::default(),
            flowing: Map::default(),
        }
    }

    /// The pieces of each record, marks between them joined with their neighbours.
    pub(super) fn rows(
        mut self,
        records: &[Vec<u32>],
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<Piece>>> {
        self.find_flowing(records, watch)?;
        let mut rows = Vec::with_capacity(records.len());
        for (number, record) in records.iter().enumerate() {
            if number & 0xFF == 0xFF {
                watch.check()?;
            }
            let pieces = self.pieces(record);
            rows.push(self.with_marks(pieces));
        }
        Ok(rows)
    }

    /// Finds the kinds of elements (by path and classes) whose text is cut by inline elements
    /// differently from record to record.
    fn find_flowing(&mut self, records: &[Vec<u32>], watch: &dyn Watch) -> Result<()> {
        let mut numbers: Map<(u32, u32), usize> = Map::default();
        let mut seen: Vec<Cuts> = Vec::new();
        for (number, record) in records.iter().enumerate() {
            if number & 0xFF == 0xFF {
                watch.check()?;
            }
            self.known.clear();
            let mut cuts: Vec<(usize, Vec<u32>)> = Vec::new();
            let mut places: Map<usize, usize> = Map::default();
            let mut count = 0;
            for text in record.iter().flat_map(|&root| self.view.texts_in(root as usize)) {
                if !self.view.text(text).chars().any(char::is_alphanumeric) {
                    continue;
                }
                count += 1;
                let node = self.view.text_nodes[text] as usize;
                let (outer, inner) = self.holders(node, record);
                for holder in [outer, inner].into_iter().flatten() {
                    let cut = self.cut(node, holder);
                    let place = *places.entry(holder).or_insert(cuts.len());
                    match cuts.get_mut(place) {
                        Some((_, parts)) => parts.push(cut),
                        None => cuts.push((holder, vec![cut])),
                    }
                }
            }
            for (holder, parts) in cuts {
                let key = self.path(holder, record);
                let is_whole = parts.len() == count && count > 2;
                let number = *numbers.entry(key).or_insert(seen.len());
                if number == seen.len() {
                    seen.push((key, Vec::new(), 0));
                }
                seen[number].1.push(parts);
                seen[number].2 += usize::from(is_whole);
            }
        }
        for (key, mut cases, wholes) in seen {
            let count = cases.len();
            let is_dressed = |case: &Vec<u32>| case.iter().any(|&cut| cut != 0);
            let is_mixed = cases.iter().any(|case| case.contains(&0) && is_dressed(case));
            let is_cut = cases
                .iter()
                .any(|case| case[0] == 0 && case[case.len() - 1] == 0 && is_dressed(case))
                && cases.contains(&vec![0]);
            cases.sort_unstable();
            let most =
                cases.chunk_by(|left, right| left == right).map(<[_]>::len).max().unwrap_or(0);
            if is_mixed
                && ((most as f64) < self.rules.steady * count as f64 || is_cut)
                && 2 * wholes < count
            {
                self.flowing.insert(key, true);
            }
        }
        Ok(())
    }

    fn pieces(&mut self, record: &[u32]) -> Vec<Piece> {
        let view = self.view;
        self.known.clear();
        let mut found: Vec<Piece> = Vec::new();
        let mut last_flow = None;
        for (node, text) in items(view, record) {
            let words = text.map_or("", |text| view.text(text));
            let holders = if text.is_some() { self.holders(node, record) } else { (None, None) };
            let flow = [holders.0, holders.1].into_iter().flatten().find(|&holder| {
                let key = self.path(holder, record);
                self.flowing.contains_key(&key)
            });
            let is_root = has(record, node);
            let (path, classes) = match flow {
                Some(holder) => {
                    let (path, set) = self.path(holder, record);
                    (u64::from(TEXT) << 32 | u64::from(path), u64::from(set))
                }
                None if is_root => (u64::from(view.tag[node]) << 32, 0),
                None => {
                    let (path, set) = self.path(view.parent(node), record);
                    let dress = if text.is_some() {
                        self.dress(node, holder(view, node, record))
                    } else {
                        0
                    };
                    (
                        u64::from(view.tag[node]) << 32 | u64::from(path),
                        u64::from(dress) << 32 | u64::from(set),
                    )
                }
            };
            if let Some(last) = found
                .last_mut()
                .filter(|last| text.is_some() && last.path == path && last.classes == classes)
            {
                let before = last.nodes[last.nodes.len() - 1] as usize;
                let is_same = if flow.is_some() || last_flow.is_some() {
                    flow == last_flow
                } else {
                    !is_root && holder(view, before, record) == holder(view, node, record)
                };
                if is_same {
                    last.nodes.push(node as u32);
                    last.text.push(' ');
                    last.text.push_str(words);
                    last_flow = flow;
                    continue;
                }
            }
            found.push(Piece {
                path,
                classes,
                kind: 0,
                text: words.to_string(),
                text_hash: 0,
                nodes: vec![node as u32],
            });
            last_flow = flow;
        }
        found
    }

    /// Pieces without a letter or digit joined with the one before in the same block, opening
    /// brackets and first ones with the one after.
    fn with_marks(&self, row: Vec<Piece>) -> Vec<Piece> {
        let view = self.view;
        let mut made: Vec<Piece> = Vec::with_capacity(row.len());
        let mut ahead: Vec<u32> = Vec::new();
        let mut pieces = row.into_iter().peekable();
        while let Some(mut piece) = pieces.next() {
            let is_mark = piece.is_mark();
            let first = piece.nodes[0];
            let is_opening = piece.text.chars().count() == 1
                && piece.text.starts_with(|c| self.rules.opening.contains(&c));
            let before = made.last_mut().filter(|last| {
                is_mark
                    && !is_opening
                    && !last.text.is_empty()
                    && ahead.is_empty()
                    && block(view, last.nodes[last.nodes.len() - 1]) == block(view, first)
            });
            if let Some(last) = before {
                last.nodes.extend_from_slice(&piece.nodes);
            } else if is_mark
                && pieces.peek().is_some_and(|next| {
                    !next.text.is_empty() && block(view, next.nodes[0]) == block(view, first)
                })
            {
                ahead.extend_from_slice(&piece.nodes);
            } else {
                piece.nodes.splice(0..0, ahead.drain(..));
                made.push(piece);
            }
        }
        made
    }

    /// The elements in which a text may flow on, the outer first: the parent, and where that only
    /// marks a word, the parent's parent.
    fn holders(&self, node: usize, record: &[u32]) -> Holders {
        let view = self.view;
        if has(record, node) {
            return (None, None);
        }
        let inner = holder(view, node, record);
        if has(record, inner) || view.is(inner, roles::STANDING) || view.text_count(inner) > 1 {
            return (None, Some(inner));
        }
        (Some(holder(view, inner, record)), Some(inner))
    }

    /// Tags from the record to an element, formatting left out, with the place of table cells; and
    /// the set of their classes.
    fn path(&mut self, element: usize, record: &[u32]) -> (u32, u32) {
        let view = self.view;
        let mut ahead: Vec<usize> = Vec::new();
        let mut above = element;
        let mut state = loop {
            if above == 0 {
                break (0, 0);
            }
            if let Some(&known) = self.known.get(&(above as u32)) {
                break known;
            }
            let is_root = has(record, above);
            if is_root && record.len() == 1 {
                break (0, 0);
            }
            ahead.push(above);
            if is_root {
                break (0, 0);
            }
            above = view.parent(above);
        };
        for node in ahead.into_iter().rev() {
            let is_root = has(record, node);
            if view.is(node, roles::CELL) && !is_root {
                let place = u64::from(NONE) + 1 + place_of_cell(view, node) as u64;
                state.0 = self.step(state.0, place);
            } else if !view.is(node, roles::DRESS) {
                state.0 = self.step(state.0, u64::from(view.tag[node]));
            }
            state.1 = self.union(state.1, view.class[node]);
            self.known.insert(node as u32, state);
        }
        state
    }

    fn step(&mut self, path: u32, to: u64) -> u32 {
        let next = self.paths.len() as u32 + 1;
        *self.paths.entry((path, to)).or_insert(next)
    }

    /// A set of class words with those of a node; words with digits do not count.
    fn union(&mut self, set: u32, class: u32) -> u32 {
        if class == 0 {
            return set;
        }
        if let Some(&known) = self.unions.get(&(set, class)) {
            return known;
        }
        let mut words = self.sets[set as usize].clone();
        words.extend(
            self.view.class_words[class as usize]
                .iter()
                .filter(|&&word| !self.is_numbered[word as usize]),
        );
        words.sort_unstable();
        words.dedup();
        let next = self.sets.len() as u32;
        let number = *self.set_numbers.entry(words.clone()).or_insert(next);
        if number == next {
            self.sets.push(words);
        }
        self.unions.insert((set, class), number);
        number
    }

    /// The tags between a text and an element around it, as a number; 0 where there are none.
    fn cut(&mut self, node: usize, holder: usize) -> u32 {
        let view = self.view;
        let mut above = view.parent(node);
        if above == holder {
            return 0;
        }
        let mut tags = Vec::new();
        while above != holder && above > 0 {
            tags.push(view.tag[above]);
            above = view.parent(above);
        }
        let next = self.cuts.len() as u32;
        *self.cuts.entry(tags).or_insert(next)
    }

    /// The formatting around a text, where the element it stands in has no text of its own:
    /// `<b>tea</b> <i>3</i>` is no cut sentence.
    fn dress(&mut self, node: usize, holder: usize) -> u32 {
        let view = self.view;
        if view.parent(node) == holder {
            return 0;
        }
        let has_own = self.owns.entry(holder as u32).or_insert_with(|| {
            let words = |child: usize| view.text(view.text_before[child] as usize);
            view.tree.children(holder).any(|child| {
                view.tag[child] == TEXT
                    && view.shown[child]
                    && words(child).chars().any(char::is_alphanumeric)
            })
        });
        if *has_own {
            0
        } else {
            self.cut(node, holder)
        }
    }
}

/// The text nodes (with their numbers) and images of a record, in document order.
fn items(view: &View, record: &[u32]) -> Vec<(usize, Option<usize>)> {
    let mut found = Vec::new();
    for &root in record {
        found.extend(
            view.texts_in(root as usize).map(|text| (view.text_nodes[text] as usize, Some(text))),
        );
        let first = view.images.partition_point(|&(node, _)| node < root);
        let end = view.tree.end(root as usize);
        found.extend(
            view.images[first..]
                .iter()
                .map(|&(node, _)| (node as usize, None))
                .take_while(|&(node, _)| node < end),
        );
    }
    found.sort_unstable();
    found
}

/// Whether a node is one of a record's roots, which are in document order.
fn has(record: &[u32], node: usize) -> bool {
    record.binary_search(&(node as u32)).is_ok()
}

/// The nearest element around a node that is not formatting.
fn holder(view: &View, node: usize, record: &[u32]) -> usize {
    let mut above = view.parent(node);
    while view.is(above, roles::DRESS) && !has(record, above) {
        above = view.parent(above);
    }
    above
}

/// How many cells stand before a cell in its row.
fn place_of_cell(view: &View, cell: usize) -> usize {
    view.tree
        .children(view.parent(cell))
        .take_while(|&sibling| sibling < cell)
        .filter(|&sibling| view.is(sibling, roles::CELL))
        .count()
}
