//! Deltas as JSON: see `check_delta`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treelace_delta::json_form;
use treelace_fuzz::{check_delta, LIMITS};
use treelace_tree::watch::Unwatched;

fuzz_target!(|data: &[u8]| {
    if std::str::from_utf8(data).is_err() {
        return;
    }
    check_delta(
        data,
        |bytes| {
            json_form::read(std::str::from_utf8(bytes).expect("checked above"), LIMITS, &Unwatched)
        },
        |delta| Ok(json_form::write(delta, &LIMITS, &Unwatched)?.into_bytes()),
    );
});
