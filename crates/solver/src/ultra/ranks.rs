//! The ranks of sectors: how good it is to stay in them.

use millbrain_tablebase::ultra::Ranks;
use millbrain_tablebase::{Endings, Sector, Tally};

/// The advantage of a sector over an even one, as a fraction: wins less losses of its side among all positions of the
/// sector and its partner.
#[derive(Clone, Copy)]
struct Surplus {
    wins: i128,
    positions: i128,
}

impl Surplus {
    fn of(own: &Tally, partner: &Tally) -> Surplus {
        let (own, partner) = (own.unreduced, partner.unreduced);
        let wins =
            i128::from(own.wins) + i128::from(partner.losses) - i128::from(own.losses) - i128::from(partner.wins);
        Surplus { wins, positions: (i128::from(own.total()) + i128::from(partner.total())).max(1) }
    }

    fn cmp(&self, other: &Surplus) -> std::cmp::Ordering {
        (self.wins * other.positions).cmp(&(other.wins * self.positions))
    }
}

/// Returns the ranks of all sectors without stones in hand that are finished.
pub(crate) fn ranks<'a, E: Endings>(endings: &E, tally: impl Fn(Sector) -> Option<&'a Tally>) -> Ranks {
    let moving = endings.sectors().into_iter().filter(|&sector| !endings.in_hand(sector));
    let surplus = |sector: Sector| Some((sector, Surplus::of(tally(sector)?, tally(sector.partner())?)));
    let all: Vec<(Sector, Surplus)> = moving.filter_map(surplus).collect();
    let mut better: Vec<Surplus> = all.iter().map(|&(_, surplus)| surplus).filter(|surplus| surplus.wins > 0).collect();
    better.sort_by(Surplus::cmp);
    better.dedup_by(|a, b| a.cmp(b).is_eq());
    let rank = |surplus: Surplus| {
        let size = Surplus { wins: surplus.wins.abs(), ..surplus };
        let place = better.binary_search_by(|other| other.cmp(&size)).map_or(0, |place| place as i32 + 1);
        place * surplus.wins.signum() as i32
    };
    all.into_iter().map(|(sector, surplus)| (endings.name(sector), rank(surplus))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::morris::FLYING;
    use millbrain_tablebase::{Counts, MorrisEndings};

    #[test]
    fn sectors_are_ranked_by_wins_and_losses() {
        let endings = MorrisEndings::new(FLYING, 5);
        let tally = |wins, losses, draws| Tally { unreduced: Counts { wins, losses, draws }, ..Tally::default() };
        let tallies = [
            ("3-3", tally(8, 1, 1)),
            ("4-3", tally(5, 0, 5)),
            ("3-4", tally(3, 0, 7)),
            ("4-4", tally(0, 9, 1)),
            ("5-3", tally(9, 0, 1)),
            ("3-5", tally(0, 0, 10)),
            ("5-4", tally(1, 3, 6)),
            ("4-5", tally(6, 2, 2)),
        ];
        let found = ranks(&endings, |sector| {
            tallies.iter().find(|(name, _)| *name == endings.name(sector)).map(|(_, tally)| tally)
        });
        let expected =
            [("3-3", 0), ("3-4", -1), ("3-5", -3), ("4-3", 1), ("4-4", 0), ("4-5", 2), ("5-3", 3), ("5-4", -2)];
        assert_eq!(found, expected.map(|(name, rank)| (name.to_string(), rank)).into(), "5-5 is not finished");
    }
}
