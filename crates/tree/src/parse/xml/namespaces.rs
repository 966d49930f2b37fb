//! What each prefix stands for. Looking one up costs the same at any depth and with any number of
//! declarations.

use super::qnames::PrefixId;
use crate::tree::{Builder, NamespaceId, NO_NAMESPACE, XML, XMLNS};

/// What each prefix stands for at one place of the document, with a way back.
pub struct Namespaces {
    current: Vec<NamespaceId>,
    /// Prefix and what it stood for before.
    undo: Vec<(PrefixId, NamespaceId)>,
    /// The namespace of `xmlns:…`.
    pub xmlns: NamespaceId,
}

/// Stands for nothing.
pub const UNBOUND: NamespaceId = NamespaceId::MAX - 1;

impl Namespaces {
    pub fn new(builder: &mut Builder) -> Self {
        let xml = builder.intern_namespace(XML);
        let xmlns = builder.intern_namespace(XMLNS);
        Namespaces { current: vec![NO_NAMESPACE, xml, xmlns], undo: Vec::new(), xmlns }
    }

    #[inline]
    pub fn of(&self, prefix: PrefixId) -> NamespaceId {
        self.current.get(prefix as usize).copied().unwrap_or(UNBOUND)
    }

    pub fn bind(&mut self, prefix: PrefixId, namespace: NamespaceId) {
        let at = prefix as usize;
        if at >= self.current.len() {
            self.current.resize(at + 1, UNBOUND);
        }
        self.undo.push((prefix, self.current[at]));
        self.current[at] = namespace;
    }

    /// Where the way back stands now.
    #[inline]
    pub fn mark(&self) -> u32 {
        self.undo.len() as u32
    }

    /// Goes back to an earlier mark.
    #[inline]
    pub fn reset(&mut self, mark: u32) {
        while self.undo.len() > mark as usize {
            if let Some((prefix, before)) = self.undo.pop() {
                self.current[prefix as usize] = before;
            }
        }
    }
}
