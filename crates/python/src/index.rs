//! The structure index: segments made, merged and asked. Files are Python's; here are only arrays
//! of bytes.

use std::sync::{Mutex, PoisonError};

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use treelace_measure::index::build::Builder;
use treelace_measure::index::facts::{self, Facts};
use treelace_measure::index::segment::Segment;
use treelace_measure::index::sketch::Plan;
use treelace_measure::index::{alike, containing, merge, Found, Part};
use treelace_measure::Features as KernelFeatures;
use treelace_tree::hash;
use treelace_tree::{Error, Limits};

use crate::errors::to_python;
use crate::measure::Features;
use crate::parse::PyLimits;
use crate::run::run;

/// `treelace.similarity.index.Plan` as the kernel has it.
#[derive(FromPyObject, Clone, Copy)]
pub struct PyPlan {
    families: u32,
    contained: u32,
    slots: u32,
    rows: u32,
    one_in: u32,
    seed: u64,
}

impl PyPlan {
    fn checked(self, py: Python<'_>) -> PyResult<Plan> {
        let PyPlan { families, contained, slots, rows, one_in, seed } = self;
        Plan { families, contained, slots, rows, one_in, seed }
            .checked()
            .map_err(|error| to_python(py, error))
    }
}

/// A part of an index: the bytes of a segment, and the pages removed from it.
type PyPart<'py> = (PyReadonlyArray1<'py, u8>, PyReadonlyArray1<'py, u32>);

fn parts<'a>(py: Python<'_>, arrays: &'a [PyPart<'_>]) -> PyResult<Vec<Part<'a>>> {
    arrays
        .iter()
        .map(|(bytes, removed)| {
            let part = Segment::read(bytes.as_slice()?)
                .and_then(|segment| Part::new(segment, removed.as_slice().unwrap_or_default()));
            part.map_err(|error| to_python(py, error))
        })
        .collect()
}

fn sets(features: &KernelFeatures) -> treelace_tree::Result<&[Vec<u64>]> {
    match features {
        KernelFeatures::Families(families) => Ok(families.sets()),
        other => {
            Err(Error::Usage(format!("an index keeps families of tokens, not a {}", other.kind())))
        }
    }
}

/// Pages on their way into a segment.
#[pyclass(module = "treelace._kernel")]
pub struct IndexBuilder {
    plan: Plan,
    inner: Mutex<Builder>,
}

#[pymethods]
impl IndexBuilder {
    #[new]
    fn new(py: Python<'_>, plan: PyPlan) -> PyResult<IndexBuilder> {
        Ok(IndexBuilder { plan: plan.checked(py)?, inner: Mutex::default() })
    }

    /// Every page of these parts that was not removed.
    #[staticmethod]
    fn merged(
        py: Python<'_>,
        plan: PyPlan,
        arrays: Vec<PyPart<'_>>,
        file: PyReadonlyArray1<'_, u8>,
        keep: Option<Py<PyAny>>,
        rest: Py<PyAny>,
        limits: PyLimits,
    ) -> PyResult<IndexBuilder> {
        let (plan, parts, file) = (plan.checked(py)?, parts(py, &arrays)?, file.as_slice()?);
        let failure = Mutex::new(None);
        let failed = |error: PyErr| {
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            Error::Interrupted
        };
        let moved = |place: u64| -> treelace_tree::Result<u64> {
            let Some(keep) = &keep else { return Ok(place) };
            let record = Facts::read(file, place, plan.families as usize)?;
            let bytes = &file[place as usize..place as usize + record.length()];
            Python::attach(|py| keep.call1(py, (PyBytes::new(py, bytes),))?.extract(py))
                .map_err(failed)
        };
        let rest = || Python::attach(|py| rest.call0(py).map(|_| ())).map_err(failed);
        let builder = run(py, &unhurried(limits), |watch| merge::merge(&parts, moved, rest, watch));
        match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(failure) => Err(failure),
            None => Ok(IndexBuilder { plan, inner: Mutex::new(builder?) }),
        }
    }

    fn add(&self, py: Python<'_>, name: &str, features: &Features, facts: u64) -> PyResult<()> {
        let features = features.inner.clone();
        let added = py.detach(|| {
            let sketch = self.plan.sketch(sets(&features)?)?;
            self.builder().push_sketch(&self.plan, name, facts, &sketch)
        });
        added.map_err(|error| to_python(py, error))
    }

    /// Pages by their sketches: a row of slots for each, and all samples one after another, each up
    /// to its end.
    fn add_sketches(
        &self,
        py: Python<'_>,
        names: Vec<String>,
        slots: PyReadonlyArray2<'_, u8>,
        samples: PyReadonlyArray1<'_, u32>,
        ends: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<()> {
        let (slots, samples, ends) = (slots.as_array(), samples.as_slice()?, ends.as_slice()?);
        let slots = slots.as_standard_layout();
        let is_sound = slots.nrows() == names.len()
            && ends.len() == names.len()
            && ends.is_sorted()
            && ends.last().is_none_or(|&end| end <= samples.len() as u64);
        if !is_sound {
            return Err(to_python(
                py,
                Error::Usage(
                    "each page needs a name, a row of slots and the end of its sample".into(),
                ),
            ));
        }
        let mut builder = self.builder();
        let mut start = 0;
        for ((name, row), &end) in names.iter().zip(slots.rows()).zip(ends) {
            let row = row.as_slice().unwrap_or_default();
            let sample = &samples[start as usize..end as usize];
            builder.push(&self.plan, name, 0, row, sample).map_err(|error| to_python(py, error))?;
            start = end;
        }
        Ok(())
    }

    fn __len__(&self) -> usize {
        self.builder().len()
    }

    /// Hands the bytes of the segment to `take`, piece after piece; the builder is empty
    /// afterwards.
    fn write(&self, py: Python<'_>, take: Py<PyAny>, limits: PyLimits) -> PyResult<()> {
        let builder = std::mem::take(&mut *self.builder());
        let mut failure = None;
        let written = run(py, &unhurried(limits), |watch| {
            builder.write(&self.plan, |piece| {
                watch.check()?;
                Python::attach(|py| take.call1(py, (PyBytes::new(py, &piece),)).map(|_| ()))
                    .map_err(|error| {
                        failure = Some(error);
                        Error::Interrupted
                    })
            })
        });
        match failure {
            Some(failure) => Err(failure),
            None => written,
        }
    }
}

impl IndexBuilder {
    fn builder(&self) -> std::sync::MutexGuard<'_, Builder> {
        // a panic elsewhere leaves pages that were added whole
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Limits are for one page; building an index may take longer.
fn unhurried(limits: PyLimits) -> Limits {
    Limits { seconds: f64::INFINITY, ..Limits::from(limits) }
}

#[pyfunction]
fn index_facts<'py>(py: Python<'py>, features: &Features) -> PyResult<Bound<'py, PyBytes>> {
    let stored = sets(&features.inner).map(facts::store);
    stored.map(|bytes| PyBytes::new(py, &bytes)).map_err(|error| to_python(py, error))
}

#[pyfunction]
fn index_sketch<'py>(
    py: Python<'py>,
    plan: PyPlan,
    features: &Features,
) -> PyResult<(Bound<'py, PyBytes>, Vec<u32>)> {
    let plan = plan.checked(py)?;
    let sketch = sets(&features.inner)
        .and_then(|sets| plan.sketch(sets))
        .map_err(|error| to_python(py, error))?;
    Ok((PyBytes::new(py, &sketch.slots), sketch.sample))
}

type Answer = Vec<(u32, u32, f64)>;

fn answer(found: Vec<Found>) -> Answer {
    found.into_iter().map(|one| (one.part, one.page, one.value)).collect()
}

#[pyfunction]
#[allow(clippy::too_many_arguments)]
fn index_alike(
    py: Python<'_>,
    plan: PyPlan,
    arrays: Vec<PyPart<'_>>,
    file: PyReadonlyArray1<'_, u8>,
    features: &Features,
    limit: usize,
    at_least: f64,
    effort: usize,
    shortlist: usize,
    limits: PyLimits,
) -> PyResult<Answer> {
    let (plan, parts, file, features) =
        (plan.checked(py)?, parts(py, &arrays)?, file.as_slice()?, features.inner.clone());
    let ask = alike::Ask { limit, at_least, effort, shortlist };
    run(py, &limits.into(), |watch| {
        let families = sets(&features)?;
        alike::search(&parts, file, families, &plan.sketch(families)?, &ask, watch)
    })
    .map(answer)
}

#[pyfunction]
#[allow(clippy::too_many_arguments)]
fn index_containing(
    py: Python<'_>,
    plan: PyPlan,
    arrays: Vec<PyPart<'_>>,
    file: PyReadonlyArray1<'_, u8>,
    features: &Features,
    limit: usize,
    at_least: f64,
    effort: usize,
    limits: PyLimits,
) -> PyResult<Answer> {
    let (plan, parts, file, features) =
        (plan.checked(py)?, parts(py, &arrays)?, file.as_slice()?, features.inner.clone());
    run(py, &limits.into(), |watch| {
        let families = sets(&features)?;
        containing::search(
            &parts,
            file,
            families,
            &plan.sketch(families)?,
            &containing::Ask { limit, at_least, effort },
            watch,
        )
    })
    .map(answer)
}

/// For each segment its pages that have one of these names.
#[pyfunction]
fn index_named(
    py: Python<'_>,
    segments: Vec<PyReadonlyArray1<'_, u8>>,
    names: Vec<String>,
) -> PyResult<Vec<Vec<u32>>> {
    let segments: Vec<&[u8]> =
        segments.iter().map(PyReadonlyArray1::as_slice).collect::<Result<_, _>>()?;
    let found = py.detach(|| {
        let in_one = |bytes: &&[u8]| {
            let segment = Segment::read(bytes)?;
            let mut pages = Vec::new();
            for name in &names {
                pages.extend(segment.named(name)?);
            }
            Ok(pages)
        };
        segments.iter().map(in_one).collect::<treelace_tree::Result<_>>()
    });
    found.map_err(|error| to_python(py, error))
}

/// The names of pages of a segment.
#[pyfunction]
fn index_names(
    py: Python<'_>,
    bytes: PyReadonlyArray1<'_, u8>,
    pages: Vec<u32>,
) -> PyResult<Vec<String>> {
    let names = Segment::read(bytes.as_slice()?).and_then(|segment| {
        let count = segment.counts.pages;
        let known = |page: u32| {
            if (page as usize) < count {
                segment.name(page)
            } else {
                Err(Error::Usage(format!("there are {count} pages here, no {page}")))
            }
        };
        pages.into_iter().map(|page| known(page).map(str::to_owned)).collect()
    });
    names.map_err(|error| to_python(py, error))
}

/// What bytes are known by when they are read again.
#[pyfunction]
fn checksum(py: Python<'_>, bytes: PyReadonlyArray1<'_, u8>) -> PyResult<u64> {
    let bytes = bytes.as_slice()?;
    Ok(py.detach(|| hash::bytes(bytes)))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<IndexBuilder>()?;
    module.add_function(wrap_pyfunction!(index_facts, module)?)?;
    module.add_function(wrap_pyfunction!(index_sketch, module)?)?;
    module.add_function(wrap_pyfunction!(index_alike, module)?)?;
    module.add_function(wrap_pyfunction!(index_containing, module)?)?;
    module.add_function(wrap_pyfunction!(index_named, module)?)?;
    module.add_function(wrap_pyfunction!(index_names, module)?)?;
    module.add_function(wrap_pyfunction!(checksum, module)?)
}
