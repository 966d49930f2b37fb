//! Rows with hashes and small sketches of what they hold, so that two of them are compared in a few steps.

use std::collections::hash_map::DefaultHasher;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use super::outline::{shape, Row};

/// Hashes kept of what a subtree holds; for large ones the smallest, a sample that two subtrees draw alike.
const SKETCH: usize = 32;

/// How much each known text (by its hash) says about where it stands: the share of pages that have it. Texts that are not known are values.
pub type Known = HashMap<u64, f32>;

/// One row, ready to be compared.
#[derive(Debug, Clone, Default)]
pub struct Spot {
    /// Row number of the parent.
    pub parent: u32,
    /// One past the last row inside.
    pub end: u32,
    /// Whether it is a text or an image.
    pub is_leaf: bool,
    /// Hash of the tag's family.
    pub tag: u64,
    /// Hashes of the keys, sorted.
    pub keys: Vec<u64>,
    /// Hash of the lone inline wrappers.
    pub wrap: u64,
    /// Hash of the text with the parent's tag.
    pub text: u64,
    /// How well known the text is: 0 for a value.
    pub weight: f32,
    /// Hashes of the shapes its texts have.
    pub shapes: Vec<u64>,
    /// Of a pattern's leaf: whether all pages had the same text.
    pub is_fixed: bool,
    /// A number that only rows with the same number may be matched with; 0 for none.
    pub hint: u32,
    /// How many leaves it holds.
    pub leaves: u32,
    /// Sample of the names and keys inside, sorted.
    pub structure: Vec<u64>,
    /// Sample of the known texts inside with their weights, sorted by hash.
    pub labels: Vec<(u64, f32)>,
    /// Children, left to right.
    pub children: Vec<u32>,
}

impl Spot {
    /// Whether the two may be a pair at all: the same kind of thing, and not known to be different ones.
    pub fn is_like(&self, other: &Spot) -> bool {
        self.is_leaf == other.is_leaf && self.tag == other.tag && (self.hint == other.hint || self.hint == 0 || other.hint == 0)
    }
}

/// Hash of anything.
pub fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Levels above a text that say where it stands.
const NEAR: usize = 3;

/// Hash of a leaf's text where it stands: the same words elsewhere are others. `above` are the tags from the root to the leaf's parent.
pub fn text_hash(text: &str, above: &[&str]) -> u64 {
    let near: Vec<&str> = above.iter().rev().take(NEAR).map(|tag| family(tag)).collect();
    hash(&(text, near))
}

/// Tags that stand for each other in one place.
fn family(tag: &str) -> &str {
    match tag {
        "th" => "td",
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => "h",
        "ol" => "ul",
        tag => tag,
    }
}

/// The spots of rows, children and ends filled in; sketches come with [`sketched`].
pub fn spots(rows: &[Row]) -> Vec<Spot> {
    let mut made: Vec<Spot> = Vec::with_capacity(rows.len());
    let mut open: Vec<usize> = Vec::new();
    let mut above: Vec<&str> = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        while let Some(&last) = open.last() {
            if rows[last].depth < row.depth {
                break;
            }
            made[last].end = number as u32;
            open.pop();
            above.pop();
        }
        let parent = open.last().copied();
        let is_leaf = row.is_leaf();
        let mut keys: Vec<u64> = row.keys.iter().map(hash).collect();
        keys.sort_unstable();
        made.push(Spot {
            parent: parent.unwrap_or(0) as u32,
            is_leaf,
            tag: hash(family(&row.tag)),
            keys,
            wrap: hash(&row.wrap),
            text: if is_leaf { text_hash(&row.text, &above) } else { 0 },
            shapes: if row.tag == "#text" { vec![hash(&shape(&row.text))] } else { Vec::new() },
            ..Spot::default()
        });
        if let Some(parent) = parent {
            made[parent].children.push(number as u32);
        }
        open.push(number);
        above.push(&row.tag);
    }
    for last in open {
        made[last].end = rows.len() as u32;
    }
    made
}

/// Fills in what each spot holds, from the weights its leaves have.
pub fn sketched(spots: &mut [Spot]) {
    for i in (0..spots.len()).rev() {
        let spot = &mut spots[i];
        spot.structure.sort_unstable();
        spot.structure.dedup();
        spot.structure.truncate(SKETCH);
        spot.labels.sort_unstable_by_key(|label| label.0);
        spot.labels.dedup_by_key(|label| label.0);
        spot.labels.truncate(SKETCH);
        if spot.is_leaf {
            spot.leaves = 1;
            if spot.weight > 0.0 {
                spot.labels = vec![(spot.text, spot.weight)];
            }
        }
        if i == 0 {
            break;
        }
        let (parent, tag, leaves) = (spot.parent as usize, spot.tag, spot.leaves);
        let (structure, labels, keys) = (spot.structure.clone(), spot.labels.clone(), spot.keys.clone());
        let parent_tag = spots[parent].tag;
        let above = &mut spots[parent];
        above.leaves += leaves;
        above.structure.push(hash(&(parent_tag, tag)));
        above.structure.extend(keys);
        above.structure.extend(structure);
        above.labels.extend(labels);
    }
}

/// Shared over all, of two sorted sets.
pub fn jaccard(left: &[u64], right: &[u64]) -> f32 {
    let shared = common(left, right);
    let all = left.len() + right.len() - shared;
    if all == 0 {
        1.0
    } else {
        shared as f32 / all as f32
    }
}

/// How many of two sorted sets are in both.
pub fn common(left: &[u64], right: &[u64]) -> usize {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < left.len() && j < right.len() {
        match left[i].cmp(&right[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                i += 1;
                j += 1;
            }
        }
    }
    shared
}

/// Weight of the labels in both, in the left only, in the right only.
pub fn shared_labels(left: &[(u64, f32)], right: &[(u64, f32)]) -> (f32, f32, f32) {
    let (mut i, mut j) = (0, 0);
    let (mut both, mut only_left, mut only_right) = (0.0, 0.0, 0.0);
    while i < left.len() || j < right.len() {
        let order = match (left.get(i), right.get(j)) {
            (Some(a), Some(b)) => a.0.cmp(&b.0),
            (Some(_), None) => std::cmp::Ordering::Less,
            _ => std::cmp::Ordering::Greater,
        };
        match order {
            std::cmp::Ordering::Less => {
                only_left += left[i].1;
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                only_right += right[j].1;
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                both += left[i].1.max(right[j].1);
                i += 1;
                j += 1;
            }
        }
    }
    (both, only_left, only_right)
}
