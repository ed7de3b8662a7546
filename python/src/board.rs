//! A game in progress.

use crate::errors::{IllegalMoveError, InvalidFenError, InvalidMoveError, InvalidPositionError, raise};
use crate::interrupt;
use crate::numbers::integer;
use crate::rules::Rules;
use millbrain::any::AnyGame;
use millbrain::game::Side;
use millbrain::layout::{MoveParts, Piece};
use millbrain::perft;
use millbrain::play::{MoveFault, PlayError};
use millbrain::protocol::display::display;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

/// A game in progress.
#[pyclass(module = "millbrain")]
pub struct Board {
    pub rules: Rules,
    pub game: AnyGame,
    /// The position before the first move.
    root: String,
    moves: Vec<String>,
}

/// Returns the exception for a move that cannot be played.
fn move_error(text: &str, fault: &MoveFault) -> PyErr {
    let text = millbrain::fen::shorten(text);
    let words = format!("{} {fault}", text.escape_debug());
    match fault {
        MoveFault::Unreadable(_) => InvalidMoveError::new_err(words),
        _ => IllegalMoveError::new_err(words),
    }
}

/// Reads the depth of a perft, up to the protocol's limit, which is beyond any practical run.
fn read_depth(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    integer("depth", value, &(0..=100)).map(|depth| depth as u32)
}

fn read_threads(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    integer("threads", value, &(1..=512)).map(|threads| threads as usize)
}

/// Returns `True` for White, as other packages do.
pub fn color(side: Side) -> bool {
    side == Side::White
}

impl Board {
    /// Sets up a board with these rules.
    ///
    /// # Errors
    /// An invalid FEN.
    pub fn at(rules: Rules, fen: Option<&str>) -> Result<Board, PlayError> {
        let mut game = AnyGame::new(rules.ruleset());
        game.set_up(fen, [])?;
        Ok(Board { rules, root: game.fen(), game, moves: Vec::new() })
    }

    fn stackless(&self) -> PyResult<Board> {
        Board::at(self.rules.clone(), Some(&self.game.fen())).map_err(raise(InvalidFenError::new_err))
    }

    fn full(&self) -> Board {
        let Board { rules, game, root, moves } = self;
        Board { rules: rules.clone(), game: game.clone(), root: root.clone(), moves: moves.clone() }
    }

    /// Plays moves that can be undone.
    fn push_all(&mut self, moves: &[String]) -> PyResult<()> {
        moves.iter().try_for_each(|mv| self.push(mv).map(drop))
    }
}

#[pymethods]
impl Board {
    #[new]
    #[pyo3(signature = (variant="morris", fen=None, **rules))]
    fn new(variant: &str, fen: Option<&str>, rules: Option<&Bound<'_, PyDict>>) -> PyResult<Board> {
        Board::at(Rules::read(variant, rules)?, fen).map_err(raise(InvalidFenError::new_err))
    }

    /// Returns the faults of a FEN under these rules; empty if it is a position.
    #[staticmethod]
    #[pyo3(signature = (fen, variant="morris", **rules))]
    fn status(fen: &str, variant: &str, rules: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<String>> {
        match Board::at(Rules::read(variant, rules)?, Some(fen)) {
            Ok(_) => Ok(Vec::new()),
            Err(PlayError::Fen(faults)) => Ok(faults.0.iter().map(ToString::to_string).collect()),
            Err(other) => Ok(vec![other.to_string()]),
        }
    }

    /// Returns the name of the variant.
    #[getter]
    fn variant(&self) -> &'static str {
        self.rules.variant()
    }

    /// Returns all rules by keyword.
    #[getter]
    fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.rules.options(py, false)
    }

    /// Returns the rules that differ from those of the variant, by keyword.
    #[getter]
    fn house_rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.rules.options(py, true)
    }

    /// Returns the side to move.
    #[getter]
    fn turn(&self) -> bool {
        color(self.game.side())
    }

    /// Returns the legal moves as a live view.
    #[getter]
    fn legal_moves(slf: Py<Self>) -> LegalMoves {
        LegalMoves(slf)
    }

    /// Returns the moves played, oldest first.
    #[getter]
    fn move_stack(&self) -> Vec<String> {
        self.moves.clone()
    }

    /// Returns the move number, which increases after Black's move.
    #[getter]
    fn fullmove_number(&self) -> u32 {
        self.game.move_number()
    }

    /// Returns the plies since the last progress.
    #[getter]
    fn halfmove_clock(&self) -> u16 {
        self.game.plies_without_progress()
    }

    /// Returns the pieces in hand of White and Black; `None` in games without a hand.
    #[getter]
    fn hands(&self) -> Option<(u32, u32)> {
        self.game.hands().map(|[white, black]| (white, black))
    }

    /// Counts the occurrences of the position, including this one.
    #[getter]
    fn occurrences(&self) -> usize {
        self.game.occurrences()
    }

    /// Returns the key of the rules and of the position as its mover sees it.
    #[getter]
    fn key(&self) -> u64 {
        // The engine stores positions of one rule set at a time and omits the rules; boards may have different rules.
        self.game.key() ^ self.rules.key()
    }

    /// Plays a move; returns its text as the engine writes it.
    fn push(&mut self, r#move: &str) -> PyResult<String> {
        let text = self.game.push(r#move).map_err(|fault| move_error(r#move, &fault))?;
        self.moves.push(text.clone());
        Ok(text)
    }

    /// Takes the last move back and returns it.
    fn pop(&mut self) -> PyResult<String> {
        let last = self.moves.pop().ok_or_else(|| PyIndexError::new_err("pop from a board without moves"))?;
        self.game.undo();
        Ok(last)
    }

    /// Returns the last move.
    fn peek(&self) -> PyResult<String> {
        self.moves.last().cloned().ok_or_else(|| PyIndexError::new_err("peek at a board without moves"))
    }

    /// Returns the number of moves on the stack.
    fn ply(&self) -> usize {
        self.moves.len()
    }

    /// Returns the legal move that a text means, as the engine writes it.
    fn parse_move(&self, text: &str) -> PyResult<String> {
        let mv = self.game.find_move(text).map_err(|fault| move_error(text, &fault))?;
        Ok(self.game.move_text(mv))
    }

    /// Parses a move into its parts, legal or not.
    fn r#move<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
        static MOVE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let MoveParts { text, from, to, taken } = self.game.parts_of(text).map_err(|fault| move_error(text, &fault))?;
        let points = self.game.layout().points;
        let name = |place: usize| points[place].name.clone();
        let taken = PyTuple::new(py, taken.into_iter().map(name))?;
        MOVE.import(py, "millbrain.moves", "Move")?.call1((text, from.map(name), name(to), taken))
    }

    /// Draws the board for notebooks.
    fn _repr_svg_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("millbrain.svg")?.getattr("draw")?.call1((slf,))
    }

    /// Creates a board from a map of pieces.
    #[staticmethod]
    #[pyo3(signature = (pieces, turn=true, hands=(0, 0), variant="morris", **rules))]
    fn from_piece_map(
        pieces: &Bound<'_, PyDict>,
        turn: bool,
        hands: (u32, u32),
        variant: &str,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Board> {
        let rules = Rules::read(variant, rules)?;
        let layout = AnyGame::new(rules.ruleset()).layout();
        let mut placed = Vec::new();
        for (name, letter) in pieces {
            let (name, letter) = (name.extract::<String>()?, letter.extract::<String>()?);
            let point = layout.points.iter().position(|point| point.name == name);
            let point = point.ok_or_else(|| {
                let shown = millbrain::fen::shorten(&name);
                InvalidPositionError::new_err(format!(
                    "no point {shown:?}, expected one such as {}",
                    layout.points[0].name
                ))
            })?;
            let kinds = layout.kinds.iter().enumerate();
            let mut found = kinds.flat_map(|(kind, of)| {
                of.letters.iter().zip([Side::White, Side::Black]).map(move |(l, side)| (l.to_string(), side, kind))
            });
            let (_, side, kind) = found.find(|(known, ..)| *known == letter).ok_or_else(|| {
                let letters: Vec<String> =
                    layout.kinds.iter().flat_map(|kind| kind.letters.map(String::from)).collect();
                let shown = millbrain::fen::shorten(&letter);
                InvalidPositionError::new_err(format!("{name} has {shown:?}, expected one of {}", letters.join(", ")))
            })?;
            placed.push(Piece { point, side, kind });
        }
        let side = if turn { Side::White } else { Side::Black };
        Board::at(rules, Some(&layout.fen(&placed, side, hands.into()))).map_err(raise(InvalidFenError::new_err))
    }

    /// Whether a move is legal.
    fn is_legal(&self, r#move: &str) -> bool {
        self.game.find_move(r#move).is_ok()
    }

    /// Returns the position as a FEN.
    fn fen(&self) -> String {
        self.game.fen()
    }

    /// Sets up a position and clears the moves.
    fn set_fen(&mut self, fen: &str) -> PyResult<()> {
        self.game.set_up(Some(fen), []).map_err(raise(InvalidFenError::new_err))?;
        self.root = self.game.fen();
        self.moves.clear();
        Ok(())
    }

    /// Sets up the start position and clears the moves.
    fn reset(&mut self) -> PyResult<()> {
        *self = Board::at(self.rules.clone(), None).map_err(raise(InvalidFenError::new_err))?;
        Ok(())
    }

    /// Returns the position that the moves begin at, as a board.
    fn root(&self) -> PyResult<Board> {
        Board::at(self.rules.clone(), Some(&self.root)).map_err(raise(InvalidFenError::new_err))
    }

    /// Returns the same position with the sides exchanged, without moves.
    fn mirror(&self) -> PyResult<Board> {
        let mut board = self.stackless()?;
        board.game.flip();
        board.root = board.game.fen();
        Ok(board)
    }

    /// Returns the stones or pieces by point or square, in the letters of the FEN.
    fn piece_map<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let pieces = PyDict::new(py);
        let layout = self.game.layout();
        for Piece { point, side, kind } in self.game.pieces() {
            pieces.set_item(&layout.points[point].name, layout.kinds[kind].letters[side as usize])?;
        }
        Ok(pieces)
    }

    /// Returns the outcome of the game; `None` while it is in progress.
    fn outcome<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        static OUTCOME: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let py = slf.py();
        let (ending, side) = {
            let board = slf.try_borrow()?;
            (board.game.ending(), board.game.side())
        };
        let Some(ending) = ending else { return Ok(None) };
        let winner = ending.winner(side).map(color);
        OUTCOME.import(py, "millbrain.outcome", "Outcome")?.call1((ending.reason.id(), winner)).map(Some)
    }

    /// Whether the game has ended.
    fn is_game_over(&self) -> bool {
        self.game.ending().is_some()
    }

    /// Returns `1-0`, `0-1`, `1/2-1/2`, or `*` for a game in progress.
    fn result(&self) -> String {
        let outcome = |side| millbrain::tournament::record::Outcome::of(side).to_string();
        self.game.ending().map_or_else(|| "*".to_string(), |ending| outcome(ending.winner(self.game.side())))
    }

    /// Counts the leaves of the game tree at this depth.
    #[pyo3(signature = (depth, threads=1))]
    fn perft(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = read_depth)] depth: u32,
        #[pyo3(from_py_with = read_threads)] threads: usize,
    ) -> PyResult<u64> {
        let divided = Board::divide(slf, depth, threads)?;
        Ok(perft::total(&divided, depth))
    }

    /// Counts the leaves below each move.
    #[pyo3(signature = (depth, threads=1))]
    fn perft_divide<'py>(
        slf: &Bound<'py, Self>,
        #[pyo3(from_py_with = read_depth)] depth: u32,
        #[pyo3(from_py_with = read_threads)] threads: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let counts = PyDict::new(slf.py());
        for (mv, count) in Board::divide(slf, depth, threads)? {
            counts.set_item(mv, count)?;
        }
        Ok(counts)
    }

    /// Returns the static evaluation from the side to move, in hundredths of a stone.
    fn evaluate(&self) -> i32 {
        self.game.evaluate()
    }

    /// Returns the board and details of the position.
    fn d(&self) -> String {
        display(&self.game)
    }

    /// Returns a copy of the board, with the moves if `stack`.
    #[pyo3(signature = (*, stack=true))]
    fn copy(&self, stack: bool) -> PyResult<Board> {
        if stack { Ok(self.full()) } else { self.stackless() }
    }

    fn __copy__(&self) -> Board {
        self.full()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Board {
        self.full()
    }

    fn __str__(&self) -> String {
        self.game.diagram()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut text = format!("Board('{}', '{}'", self.rules.variant(), self.game.fen());
        for (name, value) in self.rules.options(py, true)? {
            text.push_str(&format!(", {name}={}", value.repr()?));
        }
        Ok(text + ")")
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Board>().is_ok_and(|other| {
            // A board may be compared with itself.
            other.try_borrow().is_ok_and(|other| self.rules == other.rules && self.game.fen() == other.game.fen())
        })
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.rules.variant(), self.game.fen()).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.get_type::<Board>().getattr("_restore")?;
        let rules = self.rules.options(py, true)?;
        Ok((restore, (self.rules.variant(), &self.root, self.moves.clone(), rules).into_pyobject(py)?))
    }

    /// Restores a board from a pickle.
    #[staticmethod]
    fn _restore(variant: &str, root: &str, moves: Vec<String>, rules: &Bound<'_, PyDict>) -> PyResult<Board> {
        let mut board = Board::new(variant, Some(root), Some(rules))?;
        board.push_all(&moves)?;
        Ok(board)
    }
}

impl Board {
    /// Counts the leaves below each move, in generation order; Ctrl-C stops it. It counts on a copy: other threads may
    /// use the board.
    fn divide(slf: &Bound<'_, Self>, depth: u32, threads: usize) -> PyResult<Vec<(String, u64)>> {
        let stop = AtomicBool::new(false);
        let game = slf.try_borrow()?.game.clone();
        let stopping = || stop.store(true, Ordering::Relaxed);
        let settings = perft::Settings { threads, hash_mib: 0, stop: &stop };
        interrupt::run(slf.py(), stopping, |_: &Sender<()>| game.perft(depth, settings), |_, ()| Ok(()))
    }
}

/// Returns the board of some rules as JSON: points, lines, arrows, kinds of pieces.
#[pyfunction]
pub fn board_layout(board: &Board) -> PyResult<String> {
    serde_json::to_string(&board.game.layout()).map_err(raise(PyValueError::new_err))
}

/// The legal moves of a board.
#[pyclass(module = "millbrain", frozen)]
pub struct LegalMoves(Py<Board>);

#[pymethods]
impl LegalMoves {
    /// Returns the number of legal moves.
    fn count(&self, py: Python<'_>) -> usize {
        self.0.borrow(py).game.moves().len()
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.count(py)
    }

    fn __bool__(&self, py: Python<'_>) -> bool {
        self.count(py) > 0
    }

    fn __contains__(&self, py: Python<'_>, r#move: &Bound<'_, PyAny>) -> bool {
        r#move
            .cast::<PyString>()
            .is_ok_and(|text| text.to_str().is_ok_and(|text| self.0.borrow(py).game.find_move(text).is_ok()))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let moves = self.0.borrow(py).game.moves();
        Ok(moves.into_pyobject(py)?.try_iter()?.into_any())
    }

    /// Pickles or copies as a view of the same board, or of the board's copy.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let getattr = py.import("builtins")?.getattr("getattr")?;
        (getattr, (self.0.clone_ref(py), "legal_moves")).into_pyobject(py)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<LegalMoves ({})>", self.0.borrow(py).game.moves().join(" "))
    }
}
