//! Numbers passed from Python.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::ops::RangeInclusive;

/// Reads an integer in a range; `name` names it in messages.
///
/// # Errors
/// A `ValueError` for an integer out of the range, a `TypeError` for anything else.
pub fn integer(name: &str, value: &Bound<'_, PyAny>, range: &RangeInclusive<u64>) -> PyResult<u64> {
    let number = value.extract::<u64>();
    if let Ok(number) = number
        && range.contains(&number)
    {
        return Ok(number);
    }
    // Python refuses to print a number with thousands of digits.
    let text = value.repr().map_or_else(|_| "too large".to_string(), |text| text.to_string());
    let shown = millbrain::fen::shorten(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    let (least, most) = (range.start(), range.end());
    Err(match number {
        Err(error) if !error.is_instance_of::<PyOverflowError>(value.py()) => {
            PyTypeError::new_err(format!("{name} is {shown}, expected an integer"))
        }
        _ => PyValueError::new_err(format!("{name} is {shown}, expected {least}..={most}")),
    })
}
