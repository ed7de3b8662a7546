//! The parts of a game, and which of them each form preserves.

use crate::forms::Format;
use crate::game::{End, Game};
use crate::record::{Outcome, Termination, VerifyError};
use std::fmt;

/// A part of a game that a form may have no place for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    /// The variant and the house rules.
    Rules,
    /// The names of the players.
    Players,
    /// Other tags, in order.
    Tags,
    /// The number in a match, the round, and the time controls.
    Match,
    /// The result.
    Result,
    /// The kind of ending.
    Termination,
    /// The ending as text.
    Reason,
    /// The move that came too late.
    LateMove,
    /// The comment on the game.
    GameComment,
    /// Variations.
    Variations,
    /// Comments on moves.
    Comments,
    /// Comments before moves.
    CommentsBefore,
    /// Marks such as `!`.
    Marks,
    /// Scores and depths that engines have reported.
    Scores,
    /// Times that moves have taken.
    Times,
    /// Clocks after moves.
    Clocks,
}

impl Part {
    /// All parts.
    pub const ALL: [Part; 16] = [
        Part::Rules,
        Part::Players,
        Part::Tags,
        Part::Match,
        Part::Result,
        Part::Termination,
        Part::Reason,
        Part::LateMove,
        Part::GameComment,
        Part::Variations,
        Part::Comments,
        Part::CommentsBefore,
        Part::Marks,
        Part::Scores,
        Part::Times,
        Part::Clocks,
    ];

    /// Removes the part from a game whose main line ends like this by the rules.
    fn remove(self, game: &mut Game, by_rules: Option<&End>) {
        let each = |game: &mut Game, change: &dyn Fn(&mut crate::game::Node)| game.nodes.iter_mut().for_each(change);
        match self {
            // The reader chooses the rules that the text is played by.
            Part::Rules => {}
            Part::Players => (game.white, game.black) = Default::default(),
            Part::Tags => game.tags.clear(),
            Part::Match => {
                let Game { index, round, thinking, .. } = Game::default();
                (game.index, game.round, game.thinking) = (index, round, thinking);
            }
            Part::Result => game.end = by_rules.cloned(),
            Part::Termination if by_rules.is_none() => {
                game.end = game.end.take().filter(|end| end.outcome != Outcome::Open);
                if let Some(end) = &mut game.end {
                    end.termination = Termination::Unknown;
                }
            }
            Part::Reason if by_rules.is_none() => {
                if let Some(end) = &mut game.end {
                    end.reason.clear();
                }
            }
            Part::Termination | Part::Reason => {}
            Part::LateMove => game.late_move = None,
            Part::GameComment => game.comment.clear(),
            Part::Variations => {
                let line: Vec<_> = game.main_line().into_iter().cloned().collect();
                game.nodes =
                    line.into_iter().enumerate().map(|(parent, node)| crate::game::Node { parent, ..node }).collect();
            }
            Part::Comments => each(game, &|node| node.comment.clear()),
            Part::CommentsBefore => each(game, &|node| node.before.clear()),
            Part::Marks => each(game, &|node| node.marks.clear()),
            Part::Scores => each(game, &|node| (node.played.score, node.played.depth) = (None, None)),
            Part::Times => each(game, &|node| (node.played.time, node.played.late) = (None, None)),
            Part::Clocks => each(game, &|node| node.clock = None),
        }
    }
}

/// Prints the name of the part.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Rules => "the rules",
            Part::Players => "the players",
            Part::Tags => "other tags",
            Part::Match => "number, round and time controls",
            Part::Result => "the result",
            Part::Termination => "why the game has ended",
            Part::Reason => "the ending in words",
            Part::LateMove => "the late move",
            Part::GameComment => "the comment on the game",
            Part::Variations => "variations",
            Part::Comments => "comments after moves",
            Part::CommentsBefore => "comments before moves",
            Part::Marks => "marks",
            Part::Scores => "scores and depths",
            Part::Times => "times of moves",
            Part::Clocks => "clocks",
        })
    }
}

/// Returns the parts of a settled game that a form has no place for, and the game as it is read back.
///
/// # Errors
/// Fails for invalid rules or moves.
pub(crate) fn lost(game: &Game, form: Format) -> Result<(Vec<Part>, Game), VerifyError> {
    let by_rules = game.end_by_rules()?;
    let mut rest = game.clone();
    let mut lost = Vec::new();
    for part in Part::ALL.into_iter().filter(|part| !form.keeps(*part)) {
        let before = rest.clone();
        part.remove(&mut rest, by_rules.as_ref());
        let is_other = part == Part::Rules && *game != Game { house_rules: String::new(), ..game.clone() };
        if rest != before || is_other {
            lost.push(part);
        }
    }
    Ok((lost, rest))
}
