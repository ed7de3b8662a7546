//! What the session says, in the words of the dialect.

use super::super::output::Output;
use crate::game::Side;
use crate::sanmill::{STONE, WIN, tokens};
use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A whole move that has been answered with its step: the removal is known.
#[derive(Clone, PartialEq, Eq)]
pub struct Known {
    /// FEN of the position before the move.
    pub fen: String,
    /// The step.
    pub step: String,
    /// The move.
    pub mv: String,
    /// The score of its search, from White's view.
    score: i32,
}

/// The search that is to be answered.
pub struct Asked {
    /// The side to move.
    pub side: Side,
    /// FEN of the position before the move.
    pub fen: String,
    /// Whether the step has been made, and the removal is asked for.
    pub is_half: bool,
    /// The score to tell, if it is known already.
    pub score: Option<i32>,
}

#[derive(Default)]
struct State {
    asked: Option<Asked>,
    /// The last score of the search, from White's view.
    score: i32,
    known: Option<Known>,
}

/// The translation of what a session says, shared between the layer and the output of the session.
#[derive(Clone)]
pub struct Answers {
    state: Arc<Mutex<State>>,
    out: Arc<Output>,
}

impl Answers {
    /// Answers that go to this output.
    pub fn new(out: Arc<Output>) -> Answers {
        Answers { state: Arc::default(), out }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on the session answers this.
    pub fn expect(&self, asked: Asked) {
        let mut state = self.state();
        state.score = 0;
        state.asked = Some(asked);
    }

    /// The move whose step has been answered in this position.
    pub fn known(&self, fen: &str, step: &str) -> Option<Known> {
        self.state().known.clone().filter(|known| known.fen == fen && known.step == step)
    }

    /// Forgets the moves that have been answered.
    pub fn forget(&self) {
        self.state().known = None;
    }

    /// Says how a search has ended.
    pub fn answer(&self, score: i32, best: &str) {
        self.out.line(&format!("info score {score} bestmove {best}"));
    }

    fn translate(&self, line: &str) {
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("bestmove"), best) => self.best_move(best.unwrap_or_default()),
            (Some("info"), Some(word)) if word != "string" => self.report(line),
            _ => self.out.line(line),
        }
    }

    fn best_move(&self, best: &str) {
        let mut state = self.state();
        let score = state.score;
        let Some(Asked { fen, is_half, score: told, .. }) = state.asked.take() else { return };
        let score = told.unwrap_or(score);
        let (step, removal) = tokens(best);
        let token = match (is_half, removal) {
            (true, Some(removal)) => removal,
            (false, removal) => {
                let known = removal.map(|_| Known { fen, step: step.clone(), mv: best.to_string(), score });
                state.known = known;
                step
            }
            (true, None) => step,
        };
        drop(state);
        self.answer(score, if token == "(none)" { "none" } else { &token });
    }

    fn report(&self, line: &str) {
        let after = |name: &str| line.split_whitespace().skip_while(|&word| word != name).nth(1);
        let number = |name| after(name).and_then(|word| word.parse::<i32>().ok());
        let score = match after("score") {
            Some("cp") => number("cp").map(in_their_units),
            Some("mate") => number("mate").map(|moves| if moves > 0 { WIN } else { -WIN }),
            _ => None,
        };
        let mut state = self.state();
        if let (Some(score), Some(asked)) = (score, &state.asked) {
            state.score = if asked.side == Side::White { score } else { -score };
        }
    }
}

impl Known {
    /// The score of the search that found the move, from White's view.
    pub const fn score(&self) -> i32 {
        self.score
    }
}

/// Hundredths of a stone in the units of the dialect; certain wins are as high as they are.
fn in_their_units(score: i32) -> i32 {
    if score.abs() >= crate::search::score::KNOWN_BOUND {
        return WIN * score.signum();
    }
    let rounded = (score.saturating_mul(STONE) + 50 * score.signum()) / 100;
    rounded.clamp(1 - WIN, WIN - 1)
}

/// The output of the session: lines come whole.
impl Write for Answers {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        String::from_utf8_lossy(text).lines().for_each(|line| self.translate(line));
        if self.out.is_closed() { Err(ErrorKind::BrokenPipe.into()) } else { Ok(text.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_in_fifths_of_a_stone() {
        let scores = [0, 9, 10, -10, 100, -130, 900, 5_000, 29_990, -31_990].map(in_their_units);
        assert_eq!(scores, [0, 0, 1, -1, 5, -7, 45, 79, 80, -80]);
    }

    #[test]
    fn scores_are_seen_from_whites_side() {
        let answers = Answers::new(Arc::new(Output::new(Box::new(io::sink()))));
        for (side, score, seen) in [
            (Side::White, "cp 100", 5),
            (Side::Black, "cp 100", -5),
            (Side::White, "mate 2", WIN),
            (Side::Black, "mate 2", -WIN),
            (Side::White, "mate -2", -WIN),
            (Side::Black, "mate -2", WIN),
        ] {
            answers.expect(Asked { side, fen: String::new(), is_half: false, score: None });
            answers.report(&format!("info depth 3 score {score} nodes 9 pv a1"));
            assert_eq!(answers.state().score, seen, "{score} for {side:?}");
        }
    }

    /// A move found is played in two steps; the second is known as long as the position and the first are the same.
    #[test]
    fn a_move_found_is_known_until_it_is_forgotten() {
        let answers = Answers::new(Arc::new(Output::new(Box::new(io::sink()))));
        let asked = |fen: &str| Asked { side: Side::White, fen: fen.to_string(), is_half: false, score: None };
        answers.expect(asked("before"));
        answers.translate("info depth 3 score cp 100 nodes 9 pv d6xa1");
        answers.translate("bestmove d6xa1");
        let known = answers.known("before", "d6").expect("answered");
        assert_eq!((known.mv.as_str(), known.score()), ("d6xa1", 5));
        for (fen, step) in [("before", "a1"), ("after", "d6"), ("after", "a1")] {
            assert!(answers.known(fen, step).is_none(), "{fen} {step}");
        }
        answers.forget();
        assert!(answers.known("before", "d6").is_none(), "forgotten");
        answers.expect(asked("before"));
        answers.translate("bestmove d6");
        assert!(answers.known("before", "d6").is_none(), "there is no second step");
    }
}
