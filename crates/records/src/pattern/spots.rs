//! Rows with hashes and small sketches of what they hold, so that two of them are compared in a few
//! steps.
//!
//! The lists of all rows (keys, shapes, sketches, children) stand one after the other in a few
//! vectors: a page has a thousand rows, and a list of its own for each would be most of the time.

use std::borrow::Cow;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::outline::{collapsed, shape, Row, Rows, Sight};
use treelace_tree::hash::Map;

/// Hashes kept of what a subtree holds; for large ones the smallest, a sample that two subtrees
/// draw alike.
const SKETCH: usize = 32;

/// How much each known text (by its hash) says about where it stands: the share of pages that have
/// it. Texts that are not known are values.
pub type Known = Map<u64, f32>;

/// A part of one of the lists of [`Spots`].
#[derive(Debug, Clone, Copy, Default)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    fn of<'l, T>(&self, list: &'l [T]) -> &'l [T] {
        &list[self.start as usize..self.end as usize]
    }
}

/// One row, ready to be compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spot {
    /// Row number of the parent.
    pub parent: u32,
    /// One past the last row inside.
    pub end: u32,
    /// Whether it is a text or an image.
    pub is_leaf: bool,
    /// Hash of the tag's family.
    pub tag: u64,
    /// Hash of the lone inline wrappers.
    pub wrap: u64,
    /// Hash of the text with the parent's tag.
    pub text: u64,
    /// How well known the text is: 0 for a value.
    pub weight: f32,
    /// Of a pattern's leaf: whether all pages had the same text.
    pub is_fixed: bool,
    /// A number that only rows with the same number may be matched with; 0 for none.
    pub hint: u32,
    /// How many leaves it holds.
    pub leaves: u32,
    /// Whether it is an `h1`.
    pub is_title: bool,
    /// Whether it is, or holds, the only `h1` of the page.
    pub holds_title: bool,
    keys: Span,
    shapes: Span,
    structure: Span,
    labels: Span,
    children: Span,
}

impl Spot {
    /// Whether the two may be a pair at all: the same kind of thing, and not known to be different
    /// ones.
    pub fn is_like(&self, other: &Spot) -> bool {
        self.is_leaf == other.is_leaf
            && self.tag == other.tag
            && (self.hint == other.hint || self.hint == 0 || other.hint == 0)
    }
}

/// The rows of a page or a pattern.
#[derive(Debug, Clone, Default)]
pub struct Spots {
    /// The rows in document order.
    pub rows: Vec<Spot>,
    hashes: Vec<u64>,
    labels: Vec<(u64, f32)>,
    kids: Vec<u32>,
}

impl Spots {
    /// The spots of rows; sketches come with [`Spots::sketch`].
    pub fn of_rows(rows: &[Row]) -> Spots {
        let mut maker = Maker::default();
        for row in rows {
            let shapes = if row.tag == "#text" { Some(hash(&shape(&row.text))) } else { None };
            let is_leaf = row.is_leaf();
            let text = if is_leaf { maker.text_hash(row.depth, &row.text) } else { 0 };
            let spot = Spot {
                is_leaf,
                tag: hash(family(&row.tag)),
                wrap: hash(&row.wrap),
                text,
                ..Spot::default()
            };
            maker.push(row.depth, &row.tag, spot, &row.keys, shapes);
        }
        maker.made()
    }

    /// The spots of the subtrees of `roots` below one row `#root`, and the node of each: what
    /// [`Spots::of_rows`] makes of their outline.
    pub fn of_page(sight: &Sight<'_>, roots: &[u32]) -> (Spots, Vec<u32>) {
        let root = Spot { tag: hash("#root"), wrap: hash(""), ..Spot::default() };
        let mut reader = Reader {
            sight,
            maker: Maker::default(),
            nodes: vec![0],
            tags: vec![0; sight.tree.names().len()],
            keys: Vec::new(),
            plain: root.wrap,
        };
        reader.maker.push(0, "#root", root, &[], None);
        for &root in roots {
            if (root as usize) < sight.tree.len() {
                sight.walk(root as usize, &mut reader);
            }
        }
        (reader.maker.made(), reader.nodes)
    }

    /// Hashes of a row's keys, sorted.
    pub fn keys(&self, row: &Spot) -> &[u64] {
        row.keys.of(&self.hashes)
    }

    /// Hashes of the shapes a row's texts have.
    pub fn shapes(&self, row: &Spot) -> &[u64] {
        row.shapes.of(&self.hashes)
    }

    /// Sample of the names and keys inside a row, sorted.
    pub fn structure(&self, row: &Spot) -> &[u64] {
        row.structure.of(&self.hashes)
    }

    /// Sample of the known texts inside a row with their weights, sorted by hash.
    pub fn labels(&self, row: &Spot) -> &[(u64, f32)] {
        row.labels.of(&self.labels)
    }

    /// The children of row number `row`, left to right.
    pub fn children(&self, row: u32) -> &[u32] {
        self.rows[row as usize].children.of(&self.kids)
    }

    /// Gives a row other shapes.
    pub fn set_shapes(&mut self, row: usize, shapes: impl Iterator<Item = u64>) {
        let start = self.hashes.len() as u32;
        self.hashes.extend(shapes);
        self.rows[row].shapes = Span { start, end: self.hashes.len() as u32 };
    }

    /// Gives the leaves the weights of the texts that are known.
    pub fn weigh(&mut self, known: &Known) {
        for spot in self.rows.iter_mut().filter(|spot| spot.is_leaf) {
            spot.weight = known.get(&spot.text).copied().unwrap_or(0.0);
        }
    }

    /// Fills in what each row holds, from the weights its leaves have.
    pub fn sketch(&mut self) {
        self.mark_title();
        let mut structure: Vec<u64> = Vec::with_capacity(SKETCH + 1);
        let mut labels: Vec<(u64, f32)> = Vec::with_capacity(SKETCH + 1);
        for i in (0..self.rows.len()).rev() {
            let spot = self.rows[i];
            let mut leaves = 0;
            structure.clear();
            labels.clear();
            if spot.is_leaf {
                leaves = 1;
                if spot.weight > 0.0 {
                    labels.push((spot.text, spot.weight));
                }
            }
            for &child in spot.children.of(&self.kids).iter().rev() {
                let child = &self.rows[child as usize];
                leaves += child.leaves;
                keep(&mut structure, hash(&(spot.tag, child.tag)), |&hash| hash);
                for &key in child.keys.of(&self.hashes) {
                    if !keep(&mut structure, key, |&hash| hash) {
                        break;
                    }
                }
                for &inner in child.structure.of(&self.hashes) {
                    if !keep(&mut structure, inner, |&hash| hash) {
                        break;
                    }
                }
                for &label in child.labels.of(&self.labels) {
                    if !keep(&mut labels, label, |label| label.0) {
                        break;
                    }
                }
            }
            let row = &mut self.rows[i];
            row.leaves = leaves;
            row.structure.start = self.hashes.len() as u32;
            self.hashes.extend_from_slice(&structure);
            row.structure.end = self.hashes.len() as u32;
            row.labels.start = self.labels.len() as u32;
            self.labels.extend_from_slice(&labels);
            row.labels.end = self.labels.len() as u32;
        }
    }

    /// Marks the rows around the only `h1`, and it.
    fn mark_title(&mut self) {
        let mut titles = (0..self.rows.len()).filter(|&row| self.rows[row].is_title);
        let (Some(mut row), None) = (titles.next(), titles.next()) else { return };
        while row > 0 {
            self.rows[row].holds_title = true;
            row = self.rows[row].parent as usize;
        }
    }
}

/// Puts a value among the smallest [`SKETCH`], sorted, of equal ones the first; false if it is
/// larger than all of them.
fn keep<T: Copy>(smallest: &mut Vec<T>, value: T, key: impl Fn(&T) -> u64) -> bool {
    let wanted = key(&value);
    if smallest.len() == SKETCH && smallest.last().is_some_and(|last| key(last) <= wanted) {
        return false;
    }
    if let Err(at) = smallest.binary_search_by_key(&wanted, key) {
        smallest.insert(at, value);
        smallest.truncate(SKETCH);
    }
    true
}

/// Puts rows together.
#[derive(Default)]
struct Maker<'n> {
    spots: Spots,
    /// The rows that the next one may stand in.
    open: Vec<u32>,
    /// Their depths and tags.
    above: Vec<(u32, &'n str)>,
}

impl<'n> Maker<'n> {
    fn close(&mut self, depth: u32) {
        let number = self.spots.rows.len() as u32;
        while self.above.last().is_some_and(|above| above.0 >= depth) {
            self.above.pop();
            if let Some(row) = self.open.pop() {
                self.spots.rows[row as usize].end = number;
            }
        }
    }

    /// Hash of the text of a leaf that comes next.
    fn text_hash(&mut self, depth: u32, text: &str) -> u64 {
        self.close(depth);
        text_hash(text, self.above.iter().rev().map(|above| above.1))
    }

    fn push(
        &mut self,
        depth: u32,
        tag: &'n str,
        mut spot: Spot,
        keys: &[String],
        shape: Option<u64>,
    ) {
        self.close(depth);
        spot.is_title = tag == "h1";
        let number = self.spots.rows.len() as u32;
        let hashes = &mut self.spots.hashes;
        let start = hashes.len();
        hashes.extend(keys.iter().map(hash));
        hashes[start..].sort_unstable();
        spot.keys = Span { start: start as u32, end: hashes.len() as u32 };
        hashes.extend(shape);
        spot.shapes = Span { start: spot.keys.end, end: hashes.len() as u32 };
        spot.parent = self.open.last().copied().unwrap_or(0);
        self.spots.rows.push(spot);
        self.open.push(number);
        self.above.push((depth, tag));
    }

    fn made(mut self) -> Spots {
        self.close(0);
        let rows = &mut self.spots.rows;
        for i in 1..rows.len() {
            let parent = rows[i].parent as usize;
            rows[parent].children.end += 1;
        }
        let mut start = 0;
        for row in rows.iter_mut() {
            let count = row.children.end;
            row.children = Span { start, end: start };
            start += count;
        }
        self.spots.kids = vec![0; start as usize];
        for i in 1..rows.len() {
            let parent = rows[i].parent as usize;
            let place = &mut rows[parent].children.end;
            self.spots.kids[*place as usize] = i as u32;
            *place += 1;
        }
        self.spots
    }
}

/// Reads the rows of a page.
struct Reader<'s, 't> {
    sight: &'s Sight<'t>,
    maker: Maker<'t>,
    nodes: Vec<u32>,
    /// Hash of the family of each name, 0 where it was not asked for.
    tags: Vec<u64>,
    keys: Vec<String>,
    /// Hash of no wrapper at all.
    plain: u64,
}

impl Rows for Reader<'_, '_> {
    fn element(&mut self, depth: u32, node: usize) {
        let tree = self.sight.tree;
        let tag = tree.local(node);
        let known = &mut self.tags[tree.name(node) as usize];
        if *known == 0 {
            *known = hash(family(tag));
        }
        self.keys.clear();
        self.sight.keys(node, &mut self.keys);
        self.maker.push(
            depth,
            tag,
            Spot { tag: *known, wrap: self.plain, ..Spot::default() },
            &self.keys,
            None,
        );
        self.nodes.push(node as u32);
    }

    fn leaf(&mut self, depth: u32, node: usize, wrappers: &[u32]) {
        let tree = self.sight.tree;
        let is_image = self.sight.is_image(node);
        let words = if is_image {
            Cow::Borrowed(self.sight.source(node).unwrap_or_default())
        } else {
            collapsed(tree.text(node))
        };
        let wrap = match wrappers {
            [] => self.plain,
            [one] => hash(tree.local(*one as usize)),
            several => hash(
                &several
                    .iter()
                    .map(|&wrapper| tree.local(wrapper as usize))
                    .collect::<Vec<_>>()
                    .join(" "),
            ),
        };
        self.sight.leaf_keys(node, wrappers, &mut self.keys);
        let tag = if is_image { "img" } else { "#text" };
        let text = self.maker.text_hash(depth, &words);
        let spot = Spot { is_leaf: true, tag: hash(tag), wrap, text, ..Spot::default() };
        self.maker.push(depth, tag, spot, &self.keys, (!is_image).then(|| hash(&shape(&words))));
        self.nodes.push(node as u32);
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

/// Hash of a leaf's text where it stands: the same words elsewhere are others. `above` are the tags
/// from the leaf's parent upwards.
pub fn text_hash<'n>(text: &str, above: impl Iterator<Item = &'n str>) -> u64 {
    let mut near = [""; NEAR];
    let mut count = 0;
    for (place, tag) in near.iter_mut().zip(above) {
        *place = family(tag);
        count += 1;
    }
    hash(&(text, &near[..count]))
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
