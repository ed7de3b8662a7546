//! The server itself: its start, its connections, and its end.

use super::annotate::Annotator;
use super::api::Threads;
use super::archive::{Archive, Import};
use super::guard::{Guard, protect};
use super::limits::{Permit, Permits, Rates};
use super::metrics::{self, Metrics};
use super::page::{Page, has_tag};
use super::patient::Patient;
use super::people::{self, Lobby, LobbyError};
use super::range::{self, Wanted};
use super::session::Engine;
use super::watch::Watcher;
use super::{Config, LiveSource, Queue, ServeError, Shared, api, engine, events, openings, over, tablebase};
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, delete, get, post};
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use millbrain_files::lines::read_text;
use millbrain_files::named;
use millbrain_tablebase::probe::Library;
use socket2::SockRef;
use std::net::{IpAddr, SocketAddr, TcpListener as StdListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// Connections in total, without those of sessions, and per address.
const CONNECTIONS: (usize, usize) = (4_096, 256);
/// Time that an answer waits for a client that does not read.
const WRITE_TIME: Duration = Duration::from_secs(20);
/// Bytes that the system buffers per client. By default it buffers megabytes, and a thousand stalled readers would take
/// all its memory for connections.
const SEND_BUFFER: usize = 128 << 10;
/// Bodies being read in total, and per address.
const BODIES: (usize, usize) = (64, 16);
/// Clients that watch a match in total, and per address.
const WATCHERS: (usize, usize) = (256, 32);
/// Players and spectators of games between people in total, and per address.
const PLAYERS: (usize, usize) = (1_024, 64);
/// Time limit for the headers of a request, and for a connection to wait for the next request.
const HEADER_TIME: Duration = Duration::from_secs(10);
/// Maximum size of headers in bytes.
const MAX_HEADERS: usize = 32 << 10;
/// Seconds of its request rate that an address may accumulate.
const BURST: u32 = 4;
/// Time for connections to end.
const FAREWELL: Duration = Duration::from_millis(1_500);
/// Time for the last disk work after that.
const LAST_WORK: Duration = Duration::from_millis(300);

/// A running server. Dropping it ends the server.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    imports: Vec<(PathBuf, Import)>,
    _watcher: Option<Watcher>,
}

impl Server {
    /// Starts the server, with sessions of this engine.
    ///
    /// # Errors
    /// An unavailable address, or a file that cannot be read.
    pub fn start(config: Config, engine: Arc<dyn Engine>) -> Result<Server, ServeError> {
        let at = |source| ServeError::Address { address: config.address, source };
        let listener = StdListener::bind(config.address).map_err(at)?;
        Server::start_on(listener, config, engine)
    }

    /// Starts the server on a listening socket, ignoring the configured address.
    ///
    /// # Errors
    /// A socket of another kind, or a file that cannot be read.
    pub fn start_on(listener: StdListener, config: Config, engine: Arc<dyn Engine>) -> Result<Server, ServeError> {
        let at = |source| ServeError::Address { address: config.address, source };
        listener.set_nonblocking(true).map_err(at)?;
        // Connections inherit it from the listener.
        SockRef::from(&listener).set_send_buffer_size(SEND_BUFFER).map_err(at)?;
        let address = listener.local_addr().map_err(at)?;
        std::env::join_paths(config.engine.sources().folders)?;
        let page = config.page.as_deref().map_or_else(|| Ok(Page::note()), Page::read)?;
        let guard = Guard::new(address, &config.origins, &config.proxies)?;
        let (watcher, live) = match config.live {
            LiveSource::None => (None, None),
            LiveSource::Feed(live) => (None, Some(live)),
            LiveSource::Journal(path) => {
                let (watcher, live) = Watcher::start(&path)?;
                (Some(watcher), Some(live))
            }
        };
        let tables = Arc::new(Library::new(config.engine.sources()));
        let queue = Queue::start(config.engine.processors).map_err(ServeError::Threads)?;
        let (mut archive, mut annotator, mut lobby, mut nodes, mut imports) = (None, None, None, 0, Vec::new());
        if let Some(wanted) = &config.archive {
            let failed = named(&wanted.path);
            let opened = Arc::new(Archive::open(&wanted.path, wanted.size).map_err(&failed)?);
            for path in &wanted.import {
                imports.push((path.clone(), opened.import(&read_text(path)?).map_err(&failed)?));
            }
            let started = Annotator::start(Arc::clone(&opened), Arc::clone(&tables), Arc::clone(&queue));
            annotator = Some(started.map_err(ServeError::Threads)?);
            let begun = Lobby::start(Arc::clone(&opened)).map_err(|error| match error {
                LobbyError::Archive(error) => ServeError::Archive(failed(error)),
                LobbyError::Thread(error) => ServeError::Threads(error),
            })?;
            lobby = Some(Arc::new(begun));
            (archive, nodes) = (Some(opened), wanted.nodes);
        }
        let shared = Arc::new(Shared {
            page: Arc::new(page),
            guard,
            requests: Rates::new(config.requests, BURST),
            sessions: Permits::new(config.engine.sessions, config.engine.per_address),
            watchers: Permits::new(WATCHERS.0, WATCHERS.1),
            connections: Permits::new(
                CONNECTIONS.0.min(room_for_connections(config.engine.sessions + PLAYERS.0)),
                CONNECTIONS.1,
            ),
            players: Permits::new(PLAYERS.0, PLAYERS.1),
            bodies: Permits::new(BODIES.0, BODIES.1),
            imports: Permits::new(1, 1),
            metrics: Metrics::new(),
            secret: config.secret,
            engine,
            limits: config.engine,
            queue,
            archive,
            annotator,
            lobby,
            nodes,
            live,
            tables,
            threads: Threads::new(),
            shutdown: watch::Sender::new(false),
        });
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(Threads::all()).build();
        let runtime = runtime.map_err(ServeError::Threads)?;
        let serving = Arc::clone(&shared);
        let body = move || run(runtime, listener, &serving);
        let thread = std::thread::Builder::new().name("server".to_string()).spawn(body).map_err(ServeError::Threads)?;
        Ok(Server { address, shared, thread: Some(thread), imports, _watcher: watcher })
    }

    /// Returns the address of the server.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the files imported at the start, with their results.
    pub fn imports(&self) -> &[(PathBuf, Import)] {
        &self.imports
    }

    /// Returns the number of engine sessions that are not freed yet.
    pub fn sessions(&self) -> usize {
        self.shared.sessions.taken()
    }

    /// Ends the server: sockets are closed, and pending games are saved.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(archive) = &self.shared.archive {
            archive.close();
        }
        self.shared.shutdown.send_replace(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Returns the number of connections that the file limit allows, after sessions and everything else.
fn room_for_connections(sessions: usize) -> usize {
    const OTHERS: usize = 64;
    const LEAST: usize = 64;
    // If the limit is unknown, the system reports when it is reached.
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let files = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(usize::MAX);
    let room = files.saturating_sub(sessions + OTHERS);
    if room < LEAST {
        log::warn!("{files} open files for {sessions} sessions and what is asked otherwise, expected more (ulimit -n)");
    }
    room.max(LEAST)
}

fn run(runtime: Runtime, listener: StdListener, shared: &Arc<Shared>) {
    runtime.block_on(async {
        match TcpListener::from_std(listener) {
            Ok(listener) => accept(listener, shared).await,
            Err(error) => log::error!("the server cannot listen: {error}"),
        }
    });
    runtime.shutdown_timeout(LAST_WORK);
}

/// Address of position queries.
const TABLEBASE: &str = "/api/tablebase";

/// Returns all addresses and their handlers.
fn router(shared: &Arc<Shared>) -> Router {
    let wrong = || async { api::refused(StatusCode::METHOD_NOT_ALLOWED, "this address takes another method") };
    let no_query = from_fn(api::without_query);
    let plain = Router::new()
        .route("/engine", any(engine::upgrade))
        .route("/play", any(people::upgrade))
        .route("/healthz", get(metrics::health).fallback(wrong))
        .route("/metrics", get(metrics::metrics).fallback(wrong))
        .route("/api/info", get(api::info).fallback(wrong))
        .route("/api/games/{id}", get(api::show).merge(delete(api::delete)).fallback(wrong))
        .route("/api/games/{id}/annotate", post(api::annotate).fallback(wrong))
        .route("/api/import", post(api::import).fallback(wrong))
        .route("/api/live", get(events::stream).fallback(wrong))
        .route_layer(no_query.clone());
    Router::new()
        .route(TABLEBASE, get(tablebase::one).merge(post(tablebase::many).layer(no_query.clone())).fallback(wrong))
        .route("/api/games", get(api::list).merge(post(api::save).layer(no_query.clone())).fallback(wrong))
        .route("/api/openings", get(openings::openings).fallback(wrong))
        .merge(plain)
        .fallback(page)
        .layer(from_fn_with_state(Arc::clone(shared), admit))
        .with_state(Arc::clone(shared))
}

/// Returns the bytes of a request's headers and first line.
fn head_length(request: &Request) -> usize {
    const VERSION: usize = " HTTP/1.1\r\n ".len();
    const MARKS: usize = ": \r\n".len();
    let fields = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + MARKS);
    let path = request.uri().path_and_query().map_or(0, |path| path.as_str().len());
    request.method().as_str().len() + path + VERSION + fields.sum::<usize>()
}

/// Admits or rejects a request, and adds the headers of every answer.
async fn admit(State(shared): State<Arc<Shared>>, mut request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let peer = request.extensions().get::<IpAddr>().copied();
    let client = peer.map(|peer| shared.guard.client(request.headers(), peer));
    if let Some(client) = client {
        request.extensions_mut().insert(client);
    }
    let (method, path) = (request.method().clone(), request.uri().path().to_string());
    let host = shared.guard.host(request.headers());
    let named = host.as_ref().ok().cloned();
    let other_origin = shared.guard.other_origin(request.headers());
    // Position queries change nothing, whatever their method; engines send them without an origin.
    let changes = !matches!(method, Method::GET | Method::HEAD) && path != TABLEBASE;
    let mut response = match (client, host) {
        (None, _) => api::refused(StatusCode::INTERNAL_SERVER_ERROR, "a connection without an address"),
        (Some(client), _) if !shared.requests.take(client, Instant::now()) => {
            api::refused(StatusCode::TOO_MANY_REQUESTS, "too many requests, expected fewer a second")
        }
        (Some(_), _) if head_length(&request) > MAX_HEADERS => {
            let line = format!("headers of more than {MAX_HEADERS} bytes, expected fewer");
            api::refused(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, &line)
        }
        (_, Err(refused)) => api::refused(StatusCode::FORBIDDEN, &refused.to_string()),
        // A preflight request of a browser for a page of that origin.
        (Some(_), Ok(_)) if method == Method::OPTIONS && other_origin.is_some() => {
            StatusCode::NO_CONTENT.into_response()
        }
        (Some(client), Ok(_)) if changes => match shared.guard.origin(&method, request.headers(), client) {
            Ok(()) => next.run(request).await,
            Err(refused) => api::refused(StatusCode::FORBIDDEN, &refused.to_string()),
        },
        _ => next.run(request).await,
    };
    let later = match response.status() {
        StatusCode::TOO_MANY_REQUESTS => Some("1"),
        StatusCode::SERVICE_UNAVAILABLE => Some("5"),
        _ => None,
    };
    let headers = response.headers_mut();
    headers.extend(later.map(|seconds| (header::RETRY_AFTER, HeaderValue::from_static(seconds))));
    protect(headers, named.as_deref());
    shared.guard.share(headers, other_origin);
    shared.metrics.answered(client, &method, &path, response.status(), begun.elapsed());
    response
}

/// Answers with a file of the page.
async fn page(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path();
    if path.starts_with("/api/") {
        return api::refused(StatusCode::NOT_FOUND, "no such address, expected one of docs/server.md");
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return (StatusCode::METHOD_NOT_ALLOWED, "this address takes another method\n").into_response();
    }
    let Some(file) = shared.page.file(path) else {
        return (StatusCode::NOT_FOUND, "no such page, expected the address that the server names\n").into_response();
    };
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let wanted = match *request.method() {
        Method::GET => {
            range::wanted(header(header::RANGE), header(header::IF_RANGE), &file.plain.tag, file.plain.bytes.len())
        }
        _ => Wanted::Whole,
    };
    let (coding, body) =
        if wanted == Wanted::Whole { file.body(header(header::ACCEPT_ENCODING)) } else { (None, &file.plain) };
    let mut headers = HeaderMap::new();
    let kept = if file.is_immutable { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    if file.is_packed() {
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    if let Ok(tag) = HeaderValue::from_str(&body.tag) {
        headers.insert(header::ETAG, tag);
    }
    if has_tag(request.headers(), &body.tag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    match coding {
        Some(coding) => headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding.name())),
        None => headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes")),
    };
    let length = body.bytes.len();
    let (status, range, bytes) = match wanted {
        Wanted::Whole => (StatusCode::OK, None, body.bytes.clone()),
        Wanted::Part(part) => {
            let range = format!("bytes {}-{}/{length}", part.start, part.end - 1);
            (StatusCode::PARTIAL_CONTENT, Some(range), body.bytes.slice(part))
        }
        Wanted::Nothing => (StatusCode::RANGE_NOT_SATISFIABLE, Some(format!("bytes */{length}")), Bytes::new()),
    };
    if let Some(range) = range.and_then(|range| HeaderValue::from_str(&range).ok()) {
        headers.insert(header::CONTENT_RANGE, range);
    }
    if status != StatusCode::RANGE_NOT_SATISFIABLE {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    }
    (status, headers, bytes).into_response()
}

/// Accepts connections until shutdown, and waits for the open ones.
async fn accept(listener: TcpListener, shared: &Arc<Shared>) {
    let router = router(shared);
    let connections = &shared.connections;
    let mut shutdown = shared.shutdown.subscribe();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = over(&mut shutdown) => break,
        };
        match accepted {
            // Without a permit the connection is closed: a client with that many knows the reason.
            Ok((stream, peer)) => match connections.take_connection(peer.ip(), shared.guard.is_proxy(peer.ip())) {
                Ok(permit) => {
                    let router = router.clone().layer(Extension(peer.ip()));
                    tokio::spawn(connection(stream, router, permit, shared.shutdown.subscribe()));
                }
                Err(_) => drop(shared.metrics.refused.fetch_add(1, Ordering::Relaxed)),
            },
            Err(error) => {
                log::warn!("a connection failed: {error}");
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    let open = async {
        while connections.taken() + shared.sessions.taken() + shared.players.taken() > 0 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    if timeout(FAREWELL, open).await.is_err() {
        log::warn!("connections are cut off");
    }
}

/// Answers the requests of a connection in order.
async fn connection(stream: TcpStream, router: Router, permit: Permit, mut shutdown: watch::Receiver<bool>) {
    // An engine's line must not wait for the next one.
    let _ = stream.set_nodelay(true);
    let stream = TokioIo::new(Patient::new(stream, WRITE_TIME));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEADER_TIME).max_buf_size(MAX_HEADERS);
    let served = builder.serve_connection(stream, TowerToHyperService::new(router)).with_upgrades();
    let mut served = std::pin::pin!(served);
    tokio::select! {
        done = served.as_mut() => drop(done),
        () = over(&mut shutdown) => {
            served.as_mut().graceful_shutdown();
            let _ = served.await;
        }
    }
    drop(permit);
}
