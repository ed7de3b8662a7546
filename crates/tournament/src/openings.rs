//! The openings of games, from a file or generated.

use super::config::{ConfigError, key_value, number};
use super::generator::{Recipe, generate};
pub use super::opening::{Opening, OpeningError, OpeningsError};
use millbrain_core::any::AnyGame;
use millbrain_core::variant::NamedRules;
use millbrain_files::lines::read_text;
use millbrain_games::forms::{self, Format, Reading};
use millbrain_games::game::Game;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Default number of random plies of generated openings.
const GENERATED_PLIES: u32 = 4;

/// A source of openings: a file, or random moves.
#[derive(Clone, PartialEq, Debug)]
pub struct OpeningSource {
    /// File to read; without one, openings are generated.
    file: Option<String>,
    /// Random plies of a generated opening, or maximum plies of an opening from a file.
    plies: Option<u32>,
    /// Maximum score of a generated opening for either side, in centistones.
    balance: u32,
    seed: u64,
    /// Whether the openings of a file are shuffled.
    shuffled: bool,
}

impl OpeningSource {
    /// Parses `file= order= plies= balance= seed=`.
    ///
    /// # Errors
    /// Unknown keys and invalid values.
    pub fn parse(words: &[String]) -> Result<OpeningSource, ConfigError> {
        let mut source = OpeningSource { file: None, plies: None, balance: 60, seed: 1, shuffled: false };
        for word in words {
            match key_value(word)? {
                ("file", value) => source.file = Some(value.to_string()),
                ("plies", value) => source.plies = Some(number("plies", value, "a number of plies")?),
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

    /// Returns the openings: all of the file, or at most `wanted`, generated on all cores. They depend only on their
    /// source. During the generation, which may take minutes, `progress` gets their number many times a second. Setting
    /// `interrupted` ends the generation.
    ///
    /// # Errors
    /// An unreadable file, a faulty opening in it, or none; no memory or no thread to generate them; an interrupt.
    pub fn openings(
        &self,
        rules: NamedRules,
        wanted: usize,
        interrupted: &AtomicBool,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Vec<Opening>, OpeningsError> {
        let start = AnyGame::new(rules.rules);
        let Some(file) = &self.file else {
            let &OpeningSource { plies, balance, seed, .. } = self;
            let plies = plies.unwrap_or(GENERATED_PLIES);
            return generate(&start, &Recipe { plies, balance, seed, wanted }, interrupted, progress);
        };
        let text = read_text(Path::new(file))?;
        let plies = self.plies.map_or(usize::MAX, |plies| plies as usize);
        let mut openings = match of_lines(file, &text, &start, plies) {
            Err(fault) => match of_games(file, &text, rules, &start, plies) {
                // A text in no other form was intended as lines.
                Err(_) if Format::of(&text) == Format::Sanmill => return Err(fault),
                games => games?,
            },
            Ok(openings) => openings,
        };
        if openings.is_empty() {
            return Err(OpeningsError::Empty(file.clone()));
        }
        if self.shuffled {
            fastrand::Rng::with_seed(self.seed).shuffle(&mut openings);
        }
        Ok(openings)
    }
}

/// Reads one opening per line.
fn of_lines(file: &str, text: &str, start: &AnyGame, plies: usize) -> Result<Vec<Opening>, OpeningsError> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let openings = lines.enumerate().filter(|(_, line)| !line.is_empty()).map(|(i, line)| {
        let in_line = |source| OpeningsError::Line { file: file.to_string(), line: i + 1, source };
        Opening::read(line, start, plies).map_err(in_line)
    });
    openings.collect()
}

/// Reads the beginnings of games in any form. Skips games that are over by then.
fn of_games(
    file: &str,
    text: &str,
    rules: NamedRules,
    start: &AnyGame,
    plies: usize,
) -> Result<Vec<Opening>, OpeningsError> {
    let in_file = |source| OpeningsError::Games { file: file.to_string(), source };
    let games = forms::read(text, None, &Game::by(rules)).map_err(in_file)?;
    let mut openings = Vec::new();
    for (i, Reading { game, .. }) in games.iter().enumerate() {
        let moves = game.main_line().into_iter().map(|node| node.played.text.as_str());
        match Opening::of(game.fen.as_deref(), moves, start, plies) {
            Ok(opening) => openings.push(opening),
            Err(fault @ OpeningError::GameOver(_)) => log::warn!("{file}: game {} left out: {fault}", i + 1),
            Err(source) => return Err(OpeningsError::Game { file: file.to_string(), number: i + 1, source }),
        }
    }
    Ok(openings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::NODES;
    use millbrain_core::search::{Control, HashTable, Limits, Request};
    use millbrain_core::variant::Variant;
    use millbrain_games::forms::write;
    use std::sync::Arc;

    impl OpeningSource {
        /// Returns the openings without progress or interrupt.
        fn made(&self, variant: Variant, wanted: usize) -> Result<Vec<Opening>, OpeningsError> {
            self.openings(variant.into(), wanted, &AtomicBool::new(false), &mut |_| {})
        }
    }

    fn start(variant: Variant) -> AnyGame {
        AnyGame::new(variant.rules())
    }

    #[test]
    fn generated_openings_differ_and_depend_on_the_seed() {
        let source = |seed| OpeningSource { file: None, plies: Some(2), balance: 100, seed, shuffled: false };
        let openings = source(1).made(Variant::Morris, 20).expect("generated");
        assert_eq!(openings.len(), 20);
        assert_eq!(openings, source(1).made(Variant::Morris, 20).expect("generated"));
        assert_ne!(openings, source(2).made(Variant::Morris, 20).expect("generated"));
        // Up to symmetry there are only four first placements.
        let few = OpeningSource { plies: Some(1), ..source(1) };
        assert_eq!(few.made(Variant::Morris, 100).expect("generated").len(), 4);
    }

    #[test]
    fn lines_of_a_file_are_read() {
        let read =
            |line: &str| Opening::read(line, &start(Variant::Morris), usize::MAX).map_err(|error| error.to_string());
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
        assert_eq!(read("2. d6 f4").unwrap_err(), "begins with move number \"2\", expected 1 or none");
        assert!(read("3/3/3/6/3/3/3 w 9 9;7. d6 f4").is_ok());
        assert!(read("d6 d6").unwrap_err().contains("move 2"));
        assert!(read("3/3").unwrap_err().contains("FEN"));
        assert!(read("OO1/3/3/O5/1XX/3/3 w 0 0").unwrap_err().contains("over"));
    }

    #[test]
    fn what_openings_are_is_read() {
        let parse = |text: &str| OpeningSource::parse(&text.split_whitespace().map(String::from).collect::<Vec<_>>());
        let plain = OpeningSource { file: None, plies: None, balance: 60, seed: 1, shuffled: false };
        assert_eq!(parse(""), Ok(plain.clone()));
        let given = OpeningSource { file: Some("f".to_string()), plies: Some(6), balance: 7, seed: 8, shuffled: true };
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
            OpeningSource { file, plies: None, balance: 0, seed: 3, shuffled }.made(Variant::Morris, 2)
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

    /// The same games in every writable form, and as lines, give the same openings.
    #[test]
    fn games_of_any_form_are_openings() {
        let moves = ["d6 f4 d2 b4 a7 g7", "a4 d2 f6 d1", "d6 f4"];
        let games: Vec<Game> = moves
            .iter()
            .map(|moves| {
                let mut game = Game::default();
                moves.split(' ').enumerate().for_each(|(i, text)| {
                    game.add(i, text);
                });
                // Variations are not played.
                game.add(0, "g1");
                game
            })
            .collect();
        let path = std::env::temp_dir().join(format!("millbrain-games-{}", std::process::id()));
        let read = |text: &str, plies: Option<u32>| {
            std::fs::write(&path, text).expect("written");
            let file = Some(path.to_string_lossy().into_owned());
            let source = OpeningSource { file, plies, balance: 0, seed: 1, shuffled: false };
            source.made(Variant::Morris, 2).map_err(|error| error.to_string())
        };
        let cut = |plies: usize| -> Vec<Vec<String>> {
            moves.iter().map(|moves| moves.split(' ').take(plies).map(String::from).collect()).collect()
        };
        for plies in [None, Some(0), Some(3), Some(4), Some(100)] {
            let expected = cut(plies.map_or(usize::MAX, |plies| plies as usize));
            for form in Format::WRITTEN {
                let text: Vec<String> = games.iter().map(|game| write(game, form).expect("a text").text).collect();
                let found = read(&text.concat(), plies).unwrap_or_else(|fault| panic!("{form:?}: {fault}"));
                assert_eq!(found.into_iter().map(|opening| opening.moves).collect::<Vec<_>>(), expected, "{form:?}");
            }
            let found = read(&moves.join("\n"), plies).expect("lines");
            assert_eq!(found.into_iter().map(|opening| opening.moves).collect::<Vec<_>>(), expected);
        }
        // A list over several lines is one game; a game in another form identifies itself.
        let listed = read("1. d6 f4\n2. d2 b4\n3. a7 g7\n", Some(5)).expect("a list");
        assert_eq!(listed.iter().map(|opening| opening.moves.join(" ")).collect::<Vec<_>>(), ["d6 f4 d2 b4 a7"]);
        let mut smess = Game { variant: "smess".to_string(), ..Game::default() };
        smess.add(0, "f2g1");
        let text = write(&smess, Format::Record).expect("a text").text;
        assert!(read(&text, None).is_err_and(|error| error.contains(": game 1: ")));
        // A game that is over after these plies is not an opening.
        let over = Game { fen: Some("OO1/3/3/O1X3/1XX/3/3 w 0 0 0 1".to_string()), ..Game::default() };
        let over = Game {
            nodes: {
                let mut game = over.clone();
                game.add(0, "a4g7xd3");
                game.nodes
            },
            ..over
        };
        let text = write(&over, Format::Sgf).expect("a text").text;
        assert_eq!(read(&text, Some(0)).map(|openings| openings.len()), Ok(1));
        assert!(read(&text, Some(1)).is_err_and(|error| error.contains("no opening")));
        std::fs::remove_file(&path).expect("removed");
    }

    #[test]
    fn generated_openings_are_balanced() {
        let source = OpeningSource { file: None, plies: Some(3), balance: 5, seed: 1, shuffled: false };
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
