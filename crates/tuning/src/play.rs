//! Self-play for training data.

use millbrain_core::any::AnyOracle;
use millbrain_core::game::value::Oracle;
use millbrain_core::game::{Move, Searchable, Verdict};
use millbrain_core::play::Play as Game;
use millbrain_core::search::hash::OutOfMemory;
use millbrain_core::search::score::is_mate;
use millbrain_core::search::{Control, HashTable, Limits, Pool, Request, has_memory_for, search};
use millbrain_core::variant::Variant;
use millbrain_core::with_game;
use millbrain_tablebase::files::{InFile, can_write_whole, named, replace};
use millbrain_tablebase::shard::Shard;
use millbrain_tablebase::{Refusal, Sources, open};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Transposition table of each game: enough for a few thousand nodes, and quickly cleared.
const TABLE_MIB: usize = 1;
/// Openings have up to this many random plies.
const RANDOM_PLIES: u32 = 24;
/// Openings that a shallow search scores higher than this for either side are not played.
const BALANCE: i32 = 250;
/// A random move is played once in this many plies on average, so that the games differ.
const RANDOM_MOVE_EVERY: u32 = 25;
/// Plies after which a game is drawn.
const MAX_PLIES: usize = 300;
/// A game is decided when both sides have agreed on this score for this many plies.
const DECIDED: (i32, u32) = (1_500, 4);

/// What to play. Game N depends only on the seed and N.
#[derive(Clone, Debug)]
pub struct Play {
    /// The rules.
    pub variant: Variant,
    /// Games to play.
    pub games: usize,
    /// Which of them.
    pub shard: Shard,
    /// Nodes of the search for each move.
    pub nodes: u64,
    /// Seed of the openings and random moves.
    pub seed: u64,
    /// Threads, from 1; each plays one game at a time.
    pub threads: usize,
    /// Folders of tablebases: of positions that they know the result is theirs, and not that of the game.
    pub tables: Vec<PathBuf>,
    /// File to write.
    pub out: PathBuf,
}

/// Why there are no positions from self-play.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelfPlayError {
    /// There is no memory for the tables of the searches.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// Not as many threads as asked for.
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
/// (centistones) and result (1, 0, -1) are from the side to move; the result is that of perfect play where the tables know it,
/// else that of the game. The games come in the order of their numbers, so
/// the file depends on nothing but the request, and parts of consecutive games put together are what one run writes.
/// The file appears under its name when it is whole.
///
/// # Errors
/// No memory, no threads, tables that cannot be used, or a file that cannot be written.
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

/// Plays all games, side by side.
fn play_all(request: &Play, searchers: &[Searcher], truth: Option<&AnyOracle>) -> Result<(), SelfPlayError> {
    let numbers = Mutex::new((0..request.games).filter(|&number| request.shard.has(number)).enumerate());
    let next = || numbers.lock().unwrap_or_else(PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        let (sender, played) = channel();
        for searcher in searchers {
            let (next, sender) = (&next, sender.clone());
            let body = move || {
                with_game!(request.variant.rules(), |game| {
                    let truth = oracle_of(&game, truth);
                    while let Some((place, number)) = next() {
                        let seed = request.seed << 32 ^ number as u64;
                        let lines = play_game(game, seed, request.nodes, searcher, truth.as_deref());
                        if sender.send((place, lines)).is_err() {
                            return;
                        }
                    }
                });
            };
            // Where one cannot be started, nobody takes the games of the others any more, and they end.
            std::thread::Builder::new().spawn_scoped(scope, body).map_err(SelfPlayError::Thread)?;
        }
        drop(sender);
        let out = &request.out;
        Ok(replace(out, |file| write_in_order(played, file)).map_err(named(out))?)
    })
}

/// Writes the lines of the games in order, whichever is played first.
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

/// What one thread needs to search again and again.
struct Searcher {
    hash: Arc<HashTable>,
    pool: Pool,
}

/// The oracle for the positions of this game.
fn oracle_of<G: Searchable>(_: &G, oracle: Option<&AnyOracle>) -> Option<Arc<dyn Oracle<G::Position>>> {
    oracle.and_then(AnyOracle::of)
}

/// Score and best move of a silent search.
fn look<G: Searchable>(play: &Game<G>, searcher: &Searcher, nodes: u64) -> Option<(i32, Move)> {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let control = Arc::new(Control::new(false));
    let request = Request { pool: Some(&searcher.pool), ..Request::plain(&limits, &searcher.hash, &control) };
    let found = search(play, None, &request, &mut |_| {});
    found.best.map(|best| (found.score, best))
}

/// A few random moves from the start to a position that is still open.
fn opening<G: Searchable>(game: G, rng: &mut fastrand::Rng, searcher: &Searcher, nodes: u64) -> Game<G> {
    loop {
        let mut play = Game::new(game);
        for _ in 0..rng.u32(2..=RANDOM_PLIES) {
            if let Some(mv) = rng.choice(game.moves(play.position())) {
                play.push(mv);
            }
        }
        if play.ending().is_none() && look(&play, searcher, nodes).is_some_and(|(score, _)| score.abs() <= BALANCE) {
            return play;
        }
    }
}

/// Plays a game and returns its quiet positions as lines.
fn play_game<G: Searchable>(
    game: G,
    seed: u64,
    nodes: u64,
    searcher: &Searcher,
    truth: Option<&dyn Oracle<G::Position>>,
) -> String {
    searcher.hash.clear();
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut play = opening(game, &mut rng, searcher, nodes / 4);
    let mut quiet = Vec::new();
    let mut agreed = 0;
    let mut winner = None;
    for _ in 0..MAX_PLIES {
        if let Some(ending) = play.ending() {
            winner = ending.winner(play.side());
            break;
        }
        let Some((score, best)) = look(&play, searcher, nodes) else { break };
        agreed = if score.abs() >= DECIDED.0 { agreed + 1 } else { 0 };
        if agreed >= DECIDED.1 {
            winner = Some(if score > 0 { play.side() } else { play.side().other() });
            break;
        }
        let pos = play.position();
        if !is_mate(score) && !game.is_tactical(pos, best) && !game.is_threatened(pos) && !game.can_win_now(pos) {
            quiet.push((play.fen(), play.side(), score, truth.and_then(|truth| truth.verdict(pos))));
        }
        let random = rng.u32(..RANDOM_MOVE_EVERY) == 0;
        let mv = if random { rng.choice(game.moves(pos)).unwrap_or(best) } else { best };
        play.push(mv);
    }
    let mut lines = String::new();
    for (fen, side, score, known) in quiet {
        let of_game = || winner.map_or(Verdict::Draw, |won| if won == side { Verdict::Win } else { Verdict::Loss });
        let result = match known.unwrap_or_else(of_game) {
            Verdict::Win => 1,
            Verdict::Draw => 0,
            Verdict::Loss => -1,
        };
        let _ = writeln!(lines, "{fen};{score};{result}");
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::game::value::Value;
    use millbrain_core::layout::Described;
    use millbrain_core::morris::{CUSTOM, Morris, Position, rules};

    /// Says that every position with stones in hand is lost, and knows no other.
    struct Gloomy;

    impl Oracle<Position> for Gloomy {
        fn verdict(&self, pos: &Position) -> Option<Verdict> {
            let game = Morris::<CUSTOM>::new(rules::MORRIS);
            game.hands(pos).is_some_and(|hands| hands.iter().sum::<u32>() > 0).then_some(Verdict::Loss)
        }

        fn value(&self, _: &Position) -> Option<Value> {
            None
        }
    }

    #[test]
    fn what_is_known_counts_more_than_the_game() {
        let searcher = Searcher { hash: Arc::new(HashTable::new(1).expect("a MiB")), pool: Pool::single() };
        let game = Morris::<CUSTOM>::new(rules::MORRIS);
        let played = |truth: Option<&dyn Oracle<Position>>| play_game(game, 7, 100, &searcher, truth);
        let (plain, told) = (played(None), played(Some(&Gloomy)));
        assert_eq!(plain.lines().count(), told.lines().count());
        let mut known = 0;
        for (plain, told) in plain.lines().zip(told.lines()) {
            let ((position, own), (same, result)) =
                (plain.rsplit_once(';').expect("a line"), told.rsplit_once(';').expect("a line"));
            assert_eq!(position, same);
            let is_placing = !position.contains(" 0 0 ");
            known += usize::from(is_placing);
            assert_eq!(result, if is_placing { "-1" } else { own }, "{position}");
        }
        assert!(known > 0 && known < plain.lines().count(), "{plain}");
    }
}
