//! Benchmarks of the search, with fixed positions to a fixed depth, and of its parts:
//! `cargo bench -p millbrain-benches --bench search`.
#![expect(missing_docs, reason = "the macros of criterion make undocumented functions")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use millbrain::bench;
use millbrain::game::{Move, Searchable};
use millbrain::search::hash::{Bound, Entry};
use millbrain::search::{Control, HashTable};
use millbrain::with_game;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

fn whole(criterion: &mut Criterion) {
    let control = Arc::new(Control::new(false));
    let run = || bench::run(10, 1, 16, &control, |_| {}).expect("memory for a small table");
    let mut group = criterion.benchmark_group("search");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    group.throughput(Throughput::Elements(run().nodes));
    group.bench_function("bench positions, depth 10", |bencher| bencher.iter(run));
    group.finish();
}

fn parts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parts");
    for (i, &(variant, fen)) in bench::POSITIONS.iter().enumerate().filter(|(i, _)| [1, 3, 14].contains(i)) {
        with_game!(variant.rules(), |game| part(&mut group, i, &game, fen.expect("not the start")));
    }
    group.finish();
}

fn part<G: Searchable>(
    group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>,
    number: usize,
    game: &G,
    fen: &str,
) {
    let pos = game.parse_fen(fen).expect("a benchmark position").position;
    group.bench_function(format!("evaluate {number}"), |bencher| bencher.iter(|| game.evaluate(black_box(&pos))));
    group.bench_function(format!("table key {number}"), |bencher| bencher.iter(|| game.hash_key(black_box(&pos))));
    group.bench_function(format!("generate {number}"), |bencher| {
        bencher.iter(|| {
            let mut last = Move::NONE;
            game.generate(black_box(&pos), |mv| last = mv);
            last
        });
    });
}

/// Random probes of a table larger than the caches, with and without prefetching the bucket.
fn probes(criterion: &mut Criterion) {
    const BATCH: usize = 8;
    let hash = HashTable::new(512).expect("512 MiB");
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..1 << 20 {
        let entry = Entry { mv: Move::NONE, score: 0, eval: 0, depth: 1, bound: Bound::Exact };
        hash.store(rng.u64(..), entry);
    }
    let mut group = criterion.benchmark_group("table");
    group.throughput(Throughput::Elements(BATCH as u64));
    for ahead in [false, true] {
        group.bench_function(if ahead { "probe, prefetched" } else { "probe" }, |bencher| {
            bencher.iter(|| {
                let keys: [u64; BATCH] = std::array::from_fn(|_| rng.u64(..));
                if ahead {
                    keys.iter().for_each(|&key| hash.prefetch(key));
                }
                // Each probe depends on the one before, as in a search.
                keys.iter().fold(0, |last, &key| hash.probe(key ^ last).map_or(0, |entry| entry.depth as u64))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, whole, parts, probes);
criterion_main!(benches);
