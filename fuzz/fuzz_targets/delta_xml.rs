//! Deltas as XML: see `check_delta`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treelace_delta::{xml_read, xml_write};
use treelace_fuzz::{check_delta, LIMITS};
use treelace_tree::watch::Unwatched;

fuzz_target!(|data: &[u8]| {
    check_delta(
        data,
        |bytes| xml_read::read(bytes, LIMITS, &Unwatched),
        |delta| Ok(xml_write::write(delta, false, &LIMITS, &Unwatched)?.into_bytes()),
    );
});
