//! Deltas as binary: see `check_delta`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treelace_delta::binary;
use treelace_fuzz::{check_delta, LIMITS};
use treelace_tree::watch::Unwatched;

fuzz_target!(|data: &[u8]| {
    check_delta(
        data,
        |bytes| binary::read(bytes, LIMITS, &Unwatched),
        |delta| binary::write(delta, &LIMITS, &Unwatched),
    );
});
