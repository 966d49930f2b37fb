//! html5ever's interned names ("atoms"), made and kept at little cost.

use std::cell::{Cell, OnceCell};
use std::hash::{BuildHasherDefault, Hash, Hasher};

use html5ever::{LocalName, QualName};

/// Atoms of up to this many bytes hold their text themselves: making one costs nothing.
const INLINE: usize = 7;
const SLOTS: usize = 256;
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// The longer names met lately, so that each is hashed and looked up in html5ever's global (locked)
/// table only once.
pub(super) struct AtomCache {
    slots: Vec<LocalName>,
}

impl Default for AtomCache {
    fn default() -> Self {
        AtomCache { slots: vec![LocalName::default(); SLOTS] }
    }
}

impl AtomCache {
    /// The atom for `name`.
    pub fn get(&mut self, name: &str) -> LocalName {
        let bytes = name.as_bytes();
        let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) else {
            debug_assert!(bytes.len() <= INLINE);
            return LocalName::from(name);
        };
        let mixed = (u64::from_le_bytes(*first) ^ u64::from_le_bytes(*last).rotate_left(32))
            .wrapping_mul(MIX);
        let slot = &mut self.slots[(mixed >> 56) as usize % SLOTS];
        if **slot != *name {
            *slot = LocalName::from(name);
        }
        slot.clone()
    }
}

/// A name that is hashed by its local part alone: names that differ only in their namespace are
/// few.
#[derive(PartialEq, Eq)]
pub(super) struct ByLocal(pub QualName);

impl Hash for ByLocal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.local.hash(state);
    }
}

/// Hashes atoms, which bring their own hash along.
#[derive(Default)]
pub(super) struct AtomHasher(u64);

impl Hasher for AtomHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        // a short atom's hash is its text: both halves of the product must come to count
        let product = u128::from(self.0 ^ number) * u128::from(MIX);
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

/// What maps of names are built with.
pub(super) type BuildAtomHasher = BuildHasherDefault<AtomHasher>;

/// Names that stay where they are as long as this lives, so that a node can point at its own
/// without a look-up or a copy: a list of blocks, each twice as long as the one before.
pub(super) struct NameArena {
    block: Box<[OnceCell<QualName>]>,
    used: Cell<usize>,
    next: OnceCell<Box<NameArena>>,
}

impl NameArena {
    /// An arena whose first block has room for this many.
    pub fn with_capacity(names: usize) -> Self {
        NameArena {
            block: (0..names).map(|_| OnceCell::new()).collect(),
            used: Cell::new(0),
            next: OnceCell::new(),
        }
    }

    /// Keeps a name.
    pub fn keep(&self, name: QualName) -> &QualName {
        let mut arena = self;
        while arena.used.get() == arena.block.len() {
            arena = arena
                .next
                .get_or_init(|| Box::new(NameArena::with_capacity(arena.block.len() * 2)));
        }
        let slot = arena.used.get();
        arena.used.set(slot + 1);
        arena.block[slot].get_or_init(|| name)
    }
}
