//! Opens the sources of a game's tables: the program, folders, files on static hosts, servers.

use super::compact::{CompactFile, WithCompact};
use super::counting::Counting;
use super::tables::{DEFAULT_CACHE, Refusal, Tablebase, files_in};
use crate::compact::{self, Compact, compact_rules, is_compact};
use crate::endings::{Endings, PositionOf, Sector};
use crate::folder::{FILE_NAME as MANIFEST, folder_rules, manifest_text};
use crate::format::Fault;
use crate::pack;
use crate::probe::address::{Address, NoAddress};
#[cfg(feature = "remote")]
use crate::probe::{remote::Remote, server::Server};
use crate::with_endings;
use millbrain_core::any::AnyOracle;
use millbrain_core::game::value::Oracle;
use millbrain_core::variant::Ruleset;
use millbrain_files::size::Size;
use millbrain_files::{named, open_regular};
use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The bytes of a compact file or a pack in which it differs from others: at least its header.
const HEAD: u64 = 64;

/// The places where a game's tables come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sources {
    /// Folders made by `tablebase build`, [compact tables](crate::compact), [packs](crate::pack), and folders of these.
    pub folders: Vec<PathBuf>,
    /// Addresses of compact tables on static hosts: `https://HOST/morris.mbt`.
    pub files: Vec<String>,
    /// Addresses of servers that are used where there is no table: `http://HOST:PORT`.
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
    /// Returns the tables at these places, folders or addresses of files and servers, and those that are part of the
    /// program.
    pub fn at(places: impl IntoIterator<Item = PathBuf>) -> Sources {
        let mut sources = Sources::default();
        for place in places {
            match address_of(&place) {
                Some(address) => {
                    let is_file = place.extension().is_some_and(|found| found == compact::EXTENSION);
                    let addresses = if is_file { &mut sources.files } else { &mut sources.servers };
                    addresses.push(address.to_string());
                }
                None => sources.folders.push(place),
            }
        }
        sources
    }

    /// Checks that there are tables at each place. Files on hosts and servers are not asked.
    ///
    /// # Errors
    /// Fails for the first place without tables, and for a text that is no address.
    pub fn check(&self) -> Result<(), Refusal> {
        for place in &self.folders {
            if is_compact(place) {
                compact_rules(place).map_err(named(place))?;
            } else if place.is_file() {
                pack::check(place).map_err(named(place))?;
            } else if files_at(place).is_empty() {
                folder_rules(place)?;
            }
        }
        let mut refusals = Vec::new();
        addresses(&self.files, &mut refusals);
        addresses(&self.servers, &mut refusals);
        refusals.into_iter().next().map_or(Ok(()), Err)
    }
}

/// Defaults to the tables that are part of the program.
impl Default for Sources {
    fn default() -> Sources {
        Sources {
            folders: Vec::new(),
            files: Vec::new(),
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

/// Returns a place that is an address as text.
fn address_of(place: &Path) -> Option<&str> {
    place.to_str().filter(|text| text.contains("://"))
}

/// Returns the compact files and packs at a place, a file or a folder that may have several.
fn files_at(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_path_buf()];
    }
    [compact::EXTENSION, pack::EXTENSION].map(|extension| files_in(place, extension)).concat()
}

/// Returns bytes that identify the tables at a place. While they are the same, the tables are; of an address they are
/// its text.
///
/// # Errors
/// Fails if there are none, or they cannot be read.
pub fn identity(place: &Path) -> Result<Vec<u8>, Refusal> {
    if let Some(address) = address_of(place) {
        return Ok(address.into());
    }
    let (files, mut bytes) = (files_at(place), Vec::new());
    for path in &files {
        // The checksum of the contents is among the first bytes.
        let read = open_regular(path).and_then(|file| file.take(HEAD).read_to_end(&mut bytes));
        read.map_err(|error| named(path)(Fault::from(error)))?;
    }
    if files.is_empty() || place.join(MANIFEST).exists() {
        bytes.extend(manifest_text(place)?.into_bytes());
    }
    Ok(bytes)
}

/// Parses addresses, and rejects invalid ones.
fn addresses(texts: &[String], refusals: &mut Vec<Refusal>) -> Vec<Address> {
    let mut addresses = Vec::new();
    for text in texts {
        match text.parse() {
            Ok(address) => addresses.push(address),
            Err(fault) => refusals.push(NoAddress::into(fault)),
        }
    }
    addresses
}

/// Adds the values of servers to tables.
#[cfg(feature = "remote")]
fn with_servers<E: Endings>(
    tables: Arc<dyn Oracle<PositionOf<E>>>,
    endings: E,
    rules: &Ruleset,
    sources: &Sources,
    addresses: Vec<Address>,
    _: &mut Vec<Refusal>,
) -> Arc<dyn Oracle<PositionOf<E>>> {
    if addresses.is_empty() {
        return tables;
    }
    let servers = addresses.into_iter().map(|address| Server::new(address, rules)).collect();
    Arc::new(Remote::new(tables, endings, sources.limit, servers))
}

#[cfg(not(feature = "remote"))]
fn with_servers<E: Endings>(
    tables: Arc<dyn Oracle<PositionOf<E>>>,
    _: E,
    _: &Ruleset,
    _: &Sources,
    addresses: Vec<Address>,
    refusals: &mut Vec<Refusal>,
) -> Arc<dyn Oracle<PositionOf<E>>> {
    refusals.extend(addresses.into_iter().map(Refusal::NoServers));
    tables
}

/// Opens the compact tables at a place, a file or a folder that may have several. Those of other rules in a folder are
/// skipped. Returns what is not used and why, or `None` if there are none.
fn add_compact<E: Endings>(files: &mut Vec<CompactFile<E>>, place: &Path, endings: &E) -> Option<Vec<Refusal>> {
    // A page has no files, and needs no code to read them.
    if cfg!(target_family = "wasm") {
        return None;
    }
    let is_file = is_compact(place);
    let paths = if is_file { vec![place.to_path_buf()] } else { files_in(place, compact::EXTENSION) };
    let mut refusals = Vec::new();
    for path in &paths {
        match Compact::open(path, endings) {
            Ok(file) => files.push(CompactFile::local(file)),
            Err(Fault::Rules) if !is_file => {}
            Err(fault) => refusals.push(named(path)(fault).into()),
        }
    }
    (!paths.is_empty()).then_some(refusals)
}

fn open_endings<E: Endings>(endings: E, rules: &Ruleset, sources: &Sources) -> Opened {
    let (all, game) = (endings.clone(), endings.game());
    let mut exact = endings.with_counter(rules).map(Tablebase::none);
    let mut tables = if sources.embedded { Tablebase::embedded(endings) } else { Tablebase::none(endings) };
    let (mut compact, mut refusals) = (Vec::new(), Vec::new());
    for folder in &sources.folders {
        let of_compact = add_compact(&mut compact, folder, &all);
        let of_packs = if is_compact(folder) { None } else { tables.add_packs(folder, &all) };
        if of_compact.is_some() || of_packs.is_some() {
            refusals.extend([of_compact, of_packs].into_iter().flatten().flatten());
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
    let files = addresses(&sources.files, &mut refusals);
    compact.extend(files.iter().map(|address| CompactFile::hosted(&address.to_string(), &all)));
    let servers = addresses(&sources.servers, &mut refusals);
    let packed = tables.packed();
    if sources.embedded && sources.packs {
        tables.add_embedded_packs(&all);
    }
    let knows_wins = tables.packed() > 0;
    let tables = tables.within(sources.limit, sources.cache);
    let exact = exact.map(|exact| exact.within(sources.limit, sources.cache));
    let exact = exact.filter(|exact| !exact.sectors().is_empty());
    let known: HashSet<Sector> =
        tables.sectors().into_iter().chain(compact.iter().flat_map(CompactFile::sectors)).collect();
    let sectors = known.len() + exact.as_ref().map_or(0, |exact| exact.sectors().len());
    let is_any = (sectors > 0 || knows_wins || !files.is_empty() || !servers.is_empty()) && sources.limit > 0;
    let oracle = is_any.then(|| {
        let plain: Arc<dyn Oracle<PositionOf<E>>> = if compact.is_empty() {
            Arc::new(tables)
        } else {
            Arc::new(WithCompact::new(tables, all.clone(), compact))
        };
        let plain = with_servers(plain, all, rules, sources, servers, &mut refusals);
        match exact {
            Some(exact) => Arc::new(Counting::new(exact, plain)),
            None => plain,
        }
    });
    Opened { oracle: oracle.map(|oracle| AnyOracle::new(&game, oracle)), sectors, packed, refusals }
}
