//! Arbitrary input: the seeds of the fuzzers, mutations of them, keywords of each format, and random bytes.
//! `PROPTEST_CASES=100000 cargo test --release --test it any_input::` runs more cases.

use crate::common::setting;
use proptest::prelude::*;
use proptest::sample::Index;
use std::fs;
use std::path::Path;

/// Returns the committed seeds of a target: one per line, a name and text that `bytes` decodes.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fuzz/seeds/{target}.txt"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| bytes(line.split_once(' ').expect("a name and a seed").1)).collect()
}

/// Decodes printable ASCII, and `\\`, `\n` and `\xHH` for all other bytes, like `printf %b` of a shell.
fn bytes(mut text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some((plain, escaped)) = text.split_once('\\') {
        bytes.extend(plain.bytes());
        let (byte, rest) = match escaped.split_at(1) {
            ("\\", rest) => (b'\\', rest),
            ("n", rest) => (b'\n', rest),
            ("x", rest) => (u8::from_str_radix(&rest[..2], 16).expect("a byte"), &rest[2..]),
            (other, _) => panic!("no such escape: {other:?}"),
        };
        bytes.push(byte);
        text = rest;
    }
    bytes.extend(text.bytes());
    bytes
}

/// Keywords of all formats.
const WORDS: &[&str] = &[
    "position",
    "startpos",
    "fen",
    "moves",
    "go",
    "depth",
    "2",
    "nodes",
    "100",
    "movetime",
    "0",
    "-1",
    "infinite",
    "ponder",
    "ponderhit",
    "stop",
    "isready",
    "uci",
    "ucinewgame",
    "setoption",
    "name",
    "value",
    "Hash",
    "MultiPV",
    "UCI_Variant",
    "SkillLevel",
    "MoveTimeMs",
    "PiecesCount",
    "O*******/O*@@****/O******* w p r 3 6 2 7 1 0 0 0 0 0 0 0 3",
    "smess",
    "lasker",
    "Skill Level",
    "Stones",
    "12",
    "d",
    "flip",
    "eval",
    "probe",
    "perft",
    "3/3/3/6/3/3/3 w 9 9",
    "7/7/7/3b3/3S3/7/7/3B3",
    "O",
    "X",
    "b",
    "w",
    "/",
    "*",
    "@",
    "********/********/******** w p p 0 9 0 9 0 0 0 1",
    "d6",
    "a7",
    "xg1",
    "a4-a7",
    "f2g1",
    "cmd=x",
    "tc=1+0.1",
    "name=A",
    "=",
    "score=5",
    "alpha=0.01",
    "order=random",
    "40/1:30",
    "[White \"A\"]",
    "{book}",
    "{+0.35/3 1ms}",
    "1.",
    "1-0",
    "1/2-1/2",
    ";",
    "{\"fen\":",
    "\"moves\": [",
    "]}",
    "\n",
    "\n",
    "99999999999999999999",
    "\u{fe0f}",
    "\r",
];

/// A mutation of bytes.
#[derive(Clone, Debug)]
enum Change {
    Replace(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
}

impl Change {
    fn make(self, bytes: &mut Vec<u8>) {
        match self {
            Change::Replace(at, value) => {
                if !bytes.is_empty() {
                    let at = at.index(bytes.len());
                    bytes[at] = value;
                }
            }
            Change::Insert(at, value) => {
                let at = at.index(bytes.len() + 1);
                bytes.splice(at..at, value);
            }
            Change::Remove(at, count) => {
                let at = at.index(bytes.len() + 1);
                bytes.drain(at..(at + count).min(bytes.len()));
            }
        }
    }
}

fn words() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(WORDS), 0..12).prop_map(|words| words.join(" ").into_bytes())
}

/// Generates inputs for a target.
fn inputs(seeds: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let change = prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, value)| Change::Replace(at, value)),
        (any::<Index>(), words()).prop_map(|(at, value)| Change::Insert(at, value)),
        (any::<Index>(), 1..20usize).prop_map(|(at, count)| Change::Remove(at, count)),
    ];
    let changed =
        (prop::sample::select(seeds), prop::collection::vec(change, 1..6)).prop_map(|(mut bytes, changes)| {
            changes.into_iter().for_each(|change| change.make(&mut bytes));
            bytes
        });
    let bytes = prop::collection::vec(any::<u8>(), 0..80);
    let spoken = (any::<u8>(), words()).prop_map(|(first, words)| [vec![first], words].concat());
    prop_oneof![1 => bytes, 3 => spoken, 4 => changed]
}

fn survives(name: &str, cases: u32) {
    let (_, target) = crate::targets::ALL.into_iter().find(|(known, _)| *known == name).expect("a target");
    let seeds = seeds(name);
    assert!(!seeds.is_empty());
    seeds.iter().for_each(|seed| target(seed));
    let cases = setting("PROPTEST_CASES").unwrap_or(cases);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(input in inputs(seeds))| target(&input));
}

#[test]
fn batch_lines() {
    survives("batch", 5_000);
}

#[test]
fn fens() {
    survives("fen", 5_000);
}

#[test]
fn game_records() {
    survives("game_record", 5_000);
}

#[test]
fn match_configurations() {
    survives("match_config", 5_000);
}

#[test]
fn move_texts() {
    survives("moves", 5_000);
}

#[test]
fn option_lines() {
    survives("options", 5_000);
}

#[test]
fn sessions() {
    survives("protocol", 300);
}

#[test]
fn table_files() {
    survives("tables", 3_000);
}
