//! What a page shows of a game, as data.

use millbrain::any::AnyGame;
use millbrain::game::Verdict;
use millbrain::protocol::Settings;
use millbrain::variant::Ruleset;
use serde::Serialize;

/// The state of a game.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// The variant last chosen, whose rules the options may have changed since.
    pub variant: &'static str,
    /// `morris` or `smess`.
    pub family: &'static str,
    /// Whether the corners of the board are joined.
    pub diagonals: bool,
    /// The position.
    pub fen: String,
    /// The side to move, `white` or `black`.
    pub side: String,
    /// The legal moves; after a draw by history there are still some.
    pub moves: Vec<String>,
    /// How the game has ended, if it has.
    pub ending: Option<End>,
    /// How often the position has occurred, this time included.
    pub occurrences: usize,
    /// Plies since the last progress, and after how many the game is drawn (0 for never).
    pub plies_without_progress: (u16, u16),
    /// Names and values for a human reader, as the command `d` shows them.
    pub facts: Vec<(&'static str, String)>,
}

/// The end of a game.
#[derive(Serialize, Debug)]
pub struct End {
    /// `white`, `black`, or nobody.
    pub winner: Option<String>,
    /// The reason, as the command `d` shows it.
    pub reason: String,
}

impl State {
    /// The state of a game by the rules of these options.
    pub fn new(game: &AnyGame, settings: &Settings) -> State {
        let (family, diagonals, limit) = match settings.rules() {
            Ruleset::Morris(rules) => ("morris", rules.diagonals, rules.no_mill_draw),
            Ruleset::Smess(rules) => ("smess", false, rules.no_capture_draw),
        };
        let ending = game.ending().map(|ending| End {
            winner: match ending.verdict {
                Verdict::Win => Some(game.side().to_string()),
                Verdict::Loss => Some(game.side().other().to_string()),
                Verdict::Draw => None,
            },
            reason: ending.reason.to_string(),
        });
        State {
            variant: settings.variant.name(),
            family,
            diagonals,
            fen: game.fen(),
            side: game.side().to_string(),
            moves: game.moves(),
            ending,
            occurrences: game.occurrences(),
            plies_without_progress: (game.plies_without_progress(), limit),
            facts: game.describe(),
        }
    }
}
