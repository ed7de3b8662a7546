//! Modified table files.

use super::byte;
use millbrain::any::AnyOracle;
use millbrain::game::{Notation, Verdict};
use millbrain::morris::{FLYING, Morris, Position, rules};
use millbrain::tablebase::{self, Sources};
use millbrain::value::{Oracle, Value};
use millbrain::variant::Ruleset;
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const MANIFEST: &[u8] = include_bytes!("../../data/tables/manifest.json");
const WDL: &[u8] = include_bytes!("../../data/tables/3-3.wdl");
const DISTANCES: &[u8] = include_bytes!("../../../crates/tablebase/src/embedded/morris/3-3.dtw");
/// Size of a header, and the bytes of it that its checksum covers.
const HEADER: usize = 56;
const SUMMED: usize = 48;

/// Positions to probe, in all parts of the tables.
const FENS: [&str; 8] = [
    "XOO/3/3/X4X/3/3/2O w 0 0",
    "1O1/3/3/X4O/3/3/XOX w 0 0",
    "OOO/3/3/6/3/3/XXX w 0 0",
    "OOX/3/3/6/3/X2/XO1 b 0 0",
    "O2/O2/O2/6/X2/X2/X2 b 0 0",
    "3/3/OXO/XOX3/3/3/3 w 0 0",
    "3/3/3/OXOXOX/3/3/3 b 0 0",
    "3/3/3/6/OXO/X1X/1O1 w 0 0",
];

type Answer = (Option<Verdict>, Option<Value>);

/// Probes all results and, since they take long, only some of the distances.
fn answers(oracle: &dyn Oracle<Position>, positions: &[Position], distances: usize) -> Vec<Answer> {
    let mut left = distances;
    let mut value = |pos| {
        left = left.checked_sub(1)?;
        oracle.value(pos)
    };
    positions.iter().map(|pos| (oracle.verdict(pos), value(pos))).collect()
}

/// State shared by all inputs.
struct Bench {
    folder: PathBuf,
    game: Morris<FLYING>,
    positions: Vec<Position>,
    truth: Vec<Answer>,
    /// Files modified since the last input.
    changed: Vec<&'static str>,
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Bench {
    fn new() -> Bench {
        // In memory rather than on disk, if there is such a folder.
        let shared = Path::new("/dev/shm");
        let base = if shared.is_dir() { shared.to_path_buf() } else { std::env::temp_dir() };
        let thread = format!("{:?}", std::thread::current().id()).replace(|c: char| !c.is_ascii_digit(), "");
        let folder = base.join(format!("millbrain-tables-{}-{thread}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let game = Morris::<FLYING>::new(rules::MORRIS);
        let positions = FENS.map(|fen| game.parse_fen(fen).expect("a position").position).to_vec();
        let mut bench =
            Bench { folder, game, positions, truth: Vec::new(), changed: vec!["manifest.json", "3-3.wdl", "3-3.dtw"] };
        bench.restore();
        bench.truth = bench.ask(FENS.len());
        assert!(bench.truth.iter().all(|(verdict, value)| verdict.is_some() && *verdict == value.map(Value::verdict)));
        bench
    }

    fn write(&mut self, name: &'static str, bytes: &[u8]) {
        // Under a new name first: the file of the last input may still be mapped.
        let fresh = self.folder.join("fresh");
        fs::write(&fresh, bytes).expect("room");
        fs::rename(fresh, self.folder.join(name)).expect("the same folder");
        self.changed.push(name);
    }

    fn restore(&mut self) {
        for name in std::mem::take(&mut self.changed) {
            let bytes = match name {
                "manifest.json" => MANIFEST,
                "3-3.wdl" => WDL,
                _ => DISTANCES,
            };
            self.write(name, bytes);
        }
        self.changed.clear();
    }

    fn ask(&self, distances: usize) -> Vec<Answer> {
        let sources = Sources { folders: vec![self.folder.clone()], embedded: false, ..Sources::default() };
        let opened = tablebase::open(&Ruleset::Morris(*self.game.rules()), &sources);
        match opened.oracle.as_ref().and_then(AnyOracle::of) {
            Some(oracle) => answers(&*oracle, &self.positions, distances),
            None => vec![(None, None); self.positions.len()],
        }
    }
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let word: [u8; 8] = bytes.get(at..at.checked_add(8)?)?.try_into().ok()?;
    usize::try_from(u64::from_le_bytes(word)).ok()
}

/// Recomputes all checksums, so that the data behind them is reached. Returns the checksum of the header.
fn forge(bytes: &mut [u8], base: &[u8]) -> Option<u64> {
    let first = (number(base, 32)?.div_ceil(number(base, 12)? & 0xFFFF_FFFF)) * 16 + HEADER;
    let length = bytes.len() as u64;
    bytes.get_mut(40..48)?.copy_from_slice(&length.to_le_bytes());
    let mut start = first;
    for entry in (HEADER..first).step_by(16) {
        let end = number(bytes, entry)?;
        let sum = bytes.get(start..end).map_or(0, xxh3_64);
        bytes.get_mut(entry + 8..entry + 16)?.copy_from_slice(&sum.to_le_bytes());
        start = end;
    }
    let mut hash = Xxh3::new();
    hash.update(bytes.get(..SUMMED)?);
    hash.update(bytes.get(HEADER..first)?);
    let sum = hash.digest();
    bytes[SUMMED..HEADER].copy_from_slice(&sum.to_le_bytes());
    Some(sum)
}

/// A byte that chooses the file and whether checksums are recomputed, then changes: one byte for the kind, three for
/// the position and one for the value. Alternatively, the bytes of a manifest. Unless checksums are recomputed, every
/// remaining answer is true.
pub fn tables(mut data: &[u8]) {
    thread_local!(static BENCH: RefCell<Bench> = RefCell::new(Bench::new()));
    BENCH.with_borrow_mut(|bench| {
        bench.restore();
        let choice = byte(&mut data);
        let (name, base) = match choice % 4 {
            0 | 1 => ("3-3.wdl", WDL),
            2 => ("3-3.dtw", DISTANCES),
            _ => ("manifest.json", data),
        };
        let mut bytes = base.to_vec();
        if choice % 4 < 3 {
            while let &[kind, low, middle, high, value, ref rest @ ..] = data {
                data = rest;
                // Positions count from either end, so that the header and the last block are changed often.
                let place = u32::from_le_bytes([low, middle, high & 0x7F, 0]) as usize % (bytes.len() + 1);
                let place = if high & 0x80 != 0 { bytes.len() - place } else { place };
                match kind % 8 {
                    0 => bytes.truncate(place),
                    1 => bytes.resize(bytes.len() + usize::from(value), value),
                    2 => drop(bytes.drain(place..(place + usize::from(value)).min(bytes.len()))),
                    _ => {
                        if let Some(byte) = bytes.get_mut(place) {
                            *byte ^= value;
                        }
                    }
                }
            }
        }
        let forged = choice & 0x80 != 0 && choice % 4 < 3;
        if forged && let Some(sum) = forge(&mut bytes, base) {
            let old = number(base, SUMMED).expect("a whole header");
            let manifest = String::from_utf8_lossy(MANIFEST)
                .replace(&format!("{old:016x}"), &format!("{sum:016x}"))
                .replace(&format!("\"bytes\": {}", base.len()), &format!("\"bytes\": {}", bytes.len()));
            bench.write("manifest.json", manifest.as_bytes());
        }
        bench.write(name, &bytes);
        let found = bench.ask(2);
        if !forged {
            for ((verdict, value), truth) in found.into_iter().zip(&bench.truth) {
                assert!(verdict.is_none() || verdict == truth.0, "{verdict:?} is not {truth:?}");
                assert!(value.is_none() || value == truth.1, "{value:?} is not {truth:?}");
            }
        }
    });
}
