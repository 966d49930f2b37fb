//! A redesign undone: tags and classes that were renamed all over the page get their new names in
//! the old tree too.
//!
//! What was renamed is learnt from a first matching, made without that knowledge: a tag most of
//! whose elements have partners of one other tag, a class that is gone and in whose place, mostly,
//! one stands that was not there before.

use std::collections::{BTreeMap, HashMap};

use super::side::Side;
use treelace_tree::tree::{Kind, Tree, NONE};

/// A tag still in use is taken for renamed only if as many pairs as this say so.
const WITNESSES: u32 = 3;

/// New names for old ones.
#[derive(Default, PartialEq)]
pub(super) struct Redesign {
    tags: HashMap<Box<str>, Box<str>>,
    classes: HashMap<Box<str>, Box<str>>,
}

impl Redesign {
    /// Whether nothing was renamed.
    pub(super) fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.classes.is_empty()
    }

    /// The new local name of a tag, if it was renamed.
    pub(super) fn tag(&self, local: &str) -> Option<&str> {
        self.tags.get(local).map(|new| &**new)
    }

    /// The new value of a `class` attribute, if any of its classes was renamed.
    pub(super) fn class(&self, value: &str) -> Option<String> {
        if self.classes.is_empty()
            || !value.split_whitespace().any(|word| self.classes.contains_key(word))
        {
            return None;
        }
        let words: Vec<&str> = value
            .split_whitespace()
            .map(|word| self.classes.get(word).map_or(word, |new| new))
            .collect();
        Some(words.join(" "))
    }

    /// What a matching of rows says about names.
    pub(super) fn learn(old: (&Tree, &Side), new: (&Tree, &Side), to_new: &[u32]) -> Redesign {
        Redesign { tags: tags(old, new, to_new), classes: classes(old, new, to_new) }
    }
}

fn tags(old: (&Tree, &Side), new: (&Tree, &Side), to_new: &[u32]) -> HashMap<Box<str>, Box<str>> {
    let uses = |(tree, side): (&Tree, &Side)| {
        let mut count = vec![0u32; tree.names().len()];
        for &node in side.node.iter().filter(|&&node| tree.kind(node as usize) == Kind::Element) {
            count[tree.name(node as usize) as usize] += 1;
        }
        count
    };
    let (old_uses, new_uses) = (uses(old), uses(new));
    let is_used = |tree: &Tree, uses: &[u32], local: &str| {
        (0..uses.len()).any(|name| uses[name] > 0 && tree.names().local(name as u32) == local)
    };
    let mut together: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut matched = vec![0u32; old_uses.len()];
    for (i, &j) in to_new.iter().enumerate().skip(1).filter(|(_, &j)| j != NONE) {
        let (i, j) = (old.1.node[i] as usize, new.1.node[j as usize] as usize);
        if old.0.kind(i) == Kind::Element {
            *together.entry((old.0.name(i), new.0.name(j))).or_default() += 1;
            matched[old.0.name(i) as usize] += 1;
        }
    }
    let mut tags = HashMap::new();
    for ((name, other), count) in together {
        let (tag, new_tag) = (old.0.names().local(name), new.0.names().local(other));
        if tag == new_tag || 2 * count <= matched[name as usize] {
            continue;
        }
        if count >= WITNESSES
            || !is_used(new.0, &new_uses, tag) && !is_used(old.0, &old_uses, new_tag)
        {
            tags.insert(tag.into(), new_tag.into());
        }
    }
    tags
}

fn classes(
    old: (&Tree, &Side),
    new: (&Tree, &Side),
    to_new: &[u32],
) -> HashMap<Box<str>, Box<str>> {
    let (old_uses, new_uses) = (uses(old.0, old.1), uses(new.0, new.1));
    let is_gone = |class: &str| !new_uses.contains_key(class);
    let is_new = |class: &str| !old_uses.contains_key(class);
    let mut together: BTreeMap<(&str, &str), f32> = BTreeMap::new();
    let mut seen: HashMap<&str, u32> = HashMap::new();
    for (i, &j) in to_new.iter().enumerate().skip(1).filter(|(_, &j)| j != NONE) {
        let gone: Vec<&str> = of(old.0, old.1.node[i]).filter(|class| is_gone(class)).collect();
        let came: Vec<&str> =
            of(new.0, new.1.node[j as usize]).filter(|class| is_new(class)).collect();
        if gone.is_empty() || came.is_empty() {
            continue;
        }
        for (a, &class) in gone.iter().enumerate() {
            *seen.entry(class).or_default() += 1;
            for (b, &other) in came.iter().enumerate() {
                // in the same place when none was lost, else anywhere
                let share = if gone.len() == came.len() {
                    f32::from(u8::from(a == b))
                } else {
                    1.0 / gone.len().max(came.len()) as f32
                };
                *together.entry((class, other)).or_default() += share;
            }
        }
    }
    let mut renamed: HashMap<&str, (f32, &str)> = HashMap::new();
    for ((class, other), count) in together {
        let best = renamed.entry(class).or_insert((0.0, other));
        if count > best.0 {
            *best = (count, other);
        }
    }
    renamed.retain(|class, (count, _)| 2.0 * *count > seen[class] as f32);
    renamed.into_iter().map(|(class, (_, other))| (class.into(), other.into())).collect()
}

/// How often each class is used.
fn uses<'t>(tree: &'t Tree, side: &Side) -> HashMap<&'t str, u32> {
    let mut count = HashMap::new();
    for &node in &side.node {
        for class in of(tree, node) {
            *count.entry(class).or_default() += 1;
        }
    }
    count
}

/// The classes of an element.
fn of(tree: &Tree, node: u32) -> impl Iterator<Item = &str> {
    let value = tree
        .attributes(node as usize)
        .find(|&a| tree.attr_local(a) == "class")
        .map_or("", |a| tree.attr_value(a));
    value.split_whitespace()
}
