//! Selection: compiled selectors and expressions, and the paths of nodes.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList};
use treelace_tree::select::css::Css;
use treelace_tree::select::path;
use treelace_tree::select::xpath::{Answer, Found, Item, Value, XPath};
use treelace_tree::{Error, Limits};

use crate::errors::to_python;
use crate::run::run;
use crate::tree::Tree;

type Namespaces = Option<BTreeMap<String, String>>;

/// A compiled selector list.
#[pyclass(frozen, module = "treelace._kernel")]
pub struct CompiledCss {
    inner: Css,
}

#[pymethods]
impl CompiledCss {
    #[new]
    #[pyo3(signature = (expression, namespaces=None))]
    fn new(py: Python<'_>, expression: &str, namespaces: Namespaces) -> PyResult<Self> {
        let inner = Css::compile(expression, &namespaces.unwrap_or_default())
            .map_err(|error| to_python(py, error))?;
        Ok(CompiledCss { inner })
    }

    fn select<'py>(
        &self,
        py: Python<'py>,
        tree: &Tree,
        scope: usize,
        limit: Option<usize>,
        seconds: f64,
    ) -> PyResult<Bound<'py, PyList>> {
        let scope = tree.checked(scope)?;
        let found = run(py, &within(seconds), |watch| {
            self.inner.select(&tree.inner, scope, limit.unwrap_or(usize::MAX), watch)
        })?;
        PyList::new(py, found)
    }

    fn matches(&self, py: Python<'_>, tree: &Tree, index: usize, seconds: f64) -> PyResult<bool> {
        let index = tree.checked(index)?;
        run(py, &within(seconds), |watch| self.inner.matches(&tree.inner, index, watch))
    }
}

/// A compiled XPath expression.
#[pyclass(frozen, module = "treelace._kernel")]
pub struct CompiledXPath {
    inner: XPath,
}

/// The value of a variable, as Python has it.
#[derive(FromPyObject)]
enum Variable {
    Nodes(Vec<usize>),
    Text(String),
    Number(f64),
}

#[pymethods]
impl CompiledXPath {
    #[new]
    #[pyo3(signature = (expression, namespaces=None))]
    fn new(py: Python<'_>, expression: &str, namespaces: Namespaces) -> PyResult<Self> {
        let inner = XPath::compile(expression, &namespaces.unwrap_or_default())
            .map_err(|error| to_python(py, error))?;
        Ok(CompiledXPath { inner })
    }

    #[getter]
    fn variables(&self) -> Vec<String> {
        self.inner.variables().to_vec()
    }

    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        tree: &Tree,
        index: usize,
        variables: Vec<(String, Bound<'py, PyAny>)>,
        seconds: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let index = tree.checked(index)?;
        let values = variables
            .into_iter()
            .map(|(name, given)| value(py, tree, &name, &given).map(|value| (name, value)));
        let values = values.collect::<PyResult<Vec<_>>>()?;
        match run(py, &within(seconds), |watch| {
            self.inner.evaluate(&tree.inner, index, &values, watch)
        })? {
            Answer::Text(text) => Ok(text.into_pyobject(py)?.into_any()),
            Answer::Number(number) => Ok(number.into_pyobject(py)?.into_any()),
            Answer::Boolean(boolean) => Ok(PyBool::new(py, boolean).to_owned().into_any()),
            Answer::Nodes(found) => nodes(py, tree, found),
        }
    }
}

fn within(seconds: f64) -> Limits {
    Limits { seconds, ..Limits::default() }
}

fn value(py: Python<'_>, tree: &Tree, name: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(boolean) = given.cast::<PyBool>() {
        return Ok(Value::Boolean(boolean.is_true()));
    }
    match given.extract::<Variable>() {
        Ok(Variable::Text(text)) => Ok(Value::Text(text)),
        Ok(Variable::Number(number)) => Ok(Value::Number(number)),
        Ok(Variable::Nodes(mut indexes)) => {
            indexes.sort_unstable();
            indexes.dedup();
            indexes.iter().try_for_each(|&index| tree.checked(index).map(|_| ()))?;
            Ok(Value::Nodes(indexes.into_iter().map(Item::node).collect()))
        }
        Err(_) => Err(to_python(
            py,
            Error::Usage(format!(
                "XPath variable ${name} must be a string, a \
             number, a boolean, a node or a list of nodes"
            )),
        )),
    }
}

/// Nodes of the tree as a list of their indexes; attributes as three lists: indexes of their
/// elements, numbers, values; where kinds are mixed, or there are namespaces, four: indexes,
/// numbers (−1: a node, −2: a namespace), values, prefixes.
fn nodes<'py>(py: Python<'py>, tree: &Tree, found: Vec<Found>) -> PyResult<Bound<'py, PyAny>> {
    if found.iter().all(|it| matches!(it, Found::Node(_))) {
        let indexes = found.iter().map(|it| match it {
            Found::Node(index) => *index,
            Found::Attribute { element, .. } | Found::Namespace { element, .. } => *element,
        });
        return Ok(PyList::new(py, indexes)?.into_any());
    }
    let (mut indexes, mut numbers, mut values, mut prefixes) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for it in &found {
        let (index, number, value, prefix) = match it {
            Found::Node(index) => (*index, -1, "", ""),
            Found::Attribute { element, number } => (
                *element,
                *number as i64,
                tree.inner.attr_value(tree.inner.attributes(*element).start + number),
                "",
            ),
            Found::Namespace { element, prefix, uri } => {
                (*element, -2, uri.as_str(), prefix.as_str())
            }
        };
        indexes.push(index);
        numbers.push(number);
        values.push(value);
        prefixes.push(prefix);
    }
    if found.iter().all(|it| matches!(it, Found::Attribute { .. })) {
        return Ok((indexes, numbers, values).into_pyobject(py)?.into_any());
    }
    Ok((indexes, numbers, values, prefixes).into_pyobject(py)?.into_any())
}

#[pyfunction]
fn xpath_of(tree: &Tree, index: usize) -> PyResult<Option<String>> {
    Ok(path::xpath_of(&tree.inner, tree.checked(index)?))
}

#[pyfunction]
fn css_of(tree: &Tree, index: usize) -> PyResult<Option<String>> {
    Ok(path::css_of(&tree.inner, tree.checked(index)?))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<CompiledCss>()?;
    module.add_class::<CompiledXPath>()?;
    module.add_function(wrap_pyfunction!(xpath_of, module)?)?;
    module.add_function(wrap_pyfunction!(css_of, module)?)?;
    Ok(())
}
