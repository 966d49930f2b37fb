//! Records of several siblings: groups that start at a head, groups between separators.

use std::ops::Range;

use super::candidates::{starts_nothing, How, Key};
use super::rules::roles;
use super::view::TEXT;
use super::{Run, View};
use treelace_tree::error::Result;
use treelace_tree::hash::Map;
use treelace_tree::watch::Watch;

/// Whether a visible text stands in one of these children.
pub(super) fn has_text(view: &View, places: Range<usize>) -> bool {
    places.into_iter().any(|place| view.text_count(view.kids[place] as usize) > 0)
}

/// Gives out the groups that start at a child of one kind and reach to the next of that kind, for
/// each kind that comes back; for the `most_heads` kinds met first, so that pages made to hurt stay
/// linear.
pub(super) fn from_heads(
    view: &View,
    children: Range<usize>,
    structures: &[Vec<Vec<u32>>],
    most_heads: usize,
    watch: &dyn Watch,
    give: &mut dyn FnMut(Key, Vec<Run>) -> Result<()>,
) -> Result<()> {
    if children.len() < 3 {
        return Ok(()); // two heads and something between
    }
    let mut numbers: Map<Key, usize> = Map::default();
    let mut heads: Vec<(Key, Vec<u32>)> = Vec::new();
    let mut put = |key: Key, place: usize| {
        let number = *numbers.entry(key).or_insert(heads.len());
        match heads.get_mut(number) {
            Some(entry) => entry.1.push(place as u32),
            None => heads.push((key, vec![place as u32])),
        }
    };
    for place in children.clone() {
        let child = view.kids[place] as usize;
        if starts_nothing(view, child) {
            continue;
        }
        put(Key { how: How::HeadTag, tag: view.tag[child], class: 0 }, place);
        if view.has_class[child] {
            put(Key { how: How::HeadClass, tag: view.tag[child], class: view.class[child] }, place);
        }
    }
    for (level, clusters) in structures.iter().enumerate() {
        for (number, members) in clusters.iter().enumerate() {
            heads.push((
                Key { how: How::HeadStructure, tag: level as u32, class: number as u32 },
                members.clone(),
            ));
        }
    }
    let mut seen: Map<Vec<u32>, ()> = Map::default();
    let mut tried = 0;
    for (key, starts) in heads {
        if !(2..children.len()).contains(&starts.len()) || seen.insert(starts.clone(), ()).is_some()
        {
            continue;
        }
        let mut groups: Vec<Run> =
            starts.windows(2).map(|pair| Run { start: pair[0], len: pair[1] - pair[0] }).collect();
        if groups.iter().all(|group| group.len == 1) {
            continue;
        }
        tried += 1;
        if tried > most_heads {
            break;
        }
        watch.check()?;
        groups.push(last_group(view, &groups, starts[starts.len() - 1] as usize..children.end));
        give(key, groups)?;
    }
    Ok(())
}

/// How far the last group goes: no longer than the longest, and to the last child of a kind that
/// the others have after their head.
fn last_group(view: &View, groups: &[Run], rest: Range<usize>) -> Run {
    let kind = |place: usize| {
        let child = view.kids[place] as usize;
        (view.tag[child], view.class[child])
    };
    let mut known: Map<(u32, u32), ()> = Map::default();
    known.extend(
        groups.iter().flat_map(|group| group.places().skip(1)).map(|place| (kind(place), ())),
    );
    let longest = groups.iter().map(|group| group.len as usize).max().unwrap_or(1).min(rest.len());
    let len = (1..longest)
        .find(|&at| !known.contains_key(&kind(rest.start + at)))
        .unwrap_or(longest.max(1));
    Run { start: rest.start as u32, len: len as u32 }
}

/// Gives out the groups between children of one tag that hold no text (between runs of line breaks
/// where there are any), with the key of that tag. A line break at the end of a child with text
/// (`<a>Agenda<br></a>`) ends a group too.
pub(super) fn between(
    view: &View,
    children: Range<usize>,
    give: &mut dyn FnMut(Key, Vec<Run>) -> Result<()>,
) -> Result<()> {
    let mut numbers: Map<u32, usize> = Map::default();
    let mut empty: Vec<(u32, Vec<Cut>)> = Vec::new();
    for place in children.clone() {
        let child = view.kids[place] as usize;
        let Some((tag, cut)) = cut_at(view, child, place) else { continue };
        let number = *numbers.entry(tag).or_insert(empty.len());
        match empty.get_mut(number) {
            Some((_, places)) => places.push(cut),
            None => empty.push((tag, vec![cut])),
        }
    }
    for (tag, mut cuts) in empty {
        if view.tag_roles[tag as usize] & roles::BREAK != 0 {
            let doubled: Vec<Cut> =
                cuts.windows(2).filter(|pair| pair[1].0 == pair[0].1).map(|pair| pair[0]).collect();
            if !doubled.is_empty() {
                cuts = doubled;
            }
        }
        let mut groups = Vec::with_capacity(cuts.len() + 1);
        let mut start = children.start;
        for (stop, next) in cuts.into_iter().chain([(children.end, children.end)]) {
            if has_text(view, start..stop) {
                groups.push(Run { start: start as u32, len: (stop - start) as u32 });
            }
            start = next;
        }
        if groups.len() > 1 {
            give(Key { how: How::Separator, tag, class: 0 }, groups)?;
        }
    }
    Ok(())
}

/// Nodes that nobody sees after a line break at the end of an element.
const MOST_NODES_AFTER_BREAK: usize = 4;

/// Where a group ends, and where the next one starts.
type Cut = (usize, usize);

/// The cut that a child makes, with the tag of what cuts: itself where it has no text, or the line
/// break it ends in.
fn cut_at(view: &View, child: usize, place: usize) -> Option<(u32, Cut)> {
    if view.tag[child] == TEXT {
        return None;
    }
    if view.text_count(child) == 0 {
        return Some((view.tag[child], (place, place + 1)));
    }
    let mut inside = (child + 1..view.tree.end(child)).rev().take(MOST_NODES_AFTER_BREAK);
    let last = inside.find(|&at| view.shown[at])?;
    (view.is(last, roles::BREAK)).then_some((view.tag[last], (place + 1, place + 1)))
}
