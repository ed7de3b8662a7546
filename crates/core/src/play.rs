//! A game in progress: a position and the history that the draw rules need.

use crate::game::fen::Faults;
use crate::game::{Ending, Game, Move, Notation, Placed, Reason, Side, Verdict};
use crate::message::{Message, messages};
use std::borrow::Cow;
use std::error::Error;

messages! {
    /// Why a position cannot be set up.
    #[non_exhaustive]
    pub enum PlayError in "fault" {
        /// The FEN is faulty.
        Fen(faults: Faults) = "fen",
        /// A move that cannot be played; moves are counted from 1.
        Move {
            /// Which of the moves.
            number: usize,
            /// The text of the move.
            text: String,
            /// The fault of the move.
            fault: MoveFault,
        } = "move",
    }

    /// The fault of a move; the message follows the text of the move.
    #[non_exhaustive]
    pub enum MoveFault in "fault" {
        /// The text is not a move of this game, whose moves look like these.
        Unreadable(examples: &'static [&'static str]) = "unreadable",
        /// The move is not legal here.
        Illegal = "illegal",
        /// The move is not legal here, and the game knows more about why.
        Objection(why: Message),
        /// The game is over.
        GameOver(reason: Reason) = "game-over",
    }
}

impl Error for PlayError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            PlayError::Fen(faults) => Some(faults),
            PlayError::Move { fault, .. } => Some(fault),
        }
    }
}

impl Error for MoveFault {}

/// Joins removals that are words of their own (`a4-a7 xg1`) to the moves before them.
///
/// ```
/// assert_eq!(millbrain_core::play::whole_moves(["d6", "a4-a7", "xg1", "xb4"]), ["d6", "a4-a7xg1xb4"]);
/// ```
pub fn whole_moves<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<Cow<'a, str>> {
    let mut moves: Vec<Cow<'a, str>> = Vec::new();
    for word in words {
        match moves.last_mut() {
            Some(last) if word.starts_with(['x', 'X']) => last.to_mut().push_str(word),
            _ => moves.push(word.into()),
        }
    }
    moves
}

/// A game in progress.
///
/// ```
/// use millbrain_core::game::Reason;
/// use millbrain_core::morris::{FLYING, Morris, rules};
/// use millbrain_core::play::Play;
///
/// let fen = "O2/1O1/2O/O2X2/3/XX1/2X w 0 0";
/// let mut play = Play::set_up(Morris::<FLYING>::new(rules::MORRIS), Some(fen), []).expect("a valid FEN");
/// // Back and forth, twice: the position is on the board for the third time.
/// for text in ["a7d7", "g1g4", "d7a7", "g4g1"].repeat(2) {
///     let mv = play.find_move(text).expect("a legal move");
///     play.push(mv);
/// }
/// assert_eq!(play.occurrences(), 3);
/// assert_eq!(play.ending().map(|ending| ending.reason), Some(Reason::Repetition));
/// ```
#[derive(Clone, Debug)]
pub struct Play<G: Game> {
    /// The rules.
    pub game: G,
    current: Placed<G::Position>,
    /// Keys of the positions since the last irreversible move, the current one last.
    keys: Vec<u64>,
    /// The move that led to the current position.
    last: Option<Move>,
}

/// The data needed to undo a move.
#[derive(Clone, Debug)]
pub struct Undo<P> {
    before: Placed<P>,
    last: Option<Move>,
    /// The keys that an irreversible move has set aside.
    keys: Option<Vec<u64>>,
}

impl<G: Notation> Play<G> {
    /// Returns the start of a game.
    pub fn new(game: G) -> Play<G> {
        Play::from_placed(game, Placed { position: game.start(), move_number: 1 })
    }

    /// Returns a game that begins at this position.
    pub fn from_placed(game: G, current: Placed<G::Position>) -> Play<G> {
        Play::resume(game, current, Vec::new())
    }

    /// Resumes a game in a position after others with these keys, as [`history`](Play::history) returns them.
    pub fn resume(game: G, current: Placed<G::Position>, mut history: Vec<u64>) -> Play<G> {
        history.push(game.key(&current.position));
        Play { game, current, keys: history, last: None }
    }

    /// Returns the keys of the positions since the last irreversible move, the current one left out.
    pub fn history(&self) -> &[u64] {
        &self.keys[..self.keys.len() - 1]
    }

    /// Sets up a game: from a FEN, or from the start without one, and plays the moves.
    ///
    /// ```
    /// use millbrain_core::morris::{FLYING, Morris, rules};
    /// use millbrain_core::play::Play;
    ///
    /// let game = Morris::<FLYING>::new(rules::MORRIS);
    /// let play = Play::set_up(game, None, ["d6", "f4"]).expect("legal moves");
    /// assert_eq!(play.fen(), "3/1O1/3/4X1/3/3/3 w 8 8 0 2");
    ///
    /// let error = Play::set_up(game, None, ["d6", "d6"]).expect_err("the point is taken");
    /// assert_eq!(error.to_string(), "move 2 (d6) is illegal, expected a legal move");
    /// ```
    ///
    /// # Errors
    /// Fails with the faults of the FEN, or the first move that cannot be played.
    pub fn set_up<'a>(
        game: G,
        fen: Option<&str>,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> Result<Play<G>, PlayError> {
        let mut play = match fen {
            Some(fen) => Play::from_placed(game, game.parse_fen(fen).map_err(PlayError::Fen)?),
            None => Play::new(game),
        };
        for (i, text) in whole_moves(moves).into_iter().enumerate() {
            let mv = play.find_move(&text).map_err(|fault| PlayError::Move {
                number: i + 1,
                text: text.to_string(),
                fault,
            })?;
            play.push(mv);
        }
        Ok(play)
    }

    /// Returns the current position.
    pub fn position(&self) -> &G::Position {
        &self.current.position
    }

    /// Returns the number of the move, from 1; it increases after Black's.
    pub fn move_number(&self) -> u32 {
        self.current.move_number
    }

    /// Returns the side to move.
    pub fn side(&self) -> Side {
        self.game.side(&self.current.position)
    }

    /// Returns the FEN of the current position.
    pub fn fen(&self) -> String {
        self.game.fen(&self.current)
    }

    /// Returns the move that led to the current position, or `None` at the start of the game.
    pub fn last_move(&self) -> Option<Move> {
        self.last
    }

    /// Returns the keys of the positions since the last irreversible move, the current one last.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Returns the legal move with this text.
    ///
    /// ```
    /// use millbrain_core::morris::{FLYING, Morris, rules};
    /// use millbrain_core::play::Play;
    ///
    /// let moves = ["a7", "d2", "d7", "d1"];
    /// let play = Play::set_up(Morris::<FLYING>::new(rules::MORRIS), None, moves).expect("legal moves");
    /// assert!(play.find_move("g7xd1").is_ok());
    /// let fault = play.find_move("g7").expect_err("a mill takes a stone");
    /// assert_eq!(fault.to_string(), "closes a mill: name the stone to take, such as g7xd1");
    /// ```
    ///
    /// # Errors
    /// Fails if it cannot be read or is not legal.
    pub fn find_move(&self, text: &str) -> Result<Move, MoveFault> {
        let pos = self.position();
        let mv = self.read_move(text)?;
        if self.game.is_legal(pos, mv) {
            return Ok(mv);
        }
        Err(match self.game.decided(pos) {
            Some(ending) => MoveFault::GameOver(ending.reason),
            None => self.game.objection(pos, mv).map_or(MoveFault::Illegal, MoveFault::Objection),
        })
    }

    /// Parses the move of a text, legal or not.
    ///
    /// # Errors
    /// Fails if it cannot be read.
    pub fn read_move(&self, text: &str) -> Result<Move, MoveFault> {
        self.game.parse_move(text).ok_or(MoveFault::Unreadable(G::EXAMPLES))
    }

    /// Plays a legal move.
    pub fn push(&mut self, mv: Move) {
        if self.game.is_irreversible(self.position(), mv) {
            self.keys.clear();
        }
        self.advance(mv);
    }

    /// Plays a legal move that [`Play::undo`] can undo.
    pub fn push_undoable(&mut self, mv: Move) -> Undo<G::Position> {
        let irreversible = self.game.is_irreversible(self.position(), mv);
        let undo =
            Undo { before: self.current, last: self.last, keys: irreversible.then(|| std::mem::take(&mut self.keys)) };
        self.advance(mv);
        undo
    }

    fn advance(&mut self, mv: Move) {
        let pos = &self.current.position;
        let black = self.game.side(pos) == Side::Black;
        self.current.position = self.game.play(pos, mv);
        self.current.move_number = self.current.move_number.saturating_add(u32::from(black));
        self.keys.push(self.game.key(&self.current.position));
        self.last = Some(mv);
    }

    /// Undoes the last move. Moves are undone in reverse order, each once.
    pub fn undo(&mut self, undo: Undo<G::Position>) {
        self.current = undo.before;
        self.last = undo.last;
        match undo.keys {
            Some(keys) => self.keys = keys,
            None => drop(self.keys.pop()),
        }
    }

    /// Counts the occurrences of the current position, itself included.
    pub fn occurrences(&self) -> usize {
        let Some(current) = self.keys.last() else { return 0 };
        self.keys.iter().rev().step_by(2).filter(|&key| key == current).count()
    }

    /// Returns the end of the game, draws by history included.
    pub fn ending(&self) -> Option<Ending> {
        self.game.ending(self.position()).or_else(|| {
            (self.game.draw_rules().repetition && self.occurrences() >= 3)
                .then_some(Ending::new(Verdict::Draw, Reason::Repetition))
        })
    }

    /// Exchanges the sides and clears the history.
    pub fn flip(&mut self) {
        let position = self.game.flipped(self.position());
        *self = Play::from_placed(self.game, Placed { position, ..self.current });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morris::{CUSTOM, Morris, Removals, Rules, rules};

    fn set_up(rules: Rules, fen: Option<&str>, moves: &str) -> Result<Play<Morris<CUSTOM>>, PlayError> {
        Play::set_up(Morris::new(rules), fen, moves.split_whitespace())
    }

    #[test]
    fn the_first_bad_move_is_named() {
        let over = Some("OO1/3/3/6/3/3/XXX w 0 0");
        for (fen, moves, reported) in [
            (None, "d6 d6 hello", "move 2 (d6) is illegal, expected a legal move"),
            (None, "\u{1b}x", r"move 1 (\u{1b}x) cannot be read, expected a move such as d6, a4a7 or d6xb4"),
            (None, "a7 d2 d7 d1 g7", "move 5 (g7) closes a mill: name the stone to take, such as g7xd1"),
            (over, "a7a4", "move 1 (a7a4) comes after the end of the game (fewer than three stones)"),
        ] {
            assert_eq!(set_up(rules::MORRIS, fen, moves).expect_err(reported).to_string(), reported);
        }
        let fault = set_up(rules::MORRIS, Some("3"), "").expect_err("a short board").to_string();
        assert!(fault.starts_with("bad FEN: 1 row, expected 7; "), "{fault}");
    }

    /// Random games under all kinds of removals have each step and each removal as a word, and some in capital letters.
    #[test]
    fn removals_may_be_words_of_their_own() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut most = 0;
        for (removals, base) in [
            (Removals::One, rules::MORRIS),
            (Removals::EachMill, rules::MORRIS),
            (Removals::EachMill, rules::MORABARABA),
            (Removals::EachMill, rules::LASKER),
        ] {
            for _ in 0..60 {
                let mut play = Play::new(Morris::<CUSTOM>::new(Rules { removals, ..base }));
                let mut words = Vec::new();
                while play.ending().is_none() && words.len() < 300 {
                    let mut moves = play.game.moves(play.position());
                    let taken = |mv: &Move| play.game.move_text(*mv).matches('x').count();
                    // Mills are rare in random games.
                    let best = moves.iter().map(taken).max().unwrap_or_default();
                    moves.retain(|mv| taken(mv) == best);
                    let mv = random.choice(moves).expect("a move");
                    let text = play.game.move_text(mv);
                    most = most.max(best);
                    let (step, removed) = text.split_once('x').unwrap_or((&text, ""));
                    words.push(step.to_string());
                    let x = if random.bool() { 'x' } else { 'X' };
                    words.extend(removed.split('x').filter(|name| !name.is_empty()).map(|name| format!("{x}{name}")));
                    play.push(mv);
                }
                let again = set_up(play.game.rules().to_owned(), None, &words.join(" ")).expect("legal");
                assert_eq!(again.fen(), play.fen(), "{words:?}");
            }
        }
        assert_eq!(most, 2, "two at once");
    }

    #[test]
    fn positions_are_counted_since_the_last_irreversible_move() {
        let fen = Some("O2/1O1/2O/O2X2/3/XX1/2X w 0 0 0 7");
        let round = "a7d7 g1g4 d7a7 g4g1 ";
        let play = |rules, moves: &str| set_up(rules, fen, moves).expect("legal");
        let once = play(rules::MORRIS, round);
        assert_eq!((once.keys().len(), once.occurrences(), once.ending()), (5, 2, None));
        assert_eq!(once.fen(), "O2/1O1/2O/O2X2/3/XX1/2X w 0 0 4 9");
        let twice = play(rules::MORRIS, &round.repeat(2));
        let repetition = Ending::new(Verdict::Draw, Reason::Repetition);
        assert_eq!((twice.occurrences(), twice.ending()), (3, Some(repetition)));
        let unlimited = Rules { repetition_draw: false, ..rules::MORRIS };
        assert_eq!(play(unlimited, &round.repeat(2)).ending(), None);
        let placed = set_up(rules::MORRIS, None, "d6 f4").expect("legal");
        assert_eq!(placed.keys(), [placed.game.key(placed.position())]);
    }

    #[test]
    fn flipping_exchanges_the_sides_and_forgets_the_history() {
        let mut play = set_up(rules::MORRIS, Some("O2/1O1/2O/O2X2/3/XX1/2X w 0 0 0 7"), "a7d7 g1g4").expect("legal");
        play.flip();
        assert_eq!((play.fen().as_str(), play.side()), ("1X1/1X1/2X/X2O1O/3/OO1/3 b 0 0 2 8", Side::Black));
        assert_eq!(play.keys(), [play.game.key(play.position())]);
    }
}
