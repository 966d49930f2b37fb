//! Context: where on its page a candidate stands, what is written above it, and how its texts read.

use super::facts::{Fact, Reads};
use super::features::{texts_in, Sampled};
use super::measured::Measured;
use super::rules::{names_clock, roles, text_days, Rules, TOPICS};
use super::view::TEXT;
use super::{Run, View};

/// How many numbers of context there are.
pub const CONTEXT: usize = 36 + 3 * TOPICS;

/// The tags a node can stand inside of, each a number of context.
const PLACES: [u32; 6] =
    [roles::MAIN, roles::ARTICLE, roles::ASIDE, roles::HEADER, roles::NAVIGATION, roles::FOOTER];

/// Levels above a list that are looked at for elements that repeat.
const LEVELS: usize = 4;

/// Words from which on a text is running text, and up to which a record has few.
const LONG: u32 = 20;
const FEW: u32 = 2;

/// What the numbers of one text add up to: sums over all texts before it.
#[derive(Debug, Clone, Copy, Default)]
struct TextSums {
    chars: u32,
    words: u32,
    sentences: u32,
    commas: u32,
    days: u32,
    clocks: u32,
}

/// What is known of a page before its candidates are looked at.
#[derive(Debug)]
pub(super) struct Context<'v> {
    view: &'v View,
    rules: &'v Rules,
    /// Before each text, and at last of all.
    before: Vec<TextSums>,
    /// Bits of the topics that each element names itself, and how much those around and at each
    /// speak of them.
    own: Vec<u8>,
    around: Vec<[f64; TOPICS]>,
    /// Bits of [`PLACES`] that each node stands in; list items and tables around each.
    places: Vec<u8>,
    items_around: Vec<u16>,
    tables_around: Vec<u16>,
    /// List items before each node, and at last of all.
    items: Vec<u32>,
    /// The headings that have text, in document order; the page's title and its main part.
    headings: Vec<usize>,
    title: Option<usize>,
    main: Option<usize>,
    page: [f64; 5],
    repeats: Vec<f64>,
    /// Bits of the topics that each short text names, as far as they were asked for.
    said: Vec<Option<u8>>,
}

impl<'v> Context<'v> {
    pub(super) fn of(measured: &Measured<'v>, rules: &'v Rules, candidates: usize) -> Self {
        let view = measured.view;
        let n = view.len();
        let mut it = Context {
            view,
            rules,
            before: text_sums(view),
            own: vec![0; n],
            around: vec![[0.0; TOPICS]; n],
            places: vec![0; n],
            items_around: vec![0; n],
            tables_around: vec![0; n],
            items: vec![0; n + 1],
            headings: Vec::new(),
            title: None,
            main: None,
            page: [0.0; 5],
            repeats: vec![f64::NAN; n],
            said: vec![None; view.text_nodes.len()],
        };
        it.walk(rules);
        let all = it.before[view.text_nodes.len()];
        let (texts, chars) = (view.text_nodes.len() as f64, f64::from(all.chars));
        let long: u32 = it
            .before
            .windows(2)
            .map(|pair| pair[1].words - pair[0].words)
            .filter(|&words| words >= LONG)
            .sum();
        let links = f64::from(measured.before[n].link_chars);
        it.page = [
            (candidates as f64).ln(),
            texts.ln_1p(),
            (chars / texts.max(1.0)).ln_1p(),
            f64::from(long) / f64::from(all.words.max(1)),
            links / chars.max(1.0),
        ];
        it
    }

    /// Fills what is known of each node, from the top down.
    fn walk(&mut self, rules: &Rules) {
        let view = self.view;
        let mut by_class: Vec<Option<u8>> = vec![None; view.class_words.len()];
        for i in 1..view.len() {
            let above = view.parent(i);
            self.items[i + 1] = self.items[i];
            (self.places[i], self.items_around[i], self.tables_around[i]) =
                (self.places[above], self.items_around[above], self.tables_around[above]);
            self.around[i] = self.around[above];
            if view.tag[i] == TEXT || !view.shown[i] {
                continue;
            }
            let mut is = view.roles(i);
            self.own[i] = self.topics(i, rules, &mut by_class, &mut is);
            for (topic, value) in self.around[i].iter_mut().enumerate() {
                let names_it = self.own[i] & 1 << topic != 0 && is & roles::ROOT == 0;
                *value = if names_it { 1.0 } else { *value * rules.fading };
            }
            for (bit, place) in PLACES.iter().enumerate() {
                self.places[i] |= u8::from(is & place != 0) << bit;
            }
            self.items_around[i] +=
                u16::from(is & roles::ITEM != 0 && self.items_around[i] < u16::MAX);
            self.tables_around[i] +=
                u16::from(is & roles::TABLE != 0 && self.tables_around[i] < u16::MAX);
            self.items[i + 1] += u32::from(is & roles::ITEM != 0);
            if is & roles::TITLE != 0 && view.text_count(i) > 0 {
                self.headings.push(i);
                self.title = self.title.or((is & roles::FIRST_TITLE != 0).then_some(i));
            }
            self.main = self.main.or((is & roles::MAIN != 0).then_some(i));
        }
        self.main =
            self.main.or((1..view.len()).find(|&i| view.shown[i] && view.is(i, roles::ARTICLE)));
    }

    /// The topics that an element names by its classes, id, role and property; its role adds to
    /// what its tag is.
    fn topics(&self, i: usize, rules: &Rules, by_class: &mut [Option<u8>], is: &mut u32) -> u8 {
        let tree = &self.view.tree;
        let mut found = 0;
        for a in
            tree.attributes(i).filter(|&a| tree.names().namespace(tree.attr_name(a)).is_empty())
        {
            let value = tree.attr_value(a);
            match tree.attr_local(a) {
                "class" => {
                    found |= *by_class[self.view.class[i] as usize]
                        .get_or_insert_with(|| rules.topics.bits_in(value))
                }
                "role" => {
                    found |= rules.topics.bits_in(value);
                    *is |= rules.landmarks.get(value).copied().unwrap_or(0);
                }
                "id" | "itemprop" => found |= rules.topics.bits_in(value),
                _ => {}
            }
        }
        found
    }

    /// The numbers of a candidate: `sampled` are those of its records that are looked at one by
    /// one.
    pub(super) fn measure(&mut self, records: &[Run], sampled: Sampled<'_>) -> [f64; CONTEXT] {
        let (view, some) = (self.view, sampled.records);
        let first = view.kids[records[0].start as usize] as usize;
        let last = view.kids[records[records.len() - 1].places().end - 1] as usize;
        let parent = view.parent(first);
        let mut all = Vec::with_capacity(CONTEXT);
        all.extend(self.form(sampled.facts));
        all.extend((0..PLACES.len()).map(|bit| f64::from(self.places[first] >> bit & 1)));
        all.extend(
            (0..TOPICS).map(|topic| self.share(some, |root| self.own[root] & 1 << topic != 0)),
        );
        all.extend(self.around[parent]);
        all.extend(self.titles(first, last, records.len()));
        all.extend(self.page);
        all.extend(self.in_main(records, first));
        let siblings = view.children(view.owner[first] as usize).len();
        all.extend([
            self.share(some, |root| self.items[view.tree.end(root)] > self.items[root + 1]),
            f64::from(self.items_around[parent]),
            f64::from(self.tables_around[parent]),
            (siblings as f64).ln_1p(),
            self.repeats_above(parent),
            f64::from(u8::from(view.is(parent, roles::NUMBERED))),
        ]);
        all.extend(self.days(records, sampled.facts));
        all.extend(self.said_above(first));
        let mut numbers = [0.0; CONTEXT];
        numbers.copy_from_slice(&all);
        numbers
    }

    /// Share of the records whose first element is so.
    fn share(&self, some: &[Run], is_so: impl Fn(usize) -> bool) -> f64 {
        some.iter().filter(|record| is_so(self.view.kids[record.start as usize] as usize)).count()
            as f64
            / some.len() as f64
    }

    /// How the texts of a record read.
    pub(super) fn reads(&self, texts: std::ops::Range<usize>) -> Reads {
        let held =
            |texts: std::ops::Range<usize>| (self.before[texts.start], self.before[texts.end]);
        let (start, end) = held(texts.clone());
        let opening = texts
            .clone()
            .find_map(|text| self.view.text(text).chars().find(|c| c.is_alphanumeric()));
        let closing = texts
            .clone()
            .rev()
            .map(|text| self.view.text(text))
            .find(|text| text.chars().nth(1).is_some());
        Reads {
            few_words: end.words - start.words <= FEW,
            starts_with_number: opening.is_some_and(char::is_numeric),
            ends_with_stop: closing.is_some_and(|text| text.ends_with(is_stop)),
            starts_with_capital: opening.is_some_and(char::is_uppercase),
            sentences: end.sentences - start.sentences,
            commas: end.commas - start.commas,
            days: end.days - start.days,
            clocks: end.clocks - start.clocks,
            starts_with_day: !texts.is_empty() && {
                let (start, end) = held(texts.start..texts.start + 1);
                end.days > start.days
            },
        }
    }

    /// How the texts read: few words, a number or a capital first, a full stop last; sentences and
    /// commas a record.
    fn form(&self, facts: &[Fact]) -> [f64; 6] {
        let mean = |count: &dyn Fn(&Reads) -> u32| {
            f64::from(facts.iter().map(|it| count(&it.reads)).sum::<u32>()) / facts.len() as f64
        };
        [
            mean(&|it| u32::from(it.few_words)),
            mean(&|it| u32::from(it.starts_with_number)),
            mean(&|it| u32::from(it.ends_with_stop)),
            mean(&|it| u32::from(it.starts_with_capital)),
            mean(&|it| it.sentences).ln_1p(),
            mean(&|it| it.commas).ln_1p(),
        ]
    }

    /// Share of the records that name a day, that begin with one, that name just one; days a
    /// record; share of the page's days that the list has; share of the records that say a time.
    fn days(&self, records: &[Run], facts: &[Fact]) -> [f64; 6] {
        let mean = |count: &dyn Fn(&Reads) -> u32| {
            f64::from(facts.iter().map(|it| count(&it.reads)).sum::<u32>()) / facts.len() as f64
        };
        let all = self.before[self.before.len() - 1].days;
        let whole: u32 = if all == 0 {
            0
        } else {
            records
                .iter()
                .map(|&record| texts_in(self.view, record))
                .map(|texts| self.before[texts.end].days - self.before[texts.start].days)
                .sum()
        };
        [
            mean(&|it| u32::from(it.days > 0)),
            mean(&|it| u32::from(it.starts_with_day)),
            mean(&|it| u32::from(it.days == 1)),
            mean(&|it| it.days).ln_1p(),
            f64::from(whole) / f64::from(all.max(1)),
            mean(&|it| u32::from(it.clocks > 0)),
        ]
    }

    /// The topics that are named above the list: by the text before it and the heading near by,
    /// else by the heading before that one.
    fn said_above(&mut self, first: usize) -> [f64; TOPICS] {
        let view = self.view;
        let start = view.text_before[first] as usize;
        let before = self.headings.partition_point(|&heading| heading < first);
        let mut bits = if start > 0 { self.said_by(start - 1..start) } else { 0 };
        for (number, at) in (0..before).rev().take(2).enumerate() {
            let texts = view.texts_in(self.headings[at]);
            if texts.end + NEAR_HEADING >= start && (number == 0 || bits == 0) {
                bits |= self.said_by(texts);
            }
        }
        std::array::from_fn(|topic| f64::from(bits >> topic & 1))
    }

    fn said_by(&mut self, texts: std::ops::Range<usize>) -> u8 {
        let (view, rules) = (self.view, self.rules);
        texts.fold(0, |bits, text| {
            bits | *self.said[text].get_or_insert_with(|| {
                let words = view.text(text);
                let is_short = words.chars().nth(MOST_OF_HEADING).is_none();
                if is_short {
                    rules.topics.bits_in(words)
                } else {
                    0
                }
            })
        })
    }

    /// The heading before the list: texts between, its length; headings inside, a record; texts to
    /// the next; how far from the title.
    fn titles(&self, first: usize, last: usize, records: usize) -> [f64; 5] {
        let view = self.view;
        let (before, end) =
            (self.headings.partition_point(|&heading| heading < first), view.tree.end(last));
        let after = self.headings.partition_point(|&heading| heading < end);
        let chars_before =
            |node: usize| f64::from(self.before[view.text_before[node] as usize].chars);
        let heading = before.checked_sub(1).map(|at| self.headings[at]);
        let (between, length) = heading.map_or((FAR, 0.0), |it| {
            let texts = view.text_before[first].saturating_sub(view.text_before[view.tree.end(it)]);
            (f64::from(texts).ln_1p(), (chars_before(view.tree.end(it)) - chars_before(it)).ln_1p())
        });
        let next = self.headings.get(after).map_or(FAR, |&it| {
            f64::from(view.text_before[it].saturating_sub(view.text_before[end])).ln_1p()
        });
        let page = chars_before(view.len()).max(1.0);
        let from_title =
            self.title.map_or(-1.0, |title| (chars_before(first) - chars_before(title)) / page);
        [between, length, ((after - before) as f64 / records as f64).ln_1p(), next, from_title]
    }

    /// Where in the page's main part the list starts, and how much of it it is.
    fn in_main(&self, records: &[Run], first: usize) -> [f64; 2] {
        let Some(main) = self.main else { return [-2.0, 0.0] };
        let view = self.view;
        let chars_before = |text: usize| f64::from(self.before[text].chars);
        let (start, end) =
            (chars_before(view.texts_in(main).start), chars_before(view.texts_in(main).end));
        let whole = (end - start).max(1.0);
        let held: f64 = records
            .iter()
            .map(|&record| texts_in(view, record))
            .map(|texts| chars_before(texts.end) - chars_before(texts.start))
            .sum();
        let from = chars_before(view.text_before[first] as usize);
        [((from - start) / whole).clamp(-1.0, 2.0), (held / whole).min(2.0)]
    }

    /// The most siblings with one tag, the same classes and text that an element around the list
    /// has, as a logarithm.
    fn repeats_above(&mut self, parent: usize) -> f64 {
        if self.repeats[parent].is_nan() {
            let view = self.view;
            let (mut most, mut node) = (0, parent);
            for _ in 0..LEVELS {
                if node == 0 || view.is(node, roles::ROOT) {
                    break;
                }
                let above = view.parent(node);
                let is_like = |&&other: &&u32| {
                    let other = other as usize;
                    view.tag[other] == view.tag[node]
                        && view.class[other] == view.class[node]
                        && view.text_count(other) > 0
                };
                most = most
                    .max(view.children(above).iter().take(MOST_SIBLINGS).filter(is_like).count());
                node = above;
            }
            self.repeats[parent] = (most as f64).ln_1p();
        }
        self.repeats[parent]
    }
}

/// What stands for a heading that is not there: as far as some four hundred texts.
const FAR: f64 = 6.0;

/// Texts up to a heading that still speaks of a list, and letters of a text that may be one.
const NEAR_HEADING: usize = 12;
const MOST_OF_HEADING: usize = 60;

/// Siblings that are looked at, so that many lists below one parent stay linear.
const MOST_SIBLINGS: usize = 200;

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？')
}

fn text_sums(view: &View) -> Vec<TextSums> {
    let mut sum = TextSums::default();
    let mut all = Vec::with_capacity(view.text_nodes.len() + 1);
    all.push(sum);
    let texts: Vec<&str> = (0..view.text_nodes.len()).map(|text| view.text(text)).collect();
    let days = text_days(&texts);
    for (&text, is_day) in texts.iter().zip(days) {
        let mut last = ' ';
        for c in text.chars() {
            sum.chars += 1;
            sum.words += u32::from(c == ' ');
            sum.commas += u32::from(c == ',');
            sum.sentences += u32::from(c == ' ' && is_stop(last));
            last = c;
        }
        sum.words += 1;
        sum.sentences += u32::from(is_stop(last));
        sum.days += u32::from(is_day);
        sum.clocks += u32::from(names_clock(text));
        all.push(sum);
    }
    all
}
