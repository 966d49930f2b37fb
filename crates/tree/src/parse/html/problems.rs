//! What the parser mended, in words.

use html5ever::tokenizer::{Tag, TagKind};
use html5ever::LocalName;

use super::lines;
use crate::tree::Problem;

/// How many problems are kept with their words; the rest are counted.
const KEPT: usize = 1000;

/// The problems so far.
#[derive(Default)]
pub(super) struct Problems {
    /// `line` is a place in the text until [`Problems::finish`].
    list: Vec<Problem>,
    pub count: u64,
}

/// The tag a problem came with.
pub(super) struct TagName {
    kind: TagKind,
    name: LocalName,
}

impl From<&Tag> for TagName {
    fn from(tag: &Tag) -> Self {
        TagName { kind: tag.kind, name: tag.name.clone() }
    }
}

impl Problems {
    /// A problem in these words.
    pub fn add(&mut self, message: &str, at: u32) {
        self.count += 1;
        if self.list.len() < KEPT {
            self.list.push(Problem { line: at, message: message.to_string() });
        }
    }

    /// Says which tag the problems after the first `count` came with.
    pub fn came_with(&mut self, tag: &TagName, count: u64) {
        let slash = if tag.kind == TagKind::EndTag { "/" } else { "" };
        for problem in self.list.iter_mut().skip(count.min(KEPT as u64) as usize) {
            problem.message = format!("{}: <{slash}{}>", problem.message, tag.name);
        }
    }

    /// The problems with their lines and their number: `earlier` ones, those of the parser, and a
    /// `last` one that must not be lost among them.
    pub fn finish(
        mut self,
        text: &str,
        earlier: &[Problem],
        last: Option<Problem>,
    ) -> (Vec<Problem>, u64) {
        // a tag's own problems come before those it causes in the tree, which are told of its start
        let mut places: Vec<&mut u32> =
            self.list.iter_mut().map(|problem| &mut problem.line).collect();
        places.sort_by_key(|place| **place);
        lines::resolve(text, places.into_iter());
        let count = self.count + earlier.len() as u64 + u64::from(last.is_some());
        self.list.splice(0..0, earlier.iter().cloned());
        self.list.truncate(KEPT - usize::from(last.is_some()));
        self.list.extend(last);
        (self.list, count)
    }
}
