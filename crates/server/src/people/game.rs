//! A game between two people: seats, clock, offers, and moves that core checks. It knows neither sockets nor the time
//! of day: callers pass the time in milliseconds since 1970.

use super::super::page::digest;
use super::terms::{Both, Colour, Fault, Offers, SECRET, Terms};
use millbrain_core::any::AnyGame;
use millbrain_core::variant::{NamedRules, Variant};
use millbrain_games::record::{GameRecord, MoveRecord, Outcome, Termination};
use millbrain_tournament::config::Clock;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
pub use time::Time;

/// Maximum characters of a name.
const MAX_NAME: usize = 40;
/// Digits in the ID of a game.
const ID: usize = 12;

/// The stage of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "lowercase")]
pub enum Stage {
    /// One seat is free.
    Open,
    /// The game is in progress.
    Playing,
    /// The game has a result.
    Over {
        /// Result.
        result: Outcome,
        /// Kind of ending.
        termination: Termination,
        /// ID of the ending.
        reason: String,
    },
    /// The game ended before it began, or the invitation was withdrawn.
    Aborted,
}

/// A player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Player {
    /// Name; empty for none.
    pub name: String,
    /// Digest of the player's secret.
    key: String,
}

/// A move, and its duration in milliseconds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Moved(String, u64);

/// A game as it is stored.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// ID of the game, which is part of the link.
    pub id: String,
    terms: Terms,
    #[serde(flatten)]
    stage: Stage,
    players: Both<Option<Player>>,
    moves: Vec<Moved>,
    /// The prepared answers of each side while the other one is to move: lines that begin with a move of the other.
    #[serde(default)]
    plans: Both<Vec<Vec<String>>>,
    /// Milliseconds on each clock at the start of the turn.
    left: Both<u64>,
    /// Start of the turn, or of the last stage.
    since: u64,
    offers: Offers,
    /// The number of moves when each side last offered a draw, and a take-back.
    offered: Both<[Option<usize>; 2]>,
    /// ID of the rematch.
    next: Option<String>,
    /// The address of the host while the game is an invitation.
    #[serde(default)]
    host: Option<IpAddr>,
}

/// A game between two people.
#[derive(Clone)]
pub struct Game {
    kept: Kept,
    clock: Option<Clock>,
    rules: NamedRules,
    play: AnyGame,
    /// Time when the host of an invitation left; `None` while it is connected.
    host_left: Option<u64>,
    /// Number in the archive.
    pub record: Option<i64>,
}

/// Returns the digest under which a secret is stored.
///
/// # Errors
/// A secret of another form.
pub fn key_of(token: &str) -> Result<String, Fault> {
    let is_plain = token.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if is_plain && token.len() == SECRET { Ok(digest(format!("seat {token}").as_bytes())) } else { Err(Fault::Token) }
}

/// Returns the ID of a game, derived from a unique text.
fn id_of(text: &str) -> String {
    digest(text.as_bytes()).chars().take(ID).collect()
}

/// Returns the name of a player as shown and recorded.
fn name_of(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    plain.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_NAME).collect()
}

impl Game {
    /// Opens an invitation of the player with this key. The same key and `nonce` give the same game, so that a client
    /// can repeat a request without an answer.
    ///
    /// # Errors
    /// Invalid terms.
    pub fn open(
        terms: Terms,
        colour: Option<Colour>,
        name: &str,
        key: &str,
        nonce: &str,
        now: u64,
    ) -> Result<Game, Fault> {
        // The last bit is random.
        let even =
            digest(format!("colour {key} {nonce}").as_bytes()).bytes().last().is_some_and(|digit| digit % 2 == 0);
        let colour = colour.unwrap_or(if even { Colour::White } else { Colour::Black });
        let mut players = Both::default();
        *players.of_mut(colour) = Some(Player { name: name_of(name), key: key.to_string() });
        Game::with(id_of(&format!("game {key} {nonce}")), terms, Stage::Open, players, now)
    }

    /// Returns the invitation with the address of its host.
    #[must_use]
    pub fn invited_by(mut self, host: Option<IpAddr>) -> Game {
        self.kept.host = host;
        self
    }

    fn with(id: String, terms: Terms, stage: Stage, players: Both<Option<Player>>, now: u64) -> Result<Game, Fault> {
        let kept = Kept {
            id,
            terms,
            stage,
            players,
            moves: Vec::new(),
            plans: Both::default(),
            left: Both::default(),
            since: now,
            offers: Offers::default(),
            offered: Both::default(),
            next: None,
            host: None,
        };
        let mut game = Game::of_kept(kept, None)?;
        let base = game.clock.map_or(0, |clock| clock.base.as_millis() as u64);
        game.kept.left = Both { white: base, black: base };
        Ok(game)
    }

    /// Restores a stored game.
    fn of_kept(mut kept: Kept, record: Option<i64>) -> Result<Game, Fault> {
        let rules = NamedRules::read(kept.terms.variant.parse::<Variant>()?, &kept.terms.rules)?;
        let read = |text: &str| text.parse::<Clock>().map_err(|_| Fault::Clock(text.chars().take(40).collect()));
        let clock = kept.terms.clock.as_deref().map(read).transpose()?;
        // Normalised to this program's format.
        kept.terms.rules = rules.list();
        kept.terms.clock = clock.map(|clock| clock.to_string());
        let mut play = AnyGame::new(rules.rules);
        for Moved(text, _) in &kept.moves {
            play.push(text).map_err(|fault| Fault::Move { text: text.clone(), fault })?;
        }
        Ok(Game { kept, clock, rules, play, host_left: None, record })
    }

    /// Resumes a game after a stop of the server, during which no clock ran.
    ///
    /// # Errors
    /// The stored game breaks the rules.
    pub fn resume(kept: Kept, record: Option<i64>, now: u64) -> Result<Game, Fault> {
        let mut game = Game::of_kept(kept, record)?;
        if game.is_playing() && game.clock.is_some() {
            game.kept.since = now;
        }
        game.set_host(false, now);
        Ok(game)
    }

    /// Returns the game as it is stored.
    pub const fn kept(&self) -> &Kept {
        &self.kept
    }

    /// Returns the ID of the game.
    pub fn id(&self) -> &str {
        &self.kept.id
    }

    /// Whether one seat is free.
    pub fn is_open(&self) -> bool {
        self.kept.stage == Stage::Open
    }

    /// Whether the game is in progress.
    pub fn is_playing(&self) -> bool {
        self.kept.stage == Stage::Playing
    }

    /// Returns the address of the host while the game is an invitation.
    pub const fn host(&self) -> Option<IpAddr> {
        self.kept.host
    }

    /// Returns the terms of the game.
    pub const fn terms(&self) -> &Terms {
        &self.kept.terms
    }

    /// Returns the stage of the game.
    pub const fn stage(&self) -> &Stage {
        &self.kept.stage
    }

    /// Returns the ID of the rematch, if there is one.
    pub fn next(&self) -> Option<&str> {
        self.kept.next.as_deref()
    }

    /// Returns the prepared answers of a side.
    pub const fn plan(&self, colour: Colour) -> &[Vec<String>] {
        self.kept.plans.of(colour).as_slice()
    }

    /// Returns the open offers.
    pub const fn offers(&self) -> &Offers {
        &self.kept.offers
    }

    /// Returns the names of the players; `None` for a free seat.
    pub fn names(&self) -> Both<Option<&str>> {
        Both {
            white: self.kept.players.white.as_ref().map(|player| player.name.as_str()),
            black: self.kept.players.black.as_ref().map(|player| player.name.as_str()),
        }
    }

    /// Returns the moves.
    pub fn moves(&self) -> impl Iterator<Item = &str> {
        self.kept.moves.iter().map(|Moved(text, _)| text.as_str())
    }

    /// Returns the seat of the player with one of these keys.
    pub fn seat(&self, keys: &[String]) -> Option<Colour> {
        let is_theirs = |player: &Option<Player>| player.as_ref().is_some_and(|player| keys.contains(&player.key));
        let players = &self.kept.players;
        is_theirs(&players.white)
            .then_some(Colour::White)
            .or_else(|| is_theirs(&players.black).then_some(Colour::Black))
    }

    /// Returns the number of moves.
    pub const fn plies(&self) -> usize {
        self.kept.moves.len()
    }

    /// Returns the start of the turn, or of the last stage.
    pub const fn since(&self) -> u64 {
        self.kept.since
    }

    /// Returns the side to move.
    pub fn to_move(&self) -> Colour {
        self.play.side().into()
    }

    fn set_stage(&mut self, stage: Stage, now: u64) {
        self.kept.stage = stage;
        self.kept.host = None;
        self.kept.plans = Both::default();
        self.kept.offers = Offers::default();
        self.kept.since = now;
    }

    fn end(&mut self, result: Outcome, termination: Termination, reason: &str, now: u64) {
        if let Some(left) = self.clocks(now) {
            self.kept.left = left;
        }
        self.set_stage(Stage::Over { result, termination, reason: reason.to_string() }, now);
    }

    /// Gives the free seat to the player with this key.
    ///
    /// # Errors
    /// Both seats are taken.
    pub fn join(&mut self, name: &str, key: &str, now: u64) -> Result<(), Fault> {
        if !self.is_open() {
            return Err(Fault::Taken);
        }
        let free = if self.kept.players.white.is_none() { Colour::White } else { Colour::Black };
        *self.kept.players.of_mut(free) = Some(Player { name: name_of(name), key: key.to_string() });
        self.set_stage(Stage::Playing, now);
        Ok(())
    }

    /// Returns the agreed rematch, with the colours exchanged and the same players.
    pub fn rematch(&self, now: u64) -> Option<Game> {
        let id = self.kept.next.clone()?;
        let Both { white, black } = self.kept.players.clone();
        let terms = Terms { listed: false, ..self.kept.terms.clone() };
        Game::with(id, terms, Stage::Playing, Both { white: black, black: white }, now).ok()
    }

    /// Returns the record for the archive; `None` while the game has no result.
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
            house_rules: self.rules.list(),
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

mod acts;
#[cfg(test)]
mod tests;
mod time;
