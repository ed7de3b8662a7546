//! The rules for a page: variants, house rules, positions, moves, texts. No protocol, and no search.

use crate::fault::Fault;
use crate::network_file;
use crate::state::{Setup, State};
use millbrain_analysis::annotate::Fact;
use millbrain_core::any::{self, AnyBoard};
use millbrain_core::game::value::{self, Known};
use millbrain_core::layout::{Layout, MoveParts};
use millbrain_core::message::Message;
use millbrain_core::options::RuleOption;
use millbrain_core::play::PlayError;
use millbrain_core::texts::Language;
use millbrain_core::variant::{Ruleset, Variant};
use millbrain_games::score::Score;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A fault of rules, in the words of the protocol.
fn no_rules(message: Message) -> Fault {
    let words = format!("setoption refused: {message}");
    Fault::new(message, words)
}

/// A fault of a position, in the words of the protocol.
fn no_position(error: PlayError) -> Fault {
    let message = Message::from(&error);
    let words = format!("position refused: {message}");
    Fault::new(message, words)
}

/// Rules in a request.
#[derive(Deserialize)]
struct Named {
    variant: String,
    #[serde(default)]
    options: BTreeMap<String, Value>,
}

/// A position in a request.
#[derive(Deserialize)]
struct Position {
    fen: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
}

/// A request about a possibly bad move: the last of these, and a better one in its place.
#[derive(Deserialize)]
struct Question {
    fen: Option<String>,
    moves: Vec<String>,
    better: String,
    /// The scores before and after the move, from the side to move there.
    before: Option<Score>,
    after: Option<Score>,
}

/// Returns the result that a search score implies.
fn known(score: Score) -> Option<Known> {
    let Score::Mate(moves) = score else { return None };
    // More moves than any game has.
    let plies = 2 * moves.unsigned_abs().min(1 << 20);
    Some(Known::Value(if moves > 0 { value::Value::Win(plies - 1) } else { value::Value::Loss(plies) }))
}

/// The current rules, and a game with them.
pub struct Rules {
    variant: Variant,
    rules: Ruleset,
    board: AnyBoard,
}

impl Default for Rules {
    fn default() -> Rules {
        let variant = Variant::default();
        Rules { variant, rules: variant.rules(), board: AnyBoard::new(variant.rules()) }
    }
}

impl Rules {
    /// Sets the rules from JSON. Options of other families are checked, but change nothing.
    ///
    /// # Errors
    /// Unknown rules; then nothing has changed.
    pub fn set(&mut self, named: &[u8]) -> Result<(), Fault> {
        let Named { variant, options } = serde_json::from_slice(named)?;
        let variant: Variant = variant.parse().map_err(|unknown| no_rules(Message::from(&unknown)))?;
        let mut rules = variant.rules();
        let known = RuleOption::all();
        for (name, value) in options {
            let option = RuleOption::find(&known, &name).map_err(|fault| no_rules(fault.into()))?;
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
            rules.assign(option, option.read(&text).map_err(|fault| no_rules(fault.into()))?);
        }
        *self = Rules { variant, rules, board: AnyBoard::new(rules) };
        Ok(())
    }

    /// Returns the state of the game at a position in JSON.
    ///
    /// # Errors
    /// The faults of the FEN, or the first move that cannot be played.
    pub fn state(&mut self, position: &[u8]) -> Result<State, Fault> {
        let Position { fen, moves } = serde_json::from_slice(position)?;
        self.board.set_up(fen.as_deref(), moves.iter().map(String::as_str)).map_err(no_position)?;
        Ok(State::new(&self.board, self.variant))
    }

    /// Returns the facts about the last move of a position, given a better one, from JSON, the strongest first.
    ///
    /// # Errors
    /// The faults of the FEN, or the first move that cannot be played.
    pub fn facts(&mut self, question: &[u8]) -> Result<Vec<Fact>, Fault> {
        let Question { fen, mut moves, better, before, after } = serde_json::from_slice(question)?;
        let played = moves.pop().unwrap_or_default();
        self.board.set_up(fen.as_deref(), moves.iter().map(String::as_str)).map_err(no_position)?;
        let values = [before.and_then(known), after.and_then(known).map(Known::before)];
        Ok(Fact::all(&*self.board, &played, &better, values))
    }

    /// Returns the board of the current rules.
    pub fn layout(&self) -> Layout {
        self.board.layout()
    }

    /// Parses a move of the current rules into its parts, legal or not.
    pub fn parts(&self, text: &str) -> Option<MoveParts> {
        self.board.parts_of(text).ok()
    }

    /// Returns the FEN of an editor's setup under the current rules; empty for an invalid setup.
    pub fn compose(&self, setup: &[u8]) -> String {
        let fen = |Setup { pieces, side, hands }| self.layout().fen(&pieces, side, hands);
        serde_json::from_slice(setup).map(fen).unwrap_or_default()
    }

    /// Describes the current rules, one or two sentences per line; empty for an unknown language.
    pub fn text(&self, language: &str) -> String {
        Language::find(language).map(|language| self.board.rules_text(language).join("\n")).unwrap_or_default()
    }

    /// Returns the files that a search with the current rules requests: networks, the small tables, and packs.
    pub fn files(&self) -> Vec<String> {
        let network = any::network_name(self.rules).map(network_file);
        let tables = millbrain_tablebase::missing_tables(self.rules).into_iter().map(str::to_string);
        network.into_iter().chain(tables).collect()
    }

    /// Returns the expected points for a score in hundredths of a stone, from 0 (lost) to 1 (won).
    pub fn expected_points(&self, score: i32) -> f64 {
        let [win, draw, _] = any::wdl_model(self.rules).wdl(score);
        (f64::from(win) + f64::from(draw) / 2.0) / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_changes_nothing_and_is_reported_as_the_protocol_tells_it() {
        let mut rules = Rules::default();
        rules.set(br#"{"variant": "mlyn", "options": {"Stones": 7, "No Capture Draw": 50}}"#).expect("rules");
        for (named, reported) in [
            (r#"{"variant": "chess"}"#, "setoption refused: unknown variant \"chess\", expected one of morris, "),
            (
                r#"{"variant": "morris", "options": {"Speed": 2}}"#,
                "setoption refused: unknown rule option \"Speed\": expected",
            ),
            (
                r#"{"variant": "smess", "options": {"Stones": 2}}"#,
                "setoption refused: invalid value \"2\" for Stones: expected a number from 3 to 12",
            ),
            ("{}", "missing field `variant`"),
        ] {
            let error = rules.set(named.as_bytes()).expect_err(named).to_string();
            assert!(error.starts_with(reported), "{error}");
        }
        let facts = rules.facts(br#"{"moves": ["d6", "d6"], "better": "f4"}"#).expect("no fact of a move that is none");
        assert_eq!(facts, []);
        let state = rules.state(br#"{"moves": ["d6"]}"#).expect("a position");
        assert_eq!((state.variant, state.fen.as_str()), ("mlyn", "3/1O1/3/6/3/3/3 b 6 7 0 1"));
        let error = rules.state(br#"{"moves": ["d6", "d6"]}"#).expect_err("taken").to_string();
        assert_eq!(error, "position refused: move 2 (d6) is illegal, expected a legal move");
        assert_eq!(
            rules.text("de").lines().next(),
            Some("Zwei Spieler, Weiß und Schwarz, haben je 7 Steine; Weiß beginnt.")
        );
        assert_eq!(rules.text("xx"), "");
    }

    #[test]
    fn what_is_wrong_with_a_move_is_a_fact() {
        let mut rules = Rules::default();
        let mut fact = |more: &str| {
            let question = format!(r#"{{"moves": ["a7", "d2", "d7", "d1", "b4"], "better": "g7xd1"{more}}}"#);
            serde_json::to_value(rules.facts(question.as_bytes()).expect("a question")).expect("facts")
        };
        let mill = serde_json::json!({"kind": "missedMill", "better": "g7xd1", "mills": [["a7", "d7", "g7"]]});
        assert_eq!(fact(""), serde_json::json!([mill]));
        let mut quiet = |scores: &str| {
            let question = format!(r#"{{"moves": ["a7", "d2"], "better": "f4", {scores}}}"#);
            let facts = serde_json::to_value(rules.facts(question.as_bytes()).expect("a question")).expect("facts");
            facts[0].clone()
        };
        assert_eq!(quiet(r#""before": {"cp": 3}"#), serde_json::json!(null));
        assert_eq!(
            quiet(r#""before": {"mate": 4}"#),
            serde_json::json!({"kind": "missedWin", "better": "f4", "plies": 7})
        );
        assert_eq!(quiet(r#""after": {"mate": 2147483647}"#)["kind"], "allowsWin");
        assert_eq!(quiet(r#""after": {"mate": 2}"#), serde_json::json!({"kind": "allowsWin", "plies": 3}));
        assert_eq!(quiet(r#""before": {"mate": 2}, "after": {"mate": 1}"#)["kind"], "gaveUpWin");
    }
}
