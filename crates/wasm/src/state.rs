//! Data about games for a page.

use millbrain_core::any::AnyBoard;
use millbrain_core::game::Side;
use millbrain_core::layout::{Layout, MoveParts, Piece};
use millbrain_core::options::{RuleOption, Value};
use millbrain_core::variant::Variant;
use serde::{Deserialize, Serialize};

/// The state of a game. Points are indices into the points of its board.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// The variant last chosen; options may have changed its rules since.
    pub variant: &'static str,
    /// ID of its family.
    pub family: &'static str,
    /// The position.
    pub fen: String,
    /// The side to move.
    pub side: Side,
    /// The pieces on the board.
    pub pieces: Vec<Piece>,
    /// The pieces in hand of White and of Black.
    pub hands: [u32; 2],
    /// The captured pieces of White and of Black, by kind.
    pub lost: [Vec<usize>; 2],
    /// ID of the phase of the side to move.
    pub phase: &'static str,
    /// Move number, from 1.
    pub move_number: u32,
    /// The legal moves; not empty after a draw by history.
    pub moves: Vec<MoveParts>,
    /// The end of the game, if it has ended.
    pub ending: Option<End>,
    /// Number of occurrences of the position, including this one.
    pub occurrences: usize,
    /// Plies since the last progress, and the number at which the game is drawn (0 for never).
    pub plies_without_progress: (u16, u16),
    /// Names and values for a human reader, as the command `d` prints them.
    pub facts: Vec<(&'static str, String)>,
}

/// The end of a game.
#[derive(Serialize, Debug)]
pub struct End {
    /// The winner; `None` for a draw.
    pub winner: Option<Side>,
    /// ID of the reason; its message is the text `ending.ID`.
    pub id: &'static str,
    /// The reason in English, as the command `d` prints it.
    pub reason: String,
}

impl State {
    /// Returns the state of a game of a variant.
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

/// The contents of an editor.
#[derive(Deserialize, Debug)]
pub struct Setup {
    /// The pieces on the board.
    pub pieces: Vec<Piece>,
    /// The side to move.
    pub side: Side,
    /// The pieces in hand of White and of Black.
    pub hands: [u32; 2],
}

/// A variant, with its rules as options.
#[derive(Serialize, Debug)]
pub struct Described {
    /// Name of the variant.
    pub name: &'static str,
    /// Other names by which it can be chosen.
    pub aliases: &'static [&'static str],
    /// ID of its family.
    pub family: &'static str,
    /// Its rule options, each with the variant's value.
    pub options: Vec<DescribedOption>,
    /// The board.
    pub layout: Layout,
    /// The start position.
    pub start: String,
}

/// A rule option of a variant.
#[derive(Serialize, Debug)]
pub struct DescribedOption {
    /// Name and values of the option.
    #[serde(flatten)]
    pub option: RuleOption,
    /// The value in the variant.
    pub value: Option<Value>,
}

/// Returns all variants.
pub fn variants() -> Vec<Described> {
    let described = |variant: Variant| {
        let (rules, game) = (variant.rules(), AnyBoard::new(variant.rules()));
        let options = rules.options().into_iter();
        Described {
            name: variant.name(),
            aliases: variant.aliases(),
            family: game.family(),
            options: options.map(|option| DescribedOption { option, value: rules.value(option.name) }).collect(),
            layout: game.layout(),
            start: game.fen(),
        }
    };
    Variant::ALL.map(described).into()
}
