//! Opens the sources of a game's tables: the program, folders, servers.

use super::counting::Counting;
use super::tables::{DEFAULT_CACHE, Refusal, Tablebase};
use crate::compact::is_compact;
use crate::endings::{Endings, PositionOf};
use crate::folder::FILE_NAME as MANIFEST;
use crate::probe::address::{Address, NoAddress};
#[cfg(feature = "remote")]
use crate::probe::{remote::Remote, server::Server};
use crate::with_endings;
use millbrain_core::any::AnyOracle;
use millbrain_core::game::value::Oracle;
use millbrain_core::variant::Ruleset;
use millbrain_files::size::Size;
use std::path::PathBuf;
use std::sync::Arc;

/// The places where a game's tables come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sources {
    /// Folders made by `tablebase build`, [compact tables](crate::compact), [packs](crate::pack), and folders of these.
    pub folders: Vec<PathBuf>,
    /// Addresses of servers that are used where there is no local table: `http://HOST:PORT`.
    pub servers: Vec<String>,
    /// Whether the tables that are part of the program are used.
    pub embedded: bool,
    /// Whether the packs that are part of the program are used, too.
    pub packs: bool,
    /// The largest number of stones or pieces on the board that is probed.
    pub limit: u32,
    /// Memory for unpacked blocks of folders, as far as it is needed; [`DEFAULT_CACHE`] is a good choice.
    pub cache: Size,
}

impl Sources {
    /// Returns the tables at these places, folders or addresses of servers, and those that are part of the program.
    pub fn at(places: impl IntoIterator<Item = PathBuf>) -> Sources {
        let (servers, folders): (Vec<PathBuf>, Vec<PathBuf>) =
            places.into_iter().partition(|place| place.to_str().is_some_and(|text| text.contains("://")));
        let servers = servers.into_iter().map(|server| server.to_string_lossy().into_owned()).collect();
        Sources { folders, servers, ..Sources::default() }
    }
}

/// Defaults to the tables that are part of the program.
impl Default for Sources {
    fn default() -> Sources {
        Sources {
            folders: Vec::new(),
            servers: Vec::new(),
            embedded: true,
            packs: true,
            limit: u32::MAX,
            cache: DEFAULT_CACHE,
        }
    }
}

/// The tablebase of a rule set, opened.
pub struct Opened {
    /// Looks values up; `None` if there are no tables.
    pub oracle: Option<AnyOracle>,
    /// Number of sectors there are tables of.
    pub sectors: usize,
    /// Number of positions in packs, those that are part of the program left out.
    pub packed: u64,
    /// The sources that are not used and why.
    pub refusals: Vec<Refusal>,
}

/// Opens the tables of these rules, for [`AnyPlay::set_oracle`](millbrain_core::any::AnyPlay::set_oracle).
pub fn open(rules: &Ruleset, sources: &Sources) -> Opened {
    with_endings!(
        *rules,
        |endings| open_endings(endings, rules, sources),
        else Opened { oracle: None, sectors: 0, packed: 0, refusals: Vec::new() }
    )
}

/// Parses the addresses of servers, and rejects invalid ones.
fn addresses(sources: &Sources, refusals: &mut Vec<Refusal>) -> Vec<Address> {
    let mut addresses = Vec::new();
    for text in &sources.servers {
        match text.parse() {
            Ok(address) => addresses.push(address),
            Err(fault) => refusals.push(NoAddress::into(fault)),
        }
    }
    addresses
}

/// Returns the local tables, with those that a search asks only once: compact files and servers.
#[cfg(feature = "remote")]
fn with_servers<E: Endings>(
    at_hand: Tablebase<E>,
    endings: E,
    rules: &Ruleset,
    addresses: Vec<Address>,
    _: &mut Vec<Refusal>,
) -> Arc<dyn Oracle<PositionOf<E>>> {
    if addresses.is_empty() && !at_hand.has_compact() {
        return Arc::new(at_hand);
    }
    let servers = addresses.into_iter().map(|address| Server::new(address, rules)).collect();
    Arc::new(Remote::new(at_hand, endings, servers))
}

#[cfg(not(feature = "remote"))]
fn with_servers<E: Endings>(
    at_hand: Tablebase<E>,
    _: E,
    _: &Ruleset,
    addresses: Vec<Address>,
    refusals: &mut Vec<Refusal>,
) -> Arc<dyn Oracle<PositionOf<E>>> {
    refusals.extend(addresses.into_iter().map(Refusal::NoServers));
    Arc::new(at_hand)
}

fn open_endings<E: Endings>(endings: E, rules: &Ruleset, sources: &Sources) -> Opened {
    let (all, game) = (endings.clone(), endings.game());
    let mut exact = endings.with_counter(rules).map(Tablebase::none);
    let mut tables = if sources.embedded { Tablebase::embedded(endings) } else { Tablebase::none(endings) };
    let mut refusals = Vec::new();
    for folder in &sources.folders {
        let compact = tables.add_compact(folder, &all);
        let packs = if is_compact(folder) { None } else { tables.add_packs(folder, &all) };
        if compact.is_some() || packs.is_some() {
            refusals.extend([compact, packs].into_iter().flatten().flatten());
            // The place may have tables as well, but need not.
            if folder.is_file() || !folder.join(MANIFEST).exists() {
                continue;
            }
        }
        match exact.as_mut().filter(|exact| exact.is_of(folder)) {
            Some(exact) => refusals.extend(exact.add_folder(folder)),
            None => refusals.extend(tables.add_folder(folder)),
        }
    }
    let packed = tables.packed();
    if sources.embedded && sources.packs {
        tables.add_embedded_packs(&all);
    }
    let knows_wins = tables.packed() > 0;
    let tables = tables.within(sources.limit, sources.cache);
    let exact = exact.map(|exact| exact.within(sources.limit, sources.cache)).filter(|exact| exact.sector_count() > 0);
    let sectors = tables.sector_count() + exact.as_ref().map_or(0, Tablebase::sector_count);
    let addresses = addresses(sources, &mut refusals);
    let is_any = (sectors > 0 || knows_wins || !addresses.is_empty()) && sources.limit > 0;
    let oracle = is_any.then(|| {
        let plain = with_servers(tables, all, rules, addresses, &mut refusals);
        match exact {
            Some(exact) => Arc::new(Counting::new(exact, plain)),
            None => plain,
        }
    });
    Opened { oracle: oracle.map(|oracle| AnyOracle::new(&game, oracle)), sectors, packed, refusals }
}
