//! The forms that games are written in and read from, and the common entry point for reading them.

use crate::game::{Game, NotationError};
use crate::others::{coordinates, goldtoken, kaggle};
pub use crate::parts::Part;
use crate::split::{Piece, Splitter};
use crate::{lists, mif, parts, pgn, sgf};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A form of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// The records of the match runner: [`record`](crate::record).
    Record,
    /// The portable game notation, as Sanmill writes it and others read it.
    Pgn,
    /// The smart game format.
    Sgf,
    /// The move lists of Sanmill.
    Sanmill,
    /// The Mill Interchange Format: [`mif`].
    Mif,
    /// The portable game notation with points that are numbers, as PlayOK writes it.
    PlayOk,
    /// Rows of a table of GoldToken.
    GoldToken,
    /// Points as rings and places, as old versions of Sanmill wrote them.
    Coordinates,
    /// Replays of Kaggle's game arena.
    Kaggle,
}

impl Format {
    /// All forms.
    pub const ALL: [Format; 9] = [
        Format::Record,
        Format::Pgn,
        Format::Sgf,
        Format::Sanmill,
        Format::Mif,
        Format::PlayOk,
        Format::GoldToken,
        Format::Coordinates,
        Format::Kaggle,
    ];

    /// The forms that are written, not only read.
    pub const WRITTEN: [Format; 5] = [Format::Record, Format::Pgn, Format::Sgf, Format::Sanmill, Format::Mif];

    /// Detects the form of a game's text.
    pub fn of(text: &str) -> Format {
        let text = without_mark(text);
        let is_point =
            text.strip_prefix('(').is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()));
        if text.starts_with('(') && !is_point {
            Format::Sgf
        } else if text.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with(['"', '}'])) {
            if kaggle::is_replay(text) { Format::Kaggle } else { Format::Mif }
        } else {
            pgn::form(text)
        }
    }

    /// Returns whether the form has a place for a part of a game. A form that is only read keeps all that it has.
    pub fn keeps(self, part: Part) -> bool {
        use Part::{LateMove, Players, Reason, Result, Rules, Scores, Tags, Termination, Times};
        match self {
            Format::Record | Format::Pgn => true,
            Format::Sgf => !matches!(part, LateMove | Scores | Times),
            Format::Sanmill | Format::Coordinates => part == Result,
            Format::Mif => matches!(part, Rules | Result | Termination | Reason),
            Format::PlayOk => part != Rules,
            Format::GoldToken => false,
            Format::Kaggle => matches!(part, Players | Tags | Result | Termination),
        }
    }
}

/// Prints its name, as `--to` takes it.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Record => "record",
            Format::Pgn => "pgn",
            Format::Sgf => "sgf",
            Format::Sanmill => "sanmill",
            Format::Mif => "mif",
            Format::PlayOk => "playok",
            Format::GoldToken => "goldtoken",
            Format::Coordinates => "coordinates",
            Format::Kaggle => "kaggle",
        })
    }
}

/// The text of a game, and what was lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The text.
    pub text: String,
    /// The parts of the game that the form has no place for.
    pub lost: Vec<Part>,
    /// The changes that make the game follow the rules, a line each.
    pub notes: Vec<String>,
}

impl Written {
    /// Returns one line for each difference from the game.
    pub fn remarks(&self, format: Format) -> Vec<String> {
        let lost = self.lost.iter().map(Part::to_string).collect::<Vec<_>>().join(", ");
        let lost = Some(format!("{format} has no place for {lost}")).filter(|_| !self.lost.is_empty());
        self.notes.iter().cloned().chain(lost).collect()
    }
}

/// Writes a game in one of the forms. The result can be read, and follows the rules.
///
/// # Errors
/// Fails if the form has no place for the game or is only read, or if the game breaks the rules.
pub fn write(game: &Game, format: Format) -> Result<Written, NotationError> {
    let mut game = game.clone();
    let notes = game.settle()?;
    let text = match format {
        Format::Record => pgn::write_record(&game, &game.first()?.fen()),
        Format::Pgn => pgn::write_pgn(&game)?,
        Format::Sgf => sgf::write(&game)?,
        Format::Sanmill => lists::write(&game)?,
        Format::Mif => mif::write(&game)?,
        Format::PlayOk | Format::GoldToken | Format::Coordinates | Format::Kaggle => {
            return Err(NotationError::ReadOnly(format));
        }
    };
    let (lost, _) = parts::lost(&game, format)?;
    Ok(Written { text, lost, notes })
}

/// A game that has been read, with the deviations tolerated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The form of its text.
    pub form: Format,
    /// The game, played to its end.
    pub game: Game,
    /// The deviations from the form or the rules, a line each.
    pub notes: Vec<String>,
}

/// A game of a text, or the error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The number of the game in the text, from 1.
    pub number: usize,
    /// Its first line, from 1.
    pub line: usize,
    /// The game.
    pub reading: Result<Reading, NotationError>,
}

/// Reads the text of one game in a form; where it does not name its rules, those of `like` apply.
///
/// # Errors
/// Fails with the first fault.
pub fn read_one(text: &str, form: Format, like: &Game) -> Result<Reading, NotationError> {
    let text = without_mark(text);
    let movetext = |text: &str| pgn::read(text, like);
    let (form, game, notes) = match form {
        Format::Sgf => {
            let (game, notes) = sgf::read(text, like)?;
            (form, game, notes)
        }
        Format::Mif => (form, mif::read_one(text, like)?, Vec::new()),
        Format::Kaggle => {
            let mut game = kaggle::read(text)?;
            let notes = game.settle()?;
            (form, game, notes)
        }
        Format::GoldToken | Format::Coordinates => {
            let own =
                if form == Format::GoldToken { goldtoken::translated(text) } else { coordinates::translated(text) };
            let (_, game, notes) = movetext(&own)?;
            (form, game, notes)
        }
        Format::Record | Format::Pgn | Format::Sanmill | Format::PlayOk => movetext(text)?,
    };
    Ok(Reading { form, game, notes })
}

impl Piece {
    /// Reads the game of a piece; line numbers are those of the whole text.
    ///
    /// # Errors
    /// Fails with the first fault.
    pub fn read(&self, like: &Game) -> Result<Reading, NotationError> {
        read_one(&self.text, self.form, like).map_err(|error| error.after(self.line - 1))
    }
}

/// Reads the games of a text one by one, in any forms; where they do not name their rules, those of `like` apply. A
/// faulty game does not affect the others.
///
/// ```
/// use millbrain_games::forms::games;
/// use millbrain_games::game::Game;
///
/// let text = "1. d6 f4 *\n1. d6 d6 *\n(;GM[5];W[d6];B[f4];W[d2])\n";
/// let plies: Vec<_> = games(text, &Game::default())
///     .map(|found| found.reading.map(|reading| reading.game.nodes.len()).map_err(|error| error.to_string()))
///     .collect();
/// assert_eq!(plies, [Ok(2), Err("move 2 (d6) is illegal, expected a legal move".to_string()), Ok(3)]);
/// ```
pub fn games<'a>(text: &'a str, like: &'a Game) -> impl Iterator<Item = Found> + 'a {
    parts_of(text, None).zip(1..).map(|(piece, number)| Found { number, line: piece.line, reading: piece.read(like) })
}

/// Returns the pieces of a text, a few at a time.
fn parts_of(text: &str, form: Option<Format>) -> impl Iterator<Item = Piece> {
    let mut splitter = Some(Splitter::new(form));
    let mut lines = text.split_inclusive('\n');
    let pieces = std::iter::from_fn(move || {
        let splitter_now = splitter.as_mut()?;
        Some(match lines.next() {
            Some(line) => splitter_now.push(line),
            None => splitter.take().map(Splitter::finish).unwrap_or_default(),
        })
    });
    pieces.flatten()
}

/// Reads all games of a text, in a form or in the detected ones.
///
/// # Errors
/// Fails with the first fault, with the number of the game if there are several.
pub fn read(text: &str, form: Option<Format>, like: &Game) -> Result<Vec<Reading>, NotationError> {
    parts_of(text, form).map(|piece| piece.read(like)).collect()
}

/// Returns a text without the byte-order mark and spaces before it.
fn without_mark(text: &str) -> &str {
    text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n'])
}

#[cfg(test)]
mod tests;
