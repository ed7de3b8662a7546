//! `GET /api/live`: the stream of a match.

use super::limits::Permit;
use super::live::{Event, Live};
use super::{Shared, api, over};
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::sse::{self, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio::sync::watch;

/// A client of the stream.
struct Client {
    live: Arc<Live>,
    /// The snapshot to send first.
    first: Option<Event>,
    events: Receiver<Arc<Event>>,
    shutdown: watch::Receiver<bool>,
    _permit: Permit,
}

impl Client {
    /// Returns the next event; `None` at shutdown.
    async fn next(&mut self) -> Option<Event> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        let received = tokio::select! {
            biased;
            received = self.events.recv() => received,
            () = over(&mut self.shutdown) => return None,
        };
        match received {
            Ok(event) => Some(event.as_ref().clone()),
            // A client that is too far behind starts over.
            Err(RecvError::Lagged(_)) => {
                let (first, events) = self.live.watch();
                self.events = events;
                Some(first)
            }
            Err(RecvError::Closed) => None,
        }
    }
}

/// Answers `GET /api/live`.
pub(super) async fn stream(State(shared): State<Arc<Shared>>, Extension(peer): Extension<IpAddr>) -> Response {
    let Some(live) = shared.live.clone() else {
        return api::refused(StatusCode::NOT_FOUND, "no match here, expected 'millbrain match --serve' or --journal");
    };
    let permit = match shared.watchers.take(peer) {
        Ok(permit) => permit,
        Err(full) => return api::refused(StatusCode::SERVICE_UNAVAILABLE, &format!("places to watch: {full}")),
    };
    let (first, events) = live.watch();
    let client = Client { live, first: Some(first), events, shutdown: shared.shutdown.subscribe(), _permit: permit };
    let events = stream::unfold(client, |mut client| async {
        let event = client.next().await?;
        Some((Ok::<_, Infallible>(sse::Event::default().event(event.name).data(event.data)), client))
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}
