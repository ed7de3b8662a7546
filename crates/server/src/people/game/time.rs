//! Changes of a game over time: clocks, flags, and expiring invitations.

use super::super::terms::Both;
use super::{Game, Stage};
use millbrain_games::record::{Outcome, Termination};

const SECOND: u64 = 1_000;
pub(super) const DAY: u64 = 24 * 60 * 60 * SECOND;
/// Time after which an invitation to a game with a clock expires.
const INVITED: u64 = DAY;
/// Absence of its host after which it expires earlier.
pub(super) const HOST_AWAY: u64 = 60 * 60 * SECOND;
/// Time after which an invitation to a game without a clock expires.
const INVITED_TO_CORRESPOND: u64 = 14 * DAY;
/// Time limit for the first move of each side in a game with a clock.
pub(super) const FIRST_MOVE: u64 = 60 * SECOND;
/// Time limit for a move in a game without a clock.
pub(super) const CORRESPONDENCE: u64 = 30 * DAY;
/// Time for which a game is shown after its end.
const SHOWN: u64 = 7 * DAY;

/// The effect of time on a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Time {
    /// None.
    Same,
    /// The game has ended.
    Ended,
    /// The game can be removed.
    Gone,
}

impl Game {
    /// Whether the clock of the side to move runs: from the second move of each.
    pub fn is_running(&self) -> bool {
        self.clock.is_some() && self.is_playing() && self.kept.moves.len() >= 2
    }

    /// Returns the milliseconds on both clocks, if there are any.
    pub fn clocks(&self, now: u64) -> Option<Both<u64>> {
        self.clock?;
        let mut left = self.kept.left.clone();
        if self.is_running() {
            let shown = left.of_mut(self.to_move());
            *shown = shown.saturating_sub(now.saturating_sub(self.kept.since));
        }
        Some(left)
    }

    /// Records whether the host of an invitation is connected.
    pub fn set_host(&mut self, is_there: bool, now: u64) {
        self.host_left = if is_there { None } else { Some(self.host_left.unwrap_or(now)) };
    }

    /// Returns the time of the next change without an action.
    pub fn deadline(&self) -> u64 {
        let expiry = self.expiry();
        match self.host_left {
            Some(left) if self.is_open() && self.clock.is_some() => expiry.min(left.saturating_add(HOST_AWAY)),
            _ => expiry,
        }
    }

    fn expiry(&self) -> u64 {
        let patience = match self.kept.stage {
            Stage::Open if self.clock.is_none() => INVITED_TO_CORRESPOND,
            Stage::Open => INVITED,
            Stage::Playing if self.clock.is_none() => CORRESPONDENCE,
            Stage::Playing if self.is_running() => *self.kept.left.of(self.to_move()),
            Stage::Playing => FIRST_MOVE,
            Stage::Over { .. } | Stage::Aborted => SHOWN,
        };
        self.kept.since.saturating_add(patience)
    }

    /// Ends the game when its time is up: a flag falls, or an invitation expires.
    pub fn tick(&mut self, now: u64) -> Time {
        if now < self.deadline() {
            return Time::Same;
        }
        match self.kept.stage {
            Stage::Over { .. } | Stage::Aborted => Time::Gone,
            Stage::Playing if self.kept.moves.len() >= 2 => {
                let loser = self.to_move();
                if self.is_running() {
                    *self.kept.left.of_mut(loser) = 0;
                }
                self.end(Outcome::of(Some(loser.other().side())), Termination::Time, "time forfeit", now);
                Time::Ended
            }
            Stage::Open | Stage::Playing => {
                self.set_stage(Stage::Aborted, now);
                Time::Ended
            }
        }
    }
}
