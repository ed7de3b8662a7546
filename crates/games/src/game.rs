//! Games with variations, as data: what goes to and comes from any of the notations.

use crate::house_rules;
use crate::record::{GameRecord, MoveRecord, Outcome, RecordError, Termination, VerifyError};
use crate::{lists, record, sgf};
use millbrain_core::any::AnyGame;
use millbrain_core::variant::{Ruleset, Variant};
use serde::{Deserialize, Serialize};

/// The reason of a game without a result in a record, which always has one.
pub const UNFINISHED: &str = "unfinished";

/// A move of a game, and what is said of it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Node {
    /// What it follows: 0 is the first position, and `n` the node at `n - 1`, which stands before this one.
    pub parent: usize,
    /// The move.
    #[serde(flatten)]
    pub played: MoveRecord,
    /// Free text; SGF alone keeps it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
}

/// How a game has ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct End {
    /// Who has won.
    pub outcome: Outcome,
    /// The kind of ending.
    pub termination: Termination,
    /// The ending in words.
    pub reason: String,
}

/// A game with its variations.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Game {
    /// Name of the variant.
    pub variant: String,
    /// Rule options that differ from those of the variant, such as `Stones=10;Flying=false`; empty for none.
    pub house_rules: String,
    /// Who plays White; empty if that is not known.
    pub white: String,
    /// Who plays Black.
    pub black: String,
    /// The first position, where it is not the start of the game.
    pub fen: Option<String>,
    /// Free text about the game.
    pub comment: String,
    /// The moves. Of those that follow the same node the first is the main line.
    pub nodes: Vec<Node>,
    /// The ending; `None` while the game is not over.
    pub end: Option<End>,
    /// Number of the game in its match, from 0.
    pub index: usize,
    /// Round of the match, from 1.
    pub round: usize,
    /// Time control of White and of Black.
    pub thinking: [String; 2],
    /// The move whose lateness ended the game. It was not played.
    pub late_move: Option<MoveRecord>,
}

impl Default for Game {
    fn default() -> Game {
        Game {
            variant: Variant::Morris.name().to_string(),
            house_rules: String::new(),
            white: String::new(),
            black: String::new(),
            fen: None,
            comment: String::new(),
            nodes: Vec::new(),
            end: None,
            index: 0,
            round: 1,
            thinking: ["-", "-"].map(str::to_string),
            late_move: None,
        }
    }
}

/// A form that games are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// The records of the match runner: [`record`].
    Record,
    /// The smart game format: [`sgf`].
    Sgf,
    /// The move lists of Sanmill: [`lists`].
    Sanmill,
}

/// Why a text is not a game, or a game cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotationError {
    /// A fault of a record.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The game breaks the rules.
    #[error(transparent)]
    Rules(#[from] VerifyError),
    /// The text is not as SGF has it; characters are counted from 1.
    #[error("SGF, character {at}: expected {expected}")]
    Sgf {
        /// The first character that does not fit.
        at: usize,
        /// What was expected there.
        expected: &'static str,
    },
    /// SGF of another game.
    #[error("SGF: game number {0}, expected 5")]
    OtherGame(String),
    /// SGF of a position without its FEN.
    #[error("SGF: a position by AW and AB, expected its FEN in XF too")]
    NoFen,
    /// The form is for the morris family.
    #[error("{0}, expected a game of the morris family")]
    OtherFamily(&'static str),
    /// A comment of a list is not closed.
    #[error("a comment has no end, expected '}}'")]
    OpenComment,
    /// A word of a list is no move.
    #[error("{0:?}, expected a move such as d6, a4-a7 or xg1 after a move")]
    Word(String),
}

impl Game {
    /// The rules of the game.
    ///
    /// # Errors
    /// A variant or house rules that do not exist.
    pub fn rules(&self) -> Result<Ruleset, VerifyError> {
        let rules = house_rules::rules(self.variant.parse()?, &self.house_rules);
        rules.ok_or_else(|| VerifyError::HouseRules(self.house_rules.clone()))
    }

    /// The first position.
    ///
    /// # Errors
    /// Rules or a FEN that are none.
    pub fn first(&self) -> Result<AnyGame, VerifyError> {
        Ok(AnyGame::new(self.rules()?).at(self.fen.as_deref(), [])?)
    }

    /// The nodes that follow each node, by number: 0 is the first position.
    pub fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.nodes.len() + 1];
        for (i, node) in self.nodes.iter().enumerate() {
            if let Some(after) = children.get_mut(node.parent) {
                after.push(i + 1);
            }
        }
        children
    }

    /// The nodes of the main line.
    pub fn main_line(&self) -> Vec<&Node> {
        let (mut line, mut last) = (Vec::new(), 0);
        for (i, node) in self.nodes.iter().enumerate() {
            if node.parent == last {
                line.push(node);
                last = i + 1;
            }
        }
        line
    }

    /// Adds a move after a node, unless it is there already; returns its number.
    pub fn add(&mut self, parent: usize, text: &str) -> usize {
        let known = self.nodes.iter().position(|node| node.parent == parent && node.played.text == text);
        known.unwrap_or_else(|| {
            let played = MoveRecord { text: text.to_string(), ..MoveRecord::default() };
            self.nodes.push(Node { parent, played, comment: String::new() });
            self.nodes.len() - 1
        }) + 1
    }

    /// Plays all variations, and writes their moves as the game itself does.
    ///
    /// # Errors
    /// Rules, a FEN or a move that cannot be.
    pub fn check(&mut self) -> Result<(), VerifyError> {
        let mut game = self.first()?;
        let children = self.children();
        // Each entry is a node and the number of moves before it; no recursion, since games are long.
        let mut waiting: Vec<(usize, usize)> = Vec::new();
        let after = |number: usize, ply: usize, waiting: &mut Vec<(usize, usize)>| {
            let next = children.get(number).into_iter().flatten().rev();
            waiting.extend(next.map(|&child| (child, ply)));
        };
        after(0, 0, &mut waiting);
        let mut played = 0;
        while let Some((number, ply)) = waiting.pop() {
            while played > ply {
                game.undo();
                played -= 1;
            }
            let Some(node) = self.nodes.get_mut(number - 1) else { continue };
            let text = &node.played.text;
            let pushed = game.push(text);
            node.played.text = pushed.map_err(|fault| VerifyError::Move { ply: ply + 1, text: text.clone(), fault })?;
            played += 1;
            after(number, ply + 1, &mut waiting);
        }
        Ok(())
    }

    /// The position after the main line.
    ///
    /// # Errors
    /// As [`Game::check`].
    pub fn last(&self) -> Result<AnyGame, VerifyError> {
        let line = self.main_line().into_iter().map(|node| node.played.text.as_str());
        Ok(AnyGame::new(self.rules()?).at(self.fen.as_deref(), line)?)
    }

    /// The ending by the rules, if the main line has come to one.
    ///
    /// # Errors
    /// As [`Game::check`].
    pub fn end_by_rules(&self) -> Result<Option<End>, VerifyError> {
        let last = self.last()?;
        Ok(last.ending().map(|ending| End {
            outcome: Outcome::of(ending.winner(last.side())),
            termination: Termination::Normal,
            reason: ending.reason.to_string(),
        }))
    }

    /// The main line as a record; a game that is not over is an adjudicated draw there, with the reason [`UNFINISHED`].
    ///
    /// # Errors
    /// Rules or a FEN that are none.
    pub fn record(&self) -> Result<GameRecord, VerifyError> {
        let named = |name: &String| if name.is_empty() { "?".to_string() } else { name.clone() };
        let unfinished =
            End { outcome: Outcome::Draw, termination: Termination::Adjudication, reason: UNFINISHED.to_string() };
        let End { outcome, termination, reason } = self.end.clone().unwrap_or(unfinished);
        Ok(GameRecord {
            index: self.index,
            round: self.round,
            white: named(&self.white),
            black: named(&self.black),
            variant: self.variant.clone(),
            house_rules: self.house_rules.clone(),
            thinking: self.thinking.clone(),
            fen: match &self.fen {
                Some(fen) => fen.clone(),
                None => self.first()?.fen(),
            },
            moves: self.main_line().into_iter().map(|node| node.played.clone()).collect(),
            late_move: self.late_move.clone(),
            outcome,
            termination,
            reason,
        })
    }

    /// The game of a record.
    ///
    /// # Errors
    /// Rules that do not exist.
    pub fn of_record(record: GameRecord) -> Result<Game, VerifyError> {
        let unnamed = |name: String| if name == "?" { String::new() } else { name };
        let is_start = AnyGame::new(record.rules()?).fen() == record.fen;
        let ended = record.reason != UNFINISHED;
        let moves = record.moves.into_iter().enumerate();
        Ok(Game {
            variant: record.variant,
            house_rules: record.house_rules,
            white: unnamed(record.white),
            black: unnamed(record.black),
            fen: (!is_start).then_some(record.fen),
            comment: String::new(),
            nodes: moves.map(|(parent, played)| Node { parent, played, comment: String::new() }).collect(),
            end: ended.then_some(End {
                outcome: record.outcome,
                termination: record.termination,
                reason: record.reason,
            }),
            index: record.index,
            round: record.round,
            thinking: record.thinking,
            late_move: record.late_move,
        })
    }

    /// The text of the game in one of the forms.
    ///
    /// # Errors
    /// A game that the form has no place for, or rules that do not exist.
    pub fn text(&self, format: Format) -> Result<String, NotationError> {
        match format {
            Format::Record => Ok(self.record()?.text()),
            Format::Sgf => sgf::write(self),
            Format::Sanmill => lists::write(self),
        }
    }
}

/// The form that a text seems to have.
pub fn format_of(text: &str) -> Format {
    let text = without_mark(text);
    if text.starts_with('(') {
        Format::Sgf
    } else if text.starts_with('[') && text.lines().any(|line| line.starts_with("[Variant \"")) {
        Format::Record
    } else {
        Format::Sanmill
    }
}

/// Without the mark of UTF-8 that some editors put before a text, and spaces.
fn without_mark(text: &str) -> &str {
    text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n'])
}

/// Reads the games of a text in a form; a bare list of moves is played by the rules of `like`. An empty text has no games.
///
/// # Errors
/// The first fault.
pub fn read(text: &str, format: Format, like: &Game) -> Result<Vec<Game>, NotationError> {
    let body = without_mark(text);
    if body.is_empty() {
        return Ok(Vec::new());
    }
    match format {
        Format::Record => {
            let records = record::read_games(text.trim_start_matches('\u{feff}'))?;
            records.into_iter().map(|record| Ok(Game::of_record(record)?)).collect()
        }
        Format::Sgf => sgf::read(text),
        Format::Sanmill => Ok(vec![lists::read(body, like)?]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::morris::rules::MLYN;

    /// A random game with variations, of at most so many plies.
    fn random(variant: Variant, house_rules: &str, fen: Option<&str>, seed: u64) -> Game {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut game = Game {
            variant: variant.to_string(),
            house_rules: house_rules.to_string(),
            white: "Ann [white]".to_string(),
            black: "Bob \\ \"black\"".to_string(),
            fen: fen.map(str::to_string),
            ..Game::default()
        };
        for line in 0..3 {
            let mut any = game.first().expect("rules");
            let mut at = 0;
            for ply in 0..100 {
                let Some(text) = rng.choice(if any.ending().is_some() { Vec::new() } else { any.moves() }) else {
                    break;
                };
                at = game.add(at, &any.push(&text).expect("legal"));
                if line > 0 && ply == 20 {
                    game.nodes[at - 1].comment = "an [aside] \\ of two\nlines".to_string();
                    break;
                }
            }
        }
        game.end = game.end_by_rules().expect("legal moves");
        game
    }

    fn games() -> Vec<Game> {
        let mut games: Vec<Game> =
            Variant::ALL.into_iter().zip(1..).map(|(v, seed)| random(v, "", None, seed)).collect();
        games.push(random(Variant::Morris, "Stones=6;Flying=false;Board=diagonals", None, 9));
        games.push(random(Variant::Mlyn, "", Some("O2/1O1/2O/O2X2/3/XX1/2X b 1 0 3 7"), 10));
        games.push(random(Variant::Morris, "Removals=each mill;Once Per Line Mills=true", None, 11));
        games
    }

    /// The game as a form without variations, comments and players keeps it.
    fn main_line_of(game: &Game) -> Game {
        let line = game.main_line().into_iter().cloned().enumerate();
        let nodes = line.map(|(parent, node)| Node { parent, comment: String::new(), ..node }).collect();
        Game { nodes, comment: String::new(), ..game.clone() }
    }

    #[test]
    fn games_come_back_from_every_form() {
        for game in games() {
            let main_line = main_line_of(&game);
            let record = game.text(Format::Record).expect("a record");
            assert_eq!(format_of(&record), Format::Record);
            assert_eq!(read(&record, Format::Record, &Game::default()), Ok(vec![main_line.clone()]), "{record}");
            if game.variant == "smess" {
                assert!(game.text(Format::Sgf).is_err_and(|error| error.to_string().contains("no number for Smess")));
                assert!(game.text(Format::Sanmill).is_err_and(|error| error.to_string().contains("no Smess")));
                continue;
            }
            let text = game.text(Format::Sgf).expect("SGF");
            assert_eq!(format_of(&text), Format::Sgf);
            let again = read(&format!("\u{feff} {text}{text}"), Format::Sgf, &Game::default()).expect("SGF");
            let [first, second] = &again[..] else { panic!("two games: {text}") };
            assert_eq!((first.text(Format::Sgf), second), (Ok(text), first));
            assert_eq!((first.nodes.len(), &first.end, &first.fen), (game.nodes.len(), &game.end, &game.fen));
            let list = game.text(Format::Sanmill).expect("a list");
            assert_eq!(format_of(&list), Format::Sanmill);
            let nameless = Game { white: String::new(), black: String::new(), ..main_line };
            if !game.house_rules.contains("Once") {
                assert_eq!(read(&list, Format::Sanmill, &game), Ok(vec![nameless]), "{list}");
            }
        }
    }

    #[test]
    fn every_ending_comes_back() {
        let outcomes = [Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw];
        let kinds = ["adjudication", "time forfeit", "illegal move", "crash", "stall"];
        for (outcome, kind) in outcomes.into_iter().flat_map(|outcome| kinds.map(|kind| (outcome, kind))) {
            for reason in ["white resigns", "black resigns", "draw by the scores"] {
                let end = End { outcome, termination: kind.parse().expect("a kind"), reason: reason.to_string() };
                let game = Game { end: Some(end), ..Game::default() };
                for format in [Format::Record, Format::Sgf] {
                    let text = game.text(format).expect("a text");
                    assert_eq!(read(&text, format, &Game::default()), Ok(vec![game.clone()]), "{text}");
                }
            }
        }
        let unfinished = Game::default();
        for format in [Format::Record, Format::Sgf] {
            let text = unfinished.text(format).expect("a text");
            assert_eq!(read(&text, format, &Game::default()), Ok(vec![unfinished.clone()]), "{text}");
        }
    }

    #[test]
    fn what_others_write_is_read() {
        let like = Game { variant: "mlyn".to_string(), ..Game::default() };
        let one = |text: &str, format| {
            let game = read(text, format, &like).unwrap_or_else(|error| panic!("{text}: {error}")).remove(0);
            let moves: Vec<String> = game.main_line().into_iter().map(|node| node.played.text.clone()).collect();
            (moves.join(" "), game)
        };
        let (moves, game) = one(
            "(;GM[5] FF[3] RU[Some club]\nPW[x] RE[B+R]; W[D6] C[first]\n;Black[f4](;W[d7])(;W[a7];B[a4]))",
            Format::Sgf,
        );
        assert_eq!((moves.as_str(), game.variant.as_str(), game.nodes.len()), ("d6 f4 d7", "morris", 5));
        assert_eq!(game.nodes[0].comment, "first");
        assert_eq!(game.end.map(|end| end.reason).as_deref(), Some("white resigns"));
        let (moves, game) =
            one(" 1.    d6    f4\n 2.    d7 {good}   f2\n 3.    D5 xf4   f6 0.5-0.5\n", Format::Sanmill);
        assert_eq!((moves.as_str(), game.variant.as_str()), ("d6 f4 d7 f2 d5xf4 f6", "mlyn"));
        assert_eq!(game.rules(), Ok(Ruleset::Morris(MLYN)));
        assert_eq!(one("{a {b} 1. d6 {c}f4{ {} d7, 1...a7 *", Format::Sanmill).0, "d6 f4 d7 a7");
        let empty = read("\u{feff}\n", Format::Sgf, &like);
        assert_eq!(empty, Ok(Vec::new()));
    }

    #[test]
    fn faults_are_told() {
        for (text, words) in [
            ("(;GM[1])", "SGF: game number 1, expected 5"),
            ("(;GM[5];W[d6]", "SGF, character 14: expected ')'"),
            ("(;GM[5]AW[d6])", "SGF: a position by AW and AB, expected its FEN in XF too"),
            ("(;GM[5];W[d6];B[d6])", "ply 2: \"d6\" is illegal, expected a legal move"),
            ("(;GM[5];W[])x", "SGF, character 13: expected '('"),
            ("(GM[5])", "SGF, character 2: expected ';'"),
            (
                "(;RU[morris;Stones=1])",
                "house rules \"Stones=1\", expected rule options such as Stones=10;Flying=false",
            ),
            ("1. d6 {f4", "a comment has no end, expected '}'"),
            ("1. d6 } f4", "\"}\", expected a move such as d6, a4-a7 or xg1 after a move"),
            ("xd6", "\"xd6\", expected a move such as d6, a4-a7 or xg1 after a move"),
            ("1. d6 d6", "ply 2: \"d6\" is illegal, expected a legal move"),
        ] {
            let error = read(text, format_of(text), &Game::default()).expect_err(text);
            assert_eq!(error.to_string(), words);
        }
        let deep = "(;".repeat(100_000);
        assert!(read(&deep, Format::Sgf, &Game::default()).is_err_and(|error| error.to_string().contains("')'")));
        let deep = format!("{}{}", "(;".repeat(5_000), ")".repeat(5_000));
        assert_eq!(read(&deep, Format::Sgf, &Game::default()).map(|games| games.len()), Ok(1));
    }
}
