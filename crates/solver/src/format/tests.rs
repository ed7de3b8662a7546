//! Files of both kinds, whole and damaged.

use super::*;
use crate::code::{Code, Codes, Plies, with_codes};
use millbrain_core::game::value::Value;
use millbrain_files::size::Size;
use millbrain_tablebase::Sector;
use millbrain_tablebase::format::cache::Cache;
use millbrain_tablebase::format::{Fault, HEADER, Kind, SUMMED, Subject, TableFile};
use std::path::PathBuf;

fn subject(kind: Kind, slots: u64) -> Subject {
    Subject { kind, tag: *b"M\x01\0\0\0\0\0\0", sector: Sector::new(4, 3), slots }
}

fn path(name: &str, kind: Kind) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("millbrain-format-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(format!("{name}.{}", kind.extension()))
}

/// Returns an arbitrary code, of distances up to `longest`.
fn code<P: Plies>(slot: u64, longest: u32) -> Code<P> {
    match slot {
        // Blocks of both kinds with equal slots, and some without a distance.
        40_000..120_000 => Code(P::of(7)),
        120_000..135_000 => Code::DRAW,
        _ if slot % 11 == 3 => Code::VACANT,
        _ if slot % 7 < 2 => Code::DRAW,
        _ => Code(P::of((slot.wrapping_mul(2_654_435_761) >> 7) as u32 % (longest + 1))),
    }
}

const SLOTS: u64 = 150_001;

fn bytes() -> Codes {
    Codes::Bytes((0..SLOTS).map(|slot| code(slot, 253)).collect())
}

fn words(longest: u32) -> Codes {
    Codes::Words((0..SLOTS).map(|slot| code(slot, longest)).collect())
}

/// Writes the files of these codes, and returns their paths.
fn write_both(name: &str, codes: &Codes) -> [PathBuf; 2] {
    Kind::ALL.map(|kind| {
        let path = path(name, kind);
        let subject = subject(kind, SLOTS);
        let written = write(&path, &subject, codes).expect("written");
        let table = TableFile::open(&path, subject).expect("sound");
        assert_eq!(table.identity(), written);
        assert_eq!(std::fs::metadata(&path).expect("there").len(), written.bytes);
        path
    })
}

fn open_both(paths: &[PathBuf; 2]) -> [TableFile; 2] {
    [0, 1].map(|i| TableFile::open(&paths[i], subject(Kind::ALL[i], SLOTS)).expect("sound"))
}

fn is_vacant(codes: &Codes, slot: u64) -> bool {
    with_codes!(codes, |codes| codes[slot as usize] == Code::VACANT)
}

/// Writes codes and reads them back, slot by slot and as a whole.
fn come_back(name: &str, codes: &Codes) {
    let [wdl, distance] = open_both(&write_both(name, codes));
    let all = stored_codes(&wdl, &distance).expect("sound");
    assert_eq!(matches!(all, Codes::Words(_)), matches!(codes, Codes::Words(_)));
    let of_sector = results(&wdl).expect("sound");
    let cache = Cache::new(Size(1 << 20));
    let mut before = None;
    for slot in 0..SLOTS {
        let expected = if is_vacant(codes, slot) { before } else { Some(codes.value(slot as usize)) };
        before = expected;
        assert_eq!(all.value(slot as usize), expected.unwrap_or(Value::Draw), "slot {slot}");
        let Some(expected) = expected.filter(|_| !is_vacant(codes, slot)) else { continue };
        let verdict = wdl.verdict(slot, &cache).expect("sound");
        assert_eq!((verdict, of_sector.verdict(slot).expect("sound")), (expected.verdict(), expected.verdict()));
        if slot % 97 == 0 && expected != Value::Draw {
            let found = distance.value(slot, verdict, &wdl, &cache).expect("sound");
            assert_eq!(found, expected, "slot {slot}");
        }
    }
    check_all(&wdl).and_then(|()| check_all(&distance)).expect("sound");
}

#[test]
fn tables_give_back_what_was_written() {
    come_back("back", &bytes());
}

/// A byte of half a distance serves up to 511 plies, a word up to the longest possible.
#[test]
fn no_distance_is_too_long() {
    for longest in [254, 511, 512, Code::<u16>::max_distance()] {
        come_back(&format!("long-{longest}"), &words(longest));
    }
}

#[test]
fn short_sectors_are_tables_too() {
    for slots in [1, 2, 3, 4, 5, 6, 15, 16] {
        let codes: Vec<Code> = (0..slots).map(|slot| Code((slot % 3) as u8)).collect();
        let [wdl, _] = Kind::ALL.map(|kind| {
            let path = path(&format!("short-{slots}"), kind);
            write(&path, &subject(kind, slots), &Codes::Bytes(codes.clone())).expect("written");
            TableFile::open(&path, subject(kind, slots)).expect("sound")
        });
        let of_sector = results(&wdl).expect("sound");
        for slot in 0..slots {
            assert_eq!(of_sector.verdict(slot).expect("sound"), codes[slot as usize].value().verdict());
        }
    }
}

/// A block whose results or distances are all the same takes one number, and one without distances nothing.
#[test]
fn blocks_of_one_number_are_short() {
    let slots = SLOTS as usize;
    for (codes, sizes) in [(vec![Code(7u8); slots], [1, 1]), (vec![Code::DRAW; slots], [1, 0])] {
        for (kind, size) in Kind::ALL.into_iter().zip(sizes) {
            let (path, subject) = (path("alike", kind), subject(kind, SLOTS));
            let written = write(&path, &subject, &Codes::Bytes(codes.clone())).expect("written");
            assert_eq!(written.bytes, subject.data_offset() + size * subject.blocks(), "{kind:?}");
        }
    }
    // One different number, even the last, makes the block longer.
    let mut codes = vec![Code(7u8); slots];
    codes[slots - 1] = Code(5);
    let (path, subject) = (path("alike", Kind::Distance), subject(Kind::Distance, SLOTS));
    let written = write(&path, &subject, &Codes::Bytes(codes)).expect("written");
    assert!(written.bytes > subject.data_offset() + subject.blocks());
}

#[test]
fn every_damaged_byte_is_noticed() {
    for (kind, path) in Kind::ALL.into_iter().zip(write_both("damaged", &bytes())) {
        let sound = std::fs::read(&path).expect("readable");
        let refused = |bytes: &[u8]| {
            std::fs::write(&path, bytes).expect("written");
            TableFile::open(&path, subject(kind, SLOTS)).and_then(|table| check_all(&table)).is_err()
        };
        assert!(!refused(&sound));
        let mut rng = fastrand::Rng::with_seed(1);
        let header = (0..SUMMED + 8).chain((0..300).map(|_| rng.usize(..sound.len())));
        for at in header {
            let mut bytes = sound.clone();
            bytes[at] ^= 1 << (at % 8);
            assert!(refused(&bytes), "{kind:?} byte {at}");
        }
        for length in [0, 5, 20, HEADER, HEADER + 3, sound.len() / 2, sound.len() - 1] {
            assert!(refused(&sound[..length]), "{kind:?} cut to {length}");
        }
        assert!(refused(&[&sound[..], &[0]].concat()));
    }
}

/// The report of damage names the file.
#[test]
fn a_damaged_block_of_either_file_is_reported() {
    for damaged in Kind::ALL {
        let paths = write_both("either", &bytes());
        let tables = open_both(&paths);
        let path = &paths[damaged as usize];
        let mut bytes = std::fs::read(path).expect("readable");
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        std::fs::write(path, bytes).expect("written");
        let (kind, fault) = stored_codes(&tables[0], &tables[1]).expect_err("damaged");
        assert_eq!(kind, damaged);
        assert!(matches!(fault, Fault::Block { .. }));
        let cache = Cache::new(Size(1));
        let slot = SLOTS - 1;
        let verdict = code::<u8>(slot, 253).value().verdict();
        assert!(tables[1].value(slot, verdict, &tables[0], &cache).is_err());
        assert_eq!(tables[0].verdict(slot, &cache).is_err(), damaged == Kind::Wdl);
    }
}

#[test]
fn blocks_can_be_checked_by_several_threads_at_once() {
    let paths = write_both("threads", &bytes());
    for _ in 0..20 {
        let [wdl, distance] = open_both(&paths);
        let cache = Cache::new(Size(1 << 17));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    (0..SLOTS).step_by(997).for_each(|slot| {
                        let verdict = wdl.verdict(slot, &cache).expect("sound");
                        assert!(distance.value(slot, verdict, &wdl, &cache).is_ok());
                    });
                });
            }
        });
    }
}

#[test]
fn faults_say_what_is_wrong() {
    let [path, _] = write_both("faults", &bytes());
    let fault = |subject| TableFile::open(&path, subject).err().map(|fault| fault.to_string()).unwrap_or_default();
    let right = subject(Kind::Wdl, SLOTS);
    assert!(fault(subject(Kind::Distance, SLOTS)).contains("no table of this kind"));
    assert!(fault(Subject { tag: *b"M\x03\0\0\0\0\0\0", ..right }).contains("other rules"));
    assert!(fault(Subject { sector: Sector::new(3, 4), ..right }).contains("other forces"));
    assert_eq!(fault(right), "");
    let bytes = std::fs::read(&path).expect("readable");
    let mut other = bytes.clone();
    other[8] = 3;
    std::fs::write(&path, &other).expect("written");
    assert_eq!(fault(right), "format version 3, expected 2");
    std::fs::write(&path, &bytes[..bytes.len() - 10]).expect("written");
    assert!(fault(right).contains(&format!("expected {}", bytes.len())));
    std::fs::remove_file(&path).expect("removed");
    assert!(fault(right).to_lowercase().contains("no such file"));
}
