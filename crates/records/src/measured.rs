//! Running sums over a page's nodes, so that what a subtree holds is one subtraction.

use super::rules::{is_digit, roles, Rules};
use super::shapes::Shapes;
use super::view::TEXT;
use super::{Run, View};
use treelace_tree::error::Result;
use treelace_tree::hash::Map;
use treelace_tree::tree::Tree;
use treelace_tree::watch::Watch;

/// What stands before each node, one more entry than there are nodes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) chars: u32,
    pub(super) link_chars: u32,
    pub(super) links: u32,
    pub(super) images: u32,
    pub(super) headings: u32,
    pub(super) digits: u32,
    pub(super) prices: u32,
    pub(super) controls: u32,
}

impl Sums {
    fn add_difference(&mut self, end: Sums, start: Sums) {
        self.chars += end.chars - start.chars;
        self.link_chars += end.link_chars - start.link_chars;
        self.links += end.links - start.links;
        self.images += end.images - start.images;
        self.headings += end.headings - start.headings;
        self.digits += end.digits - start.digits;
        self.prices += end.prices - start.prices;
        self.controls += end.controls - start.controls;
    }
}

/// A page measured.
#[derive(Debug)]
pub(super) struct Measured<'v> {
    pub(super) view: &'v View,
    pub(super) before: Vec<Sums>,
    /// How much the elements around and at each element speak of navigation, and how much of lists.
    pub(super) frames: Vec<(f64, f64)>,
    /// How many visible nodes have the path of each number.
    pub(super) path_counts: Map<u32, u32>,
    /// Hash of each visible text.
    pub(super) text_hash: Vec<u64>,
    insides: Vec<f64>,
}

impl<'v> Measured<'v> {
    pub(super) fn of(
        view: &'v View,
        shapes: &Shapes<'_>,
        rules: &Rules,
        watch: &dyn Watch,
    ) -> Result<Self> {
        let n = view.len();
        let mut path_counts: Map<u32, u32> = Map::default();
        for i in (0..n).filter(|&i| view.shown[i]) {
            *path_counts.entry(shapes.path[i]).or_default() += 1;
        }
        let before = sums(view, rules, watch)?;
        Ok(Measured {
            view,
            before,
            frames: frames(view, rules),
            path_counts,
            text_hash: view.text_hashes(),
            insides: vec![f64::NAN; n],
        })
    }

    /// What a subtree holds.
    pub(super) fn inside(&self, i: usize) -> Sums {
        let mut sum = Sums::default();
        sum.add_difference(self.before[self.view.tree.end(i)], self.before[i]);
        sum
    }

    /// What a record holds.
    pub(super) fn in_record(&self, record: Run) -> Sums {
        let mut sum = Sums::default();
        for place in record.places() {
            let root = self.view.kids[place] as usize;
            sum.add_difference(self.before[self.view.tree.end(root)], self.before[root]);
        }
        sum
    }

    /// Share of a node's text that stands in children of one tag that are all alike: high where it
    /// is a list itself, not a record.
    pub(super) fn repeats_inside(&mut self, shapes: &mut Shapes<'_>, root: usize) -> f64 {
        if self.insides[root].is_nan() {
            self.insides[root] = self.repeats(shapes, root);
        }
        self.insides[root]
    }

    fn repeats(&self, shapes: &mut Shapes<'_>, root: usize) -> f64 {
        let view = self.view;
        let whole = f64::from(self.inside(root).chars.max(1));
        let mut node = root;
        for _ in 0..6 {
            let mut full = view
                .children(node)
                .iter()
                .map(|&child| child as usize)
                .filter(|&child| view.text_count(child) > 0);
            match (full.next(), full.next()) {
                (Some(only), None) => node = only,
                (None, _) => return 0.0,
                _ => return self.most_repeated(shapes, node, whole),
            }
        }
        0.0
    }

    fn most_repeated(&self, shapes: &mut Shapes<'_>, node: usize, whole: f64) -> f64 {
        let view = self.view;
        let mut by_tag: Vec<(u32, Vec<usize>)> = Vec::new();
        for child in view.children(node).iter().map(|&child| child as usize) {
            if view.text_count(child) > 0 && view.tag[child] != TEXT {
                match by_tag.iter_mut().find(|(tag, _)| *tag == view.tag[child]) {
                    Some((_, members)) => members.push(child),
                    None => by_tag.push((view.tag[child], vec![child])),
                }
            }
        }
        let mut best: f64 = 0.0;
        for members in
            by_tag.into_iter().map(|(_, members)| members).filter(|members| members.len() > 1)
        {
            let first = shapes.of(members[0]);
            if shapes.size(first) < 4 {
                continue;
            }
            let mut close = f64::INFINITY;
            for &member in &members[1..members.len().min(6)] {
                let other = shapes.of(member);
                close = close.min(shapes.alike(first, other));
            }
            let chars: u32 = members.iter().map(|&member| self.inside(member).chars).sum();
            best = best.max(close * f64::from(chars) / whole);
        }
        best
    }
}

fn sums(view: &View, rules: &Rules, watch: &dyn Watch) -> Result<Vec<Sums>> {
    let n = view.len();
    let mut before = Vec::with_capacity(n + 1);
    let (mut sum, mut link_until, mut text, mut image) = (Sums::default(), 0, 0, 0);
    for i in 0..n {
        if i & 0xFFFF == 0xFFFF {
            watch.check()?;
        }
        before.push(sum);
        if view.tag[i] == TEXT {
            if view.shown[i] {
                let words = view.text(text);
                text += 1;
                let chars = words.chars().count() as u32;
                sum.chars += chars;
                sum.link_chars += if i < link_until { chars } else { 0 };
                sum.digits += u32::from(words.chars().any(is_digit));
                sum.prices += u32::from(rules.names_price(words));
            }
            continue;
        }
        let is_image = view.images.get(image).is_some_and(|&(node, _)| node as usize == i);
        image += usize::from(is_image);
        if view.is(i, roles::LINK) && view.shown[i] {
            sum.links += 1;
            link_until = link_until.max(view.tree.end(i));
        } else if is_image {
            sum.images += 1;
        } else if view.is(i, roles::HEADING) {
            sum.headings += 1;
        } else if view.is(i, roles::CONTROL) {
            sum.controls += 1;
        }
    }
    before.push(sum);
    Ok(before)
}

fn frames(view: &View, rules: &Rules) -> Vec<(f64, f64)> {
    let tree = &view.tree;
    let said = |value: &str| (rules.frame_words.any_in(value), rules.list_words.any_in(value));
    let mut by_class: Vec<Option<(bool, bool)>> = vec![None; view.class_words.len()];
    let mut frames = vec![(0.0, 0.0); view.len()];
    for i in (1..view.len()).filter(|&i| view.shown[i] && view.tag[i] != TEXT) {
        let above: (f64, f64) = frames[view.parent(i)];
        let (mut frame, mut list) = (view.is(i, roles::FRAME), false);
        for a in tree.attributes(i) {
            let (navigates, lists) = match tree.attr_local(a) {
                "class" | "id" | "role" if !is_plain(tree, a) => continue,
                "class" => *by_class[view.class[i] as usize]
                    .get_or_insert_with(|| said(tree.attr_value(a))),
                "id" | "role" => said(tree.attr_value(a)),
                _ => continue,
            };
            (frame, list) = (frame || navigates, list || lists);
        }
        frames[i] = (
            above.0 * rules.fading + f64::from(u8::from(frame)),
            above.1 * rules.fading + f64::from(u8::from(list)),
        );
    }
    frames
}

/// Whether an attribute is HTML's own.
fn is_plain(tree: &Tree, a: usize) -> bool {
    tree.names().namespace(tree.attr_name(a)).is_empty()
}
