//! The notation of the program Sanmill, as needed to play against it: moves in tokens, the unit of its scores, and its
//! options for our rules.
//!
//! A move of ours that captures is two of Sanmill's: `a4a7xg1` is `a4-a7` and then `xg1`. The facts, with their
//! sources, are in `docs/matches.md`.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod options;

use millbrain_core::any::AnyGame;
use millbrain_core::game::Notation;
use millbrain_core::morris::{self, CUSTOM, Morris, Removal, Removals, sanmill_fen};
use millbrain_core::variant::Ruleset;

/// The value of a stone in scores.
pub const STONE: i32 = 5;
/// The number sent instead of a score if the move is the only one.
pub const ONLY_MOVE: i32 = 100;

/// Returns the tokens of a move of ours: the step, and the removals.
pub fn tokens(mv: &str) -> (String, Vec<String>) {
    let mut points = mv.split('x');
    let step = points.next().unwrap_or_default();
    let step = match (step.get(..2), step.get(2..)) {
        (Some(from), Some(to)) if to.len() == 2 => format!("{from}-{to}"),
        _ => step.to_string(),
    };
    (step, points.map(|point| format!("x{point}")).collect())
}

/// Returns a move of ours as one word of Sanmill's notation: `a4-a7xg1`.
pub fn word(mv: &str) -> String {
    let (step, removals) = tokens(mv);
    step + &removals.concat()
}

/// Returns the legal moves that begin with this step and these removals, in any order, and take more stones.
pub fn completions(game: &AnyGame, begun: &str) -> Vec<String> {
    let (step, taken) = tokens(begun);
    let takes_more = |mv: &String| {
        let (start, all) = tokens(mv);
        start == step && all.len() > taken.len() && taken.iter().all(|removal| all.contains(removal))
    };
    game.moves().into_iter().filter(takes_more).collect()
}

/// Converts a FEN of ours to one of Sanmill; returns `None` if these rules reject it.
pub fn fen(rules: Ruleset, fen: &str) -> Option<String> {
    let Ruleset::Morris(rules) = rules else { return None };
    Morris::<CUSTOM>::new(rules).parse_fen(fen).ok().map(|placed| sanmill_fen(&placed))
}

/// Returns the options that choose these rules, with their values, or `None` if no options do.
pub fn rule_options(rules: Ruleset) -> Option<Vec<(&'static str, String)>> {
    let Ruleset::Morris(rules) = rules else { return None };
    let morris::Rules {
        stones,
        flying,
        removal,
        removals,
        diagonals,
        slides_while_placing,
        no_mill_draw,
        repetition_draw,
        once_per_line,
    } = rules;
    let is_known = (9..=12).contains(&stones) && (10..=200).contains(&no_mill_draw);
    if !is_known || removal == Removal::Never || once_per_line {
        return None;
    }
    let mut options = vec![
        ("PiecesCount", stones.to_string()),
        ("MayFly", flying.to_string()),
        ("HasDiagonalLines", diagonals.to_string()),
        ("MayMoveInPlacingPhase", slides_while_placing.to_string()),
        ("NMoveRule", no_mill_draw.to_string()),
        // The same number: no different one for three stones.
        ("EndgameNMoveRule", no_mill_draw.to_string()),
        ("ThreefoldRepetitionRule", repetition_draw.to_string()),
        // A full board is a draw.
        ("BoardFullAction", "4".to_string()),
    ];
    // Not all versions have it, and without it each move takes one stone.
    if removals == Removals::EachMill {
        options.push(("MayRemoveMultiple", "true".to_string()));
    }
    Some(options)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::house_rules;
    use millbrain_core::variant::Variant;

    #[test]
    fn moves_fall_into_tokens() {
        let fall = |text: &str| {
            let (step, removals) = tokens(text);
            [step].into_iter().chain(removals).collect::<Vec<_>>().join(" ")
        };
        for (mv, expected) in [
            ("d6", "d6"),
            ("d6xb4", "d6 xb4"),
            ("a4a7", "a4-a7"),
            ("a4a7xg1", "a4-a7 xg1"),
            ("a4-a7xg1xd1", "a4-a7 xg1 xd1"),
            ("(none)", "(none)"),
            ("", ""),
        ] {
            assert_eq!(fall(mv), expected);
        }
        assert_eq!([word("a4a7xg1xd1"), word("d6"), word("d6xb4")], ["a4-a7xg1xd1", "d6", "d6xb4"]);
    }

    #[test]
    fn a_step_that_closes_a_mill_has_completions() {
        let start = AnyGame::new(Variant::Morris.rules());
        let game = start.at(None, ["a7", "d2", "d7", "d1"]).unwrap();
        assert_eq!(completions(&game, "g7"), ["g7xd1", "g7xd2"]);
        assert!(completions(&game, "g4").is_empty() && completions(&game, "").is_empty());
        let game = start.at(Some("OO1/3/3/O1X3/1XX/3/3 w 0 0"), []).unwrap();
        assert_eq!(completions(&game, "a4-g7").len(), 3);
        assert!(completions(&game, "g7xd1").is_empty(), "a whole move");
        // Two mills at once, each of which takes a stone.
        let rules = house_rules::rules(Variant::Morris, "Removals=each mill").unwrap();
        let game = AnyGame::new(rules).at(None, ["a7", "b6", "d7", "b2", "g4", "f2", "g1", "d1"]).unwrap();
        let count = |begun: &str| completions(&game, begun).len();
        assert_eq!([count("g7"), count("g7xb6"), count("g7xb2"), count("g7xb6xb2"), count("g7xa7")], [6, 3, 3, 0, 0]);
    }

    #[test]
    fn variants_have_their_options_or_none() {
        let options = |variant: Variant| rule_options(variant.rules());
        let value =
            |variant, name: &str| options(variant).unwrap().into_iter().find(|(known, _)| *known == name).unwrap().1;
        assert_eq!(value(Variant::Muehle, "NMoveRule"), "20");
        assert_eq!(value(Variant::Lasker, "PiecesCount"), "10");
        assert_eq!(value(Variant::Lasker, "MayMoveInPlacingPhase"), "true");
        assert_eq!(value(Variant::Morabaraba, "HasDiagonalLines"), "true");
        assert_eq!(value(Variant::Mlyn, "MayFly"), "false");
        assert!(options(Variant::Mylos).is_none() && options(Variant::Smess).is_none());
        let each = house_rules::rules(Variant::Morabaraba, "Removals=each mill").and_then(rule_options).unwrap();
        assert_eq!(each.last(), Some(&("MayRemoveMultiple", "true".to_string())));
        assert_eq!(fen(Variant::Smess.rules(), "3/3/3/6/3/3/3 w 9 9 0 1"), None);
    }
}
