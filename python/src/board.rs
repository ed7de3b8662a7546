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
    /// The position that the moves begin at.
    root: String,
    moves: Vec<String>,
}

/// The exception for a move that cannot be played.
fn move_error(text: &str, fault: &MoveFault) -> PyErr {
    let text = millbrain::fen::shorten(text);
    let words = format!("{} {fault}", text.escape_debug());
    match fault {
        MoveFault::Unreadable(_) => InvalidMoveError::new_err(words),
        _ => IllegalMoveError::new_err(words),
    }
}

/// The depth of a perft: as deep as the protocol goes, which is deeper than anybody can wait for.
fn read_depth(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    integer("depth", value, &(0..=100)).map(|depth| depth as u32)
}

fn read_threads(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    integer("threads", value, &(1..=512)).map(|threads| threads as usize)
}

/// White is `True`, as in other packages.
pub fn color(side: Side) -> bool {
    side == Side::White
}

impl Board {
    /// A board by these rules.
    ///
    /// # Errors
    /// A bad FEN.
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

    /// Plays moves that may be taken back.
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

    /// What is wrong with a FEN, by these rules; nothing if it is a position.
    #[staticmethod]
    #[pyo3(signature = (fen, variant="morris", **rules))]
    fn status(fen: &str, variant: &str, rules: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<String>> {
        match Board::at(Rules::read(variant, rules)?, Some(fen)) {
            Ok(_) => Ok(Vec::new()),
            Err(PlayError::Fen(faults)) => Ok(faults.0.iter().map(ToString::to_string).collect()),
            Err(other) => Ok(vec![other.to_string()]),
        }
    }

    /// The name of the variant.
    #[getter]
    fn variant(&self) -> &'static str {
        self.rules.variant()
    }

    /// All rules by keyword.
    #[getter]
    fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.rules.options(py, false)
    }

    /// The rules that differ from those of the variant, by keyword.
    #[getter]
    fn house_rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.rules.options(py, true)
    }

    /// The side to move.
    #[getter]
    fn turn(&self) -> bool {
        color(self.game.side())
    }

    /// The legal moves, as they are whenever they are looked at.
    #[getter]
    fn legal_moves(slf: Py<Self>) -> LegalMoves {
        LegalMoves(slf)
    }

    /// The moves played, oldest first.
    #[getter]
    fn move_stack(&self) -> Vec<String> {
        self.moves.clone()
    }

    /// The number of the move, which goes up after Black's.
    #[getter]
    fn fullmove_number(&self) -> u32 {
        self.game.move_number()
    }

    /// Plies since the last progress.
    #[getter]
    fn halfmove_clock(&self) -> u16 {
        self.game.plies_without_progress()
    }

    /// Pieces in hand of White and Black; `None` in games without a hand.
    #[getter]
    fn hands(&self) -> Option<(u32, u32)> {
        self.game.hands().map(|[white, black]| (white, black))
    }

    /// How often the position has occurred, this time included.
    #[getter]
    fn occurrences(&self) -> usize {
        self.game.occurrences()
    }

    /// The key of the rules and of the position as its mover sees it.
    #[getter]
    fn key(&self) -> u64 {
        // The engine keeps positions of one rule set at a time and leaves the rules out; boards may be of several.
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

    /// The last move.
    fn peek(&self) -> PyResult<String> {
        self.moves.last().cloned().ok_or_else(|| PyIndexError::new_err("peek at a board without moves"))
    }

    /// The number of moves on the stack.
    fn ply(&self) -> usize {
        self.moves.len()
    }

    /// The legal move that a text means, as the engine writes it.
    fn parse_move(&self, text: &str) -> PyResult<String> {
        let mv = self.game.find_move(text).map_err(|fault| move_error(text, &fault))?;
        Ok(self.game.move_text(mv))
    }

    /// A move taken apart, legal or not.
    fn r#move<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
        static MOVE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let MoveParts { text, from, to, taken } = self.game.parts_of(text).map_err(|fault| move_error(text, &fault))?;
        let points = self.game.layout().points;
        let name = |place: usize| points[place].name.clone();
        let taken = PyTuple::new(py, taken.into_iter().map(name))?;
        MOVE.import(py, "millbrain.moves", "Move")?.call1((text, from.map(name), name(to), taken))
    }

    /// A picture of the board, for notebooks.
    fn _repr_svg_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("millbrain.svg")?.getattr("draw")?.call1((slf,))
    }

    /// A board from what stands where.
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

    /// Whether a move can be played.
    fn is_legal(&self, r#move: &str) -> bool {
        self.game.find_move(r#move).is_ok()
    }

    /// The position as a FEN.
    fn fen(&self) -> String {
        self.game.fen()
    }

    /// Sets a position up and forgets the moves.
    fn set_fen(&mut self, fen: &str) -> PyResult<()> {
        self.game.set_up(Some(fen), []).map_err(raise(InvalidFenError::new_err))?;
        self.root = self.game.fen();
        self.moves.clear();
        Ok(())
    }

    /// Sets the start position up and forgets the moves.
    fn reset(&mut self) -> PyResult<()> {
        *self = Board::at(self.rules.clone(), None).map_err(raise(InvalidFenError::new_err))?;
        Ok(())
    }

    /// The position that the moves begin at, as a board.
    fn root(&self) -> PyResult<Board> {
        Board::at(self.rules.clone(), Some(&self.root)).map_err(raise(InvalidFenError::new_err))
    }

    /// The same position with the sides exchanged, without moves.
    fn mirror(&self) -> PyResult<Board> {
        let mut board = self.stackless()?;
        board.game.flip();
        board.root = board.game.fen();
        Ok(board)
    }

    /// The stones or pieces by point or square, in the letters of the FEN.
    fn piece_map<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let pieces = PyDict::new(py);
        let layout = self.game.layout();
        for Piece { point, side, kind } in self.game.pieces() {
            pieces.set_item(&layout.points[point].name, layout.kinds[kind].letters[side as usize])?;
        }
        Ok(pieces)
    }

    /// How the game has ended; `None` if it has not.
    fn outcome<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        static OUTCOME: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let py = slf.py();
        let (ending, side) = {
            let board = slf.try_borrow()?;
            (board.game.ending(), board.game.side())
        };
        let Some(ending) = ending else { return Ok(None) };
        let winner = ending.winner(side).map(color);
        OUTCOME.import(py, "millbrain.outcome", "Outcome")?.call1((ending.reason.to_string(), winner)).map(Some)
    }

    /// Whether the game has ended.
    fn is_game_over(&self) -> bool {
        self.game.ending().is_some()
    }

    /// `1-0`, `0-1`, `1/2-1/2`, or `*` for a game that has not ended.
    fn result(&self) -> String {
        let outcome = |side| millbrain::tournament::record::Outcome::of(side).to_string();
        self.game.ending().map_or_else(|| "*".to_string(), |ending| outcome(ending.winner(self.game.side())))
    }

    /// Leaves of the game tree at this depth.
    #[pyo3(signature = (depth, threads=1))]
    fn perft(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = read_depth)] depth: u32,
        #[pyo3(from_py_with = read_threads)] threads: usize,
    ) -> PyResult<u64> {
        let divided = Board::divide(slf, depth, threads)?;
        Ok(perft::total(&divided, depth))
    }

    /// Leaves below each move.
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

    /// The static evaluation from the side to move, in hundredths of a stone.
    fn evaluate(&self) -> i32 {
        self.game.evaluate()
    }

    /// The board and details of the position.
    fn d(&self) -> String {
        display(&self.game)
    }

    /// Another board with the same position, and with the moves if `stack`.
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
            // A board is compared with itself, too.
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

    /// A board from what a pickle keeps.
    #[staticmethod]
    fn _restore(variant: &str, root: &str, moves: Vec<String>, rules: &Bound<'_, PyDict>) -> PyResult<Board> {
        let mut board = Board::new(variant, Some(root), Some(rules))?;
        board.push_all(&moves)?;
        Ok(board)
    }
}

impl Board {
    /// Leaves below each move, in generation order; Ctrl-C ends the counting. It is of the position as it was: other
    /// threads may go on with the board.
    fn divide(slf: &Bound<'_, Self>, depth: u32, threads: usize) -> PyResult<Vec<(String, u64)>> {
        let stop = AtomicBool::new(false);
        let game = slf.try_borrow()?.game.clone();
        let stopping = || stop.store(true, Ordering::Relaxed);
        let settings = perft::Settings { threads, hash_mib: 0, stop: &stop };
        interrupt::run(slf.py(), stopping, |_: &Sender<()>| game.perft(depth, settings), |_, ()| Ok(()))
    }
}

/// The board of some rules as JSON: points, lines, arrows, kinds of pieces.
#[pyfunction]
pub fn board_layout(board: &Board) -> PyResult<String> {
    serde_json::to_string(&board.game.layout()).map_err(raise(PyValueError::new_err))
}

/// The legal moves of a board.
#[pyclass(module = "millbrain", frozen)]
pub struct LegalMoves(Py<Board>);

#[pymethods]
impl LegalMoves {
    /// The number of legal moves.
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

    /// A copy shows the same board, or the copy of it that comes along.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let getattr = py.import("builtins")?.getattr("getattr")?;
        (getattr, (self.0.clone_ref(py), "legal_moves")).into_pyobject(py)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<LegalMoves ({})>", self.0.borrow(py).game.moves().join(" "))
    }
}
