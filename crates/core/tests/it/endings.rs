//! Random endings.

use millbrain_core::game::{Placed, Side};
use millbrain_core::play::Play;
use millbrain_core::smess::{self, Smess};

/// Returns a random ending: a Brain each, and these Numskulls and Ninnies of White, then of Black.
pub fn smess_ending(game: Smess, pieces: [[usize; 2]; 2], counter: u16, rng: &mut fastrand::Rng) -> Play<Smess> {
    loop {
        let total: usize = 2 + pieces.iter().flatten().sum::<usize>();
        let mut squares = rng.choose_multiple(0..56, total).into_iter();
        let mut take = |count| squares.by_ref().take(count).map(|square| 1 << square).sum();
        let pieces = pieces.map(|[numskulls, ninnies]| [take(1), take(numskulls), take(ninnies)]);
        let setup = smess::Setup {
            pieces,
            side: *rng.choice(&[Side::White, Side::Black]).expect("two"),
            plies_without_progress: counter.into(),
            move_number: 1,
        };
        if let Ok(position) = game.validate(&setup) {
            return Play::from_placed(game, Placed { position, move_number: 1 });
        }
    }
}
