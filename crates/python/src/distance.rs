//! Tree distances, and the matchers that come from them.

use pyo3::prelude::*;
use treelace_matching::edit::bounds::{traversals, Profile};
use treelace_matching::edit::costs::Unit;
use treelace_matching::edit::prices::{weighted, Prices};
use treelace_matching::edit::{self, search, Choice, Path, Strategy};
use treelace_matching::leaves::complete;
use treelace_matching::restricted::{self, Restricted};
use treelace_matching::shape::{self, Shape, View};
use treelace_matching::Pairs;
use treelace_tree::watch::Watch;
use treelace_tree::{Error, Limits, Result};

use crate::matching::{arrays, PairArrays};
use crate::parse::PyLimits;
use crate::run::run;
use crate::tree::Tree;

/// `treelace.matching.Costs` as the kernel has it.
#[derive(FromPyObject)]
pub struct PyCosts {
    insert: f64,
    delete: f64,
    rename: f64,
    insert_tag: Vec<(String, f64)>,
    delete_tag: Vec<(String, f64)>,
    rename_tag: Vec<(String, String, f64)>,
    graded: bool,
}

impl From<PyCosts> for Prices {
    fn from(it: PyCosts) -> Prices {
        Prices {
            insert: it.insert,
            delete: it.delete,
            rename: it.rename,
            insert_tag: it.insert_tag,
            delete_tag: it.delete_tag,
            rename_tag: it.rename_tag,
            graded: it.graded,
        }
    }
}

/// Pairs of shapes as pairs of nodes, sure where the labels are equal, half sure where not; then
/// the leaves below them.
pub fn matched(
    trees: [&Tree; 2],
    shapes: [&Shape; 2],
    pairs: &[(u32, u32)],
    watch: &dyn Watch,
) -> Result<Pairs> {
    let [old, new] = shapes;
    let rows: Vec<(u32, u32, f64)> = pairs
        .iter()
        .map(|&(i, j)| {
            let (i, j) = (i as usize, j as usize);
            (old.node[i], new.node[j], if old.label[i] == new.label[j] { 1.0 } else { 0.5 })
        })
        .collect();
    complete(&trees[0].inner, &trees[1].inner, &rows, watch)
}

#[pyfunction]
#[allow(clippy::too_many_arguments)]
fn edit_distance(
    py: Python<'_>,
    old: &Tree,
    new: &Tree,
    attributes: bool,
    text: bool,
    costs: Option<PyCosts>,
    at_most: Option<f64>,
    limits: PyLimits,
) -> PyResult<Option<f64>> {
    let limits = Limits::from(limits);
    let prices = costs.map(Prices::from);
    run(py, &limits, |watch| {
        let attributes = attributes || prices.as_ref().is_some_and(|prices| prices.graded);
        let (a, b) = shape::pair(&old.inner, &new.inner, View { attributes, text }, watch)?;
        match prices {
            None => {
                let most = at_most.map(|most| most.clamp(0.0, f64::from(u32::MAX)) as u32);
                Ok(edit::unit(&a, &b, most, false, &limits, watch)?
                    .map(|(distance, _)| f64::from(distance)))
            }
            Some(prices) => {
                let costs = weighted([&old.inner, &new.inner], [&a, &b], &prices, &limits, watch)?;
                let distance =
                    edit::distance(&a, &b, &costs, Strategy::Best, &limits, watch)?.max(0.0);
                Ok(Some(distance).filter(|&distance| at_most.is_none_or(|most| distance <= most)))
            }
        }
    })
}

#[pyfunction]
fn match_edit<'py>(
    py: Python<'py>,
    old: &Tree,
    new: &Tree,
    attributes: bool,
    text: bool,
    costs: Option<PyCosts>,
    limits: PyLimits,
) -> PyResult<PairArrays<'py>> {
    let limits = Limits::from(limits);
    let prices = costs.map(Prices::from);
    run(py, &limits, |watch| {
        let attributes = attributes || prices.as_ref().is_some_and(|prices| prices.graded);
        let (a, b) = shape::pair(&old.inner, &new.inner, View { attributes, text }, watch)?;
        let pairs = match prices {
            None => edit::unit(&a, &b, None, true, &limits, watch)?
                .map(|(_, pairs)| pairs)
                .unwrap_or_default(),
            Some(prices) => {
                let costs = weighted([&old.inner, &new.inner], [&a, &b], &prices, &limits, watch)?;
                edit::mapping(&a, &b, &costs, Strategy::Best, &limits, watch)?.1
            }
        };
        matched([old, new], [&a, &b], &pairs, watch)
    })
    .map(|pairs| arrays(py, pairs))
}

fn strategy_named(name: &str) -> Result<Strategy> {
    let always = |in_new, path| Ok(Strategy::Always(Choice { in_new, path }));
    match name {
        "best" => Ok(Strategy::Best),
        "old-left" => always(false, Path::Left),
        "old-right" => always(false, Path::Right),
        "old-heavy" => always(false, Path::Heavy),
        "new-left" => always(true, Path::Left),
        "new-right" => always(true, Path::Right),
        "new-heavy" => always(true, Path::Heavy),
        _ => Err(Error::Usage(format!("no strategy is called '{name}'"))),
    }
}

/// Distance, and pairs of nodes.
type Mapped = (f64, Vec<(u32, u32)>);

#[pyfunction]
fn edit_mapping_by(
    py: Python<'_>,
    old: &Tree,
    new: &Tree,
    strategy: &str,
    at_most: Option<u32>,
    limits: PyLimits,
) -> PyResult<Option<Mapped>> {
    let limits = Limits::from(limits);
    run(py, &limits, |watch| {
        let (a, b) = shape::pair(&old.inner, &new.inner, View::default(), watch)?;
        let costs = Unit { old: &a.label, new: &b.label };
        let found = match at_most {
            Some(most) => edit::bounded(&a, &b, most as usize, true, &limits, watch)?
                .map(|(distance, pairs)| (f64::from(distance), pairs)),
            None if strategy == "unit" => edit::unit(&a, &b, None, true, &limits, watch)?
                .map(|(distance, pairs)| (f64::from(distance), pairs)),
            None => Some(edit::mapping(&a, &b, &costs, strategy_named(strategy)?, &limits, watch)?),
        };
        Ok(found.map(|(distance, pairs)| {
            (
                distance,
                pairs.iter().map(|&(i, j)| (a.node[i as usize], b.node[j as usize])).collect(),
            )
        }))
    })
}

/// A restricted distance by the name of its matcher.
fn restricted_named(
    name: &str,
    old: &Shape,
    new: &Shape,
    wants_pairs: bool,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Restricted> {
    match name {
        "alignment" => restricted::alignment::alignment(old, new, wants_pairs, limits, watch),
        "bottom-up" => restricted::bottom_up::bottom_up(old, new, watch),
        "constrained" => restricted::constrained::constrained(old, new, wants_pairs, limits, watch),
        "nierman-jagadish" => restricted::nierman::nierman(old, new, wants_pairs, limits, watch),
        "restricted-top-down" => restricted::rtdm::rtdm(old, new, wants_pairs, limits, watch),
        "simple-tree-matching" => restricted::simple::simple(old, new, wants_pairs, limits, watch),
        "top-down" => restricted::selkow::selkow(old, new, wants_pairs, limits, watch),
        _ => Err(Error::Usage(format!("no distance is called '{name}'"))),
    }
}

#[pyfunction]
fn restricted_distance(
    py: Python<'_>,
    name: &str,
    old: &Tree,
    new: &Tree,
    attributes: bool,
    text: bool,
    limits: PyLimits,
) -> PyResult<(u64, usize, usize)> {
    let limits = Limits::from(limits);
    run(py, &limits, |watch| {
        let (a, b) = shape::pair(&old.inner, &new.inner, View { attributes, text }, watch)?;
        let distance = match name {
            "tree-edit-distance" => edit::unit(&a, &b, None, false, &limits, watch)?
                .map_or(0, |(distance, _)| u64::from(distance)),
            _ => restricted_named(name, &a, &b, false, &limits, watch)?.distance,
        };
        Ok((distance, a.size(), b.size()))
    })
}

#[pyfunction]
fn match_restricted<'py>(
    py: Python<'py>,
    name: &str,
    old: &Tree,
    new: &Tree,
    attributes: bool,
    text: bool,
    limits: PyLimits,
) -> PyResult<PairArrays<'py>> {
    let limits = Limits::from(limits);
    run(py, &limits, |watch| {
        let (a, b) = shape::pair(&old.inner, &new.inner, View { attributes, text }, watch)?;
        let found = restricted_named(name, &a, &b, true, &limits, watch)?;
        matched([old, new], [&a, &b], &found.pairs, watch)
    })
    .map(|pairs| arrays(py, pairs))
}

#[pyfunction]
#[allow(clippy::too_many_arguments)]
fn match_subtrees(
    py: Python<'_>,
    left: &Tree,
    left_index: usize,
    right: &Tree,
    right_index: usize,
    attributes: bool,
    text: bool,
    limits: PyLimits,
) -> PyResult<(u64, Vec<(u32, u32)>)> {
    let limits = Limits::from(limits);
    let (left_index, right_index) = (left.checked(left_index)?, right.checked(right_index)?);
    run(py, &limits, |watch| {
        let (a, b) = shape::subtrees(
            [&left.inner, &right.inner],
            [left_index, right_index],
            View { attributes, text },
            watch,
        )?;
        let found = restricted::simple::simple(&a, &b, true, &limits, watch)?;
        let pairs =
            found.pairs.iter().map(|&(i, j)| (a.node[i as usize], b.node[j as usize])).collect();
        Ok((restricted::simple::score(&a, &b, &found), pairs))
    })
}

#[pyfunction]
fn edit_bounds(
    py: Python<'_>,
    left: &Tree,
    right: &Tree,
    attributes: bool,
    text: bool,
    limits: PyLimits,
) -> PyResult<(u32, u32, u32, u32)> {
    let limits = Limits::from(limits);
    run(py, &limits, |watch| {
        let (a, b) = shape::pair(&left.inner, &right.inner, View { attributes, text }, watch)?;
        let (one, other) = (Profile::new(&a), Profile::new(&b));
        Ok((
            one.labels(&other),
            one.degrees(&other),
            one.branches(&other),
            traversals(&a, &b, watch)?,
        ))
    })
}

/// Places and distances.
type Near = Vec<(u32, u32)>;

fn near(
    py: Python<'_>,
    query: &Tree,
    trees: Vec<PyRef<'_, Tree>>,
    view: View,
    limits: PyLimits,
    search: impl FnOnce(&Shape, &[Shape], &Limits, &dyn Watch) -> Result<Near> + Send,
) -> PyResult<Near> {
    let limits = Limits::from(limits);
    let all: Vec<_> = std::iter::once(query.inner.clone())
        .chain(trees.iter().map(|tree| tree.inner.clone()))
        .collect();
    drop(trees);
    run(py, &limits, |watch| {
        let shapes = shape::collection(all.iter().map(|tree| tree.as_ref()), view, watch)?;
        search(&shapes[0], &shapes[1..], &limits, watch)
    })
}

#[pyfunction]
fn edit_within(
    py: Python<'_>,
    query: &Tree,
    trees: Vec<PyRef<'_, Tree>>,
    most: u32,
    attributes: bool,
    text: bool,
    limits: PyLimits,
) -> PyResult<Near> {
    near(py, query, trees, View { attributes, text }, limits, |query, shapes, limits, watch| {
        search::within(query, shapes, most, limits, watch)
    })
}

#[pyfunction]
fn edit_nearest(
    py: Python<'_>,
    query: &Tree,
    trees: Vec<PyRef<'_, Tree>>,
    count: usize,
    attributes: bool,
    text: bool,
    limits: PyLimits,
) -> PyResult<Near> {
    near(py, query, trees, View { attributes, text }, limits, |query, shapes, limits, watch| {
        search::nearest(query, shapes, count, limits, watch)
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(edit_distance, module)?)?;
    module.add_function(wrap_pyfunction!(edit_mapping_by, module)?)?;
    module.add_function(wrap_pyfunction!(match_edit, module)?)?;
    module.add_function(wrap_pyfunction!(restricted_distance, module)?)?;
    module.add_function(wrap_pyfunction!(match_restricted, module)?)?;
    module.add_function(wrap_pyfunction!(match_subtrees, module)?)?;
    module.add_function(wrap_pyfunction!(edit_bounds, module)?)?;
    module.add_function(wrap_pyfunction!(edit_within, module)?)?;
    module.add_function(wrap_pyfunction!(edit_nearest, module)?)?;
    Ok(())
}
