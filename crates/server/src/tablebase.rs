//! Values of positions, from the tables of the server.

use super::api::{ApiError, Question, answer, bad, cached, off_thread, whole};
use super::{Queue, Shared};
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use millbrain_core::any::AnyGame;
use millbrain_core::perft::Interrupt;
use millbrain_core::search::Control;
use millbrain_core::variant::{NamedRules, Ruleset, Variant};
use millbrain_tablebase::probe::{Library, ProbeAnswer, ProbeError, RulesTables, probe_game};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::net::IpAddr;
use std::sync::Arc;

/// Maximum positions per request.
const MAX_POSITIONS: usize = 1_000;
/// Maximum body size, enough for the longest FENs.
const MAX_BODY: usize = 256 << 10;
/// Seconds for which a browser may cache a value. It never changes, but the server may get more tables.
const CACHED: u32 = 3_600;

/// One position.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct One {
    variant: Option<String>,
    rules: Option<String>,
    pub(super) fen: Option<String>,
}

/// Several positions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Many {
    variant: Option<String>,
    rules: Option<String>,
    fens: Vec<String>,
}

impl One {
    pub(super) fn rules(&self) -> Result<NamedRules, ApiError> {
        named(self.variant.as_deref(), self.rules.as_deref())
    }
}

/// Returns the rules of a request.
fn named(variant: Option<&str>, rules: Option<&str>) -> Result<NamedRules, ApiError> {
    let variant = variant.map_or(Ok(Variant::default()), str::parse).map_err(bad)?;
    NamedRules::read(variant, rules.unwrap_or_default()).map_err(bad)
}

/// The answer for one of several positions.
#[derive(Serialize)]
#[serde(untagged)]
enum Reported {
    Known(ProbeAnswer),
    Unknown { fen: String, error: String },
}

/// Returns the tables of these rules. Unused tables are reported only in the log.
pub(super) fn tables(library: &Library, rules: &Ruleset) -> RulesTables {
    library.tables(rules, |refusals| {
        for refusal in refusals.iter().filter(|refusal| !refusal.is_other_rules()) {
            log::warn!("tablebase not used: {refusal}");
        }
    })
}

/// Looks up a position. An invalid FEN is the client's fault, damage the server's.
fn look_up(library: &Library, rules: Ruleset, fen: Option<&str>) -> Result<ProbeAnswer, ApiError> {
    let game = AnyGame::new(rules).at(fen, []).map_err(bad)?;
    let found = probe_game(game, tables(library, &rules).oracle.as_ref()).map_err(|error| match error {
        ProbeError::Unknown => ApiError::NotInTables,
        error => {
            log::error!("{error}");
            ApiError::Lost
        }
    })?;
    for fault in &found.faults {
        log::error!("{fault}");
    }
    Ok(found)
}

/// `GET /api/tablebase`
pub(super) async fn one(
    State(shared): State<Arc<Shared>>,
    Question(asked): Question<One>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let rules = asked.rules()?.rules;
    let library = Arc::clone(&shared.tables);
    let found = off_thread(&shared.threads.position, move || look_up(&library, rules, asked.fen.as_deref())).await?;
    Ok(cached(&headers, &found, CACHED))
}

/// `POST /api/tablebase`
pub(super) async fn many(
    State(shared): State<Arc<Shared>>,
    Extension(client): Extension<IpAddr>,
    body: Body,
) -> Result<Response, ApiError> {
    let (body, _permit) = whole(&shared.bodies, client, body, MAX_BODY).await?;
    let Many { variant, rules, fens } = serde_json::from_slice(&body)
        .map_err(|error| ApiError::Bad(format!("{error}, expected {{\"variant\": TEXT, \"fens\": [TEXT]}}")))?;
    if fens.len() > MAX_POSITIONS {
        return Err(ApiError::Bad(format!("{} positions, expected {MAX_POSITIONS} at most", fens.len())));
    }
    let rules = named(variant.as_deref(), rules.as_deref())?.rules;
    let (library, queue, over) = (Arc::clone(&shared.tables), Arc::clone(&shared.queue), shared.shutdown.subscribe());
    let question = move || in_turns(&library, &queue, rules, fens, || *over.borrow());
    let positions = off_thread(&shared.threads.positions, question).await?;
    Ok(answer(StatusCode::OK, &json!({ "positions": positions })))
}

/// Looks up positions in turns with all searches, until `is_over`.
fn in_turns(
    library: &Library,
    queue: &Queue,
    rules: Ruleset,
    fens: Vec<String>,
    is_over: impl Fn() -> bool,
) -> Result<Vec<Reported>, ApiError> {
    let control = Arc::new(Control::new(false));
    let one = |fen: String| {
        if control.is_interrupted() || is_over() {
            return Err(ApiError::Closing);
        }
        Ok(match look_up(library, rules, Some(&fen)) {
            Ok(found) => Reported::Known(found),
            Err(error) => Reported::Unknown { fen, error: error.line() },
        })
    };
    queue.run(&control, 1, || fens.into_iter().map(one).collect())
}
