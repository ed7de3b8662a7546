//! Leaf counting from the start positions: `cargo bench -p millbrain-benches --bench perft`.
#![expect(missing_docs, reason = "the macros of criterion make undocumented functions")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use millbrain::game::Game;
use millbrain::variant::Variant;
use millbrain::{perft, with_game};
use std::hint::black_box;
use std::time::Duration;

fn leaves(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("perft");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    for (variant, depth) in [(Variant::Morris, 6), (Variant::Lasker, 5), (Variant::Morabaraba, 6), (Variant::Smess, 6)]
    {
        with_game!(variant.rules(), |game| {
            let start = game.start();
            group.throughput(Throughput::Elements(perft::count(&game, &start, depth)));
            group.bench_function(format!("{variant} start depth {depth}"), |bencher| {
                bencher.iter(|| perft::count(&game, black_box(&start), depth));
            });
        });
    }
    group.finish();
}

criterion_group!(benches, leaves);
criterion_main!(benches);
