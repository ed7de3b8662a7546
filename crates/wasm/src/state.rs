//! What a page shows of games, as data.

use millbrain_core::any::AnyBoard;
use millbrain_core::game::Side;
use millbrain_core::layout::{Layout, MoveParts, Piece};
use millbrain_core::options::{RuleOption, Value};
use millbrain_core::variant::Variant;
use serde::{Deserialize, Serialize};

/// The state of a game. Points are places in the points of its board.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// The variant last chosen, whose rules the options may have changed since.
    pub variant: &'static str,
    /// The id of its family.
    pub family: &'static str,
    /// The position.
    pub fen: String,
    /// The side to move.
    pub side: Side,
    /// What stands on the board.
    pub pieces: Vec<Piece>,
    /// The pieces in hand of White and of Black.
    pub hands: [u32; 2],
    /// The pieces of White and of Black that are out of the game, by kind.
    pub lost: [Vec<usize>; 2],
    /// The id of the phase that the side to move is in.
    pub phase: &'static str,
    /// The number of the move, from 1.
    pub move_number: u32,
    /// The legal moves; after a draw by history there are still some.
    pub moves: Vec<MoveParts>,
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
    /// Who has won; nobody in a draw.
    pub winner: Option<Side>,
    /// The id of the reason; its words are the text `ending.ID`.
    pub id: &'static str,
    /// The reason in English, as the command `d` shows it.
    pub reason: String,
}

impl State {
    /// The state of a game of a variant.
    pub fn new(game: &AnyBoard, variant: Variant) -> State {
        let ending = game.ending().map(|ending| End {
            winner: ending.winner(game.side()),
            id: ending.reason.id(),
            reason: ending.reason.to_string(),
        });
        State {
            variant: variant.name(),
            family: game.family(),
            fen: game.fen(),
            side: game.side(),
            pieces: game.pieces(),
            hands: game.hands().unwrap_or_default(),
            lost: game.lost(),
            phase: game.phase(),
            move_number: game.move_number(),
            moves: game.move_parts(),
            ending,
            occurrences: game.occurrences(),
            plies_without_progress: (game.plies_without_progress(), game.draw_rules().progress_limit),
            facts: game.describe(),
        }
    }
}

/// What an editor shows.
#[derive(Deserialize, Debug)]
pub struct Setup {
    /// What stands on the board.
    pub pieces: Vec<Piece>,
    /// The side to move.
    pub side: Side,
    /// The pieces in hand of White and of Black.
    pub hands: [u32; 2],
}

/// A variant, with its rules as options.
#[derive(Serialize, Debug)]
pub struct Described {
    /// Its name.
    pub name: &'static str,
    /// The id of its family.
    pub family: &'static str,
    /// Its rule options, each with the variant's value.
    pub options: Vec<DescribedOption>,
    /// The board.
    pub layout: Layout,
    /// The position that its games begin at.
    pub start: String,
}

/// A rule option of a variant.
#[derive(Serialize, Debug)]
pub struct DescribedOption {
    /// Its name and its values.
    #[serde(flatten)]
    pub option: RuleOption,
    /// The value of the variant.
    pub value: Option<Value>,
}

/// All variants.
pub fn variants() -> Vec<Described> {
    let described = |variant: Variant| {
        let (rules, game) = (variant.rules(), AnyBoard::new(variant.rules()));
        let options = rules.options().into_iter();
        Described {
            name: variant.name(),
            family: game.family(),
            options: options.map(|option| DescribedOption { option, value: rules.value(option.name) }).collect(),
            layout: game.layout(),
            start: game.fen(),
        }
    };
    Variant::ALL.map(described).into()
}
