//! Who votes for whom: content that occurs once in each version speaks for the parents it stands
//! in.
//!
//! An anchor is a largest subtree whose class occurs once in each version; it votes for its two
//! parents with its heft (what it says, not how long it is: one long text must not outvote all the
//! others of a record). In the texts and elements outside the anchors, words and attributes that
//! occur once in each version vote for the nodes that hold them. Pairs are judged from the leaves
//! up, when everything below both has been heard: a majority on both sides passes the votes on to
//! the parents; by two voices or more it is also taken as a pair. One voice is not enough, or a
//! child that moves out of a thin container would drag the container along.

use super::super::subtrees::{heft_of, pair, text_hash, Side};
use super::{Options, State, VOTED};
use treelace_tree::error::Result;
use treelace_tree::hash::Map;
use treelace_tree::tree::{attr_flags, Format, Kind, NONE};
use treelace_tree::watch::Watch;

/// What an attribute that identifies its element weighs.
const KEY: u32 = 120;

/// One voted pair.
pub(super) struct Vote {
    pub old: u32,
    pub new: u32,
    /// Heft of what speaks for it.
    pub weight: u32,
    /// How loud its voices are together: every voice that is not followed is a move, whatever its
    /// heft.
    pub loudness: u32,
    /// How many voices.
    pub voices: u32,
    /// The next vote for the same new node.
    next: u32,
}

/// All votes.
pub(super) struct Votes {
    number: Map<u64, u32>,
    pub all: Vec<Vote>,
    /// First vote of each new node.
    first: Vec<u32>,
    /// Loudness of all votes for each old node.
    pub old_sum: Vec<u32>,
    /// Loudness of all votes for each new node.
    pub new_sum: Vec<u32>,
    /// The vote that is the majority for each old and each new node, where there is one.
    majority: (Vec<u32>, Vec<u32>),
}

impl Votes {
    fn new(old: usize, new: usize) -> Self {
        Votes {
            number: Map::default(),
            all: Vec::new(),
            first: vec![NONE; new],
            old_sum: vec![0; old],
            new_sum: vec![0; new],
            majority: (Vec::new(), Vec::new()),
        }
    }

    /// Adds a vote; `true` if it is the first for this pair.
    fn cast(&mut self, old: usize, new: usize, weight: u32, voices: u32) -> bool {
        let loudness = if voices > 1 { weight } else { loudness(weight) };
        self.old_sum[old] = self.old_sum[old].saturating_add(loudness);
        self.new_sum[new] = self.new_sum[new].saturating_add(loudness);
        let next = self.all.len() as u32;
        let number = *self.number.entry((old as u64) << 32 | new as u64).or_insert(next);
        if number == next {
            self.all.push(Vote {
                old: old as u32,
                new: new as u32,
                weight,
                loudness,
                voices,
                next: self.first[new],
            });
            self.first[new] = number;
            return true;
        }
        let vote = &mut self.all[number as usize];
        vote.weight = vote.weight.saturating_add(weight);
        vote.loudness = vote.loudness.saturating_add(loudness);
        vote.voices += voices;
        false
    }

    /// The votes for a new node.
    pub fn of(&self, new: usize) -> impl Iterator<Item = &Vote> {
        let mut next = self.first[new];
        std::iter::from_fn(move || {
            let vote = self.all.get(next as usize)?;
            next = vote.next;
            Some(vote)
        })
    }

    /// Whether a vote is the majority on both sides.
    pub fn is_majority(&self, vote: &Vote) -> bool {
        let twice = u64::from(vote.loudness) * 2;
        twice > u64::from(self.old_sum[vote.old as usize])
            && twice > u64::from(self.new_sum[vote.new as usize])
    }

    /// Notes the majorities, when all votes are cast.
    fn count(&mut self) {
        let mut majority = (vec![NONE; self.old_sum.len()], vec![NONE; self.new_sum.len()]);
        for (number, vote) in self.all.iter().enumerate().filter(|(_, vote)| self.is_majority(vote))
        {
            majority.0[vote.old as usize] = number as u32;
            majority.1[vote.new as usize] = number as u32;
        }
        self.majority = majority;
    }

    /// The vote that is the majority for old node `i` and for its new one.
    pub fn majority_of_old(&self, i: usize) -> Option<&Vote> {
        self.all.get(self.majority.0[i] as usize)
    }

    /// The vote that is the majority for new node `j` and for its old one.
    pub fn majority_of_new(&self, j: usize) -> Option<&Vote> {
        self.all.get(self.majority.1[j] as usize)
    }
}

/// One voice of some heft: a large subtree is louder than a small one, but not than two.
fn loudness(weight: u32) -> u32 {
    if weight <= 16 {
        weight
    } else {
        (4.0 * (weight as f32).log2()) as u32
    }
}

/// Finds anchors, pairs them, collects the votes and pairs what they elect.
pub(super) fn collect(
    state: &mut State<'_, '_>,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Votes> {
    let subtrees = state.subtrees;
    let (old, new) = (&subtrees.old, &subtrees.new);
    let heights = (heights(old), heights(new));
    let mut votes = Votes::new(old.tree.len(), new.tree.len());
    // votes to judge, by the larger height of the two
    let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); heights.0[0].max(heights.1[0]) as usize + 1];
    let cast = |votes: &mut Votes,
                waiting: &mut Vec<Vec<u32>>,
                i: usize,
                j: usize,
                weight: u32,
                voices: u32| {
        if i != 0 && j != 0 && votes.cast(i, j, weight, voices) {
            waiting[heights.0[i].max(heights.1[j]) as usize].push(votes.all.len() as u32 - 1);
        }
    };
    let mut j = 1;
    while j < new.tree.len() {
        let class = new.class[j];
        if !subtrees.is_unique(class) || new.is_blank[j] {
            j += 1;
            continue;
        }
        let i = subtrees.first_old[class as usize] as usize;
        state.pair_subtrees(i, j);
        let weight = (new.heft[j] as f32 * state.steady[new.label[j] as usize]) as u32;
        cast(
            &mut votes,
            &mut waiting,
            old.tree.parent(i) as usize,
            new.tree.parent(j) as usize,
            weight.max(1),
            1,
        );
        j = new.tree.end(j);
    }
    watch.check()?;
    for (i, j, weight, voices) in small_evidence(state, options, watch)? {
        cast(&mut votes, &mut waiting, i as usize, j as usize, weight, voices);
    }
    for height in 0..waiting.len() {
        if height.is_multiple_of(1024) {
            watch.check()?;
        }
        for number in std::mem::take(&mut waiting[height]) {
            let vote = &votes.all[number as usize];
            if !votes.is_majority(vote) {
                continue;
            }
            let (i, j, weight, voices) =
                (vote.old as usize, vote.new as usize, vote.weight, vote.voices);
            if state.new_of[i] != NONE || state.old_of[j] != NONE {
                continue;
            }
            let is_element = old.tree.is_element(i) && new.tree.is_element(j);
            let evidence = u64::from(weight);
            let is_most = evidence * 5 >= 4 * u64::from(old.heft[i].max(new.heft[j]));
            let is_one = old.label[i] == new.label[j] || (is_most && !state.keeps_its_name(i, j));
            if is_element && voices >= 2 && is_one {
                state.pair(i, j, VOTED);
            }
            if is_element || old.label[i] == new.label[j] {
                // what two nodes share is not more than what either says
                let weight = (weight.min(old.heft[i]).min(new.heft[j]) as f32
                    * state.steady[new.label[j] as usize]) as u32;
                cast(
                    &mut votes,
                    &mut waiting,
                    old.tree.parent(i) as usize,
                    new.tree.parent(j) as usize,
                    weight.max(1),
                    1,
                );
            }
        }
    }
    votes.count();
    Ok(votes)
}

/// For each node the length of the longest way down, blanks left out.
fn heights(side: &Side<'_>) -> Vec<u32> {
    let mut height = vec![0; side.tree.len()];
    for i in (1..side.tree.len()).rev().filter(|&i| !side.is_blank[i]) {
        let parent = side.tree.parent(i) as usize;
        height[parent] = height[parent].max(height[i] + 1);
    }
    height
}

/// Where a piece of evidence occurs.
#[derive(Clone, Copy)]
struct Seen {
    old: u32,
    new: u32,
    weight: u32,
    voices: u32,
}

/// Not seen on this side, or more than once.
const UNSEEN: u32 = NONE;
const OFTEN: u32 = NONE - 1;

/// Words of free texts and attributes of free elements that occur in one node of each version:
/// (old, new, weight, voices).
fn small_evidence(
    state: &State<'_, '_>,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Vec<(u32, u32, u32, u32)>> {
    let mut order: Vec<u64> = Vec::new();
    let mut seen: Map<u64, Seen> = Map::default();
    let mut note = |token: u64, is_new: bool, node: usize, weight: u32, voices: u32| {
        if !is_new {
            let here = seen.entry(token).or_insert_with(|| {
                order.push(token);
                Seen { old: UNSEEN, new: UNSEEN, weight, voices }
            });
            here.old =
                if here.old == UNSEEN || here.old == node as u32 { node as u32 } else { OFTEN };
        } else if let Some(here) = seen.get_mut(&token) {
            here.new =
                if here.new == UNSEEN || here.new == node as u32 { node as u32 } else { OFTEN };
        }
    };
    for (is_new, side, partner) in
        [(false, &state.subtrees.old, &state.new_of), (true, &state.subtrees.new, &state.old_of)]
    {
        let tree = side.tree;
        for i in (1..tree.len()).filter(|&i| partner[i] == NONE && !side.is_blank[i]) {
            if i.is_multiple_of(4096) {
                watch.check()?;
            }
            match tree.kind(i) {
                Kind::Element => {
                    for a in tree.attributes(i) {
                        let name = tree.attr_local(a);
                        let is_key = tree.attr_flags(a) & attr_flags::ID != 0
                            || options.keys.iter().any(|key| key == name)
                            || (name == "id" && tree.meta().format == Format::Html);
                        let value = tree.attr_value(a);
                        let token = pair(text_hash(name), text_hash(value));
                        let (weight, voices) =
                            if is_key { (KEY, 2) } else { (heft_of(value) + 1, 1) };
                        note(token, is_new, i, weight, voices);
                    }
                }
                Kind::Text | Kind::Comment | Kind::Instruction => {
                    for word in words(tree.text(i)) {
                        note(text_hash(word), is_new, i, heft_of(word) / 2 + 1, 1);
                    }
                }
                _ => {}
            }
        }
    }
    let found = |token: &u64| {
        seen.get(token)
            .filter(|it| it.old < OFTEN && it.new < OFTEN)
            .map(|it| (it.old, it.new, it.weight, it.voices))
    };
    let same_kind = |&(i, j, _, _): &(u32, u32, u32, u32)| {
        state.subtrees.old.tree.kind(i as usize) == state.subtrees.new.tree.kind(j as usize)
    };
    Ok(order.iter().filter_map(found).filter(same_kind).collect())
}

/// The words of a text: runs of letters and digits.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}
