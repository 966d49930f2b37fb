//! Names of one tree, interned: a name is a number.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

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

/// Number of a namespace in the [`Names`] of its tree; [`NO_NAMESPACE`] for none.
pub type NamespaceId = u32;

/// The empty namespace, which is always number 0.
pub const NO_NAMESPACE: NamespaceId = 0;

type Index = HashMap<u64, Vec<u32>, BuildHasherDefault<RapidHasher<'static>>>;

/// Names by their local part in lower case.
pub(crate) type ByLocal = HashMap<String, Vec<NameId>, BuildHasherDefault<RapidHasher<'static>>>;

/// The names of one tree. Each is (prefix, namespace, local name).
///
/// A namespace is stored and hashed once, however many names are in it: with a long one, a hostile
/// document could otherwise make the table grow with the square of its own size.
#[derive(Debug, Clone)]
pub struct Names {
    text: String,
    /// Start of the prefix, start of the local part, its end, all in `text`; then the namespace.
    rows: Vec<[u32; 4]>,
    index: Index,
    /// Start and end in `text`.
    namespaces: Vec<[u32; 2]>,
    namespace_index: Index,
}

impl Default for Names {
    fn default() -> Self {
        let mut names = Names {
            text: String::new(),
            rows: Vec::new(),
            index: Index::default(),
            namespaces: Vec::new(),
            namespace_index: Index::default(),
        };
        names.intern("", "", "");
        names
    }
}

impl Names {
    /// The number of a name, new if it has not been seen.
    pub fn intern(&mut self, prefix: &str, namespace: &str, local: &str) -> NameId {
        let namespace = self.intern_namespace(namespace);
        self.intern_in(prefix, namespace, local)
    }

    /// The number of a name in a namespace whose number is known, new if it has not been seen. Does
    /// not read the namespace.
    pub fn intern_in(&mut self, prefix: &str, namespace: NamespaceId, local: &str) -> NameId {
        debug_assert!((namespace as usize) < self.namespaces.len(), "a namespace of another tree");
        let key = Self::key(prefix, namespace, local);
        if let Some(id) = self.lookup(key, prefix, namespace, local) {
            return id;
        }
        let id = self.rows.len() as NameId;
        let start = self.text.len() as u32;
        self.text.push_str(prefix);
        let middle = self.text.len() as u32;
        self.text.push_str(local);
        self.rows.push([start, middle, self.text.len() as u32, namespace]);
        self.index.entry(key).or_default().push(id);
        id
    }

    /// The number of a namespace, new if it has not been seen.
    pub fn intern_namespace(&mut self, namespace: &str) -> NamespaceId {
        let key = Self::namespace_key(namespace);
        if let Some(id) = self.lookup_namespace(key, namespace) {
            return id;
        }
        let id = self.namespaces.len() as NamespaceId;
        let start = self.text.len() as u32;
        self.text.push_str(namespace);
        self.namespaces.push([start, self.text.len() as u32]);
        self.namespace_index.entry(key).or_default().push(id);
        id
    }

    /// The number of a name, if it is there.
    pub fn find(&self, prefix: &str, namespace: &str, local: &str) -> Option<NameId> {
        let namespace = self.lookup_namespace(Self::namespace_key(namespace), namespace)?;
        self.lookup(Self::key(prefix, namespace, local), prefix, namespace, local)
    }

    /// The number of a name in a namespace whose number is known, if it is there. Does not read the
    /// namespace.
    pub fn find_in(&self, prefix: &str, namespace: NamespaceId, local: &str) -> Option<NameId> {
        self.lookup(Self::key(prefix, namespace, local), prefix, namespace, local)
    }

    /// The number of a namespace, if it is there.
    pub fn find_namespace(&self, namespace: &str) -> Option<NamespaceId> {
        self.lookup_namespace(Self::namespace_key(namespace), namespace)
    }

    /// Every namespace by its number.
    pub fn namespaces(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.namespaces.len() as NamespaceId).map(|id| self.namespace_text(id))
    }

    fn lookup(
        &self,
        key: u64,
        prefix: &str,
        namespace: NamespaceId,
        local: &str,
    ) -> Option<NameId> {
        let same = |&&id: &&NameId| {
            self.local(id) == local
                && self.prefix(id) == prefix
                && self.namespace_id(id) == namespace
        };
        self.index.get(&key)?.iter().find(same).copied()
    }

    fn lookup_namespace(&self, key: u64, namespace: &str) -> Option<NamespaceId> {
        self.namespace_index
            .get(&key)?
            .iter()
            .find(|&&id| self.namespace_text(id) == namespace)
            .copied()
    }

    fn key(prefix: &str, namespace: NamespaceId, local: &str) -> u64 {
        let mut hasher = RapidHasher::default();
        for part in [local, prefix] {
            hasher.write(part.as_bytes());
            hasher.write_u8(0xFF);
        }
        hasher.write_u32(namespace);
        hasher.finish()
    }

    fn namespace_key(namespace: &str) -> u64 {
        let mut hasher = RapidHasher::default();
        hasher.write(namespace.as_bytes());
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
        self.namespace_text(self.namespace_id(id))
    }

    /// Number of the namespace of a name: equal numbers, equal namespaces.
    pub fn namespace_id(&self, id: NameId) -> NamespaceId {
        self.rows[id as usize][3]
    }

    /// The namespace with this number.
    pub fn namespace_text(&self, id: NamespaceId) -> &str {
        let [from, to] = self.namespaces[id as usize];
        &self.text[from as usize..to as usize]
    }

    /// Local part of a name.
    pub fn local(&self, id: NameId) -> &str {
        let [_, from, to, _] = self.rows[id as usize];
        &self.text[from as usize..to as usize]
    }

    /// All names by their local part in lower case.
    pub(crate) fn by_local(&self) -> ByLocal {
        let mut found = ByLocal::default();
        for id in 1..self.len() as NameId {
            found.entry(self.local(id).to_ascii_lowercase()).or_default().push(id);
        }
        found
    }

    /// `prefix:local`, or `local` where there is no prefix.
    pub fn qualified(&self, id: NameId) -> String {
        match self.prefix(id) {
            "" => self.local(id).to_string(),
            prefix => format!("{prefix}:{}", self.local(id)),
        }
    }

    /// For each name its place in the order (namespace, local name, prefix), by bytes: the same
    /// whatever the order of interning.
    pub fn ranks(&self) -> Vec<u32> {
        // namespaces first, so that a long one is not read for each of its names
        let namespaces = ranks_of(self.namespaces.len(), |id| self.namespace_text(id));
        ranks_of(self.len(), |id| {
            (namespaces[self.namespace_id(id) as usize], self.local(id), self.prefix(id))
        })
    }

    /// Fails where a name would not fit the columns any more.
    pub fn check_size(&self) -> Result<()> {
        if self.text.len() > u32::MAX as usize / 2 {
            return Err(Error::limit("text", u64::from(u32::MAX / 2)));
        }
        Ok(())
    }
}

/// For each number below `count` its place in the order of the keys.
fn ranks_of<K: Ord>(count: usize, key: impl Fn(u32) -> K) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_unstable_by_key(|&id| key(id));
    let mut ranks = vec![0; count];
    for (rank, &id) in order.iter().enumerate() {
        ranks[id as usize] = rank as u32;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_is_stored_once() {
        let mut names = Names::default();
        let long = "u".repeat(100_000);
        let space = names.intern_namespace(&long);
        for i in 0..1000 {
            let id = names.intern_in("p", space, &format!("n{i}"));
            assert_eq!(names.namespace(id), long);
        }
        assert!(names.text.len() < 110_000);
        assert_eq!(names.find("p", &long, "n7"), Some(names.intern("p", &long, "n7")));
        assert_eq!(names.find("p", "u", "n7"), None);
        assert_eq!(names.intern("", "", ""), NO_NAME);
    }
}
