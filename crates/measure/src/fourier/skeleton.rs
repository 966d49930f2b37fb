//! The tags of a document in document order, with their levels and a code for each.

use std::collections::HashMap;

use crate::paths::labels;
use treelace_tree::error::{Error, Result};
use treelace_tree::hash;
use treelace_tree::tree::{Tree, XMLNS};
use treelace_tree::watch::Watch;

const EVERY: usize = 1 << 14;

/// What the code of a tag stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum TagCode {
    /// Its name.
    Direct = 0,
    /// Its type (name, and start or end) and that of the tag after it; the last tag has no
    /// successor and gets 0.
    Pairwise = 1,
    /// The names from the root down to it.
    Nested = 2,
}

/// The start and end tags of a document. Codes are numbered from 1 in the order in which they first
/// appear in this document; a collection gives them the numbers that all its documents share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skeleton {
    /// What the codes stand for.
    pub(crate) tag_code: TagCode,
    /// The token of code i + 1.
    pub(crate) keys: Vec<u64>,
    /// The code of each tag, negative for an end tag (but for pairwise codes, which are neither).
    pub(crate) codes: Vec<i32>,
    /// How many start tags are open at each tag. An end tag has the level of its start tag.
    pub(crate) levels: Vec<u32>,
    /// Whether each tag is an end tag.
    pub(crate) is_end: Vec<bool>,
}

struct Tag {
    /// Name or path.
    token: u64,
    kind: u64,
    level: u32,
    is_end: bool,
}

impl Skeleton {
    /// The skeleton of a tree; with `attributes` each attribute is a pair of tags `ATTRIB@name`
    /// right after the start tag of its element, sorted by name. Namespace declarations are no
    /// attributes here.
    pub fn of(
        tree: &Tree,
        tag_code: TagCode,
        attributes: bool,
        watch: &dyn Watch,
    ) -> Result<Skeleton> {
        let labels = labels(tree);
        let (attribute, end) = (hash::text("ATTRIB@"), hash::text("/"));
        let mut path = vec![0; tree.len()];
        let mut open: Vec<usize> = Vec::new();
        let mut tags: Vec<Tag> = Vec::new();
        let token = |i: usize, path: &[u64]| {
            if tag_code == TagCode::Nested {
                path[i]
            } else {
                labels[tree.name(i) as usize]
            }
        };
        let close = |i: usize, path: &[u64]| Tag {
            token: token(i, path),
            kind: hash::pair(end, labels[tree.name(i) as usize]),
            level: tree.depth(i) - 1,
            is_end: true,
        };
        for i in (0..tree.len()).filter(|&i| tree.is_element(i)) {
            if tags.len() % EVERY < 2 {
                watch.check()?;
            }
            while let Some(&top) = open.last() {
                if tree.end(top) > i {
                    break;
                }
                tags.push(close(top, &path));
                open.pop();
            }
            let label = labels[tree.name(i) as usize];
            path[i] = hash::pair(path[tree.parent(i) as usize], label);
            tags.push(Tag {
                token: token(i, &path),
                kind: label,
                level: tree.depth(i) - 1,
                is_end: false,
            });
            open.push(i);
            if attributes {
                let mut rows: Vec<usize> = tree
                    .attributes(i)
                    .filter(|&a| tree.names().namespace(tree.attr_name(a)) != XMLNS)
                    .collect();
                rows.sort_by_key(|&a| {
                    (tree.attr_local(a), tree.names().namespace(tree.attr_name(a)))
                });
                for a in rows {
                    let kind = hash::pair(attribute, labels[tree.attr_name(a) as usize]);
                    let token =
                        if tag_code == TagCode::Nested { hash::pair(path[i], kind) } else { kind };
                    tags.push(Tag { token, kind, level: tree.depth(i), is_end: false });
                    tags.push(Tag {
                        token,
                        kind: hash::pair(end, kind),
                        level: tree.depth(i),
                        is_end: true,
                    });
                }
            }
        }
        while let Some(top) = open.pop() {
            tags.push(close(top, &path));
        }
        Ok(Skeleton::coded(&tags, tag_code))
    }

    fn coded(tags: &[Tag], tag_code: TagCode) -> Skeleton {
        let (mut keys, mut numbers) = (Vec::new(), HashMap::new());
        let mut code = |token: u64| {
            *numbers.entry(token).or_insert_with(|| {
                keys.push(token);
                keys.len() as i32
            })
        };
        let codes = (0..tags.len())
            .map(|t| match (tag_code, tags.get(t + 1)) {
                (TagCode::Pairwise, Some(next)) => code(hash::pair(tags[t].kind, next.kind)),
                (TagCode::Pairwise, None) => 0,
                _ if tags[t].is_end => -code(tags[t].token),
                _ => code(tags[t].token),
            })
            .collect();
        Skeleton {
            tag_code,
            keys,
            codes,
            levels: tags.iter().map(|tag| tag.level).collect(),
            is_end: tags.iter().map(|tag| tag.is_end).collect(),
        }
    }

    /// From columns that were stored.
    pub fn from_columns(
        tag_code: u8,
        keys: Vec<u64>,
        codes: Vec<i32>,
        levels: Vec<u32>,
        is_end: Vec<bool>,
    ) -> Result<Skeleton> {
        let damaged = || Error::Damaged("the skeleton of a document is damaged".into());
        let tag_code = [TagCode::Direct, TagCode::Pairwise, TagCode::Nested]
            .into_iter()
            .find(|it| *it as u8 == tag_code)
            .ok_or_else(damaged)?;
        let fits = codes.iter().all(|code| code.unsigned_abs() as usize <= keys.len());
        // the level of a tag follows from how many are open
        let mut open = 0u32;
        let nests = levels.iter().zip(&is_end).all(|(&level, &is_end)| {
            open = if is_end { open.wrapping_sub(1) } else { open };
            let right = level == open;
            open = if is_end { open } else { open.wrapping_add(1) };
            right
        });
        if !fits || !nests || codes.len() != levels.len() || codes.len() != is_end.len() {
            return Err(damaged());
        }
        Ok(Skeleton { tag_code, keys, codes, levels, is_end })
    }

    /// How many tags there are, start and end.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether the document has no element.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The greatest level, 0 for an empty document.
    pub fn max_level(&self) -> u32 {
        self.levels.iter().copied().max().unwrap_or(0)
    }

    /// A number that stands for all of it, so that documents can be put in an order of their own.
    pub(crate) fn fingerprint(&self) -> u64 {
        let codes = self.codes.iter().fold(0, |sum, &code| {
            hash::pair(sum, if code == 0 { 0 } else { self.keys[code.unsigned_abs() as usize - 1] })
        });
        self.levels.iter().fold(codes, |sum, &level| hash::pair(sum, u64::from(level)))
    }
}
