//! Tablebases, opened on demand for any rules.

use crate::board::Board;
use crate::errors::{MissingTableError, TablesError, raise, warn};
use crate::interrupt::Watch;
use crate::memory;
use millbrain::any::{AnyGame, AnyOracle};
use millbrain::game::{Game, Notation};
use millbrain::tablebase::Sources;
use millbrain::tablebase::probe::{Library, ProbedMove, RulesTables, category, probe_moves};
use millbrain::value::{Category, Known, Oracle};
use millbrain::variant::Ruleset;
use millbrain::with_game;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::iter::once;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A value in its Python form: 1, 0 or -1, and the distance in plies of a win or loss.
type Plain = (i8, Option<u32>);
/// The same with the name of its category.
type Valued = (i8, Option<u32>, Option<&'static str>);

pub const fn plain(known: Known) -> Plain {
    (known.rank().signum() as i8, known.plies())
}

fn valued(known: Known, category: Option<Category>) -> Valued {
    let (wdl, plies) = plain(known);
    (wdl, plies, category.map(Category::name))
}

/// Tablebases of several folders, and the built-in ones.
#[pyclass(module = "millbrain._native", frozen)]
pub struct Tables(Library);

impl Tables {
    /// Returns the tables of these rules, opened on first use.
    fn open(&self, py: Python<'_>, rules: &Ruleset) -> PyResult<RulesTables> {
        if let Some(tables) = self.0.known(rules) {
            return Ok(tables);
        }
        memory::leave_room(0)?;
        let mut refused = Vec::new();
        let tables = py.detach(|| self.0.tables(rules, |refusals| refused = refusals));
        for refusal in refused.iter().filter(|refusal| !refusal.is_other_rules()) {
            warn(py, &format!("tablebase not used: {refusal}"))?;
        }
        Ok(tables)
    }

    /// Returns the oracle for positions under these rules.
    pub fn oracle(&self, py: Python<'_>, rules: &Ruleset) -> PyResult<Option<AnyOracle>> {
        Ok(self.open(py, rules)?.oracle)
    }

    /// Returns the game of a board with its tables. It does not borrow the board: other threads may use it.
    pub fn game(&self, board: &Bound<'_, Board>) -> PyResult<AnyGame> {
        let mut game = board.try_borrow()?.game.clone();
        game.set_oracle(self.oracle(board.py(), &rules_of(board)?)?.as_ref());
        Ok(game)
    }

    /// Returns the game of a board with its tables and the answers of servers.
    fn asked(&self, board: &Bound<'_, Board>) -> PyResult<AnyGame> {
        let (py, rules, mut game) = (board.py(), rules_of(board)?, self.game(board)?);
        let Sources { servers, files, .. } = self.0.sources();
        if !(servers.is_empty() && files.is_empty())
            && let Some(oracle) = self.oracle(py, &rules)?
        {
            let asked = with_game!(rules, |rules| {
                let placed = rules.parse_fen(&game.fen()).map_err(raise(TablesError::new_err))?;
                let position = placed.position;
                // Servers answer for the moves of a position, too.
                let moves = if files.is_empty() { Default::default() } else { rules.moves(&position) };
                let ahead: Vec<_> = moves.iter().map(|&mv| rules.play(&position, mv)).collect();
                let asked = ask_all(py, AnyOracle::of(&oracle), once(position).chain(ahead))?;
                asked.map(|oracle| AnyOracle::new(&rules, oracle))
            });
            warn_of_faults(py, &game.new_faults())?;
            game.set_oracle(asked.as_ref());
        }
        Ok(game)
    }
}

/// Returns an oracle that has queried its servers, if it has any, about all these positions at once.
///
/// # Errors
/// A `TablesError` if a server fails, and what a signal raises.
pub fn ask_all<P: Send>(
    py: Python<'_>,
    oracle: Option<Arc<dyn Oracle<P>>>,
    mut positions: impl Iterator<Item = P> + Send,
) -> PyResult<Option<Arc<dyn Oracle<P>>>> {
    let Some(oracle) = oracle else { return Ok(None) };
    let watch = Mutex::new((Watch::new(), Ok(())));
    let wait = || {
        let (watch, heard) = &mut *watch.lock().unwrap_or_else(PoisonError::into_inner);
        *heard = watch.look();
        heard.is_ok()
    };
    let asked = py.detach(|| oracle.ask_all(&mut positions, &wait));
    watch.into_inner().unwrap_or_else(PoisonError::into_inner).1?;
    Ok(asked.map_err(TablesError::new_err)?.or(Some(oracle)))
}

/// Returns the rules of a board.
pub fn rules_of(board: &Bound<'_, Board>) -> PyResult<Ruleset> {
    Ok(board.try_borrow()?.rules.ruleset())
}

/// Warns of damage found in the tables.
pub fn warn_of_faults(py: Python<'_>, faults: &[String]) -> PyResult<()> {
    faults.iter().try_for_each(|fault| warn(py, fault))
}

#[pymethods]
impl Tables {
    #[new]
    fn new(folders: Vec<PathBuf>, embedded: bool) -> PyResult<Tables> {
        let sources = Sources { embedded, ..Sources::at(folders) };
        sources.check().map_err(raise(TablesError::new_err))?;
        Ok(Tables(Library::new(sources)))
    }

    /// Returns the folders, files and servers.
    #[getter]
    fn places(&self) -> Vec<OsString> {
        let Sources { folders, files, servers, .. } = self.0.sources();
        let addresses = files.iter().chain(servers).map(OsString::from);
        folders.iter().map(|folder| folder.clone().into()).chain(addresses).collect()
    }

    /// Whether the built-in tables are used.
    #[getter]
    fn embedded(&self) -> bool {
        self.0.sources().embedded
    }

    /// Counts the sectors with tables for the rules of a board.
    fn sectors(&self, board: &Bound<'_, Board>) -> PyResult<usize> {
        Ok(self.open(board.py(), &rules_of(board)?)?.sectors)
    }

    /// Returns the result and distance of a position.
    fn probe(&self, board: &Bound<'_, Board>) -> PyResult<Valued> {
        let (py, game) = (board.py(), self.asked(board)?);
        let (value, by_counter) = py.detach(|| (game.known(), category(&game)));
        warn_of_faults(py, &game.new_faults())?;
        value.map(|known| valued(known, by_counter)).ok_or_else(|| {
            let found = self.sectors(board).unwrap_or(0);
            let sectors = millbrain::fen::counted(found, "sector");
            MissingTableError::new_err(format!("no table has {}, expected a position of {sectors}", game.fen()))
        })
    }

    /// Returns the moves with their results and distances for the mover, best first.
    fn moves(&self, board: &Bound<'_, Board>) -> PyResult<Vec<(String, Option<Valued>)>> {
        let (py, mut game) = (board.py(), self.asked(board)?);
        let moves = py.detach(|| probe_moves(&mut game));
        warn_of_faults(py, &game.new_faults())?;
        let reported = |probed: ProbedMove| (probed.text, probed.value.map(|known| valued(known, probed.category)));
        Ok(moves.into_iter().map(reported).collect())
    }
}
