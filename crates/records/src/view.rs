//! [`View`]: a page as a reader sees it.

use std::sync::Arc;

use super::rules::{is_space, roles, Rules};
use treelace_tree::error::Result;
use treelace_tree::hash;
use treelace_tree::hash::Map;
use treelace_tree::tree::{Kind, Tree, HTML, NONE};
use treelace_tree::watch::Watch;

/// Number of the tag of what is neither element nor text.
pub const OTHER: u32 = 0;
/// Number of the tag of a text.
pub const TEXT: u32 = 1;

/// A page: tags as numbers, what is visible, and the children of each node without mere formatting.
/// Linear in the nodes.
#[derive(Debug)]
pub struct View {
    /// The page.
    pub tree: Arc<Tree>,
    /// Tags by number; 0 stands for `#other`, 1 for `#text`.
    pub tag_names: Vec<String>,
    /// Bits of [`roles`] by number of the tag.
    pub tag_roles: Vec<u32>,
    /// Tag of each node.
    pub tag: Vec<u32>,
    /// Whether each node is visible: a text that is not blank, or an element; nothing hidden around
    /// it.
    pub shown: Vec<bool>,
    /// Children of all nodes, one after the other: visible elements and texts, formatting that
    /// holds blocks passed over.
    pub kids: Vec<u32>,
    /// Where the children of each node start in `kids`; one more entry than there are nodes.
    pub kid_start: Vec<u32>,
    /// Place of each node in `kids`, or [`NONE`].
    pub place: Vec<u32>,
    /// The node that each node is a child of in `kids`, or [`NONE`].
    pub owner: Vec<u32>,
    /// The visible texts.
    pub text_nodes: Vec<u32>,
    /// How many visible texts stand before each node; one more entry than there are nodes.
    pub text_before: Vec<u32>,
    /// The visible texts' words, white space collapsed: ends in `words`.
    pub(crate) word_end: Vec<u32>,
    pub(crate) words: String,
    /// The visible images, with the attribute row of their source.
    pub images: Vec<(u32, u32)>,
    /// Number of the sequence of class words of each node; 0 is the empty one.
    pub class: Vec<u32>,
    /// Whether each node has the attribute `class` at all.
    pub has_class: Vec<bool>,
    /// The class words of each sequence, as numbers, as often as they are written.
    pub class_words: Vec<Box<[u32]>>,
    /// The class words by number.
    pub class_names: Vec<String>,
}

impl View {
    /// The view of a page.
    pub fn of(tree: Arc<Tree>, rules: &Rules, watch: &dyn Watch) -> Result<View> {
        let (tag_names, tag_roles, tag) = tags(&tree, rules);
        let n = tree.len();
        let mut view = View {
            tag_names,
            tag_roles,
            tag,
            shown: vec![false; n],
            kids: Vec::with_capacity(n),
            kid_start: vec![0; n + 1],
            place: vec![NONE; n],
            owner: vec![NONE; n],
            text_nodes: Vec::new(),
            text_before: vec![0; n + 1],
            word_end: Vec::new(),
            words: String::new(),
            images: Vec::new(),
            class: vec![0; n],
            has_class: vec![false; n],
            class_words: vec![Box::default()],
            class_names: Vec::new(),
            tree,
        };
        view.see(watch)?;
        watch.check()?;
        view.adopt();
        view.classify();
        Ok(view)
    }

    /// Number of nodes.
    #[inline]
    pub fn len(&self) -> usize {
        self.tag.len()
    }

    /// Never: there is always the document node.
    pub fn is_empty(&self) -> bool {
        self.tag.is_empty()
    }

    /// Bits of [`roles`] of a node.
    #[inline]
    pub fn roles(&self, i: usize) -> u32 {
        self.tag_roles[self.tag[i] as usize]
    }

    /// Whether node `i` has one of these roles.
    #[inline]
    pub fn is(&self, i: usize, roles: u32) -> bool {
        self.roles(i) & roles != 0
    }

    /// Parent of a node; the document is its own.
    #[inline]
    pub fn parent(&self, i: usize) -> usize {
        if i == 0 {
            0
        } else {
            self.tree.parent(i) as usize
        }
    }

    /// The children of a node, as places in `kids`.
    #[inline]
    pub fn kid_places(&self, i: usize) -> std::ops::Range<usize> {
        self.kid_start[i] as usize..self.kid_start[i + 1] as usize
    }

    /// The children of a node.
    #[inline]
    pub fn children(&self, i: usize) -> &[u32] {
        &self.kids[self.kid_places(i)]
    }

    /// How many visible texts a subtree has.
    #[inline]
    pub fn text_count(&self, i: usize) -> u32 {
        self.text_before[self.tree.end(i)] - self.text_before[i]
    }

    /// The visible texts of a subtree, as numbers of texts.
    #[inline]
    pub fn texts_in(&self, i: usize) -> std::ops::Range<usize> {
        self.text_before[i] as usize..self.text_before[self.tree.end(i)] as usize
    }

    /// The words of visible text number `t`.
    #[inline]
    pub fn text(&self, t: usize) -> &str {
        let start = if t == 0 { 0 } else { self.word_end[t - 1] as usize };
        &self.words[start..self.word_end[t] as usize]
    }

    /// Source of visible image number `m`.
    pub fn image_source(&self, m: usize) -> &str {
        self.tree.attr_value(self.images[m].1 as usize)
    }

    /// Where something is: the tags from the root to the lowest element around both nodes, joined
    /// by `/`.
    pub fn place_around(&self, first: usize, last: usize) -> String {
        let around = |above: usize, node: usize| above < node && node < self.tree.end(above);
        let mut above = self.parent(first);
        while above > 0 && !(around(above, first) && around(above, last)) {
            above = self.parent(above);
        }
        let mut path = Vec::new();
        while above > 0 {
            path.push(self.tag_names[self.tag[above] as usize].as_str());
            above = self.parent(above);
        }
        path.reverse();
        path.join("/")
    }

    /// Marks what is visible and collects texts and images.
    fn see(&mut self, watch: &dyn Watch) -> Result<()> {
        let tree = Arc::clone(&self.tree);
        let mut hidden_until = 0;
        for i in 0..tree.len() {
            if i & 0xFFFF == 0xFFFF {
                watch.check()?;
            }
            self.text_before[i] = self.text_nodes.len() as u32;
            if i < hidden_until || self.tag[i] == OTHER {
                continue;
            }
            if self.tag[i] == TEXT {
                self.see_text(i, tree.text(i));
            } else if self.is(i, roles::UNSEEN) || is_hidden(&tree, i) {
                hidden_until = tree.end(i);
            } else {
                self.shown[i] = true;
                if self.is(i, roles::IMAGE) {
                    let full = |name: &str| {
                        tree.attributes(i)
                            .find(|&a| is_named(&tree, a, name) && !tree.attr_value(a).is_empty())
                    };
                    self.images.extend(
                        full("src").or_else(|| full("data-src")).map(|a| (i as u32, a as u32)),
                    );
                }
            }
        }
        self.text_before[tree.len()] = self.text_nodes.len() as u32;
        Ok(())
    }

    fn see_text(&mut self, i: usize, text: &str) {
        let before = self.words.len();
        for word in text.split(is_space).filter(|word| !word.is_empty()) {
            if self.words.len() > before {
                self.words.push(' ');
            }
            self.words.push_str(word);
        }
        if self.words.len() > before {
            self.word_end.push(self.words.len() as u32);
            self.text_nodes.push(i as u32);
            self.shown[i] = true;
        }
    }

    /// Fills `kids`, `owner` and `place`.
    fn adopt(&mut self) {
        let n = self.len();
        let mut holds_block = vec![false; n];
        for i in (1..n).rev() {
            if self.shown[i]
                && (holds_block[i] || self.tag[i] != TEXT && !self.is(i, roles::INLINE))
            {
                let parent = self.parent(i);
                holds_block[parent] = true;
            }
        }
        // for a node that is passed over, the node that takes its children
        let mut heir: Vec<u32> = (0..n as u32).collect();
        for i in (1..n).filter(|&i| self.shown[i]) {
            let above = heir[self.parent(i)];
            if holds_block[i] && self.is(i, roles::FORMATTING) && !self.is(i, roles::LINK) {
                heir[i] = above;
            } else {
                self.owner[i] = above;
                self.kid_start[above as usize + 1] += 1;
            }
        }
        for i in 0..n {
            self.kid_start[i + 1] += self.kid_start[i];
        }
        let mut next = self.kid_start.clone();
        self.kids = vec![0; self.kid_start[n] as usize];
        for i in (1..n).filter(|&i| self.owner[i] != NONE) {
            let place = &mut next[self.owner[i] as usize];
            self.kids[*place as usize] = i as u32;
            self.place[i] = *place;
            *place += 1;
        }
    }

    /// Numbers the class words.
    fn classify(&mut self) {
        let tree = Arc::clone(&self.tree);
        let mut words: Map<&str, u32> = Map::default();
        let mut sequences: Map<Box<[u32]>, u32> = Map::default();
        let mut values: Map<&str, u32> = Map::default();
        sequences.insert(Box::default(), 0);
        let mut numbers = Vec::new();
        for i in (0..tree.len()).filter(|&i| self.shown[i] && self.tag[i] != TEXT) {
            let Some(value) = tree.attribute(i, "class") else { continue };
            self.has_class[i] = true;
            if let Some(&known) = values.get(value) {
                self.class[i] = known;
                continue;
            }
            numbers.clear();
            for word in value.split(is_space).filter(|word| !word.is_empty()) {
                let count = words.len() as u32;
                numbers.push(*words.entry(word).or_insert_with(|| {
                    self.class_names.push(word.to_string());
                    count
                }));
            }
            let next = self.class_words.len() as u32;
            let number = *sequences.entry(numbers.clone().into()).or_insert(next);
            if number == next {
                self.class_words.push(numbers.clone().into());
            }
            values.insert(value, number);
            self.class[i] = number;
        }
    }

    /// A hash of each visible text.
    pub(crate) fn text_hashes(&self) -> Vec<u64> {
        (0..self.text_nodes.len()).map(|t| hash::text(self.text(t))).collect()
    }
}

fn is_named(tree: &Tree, a: usize, name: &str) -> bool {
    tree.attr_local(a) == name && tree.names().namespace(tree.attr_name(a)).is_empty()
}

/// Hidden by the attribute or by its own style; style sheets are not read.
fn is_hidden(tree: &Tree, i: usize) -> bool {
    tree.attributes(i).any(|a| {
        is_named(tree, a, "hidden")
            || is_named(tree, a, "style") && {
                let squeezed: String = tree
                    .attr_value(a)
                    .chars()
                    .filter(|&c| !is_space(c))
                    .map(|c| c.to_ascii_lowercase())
                    .collect();
                squeezed.contains("display:none") || squeezed.contains("visibility:hidden")
            }
    })
}

fn tags(tree: &Tree, rules: &Rules) -> (Vec<String>, Vec<u32>, Vec<u32>) {
    let mut names = vec!["#other".to_string(), "#text".to_string()];
    let mut bits = vec![0, 0];
    let mut numbers: Map<String, u32> = Map::default();
    let mut of_name = vec![NONE; tree.names().len()];
    let tag = (0..tree.len())
        .map(|i| match tree.kind(i) {
            Kind::Text => TEXT,
            Kind::Element => {
                let id = tree.name(i);
                let known = &mut of_name[id as usize];
                if *known == NONE {
                    let expanded = match tree.names().namespace(id) {
                        "" | HTML => tree.names().local(id).to_string(),
                        other => format!("{{{other}}}{}", tree.names().local(id)),
                    };
                    *known = *numbers.entry(expanded).or_insert_with_key(|name| {
                        names.push(name.clone());
                        bits.push(rules.roles.get(name).copied().unwrap_or(0));
                        names.len() as u32 - 1
                    });
                }
                *known
            }
            _ => OTHER,
        })
        .collect();
    (names, bits, tag)
}
