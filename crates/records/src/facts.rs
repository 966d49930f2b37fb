//! [`Facts`]: what is known of each record, found once however many candidates have it.

use super::context::Context;
use super::features::texts_in;
use super::measured::{Measured, Sums};
use super::rules::roles;
use super::shapes::Shapes;
use super::{Run, View};
use treelace_tree::hash;
use treelace_tree::hash::Map;
use treelace_tree::tree::NONE;

/// What is known of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fact {
    pub(super) held: Sums,
    pub(super) texts: u32,
    pub(super) shape: u32,
    pub(super) first_text: Option<u64>,
    pub(super) body: u64,
    pub(super) starts_with_link: bool,
    pub(super) reads: Reads,
}

/// How the texts of a record read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reads {
    pub(super) few_words: bool,
    pub(super) starts_with_number: bool,
    pub(super) ends_with_stop: bool,
    pub(super) starts_with_capital: bool,
    pub(super) sentences: u32,
    pub(super) commas: u32,
    pub(super) days: u32,
    pub(super) clocks: u32,
    pub(super) starts_with_day: bool,
}

/// The facts of a page's records, made on demand.
#[derive(Debug)]
pub(super) struct Facts {
    all: Vec<Fact>,
    /// Numbers of records of one root by its place, else [`NONE`]; those of several roots.
    of_place: Vec<u32>,
    of_run: Map<Run, u32>,
}

impl Facts {
    pub(super) fn new(view: &View) -> Facts {
        Facts { all: Vec::new(), of_place: vec![NONE; view.kids.len()], of_run: Map::default() }
    }

    /// The facts of a record.
    pub(super) fn of(
        &mut self,
        record: Run,
        measured: &Measured<'_>,
        shapes: &mut Shapes<'_>,
        context: &Context<'_>,
    ) -> Fact {
        let next = self.all.len() as u32;
        let number = if record.len == 1 {
            &mut self.of_place[record.start as usize]
        } else {
            self.of_run.entry(record).or_insert(NONE)
        };
        if *number == NONE {
            *number = next;
            self.all.push(fact(record, measured, shapes, context));
        }
        self.all[*number as usize]
    }
}

fn fact(
    record: Run,
    measured: &Measured<'_>,
    shapes: &mut Shapes<'_>,
    context: &Context<'_>,
) -> Fact {
    let texts = texts_in(measured.view, record);
    Fact {
        held: measured.in_record(record),
        texts: texts.len() as u32,
        shape: shapes.of_record(record),
        first_text: texts.clone().next().map(|text| measured.text_hash[text]),
        body: texts.clone().fold(0, |sum, text| hash::pair(sum, measured.text_hash[text])),
        starts_with_link: starts_with_link(measured.view, record),
        reads: context.reads(texts),
    }
}

fn starts_with_link(view: &View, record: Run) -> bool {
    let Some(text) = texts_in(view, record).next() else { return false };
    let (first, mut node) =
        (view.kids[record.start as usize] as usize, view.text_nodes[text] as usize);
    while node > first {
        node = view.parent(node);
        if view.is(node, roles::LINK) {
            return true;
        }
    }
    false
}
