//! What a document type says that matters to a parser that does not validate: entities, attribute
//! types and defaults.

use std::collections::HashMap;
use std::rc::Rc;

use super::qnames::QId;
use crate::error::{Error, Result};
use crate::tree::Span;

/// Number of a general entity.
pub type EntityId = u32;

/// What an entity is.
#[derive(Debug, Clone)]
pub enum Definition {
    /// Its replacement text stands in the internal subset.
    Internal(Rc<str>),
    /// It lies somewhere else, which is never read.
    External,
    /// It is not XML at all (`NDATA`).
    Unparsed,
}

/// A general or parameter entity.
#[derive(Debug, Clone)]
pub struct Entity {
    /// Its name.
    pub name: Box<str>,
    /// What it is.
    pub definition: Definition,
    /// Whether it was declared inside a parameter entity.
    pub is_nested: bool,
}

/// Entities by name; the first declaration of a name counts (§4.2).
#[derive(Debug, Default)]
pub struct Entities {
    rows: Vec<Entity>,
    index: HashMap<Box<str>, EntityId>,
}

impl Entities {
    pub fn declare(&mut self, entity: Entity) {
        if !self.index.contains_key(&entity.name) {
            self.index.insert(entity.name.clone(), self.rows.len() as EntityId);
            self.rows.push(entity);
        }
    }

    pub fn find(&self, name: &str) -> Option<EntityId> {
        self.index.get(name).copied()
    }

    pub fn get(&self, id: EntityId) -> &Entity {
        &self.rows[id as usize]
    }
}

/// Type of an attribute, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Type {
    /// CDATA: white space is kept.
    Text,
    /// ID.
    Id,
    /// Any other: a list of tokens, so white space is squeezed.
    Tokens,
}

/// A default value.
#[derive(Debug, Clone, Copy)]
pub struct Default {
    /// Name of the attribute.
    pub name: QId,
    /// Its value, stored once, shared by all elements that get it.
    pub value: Span,
    /// Characters of the value.
    pub chars: u64,
    /// Its type.
    pub kind: Type,
}

/// The document type.
#[derive(Debug, std::default::Default)]
pub struct Dtd {
    /// General entities.
    pub general: Entities,
    /// Parameter entities.
    pub parameter: Entities,
    types: HashMap<(QId, QId), Type>,
    /// For each element name: its attributes with a default.
    defaults: HashMap<QId, Vec<Default>>,
    /// Element names that have an attribute list, as a table over name numbers.
    has_list: Vec<bool>,
    /// Whether names are resolved to namespaces, so that an entity's may not have a colon.
    pub namespaces: bool,
    /// `standalone` of the XML declaration.
    pub standalone: Option<bool>,
    /// There is an external subset, or a reference to a parameter entity: declarations may stand
    /// where nobody reads.
    pub is_partly_elsewhere: bool,
    /// A parameter entity was not read: what follows it may have been overridden there, and is not
    /// used (§5.1).
    pub is_cut: bool,
}

impl Dtd {
    /// Whether declarations are to be used, not only checked.
    pub fn is_processing(&self) -> bool {
        !self.is_cut || self.standalone == Some(true)
    }

    /// Whether an entity without a declaration breaks a rule of well-formedness (§4.1, Entity
    /// Declared).
    pub fn is_complete(&self) -> bool {
        !self.is_partly_elsewhere || self.standalone == Some(true)
    }

    /// Notes an attribute; `false` if it had been declared before, which then stays (§3.3).
    pub fn declare_attribute(&mut self, element: QId, attribute: QId, kind: Type) -> bool {
        let at = element as usize;
        if self.has_list.len() <= at {
            self.has_list.resize(at + 1, false);
        }
        self.has_list[at] = true;
        let mut is_new = false;
        self.types.entry((element, attribute)).or_insert_with(|| {
            is_new = true;
            kind
        });
        is_new
    }

    pub fn declare_default(&mut self, element: QId, default: Default) {
        self.defaults.entry(element).or_default().push(default);
    }

    /// Whether anything is declared for the attributes of this element.
    #[inline]
    pub fn has_list(&self, element: QId) -> bool {
        self.has_list.get(element as usize).copied().unwrap_or(false)
    }

    pub fn attribute_type(&self, element: QId, attribute: QId) -> Type {
        self.types.get(&(element, attribute)).copied().unwrap_or(Type::Text)
    }

    pub fn defaults(&self, element: QId) -> &[Default] {
        self.defaults.get(&element).map_or(&[], Vec::as_slice)
    }
}

/// How much more entities may add to the document.
#[derive(Debug)]
pub struct Budget {
    bound: u64,
    references: u64,
    defaults: u64,
}

impl Budget {
    /// References may expand to `bound` characters; default values may add that many beyond the
    /// size of the document.
    pub fn new(bound: u64, document: u64) -> Self {
        Budget { bound, references: bound, defaults: bound.saturating_add(document) }
    }

    /// Takes the characters of a replacement text.
    pub fn reference(&mut self, replacement: &str) -> Result<()> {
        Self::take(&mut self.references, replacement.chars().count() as u64, self.bound)
    }

    /// Takes the characters of a default value, and one for the attribute itself.
    pub fn default_value(&mut self, chars: u64) -> Result<()> {
        Self::take(&mut self.defaults, chars + 1, self.bound)
    }

    fn take(left: &mut u64, chars: u64, bound: u64) -> Result<()> {
        *left = left.checked_sub(chars).ok_or(Error::limit("entity_expansion", bound))?;
        Ok(())
    }
}
