//! The engine.
use millbrain::{play::Play, search::*, variant::*, with_game};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let v: Variant = a[1].parse().unwrap();
    let ms: u64 = a[2].parse().unwrap();
    let threads = a[3].parse().unwrap();
    let fen = a.get(4).map(|s| s.as_str());
    let table = Table::new(64).unwrap();
    with_game!(v.rules(), |game| {
        let play = Play::set_up(game, fen, []).unwrap();
        let limits = if ms < 100 {
            Limits { depth: Some(ms as u32), ..Limits::default() }
        } else {
            Limits { movetime: Some(std::time::Duration::from_millis(ms)), ..Limits::default() }
        };
        let control = Control::new(false);
        let req = Request {
            limits: &limits,
            table: &table,
            control: &control,
            threads,
            multipv: 1,
            overhead: std::time::Duration::ZERO,
        };
        use millbrain::game::Notation;
        let f = search(&play, &req, &mut |i| {
            if let Info::Variation { depth, seldepth, score, nodes, time, pv, hashfull, .. } = i {
                println!(
                    "{depth}/{seldepth} {score} n {nodes} {:?} {:.2}M {hashfull} {}",
                    time,
                    *nodes as f64 / time.as_secs_f64() / 1e6,
                    pv.iter().map(|m| game.move_text(*m)).collect::<Vec<_>>().join(" ")
                );
            }
        });
        println!("{:?}", f.nodes);
    });
}
