//! What the parser mended, in words.

use html5ever::tokenizer::{Tag, TagKind};
use html5ever::LocalName;

use crate::tree::Problem;

/// How many problems are kept with their words; the rest are counted.
const KEPT: usize = 1000;

/// The problems so far.
#[derive(Default)]
pub(super) struct Problems {
    pub list: Vec<Problem>,
    pub count: u64,
    /// The tag that is being dealt with.
    tag: Option<(TagKind, LocalName)>,
}

impl Problems {
    /// A problem in these words.
    pub fn add(&mut self, message: &str, line: u32) {
        self.count += 1;
        if self.list.len() < KEPT {
            self.list.push(Problem { line, message: message.to_string() });
        }
    }

    /// A problem that must not be lost among others.
    pub fn add_always(&mut self, message: &str, line: u32) {
        self.list.truncate(KEPT - 1);
        self.add(message, line);
    }

    /// Problems that were found before these.
    pub fn put_before(&mut self, earlier: &[Problem]) {
        self.count += earlier.len() as u64;
        self.list.splice(0..0, earlier.iter().cloned());
        self.list.truncate(KEPT);
    }

    /// A problem of tree construction: html5ever's words, and the tag it came with.
    pub fn of_tree(&mut self, message: &str, line: u32) {
        if self.list.len() >= KEPT {
            self.count += 1;
            return;
        }
        match &self.tag {
            None => self.add(message, line),
            Some((TagKind::StartTag, name)) => self.add(&format!("{message}: <{name}>"), line),
            Some((TagKind::EndTag, name)) => self.add(&format!("{message}: </{name}>"), line),
        }
    }

    /// Says which tag problems that come now belong to.
    pub fn at_tag(&mut self, tag: &Tag) {
        self.tag = Some((tag.kind, tag.name.clone()));
    }

    /// Says that problems that come now belong to no tag.
    pub fn at_no_tag(&mut self) {
        self.tag = None;
    }
}
