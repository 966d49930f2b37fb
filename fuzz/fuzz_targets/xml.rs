//! XML: any bytes give a sound tree or a named error with a place; bytes in UTF-8 give what the
//! text itself gives.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treelace_fuzz::LIMITS;
use treelace_tree::parse::xml::{parse, parse_str, Options};
use treelace_tree::watch::Unwatched;
use treelace_tree::{Error, Result, Tree};

fn check(result: Result<Tree>) -> Option<Tree> {
    match result {
        Ok(tree) => {
            tree.validate().expect("a sound tree");
            Some(tree)
        }
        Err(Error::Parse { line, column, .. }) => {
            assert!(line > 0 && column > 0, "a place");
            None
        }
        Err(Error::Limit { .. }) => None,
        Err(other) => panic!("{other:?}"),
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, bytes)) = data.split_first() else { return };
    let transports = [
        None,
        None,
        Some("utf-8"),
        Some("utf-16"),
        Some("latin1"),
        Some("iso-8859-9"),
        Some("shift_jis"),
        Some("gb18030"),
    ];
    let transport = transports[choice as usize >> 2 & 7];
    let options = Options {
        transport: transport.map(String::from),
        namespaces: choice & 1 == 0,
        fragment: choice & 2 != 0,
    };
    let tree = check(parse(bytes, &options, LIMITS, &Unwatched));
    if let Ok(text) = std::str::from_utf8(bytes) {
        let again = check(parse_str(text, &options, LIMITS, &Unwatched));
        if let (Some(tree), Some(again)) = (tree, again) {
            if tree.meta().encoding == "UTF-8" {
                assert_eq!(tree.len(), again.len());
            }
        }
    }
});
