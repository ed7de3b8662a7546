//! Small searches of all kinds in positions of all variants, with all their reports.

use millbrain_core::any::{AnyGame, Line, Report};
use millbrain_core::game::Move;
use millbrain_core::search::{Control, HashTable, Limits, Pool, Request};
use millbrain_core::variant::Variant;
use std::sync::Arc;
use std::time::Duration;

/// A kind of search.
struct Kind {
    name: &'static str,
    limits: Limits,
    multipv: usize,
    /// Buckets of the hash table.
    buckets: usize,
    /// Whether only every third move is searched.
    some_moves: bool,
    /// Whether the hash table is reused from one position of the game to the next.
    keeps_hash: bool,
}

fn kinds() -> Vec<Kind> {
    let limits = |depth| Limits { depth: Some(depth), ..Limits::default() };
    let plain =
        |name, limits| Kind { name, limits, multipv: 1, buckets: 1 << 12, some_moves: false, keeps_hash: false };
    vec![
        plain("depth", limits(6)),
        Kind { keeps_hash: true, ..plain("hash kept", limits(6)) },
        Kind { buckets: 16, ..plain("hash full", limits(6)) },
        Kind { multipv: 3, ..plain("three lines", limits(5)) },
        Kind { some_moves: true, ..plain("some moves", limits(5)) },
        plain("nodes", Limits { nodes: Some(700), ..Limits::default() }),
        plain("mate", Limits { mate: Some(2), ..Limits::default() }),
    ]
}

/// A running digest (FNV-1a).
struct Digest(u64);

impl Digest {
    fn add(&mut self, text: &str) {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }
}

/// Searches every third position of a random game; returns the nodes, and a digest of the reports.
fn searched(variant: Variant, kind: &Kind) -> (u64, u64) {
    let mut rng = fastrand::Rng::with_seed(31);
    let (mut nodes, mut digest) = (0, Digest(0xCBF2_9CE4_8422_2325));
    let mut game = AnyGame::new(variant.rules());
    let hash = Arc::new(HashTable::tiny(kind.buckets));
    for ply in 0..60 {
        if game.ending().is_some() {
            break;
        }
        let moves = game.moves();
        if ply % 3 == 1 {
            if !kind.keeps_hash {
                hash.clear();
            }
            let some: Vec<Move> = moves.iter().step_by(3).map(|text| game.find_move(text).expect("legal")).collect();
            let control = Arc::new(Control::new(false));
            let request = Request {
                searchmoves: if kind.some_moves { &some } else { &[] },
                multipv: kind.multipv,
                ..Request::plain(&kind.limits, &hash, &control)
            };
            let answer = game.search(&request, &mut |report| {
                if let Report::Line(line) = report {
                    digest.add(&format!("{:?}", Line { time: Duration::ZERO, ..line.clone() }));
                }
            });
            digest.add(&format!("{answer:?}"));
            nodes += answer.nodes;
        }
        game.push(rng.choice(&moves).expect("the game is not over")).expect("legal");
    }
    (nodes, digest.0)
}

/// A search that is cut short has exactly the allowed nodes. It has reported each completed iteration and, if the last
/// one has found something better, that: it plays the line reported last.
#[test]
fn what_is_reported_last_is_played() {
    let (mut none, mut same, mut better) = (0, 0, 0);
    let mut rng = fastrand::Rng::with_seed(32);
    // Three Men's Morris is searched to its end by fewer nodes.
    for variant in Variant::ALL.into_iter().filter(|&variant| variant != Variant::Three) {
        let mut game = AnyGame::new(variant.rules());
        for _ in 0..12 {
            let moves = game.moves();
            game.push(rng.choice(&moves).expect("nobody has won yet")).expect("legal");
        }
        let hash = Arc::new(HashTable::tiny(1 << 10));
        for nodes in (1..20).chain((20..3_000).step_by(53)) {
            hash.clear();
            let (limits, control) = (Limits { nodes: Some(nodes), ..Limits::default() }, Arc::new(Control::new(false)));
            let mut lines = Vec::new();
            let found = game.search(&Request::plain(&limits, &hash, &control), &mut |report| {
                if let Report::Line(line) = report {
                    lines.push(line.clone());
                }
            });
            let last = lines.last().expect("a line");
            let context = format!("{} with {nodes} nodes: {last:?}", game.fen());
            assert_eq!(found.nodes, nodes, "{context}");
            assert_eq!(found.best.as_ref(), last.pv.first(), "{context}");
            let depths: Vec<i32> = lines.iter().map(|line| line.depth).collect();
            if depths == [0] {
                none += 1;
                assert_eq!((found.depth, found.score), (0, game.evaluate()), "{context}");
            } else {
                assert_eq!(depths, (1..=last.depth).collect::<Vec<_>>(), "{context}");
                let ahead = last.depth - found.depth;
                *(if ahead == 0 { &mut same } else { &mut better }) += 1;
                assert!(ahead == 0 || (ahead == 1 && found.score == last.score), "{context}");
            }
        }
    }
    assert!(none >= 7 && same > 100 && better > 50, "{none} {same} {better}");
}

/// Threads that share a limit of nodes do not exceed it, however many they are.
#[test]
fn threads_share_the_nodes_of_a_limit() {
    let mut rng = fastrand::Rng::with_seed(33);
    let hash = Arc::new(HashTable::tiny(1 << 10));
    let game = AnyGame::new(Variant::Smess.rules());
    for threads in [2, 3, 8] {
        let pool = Pool::new(threads).expect("threads");
        for nodes in (0..12).chain((0..60).map(|_| rng.u64(12..3_000))) {
            hash.clear();
            let (limits, control) = (Limits { nodes: Some(nodes), ..Limits::default() }, Arc::new(Control::new(false)));
            let request = Request { pool: Some(&pool), ..Request::plain(&limits, &hash, &control) };
            let found = game.search(&request, &mut |_| {});
            assert!(
                found.nodes <= nodes && found.best.is_some(),
                "{} of {nodes} nodes, {threads} threads",
                found.nodes
            );
            pool.settle();
        }
    }
}

/// A change of the searched nodes changes the node counts, a change of the reports the digest.
const EXPECTED: [&str; 7] = [
    "depth: 31998 2a35 31982 a733 31125 d12d 15900 2942 36656 1279 24633 a1ed 60832 3148 \
     657 1ec2 6190 a029 7361 0c90 16775 27d6",
    "hash kept: 31724 6ccb 31669 ef6e 30697 fecf 15899 6c15 36773 6952 24641 cc17 60725 fcd5 \
     654 e3a8 6151 6327 7262 afe9 16882 adc8",
    "hash full: 37987 11c6 37943 3603 26925 95a9 16761 a5a7 43115 aa20 27127 0038 62577 287b \
     658 b517 8140 086d 8295 f84b 17932 83fd",
    "three lines: 50150 218c 50150 9ff8 40578 95dd 23574 0ef0 46067 f955 33319 fcbf 89219 dd75 \
     2070 bcea 8083 9d5a 9708 6c19 21482 2928",
    "some moves: 14295 67a1 14295 1b70 12364 c625 7843 5a8e 15442 e0de 11118 5f8f 29391 268f \
     583 3cbc 2896 4684 3328 894b 6114 4a92",
    "nodes: 14000 b632 14000 a410 14000 4af7 12600 862c 13300 845a 11200 5c7d 13300 525d \
     3500 79f8 6300 28d4 10500 5552 14000 9161",
    "mate: 33188 1c34 33188 2ad2 39472 eaad 16733 24a9 44694 f00d 24787 b3cb 43946 7743 \
     403 ff05 2967 8b75 3359 9b08 6730 b565",
];

#[test]
fn what_searches_of_all_kinds_tell_is_pinned() {
    let found: Vec<String> = kinds()
        .iter()
        .map(|kind| {
            let of_variants = Variant::ALL.map(|variant| {
                let (nodes, digest) = searched(variant, kind);
                format!(" {nodes} {:04x}", digest as u16)
            });
            format!("{}:{}", kind.name, of_variants.concat())
        })
        .collect();
    assert_eq!(found, EXPECTED);
}
