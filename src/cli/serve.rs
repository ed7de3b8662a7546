//! `millbrain serve`, and the server of `millbrain match --serve`.

use crate::files::named;
use crate::lines::read_text;
use crate::serve::archive::{ArchiveConfig, back_up};
use crate::serve::live::{Feed, LAST_WORDS, Live};
use crate::serve::{self, Config, EngineLimits, LiveSource, Secret, Server, until_signal};
use crate::tablebase::folder::FILE_NAME as MANIFEST;
use crate::tablebase::{Sources, folder_rules};
use crate::tournament::journal::MatchConfig;
use crate::tournament::record::GameRecord;
use crate::tournament::scoreboard::Scoreboard;
use crate::variant::Ruleset;
use clap::Args;
use std::error::Error;
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder of the built page.
const PAGE: &str = "web/page/dist";

/// Serve the page, engine sessions and an archive of games.
#[derive(Args)]
pub struct Arguments {
    /// Address and port to listen on, unless systemd passes a socket; port 0 for any free port
    #[arg(long, default_value = "127.0.0.1:8090", value_name = "IP:PORT")]
    address: SocketAddr,
    /// Folder of the built page; web/page/dist if it exists
    #[arg(long, value_name = "DIR")]
    page: Option<PathBuf>,
    #[arg(
        long,
        value_name = "ORIGIN",
        help = "Another origin that may use this server, such as https://example.org; may be given several times"
    )]
    origin: Vec<String>,
    #[arg(
        long,
        value_name = "IP",
        help = "A proxy, whose X-Forwarded-For names the addresses of clients; may be given several times"
    )]
    proxy: Vec<IpAddr>,
    /// File with the owner password for deleting games; without it deletion is disabled
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
    /// Requests per second and address
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    requests: u32,
    /// Engine sessions in total; 0 for none
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(..=4096))]
    sessions: u16,
    /// Engine sessions per address
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=4096))]
    sessions_each: u16,
    /// Maximum search threads of a session
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Maximum hash table of a session in MiB
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,
    /// MiB for the hash tables of all sessions together, divided equally
    #[arg(long, default_value_t = 1_024, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    hash_total: u32,
    /// Search threads that run at a time; all processors by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    processors: Option<u16>,
    /// Seconds after which an unresponsive client is disconnected
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    idle: u32,
    /// Lines per second and session
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    rate: u32,
    /// Tables for all sessions and annotations: folder made by 'tablebase build', compact file, pack, or address of a
    /// compact file; repeatable
    #[arg(long, value_name = "PATH|URL")]
    tablebase: Vec<PathBuf>,
    /// Archive games in this file, created if it does not exist
    #[arg(long, value_name = "FILE")]
    archive: Option<PathBuf>,
    /// Maximum size of the archive in MiB
    #[arg(long, default_value_t = 1_024, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    archive_size: u32,
    /// Import the games of these --record files into the archive, except those already in it
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "archive")]
    import: Vec<PathBuf>,
    /// Copy the archive to this file, even while another server uses it, then exit
    #[arg(long, value_name = "FILE", requires = "archive", conflicts_with = "import")]
    backup: Option<PathBuf>,
    /// Nodes for each position of an annotated game
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..))]
    annotate_nodes: u64,
    /// Show the finished games of a match from its --save file
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
}

/// Returns the built page, if there is one.
fn built_page() -> Option<PathBuf> {
    let path = Path::new(PAGE);
    path.join("index.html").is_file().then(|| path.to_path_buf())
}

impl Arguments {
    /// Reads the secret from the given file.
    fn secret(&self) -> Result<Option<Secret>, Box<dyn Error>> {
        let Some(path) = &self.secret else { return Ok(None) };
        let text = read_text(path)?;
        Ok(Some(Secret::new(&text).map_err(named(path))?))
    }

    fn config(&self) -> Config {
        let defaults = EngineLimits::default();
        let archive = self.archive.clone().map(|path| ArchiveConfig {
            path,
            size: self.archive_size,
            import: self.import.clone(),
            nodes: self.annotate_nodes,
        });
        Config {
            page: self.page.clone().or_else(built_page),
            origins: self.origin.clone(),
            proxies: self.proxy.clone(),
            requests: self.requests,
            engine: EngineLimits {
                sessions: self.sessions.into(),
                per_address: self.sessions_each.into(),
                threads: self.threads,
                hash: self.hash,
                hash_total: self.hash_total,
                processors: self.processors.map_or(defaults.processors, usize::from),
                idle: Duration::from_secs(self.idle.into()),
                rate: self.rate,
                tablebases: self.tablebase.clone(),
            },
            archive,
            live: self.journal.clone().map_or(LiveSource::None, LiveSource::Journal),
            ..Config::new(self.address)
        }
    }
}

/// Reports the results of the imports.
fn tell_imports(server: &Server) {
    let mut out = io::stderr();
    for (path, import) in server.imports() {
        let (new, known, refused) = (import.imported, import.known, import.refused.len());
        let _ = writeln!(out, "{}: {new} games imported, {known} known, {refused} refused", path.display());
        for refusal in &import.refused {
            let _ = writeln!(out, "{}: game {}: {}", path.display(), refusal.game, refusal.error);
        }
    }
}

/// Prints the address of the server. A closed standard error does not stop it.
fn announce(server: &Server) {
    // Written in one piece, so that a reader waiting for the line never gets half of an address.
    let _ = io::stderr().write_all(format!("serving on http://{}\n", server.address()).as_bytes());
}

/// Returns the socket of a service manager that holds it open, so that no connection is refused during a restart.
#[cfg(unix)]
fn passed_on() -> Result<Option<TcpListener>, String> {
    let passed = listenfd::ListenFd::from_env().take_tcp_listener(0);
    passed.map_err(|error| format!("the socket passed on: {error}, expected one of TCP that listens"))
}

/// Only systemd passes sockets.
#[cfg(not(unix))]
const fn passed_on() -> Result<Option<TcpListener>, String> {
    Ok(None)
}

/// Serves until a signal ends it.
///
/// # Errors
/// Any fault that prevents the start.
pub fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let sources = Sources::at(arguments.tablebase.iter().cloned());
    sources.check()?;
    for folder in sources.folders.iter().filter(|folder| folder.join(MANIFEST).exists()) {
        if let Ruleset::Morris(rules) = folder_rules(folder)?
            && rules.no_mill_draw > 0
        {
            return Err(
                format!("{}: tables with a draw counter, expected tables that ignore it", folder.display()).into()
            );
        }
    }
    if let (Some(archive), Some(copy)) = (&arguments.archive, &arguments.backup) {
        return Ok(back_up(archive, copy)?);
    }
    let config = Config { secret: arguments.secret()?, ..arguments.config() };
    let server = match passed_on()? {
        Some(listener) => serve::start_on(listener, config)?,
        None => serve::start(config)?,
    };
    tell_imports(&server);
    announce(&server);
    until_signal()?;
    server.stop();
    Ok(())
}

/// Serves a match during play: the page and the stream, but no engine sessions, which would take time from the playing
/// engines.
///
/// # Errors
/// Any fault that prevents the start.
pub fn of_match(address: SocketAddr, config: &MatchConfig, played: &[GameRecord]) -> Result<Watched, Box<dyn Error>> {
    let live = Live::new(config, &mut Scoreboard::new(config, played.iter().cloned()));
    let engine = EngineLimits { sessions: 0, threads: 0, hash: 0, ..EngineLimits::default() };
    let server = serve::start(Config {
        page: built_page(),
        engine,
        live: LiveSource::Feed(live.clone()),
        ..Config::new(address)
    })?;
    announce(&server);
    Ok(Watched { feed: Feed::start(live, config)?, server })
}

/// A match with its server.
pub struct Watched {
    /// The feed that receives the events of the match.
    pub feed: Feed,
    server: Server,
}

impl Watched {
    /// Stops the server once spectators have received the last events.
    pub fn stop(self) {
        std::thread::sleep(LAST_WORDS);
        self.server.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::parsed;

    #[test]
    fn arguments_become_a_server() {
        let config = parsed::<Arguments>("").expect("good").config();
        assert_eq!(config.address.to_string(), "127.0.0.1:8090");
        assert_eq!(config.engine, EngineLimits::default());
        assert!(config.archive.is_none() && matches!(config.live, LiveSource::None));
        let words = "--address [::1]:0 --sessions 0 --threads 4 --hash 8 --idle 9 --rate 7 --tablebase a --tablebase b \
                     --archive games --import x y --annotate-nodes 5 --journal j --origin https://a.example";
        let config = parsed::<Arguments>(words).expect("good").config();
        let engine = &config.engine;
        assert_eq!((engine.sessions, engine.threads, engine.hash, engine.rate), (0, 4, 8, 7));
        assert_eq!((engine.idle, engine.tablebases.len()), (Duration::from_secs(9), 2));
        assert!(config.archive.is_some_and(|archive| archive.import.len() == 2 && archive.nodes == 5));
        assert!(matches!(config.live, LiveSource::Journal(_)));
        for bad in ["--import x", "--threads 0", "--address here", "--rate 0"] {
            assert!(parsed::<Arguments>(bad).is_err(), "{bad}");
        }
    }
}
