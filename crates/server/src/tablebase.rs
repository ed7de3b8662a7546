//! Values of positions, from the tables of the server.

use super::Shared;
use super::api::{ApiError, answer, bad, off_thread, whole};
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Extension, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use millbrain_core::any::AnyGame;
use millbrain_core::variant::{Ruleset, Variant};
use millbrain_tablebase::probe::{Library, ProbeAnswer, ProbeError, RulesTables, probe_game};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::net::IpAddr;
use std::sync::Arc;

/// Most positions of a request.
const MAX_POSITIONS: usize = 1_000;
/// Largest body: the longest FENs have room.
const MAX_BODY: usize = 256 << 10;
/// A value never changes; a server may have more tables tomorrow.
const CACHED: HeaderValue = HeaderValue::from_static("public, max-age=3600");

/// The rules of a question.
#[derive(Deserialize)]
pub(super) struct Asked {
    variant: Option<String>,
    rules: Option<String>,
}

impl Asked {
    pub(super) fn variant(&self) -> Result<Variant, ApiError> {
        self.variant.as_deref().map_or(Ok(Variant::Morris), str::parse).map_err(bad)
    }

    pub(super) fn ruleset(&self) -> Result<Ruleset, ApiError> {
        let mut rules = self.variant()?.rules();
        rules.set_all(self.rules.as_deref().unwrap_or_default()).map_err(bad)?;
        Ok(rules)
    }
}

/// One position.
#[derive(Deserialize)]
pub(super) struct One {
    #[serde(flatten)]
    pub(super) asked: Asked,
    pub(super) fen: Option<String>,
}

/// Several positions.
#[derive(Deserialize)]
struct Many {
    #[serde(flatten)]
    asked: Asked,
    fens: Vec<String>,
}

/// What is told of one of several positions.
#[derive(Serialize)]
#[serde(untagged)]
enum Told {
    Known(ProbeAnswer),
    Unknown { fen: String, error: String },
}

/// The tables of these rules. What is not used of them is the owner's business.
pub(super) fn tables(library: &Library, rules: &Ruleset) -> RulesTables {
    library.tables(rules, |refusals| {
        for refusal in refusals.iter().filter(|refusal| !refusal.is_other_rules()) {
            log::warn!("tablebase not used: {refusal}");
        }
    })
}

/// Looks a position up. A FEN that is none is the client's fault, damage the server's.
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
    wanted: Result<Query<One>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(One { asked, fen }) = wanted.map_err(|error| ApiError::Bad(error.body_text()))?;
    let rules = asked.ruleset()?;
    let library = Arc::clone(&shared.tables);
    let found = off_thread(move || look_up(&library, rules, fen.as_deref())).await?;
    let mut response = answer(StatusCode::OK, &found);
    response.headers_mut().insert(header::CACHE_CONTROL, CACHED);
    Ok(response)
}

/// `POST /api/tablebase`
pub(super) async fn many(
    State(shared): State<Arc<Shared>>,
    Extension(client): Extension<IpAddr>,
    body: Body,
) -> Result<Response, ApiError> {
    let body = whole(&shared.bodies, client, body, MAX_BODY).await?;
    let Many { asked, fens } = serde_json::from_slice(&body)
        .map_err(|error| ApiError::Bad(format!("{error}, expected {{\"variant\": TEXT, \"fens\": [TEXT]}}")))?;
    if fens.len() > MAX_POSITIONS {
        return Err(ApiError::Bad(format!("{} positions, expected {MAX_POSITIONS} at most", fens.len())));
    }
    let rules = asked.ruleset()?;
    let library = Arc::clone(&shared.tables);
    let one = move |fen: String| match look_up(&library, rules, Some(&fen)) {
        Ok(found) => Told::Known(found),
        Err(error) => Told::Unknown { fen, error: error.line() },
    };
    let positions: Vec<Told> = off_thread(move || Ok(fens.into_iter().map(one).collect())).await?;
    Ok(answer(StatusCode::OK, &json!({ "positions": positions })))
}
