//! The laws every delta obeys, on random trees and random matchings.

use proptest::prelude::*;

use super::apply::apply;
use super::build::{build, Options};
use super::invert::invert;
use super::xids::{read_runs, runs};
use super::Xids;
use treelace_tree::limits::Limits;
use treelace_tree::tree::{Builder, Format, Kind, Meta, Tree};
use treelace_tree::watch::Unwatched;

/// A random tree with texts, comments and attributes.
fn trees() -> impl Strategy<Value = Tree> {
    prop::collection::vec((0u8..6, 0u8..4, "[ab ]{0,3}"), 0..24).prop_map(|steps| {
        let mut builder = Builder::new(Meta::new(Format::Xml), Limits::default());
        for (what, name, text) in steps {
            match what {
                0 if builder.open_depth() > 1 => builder.close(),
                1 => drop(builder.leaf(Kind::Comment, 0, &text, 0, 0).unwrap()),
                2 => drop(builder.leaf(Kind::Text, 0, &text, 0, 0).unwrap()),
                _ => {
                    let id = builder.intern("", "", ["a", "b", "c", "d"][name as usize]);
                    builder.open(id, 0, 0).unwrap();
                    if what == 3 {
                        let id = builder.intern("", "", ["k", "l", "m", "n"][name as usize]);
                        builder.attribute(id, &text, 0).unwrap();
                        let id = builder.intern("", "urn:x", "z");
                        builder.attribute(id, "1", 0).unwrap();
                    }
                }
            }
        }
        builder.finish()
    })
}

/// Random one-to-one pairs of equal kind, order and ancestry not respected.
fn pairs(old: &Tree, new: &Tree, seeds: &[u32]) -> Vec<(u32, u32)> {
    let mut used = vec![false; new.len()];
    let mut pairs = Vec::new();
    for i in 1..old.len() {
        let seed = seeds[i % seeds.len()];
        if seed.is_multiple_of(4) {
            continue;
        }
        let free: Vec<usize> =
            (1..new.len()).filter(|&j| !used[j] && new.kind(j) == old.kind(i)).collect();
        if !free.is_empty() {
            let j = free[seed as usize / 4 % free.len()];
            used[j] = true;
            pairs.push((i as u32, j as u32));
        }
    }
    pairs
}

/// How many cases: 2,000, or what `PROPTEST_CASES` says.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|number| number.parse().ok()).unwrap_or(2000)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn a_delta_runs_both_ways(
        old in trees(),
        new in trees(),
        seeds in prop::collection::vec(0u32..1000, 24),
        is_ordered in any::<bool>(),
    ) {
        let options = Options {
            leaves_out_order_moves: is_ordered,
            inner_edits_from: 0,
            ..Options::default()
        };
        let xids = Xids::first(&old);
        let pairs = pairs(&old, &new, &seeds);
        let (delta, new_xids) =
            build(&old, &xids, &new, &pairs, &options, Limits::default(), &Unwatched).unwrap();
        new_xids.check().unwrap();
        let (made, made_xids) = apply(&delta, &old, None, Limits::default(), &Unwatched).unwrap();
        made.validate().unwrap();
        prop_assert!(treelace_tree::equality::equal(&made, &new));
        prop_assert_eq!(&made_xids, &new_xids);
        let back = invert(&delta);
        let (again, again_xids) = apply(&back, &new, None, Limits::default(), &Unwatched).unwrap();
        prop_assert!(treelace_tree::equality::equal(&again, &old));
        prop_assert_eq!(&again_xids.of, &xids.of);
        let twice = invert(&back);
        prop_assert_eq!(&twice.operations, &delta.operations);
        prop_assert!(twice.from == delta.from && twice.to == delta.to);
        prop_assert!(twice.from_map == delta.from_map && twice.to_map == delta.to_map);
    }
}

#[test]
fn the_largest_number_is_no_xid() {
    let last = u64::MAX;
    assert!(read_runs(&format!("{last}"), 10).is_err());
    assert!(read_runs(&format!("{}-{last}", last - 1), 10).is_err());
    assert_eq!(runs([last, 0, last - 1]), format!("{last};0;{}", last - 1));
    assert_eq!(read_runs(&format!("{}", last - 1), 10).unwrap(), [last - 1]);
}
