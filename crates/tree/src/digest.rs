//! A 128-bit fingerprint of every subtree: equal subtrees, and only those, have equal digests.
//!
//! A digest is BLAKE3 cut to 16 bytes, over an encoding that is fixed for ever under its version
//! byte (the page `docs/explanation/equality-and-digests.md` states it for other programs). All
//! numbers are little-endian `u32`:
//!
//! ```text
//! namespace   VERSION 'S'   the namespace
//! name        VERSION 'N'   digest of the namespace, len prefix, local name
//! document    VERSION 0     digests of the children
//! element     VERSION 1     digest of the name, attributes, digests of the children
//! text        VERSION 2     the text
//! comment     VERSION 3     the text
//! instruction VERSION 4     digest of the target, the data
//! doctype     VERSION 5     digest of the name, attributes (public, system), the internal subset
//! reference   VERSION 6     the text `&name;` of a reference to an entity that nobody could read
//! attributes  their number; each: digest of its name, len value; in the order (namespace, local
//!             name, prefix)
//! ```
//!
//! Text is UTF-8. Nothing random and nothing of the machine goes in. What goes in is exactly what
//! [`crate::equality`] compares.
//!
//! One pass from the last node to the first: the children of a node stand behind it, so their
//! digests are there. One buffer for all nodes; names are hashed once for each tree. Time O(bytes +
//! n), memory 16 bytes a node.

use crate::error::Result;
use crate::tree::{flags, Kind, Names, Tree};
use crate::watch::{Unwatched, Watch};

/// The fingerprint of a subtree.
pub type Digest = [u8; 16];

/// First byte of everything that is hashed. Another encoding must get another number.
pub const VERSION: u8 = 1;

/// Stands for the kind of a text that is a reference.
const REFERENCE: u8 = 6;

impl Tree {
    /// The digest of every subtree, by the number of its top node; computed when first asked for,
    /// then kept.
    pub fn digests(&self) -> &[Digest] {
        self.lazy.digests.get_or_init(|| compute(self, &Unwatched).expect("nobody stops this"))
    }

    /// [`Tree::digests`] that can be stopped.
    pub fn digests_watched(&self, watch: &dyn Watch) -> Result<&[Digest]> {
        if self.lazy.digests.get().is_none() {
            // two threads may both come here: the first to finish wins, and both found the same
            let _ = self.lazy.digests.set(compute(self, watch)?);
        }
        Ok(self.digests())
    }

    /// The digest of the subtree of node `i`.
    pub fn digest(&self, i: usize) -> Digest {
        self.digests()[i]
    }
}

fn compute(tree: &Tree, watch: &dyn Watch) -> Result<Vec<Digest>> {
    let names = name_digests(tree.names());
    let ranks = tree.names().ranks();
    let mut digests = vec![Digest::default(); tree.len()];
    let mut buffer: Vec<u8> = Vec::with_capacity(1024);
    let mut sorted: Vec<usize> = Vec::new();
    for i in (0..tree.len()).rev() {
        if i % 8192 == 0 {
            watch.check()?;
        }
        let kind = tree.kind(i);
        buffer.clear();
        let is_reference = tree.flags(i) & flags::REFERENCE != 0;
        buffer.extend_from_slice(&[VERSION, if is_reference { REFERENCE } else { kind as u8 }]);
        if matches!(kind, Kind::Element | Kind::Instruction | Kind::Doctype) {
            buffer.extend_from_slice(&names[tree.name(i) as usize]);
        }
        if matches!(kind, Kind::Element | Kind::Doctype) {
            sorted.clear();
            sorted.extend(tree.attributes(i));
            sorted.sort_by_key(|&a| ranks[tree.attr_name(a) as usize]);
            buffer.extend_from_slice(&(sorted.len() as u32).to_le_bytes());
            for &a in &sorted {
                let value = tree.attr_value(a);
                buffer.extend_from_slice(&names[tree.attr_name(a) as usize]);
                buffer.extend_from_slice(&(value.len() as u32).to_le_bytes());
                buffer.extend_from_slice(value.as_bytes());
            }
        }
        match kind {
            Kind::Document | Kind::Element => {
                for child in tree.children(i) {
                    buffer.extend_from_slice(&digests[child]);
                }
            }
            _ => buffer.extend_from_slice(tree.text(i).as_bytes()),
        }
        digests[i] = cut(&buffer);
    }
    Ok(digests)
}

fn name_digests(names: &Names) -> Vec<Digest> {
    let mut buffer = Vec::new();
    // a namespace is read once, however many names are in it
    let namespaces: Vec<Digest> = names
        .namespaces()
        .map(|namespace| {
            buffer.clear();
            buffer.extend_from_slice(&[VERSION, b'S']);
            buffer.extend_from_slice(namespace.as_bytes());
            cut(&buffer)
        })
        .collect();
    let digest = |id| {
        buffer.clear();
        buffer.extend_from_slice(&[VERSION, b'N']);
        buffer.extend_from_slice(&namespaces[names.namespace_id(id) as usize]);
        buffer.extend_from_slice(&(names.prefix(id).len() as u32).to_le_bytes());
        buffer.extend_from_slice(names.prefix(id).as_bytes());
        buffer.extend_from_slice(names.local(id).as_bytes());
        cut(&buffer)
    };
    (0..names.len() as u32).map(digest).collect()
}

fn cut(bytes: &[u8]) -> Digest {
    let hash = blake3::hash(bytes);
    let mut digest = Digest::default();
    digest.copy_from_slice(&hash.as_bytes()[..16]);
    digest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Builder, Format, Meta};
    use crate::Limits;

    #[test]
    fn the_encoding_never_changes() {
        let mut builder = Builder::new(Meta::new(Format::Xml), Limits::default());
        let name = builder.intern("x", "urn:x", "a");
        builder.open(name, 0, 0).unwrap();
        let (b, a) = (builder.intern("", "", "b"), builder.intern("", "", "a"));
        builder.attribute(b, "2", 0).unwrap();
        builder.attribute(a, "1", 0).unwrap();
        builder.leaf(Kind::Text, 0, "t", 0, 0).unwrap();
        let tree = builder.finish();
        // the same bytes put together by hand
        let named = |prefix: &[u8], namespace: &[u8], local: &[u8]| {
            let mut bytes = b"\x01N".to_vec();
            bytes.extend(cut(&[b"\x01S", namespace].concat()));
            bytes.extend([prefix.len() as u8, 0, 0, 0]);
            bytes.extend(prefix);
            bytes.extend(local);
            cut(&bytes)
        };
        let text = cut(b"\x01\x02t");
        let mut element = b"\x01\x01".to_vec();
        element.extend(named(b"x", b"urn:x", b"a"));
        element.extend([2, 0, 0, 0]);
        element.extend(named(b"", b"", b"a"));
        element.extend(b"\x01\0\0\x001");
        element.extend(named(b"", b"", b"b"));
        element.extend(b"\x01\0\0\x002");
        element.extend(text);
        let mut document = b"\x01\x00".to_vec();
        document.extend(cut(&element));
        assert_eq!(tree.digests(), [cut(&document), cut(&element), text]);
    }
}
