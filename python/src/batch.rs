//! Many positions at a time, as numpy arrays. Every function works on all cores and without the GIL.

use crate::board::Board;
use crate::errors::{InvalidFenError, InvalidPositionError, RulesError, TablesError, raise};
use crate::rows::{Rows, cell_names};
use crate::rules::Rules;
use crate::tables::{Tables, plain};
use fastrand::Rng;
use millbrain::any::AnyOracle;
use millbrain::tablebase::{Endings, Sector};
use millbrain::value::known_end;
use millbrain::variant::Ruleset;
use millbrain::{with_endings, with_game};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{available_parallelism, scope};

/// Rows between two looks for signals: a few milliseconds of work.
const BLOCK: usize = 1 << 15;
/// Rows that a thread takes at a time.
const PORTION: usize = 256;
/// The result of a position that no table has.
pub const UNKNOWN: i8 = i8::MIN;
/// Random games that are begun before a length is given up.
const ATTEMPTS: usize = 10_000;

type Array<'py, T> = Bound<'py, PyArray2<T>>;
type ResultsAndPlies<'py> = (Bound<'py, PyArray1<i8>>, Bound<'py, PyArray1<i32>>);

/// Fills the rows of a block, the first of which has this number, on all cores; the first fault with its number.
///
/// The threads live no longer than the block: a pool would not be there any more in a process that Python forks.
fn fill_block<T: Send, E: Send>(
    rows: &mut [T],
    width: usize,
    first: usize,
    make: &(impl Fn(usize, &mut [T]) -> Result<(), E> + Sync),
) -> Option<(usize, E)> {
    let portions = rows.len().div_ceil(PORTION * width);
    let threads = available_parallelism().map_or(1, usize::from).min(portions);
    let waiting = Mutex::new(rows.chunks_mut(PORTION * width).zip((first..).step_by(PORTION)));
    let work = || {
        let mut found: Option<(usize, E)> = None;
        loop {
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((rows, first)) = next else { return found };
            // A thread takes portions in order, so its first fault is the first of those that it meets with.
            if found.is_none() {
                let fault = |(row, number)| make(number, row).err().map(|fault| (number, fault));
                found = rows.chunks_mut(width).zip(first..).find_map(fault);
            }
        }
    };
    scope(|scope| {
        let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let found = helpers.into_iter().map(|helper| helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        // The calling thread works too, before it waits for the others.
        let own = work();
        found.chain([own]).flatten().min_by_key(|&(number, _)| number)
    })
}

/// Fills `width` numbers for each of `count` rows; the first fault is the exception.
fn fill<T, E>(
    py: Python<'_>,
    count: usize,
    width: usize,
    empty: T,
    make: impl Fn(usize, &mut [T]) -> Result<(), E> + Sync,
) -> PyResult<Vec<T>>
where
    T: Copy + Send + Sync,
    E: std::fmt::Display + Send,
{
    let mut all = vec![empty; count * width];
    for (block, rows) in all.chunks_mut(BLOCK * width).enumerate() {
        py.check_signals()?;
        let fault = py.detach(|| fill_block(rows, width, block * BLOCK, &make));
        if let Some((number, fault)) = fault {
            return Err(InvalidPositionError::new_err(format!("position {number}: {fault}")));
        }
    }
    Ok(all)
}

/// The rows of an array, if it is one of these rules.
fn rows_of<'a, G: Rows>(game: &G, positions: &'a PyReadonlyArray2<'_, i16>) -> PyResult<&'a [i16]> {
    let (found, expected) = (positions.shape()[1], game.width());
    if found != expected {
        let words = format!("positions have {found} columns, expected {expected} by these rules");
        return Err(InvalidPositionError::new_err(words));
    }
    Ok(positions.as_slice()?)
}

/// Reads all rows, and fills what is made of each.
fn of_rows<G: Rows, T: Copy + Send + Sync>(
    py: Python<'_>,
    game: &G,
    positions: &PyReadonlyArray2<'_, i16>,
    (width, empty): (usize, T),
    make: impl Fn(&G::Position, &mut [T]) + Sync,
) -> PyResult<Vec<T>> {
    let rows = rows_of(game, positions)?;
    let columns = game.width();
    fill(py, rows.len() / columns, width, empty, |number, cells| {
        game.read(&rows[number * columns..][..columns]).map(|pos| make(&pos, cells))
    })
}

fn matrix<T: numpy::Element>(py: Python<'_>, numbers: Vec<T>, width: usize) -> PyResult<Array<'_, T>> {
    let rows = numbers.len() / width;
    numbers.into_pyarray(py).reshape([rows, width])
}

/// The rules of a variant, with house rules by keyword.
fn read_rules(variant: &str, rules: &Bound<'_, PyDict>) -> PyResult<Ruleset> {
    Ok(Rules::read(variant, Some(rules))?.ruleset())
}

/// Boards or FENs as rows.
#[pyfunction]
pub fn encode<'py>(
    positions: Vec<Bound<'py, PyAny>>,
    variant: &Bound<'py, PyString>,
    rules: &Bound<'py, PyDict>,
) -> PyResult<Array<'py, i16>> {
    let py = variant.py();
    let mut ruleset = None;
    let mut fens = Vec::with_capacity(positions.len());
    for (number, position) in positions.iter().enumerate() {
        let Ok(board) = position.cast::<Board>() else {
            fens.push(position.extract()?);
            continue;
        };
        let board = board.borrow();
        if *ruleset.get_or_insert(board.rules.ruleset()) != board.rules.ruleset() {
            let words =
                format!("position {number}: a board by other rules than the first, expected boards by the same");
            return Err(RulesError::new_err(words));
        }
        fens.push(board.game.fen());
    }
    let ruleset = ruleset.map_or_else(|| read_rules(variant.to_str()?, rules), Ok)?;
    with_game!(ruleset, |game| {
        let numbers = fill(py, fens.len(), game.width(), 0, |number, row| {
            millbrain::game::Notation::parse_fen(&game, &fens[number]).map(|placed| game.write(&placed.position, row))
        });
        let bad_fen = |error: PyErr| InvalidFenError::new_err(error.value(py).to_string());
        let is_fault = |error: &PyErr| error.is_instance_of::<InvalidPositionError>(py);
        let numbers = numbers.map_err(|error| if is_fault(&error) { bad_fen(error) } else { error })?;
        matrix(py, numbers, game.width())
    })
}

/// Rows as FENs, with the move number 1.
#[pyfunction]
pub fn fens(
    py: Python<'_>,
    positions: PyReadonlyArray2<'_, i16>,
    variant: &str,
    rules: &Bound<'_, PyDict>,
) -> PyResult<Vec<String>> {
    with_game!(read_rules(variant, rules)?, |game| {
        rows_of(&game, &positions)?
            .chunks(game.width())
            .enumerate()
            .map(|(number, row)| {
                if number % BLOCK == 0 {
                    py.check_signals()?;
                }
                let words = |fault| InvalidPositionError::new_err(format!("position {number}: {fault}"));
                game.read(row).map(|pos| game.text(&pos)).map_err(words)
            })
            .collect()
    })
}

/// Rows as boards.
#[pyfunction]
pub fn decode(
    py: Python<'_>,
    positions: PyReadonlyArray2<'_, i16>,
    variant: &str,
    rules: &Bound<'_, PyDict>,
) -> PyResult<Vec<Board>> {
    let house = Rules::read(variant, Some(rules))?;
    let fens = fens(py, positions, variant, rules)?;
    let board = |fen: &String| Board::at(house.clone(), Some(fen)).map_err(raise(InvalidFenError::new_err));
    fens.iter().map(board).collect()
}

/// Results and distances of rows.
#[pyfunction]
pub fn probe_many<'py>(
    py: Python<'py>,
    tables: &Tables,
    positions: PyReadonlyArray2<'py, i16>,
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<ResultsAndPlies<'py>> {
    fn values<G: Rows>(
        py: Python<'_>,
        game: &G,
        oracle: Option<&AnyOracle>,
        positions: &PyReadonlyArray2<'_, i16>,
    ) -> PyResult<Vec<(i8, i32)>> {
        let oracle = oracle.and_then(G::oracle);
        let values = of_rows(py, game, positions, (1, (UNKNOWN, -1)), |pos, cell| {
            let value = known_end(game, pos).or_else(|| oracle.as_ref()?.value(pos));
            if let Some((result, plies)) = value.map(plain) {
                cell[0] = (result, plies.map_or(-1, |plies| plies as i32));
            }
        })?;
        for fault in oracle.map_or_else(Vec::new, |oracle| oracle.new_faults()) {
            crate::errors::warn(py, &fault)?;
        }
        Ok(values)
    }
    let ruleset = read_rules(variant, rules)?;
    let oracle = tables.oracle(py, &ruleset)?;
    let values = with_game!(ruleset, |game| values(py, &game, oracle.as_ref(), &positions))?;
    let (results, plies): (Vec<i8>, Vec<i32>) = values.into_iter().unzip();
    Ok((results.into_pyarray(py), plies.into_pyarray(py)))
}

/// The static evaluations of rows.
#[pyfunction]
pub fn evaluate<'py>(
    py: Python<'py>,
    positions: PyReadonlyArray2<'py, i16>,
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyArray1<i32>>> {
    let scores = with_game!(read_rules(variant, rules)?, |game| {
        of_rows(py, &game, &positions, (1, 0), |pos, cell| cell[0] = millbrain::game::Searchable::evaluate(&game, pos))
    })?;
    Ok(scores.into_pyarray(py))
}

/// The numbers of the inputs of the network that rows have, padded with -1.
#[pyfunction]
pub fn feature_indices<'py>(
    py: Python<'py>,
    positions: PyReadonlyArray2<'py, i16>,
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<Array<'py, i32>> {
    fn indices<'py, G: Rows>(
        py: Python<'py>,
        game: &G,
        positions: &PyReadonlyArray2<'_, i16>,
    ) -> PyResult<Array<'py, i32>> {
        let numbers = of_rows(py, game, positions, (G::MOST_INPUTS, -1), |pos, cells| {
            let mut cells = cells.iter_mut();
            game.inputs(pos, |input| {
                if let Some(cell) = cells.next() {
                    *cell = input as i32;
                }
            });
        })?;
        matrix(py, numbers, G::MOST_INPUTS)
    }
    with_game!(read_rules(variant, rules)?, |game| indices(py, &game, &positions))
}

/// How often rows have each input of the network.
#[pyfunction]
pub fn feature_counts<'py>(
    py: Python<'py>,
    positions: PyReadonlyArray2<'py, i16>,
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<Array<'py, u8>> {
    fn counts<'py, G: Rows>(
        py: Python<'py>,
        game: &G,
        positions: &PyReadonlyArray2<'_, i16>,
    ) -> PyResult<Array<'py, u8>> {
        let counts =
            of_rows(py, game, positions, (G::INPUTS, 0), |pos, cells| game.inputs(pos, |input| cells[input] += 1));
        matrix(py, counts?, G::INPUTS)
    }
    with_game!(read_rules(variant, rules)?, |game| counts(py, &game, &positions))
}

/// Columns of a row, cells among them, inputs of the network, and the most that a position has; the names of the cells.
#[pyfunction]
pub fn layout(variant: &str, rules: &Bound<'_, PyDict>) -> PyResult<(usize, usize, usize, usize, Vec<String>)> {
    fn sizes<G: Rows>(game: &G) -> (usize, usize, usize, usize) {
        (game.width(), G::CELLS, G::INPUTS, G::MOST_INPUTS)
    }
    let ruleset = read_rules(variant, rules)?;
    let (width, cells, inputs, most) = with_game!(ruleset, |game| sizes(&game));
    Ok((width, cells, inputs, most, cell_names(&ruleset).to_vec()))
}

/// A position after so many random moves; `None` if all games end before.
fn wander<G: Rows>(game: &G, plies: u32, rng: &mut Rng) -> Option<G::Position> {
    let mut moves = Vec::new();
    (0..ATTEMPTS).find_map(|_| {
        let mut pos = game.start();
        for _ in 0..plies {
            moves.clear();
            game.generate(&pos, |mv| moves.push(mv));
            pos = game.play(&pos, *rng.choice(&moves)?);
        }
        game.ending(&pos).is_none().then_some(pos)
    })
}

/// Positions of random games, as rows.
#[pyfunction]
pub fn random_games<'py>(
    py: Python<'py>,
    count: usize,
    plies: (u32, u32),
    seed: u64,
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<Array<'py, i16>> {
    let (least, most) = plies;
    if least > most {
        return Err(PyValueError::new_err(format!("plies are {least} to {most}, expected the smaller number first")));
    }
    with_game!(read_rules(variant, rules)?, |game| {
        let numbers = fill(py, count, game.width(), 0, |number, row| {
            let mut rng = rng_of(seed, number);
            let plies = rng.u32(least..=most);
            let words = || format!("no random game goes on after {plies} plies, expected fewer");
            wander(&game, plies, &mut rng).map(|pos| game.write(&pos, row)).ok_or_else(words)
        })?;
        matrix(py, numbers, game.width())
    })
}

/// A generator for the position with this number, whichever thread makes it.
fn rng_of(seed: u64, number: usize) -> Rng {
    let mut rng = Rng::with_seed(seed ^ (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    Rng::with_seed(rng.u64(..))
}

/// The sector of this name.
fn find_sector<E: Endings>(endings: &E, name: &str) -> PyResult<Sector> {
    let sectors = endings.sectors();
    let found = sectors.iter().copied().find(|&sector| endings.name(sector).eq_ignore_ascii_case(name));
    found.ok_or_else(|| {
        let shown = millbrain::fen::shorten(name);
        let example = sectors.first().map(|&sector| endings.name(sector)).unwrap_or_default();
        TablesError::new_err(format!("no sector {shown:?} by these rules, expected one such as {example}"))
    })
}

fn no_endings<T>() -> PyResult<T> {
    Err(TablesError::new_err(millbrain::tablebase::NoEndings.to_string()))
}

/// The number of slots of a sector.
#[pyfunction]
pub fn sector_slots(sector: &str, variant: &str, rules: &Bound<'_, PyDict>) -> PyResult<u64> {
    with_endings!(
        read_rules(variant, rules)?,
        |endings| Ok(endings.slots(find_sector(&endings, sector)?)),
        else no_endings()
    )
}

/// The positions of these slots of a sector as rows, White to move, and how many positions each stands for.
#[pyfunction]
pub fn sector_positions<'py>(
    py: Python<'py>,
    sector: &str,
    slots: (u64, u64),
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<(Array<'py, i16>, Bound<'py, PyArray1<i32>>)> {
    fn positions<'py, E: Endings<Game: Rows>>(
        py: Python<'py>,
        endings: &E,
        sector: &str,
        (start, stop): (u64, u64),
    ) -> PyResult<(Array<'py, i16>, Bound<'py, PyArray1<i32>>)> {
        let sector = find_sector(endings, sector)?;
        let (game, slots) = (endings.game(), endings.slots(sector));
        if start > stop || stop > slots {
            let words = format!("slots are {start} to {stop}, expected some in 0..={slots}, the smaller number first");
            return Err(PyValueError::new_err(words));
        }
        let width = game.width();
        // The last column is for the number of images.
        let numbers = fill(py, (stop - start) as usize, width + 1, 0, |number, row| {
            let slot = start + number as u64;
            if let Some(pos) = endings.position(sector, slot).filter(|_| endings.images(sector, slot) > 0) {
                game.write(&pos, row);
                row[width] = endings.images(sector, slot) as i16;
            }
            Ok::<(), String>(())
        })?;
        let present = || numbers.chunks(width + 1).filter(|row| row[width] > 0);
        let images: Vec<i32> = present().map(|row| row[width].into()).collect();
        let rows = present().flat_map(|row| &row[..width]).copied().collect();
        Ok((matrix(py, rows, width)?, images.into_pyarray(py)))
    }
    let ruleset = read_rules(variant, rules)?;
    with_endings!(ruleset, |endings| positions(py, &endings, sector, slots), else no_endings())
}

/// Random positions of a sector as rows, White to move, all as likely as any other up to symmetry.
#[pyfunction]
pub fn random_endings<'py>(
    py: Python<'py>,
    count: usize,
    sector: &str,
    seed: u64,
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<Array<'py, i16>> {
    fn positions<'py, E: Endings<Game: Rows>>(
        py: Python<'py>,
        endings: &E,
        sector: &str,
        (count, seed): (usize, u64),
    ) -> PyResult<Array<'py, i16>> {
        let sector = find_sector(endings, sector)?;
        let (game, slots) = (endings.game(), endings.slots(sector));
        let numbers = fill(py, count, game.width(), 0, |number, row| {
            let mut rng = rng_of(seed, number);
            let found = (0..ATTEMPTS).find_map(|_| {
                let slot = rng.u64(..slots);
                endings.position(sector, slot).filter(|_| endings.images(sector, slot) > 0)
            });
            found.map(|pos| game.write(&pos, row)).ok_or("the sector is empty, expected one with positions")
        })?;
        matrix(py, numbers, game.width())
    }
    let ruleset = read_rules(variant, rules)?;
    with_endings!(ruleset, |endings| positions(py, &endings, sector, (count, seed)), else no_endings())
}
