//! The forms that games are written in and read from.

use crate::game::{Game, NotationError};
use crate::{lists, mif, record, sgf};
use serde::{Deserialize, Serialize};

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
    /// The Mill Interchange Format: [`mif`].
    Mif,
}

/// The text of a game in one of the forms.
///
/// # Errors
/// A game that the form has no place for, or rules that do not exist.
pub fn write(game: &Game, format: Format) -> Result<String, NotationError> {
    match format {
        Format::Record => Ok(game.record()?.text()),
        Format::Sgf => sgf::write(game),
        Format::Sanmill => lists::write(game),
        Format::Mif => mif::write(game),
    }
}

/// The form that a text seems to have.
pub fn format_of(text: &str) -> Format {
    let text = without_mark(text);
    if text.starts_with('(') {
        Format::Sgf
    } else if mif::is_object(text) {
        Format::Mif
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
        Format::Mif => mif::read(body, like),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{End, Node};
    use crate::record::{Outcome, Termination};
    use millbrain_core::morris::rules::MLYN;
    use millbrain_core::variant::{Ruleset, Variant};

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
            let record = write(&game, Format::Record).expect("a record");
            assert_eq!(format_of(&record), Format::Record);
            assert_eq!(read(&record, Format::Record, &Game::default()), Ok(vec![main_line.clone()]), "{record}");
            if game.variant == "smess" {
                assert!(
                    write(&game, Format::Sgf).is_err_and(|error| error.to_string().contains("no number for Smess"))
                );
                assert!(write(&game, Format::Sanmill).is_err_and(|error| error.to_string().contains("no Smess")));
                continue;
            }
            let text = write(&game, Format::Sgf).expect("SGF");
            assert_eq!(format_of(&text), Format::Sgf);
            let again = read(&format!("\u{feff} {text}{text}"), Format::Sgf, &Game::default()).expect("SGF");
            let [first, second] = &again[..] else { panic!("two games: {text}") };
            assert_eq!((write(first, Format::Sgf), second), (Ok(text), first));
            assert_eq!((first.nodes.len(), &first.end, &first.fen), (game.nodes.len(), &game.end, &game.fen));
            let list = write(&game, Format::Sanmill).expect("a list");
            assert_eq!(format_of(&list), Format::Sanmill);
            let nameless = Game { white: String::new(), black: String::new(), ..main_line };
            if !game.house_rules.contains("Once") {
                assert_eq!(read(&list, Format::Sanmill, &game), Ok(vec![nameless]), "{list}");
            }
        }
    }

    #[test]
    fn every_ending_comes_back() {
        let ended = |kind: &Termination| !matches!(kind, Termination::Normal | Termination::Unfinished);
        let kinds: Vec<Termination> = Termination::ALL.into_iter().filter(ended).collect();
        for (outcome, termination) in
            Outcome::ALL.into_iter().flat_map(|outcome| kinds.iter().map(move |kind| (outcome, *kind)))
        {
            for reason in ["white resigns", "black resigns", "draw by the scores"] {
                let end = End { outcome, termination, reason: reason.to_string() };
                let game = Game { end: Some(end), ..Game::default() };
                for format in [Format::Record, Format::Sgf] {
                    let text = write(&game, format).expect("a text");
                    assert_eq!(read(&text, format, &Game::default()), Ok(vec![game.clone()]), "{text}");
                }
            }
        }
        // A game that is not over has no result, and nobody a point for it.
        let unfinished = Game::default();
        for format in [Format::Record, Format::Sgf, Format::Mif] {
            let text = write(&unfinished, format).expect("a text");
            assert!(!text.contains("1/2") && !text.contains("d:") && !text.contains("RE[0]"), "{text}");
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
            ("(;GM[5];W[d6];B[d6])", "move 2 (d6) is illegal, expected a legal move"),
            ("(;GM[5];W[])x", "SGF, character 13: expected '('"),
            ("(GM[5])", "SGF, character 2: expected ';'"),
            (
                "(;RU[morris;Stones=1])",
                "house rules \"Stones=1\", expected rule options such as Stones=10;Flying=false",
            ),
            ("1. d6 {f4", "a comment has no end, expected '}'"),
            ("1. d6 } f4", "move 2 (}) cannot be read, expected a move such as d6, a4a7 or d6xb4"),
            ("xd6", "\"xd6\" stands before the first move, expected after a move that closes a mill"),
            ("1. d6 d6", "move 2 (d6) is illegal, expected a legal move"),
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
