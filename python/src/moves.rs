//! Moves of many positions at once, as actions.

use crate::batch::{Positions, bad_position, read_rules};
use crate::errors::IllegalMoveError;
use crate::memory;
use crate::parallel::{fill, stream};
use crate::vector::check_actions;
use millbrain::arrays::{Arrays, RowFault};
use millbrain::with_game;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::fmt;

/// Minimum number of actions of a position, for memory estimates.
const FEW: usize = 8;
/// The end of the message for an action that cannot be played.
const EXPECTED: &str = "expected a legal one";

/// The start of each position's actions, and all actions.
type ActionLists<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i16>>);

/// Returns the start of each row's actions, then the legal actions of all rows in sequence, ascending within a row.
#[pyfunction]
pub fn legal_actions<'py>(
    py: Python<'py>,
    positions: PyReadonlyArray2<'py, i16>,
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<ActionLists<'py>> {
    fn listed<G: Arrays>(
        py: Python<'_>,
        game: &G,
        positions: &PyReadonlyArray2<'_, i16>,
    ) -> PyResult<(Vec<i64>, Vec<i16>)> {
        let positions = Positions::new(game, positions)?;
        let count = positions.count();
        let mut starts = memory::reserved(count + 1, 1)?;
        let mut actions: Vec<i16> = memory::reserved(count, FEW)?;
        let make = |number: usize, made: &mut [Vec<i16>]| {
            let pos = positions.read(number)?;
            if game.decided(&pos).is_none() {
                game.generate(&pos, |mv| made[0].push(game.action(mv) as i16));
                made[0].sort_unstable();
            }
            Ok::<_, RowFault>(())
        };
        starts.push(0);
        stream(py, (count, 1), bad_position, make, |block| {
            for list in block {
                let words =
                    |_| PyMemoryError::new_err("no memory for the actions of so many positions, expected fewer");
                actions.try_reserve(list.len()).map_err(words)?;
                actions.append(list);
                starts.push(actions.len() as i64);
            }
            Ok(())
        })?;
        Ok((starts, actions))
    }
    let ruleset = read_rules(variant, rules)?;
    check_actions(&ruleset)?;
    let (starts, actions) = with_game!(ruleset, |game| listed(py, &game, &positions)?);
    Ok((starts.into_pyarray(py), actions.into_pyarray(py)))
}

/// Why an action cannot be played.
enum ActionFault {
    Row(RowFault),
    Illegal(i64),
}

impl fmt::Display for ActionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ActionFault::Row(fault) => fault.fmt(f),
            ActionFault::Illegal(action) => write!(f, "action {action} is not legal, {EXPECTED}"),
        }
    }
}

/// Returns the rows after one action in each.
#[pyfunction]
pub fn play_actions<'py>(
    py: Python<'py>,
    positions: PyReadonlyArray2<'py, i16>,
    actions: PyReadonlyArray1<'py, i64>,
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyArray2<i16>>> {
    fn played<'py, G: Arrays>(
        py: Python<'py>,
        game: &G,
        positions: &PyReadonlyArray2<'_, i16>,
        actions: &[i64],
    ) -> PyResult<Bound<'py, PyArray2<i16>>> {
        let positions = Positions::new(game, positions)?;
        let (count, columns) = (positions.count(), game.width());
        if actions.len() != count {
            return Err(PyValueError::new_err(format!(
                "actions are {}, expected one for each of {count} positions",
                actions.len()
            )));
        }
        let mut after = memory::zeroed(count, columns)?;
        let make = |number: usize, row: &mut [i16]| {
            let pos = positions.read(number).map_err(ActionFault::Row)?;
            let action = actions[number];
            let mut found = None;
            if game.decided(&pos).is_none() {
                game.generate(&pos, |mv| {
                    if game.action(mv) as i64 == action {
                        found = Some(mv);
                    }
                });
            }
            let mv = found.ok_or(ActionFault::Illegal(action))?;
            game.write(&game.play(&pos, mv), row);
            Ok::<_, ActionFault>(())
        };
        let raise = |words: String| {
            if words.ends_with(EXPECTED) { IllegalMoveError::new_err(words) } else { bad_position(words) }
        };
        fill(py, (&mut after, columns, 0), raise, make)?;
        after.into_pyarray(py).reshape([count, columns])
    }
    let ruleset = read_rules(variant, rules)?;
    check_actions(&ruleset)?;
    with_game!(ruleset, |game| played(py, &game, &positions, actions.as_slice()?))
}
