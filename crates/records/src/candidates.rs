//! [`Candidates`]: everything on a page that could be a list of records, found many ways.

use std::ops::Range;

use super::features::texts_in;
use super::groups;
use super::rules::{roles, Rules};
use super::shapes::Shapes;
use super::view::TEXT;
use super::{Run, View};
use treelace_tree::error::{Error, Result};
use treelace_tree::hash;
use treelace_tree::hash::Map;
use treelace_tree::watch::Watch;

/// How a candidate was found. The numbers are what callers see.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum How {
    /// Children with one tag.
    Tag = 0,
    /// Children with one tag and the same classes.
    Class = 1,
    /// Children with one tag and a class word in common.
    ClassWord = 2,
    /// Children with similar shapes.
    Structure = 3,
    /// Groups that start at a tag.
    HeadTag = 4,
    /// Groups that start at a tag with certain classes.
    HeadClass = 5,
    /// Groups that start at one of several similar shapes.
    HeadStructure = 6,
    /// Groups between children without text.
    Separator = 7,
}

/// Lists of records: candidate `c` has `records[starts[c]..starts[c + 1]]`.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    pub(crate) records: Vec<Run>,
    pub(crate) starts: Vec<u32>,
    /// How each was found.
    pub how: Vec<How>,
    /// Whether the records of each stand under several parents.
    pub is_joined: Vec<bool>,
}

impl Candidates {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.how.len()
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.how.is_empty()
    }

    /// The records of candidate `c`.
    pub fn records(&self, c: usize) -> &[Run] {
        let Range { start, end } = self.starts[c] as usize..self.starts[c + 1] as usize;
        &self.records[start..end]
    }

    /// The candidates of a page, in the order they are found: outer parents first.
    ///
    /// Below each parent: clusters of its children by tag, by class, by each class word, by
    /// structure; groups that start at a head; groups between separators. Then the same clusters
    /// and groups joined over all parents with the same path, and over those of them that have an
    /// ancestor in common near by (lists cut by headings). Then variants that leave out what is
    /// odd. `budget` bounds the records of all candidates together; what does not fit is an error,
    /// not a silent loss.
    pub(crate) fn of(
        view: &View,
        shapes: &mut Shapes<'_>,
        rules: &Rules,
        budget: u64,
        watch: &dyn Watch,
    ) -> Result<Candidates> {
        let mut found = Found {
            view,
            all: Candidates { starts: vec![0], ..Candidates::default() },
            by_hash: Map::default(),
            budget,
        };
        let mut across = Across::default();
        for parent in 0..view.len() {
            if parent & 0xFFF == 0xFFF {
                watch.check()?;
            }
            let children = view.kid_places(parent);
            if children.is_empty() || view.text_count(parent) == 0 {
                continue;
            }
            let path = shapes.path[parent];
            for (key, members) in clusters(view, children.clone()) {
                let records: Vec<Run> = members.into_iter().map(Run::one).collect();
                found.add(&records, key.how, false)?;
                across.add((path, key), parent, records);
            }
            if children.len() < 2 {
                continue;
            }
            let structures = if children.len() <= rules.most_children {
                structures(view, shapes, children.clone(), rules, watch)?
            } else {
                Vec::new()
            };
            for members in structures.iter().flatten() {
                let records: Vec<Run> = members.iter().map(|&place| Run::one(place)).collect();
                found.add(&records, How::Structure, false)?;
            }
            groups::from_heads(
                view,
                children.clone(),
                &structures,
                rules.most_heads,
                watch,
                &mut |key, groups| {
                    found.add(&groups, key.how, false)?;
                    if key.how != How::HeadStructure {
                        across.add((path, key), parent, groups);
                    }
                    Ok(())
                },
            )?;
            groups::between(view, children, &mut |key, groups| {
                let last = groups.len() - 1;
                for part in [&groups[..], &groups[1..], &groups[..last], &groups[1..last.max(1)]] {
                    found.add(part, key.how, false)?;
                }
                let home = home(view, parent);
                across.add((shapes.path[home], key), home, groups);
                Ok(())
            })?;
        }
        for (how, records) in across.joined(view) {
            found.add(&records, how, true)?;
        }
        found.trim(shapes, rules, watch)?;
        Ok(found.all)
    }
}

/// Candidates as they come, each once.
struct Found<'v> {
    view: &'v View,
    all: Candidates,
    by_hash: Map<u64, Vec<u32>>,
    budget: u64,
}

impl Found<'_> {
    /// Takes those of the records that have text, if they are two or more and new.
    fn add(&mut self, records: &[Run], how: How, is_joined: bool) -> Result<()> {
        let start = self.all.records.len();
        self.all
            .records
            .extend(records.iter().filter(|record| groups::has_text(self.view, record.places())));
        let kept = &self.all.records[start..];
        let key = kept
            .iter()
            .fold(0, |sum, run| hash::pair(sum, u64::from(run.start) << 32 | u64::from(run.len)));
        let is_new = kept.len() > 1
            && !self
                .by_hash
                .get(&key)
                .is_some_and(|same| same.iter().any(|&c| self.all.records(c as usize) == kept));
        if !is_new {
            self.all.records.truncate(start);
            return Ok(());
        }
        if self.all.records.len() as u64 > self.budget {
            return Err(Error::Limit { limit: "memory", bound: self.budget, needed: None });
        }
        self.by_hash.entry(key).or_default().push(self.all.len() as u32);
        self.all.starts.push(self.all.records.len() as u32);
        self.all.how.push(how);
        self.all.is_joined.push(is_joined);
        Ok(())
    }

    /// Adds variants that leave out what is unlike the rest: at the edges, and anywhere; and short
    /// texts among longer records, which head groups of them (`2018`).
    fn trim(&mut self, shapes: &mut Shapes<'_>, rules: &Rules, watch: &dyn Watch) -> Result<()> {
        for c in 0..self.all.len() {
            let records = self.all.records(c);
            if !(4..=rules.most_children).contains(&records.len()) {
                continue;
            }
            watch.check()?;
            let close = shapes.closeness(records, rules.most_common);
            let bound = rules.odd * middle(&close);
            let is_odd: Vec<bool> = close.iter().map(|&value| value < bound).collect();
            let is_head = heads_of_groups(self.view, records);
            let records = records.to_vec();
            let (how, is_joined) = (self.all.how[c], self.all.is_joined[c]);
            let without = |out: &[bool]| -> Vec<Run> {
                records
                    .iter()
                    .zip(out)
                    .filter(|&(_, &out)| !out)
                    .map(|(&record, _)| record)
                    .collect()
            };
            if is_odd.contains(&true) {
                let first = is_odd.iter().position(|&odd| !odd).unwrap_or(0);
                let last = is_odd.iter().rposition(|&odd| !odd).map_or(records.len(), |at| at + 1);
                let even = without(&is_odd);
                for variant in [&records[first..], &records[..last], &records[first..last], &even] {
                    self.add(variant, how, is_joined)?;
                }
            }
            if is_head.contains(&true) {
                self.add(&without(&is_head), how, is_joined)?;
            }
        }
        Ok(())
    }
}

/// The value in the middle.
fn middle(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// How much shorter than the middle of its list a text is that heads a group.
const SHORTER: f64 = 4.0;

/// Which records are one text that is far shorter than the others; none where those are more than a
/// third.
fn heads_of_groups(view: &View, records: &[Run]) -> Vec<bool> {
    let texts: Vec<Range<usize>> = records.iter().map(|&record| texts_in(view, record)).collect();
    let sizes: Vec<f64> = texts
        .iter()
        .map(|texts| texts.clone().map(|text| view.text(text).len() as f64).sum())
        .collect();
    let bound = middle(&sizes) / SHORTER;
    let found: Vec<bool> =
        texts.iter().zip(&sizes).map(|(texts, &size)| texts.len() == 1 && size < bound).collect();
    if 3 * found.iter().filter(|&&is_head| is_head).count() > records.len() {
        return vec![false; records.len()];
    }
    found
}

/// What the records of a candidate have in common: how they were found, their tag, and the number
/// of their classes or class word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) how: How,
    pub(super) tag: u32,
    pub(super) class: u32,
}

/// Records with one key under parents with one path, and those parents.
#[derive(Default)]
struct Across {
    numbers: Map<(u32, Key), u32>,
    all: Vec<(How, Vec<Part>)>,
}

/// A parent, and the records below it.
type Part = (usize, Vec<Run>);

/// The outermost element that holds the text of a node and no other: lines in a cell and in the one
/// paragraph of a cell are lines of cells.
fn home(view: &View, parent: usize) -> usize {
    let mut home = parent;
    for _ in 0..NEAR {
        let above = view.parent(home);
        if above == 0
            || view.is(above, roles::ROOT)
            || view.text_count(above) != view.text_count(home)
        {
            break;
        }
        home = above;
    }
    home
}

/// Levels above the parents up to which a common ancestor is near by.
const NEAR: usize = 4;

impl Across {
    fn add(&mut self, key: (u32, Key), parent: usize, records: Vec<Run>) {
        let next = self.all.len() as u32;
        let number = *self.numbers.entry(key).or_insert(next);
        match self.all.get_mut(number as usize) {
            Some(entry) => entry.1.push((parent, records)),
            None => self.all.push((key.1.how, vec![(parent, records)])),
        }
    }

    /// Those that stand under several parents, in the order they were met: those near by first,
    /// then all.
    fn joined(self, view: &View) -> Vec<(How, Vec<Run>)> {
        let mut joined = Vec::new();
        for (how, parts) in self.all.into_iter().filter(|(_, parts)| parts.len() > 1) {
            if matches!(how, How::Tag | How::Class | How::Separator) {
                near(view, &parts, &mut |records| joined.push((how, records)));
            }
            joined.push((how, parts.into_iter().flat_map(|(_, records)| records).collect()));
        }
        joined
    }
}

/// Gives out the records of those parents that have an ancestor in common at one of the levels near
/// by, as far as not all have it. Parents with one path stand equally deep, so those below one
/// ancestor are neighbours.
fn near(view: &View, parts: &[Part], give: &mut dyn FnMut(Vec<Run>)) {
    let mut above: Vec<(usize, &Part)> = parts.iter().map(|part| (part.0, part)).collect();
    for _ in 0..NEAR {
        above.iter_mut().for_each(|(node, _)| *node = view.parent(*node));
        if above[0].0 == above[above.len() - 1].0 {
            return;
        }
        for together in
            above.chunk_by(|left, right| left.0 == right.0).filter(|together| together.len() > 1)
        {
            give(together.iter().flat_map(|(_, part)| &part.1).copied().collect());
        }
    }
}

/// The children that have text by tag, by classes, by class word; as places, in the order that the
/// keys are met.
fn clusters(view: &View, children: Range<usize>) -> Vec<(Key, Vec<u32>)> {
    let mut numbers: Map<Key, usize> = Map::default();
    let mut all: Vec<(Key, Vec<u32>)> = Vec::new();
    let mut put = |key: Key, place: u32| {
        // most parents have few kinds of children: looking through them is quicker than a map
        let known = if all.len() < 8 {
            all.iter().position(|entry| entry.0 == key)
        } else {
            numbers.get(&key).copied()
        };
        match known {
            Some(number) => all[number].1.push(place),
            None => {
                all.push((key, vec![place]));
                match all.len() {
                    ..8 => {}
                    8 => numbers
                        .extend(all.iter().enumerate().map(|(number, entry)| (entry.0, number))),
                    _ => drop(numbers.insert(key, all.len() - 1)),
                }
            }
        }
    };
    for place in children {
        let child = view.kids[place] as usize;
        let tag = view.tag[child];
        if tag == TEXT || view.text_count(child) == 0 {
            continue;
        }
        put(Key { how: How::Tag, tag, class: 0 }, place as u32);
        let classes = &view.class_words[view.class[child] as usize];
        if !classes.is_empty() {
            put(Key { how: How::Class, tag, class: view.class[child] }, place as u32);
            for (at, &word) in classes.iter().enumerate() {
                if !classes[..at].contains(&word) {
                    put(Key { how: How::ClassWord, tag, class: word }, place as u32);
                }
            }
        }
    }
    all
}

/// For each threshold, the clusters (two members or more) of those children that have text: each
/// shape joins the first cluster whose leader it is at least so similar to; the most frequent
/// shapes lead.
fn structures(
    view: &View,
    shapes: &mut Shapes<'_>,
    children: Range<usize>,
    rules: &Rules,
    watch: &dyn Watch,
) -> Result<Vec<Vec<Vec<u32>>>> {
    let mut numbers: Map<(u32, u32), usize> = Map::default();
    let mut kinds: Vec<((u32, u32), Vec<u32>)> = Vec::new();
    for place in children {
        let child = view.kids[place] as usize;
        if view.tag[child] == TEXT || view.text_count(child) == 0 {
            continue;
        }
        let kind = (view.tag[child], shapes.of(child));
        let number = *numbers.entry(kind).or_insert(kinds.len());
        match kinds.get_mut(number) {
            Some(entry) => entry.1.push(place as u32),
            None => kinds.push((kind, vec![place as u32])),
        }
    }
    if kinds.iter().map(|(_, members)| members.len()).sum::<usize>() < 2 {
        return Ok(Vec::new());
    }
    kinds.sort_by_key(|(_, members)| (std::cmp::Reverse(members.len()), members[0]));
    let mut found = Vec::with_capacity(rules.thresholds.len());
    for &threshold in &rules.thresholds {
        let mut leaders: Vec<((u32, u32), Vec<u32>)> = Vec::new();
        for (number, (kind, members)) in kinds.iter().enumerate() {
            if number & 0xFF == 0xFF {
                watch.check()?;
            }
            match leaders.iter().position(|(leader, _)| {
                leader.0 == kind.0 && shapes.alike(leader.1, kind.1) >= threshold
            }) {
                Some(at) => leaders[at].1.extend(members),
                None if leaders.len() < rules.most_leaders => {
                    leaders.push((*kind, members.clone()))
                }
                None => {}
            }
        }
        let mut clusters: Vec<Vec<u32>> = leaders
            .into_iter()
            .map(|(_, members)| members)
            .filter(|members| members.len() > 1)
            .collect();
        clusters.iter_mut().for_each(|members| members.sort_unstable());
        found.push(clusters);
    }
    Ok(found)
}

/// Whether a child is a mere break or rule, which starts nothing.
pub(super) fn starts_nothing(view: &View, child: usize) -> bool {
    view.tag[child] == TEXT || view.is(child, roles::BREAK | roles::RULE)
}
