//! The traits between the rules of a game and the code that plays it.
//!
//! Each trait extends the one before: [`Game`] is the rules, [`Notation`] the text forms, [`Searchable`] the evaluation
//! and hints for move ordering that the search needs. Positions are small `Copy` values; a move is made by computing
//! the next position, and never undone.

pub mod fen;
mod side;
pub mod value;

pub use side::Side;

use crate::message::Message;
use crate::search::score::WdlModel;
use crate::texts::Language;
use fen::Faults;
use std::fmt;

/// A move, packed into 32 bits whose meaning belongs to the game. The value 0 is never a legal move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Move(u32);

impl Move {
    /// No move.
    pub const NONE: Move = Move(0);

    /// Returns the move with these bits; any value is accepted, legal or not.
    pub const fn from_bits(bits: u32) -> Move {
        Move(bits)
    }

    /// Returns the packed bits.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Returns the bits of a move that needs no more than 16, or those of [`Move::NONE`] for any other.
    pub(crate) const fn low_bits(self) -> u16 {
        if self.0 > u16::MAX as u32 { 0 } else { self.0 as u16 }
    }

    /// Whether this is [`Move::NONE`].
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Move({:#06x})", self.0)
    }
}

/// The result of a finished position for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The side to move has won.
    Win,
    /// The side to move has lost.
    Loss,
    /// Neither side has won.
    Draw,
}

impl Verdict {
    /// Returns the same result, seen from the other side.
    pub const fn opposite(self) -> Verdict {
        match self {
            Verdict::Win => Verdict::Loss,
            Verdict::Loss => Verdict::Win,
            Verdict::Draw => Verdict::Draw,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Win => "win",
            Verdict::Loss => "loss",
            Verdict::Draw => "draw",
        })
    }
}

/// The reason why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A rule of the family, by its id.
    Rule(&'static str),
    /// The side to move has no legal move.
    NoMoves,
    /// The position has occurred three times.
    Repetition,
    /// Too many plies have passed without progress, as this game defines it.
    NoProgress,
}

/// The id of the ending of a game in which the referee has resigned for a program.
pub const RESIGNED: &str = "resigned";
/// The id of the ending of a game that the referee has declared drawn by the scores of both sides.
pub const SCORES: &str = "scores";
/// The id of the ending of a game that the referee has ended for its length.
pub const LENGTH: &str = "length";

impl Reason {
    /// Returns its id; the text is `ending.ID`.
    pub const fn id(self) -> &'static str {
        match self {
            Reason::Rule(id) => id,
            Reason::NoMoves => "no-moves",
            Reason::Repetition => "repetition",
            Reason::NoProgress => "no-progress",
        }
    }

    /// Returns the reason as text, or its id if there is no text for it.
    pub fn in_language(self, language: Language) -> &'static str {
        language.named("ending", self.id())
    }
}

/// Prints the reason in English.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.in_language(Language::default()))
    }
}

/// The end of a game: the verdict for the side to move, and its reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending {
    /// The result, seen from the side to move.
    pub verdict: Verdict,
    /// The rule that ended the game.
    pub reason: Reason,
}

impl Ending {
    /// Returns an ending with this verdict and reason.
    pub const fn new(verdict: Verdict, reason: Reason) -> Ending {
        Ending { verdict, reason }
    }

    /// Returns the winner, given the side to move, or `None` for a draw.
    pub const fn winner(self, to_move: Side) -> Option<Side> {
        match self.verdict {
            Verdict::Win => Some(to_move),
            Verdict::Loss => Some(to_move.other()),
            Verdict::Draw => None,
        }
    }
}

/// The longest counter of a draw rule in plies.
pub(crate) const MAX_DRAW_PLIES: u16 = 1000;

/// The draw rules in force, common to all games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawRules {
    /// Draw when a position occurs for the third time.
    pub repetition: bool,
    /// Plies without progress after which the game is drawn; 0 switches the rule off.
    pub progress_limit: u16,
}

/// The rules of a game. A value of the implementing type is a rule set; positions do not carry their rules.
pub trait Game: Copy + Send + Sync + 'static {
    /// A position: stones or pieces, side to move and progress counter, but no history.
    type Position: Copy + Eq + fmt::Debug + Send + Sync + 'static;

    /// Returns the start position.
    fn start(&self) -> Self::Position;

    /// Returns the side to move.
    fn side(&self, pos: &Self::Position) -> Side;

    /// Returns the plies since the last progress (placement or mill; capture or promotion).
    fn plies_without_progress(&self, pos: &Self::Position) -> u16;

    /// Returns the draw rules in force.
    fn draw_rules(&self) -> DrawRules;

    /// Returns the end of the game if the position itself shows it, without its moves, counter or history.
    fn decided(&self, pos: &Self::Position) -> Option<Ending>;

    /// Calls `sink` for every legal move, each once; none in a decided position.
    fn generate(&self, pos: &Self::Position, sink: impl FnMut(Move));

    /// Counts the legal moves, without listing them where that is faster.
    fn count_moves(&self, pos: &Self::Position) -> u64 {
        self.moves(pos).len() as u64
    }

    /// Returns whether a move is legal here, wherever it comes from. [`Move::NONE`] never is.
    fn is_legal(&self, pos: &Self::Position, mv: Move) -> bool {
        self.moves(pos).contains(&mv)
    }

    /// Returns whether there is a legal move.
    fn has_moves(&self, pos: &Self::Position) -> bool {
        !self.moves(pos).is_empty()
    }

    /// Returns the position after a legal move.
    fn play(&self, pos: &Self::Position, mv: Move) -> Self::Position;

    /// Returns whether no position after this move can equal one before it, so that counting repetitions restarts.
    fn is_irreversible(&self, pos: &Self::Position, mv: Move) -> bool;

    /// Returns whether any progress from here on ends the game, as far as the stones alone show it. The draw counter is
    /// then never reset, so that a win that takes too long is a draw.
    fn next_progress_ends(&self, _pos: &Self::Position) -> bool {
        false
    }

    /// Returns the key of the position from the mover's point of view: equal for a position and its image with sides
    /// exchanged. Draw counter and history are not part of it.
    fn key(&self, pos: &Self::Position) -> u64;

    /// Returns all legal moves, in generation order.
    fn moves(&self, pos: &Self::Position) -> Vec<Move> {
        let mut moves = Vec::new();
        self.generate(pos, |mv| moves.push(mv));
        moves
    }

    /// Returns the end of the game as the position alone shows it, draw counter included, repetition not.
    fn ending(&self, pos: &Self::Position) -> Option<Ending> {
        if let Some(ending) = self.decided(pos) {
            return Some(ending);
        }
        if !self.has_moves(pos) {
            return Some(Ending::new(Verdict::Loss, Reason::NoMoves));
        }
        let limit = self.draw_rules().progress_limit;
        (limit > 0 && self.plies_without_progress(pos) >= limit)
            .then_some(Ending::new(Verdict::Draw, Reason::NoProgress))
    }
}

/// A position read from text together with its move number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed<P> {
    /// The validated position.
    pub position: P,
    /// Full move number, from 1.
    pub move_number: u32,
}

/// The text forms of a game.
pub trait Notation: Game {
    /// Examples of each form of a move, for a message.
    const EXAMPLES: &'static [&'static str];

    /// Reads a FEN.
    ///
    /// ```
    /// use millbrain_core::game::{Game, Notation, Side};
    /// use millbrain_core::morris::{FLYING, Morris, rules};
    ///
    /// let game = Morris::<FLYING>::new(rules::MORRIS);
    /// let placed = game.parse_fen("3/1O1/3/6/3/3/3 b 8 9 0 1").expect("a valid FEN");
    /// assert_eq!(game.side(&placed.position), Side::Black);
    /// assert_eq!(game.fen(&placed), "3/1O1/3/6/3/3/3 b 8 9 0 1");
    ///
    /// // All faults are reported at once.
    /// let faults = game.parse_fen("3/1Q1/3/6/3/3/2 b 8 9").expect_err("two faults");
    /// assert_eq!(faults.0.len(), 2);
    /// ```
    ///
    /// # Errors
    /// Fails with all faults of the text and of the position it describes.
    fn parse_fen(&self, text: &str) -> Result<Placed<Self::Position>, Faults>;

    /// Writes a FEN; `parse_fen` reads it back exactly.
    fn fen(&self, placed: &Placed<Self::Position>) -> String;

    /// Returns the text of a move, letters and digits only.
    fn move_text(&self, mv: Move) -> String;

    /// Reads a move. Returns `None` if the text is not a move of this game; legality is not checked.
    fn parse_move(&self, text: &str) -> Option<Move>;

    /// Returns the fault of an illegal move, if the game knows more than that it is illegal: a predicate that names a
    /// legal move close to it.
    fn objection(&self, _pos: &Self::Position, _mv: Move) -> Option<Message> {
        None
    }

    /// Returns the board as text, rank by rank, with coordinates; each rank is a line.
    fn diagram(&self, pos: &Self::Position) -> String;

    /// Returns the same position with the sides exchanged: White's stones become Black's, seen from the other side.
    fn flipped(&self, pos: &Self::Position) -> Self::Position;

    /// Returns lines of `name: value` about the position (phase, stones, mills, ...) for a human reader.
    fn describe(&self, pos: &Self::Position) -> Vec<(&'static str, String)>;

    /// Returns the rules for a human reader, a sentence or two per line; by default none.
    fn rules_text(&self, _: Language) -> Vec<String> {
        Vec::new()
    }
}

/// One named term of the evaluation, for each side, in centistones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term {
    /// The measured feature.
    pub name: &'static str,
    /// Value for White.
    pub white: i32,
    /// Value for Black.
    pub black: i32,
}

impl Term {
    /// Returns a term that is known for the side to move only.
    pub const fn of_mover(name: &'static str, side: Side, value: i32) -> Term {
        match side {
            Side::White => Term { name, white: value, black: 0 },
            Side::Black => Term { name, white: 0, black: value },
        }
    }
}

/// The interface of the search to a game, besides its rules. Methods with a default are optional: without them the
/// search is right, only slower.
pub trait Searchable: Notation {
    /// Facts about a position, computed once per node, that `order` uses for each move.
    type Hints: Copy;

    /// Returns the static evaluation from the side to move, 100 = one stone (one Ninny). It is never near mate scores.
    fn evaluate(&self, pos: &Self::Position) -> i32;

    /// Returns the lead of the side to move in pieces, in centistones; 0 for a game without captures.
    fn material(&self, _: &Self::Position) -> i32 {
        0
    }

    /// Returns the evaluation term by term.
    fn terms(&self, pos: &Self::Position) -> Vec<Term> {
        vec![Term::of_mover("evaluation", self.side(pos), self.evaluate(pos))]
    }

    /// Returns how scores turn into the results of games by these rules.
    fn wdl_model(&self) -> WdlModel {
        WdlModel::default()
    }

    /// Returns whether the side to move certainly wins with its next move (a sufficient test, not a necessary one).
    /// Such a move is tactical.
    fn can_win_now(&self, _: &Self::Position) -> bool {
        false
    }

    /// Returns whether the opponent could win immediately if it were to move: the analogue of being in check.
    fn is_threatened(&self, _: &Self::Position) -> bool {
        false
    }

    /// Calls `sink` for the moves that quiescence searches.
    fn generate_tactical(&self, _: &Self::Position, _sink: impl FnMut(Move)) {}

    /// Returns whether a legal move is one of those `generate_tactical` yields.
    fn is_tactical(&self, _: &Self::Position, _: Move) -> bool {
        false
    }

    /// Computes the hints for `order`.
    fn hints(&self, pos: &Self::Position) -> Self::Hints;

    /// Returns the static ordering value of a move: quiet moves within ±4000, tactical moves by what they win.
    fn order(&self, _: &Self::Position, _: &Self::Hints, _: Move) -> i32 {
        0
    }

    /// Returns whether passing is unlikely to be better than the best move here, as null-move pruning assumes.
    fn allows_null(&self, _: &Self::Position) -> bool {
        false
    }

    /// Returns the position after passing the turn.
    fn pass(&self, pos: &Self::Position) -> Self::Position;

    /// Returns the key for the transposition table, and the symmetry that maps the position onto the one of the key (0:
    /// identity). Symmetric positions may share a key.
    fn hash_key(&self, pos: &Self::Position) -> (u64, u8) {
        (self.key(pos), 0)
    }

    /// Returns a key as [`hash_key`](Self::hash_key) does, for the few positions after the moves of a root. All
    /// symmetric positions share it, even where finding symmetries would cost a search more than it gains.
    fn root_key(&self, pos: &Self::Position) -> (u64, u8) {
        self.hash_key(pos)
    }

    /// Returns the image of a move under a symmetry.
    fn map_move(&self, mv: Move, _symmetry: u8) -> Move {
        mv
    }

    /// Returns the image of a move under the inverse of a symmetry.
    fn unmap_move(&self, mv: Move, _symmetry: u8) -> Move {
        mv
    }

    /// Returns the index of a quiet move in the history tables, below [`HISTORY_SIZE`].
    fn history_index(&self, mv: Move) -> usize {
        mv.bits() as usize % HISTORY_SIZE
    }
}

/// Size of a history table.
pub const HISTORY_SIZE: usize = 4096;
