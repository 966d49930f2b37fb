//! One of the two trees as the matcher sees it: elements and texts that say something, in document
//! order, in columns.
//!
//! Row 0 is the document. Blank texts, comments, instructions and the doctype are left out; they
//! find their partners at the end.

use super::redesign::Redesign;
use super::tokens::{hash, mix, words, ByHash, Tokens};
use treelace_tree::error::Result;
use treelace_tree::tree::{Format, Kind, Tree, NONE};
use treelace_tree::watch::Watch;

const NAME: u64 = 1;
const VALUE: u64 = 2;
const WORD: u64 = 3;
const TEXT: u64 = 4;
const TEXT_WORD: u64 = 5;

/// Words looked at in one attribute value or text; what is longer is told apart by its whole.
const WORDS: usize = 24;
/// Tokens of one node; an element with more is told apart by its first ones and by its digest.
const OWN: usize = 256;
/// Label of a text.
pub(super) const TEXT_LABEL: u64 = 7;

/// An attribute: its name, its value as one token, the words of its value.
#[derive(Clone, Copy)]
pub(super) struct Attribute {
    pub(super) name: u64,
    pub(super) value: u32,
    pub(super) words: (u32, u32),
}

/// The columns.
#[derive(Default)]
pub(super) struct Side {
    /// Index in the tree.
    pub(super) node: Vec<u32>,
    pub(super) parent: Vec<u32>,
    pub(super) end: Vec<u32>,
    /// Hash of the name; texts share one.
    pub(super) label: Vec<u64>,
    /// Children of row `i` are `child[child_start[i]..child_start[i + 1]]`.
    pub(super) child_start: Vec<u32>,
    pub(super) child: Vec<u32>,
    pub(super) attribute_start: Vec<u32>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) attribute_words: Vec<u32>,
    /// Tokens of row `i` itself: values and words of attributes, the text and its words.
    pub(super) own_start: Vec<u32>,
    pub(super) own: Vec<u32>,
    /// Hash of the row by itself: name and attributes, or text.
    pub(super) alone: Vec<u64>,
    /// Hash of the subtree, with all it says.
    pub(super) digest: Vec<u64>,
    /// Hash of the subtree without texts.
    pub(super) frame: Vec<u64>,
    /// Hash of the path from the root with ranks.
    pub(super) path: Vec<u64>,
    /// The siblings before and after, or [`NONE`].
    pub(super) before: Vec<u32>,
    pub(super) after: Vec<u32>,
}

impl Side {
    /// How many rows there are, the document included.
    pub(super) fn len(&self) -> usize {
        self.node.len()
    }

    pub(super) fn is_text(&self, i: usize) -> bool {
        self.label[i] == TEXT_LABEL
    }

    pub(super) fn children(&self, i: usize) -> &[u32] {
        &self.child[self.child_start[i] as usize..self.child_start[i + 1] as usize]
    }

    pub(super) fn attributes(&self, i: usize) -> &[Attribute] {
        &self.attributes[self.attribute_start[i] as usize..self.attribute_start[i + 1] as usize]
    }

    pub(super) fn words(&self, attribute: &Attribute) -> &[u32] {
        &self.attribute_words[attribute.words.0 as usize..attribute.words.1 as usize]
    }

    pub(super) fn own(&self, i: usize) -> &[u32] {
        &self.own[self.own_start[i] as usize..self.own_start[i + 1] as usize]
    }

    /// Whether `ancestor` holds `i`.
    pub(super) fn holds(&self, ancestor: u32, i: u32) -> bool {
        ancestor < i && i < self.end[ancestor as usize]
    }

    /// Reads a tree, with names changed as the redesign says; `with_text` says whether texts count.
    pub(super) fn read(
        tree: &Tree,
        redesign: &Redesign,
        tokens: &mut Tokens,
        with_text: bool,
        watch: &dyn Watch,
    ) -> Result<Side> {
        let mut side = Side::default();
        let names = name_hashes(tree, &Redesign::default());
        let labels = name_hashes(tree, redesign);
        let mut row = vec![NONE; tree.len()];
        for i in 0..tree.len() {
            if i % 4096 == 0 {
                watch.check()?;
            }
            let is_text = tree.kind(i) == Kind::Text;
            let counts = match tree.kind(i) {
                Kind::Document | Kind::Element => true,
                Kind::Text => with_text && !tree.text(i).trim().is_empty(),
                _ => false,
            };
            if !counts {
                continue;
            }
            row[i] = side.len() as u32;
            side.node.push(i as u32);
            side.parent.push(if i == 0 { NONE } else { row[tree.parent(i) as usize] });
            side.label.push(if is_text { TEXT_LABEL } else { labels[tree.name(i) as usize] });
            side.attribute_start.push(side.attributes.len() as u32);
            side.own_start.push(side.own.len() as u32);
            if is_text {
                side.read_text(tree, i, tokens);
            } else {
                side.read_attributes(tree, i, &names, redesign, tokens);
            }
        }
        side.attribute_start.push(side.attributes.len() as u32);
        side.own_start.push(side.own.len() as u32);
        side.link();
        side.hash_subtrees(tokens);
        Ok(side)
    }

    fn read_text(&mut self, tree: &Tree, i: usize, tokens: &mut Tokens) {
        let text = tree.text(i).trim();
        let start = self.own.len();
        self.own.push(tokens.add(hash(TEXT, text.as_bytes())));
        let inside = tree.local(tree.parent(i) as usize);
        if inside != "script" && inside != "style" {
            for word in words(text).take(WORDS) {
                self.push_own(start, hash(TEXT_WORD, word.as_bytes()), tokens);
            }
        }
    }

    fn read_attributes(
        &mut self,
        tree: &Tree,
        i: usize,
        names: &[u64],
        redesign: &Redesign,
        tokens: &mut Tokens,
    ) {
        let start = self.own.len();
        for a in tree.attributes(i) {
            let name = names[tree.attr_name(a) as usize];
            let renamed = if tree.attr_local(a) == "class" {
                redesign.class(tree.attr_value(a))
            } else {
                None
            };
            let value = renamed.as_deref().unwrap_or_else(|| tree.attr_value(a));
            let value_token = tokens.add(mix(name, hash(VALUE, value.as_bytes())));
            self.own.push(value_token);
            let first = self.attribute_words.len();
            for word in words(value).take(WORDS) {
                if let Some(token) =
                    self.push_own(start, mix(name, hash(WORD, word.as_bytes())), tokens)
                {
                    self.attribute_words.push(token);
                }
            }
            self.attribute_words[first..].sort_unstable();
            self.attributes.push(Attribute {
                name,
                value: value_token,
                words: (first as u32, self.attribute_words.len() as u32),
            });
        }
        self.attributes[*self.attribute_start.last().unwrap_or(&0) as usize..]
            .sort_unstable_by_key(|attribute| attribute.name);
    }

    /// Adds a token to the row in hand unless it is there.
    fn push_own(&mut self, start: usize, hash: u64, tokens: &mut Tokens) -> Option<u32> {
        let token = tokens.add(hash);
        let so_far = &self.own[start..];
        if so_far.len() >= OWN || so_far.contains(&token) {
            tokens.counts[token as usize] -= 1;
            return None;
        }
        self.own.push(token);
        Some(token)
    }

    /// Ends and children from the parents.
    pub(super) fn link(&mut self) {
        let n = self.len();
        self.end = (1..=n as u32).collect();
        self.child_start = vec![0; n + 1];
        for i in (1..n).rev() {
            let parent = self.parent[i] as usize;
            self.end[parent] = self.end[parent].max(self.end[i]);
            self.child_start[parent + 1] += 1;
        }
        for i in 0..n {
            self.child_start[i + 1] += self.child_start[i];
        }
        let mut next = self.child_start.clone();
        self.child = vec![0; n.saturating_sub(1)];
        for i in 1..n {
            let parent = self.parent[i] as usize;
            self.child[next[parent] as usize] = i as u32;
            next[parent] += 1;
        }
        self.before = vec![NONE; n];
        self.after = vec![NONE; n];
        for parent in 0..n {
            for pair in self.child
                [self.child_start[parent] as usize..self.child_start[parent + 1] as usize]
                .windows(2)
            {
                self.after[pair[0] as usize] = pair[1];
                self.before[pair[1] as usize] = pair[0];
            }
        }
    }

    fn hash_subtrees(&mut self, tokens: &Tokens) {
        let n = self.len();
        let mut own = vec![0u64; n];
        let mut frame = vec![0u64; n];
        for i in 0..n {
            let mut sum = mix(self.label[i], 1);
            if self.is_text(i) {
                own[i] = mix(sum, tokens.hashes[self.own(i)[0] as usize]);
                continue;
            }
            for attribute in self.attributes(i) {
                sum = mix(sum, tokens.hashes[attribute.value as usize]);
            }
            own[i] = sum;
            frame[i] = sum;
        }
        self.alone.clone_from(&own);
        self.digest = own;
        self.frame = frame;
        // children come after their parent: walk back, so that a node is complete when it is added
        // to its parent
        for i in (1..n).rev() {
            let parent = self.parent[i] as usize;
            self.digest[parent] = mix(self.digest[parent], self.digest[i]);
            if !self.is_text(i) {
                self.frame[parent] = mix(self.frame[parent], self.frame[i]);
            }
        }
        self.path = vec![0u64; n];
        let mut ranks: ByHash<u64> = ByHash::default();
        for i in 1..n {
            let step = mix(self.path[self.parent[i] as usize], self.label[i]);
            let rank = ranks.entry(step).or_insert(0);
            *rank += 1;
            self.path[i] = mix(step, *rank);
        }
    }
}

/// Hash of each name of a tree, by its number. HTML moves elements between its namespaces when a
/// parser repairs a page, so there the local name is the name.
fn name_hashes(tree: &Tree, redesign: &Redesign) -> Vec<u64> {
    let names = tree.names();
    let is_html = tree.meta().format == Format::Html;
    let local = |name| redesign.tag(names.local(name)).unwrap_or_else(|| names.local(name));
    let namespace = |name| if is_html { 0 } else { hash(NAME, names.namespace(name).as_bytes()) };
    (0..names.len() as u32)
        .map(|name| mix(namespace(name), hash(NAME, local(name).as_bytes())))
        .collect()
}
