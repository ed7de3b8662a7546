//! Operations on many positions as numpy arrays. Every function runs on all cores, without the GIL.

use crate::board::Board;
use crate::errors::{InvalidFenError, InvalidPositionError, RulesError, TablesError, raise};
use crate::interrupt::Watch;
use crate::memory;
use crate::parallel::{fill, stream, stream_with};
use crate::rules::Rules;
use crate::tables::{Tables, ask_all, plain, warn_of_faults};
use bytemuck::Zeroable;
use fastrand::Rng;
use millbrain::any::{AnyGame, AnyOracle};
use millbrain::arrays::{Arrays, RowFault};
use millbrain::game::{Notation, Searchable};
use millbrain::network::Learned;
use millbrain::tablebase::{Endings, Sector};
use millbrain::value::{Known, Oracle, known_end};
use millbrain::variant::Ruleset;
use millbrain::{with_endings, with_game};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use std::fmt::Display;
use std::ops::Range;
use std::sync::Arc;

/// The result of a position missing from the tables.
pub const UNKNOWN: i8 = i8::MIN;
/// Random games to try before a length is given up.
const ATTEMPTS: usize = 10_000;
/// Positions read from Python before they are encoded.
const TEXTS: usize = 1 << 14;
/// Minimum bytes of a text in a list.
const TEXT_BYTES: usize = 80;
/// Minimum bytes of a board in a list.
const BOARD_BYTES: usize = 400;

type Array<'py, T> = Bound<'py, PyArray2<T>>;
type ResultsAndPlies<'py> = (Bound<'py, PyArray1<i8>>, Bound<'py, PyArray1<i32>>);

/// Returns the exception for a row that is not a position.
pub fn bad_position(words: String) -> PyErr {
    InvalidPositionError::new_err(words)
}

/// The rows of an array as positions of a game.
pub struct Positions<'a, G> {
    game: &'a G,
    rows: &'a [i16],
}

impl<'a, G: Arrays> Positions<'a, G> {
    /// Takes an array.
    ///
    /// # Errors
    /// Fails if it does not have the width of these rules.
    pub fn new(game: &'a G, positions: &'a PyReadonlyArray2<'_, i16>) -> PyResult<Positions<'a, G>> {
        let (found, expected) = (positions.shape()[1], game.width());
        if found != expected {
            let words = format!("positions have {found} columns, expected {expected} by these rules");
            return Err(InvalidPositionError::new_err(words));
        }
        Ok(Positions { game, rows: positions.as_slice()? })
    }

    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.rows.len() / self.game.width()
    }

    /// Reads the row with this number.
    pub fn read(&self, number: usize) -> Result<G::Position, RowFault> {
        let columns = self.game.width();
        self.game.read(&self.rows[number * columns..][..columns])
    }

    /// Returns an oracle that has queried its servers, if it has any, about the rows with these numbers.
    pub fn ask(
        &self,
        py: Python<'_>,
        oracle: Option<Arc<dyn Oracle<G::Position>>>,
        numbers: Range<usize>,
    ) -> PyResult<Option<Arc<dyn Oracle<G::Position>>>> {
        let positions = numbers.filter_map(|number| self.read(number).ok());
        ask_all(py, oracle, positions.filter(|pos| known_end(self.game, pos).is_none()))
    }
}

/// Returns an array of `count` rows of `width` numbers, filled by `make`.
fn array<T, E: Display + Send>(
    py: Python<'_>,
    (count, width): (usize, usize),
    make: impl Fn(usize, &mut [T]) -> Result<(), E> + Sync,
) -> PyResult<Vec<T>>
where
    T: Zeroable + Send,
{
    let mut numbers = memory::zeroed(count, width)?;
    fill(py, (&mut numbers, width, 0), bad_position, make)?;
    Ok(numbers)
}

/// Reads all rows and fills the result of each, initially `width` zeros.
pub fn of_rows<G: Arrays, T: Zeroable + Send>(
    py: Python<'_>,
    game: &G,
    positions: &PyReadonlyArray2<'_, i16>,
    width: usize,
    make: impl Fn(&G::Position, &mut [T]) + Sync,
) -> PyResult<Vec<T>> {
    let positions = Positions::new(game, positions)?;
    array(py, (positions.count(), width), |number, cells| positions.read(number).map(|pos| make(&pos, cells)))
}

/// Reads all rows, makes an item of each, and appends the items to a Python list in order.
fn list_of_rows<'py, G: Arrays, T: Send>(
    py: Python<'py>,
    game: &G,
    positions: &PyReadonlyArray2<'_, i16>,
    bytes_each: usize,
    make: impl Fn(&G::Position) -> T + Sync,
    object: impl Fn(T) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let positions = Positions::new(game, positions)?;
    let count = positions.count();
    memory::check(count, bytes_each)?;
    let list = PyList::empty(py);
    let read = |number: usize, made: &mut [Option<T>]| {
        made[0] = Some(make(&positions.read(number)?));
        Ok::<_, RowFault>(())
    };
    stream(py, (count, 1), bad_position, read, |made| {
        made.iter_mut().filter_map(Option::take).try_for_each(|thing| list.append(object(thing)?))
    })?;
    Ok(list)
}

fn matrix<T: numpy::Element>(py: Python<'_>, numbers: Vec<T>, width: usize) -> PyResult<Array<'_, T>> {
    let rows = numbers.len() / width;
    numbers.into_pyarray(py).reshape([rows, width])
}

/// Returns the rules of a variant, with house rules by keyword.
pub fn read_rules(variant: &str, rules: &Bound<'_, PyDict>) -> PyResult<Ruleset> {
    Ok(Rules::read(variant, Some(rules))?.ruleset())
}

/// Returns the rules of the boards among positions; `None` without a board.
fn rules_of_boards(positions: &Bound<'_, PyList>) -> PyResult<Option<Ruleset>> {
    let mut common = None;
    let mut watch = Watch::new();
    for (number, position) in positions.iter().enumerate() {
        watch.look()?;
        let Ok(board) = position.cast::<Board>() else { continue };
        let rules = board.try_borrow()?.rules.ruleset();
        if *common.get_or_insert(rules) != rules {
            let words =
                format!("position {number}: a board by other rules than the first, expected boards by the same");
            return Err(RulesError::new_err(words));
        }
    }
    Ok(common)
}

/// Returns the FEN of a board or of a text.
fn fen_of(number: usize, position: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(board) = position.cast::<Board>() {
        return Ok(board.try_borrow()?.game.fen());
    }
    let words = |_| match position.get_type().name() {
        Ok(kind) => PyTypeError::new_err(format!("position {number} is of type {kind}, expected a Board or a FEN")),
        Err(error) => error,
    };
    position.extract().map_err(words)
}

/// Encodes boards or FENs as rows.
#[pyfunction]
pub fn encode<'py>(
    positions: &Bound<'py, PyList>,
    variant: &Bound<'py, PyString>,
    rules: &Bound<'py, PyDict>,
) -> PyResult<Array<'py, i16>> {
    let py = positions.py();
    let ruleset = rules_of_boards(positions)?.map_or_else(|| read_rules(variant.to_str()?, rules), Ok)?;
    with_game!(ruleset, |game| {
        let width = game.width();
        let mut numbers = memory::zeroed(positions.len(), width)?;
        for (block, rows) in numbers.chunks_mut(TEXTS * width).enumerate() {
            py.check_signals()?;
            let first = block * TEXTS;
            let texts = (first..first + rows.len() / width).map(|number| fen_of(number, &positions.get_item(number)?));
            let texts = texts.collect::<PyResult<Vec<String>>>()?;
            let bad_fen = |words| InvalidFenError::new_err(words);
            fill(py, (rows, width, first), bad_fen, |number, row| {
                game.parse_fen(&texts[number - first]).map(|placed| game.write(&placed.position, row))
            })?;
        }
        matrix(py, numbers, width)
    })
}

/// Returns rows as FENs with the move number 1.
#[pyfunction]
pub fn fens<'py>(
    py: Python<'py>,
    positions: PyReadonlyArray2<'py, i16>,
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyList>> {
    with_game!(read_rules(variant, rules)?, |game| {
        list_of_rows(
            py,
            &game,
            &positions,
            TEXT_BYTES,
            |pos| game.text(pos),
            |text| PyString::from_bytes(py, text.as_bytes()).map(Bound::into_any),
        )
    })
}

/// Decodes rows as boards.
#[pyfunction]
pub fn decode<'py>(
    py: Python<'py>,
    positions: PyReadonlyArray2<'py, i16>,
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyList>> {
    let house = Rules::read(variant, Some(rules))?;
    with_game!(house.ruleset(), |game| {
        list_of_rows(
            py,
            &game,
            &positions,
            BOARD_BYTES,
            |pos| Board::at(house.clone(), Some(&game.text(pos))),
            |board| Bound::new(py, board.map_err(raise(InvalidFenError::new_err))?).map(Bound::into_any),
        )
    })
}

/// Returns results and distances of rows.
#[pyfunction]
pub fn probe_many<'py>(
    py: Python<'py>,
    tables: &Tables,
    positions: PyReadonlyArray2<'py, i16>,
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<ResultsAndPlies<'py>> {
    fn values<'py, G: Arrays>(
        py: Python<'py>,
        game: &G,
        oracle: Option<&AnyOracle>,
        positions: &PyReadonlyArray2<'_, i16>,
    ) -> PyResult<ResultsAndPlies<'py>> {
        let oracle = oracle.and_then(AnyOracle::of::<G::Position>);
        let positions = Positions::new(game, positions)?;
        let count = positions.count();
        let (mut results, mut plies) = (memory::reserved(count, 1)?, memory::reserved(count, 1)?);
        let begin = |numbers| positions.ask(py, oracle.clone(), numbers);
        let probe = |oracle: &Option<Arc<dyn Oracle<G::Position>>>, number: usize, value: &mut [(i8, i32)]| {
            let pos = positions.read(number)?;
            let found = known_end(game, &pos).map(Known::Value).or_else(|| oracle.as_ref()?.known(&pos)).map(plain);
            value[0] = found.map_or((UNKNOWN, -1), |(result, plies)| (result, plies.map_or(-1, |plies| plies as i32)));
            Ok::<_, RowFault>(())
        };
        stream_with(py, (count, 1), begin, bad_position, probe, |values| {
            results.extend(values.iter().map(|&(result, _)| result));
            plies.extend(values.iter().map(|&(_, plies)| plies));
            Ok(())
        })?;
        warn_of_faults(py, &oracle.map_or_else(Vec::new, |oracle| oracle.new_faults()))?;
        Ok((results.into_pyarray(py), plies.into_pyarray(py)))
    }
    let ruleset = read_rules(variant, rules)?;
    let oracle = tables.oracle(py, &ruleset)?;
    with_game!(ruleset, |game| values(py, &game, oracle.as_ref(), &positions))
}

/// Returns the static evaluations of rows.
#[pyfunction]
pub fn evaluate<'py>(
    py: Python<'py>,
    positions: PyReadonlyArray2<'py, i16>,
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyArray1<i32>>> {
    let scores = with_game!(read_rules(variant, rules)?, |game| {
        of_rows(py, &game, &positions, 1, |pos, cell| cell[0] = game.evaluate(pos))
    })?;
    Ok(scores.into_pyarray(py))
}

/// Returns the indices of each row's network inputs, padded with -1.
#[pyfunction]
pub fn feature_indices<'py>(
    py: Python<'py>,
    positions: PyReadonlyArray2<'py, i16>,
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<Array<'py, i32>> {
    with_game!(read_rules(variant, rules)?, |game| {
        let [_, width] = inputs_of(&game);
        let numbers = of_rows(py, &game, &positions, width, |pos, cells: &mut [i32]| {
            cells.fill(-1);
            let mut count = 0;
            game.inputs(pos, |input| {
                cells[count] = input as i32;
                count += 1;
            });
        })?;
        matrix(py, numbers, width)
    })
}

/// Counts each network input in each row.
#[pyfunction]
pub fn feature_counts<'py>(
    py: Python<'py>,
    positions: PyReadonlyArray2<'py, i16>,
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<Array<'py, u8>> {
    with_game!(read_rules(variant, rules)?, |game| {
        let [width, _] = inputs_of(&game);
        let count = |pos: &_, cells: &mut [u8]| game.inputs(pos, |input| cells[input] += 1);
        matrix(py, of_rows(py, &game, &positions, width, count)?, width)
    })
}

/// Returns the network inputs, and the most that a position has.
const fn inputs_of<G: Learned>(_: &G) -> [usize; 2] {
    [G::INPUTS, G::MAX_INPUTS]
}

/// Returns the columns of a row, the cells among them, the network inputs, the maximum inputs of a position, and the
/// names of the cells.
#[pyfunction]
pub fn layout(variant: &str, rules: &Bound<'_, PyDict>) -> PyResult<(usize, usize, usize, usize, Vec<String>)> {
    let ruleset = read_rules(variant, rules)?;
    let (width, [inputs, most]) = with_game!(ruleset, |game| (game.width(), inputs_of(&game)));
    let names: Vec<String> = AnyGame::new(ruleset).layout().points.into_iter().map(|point| point.name).collect();
    Ok((width, names.len(), inputs, most, names))
}

/// Returns a position after `plies` random moves; `None` if all games end earlier.
fn wander<G: Arrays>(game: &G, plies: u32, rng: &mut Rng) -> Option<G::Position> {
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

/// Returns positions of random games as rows.
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
        let numbers = array(py, (count, game.width()), |number, row| {
            let mut rng = rng_of(seed, number);
            let plies = rng.u32(least..=most);
            let words = || format!("no random game goes on after {plies} plies, expected fewer");
            wander(&game, plies, &mut rng).map(|pos| game.write(&pos, row)).ok_or_else(words)
        })?;
        matrix(py, numbers, game.width())
    })
}

/// Returns the generator for the position with this number, independent of the thread.
pub fn rng_of(seed: u64, number: usize) -> Rng {
    let mut rng = Rng::with_seed(seed ^ (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    Rng::with_seed(rng.u64(..))
}

/// Returns the sector with this name.
fn find_sector<E: Endings>(endings: &E, name: &str) -> PyResult<Sector> {
    // The tables that number its positions are built on first use.
    memory::leave_room(0)?;
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

/// Returns the number of slots of a sector.
#[pyfunction]
pub fn sector_slots(sector: &str, variant: &str, rules: &Bound<'_, PyDict>) -> PyResult<u64> {
    with_endings!(
        read_rules(variant, rules)?,
        |endings| Ok(endings.slots(find_sector(&endings, sector)?)),
        else no_endings()
    )
}

/// Returns the positions of these slots of a sector as rows, White to move, and the number of positions each
/// represents.
#[pyfunction]
pub fn sector_positions<'py>(
    py: Python<'py>,
    sector: &str,
    slots: (u64, u64),
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<(Array<'py, i16>, Bound<'py, PyArray1<i32>>)> {
    fn positions<'py, E: Endings<Game: Arrays>>(
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
        let count = usize::try_from(stop - start)?;
        let (mut rows, mut images) = (memory::reserved(count, width)?, memory::reserved(count, 1)?);
        // The last column holds the number of images.
        let place = |number: usize, row: &mut [i16]| {
            let slot = start + number as u64;
            row[width] = endings.images(sector, slot) as i16;
            match endings.position(sector, slot) {
                Some(pos) if row[width] > 0 => game.write(&pos, row),
                _ => row[width] = 0,
            }
            Ok::<_, String>(())
        };
        stream(py, (count, width + 1), bad_position, place, |block| {
            for row in block.chunks(width + 1).filter(|row| row[width] > 0) {
                rows.extend_from_slice(&row[..width]);
                images.push(row[width].into());
            }
            Ok(())
        })?;
        Ok((matrix(py, rows, width)?, images.into_pyarray(py)))
    }
    let ruleset = read_rules(variant, rules)?;
    with_endings!(ruleset, |endings| positions(py, &endings, sector, slots), else no_endings())
}

/// Returns random positions of a sector as rows, White to move, uniform up to symmetry.
#[pyfunction]
pub fn random_endings<'py>(
    py: Python<'py>,
    count: usize,
    sector: &str,
    seed: u64,
    variant: &str,
    rules: &Bound<'py, PyDict>,
) -> PyResult<Array<'py, i16>> {
    fn positions<'py, E: Endings<Game: Arrays>>(
        py: Python<'py>,
        endings: &E,
        sector: &str,
        (count, seed): (usize, u64),
    ) -> PyResult<Array<'py, i16>> {
        let sector = find_sector(endings, sector)?;
        let (game, slots) = (endings.game(), endings.slots(sector));
        let numbers = array(py, (count, game.width()), |number, row| {
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
