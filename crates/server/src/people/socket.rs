//! `GET /play`: a socket that follows games between people, one JSON message per frame.

use super::super::engine::{End, Ends, send};
use super::super::limits::Bucket;
use super::super::outbox::Outbox;
use super::super::{Shared, api, over};
use super::Lobby;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use futures_util::StreamExt;
use futures_util::stream::SplitStream;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// Maximum message size in bytes.
const MAX_MESSAGE: usize = 4 << 10;
/// Messages per second of a client, and the seconds of that rate it may accumulate.
const RATE: (u32, u32) = (10, 4);

/// Numbers of clients.
static CLIENTS: AtomicU64 = AtomicU64::new(1);

/// Answers `GET /play`.
pub(in super::super) async fn upgrade(
    State(shared): State<Arc<Shared>>,
    Extension(peer): Extension<IpAddr>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let Ok(upgrade) = upgrade else {
        return api::refused(StatusCode::UPGRADE_REQUIRED, "expected a WebSocket");
    };
    if let Err(refused) = shared.guard.origin(&Method::GET, &headers, peer) {
        return api::refused(StatusCode::FORBIDDEN, &refused.to_string());
    }
    let Some(lobby) = shared.lobby.clone() else {
        return api::refused(StatusCode::NOT_FOUND, "nobody plays here, expected 'millbrain serve --archive FILE'");
    };
    let seat = match shared.players.take(peer) {
        Ok(seat) => seat,
        Err(full) => return api::refused(StatusCode::SERVICE_UNAVAILABLE, &format!("places to play: {full}")),
    };
    upgrade.max_message_size(MAX_MESSAGE).max_frame_size(MAX_MESSAGE).on_upgrade(move |socket| async move {
        let _seat = seat;
        run(&shared, &lobby, socket, peer).await;
    })
}

/// Serves a client until it leaves.
async fn run(shared: &Shared, lobby: &Lobby, socket: WebSocket, address: IpAddr) {
    let client = CLIENTS.fetch_add(1, Ordering::Relaxed);
    let outbox = Arc::new(Outbox::default());
    let (sink, stream) = socket.split();
    let mut ends = Ends { sink, stream };
    lobby.connected(client, &outbox, address).await;
    let mut shutdown = shared.shutdown.subscribe();
    let idle = shared.limits.idle;
    let end = tokio::select! {
        end = send(&mut ends.sink, &outbox, idle) => end,
        end = receive(&mut ends.stream, lobby, client, idle) => end,
        () = over(&mut shutdown) => End::Shutdown,
    };
    outbox.close();
    lobby.disconnected(client).await;
    ends.say_goodbye(end).await;
}

/// Passes on the messages of a client until it leaves.
async fn receive(stream: &mut SplitStream<WebSocket>, lobby: &Lobby, client: u64, idle: Duration) -> End {
    let mut bucket = Bucket::new(RATE.0, RATE.1, Instant::now());
    loop {
        let message = match timeout(idle, stream.next()).await {
            Err(_) => return End::Idle,
            Ok(None) => return End::Gone,
            Ok(Some(Err(error))) => return End::of(&error),
            Ok(Some(Ok(message))) => message,
        };
        if !bucket.take(1, Instant::now()) {
            return End::Rate;
        }
        match message {
            Message::Text(text) => lobby.received(client, text.to_string()).await,
            Message::Binary(_) => return End::Text,
            Message::Ping(_) | Message::Pong(_) => {}
            Message::Close(_) => return End::Gone,
        }
    }
}
