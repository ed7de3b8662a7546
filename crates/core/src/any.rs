//! One type for a game of any family, with text input and output: for protocols, web pages and other languages.
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

mod rules;

pub use rules::{AnyBoard, AnyRules};

use crate::force::{Forced, Question};
use crate::game::value::{Category, Counted, Known, Oracle, Value, known_end};
use crate::game::{Move, Searchable, Term, Verdict};
use crate::layout::Described;
use crate::network::{Learned, NetworkError, NetworkSlot};
use crate::perft;
use crate::play::{Play, PlayError, Undo};
use crate::search::score::WdlModel;
use crate::search::{self, Found, Info, Request};
use crate::variant::Ruleset;
use crate::with_game;
use std::any::Any;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Exact values for the positions of one family, whichever it is.
#[derive(Clone)]
pub struct AnyOracle {
    /// The id of the family: two may have the same type of positions.
    family: &'static str,
    oracle: Arc<dyn Any + Send + Sync>,
}

impl AnyOracle {
    /// Wraps an oracle for the positions of a game's family.
    pub fn new<G: Family>(_: &G, oracle: Arc<dyn Oracle<G::Position>>) -> AnyOracle {
        AnyOracle { family: G::ID, oracle: Arc::new(oracle) }
    }

    /// Returns the oracle for positions of this type, or `None` if it is for those of another.
    pub fn of<P: 'static>(&self) -> Option<Arc<dyn Oracle<P>>> {
        self.oracle.downcast_ref::<Arc<dyn Oracle<P>>>().map(Arc::clone)
    }
}

/// A family of games that can be an [`AnyGame`].
pub trait Family: Searchable + Described {
    /// Its id, such as `morris`.
    const ID: &'static str;

    /// Answers a question about forced gains, as [`force::prove`](crate::force::prove) does; by default it is unknown.
    fn force(&self, _: &Self::Position, _: Question<'_>) -> Forced<Move> {
        Forced::Unknown
    }
}

/// Installs the evaluation network of these rules, if none is embedded.
///
/// # Errors
/// Fails if the bytes are not a network for these rules, or the rules have one already, or can have none.
pub fn install_network(rules: Ruleset, bytes: &[u8]) -> Result<(), NetworkError> {
    fn install<G: Learned>(game: &G, bytes: &[u8]) -> Result<(), NetworkError> {
        game.network_slot().ok_or(NetworkError::None)?.install::<G>(bytes)
    }
    with_game!(rules, |game| install(&game, bytes))
}

/// Returns the name of the evaluation network of these rules, whether or not it is loaded; `None` if they have none.
pub fn network_name(rules: Ruleset) -> Option<&'static str> {
    with_game!(rules, |game| game.network_slot().map(NetworkSlot::name))
}

/// Returns the name of the evaluation network that these rules still need; `None` if it is embedded or installed, or
/// they have none.
pub fn missing_network(rules: Ruleset) -> Option<&'static str> {
    fn missing<G: Learned>(game: &G) -> Option<&'static str> {
        let slot = game.network_slot()?;
        slot.get::<G>().is_none().then(|| slot.name())
    }
    with_game!(rules, |game| missing(&game))
}

/// Returns how scores turn into results by these rules.
pub fn wdl_model(rules: Ruleset) -> WdlModel {
    with_game!(rules, |game| game.wdl_model())
}

/// A variation that a search reports, as text.
pub type Line = search::Line<String>;
/// A report of a search, as text.
pub type Report<'a> = Info<'a, String>;
/// The result of a search, as text.
pub type Answer = Found<String>;

/// A game of any family, in progress. [`AnyPlay`] has its methods.
#[derive(Clone)]
pub struct AnyGame(Box<dyn AnyPlay>);

impl Deref for AnyGame {
    type Target = dyn AnyPlay;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl DerefMut for AnyGame {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}

impl AnyGame {
    /// Returns the start of a game by these rules.
    pub fn new(rules: Ruleset) -> AnyGame {
        with_game!(rules, |game| AnyGame::of(game))
    }

    /// Returns the start of a game of any family, also one from outside this crate.
    pub fn of<G: Family>(game: G) -> AnyGame {
        AnyGame(Box::new(Typed::new(game)))
    }

    /// Sets up a position and plays moves, by the same rules and with the same oracle: from a FEN, or from the start
    /// without one. On an error the game is unchanged. These moves cannot be undone.
    ///
    /// # Errors
    /// Fails with the faults of the FEN, or the first move that cannot be played.
    pub fn set_up<'a>(&mut self, fen: Option<&str>, moves: impl IntoIterator<Item = &'a str>) -> Result<(), PlayError> {
        self.0.set_up_all(fen, &mut moves.into_iter())
    }

    /// Returns another game by the same rules and with the same oracle, set up as by [`AnyGame::set_up`].
    ///
    /// # Errors
    /// Fails as [`AnyGame::set_up`] does.
    pub fn at<'a>(&self, fen: Option<&str>, moves: impl IntoIterator<Item = &'a str>) -> Result<AnyGame, PlayError> {
        let mut game = self.clone();
        game.set_up(fen, moves)?;
        Ok(game)
    }

    /// Returns the same game without an oracle.
    #[must_use]
    pub fn without_oracle(mut self) -> AnyGame {
        self.set_oracle(None);
        self
    }
}

/// A game in progress of any family. In addition to [`AnyRules`] it has an evaluation, known values and a search.
pub trait AnyPlay: AnyRules {
    /// Returns a copy in a box.
    fn boxed(&self) -> Box<dyn AnyPlay>;

    /// Returns a key that symmetric positions may share.
    fn symmetric_key(&self) -> u64;

    /// Returns the key that all symmetric positions share, including those with the colours exchanged, without history.
    fn canonical_key(&self) -> u64;

    /// Returns all legal moves, in generation order, each with the [`canonical_key`](Self::canonical_key) of the
    /// position after it. Symmetric moves have the same key.
    fn moves_by_key(&self) -> Vec<(String, u64)>;

    /// Returns the static evaluation from the side to move, in centistones.
    fn evaluate(&self) -> i32;

    /// Returns the evaluation term by term.
    fn terms(&self) -> Vec<Term>;

    /// Returns how scores turn into results by these rules.
    fn wdl_model(&self) -> WdlModel;

    /// Returns whether the best move is not tactical and neither side has a threat, so that the position can be judged
    /// without looking ahead. `best` is a legal move.
    fn is_quiet(&self, best: &str) -> bool;

    /// Counts the leaves below each move, as [`perft::divide`] does.
    fn perft(&self, depth: u32, settings: perft::Settings<'_>) -> Vec<(String, u64)>;

    /// Sets or removes the oracle; returns `false` if it is for another family and is not used.
    fn set_oracle(&mut self, oracle: Option<&AnyOracle>) -> bool;

    /// Asks the oracle's sources that are slow about the position and those after its moves, while `wait` returns that
    /// there is time. From then on their answers count as known.
    fn ask_oracle(&mut self, wait: &dyn Fn() -> bool);

    /// Returns win, draw or loss for the side to move, if the game is over or the oracle knows it at once. This is
    /// faster than [`known`](Self::known), which may probe distances and remote sources.
    fn verdict(&self) -> Option<Verdict>;

    /// Returns what is known of the position, if the game is over or the oracle knows it.
    fn known(&self) -> Option<Known>;

    /// Returns the result by the draw rules, counter included, as far as it follows from [`known`](Self::known).
    fn category(&self) -> Option<Category>;

    /// Returns whether the oracle knows that the side to move does not win, by a strategy of its opponent.
    fn is_held(&self) -> bool;

    /// Returns the result by the draw counter, if the oracle supports it and knows the position.
    fn counted(&self) -> Option<Counted>;

    /// Returns the damage that the oracle has found since the last call, a line each.
    fn new_faults(&self) -> Vec<String>;

    /// Prepares what would otherwise delay the first search, while no clock runs.
    fn prepare(&self);

    /// Searches the position, as [`search::search`] does, with the oracle if there is one.
    fn search(&self, request: &Request<'_>, report: &mut dyn FnMut(&Report<'_>)) -> Answer;
}

impl Clone for Box<dyn AnyPlay> {
    fn clone(&self) -> Box<dyn AnyPlay> {
        (**self).boxed()
    }
}

/// A game whose type is known, and the oracle of its rules.
#[derive(Clone)]
struct Typed<G: Family> {
    play: Play<G>,
    /// The undo data of [`AnyRules::undo`], the last move last.
    past: Vec<Undo<G::Position>>,
    oracle: Option<Arc<dyn Oracle<G::Position>>>,
}

impl<G: Family> Typed<G> {
    fn new(game: G) -> Typed<G> {
        Typed { play: Play::new(game), past: Vec::new(), oracle: None }
    }
}

impl<G: Family> AnyPlay for Typed<G> {
    fn boxed(&self) -> Box<dyn AnyPlay> {
        Box::new(self.clone())
    }

    fn symmetric_key(&self) -> u64 {
        self.play.game.hash_key(self.play.position()).0
    }

    fn canonical_key(&self) -> u64 {
        self.play.game.root_key(self.play.position()).0
    }

    fn moves_by_key(&self) -> Vec<(String, u64)> {
        let (game, pos) = (&self.play.game, self.play.position());
        let moves = game.moves(pos).into_iter();
        moves.map(|mv| (game.move_text(mv), game.root_key(&game.play(pos, mv)).0)).collect()
    }

    fn evaluate(&self) -> i32 {
        self.play.game.evaluate(self.play.position())
    }

    fn terms(&self) -> Vec<Term> {
        self.play.game.terms(self.play.position())
    }

    fn wdl_model(&self) -> WdlModel {
        self.play.game.wdl_model()
    }

    fn is_quiet(&self, best: &str) -> bool {
        let (game, pos) = (&self.play.game, self.play.position());
        let is_tactical = self.find_move(best).is_ok_and(|mv| game.is_tactical(pos, mv));
        !is_tactical && !game.is_threatened(pos) && !game.can_win_now(pos)
    }

    fn perft(&self, depth: u32, settings: perft::Settings<'_>) -> Vec<(String, u64)> {
        let divided = perft::divide(&self.play.game, self.play.position(), depth, settings);
        divided.into_iter().map(|(mv, count)| (self.play.game.move_text(mv), count)).collect()
    }

    fn set_oracle(&mut self, oracle: Option<&AnyOracle>) -> bool {
        self.oracle = oracle.filter(|oracle| oracle.family == G::ID).and_then(AnyOracle::of);
        self.oracle.is_some() == oracle.is_some()
    }

    fn ask_oracle(&mut self, wait: &dyn Fn() -> bool) {
        let asked = self.oracle.as_ref().and_then(|oracle| oracle.ask(self.play.position(), wait));
        self.oracle = asked.map(Arc::from).or_else(|| self.oracle.take());
    }

    fn verdict(&self) -> Option<Verdict> {
        let pos = self.play.position();
        known_end(&self.play.game, pos).map(Value::verdict).or_else(|| self.oracle.as_ref()?.verdict(pos))
    }

    fn known(&self) -> Option<Known> {
        let pos = self.play.position();
        known_end(&self.play.game, pos).map(Known::Value).or_else(|| self.oracle.as_ref()?.known(pos))
    }

    fn category(&self) -> Option<Category> {
        let known = self.known()?;
        let (game, pos) = (&self.play.game, self.play.position());
        let limit = u32::from(game.draw_rules().progress_limit);
        let counter = u32::from(game.plies_without_progress(pos));
        let by_distance = || match known.plies() {
            _ if limit == 0 || known.verdict() == Verdict::Draw => Some(known.verdict()),
            // The counter does not run out on the way, even without progress.
            Some(plies) if counter + plies <= limit => Some(known.verdict()),
            Some(_) => game.next_progress_ends(pos).then_some(Verdict::Draw),
            None => None,
        };
        let ended = self.play.ending().map(|ending| ending.verdict);
        let counted = ended.or_else(|| self.counted().map(|counted| counted.verdict)).or_else(by_distance);
        // A known value may depend on the counter.
        let plain = self.oracle.as_ref().and_then(|oracle| oracle.value(pos)).map_or(known.verdict(), Value::verdict);
        Some(Category::of(plain, counted))
    }

    fn is_held(&self) -> bool {
        self.oracle.as_ref().is_some_and(|oracle| oracle.is_held(self.play.position()))
    }

    fn counted(&self) -> Option<Counted> {
        let pos = self.play.position();
        if self.play.game.decided(pos).is_some() { None } else { self.oracle.as_ref()?.counted(pos) }
    }

    fn new_faults(&self) -> Vec<String> {
        self.oracle.as_ref().map_or_else(Vec::new, |oracle| oracle.new_faults())
    }

    fn prepare(&self) {
        // The first evaluation unpacks the network.
        self.evaluate();
    }

    fn search(&self, request: &Request<'_>, report: &mut dyn FnMut(&Report<'_>)) -> Answer {
        let text = |mv| self.play.game.move_text(mv);
        let mut report = |info: &Info<'_>| report(&info.with_moves(text));
        match request.weakness {
            None => search::search(&self.play, self.oracle.as_ref(), request, &mut report),
            Some(weakness) => search::search_below_strength(&self.play, weakness, request, &mut report),
        }
        .with_moves(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::value::Value;
    use crate::game::{Ending, Side, Verdict};
    use crate::morris::rules::MORRIS;
    use crate::morris::{CUSTOM, Morris};
    use crate::play::MoveFault;
    use crate::smess::Smess;
    use crate::variant::Variant;
    use crate::{morris, smess};

    fn morris() -> AnyGame {
        AnyGame::new(Variant::Morris.rules())
    }

    #[test]
    fn a_game_of_any_kind_follows_the_rules() {
        let mut game = morris();
        assert_eq!(game.push("D6"), Ok("d6".to_string()));
        assert_eq!(game.push("d6"), Err(MoveFault::Illegal));
        assert_eq!((game.fen().as_str(), game.side()), ("3/1O1/3/6/3/3/3 b 8 9 0 1", Side::Black));
        assert_eq!(game.ending(), None);
        let over = game.at(Some("OO1/3/3/6/3/3/XXX w 0 0"), []).expect("valid");
        assert_eq!(over.ending(), Some(Ending::new(Verdict::Loss, morris::FEW_STONES)));
        assert_eq!(over.known(), Some(Known::Value(Value::Loss(0))));
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
        let oracle = AnyOracle::new(&Smess::new(smess::Rules::default()), Arc::new(Knows));
        let mut game = morris();
        assert!(!game.set_oracle(Some(&oracle)));
        assert_eq!(game.known(), None);
        let mut game = AnyGame::new(Variant::Smess.rules());
        assert!(game.set_oracle(Some(&oracle)));
        assert_eq!(game.known(), Some(Known::Value(Value::Draw)));
        assert_eq!(
            game.at(None, ["f2g1"]).expect("legal").known(),
            Some(Known::Value(Value::Draw)),
            "kept for the next position"
        );
        assert!(game.set_oracle(None));
        assert_eq!(game.known(), None);
    }

    #[test]
    fn families_that_share_their_positions_share_no_oracle() {
        let oracle = AnyOracle::new(&Morris::<CUSTOM>::new(MORRIS), Arc::new(Damaged));
        assert!(morris().set_oracle(Some(&oracle)));
        assert!(!AnyGame::new(Variant::Six.rules()).set_oracle(Some(&oracle)));
    }

    struct Damaged;

    impl Oracle<morris::Position> for Damaged {
        fn verdict(&self, _: &morris::Position) -> Option<Verdict> {
            None
        }
        fn value(&self, _: &morris::Position) -> Option<Value> {
            None
        }
        fn new_faults(&self) -> Vec<String> {
            vec!["torn".to_string()]
        }
    }

    #[test]
    fn the_oracle_is_asked_for_faults() {
        let mut game = morris();
        assert!(game.new_faults().is_empty());
        game.set_oracle(Some(&AnyOracle::new(&Morris::<CUSTOM>::new(MORRIS), Arc::new(Damaged))));
        assert_eq!((game.new_faults(), game.known()), (vec!["torn".to_string()], None));
        assert!(game.without_oracle().new_faults().is_empty());
    }

    /// A network that did not fit would be left out silently.
    #[cfg(feature = "networks")]
    #[test]
    fn every_variant_has_its_network() {
        for variant in Variant::ALL {
            let expected =
                if network_name(variant.rules()).is_some() { NetworkError::Taken } else { NetworkError::None };
            assert_eq!(install_network(variant.rules(), &[]), Err(expected), "{variant}");
        }
    }

    #[test]
    fn symmetric_positions_share_a_key() {
        let start = morris();
        let mut keys: Vec<u64> = start.moves_by_key().into_iter().map(|(_, key)| key).collect();
        for (text, key) in start.moves_by_key() {
            let after = start.at(None, [text.as_str()]).expect("legal");
            assert_eq!(after.canonical_key(), key, "{text}");
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 4, "corners and middles, of the middle square or another");
        // A quarter of a turn, and the colours exchanged; nothing is in hand.
        let moving = ["O2/1O1/2O/6/3/3/XXX w 0 0", "X2/1X1/2X/6/3/3/OOO b 0 0", "2O/1O1/O2/6/3/3/XXX w 0 0"];
        let keys = moving.map(|fen| morris().at(Some(fen), []).expect("a position").canonical_key());
        assert_eq!(keys[0], keys[1]);
        assert_eq!(keys[0], keys[2], "mirrored");
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
