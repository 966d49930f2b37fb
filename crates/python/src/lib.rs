//! `treelace._kernel`: the binding. Argument checks, arrays in and out, errors mapped once; nothing
//! else lives here.
//!
//! One file for each area of the kernel; each has a `register` that adds its functions to the
//! module.

mod columns;
mod delta;
mod depta;
mod distance;
mod errors;
mod ftm;
mod index;
mod match_documents;
mod matching;
mod measure;
mod parse;
mod parse_xml;
mod pattern;
mod records;
mod run;
mod select;
mod sftm;
mod tree;
mod write;
mod write_html;

use pyo3::prelude::*;

/// The compiled part of treelace.
#[pymodule]
fn _kernel(module: &Bound<'_, PyModule>) -> PyResult<()> {
    tree::register(module)?;
    delta::register(module)?;
    parse::register(module)?;
    parse_xml::register(module)?;
    select::register(module)?;
    write::register(module)?;
    write_html::register(module)?;
    matching::register(module)?;
    match_documents::register(module)?;
    sftm::register(module)?;
    ftm::register(module)?;
    measure::register(module)?;
    distance::register(module)?;
    index::register(module)?;
    pattern::register(module)?;
    records::register(module)?;
    depta::register(module)?;
    Ok(())
}
