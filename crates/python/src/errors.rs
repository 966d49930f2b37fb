//! Kernel errors become the exceptions of `treelace.errors`, here and nowhere else.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use treelace_tree::Error;

/// The Python exception for a kernel error.
pub fn to_python(py: Python<'_>, error: Error) -> PyErr {
    build(py, error).unwrap_or_else(|failure| failure)
}

fn build(py: Python<'_>, error: Error) -> PyResult<PyErr> {
    let module = py.import("treelace.errors")?;
    let fields = PyDict::new(py);
    let (class, message) = match error {
        Error::Interrupted => return Ok(PyKeyboardInterrupt::new_err(())),
        Error::Parse { message, line, column } => {
            fields.set_item("line", (line > 0).then_some(line))?;
            fields.set_item("column", (column > 0).then_some(column))?;
            ("ParseError", message)
        }
        Error::Limit { limit, bound, needed } => {
            fields.set_item("bound", bound)?;
            fields.set_item("needed", needed)?;
            ("LimitError", limit.to_string())
        }
        Error::Usage(message) => ("UsageError", message),
        Error::Damaged(message) => ("DamagedError", message),
        Error::Delta(message) => ("DeltaError", message),
        Error::Match(message) => ("MatchError", message),
    };
    let exception = module.getattr(class)?.call((message,), Some(&fields))?;
    Ok(PyErr::from_value(exception))
}
