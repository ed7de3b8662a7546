//! The engine.
use millbrain::{game::*, morris::*, perft, smess::*};
fn main() {
    let d: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let g: Morris<1> = Morris::new(millbrain::morris::rules::MORRIS);
    let t = std::time::Instant::now();
    let n = perft::count(&g, &g.start(), d);
    println!("{n} {:.1} M/s", n as f64 / t.elapsed().as_secs_f64() / 1e6);
    let g = Smess::default();
    let t = std::time::Instant::now();
    let n = perft::count(&g, &g.start(), d);
    println!("{n} {:.1} M/s", n as f64 / t.elapsed().as_secs_f64() / 1e6);
}
