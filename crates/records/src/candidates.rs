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
        let (mut across, mut clusters) = (Across::default(), Clusters::default());
        for parent in 0..view.len() {
            if parent & 0xFFF == 0xFFF {
                watch.check()?;
            }
            let children = view.kid_places(parent);
            if children.is_empty() || view.text_count(parent) == 0 {
                continue;
            }
            let path = shapes.path[parent];
            clusters.find(view, children.clone());
            clusters.give(&mut |key, records| {
                across.add((path, key), parent, records);
                found.add(records, key.how, false)
            })?;
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
                        across.add((path, key), parent, &groups);
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
                across.add((shapes.path[home], key), home, &groups);
                Ok(())
            })?;
        }
        across.joined(view, &mut |how, records| found.add(records, how, true))?;
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
            let of_records: Vec<u32> =
                records.iter().map(|&record| shapes.of_record(record)).collect();
            let close = shapes.closeness(&of_records, rules.most_common);
            let bound = rules.odd * middle(&close);
            let is_odd: Vec<bool> = close.iter().map(|&value| value < bound).collect();
            let is_head = heads_of_groups(self.view, records);
            if !is_odd.contains(&true) && !is_head.contains(&true) {
                continue;
            }
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

/// Which records are one text that is far shorter than the others; empty where no record is, or
/// more than a third.
fn heads_of_groups(view: &View, records: &[Run]) -> Vec<bool> {
    let texts: Vec<Range<usize>> = records.iter().map(|&record| texts_in(view, record)).collect();
    if texts.iter().all(|texts| texts.len() != 1) {
        return Vec::new();
    }
    let sizes: Vec<f64> = texts
        .iter()
        .map(|texts| texts.clone().map(|text| view.text(text).len() as f64).sum())
        .collect();
    let bound = middle(&sizes) / SHORTER;
    let found: Vec<bool> =
        texts.iter().zip(&sizes).map(|(texts, &size)| texts.len() == 1 && size < bound).collect();
    if 3 * found.iter().filter(|&&is_head| is_head).count() > records.len() {
        return Vec::new();
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

/// Records with one key under parents with one path, and those parents. Most keys stand below one
/// parent only, so all parts are kept in one list, and sorted at last.
#[derive(Default)]
struct Across {
    numbers: Map<(u32, Key), u32>,
    how: Vec<How>,
    parts: Vec<Part>,
    records: Vec<Run>,
}

/// The number of a key, a parent, and where the records below it stand among all.
#[derive(Clone, Copy)]
struct Part {
    number: u32,
    parent: usize,
    start: u32,
    end: u32,
}

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
    fn add(&mut self, key: (u32, Key), parent: usize, records: &[Run]) {
        let next = self.how.len() as u32;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.how.push(key.1.how);
        }
        let start = self.records.len() as u32;
        self.records.extend_from_slice(records);
        self.parts.push(Part { number, parent, start, end: self.records.len() as u32 });
    }

    /// Gives out those that stand under several parents, in the order they were met: those near by
    /// first, then all.
    fn joined(
        mut self,
        view: &View,
        give: &mut dyn FnMut(How, &[Run]) -> Result<()>,
    ) -> Result<()> {
        self.parts.sort_by_key(|part| part.number);
        let mut records = Vec::new();
        for parts in self
            .parts
            .chunk_by(|left, right| left.number == right.number)
            .filter(|parts| parts.len() > 1)
        {
            let how = self.how[parts[0].number as usize];
            let mut together = |some: &mut dyn Iterator<Item = &Part>| {
                records.clear();
                records
                    .extend(some.flat_map(|it| &self.records[it.start as usize..it.end as usize]));
                give(how, &records)
            };
            if matches!(how, How::Tag | How::Class | How::Separator) {
                near(view, parts, &mut together)?;
            }
            together(&mut parts.iter())?;
        }
        Ok(())
    }
}

/// Gives out the records of those parents that have an ancestor in common at one of the levels near
/// by, as far as not all have it. Parents with one path stand equally deep, so those below one
/// ancestor are neighbours.
fn near(
    view: &View,
    parts: &[Part],
    give: &mut dyn FnMut(&mut dyn Iterator<Item = &Part>) -> Result<()>,
) -> Result<()> {
    let mut above: Vec<(usize, &Part)> = parts.iter().map(|part| (part.parent, part)).collect();
    for _ in 0..NEAR {
        above.iter_mut().for_each(|(node, _)| *node = view.parent(*node));
        if above[0].0 == above[above.len() - 1].0 {
            return Ok(());
        }
        for together in
            above.chunk_by(|left, right| left.0 == right.0).filter(|together| together.len() > 1)
        {
            give(&mut together.iter().map(|&(_, part)| part))?;
        }
    }
    Ok(())
}

/// The children of a parent that have text, by tag, by classes, by class word. Kept from parent to
/// parent for its memory alone.
#[derive(Default)]
struct Clusters {
    keys: Vec<Key>,
    /// Number of a key, and a child that has it.
    members: Vec<(u32, Run)>,
    numbers: Map<Key, usize>,
    records: Vec<Run>,
}

/// Keys up to which looking through them is quicker than a map; most parents have fewer.
const FEW_KEYS: usize = 8;

impl Clusters {
    /// Finds those of one parent.
    fn find(&mut self, view: &View, children: Range<usize>) {
        self.keys.clear();
        self.members.clear();
        self.numbers.clear();
        for place in children {
            let child = view.kids[place] as usize;
            let tag = view.tag[child];
            if tag == TEXT || view.text_count(child) == 0 {
                continue;
            }
            self.put(Key { how: How::Tag, tag, class: 0 }, place as u32);
            let classes = &view.class_words[view.class[child] as usize];
            if !classes.is_empty() {
                self.put(Key { how: How::Class, tag, class: view.class[child] }, place as u32);
                for (at, &word) in classes.iter().enumerate() {
                    if !classes[..at].contains(&word) {
                        self.put(Key { how: How::ClassWord, tag, class: word }, place as u32);
                    }
                }
            }
        }
    }

    fn put(&mut self, key: Key, place: u32) {
        let known = if self.keys.len() < FEW_KEYS {
            self.keys.iter().position(|&other| other == key)
        } else {
            self.numbers.get(&key).copied()
        };
        let number = known.unwrap_or_else(|| {
            self.keys.push(key);
            match self.keys.len() {
                ..FEW_KEYS => {}
                FEW_KEYS => self
                    .numbers
                    .extend(self.keys.iter().enumerate().map(|(number, &key)| (key, number))),
                _ => drop(self.numbers.insert(key, self.keys.len() - 1)),
            }
            self.keys.len() - 1
        });
        self.members.push((number as u32, Run::one(place)));
    }

    /// Gives them out in the order that the keys were met.
    fn give(&mut self, give: &mut dyn FnMut(Key, &[Run]) -> Result<()>) -> Result<()> {
        self.members.sort_by_key(|member| member.0);
        self.records.clear();
        self.records.extend(self.members.iter().map(|member| member.1));
        let mut start = 0;
        for members in self.members.chunk_by(|left, right| left.0 == right.0) {
            let end = start + members.len();
            give(self.keys[members[0].0 as usize], &self.records[start..end])?;
            start = end;
        }
        Ok(())
    }
}

/// For each threshold, the clusters (two members or more) of those children that have text: each
/// shape joins the first cluster whose leader it is at least so similar to; the most frequent
/// shapes lead. Thresholds that part the children alike come once.
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
        let known = if kinds.len() < FEW_KEYS {
            kinds.iter().position(|entry| entry.0 == kind)
        } else {
            numbers.get(&kind).copied()
        };
        match known {
            Some(number) => kinds[number].1.push(place as u32),
            None => {
                kinds.push((kind, vec![place as u32]));
                match kinds.len() {
                    ..FEW_KEYS => {}
                    FEW_KEYS => numbers
                        .extend(kinds.iter().enumerate().map(|(number, entry)| (entry.0, number))),
                    _ => drop(numbers.insert(kind, kinds.len() - 1)),
                }
            }
        }
    }
    if kinds.iter().map(|(_, members)| members.len()).sum::<usize>() < 2 {
        return Ok(Vec::new());
    }
    if let [(_, members)] = &mut kinds[..] {
        return Ok(vec![vec![std::mem::take(members)]]);
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
        if found.last() != Some(&clusters) {
            found.push(clusters);
        }
    }
    Ok(found)
}

/// Whether a child is a mere break or rule, which starts nothing.
pub(super) fn starts_nothing(view: &View, child: usize) -> bool {
    view.tag[child] == TEXT || view.is(child, roles::BREAK | roles::RULE)
}
