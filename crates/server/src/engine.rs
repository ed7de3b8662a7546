//! Engine sessions: one socket each, with the protocol in text frames.
//!
//! The session runs on its own thread, as at a terminal. The task of the socket passes lines in both directions; it
//! never computes.

use super::limits::{Bucket, Permit};
use super::outbox::{Inlet, Outbox};
use super::session::{Input, Offered, Run, Session};
use super::{Shared, api, over};
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use millbrain_files::size::Size;
use millbrain_tablebase::Sources;
use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tungstenite::Error as Fault;
use tungstenite::error::ProtocolError;

/// Maximum line length of a socket in bytes, enough for a game of 2,000 plies.
pub const MAX_LINE: usize = 32 << 10;
/// Maximum frame size in bytes.
const MAX_FRAME: usize = 64 << 10;
/// Maximum commands of a socket waiting for the end of a search.
pub const MAX_QUEUE: usize = 64;
/// Memory for unpacked blocks of the tables of one rule set.
const TABLE_CACHE: Size = Size(64 << 20);
/// Seconds of its rate that a client may accumulate.
const BURST: u32 = 4;
/// Time limit for closing a socket.
const GOODBYE: Duration = Duration::from_secs(1);

/// Limits of engine sessions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineLimits {
    /// Sessions in total; 0 for none.
    pub sessions: usize,
    /// Sessions per address.
    pub per_address: usize,
    /// Maximum search threads of a session.
    pub threads: u16,
    /// Maximum hash table of a session in MiB.
    pub hash: u32,
    /// Maximum MiB for the hash tables of all sessions, divided equally.
    pub hash_total: u32,
    /// Search threads that run at a time, over all sessions.
    pub processors: usize,
    /// Time without a message, or without a frame read, after which a client is disconnected.
    pub idle: Duration,
    /// Lines per second.
    pub rate: u32,
    /// Places of tablebases, as of [`Sources::at`].
    pub tablebases: Vec<PathBuf>,
}

impl Default for EngineLimits {
    fn default() -> EngineLimits {
        EngineLimits {
            sessions: 16,
            per_address: 8,
            threads: 1,
            hash: 64,
            hash_total: 1_024,
            processors: available_parallelism().map_or(1, usize::from),
            idle: Duration::from_secs(60),
            rate: 100,
            tablebases: Vec::new(),
        }
    }
}

impl EngineLimits {
    /// Returns the maximum hash table of a session in MiB, such that those of all sessions fit.
    pub fn hash_each(&self) -> u32 {
        let share = u64::from(self.hash_total) / self.sessions.max(1) as u64;
        u32::try_from(share).unwrap_or(u32::MAX).min(self.hash).max(1)
    }

    /// Returns the tablebase sources for annotations and position queries.
    pub(super) fn sources(&self) -> Sources {
        Sources { cache: TABLE_CACHE, ..Sources::at(self.tablebases.iter().cloned()) }
    }
}

/// Why a socket ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The session has ended by `quit`.
    Quit,
    /// The client has closed the socket or disappeared.
    Gone,
    /// The server is shutting down.
    Shutdown,
    /// The client was silent, or did not read, for too long.
    Idle,
    /// Too many lines.
    Rate,
    /// A frame that is too large.
    Large,
    /// A text frame that is not text.
    Text,
    /// A frame that cannot be read.
    Frame,
    /// The session could not start, or failed.
    Failed,
}

impl End {
    /// Classifies an error: a fault of the client's data, or a lost connection.
    pub(super) fn of(error: &axum::Error) -> End {
        match error.source().and_then(<dyn Error>::downcast_ref) {
            Some(Fault::Capacity(_)) => End::Large,
            Some(Fault::Utf8(_)) => End::Text,
            Some(Fault::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => End::Gone,
            Some(Fault::Protocol(_)) => End::Frame,
            _ => End::Gone,
        }
    }

    /// Returns the close code and reason for the client.
    const fn reported(self) -> Option<(u16, &'static str)> {
        match self {
            End::Quit => Some((1000, "the session has ended")),
            End::Gone => None,
            End::Shutdown => Some((1001, "the server ends")),
            End::Idle => Some((1008, "nothing heard, or nothing read, for too long")),
            End::Rate => Some((1008, "too many lines, expected fewer a second")),
            End::Large => Some((1009, "frame too large, expected a shorter text")),
            End::Text => Some((1007, "frame unreadable, expected text in UTF-8")),
            End::Frame => Some((1002, "frame unreadable, expected one by RFC 6455: a ping has at most 125 bytes")),
            End::Failed => Some((1011, "the session could not be run; is the limit of processes reached?")),
        }
    }
}

/// Answers `GET /engine`.
pub(super) async fn upgrade(
    State(shared): State<Arc<Shared>>,
    Extension(peer): Extension<std::net::IpAddr>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(_) => return api::refused(StatusCode::UPGRADE_REQUIRED, "expected a WebSocket"),
    };
    if let Err(refused) = shared.guard.origin(&Method::GET, &headers, peer) {
        return api::refused(StatusCode::FORBIDDEN, &refused.to_string());
    }
    if shared.limits.sessions == 0 {
        return api::refused(StatusCode::SERVICE_UNAVAILABLE, "no engine sessions here, expected 'millbrain serve'");
    }
    let permit = match shared.sessions.take(peer) {
        Ok(permit) => permit,
        Err(full) => return api::refused(StatusCode::SERVICE_UNAVAILABLE, &format!("engine sessions: {full}")),
    };
    shared.metrics.sessions.fetch_add(1, Ordering::Relaxed);
    upgrade
        .max_message_size(MAX_FRAME)
        .max_frame_size(MAX_FRAME)
        .on_upgrade(move |socket| run(shared, socket, Arc::new(permit)))
}

/// Runs a session of a socket from start to end.
async fn run(shared: Arc<Shared>, socket: WebSocket, permit: Arc<Permit>) {
    let outbox = Arc::new(Outbox::default());
    let inlet = Box::new(Inlet::new(Arc::clone(&outbox)));
    let Session { input, run } = shared.engine.session(&shared.limits, &shared.queue, inlet);
    let (sink, stream) = socket.split();
    let mut ends = Ends { sink, stream };
    let begun = Instant::now();
    let end = match start(run, Arc::clone(&outbox), Arc::clone(&permit)) {
        Ok(()) => converse(&shared, &mut ends, &outbox, &*input).await,
        Err(error) => {
            log::warn!("engine session: no thread ({error}); is the limit of processes reached?");
            End::Failed
        }
    };
    // A writer waiting for room is released first, then the search is stopped.
    outbox.close();
    input.close();
    drop(input);
    log::info!(target: "millbrain::access", "session={end:?} s={}", begun.elapsed().as_secs());
    ends.say_goodbye(end).await;
}

/// Starts the session on its own thread, which holds the permit until all its memory is freed.
fn start(run: Run, outbox: Arc<Outbox>, permit: Arc<Permit>) -> io::Result<()> {
    let body = move || {
        // Dropped last, when the session's memory is freed.
        let _permit = permit;
        let mut farewell = Farewell { outbox, failed: true };
        match run() {
            Ok(()) => farewell.failed = false,
            Err(error) => log::warn!("engine session: {error}"),
        }
    };
    std::thread::Builder::new().name("engine".to_string()).spawn(body).map(drop)
}

/// Notifies the socket of the session's end, even after a panic.
struct Farewell {
    outbox: Arc<Outbox>,
    failed: bool,
}

impl Drop for Farewell {
    fn drop(&mut self) {
        if self.failed {
            self.outbox.fail();
        } else {
            self.outbox.finish();
        }
    }
}

/// Both ends of a socket.
pub(super) struct Ends {
    pub(super) sink: SplitSink<WebSocket, Message>,
    pub(super) stream: SplitStream<WebSocket>,
}

impl Ends {
    /// Sends the client the reason, and waits briefly for its answer: data in flight would otherwise break the
    /// connection before it reads the reason.
    pub(super) async fn say_goodbye(mut self, end: End) {
        let Some((code, reason)) = end.reported() else { return };
        let close = Message::Close(Some(CloseFrame { code, reason: Utf8Bytes::from_static(reason) }));
        let parting = async {
            if self.sink.send(close).await.is_ok() {
                while let Some(Ok(_)) = self.stream.next().await {}
            }
        };
        let _ = timeout(GOODBYE, parting).await;
    }
}

/// Passes frames in both directions until one of them ends.
async fn converse(shared: &Shared, ends: &mut Ends, outbox: &Outbox, input: &dyn Input) -> End {
    let mut shutdown = shared.shutdown.subscribe();
    let idle = shared.limits.idle;
    tokio::select! {
        end = send(&mut ends.sink, outbox, idle) => end,
        end = receive(&mut ends.stream, outbox, input, &shared.limits) => end,
        () = over(&mut shutdown) => End::Shutdown,
    }
}

/// Sends the output of the session, with pings at intervals.
pub(super) async fn send(sink: &mut SplitSink<WebSocket, Message>, outbox: &Outbox, idle: Duration) -> End {
    let mut pings = interval((idle / 3).max(Duration::from_millis(10)));
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let message = tokio::select! {
            text = outbox.pop() => match text {
                Some(text) => Message::Text(text.into()),
                None if outbox.has_failed() => return End::Failed,
                None => return End::Quit,
            },
            _ = pings.tick() => Message::Ping(Default::default()),
        };
        match timeout(idle, sink.send(message)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return End::Gone,
            Err(_) => return End::Idle,
        }
    }
}

/// Passes the lines of the client to the session.
async fn receive(
    stream: &mut SplitStream<WebSocket>,
    outbox: &Outbox,
    input: &dyn Input,
    limits: &EngineLimits,
) -> End {
    let mut bucket = Bucket::new(limits.rate, BURST, Instant::now());
    loop {
        let message = match timeout(limits.idle, stream.next()).await {
            Err(_) => return End::Idle,
            Ok(None) => return End::Gone,
            Ok(Some(Err(error))) => return End::of(&error),
            Ok(Some(Ok(message))) => message,
        };
        let lines = match &message {
            Message::Text(text) => text.lines().count().max(1),
            _ => 1,
        };
        if !bucket.take(lines, Instant::now()) {
            return End::Rate;
        }
        match message {
            Message::Text(text) => {
                for line in text.lines() {
                    if !hand_over(input, line).await {
                        // The session has ended: its output must still be sent.
                        return std::future::pending().await;
                    }
                }
            }
            Message::Binary(_) => outbox.push_now("info string binary frame refused, expected text"),
            Message::Ping(_) | Message::Pong(_) => {}
            Message::Close(_) => return End::Gone,
        }
    }
}

/// Passes a line to the session, waiting while it is busy; returns `false` if it has ended.
async fn hand_over(input: &dyn Input, line: &str) -> bool {
    loop {
        match input.offer(line) {
            Offered::Taken => return true,
            Offered::Ended => return false,
            Offered::Full => sleep(Duration::from_millis(2)).await,
        }
    }
}
