//! What happens to a game by itself: clocks, flags, and invitations that nobody takes.

use super::super::terms::Both;
use super::{Game, Stage};
use millbrain_games::record::{Outcome, Termination};

const SECOND: u64 = 1_000;
pub(super) const DAY: u64 = 24 * 60 * 60 * SECOND;
/// How long an invitation to a game with a clock stands.
const INVITED: u64 = DAY;
/// How long one without a clock stands.
const INVITED_TO_CORRESPOND: u64 = 14 * DAY;
/// How long the first move of each side may take in a game with a clock.
pub(super) const FIRST_MOVE: u64 = 60 * SECOND;
/// How long a move may take in a game without a clock.
pub(super) const CORRESPONDENCE: u64 = 30 * DAY;
/// How long a game is shown after its end.
const SHOWN: u64 = 7 * DAY;

/// What has become of a game in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Time {
    /// Nothing.
    Same,
    /// It has ended.
    Ended,
    /// Nobody needs it any more.
    Gone,
}

impl Game {
    /// Whether time is taken off the clock of the side to move: from the second move of each on.
    pub fn is_running(&self) -> bool {
        self.clock.is_some() && self.is_playing() && self.kept.moves.len() >= 2
    }

    /// What both clocks show, in milliseconds; none without clocks.
    pub fn clocks(&self, now: u64) -> Option<Both<u64>> {
        self.clock?;
        let mut left = self.kept.left.clone();
        if self.is_running() {
            let shown = left.of_mut(self.to_move());
            *shown = shown.saturating_sub(now.saturating_sub(self.kept.since));
        }
        Some(left)
    }

    /// When something will happen though nobody does anything.
    pub fn deadline(&self) -> u64 {
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

    /// Ends the game when its time is up: a flag falls, or nobody has come.
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
