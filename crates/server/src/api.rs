//! The JSON API: the server itself, and its archive.

use super::Shared;
use super::archive::{self, Archive, ArchiveError, Faulty, Filter, Game, Key, Stored, opening_keys};
use super::limits::{NoPermit, Permit, Permits};
use super::page::{digest, has_tag};
use axum::body::{Body, Bytes};
use axum::extract::{Extension, FromRequestParts, Path, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use millbrain_core::variant::Variant;
use millbrain_games::record::Outcome;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{json, value::RawValue};
use std::fmt::Display;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Maximum body sizes of a game and of a file of games.
const MAX_GAME: usize = 1 << 20;
const MAX_IMPORT: usize = 16 << 20;
/// Time limit for a body.
const BODY_TIME: Duration = Duration::from_secs(20);
/// Maximum characters of a query parameter.
pub(super) const MAX_QUERY: usize = 4_096;
/// Default number of games per page.
const LISTED: u32 = 50;

/// Returns a JSON response.
pub(super) fn answer(status: StatusCode, value: &impl Serialize) -> Response {
    let body = serde_json::to_vec(value).unwrap_or_default();
    (status, [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")], body).into_response()
}

/// Returns an error response: one clear line.
pub(super) fn refused(status: StatusCode, line: &str) -> Response {
    answer(status, &json!({ "error": line }))
}

/// Why a request fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(super) enum ApiError {
    #[error("no archive here, expected 'millbrain serve --archive FILE'")]
    NoArchive,
    #[error("no game has this number, expected one of the list")]
    NoGame,
    #[error("{0}")]
    Bad(String),
    #[error("no table has this position, expected one of the sectors that are served")]
    NotInTables,
    #[error("body of more than {0} bytes, expected fewer")]
    TooLarge(usize),
    #[error("the body did not come in time, or not at all")]
    Late,
    #[error(transparent)]
    Faulty(#[from] Faulty),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error("bodies: {0}")]
    NoPermit(#[from] NoPermit),
    #[error("no games are deleted here, expected 'millbrain serve --secret FILE'")]
    NoSecret,
    #[error("deleting is the owner's, expected 'Authorization: Bearer SECRET'")]
    Stranger,
    #[error("the server could not answer; its log says more")]
    Lost,
    #[error("the server ends, expected to try again later")]
    Closing,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = match &self {
            ApiError::NoArchive | ApiError::NoGame | ApiError::NotInTables => StatusCode::NOT_FOUND,
            ApiError::Bad(_) | ApiError::Faulty(_) => StatusCode::BAD_REQUEST,
            ApiError::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            ApiError::Late => StatusCode::REQUEST_TIMEOUT,
            ApiError::NoPermit(_)
            | ApiError::Closing
            | ApiError::Archive(ArchiveError::TooLong | ArchiveError::Busy(_) | ArchiveError::Closing) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            ApiError::NoSecret => StatusCode::FORBIDDEN,
            ApiError::Stranger => StatusCode::UNAUTHORIZED,
            ApiError::Archive(error @ (ArchiveError::Full | ArchiveError::NoSpace)) => {
                log::error!("{error}");
                StatusCode::INSUFFICIENT_STORAGE
            }
            ApiError::Archive(error) => {
                // The system's message may contain file names.
                log::error!("archive: {error}");
                return refused(StatusCode::INTERNAL_SERVER_ERROR, "the archive failed, see the log of the server");
            }
            ApiError::Lost => StatusCode::INTERNAL_SERVER_ERROR,
        };
        refused(status, &self.line())
    }
}

impl ApiError {
    /// Formats the error as one line for the client.
    pub(super) fn line(&self) -> String {
        self.to_string().replace(['\n', '\r'], " ")
    }
}

/// Queries the archive on a thread that may wait for the disk.
pub(super) async fn ask<T: Send + 'static>(
    shared: &Shared,
    question: impl FnOnce(&Archive) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let archive = Arc::clone(shared.archive.as_ref().ok_or(ApiError::NoArchive)?);
    off_thread(&shared.threads.archive, move || question(&archive)).await
}

/// Threads that may wait, for the disk or for their turn. No kind waits for another.
pub(super) struct Threads {
    /// For the archive.
    pub archive: Semaphore,
    /// For single positions, and for batches.
    pub position: Semaphore,
    pub positions: Semaphore,
    /// For `/healthz`.
    pub health: Semaphore,
}

impl Threads {
    /// Threads for the archive, for single positions, for batches, and for `/healthz`.
    const COUNTS: [usize; 4] = [4, 2, 4, 1];

    pub fn new() -> Threads {
        let [archive, position, positions, health] = Threads::COUNTS.map(Semaphore::new);
        Threads { archive, position, positions, health }
    }

    /// Returns the total number of threads.
    pub fn all() -> usize {
        Threads::COUNTS.iter().sum()
    }
}

/// Answers a query on one of these threads.
pub(super) async fn off_thread<T: Send + 'static>(
    threads: &Semaphore,
    question: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let _thread = threads.acquire().await.map_err(|_| ApiError::Lost)?;
    tokio::task::spawn_blocking(question).await.map_err(|_| ApiError::Lost)?
}

/// The query parameters of a request. Unknown parameters are rejected.
pub(super) struct Question<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Question<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Question<T>, ApiError> {
        Query::try_from_uri(&parts.uri)
            .map(|Query(asked)| Question(asked))
            .map_err(|error| ApiError::Bad(error.body_text()))
    }
}

/// Rejects a query string at an address without parameters.
pub(super) async fn without_query(request: Request, next: Next) -> Response {
    match request.uri().query() {
        None | Some("") => next.run(request).await,
        Some(_) => refused(StatusCode::BAD_REQUEST, "a query, expected none: this address has no parameters"),
    }
}

/// Returns a response that a client may cache for `seconds` seconds; only its tag if the client has it already.
pub(super) fn cached(asked: &HeaderMap, value: &impl Serialize, seconds: u32) -> Response {
    let body = serde_json::to_vec(value).unwrap_or_default();
    let tag = format!("\"{}\"", digest(&body));
    let known = has_tag(asked, &tag);
    let headers = [(header::CACHE_CONTROL, format!("public, max-age={seconds}")), (header::ETAG, tag)];
    if known {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    (headers, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// Returns the error for an invalid request.
pub(super) fn bad(error: impl Display) -> ApiError {
    ApiError::Bad(error.to_string())
}

pub(super) fn too_long() -> ApiError {
    ApiError::Bad(format!("a query of more than {MAX_QUERY} bytes, expected fewer"))
}

/// Reads the body of a request and returns it with its permit, one of a limited number.
pub(super) async fn whole(
    permits: &Arc<Permits>,
    client: IpAddr,
    body: Body,
    most: usize,
) -> Result<(Bytes, Permit), ApiError> {
    use axum::body::HttpBody as _;
    let permit = permits.take(client)?;
    if body.size_hint().lower() > most as u64 {
        return Err(ApiError::TooLarge(most));
    }
    let read = timeout(BODY_TIME, Limited::new(body, most).collect()).await.map_err(|_| ApiError::Late)?;
    let read =
        read.map_err(|error| if error.is::<LengthLimitError>() { ApiError::TooLarge(most) } else { ApiError::Late });
    Ok((read?.to_bytes(), permit))
}

/// Parses the number of a game in its only valid form.
fn id(text: &str) -> Result<i64, ApiError> {
    text.parse().ok().filter(|id: &i64| *id > 0 && id.to_string() == text).ok_or(ApiError::NoGame)
}

/// `GET /api/info`
pub(super) async fn info(State(shared): State<Arc<Shared>>) -> Response {
    let value = json!({
        "name": "millbrain",
        "version": env!("CARGO_PKG_VERSION"),
        "engine": {"threads": shared.limits.threads, "hash": shared.limits.hash_each()},
        "archive": shared.archive.is_some(),
        "deletes": shared.archive.is_some() && shared.secret.is_some(),
        "live": shared.live.is_some(),
        "people": shared.lobby.is_some(),
    });
    answer(StatusCode::OK, &value)
}

/// A game as sent by a client.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    key: String,
    record: String,
}

/// `POST /api/games`
pub(super) async fn save(
    State(shared): State<Arc<Shared>>,
    Extension(client): Extension<IpAddr>,
    body: Body,
) -> Result<Response, ApiError> {
    let (body, permit) = whole(&shared.bodies, client, body, MAX_GAME).await?;
    drop(permit);
    let (is_new, id) = ask(&shared, move |archive| {
        let sent: Sent = serde_json::from_slice(&body)
            .map_err(|error| ApiError::Bad(format!("{error}, expected {{\"key\": TEXT, \"record\": TEXT}}")))?;
        let key = Key::of_client(&sent.key)?;
        Ok(archive.save(&key, &Game::read(&sent.record)?, "client")?.reported())
    })
    .await?;
    Ok(answer(if is_new { StatusCode::CREATED } else { StatusCode::OK }, &json!({ "id": id })))
}

/// The filters of a list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    player: Option<String>,
    variant: Option<String>,
    result: Option<String>,
    opening: Option<String>,
    fen: Option<String>,
    limit: Option<u32>,
    before: Option<i64>,
}

impl Wanted {
    fn filter(self) -> Result<Filter, ApiError> {
        let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let texts = [&self.player, &self.variant, &self.result, &self.opening, &self.fen];
        if texts.into_iter().flatten().any(|text| text.len() > MAX_QUERY) {
            return Err(too_long());
        }
        let variant = given(self.variant).map(|text| text.parse::<Variant>()).transpose().map_err(bad)?;
        let result = given(self.result).map(|text| text.parse::<Outcome>()).transpose().map_err(bad)?;
        let (opening, fen) = (given(self.opening), given(self.fen));
        let positions = (opening.is_some() || fen.is_some())
            .then(|| opening_keys(variant, fen.as_deref(), opening.as_deref().unwrap_or_default()))
            .transpose();
        Ok(Filter {
            player: given(self.player),
            variant: variant.map(|variant| variant.name().to_string()),
            result: result.map(|result| result.to_string()),
            positions: positions.map_err(bad)?,
            before: self.before,
            limit: self.limit.unwrap_or(LISTED),
        })
    }
}

/// `GET /api/games`
pub(super) async fn list(
    State(shared): State<Arc<Shared>>,
    Question(wanted): Question<Wanted>,
) -> Result<Response, ApiError> {
    let listing = ask(&shared, move |archive| Ok(archive.list(&wanted.filter()?)?)).await?;
    Ok(answer(StatusCode::OK, &listing))
}

/// A game with all its data.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    listed: super::archive::Listed,
    record: String,
    moves: Vec<String>,
    start: String,
    annotation: Option<Annotation>,
}

#[derive(Serialize)]
struct Annotation {
    nodes: i64,
    plies: Box<RawValue>,
}

impl Shown {
    fn of(stored: Stored) -> Result<Shown, ArchiveError> {
        let damaged = || ArchiveError::Damaged(stored.listed.id);
        let game = archive::stored(&stored.record).ok_or_else(damaged)?;
        let annotation = match stored.annotation {
            Some((nodes, plies)) => {
                Some(Annotation { nodes, plies: RawValue::from_string(plies).map_err(|_| damaged())? })
            }
            None => None,
        };
        let moves = game.moves.into_iter().map(|played| played.text).collect();
        Ok(Shown { listed: stored.listed, record: stored.record, moves, start: game.fen, annotation })
    }
}

/// `GET /api/games/ID`
pub(super) async fn show(State(shared): State<Arc<Shared>>, Path(text): Path<String>) -> Result<Response, ApiError> {
    let id = id(&text)?;
    let shown = ask(&shared, move |archive| Ok(Shown::of(archive.game(id)?.ok_or(ApiError::NoGame)?)?)).await?;
    // Serialised directly to text, because one field is raw JSON.
    Ok(answer(StatusCode::OK, &shown))
}

/// `POST /api/games/ID/annotate`
pub(super) async fn annotate(
    State(shared): State<Arc<Shared>>,
    Path(text): Path<String>,
) -> Result<Response, ApiError> {
    let id = id(&text)?;
    let nodes = shared.nodes;
    if !ask(&shared, move |archive| Ok(archive.want_annotation(id, nodes)?)).await? {
        return Err(ApiError::NoGame);
    }
    if let Some(annotator) = &shared.annotator {
        annotator.ring();
    }
    Ok(answer(StatusCode::ACCEPTED, &json!({ "id": id })))
}

/// `POST /api/import`
pub(super) async fn import(
    State(shared): State<Arc<Shared>>,
    Extension(client): Extension<IpAddr>,
    body: Body,
) -> Result<Response, ApiError> {
    // One file at a time, until its last game is saved.
    let _permit = shared.imports.take(client)?;
    let (body, permit) = whole(&shared.bodies, client, body, MAX_IMPORT).await?;
    drop(permit);
    let import = ask(&shared, move |archive| {
        let text = std::str::from_utf8(&body).map_err(|error| ApiError::Bad(format!("{error}, expected text")))?;
        Ok(archive.import(text)?)
    })
    .await?;
    Ok(answer(StatusCode::OK, &import))
}

/// `DELETE /api/games/ID`
pub(super) async fn delete(
    State(shared): State<Arc<Shared>>,
    Path(text): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    match &shared.secret {
        None => return Err(ApiError::NoSecret),
        Some(secret) if !secret.is_in(&headers) => return Err(ApiError::Stranger),
        Some(_) => {}
    }
    let id = id(&text)?;
    let deleted = ask(&shared, move |archive| Ok(archive.delete(id)?)).await?;
    if deleted { Ok(StatusCode::NO_CONTENT.into_response()) } else { Err(ApiError::NoGame) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use tokio::runtime::Builder;

    /// Requests of one kind that block all its threads never delay the others.
    #[test]
    fn no_question_waits_for_those_of_another_kind() {
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(Threads::all()).build();
        let runtime = runtime.expect("a runtime");
        let threads = Threads::new();
        let kinds = [&threads.archive, &threads.position, &threads.positions, &threads.health];
        for (busy, kind) in kinds.into_iter().enumerate() {
            let (done, wait) = mpsc::channel::<()>();
            let wait = Arc::new(std::sync::Mutex::new(wait));
            let many = (0..100).map(|_| {
                let wait = Arc::clone(&wait);
                off_thread(kind, move || {
                    let _ = wait.lock().map(|wait| wait.recv());
                    Ok(())
                })
            });
            let others = async {
                for (other, kind) in kinds.into_iter().enumerate().filter(|(other, _)| *other != busy) {
                    let answered = timeout(Duration::from_secs(60), off_thread(kind, move || Ok(other))).await;
                    assert_eq!(answered.expect("in time").expect("an answer"), other);
                }
                drop(done);
            };
            runtime.block_on(futures_util::future::join(futures_util::future::join_all(many), others));
        }
    }
}
