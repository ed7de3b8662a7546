//! All mistakes at the beginning of a game, where there are few positions.

use super::draw::without_counters;
use super::trial::{Trial, TrialError};
use super::truth;
use millbrain_core::game::Verdict;
use rayon::prelude::*;
use std::collections::HashSet;

/// The number of positions that are checked together.
const TOGETHER: usize = 4_096;

/// Returns the won positions within `plies` plies of the start that follow the first mistake of the game. A pack with
/// them prevents all mistakes there. Of symmetric positions it has one.
///
/// # Errors
/// Fails if there is no memory, threads cannot be started, or the tables do not know the start.
pub fn early_wins(trial: &Trial, plies: usize) -> Result<Vec<String>, TrialError> {
    let court = trial.begin()?;
    let (mut sound, mut won) = (vec![court.judge.fen()], Vec::new());
    for _ in 0..plies {
        let (mut next, mut seen) = (Vec::new(), HashSet::new());
        let after = |fen: &String| {
            let mut game = court.judge.at(Some(fen), []).ok()?;
            let position = truth::position(&mut game)?;
            let mut children = Vec::new();
            for choice in position.choices {
                let is_mistake = choice.result == Verdict::Loss && position.value != Verdict::Loss;
                if is_mistake || choice.result == position.value {
                    // Legal: it is one of the moves.
                    let _ = game.push(&choice.text);
                    children.push((choice.key, is_mistake, game.fen()));
                    game.undo();
                }
            }
            Some(children)
        };
        for parents in sound.chunks(TOGETHER) {
            let children: Vec<_> = court.pool.install(|| parents.par_iter().filter_map(after).flatten_iter().collect());
            for (key, is_mistake, fen) in children {
                if seen.insert(key) {
                    if is_mistake { won.push(without_counters(&fen)) } else { next.push(fen) }
                }
            }
        }
        sound = next;
    }
    Ok(won)
}
