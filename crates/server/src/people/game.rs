//! A game between two people: seats, clock, offers, and moves that core judges. It knows neither sockets nor the time of
//! day: whoever asks says what time it is, in milliseconds since 1970.

use super::super::page::digest;
use super::terms::{Act, Both, Colour, Fault, Offer, Offers, SECRET, Terms};
use millbrain_core::any::AnyGame;
use millbrain_core::variant::{NamedRules, Variant};
use millbrain_games::house_rules;
use millbrain_games::record::{GameRecord, MoveRecord, Outcome, Termination};
use millbrain_tournament::config::Clock;
use serde::{Deserialize, Serialize};

const SECOND: u64 = 1_000;
const DAY: u64 = 24 * 60 * 60 * SECOND;
/// How long an invitation to a game with a clock stands.
const INVITED: u64 = DAY;
/// How long one without a clock stands.
const INVITED_TO_CORRESPOND: u64 = 14 * DAY;
/// How long the first move of each side may take in a game with a clock.
const FIRST_MOVE: u64 = 60 * SECOND;
/// How long a move may take in a game without a clock.
const CORRESPONDENCE: u64 = 30 * DAY;
/// How long a game is shown after its end.
const SHOWN: u64 = 7 * DAY;
/// Longest name in characters.
const MAX_NAME: usize = 40;
/// Most plies: the archive takes no more.
const MAX_PLIES: usize = 5_000;
/// Digits of the name of a game.
const ID: usize = 12;

/// How a game stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "lowercase")]
pub enum Stage {
    /// One seat is free.
    Open,
    /// It is being played.
    Playing,
    /// It has a result.
    Over {
        /// The result.
        result: Outcome,
        /// Kind of ending.
        termination: Termination,
        /// The ending in words.
        reason: String,
    },
    /// It ended before it had begun, or the invitation has been withdrawn.
    Aborted,
}

/// A player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Player {
    /// Its name; empty for none.
    pub name: String,
    /// Digest of its secret.
    key: String,
}

/// A move, and the milliseconds that it took.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Moved(String, u64);

/// All of a game that is kept.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// Its name, which the link has.
    pub id: String,
    terms: Terms,
    #[serde(flatten)]
    stage: Stage,
    players: Both<Option<Player>>,
    moves: Vec<Moved>,
    /// What each clock showed when the turn began, in milliseconds.
    left: Both<u64>,
    /// When the turn, or the last stage, began.
    since: u64,
    offers: Offers,
    /// How many moves there were when each side last offered a draw, and a take-back.
    offered: Both<[Option<usize>; 2]>,
    /// The rematch.
    next: Option<String>,
}

/// A game between two people.
#[derive(Clone)]
pub struct Game {
    kept: Kept,
    clock: Option<Clock>,
    rules: NamedRules,
    play: AnyGame,
    /// Its number in the archive.
    pub record: Option<i64>,
}

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

/// The digest under which a secret is kept.
pub fn key_of(token: &str) -> Result<String, Fault> {
    let is_plain = token.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if is_plain && token.len() == SECRET { Ok(digest(format!("seat {token}").as_bytes())) } else { Err(Fault::Token) }
}

/// The name of a game, made of something that nobody else has.
fn id_of(text: &str) -> String {
    digest(text.as_bytes()).chars().take(ID).collect()
}

/// A name as it is shown and recorded.
fn name_of(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    plain.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_NAME).collect()
}

impl Game {
    /// An invitation. The same secret makes the same game: who has heard no answer can ask again.
    ///
    /// # Errors
    /// Terms that cannot be played by, or a secret that is none.
    pub fn open(terms: Terms, colour: Option<Colour>, name: &str, token: &str, now: u64) -> Result<Game, Fault> {
        let key = key_of(token)?;
        // The last bit is as good as a coin.
        let even = digest(format!("colour {token}").as_bytes()).bytes().last().is_some_and(|digit| digit % 2 == 0);
        let colour = colour.unwrap_or(if even { Colour::White } else { Colour::Black });
        let mut players = Both::default();
        *players.of_mut(colour) = Some(Player { name: name_of(name), key });
        Game::with(id_of(&format!("game {token}")), terms, Stage::Open, players, now)
    }

    fn with(id: String, terms: Terms, stage: Stage, players: Both<Option<Player>>, now: u64) -> Result<Game, Fault> {
        let kept = Kept {
            id,
            terms,
            stage,
            players,
            moves: Vec::new(),
            left: Both::default(),
            since: now,
            offers: Offers::default(),
            offered: Both::default(),
            next: None,
        };
        let mut game = Game::of_kept(kept, None)?;
        let base = game.clock.map_or(0, |clock| clock.base.as_millis() as u64);
        game.kept.left = Both { white: base, black: base };
        Ok(game)
    }

    /// The game that was kept.
    fn of_kept(mut kept: Kept, record: Option<i64>) -> Result<Game, Fault> {
        let rules = NamedRules::read(kept.terms.variant.parse::<Variant>()?, &kept.terms.rules)?;
        let read = |text: &str| text.parse::<Clock>().map_err(|_| Fault::Clock(text.chars().take(40).collect()));
        let clock = kept.terms.clock.as_deref().map(read).transpose()?;
        // As this program writes it, whatever it was given.
        kept.terms.rules = rules.list();
        kept.terms.clock = clock.map(|clock| clock.to_string());
        let mut play = AnyGame::new(rules.rules);
        for Moved(text, _) in &kept.moves {
            play.push(text).map_err(|fault| Fault::Move { text: text.clone(), fault })?;
        }
        Ok(Game { kept, clock, rules, play, record })
    }

    /// Goes on with a game after a stop of the server: no clock has run meanwhile.
    ///
    /// # Errors
    /// What is kept cannot have been played.
    pub fn resume(kept: Kept, record: Option<i64>, now: u64) -> Result<Game, Fault> {
        let mut game = Game::of_kept(kept, record)?;
        if game.is_playing() && game.clock.is_some() {
            game.kept.since = now;
        }
        Ok(game)
    }

    /// What is to be kept of it.
    pub const fn kept(&self) -> &Kept {
        &self.kept
    }

    /// Its name.
    pub fn id(&self) -> &str {
        &self.kept.id
    }

    /// Whether one seat is free.
    pub fn is_open(&self) -> bool {
        self.kept.stage == Stage::Open
    }

    /// Whether it is being played.
    pub fn is_playing(&self) -> bool {
        self.kept.stage == Stage::Playing
    }

    /// What it is played by.
    pub const fn terms(&self) -> &Terms {
        &self.kept.terms
    }

    /// How it stands.
    pub const fn stage(&self) -> &Stage {
        &self.kept.stage
    }

    /// The rematch, once there is one.
    pub fn next(&self) -> Option<&str> {
        self.kept.next.as_deref()
    }

    /// The offers that wait.
    pub const fn offers(&self) -> &Offers {
        &self.kept.offers
    }

    /// The names of the players, where there are any.
    pub fn names(&self) -> Both<Option<&str>> {
        Both {
            white: self.kept.players.white.as_ref().map(|player| player.name.as_str()),
            black: self.kept.players.black.as_ref().map(|player| player.name.as_str()),
        }
    }

    /// The moves.
    pub fn moves(&self) -> impl Iterator<Item = &str> {
        self.kept.moves.iter().map(|Moved(text, _)| text.as_str())
    }

    /// The seat that a secret opens.
    pub fn seat(&self, key: &str) -> Option<Colour> {
        let is_his = |player: &Option<Player>| player.as_ref().is_some_and(|player| player.key == key);
        let players = &self.kept.players;
        is_his(&players.white).then_some(Colour::White).or_else(|| is_his(&players.black).then_some(Colour::Black))
    }

    /// Who is to move.
    pub fn to_move(&self) -> Colour {
        self.play.side().into()
    }

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

    fn set_stage(&mut self, stage: Stage, now: u64) {
        self.kept.stage = stage;
        self.kept.offers = Offers::default();
        self.kept.since = now;
    }

    fn end(&mut self, result: Outcome, termination: Termination, reason: &str, now: u64) {
        if let Some(left) = self.clocks(now) {
            self.kept.left = left;
        }
        self.set_stage(Stage::Over { result, termination, reason: reason.to_string() }, now);
    }

    /// Takes the free seat, or the own one again.
    ///
    /// # Errors
    /// When both are taken, or the secret is none.
    pub fn join(&mut self, name: &str, token: &str, now: u64) -> Result<Colour, Fault> {
        let key = key_of(token)?;
        if let Some(seat) = self.seat(&key) {
            return Ok(seat);
        }
        if !self.is_open() {
            return Err(Fault::Taken);
        }
        let free = if self.kept.players.white.is_none() { Colour::White } else { Colour::Black };
        *self.kept.players.of_mut(free) = Some(Player { name: name_of(name), key });
        self.set_stage(Stage::Playing, now);
        Ok(free)
    }

    /// What a player does; `true` when the game has changed. A move that has been played already is no fault: who has
    /// heard no answer can send it again.
    ///
    /// # Errors
    /// What cannot be done now; nothing has changed then.
    pub fn act(&mut self, colour: Colour, act: &Act, now: u64) -> Result<bool, Fault> {
        match act {
            Act::Move { ply, text } => return self.push(colour, *ply, text, now),
            Act::Offer { what } => return self.offer(colour, *what, now),
            Act::Accept { what } => {
                if *self.kept.offers.of(*what) != Some(colour.other()) {
                    return Err(Fault::NoOffer);
                }
                self.accept(colour.other(), *what, now);
            }
            Act::Decline { what } => {
                if self.kept.offers.of(*what).take().is_none() {
                    return Err(Fault::NoOffer);
                }
            }
            Act::Resign => {
                self.playing()?;
                self.end(Outcome::of(Some(colour.other().side())), Termination::Adjudication, "resigned", now);
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
        if self.kept.moves.get(ply).is_some_and(|played| played.0 == text) && ply + 1 == found {
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
            // Without periods there are 0 moves in one.
            let own = (found / 2 + 1) as u64;
            if clock.moves > 0 && own.is_multiple_of(u64::from(clock.moves)) {
                *left += clock.base.as_millis() as u64;
            }
        }
        self.kept.moves.push(Moved(text, taken));
        self.kept.since = now;
        // A move is an answer to what the other has offered, and whoever takes back has one move less to take back.
        self.kept.offers.takeback = None;
        self.kept.offers.draw = self.kept.offers.draw.filter(|by| *by == colour);
        if let Some(ending) = self.play.ending() {
            let outcome = Outcome::of(ending.winner(self.play.side()));
            self.end(outcome, Termination::Normal, &ending.reason.to_string(), now);
        } else if self.kept.moves.len() >= MAX_PLIES {
            self.end(Outcome::Draw, Termination::Adjudication, "length", now);
        }
        Ok(true)
    }

    /// Plies until the last move of a side is taken back; none if it has made no move.
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
            // Both want it.
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
            Offer::Draw => self.end(Outcome::Draw, Termination::Adjudication, "agreement", now),
            Offer::Takeback => {
                if let Some(left) = self.clocks(now) {
                    self.kept.left = left;
                }
                for _ in 0..self.plies_back(by).unwrap_or(0) {
                    self.kept.moves.pop();
                    self.play.undo();
                }
                self.kept.offers = Offers::default();
                self.kept.offered = Both::default();
                self.kept.since = now;
            }
            // The game itself is for `rematch` to make.
            Offer::Rematch => {
                self.kept.offers.rematch = None;
                self.kept.next = Some(id_of(&format!("rematch {}", self.kept.id)));
            }
        }
    }

    /// The game that was agreed on, with the colours exchanged and the same secrets; none if none was.
    pub fn rematch(&self, now: u64) -> Option<Game> {
        let id = self.kept.next.clone()?;
        let Both { white, black } = self.kept.players.clone();
        let terms = Terms { listed: false, ..self.kept.terms.clone() };
        Game::with(id, terms, Stage::Playing, Both { white: black, black: white }, now).ok()
    }

    /// The game as the archive takes it; none before its end, and of a game that has no result.
    pub fn to_record(&self) -> Option<GameRecord> {
        let Stage::Over { result, termination, reason } = &self.kept.stage else { return None };
        let control = self.kept.terms.clock.clone().unwrap_or_else(|| "-".to_string());
        let name = |colour: Colour| {
            let name = self.kept.players.of(colour).as_ref().map(|player| player.name.clone()).unwrap_or_default();
            if name.is_empty() { "?".to_string() } else { name }
        };
        let played =
            |Moved(text, time): &Moved| MoveRecord { text: text.clone(), time: Some(*time), ..MoveRecord::default() };
        Some(GameRecord {
            index: 0,
            round: 1,
            white: name(Colour::White),
            black: name(Colour::Black),
            variant: self.rules.variant.name().to_string(),
            house_rules: house_rules::text(&self.rules),
            thinking: [control.clone(), control],
            fen: AnyGame::new(self.rules.rules).fen(),
            moves: self.kept.moves.iter().map(played).collect(),
            late_move: None,
            outcome: *result,
            termination: *termination,
            reason: reason.clone(),
        })
    }
}

#[cfg(test)]
mod tests;
