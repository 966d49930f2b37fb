//! Deltas as xml: any bytes give a delta or a named error. What was read can be inverted, written
//! and read again, and its inverse twice is as long as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treelace_delta::invert::invert;
use treelace_delta::{xml_read, xml_write};
use treelace_tree::watch::Unwatched;
use treelace_tree::Limits;

/// Small, so that every limit is met.
const LIMITS: Limits = Limits {
    bytes: 1 << 20,
    nodes: 10_000,
    depth: 100,
    attributes: 50,
    text: 1 << 16,
    entity_expansion: 10_000,
    memory: 1 << 30,
    seconds: 10.0,
};

fuzz_target!(|data: &[u8]| {
    let Ok(delta) = xml_read::read(data, LIMITS, &Unwatched) else { return };
    let twice = invert(&invert(&delta));
    assert_eq!(twice.operations.len(), delta.operations.len());
    if let Ok(written) = xml_write::write(&delta, false, &LIMITS, &Unwatched) {
        let again = xml_read::read(written.as_bytes(), LIMITS, &Unwatched).expect("what we wrote is read");
        assert_eq!(again.operations.len(), delta.operations.len());
    }
});
