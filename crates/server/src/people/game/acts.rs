//! Actions of players: moves, offers and their answers, resignation.

use super::super::terms::{Act, Both, Colour, Fault, Offer, Offers, PLANNED};
use super::{Game, Moved, Stage, id_of};
use millbrain_core::game::{LENGTH, RESIGNED};
use millbrain_games::record::{Outcome, Termination};

/// Maximum plies, as in the archive.
const MAX_PLIES: usize = 5_000;

impl Game {
    /// Executes an action of a player; returns whether the game has changed. A move that was already played is not a
    /// fault, since a client without an answer sends it again.
    ///
    /// # Errors
    /// The action is not possible now; the game stays the same.
    pub fn act(&mut self, colour: Colour, act: &Act, now: u64) -> Result<bool, Fault> {
        match act {
            Act::Move { ply, text } => return self.push(colour, *ply, text, now),
            Act::Plan { ply, lines } => return self.plan_ahead(colour, *ply, lines),
            Act::Offer(what) => return self.offer(colour, *what, now),
            Act::Accept(what) => {
                if *self.kept.offers.of(*what) != Some(colour.other()) {
                    return Err(Fault::NoOffer);
                }
                self.accept(colour.other(), *what, now);
            }
            Act::Decline(what) => {
                if self.kept.offers.of(*what).take().is_none() {
                    return Err(Fault::NoOffer);
                }
            }
            Act::Resign => {
                self.playing()?;
                self.end(Outcome::of(Some(colour.other().side())), Termination::Resignation, RESIGNED, now);
            }
            Act::Cancel if self.is_open() => self.set_stage(Stage::Aborted, now),
            Act::Cancel => return Err(Fault::Begun),
        }
        Ok(true)
    }

    fn playing(&self) -> Result<(), Fault> {
        if self.is_playing() { Ok(()) } else { Err(Fault::NotPlaying) }
    }

    fn push(&mut self, colour: Colour, ply: usize, text: &str, now: u64) -> Result<bool, Fault> {
        let found = self.kept.moves.len();
        // The answer to it may have been prepared.
        if self.kept.moves.get(ply).is_some_and(|played| played.0 == text) && ply + 2 >= found {
            return Ok(false);
        }
        self.playing()?;
        if ply != found {
            return Err(Fault::Stale { found });
        }
        if self.to_move() != colour {
            return Err(Fault::NotYours);
        }
        let played = self.play.push(text);
        let text = played.map_err(|fault| Fault::Move { text: text.chars().take(40).collect(), fault })?;
        let taken = now.saturating_sub(self.kept.since);
        if let Some(clock) = self.clock {
            let left = self.kept.left.of_mut(colour);
            if found >= 2 {
                *left = left.saturating_sub(taken) + clock.increment.as_millis() as u64;
            }
            // Without periods `moves` is 0.
            let own = (found / 2 + 1) as u64;
            if clock.moves > 0 && own.is_multiple_of(u64::from(clock.moves)) {
                *left += clock.base.as_millis() as u64;
            }
        }
        self.kept.moves.push(Moved(text.clone(), taken));
        self.kept.since = now;
        // A move declines the other's offers, and a pending take-back would now mean another move.
        self.kept.offers.takeback = None;
        self.kept.offers.draw = self.kept.offers.draw.filter(|by| *by == colour);
        if let Some(ending) = self.play.ending() {
            let outcome = Outcome::of(ending.winner(self.play.side()));
            self.end(outcome, Termination::Normal, ending.reason.id(), now);
        } else if self.kept.moves.len() >= MAX_PLIES {
            self.end(Outcome::Draw, Termination::Adjudication, LENGTH, now);
        }
        self.answer(colour.other(), &text, now);
        Ok(true)
    }

    /// Plays the prepared answer of a side to a move of the other, if there is one. Lines that begin with both remain.
    fn answer(&mut self, colour: Colour, text: &str, now: u64) {
        let plan = std::mem::take(self.kept.plans.of_mut(colour));
        let Some([first, reply]) = plan.iter().filter_map(|line| line.first_chunk()).find(|[first, _]| first == text)
        else {
            return;
        };
        let played = self.push(colour, self.kept.moves.len(), reply, now);
        // The answer may have ended the game.
        if played.is_ok() && self.is_playing() {
            let rest = plan.iter().filter_map(|line| line.strip_prefix(&[first.clone(), reply.clone()]));
            *self.kept.plans.of_mut(colour) = rest.filter(|line| !line.is_empty()).map(<[String]>::to_vec).collect();
        }
    }

    /// Prepares answers of a side; they replace those from before.
    fn plan_ahead(&mut self, colour: Colour, ply: usize, lines: &[Vec<String>]) -> Result<bool, Fault> {
        self.playing()?;
        let found = self.kept.moves.len();
        if ply != found {
            return Err(Fault::Stale { found });
        }
        if self.to_move() == colour {
            return Err(Fault::Yours);
        }
        let is_line = |line: &Vec<String>| line.len().is_multiple_of(2) && (2..=PLANNED).contains(&line.len());
        if lines.len() > PLANNED || !lines.iter().all(is_line) {
            return Err(Fault::Plan);
        }
        let checked = lines.iter().map(|line| self.checked(line)).collect::<Result<Vec<_>, _>>()?;
        let plan = self.kept.plans.of_mut(colour);
        Ok(std::mem::replace(plan, checked.clone()) != checked)
    }

    /// Returns the moves of a line from the current position as they are recorded.
    fn checked(&self, line: &[String]) -> Result<Vec<String>, Fault> {
        let mut play = self.play.clone();
        let push = |text: &String| {
            play.push(text).map_err(|fault| Fault::Move { text: text.chars().take(40).collect(), fault })
        };
        line.iter().map(push).collect()
    }

    /// Returns the number of plies to take back for the last move of a side, if it has made one.
    fn plies_back(&self, colour: Colour) -> Option<usize> {
        let plies = if self.to_move() == colour { 2 } else { 1 };
        (plies <= self.kept.moves.len()).then_some(plies)
    }

    fn offer(&mut self, colour: Colour, what: Offer, now: u64) -> Result<bool, Fault> {
        let plies = self.kept.moves.len();
        match what {
            Offer::Rematch if self.kept.next.is_some() || !matches!(self.kept.stage, Stage::Over { .. }) => {
                return Err(Fault::NotOver);
            }
            Offer::Rematch => {}
            Offer::Draw | Offer::Takeback => {
                self.playing()?;
                if what == Offer::Takeback && self.plies_back(colour).is_none() {
                    return Err(Fault::NoMove);
                }
            }
        }
        let waits = self.kept.offers.of(what);
        if *waits == Some(colour) {
            return Ok(false);
        }
        if *waits == Some(colour.other()) {
            // Both sides agree.
            self.accept(colour.other(), what, now);
            return Ok(true);
        }
        if what != Offer::Rematch {
            let [draw, takeback] = self.kept.offered.of_mut(colour);
            let last = if what == Offer::Draw { draw } else { takeback };
            if last.replace(plies) == Some(plies) {
                return Err(Fault::Again);
            }
        }
        *self.kept.offers.of(what) = Some(colour);
        Ok(true)
    }

    fn accept(&mut self, by: Colour, what: Offer, now: u64) {
        match what {
            Offer::Draw => self.end(Outcome::Draw, Termination::Agreement, "agreement", now),
            Offer::Takeback => {
                if let Some(left) = self.clocks(now) {
                    self.kept.left = left;
                }
                for _ in 0..self.plies_back(by).unwrap_or(0) {
                    self.kept.moves.pop();
                    self.play.undo();
                }
                self.kept.plans = Both::default();
                self.kept.offers = Offers::default();
                self.kept.offered = Both::default();
                self.kept.since = now;
            }
            // `rematch` creates the game itself.
            Offer::Rematch => {
                self.kept.offers.rematch = None;
                self.kept.next = Some(id_of(&format!("rematch {}", self.kept.id)));
            }
        }
    }
}
