//! The game of a session, of any variant: the one place where the generic code is put behind a trait object.

use super::command::Go;
use super::options::Settings;
use super::output::Output;
use super::report;
use crate::game::{Ending, Move, Searchable, Term};
use crate::perft;
use crate::play::{Play, PlayError};
use crate::search::strength::{self, Handicap};
use crate::search::{Control, Found, Info, Limits, Pool, Request, Table, search};
use crate::tablebase::{Opened, Sources, Tabled};
use crate::value::Oracle;
use crate::variant::Ruleset;
use crate::with_game;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

/// A game of any variant.
pub trait Board: Send {
    /// A copy, for a search to work on.
    fn boxed(&self) -> Box<dyn Board>;

    /// Sets up a position and plays moves; all or nothing.
    ///
    /// # Errors
    /// The faults of the FEN or the first bad move; the board is as it was.
    fn set_up(&mut self, fen: Option<&str>, moves: &[String]) -> Result<(), PlayError>;

    /// Exchanges the sides.
    fn flip(&mut self);

    /// Opens the tablebases of these rules in place of those that were open; reports what is not used and why.
    fn open_tables(&mut self, sources: &Sources) -> TablesReport;

    /// Does the work that would otherwise delay the first search, while no clock runs.
    fn prepare(&self);

    /// The FEN.
    fn fen(&self) -> String;

    /// The board and details of the position, for a human reader.
    fn display(&self) -> String;

    /// The evaluation, term by term.
    fn evaluation(&self) -> String;

    /// All legal moves.
    fn moves(&self) -> Vec<String>;

    /// A uniformly random legal move.
    fn random_move(&self, seed: u64) -> Option<String>;

    /// Counts leaves below each root move.
    fn perft(&self, depth: u32, settings: perft::Settings<'_>) -> Vec<(String, u64)>;

    /// Carries out a `go`, reporting to `out`; returns the `bestmove` line.
    fn go(&self, go: &Go, settings: &Settings, resources: &Resources, control: &Arc<Control>, out: &Output) -> String;

    /// Searches without output.
    fn search(&self, request: &Request<'_>) -> Found;

    /// A `bestmove` line with any legal move, for when a search fails.
    fn any_move_line(&self) -> String;
}

/// What a session keeps from search to search.
#[derive(Clone)]
pub struct Resources {
    /// The transposition table.
    pub table: Arc<Table>,
    /// The search threads.
    pub pool: Arc<Pool>,
}

/// The tablebases that have been opened.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TablesReport {
    /// Sectors with tables.
    pub sectors: usize,
    /// What is not used and why.
    pub refusals: Vec<Unused>,
}

/// A folder or file of tablebases that is not used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unused {
    /// Its name and the reason.
    pub text: String,
    /// Whether it is for other rules, and may be sound for them.
    pub other_rules: bool,
}

/// A game and the tablebases of its rules.
#[derive(Clone)]
struct Seat<G: Searchable> {
    play: Play<G>,
    oracle: Option<Arc<dyn Oracle<G::Position>>>,
}

/// A board with the start position of these rules, without tablebases.
pub fn new_board(rules: Ruleset) -> Box<dyn Board> {
    with_game!(rules, |game| Box::new(Seat { play: Play::new(game), oracle: None }))
}

/// A random number generator: always the same for a seed and a position, a new one each time for seed 0.
fn generator<G: Searchable>(play: &Play<G>, seed: u64) -> fastrand::Rng {
    if seed == 0 {
        return fastrand::Rng::new();
    }
    let key = play.game.key(play.position());
    fastrand::Rng::with_seed(seed ^ key ^ u64::from(play.game.counter(play.position())) << 56)
}

fn term_lines(terms: &[Term]) -> String {
    let mut text = format!("{:<16} {:>8} {:>8} {:>8}\n", "term", "white", "black", "total");
    for term in terms {
        let _ = writeln!(text, "{:<16} {:>8} {:>8} {:>8}", term.name, term.white, term.black, term.white - term.black);
    }
    text
}

impl<G: Searchable> Seat<G> {
    /// The legal moves among these; the others are reported.
    fn legal_moves(&self, texts: &[String], out: &Output) -> Vec<Move> {
        let mut moves = Vec::new();
        for text in texts {
            match self.play.find_move(text) {
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

    /// The tablebases, if the engine plays at full strength.
    fn oracle_for(&self, settings: &Settings) -> Option<&Arc<dyn Oracle<G::Position>>> {
        if strength::handicap(settings.level()).is_some() { None } else { self.oracle.as_ref() }
    }

    /// `white wins (REASON)` and the like.
    fn result_text(&self, ending: Ending) -> String {
        match ending.winner(self.play.side()) {
            Some(winner) => format!("{winner} wins ({})", ending.reason),
            None => format!("draw ({})", ending.reason),
        }
    }

    /// A random move instead of a search, as lower levels sometimes play.
    fn guess(&self, limits: &Limits, rng: &mut fastrand::Rng, handicap: Handicap) -> Option<Move> {
        if handicap.depth > 0 && rng.u32(..1000) >= handicap.blunder {
            return None;
        }
        let moves = if limits.searchmoves.is_empty() {
            self.play.game.moves(self.play.position())
        } else {
            limits.searchmoves.clone()
        };
        rng.choice(moves)
    }
}

impl<G: Tabled> Board for Seat<G> {
    fn boxed(&self) -> Box<dyn Board> {
        Box::new(self.clone())
    }

    fn set_up(&mut self, fen: Option<&str>, moves: &[String]) -> Result<(), PlayError> {
        self.play = Play::set_up(self.play.game, fen, moves.iter().map(String::as_str))?;
        Ok(())
    }

    fn flip(&mut self) {
        self.play.flip();
    }

    fn open_tables(&mut self, sources: &Sources) -> TablesReport {
        let Opened { oracle, sectors, refusals } = self.play.game.open_tables(sources);
        self.oracle = oracle;
        let refusals =
            refusals.iter().map(|refusal| Unused { text: refusal.to_string(), other_rules: refusal.is_other_rules() });
        TablesReport { sectors, refusals: refusals.collect() }
    }

    fn prepare(&self) {
        // The first evaluation unpacks the network.
        self.play.game.evaluate(self.play.position());
        if let Some(oracle) = &self.oracle {
            oracle.prepare();
        }
    }

    fn fen(&self) -> String {
        self.play.fen()
    }

    fn display(&self) -> String {
        let pos = self.play.position();
        let mut text = self.play.game.diagram(pos);
        let mut line = |name: &str, value: &str| {
            let _ = writeln!(text, "{name}: {value}");
        };
        line("Fen", &self.play.fen());
        line("Key", &format!("{:016x}", self.play.game.key(pos)));
        line("Side to move", &self.play.side().to_string());
        for (name, value) in self.play.game.describe(pos) {
            line(name, &value);
        }
        line("Occurrences", &self.play.occurrences().to_string());
        let moves = Board::moves(self);
        line("Legal moves", &format!("{}{}{}", moves.len(), if moves.is_empty() { "" } else { ": " }, moves.join(" ")));
        if let Some(ending) = self.play.ending() {
            line("Result", &self.result_text(ending));
        }
        text
    }

    fn evaluation(&self) -> String {
        let pos = self.play.position();
        let mut text = term_lines(&self.play.game.terms(pos));
        let _ = match self.play.ending() {
            Some(ending) => writeln!(text, "Game over: {}", self.result_text(ending)),
            None => writeln!(text, "Evaluation: {} (side to move: {})", self.play.game.evaluate(pos), self.play.side()),
        };
        text
    }

    fn moves(&self) -> Vec<String> {
        self.play.game.moves(self.play.position()).into_iter().map(|mv| self.play.game.move_text(mv)).collect()
    }

    fn random_move(&self, seed: u64) -> Option<String> {
        let mv = generator(&self.play, seed).choice(self.play.game.moves(self.play.position()))?;
        Some(self.play.game.move_text(mv))
    }

    fn perft(&self, depth: u32, settings: perft::Settings<'_>) -> Vec<(String, u64)> {
        let divided = perft::divide(&self.play.game, self.play.position(), depth, settings);
        divided.into_iter().map(|(mv, count)| (self.play.game.move_text(mv), count)).collect()
    }

    fn go(&self, go: &Go, settings: &Settings, resources: &Resources, control: &Arc<Control>, out: &Output) -> String {
        let Resources { table, pool } = resources;
        let mut limits = go.limits.clone();
        limits.searchmoves = self.legal_moves(&go.searchmoves, out);
        if let Some(ending) = self.play.ending() {
            out.note(&format!("the game is over: {}", ending.reason));
        }
        let handicap = strength::handicap(settings.level());
        if let Some(handicap) = handicap {
            let mut rng = generator(&self.play, settings.seed);
            if let Some(mv) = self.guess(&limits, &mut rng, handicap) {
                let score = self.play.game.evaluate(self.play.position());
                let pv = [mv];
                let info = Info::unsearched(score, &pv, table, control);
                out.line(&report::info_line(&self.play.game, &info, settings.show_wdl));
                control.wait_until_released(limits.infinite);
                return report::best_move_line(&self.play.game, &Found { best: Some(mv), ..Found::default() });
            }
            limits.depth = Some(limits.depth.map_or(handicap.depth, |depth| depth.min(handicap.depth)));
        }
        let request = Request {
            limits: &limits,
            table,
            control,
            pool: Some(pool),
            multipv: settings.multipv,
            overhead: Duration::from_millis(settings.move_overhead),
        };
        let found = search(&self.play, self.oracle_for(settings), &request, &mut |info| {
            out.line(&report::info_line(&self.play.game, info, settings.show_wdl))
        });
        for fault in self.oracle.iter().flat_map(|oracle| oracle.new_faults()) {
            out.note(&fault);
        }
        report::best_move_line(&self.play.game, &found)
    }

    fn search(&self, request: &Request<'_>) -> Found {
        search(&self.play, None, request, &mut |_| {})
    }

    fn any_move_line(&self) -> String {
        let best = self.play.game.moves(self.play.position()).first().copied();
        report::best_move_line(&self.play.game, &Found { best, ..Found::default() })
    }
}
