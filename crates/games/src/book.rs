//! Opening books: positions, each with moves to choose from.
//!
//! A book is a text:
//!
//! ```text
//! millbrain book 1 lasker Stones=9
//! made by millbrain 0.1.0, games=1000 plies=8 nodes=20000 margin=10 seed=1 sectors=6
//! 3/3/3/6/3/3/3 w 9 9 0 1;f4=6 g7=2
//! sum 0123456789abcdef
//! ```
//!
//! The first line has the version of the form, the variant and its house rules. The second says how the book was made.
//! Then comes one line per position: its FEN, and its moves with their weights. No two positions are symmetric, and of
//! symmetric moves one is listed. The last line is the XXH3 checksum, 64 bits in hexadecimal digits, of all bytes
//! before it.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use millbrain_core::any::AnyGame;
use millbrain_core::game::fen::shorten;
use millbrain_core::options::OptionFault;
use millbrain_core::play::{MoveFault, PlayError};
use millbrain_core::variant::{NamedRules, UnknownVariant};
use millbrain_files::lines::read_text;
use millbrain_files::{InFile, named};
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::Path;
use std::str::FromStr;
use xxhash_rust::xxh3::xxh3_64;

/// The beginning of a book's first line: the form and its version.
const HEAD: &str = "millbrain book 1 ";
const MADE: &str = "made by ";
const SUM: &str = "sum ";

/// A position of a book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The position.
    pub fen: String,
    /// Its moves with their weights from 1, no two of them symmetric.
    pub moves: Vec<(String, u16)>,
}

/// A move of a book in a position of a game.
#[derive(Clone, PartialEq, Debug)]
pub struct BookMove {
    /// The move.
    pub text: String,
    /// The weight, shared with its symmetric moves.
    pub weight: u16,
    /// The chance that it is chosen, from 0 to 1.
    pub share: f64,
}

/// An opening book, for the rules it was made for. Positions are found up to symmetry.
///
/// ```
/// use millbrain_core::any::AnyGame;
/// use millbrain_core::variant::Variant;
/// use millbrain_games::book::{Book, Entry};
///
/// let start = Entry { fen: "3/3/3/6/3/3/3 w 9 9 0 1".into(), moves: vec![("d6".into(), 3), ("a7".into(), 1)] };
/// let book = Book::new(Variant::Morris.into(), "hand".into(), vec![start]).expect("a book");
/// let game = AnyGame::new(Variant::Morris.rules());
/// // The middles of the middle square, and the corners of the outer and of the inner one.
/// assert_eq!(book.moves(&game).len(), 4 + 8);
/// assert_eq!(book.moves(&game).iter().filter(|mv| mv.weight == 3).map(|mv| mv.share).sum::<f64>(), 0.75);
/// assert_eq!(book.to_string().parse::<Book>(), Ok(book));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Book {
    rules: NamedRules,
    made: String,
    entries: Vec<Entry>,
    /// The weights of the positions after the moves of an entry, by the canonical keys of both.
    weights: HashMap<u64, HashMap<u64, u16>>,
}

/// The reason why a text is not a book.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct BookError {
    /// Number of the line, from 1.
    pub line: usize,
    /// The fault in the line.
    pub fault: BookFault,
}

/// A fault in a line of a book.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookFault {
    /// The first line has another form.
    #[error("{:?}, expected \"{HEAD}\" and a variant", shorten(.0))]
    Head(String),
    /// The second line has another form.
    #[error("{:?}, expected \"{MADE}\" and how", shorten(.0))]
    Made(String),
    /// The variant does not exist.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// The house rules do not exist.
    #[error(transparent)]
    Rules(#[from] OptionFault),
    /// The line is not a position with its moves.
    #[error("{:?}, expected FEN;MOVE=WEIGHT ...", shorten(.0))]
    Form(String),
    /// The FEN is faulty.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A move is not legal.
    #[error("{0}: {1}")]
    Move(String, MoveFault),
    /// The move, or a symmetric one, is already in the line.
    #[error("{0} is the same by symmetry as a move before it")]
    MoveTwice(String),
    /// The position, or a symmetric one, is already in the book.
    #[error("a position like one before it, up to symmetry")]
    PositionTwice,
    /// The checksum is wrong or missing.
    #[error("the checksum is {found:?}, expected {expected:016x}: the book is not whole")]
    Sum {
        /// The text in its place.
        found: String,
        /// The checksum of the lines before.
        expected: u64,
    },
}

/// The reason why a book cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] InFile<io::Error>),
    /// The file is not a book.
    #[error(transparent)]
    Book(#[from] InFile<BookError>),
}

impl Book {
    /// Creates a book of these positions.
    ///
    /// # Errors
    /// Fails with the first faulty entry, and the line that it has in the text of the book.
    pub fn new(rules: NamedRules, made: String, entries: Vec<Entry>) -> Result<Book, BookError> {
        let start = AnyGame::new(rules.rules);
        let mut weights = HashMap::with_capacity(entries.len());
        for (line, entry) in (3..).zip(&entries) {
            let at = |fault| BookError { line, fault };
            let (key, moves) = entry.keys(&start).map_err(at)?;
            if weights.insert(key, moves).is_some() {
                return Err(at(BookFault::PositionTwice));
            }
        }
        Ok(Book { rules, made, entries, weights })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or is not a whole book.
    pub fn open(path: &Path) -> Result<Book, OpenError> {
        Ok(read_text(path)?.parse().map_err(named(path))?)
    }

    /// Returns the rules of the book.
    pub const fn rules(&self) -> &NamedRules {
        &self.rules
    }

    /// Returns how it was made.
    pub fn made(&self) -> &str {
        &self.made
    }

    /// Returns its positions.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the moves for the position of a game by the rules of the book, those with the largest weight first.
    /// There are none if the position is not in the book. The shares sum to 1: symmetric moves divide one between them.
    pub fn moves(&self, game: &AnyGame) -> Vec<BookMove> {
        let Some(weights) = self.weights.get(&game.canonical_key()) else { return Vec::new() };
        let total: u32 = weights.values().copied().map(u32::from).sum();
        let mut twins: HashMap<u64, u32> = HashMap::new();
        let moves: Vec<(String, u64)> =
            game.moves_by_key().into_iter().filter(|(_, key)| weights.contains_key(key)).collect();
        for (_, key) in &moves {
            *twins.entry(*key).or_default() += 1;
        }
        let reported = |(text, key): (String, u64)| {
            let weight = weights.get(&key).copied().unwrap_or_default();
            let twins = twins.get(&key).copied().unwrap_or(1);
            BookMove { text, weight, share: f64::from(weight) / f64::from(total) / f64::from(twins) }
        };
        let mut moves: Vec<BookMove> = moves.into_iter().map(reported).collect();
        moves.sort_by_key(|mv| std::cmp::Reverse(mv.weight));
        moves
    }

    /// Chooses a move for the position of a game with a number from 0 to below 1. Returns `None` if the position is not
    /// in the book.
    pub fn choose(&self, game: &AnyGame, random: f64) -> Option<String> {
        let mut moves = self.moves(game);
        let mut rest = random;
        let place = moves.iter().position(|mv| {
            rest -= mv.share;
            rest < 0.0
        });
        // The remainder of rounding belongs to the last.
        place.or(moves.len().checked_sub(1)).map(|place| moves.swap_remove(place).text)
    }
}

impl Entry {
    fn read(line: &str) -> Result<Entry, BookFault> {
        let form = || BookFault::Form(line.to_string());
        let (fen, moves) = line.split_once(';').ok_or_else(form)?;
        let read = |word: &str| {
            let (text, weight) = word.split_once('=')?;
            Some((text.to_string(), weight.parse().ok().filter(|weight| *weight > 0)?))
        };
        let moves: Option<Vec<_>> = moves.split_whitespace().map(read).collect();
        let moves = moves.filter(|moves| !moves.is_empty()).ok_or_else(form)?;
        Ok(Entry { fen: fen.to_string(), moves })
    }

    /// Returns the canonical key of the position, and the weights of those after its moves.
    fn keys(&self, start: &AnyGame) -> Result<(u64, HashMap<u64, u16>), BookFault> {
        let game = start.at(Some(&self.fen), [])?;
        let legal: HashMap<String, u64> = game.moves_by_key().into_iter().collect();
        let mut weights = HashMap::with_capacity(self.moves.len());
        for (text, weight) in &self.moves {
            let found = game.find_move(text).map(|mv| game.move_text(mv));
            let found = found.map_err(|fault| BookFault::Move(text.clone(), fault))?;
            if legal.get(&found).is_none_or(|key| weights.insert(*key, *weight).is_some()) {
                return Err(BookFault::MoveTwice(text.clone()));
            }
        }
        Ok((game.canonical_key(), weights))
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.fen)?;
        for (i, (text, weight)) in self.moves.iter().enumerate() {
            write!(f, "{}{text}={weight}", if i == 0 { ';' } else { ' ' })?;
        }
        Ok(())
    }
}

impl fmt::Display for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = match self.rules.list() {
            list if list.is_empty() => list,
            list => format!(" {list}"),
        };
        let mut text = format!("{HEAD}{}{list}\n{MADE}{}\n", self.rules.variant, self.made);
        for entry in &self.entries {
            text.push_str(&format!("{entry}\n"));
        }
        writeln!(f, "{text}{SUM}{:016x}", xxh3_64(text.as_bytes()))
    }
}

fn read_rules(head: &str) -> Result<NamedRules, BookFault> {
    let reported = head.strip_prefix(HEAD).ok_or_else(|| BookFault::Head(head.to_string()))?.trim_end();
    let (variant, list) = reported.split_once(' ').unwrap_or((reported, ""));
    Ok(NamedRules::read(variant.parse()?, list)?)
}

impl FromStr for Book {
    type Err = BookError;

    fn from_str(text: &str) -> Result<Book, BookError> {
        let at = |line| move |fault| BookError { line, fault };
        let mut lines = text.lines();
        let rules = read_rules(lines.next().unwrap_or_default()).map_err(at(1))?;
        // The content is only read if it is whole.
        let whole = text.strip_suffix('\n').unwrap_or(text);
        let (body, last) = whole.rfind('\n').map_or((whole, ""), |end| whole.split_at(end + 1));
        let expected = xxh3_64(body.as_bytes());
        if last.strip_prefix(SUM) != Some(&format!("{expected:016x}")) {
            let found = last.strip_prefix(SUM).map(shorten).unwrap_or_default();
            return Err(at(text.lines().count())(BookFault::Sum { found, expected }));
        }
        let made = lines.next().unwrap_or_default();
        let made = made.strip_prefix(MADE).ok_or_else(|| at(2)(BookFault::Made(made.to_string())))?;
        let lines = (3..).zip(body.lines().skip(2));
        let entries = lines.map(|(number, line)| Entry::read(line).map_err(at(number)));
        Book::new(rules, made.to_string(), entries.collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod tests {
    use super::*;
    use millbrain_core::variant::Variant;

    fn entry(line: &str) -> Entry {
        Entry::read(line).unwrap()
    }

    fn book(variant: Variant, lines: &[&str]) -> Result<Book, BookError> {
        Book::new(variant.into(), "hand".into(), lines.iter().map(|line| entry(line)).collect())
    }

    fn small() -> Book {
        book(Variant::Morris, &["3/3/3/6/3/3/3 w 9 9 0 1;f4=3 g7=1", "3/1O1/3/6/3/3/3 b 8 9 0 1;f4=1"]).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let book = small();
        let text = book.to_string();
        assert!(
            text.starts_with("millbrain book 1 morris\nmade by hand\n3/3/3/6/3/3/3 w 9 9 0 1;f4=3 g7=1\n"),
            "{text}"
        );
        assert_eq!(text.parse(), Ok(book));
        let rules = NamedRules::read(Variant::Lasker, "Stones=5").unwrap();
        let house = Book::new(rules, "hand".into(), vec![entry("3/3/3/6/3/3/3 w 5 5;d6=1")]).unwrap();
        assert_eq!(house.to_string().parse(), Ok(house));
    }

    #[test]
    fn positions_are_found_up_to_symmetry_and_colour() {
        let book = small();
        let start = AnyGame::new(Variant::Morris.rules());
        let moves = book.moves(&start);
        let of = |weight| moves.iter().filter(|mv| mv.weight == weight).map(|mv| mv.text.as_str()).collect::<Vec<_>>();
        assert_eq!(of(3), ["d6", "f4", "d2", "b4"]);
        assert_eq!(of(1).len(), 8, "corners of the outer and the inner square");
        let shares: f64 = moves.iter().map(|mv| mv.share).sum();
        assert!((shares - 1.0).abs() < 1e-9 && moves[0].share == 0.75 / 4.0);
        // The listed reply is to d6, on the next middle; to b4 there are two symmetric ones.
        let replies = book.moves(&start.at(None, ["b4"]).unwrap());
        assert_eq!(
            replies.iter().map(|mv| (mv.text.as_str(), mv.share)).collect::<Vec<_>>(),
            [("d6", 0.5), ("d2", 0.5)]
        );
        assert!(book.moves(&start.at(None, ["a7"]).unwrap()).is_empty(), "not in the book");
    }

    #[test]
    fn numbers_choose_by_the_shares() {
        let book = small();
        let start = AnyGame::new(Variant::Morris.rules());
        let mut counts: HashMap<String, u32> = HashMap::new();
        for number in 0..1_600 {
            *counts.entry(book.choose(&start, f64::from(number) / 1_600.0).unwrap()).or_default() += 1;
        }
        assert_eq!(counts.len(), 12);
        for (text, count) in counts {
            let expected = if ["d6", "f4", "d2", "b4"].contains(&text.as_str()) { 300 } else { 50 };
            assert!(count.abs_diff(expected) <= 1, "{text}: {count}");
        }
        assert!(book.choose(&start, 1.0).is_some());
        assert_eq!(book.choose(&start.at(None, ["a7"]).unwrap(), 0.5), None);
    }

    #[test]
    fn faults_name_their_line() {
        let fault = |text: &str| text.parse::<Book>().unwrap_err().to_string();
        let whole = small().to_string();
        assert_eq!(fault(""), "line 1: \"\", expected \"millbrain book 1 \" and a variant");
        assert!(fault("millbrain book 2 morris\n").starts_with("line 1: \"millbrain book 2 morris\", expected "));
        assert!(
            fault("millbrain book 1 chess\n").starts_with("line 1: unknown variant"),
            "{}",
            fault("millbrain book 1 chess\n")
        );
        for torn in [&whole[..whole.len() - 3], &whole.replace("f4=3", "f4=4"), &whole[..60], "millbrain book 1 morris"]
        {
            assert!(fault(torn).contains("the checksum is "), "{torn}: {}", fault(torn));
        }
        let summed = |text: &str| fault(&format!("{text}{SUM}{:016x}\n", xxh3_64(text.as_bytes())));
        let head = "millbrain book 1 morris\n";
        assert_eq!(summed(&format!("{head}3\n")), "line 2: \"3\", expected \"made by \" and how");
        for (line, words) in [
            ("3/3/3/6/3/3/3 w 9 9", "expected FEN;MOVE=WEIGHT ..."),
            ("3/3/3/6/3/3/3 w 9 9;", "expected FEN;MOVE=WEIGHT ..."),
            ("3/3/3/6/3/3/3 w 9 9;d6=0", "expected FEN;MOVE=WEIGHT ..."),
            ("3/3/3/6/3/3/3 w 9 9;d6", "expected FEN;MOVE=WEIGHT ..."),
            ("3/3/3/6/3/3 w 9 9;d6=1", "6 rows, expected 7"),
            ("3/3/3/6/3/3/3 w 9 9;d6=1 a8=1", "a8: "),
            ("3/3/3/6/3/3/3 w 9 9;d6=1 f4=1", "f4 is the same by symmetry as a move before it"),
        ] {
            let reported = summed(&format!("{head}made by hand\n{line}\n"));
            assert!(reported.starts_with("line 3: ") && reported.contains(words), "{line}: {reported}");
        }
        let twice = ["3/1O1/3/6/3/3/3 b 8 9;f4=1", "3/1X1/3/6/3/3/3 w 9 8;f4=1"];
        assert_eq!(
            book(Variant::Morris, &twice).unwrap_err().to_string(),
            "line 4: a position like one before it, up to symmetry"
        );
    }

    #[test]
    fn smess_has_books_too() {
        let game = AnyGame::new(Variant::Smess.rules());
        let book = book(Variant::Smess, &[&format!("{};f2g1=2 d2d3=1", game.fen())]).unwrap();
        let reported: Vec<_> = book.moves(&game).into_iter().map(|mv| (mv.text, mv.weight)).collect();
        assert_eq!(reported, [("f2g1".to_string(), 2), ("d2d3".to_string(), 1)]);
    }
}
