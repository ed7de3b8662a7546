//! Games explained: the value of each move, by tables where they know it and by the search elsewhere.

mod batch;
mod facts;
pub mod page;
mod text;

pub use batch::{Advisers, AnnotateError, Batch, Form, Means, annotate_all};
pub use facts::{Fact, Kind, material, takes};

use crate::marks::{Evaluation, expected, mark};
use crate::position::{Analysis, analyse};
use millbrain_core::any::AnyGame;
use millbrain_core::game::value::{Category, Known, Value};
use millbrain_core::game::{Side, Verdict};
use millbrain_core::search::{HashTable, Limits};
use millbrain_core::texts::Language;
use millbrain_core::variant::NamedRules;
use millbrain_games::game::Game;
use millbrain_games::movetext::{MARKS, join};
use millbrain_games::record::VerifyError;
use millbrain_games::score::Score;
use millbrain_tablebase::probe::{probe_moves, settled};
use serde::Serialize;
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

/// The mark of the only good move.
pub const ONLY: &str = "!";
/// The least loss of expected score, in permille, of every other move beside an only move.
const ONLY_BY: i32 = 200;

/// The judgement of a position, from the side to move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Judgement {
    /// `win`, `draw` or `loss`, if it is proved and the draw counter cannot change it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<&'static str>,
    /// Plies to the end of such a win or loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// The name of the value's [`Category`], if the tables know the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<&'static str>,
    /// Score of the search.
    pub score: Score,
    /// Its depth in plies.
    pub depth: i32,
    /// Expected score in permille.
    pub expected: i32,
}

/// A move with its annotations.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AnnotatedMove {
    /// The ply, from 1.
    pub ply: usize,
    /// Number of the move, as players count.
    pub number: u32,
    /// The side that moves.
    pub side: Side,
    /// The phase, by its id.
    pub phase: &'static str,
    /// The move.
    #[serde(rename = "move")]
    pub played: String,
    /// The position before it, from the side that moves.
    pub before: Judgement,
    /// The position after it, from the same side.
    pub after: Judgement,
    /// Its loss of expected score, in permille.
    pub loss: i32,
    /// `!` for an only move, `?!`, `?` and `??` by its loss; empty for none.
    pub mark: &'static str,
    /// The best variation instead, if it is another move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub better: Vec<String>,
    /// The fact that makes it bad, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fact: Option<Fact>,
    /// The fact that comes next, if the first is about the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub also: Option<Fact>,
    /// The facts as sentences, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
}

/// Counts of the moves of a side.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Summary {
    /// Moves.
    pub moves: usize,
    /// Their total loss of expected score, in permille.
    pub loss: i32,
    /// The number of moves with each mark.
    pub marks: BTreeMap<&'static str, usize>,
}

impl Summary {
    fn add(&mut self, annotated: &AnnotatedMove) {
        self.moves += 1;
        self.loss += annotated.loss;
        if !annotated.mark.is_empty() {
            *self.marks.entry(annotated.mark).or_default() += 1;
        }
    }

    /// Returns the accuracy in percent: 100 less the mean loss of expected score in percent.
    pub fn accuracy(&self) -> f64 {
        100.0 - f64::from(self.loss) / 10.0 / self.moves.max(1) as f64
    }
}

/// A game explained.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Annotation {
    /// Number of the game in its file, from 1.
    pub game: usize,
    /// The player of White.
    pub white: String,
    /// The player of Black.
    pub black: String,
    /// The variant.
    pub variant: String,
    /// House rules, as records write them.
    #[serde(rename = "houseRules", skip_serializing_if = "String::is_empty")]
    pub house_rules: String,
    /// FEN of the first position.
    pub fen: String,
    /// The result, `*` for none.
    pub result: String,
    /// The moves of the main line.
    pub moves: Vec<AnnotatedMove>,
    /// The counts by side (`white`, `black`), then by phase.
    pub summary: BTreeMap<&'static str, BTreeMap<&'static str, Summary>>,
}

/// The settings of an annotation.
#[derive(Clone, Debug)]
pub struct Annotate {
    /// Limits of the search of each position; if these are nodes or a depth, the same games give the same output.
    pub limits: Limits,
    /// The language of the sentences; `None` for no sentences.
    pub explain: Option<Language>,
}

/// Another engine that judges positions, instead of the own search and the tables.
pub trait Adviser {
    /// Prepares for a game by these rules.
    ///
    /// # Errors
    /// Fails if the engine cannot be used.
    fn begin(&mut self, rules: NamedRules) -> Result<(), Box<dyn Error + Send + Sync>>;

    /// Returns the evaluation and the depth of a position that is not over: that of `game`, which these moves from the
    /// FEN lead to.
    ///
    /// # Errors
    /// Fails if the engine has no usable answer.
    fn judge(
        &mut self,
        fen: &str,
        moves: &[String],
        game: &AnyGame,
    ) -> Result<(Evaluation, i32), Box<dyn Error + Send + Sync>>;
}

/// A searched position.
struct Looked {
    /// The value that holds whatever the draw counter does, or that the score of another engine claims.
    known: Option<Known>,
    category: Option<Category>,
    judgement: Judgement,
    best: Option<String>,
    pv: Vec<String>,
    /// The result, if it is known, the search has proved it, or another engine claims it.
    proved: Option<Known>,
    /// The only move that does not lose much, if there is just one.
    only: Option<String>,
}

impl Looked {
    /// Returns the judgement of another engine. A mate is the fact that it claims, without a proof.
    fn advised(reported: (Evaluation, i32)) -> Looked {
        let (Evaluation { best, score, wdl, pv }, depth) = reported;
        let claimed = match score {
            Score::Mate(moves) if moves > 0 => Some(Value::Win(2 * moves.unsigned_abs() - 1)),
            Score::Mate(moves) => Some(Value::Loss(2 * moves.unsigned_abs())),
            Score::Cp(_) => None,
        };
        let known = claimed.map(Known::Value);
        Looked { known, proved: known, ..Looked::new((None, None), score, depth, wdl, best, pv, None) }
    }

    /// Returns the judgement of a finished game, or `None` if it is not over.
    fn over(game: &AnyGame) -> Option<Looked> {
        let ending = game.ending()?;
        let known = match ending.verdict {
            Verdict::Draw => Known::Verdict(Verdict::Draw),
            verdict => game.known().filter(|known| known.verdict() == verdict).unwrap_or(Known::Verdict(verdict)),
        };
        let score = if ending.verdict == Verdict::Draw { Score::Cp(0) } else { Score::Mate(0) };
        let known = (Some(known), game.category());
        Some(Looked::new(known, score, 0, [0, 1000, 0], None, Vec::new(), None))
    }

    fn at(game: &AnyGame, limits: &Limits, hash: &Arc<HashTable>) -> Looked {
        let is_decided = matches!(game.category(), Some(Category::Win | Category::Loss));
        let multipv = if is_decided { 1 } else { 2 };
        let Analysis { best_move, best, others, category, .. } = analyse(game, limits, multipv, hash);
        let known = settled(game, category);
        let only = match known {
            Some(known) => only_move(game, known.verdict()),
            None => {
                let gap = others.first().map(|other| expected(best.wdl) - expected(other.wdl));
                best_move.clone().filter(|_| gap.is_some_and(|gap| gap >= ONLY_BY))
            }
        };
        let proved = known.or_else(|| match (best.score, best.bound) {
            (Score::Mate(moves), None) => proved(moves),
            (Score::Mate(moves), Some("lower")) if moves > 0 => proved(moves),
            (Score::Mate(moves), Some("upper")) if moves < 0 => proved(moves),
            _ => None,
        });
        Looked { proved, ..Looked::new((known, category), best.score, best.depth, best.wdl, best_move, best.pv, only) }
    }

    fn new(
        (known, category): (Option<Known>, Option<Category>),
        score: Score,
        depth: i32,
        wdl: [u32; 3],
        best: Option<String>,
        pv: Vec<String>,
        only: Option<String>,
    ) -> Looked {
        let (value, sure) = match known.map(Known::verdict) {
            // With the counter a won position may be drawn, but not lost.
            None if category == Some(Category::MaybeWin) => (None, expected(wdl).max(500)),
            None if category == Some(Category::MaybeLoss) => (None, expected(wdl).min(500)),
            None => (None, expected(wdl)),
            Some(Verdict::Win) => (Some("win"), 1000),
            Some(Verdict::Draw) => (Some("draw"), 500),
            Some(Verdict::Loss) => (Some("loss"), 0),
        };
        let plies = known.and_then(Known::plies);
        let judgement =
            Judgement { value, plies, category: category.map(Category::name), score, depth, expected: sure };
        Looked { known, category, judgement, best, pv, proved: known, only }
    }

    /// Returns the judgement for the other side, whose move has led here.
    fn before(&self) -> Judgement {
        let Judgement { value, plies, score, depth, expected, .. } = self.judgement.clone();
        let category = self.category.map(|category| category.before().name());
        let value = value.map(|value| match value {
            "win" => "loss",
            "loss" => "win",
            other => other,
        });
        let plies = value.and(self.known).and_then(|known| known.before().plies()).or(plies);
        let score = match score {
            Score::Cp(score) => Score::Cp(-score),
            Score::Mate(moves) => Score::Mate(-moves),
        };
        Judgement { value, plies, category, score, depth, expected: 1000 - expected }
    }
}

/// Returns the result that a search has proved with a win in this number of moves, negative for a loss.
fn proved(moves: i32) -> Option<Known> {
    let plies = moves.unsigned_abs().checked_mul(2)?;
    Some(Known::Value(if moves > 0 { Value::Win(plies - 1) } else { Value::Loss(plies) }))
}

/// Returns the only legal move that preserves a win or a draw, if the values of all are settled.
fn only_move(game: &AnyGame, value: Verdict) -> Option<String> {
    let moves = probe_moves(&mut game.clone());
    let values: Option<Vec<Verdict>> = moves.iter().map(|probed| probed.category?.verdict()).collect();
    let mut good = moves.iter().zip(values?).filter(|(_, after)| *after == value);
    let only = good.next().filter(|_| good.next().is_none())?;
    (value != Verdict::Loss && moves.len() > 1).then(|| only.0.text.clone())
}

/// Annotates every position of the main line of a game, which follows the rules of `start` and uses its tables, or the
/// adviser instead of the own search and the tables.
///
/// # Errors
/// Fails for an illegal move, or if the adviser fails.
pub fn annotate(
    number: usize,
    game: &Game,
    start: &AnyGame,
    settings: &Annotate,
    hash: &Arc<HashTable>,
    mut adviser: Option<&mut dyn Adviser>,
) -> Result<Annotation, AnnotateError> {
    let faulty = |fault: VerifyError| AnnotateError::Game { number, source: fault.into() };
    let mut board = start.at(game.fen.as_deref(), []).map_err(|fault| faulty(fault.into()))?;
    let fen = board.fen();
    let mut look = |board: &AnyGame, moves: &[String]| match (Looked::over(board), &mut adviser) {
        (Some(over), _) => Ok(over),
        (None, None) => Ok(Looked::at(board, &settings.limits, hash)),
        (None, Some(adviser)) => {
            let reported = adviser.judge(&fen, moves, board);
            reported.map(Looked::advised).map_err(|source| AnnotateError::Adviser { number, source })
        }
    };
    let mut line = Vec::new();
    let mut looked = look(&board, &line)?;
    let mut moves = Vec::new();
    let mut summary: BTreeMap<&'static str, BTreeMap<&'static str, Summary>> = BTreeMap::new();
    for (i, node) in game.main_line().into_iter().enumerate() {
        let before = board.clone();
        let text = &node.played.text;
        let played = board.push(text).map_err(|fault| {
            faulty(millbrain_core::play::PlayError::Move { number: i + 1, text: text.clone(), fault }.into())
        })?;
        line.push(played.clone());
        let next = look(&board, &line)?;
        let after = next.before();
        let is_best = looked.best.as_ref() == Some(&played);
        let is_sure = looked.judgement.value.is_some() && next.judgement.value.is_some();
        let loss = if is_best && !is_sure { 0 } else { (looked.judgement.expected - after.expected).max(0) };
        let mark = match mark(loss) {
            "" if looked.only.as_ref() == Some(&played) => ONLY,
            mark => mark,
        };
        let is_bad = !mark.is_empty() && mark != ONLY;
        let better = if is_bad && !is_best { looked.pv.clone() } else { Vec::new() };
        let values = [looked.proved, next.proved.map(Known::before)];
        let facts = better.first().map_or_else(Vec::new, |best| Fact::all(&*before, &played, best, values));
        let sentence = settings
            .explain
            .filter(|_| !facts.is_empty())
            .map(|language| facts.iter().map(|fact| fact.sentence(language)).collect::<Vec<_>>().join(" "));
        let mut facts = facts.into_iter();
        let side = before.side();
        let annotated = AnnotatedMove {
            ply: i + 1,
            number: before.move_number(),
            side,
            phase: before.phase(),
            played,
            before: looked.judgement,
            after,
            loss,
            mark,
            better,
            fact: facts.next(),
            also: facts.next(),
            sentence,
        };
        let name = if side == Side::White { "white" } else { "black" };
        summary.entry(name).or_default().entry(annotated.phase).or_default().add(&annotated);
        moves.push(annotated);
        looked = next;
    }
    let result = game.end.as_ref().map_or_else(|| "*".to_string(), |end| end.outcome.to_string());
    Ok(Annotation {
        game: number,
        white: game.white.clone(),
        black: game.black.clone(),
        variant: game.variant.clone(),
        house_rules: game.house_rules.clone(),
        fen,
        result,
        moves,
        summary,
    })
}

impl Annotation {
    /// Returns the game with marks and comments on its moves, and the better lines as variations. Existing content
    /// remains.
    pub fn game(&self, game: &Game) -> Game {
        let mut reported = game.clone();
        let mut parent = 0;
        for annotated in &self.moves {
            let children = reported.nodes.iter().enumerate();
            let main = children.skip(parent).find(|(_, node)| node.parent == parent).map(|(place, _)| place);
            let Some((place, node)) = main.and_then(|place| Some((place, reported.nodes.get_mut(place)?))) else {
                break;
            };
            let mark = MARKS.iter().position(|mark| *mark == annotated.mark).map(|place| place as u8 + 1);
            node.marks.extend(mark.filter(|mark| !node.marks.contains(mark)));
            join(&mut node.comment, " ", &annotated.remark());
            // After the main line, which so remains the first of all that follow a move.
            let mut last = parent;
            for better in &annotated.better {
                last = reported.add(last, better);
            }
            parent = place + 1;
        }
        reported
    }
}

#[cfg(test)]
mod facts_tests;
#[cfg(test)]
mod tests;
