//! Instructions of the parts that speed depends on: `scripts/measure/instructions`. They hardly vary from run to run,
//! so that a change of half a percent shows on a busy machine too.

use gungraun::prelude::*;
use millbrain_core::any::AnyGame;
use millbrain_core::bench;
use millbrain_core::perft;
use millbrain_core::search::Control;
use millbrain_core::variant::Variant;
use millbrain_tablebase::{Sources, open};
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

// Search of the bench positions.
#[library_benchmark]
#[bench::shallow(5)]
#[bench::deeper(7)]
fn search(depth: u32) -> u64 {
    bench::run(black_box(depth), 1, 1, &Arc::new(Control::new(false)), |_| {}).map_or(0, |total| total.nodes)
}

// Leaves below the start position.
#[library_benchmark]
#[bench::morris(Variant::Morris, 4)]
#[bench::lasker(Variant::Lasker, 3)]
#[bench::smess(Variant::Smess, 4)]
fn leaves(variant: Variant, depth: u32) -> u64 {
    let settings = perft::Settings { threads: 1, hash_mib: 0, stop: &AtomicBool::new(false) };
    perft::total(&AnyGame::new(variant.rules()).perft(black_box(depth), settings), depth)
}

// Opening the small tables and probing one value.
#[library_benchmark]
fn probe() -> bool {
    let sources = Sources::default();
    let opened = open(&Variant::Morris.rules(), &sources);
    let mut game = AnyGame::new(Variant::Morris.rules());
    game.set_oracle(opened.oracle.as_ref());
    game.set_up(Some(black_box("O2/1O1/2O/O2X2/3/XX1/3 w 0 0 0 1")), []).is_ok() && game.value().is_some()
}

library_benchmark_group!(name = parts, benchmarks = [search, leaves, probe]);
main!(library_benchmark_groups = parts);
