//! Several pages into one pattern: each is laid along what is there, and what finds no partner is
//! put in where it stands.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use treelace_tree::error::Result;
use treelace_tree::limits::Limits;
use treelace_tree::tree::Tree;
use treelace_tree::watch::Watch;

use super::align::{pairs, Aligned, Pattern, PatternRow, NO_ROW};
use super::outline::{shape, Outline, Row, Sight};
use super::spots::{hash, text_hash, Known, Spots};

/// Texts and shapes that a leaf remembers.
const MOST_TEXTS: usize = 8;

/// Share of its pages that must agree for a text to be kept as the leaf's own.
const AGREE: f32 = 0.6;

/// A page, or a record of one: its tree, its top nodes, and for leaves numbers that say which of
/// them belong together (0: not said).
pub struct Part<'t> {
    /// The tree.
    pub tree: &'t Tree,
    /// The nodes whose subtrees count.
    pub roots: Vec<u32>,
    /// Node to number.
    pub hints: HashMap<u32, u32>,
}

/// A pattern, and each part laid along it.
pub struct Learnt {
    /// What the parts have in common.
    pub pattern: Pattern,
    /// The parts, in the order they were given.
    pub parts: Vec<Aligned>,
}

#[derive(Clone)]
struct Draft {
    row: Row,
    seen: u32,
    texts: Vec<(String, u32)>,
    shapes: Vec<(String, u32)>,
    hint: u32,
}

/// Learns the pattern of parts. The part with most leaves starts, the others follow in their order.
pub fn learn(parts: &[Part<'_>], limits: &Limits, watch: &dyn Watch) -> Result<Learnt> {
    let sights = sights(parts);
    let outlines: Vec<Outline> =
        parts.iter().zip(&sights).map(|(part, sight)| Outline::of(sight, &part.roots)).collect();
    let known = known_texts(&outlines);
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|&number| {
        std::cmp::Reverse(outlines[number].rows.iter().filter(|row| row.is_leaf()).count())
    });
    let mut drafts: Vec<Draft> = vec![Draft::of(&Row { tag: "#root".into(), ..Row::default() }, 0)];
    drafts[0].seen = 0;
    for &number in &order {
        watch.check()?;
        let outline = &outlines[number];
        let mut page = Spots::of_rows(&outline.rows);
        page.weigh(&known);
        page.sketch();
        for (spot, node) in page.rows.iter_mut().zip(&outline.nodes) {
            spot.hint = parts[number].hints.get(node).copied().unwrap_or(0);
        }
        let old = draft_spots(&drafts, &known);
        let partner = pairs(&old, &page, limits, watch)?;
        drafts = merged(&drafts, &old, outline, &page, &partner);
    }
    let pages = parts.len().max(1) as u32;
    let rows = drafts
        .into_iter()
        .enumerate()
        .map(|(number, draft)| draft.kept(number == 0, pages))
        .collect();
    let pattern = Pattern::new(rows, pages)?;
    let aligned: Result<Vec<Aligned>> = parts
        .iter()
        .zip(&sights)
        .map(|(part, sight)| pattern.align(sight, &part.roots, limits, watch))
        .collect();
    Ok(Learnt { pattern, parts: aligned? })
}

/// The sight of each part; parts of one tree that follow each other share one.
fn sights<'t>(parts: &[Part<'t>]) -> Vec<Rc<Sight<'t>>> {
    let mut made: Vec<Rc<Sight<'t>>> = Vec::with_capacity(parts.len());
    for part in parts {
        let sight = match made.last() {
            Some(last) if std::ptr::eq(last.tree, part.tree) => Rc::clone(last),
            _ => Rc::new(Sight::of(part.tree)),
        };
        made.push(sight);
    }
    made
}

/// Texts that stand in the same kind of place on at least two parts, with the share of parts that
/// have them.
fn known_texts(outlines: &[Outline]) -> Known {
    let mut counts: HashMap<u64, u32> = HashMap::new();
    for outline in outlines {
        let mut seen = HashSet::new();
        let mut above: Vec<&str> = Vec::new();
        for row in &outline.rows {
            above.truncate(row.depth as usize);
            if row.is_leaf() && row.text.contains(char::is_alphanumeric) {
                seen.insert(text_hash(&row.text, above.iter().rev().copied()));
            } else if !row.is_leaf() {
                above.push(&row.tag);
            }
        }
        for text in seen {
            *counts.entry(text).or_default() += 1;
        }
    }
    let all = outlines.len() as f32;
    counts
        .into_iter()
        .filter(|&(_, count)| count > 1)
        .map(|(text, count)| (text, count as f32 / all))
        .collect()
}

impl Draft {
    fn of(row: &Row, hint: u32) -> Draft {
        let mut draft = Draft {
            row: Row { text: String::new(), ..row.clone() },
            seen: 0,
            texts: Vec::new(),
            shapes: Vec::new(),
            hint,
        };
        draft.take(row, hint);
        draft
    }

    fn take(&mut self, row: &Row, hint: u32) {
        self.seen += 1;
        if self.hint == 0 {
            self.hint = hint;
        }
        if self.seen > 1 && !row.is_leaf() {
            self.row.keys.retain(|key| row.keys.contains(key));
        } else {
            for key in &row.keys {
                if !self.row.keys.contains(key) && self.row.keys.len() < MOST_TEXTS {
                    self.row.keys.push(key.clone());
                }
            }
        }
        if row.is_leaf() {
            count(&mut self.texts, &row.text);
        }
        if row.tag == "#text" {
            count(&mut self.shapes, &shape(&row.text));
        }
    }

    fn top(&self) -> Option<&(String, u32)> {
        self.texts.iter().max_by_key(|text| text.1)
    }

    fn kept(mut self, is_root: bool, pages: u32) -> PatternRow {
        let top = self.top().cloned().unwrap_or_default();
        let is_fixed = self.texts.len() == 1 && self.seen > 1;
        if is_fixed || (top.1 > 1 && top.1 as f32 >= AGREE * self.seen as f32) {
            self.row.text = top.0;
        }
        self.shapes.sort_by_key(|shape| std::cmp::Reverse(shape.1));
        self.row.keys.sort_unstable();
        let shapes = self.shapes.into_iter().map(|shape| shape.0).take(4).collect();
        PatternRow {
            row: self.row,
            seen: if is_root { pages } else { self.seen },
            is_fixed,
            shapes,
        }
    }
}

fn count(counts: &mut Vec<(String, u32)>, text: &str) {
    if let Some(known) = counts.iter_mut().find(|known| known.0 == text) {
        known.1 += 1;
    } else if counts.len() < MOST_TEXTS {
        counts.push((text.to_owned(), 1));
    }
}

fn draft_spots(drafts: &[Draft], known: &Known) -> Spots {
    let rows: Vec<Row> = drafts
        .iter()
        .map(|draft| Row {
            text: draft.top().map(|text| text.0.clone()).unwrap_or_default(),
            ..draft.row.clone()
        })
        .collect();
    let mut made = Spots::of_rows(&rows);
    for (number, draft) in drafts.iter().enumerate() {
        let spot = &mut made.rows[number];
        spot.hint = draft.hint;
        if spot.is_leaf {
            let agree = draft.top().map_or(0.0, |text| text.1 as f32 / draft.seen as f32);
            spot.weight =
                if agree >= AGREE { known.get(&spot.text).copied().unwrap_or(0.0) } else { 0.0 };
            spot.is_fixed = draft.texts.len() == 1 && spot.weight > 0.0;
            made.set_shapes(number, draft.shapes.iter().map(|shape| hash(&shape.0)));
        }
    }
    made.sketch();
    made
}

/// What is written next: a row that is there, or a subtree of the page that is put in.
enum Next {
    Old(u32, u32),
    New(u32, u32),
}

fn merged(
    drafts: &[Draft],
    old: &Spots,
    outline: &Outline,
    page: &Spots,
    partner: &[u32],
) -> Vec<Draft> {
    let mut matched_before = vec![0u32; page.rows.len() + 1];
    let mut of_old = vec![NO_ROW; drafts.len()];
    for (number, &row) in partner.iter().enumerate() {
        matched_before[number + 1] = matched_before[number] + u32::from(row != NO_ROW);
        if row != NO_ROW {
            of_old[row as usize] = number as u32;
        }
    }
    let is_new = |row: u32| {
        matched_before[page.rows[row as usize].end as usize] == matched_before[row as usize]
    };
    let mut made: Vec<Draft> = Vec::with_capacity(drafts.len() + page.rows.len());
    let mut todo = vec![Next::Old(0, 0)];
    while let Some(next) = todo.pop() {
        match next {
            Next::New(row, depth) => {
                let top = outline.rows[row as usize].depth;
                for inner in row..page.rows[row as usize].end {
                    let spot = &page.rows[inner as usize];
                    let mut draft = Draft::of(&outline.rows[inner as usize], spot.hint);
                    draft.row.depth = depth + outline.rows[inner as usize].depth - top;
                    made.push(draft);
                }
            }
            Next::Old(row, depth) => {
                let mut draft = drafts[row as usize].clone();
                draft.row.depth = depth;
                let partner_row = of_old[row as usize];
                let children = old.children(row);
                let mut order: Vec<Next> = Vec::new();
                let mut at = 0;
                if partner_row != NO_ROW {
                    draft.take(
                        &outline.rows[partner_row as usize],
                        page.rows[partner_row as usize].hint,
                    );
                    for &child in page.children(partner_row) {
                        let mate = partner[child as usize];
                        if mate != NO_ROW {
                            while at < children.len() && children[at] <= mate {
                                order.push(Next::Old(children[at], depth + 1));
                                at += 1;
                            }
                        } else if is_new(child) {
                            order.push(Next::New(child, depth + 1));
                        }
                    }
                }
                order.extend(children[at..].iter().map(|&child| Next::Old(child, depth + 1)));
                made.push(draft);
                todo.extend(order.into_iter().rev());
            }
        }
    }
    made
}
