//! Moves played from a position in the games of the archive.

use super::Shared;
use super::api::{ApiError, MAX_QUERY, Question, ask, bad, cached, too_long};
use super::tablebase::One;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use millbrain_core::any::AnyGame;
use millbrain_core::variant::NamedRules;
use std::sync::Arc;

/// Seconds for which a browser may cache the moves of a position: new games are not urgent.
const EXPLORED: u32 = 60;

/// `GET /api/openings`
pub(super) async fn openings(
    State(shared): State<Arc<Shared>>,
    Question(asked): Question<One>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let NamedRules { variant, rules } = asked.rules()?;
    let fen = asked.fen.filter(|text| !text.trim().is_empty());
    if fen.as_ref().is_some_and(|fen| fen.len() > MAX_QUERY) {
        return Err(too_long());
    }
    let explored = ask(&shared, move |archive| {
        let game = AnyGame::new(rules).at(fen.as_deref(), []).map_err(bad)?;
        Ok(archive.explore(variant, &game)?)
    })
    .await?;
    Ok(cached(&headers, &explored, EXPLORED))
}
