//! Where the games begin: openings from a file, or generated ones.

use super::config::{ConfigError, key_value, number};
use super::generator::{Recipe, generate};
pub use super::opening::{Opening, OpeningError, OpeningsError};
use millbrain_core::any::AnyGame;
use millbrain_games::lines::read_text;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Where openings come from: a file, or random moves.
#[derive(Clone, PartialEq, Debug)]
pub struct OpeningSource {
    /// File to read; without one, openings are generated.
    file: Option<String>,
    /// Random plies of a generated opening.
    plies: u32,
    /// Largest score of a generated opening for either side, in centistones.
    balance: u32,
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

    /// The openings: all of the file, or at most `wanted` that are generated on all cores. They depend on nothing but
    /// what they are made from. While they are generated, which may take minutes, `progress` is told many times a second
    /// how many there are, and the making ends once `interrupted` is set.
    ///
    /// # Errors
    /// An unreadable file, a faulty opening in it, or none; no memory or no thread to generate them; an interrupt.
    pub fn openings(
        &self,
        start: &AnyGame,
        wanted: usize,
        interrupted: &AtomicBool,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Vec<Opening>, OpeningsError> {
        let Some(file) = &self.file else {
            let &OpeningSource { plies, balance, seed, .. } = self;
            return generate(start, &Recipe { plies, balance, seed, wanted }, interrupted, progress);
        };
        let text = read_text(Path::new(file))?;
        let mut openings = Vec::new();
        for (i, line) in text.lines().flat_map(|line| line.split('\r')).enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let in_line = |source| OpeningsError::Line { file: file.clone(), line: i + 1, source };
            openings.push(Opening::read(line, start).map_err(in_line)?);
        }
        if openings.is_empty() {
            return Err(OpeningsError::Empty(file.clone()));
        }
        if self.shuffled {
            fastrand::Rng::with_seed(self.seed).shuffle(&mut openings);
        }
        Ok(openings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::NODES;
    use millbrain_core::search::{Control, HashTable, Limits, Request};
    use millbrain_core::variant::Variant;
    use std::sync::Arc;

    impl OpeningSource {
        /// The openings, made without being watched.
        fn made(&self, variant: Variant, wanted: usize) -> Result<Vec<Opening>, OpeningsError> {
            self.openings(&start(variant), wanted, &AtomicBool::new(false), &mut |_| {})
        }
    }

    fn start(variant: Variant) -> AnyGame {
        AnyGame::new(variant.rules())
    }

    #[test]
    fn generated_openings_differ_and_depend_on_the_seed() {
        let source = |seed| OpeningSource { file: None, plies: 2, balance: 100, seed, shuffled: false };
        let openings = source(1).made(Variant::Morris, 20).expect("generated");
        assert_eq!(openings.len(), 20);
        assert_eq!(openings, source(1).made(Variant::Morris, 20).expect("generated"));
        assert_ne!(openings, source(2).made(Variant::Morris, 20).expect("generated"));
        // Of the first placements only four are not symmetric to each other.
        let few = OpeningSource { plies: 1, ..source(1) };
        assert_eq!(few.made(Variant::Morris, 100).expect("generated").len(), 4);
    }

    #[test]
    fn lines_of_a_file_are_read() {
        let read = |line: &str| Opening::read(line, &start(Variant::Morris)).map_err(|error| error.to_string());
        assert_eq!(read("d6 f4").map(|o| (o.fen, o.moves.len())), Ok((None, 2)));
        assert_eq!(read("3/3/3/6/3/3/3 w 9 9 0 1;d6").map(|o| (o.fen.is_some(), o.moves.len())), Ok((true, 1)));
        assert_eq!(read("3/3/3/6/3/3/3 w 9 9 0 1").map(|o| o.moves.len()), Ok(0));
        let record = "MFEN/1.0 mill24-state-v1 W......./......../........ b p p 8,9 - 0 1 -";
        assert_eq!(
            read(&format!("{record};d6")).map(|o| (o.fen.as_deref() == Some(record), o.moves.len())),
            Ok((true, 1))
        );
        assert_eq!(read(record).map(|o| o.moves.len()), Ok(0));
        assert_eq!(read("1. d6 f4 2. d2-d2").unwrap_err(), "move 3 (d2-d2) is illegal, expected a legal move");
        for text in ["a7 d2 d7 d1 g7xd1 f4", "1. a7 d2 2. d7 d1 3. g7 xd1 f4", "1.a7 1...d2 2 d7 d1 3.g7-xd1 f4"] {
            assert_eq!(
                read(text).map(|o| o.moves),
                Ok(["a7", "d2", "d7", "d1", "g7xd1", "f4"].map(String::from).to_vec())
            );
        }
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
        for bad in ["order=up", "colour=1", "plies=x", "balance=x", "balance=-5", "seed=-1", "file"] {
            assert!(parse(bad).is_err_and(|error| error.to_string().contains("expected")), "{bad}");
        }
    }

    #[test]
    fn files_are_read_in_order_or_shuffled() {
        let path = std::env::temp_dir().join(format!("millbrain-openings-{}", std::process::id()));
        let lines = "# comment\n\n d6 \nf4 # to the right\r\nd2\rb4#\n1. a7\ng7\n";
        let source = |text: &str, shuffled| {
            std::fs::write(&path, text).expect("written");
            let file = Some(path.to_string_lossy().into_owned());
            OpeningSource { file, plies: 0, balance: 0, seed: 3, shuffled }.made(Variant::Morris, 2)
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
        let openings = source.made(Variant::Smess, 4).expect("generated");
        assert_eq!(openings.len(), 4);
        let hash = Arc::new(HashTable::new(4).expect("memory"));
        let control = Arc::new(Control::new(false));
        for Opening { fen, moves } in openings {
            assert_eq!((fen, moves.len()), (None, 3));
            let game = start(Variant::Smess).at(None, moves.iter().map(String::as_str)).expect("legal");
            let limits = Limits { nodes: Some(NODES), ..Limits::default() };
            hash.clear();
            let score = game.search(&Request::plain(&limits, &hash, &control), &mut |_| {}).score;
            assert!(score.abs() <= 5, "{moves:?}: {score}");
        }
    }
}
