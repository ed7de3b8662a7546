//! The schedule of a match: pairings, colours and openings of all games.

use serde::{Deserialize, Serialize};

/// The shape of a match. Game numbers count rounds first, then pairings, then the games of a pairing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Schedule {
    /// Number of engines.
    pub engines: usize,
    /// Whether only the first engine plays the others.
    pub gauntlet: bool,
    /// Rounds; every pairing meets once per round.
    pub rounds: usize,
    /// Games per meeting; two share an opening, with colours reversed.
    pub games: usize,
    /// Number of openings.
    pub openings: usize,
}

/// A scheduled game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fixture {
    /// Round, from 0.
    pub round: usize,
    /// Engines with White and Black.
    pub players: [usize; 2],
    /// Number of the game's pair.
    pub pair: usize,
    /// The engine whose view of the pair counts: the first of the pairing.
    pub first: usize,
    /// Number of the opening.
    pub opening: usize,
}

impl Schedule {
    /// Returns the pairings of a round; the engine listed first comes first.
    pub fn pairings(&self) -> Vec<[usize; 2]> {
        let firsts = if self.gauntlet { 1 } else { self.engines };
        (0..firsts).flat_map(|a| (a + 1..self.engines).map(move |b| [a, b])).collect()
    }

    /// Returns number of games.
    pub fn len(&self) -> usize {
        self.checked_len().unwrap_or(usize::MAX)
    }

    /// Returns number of games, if it can be counted.
    pub(super) fn checked_len(&self) -> Option<usize> {
        self.rounds.checked_mul(self.pairings().len())?.checked_mul(self.games)
    }

    /// Whether there are no games.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of openings needed so that none is repeated in a later round.
    pub const fn openings_wanted(&self) -> usize {
        self.rounds * self.games.div_ceil(2)
    }

    /// Returns the number of a game's meeting, from 0.
    pub const fn meeting(&self, index: usize) -> usize {
        index / self.games
    }

    /// Returns the game with this number.
    pub fn fixture(&self, index: usize) -> Fixture {
        let pairings = self.pairings();
        let (meeting, game) = (self.meeting(index), index % self.games);
        let (round, pairing) = (meeting / pairings.len(), meeting % pairings.len());
        let [a, b] = pairings[pairing];
        // A single game has no reverse: colours alternate by round.
        let reversed = if self.games == 1 { round % 2 == 1 } else { game % 2 == 1 };
        let per_meeting = self.games.div_ceil(2);
        Fixture {
            round,
            players: if reversed { [b, a] } else { [a, b] },
            pair: meeting * per_meeting + game / 2,
            first: a,
            opening: (round * per_meeting + game / 2) % self.openings.max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn everyone_meets_everyone_with_both_colours() {
        let schedule = Schedule { engines: 4, gauntlet: false, rounds: 3, games: 2, openings: 3 };
        assert_eq!(schedule.len(), 36);
        let mut met = HashMap::new();
        for index in 0..schedule.len() {
            let fixture = schedule.fixture(index);
            *met.entry(fixture.players).or_insert(0) += 1;
            assert_eq!(fixture.opening, fixture.round);
            let other = schedule.fixture(index ^ 1);
            assert_eq!((fixture.pair, fixture.opening), (other.pair, other.opening));
            assert_eq!(fixture.players, [other.players[1], other.players[0]]);
        }
        assert_eq!(met.len(), 12);
        assert!(met.values().all(|&games| games == 3));
    }

    #[test]
    fn in_a_gauntlet_the_first_plays_the_rest() {
        let schedule = Schedule { engines: 4, gauntlet: true, rounds: 2, games: 1, openings: 0 };
        assert_eq!(schedule.len(), 6);
        assert!((0..6).all(|index| schedule.fixture(index).first == 0));
        assert_ne!(schedule.fixture(0).players, schedule.fixture(3).players);
    }

    #[test]
    fn games_are_numbered_by_round_pairing_and_game() {
        let schedule = Schedule { engines: 3, gauntlet: false, rounds: 2, games: 3, openings: 3 };
        assert_eq!(schedule.pairings(), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!((schedule.len(), schedule.openings_wanted(), schedule.is_empty()), (18, 4, false));
        let of = |index| {
            let Fixture { round, players, pair, first, opening } = schedule.fixture(index);
            (round, players, pair, first, opening)
        };
        // The third game of a meeting is alone in its pair.
        assert_eq!([of(0), of(1), of(2)], [(0, [0, 1], 0, 0, 0), (0, [1, 0], 0, 0, 0), (0, [0, 1], 1, 0, 1)]);
        assert_eq!([of(3), of(7)], [(0, [0, 2], 2, 0, 0), (0, [2, 1], 4, 1, 0)]);
        // The fourth opening is the first again.
        assert_eq!([of(9), of(11), of(17)], [(1, [0, 1], 6, 0, 2), (1, [0, 1], 7, 0, 0), (1, [1, 2], 11, 1, 0)]);
    }

    #[test]
    fn single_games_change_colours_by_the_round() {
        let schedule = Schedule { engines: 2, gauntlet: false, rounds: 3, games: 1, openings: 0 };
        let players = [0, 1, 2].map(|index| schedule.fixture(index).players);
        assert_eq!(players, [[0, 1], [1, 0], [0, 1]]);
        let fixtures = [0, 1, 2].map(|index| (schedule.fixture(index).pair, schedule.fixture(index).opening));
        assert_eq!(fixtures, [(0, 0), (1, 0), (2, 0)]);
        assert_eq!(schedule.openings_wanted(), 3);
    }

    #[test]
    fn too_many_games_are_not_counted() {
        let huge = Schedule { engines: 2, gauntlet: false, rounds: usize::MAX, games: 2, openings: 0 };
        assert_eq!((huge.checked_len(), huge.len()), (None, usize::MAX));
        assert!(Schedule { rounds: 0, ..huge }.is_empty());
    }
}
