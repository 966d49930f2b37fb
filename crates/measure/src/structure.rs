//! Our own measure: seven families of small structural facts, each a set, compared one by one.
//!
//! One set of everything lets the large families drown the small ones, so each family has a vote of
//! its own; and a vote is the square root of a Jaccard coefficient, since on pages of different
//! kinds the step from nothing to a little in common says more than the step from much to more. A
//! family that neither page has is missing, not equal: old pages have no classes.
//!
//! How it came about, what else was tried and what it is worth:
//! docs/explanation/structure-measure.md.

use std::borrow::Cow;

use super::paths::labels;
use super::sketch::Minima;
use treelace_tree::error::{Error, Result};
use treelace_tree::hash;
use treelace_tree::tree::{flags, Tree, MATHML, NONE, SVG};
use treelace_tree::watch::Watch;

/// The families, in the order in which they are kept.
pub const FAMILIES: [&str; 7] =
    ["shapes", "edges", "words", "resources", "looks", "roles", "paths"];

/// The place of the resources among the families.
const RESOURCES: usize = 3;

/// Characters of an attribute value that are looked at.
const VALUE: usize = 64;

const EVERY: usize = 1 << 12;

/// Elements that are left out with everything inside them.
const OUT: [&str; 4] = ["noscript", "script", "style", "template"];

/// Elements that running text is made of.
const PROSE: [&str; 14] = [
    "blockquote",
    "dl",
    "figure",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "ol",
    "p",
    "pre",
    "ul",
];

/// Paragraphs without a class that make running text of what stands around them.
const PARAGRAPHS: usize = 3;

/// Attributes whose values say how something looks, digits and all.
const LOOKS: [&str; 31] = [
    "align",
    "alink",
    "background",
    "bgcolor",
    "border",
    "bordercolor",
    "cellpadding",
    "cellspacing",
    "clear",
    "color",
    "cols",
    "colspan",
    "face",
    "frameborder",
    "height",
    "hspace",
    "link",
    "marginheight",
    "marginwidth",
    "noshade",
    "nowrap",
    "rows",
    "rowspan",
    "scrolling",
    "size",
    "style",
    "text",
    "valign",
    "vlink",
    "vspace",
    "width",
];

/// Attributes whose values say what part something plays.
const ROLES: [&str; 13] = [
    "charset",
    "dir",
    "http-equiv",
    "itemprop",
    "itemtype",
    "lang",
    "media",
    "method",
    "property",
    "rel",
    "role",
    "target",
    "type",
];

/// Elements whose `name` says what part they play.
const NAMED: [&str; 9] =
    ["button", "form", "frame", "iframe", "input", "meta", "param", "select", "textarea"];

/// What a measure of families keeps of a document: for each family its tokens, ascending, each
/// once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Families(pub(crate) Vec<Vec<u64>>);

/// The same, each family as the minima of as many functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sketch {
    pub(crate) seed: u64,
    pub(crate) minima: Vec<Minima>,
}

/// What the name of an attribute makes of it.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Event,
    Class,
    Id,
    Looks,
    Roles,
    Name,
    Other,
}

impl Families {
    /// The seven families of a document.
    ///
    /// Left out: script, style, noscript and template with all inside them, what is inside svg and
    /// math, and attributes that begin with `on`. Runs of digits in names, classes and addresses
    /// are one `0`.
    /// * shapes: an element's name with the names of its attributes;
    /// * edges: the name and classes of a parent with those of its child;
    /// * words: an element's name with each word of letters in its class and id;
    /// * resources: addresses of scripts, style sheets and icons, without query;
    /// * looks: values of presentational attributes;
    /// * roles: values of attributes that say what part an element plays;
    /// * paths: the names from the root to an element.
    pub fn of(tree: &Tree, watch: &dyn Watch) -> Result<Families> {
        Families::read(Reader::new(tree), watch)
    }

    /// The families of how a page is laid out: without `head`, without resources, which say what a
    /// page loads, and without what is inside running text, which its author laid out.
    pub fn of_body(tree: &Tree, watch: &dyn Watch) -> Result<Families> {
        let mut reader = Reader::new(tree);
        reader.skips_prose = true;
        for id in 0..tree.names().len() as u32 {
            reader.is_out[id as usize] |= tree.names().local(id) == "head";
        }
        let mut families = Families::read(reader, watch)?;
        families.0[RESOURCES].clear();
        Ok(families)
    }

    fn read(mut reader: Reader<'_>, watch: &dyn Watch) -> Result<Families> {
        let tree = reader.tree;
        let (mut next, mut steps) = (0, 0usize);
        while next < tree.len() {
            if steps % EVERY == 0 {
                watch.check()?;
            }
            next = reader.read(next);
            steps += 1;
        }
        let mut families = reader.families;
        for family in &mut families {
            family.sort_unstable();
            family.dedup();
            family.shrink_to_fit();
        }
        Ok(Families(families.into()))
    }

    /// From columns that were stored.
    pub fn from_columns(families: Vec<Vec<u64>>) -> Result<Families> {
        if families.iter().any(|family| !family.windows(2).all(|two| two[0] < two[1])) {
            return Err(Error::Damaged("families of structural facts are damaged".into()));
        }
        Ok(Families(families))
    }

    /// The facts of each family as tokens, ascending, each once, in the order of [`FAMILIES`].
    pub fn sets(&self) -> &[Vec<u64>] {
        &self.0
    }

    /// For each family the share of its facts that both documents have; `None` where neither has
    /// any.
    pub fn votes<'f>(&'f self, other: &'f Families) -> impl Iterator<Item = Option<f64>> + 'f {
        self.0.iter().zip(&other.0).map(|(left, right)| jaccard(left, right))
    }

    /// The sketch of these families with `slots` slots in all.
    pub fn sketch(&self, slots: u32, seed: u64) -> Sketch {
        let each = slots / self.0.len().max(1) as u32;
        Sketch {
            seed,
            minima: self
                .0
                .iter()
                .zip(0..)
                .map(|(family, number)| Minima::of(family, each, hash::permute(number, seed)))
                .collect(),
        }
    }
}

impl Sketch {
    /// From parts that were stored.
    pub fn from_parts(seed: u64, minima: Vec<Minima>) -> Result<Sketch> {
        let slots = minima.iter().map(|one| one.values().len()).filter(|&slots| slots > 0);
        if slots.clone().min() != slots.max() {
            return Err(Error::Damaged(
                "a sketch of families is damaged: its families have different sizes".into(),
            ));
        }
        Ok(Sketch { seed, minima })
    }

    /// The number its functions were made with.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The minima of each family, in the order of [`FAMILIES`]; none for an empty one.
    pub fn minima(&self) -> &[Minima] {
        &self.minima
    }

    /// Estimates [`Families::votes`].
    pub fn votes<'f>(
        &'f self,
        other: &'f Sketch,
    ) -> Result<impl Iterator<Item = Option<f64>> + 'f> {
        let slots =
            |one: &Sketch| one.minima.iter().map(|minima| minima.values().len()).max().unwrap_or(0);
        let sizes = (slots(self), slots(other));
        if self.seed != other.seed || (sizes.0 != sizes.1 && sizes.0 * sizes.1 > 0) {
            return Err(Error::Usage(
                "two sketches with different settings cannot be compared: \
             seed and slots must agree"
                    .into(),
            ));
        }
        Ok(self.minima.iter().zip(&other.minima).map(|(left, right)| left.resemblance(right)))
    }
}

/// (mean of √vote)² over the families that at least one document has; 1 where there is none.
pub fn tally(votes: impl Iterator<Item = Option<f64>>) -> f64 {
    let (sum, count) =
        votes.flatten().fold((0.0, 0u32), |(sum, count), vote| (sum + vote.sqrt(), count + 1));
    if count == 0 {
        return 1.0;
    }
    let mean: f64 = sum / f64::from(count);
    mean * mean
}

/// [`tally`], but at most the vote of the last family, the paths: pages of one design share both.
pub fn with_paths(votes: impl Iterator<Item = Option<f64>>) -> f64 {
    let mut paths = None;
    let all = tally(votes.inspect(|&vote| paths = vote));
    paths.map_or(all, |paths| paths.min(all))
}

fn jaccard(left: &[u64], right: &[u64]) -> Option<f64> {
    if left.is_empty() && right.is_empty() {
        return None;
    }
    let (mut here, mut there, mut both) = (0, 0, 0usize);
    while here < left.len() && there < right.len() {
        let (a, b) = (left[here], right[there]);
        both += usize::from(a == b);
        here += usize::from(a <= b);
        there += usize::from(b <= a);
    }
    Some(both as f64 / (left.len() + right.len() - both) as f64)
}

/// Walks a tree once and collects the facts.
struct Reader<'t> {
    tree: &'t Tree,
    labels: Vec<u64>,
    /// For each name what part it plays as an attribute, and its token with digits made 0.
    attributes: Vec<(Part, u64)>,
    is_out: Vec<bool>,
    is_foreign: Vec<bool>,
    is_named: Vec<bool>,
    skips_prose: bool,
    paths: Vec<u64>,
    /// Name and classes.
    dressed: Vec<u64>,
    families: [Vec<u64>; 7],
    scratch: Vec<u64>,
    text: String,
}

impl<'t> Reader<'t> {
    fn new(tree: &'t Tree) -> Self {
        let names = tree.names();
        let mut text = String::new();
        let attributes = (0..names.len() as u32).map(|id| {
            let local = names.local(id);
            (part(local), hash::text(plain(local, usize::MAX, true, &mut text)))
        });
        let attributes = attributes.collect();
        let is = |list: &'static [&str]| {
            (0..names.len() as u32).map(|id| list.binary_search(&names.local(id)).is_ok()).collect()
        };
        Reader {
            tree,
            labels: labels(tree),
            attributes,
            is_out: is(&OUT),
            is_named: is(&NAMED),
            skips_prose: false,
            is_foreign: (0..names.len() as u32)
                .map(|id| {
                    matches!(
                        (names.namespace(id), names.local(id)),
                        (SVG, "svg") | (MATHML, "math")
                    )
                })
                .collect(),
            paths: vec![0; tree.len()],
            dressed: vec![0; tree.len()],
            families: Default::default(),
            scratch: Vec::new(),
            text,
        }
    }

    /// Reads node `i`; the node to go on with.
    fn read(&mut self, i: usize) -> usize {
        if !self.tree.is_element(i) {
            return i + 1;
        }
        let name = self.tree.name(i) as usize;
        if self.is_out[name] {
            self.resources_inside(i);
            return self.tree.end(i);
        }
        self.resource(i);
        let (label, parent) = (self.labels[name], self.tree.parent(i));
        let parent = if parent == NONE { 0 } else { parent as usize };
        self.paths[i] = hash::pair(self.paths[parent], label);
        self.families[6].push(self.paths[i]);
        let mut classes = label;
        self.scratch.clear();
        for a in self.tree.attributes(i) {
            let (part, token) = self.attributes[self.tree.attr_name(a) as usize];
            if part == Part::Event {
                continue;
            }
            self.scratch.push(token);
            let value = self.tree.attr_value(a);
            match part {
                Part::Class => {
                    classes = self.classes(label, value);
                    self.words(label, value);
                }
                Part::Id => self.words(label, value),
                Part::Looks => {
                    let value = hash::text(plain(value, VALUE, false, &mut self.text));
                    self.families[4].push(hash::pair(hash::pair(label, token), value));
                }
                Part::Name if !self.is_named[name] => {}
                Part::Roles | Part::Name => {
                    let value = hash::text(plain(value, VALUE, true, &mut self.text));
                    self.families[5].push(hash::pair(hash::pair(label, token), value));
                }
                Part::Event | Part::Other => {}
            }
        }
        self.scratch.sort_unstable();
        self.scratch.dedup();
        self.families[0].push(
            self.scratch.iter().fold(label, |shape, &attribute| hash::pair(shape, attribute)),
        );
        self.dressed[i] = hash::pair(label, classes);
        if parent > 0 {
            self.families[1].push(hash::pair(self.dressed[parent], self.dressed[i]));
        }
        if self.is_foreign[name] || self.skips_prose && self.is_prose(i) {
            return self.tree.end(i);
        }
        i + 1
    }

    /// Whether an element holds running text: some paragraphs without a class, and at least half of
    /// its children are of the kind that texts are made of.
    fn is_prose(&self, i: usize) -> bool {
        let (mut paragraphs, mut prose, mut all) = (0, 0, 0);
        let mut child = i + 1;
        while child < self.tree.end(i) {
            if self.tree.is_element(child) && !self.is_out[self.tree.name(child) as usize] {
                let local = self.tree.local(child);
                all += 1;
                prose += usize::from(PROSE.binary_search(&local).is_ok());
                let is_bare = self.tree.attribute(child, "class").is_none();
                paragraphs += usize::from(local == "p" && is_bare);
            }
            child = self.tree.end(child);
        }
        paragraphs >= PARAGRAPHS && 2 * prose >= all
    }

    /// The token of a name with its classes, in any order.
    fn classes(&mut self, label: u64, value: &str) -> u64 {
        let mut tokens: Vec<u64> =
            value.split_ascii_whitespace().map(|class| hash::text(&zeroed(class))).collect();
        tokens.sort_unstable();
        tokens.dedup();
        tokens.into_iter().fold(label, hash::pair)
    }

    fn words(&mut self, label: u64, value: &str) {
        for word in value.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
            let word = hash::text(plain(word, usize::MAX, false, &mut self.text));
            self.families[2].push(hash::pair(label, word));
        }
    }

    /// Scripts and style sheets count wherever they stand, but for templates.
    fn resources_inside(&mut self, i: usize) {
        (i..self.tree.end(i))
            .filter(|&inside| self.tree.is_element(inside))
            .for_each(|inside| self.resource(inside));
    }

    fn resource(&mut self, i: usize) {
        let tree = self.tree;
        if tree.flags(i) & flags::IN_TEMPLATE != 0 {
            return;
        }
        let address = match tree.local(i) {
            "script" => tree.attribute(i, "src"),
            "link" if tree.attribute(i, "rel").is_some_and(is_resource) => {
                tree.attribute(i, "href")
            }
            _ => None,
        };
        let address = address
            .map(|address| address.split(['?', '#']).next().unwrap_or("").trim())
            .filter(|address| !address.is_empty());
        if let Some(address) = address {
            let token = hash::text(plain(address, usize::MAX, true, &mut self.text));
            self.families[RESOURCES].push(token);
        }
    }
}

fn is_resource(rel: &str) -> bool {
    rel.split_ascii_whitespace().any(|word| {
        let word = word.to_ascii_lowercase();
        matches!(word.as_str(), "stylesheet" | "icon" | "mask-icon")
            || word.starts_with("apple-touch-")
    })
}

fn part(local: &str) -> Part {
    let local = local.to_ascii_lowercase();
    match local.as_str() {
        "class" => Part::Class,
        "id" => Part::Id,
        "name" => Part::Name,
        local if local.starts_with("on") => Part::Event,
        local if LOOKS.binary_search(&local).is_ok() => Part::Looks,
        local if ROLES.binary_search(&local).is_ok() => Part::Roles,
        _ => Part::Other,
    }
}

/// `text` trimmed, in lower case, its first characters, and runs of digits made one 0 if asked for.
fn plain<'b>(text: &str, most: usize, zero: bool, out: &'b mut String) -> &'b str {
    out.clear();
    let mut in_digits = false;
    for c in text.trim().chars().take(most) {
        let is_digit = zero && c.is_ascii_digit();
        if c.is_ascii() && !is_digit {
            out.push(c.to_ascii_lowercase());
        } else if !is_digit {
            out.extend(c.to_lowercase());
        } else if !in_digits {
            out.push('0');
        }
        in_digits = is_digit;
    }
    out
}

/// `text` with runs of digits made one 0, its case kept: classes are told apart by it.
fn zeroed(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut in_digits = false;
    for c in text.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !in_digits {
            out.push('0');
        }
        in_digits = c.is_ascii_digit();
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use treelace_tree::parse::html;
    use treelace_tree::watch::Unwatched;
    use treelace_tree::Limits;

    fn families(text: &str) -> Families {
        let tree =
            html::parse(text, &html::Options::default(), Limits::default(), &Unwatched).unwrap();
        Families::of(&tree, &Unwatched).unwrap()
    }

    #[test]
    fn lists_can_be_searched() {
        assert!(OUT.is_sorted() && LOOKS.is_sorted() && ROLES.is_sorted() && NAMED.is_sorted());
    }

    #[test]
    fn what_differs_from_page_to_page_is_not_seen() {
        let one = families(
            "<script src=/a.js?v=1></script><div class='b-12 a' id=x7 onclick=y><p \
         data-1=2>text</p><svg><g/></svg></div>",
        );
        let other = families(
            "<script src=/a.js?v=2>;</script><div class='a b-9' id=x8><p \
         data-9=3>other</p><svg><path/></svg></div>",
        );
        assert_eq!(one, other);
    }

    #[test]
    fn a_family_that_neither_has_does_not_count() {
        let (one, other) = (families("<p>"), families("<p><b>"));
        let votes: Vec<_> = one.votes(&other).collect();
        assert_eq!(votes[2..6], [None; 4]);
        assert_eq!(votes[0], Some(0.8));
        assert_eq!(tally(one.votes(&one)), 1.0);
        assert_eq!(tally(std::iter::empty()), 1.0);
        assert_eq!(
            (
                with_paths(one.votes(&other)),
                with_paths(one.votes(&one)),
                with_paths(std::iter::empty())
            ),
            (tally(one.votes(&other)), 1.0, 1.0)
        );
        assert_eq!(with_paths([Some(1.0), Some(0.25)].into_iter()), 0.25);
    }

    #[test]
    fn sketches_estimate_votes() {
        let page = |n: usize| {
            format!(
                "<ul class=list>{}</ul>",
                (0..n)
                    .map(|i| format!("<li class=k{}>{i}", "a".repeat(i % 40)))
                    .collect::<String>()
            )
        };
        let (left, right) = (families(&page(40)), families(&page(20)));
        let (exact, sketched) = (
            tally(left.votes(&right)),
            tally(left.sketch(7000, 3).votes(&right.sketch(7000, 3)).unwrap()),
        );
        assert!((exact - sketched).abs() < 0.03, "{exact} {sketched}");
        assert_eq!(tally(left.sketch(70, 3).votes(&left.sketch(70, 3)).unwrap()), 1.0);
        assert!(left.sketch(70, 3).votes(&left.sketch(70, 4)).is_err());
        assert!(left.sketch(70, 3).votes(&left.sketch(140, 3)).is_err());
    }
}
