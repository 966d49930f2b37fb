//! What repeats on a page: views, candidates with their features, and the choice among them.

use std::sync::Arc;

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use treelace_records::cells::{self, Cells};
use treelace_records::choose::{self, Choice, Whole};
use treelace_records::columns::{self, ColumnRules, Lined, Slot};
use treelace_records::features::{self, FEATURES};
use treelace_records::rules::Words;
use treelace_records::{forest, Rules, Run, Topics, View, Word};
use treelace_tree::{Error, Limits};

use crate::errors;
use crate::matching::slice;
use crate::parse::PyLimits;
use crate::run::run;
use crate::tree::Tree;

/// A word, and whether it must end there.
type PyWord = (String, bool);

/// What the caller knows of HTML; made once, used for every page.
#[pyclass(frozen, module = "treelace._kernel")]
pub struct PageRules {
    inner: Arc<Rules>,
}

fn words(words: Vec<PyWord>) -> Result<Words, Error> {
    Words::new(in_rust(words))
}

fn in_rust(words: Vec<PyWord>) -> Vec<Word> {
    words.into_iter().map(|(letters, ends)| Word { letters, ends }).collect()
}

#[pymethods]
impl PageRules {
    #[new]
    #[pyo3(signature = (
        *, roles, landmarks, frame_words, list_words, topics, signs, codes, thresholds, bounds, odd,
        fading
    ))]
    #[allow(clippy::too_many_arguments)] // each is named where it is called
    fn new(
        py: Python<'_>,
        roles: Vec<(String, u32)>,
        landmarks: Vec<(String, u32)>,
        frame_words: Vec<PyWord>,
        list_words: Vec<PyWord>,
        topics: Vec<Vec<PyWord>>,
        signs: String,
        codes: Vec<String>,
        thresholds: Vec<f64>,
        bounds: (usize, usize, usize, usize, usize, usize),
        odd: f64,
        fading: f64,
    ) -> PyResult<Self> {
        let (most_nodes, most_children, most_records, most_leaders, most_heads, most_common) =
            bounds;
        let rules = || {
            Ok(Rules {
                roles: roles.into_iter().collect(),
                frame_words: words(frame_words)?,
                list_words: words(list_words)?,
                topics: Topics::new(topics.into_iter().map(in_rust).collect())?,
                landmarks: landmarks.into_iter().collect(),
                signs: signs.chars().collect(),
                codes,
                thresholds,
                most_nodes,
                most_children,
                most_records,
                most_leaders,
                most_heads,
                most_common,
                odd,
                fading,
            })
        };
        rules()
            .map(|rules| PageRules { inner: Arc::new(rules) })
            .map_err(|error| errors::to_python(py, error))
    }
}

/// A page as a reader sees it.
#[pyclass(frozen, module = "treelace._kernel")]
pub struct PageView {
    inner: Arc<View>,
    rules: Arc<Rules>,
}

#[pymethods]
impl PageView {
    #[new]
    fn new(py: Python<'_>, tree: &Tree, rules: &PageRules, limits: PyLimits) -> PyResult<Self> {
        let (tree, limits) = (Arc::clone(&tree.inner), Limits::from(limits));
        let view = run(py, &limits, |watch| View::of(tree, &rules.inner, watch))?;
        Ok(PageView { inner: Arc::new(view), rules: Arc::clone(&rules.inner) })
    }

    /// Tags by number.
    #[getter]
    fn tag_names(&self) -> Vec<&str> {
        self.inner.tag_names.iter().map(String::as_str).collect()
    }

    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.inner.tag)
    }

    #[getter]
    fn shown<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_slice(py, &self.inner.shown)
    }

    #[getter]
    fn kids<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.inner.kids)
    }

    #[getter]
    fn kid_starts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.inner.kid_start)
    }

    #[getter]
    fn text_nodes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.inner.text_nodes)
    }

    #[getter]
    fn text_before<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.inner.text_before)
    }

    /// The visible texts, white space collapsed.
    fn texts(&self) -> Vec<&str> {
        (0..self.inner.text_nodes.len()).map(|text| self.inner.text(text)).collect()
    }

    /// The visible images with their sources.
    fn images(&self) -> Vec<(u32, &str)> {
        (0..self.inner.images.len())
            .map(|image| (self.inner.images[image].0, self.inner.image_source(image)))
            .collect()
    }

    /// Number of each node's class words in `class_lists`; 0 for those that have none or are not
    /// visible.
    #[getter]
    fn class_numbers<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.inner.class)
    }

    /// The lists of class words there are, the empty one first.
    fn class_lists(&self) -> Vec<Vec<&str>> {
        let name = |&word: &u32| self.inner.class_names[word as usize].as_str();
        self.inner.class_words.iter().map(|words| words.iter().map(name).collect()).collect()
    }

    /// The visible elements that have an attribute, with its values.
    fn having(&self, attribute: &str) -> Vec<(usize, &str)> {
        let view = &self.inner;
        (0..view.len())
            .filter(|&node| view.shown[node])
            .filter_map(|node| Some((node, view.tree.attribute(node, attribute)?)))
            .collect()
    }

    /// The tags from the root to the lowest element around two nodes.
    fn place(&self, first: u32, last: u32) -> PyResult<String> {
        self.check([first, last].iter())?;
        Ok(self.inner.place_around(first as usize, last as usize))
    }

    /// Lines the items of records up.
    fn line_up(
        &self,
        py: Python<'_>,
        records: Vec<Vec<u32>>,
        rules: PyColumnRules,
        limits: PyLimits,
    ) -> PyResult<PySlots> {
        let (limits, rules) = (Limits::from(limits), ColumnRules::from(rules));
        self.check(records.iter().flatten())?;
        let lined =
            run(py, &limits, |watch| columns::line_up(&self.inner, &records, &rules, watch))?;
        let column = |of: fn(&Slot) -> u32| lined.slots.iter().map(of).collect();
        Ok((
            column(|slot| slot.record),
            column(|slot| slot.column),
            column(|slot| slot.end),
            lined.nodes,
        ))
    }

    /// What stands in the slots of lined-up records, as it reads.
    fn cells(
        &self,
        py: Python<'_>,
        records: Vec<Vec<u32>>,
        slots: PySlots,
        limits: PyLimits,
    ) -> PyResult<PyCells> {
        let limits = Limits::from(limits);
        let (record, column, ends, nodes) = slots;
        self.check(records.iter().flatten().chain(&nodes))?;
        let is_whole = record.len() == ends.len()
            && column.len() == ends.len()
            && record.iter().all(|&it| (it as usize) < records.len());
        let is_filled = ends.first().is_none_or(|&end| end > 0)
            && ends.windows(2).all(|pair| pair[0] < pair[1]);
        if !is_whole || !is_filled || ends.last().map_or(0, |&end| end as usize) != nodes.len() {
            return Err(PyValueError::new_err("slots need a record, a column and items each"));
        }
        let slots = record
            .iter()
            .zip(&column)
            .zip(&ends)
            .map(|((&record, &column), &end)| Slot { record, column, end })
            .collect();
        let lined = Lined { slots, nodes, columns: 0 };
        run(py, &limits, |watch| cells::cells(&self.inner, &records, &lined, watch)).map(py_cells)
    }

    /// Everything that could be a list of records.
    fn candidates(&self, py: Python<'_>, limits: PyLimits) -> PyResult<Candidates> {
        let limits = Limits::from(limits);
        let budget = limits.memory / 16;
        let (inner, features) =
            run(py, &limits, |watch| features::measure(&self.inner, &self.rules, budget, watch))?;
        Ok(Candidates { view: Arc::clone(&self.inner), inner, features })
    }
}

impl PageView {
    /// Every node must be one of this page.
    fn check<'n>(&self, mut nodes: impl Iterator<Item = &'n u32>) -> PyResult<()> {
        match nodes.find(|&&node| node as usize >= self.inner.len()) {
            Some(node) => Err(PyIndexError::new_err(format!(
                "node {node} of a tree of {} nodes",
                self.inner.len()
            ))),
            None => Ok(()),
        }
    }
}

/// `treelace.extract.columns.COLUMN_RULES` as the kernel has it.
#[derive(FromPyObject)]
struct PyColumnRules {
    steady: f64,
    same_class: f64,
    same_kind: f64,
    same_text: f64,
    longest_label: usize,
    longest_kind: usize,
    opening: String,
}

impl From<PyColumnRules> for ColumnRules {
    fn from(it: PyColumnRules) -> Self {
        ColumnRules {
            steady: it.steady,
            same_class: it.same_class,
            same_kind: it.same_kind,
            same_text: it.same_text,
            longest_label: it.longest_label,
            longest_kind: it.longest_kind,
            opening: it.opening.chars().collect(),
        }
    }
}

/// Record, column and end of each slot, and the items.
pub type PySlots = (Vec<u32>, Vec<u32>, Vec<u32>, Vec<u32>);

/// Text, element and end of the items of each cell; kind and node of each item.
pub type PyCells = (Vec<String>, Vec<u32>, Vec<u32>, Vec<u32>, Vec<u32>);

/// Cells as Python has them.
pub fn py_cells(cells: Cells) -> PyCells {
    (
        cells.texts,
        cells.holders,
        cells.ends,
        cells.kinds.into_iter().map(u32::from).collect(),
        cells.nodes,
    )
}

/// The nodes of each record.
fn nodes(view: &View, records: &[Run]) -> Vec<Vec<u32>> {
    records
        .iter()
        .map(|run| view.kids[run.start as usize..(run.start + run.len) as usize].to_vec())
        .collect()
}

/// Lists of records on a page, with their features.
#[pyclass(frozen, module = "treelace._kernel")]
pub struct Candidates {
    view: Arc<View>,
    inner: treelace_records::Candidates,
    features: Vec<f64>,
}

#[pymethods]
impl Candidates {
    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// One row for each candidate.
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = Array2::from_shape_vec((self.inner.len(), FEATURES), self.features.clone());
        Ok(rows.map_err(|error| PyValueError::new_err(error.to_string()))?.into_pyarray(py))
    }

    /// The nodes of each record of one candidate.
    fn records(&self, number: usize) -> PyResult<Vec<Vec<u32>>> {
        if number >= self.inner.len() {
            return Err(PyIndexError::new_err(format!(
                "candidate {number} of {}",
                self.inner.len()
            )));
        }
        Ok(nodes(&self.view, self.inner.records(number)))
    }

    /// How each was found, as a number.
    fn how(&self) -> Vec<u32> {
        self.inner.how.iter().map(|&how| how as u32).collect()
    }

    /// Whether the records of each stand under several parents.
    fn is_joined(&self) -> Vec<bool> {
        self.inner.is_joined.clone()
    }

    /// What a forest makes of each candidate.
    fn weigh<'py>(&self, py: Python<'py>, forest: &Forest) -> PyResult<Bound<'py, PyArray1<f64>>> {
        if forest.inner.width() > FEATURES {
            return Err(PyValueError::new_err(format!(
                "a forest over more than {FEATURES} features"
            )));
        }
        Ok(forest.inner.weigh(&self.features, FEATURES).into_pyarray(py))
    }

    /// The lists that are kept, with the belief left for each: the likeliest first, near copies
    /// left out, wholes in the place of their parts.
    #[pyo3(signature = (order, beliefs, *, most, looked_at, taken, same, whole))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn choose(
        &self,
        order: PyReadonlyArray1<'_, u32>,
        beliefs: PyReadonlyArray1<'_, f64>,
        most: usize,
        looked_at: usize,
        taken: f64,
        same: f64,
        whole: (f64, f64, f64),
    ) -> PyResult<Vec<(Vec<Vec<u32>>, f64)>> {
        let (order, beliefs) = (slice(&order)?, slice(&beliefs)?);
        if beliefs.len() != self.inner.len() || order.iter().any(|&c| c as usize >= beliefs.len()) {
            return Err(PyValueError::new_err(
                "an order of these candidates and a belief for each are needed",
            ));
        }
        let (more, alike, odds) = whole;
        let chosen = choose::choose(
            &self.view,
            &self.inner,
            &self.features,
            order,
            beliefs,
            Choice { most, looked_at, taken, same, whole: Whole { more, alike, odds } },
        );
        Ok(chosen.into_iter().map(|it| (nodes(&self.view, &it.records), it.belief)).collect())
    }
}

/// Decision trees over the features of candidates.
#[pyclass(frozen, module = "treelace._kernel")]
pub struct Forest {
    inner: forest::Forest,
}

#[pymethods]
impl Forest {
    #[new]
    #[pyo3(signature = (*, roots, features, bounds, rights, values, base))]
    fn new(
        py: Python<'_>,
        roots: Vec<u32>,
        features: Vec<u32>,
        bounds: Vec<f64>,
        rights: Vec<u32>,
        values: Vec<f64>,
        base: f64,
    ) -> PyResult<Self> {
        let made = forest::Forest::new(roots, features, bounds, rights, values, base);
        made.map(|inner| Forest { inner }).map_err(|error| errors::to_python(py, error))
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PageRules>()?;
    module.add_class::<PageView>()?;
    module.add_class::<Candidates>()?;
    module.add_class::<Forest>()?;
    Ok(())
}
