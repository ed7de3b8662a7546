//! Where the games begin: openings from a file, or generated ones.

use super::config::{ConfigError, key_value, number};
use crate::files::{InFile, named};
use crate::game::{Reason, Searchable};
use crate::play::{Play, PlayError, new_any_play};
use crate::search::{Control, Limits, Request, Table, search};
use crate::variant::Variant;
use crate::with_game;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// An opening: a position, and moves to be played from it before the engines take over.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Opening {
    /// FEN; the start position without one.
    pub fen: Option<String>,
    /// Moves from there.
    pub moves: Vec<String>,
}

/// A line that is no opening.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpeningError {
    /// A bad FEN or a move that cannot be played.
    #[error("{0}")]
    Play(#[from] PlayError),
    /// There is nothing left to play.
    #[error("the game is over ({0}), expected an open position")]
    GameOver(Reason),
}

/// A file without usable openings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpeningsError {
    /// The file cannot be read.
    #[error("{0}")]
    File(#[from] InFile<io::Error>),
    /// A line that is no opening.
    #[error("{file}:{line}: {source}")]
    Line {
        /// The file.
        file: String,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        source: OpeningError,
    },
    /// This file has no opening at all.
    #[error("{0}: no opening, expected a FEN, FEN;MOVES or moves a line")]
    Empty(String),
}

impl Opening {
    /// Reads a line of a file: a FEN, `FEN;MOVES`, or moves from the start.
    ///
    /// # Errors
    /// A bad FEN, an illegal move, or a finished game.
    pub fn read(line: &str, variant: Variant) -> Result<Opening, OpeningError> {
        let (fen, moves) = match line.split_once(';') {
            Some((fen, moves)) => (Some(fen.trim()), moves),
            None if line.contains('/') || line.contains('*') => (Some(line), ""),
            None => (None, line),
        };
        let moves: Vec<String> = moves.split_whitespace().map(String::from).collect();
        let fen = fen.filter(|fen| !fen.is_empty());
        let mut play = new_any_play(variant.rules(), fen)?;
        for (i, text) in moves.iter().enumerate() {
            play.push_text(text).map_err(|fault| PlayError::Move { number: i + 1, text: text.clone(), fault })?;
        }
        if let Some(ending) = play.ending() {
            return Err(OpeningError::GameOver(ending.reason));
        }
        Ok(Opening { fen: fen.map(String::from), moves })
    }
}

/// Nodes of the search that finds whether a generated opening is balanced.
const NODES: u64 = 20_000;
/// Attempts in a row without a new opening; after them there are taken to be no more.
const MAX_ATTEMPTS: usize = 5_000;

/// Where openings come from: a file, or random moves.
#[derive(Clone, PartialEq, Debug)]
pub struct OpeningSource {
    /// File to read; without one, openings are generated.
    file: Option<String>,
    /// Random plies of a generated opening.
    plies: u32,
    /// Largest score of a generated opening for either side, in centistones.
    balance: i32,
    seed: u64,
    /// Whether the openings of a file are shuffled.
    shuffled: bool,
}

impl OpeningSource {
    /// Reads `file= order= plies= balance= seed=`.
    ///
    /// # Errors
    /// Unknown keys and unusable values.
    pub fn parse(words: &[String]) -> Result<OpeningSource, ConfigError> {
        let mut source = OpeningSource { file: None, plies: 4, balance: 60, seed: 1, shuffled: false };
        for word in words {
            match key_value(word)? {
                ("file", value) => source.file = Some(value.to_string()),
                ("plies", value) => source.plies = number("plies", value, "a number of plies")?,
                ("balance", value) => source.balance = number("balance", value, "centistones")?,
                ("seed", value) => source.seed = number("seed", value, "a whole number")?,
                ("order", "random") => source.shuffled = true,
                ("order", "sequential") => source.shuffled = false,
                (key, value) => {
                    return Err(ConfigError::OpeningsKey { key: key.to_string(), value: value.to_string() });
                }
            }
        }
        Ok(source)
    }

    /// The openings: all of the file, or at most `wanted` that are generated.
    ///
    /// # Errors
    /// An unreadable file, a faulty opening in it, or none.
    pub fn openings(&self, variant: Variant, wanted: usize) -> Result<Vec<Opening>, OpeningsError> {
        let Some(file) = &self.file else {
            return Ok(with_game!(variant.rules(), |game| self.generated(game, wanted)));
        };
        let text = std::fs::read_to_string(file).map_err(named(Path::new(file)))?;
        let mut openings = Vec::new();
        for (i, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let in_line = |source| OpeningsError::Line { file: file.clone(), line: i + 1, source };
            openings.push(Opening::read(line, variant).map_err(in_line)?);
        }
        if openings.is_empty() {
            return Err(OpeningsError::Empty(file.clone()));
        }
        if self.shuffled {
            fastrand::Rng::with_seed(self.seed).shuffle(&mut openings);
        }
        Ok(openings)
    }

    /// Random moves from the start to positions that a short search finds balanced, no two alike up to symmetry.
    fn generated<G: Searchable>(&self, game: G, wanted: usize) -> Vec<Opening> {
        let mut rng = fastrand::Rng::with_seed(self.seed);
        let mut seen = HashSet::new();
        let mut openings = Vec::new();
        let Ok(table) = Table::new(4).map(Arc::new) else { return openings };
        let mut useless = 0;
        while openings.len() < wanted && useless < MAX_ATTEMPTS {
            useless += 1;
            let mut play = Play::new(game);
            let mut moves = Vec::new();
            for _ in 0..self.plies {
                let Some(mv) = rng.choice(game.moves(play.position())) else { break };
                moves.push(game.move_text(mv));
                play.push(mv);
            }
            if play.ending().is_some() || !seen.insert(game.table_key(play.position()).0) {
                continue;
            }
            table.clear();
            let limits = Limits { nodes: Some(NODES), ..Limits::default() };
            let control = Arc::new(Control::new(false));
            let request = Request::plain(&limits, &table, &control);
            if search(&play, None, &request, &mut |_| {}).score.abs() <= self.balance {
                openings.push(Opening { fen: None, moves });
                useless = 0;
            }
        }
        openings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_openings_differ_and_depend_on_the_seed() {
        let source = |seed| OpeningSource { file: None, plies: 2, balance: 100, seed, shuffled: false };
        let openings = source(1).openings(Variant::Morris, 20).expect("generated");
        assert_eq!(openings.len(), 20);
        assert_eq!(openings, source(1).openings(Variant::Morris, 20).expect("generated"));
        assert_ne!(openings, source(2).openings(Variant::Morris, 20).expect("generated"));
        // Of the first placements only four are not symmetric to each other.
        let few = OpeningSource { plies: 1, ..source(1) };
        assert_eq!(few.openings(Variant::Morris, 100).expect("generated").len(), 4);
    }

    #[test]
    fn lines_of_a_file_are_read() {
        let read = |line| Opening::read(line, Variant::Morris).map_err(|error| error.to_string());
        assert_eq!(read("d6 f4").map(|o| (o.fen, o.moves.len())), Ok((None, 2)));
        assert_eq!(read("3/3/3/6/3/3/3 w 9 9 0 1;d6").map(|o| (o.fen.is_some(), o.moves.len())), Ok((true, 1)));
        assert_eq!(read("3/3/3/6/3/3/3 w 9 9 0 1").map(|o| o.moves.len()), Ok(0));
        assert!(read("d6 d6").unwrap_err().contains("move 2"));
        assert!(read("3/3").unwrap_err().contains("FEN"));
        assert!(read("OO1/3/3/O5/1XX/3/3 w 0 0").unwrap_err().contains("over"));
    }

    #[test]
    fn what_openings_are_is_read() {
        let parse = |text: &str| OpeningSource::parse(&text.split_whitespace().map(String::from).collect::<Vec<_>>());
        let plain = OpeningSource { file: None, plies: 4, balance: 60, seed: 1, shuffled: false };
        assert_eq!(parse(""), Ok(plain.clone()));
        let given = OpeningSource { file: Some("f".to_string()), plies: 6, balance: 7, seed: 8, shuffled: true };
        assert_eq!(parse("file=f plies=6 balance=7 seed=8 order=random"), Ok(given));
        assert_eq!(parse("order=random order=sequential"), Ok(plain));
        for bad in ["order=up", "colour=1", "plies=x", "balance=x", "seed=-1", "file"] {
            assert!(parse(bad).is_err_and(|error| error.to_string().contains("expected")), "{bad}");
        }
    }

    #[test]
    fn files_are_read_in_order_or_shuffled() {
        let path = std::env::temp_dir().join(format!("millbrain-openings-{}", std::process::id()));
        let lines = "# comment\n\n d6 \nf4\nd2\nb4\na7\ng7\n";
        let source = |text: &str, shuffled| {
            std::fs::write(&path, text).expect("written");
            let file = Some(path.to_string_lossy().into_owned());
            OpeningSource { file, plies: 0, balance: 0, seed: 3, shuffled }.openings(Variant::Morris, 2)
        };
        let firsts = |openings: Vec<Opening>| openings.into_iter().map(|o| o.moves[0].clone()).collect::<Vec<_>>();
        let in_order = firsts(source(lines, false).expect("good"));
        assert_eq!(in_order, ["d6", "f4", "d2", "b4", "a7", "g7"]);
        let mut shuffled = firsts(source(lines, true).expect("good"));
        assert_ne!(shuffled, in_order);
        shuffled.sort();
        assert_eq!(shuffled, ["a7", "b4", "d2", "d6", "f4", "g7"]);
        assert!(source("# nothing\n", false).is_err_and(|error| error.to_string().contains("no opening")));
        assert!(source("d6\n\nx\n", false).is_err_and(|error| error.to_string().contains(":3: move 1 (x)")));
        std::fs::remove_file(&path).expect("removed");
    }

    #[test]
    fn generated_openings_are_balanced() {
        let source = OpeningSource { file: None, plies: 3, balance: 5, seed: 1, shuffled: false };
        let openings = source.openings(Variant::Smess, 4).expect("generated");
        assert_eq!(openings.len(), 4);
        let table = Arc::new(Table::new(4).expect("memory"));
        let control = Arc::new(Control::new(false));
        for Opening { fen, moves } in openings {
            assert_eq!((fen, moves.len()), (None, 3));
            let score = with_game!(Variant::Smess.rules(), |game| {
                let play = Play::set_up(game, None, moves.iter().map(String::as_str)).expect("legal");
                let limits = Limits { nodes: Some(NODES), ..Limits::default() };
                table.clear();
                search(&play, None, &Request::plain(&limits, &table, &control), &mut |_| {}).score
            });
            assert!(score.abs() <= 5, "{moves:?}: {score}");
        }
    }
}
