//! Opening books from games of the book against players below full strength, with exact values where tables have them.

use super::hash_tables::HashTables;
use super::setup::{Setup, SetupError};
use millbrain_analysis::Lines;
use millbrain_core::any::{AnyGame, AnyOracle};
use millbrain_core::game::Move;
use millbrain_core::game::value::Known;
use millbrain_core::search::strength::handicap;
use millbrain_core::search::{Control, HashTable, Limits, Request, Weakness};
use millbrain_core::variant::NamedRules;
use millbrain_files::{InFile, WholeLines, go_on_after, is_busy, named};
use millbrain_games::book::{Book, Entry};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

/// The levels that reply to the moves of a book: they look a ply or two ahead.
const REPLIERS: RangeInclusive<u32> = 1..=10;

/// A searched reply loses value if it is worse than the best by this, in centistones, and is not a move of the book.
const LOST: u32 = 50;

/// A request for a book. Equal requests make equal books, on any number of threads.
pub struct BookRequest {
    /// The rules.
    pub rules: NamedRules,
    /// The source of values; positions that it does not know are searched.
    pub oracle: Option<AnyOracle>,
    /// Number of tables of the oracle, for the header of the book.
    pub sectors: usize,
    /// Given games whose positions get into the book, as their positions from the first; if empty, games are played.
    pub given: Vec<Vec<AnyGame>>,
    /// Games to play.
    pub games: usize,
    /// Plies of each game.
    pub plies: usize,
    /// Nodes for each position.
    pub nodes: u64,
    /// The largest deficit of a searched move against the best, in centistones.
    pub margin: u32,
    /// Seed of the games.
    pub seed: u64,
    /// Threads, from 1.
    pub threads: usize,
}

/// The reason why no book was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// There is no memory, threads cannot be started, or the tables are for other rules.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The journal of the build cannot be read or written.
    #[error(transparent)]
    File(#[from] InFile<io::Error>),
    /// Another build writes to the journal.
    #[error("{}: another build writes to it", .0.display())]
    Busy(PathBuf),
    /// The journal is of another build.
    #[error("{}: of another build ({found}), expected none or one of {expected}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The settings in the file.
        found: String,
        /// The settings of this build.
        expected: String,
    },
    /// The journal is damaged.
    #[error("{}: line {line}: {text:?}, expected FEN;MOVES;REPLIES;ERRORS", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The text of the line.
        text: String,
    },
}

/// The judgement of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Judged {
    fen: String,
    /// The moves that are as good as the best, one of each set of symmetric moves.
    good: Vec<String>,
    /// The moves that players below full strength choose.
    replies: Vec<String>,
    /// The number of those that lose value.
    errors: u16,
}

impl Judged {
    /// Returns its line in the journal.
    fn line(&self) -> String {
        format!("{};{};{};{}\n", self.fen, self.good.join(" "), self.replies.join(" "), self.errors)
    }

    fn read(line: &str) -> Option<Judged> {
        let fields: Vec<&str> = line.split(';').collect();
        let [fen, good, replies, errors] = *fields else { return None };
        let [good, replies] = [good, replies].map(|list| list.split_whitespace().map(str::to_string).collect());
        Some(Judged { fen: fen.to_string(), good, replies, errors: errors.parse().ok()? })
    }
}

/// A position with the positions after its moves.
struct Node {
    judged: Judged,
    /// The canonical keys after the moves.
    after: HashMap<String, u64>,
}

/// The judged positions, by canonical key, and the journal that stores them until the book is made.
struct Builder<'a> {
    request: &'a BookRequest,
    start: AnyGame,
    hash_tables: HashTables,
    known: HashMap<u64, Node>,
    journal: Mutex<File>,
    path: &'a Path,
}

impl BookRequest {
    /// Returns the settings, as the book contains them.
    fn made(&self) -> String {
        let &BookRequest { games, plies, nodes, margin, seed, sectors, .. } = self;
        let engine = millbrain_games::ENGINE;
        let made = format!("plies={plies} nodes={nodes} margin={margin} seed={seed} sectors={sectors}");
        if self.given.is_empty() {
            return format!("{engine}, games={games} {made}");
        }
        let keys: Vec<u8> = self.given.iter().flatten().flat_map(|game| game.canonical_key().to_be_bytes()).collect();
        format!("{engine}, from={:016x} games={} {made}", xxh3_64(&keys), self.given.len())
    }

    /// Returns the first line of the journal.
    fn settings(&self) -> String {
        format!("book of {} by {}", self.rules, self.made())
    }
}

/// Makes a book. Judged positions are stored in the file `journal` until it is made; an interrupted build resumes from
/// it. `progress` gets every ply of the games with the number of positions judged so far.
///
/// The best moves preserve the value by the tables, if they know it, and a search finds them nearly as good as the
/// best. The games are played in parallel. In each, one side chooses among the best moves by their weights. The other
/// does the same half of the time. Otherwise it plays the move of one of ten levels, so that the book has answers to
/// mistakes. Every position of the games gets into the book. Given games replace these games. The weight of a move is
/// one more than the number of those levels that lose value by their reply.
///
/// # Errors
/// Fails if there is no memory, threads cannot be started, or the tables know nothing of these games. Fails if the
/// journal cannot be written or is of another build.
pub fn build_book(request: &BookRequest, journal: &Path, progress: &dyn Fn(usize, usize)) -> Result<Book, BuildError> {
    let Setup { pool, start, hash_tables } = Setup::new(request.rules, request.oracle.as_ref(), request.threads, 4)?;
    let (file, known) = open_journal(request, &start, journal)?;
    let mut builder = Builder { request, start, hash_tables, known, journal: Mutex::new(file), path: journal };
    let of_game = |game: &AnyGame| (game.canonical_key(), game.fen());
    let given = |ply: usize| request.given.iter().map(move |game| game.get(ply).map(of_game));
    let first: Vec<_> = match request.given.is_empty() {
        true => vec![Some(of_game(&builder.start)); request.games],
        false => given(0).collect(),
    };
    let mut walkers: Vec<_> = first.iter().map(|first| first.as_ref().map(|(key, _)| *key)).collect();
    let mut unknown: Vec<_> = first.into_iter().flatten().collect();
    let mut in_book = HashSet::new();
    let mut entries = Vec::new();
    for ply in 0..request.plies {
        pool.install(|| builder.learn(unknown))?;
        let here: Vec<u64> = walkers.iter().flatten().copied().filter(|key| in_book.insert(*key)).collect();
        let children = here.iter().flat_map(|key| builder.after(*key, |judged| &judged.good)).collect();
        pool.install(|| builder.learn(children))?;
        entries.extend(here.iter().filter_map(|key| builder.entry(*key)));
        unknown = Vec::new();
        let mut given = given(ply + 1);
        for (number, walker) in walkers.iter_mut().enumerate() {
            let next = given.next().unwrap_or_else(|| walker.and_then(|key| builder.step(key, number, ply)));
            *walker = next.as_ref().map(|(key, _)| *key);
            unknown.extend(next);
        }
        progress(ply + 1, builder.known.len());
    }
    // The positions follow these rules, no two are symmetric, and their moves are legal: a valid book.
    Book::new(request.rules, request.made(), entries)
        .map_err(|fault| named(journal)(io::Error::new(io::ErrorKind::InvalidData, fault)).into())
}

/// Opens the journal of a build, or begins it.
fn open_journal(request: &BookRequest, start: &AnyGame, path: &Path) -> Result<(File, HashMap<u64, Node>), BuildError> {
    let at = named(path);
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(&at)?;
    if is_busy(&file) {
        return Err(BuildError::Busy(path.to_path_buf()));
    }
    let mut known = HashMap::new();
    let mut lines = WholeLines::of(&file);
    let expected = request.settings();
    let mut number = 0;
    while let Some(line) = lines.next_line().map_err(&at)? {
        let text = String::from_utf8_lossy(line).trim_end().to_string();
        number += 1;
        if number == 1 && text == expected {
            continue;
        } else if number == 1 {
            return Err(BuildError::Foreign { path: path.to_path_buf(), found: text, expected });
        }
        let node = Judged::read(&text).and_then(|judged| node(start, judged));
        let (key, node) = node.ok_or(BuildError::Damaged { path: path.to_path_buf(), line: number, text })?;
        known.insert(key, node);
    }
    let length = lines.length();
    go_on_after(&mut file, length).map_err(&at)?;
    if length == 0 {
        writeln!(file, "{expected}").map_err(&at)?;
    }
    Ok((file, known))
}

/// Returns a judged position with the keys after its moves, or `None` if there is no such position.
fn node(start: &AnyGame, judged: Judged) -> Option<(u64, Node)> {
    let game = start.at(Some(&judged.fen), []).ok()?;
    let after: HashMap<String, u64> = game.moves_by_key().into_iter().collect();
    let is_legal = judged.good.iter().chain(&judged.replies).all(|text| after.contains_key(text));
    is_legal.then_some((game.canonical_key(), Node { judged, after }))
}

impl Builder<'_> {
    /// Judges the new ones of these positions.
    fn learn(&mut self, positions: Vec<(u64, String)>) -> Result<(), BuildError> {
        let mut asked = HashSet::new();
        let is_new = |(key, _): &(u64, String)| !self.known.contains_key(key) && asked.insert(*key);
        let positions: Vec<_> = positions.into_iter().filter(is_new).collect();
        let look = |(key, fen): &(u64, String)| {
            let judged = self.hash_tables.lend(|hash| self.judge(*key, fen, hash));
            let Some(judged) = judged else { return Ok(None) };
            let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
            journal.write_all(judged.line().as_bytes())?;
            Ok(node(&self.start, judged))
        };
        let learned = positions.par_iter().with_max_len(1).map(look).collect::<io::Result<Vec<_>>>();
        self.known.extend(learned.map_err(named(self.path))?.into_iter().flatten());
        Ok(())
    }

    /// Judges a position: its moves by the tables, if they know all of them, and by a search.
    fn judge(&self, key: u64, fen: &str, hash: &Arc<HashTable>) -> Option<Judged> {
        let game = self.start.at(Some(fen), []).ok()?;
        let mut judged = Judged { fen: fen.to_string(), good: Vec::new(), replies: Vec::new(), errors: 0 };
        let moves = game.moves_by_key();
        if game.ending().is_some() || moves.is_empty() {
            return Some(judged);
        }
        // A true value may still be hard to play: a search chooses among the moves that preserve the value.
        let (best, keeping) = match self.by_tables(&game) {
            Some((best, keeping)) if best.len() > 1 => (self.by_search(&game, &best, hash).0, keeping),
            Some(one) => one,
            None => self.by_search(&game, &[], hash),
        };
        let keys: HashMap<&str, u64> = moves.iter().map(|(text, key)| (text.as_str(), *key)).collect();
        let of = |texts: &[String]| texts.iter().filter_map(|text| keys.get(text.as_str()).copied()).collect();
        let (mut best, keeping): (HashSet<u64>, HashSet<u64>) = (of(&best), of(&keeping));
        // The first of each orbit.
        judged.good = moves.iter().filter(|(_, key)| best.remove(key)).map(|(text, _)| text.clone()).collect();
        for level in REPLIERS {
            let reply = self.reply(&game, key, level, hash)?;
            judged.errors += u16::from(!keys.get(reply.as_str()).is_some_and(|key| keeping.contains(key)));
            judged.replies.push(reply);
        }
        Some(judged)
    }

    /// Returns the best moves, and those that preserve the result, or `None` if the tables do not know all moves.
    fn by_tables(&self, game: &AnyGame) -> Option<(Vec<String>, Vec<String>)> {
        let mut game = game.clone();
        let mut values = Vec::new();
        for text in game.moves() {
            // Legal: it is one of the moves.
            let _ = game.push(&text);
            values.push((game.known().map(Known::before)?, text));
            game.undo();
        }
        let best = values.iter().map(|(value, _)| *value).max_by_key(|value| value.rank())?;
        let with = |fits: &dyn Fn(Known) -> bool| {
            values.iter().filter(|(value, _)| fits(*value)).map(|(_, text)| text.clone()).collect()
        };
        Some((with(&|value| value.rank() == best.rank()), with(&|value| value.verdict() == best.verdict())))
    }

    /// Searches these moves, or all. Returns those as good as the best, or nearly so, and those not much worse.
    fn by_search(&self, game: &AnyGame, among: &[String], hash: &Arc<HashTable>) -> (Vec<String>, Vec<String>) {
        let searchmoves: Vec<Move> = among.iter().filter_map(|text| game.find_move(text).ok()).collect();
        hash.clear();
        let control = Arc::new(Control::new(false));
        let limits = Limits { nodes: Some(self.request.nodes), ..Limits::default() };
        let plain = Request::plain(&limits, hash, &control);
        let request = Request { multipv: usize::MAX, searchmoves: &searchmoves, ..plain };
        let mut lines = Lines::default();
        // Without the tables, which do not distinguish drawing moves.
        let answer = game.clone().without_oracle().search(&request, &mut |report| lines.take(report));
        let (best, others) = lines.finish(&answer, hash, &control);
        let within = |margin: u32| {
            let least = best.score.saturating_sub_unsigned(margin);
            let lines = std::iter::once(&best).chain(&others).filter(|line| line.score >= least);
            lines.filter_map(|line| line.pv.first().cloned()).collect()
        };
        let margin = self.request.margin;
        (within(margin), within(margin.max(LOST)))
    }

    /// Returns the move of a player below full strength.
    fn reply(&self, game: &AnyGame, key: u64, level: u32, hash: &Arc<HashTable>) -> Option<String> {
        let seed = fastrand::Rng::with_seed(self.request.seed ^ key ^ u64::from(level) << 56).u64(..);
        let weakness = handicap(level).map(|handicap| Weakness { handicap, seed });
        let (limits, control) = (Limits::default(), Arc::new(Control::new(false)));
        game.search(&Request { weakness, ..Request::plain(&limits, hash, &control) }, &mut |_| {}).best
    }

    /// Returns the keys and positions after some moves of a position.
    fn after<'a>(&'a self, key: u64, moves: impl Fn(&'a Judged) -> &'a [String]) -> Vec<(u64, String)> {
        let Some(Node { judged, after }) = self.known.get(&key) else { return Vec::new() };
        let position = |text: &String| {
            let mut game = self.start.at(Some(&judged.fen), []).ok()?;
            game.push(text).ok()?;
            Some((*after.get(text)?, game.fen()))
        };
        moves(judged).iter().filter_map(position).collect()
    }

    /// Returns the position for the book, if the game is not over.
    fn entry(&self, key: u64) -> Option<Entry> {
        let Node { judged, after } = self.known.get(&key)?;
        let weight = |text: &String| {
            let errors = after.get(text).and_then(|key| self.known.get(key)).map_or(0, |node| node.judged.errors);
            (text.clone(), errors + 1)
        };
        let moves: Vec<_> = judged.good.iter().map(weight).collect();
        (!moves.is_empty()).then(|| Entry { fen: judged.fen.clone(), moves })
    }

    /// Returns the next position of a game, or `None` at its end.
    fn step(&self, key: u64, number: usize, ply: usize) -> Option<(u64, String)> {
        let entry = self.entry(key)?;
        let judged = &self.known.get(&key)?.judged;
        let seed = self.request.seed ^ (number as u64) << 16 ^ (ply as u64) << 56;
        let mut rng = fastrand::Rng::with_seed(seed);
        let is_book = number % 2 == ply % 2 || rng.bool();
        let text = if is_book {
            let total: u32 = entry.moves.iter().map(|(_, weight)| u32::from(*weight)).sum();
            let mut rest = rng.u32(..total);
            let chosen = entry.moves.iter().find(|(_, weight)| {
                let is_here = rest < u32::from(*weight);
                rest = rest.saturating_sub((*weight).into());
                is_here
            });
            &chosen?.0
        } else {
            rng.choice(&judged.replies)?
        };
        self.after(key, |_| std::slice::from_ref(text)).pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::variant::Variant;
    use millbrain_tablebase::{Sources, open};
    use std::fs;

    fn request(variant: Variant, threads: usize, seed: u64) -> BookRequest {
        let opened = open(&variant.rules(), &Sources::default());
        let (oracle, sectors) = (opened.oracle, opened.sectors);
        BookRequest {
            rules: variant.into(),
            oracle,
            sectors,
            given: Vec::new(),
            games: 12,
            plies: 3,
            nodes: 300,
            margin: 20,
            seed,
            threads,
        }
    }

    /// Returns the path of a new journal.
    fn journal(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("millbrain-book-{}-{name}", std::process::id()));
        let _ = fs::remove_file(&path);
        path
    }

    fn built(request: &BookRequest, path: &Path) -> Book {
        build_book(request, path, &|_, _| {}).expect("a book")
    }

    #[test]
    fn a_book_has_the_positions_of_given_games() {
        let start = AnyGame::new(Variant::Morris.rules());
        let game = |moves: &[&str]| -> Vec<AnyGame> {
            (0..=moves.len()).map(|plies| start.at(None, moves[..plies].iter().copied()).expect("legal")).collect()
        };
        let given = vec![game(&["a7", "g1", "a1", "g7"]), game(&["a7", "d6"]), game(&["d6"])];
        let path = journal("given");
        let asked = BookRequest { given, games: 1, ..request(Variant::Morris, 2, 1) };
        let book = built(&asked, &path);
        // Three plies: the start, after a7 and d6, after two moves each.
        assert_eq!(book.entries().len(), 5, "{book}");
        for moves in [&["a7", "g1"][..], &["a7", "d6"], &["d6"], &[]] {
            assert!(!book.moves(&start.at(None, moves.iter().copied()).expect("legal")).is_empty(), "{moves:?}");
        }
        assert!(book.moves(&start.at(None, ["a7", "g1", "a1"]).expect("legal")).is_empty());
        // The journal is of these games alone.
        let other = BookRequest { given: vec![game(&["b4"])], ..asked };
        assert!(matches!(build_book(&other, &path, &|_, _| {}), Err(BuildError::Foreign { .. })));
        fs::remove_file(&path).expect("removed");
    }

    #[test]
    fn a_book_depends_on_the_seed_and_not_on_threads() {
        for variant in [Variant::Morris, Variant::Smess] {
            let paths = ["one", "two", "seed"].map(|name| journal(&format!("{variant}-{name}")));
            let one = built(&request(variant, 1, 1), &paths[0]);
            assert_eq!(built(&request(variant, 2, 1), &paths[1]), one);
            assert_ne!(built(&request(variant, 2, 2), &paths[2]), one);
            let start = AnyGame::new(variant.rules());
            assert!(!one.moves(&start).is_empty() && one.entries().len() > 6, "{one}");
            assert!(one.entries().iter().flat_map(|entry| &entry.moves).any(|(_, weight)| *weight > 1), "{one}");
            paths.iter().for_each(|path| fs::remove_file(path).expect("removed"));
        }
    }

    /// A kill leaves some lines, and perhaps a torn one.
    #[test]
    fn a_build_goes_on_where_it_was_broken_off() {
        let path = journal("again");
        let request = request(Variant::Mlyn, 2, 1);
        let whole = built(&request, &path);
        let kept = fs::read_to_string(&path).expect("the journal");
        let lines: Vec<&str> = kept.split_inclusive('\n').collect();
        for part in [0, 1, lines.len() / 2, lines.len()] {
            fs::write(&path, lines[..part].concat() + "3/3/3/6").expect("written");
            assert_eq!(built(&request, &path), whole);
            assert_eq!(fs::read_to_string(&path).expect("the journal").lines().count(), lines.len());
        }
        let other = BookRequest { plies: 4, ..self::request(Variant::Mlyn, 2, 1) };
        let reported = build_book(&other, &path, &|_, _| {}).expect_err("of another build").to_string();
        assert!(reported.contains("of another build (book of mlyn by ") && reported.contains("plies=4"), "{reported}");
        fs::write(&path, format!("{}\n3/3/3/6/3/3/3 w 9 9;a8;;0\n", request.settings())).expect("written");
        let reported = build_book(&request, &path, &|_, _| {}).expect_err("damaged").to_string();
        assert!(reported.contains("line 2: ") && reported.contains("expected FEN;MOVES;REPLIES;ERRORS"), "{reported}");
        fs::remove_file(&path).expect("removed");
    }

    /// Where the tables know the moves, those of the book preserve the value, and wins are the shortest.
    #[test]
    fn moves_are_true_where_tables_know_them() {
        let path = journal("true");
        let request = request(Variant::Morris, 1, 1);
        let mut start = AnyGame::new(Variant::Morris.rules());
        start.set_oracle(request.oracle.as_ref());
        let (file, known) = open_journal(&request, &start, &path).expect("a file");
        let hash_tables = HashTables::new(1, 1).expect("a MiB");
        let builder = Builder { request: &request, start, hash_tables, known, journal: Mutex::new(file), path: &path };
        let mut errors = 0;
        for fen in ["O2/1O1/3/O2X2/3/X1X/3 w 0 0", "1O1/3/3/X4O/3/3/XOX w 0 0 0 1", "O2/1O1/2O/O2X2/3/XX1/2X w 0 0"] {
            let game = builder.start.at(Some(fen), []).expect("a position");
            let value = game.known().expect("in the tables");
            let judged = builder.hash_tables.lend(|hash| builder.judge(1, fen, hash)).expect("judged");
            let after = |text: &str| game.at(Some(fen), [text]).expect("legal").known().expect("known").before();
            assert!(!judged.good.is_empty() && judged.good.iter().all(|text| after(text) == value), "{judged:?}");
            let lost = judged.replies.iter().filter(|text| after(text).verdict() != value.verdict()).count();
            assert_eq!(usize::from(judged.errors), lost, "{judged:?}");
            errors += lost;
        }
        assert!(errors > 0, "some level errs somewhere");
        fs::remove_file(&path).expect("removed");
    }
}
