//! Two versions as the matchers for diff see them: equal labels and equal subtrees have equal
//! numbers, in both trees.
//!
//! A subtree's **class** is what it says: kind, name with prefix, attributes in any order, text,
//! and the classes of its children. Classes are found through a 64-bit hash and then **verified by
//! content** against the first member, so equality is exact and a collision costs a comparison,
//! never a wrong match. Texts of white space alone can be left out of the classes of their parents:
//! then a record that was only indented anew is still the same record. Time O(bytes), memory O(n).

use rapidhash::v3::rapidhash_v3;

use treelace_tree::error::Result;
use treelace_tree::hash::Map;
use treelace_tree::tree::{flags, Kind, NameId, Tree, NONE};
use treelace_tree::watch::Watch;

/// One of the two trees.
pub struct Side<'t> {
    /// The tree itself.
    pub tree: &'t Tree,
    /// Label: kind, and for what has a name (namespace, local name). Equal numbers in both trees
    /// mean equal labels.
    pub label: Vec<u32>,
    /// Class of the subtree of each node.
    pub class: Vec<u32>,
    /// About how many bytes the subtree of each node takes when it is written.
    pub bytes: Vec<u32>,
    /// How much the subtree of each node says: the logarithms of its texts and values, summed, and
    /// a little for each element. A long text says more than a short one, but not as much as many
    /// texts.
    pub heft: Vec<u32>,
    /// Whether the node is a text of white space alone.
    pub is_blank: Vec<bool>,
    /// Exact name (prefix too) by the number the tree gives it: equal numbers mean equal names.
    names: Vec<u32>,
}

/// Both trees.
pub struct Subtrees<'t> {
    /// The old tree.
    pub old: Side<'t>,
    /// The new tree.
    pub new: Side<'t>,
    /// How often each class occurs in the old tree.
    pub old_count: Vec<u32>,
    /// How often each class occurs in the new tree.
    pub new_count: Vec<u32>,
    /// The first old node of each class; [`NONE`] where there is none.
    pub first_old: Vec<u32>,
    /// How many labels there are.
    pub labels: usize,
}

/// First label of nodes with a name; below are the kinds without.
const NAMED: u32 = 8;

impl<'t> Subtrees<'t> {
    /// Reads both trees. With `leaves_blanks_out` texts of white space alone do not count for the
    /// classes of their parents.
    pub fn read(
        old: &'t Tree,
        new: &'t Tree,
        leaves_blanks_out: bool,
        watch: &dyn Watch,
    ) -> Result<Self> {
        let mut labels: Map<(Kind, &str, &str), u32> = Map::default();
        let mut names: Map<(&str, &str, &str), u32> = Map::default();
        let mut old_side = Side::labelled(old, &mut labels, &mut names);
        let mut new_side = Side::labelled(new, &mut labels, &mut names);
        let mut table = Table::for_nodes(old.len() + new.len());
        table.classify(&mut old_side, None, leaves_blanks_out, watch)?;
        let old_classes = table.first.len();
        table.classify(&mut new_side, Some(&old_side), leaves_blanks_out, watch)?;
        let classes = table.first.len();
        let (mut old_count, mut new_count) = (vec![0; classes], vec![0; classes]);
        let mut first_old = vec![NONE; classes];
        for (i, &class) in old_side.class.iter().enumerate().rev() {
            old_count[class as usize] += 1;
            first_old[class as usize] = i as u32;
        }
        debug_assert!(first_old[old_classes..].iter().all(|&i| i == NONE));
        new_side.class.iter().for_each(|&class| new_count[class as usize] += 1);
        Ok(Subtrees {
            old: old_side,
            new: new_side,
            old_count,
            new_count,
            first_old,
            labels: labels.len() + NAMED as usize,
        })
    }

    /// Whether this class occurs exactly once in each tree.
    pub fn is_unique(&self, class: u32) -> bool {
        self.old_count[class as usize] == 1 && self.new_count[class as usize] == 1
    }

    /// How often a class occurs in both trees together.
    pub fn count(&self, class: u32) -> u32 {
        self.old_count[class as usize] + self.new_count[class as usize]
    }
}

impl<'t> Side<'t> {
    fn labelled(
        tree: &'t Tree,
        labels: &mut Map<(Kind, &'t str, &'t str), u32>,
        names: &mut Map<(&'t str, &'t str, &'t str), u32>,
    ) -> Self {
        let all = tree.names();
        let mut exact = Vec::with_capacity(all.len());
        for id in 0..all.len() as NameId {
            let next = names.len() as u32;
            exact.push(
                *names.entry((all.prefix(id), all.namespace(id), all.local(id))).or_insert(next),
            );
        }
        // labels by kind and name, found once for each name
        let mut known: [Vec<u32>; 3] =
            [vec![NONE; all.len()], vec![NONE; all.len()], vec![NONE; all.len()]];
        let mut label = Vec::with_capacity(tree.len());
        for i in 0..tree.len() {
            let kind = tree.kind(i);
            let slot = match kind {
                Kind::Element => 0,
                Kind::Instruction => 1,
                Kind::Doctype => 2,
                _ => {
                    label.push(kind as u32);
                    continue;
                }
            };
            let id = tree.name(i);
            if known[slot][id as usize] == NONE {
                let next = labels.len() as u32 + NAMED;
                known[slot][id as usize] =
                    *labels.entry((kind, all.namespace(id), all.local(id))).or_insert(next);
            }
            label.push(known[slot][id as usize]);
        }
        let is_blank: Vec<bool> = (0..tree.len())
            .map(|i| {
                tree.kind(i) == Kind::Text
                    && tree.flags(i) & flags::REFERENCE == 0
                    && tree.text(i).bytes().all(|b| matches!(b, b' ' | b'\n' | b'\t' | b'\r'))
            })
            .collect();
        let mut bytes = vec![0u32; tree.len()];
        let mut heft = vec![0u32; tree.len()];
        for i in (0..tree.len()).rev() {
            bytes[i] = bytes[i].saturating_add(own_bytes(tree, i));
            heft[i] = heft[i].saturating_add(if is_blank[i] { 0 } else { own_heft(tree, i) });
            if i > 0 {
                let parent = tree.parent(i) as usize;
                bytes[parent] = bytes[parent].saturating_add(bytes[i]);
                heft[parent] = heft[parent].saturating_add(heft[i]);
            }
        }
        Side { tree, label, class: vec![NONE; tree.len()], bytes, heft, is_blank, names: exact }
    }

    /// Children that are not blank, left to right.
    pub fn solid_children(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.tree.children(i).filter(|&child| !self.is_blank[child])
    }

    /// A node without its children, as a hash; the order of attributes does not matter.
    fn own_hash(&self, i: usize) -> u64 {
        let tree = self.tree;
        let kind = tree.kind(i);
        let mut hash = pair(u64::from(self.names[tree.name(i) as usize]), kind as u64);
        if !matches!(kind, Kind::Element | Kind::Document) {
            hash =
                pair(hash, text_hash(tree.text(i)) ^ u64::from(tree.flags(i) & flags::REFERENCE));
        }
        let of = |a: usize| {
            pair(u64::from(self.names[tree.attr_name(a) as usize]), text_hash(tree.attr_value(a)))
        };
        let attributes = tree.attributes(i).fold(0u64, |sum, a| sum.wrapping_add(of(a)));
        if attributes == 0 {
            hash
        } else {
            pair(hash, attributes)
        }
    }

    /// Whether two nodes are the same without their children.
    fn same_node(&self, i: usize, other: &Side<'_>, j: usize) -> bool {
        let (left, right) = (self.tree, other.tree);
        let kind = left.kind(i);
        if kind != right.kind(j)
            || self.names[left.name(i) as usize] != other.names[right.name(j) as usize]
        {
            return false;
        }
        if !matches!(kind, Kind::Element | Kind::Document)
            && (left.text(i) != right.text(j)
                || (left.flags(i) ^ right.flags(j)) & flags::REFERENCE != 0)
        {
            return false;
        }
        let (mine, theirs) = (left.attributes(i), right.attributes(j));
        if mine.len() != theirs.len() {
            return false;
        }
        let same = |a: usize, b: usize| {
            self.names[left.attr_name(a) as usize] == other.names[right.attr_name(b) as usize]
                && left.attr_value(a) == right.attr_value(b)
        };
        if mine.clone().zip(theirs.clone()).all(|(a, b)| same(a, b)) {
            return true;
        }
        let in_order = |side: &Side<'_>, rows: std::ops::Range<usize>| {
            let mut rows: Vec<usize> = rows.collect();
            rows.sort_by_key(|&a| side.names[side.tree.attr_name(a) as usize]);
            rows
        };
        in_order(self, mine).into_iter().zip(in_order(other, theirs)).all(|(a, b)| same(a, b))
    }
}

/// Classes by hash: open addressing, one slot for each class.
struct Table {
    slots: Vec<u32>,
    hash: Vec<u64>,
    /// The first member of each class: which tree (old is `false`), which node.
    first: Vec<(bool, u32)>,
}

impl Table {
    fn for_nodes(nodes: usize) -> Self {
        Table {
            slots: vec![NONE; (nodes * 2).next_power_of_two().max(16)],
            hash: Vec::new(),
            first: Vec::new(),
        }
    }

    /// Gives every node of `side` its class, last node first, so that children come before their
    /// parents.
    fn classify(
        &mut self,
        side: &mut Side<'_>,
        old: Option<&Side<'_>>,
        leaves_blanks_out: bool,
        watch: &dyn Watch,
    ) -> Result<()> {
        let mask = self.slots.len() - 1;
        // all hashes first: then no lookup waits for another, and the misses of the cache overlap
        let mut hashes = vec![0u64; side.tree.len()];
        for i in (0..side.tree.len()).rev() {
            let below = hashes[i];
            let hash = if below == 0 { side.own_hash(i) } else { pair(side.own_hash(i), below) };
            hashes[i] = hash;
            if i > 0 && !(leaves_blanks_out && side.is_blank[i]) {
                let parent = side.tree.parent(i) as usize;
                hashes[parent] = pair(hashes[parent], hash);
            }
        }
        for i in (0..side.tree.len()).rev() {
            if i.is_multiple_of(8192) {
                watch.check()?;
            }
            let hash = hashes[i];
            let mut slot = spread(hash) as usize & mask;
            let class = loop {
                let class = self.slots[slot];
                if class == NONE {
                    let class = self.first.len() as u32;
                    self.slots[slot] = class;
                    self.hash.push(hash);
                    self.first.push((old.is_some(), i as u32));
                    break class;
                }
                if self.hash[class as usize] == hash {
                    let (is_new, first) = self.first[class as usize];
                    let other = if is_new { &*side } else { old.unwrap_or(side) };
                    if side.same_node(i, other, first as usize)
                        && same_children(side, i, other, first as usize, leaves_blanks_out)
                    {
                        break class;
                    }
                }
                slot = (slot + 1) & mask;
            };
            side.class[i] = class;
        }
        Ok(())
    }
}

fn same_children(
    left: &Side<'_>,
    i: usize,
    right: &Side<'_>,
    j: usize,
    leaves_blanks_out: bool,
) -> bool {
    if leaves_blanks_out {
        left.solid_children(i)
            .map(|child| left.class[child])
            .eq(right.solid_children(j).map(|child| right.class[child]))
    } else {
        left.tree
            .children(i)
            .map(|child| left.class[child])
            .eq(right.tree.children(j).map(|child| right.class[child]))
    }
}

/// About how many bytes a node takes when it is written, its children left out.
fn own_bytes(tree: &Tree, i: usize) -> u32 {
    let name = tree.local(i).len();
    let attributes: usize =
        tree.attributes(i).map(|a| tree.attr_local(a).len() + tree.attr_value(a).len() + 4).sum();
    let bytes = match tree.kind(i) {
        Kind::Document => 0,
        Kind::Element if tree.first_child(i).is_none() => name + 3 + attributes,
        Kind::Element => 2 * name + 5 + attributes,
        Kind::Text => tree.text(i).len(),
        _ => name + attributes + tree.text(i).len() + 7,
    };
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// How much a string says: about four for each doubling of its length.
pub fn heft_of(text: &str) -> u32 {
    4 * (text.len() as u32 + 1).ilog2()
}

/// How much a node says, its children left out.
fn own_heft(tree: &Tree, i: usize) -> u32 {
    match tree.kind(i) {
        Kind::Document => 0,
        Kind::Element => 2 + tree.attributes(i).map(|a| heft_of(tree.attr_value(a))).sum::<u32>(),
        _ => heft_of(tree.text(i)),
    }
}

/// The hash of a string.
pub fn text_hash(text: &str) -> u64 {
    rapidhash_v3(text.as_bytes())
}

/// The hash of `first`, then `second`.
pub fn pair(first: u64, second: u64) -> u64 {
    spread(
        first
            .rotate_left(23)
            .wrapping_add(second.wrapping_mul(0x9E37_79B9_7F4A_7C15))
            .wrapping_add(1),
    )
}

fn spread(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}
