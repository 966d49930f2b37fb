//! Deltas as binary: see `check_delta`. The head and the check are written here, for no change of
//! a whole delta would get past them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treelace_delta::binary;
use treelace_fuzz::{check_delta, LIMITS};
use treelace_tree::watch::Unwatched;

/// The magic word, the version, the kind.
const HEAD: [u8; 5] = *b"tlD\x02\x00";
const CHECK: usize = 8;

fuzz_target!(|data: &[u8]| {
    let mut whole = [&HEAD[..], data].concat();
    let check = blake3::hash(&whole);
    whole.extend_from_slice(&check.as_bytes()[..CHECK]);
    check_delta(
        &whole,
        |bytes| binary::read(bytes, LIMITS, &Unwatched),
        |delta| binary::write(delta, &LIMITS, &Unwatched),
    );
});
