//! Names of one tree, interned: a name is a number.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use rapidhash::fast::RapidHasher;

use crate::error::{Error, Result};

/// Number of a name in the [`Names`] of its tree.
pub type NameId = u32;

/// The empty name, which is always number 0.
pub const NO_NAME: NameId = 0;

/// Namespace of HTML elements.
pub const HTML: &str = "http://www.w3.org/1999/xhtml";
/// Namespace of SVG.
pub const SVG: &str = "http://www.w3.org/2000/svg";
/// Namespace of MathML.
pub const MATHML: &str = "http://www.w3.org/1998/Math/MathML";
/// Namespace of XLink attributes.
pub const XLINK: &str = "http://www.w3.org/1999/xlink";
/// Namespace of the prefix `xml`.
pub const XML: &str = "http://www.w3.org/XML/1998/namespace";
/// Namespace of namespace declarations.
pub const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// The names of one tree. Each is (prefix, namespace, local name).
#[derive(Debug, Clone)]
pub struct Names {
    text: String,
    /// Ends of prefix, namespace, local in `text`; a name starts where the one before ends.
    rows: Vec<[u32; 4]>,
    index: HashMap<u64, Vec<NameId>, BuildHasherDefault<RapidHasher<'static>>>,
}

impl Default for Names {
    fn default() -> Self {
        let mut names = Names { text: String::new(), rows: Vec::new(), index: HashMap::default() };
        names.intern("", "", "");
        names
    }
}

impl Names {
    /// The number of a name, new if it has not been seen.
    pub fn intern(&mut self, prefix: &str, namespace: &str, local: &str) -> NameId {
        let key = Self::key(prefix, namespace, local);
        if let Some(id) = self.lookup(key, prefix, namespace, local) {
            return id;
        }
        let id = self.rows.len() as NameId;
        let start = self.text.len() as u32;
        self.text.push_str(prefix);
        let second = self.text.len() as u32;
        self.text.push_str(namespace);
        let third = self.text.len() as u32;
        self.text.push_str(local);
        self.rows.push([start, second, third, self.text.len() as u32]);
        self.index.entry(key).or_default().push(id);
        id
    }

    /// The number of a name, if it is there.
    pub fn find(&self, prefix: &str, namespace: &str, local: &str) -> Option<NameId> {
        self.lookup(Self::key(prefix, namespace, local), prefix, namespace, local)
    }

    fn lookup(&self, key: u64, prefix: &str, namespace: &str, local: &str) -> Option<NameId> {
        let same = |&&id: &&NameId| self.local(id) == local && self.prefix(id) == prefix && self.namespace(id) == namespace;
        self.index.get(&key)?.iter().find(same).copied()
    }

    fn key(prefix: &str, namespace: &str, local: &str) -> u64 {
        use std::hash::Hasher;
        let mut hasher = RapidHasher::default();
        for part in [local, prefix, namespace] {
            hasher.write(part.as_bytes());
            hasher.write_u8(0xFF);
        }
        hasher.finish()
    }

    /// How many names there are, the empty one included.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Never: name 0 is always there.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether this number is in use.
    pub fn has(&self, id: NameId) -> bool {
        (id as usize) < self.rows.len()
    }

    /// Prefix of a name, as written.
    pub fn prefix(&self, id: NameId) -> &str {
        let [from, to, ..] = self.rows[id as usize];
        &self.text[from as usize..to as usize]
    }

    /// Namespace of a name; empty for none.
    pub fn namespace(&self, id: NameId) -> &str {
        let [_, from, to, _] = self.rows[id as usize];
        &self.text[from as usize..to as usize]
    }

    /// Local part of a name.
    pub fn local(&self, id: NameId) -> &str {
        let [_, _, from, to] = self.rows[id as usize];
        &self.text[from as usize..to as usize]
    }

    /// `prefix:local`, or `local` where there is no prefix.
    pub fn qualified(&self, id: NameId) -> String {
        match self.prefix(id) {
            "" => self.local(id).to_string(),
            prefix => format!("{prefix}:{}", self.local(id)),
        }
    }

    /// For each name its place in the order (namespace, local name, prefix), by bytes: the same whatever the order of interning.
    pub fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<NameId> = (0..self.len() as NameId).collect();
        order.sort_unstable_by_key(|&id| (self.namespace(id), self.local(id), self.prefix(id)));
        let mut ranks = vec![0; order.len()];
        for (rank, &id) in order.iter().enumerate() {
            ranks[id as usize] = rank as u32;
        }
        ranks
    }

    /// Fails where a name would not fit the columns any more.
    pub fn check_size(&self) -> Result<()> {
        if self.text.len() > u32::MAX as usize / 2 {
            return Err(Error::limit("text", u64::from(u32::MAX / 2)));
        }
        Ok(())
    }
}
