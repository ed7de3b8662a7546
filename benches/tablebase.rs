//! Latency of tablebase probes: random positions of one sector, first each once with the current page cache, then
//! again. Distances are probed for won and lost positions only.
//!
//! `MILLBRAIN_TABLES=DIR MILLBRAIN_SECTOR=6-6 cargo bench -p millbrain-benches --bench tablebase`; without a folder,
//! the embedded 4-4 of `morris`. For cold figures drop the page cache first.

use millbrain::game::Verdict;
use millbrain::morris::FLYING;
use millbrain::tablebase::{Endings, MorrisEndings, PositionOf, Tablebase};
use millbrain::value::Oracle;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

const PROBES: usize = 2_000;

fn report(name: &str, positions: &[PositionOf<MorrisEndings>], mut probe: impl FnMut(usize)) {
    let mut times: Vec<Duration> = (0..positions.len())
        .map(|i| {
            let started = Instant::now();
            probe(i);
            started.elapsed()
        })
        .collect();
    let total: Duration = times.iter().sum();
    times.sort_unstable();
    let at = |share: usize| times[times.len() * share / 100].as_nanos();
    println!(
        "{name:24} mean {:>9} ns  median {:>9} ns  99 % {:>9} ns",
        total.as_nanos() / times.len() as u128,
        at(50),
        at(99)
    );
}

fn main() {
    let endings = MorrisEndings::new(FLYING, 9);
    let (tablebase, sector) = match std::env::var("MILLBRAIN_TABLES") {
        Ok(folder) => {
            let mut tablebase = Tablebase::none(endings);
            for refusal in tablebase.add_folder(Path::new(&folder)) {
                eprintln!("{refusal}");
            }
            (tablebase, std::env::var("MILLBRAIN_SECTOR").unwrap_or("6-6".to_string()))
        }
        Err(_) => (Tablebase::embedded(endings), "4-4".to_string()),
    };
    let sector = tablebase.sectors().into_iter().find(|&s| endings.name(s) == sector).expect("a sector of the folder");
    let mut rng = fastrand::Rng::with_seed(1);
    let slots = endings.slots(sector);
    let positions: Vec<_> =
        std::iter::repeat_with(|| endings.position(sector, rng.u64(..slots))).flatten().take(PROBES).collect();
    println!("{PROBES} positions of {}", endings.name(sector));
    for round in ["first time", "again"] {
        report(&format!("result, {round}"), &positions, |i| {
            black_box(tablebase.verdict(&positions[i]));
        });
    }
    // Draws have no distance.
    let is_decided = |pos: &_| tablebase.verdict(pos).is_some_and(|verdict| verdict != Verdict::Draw);
    let decided: Vec<_> = positions.into_iter().filter(is_decided).collect();
    for round in ["first time", "again"] {
        report(&format!("distance, {round}"), &decided, |i| {
            black_box(tablebase.value(&decided[i]));
        });
    }
}
