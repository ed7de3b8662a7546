//! The server itself: its beginning, its connections, and its end.

use super::annotate::Annotator;
use super::archive::{Archive, Import};
use super::guard::{Guard, protect};
use super::limits::{Rates, Seat, Seats};
use super::page::Page;
use super::session::Engine;
use super::watch::Watcher;
use super::{Config, LiveSource, ServeError, Shared, api, engine, events, over, tablebase};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, delete, get, post};
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use millbrain_tablebase::probe::Library;
use std::net::{IpAddr, SocketAddr, TcpListener as StdListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// Connections in all, and of an address.
const CONNECTIONS: (usize, usize) = (1_024, 256);
/// Clients that watch a match in all, and of an address.
const WATCHERS: (usize, usize) = (256, 32);
/// How long a request may take to name its headers, and a connection wait for the next request.
const HEADER_TIME: Duration = Duration::from_secs(10);
/// Largest headers in bytes.
const MAX_HEADERS: usize = 32 << 10;
/// Threads that may wait for the disk.
const BLOCKING: usize = 4;
/// Seconds for which an address may save up its requests.
const BURST: u32 = 4;
/// How long connections have to come to their end.
const FAREWELL: Duration = Duration::from_millis(1_500);
/// How long the last work on the disk may take after that.
const LAST_WORK: Duration = Duration::from_millis(300);

/// A running server. It ends when it is dropped.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    imports: Vec<(PathBuf, Import)>,
    _watcher: Option<Watcher>,
}

impl Server {
    /// Begins to serve, with sessions of this engine.
    ///
    /// # Errors
    /// An address that is taken, and anything that cannot be read.
    pub fn start(config: Config, engine: Arc<dyn Engine>) -> Result<Server, ServeError> {
        let at = |source| ServeError::Address { address: config.address, source };
        let listener = StdListener::bind(config.address).map_err(at)?;
        listener.set_nonblocking(true).map_err(at)?;
        let address = listener.local_addr().map_err(at)?;
        std::env::join_paths(&config.engine.tablebases)?;
        let page = config.page.as_deref().map_or_else(|| Ok(Page::note()), Page::read)?;
        let guard = Guard::new(address, &config.origins)?;
        let (watcher, live) = match config.live {
            LiveSource::None => (None, None),
            LiveSource::Feed(live) => (None, Some(live)),
            LiveSource::Journal(path) => {
                let (watcher, live) = Watcher::start(&path)?;
                (Some(watcher), Some(live))
            }
        };
        let tables = Arc::new(Library::new(config.engine.sources()));
        let (mut archive, mut annotator, mut nodes, mut imports) = (None, None, 0, Vec::new());
        if let Some(wanted) = &config.archive {
            let opened = Arc::new(Archive::open(&wanted.path, wanted.size)?);
            for path in &wanted.import {
                imports.push((path.clone(), opened.import_file(path)?));
            }
            let started = Annotator::start(Arc::clone(&opened), Arc::clone(&tables));
            annotator = Some(started.map_err(ServeError::Threads)?);
            (archive, nodes) = (Some(opened), wanted.nodes);
        }
        let shared = Arc::new(Shared {
            page,
            guard,
            requests: Rates::new(config.requests, BURST),
            sessions: Seats::new(config.engine.sessions, config.engine.per_address),
            watchers: Seats::new(WATCHERS.0, WATCHERS.1),
            engine,
            limits: config.engine,
            archive,
            annotator,
            nodes,
            live,
            tables,
            shutdown: watch::Sender::new(false),
        });
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(BLOCKING).build();
        let runtime = runtime.map_err(ServeError::Threads)?;
        let serving = Arc::clone(&shared);
        let body = move || run(runtime, listener, &serving);
        let thread = std::thread::Builder::new().name("server".to_string()).spawn(body).map_err(ServeError::Threads)?;
        Ok(Server { address, shared, thread: Some(thread), imports, _watcher: watcher })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The files that were taken into the archive at the start, and what became of their games.
    pub fn imports(&self) -> &[(PathBuf, Import)] {
        &self.imports
    }

    /// Engine sessions that have not been freed yet.
    pub fn sessions(&self) -> usize {
        self.shared.sessions.taken()
    }

    /// Ends the server: sockets are closed, games that are being saved are saved.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.shutdown.send_replace(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
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

/// Where positions are asked about.
const TABLEBASE: &str = "/api/tablebase";

/// All addresses and their answers.
fn router(shared: &Arc<Shared>) -> Router {
    let wrong = || async { api::refused(StatusCode::METHOD_NOT_ALLOWED, "this address takes another method") };
    Router::new()
        .route("/engine", any(engine::upgrade))
        .route("/api/info", get(api::info).fallback(wrong))
        .route(TABLEBASE, get(tablebase::one).post(tablebase::many).fallback(wrong))
        .route("/api/games", get(api::list).post(api::save).fallback(wrong))
        .route("/api/games/{id}", get(api::show).merge(delete(api::delete)).fallback(wrong))
        .route("/api/games/{id}/annotate", post(api::annotate).fallback(wrong))
        .route("/api/import", post(api::import).fallback(wrong))
        .route("/api/live", get(events::stream).fallback(wrong))
        .fallback(page)
        .layer(from_fn_with_state(Arc::clone(shared), admit))
        .with_state(Arc::clone(shared))
}

/// Lets a request through, or refuses it, and adds the headers of every answer.
async fn admit(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<IpAddr>().copied();
    let host = shared.guard.host(request.headers());
    let named = host.as_ref().ok().cloned();
    // Questions about positions change nothing, however they are sent; engines send them without an origin.
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD) && request.uri().path() != TABLEBASE;
    let mut response = match (peer, host) {
        (None, _) => api::refused(StatusCode::INTERNAL_SERVER_ERROR, "a connection without an address"),
        (Some(peer), _) if !shared.requests.take(peer, Instant::now()) => {
            api::refused(StatusCode::TOO_MANY_REQUESTS, "too many requests, expected fewer a second")
        }
        (_, Err(refused)) => api::refused(StatusCode::FORBIDDEN, &refused.to_string()),
        (Some(peer), Ok(_)) if changes => match shared.guard.origin(request.method(), request.headers(), peer) {
            Ok(()) => next.run(request).await,
            Err(refused) => api::refused(StatusCode::FORBIDDEN, &refused.to_string()),
        },
        _ => next.run(request).await,
    };
    protect(response.headers_mut(), named.as_deref());
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
    let headers = [
        (header::CONTENT_TYPE, file.content_type.to_string()),
        (header::CACHE_CONTROL, "no-cache".to_string()),
        (header::ETAG, file.tag.clone()),
    ];
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
    if known.is_some_and(|tags| tags.split(',').any(|tag| tag.trim().trim_start_matches("W/") == file.tag)) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    (headers, file.bytes.clone()).into_response()
}

/// Takes connections until the server ends, and waits for those that are open.
async fn accept(listener: TcpListener, shared: &Arc<Shared>) {
    let router = router(shared);
    let connections = Seats::new(CONNECTIONS.0, CONNECTIONS.1);
    let mut shutdown = shared.shutdown.subscribe();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = over(&mut shutdown) => break,
        };
        match accepted {
            // Without a seat the connection is closed: whoever has so many knows why.
            Ok((stream, peer)) => {
                if let Ok(seat) = connections.take(peer.ip()) {
                    let router = router.clone().layer(Extension(peer.ip()));
                    tokio::spawn(connection(stream, router, seat, shared.shutdown.subscribe()));
                }
            }
            Err(error) => {
                log::warn!("a connection failed: {error}");
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    let open = async {
        while connections.taken() + shared.sessions.taken() > 0 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    if timeout(FAREWELL, open).await.is_err() {
        log::warn!("connections are cut off");
    }
}

/// Answers the requests of a connection, one after the other.
async fn connection(stream: TcpStream, router: Router, seat: Seat, mut shutdown: watch::Receiver<bool>) {
    // A line of an engine is not to wait for the next.
    let _ = stream.set_nodelay(true);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEADER_TIME).max_buf_size(MAX_HEADERS);
    let served = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router)).with_upgrades();
    let mut served = std::pin::pin!(served);
    tokio::select! {
        done = served.as_mut() => drop(done),
        () = over(&mut shutdown) => {
            served.as_mut().graceful_shutdown();
            let _ = served.await;
        }
    }
    drop(seat);
}
