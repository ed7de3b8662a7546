//! The engine as a player: executes `go` with the settings, at full strength or below.

use super::command::Go;
use super::options::{Effect, Settings};
use super::output::Output;
use super::report;
use crate::any::{Answer, AnyGame, Report};
use crate::game::Move;
use crate::games::book::{Book, OpenError};
use crate::search::hash::OutOfMemory;
use crate::search::strength;
use crate::search::{Control, HashTable, Limits, Pool, PoolError, Request, Weakness};
use crate::variant::NamedRules;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The resources that a session shares between searches.
#[derive(Clone)]
pub struct Resources {
    /// The transposition table.
    pub hash: Arc<HashTable>,
    /// The search threads.
    pub pool: Arc<Pool>,
    /// The opening book, ignored in games with other rules.
    pub book: Option<Arc<Book>>,
}

/// Why resources do not match the settings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// No memory for the hash table.
    #[error(transparent)]
    Hash(#[from] OutOfMemory),
    /// No threads.
    #[error(transparent)]
    Threads(#[from] PoolError),
    /// A file that cannot be read or is not an opening book.
    #[error("book {0}")]
    Book(#[from] OpenError),
    /// A book for other rules.
    #[error("book {}: for {found}, expected one for {expected}", path.display())]
    OtherRules {
        /// Path of the book.
        path: PathBuf,
        /// Rules of the book.
        found: NamedRules,
        /// The current rules.
        expected: NamedRules,
    },
}

impl Resources {
    /// Allocates a hash table of this size, with one thread.
    ///
    /// # Errors
    /// When there is no memory for the table.
    pub fn new(hash_mib: usize) -> Result<Resources, OutOfMemory> {
        Ok(Resources { hash: Arc::new(HashTable::new(hash_mib)?), pool: Arc::new(Pool::single()), book: None })
    }

    /// Applies the effect of a changed option; other effects are ignored.
    ///
    /// # Errors
    /// When there is no memory, no more threads, or no such book for the rules; then nothing has changed.
    pub fn apply(&mut self, effect: Effect, settings: &Settings) -> Result<(), ResourceError> {
        match effect {
            Effect::Threads => self.pool = Arc::new(Pool::new(settings.threads)?),
            Effect::Hash => self.hash = Arc::new(HashTable::new(settings.hash)?),
            Effect::Clear => self.clear_hash(),
            Effect::Book => self.book = open_book(settings)?.map(Arc::new),
            Effect::None | Effect::Rules | Effect::Tables | Effect::Cache | Effect::Log => {}
        }
        Ok(())
    }

    /// Restarts the threads in a forked process.
    ///
    /// # Errors
    /// When there is no memory, or no more threads.
    pub fn renew(&mut self) -> Result<(), ResourceError> {
        if self.pool.is_left_behind() {
            self.pool = Arc::new(Pool::new(self.pool.threads())?);
        }
        Ok(())
    }

    /// Clears the hash table.
    pub fn clear_hash(&self) {
        // A helper of the last search may still be running: it must not store anything after the clearing.
        self.pool.settle();
        self.hash.clear();
    }
}

/// Opens the opening book of the settings.
fn open_book(settings: &Settings) -> Result<Option<Book>, ResourceError> {
    if settings.book_file.is_empty() {
        return Ok(None);
    }
    let path = Path::new(&settings.book_file);
    let book = Book::open(path)?;
    if book.rules().rules != settings.rules {
        let expected = NamedRules { variant: settings.variant, rules: settings.rules };
        return Err(ResourceError::OtherRules { path: path.to_path_buf(), found: *book.rules(), expected });
    }
    Ok(Some(book))
}

/// Creates a random number generator: deterministic for a seed and a position, random for seed 0.
fn generator(game: &AnyGame, seed: u64) -> fastrand::Rng {
    if seed == 0 {
        return fastrand::Rng::new();
    }
    fastrand::Rng::with_seed(seed ^ game.key() ^ u64::from(game.plies_without_progress()) << 56)
}

/// Returns a uniformly random legal move; `None` if there is none.
pub fn random_move(game: &AnyGame, seed: u64) -> Option<String> {
    generator(game, seed).choice(game.moves())
}

/// Returns the legal moves among those of a `go`; reports the others.
fn searchmoves(game: &AnyGame, texts: &[String], out: &Output) -> Vec<Move> {
    let mut moves = Vec::new();
    for text in texts {
        match game.find_move(text) {
            Ok(mv) => moves.push(mv),
            Err(fault) => {
                let text = crate::fen::shorten(text);
                out.note(&format!("go: move {} in searchmoves {fault}; skipped", text.escape_debug()));
            }
        }
    }
    if moves.is_empty() && !texts.is_empty() {
        out.note("go: no legal move in searchmoves, searching all moves");
    }
    moves
}

/// Searches with the settings, at full strength or below, and reports results as they come.
pub fn search(
    game: &AnyGame,
    limits: &Limits,
    searchmoves: &[Move],
    settings: &Settings,
    resources: &Resources,
    control: &Arc<Control>,
    tell: &mut dyn FnMut(&Report<'_>),
) -> Answer {
    #[cfg(feature = "tune")]
    settings.tunables.put_in_force();
    let Resources { hash, pool, .. } = resources;
    let weakness = strength::handicap(settings.level())
        .map(|handicap| Weakness { handicap, seed: generator(game, settings.seed).u64(..) });
    let request = Request {
        limits,
        searchmoves,
        hash,
        control,
        pool: Some(pool),
        multipv: settings.multipv,
        overhead: Duration::from_millis(settings.move_overhead),
        weakness,
        style: settings.style,
        searches_doubtful: false,
    };
    game.search(&request, tell)
}

/// Returns the book move for a `go` that requests a move to play.
fn book_move(game: &AnyGame, go: &Go, settings: &Settings, resources: &Resources) -> Option<String> {
    let book = resources.book.as_ref().filter(|book| settings.own_book && book.rules().rules == settings.rules)?;
    let limits = &go.limits;
    let is_play = limits.is_bounded() && limits.mate.is_none() && limits.depth != Some(0) && !go.ponder;
    let is_analysis = settings.analyse || settings.multipv > 1 || !go.searchmoves.is_empty();
    if !is_play || is_analysis || settings.level() < strength::FULL || game.ending().is_some() {
        return None;
    }
    book.choose(game, generator(game, settings.seed).f64())
}

/// Executes a `go`, reporting to `out`; returns the `bestmove` line.
pub fn go(
    game: &AnyGame,
    go: &Go,
    settings: &Settings,
    resources: &Resources,
    control: &Arc<Control>,
    out: &Output,
) -> String {
    let searchmoves = searchmoves(game, &go.searchmoves, out);
    if let Some(ending) = game.ending() {
        out.note(&format!("the game is over: {}", ending.reason));
    }
    if let Some(best) = book_move(game, go, settings, resources) {
        out.note(&format!("book move {best}"));
        return report::best_move_line(&Answer { best: Some(best), ..Answer::default() });
    }
    let model = settings.show_wdl.then(|| game.wdl_model());
    let tell = &mut |report: &Report<'_>| out.line(&report::info_line(report, model));
    let answer = search(game, &go.limits, &searchmoves, settings, resources, control, tell);
    // Includes faults found earlier, when the tables were prepared.
    for fault in game.new_faults() {
        out.fault(&fault);
    }
    report::best_move_line(&answer)
}

/// Returns a `bestmove` line with any legal move, for a failed search.
pub fn any_move_line(game: &AnyGame) -> String {
    report::best_move_line(&Answer { best: game.moves().into_iter().next(), ..Answer::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::any::AnyOracle;
    use crate::game::Verdict;
    use crate::morris::rules::MORRIS;
    use crate::morris::{CUSTOM, Morris, Position};
    use crate::value::{Oracle, Value};
    use crate::variant::Variant;
    use std::io::sink;

    /// An oracle with damage found before the first probe.
    struct Damaged;

    impl Oracle<Position> for Damaged {
        fn verdict(&self, _: &Position) -> Option<Verdict> {
            None
        }

        fn value(&self, _: &Position) -> Option<Value> {
            None
        }

        fn new_faults(&self) -> Vec<String> {
            vec!["torn".to_string()]
        }
    }

    /// Equal seeds and positions give equal numbers; a different seed or position gives different ones.
    #[test]
    fn random_numbers_go_by_seed_and_position() {
        let first = |game: &AnyGame, seed| generator(game, seed).u64(..);
        let start = AnyGame::new(Variant::Morris.rules());
        let at = |fen: &str| AnyGame::new(Variant::Mlyn.rules()).at(Some(fen), []).expect("a position");
        let quiet = ["w 0 0 0 9", "w 0 0 5 9", "w 0 0 7 9"].map(|rest| at(&format!("OOO/1X1/3/O3X1/3/X1X/3 {rest}")));
        let games = [&start, &quiet[0], &quiet[1], &quiet[2]];
        let mut all = Vec::new();
        for game in games {
            for seed in [1, 2, 3, 255, 256, u64::MAX] {
                assert_eq!(first(game, seed), first(game, seed));
                all.push(first(game, seed));
            }
        }
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 4 * 6, "no two are the same");
        let drawn: Vec<u64> = (0..8).map(|_| first(&start, 0)).collect();
        assert!(drawn.iter().any(|&number| number != drawn[0]), "without a seed each is new");
    }

    #[test]
    fn damage_is_reported_at_every_level() {
        let path = std::env::temp_dir().join(format!("millbrain-player-{}", std::process::id()));
        let mut game = AnyGame::new(Variant::Morris.rules());
        let morris = Morris::<CUSTOM>::new(MORRIS);
        game.set_oracle(Some(&AnyOracle::new(&morris, Arc::new(Damaged))));
        let limits = crate::search::Limits { depth: Some(1), ..Default::default() };
        let request = Go { limits, ..Go::default() };
        let resources = Resources::new(1).expect("a MiB");
        for skill in [strength::FULL, strength::FULL - 1] {
            let out = Output::new(Box::new(sink()));
            out.log_to(&path.to_string_lossy()).expect("a log");
            let settings = Settings { skill, ..Settings::default() };
            go(&game, &request, &settings, &resources, &Arc::new(Control::new(false)), &out);
            let reported = std::fs::read_to_string(&path).expect("the log");
            std::fs::remove_file(&path).expect("removed");
            assert!(reported.contains("info string torn"), "level {skill}: {reported}");
        }
    }

    #[test]
    fn a_failed_search_is_answered_with_a_legal_move() {
        let game = AnyGame::new(Variant::Morris.rules());
        let line = any_move_line(&game);
        assert!(line.strip_prefix("bestmove ").is_some_and(|text| game.moves().contains(&text.to_string())), "{line}");
        let over = game.at(Some("OO1/3/3/6/3/3/XXX w 0 0"), []).expect("valid");
        assert_eq!(any_move_line(&over), "bestmove (none)");
    }
}
