//! Any bytes: decoded, parsed, checked, written, parsed again. Nothing may panic; what HTML can
//! express must read back equal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treelace_tree::equality::equal;
use treelace_tree::parse::html::{parse, parse_bytes, Options};
use treelace_tree::watch::Unwatched;
use treelace_tree::write::html::{expressible, write, write_bytes};
use treelace_tree::{Error, Limits};

/// Ways to read: a document, and fragments with rules of their own.
const CONTEXTS: [Option<&str>; 8] =
    [None, None, None, None, Some("body"), Some("tr"), Some("svg foreignObject"), Some("template")];

fuzz_target!(|data: &[u8]| {
    let (way, bytes) = data.split_first().map_or((0, data), |(way, rest)| (*way, rest));
    let context = CONTEXTS[way as usize % CONTEXTS.len()].map(str::to_string);
    let transport = (way & 0x80 != 0).then_some("utf-8");
    let options = Options { context, ..Options::default() };
    let limits = Limits { nodes: 100_000, memory: 100 << 20, ..Limits::default() };
    let tree = match parse_bytes(bytes, transport, &options, limits, &Unwatched) {
        Ok(tree) => tree,
        // formatting that reopens itself may well ask for too many nodes
        Err(Error::Limit { .. }) => return,
        Err(error) => panic!("{error}"),
    };
    tree.validate().expect("a whole tree");
    let text = write(&tree, 0, &Unwatched).expect("written");
    let Ok(again) = parse(&text, &options, limits, &Unwatched) else { return };
    again.validate().expect("a whole tree");
    if options.context.is_none() && expressible::obstacle(&tree).is_none() {
        assert!(equal(&tree, &again), "read back otherwise: {text}");
        let written = write_bytes(&tree, &Unwatched).expect("written");
        let again = parse_bytes(&written, None, &options, limits, &Unwatched).expect("read");
        assert!(equal(&tree, &again), "bytes read back otherwise: {text}");
    }
});
