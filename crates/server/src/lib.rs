//! A server: the page, engine sessions over sockets, an archive of games, and a live view of a match.
//!
//! One thread does all input and output and never computes. Engines run on their own threads, archive queries on
//! threads that may wait for the disk. `docs/server.md` is the reference.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod annotate;
mod api;
pub mod archive;
mod engine;
mod events;
mod guard;
mod limits;
pub mod live;
mod metrics;
mod openings;
mod outbox;
mod page;
mod patient;
mod people;
mod queue;
mod range;
mod server;
pub mod session;
mod signals;
mod tablebase;
mod watch;

pub use engine::{EngineLimits, MAX_LINE, MAX_QUEUE};
pub use guard::{NoSecret, Secret, UnusableOrigin};
pub use page::PageError;
pub use queue::{Load, Queue};
pub use server::Server;
pub use signals::until_signal;
pub use watch::WatchError;

use annotate::Annotator;
use api::Threads;
use archive::{Archive, ArchiveConfig, ArchiveError};
use guard::Guard;
use limits::{Permits, Rates};
use live::Live;
use metrics::Metrics;
use millbrain_files::InFile;
use millbrain_tablebase::probe::Library;
use page::Page;
use people::Lobby;
use session::Engine;
use std::env::JoinPathsError;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::watch as signal;

/// The source of a match's events.
#[derive(Clone, Default)]
pub enum LiveSource {
    /// No match.
    #[default]
    None,
    /// A match of this process.
    Feed(Arc<Live>),
    /// The journal of another process.
    Journal(PathBuf),
}

/// The configuration of a server.
#[derive(Clone)]
pub struct Config {
    /// Address to listen on; port 0 for any free port.
    pub address: SocketAddr,
    /// Folder of the page; without one the server shows a note.
    pub page: Option<PathBuf>,
    /// Allowed origins besides its own.
    pub origins: Vec<String>,
    /// Proxies that name the addresses of clients, in the header `X-Forwarded-For`.
    pub proxies: Vec<IpAddr>,
    /// Owner password for deleting games; without one deletion is disabled.
    pub secret: Option<Secret>,
    /// Requests per second and address.
    pub requests: u32,
    /// Limits of engine sessions.
    pub engine: EngineLimits,
    /// The archive, if there is one.
    pub archive: Option<ArchiveConfig>,
    /// The match to show.
    pub live: LiveSource,
}

impl Config {
    /// Configures a server of the page and of engine sessions at this address.
    pub fn new(address: SocketAddr) -> Config {
        Config {
            address,
            page: None,
            origins: Vec::new(),
            proxies: Vec::new(),
            secret: None,
            requests: 50,
            engine: EngineLimits::default(),
            archive: None,
            live: LiveSource::None,
        }
    }
}

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be used.
    #[error("address {address}: {source}, expected a free port of this machine")]
    Address {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The page cannot be read.
    #[error(transparent)]
    Page(#[from] PageError),
    /// An invalid origin.
    #[error(transparent)]
    Origin(#[from] UnusableOrigin),
    /// The archive cannot be opened.
    #[error("{0}")]
    Archive(#[from] InFile<ArchiveError>),
    /// A file of games cannot be read.
    #[error("{0}")]
    Games(#[from] InFile<io::Error>),
    /// The journal cannot be watched.
    #[error(transparent)]
    Journal(#[from] WatchError),
    /// The name of a folder of tablebases is not allowed in a list.
    #[error("folder of tablebases: {0}")]
    Tablebases(#[from] JoinPathsError),
    /// No threads can be started.
    #[error("no threads for the server ({0}); is the limit of processes reached?")]
    Threads(#[source] io::Error),
}

/// State shared by all requests.
struct Shared {
    page: Arc<Page>,
    guard: Guard,
    requests: Rates,
    engine: Arc<dyn Engine>,
    limits: EngineLimits,
    queue: Arc<Queue>,
    sessions: Arc<Permits>,
    watchers: Arc<Permits>,
    connections: Arc<Permits>,
    /// Sockets of players and spectators.
    players: Arc<Permits>,
    /// Bodies being read, and imports among them.
    bodies: Arc<Permits>,
    imports: Arc<Permits>,
    metrics: Metrics,
    secret: Option<Secret>,
    archive: Option<Arc<Archive>>,
    annotator: Option<Annotator>,
    /// Games between people; `None` without an archive.
    lobby: Option<Arc<Lobby>>,
    /// Nodes for each annotated position.
    nodes: u64,
    live: Option<Arc<Live>>,
    /// Tables with the values of positions.
    tables: Arc<Library>,
    /// Threads for queries that may wait.
    threads: Threads,
    /// Set to `true` at shutdown.
    shutdown: signal::Sender<bool>,
}

/// Waits for the end of the server.
async fn over(shutdown: &mut signal::Receiver<bool>) {
    // Without a sender the server ended long ago.
    let _ = shutdown.wait_for(|over| *over).await;
}

/// Compiles and runs the example of the README with the doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
