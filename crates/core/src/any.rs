//! One type for a game of any family, with text in and out: for protocols, web pages and other languages.
//!
//! ```
//! use millbrain_core::any::{AnyGame, Report};
//! use millbrain_core::search::{Control, HashTable, Limits, Request};
//! use millbrain_core::variant::Variant;
//! use std::sync::Arc;
//!
//! let mut game = AnyGame::new(Variant::Morris.rules());
//! game.push("d6").expect("a legal move");
//! assert_eq!(game.fen(), "3/1O1/3/6/3/3/3 b 8 9 0 1");
//! assert!(game.push("d6").is_err());
//!
//! let limits = Limits { depth: Some(4), ..Limits::default() };
//! let hash = Arc::new(HashTable::new(1).expect("a MiB"));
//! let control = Arc::new(Control::new(false));
//! let mut depths = Vec::new();
//! let answer = game.search(&Request::plain(&limits, &hash, &control), &mut |report| {
//!     if let Report::Line(line) = report {
//!         depths.push(line.depth);
//!     }
//! });
//! assert_eq!(depths, [1, 2, 3, 4]);
//! assert!(game.moves().contains(&answer.best.expect("a move")));
//! assert!(game.undo());
//! ```

use crate::game::value::{Oracle, Value, known_end};
use crate::game::{Ending, Move, Searchable, Side, Term};
use crate::morris::{self, Morris};
use crate::network::{Learned, NetworkError};
use crate::perft;
use crate::play::{MoveFault, Play, PlayError, Undo};
use crate::search::{self, Found, Info, Request};
use crate::smess::{self, Smess};
use crate::texts::Language;
use crate::variant::Ruleset;
use crate::with_game;
use std::sync::Arc;

/// Exact values for the positions of one family.
#[derive(Clone)]
pub enum AnyOracle {
    /// For the rules of a morris.
    Morris(Arc<dyn Oracle<morris::Position>>),
    /// For Smess.
    Smess(Arc<dyn Oracle<smess::Position>>),
}

/// A family of games that can be an [`AnyGame`].
pub trait Family: Searchable {
    /// The oracle as one for the positions of this family; `None` if it is for another. A family without tablebases
    /// keeps this default.
    fn oracle(_: &AnyOracle) -> Option<Arc<dyn Oracle<Self::Position>>> {
        None
    }
}

impl<const S: u8> Family for Morris<S> {
    fn oracle(oracle: &AnyOracle) -> Option<Arc<dyn Oracle<morris::Position>>> {
        match oracle {
            AnyOracle::Morris(oracle) => Some(Arc::clone(oracle)),
            AnyOracle::Smess(_) => None,
        }
    }
}

impl Family for Smess {
    fn oracle(oracle: &AnyOracle) -> Option<Arc<dyn Oracle<smess::Position>>> {
        match oracle {
            AnyOracle::Morris(_) => None,
            AnyOracle::Smess(oracle) => Some(Arc::clone(oracle)),
        }
    }
}

/// Installs the evaluation network of these rules, if none is embedded.
///
/// # Errors
/// Bytes that are no network for these rules, or if they have one already.
pub fn install_network(rules: Ruleset, bytes: &[u8]) -> Result<(), NetworkError> {
    fn install<G: Learned>(game: &G, bytes: &[u8]) -> Result<(), NetworkError> {
        game.network_slot().install::<G>(bytes)
    }
    with_game!(rules, |game| install(&game, bytes))
}

/// The name of the evaluation network that these rules still need; `None` if it is embedded or installed.
pub fn missing_network(rules: Ruleset) -> Option<&'static str> {
    fn missing<G: Learned>(game: &G) -> Option<&'static str> {
        let slot = game.network_slot();
        slot.get::<G>().is_none().then(|| slot.name())
    }
    with_game!(rules, |game| missing(&game))
}

/// A variation that a search reports, as text.
pub type Line = search::Line<String>;
/// What a search reports, as text.
pub type Report<'a> = Info<'a, String>;
/// The result of a search, as text.
pub type Answer = Found<String>;

/// A game of any family, in progress.
#[derive(Clone)]
pub struct AnyGame(Box<dyn Object>);

impl AnyGame {
    /// The start of a game by these rules.
    pub fn new(rules: Ruleset) -> AnyGame {
        with_game!(rules, |game| AnyGame::of(game))
    }

    /// The start of a game of any family, also one from outside this crate.
    pub fn of<G: Family>(game: G) -> AnyGame {
        AnyGame(Box::new(Seat { play: Play::new(game), past: Vec::new(), oracle: None }))
    }

    /// Sets up a position and plays moves, by the same rules and with the same oracle: from a FEN, or from the start
    /// without one. All or nothing: on an error the game is as it was. These moves cannot be undone.
    ///
    /// # Errors
    /// The faults of the FEN, or the first move that cannot be played.
    pub fn set_up<'a>(&mut self, fen: Option<&str>, moves: impl IntoIterator<Item = &'a str>) -> Result<(), PlayError> {
        self.0.set_up(fen, &mut moves.into_iter())
    }

    /// Another game by the same rules and with the same oracle, set up as by [`AnyGame::set_up`].
    ///
    /// # Errors
    /// As [`AnyGame::set_up`].
    pub fn at<'a>(&self, fen: Option<&str>, moves: impl IntoIterator<Item = &'a str>) -> Result<AnyGame, PlayError> {
        let mut game = self.clone();
        game.set_up(fen, moves)?;
        Ok(game)
    }

    /// The position as a FEN.
    pub fn fen(&self) -> String {
        self.0.fen()
    }

    /// The side to move.
    pub fn side(&self) -> Side {
        self.0.side()
    }

    /// The end of the game, draws by history included.
    pub fn ending(&self) -> Option<Ending> {
        self.0.ending()
    }

    /// How often the position has occurred, this time included.
    pub fn occurrences(&self) -> usize {
        self.0.occurrences()
    }

    /// Plies since the last progress.
    pub fn plies_without_progress(&self) -> u16 {
        self.0.plies_without_progress()
    }

    /// Key of the position from the mover's point of view, without history.
    pub fn key(&self) -> u64 {
        self.0.key()
    }

    /// Key that symmetric positions may share.
    pub fn symmetric_key(&self) -> u64 {
        self.0.symmetric_key()
    }

    /// All legal moves, in generation order.
    pub fn moves(&self) -> Vec<String> {
        self.0.legal_moves().into_iter().map(|mv| self.0.move_text(mv)).collect()
    }

    /// The text of a move as the game itself writes it.
    pub fn move_text(&self, mv: Move) -> String {
        self.0.move_text(mv)
    }

    /// The legal move with this text, for [`Request::searchmoves`].
    ///
    /// # Errors
    /// When it cannot be read or is not legal.
    pub fn find_move(&self, text: &str) -> Result<Move, MoveFault> {
        self.0.find_move(text)
    }

    /// Plays a move and returns its text as the game itself writes it.
    ///
    /// # Errors
    /// When it cannot be read or is not legal; the game is as it was.
    pub fn push(&mut self, text: &str) -> Result<String, MoveFault> {
        let mv = self.0.find_move(text)?;
        let text = self.0.move_text(mv);
        self.0.push(mv);
        Ok(text)
    }

    /// Takes back the last move played by [`AnyGame::push`]; `false` if there is none.
    pub fn undo(&mut self) -> bool {
        self.0.undo()
    }

    /// Exchanges the sides and forgets the history.
    pub fn flip(&mut self) {
        self.0.flip();
    }

    /// The board in text, rank by rank, with coordinates.
    pub fn diagram(&self) -> String {
        self.0.diagram()
    }

    /// Names and values about the position (phase, stones, mills, ...) for a human reader.
    pub fn describe(&self) -> Vec<(&'static str, String)> {
        self.0.describe()
    }

    /// The rules for a human reader, a sentence or two to a line; empty for a family that does not tell them.
    pub fn rules_text(&self, language: Language) -> Vec<String> {
        self.0.rules_text(language)
    }

    /// The static evaluation from the side to move, in centistones.
    pub fn evaluate(&self) -> i32 {
        self.0.evaluate()
    }

    /// The evaluation term by term.
    pub fn terms(&self) -> Vec<Term> {
        self.0.terms()
    }

    /// Leaves below each move, as [`perft::divide`] counts them.
    pub fn perft(&self, depth: u32, settings: perft::Settings<'_>) -> Vec<(String, u64)> {
        self.0.perft(depth, settings)
    }

    /// Sets or removes the oracle; `false` if it is for another family and is not used.
    pub fn set_oracle(&mut self, oracle: Option<&AnyOracle>) -> bool {
        self.0.set_oracle(oracle)
    }

    /// The same game without an oracle.
    #[must_use]
    pub fn without_oracle(mut self) -> AnyGame {
        self.0.set_oracle(None);
        self
    }

    /// The exact value of the position, if the game is over or the oracle knows it.
    pub fn value(&self) -> Option<Value> {
        self.0.value()
    }

    /// Damage that the oracle has found since it was last asked, a line each.
    pub fn new_faults(&self) -> Vec<String> {
        self.0.new_faults()
    }

    /// Prepares what would otherwise delay the first search, while no clock runs.
    pub fn prepare(&self) {
        self.0.prepare();
    }

    /// Searches the position, as [`search::search`] does, with the oracle if there is one.
    pub fn search(&self, request: &Request<'_>, report: &mut dyn FnMut(&Report<'_>)) -> Answer {
        self.0.search(request, report)
    }
}

/// What [`AnyGame`] asks of a game, whatever its type.
trait Object: Send + Sync {
    fn boxed(&self) -> Box<dyn Object>;
    fn set_up(&mut self, fen: Option<&str>, moves: &mut dyn Iterator<Item = &str>) -> Result<(), PlayError>;
    fn fen(&self) -> String;
    fn side(&self) -> Side;
    fn ending(&self) -> Option<Ending>;
    fn occurrences(&self) -> usize;
    fn plies_without_progress(&self) -> u16;
    fn key(&self) -> u64;
    fn symmetric_key(&self) -> u64;
    fn legal_moves(&self) -> Vec<Move>;
    fn move_text(&self, mv: Move) -> String;
    fn find_move(&self, text: &str) -> Result<Move, MoveFault>;
    fn push(&mut self, mv: Move);
    fn undo(&mut self) -> bool;
    fn flip(&mut self);
    fn diagram(&self) -> String;
    fn describe(&self) -> Vec<(&'static str, String)>;
    fn rules_text(&self, language: Language) -> Vec<String>;
    fn evaluate(&self) -> i32;
    fn terms(&self) -> Vec<Term>;
    fn perft(&self, depth: u32, settings: perft::Settings<'_>) -> Vec<(String, u64)>;
    fn set_oracle(&mut self, oracle: Option<&AnyOracle>) -> bool;
    fn value(&self) -> Option<Value>;
    fn new_faults(&self) -> Vec<String>;
    fn prepare(&self);
    fn search(&self, request: &Request<'_>, report: &mut dyn FnMut(&Report<'_>)) -> Answer;
}

impl Clone for Box<dyn Object> {
    fn clone(&self) -> Box<dyn Object> {
        (**self).boxed()
    }
}

/// A game of one family, and the oracle of its rules.
#[derive(Clone)]
struct Seat<G: Family> {
    play: Play<G>,
    /// What [`AnyGame::undo`] takes back, the last move last.
    past: Vec<Undo<G::Position>>,
    oracle: Option<Arc<dyn Oracle<G::Position>>>,
}

impl<G: Family> Object for Seat<G> {
    fn boxed(&self) -> Box<dyn Object> {
        Box::new(self.clone())
    }

    fn set_up(&mut self, fen: Option<&str>, moves: &mut dyn Iterator<Item = &str>) -> Result<(), PlayError> {
        self.play = Play::set_up(self.play.game, fen, moves)?;
        self.past.clear();
        Ok(())
    }

    fn fen(&self) -> String {
        self.play.fen()
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

    fn key(&self) -> u64 {
        self.play.game.key(self.play.position())
    }

    fn symmetric_key(&self) -> u64 {
        self.play.game.hash_key(self.play.position()).0
    }

    fn legal_moves(&self) -> Vec<Move> {
        self.play.game.moves(self.play.position())
    }

    fn move_text(&self, mv: Move) -> String {
        self.play.game.move_text(mv)
    }

    fn find_move(&self, text: &str) -> Result<Move, MoveFault> {
        self.play.find_move(text)
    }

    fn push(&mut self, mv: Move) {
        self.past.push(self.play.push_undoable(mv));
    }

    fn undo(&mut self) -> bool {
        let last = self.past.pop();
        last.map(|undo| self.play.undo(undo)).is_some()
    }

    fn flip(&mut self) {
        self.play.flip();
        self.past.clear();
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

    fn evaluate(&self) -> i32 {
        self.play.game.evaluate(self.play.position())
    }

    fn terms(&self) -> Vec<Term> {
        self.play.game.terms(self.play.position())
    }

    fn perft(&self, depth: u32, settings: perft::Settings<'_>) -> Vec<(String, u64)> {
        let divided = perft::divide(&self.play.game, self.play.position(), depth, settings);
        divided.into_iter().map(|(mv, count)| (self.play.game.move_text(mv), count)).collect()
    }

    fn set_oracle(&mut self, oracle: Option<&AnyOracle>) -> bool {
        self.oracle = oracle.and_then(G::oracle);
        self.oracle.is_some() == oracle.is_some()
    }

    fn value(&self) -> Option<Value> {
        let pos = self.play.position();
        known_end(&self.play.game, pos).or_else(|| self.oracle.as_ref()?.value(pos))
    }

    fn new_faults(&self) -> Vec<String> {
        self.oracle.as_ref().map_or_else(Vec::new, |oracle| oracle.new_faults())
    }

    fn prepare(&self) {
        // The first evaluation unpacks the network.
        self.evaluate();
        if let Some(oracle) = &self.oracle {
            oracle.prepare();
        }
    }

    fn search(&self, request: &Request<'_>, report: &mut dyn FnMut(&Report<'_>)) -> Answer {
        let text = |mv| self.play.game.move_text(mv);
        let mut report = |info: &Info<'_>| report(&info.with_moves(text));
        search::search(&self.play, self.oracle.as_ref(), request, &mut report).with_moves(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Verdict;
    use crate::variant::Variant;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    fn morris() -> AnyGame {
        AnyGame::new(Variant::Morris.rules())
    }

    #[test]
    fn a_game_of_any_kind_follows_the_rules() {
        let mut game = morris();
        assert_eq!(game.push("D6"), Ok("d6".to_string()));
        assert_eq!(game.push("d6"), Err(MoveFault::Illegal(None)));
        assert_eq!((game.fen().as_str(), game.side()), ("3/1O1/3/6/3/3/3 b 8 9 0 1", Side::Black));
        assert_eq!(game.ending(), None);
        let over = game.at(Some("OO1/3/3/6/3/3/XXX w 0 0"), []).expect("valid");
        assert_eq!(over.ending(), Some(Ending::new(Verdict::Loss, morris::FEW_STONES)));
        assert_eq!(over.value(), Some(Value::Loss(0)));
        assert_eq!(game.side(), Side::Black, "the other game is another");
    }

    #[test]
    fn moves_are_taken_back_one_by_one() {
        let mut game = morris();
        game.set_up(Some("O2/1O1/2O/O2X2/3/XX1/2X w 0 0 0 7"), []).expect("valid");
        let mut fens = vec![(game.fen(), game.occurrences(), game.key())];
        // Back and forth, then a mill, which cannot be repeated.
        for text in ["a7d7", "g1g4", "d7a7", "g4g1", "d6d7", "g1g4"] {
            game.push(text).expect(text);
            fens.push((game.fen(), game.occurrences(), game.key()));
        }
        while let Some(expected) = fens.pop() {
            assert_eq!((game.fen(), game.occurrences(), game.key()), expected);
            assert_eq!(game.undo(), !fens.is_empty());
        }
    }

    #[test]
    fn a_refused_position_changes_nothing() {
        let mut game = morris();
        game.push("d6").expect("legal");
        let before = game.fen();
        assert!(game.set_up(Some("nonsense"), []).is_err());
        assert!(game.set_up(None, ["d6", "d6"]).is_err());
        assert_eq!(game.fen(), before);
        assert!(game.undo(), "and the moves can still be taken back");
    }

    #[test]
    fn an_oracle_of_another_family_is_not_used() {
        struct Knows;
        impl Oracle<smess::Position> for Knows {
            fn verdict(&self, _: &smess::Position) -> Option<Verdict> {
                Some(Verdict::Draw)
            }
            fn value(&self, _: &smess::Position) -> Option<Value> {
                Some(Value::Draw)
            }
        }
        let oracle = AnyOracle::Smess(Arc::new(Knows));
        let mut game = morris();
        assert!(!game.set_oracle(Some(&oracle)));
        assert_eq!(game.value(), None);
        let mut game = AnyGame::new(Variant::Smess.rules());
        assert!(game.set_oracle(Some(&oracle)));
        assert_eq!(game.value(), Some(Value::Draw));
        assert_eq!(game.at(None, ["f2g1"]).expect("legal").value(), Some(Value::Draw), "kept for the next position");
        assert!(game.set_oracle(None));
        assert_eq!(game.value(), None);
    }

    #[test]
    fn the_oracle_is_prepared_and_asked_for_faults() {
        #[derive(Default)]
        struct Damaged(AtomicBool);
        impl Oracle<morris::Position> for Damaged {
            fn verdict(&self, _: &morris::Position) -> Option<Verdict> {
                None
            }
            fn value(&self, _: &morris::Position) -> Option<Value> {
                None
            }
            fn prepare(&self) {
                self.0.store(true, Relaxed);
            }
            fn new_faults(&self) -> Vec<String> {
                vec!["torn".to_string()]
            }
        }
        let oracle = Arc::new(Damaged::default());
        let mut game = morris();
        game.prepare();
        assert!(!oracle.0.load(Relaxed) && game.new_faults().is_empty());
        game.set_oracle(Some(&AnyOracle::Morris(Arc::<Damaged>::clone(&oracle))));
        game.prepare();
        assert!(oracle.0.load(Relaxed));
        assert_eq!((game.new_faults(), game.value()), (vec!["torn".to_string()], None));
        assert!(game.without_oracle().new_faults().is_empty());
    }

    /// A network that did not fit would be left out without a word.
    #[cfg(feature = "networks")]
    #[test]
    fn every_variant_has_its_network() {
        for variant in Variant::ALL {
            let refused = install_network(variant.rules(), &[]);
            let Err(NetworkError::Size { bytes: 0, expected }) = refused else { panic!("{variant}: {refused:?}") };
            assert_eq!(install_network(variant.rules(), &vec![0; expected]), Err(NetworkError::Taken), "{variant}");
        }
    }

    #[test]
    fn sides_are_exchanged() {
        let mut game = morris();
        game.push("d6").expect("legal");
        game.flip();
        assert_eq!((game.side(), game.undo()), (Side::White, false));
        assert!(game.moves().len() == 23 && !game.moves().contains(&"d6".to_string()), "{}", game.fen());
    }
}
