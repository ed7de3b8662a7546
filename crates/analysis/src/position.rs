//! The analysis of one position.

use millbrain_core::any::{self, Answer, AnyGame, Report};
use millbrain_core::game::value::Category;
use millbrain_core::game::{Move, Verdict};
use millbrain_core::search::score::{DRAW, WdlModel, mate_moves};
use millbrain_core::search::{Bound, Control, HashTable, Limits, Request};
use millbrain_games::score::Score;
use millbrain_tablebase::probe;
use serde::Serialize;
use std::collections::BTreeMap;
use std::iter::once;
use std::sync::Arc;
use std::time::Duration;

/// A variation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Line {
    /// Score from the side to move.
    pub score: Score,
    /// The kind of a score that is only a bound: `lower` or `upper`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<&'static str>,
    /// Chances to win, draw and lose in permille.
    pub wdl: [u32; 3],
    /// Nominal depth in plies.
    pub depth: i32,
    /// The moves.
    pub pv: Vec<String>,
}

fn score_of(score: i32) -> Score {
    mate_moves(score).map_or(Score::Cp(score), Score::Mate)
}

impl Line {
    fn new(line: any::Line, model: WdlModel) -> Line {
        let bound = match line.bound {
            Bound::Exact => None,
            Bound::Lower => Some("lower"),
            Bound::Upper => Some("upper"),
        };
        Line { score: score_of(line.score), bound, wdl: model.wdl(line.score), depth: line.depth, pv: line.pv }
    }
}

/// The variations reported so far by a search.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// The last variation of each rank with an exact score.
    exact: BTreeMap<usize, any::Line>,
    /// The last one of the first rank.
    last: Option<any::Line>,
}

impl Lines {
    /// Takes a report into account.
    pub fn take(&mut self, report: &Report<'_>) {
        let Report::Line(line) = report else { return };
        if line.bound == Bound::Exact {
            self.exact.insert(line.multipv, line.clone());
        }
        if line.multipv == 1 {
            self.last = Some(line.clone());
        }
    }

    /// Returns the best variation and the others, best first, once the search has answered. The best move counts even
    /// if the search ended before its score was exact; the score is then the bound reported last.
    pub fn finish(self, answer: &Answer, hash: &HashTable, control: &Control) -> (any::Line, Vec<any::Line>) {
        let mut lines: Vec<any::Line> = self.exact.into_values().collect();
        let others = lines.len().saturating_sub(1);
        // The final best move may have been second before, or unlisted: the former best then comes second.
        let place = lines.iter().position(|line| line.pv.first() == answer.best.as_ref());
        let reported = place.map(|place| lines.remove(place));
        lines.truncate(others);
        let last = self.last.filter(|line| line.pv.first() == answer.best.as_ref());
        let best = reported.filter(|_| place == Some(0)).or(last).unwrap_or_else(|| {
            let pv: Vec<String> = answer.best.iter().chain(&answer.ponder).cloned().collect();
            let line = any::Line::unsearched(answer.score, pv, hash, control);
            any::Line { depth: answer.depth, nodes: answer.nodes, ..line }
        });
        (best, lines)
    }
}

/// The result of searching a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Analysis {
    /// The best move; `None` if the game is over.
    pub best_move: Option<String>,
    /// The best variation.
    pub best: Line,
    /// The other variations, best first.
    pub others: Vec<Line>,
    /// Nodes of the search.
    pub nodes: u64,
    /// Time of the search.
    pub time: Duration,
    /// The value by the tables and the draw counter, if they know the position.
    pub category: Option<Category>,
    /// The damage found in the tablebases, a line each.
    pub faults: Vec<String>,
}

/// Searches a position on the calling thread with an empty hash table, which is cleared first.
pub fn analyse(game: &AnyGame, limits: &Limits, multipv: usize, hash: &Arc<HashTable>) -> Analysis {
    analyse_under(&Arc::new(Control::new(false)), game, limits, multipv, hash)
}

/// Searches a position as [`analyse`] does, with a control that can stop it. Wins and losses of the tables that the
/// draw counter may stop are searched. Those that it stops for certain have the score of a draw.
pub fn analyse_under(
    control: &Arc<Control>,
    game: &AnyGame,
    limits: &Limits,
    multipv: usize,
    hash: &Arc<HashTable>,
) -> Analysis {
    hash.clear();
    let request = Request { multipv, searches_doubtful: true, ..Request::plain(limits, hash, control) };
    let found = |request: &Request<'_>| {
        let mut lines = Lines::default();
        let answer = game.search(request, &mut |report| lines.take(report));
        let (best, others) = lines.finish(&answer, hash, control);
        (answer, best, others)
    };
    let (mut answer, mut best, mut others) = found(&request);
    // Variations behind certain ones that the counter makes doubtful.
    let missing = multipv.saturating_sub(1 + others.len());
    if answer.nodes == 0 && missing > 0 {
        let is_listed = |mv: &String| once(&best).chain(&others).any(|line| line.pv.first() == Some(mv));
        let rest = game.moves().into_iter().filter(|mv| !is_listed(mv));
        let searchmoves: Vec<Move> = rest.filter_map(|mv| game.find_move(&mv).ok()).collect();
        if !searchmoves.is_empty() {
            let (more, next, after) = found(&Request { searchmoves: &searchmoves, multipv: missing, ..request });
            answer.nodes = more.nodes;
            others.extend(once(next).chain(after));
        }
    }
    let category = probe::category(game);
    if category.is_some_and(|category| category.is_doubtful() && category.verdict() == Some(Verdict::Draw)) {
        best = any::Line { score: DRAW, bound: Bound::Exact, ..best };
    }
    let reported = |line| Line::new(line, game.wdl_model());
    Analysis {
        best_move: answer.best,
        best: reported(best),
        others: others.into_iter().map(reported).collect(),
        nodes: answer.nodes,
        time: control.elapsed(),
        category,
        faults: game.new_faults(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::variant::Variant;
    use millbrain_tablebase::{Sources, open};

    fn resources() -> (Arc<HashTable>, Arc<Control>) {
        (Arc::new(HashTable::new(1).expect("a MiB")), Arc::new(Control::new(false)))
    }

    /// Returns the first moves of the variations of a search that has reported these, in this order, and then answers.
    fn variations(reported: &[&str], answer: Option<&str>) -> (Option<String>, Vec<String>) {
        let (hash, control) = resources();
        let mut lines = Lines::default();
        for (multipv, mv) in (1..).zip(reported) {
            let line = any::Line::unsearched(0, vec![mv.to_string(), "reply".to_string()], &hash, &control);
            lines.take(&Report::Line(any::Line { multipv, ..line }));
        }
        let answer = Answer { best: answer.map(str::to_string), ..Answer::default() };
        let (best, others) = lines.finish(&answer, &hash, &control);
        let first = |line: any::Line| line.pv.into_iter().next();
        (first(best), others.into_iter().filter_map(first).collect())
    }

    #[test]
    fn no_variation_is_named_twice() {
        let found = |best: &str, others: &[&str]| {
            (Some(best.to_string()), others.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(variations(&["d6", "f4", "a1"], Some("d6")), found("d6", &["f4", "a1"]));
        // The search was stopped when another move had just become best.
        assert_eq!(variations(&["d6", "f4", "a1"], Some("f4")), found("f4", &["d6", "a1"]));
        assert_eq!(variations(&["d6", "f4", "a1"], Some("a1")), found("a1", &["d6", "f4"]));
        assert_eq!(variations(&["d6", "f4"], Some("g7")), found("g7", &["d6"]));
        assert_eq!(variations(&["d6"], Some("g7")), found("g7", &[]));
        assert_eq!(variations(&[], Some("g7")), found("g7", &[]), "nothing was reported");
        assert_eq!(variations(&[], None), (None, Vec::new()), "the game is over");
    }

    #[test]
    fn an_answer_that_was_not_reported_is_reported_whole() {
        let (hash, control) = resources();
        let answer = Answer { best: Some("g7".to_string()), score: -9, depth: 4, nodes: 77, ..Answer::default() };
        let (best, _) = Lines::default().finish(&answer, &hash, &control);
        assert_eq!((best.score, best.depth, best.nodes), (-9, 4, 77));
    }

    /// A search that ends just after finding a better move knows only a lower bound of its score.
    #[test]
    fn bounds_are_named() {
        let hash = resources().0;
        let (mut exact, mut bounds) = (0, 0);
        let mut rng = fastrand::Rng::with_seed(32);
        for variant in Variant::ALL {
            let mut game = AnyGame::new(variant.rules());
            for _ in 0..12 {
                let moves = game.moves();
                let Some(mv) = rng.choice(&moves) else { break };
                game.push(mv).expect("legal");
            }
            if game.ending().is_some() {
                continue;
            }
            for nodes in (100..3_000).step_by(17) {
                let limits = Limits { nodes: Some(nodes), ..Limits::default() };
                let best = analyse(&game, &limits, 1, &hash).best;
                let mut last = None;
                hash.clear();
                let control = resources().1;
                game.search(&Request::plain(&limits, &hash, &control), &mut |report| {
                    if let Report::Line(line) = report {
                        last = Some(line.clone());
                    }
                });
                let last = Line::new(last.expect("a line"), game.wdl_model());
                assert_eq!(best, last, "{variant}, {nodes} nodes");
                *(if last.bound.is_some() { &mut bounds } else { &mut exact }) += 1;
            }
        }
        assert!(exact > 100 && bounds > 5, "{exact} {bounds}");
    }

    /// The draw counter turns wins of the tables into draws, or may do so: then the search decides.
    #[test]
    fn tables_count_as_far_as_the_draw_counter_lets_them() {
        let hash = resources().0;
        let rules = Variant::Morris.rules();
        let mut start = AnyGame::new(rules);
        start.set_oracle(open(&rules, &Sources::default()).oracle.as_ref());
        let limits = Limits { nodes: Some(2_000), ..Limits::default() };
        let analysed =
            |fen: &str, multipv| analyse(&start.at(Some(fen), []).expect("a position"), &limits, multipv, &hash);
        let lost = |counter| analysed(&format!("1O1/3/3/X4O/3/3/XOX w 0 0 {counter} 60"), 1);
        assert_eq!((lost(74).best.score, lost(74).best.wdl), (Score::Mate(-13), [0, 0, 1000]));
        let saved = lost(75);
        assert_eq!((saved.best.score, saved.best.wdl), (Score::Cp(0), start.wdl_model().wdl(0)));
        assert!(saved.category == Some(Category::BlessedLoss) && saved.nodes > 0 && !saved.best.pv.is_empty());
        let won = |counter| analysed(&format!("1O1/1OX/2X/6/3/3/OXX w 0 0 {counter} 60"), 1);
        assert_eq!(won(73).best.score, Score::Mate(14));
        // A mill in three plies begins the counter again, which the search finds.
        for (counter, wins) in [(97, true), (98, false)] {
            let open = won(counter);
            assert_eq!((open.category, open.best.wdl[0] == 1000), (Some(Category::MaybeWin), wins), "{open:?}");
            assert!(open.nodes > 0 && matches!(open.best.score, Score::Cp(_)), "{open:?}");
        }
        // A mill wins in 19 plies; quiet moves take 27, and more than the 25 that are left.
        let lines = analysed("1X1/O1O/1X1/5O/1X1/2X/3 w 0 0 75 60", 4);
        let scores: Vec<Score> = once(&lines.best).chain(&lines.others).map(|line| line.score).collect();
        assert_eq!((scores[0], scores.len()), (Score::Mate(10), 4), "{lines:?}");
        assert!(!scores.contains(&Score::Cp(1_000 - 27)) && lines.nodes > 0, "{lines:?}");
    }

    /// Entries of another position in the table would change the search.
    #[test]
    fn every_position_is_searched_on_an_empty_table() {
        let rules = Variant::Lasker.rules();
        let game = |moves: &[&str]| AnyGame::new(rules).at(None, moves.iter().copied()).expect("legal moves");
        let (first, second) = (game(&["d6"]), game(&["d6", "f4"]));
        let limits = Limits { depth: Some(5), ..Limits::default() };
        let searched = |analysis: Analysis| (analysis.best, analysis.nodes);
        let (hash, control) = resources();
        let expected = searched(analyse(&second, &limits, 1, &hash));
        analyse(&first, &limits, 1, &hash);
        let carried_over = second.search(&Request::plain(&limits, &hash, &control), &mut |_| {});
        assert_ne!(carried_over.nodes, expected.1, "the table knows some of it");
        analyse(&first, &limits, 1, &hash);
        assert_eq!(searched(analyse(&second, &limits, 1, &hash)), expected);
    }
}
