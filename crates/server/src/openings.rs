//! What was played from a position, from the games of the archive.

use super::Shared;
use super::api::{ApiError, MAX_QUERY, answer, ask, bad, too_long};
use super::tablebase::One;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use millbrain_core::any::AnyGame;
use std::sync::Arc;

/// How long a browser may keep what was played from a position: new games are no hurry.
const EXPLORED: HeaderValue = HeaderValue::from_static("public, max-age=60");

/// `GET /api/openings`
pub(super) async fn openings(
    State(shared): State<Arc<Shared>>,
    wanted: Result<Query<One>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(One { asked, fen }) = wanted.map_err(|error| ApiError::Bad(error.body_text()))?;
    let (variant, rules) = (asked.variant()?, asked.ruleset()?);
    let fen = fen.filter(|text| !text.trim().is_empty());
    if fen.as_ref().is_some_and(|fen| fen.len() > MAX_QUERY) {
        return Err(too_long());
    }
    let explored = ask(&shared, move |archive| {
        let game = AnyGame::new(rules).at(fen.as_deref(), []).map_err(bad)?;
        Ok(archive.explore(variant, &game)?)
    })
    .await?;
    let mut response = answer(StatusCode::OK, &explored);
    response.headers_mut().insert(header::CACHE_CONTROL, EXPLORED);
    Ok(response)
}
