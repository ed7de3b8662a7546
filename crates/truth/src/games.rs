//! Games of the engine against an adversary with all tables.
//!
//! The adversary preserves the value, and leaves the engine as few good replies as it can. Among moves that are about
//! equally good it chooses one that leads to a rarely visited position, so that no game resembles another for long.

use super::finds::Find;
use super::trial::{Court, Trial, TrialError, Watch};
use super::truth;
use millbrain_core::any::AnyGame;
use millbrain_core::game::{Side, Verdict};
use millbrain_core::search::HashTable;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The number of games after which the adversary records their positions.
const ROUND: usize = 64;
/// The number of further good replies within which moves are about equally good.
const NEAR: usize = 1;

/// The results of the games.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Played {
    /// Games played.
    pub games: usize,
    /// Games in which the engine reached a lost position.
    pub lost: usize,
    /// Games that the engine won.
    pub won: usize,
    /// Games with another end, or none after the last ply.
    pub drawn: usize,
    /// Moves of the engine.
    pub moves: usize,
    /// The lost games by the ply at which value was lost, from 1.
    pub lost_at: BTreeMap<usize, usize>,
}

/// One game.
struct Game {
    moves: usize,
    lost_at: Option<usize>,
    won: bool,
    /// The losses of value: from a win to a draw, and from there to a loss.
    finds: Vec<Find>,
    visited: Vec<u64>,
}

/// Plays `games` games of at most `plies` plies, with the engine on either side in turn, or on the winning one if there
/// is one. Its hash table is retained during a game. Equal requests have equal results on any number of threads.
///
/// A game ends once the engine is lost: the adversary would win.
///
/// # Errors
/// Fails if there is no memory, threads cannot be started, or the tables do not know the start. Fails with errors of
/// `progress`, too.
pub fn play(trial: &Trial, games: usize, plies: usize, progress: &mut Watch<'_, Played>) -> Result<Played, TrialError> {
    let court = trial.begin()?;
    let mut visits: HashMap<u64, u32> = HashMap::new();
    let mut played = Played::default();
    while played.games < games {
        let numbers = played.games..games.min(played.games + ROUND);
        let one = |number: usize| {
            court.hash_tables.lend(|hash| {
                hash.clear();
                Some(court.game(trial, number, plies, hash, &visits))
            })
        };
        let finished: Vec<Game> =
            court.pool.install(|| numbers.clone().into_par_iter().with_max_len(1).filter_map(one).collect());
        let mut finds = Vec::new();
        played.games = numbers.end;
        for Game { moves, lost_at, won, finds: found, visited } in finished {
            played.moves += moves;
            played.won += usize::from(won);
            match lost_at {
                Some(ply) => {
                    played.lost += 1;
                    *played.lost_at.entry(ply).or_default() += 1;
                }
                None => played.drawn += usize::from(!won),
            }
            finds.extend(found);
            visited.into_iter().for_each(|key| *visits.entry(key).or_default() += 1);
        }
        progress(&finds, &played)?;
    }
    Ok(played)
}

impl Court {
    fn game(
        &self,
        trial: &Trial,
        number: usize,
        plies: usize,
        hash: &Arc<HashTable>,
        visits: &HashMap<u64, u32>,
    ) -> Game {
        let mut rng = fastrand::Rng::with_seed(trial.seed ^ (number as u64 + 1) << 24);
        let opening = self.opening(trial.openings, &mut rng);
        let wanted = if number.is_multiple_of(2) { Side::White } else { Side::Black };
        let mut game = Game { moves: 0, lost_at: None, won: false, finds: Vec::new(), visited: Vec::new() };
        let set_up = |start: &AnyGame| start.at(None, opening.iter().map(String::as_str));
        let (Ok(mut judge), Ok(mut engine)) = (set_up(&self.judge), set_up(&self.engine)) else { return game };
        // If one side wins, the engine has that side.
        let side = match truth::result(&judge) {
            Some(Verdict::Win) => judge.side(),
            Some(Verdict::Loss) => judge.side().other(),
            _ => wanted,
        };
        for ply in opening.len() + 1..=plies {
            if judge.ending().is_some() {
                break;
            }
            let is_engine = judge.side() == side;
            let mv = if is_engine { self.choose(&engine, hash) } else { self.steer(&mut judge, visits, &mut rng) };
            let Some(mv) = mv else { break };
            if is_engine {
                game.moves += 1;
                // The result of one move is cheaper to look up than those of all moves.
                let before = truth::result(&judge);
                let after = judge.push(&mv).ok().and_then(|_| truth::result(&judge)).map(Verdict::opposite);
                judge.undo();
                if after != before {
                    let position = truth::position(&mut judge);
                    game.finds.extend(position.and_then(|position| self.find(&judge, &position, &mv)));
                }
                if after == Some(Verdict::Loss) {
                    game.lost_at = Some(ply);
                    break;
                }
            }
            if judge.push(&mv).is_err() || engine.push(&mv).is_err() {
                break;
            }
            if !is_engine {
                game.visited.push(judge.canonical_key());
            }
        }
        let winner = judge.ending().and_then(|ending| ending.winner(judge.side()));
        game.won = winner == Some(side);
        game
    }

    /// Returns the move of the adversary.
    fn steer(&self, game: &mut AnyGame, visits: &HashMap<u64, u32>, rng: &mut fastrand::Rng) -> Option<String> {
        let position = truth::position(game)?;
        let mut choices = Vec::new();
        for choice in position.keeping() {
            // Legal: it is one of the moves.
            let _ = game.push(&choice.text);
            // Where the game ends the engine cannot err.
            let good = if game.ending().is_some() { None } else { self.truth.counts(game) };
            game.undo();
            choices.push((good.map_or(usize::MAX, |counts| counts.good), choice));
        }
        let fewest = choices.iter().map(|(good, _)| *good).min()?;
        choices.retain(|(good, _)| *good <= fewest.saturating_add(NEAR));
        let often = |key: u64| visits.get(&key).copied().unwrap_or(0);
        let least = choices.iter().map(|(_, choice)| often(choice.key)).min()?;
        choices.retain(|(_, choice)| often(choice.key) == least);
        rng.choice(choices).map(|(_, choice)| choice.text.clone())
    }
}
