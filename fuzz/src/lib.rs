//! What several fuzz targets share.

use treelace_delta::invert::invert;
use treelace_delta::Delta;
use treelace_tree::{Limits, Result};

/// Small, so that every limit is met.
pub const LIMITS: Limits = Limits {
    bytes: 1 << 20,
    nodes: 10_000,
    depth: 100,
    attributes: 50,
    text: 1 << 16,
    entity_expansion: 10_000,
    memory: 1 << 30,
    seconds: 10.0,
};

/// Any bytes give a delta or a named error. What was read can be inverted, written and read again,
/// and its inverse twice is as long as it was.
pub fn check_delta(
    data: &[u8],
    read: impl Fn(&[u8]) -> Result<Delta>,
    write: impl Fn(&Delta) -> Result<Vec<u8>>,
) {
    let Ok(delta) = read(data) else { return };
    let twice = invert(&invert(&delta));
    assert_eq!(twice.operations.len(), delta.operations.len());
    if let Ok(written) = write(&delta) {
        let again = read(&written).expect("what we wrote is read");
        assert_eq!(again.operations.len(), delta.operations.len());
    }
}
