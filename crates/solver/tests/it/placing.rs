//! Values of the placing phase proved again by search, which uses only the tables without stones in hand.

use super::proof::built;
use millbrain_core::game::value::{Oracle, Value, known_end};
use millbrain_core::game::{Game, Verdict};
use millbrain_core::morris::rules::MORRIS;
use millbrain_core::morris::symmetry::canonical;
use millbrain_core::morris::{CUSTOM, FLYING, Morris, Position, Rules};
use millbrain_tablebase::{Endings, MorrisEndings, Tablebase};
use std::collections::HashMap;
use std::env;
use std::path::Path;

/// A goal of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Goal {
    Win,
    Draw,
}

impl Goal {
    /// Returns the goal that the other side must not reach.
    const fn denied(self) -> Goal {
        match self {
            Goal::Win => Goal::Draw,
            Goal::Draw => Goal::Win,
        }
    }

    const fn is_met(self, verdict: Verdict) -> bool {
        matches!((self, verdict), (_, Verdict::Win) | (Goal::Draw, Verdict::Draw))
    }
}

/// The number of answers that are stored.
const MEMORY: usize = 20_000_000;

/// A search to the end of the placing phase.
struct Prover {
    game: Morris<CUSTOM>,
    /// The tables without stones in hand.
    moving: Tablebase<MorrisEndings>,
    known: HashMap<(u64, u32, Goal), bool>,
}

impl Prover {
    fn reaches(&mut self, pos: &Position, goal: Goal) -> bool {
        if let Some(end) = known_end(&self.game, pos) {
            return goal.is_met(end.verdict());
        }
        if pos.own_hand() + pos.opp_hand() == 0 {
            return goal.is_met(self.moving.verdict(pos).expect("in the tables"));
        }
        let (board, _) = canonical(u64::from(pos.own()) | u64::from(pos.opp()) << 24);
        let key = (board, pos.own_hand() << 8 | pos.opp_hand(), goal);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let game = self.game;
        let found = game.moves(pos).into_iter().any(|mv| !self.reaches(&game.play(pos, mv), goal.denied()));
        if self.known.len() == MEMORY {
            self.known.clear();
        }
        self.known.insert(key, found);
        found
    }

    fn verdict(&mut self, pos: &Position) -> Verdict {
        if self.reaches(pos, Goal::Win) {
            Verdict::Win
        } else if self.reaches(pos, Goal::Draw) {
            Verdict::Draw
        } else {
            Verdict::Loss
        }
    }

    /// Returns the value with its distance, by all moves: for few stones in hand.
    fn value(&self, pos: &Position) -> Value {
        if let Some(end) = known_end(&self.game, pos) {
            return end;
        }
        if pos.own_hand() + pos.opp_hand() == 0 {
            return self.moving.value(pos).expect("in the tables");
        }
        let next = self.game.moves(pos).into_iter().map(|mv| self.value(&self.game.play(pos, mv)));
        Value::from_successors(next)
    }
}

/// Proves random positions with stones in hand, each equally likely, of a folder with a whole game. Returns the number
/// of positions with each verdict.
fn prove(folder: &Path, stones: u8, positions: usize) -> [usize; 3] {
    let whole = MorrisEndings::new(FLYING, stones).with_placing(true);
    let opened = |endings: MorrisEndings| {
        let mut tables = Tablebase::none(endings);
        let refusals = tables.add_folder(folder);
        assert!(refusals.is_empty(), "{refusals:?}");
        tables
    };
    let tables = opened(whole);
    let mut prover = Prover { game: whole.game(), moving: opened(whole.moving_only()), known: HashMap::new() };
    let sectors: Vec<_> = tables.sectors().into_iter().filter(|&sector| whole.in_hand(sector)).collect();
    let slots: u64 = sectors.iter().map(|&sector| whole.slots(sector)).sum();
    let mut rng = fastrand::Rng::with_seed(16);
    let mut random = || {
        let mut slot = rng.u64(..slots);
        for &sector in &sectors {
            match slot.checked_sub(whole.slots(sector)) {
                Some(rest) => slot = rest,
                None => return whole.position(sector, slot),
            }
        }
        None
    };
    let mut found = [0; 3];
    for number in 0..positions {
        let pos = std::iter::repeat_with(&mut random).flatten().next().expect("without end");
        let value = tables.value(&pos).expect("in the tables");
        let fen = || whole.fen(&pos);
        assert_eq!((prover.verdict(&pos), tables.verdict(&pos)), (value.verdict(), Some(value.verdict())), "{}", fen());
        if pos.own_hand() + pos.opp_hand() <= 2 {
            assert_eq!(prover.value(&pos), value, "{}", fen());
        }
        found[value.verdict() as usize] += 1;
        if (number + 1) % 1_000 == 0 {
            eprintln!("{} positions proved", number + 1);
        }
    }
    found
}

#[test]
fn values_of_a_small_game_are_proved_again_by_search() {
    let folder = built(Rules { stones: 3, ..MORRIS }, "0+3-0+3", "placing");
    let found = prove(&folder, 3, 2_000);
    assert!(found.iter().all(|&count| count > 0), "{found:?}");
}

/// Uses the tables of `morris` in a folder, built by `tablebase build --sectors game`.
#[test]
#[ignore = "needs the tables of the whole game: scripts/long/placing"]
fn values_of_morris_are_proved_again_by_search() {
    let folder = env::var("MILLBRAIN_TABLES").expect("a folder of tables in MILLBRAIN_TABLES");
    let found = prove(Path::new(&folder), 9, 10_000);
    eprintln!("won, lost, drawn: {found:?}");
}
