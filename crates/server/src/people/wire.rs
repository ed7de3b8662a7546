//! The messages about games between people, as `docs/server.md` describes them.

use super::game::{Game, Stage};
use super::terms::{Both, Colour, Fault, Offer};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Maximum games that are open or in progress, in total.
pub(super) const GAMES: usize = 2_000;
/// Maximum invitations per address.
pub(super) const INVITATIONS: usize = 8;
/// Maximum tokens per client.
pub(super) const TOKENS: usize = 16;

/// A request of a client.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Request {
    /// Identifies the client's seats by their tokens. New seats use the first one.
    Hello { tokens: Vec<String> },
    /// Opens a game.
    Create {
        nonce: String,
        #[serde(default)]
        name: String,
        colour: Option<Colour>,
        variant: String,
        #[serde(default)]
        rules: String,
        clock: Option<String>,
        #[serde(default)]
        listed: bool,
    },
    /// Takes the free seat of a game.
    Join {
        game: String,
        #[serde(default)]
        name: String,
    },
    /// Follows this game only, or none.
    Follow { game: Option<String> },
    /// Starts or stops following the list of open games.
    Lobby { follow: bool },
    /// Plays a move.
    Move {
        game: String,
        ply: usize,
        #[serde(rename = "move")]
        text: String,
    },
    /// Prepares answers to moves of the opponent.
    Plan { game: String, ply: usize, lines: Vec<Vec<String>> },
    /// Makes an offer.
    Offer { game: String, what: Offer },
    /// Accepts an offer.
    Accept { game: String, what: Offer },
    /// Declines an offer, or withdraws the client's own.
    Decline { game: String, what: Offer },
    /// Resigns.
    Resign { game: String },
    /// Withdraws an invitation.
    Cancel { game: String },
    /// Checks the connection.
    Ping,
}

/// Why a request is refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error(transparent)]
    Fault(#[from] Fault),
    #[error("{0}, expected a message of docs/server.md")]
    Unreadable(serde_json::Error),
    #[error("{0} tokens, expected 1 to {TOKENS}")]
    Tokens(usize),
    #[error("nobody is known here, expected a hello with a token first")]
    Stranger,
    #[error("there is no such game, or it is long over")]
    NoGame,
    #[error("your address has {INVITATIONS} open games, expected one of them to be taken or withdrawn first")]
    Invitations,
    #[error("{GAMES} games are played here already, expected to try again later")]
    Games,
    #[error("you have no seat in this game, expected to join it first")]
    Spectator,
    #[error("it could not be saved, expected to try again later")]
    Disk,
}

impl Refusal {
    const fn code(&self) -> &'static str {
        match self {
            Refusal::Fault(fault) => fault.code(),
            Refusal::Unreadable(_) => "unreadable",
            Refusal::Tokens(_) => "tokens",
            Refusal::Stranger => "stranger",
            Refusal::NoGame => "no-game",
            Refusal::Invitations => "invitations",
            Refusal::Games => "games",
            Refusal::Spectator => "spectator",
            Refusal::Disk => "disk",
        }
    }

    fn values(&self) -> Value {
        match self {
            Refusal::Fault(fault) => fault.values(),
            Refusal::Tokens(_) => json!({"n": TOKENS}),
            Refusal::Invitations => json!({"n": INVITATIONS}),
            Refusal::Games => json!({"n": GAMES}),
            _ => json!({}),
        }
    }

    /// Returns the message about a request that concerned this game, if any.
    pub(super) fn message(&self, game: Option<&str>) -> Value {
        let error = self.to_string().replace('\n', " ");
        json!({"event": "refused", "game": game, "code": self.code(), "values": self.values(), "error": error})
    }
}

/// Returns a game without its moves; `there` has the connected players.
pub(super) fn summary(game: &Game, there: &Both<bool>, now: u64) -> Map<String, Value> {
    let terms = game.terms();
    let fields = json!({
        "game": game.id(),
        "variant": terms.variant,
        "rules": terms.rules,
        "clock": terms.clock,
        "listed": terms.listed,
        "names": game.names(),
        "plies": game.plies(),
        "turn": game.to_move(),
        "clocks": game.clocks(now),
        "running": game.is_running().then(|| game.to_move()),
        "until": game.deadline().saturating_sub(now),
        "offers": game.offers(),
        "there": there,
        "next": game.next(),
        "record": game.record,
    });
    let mut fields = object(fields);
    fields.extend(object(serde_json::to_value(game.stage()).unwrap_or_default()));
    if let Stage::Over { result, termination, .. } = game.stage() {
        fields.insert("result".to_string(), json!(result.to_string()));
        fields.insert("termination".to_string(), json!(termination.to_string()));
    }
    fields
}

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(fields) = value { fields } else { Map::new() }
}

/// Returns a message with fields.
pub(super) fn event(name: &str, mut fields: Map<String, Value>) -> Value {
    fields.insert("event".to_string(), json!(name));
    Value::Object(fields)
}

/// Returns a message with a list of games.
pub(super) fn games(name: &str, games: Vec<Map<String, Value>>) -> Value {
    json!({"event": name, "games": games})
}
