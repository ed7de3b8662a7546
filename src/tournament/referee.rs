//! One game between two engines, by the rules.

use super::client::{Answer, Client, Failure};
use super::config::{DrawAdjudication, EngineConfig, ResignAdjudication};
use super::openings::Opening;
use super::record::{MoveRecord, Outcome, Termination, score_text};
use crate::game::Side;
use crate::play::{AnyPlay, new_any_play};
use crate::variant::Variant;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// When games are ended before their end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct House {
    /// Draw by agreement of the scores.
    pub draw: Option<DrawAdjudication>,
    /// Win by agreement of the scores.
    pub resign: Option<ResignAdjudication>,
    /// Full moves after which a game is drawn; 0 for no such limit.
    pub max_moves: u32,
    /// Time after which an engine without a clock counts as stalled.
    pub stall: Duration,
}

/// How a game went.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Course {
    /// FEN of the first position.
    pub fen: String,
    /// All moves.
    pub moves: Vec<MoveRecord>,
    /// Result.
    pub outcome: Outcome,
    /// Kind of ending.
    pub termination: Termination,
    /// The ending in words.
    pub reason: String,
}

/// A player: its engine, its settings and its clock.
struct Player<'a> {
    client: &'a Client,
    config: &'a EngineConfig,
    time_left: Duration,
    /// Moves made in the current period.
    moves_made: u32,
    /// Moves in a row with a hopeless score, and with a winning one.
    hopeless: u32,
    winning: u32,
    /// Moves in a row with a drawish score.
    drawish: u32,
}

impl<'a> Player<'a> {
    fn new(client: &'a Client, config: &'a EngineConfig) -> Player<'a> {
        let time_left = config.thinking.clock.map_or(Duration::ZERO, |clock| clock.base);
        Player { client, config, time_left, moves_made: 0, hopeless: 0, winning: 0, drawish: 0 }
    }

    /// Time until this move is a loss on time; `None` without any limit on time.
    fn limit(&self) -> Option<Duration> {
        let thinking = &self.config.thinking;
        let clock = thinking.clock.map(|_| self.time_left);
        let limit = [clock, thinking.move_time].into_iter().flatten().min();
        limit.map(|limit| limit + self.config.margin)
    }

    /// Takes a move's time off the clock.
    fn clock_move(&mut self, elapsed: Duration) {
        let Some(clock) = self.config.thinking.clock else { return };
        self.time_left = self.time_left.saturating_sub(elapsed) + clock.increment;
        self.moves_made += 1;
        if clock.moves > 0 && self.moves_made == clock.moves {
            self.time_left += clock.base;
            self.moves_made = 0;
        }
    }

    /// Counts how long the scores have been hopeless, winning or drawish.
    fn count_score(&mut self, answer: &Answer, house: &House) {
        let score = answer.report.score.map(super::client::Score::centistones);
        let count = |so_far: u32, holds: bool| if holds { so_far + 1 } else { 0 };
        if let Some(rule) = house.resign {
            self.hopeless = count(self.hopeless, score.is_some_and(|score| score <= -rule.score));
            self.winning = count(self.winning, score.is_some_and(|score| score >= rule.score));
        }
        if let Some(rule) = house.draw {
            self.drawish = count(self.drawish, score.is_some_and(|score| score.abs() <= rule.score));
        }
    }
}

/// The `go` command for the side to move.
fn go_command(players: &[Player<'_>; 2], side: Side) -> String {
    let mut go = "go".to_string();
    let mover = &players[side as usize];
    let thinking = &mover.config.thinking;
    if let Some(clock) = thinking.clock {
        let ms = |time: Duration| time.as_millis();
        // The opponent's time is told only where it has a clock.
        for (player, [time, increment]) in players.iter().zip([["wtime", "winc"], ["btime", "binc"]]) {
            if let Some(clock) = player.config.thinking.clock {
                let _ = write!(go, " {time} {} {increment} {}", ms(player.time_left), ms(clock.increment));
            }
        }
        if clock.moves > 0 {
            let _ = write!(go, " movestogo {}", clock.moves - mover.moves_made);
        }
    }
    if let Some(time) = thinking.move_time {
        let _ = write!(go, " movetime {}", time.as_millis());
    }
    if let Some(nodes) = thinking.nodes {
        let _ = write!(go, " nodes {nodes}");
    }
    if let Some(depth) = thinking.depth {
        let _ = write!(go, " depth {depth}");
    }
    go
}

/// Plays a game. `None` when interrupted.
///
/// # Errors
/// An opening that cannot be played: these are checked when they are read, so it is a fault of the match file.
pub fn play_game(
    variant: Variant,
    opening: &Opening,
    engines: [(&Client, &EngineConfig); 2],
    house: &House,
    interrupted: &AtomicBool,
) -> Result<Option<Course>, String> {
    let mut play = new_any_play(variant.rules(), opening.fen.as_deref()).map_err(|error| error.to_string())?;
    let fen = play.fen();
    let mut moves = Vec::new();
    for text in &opening.moves {
        let text = play.push_text(text).map_err(|fault| format!("opening move {text:?} {fault}"))?;
        moves.push(MoveRecord { text, ..MoveRecord::default() });
    }
    let mut position = format!("position fen {fen}{}", if moves.is_empty() { "" } else { " moves" });
    for played in &moves {
        let _ = write!(position, " {}", played.text);
    }
    let mut players = engines.map(|(client, config)| Player::new(client, config));
    let opening_plies = moves.len();
    loop {
        if interrupted.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let ended = if let Some(ending) = play.ending() {
            let outcome = Outcome::of(ending.winner(play.side()));
            Some((outcome, Termination::Normal, ending.reason.to_string()))
        } else {
            adjudicated(&players, play.side(), moves.len(), moves.len() - opening_plies, house)
        };
        let ended = match ended {
            Some(ended) => Some(ended),
            None => one_move(play.as_mut(), &mut players, &mut position, &mut moves, house),
        };
        if let Some((outcome, termination, reason)) = ended {
            return Ok(Some(Course { fen, moves, outcome, termination, reason }));
        }
    }
}

type End = (Outcome, Termination, String);

/// Whether the scores, or the length of the game, end it here.
fn adjudicated(players: &[Player<'_>; 2], to_move: Side, plies: usize, played: usize, house: &House) -> Option<End> {
    let end = |winner, reason: &str| Some((Outcome::of(winner), Termination::Adjudication, reason.to_string()));
    if let Some(rule) = house.resign {
        for (player, side) in [Side::White, Side::Black].into_iter().enumerate() {
            let agreed = !rule.two_sided || players[1 - player].winning >= rule.move_count;
            // An engine gives up after its own move.
            if to_move != side && players[player].hopeless >= rule.move_count && agreed {
                return end(Some(side.other()), "resigned");
            }
        }
    }
    if let Some(rule) = house.draw {
        let late = plies / 2 + 1 >= rule.move_number as usize;
        if late && players.iter().all(|player| player.drawish >= rule.move_count) {
            return end(None, "draw by the scores");
        }
    }
    let limit = house.max_moves as usize;
    (limit > 0 && played >= 2 * limit).then(|| end(None, "too many moves")).flatten()
}

/// Has the side to move make a move; says how the game ended if it could not.
fn one_move(
    play: &mut dyn AnyPlay,
    players: &mut [Player<'_>; 2],
    position: &mut String,
    moves: &mut Vec<MoveRecord>,
    house: &House,
) -> Option<End> {
    let side = play.side();
    let go = go_command(players, side);
    let player = &mut players[side as usize];
    let lost = |termination, reason: String| Some((Outcome::of(Some(side.other())), termination, reason));
    let name = &player.config.name;
    let limit = player.limit();
    let answer = match player.client.think(position, &go, limit.unwrap_or(house.stall)) {
        Ok(answer) => answer,
        Err(Failure::Crash) => return lost(Termination::Crash, format!("{name} ended")),
        Err(Failure::Stall) => return lost(Termination::Stall, format!("{name} did not answer")),
    };
    if limit.is_some_and(|limit| answer.elapsed > limit) {
        let over = answer.elapsed.saturating_sub(limit.unwrap_or_default()).as_millis();
        return lost(Termination::Time, format!("{name} was {over} ms late"));
    }
    if limit.is_none() && answer.elapsed > house.stall {
        return lost(Termination::Stall, format!("{name} answered only when told to stop"));
    }
    let text = match play.push_text(&answer.best) {
        Ok(text) => text,
        Err(fault) => {
            let shown: String = answer.best.chars().take(20).collect();
            return lost(Termination::IllegalMove, format!("{name} played {shown:?}, which {fault}"));
        }
    };
    player.clock_move(answer.elapsed);
    player.count_score(&answer, house);
    if moves.is_empty() {
        position.push_str(" moves");
    }
    let _ = write!(position, " {text}");
    moves.push(MoveRecord {
        text,
        score: answer.report.score.map(score_text),
        depth: answer.report.depth,
        time: Some(answer.elapsed.as_millis() as u64),
    });
    None
}
