//! Facts that explain why a move is bad, and the moves that capture.

use millbrain_core::any::AnyRules;
use millbrain_core::game::Verdict;
use millbrain_core::game::value::Known;
use millbrain_core::message::{Message, Value};
use millbrain_core::texts::Language;
use serde::Serialize;

/// A fact about a move, compared with a better one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Fact {
    /// The better move wins at once.
    WinsAtOnce {
        /// The better move.
        better: String,
    },
    /// The better move captures, the played one does not.
    MissedTake {
        /// The better move.
        better: String,
    },
    /// The opponent can capture after the played move, and could not after the better one.
    AllowsTake {
        /// A capturing reply.
        reply: String,
        /// The better move.
        better: String,
    },
    /// The move gives up a win in this number of plies.
    GaveUpWin {
        /// Plies, if they are known.
        plies: Option<u32>,
    },
    /// The move turns a draw into a loss in this number of plies.
    GaveUpDraw {
        /// Plies, if they are known.
        plies: Option<u32>,
    },
    /// The better move wins in this number of plies; the value of the played one is unknown.
    MissedWin {
        /// The better move.
        better: String,
        /// Plies.
        plies: u32,
    },
    /// The opponent wins in this number of plies after the played move; the value of the position is unknown.
    AllowsWin {
        /// Plies, from the opponent's next move on.
        plies: u32,
    },
}

/// Counts the pieces of both sides, those in hand included.
pub fn material(game: &dyn AnyRules) -> u32 {
    game.pieces().len() as u32 + game.hands().map_or(0, |hands| hands.iter().sum())
}

/// Returns the capturing moves, in the order of the move generator.
pub fn takes(game: &dyn AnyRules) -> impl Iterator<Item = String> + '_ {
    let before = material(game);
    game.moves().into_iter().filter(move |mv| after(game, mv).is_some_and(|after| material(&*after) < before))
}

/// Returns the position after a move, or `None` if it is not legal.
fn after(game: &dyn AnyRules, mv: &str) -> Option<Box<dyn AnyRules>> {
    let mut game = game.copy();
    game.push(mv).ok().map(|_| game)
}

impl Fact {
    /// Returns the fact about a move, given a better one. `values` are the known values of the positions before and
    /// after it, for the side that moves.
    pub fn of(game: &dyn AnyRules, played: &str, better: &str, values: [Option<Known>; 2]) -> Option<Fact> {
        let (after_played, after_better) = (after(game, played)?, after(game, better)?);
        let text = better.to_string();
        if after_better.ending().is_some_and(|ending| ending.verdict == Verdict::Loss) {
            return Some(Fact::WinsAtOnce { better: text });
        }
        let before = material(game);
        if material(&*after_better) < before && material(&*after_played) == before {
            return Some(Fact::MissedTake { better: text });
        }
        if let Some(reply) = takes(&*after_played).next()
            && takes(&*after_better).next().is_none()
        {
            return Some(Fact::AllowsTake { reply, better: text });
        }
        match values.map(|known| known.map(Known::verdict)) {
            [Some(Verdict::Win), Some(Verdict::Draw | Verdict::Loss)] => {
                Some(Fact::GaveUpWin { plies: values[0].and_then(Known::plies) })
            }
            [Some(Verdict::Draw), Some(Verdict::Loss)] => {
                Some(Fact::GaveUpDraw { plies: values[1].and_then(Known::plies) })
            }
            [Some(Verdict::Win), None] => {
                values[0].and_then(Known::plies).map(|plies| Fact::MissedWin { better: text, plies })
            }
            [None, Some(Verdict::Loss)] => {
                values[1].and_then(Known::plies).map(|plies| Fact::AllowsWin { plies: plies.saturating_sub(1) })
            }
            _ => None,
        }
    }

    /// Returns the key of its text.
    const fn text(&self) -> &'static str {
        match self {
            Fact::WinsAtOnce { .. } => "fact.wins-at-once",
            Fact::MissedTake { .. } => "fact.missed-take",
            Fact::AllowsTake { .. } => "fact.allows-take",
            Fact::GaveUpWin { plies: Some(_) } => "fact.gave-up-win-in",
            Fact::GaveUpWin { plies: None } => "fact.gave-up-win",
            Fact::GaveUpDraw { plies: Some(_) } => "fact.gave-up-draw-in",
            Fact::GaveUpDraw { plies: None } => "fact.gave-up-draw",
            Fact::MissedWin { .. } => "fact.missed-win",
            Fact::AllowsWin { .. } => "fact.allows-win",
        }
    }

    /// Returns the fact as a sentence in a language.
    pub fn sentence(&self, language: Language) -> String {
        let moved = |text: &String| Value::from(text.clone());
        let values = match self {
            Fact::WinsAtOnce { better } | Fact::MissedTake { better } => vec![("better", moved(better))],
            Fact::AllowsTake { reply, better } => vec![("reply", moved(reply)), ("better", moved(better))],
            Fact::GaveUpWin { plies } | Fact::GaveUpDraw { plies } => plies.iter().map(|&n| ("n", n.into())).collect(),
            Fact::MissedWin { better, plies } => vec![("better", moved(better)), ("n", (*plies).into())],
            Fact::AllowsWin { plies } => vec![("n", (*plies).into())],
        };
        Message { id: self.text(), values }.in_language(language)
    }
}
