//! Self-play for training data.

use millbrain_core::any::{AnyGame, AnyOracle};
use millbrain_core::game::Verdict;
use millbrain_core::game::value::Known;
use millbrain_core::platform::has_memory_for;
use millbrain_core::search::hash::OutOfMemory;
use millbrain_core::search::score::is_mate;
use millbrain_core::search::{Control, HashTable, Limits, Pool, Request};
use millbrain_core::variant::Variant;
use millbrain_files::shard::Shard;
use millbrain_files::{InFile, can_write_whole, named, replace};
use millbrain_tablebase::{Refusal, Sources, open};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// The size of each game's transposition table: enough for a few thousand nodes, and quickly cleared.
const TABLE_MIB: usize = 1;
/// The least number of random plies of an opening.
const LEAST_OPENING: u32 = 2;
/// The score and the number of plies: a game is decided when both sides have agreed on this score for this long.
const DECIDED: (i32, u32) = (1_500, 4);

/// The settings of self-play. Game N depends only on the seed and N.
#[derive(Clone, Debug)]
pub struct Play {
    /// The rules.
    pub variant: Variant,
    /// Games to play.
    pub games: usize,
    /// The part of the games to play.
    pub shard: Shard,
    /// Nodes of the search for each move.
    pub nodes: u64,
    /// Seed of the openings and random moves.
    pub seed: u64,
    /// Most random plies of an opening, from 2.
    pub opening: u32,
    /// Openings that a shallow search scores higher than this for either side, in centistones, are not played.
    pub balance: i32,
    /// A random move is played once in this many plies on average, from 1, so that the games differ.
    pub random_every: u32,
    /// Plies after the opening, after which a game is drawn.
    pub plies: usize,
    /// Threads, from 1; each plays one game at a time.
    pub threads: usize,
    /// Folders of tablebases. A position that they know has their result; any other one has that of the next known
    /// position, or of the game.
    pub tables: Vec<PathBuf>,
    /// File to write.
    pub out: PathBuf,
}

/// The reason why self-play has failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelfPlayError {
    /// There is no memory for the tables of the searches.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// The threads cannot be started.
    #[error("no thread to play on ({0}), expected fewer --threads")]
    Thread(#[source] io::Error),
    /// The tables cannot be used.
    #[error(transparent)]
    Tables(#[from] Refusal),
    /// The file cannot be written.
    #[error("{0}")]
    File(#[from] InFile<io::Error>),
}

/// Plays games and writes their quiet positions, one `FEN;score;result` a line, those of a game together. Score
/// (centistones) and result (1, 0, -1) are from the side to move. The result is that of perfect play from there where
/// the tables know it. Otherwise it is that of the next known position of the game, or else of the game. Where the
/// tables know the plies to a win or loss, a fourth field has them.
///
/// The games come in the order of their numbers, so the file depends only on the request. Parts of consecutive games,
/// concatenated, equal the output of one run. The file appears under its name when it is whole.
///
/// # Errors
/// Fails if there is no memory, threads cannot be started, tables cannot be used, or the file cannot be written.
pub fn play(request: &Play) -> Result<(), SelfPlayError> {
    let hash_tables: Result<Vec<_>, _> =
        (0..request.threads.max(1)).map(|_| HashTable::new(TABLE_MIB).map(Arc::new)).collect();
    if !has_memory_for(request.threads) {
        return Err(SelfPlayError::Thread(io::ErrorKind::OutOfMemory.into()));
    }
    let searchers: Vec<_> = hash_tables?.into_iter().map(|hash| Searcher { hash, pool: Pool::single() }).collect();
    let out = &request.out;
    can_write_whole(out).map_err(named(out))?;
    let truth = match request.tables.is_empty() {
        true => None,
        false => {
            let sources = Sources { embedded: false, ..Sources::at(request.tables.iter().cloned()) };
            let opened = open(&request.variant.rules(), &sources);
            if let Some(refusal) = opened.refusals.into_iter().next() {
                return Err(refusal.into());
            }
            opened.oracle
        }
    };
    play_all(request, &searchers, truth.as_ref())
}

/// Plays all games in parallel.
fn play_all(request: &Play, searchers: &[Searcher], truth: Option<&AnyOracle>) -> Result<(), SelfPlayError> {
    let numbers = Mutex::new((0..request.games).filter(|&number| request.shard.has(number)).enumerate());
    let next = || numbers.lock().unwrap_or_else(PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        let (sender, played) = channel();
        for searcher in searchers {
            let (next, sender) = (&next, sender.clone());
            let body = move || {
                let mut start = AnyGame::new(request.variant.rules());
                start.set_oracle(truth);
                while let Some((place, number)) = next() {
                    let seed = request.seed << 32 ^ number as u64;
                    if sender.send((place, play_game(&start, seed, request, searcher))).is_err() {
                        return;
                    }
                }
            };
            // If one cannot be started, the games of the others are no longer received, and they end.
            std::thread::Builder::new().spawn_scoped(scope, body).map_err(SelfPlayError::Thread)?;
        }
        drop(sender);
        let out = &request.out;
        Ok(replace(out, |file| write_in_order(played, file)).map_err(named(out))?)
    })
}

/// Writes the lines of the games in order, whichever is finished first.
fn write_in_order(played: Receiver<(usize, String)>, file: &mut File) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    for (place, lines) in played {
        waiting.insert(place, lines);
        while let Some(lines) = waiting.remove(&next) {
            out.write_all(lines.as_bytes())?;
            next += 1;
            if next.is_multiple_of(1000) {
                log::info!("{next} games");
            }
        }
    }
    out.flush()
}

/// A thread's resources for repeated searches.
struct Searcher {
    hash: Arc<HashTable>,
    pool: Pool,
}

/// Returns the score and best move of a silent search, which does not ask the tables.
fn look(game: &AnyGame, searcher: &Searcher, nodes: u64) -> Option<(i32, String)> {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let control = Arc::new(Control::new(false));
    let request = Request { pool: Some(&searcher.pool), ..Request::plain(&limits, &searcher.hash, &control) };
    let found = game.clone().without_oracle().search(&request, &mut |_| {});
    Some((found.score, found.best?))
}

/// Plays a legal move.
fn push(game: &mut AnyGame, mv: &str) {
    game.push(mv).expect("a legal move");
}

/// Plays a few random moves from the start to a position that is still open.
fn opening(start: &AnyGame, rng: &mut fastrand::Rng, request: &Play, searcher: &Searcher) -> AnyGame {
    let is_open = |score: i32| score.abs() <= request.balance;
    loop {
        let mut game = start.clone();
        for _ in 0..rng.u32(LEAST_OPENING..=request.opening.max(LEAST_OPENING)) {
            if let Some(mv) = rng.choice(game.moves()) {
                push(&mut game, &mv);
            }
        }
        if game.ending().is_none() && look(&game, searcher, request.nodes / 4).is_some_and(|(score, _)| is_open(score))
        {
            return game;
        }
    }
}

/// Plays a game and returns its quiet positions as lines. The oracle of `start` knows their values.
fn play_game(start: &AnyGame, seed: u64, request: &Play, searcher: &Searcher) -> String {
    searcher.hash.clear();
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut game = opening(start, &mut rng, request, searcher);
    let mut quiet = Vec::new();
    let mut agreed = 0;
    let mut winner = None;
    for _ in 0..request.plies {
        if let Some(ending) = game.ending() {
            winner = ending.winner(game.side());
            break;
        }
        let Some((score, best)) = look(&game, searcher, request.nodes) else { break };
        agreed = if score.abs() >= DECIDED.0 { agreed + 1 } else { 0 };
        if agreed >= DECIDED.1 {
            winner = Some(if score > 0 { game.side() } else { game.side().other() });
            break;
        }
        if !is_mate(score) && game.is_quiet(&best) {
            quiet.push((game.fen(), game.side(), score, game.known()));
        }
        let random = rng.u32(..request.random_every.max(1)) == 0;
        let mv = if random { rng.choice(game.moves()).unwrap_or(best) } else { best };
        push(&mut game, &mv);
    }
    let mut lines = Vec::with_capacity(quiet.len());
    // The winner from the next known position, or of the game.
    for (fen, side, score, known) in quiet.into_iter().rev() {
        if let Some(known) = known {
            winner = match known.verdict() {
                Verdict::Win => Some(side),
                Verdict::Draw => None,
                Verdict::Loss => Some(side.other()),
            };
        }
        let result = winner.map_or(0, |won| if won == side { 1 } else { -1 });
        let plies = known.and_then(Known::plies).map_or_else(String::new, |plies| format!(";{plies}"));
        lines.push(format!("{fen};{score};{result}{plies}\n"));
    }
    lines.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::game::value::{Oracle, Value};
    use millbrain_core::layout::Described;
    use millbrain_core::morris::{CUSTOM, Morris, Position, rules};

    /// An oracle by which every position with stones in hand, or every other one, is lost in `plies` plies, if given.
    struct Gloomy {
        placing: bool,
        plies: Option<u32>,
    }

    impl Oracle<Position> for Gloomy {
        fn verdict(&self, pos: &Position) -> Option<Verdict> {
            let game = Morris::<CUSTOM>::new(rules::MORRIS);
            let is_placing = game.hands(pos).is_some_and(|hands| hands.iter().sum::<u32>() > 0);
            (is_placing == self.placing).then_some(Verdict::Loss)
        }

        fn value(&self, pos: &Position) -> Option<Value> {
            self.verdict(pos).and(self.plies).map(Value::Loss)
        }
    }

    fn request() -> Play {
        Play {
            variant: Variant::Morris,
            games: 1,
            shard: Shard::ALL,
            nodes: 100,
            seed: 1,
            opening: 24,
            balance: 250,
            random_every: 25,
            plies: 300,
            threads: 1,
            tables: Vec::new(),
            out: PathBuf::new(),
        }
    }

    fn played(request: &Play, truth: Option<Gloomy>) -> String {
        let searcher = Searcher { hash: Arc::new(HashTable::new(1).expect("a MiB")), pool: Pool::single() };
        let mut start = AnyGame::new(request.variant.rules());
        let game = Morris::<CUSTOM>::new(rules::MORRIS);
        start.set_oracle(truth.map(|truth| AnyOracle::new(&game, Arc::new(truth))).as_ref());
        play_game(&start, 7, request, &searcher)
    }

    #[test]
    fn what_is_known_counts_more_than_the_game() {
        let plain = played(&request(), None);
        for (plies, reported) in [(None, "-1"), (Some(9), "-1;9")] {
            let lines = played(&request(), Some(Gloomy { placing: true, plies }));
            assert_eq!(plain.lines().count(), lines.lines().count());
            let mut known = 0;
            for (plain, line) in plain.lines().zip(lines.lines()) {
                let (position, own) = plain.rsplit_once(';').expect("a line");
                let is_placing = !position.contains(" 0 0 ");
                known += usize::from(is_placing);
                assert_eq!(line, format!("{position};{}", if is_placing { reported } else { own }));
            }
            assert!(known > 0 && known < plain.lines().count(), "{plain}");
        }
    }

    /// Before a position that is lost for its mover the other side is winning, whichever side wins the game.
    #[test]
    fn what_is_known_counts_for_what_came_before() {
        let lines = played(&request(), Some(Gloomy { placing: false, plies: None }));
        let (placing, moving): (Vec<&str>, Vec<&str>) = lines.lines().partition(|line| !line.contains(" 0 0 "));
        let mover = |line: &str| line.contains(" w ");
        let loser = mover(moving.first().expect("stones move"));
        assert!(!placing.is_empty() && moving.iter().all(|line| line.ends_with(";-1")));
        for line in placing {
            assert!(line.ends_with(if mover(line) == loser { ";-1" } else { ";1" }), "{line}");
        }
    }

    #[test]
    fn games_are_as_asked_for() {
        let lines = |request: &Play| played(request, None).lines().count();
        assert!(lines(&Play { plies: 6, ..request() }) <= 6);
        assert!(lines(&Play { plies: 6, ..request() }) < lines(&request()));
        // After an opening of two plies a quiet position soon occurs.
        let first = |request: &Play| played(request, None).lines().next().map(str::to_owned).expect("a position");
        let stones = |line: &str| line.split(' ').next().expect("a board").matches(['X', 'O']).count();
        assert!(stones(&first(&Play { opening: 2, random_every: 1_000, ..request() })) <= 6);
        assert_ne!(played(&Play { random_every: 1, ..request() }, None), played(&request(), None));
    }
}
