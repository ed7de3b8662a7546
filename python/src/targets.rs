//! Training targets of positions: their planes, and the results of perfect play.

use crate::batch::{Positions, UNKNOWN, bad_position, of_rows, read_rules};
use crate::memory;
use crate::parallel::stream_with;
use crate::tables::{Tables, plain, warn_of_faults};
use crate::vector::check_actions;
use millbrain::any::AnyOracle;
use millbrain::arrays::{Arrays, RowFault};
use millbrain::game::Verdict;
use millbrain::value::{Known, Oracle, known_end};
use millbrain::with_game;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray4, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cmp::Reverse;
use std::sync::Arc;

/// Results, distances and best actions.
type Targets<'py> = (Bound<'py, PyArray1<i8>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray2<i16>>);

/// Fills a row without a best action.
const NO_ACTION: i16 = -1;

/// Returns the value of a position by the positions after its moves, and its best actions, as far as there is room.
/// Returns `None` if any of them is unknown or there is none.
fn best_moves<G: Arrays>(
    game: &G,
    pos: &G::Position,
    oracle: &dyn Oracle<G::Position>,
    best: &mut [i16],
) -> Option<Known> {
    let mut moves: Vec<(Verdict, i16, G::Position)> = Vec::new();
    let mut is_known = true;
    game.generate(pos, |mv| {
        let next = game.play(pos, mv);
        let end = known_end(game, &next).map(|value| value.verdict());
        match end.or_else(|| oracle.verdict(&next)) {
            Some(verdict) => moves.push((Known::Verdict(verdict).before().verdict(), game.action(mv) as i16, next)),
            None => is_known = false,
        }
    });
    let good = moves.iter().map(|(verdict, ..)| Known::Verdict(*verdict).rank()).max().filter(|_| is_known)?;
    // Distances cost more than results: only those of potentially best moves are probed.
    moves.retain(|(verdict, ..)| Known::Verdict(*verdict).rank() == good);
    let value = |(verdict, action, next): (Verdict, i16, G::Position)| {
        let distance = || known_end(game, &next).or_else(|| oracle.value(&next));
        let value = if verdict == Verdict::Draw { None } else { distance() };
        (value.map_or(Known::Verdict(verdict), |value| Known::Value(value.before())), action)
    };
    let mut valued: Vec<(Known, i16)> = moves.into_iter().map(value).collect();
    valued.sort_by_key(|(known, action)| (Reverse(known.rank()), *action));
    let top = valued.first()?.0;
    let chosen = valued.iter().take_while(|(known, _)| known.rank() == top.rank());
    best.iter_mut().zip(chosen).for_each(|(cell, &(_, action))| *cell = action);
    Some(top)
}

/// Returns the results and distances of rows, and up to the given number of best actions, padded with -1.
#[pyfunction]
pub fn targets_many<'py>(
    py: Python<'py>,
    tables: &Tables,
    positions: PyReadonlyArray2<'py, i16>,
    width: usize,
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<Targets<'py>> {
    fn targets<'py, G: Arrays>(
        py: Python<'py>,
        game: &G,
        oracle: Option<&AnyOracle>,
        positions: &PyReadonlyArray2<'_, i16>,
        width: usize,
    ) -> PyResult<Targets<'py>> {
        let oracle = oracle.and_then(AnyOracle::of::<G::Position>);
        let positions = Positions::new(game, positions)?;
        let count = positions.count();
        let (mut results, mut plies) = (memory::reserved(count, 1)?, memory::reserved(count, 1)?);
        let mut best = memory::reserved(count, width)?;
        // The actions, the result, and the distance in two parts.
        let begin = |numbers| positions.ask(py, oracle.clone(), numbers);
        let make = |oracle: &Option<Arc<dyn Oracle<G::Position>>>, number: usize, cells: &mut [i16]| {
            let pos = positions.read(number)?;
            cells.fill(NO_ACTION);
            let (best, value) = cells.split_at_mut(width);
            let by_moves = || best_moves(game, &pos, oracle.as_deref()?, best);
            let known = known_end(game, &pos).map(Known::Value).or_else(by_moves);
            let found = known.or_else(|| oracle.as_ref()?.known(&pos)).map(plain);
            let (result, plies) = found.unwrap_or((UNKNOWN, None));
            let plies = plies.map_or(-1, |plies| i16::try_from(plies).unwrap_or(i16::MAX));
            value.copy_from_slice(&[result.into(), plies]);
            Ok::<_, RowFault>(())
        };
        stream_with(py, (count, width + 2), begin, bad_position, make, |block| {
            for cells in block.chunks(width + 2) {
                best.extend_from_slice(&cells[..width]);
                results.push(cells[width] as i8);
                plies.push(cells[width + 1].into());
            }
            Ok(())
        })?;
        warn_of_faults(py, &oracle.map_or_else(Vec::new, |oracle| oracle.new_faults()))?;
        Ok((results.into_pyarray(py), plies.into_pyarray(py), best.into_pyarray(py).reshape([count, width])?))
    }
    let ruleset = read_rules(variant, rules)?;
    check_actions(&ruleset)?;
    let oracle = tables.oracle(py, &ruleset)?;
    with_game!(ruleset, |game| targets(py, &game, oracle.as_ref(), &positions, width))
}

/// Returns rows as planes, each as if it were on the board for the first time.
#[pyfunction]
pub fn planes<'py>(
    py: Python<'py>,
    positions: PyReadonlyArray2<'py, i16>,
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyArray4<f32>>> {
    let ruleset = read_rules(variant, rules)?;
    check_actions(&ruleset)?;
    let count = positions.shape()[0];
    with_game!(ruleset, |game| {
        let [planes, rows, columns] = game.planes();
        let draw = |pos: &_, cells: &mut [f32]| game.observe(pos, 1, cells);
        let numbers = of_rows(py, &game, &positions, planes * rows * columns, draw)?;
        numbers.into_pyarray(py).reshape([count, planes, rows, columns])
    })
}
