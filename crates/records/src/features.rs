//! Features: what a candidate looks like, as numbers that a ranking can weigh.

use super::candidates::How;
use super::context::{Context, CONTEXT};
use super::facts::{Fact, Facts};
use super::measured::{Measured, Sums};
use super::rules::{roles, Rules};
use super::shapes::Shapes;
use super::{Candidates, Run, View};
use treelace_tree::error::Result;
use treelace_tree::tree::NONE;
use treelace_tree::watch::Watch;

/// How many features there are: those of the records, and those of where they stand.
pub const FEATURES: usize = OWN + CONTEXT;
const OWN: usize = 55;

/// The feature that says how alike the records are.
pub(super) const CLOSE_MEAN: usize = 21;

/// The candidates of a page, and their features: one row of [`FEATURES`] numbers for each
/// candidate.
pub fn measure(
    view: &View,
    rules: &Rules,
    budget: u64,
    watch: &dyn Watch,
) -> Result<(Candidates, Vec<f64>)> {
    let mut shapes = Shapes::new(view, rules.most_nodes);
    let candidates = Candidates::of(view, &mut shapes, rules, budget, watch)?;
    let mut measured = Measured::of(view, &shapes, rules, watch)?;
    let mut context = Context::of(&measured, rules, candidates.len());
    let mut all = Vec::with_capacity(candidates.len() * FEATURES);
    let (mut facts, mut known) = (Facts::new(view), Vec::new());
    for c in 0..candidates.len() {
        if c & 0x3F == 0x3F {
            watch.check()?;
        }
        let some = sampled(candidates.records(c), rules.most_records);
        known.clear();
        known.extend(some.iter().map(|&it| facts.of(it, &measured, &mut shapes, &context)));
        let it = Sampled { records: &some, facts: &known };
        all.extend_from_slice(&features(&mut measured, &mut shapes, rules, &candidates, c, it));
        all.extend_from_slice(&context.measure(candidates.records(c), it));
    }
    Ok((candidates, all))
}

/// The records of a candidate that are looked at one by one, and what is known of each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sampled<'a> {
    pub(super) records: &'a [Run],
    pub(super) facts: &'a [Fact],
}

fn features(
    measured: &mut Measured<'_>,
    shapes: &mut Shapes<'_>,
    rules: &Rules,
    candidates: &Candidates,
    c: usize,
    sampled: Sampled<'_>,
) -> [f64; OWN] {
    let (view, records) = (measured.view, candidates.records(c));
    let (how, is_joined) = (candidates.how[c], candidates.is_joined[c]);
    let Sampled { records: some, facts } = sampled;
    let count = some.len() as f64;
    let root = |record: Run| view.kids[record.start as usize] as usize;
    let page_chars = f64::from(measured.before[view.len()].chars.max(1));
    let page_texts = view.text_nodes.len().max(1) as f64;

    let chars: Vec<f64> = facts.iter().map(|it| f64::from(it.held.chars)).collect();
    let texts: Vec<f64> = facts.iter().map(|it| f64::from(it.texts)).collect();
    let roots: Vec<f64> = some.iter().map(|record| f64::from(record.len)).collect();
    let share = |is_so: &dyn Fn(&Sums) -> bool| {
        facts.iter().filter(|it| is_so(&it.held)).count() as f64 / count
    };
    let shape_of: Vec<u32> = facts.iter().map(|it| it.shape).collect();
    let mut close = shapes.closeness(&shape_of, rules.most_common);
    close.sort_by(f64::total_cmp);
    let mut sorted_chars = chars.clone();
    sorted_chars.sort_by(f64::total_cmp);

    let first = root(records[0]);
    let last_run = records[records.len() - 1];
    let last = view.kids[last_run.places().end - 1] as usize;
    let parent = view.parent(first);
    let (frame, list_words) = measured.frames[parent];
    let whole: f64 = records.iter().map(|&record| chars_in(measured, record)).sum();
    let all_texts: usize = records.iter().map(|&record| texts_in(view, record).len()).sum();
    let around = around(view, first, last);
    let sizes = &shape_of[..shape_of.len().min(20)];
    let (before, after) = beside(view, shapes, records);
    let mean_chars = chars.iter().sum::<f64>() / count;
    let mean_texts = texts.iter().sum::<f64>() / count;
    let link_chars: f64 = facts.iter().map(|it| f64::from(it.held.link_chars)).sum();
    let links: f64 = facts.iter().map(|it| f64::from(it.held.links)).sum();
    let repeats: f64 = some
        .iter()
        .filter(|record| record.len == 1)
        .map(|&record| measured.repeats_inside(shapes, root(record)))
        .sum();
    let span = f64::from(view.text_before[view.tree.end(last)] - view.text_before[first]);
    let firsts = distinct(facts.iter().filter_map(|it| it.first_text));
    let bodies = distinct(facts.iter().map(|it| it.body));
    let top = view.roles(first);
    let is = |claim: bool| f64::from(u8::from(claim));

    [
        (records.len() as f64).ln(),
        is(records.len() == 2),
        is(records.len() == 3),
        is(records.len() >= 6),
        whole / page_chars,
        all_texts as f64 / page_texts,
        mean_chars.ln_1p(),
        spread(&chars),
        mean_texts.ln_1p(),
        spread(&texts),
        texts.iter().filter(|&&number| number == 1.0).count() as f64 / count,
        link_chars / chars.iter().sum::<f64>().max(1.0),
        share(&|it| f64::from(it.link_chars) >= 0.95 * f64::from(it.chars)),
        facts.iter().filter(|it| it.starts_with_link).count() as f64 / count,
        share(&|it| it.links > 0),
        (links / count).ln_1p(),
        share(&|it| it.images > 0),
        share(&|it| it.headings > 0),
        share(&|it| it.digits > 0),
        share(&|it| it.prices > 0),
        share(&|it| it.controls > 0),
        close.iter().sum::<f64>() / count,
        close[close.len() / 4],
        (sizes.iter().map(|&shape| shapes.size(shape) as f64).sum::<f64>() / sizes.len() as f64)
            .ln_1p(),
        bodies as f64 / count,
        firsts as f64 / count,
        distinct(shape_of.iter().map(|&shape| u64::from(shape))) as f64 / count,
        is(some.iter().all(|&record| view.tag[root(record)] == view.tag[first])),
        is(some.iter().all(|&record| view.class[root(record)] == view.class[first])),
        frame,
        list_words,
        f64::from(view.tree.depth(first).min(40)) / 20.0,
        f64::from(measured.before[first].chars) / page_chars,
        f64::from(measured.before[view.tree.end(last)].chars) / page_chars,
        (roots.iter().sum::<f64>() / count).ln(),
        is(some.iter().any(|record| record.len > 1)),
        spread(&roots),
        is(is_joined),
        whole / f64::from(measured.inside(around).chars.max(1)),
        before,
        after,
        repeats / count,
        if is_joined {
            0.0
        } else {
            f64::from(measured.path_counts.get(&shapes.path[parent]).copied().unwrap_or(1)).ln()
        },
        is(top & roles::ROW != 0),
        is(top & roles::CELL != 0),
        is(top & roles::MEMBER != 0),
        is(top & roles::LINK != 0),
        is(top & roles::HEADING != 0),
        is(matches!(how, How::Class | How::ClassWord)),
        is(how == How::Structure),
        is(how == How::Separator),
        is(matches!(how, How::HeadTag | How::HeadClass | How::HeadStructure)),
        (1.0 - all_texts as f64 / span.max(1.0)).max(0.0),
        sorted_chars[sorted_chars.len() / 4] / if mean_chars == 0.0 { 1.0 } else { mean_chars },
        (whole / page_chars + 1e-4).ln(),
    ]
}

/// The records that are looked at one by one: evenly spread, the first and the last among them.
fn sampled(records: &[Run], most: usize) -> Vec<Run> {
    let step = (records.len() / most.max(1)).max(1);
    let mut some: Vec<Run> = records.iter().step_by(step).copied().collect();
    if step > 1 {
        some.push(records[records.len() - 1]);
    }
    some
}

/// The visible texts of a record, as numbers of texts: neighbours, as all text between two children
/// is theirs.
#[inline]
pub(super) fn texts_in(view: &View, record: Run) -> std::ops::Range<usize> {
    let places = record.places();
    let (first, last) = (view.kids[places.start] as usize, view.kids[places.end - 1] as usize);
    view.text_before[first] as usize..view.text_before[view.tree.end(last)] as usize
}

fn chars_in(measured: &Measured<'_>, record: Run) -> f64 {
    let places = record.places();
    let (first, last) =
        (measured.view.kids[places.start] as usize, measured.view.kids[places.end - 1] as usize);
    f64::from(measured.before[measured.view.tree.end(last)].chars - measured.before[first].chars)
}

/// How many different numbers there are.
fn distinct(numbers: impl Iterator<Item = u64>) -> usize {
    let mut all: Vec<u64> = numbers.collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

/// Standard deviation over mean, at most 3.
fn spread(numbers: &[f64]) -> f64 {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    if mean == 0.0 {
        return 3.0;
    }
    let squares: f64 = numbers.iter().map(|number| (number - mean) * (number - mean)).sum();
    ((squares / count).sqrt() / mean).min(3.0)
}

/// The lowest element around the first and the last node.
fn around(view: &View, first: usize, last: usize) -> usize {
    let mut above = view.parent(first);
    while above > 0 && !(above < last && last < view.tree.end(above)) {
        above = view.parent(above);
    }
    above
}

/// How alike the nearest siblings with text before and after the region are to its records: high
/// where records were left out.
fn beside(view: &View, shapes: &mut Shapes<'_>, records: &[Run]) -> (f64, f64) {
    let (first, last) = (records[0], records[records.len() - 1]);
    let before = |place: usize, range: std::ops::Range<usize>| {
        (range.start..place).rev().find(|&at| view.text_count(view.kids[at] as usize) > 0)
    };
    let after = |place: usize, range: std::ops::Range<usize>| {
        (place + 1..range.end).find(|&at| view.text_count(view.kids[at] as usize) > 0)
    };
    let mut alike = |record: Run, place: usize, found: Option<usize>| {
        let Some(sibling) = found.map(|at| view.kids[at] as usize) else { return 0.0 };
        if record.len == 1 {
            let (left, right) = (shapes.of(sibling), shapes.of(view.kids[place] as usize));
            return shapes.alike(left, right);
        }
        let ends = [record.places().start, record.places().end - 1];
        0.5 * f64::from(u8::from(
            ends.iter().any(|&end| view.tag[view.kids[end] as usize] == view.tag[sibling]),
        ))
    };
    // where formatting was passed over, the siblings are not the parent's own
    let range = |place: usize| {
        let node = view.kids[place] as usize;
        (view.owner[node] == view.tree.parent(node) && view.owner[node] != NONE)
            .then(|| view.kid_places(view.owner[node] as usize))
    };
    let (start, end) = (first.places().start, last.places().end - 1);
    let left = range(start).map_or(0.0, |range| alike(first, start, before(start, range)));
    let right = range(end).map_or(0.0, |range| alike(last, end, after(end, range)));
    (left, right)
}
