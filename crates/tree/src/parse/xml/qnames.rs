//! Names as they are written: each distinct one is split and checked once, and is a number from
//! then on.
//!
//! A document has few distinct names and uses them very often. A small direct-mapped cache, keyed
//! by the first and the last eight bytes and the length, answers nearly every question with one
//! comparison; the map behind it is for the rest.

use std::collections::HashMap;

use super::chars;
use crate::error::Result;
use crate::tree::{Builder, NameId, NamespaceId};

/// Number of a written name.
pub type QId = u32;
/// Number of a prefix.
pub type PrefixId = u32;

/// The prefix of names without one.
pub const NO_PREFIX: PrefixId = 0;
/// The prefix `xml`.
pub const XML_PREFIX: PrefixId = 1;
/// The prefix `xmlns`.
pub const XMLNS_PREFIX: PrefixId = 2;

/// What a written name is to an attribute.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Role {
    /// An ordinary name.
    Plain,
    /// `xmlns`.
    DefaultNamespace,
    /// `xmlns:…`.
    Namespace,
    /// `xml:id`.
    XmlId,
    /// Not a QName: a colon in the wrong place.
    Broken,
}

/// Where a name was resolved last, and to what.
#[derive(Debug, Clone, Copy)]
struct Resolved {
    namespace: NamespaceId,
    name: NameId,
}

/// A written name.
#[derive(Debug, Clone, Copy)]
pub struct QName {
    start: usize,
    len: u32,
    /// Bytes of the prefix and its colon.
    skip: u32,
    /// Number of the prefix.
    pub prefix: PrefixId,
    /// The local part as a written name of its own.
    pub local: QId,
    /// For `xmlns:p` the number of `p` as a prefix.
    pub declares: PrefixId,
    /// What it is to an attribute.
    pub role: Role,
    last: [Resolved; 2],
}

/// Whether a name is that of an element or of an attribute: they are resolved differently.
#[derive(Debug, Clone, Copy)]
pub enum Of {
    /// An element.
    Element = 0,
    /// An attribute.
    Attribute = 1,
}

const SLOTS: usize = 1024;
const UNRESOLVED: NamespaceId = NamespaceId::MAX;

#[derive(Clone, Copy)]
struct Slot {
    first: u64,
    last: u64,
    len: u32,
    id: QId,
}

/// The table of written names.
pub struct QNames {
    text: String,
    rows: Vec<QName>,
    slots: Vec<Slot>,
    index: HashMap<Box<str>, QId>,
    prefixes: HashMap<Box<str>, PrefixId>,
    resolved: HashMap<(QId, NamespaceId), NameId>,
    namespaces: bool,
}

impl QNames {
    pub fn new(namespaces: bool) -> Self {
        let prefixes = [("", NO_PREFIX), ("xml", XML_PREFIX), ("xmlns", XMLNS_PREFIX)];
        QNames {
            text: String::new(),
            rows: Vec::new(),
            slots: vec![Slot { first: 0, last: 0, len: 0, id: 0 }; SLOTS],
            index: HashMap::new(),
            prefixes: prefixes.into_iter().map(|(prefix, id)| (prefix.into(), id)).collect(),
            resolved: HashMap::new(),
            namespaces,
        }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    #[inline]
    pub fn get(&self, id: QId) -> &QName {
        &self.rows[id as usize]
    }

    pub fn text(&self, id: QId) -> &str {
        let row = self.get(id);
        &self.text[row.start..row.start + row.len as usize]
    }

    pub fn prefix_text(&self, id: QId) -> &str {
        let text = self.text(id);
        &text[..(self.get(id).skip as usize).saturating_sub(1)]
    }

    pub fn local_text(&self, id: QId) -> &str {
        &self.text(id)[self.get(id).skip as usize..]
    }

    /// The number of the name `text[start..end]`, which must be a Name.
    #[inline]
    pub fn id(&mut self, text: &str, start: usize, end: usize) -> QId {
        let bytes = text.as_bytes();
        let len = end - start;
        let (first, last) = ends(bytes, start, len);
        let slot = (first ^ last.rotate_left(23) ^ (len as u64) << 7)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            >> (64 - SLOTS.trailing_zeros());
        let seen = self.slots[slot as usize];
        if seen.len == len as u32
            && seen.first == first
            && seen.last == last
            && (len <= 16 || self.text(seen.id) == &text[start..end])
        {
            return seen.id;
        }
        let id = self.find_or_add(&text[start..end]);
        self.slots[slot as usize] = Slot { first, last, len: len as u32, id };
        id
    }

    /// The number of a name that may never come up again.
    #[cold]
    pub fn find_or_add(&mut self, name: &str) -> QId {
        if let Some(&id) = self.index.get(name) {
            return id;
        }
        let colon = if self.namespaces { memchr::memchr(b':', name.as_bytes()) } else { None };
        let (prefix_text, local_text) =
            colon.map_or(("", name), |at| (&name[..at], &name[at + 1..]));
        let is_broken = colon.is_some() && !chars::is_qname(name);
        let prefix = if is_broken { NO_PREFIX } else { self.prefix(prefix_text) };
        let role = match (prefix, name) {
            _ if is_broken => Role::Broken,
            (_, "xml:id") => Role::XmlId,
            (XMLNS_PREFIX, _) => Role::Namespace,
            (_, "xmlns") if self.namespaces => Role::DefaultNamespace,
            _ => Role::Plain,
        };
        // the local part first: it is a name of its own, without a colon
        let local =
            if colon.is_some() && !is_broken { Some(self.find_or_add(local_text)) } else { None };
        let id = self.rows.len() as QId;
        let declares = if role == Role::Namespace { self.prefix(local_text) } else { NO_PREFIX };
        let start = self.text.len();
        self.text.push_str(name);
        let skip = local.map_or(0, |_| prefix_text.len() as u32 + 1);
        let last = [Resolved { namespace: UNRESOLVED, name: 0 }; 2];
        self.rows.push(QName {
            start,
            len: name.len() as u32,
            skip,
            prefix,
            local: local.unwrap_or(id),
            declares,
            role,
            last,
        });
        self.index.insert(name.into(), id);
        id
    }

    /// The number of a prefix.
    pub fn prefix(&mut self, prefix: &str) -> PrefixId {
        if let Some(&id) = self.prefixes.get(prefix) {
            return id;
        }
        let id = self.prefixes.len() as PrefixId;
        self.prefixes.insert(prefix.into(), id);
        id
    }

    /// The number in the tree of this name in this namespace.
    #[inline]
    pub fn resolve(
        &mut self,
        id: QId,
        namespace: NamespaceId,
        of: Of,
        builder: &mut Builder,
    ) -> Result<NameId> {
        let last = self.rows[id as usize].last[of as usize];
        if last.namespace == namespace {
            return Ok(last.name);
        }
        self.resolve_anew(id, namespace, of, builder)
    }

    #[cold]
    fn resolve_anew(
        &mut self,
        id: QId,
        namespace: NamespaceId,
        of: Of,
        builder: &mut Builder,
    ) -> Result<NameId> {
        let name = match self.resolved.get(&(id, namespace)) {
            Some(&name) => name,
            None => {
                let name = builder.intern_in(self.prefix_text(id), namespace, self.local_text(id));
                builder.names().check_size()?;
                self.resolved.insert((id, namespace), name);
                name
            }
        };
        self.rows[id as usize].last[of as usize] = Resolved { namespace, name };
        Ok(name)
    }
}

/// The first and the last eight bytes of a name; for a short one, all of it and zero.
#[inline]
fn ends(bytes: &[u8], start: usize, len: usize) -> (u64, u64) {
    let word =
        |at: usize| bytes.get(at..at + 8).and_then(|w| w.try_into().ok()).map(u64::from_le_bytes);
    if len > 8 {
        return (word(start).unwrap_or(0), word(start + len - 8).unwrap_or(0));
    }
    let whole = word(start).unwrap_or_else(|| {
        let mut padded = [0; 8];
        padded[..len].copy_from_slice(&bytes[start..start + len]);
        u64::from_le_bytes(padded)
    });
    (whole & (u64::MAX >> (64 - 8 * len as u32)), 0)
}
