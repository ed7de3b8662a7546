//! A server: the page, engine sessions over sockets, an archive of games, and a live view of a match.
//!
//! One thread does all input and output and never computes. Engines run on threads of their own, questions to the
//! archive on those that may wait for the disk. `docs/server.md` is the reference.
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
use limits::{Rates, Seats};
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

/// Where the events of a match come from.
#[derive(Clone, Default)]
pub enum LiveSource {
    /// Nowhere: there is no match.
    #[default]
    None,
    /// From a match of this process.
    Feed(Arc<Live>),
    /// From the journal of another process.
    Journal(PathBuf),
}

/// What a server is to do.
#[derive(Clone)]
pub struct Config {
    /// Where it listens; port 0 for any that is free.
    pub address: SocketAddr,
    /// Folder of the page; a note without one.
    pub page: Option<PathBuf>,
    /// Origins that may use it besides its own.
    pub origins: Vec<String>,
    /// Proxies that name the addresses of clients, in the header `X-Forwarded-For`.
    pub proxies: Vec<IpAddr>,
    /// What whoever deletes games has to know; without one none are deleted.
    pub secret: Option<Secret>,
    /// Requests a second of an address.
    pub requests: u32,
    /// Engine sessions.
    pub engine: EngineLimits,
    /// The archive, if there is one.
    pub archive: Option<ArchiveConfig>,
    /// The match that can be watched.
    pub live: LiveSource,
}

impl Config {
    /// A server of the page and of engine sessions, at this address.
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

/// Why a server cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be used.
    #[error("address {address}: {source}, expected a free port of this machine")]
    Address {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The page cannot be read.
    #[error(transparent)]
    Page(#[from] PageError),
    /// An origin is none.
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
    /// The name of a folder of tablebases cannot stand in a list.
    #[error("folder of tablebases: {0}")]
    Tablebases(#[from] JoinPathsError),
    /// There are no threads.
    #[error("no threads for the server ({0}); is the limit of processes reached?")]
    Threads(#[source] io::Error),
}

/// What the answers to all requests share.
struct Shared {
    page: Arc<Page>,
    guard: Guard,
    requests: Rates,
    engine: Arc<dyn Engine>,
    limits: EngineLimits,
    queue: Arc<Queue>,
    sessions: Arc<Seats>,
    watchers: Arc<Seats>,
    connections: Arc<Seats>,
    /// Sockets of people who play or watch.
    players: Arc<Seats>,
    /// Bodies that are being read, and files of games among them.
    bodies: Arc<Seats>,
    imports: Arc<Seats>,
    metrics: Metrics,
    secret: Option<Secret>,
    archive: Option<Arc<Archive>>,
    annotator: Option<Annotator>,
    /// Games between people; none without an archive.
    lobby: Option<Arc<Lobby>>,
    /// Nodes for each position that is annotated.
    nodes: u64,
    live: Option<Arc<Live>>,
    /// Values of positions.
    tables: Arc<Library>,
    /// Where questions are answered that may wait.
    threads: Threads,
    /// Told `true` when the server ends.
    shutdown: signal::Sender<bool>,
}

/// Waits for the end of the server.
async fn over(shutdown: &mut signal::Receiver<bool>) {
    // Without a sender it has ended long ago.
    let _ = shutdown.wait_for(|over| *over).await;
}

/// The example of the README is compiled and run with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
