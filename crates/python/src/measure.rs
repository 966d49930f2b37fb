//! Features of documents and their comparison.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use treelace_measure as measure;
use treelace_measure::fourier::{
    self, Encoding, Ends, Scaling, Signal, Skeleton, Spectrum, TagCode, Transform,
};
use treelace_measure::paths::{self, Which};
use treelace_measure::shingles::{self, Cut};
use treelace_measure::structure::{Families, FAMILIES};
use treelace_measure::{bag::Bag, pairwise, stored, Comparison};
use treelace_tree::{Error, Limits};

use crate::errors::to_python;
use crate::parse::PyLimits;
use crate::run::run;
use crate::tree::Tree;

/// What a measure keeps of one document. Immutable, pickles, compares.
#[pyclass(frozen, module = "treelace._kernel")]
pub struct Features {
    pub(crate) inner: Arc<measure::Features>,
}

impl From<measure::Features> for Features {
    fn from(features: measure::Features) -> Self {
        Features { inner: Arc::new(features) }
    }
}

#[pymethods]
impl Features {
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Features> {
        stored::read(data).map(Features::from).map_err(|error| to_python(py, error))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &stored::write(&self.inner))
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    #[getter]
    fn memory(&self) -> usize {
        self.inner.memory()
    }

    /// The sketch that a smaller k would have given.
    fn cut(&self, py: Python<'_>, k: u32) -> PyResult<Features> {
        let cut = match self.inner.as_ref() {
            measure::Features::Sample(sample) => sample.cut(k).map(measure::Features::Sample),
            other => Err(Error::Usage(format!("only a sketch can be cut, not a {}", other.kind()))),
        };
        cut.map(Features::from).map_err(|error| to_python(py, error))
    }

    /// The numbers of a series, the magnitudes of a spectrum, or the values of a sketch.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.inner.as_ref() {
            measure::Features::Series(series) => Ok(PyArray1::from_slice(py, series).into_any()),
            measure::Features::Spectrum(spectrum) => {
                Ok(PyArray1::from_slice(py, spectrum.magnitudes()).into_any())
            }
            measure::Features::Sample(sample) => {
                Ok(PyArray1::from_slice(py, sample.values()).into_any())
            }
            other => Err(to_python(py, Error::Usage(format!("a {} has no values", other.kind())))),
        }
    }

    /// Families: their facts; a sketch of families: the minima of each. One array a family.
    fn families<'py>(&self, py: Python<'py>) -> PyResult<Vec<(&'static str, Bound<'py, PyAny>)>> {
        let arrays: Vec<Bound<'py, PyAny>> = match self.inner.as_ref() {
            measure::Features::Families(families) => {
                families.sets().iter().map(|set| PyArray1::from_slice(py, set).into_any()).collect()
            }
            measure::Features::FamilySketch(sketch) => sketch
                .minima()
                .iter()
                .map(|minima| PyArray1::from_slice(py, minima.values()).into_any())
                .collect(),
            other => {
                return Err(to_python(
                    py,
                    Error::Usage(format!("a {} has no families", other.kind())),
                ))
            }
        };
        Ok(FAMILIES.into_iter().zip(arrays).collect())
    }

    /// The sketch of families.
    fn sketch(&self, py: Python<'_>, slots: u32, seed: u64) -> PyResult<Features> {
        match self.inner.as_ref() {
            measure::Features::Families(families) => {
                Ok(measure::Features::FamilySketch(py.detach(|| families.sketch(slots, seed)))
                    .into())
            }
            other => Err(to_python(
                py,
                Error::Usage(format!("only families can be sketched, not a {}", other.kind())),
            )),
        }
    }

    fn __eq__(&self, other: &Features) -> bool {
        self.inner == other.inner
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.to_bytes(py).hash()
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().to_bytes(slf.py()),)))
    }
}

#[pyfunction]
fn tag_features(py: Python<'_>, tree: &Tree, texts: bool) -> Features {
    let tree = tree.inner.clone();
    py.detach(|| measure::Features::Bag(paths::tags(&tree, texts)).into())
}

#[pyfunction]
fn path_features(
    py: Python<'_>,
    tree: &Tree,
    texts: bool,
    leaves: bool,
    limits: PyLimits,
) -> PyResult<Features> {
    let which = if leaves { Which::Leaves } else { Which::Nodes };
    run(py, &limits.into(), |watch| paths::path_bag(&tree.inner, texts, which, watch))
        .map(|bag| measure::Features::Bag(bag).into())
}

#[pyfunction]
fn prefix_features(
    py: Python<'_>,
    tree: &Tree,
    texts: bool,
    weights: &str,
    limits: PyLimits,
) -> PyResult<Features> {
    let weight: fn(u32) -> f64 = match weights {
        "one" => |_| 1.0,
        "outer" => |depth| 1.0 / (1.0 + f64::from(depth)),
        "inner" => |depth| 1.0 + f64::from(depth),
        other => {
            return Err(to_python(
                py,
                Error::Usage(format!(
                    "weights '{other}' are not known: there are one, outer and inner"
                )),
            ))
        }
    };
    run(py, &limits.into(), |watch| paths::prefix_bag(&tree.inner, texts, weight, watch))
        .map(|bag| measure::Features::Bag(bag).into())
}

#[pyfunction]
#[allow(clippy::too_many_arguments)]
fn shingle_features(
    py: Python<'_>,
    tree: &Tree,
    window: u32,
    texts: bool,
    is_bag: bool,
    k: Option<u32>,
    seed: u64,
    limits: PyLimits,
) -> PyResult<Features> {
    let cut = Cut { window, texts };
    run(py, &limits.into(), |watch| {
        let tokens = cut.shingles(&tree.inner, watch)?;
        Ok(match k {
            None => measure::Features::Bag(Bag::of(tokens)),
            Some(k) => measure::Features::Sample(shingles::sample(tokens, is_bag, k, seed, cut)),
        })
    })
    .map(Features::from)
}

#[pyfunction]
#[pyo3(signature = (tree, slots, seed, limits, body_only=false))]
fn structure_features(
    py: Python<'_>,
    tree: &Tree,
    slots: Option<u32>,
    seed: u64,
    limits: PyLimits,
    body_only: bool,
) -> PyResult<Features> {
    run(py, &limits.into(), |watch| {
        let read = if body_only { Families::of_body } else { Families::of };
        let families = read(&tree.inner, watch)?;
        Ok(match slots {
            None => measure::Features::Families(families),
            Some(slots) => measure::Features::FamilySketch(families.sketch(slots, seed)),
        })
    })
    .map(Features::from)
}

#[pyfunction]
fn family_votes(
    py: Python<'_>,
    left: &Features,
    right: &Features,
) -> PyResult<Vec<(&'static str, Option<f64>)>> {
    let votes: treelace_tree::Result<Vec<_>> = match (left.inner.as_ref(), right.inner.as_ref()) {
        (measure::Features::Families(left), measure::Features::Families(right)) => {
            Ok(left.votes(right).collect())
        }
        (measure::Features::FamilySketch(left), measure::Features::FamilySketch(right)) => {
            left.votes(right).map(Iterator::collect)
        }
        (left, right) => Err(Error::Usage(format!(
            "families vote, not a {} and a {}",
            left.kind(),
            right.kind()
        ))),
    };
    Ok(FAMILIES.into_iter().zip(votes.map_err(|error| to_python(py, error))?).collect())
}

/// What two bags share: different tokens of the left, of the right, of both; occurrences likewise.
#[pyfunction]
fn shared_counts(py: Python<'_>, left: &Features, right: &Features) -> PyResult<[u64; 6]> {
    let (measure::Features::Bag(left), measure::Features::Bag(right)) =
        (left.inner.as_ref(), right.inner.as_ref())
    else {
        let words =
            format!("bags share tokens, not a {} and a {}", left.inner.kind(), right.inner.kind());
        return Err(to_python(py, Error::Usage(words)));
    };
    let shared = left.shared(right);
    Ok([
        left.keys().len() as u64,
        right.keys().len() as u64,
        shared.distinct,
        left.total(),
        right.total(),
        shared.occurrences,
    ])
}

#[pyfunction]
fn skeleton_features(
    py: Python<'_>,
    tree: &Tree,
    tag_code: &str,
    attributes: bool,
    limits: PyLimits,
) -> PyResult<Features> {
    let known =
        [("direct", TagCode::Direct), ("pairwise", TagCode::Pairwise), ("nested", TagCode::Nested)];
    let tag_code = choice(py, "tag encoding", tag_code, &known)?;
    run(py, &limits.into(), |watch| Skeleton::of(&tree.inner, tag_code, attributes, watch))
        .map(|it| measure::Features::Skeleton(it).into())
}

/// One of a few words.
fn choice<T: Copy>(py: Python<'_>, what: &str, word: &str, known: &[(&str, T)]) -> PyResult<T> {
    let found = known.iter().find(|(name, _)| *name == word).map(|&(_, it)| it);
    let words = || known.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| {
        to_python(py, Error::Usage(format!("{what} '{word}' is not known: there are {}", words())))
    })
}

/// The numbers of tags that a set of documents shares, and its greatest depth. Immutable, pickles.
#[pyclass(frozen, module = "treelace._kernel")]
pub struct Collection {
    inner: fourier::Collection,
}

#[pymethods]
impl Collection {
    #[staticmethod]
    fn of(py: Python<'_>, skeletons: Vec<PyRef<'_, Features>>) -> PyResult<Collection> {
        let skeletons: Vec<_> = skeletons.iter().map(|it| it.inner.clone()).collect();
        let collected = py.detach(|| fourier::Collection::of(&all_skeletons(&skeletons)?));
        collected.map(|inner| Collection { inner }).map_err(|error| to_python(py, error))
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Collection> {
        stored::read_collection(data)
            .map(|inner| Collection { inner })
            .map_err(|error| to_python(py, error))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &stored::write_collection(&self.inner))
    }

    #[getter]
    fn base(&self) -> u32 {
        self.inner.base()
    }

    #[getter]
    fn max_level(&self) -> u32 {
        self.inner.max_level()
    }

    /// The series of each document.
    fn series(
        &self,
        py: Python<'_>,
        skeletons: Vec<PyRef<'_, Features>>,
        encoding: &str,
        ends: &str,
        scaling: &str,
    ) -> PyResult<Vec<Features>> {
        let signal = signal(py, encoding, ends, scaling)?;
        let skeletons: Vec<_> = skeletons.iter().map(|it| it.inner.clone()).collect();
        let made = py.detach(|| self.all_series(&skeletons, signal));
        Ok(made
            .map_err(|error| to_python(py, error))?
            .into_iter()
            .map(|series| measure::Features::Series(series).into())
            .collect())
    }

    /// The spectrum of each document, comparable with each other.
    #[allow(clippy::too_many_arguments)]
    fn spectra(
        &self,
        py: Python<'_>,
        skeletons: Vec<PyRef<'_, Features>>,
        encoding: &str,
        ends: &str,
        scaling: &str,
        transform: &str,
        limits: PyLimits,
    ) -> PyResult<Vec<Features>> {
        let signal = signal(py, encoding, ends, scaling)?;
        let transform = choice(
            py,
            "transform",
            transform,
            &[("exact", Transform::Exact), ("power-of-two", Transform::PowerOfTwo)],
        )?;
        let skeletons: Vec<_> = skeletons.iter().map(|it| it.inner.clone()).collect();
        let limits = Limits::from(limits);
        let made = run(py, &Limits { seconds: f64::INFINITY, ..limits }, |watch| {
            Spectrum::of_all(&self.all_series(&skeletons, signal)?, transform, &limits, watch)
        });
        Ok(made?.into_iter().map(|spectrum| measure::Features::Spectrum(spectrum).into()).collect())
    }

    fn __eq__(&self, other: &Collection) -> bool {
        self.inner == other.inner
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.to_bytes(py).hash()
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().to_bytes(slf.py()),)))
    }
}

impl Collection {
    fn all_series(
        &self,
        skeletons: &[Arc<measure::Features>],
        signal: Signal,
    ) -> treelace_tree::Result<Vec<Vec<f64>>> {
        all_skeletons(skeletons)?
            .into_iter()
            .map(|skeleton| self.inner.series(skeleton, signal))
            .collect()
    }
}

fn all_skeletons(features: &[Arc<measure::Features>]) -> treelace_tree::Result<Vec<&Skeleton>> {
    features
        .iter()
        .map(|it| match it.as_ref() {
            measure::Features::Skeleton(skeleton) => Ok(skeleton),
            _ => Err(Error::Usage(format!(
                "a collection is made of skeletons, not of a {}",
                it.kind()
            ))),
        })
        .collect()
}

fn signal(py: Python<'_>, encoding: &str, ends: &str, scaling: &str) -> PyResult<Signal> {
    let encodings = [
        ("trivial", Encoding::Trivial),
        ("linear", Encoding::Linear),
        ("multilevel", Encoding::Multilevel),
    ];
    let scalings = [
        ("amplitude", Scaling::Amplitude),
        ("raw", Scaling::Raw),
        ("z-score", Scaling::ZScore),
        ("length", Scaling::Length),
    ];
    Ok(Signal {
        encoding: choice(py, "document encoding", encoding, &encodings)?,
        ends: choice(
            py,
            "end tags",
            ends,
            &[("symmetric", Ends::Symmetric), ("null", Ends::Null)],
        )?,
        scaling: choice(py, "scaling", scaling, &scalings)?,
    })
}

#[pyfunction]
fn compare(
    py: Python<'_>,
    left: &Features,
    right: &Features,
    how: &str,
    limits: PyLimits,
) -> PyResult<f64> {
    let how = Comparison::named(how).map_err(|error| to_python(py, error))?;
    run(py, &limits.into(), |watch| how.of(&left.inner, &right.inner, watch))
}

/// Where the caller wants to hear how far a matrix is; its exception stops the work.
struct Teller {
    callback: Option<Py<PyAny>>,
    failure: Option<PyErr>,
}

impl Teller {
    fn tell(&mut self, done: u64, total: u64) -> treelace_tree::Result<()> {
        let Some(callback) = &self.callback else { return Ok(()) };
        Python::attach(|py| callback.call1(py, (done, total))).map(|_| ()).map_err(|failure| {
            self.failure = Some(failure);
            Error::Interrupted
        })
    }
}

#[pyfunction]
fn compare_all<'py>(
    py: Python<'py>,
    left: Vec<PyRef<'py, Features>>,
    right: Option<Vec<PyRef<'py, Features>>>,
    how: &str,
    progress: Option<Py<PyAny>>,
    limits: PyLimits,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let how = Comparison::named(how).map_err(|error| to_python(py, error))?;
    let limits = Limits::from(limits);
    let inner =
        |list: &[PyRef<'py, Features>]| list.iter().map(|it| it.inner.clone()).collect::<Vec<_>>();
    let (left, right) = (inner(&left), right.map(|list| inner(&list)));
    let shape = [left.len(), right.as_ref().map_or(left.len(), Vec::len)];
    Limits::check("memory", limits.memory, shape[0] as u64 * shape[1] as u64 * 8)
        .map_err(|error| to_python(py, error))?;
    let mut teller = Teller { callback: progress, failure: None };
    // the deadline is for one page, not for a collection of any size: here only Ctrl-C ends the
    // work early
    let values = run(py, &Limits { seconds: f64::INFINITY, ..limits }, |watch| {
        let left: Vec<&measure::Features> = left.iter().map(Arc::as_ref).collect();
        let progress = &mut |done, total| teller.tell(done, total);
        match &right {
            None => pairwise::matrix(&left, how, watch, progress),
            Some(right) => pairwise::cross(
                &left,
                &right.iter().map(Arc::as_ref).collect::<Vec<_>>(),
                how,
                watch,
                progress,
            ),
        }
    });
    if let Some(failure) = teller.failure {
        return Err(failure);
    }
    PyArray1::from_vec(py, values?).reshape(shape)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Features>()?;
    module.add_function(wrap_pyfunction!(tag_features, module)?)?;
    module.add_function(wrap_pyfunction!(path_features, module)?)?;
    module.add_class::<Collection>()?;
    module.add_function(wrap_pyfunction!(prefix_features, module)?)?;
    module.add_function(wrap_pyfunction!(shingle_features, module)?)?;
    module.add_function(wrap_pyfunction!(structure_features, module)?)?;
    module.add_function(wrap_pyfunction!(family_votes, module)?)?;
    module.add_function(wrap_pyfunction!(shared_counts, module)?)?;
    module.add_function(wrap_pyfunction!(skeleton_features, module)?)?;
    module.add_function(wrap_pyfunction!(compare, module)?)?;
    module.add_function(wrap_pyfunction!(compare_all, module)?)
}
