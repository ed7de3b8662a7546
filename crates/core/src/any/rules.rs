//! The rules of a game of any family, without evaluation and search.

use super::{Family, Typed};
use crate::force::{Forced, Question};
use crate::game::{DrawRules, Ending, Move, Placed, Side};
use crate::layout::{Layout, MoveParts, Piece};
use crate::play::{MoveFault, Play, PlayError};
use crate::texts::Language;
use crate::variant::Ruleset;
use crate::with_game;
use std::ops::{Deref, DerefMut};

/// A game of any family, in progress, with nothing but the rules: a program that needs no more contains no evaluation
/// and no search. [`AnyRules`] has its methods.
///
/// ```
/// use millbrain_core::any::AnyBoard;
/// use millbrain_core::variant::Variant;
///
/// let mut board = AnyBoard::new(Variant::Morris.rules());
/// board.push("d6").expect("a legal move");
/// assert_eq!(board.moves().len(), 23);
/// ```
#[derive(Clone)]
pub struct AnyBoard(Box<dyn AnyRules>);

impl Deref for AnyBoard {
    type Target = dyn AnyRules;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl DerefMut for AnyBoard {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}

impl AnyBoard {
    /// Returns the start of a game by these rules.
    pub fn new(rules: Ruleset) -> AnyBoard {
        with_game!(rules, |game| AnyBoard(Box::new(Typed::new(game))))
    }

    /// Sets up a position and plays moves by the same rules, as [`AnyGame::set_up`](super::AnyGame::set_up) does.
    ///
    /// # Errors
    /// Fails as it does.
    pub fn set_up<'a>(&mut self, fen: Option<&str>, moves: impl IntoIterator<Item = &'a str>) -> Result<(), PlayError> {
        self.0.set_up_all(fen, &mut moves.into_iter())
    }
}

impl dyn AnyRules + '_ {
    /// Returns a game by the same rules: from a FEN, or from the start without one, with these moves played.
    ///
    /// # Errors
    /// Fails with the faults of the FEN, or the first move that cannot be played.
    pub fn board<'a>(
        &self,
        fen: Option<&str>,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> Result<AnyBoard, PlayError> {
        let mut board = AnyBoard(self.copy());
        board.set_up(fen, moves)?;
        Ok(board)
    }
}

impl Clone for Box<dyn AnyRules> {
    fn clone(&self) -> Box<dyn AnyRules> {
        (**self).copy()
    }
}

/// The rules of a game in progress of any family.
pub trait AnyRules: Send + Sync {
    /// Returns a copy in a box.
    fn copy(&self) -> Box<dyn AnyRules>;

    /// Does the same as [`AnyGame::set_up`](super::AnyGame::set_up).
    ///
    /// # Errors
    /// Fails as it does.
    fn set_up_all(&mut self, fen: Option<&str>, moves: &mut dyn Iterator<Item = &str>) -> Result<(), PlayError>;

    /// Returns the id of the family.
    fn family(&self) -> &'static str;

    /// Returns the board.
    fn layout(&self) -> Layout;

    /// Returns the pieces on the board, in the order of the layout's points.
    fn pieces(&self) -> Vec<Piece>;

    /// Returns the pieces in hand of White and of Black, or `None` in a game without a hand.
    fn hands(&self) -> Option<[u32; 2]>;

    /// Returns the pieces of White and of Black that are out of the game, by the layout's kinds.
    fn lost(&self) -> [Vec<usize>; 2];

    /// Returns whether moves can take pieces.
    fn has_captures(&self) -> bool;

    /// Returns the id of the phase of the side to move.
    fn phase(&self) -> &'static str;

    /// Returns all legal moves, split into parts, in generation order.
    fn move_parts(&self) -> Vec<MoveParts>;

    /// Returns the move of this text, split into parts, whether or not it is legal.
    ///
    /// # Errors
    /// Fails if it cannot be read.
    fn parts_of(&self, text: &str) -> Result<MoveParts, MoveFault>;

    /// Returns the position as a FEN.
    fn fen(&self) -> String;

    /// Returns the number of the move, from 1; it increases after Black's.
    fn move_number(&self) -> u32;

    /// Returns the side to move.
    fn side(&self) -> Side;

    /// Returns the end of the game, draws by history included.
    fn ending(&self) -> Option<Ending>;

    /// Counts the occurrences of the position, this one included.
    fn occurrences(&self) -> usize;

    /// Returns the plies since the last progress.
    fn plies_without_progress(&self) -> u16;

    /// Returns the draw rules in force.
    fn draw_rules(&self) -> DrawRules;

    /// Returns the key of the position from the mover's point of view, without history.
    fn key(&self) -> u64;

    /// Returns all legal moves, in generation order.
    fn moves(&self) -> Vec<String>;

    /// Returns the text of a move in the game's notation.
    fn move_text(&self, mv: Move) -> String;

    /// Returns the legal move with this text, for [`Request::searchmoves`](crate::search::Request::searchmoves).
    ///
    /// # Errors
    /// Fails if it cannot be read or is not legal.
    fn find_move(&self, text: &str) -> Result<Move, MoveFault>;

    /// Plays a move and returns its text in the game's notation.
    ///
    /// # Errors
    /// Fails if it cannot be read or is not legal; the game is unchanged.
    fn push(&mut self, text: &str) -> Result<String, MoveFault>;

    /// Undoes the last move played by [`AnyRules::push`]; returns `false` if there is none.
    fn undo(&mut self) -> bool;

    /// Exchanges the sides and clears the history.
    fn flip(&mut self);

    /// Returns the position with the other side to move and without history, which shows what that side threatens.
    fn passed(&self) -> Box<dyn AnyRules>;

    /// Returns the lead of the side to move in pieces, in centistones.
    fn material(&self) -> i32;

    /// Returns whether a side gains `least` centistones of material by force with the last of `plies` plies: the side
    /// to move if these are odd, its opponent otherwise. It looks at `nodes` positions at most.
    fn force(&self, least: i32, plies: u32, nodes: u32) -> Forced<String>;

    /// Returns the board as text, rank by rank, with coordinates.
    fn diagram(&self) -> String;

    /// Returns names and values about the position (phase, stones, mills, ...) for a human reader.
    fn describe(&self) -> Vec<(&'static str, String)>;

    /// Returns the rules for a human reader, a sentence or two per line; empty for a family without rules text.
    fn rules_text(&self, language: Language) -> Vec<String>;
}

impl<G: Family> AnyRules for Typed<G> {
    fn copy(&self) -> Box<dyn AnyRules> {
        Box::new(self.clone())
    }

    fn set_up_all(&mut self, fen: Option<&str>, moves: &mut dyn Iterator<Item = &str>) -> Result<(), PlayError> {
        self.play = Play::set_up(self.play.game, fen, moves)?;
        self.past.clear();
        Ok(())
    }

    fn family(&self) -> &'static str {
        G::ID
    }

    fn layout(&self) -> Layout {
        self.play.game.layout()
    }

    fn pieces(&self) -> Vec<Piece> {
        self.play.game.pieces(self.play.position())
    }

    fn hands(&self) -> Option<[u32; 2]> {
        self.play.game.hands(self.play.position())
    }

    fn lost(&self) -> [Vec<usize>; 2] {
        self.play.game.lost(self.play.position())
    }

    fn has_captures(&self) -> bool {
        self.play.game.has_captures()
    }

    fn phase(&self) -> &'static str {
        self.play.game.phase(self.play.position())
    }

    fn move_parts(&self) -> Vec<MoveParts> {
        let game = &self.play.game;
        game.moves(self.play.position()).into_iter().map(|mv| game.parts(mv)).collect()
    }

    fn parts_of(&self, text: &str) -> Result<MoveParts, MoveFault> {
        self.play.read_move(text).map(|mv| self.play.game.parts(mv))
    }

    fn fen(&self) -> String {
        self.play.fen()
    }

    fn move_number(&self) -> u32 {
        self.play.move_number()
    }

    fn side(&self) -> Side {
        self.play.side()
    }

    fn ending(&self) -> Option<Ending> {
        self.play.ending()
    }

    fn occurrences(&self) -> usize {
        self.play.occurrences()
    }

    fn plies_without_progress(&self) -> u16 {
        self.play.game.plies_without_progress(self.play.position())
    }

    fn draw_rules(&self) -> DrawRules {
        self.play.game.draw_rules()
    }

    fn key(&self) -> u64 {
        self.play.game.key(self.play.position())
    }

    fn moves(&self) -> Vec<String> {
        let game = &self.play.game;
        game.moves(self.play.position()).into_iter().map(|mv| game.move_text(mv)).collect()
    }

    fn move_text(&self, mv: Move) -> String {
        self.play.game.move_text(mv)
    }

    fn find_move(&self, text: &str) -> Result<Move, MoveFault> {
        self.play.find_move(text)
    }

    fn push(&mut self, text: &str) -> Result<String, MoveFault> {
        let mv = self.play.find_move(text)?;
        self.past.push(self.play.push_undoable(mv));
        Ok(self.play.game.move_text(mv))
    }

    fn undo(&mut self) -> bool {
        let last = self.past.pop();
        last.map(|undo| self.play.undo(undo)).is_some()
    }

    fn flip(&mut self) {
        self.play.flip();
        self.past.clear();
    }

    fn passed(&self) -> Box<dyn AnyRules> {
        let Play { game, .. } = self.play;
        let position = game.pass(self.play.position());
        let play = Play::from_placed(game, Placed { position, move_number: self.play.move_number() });
        Box::new(Typed { play, past: Vec::new(), oracle: self.oracle.clone() })
    }

    fn material(&self) -> i32 {
        self.play.game.material(self.play.position())
    }

    fn force(&self, least: i32, plies: u32, nodes: u32) -> Forced<String> {
        let game = &self.play.game;
        let question = Question { least, plies, nodes, history: self.play.history() };
        game.force(self.play.position(), question).map(|mv| game.move_text(mv))
    }

    fn diagram(&self) -> String {
        self.play.game.diagram(self.play.position())
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        self.play.game.describe(self.play.position())
    }

    fn rules_text(&self, language: Language) -> Vec<String> {
        self.play.game.rules_text(language)
    }
}
