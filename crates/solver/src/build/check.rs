//! Checks of a sector's figures before its tables are written, without solving it.
//!
//! The number of positions follows from the symmetries by a formula. Distances are linked. A win in `n` plies needs a
//! move to a loss in exactly `n - 1`, and a loss in `n` one to a win in `n - 1`. So the longest win of a sector is at
//! most one ply longer than the longest loss one ply on, and vice versa.

use crate::solvable::Solvable;
use crate::solve::Extent;
use millbrain_tablebase::Sector;
use millbrain_tablebase::{Longest, Tally};

/// A contradiction between a solved sector and the figures known without solving it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Contradiction {
    /// The number of positions is wrong, a position and its images counted once.
    #[error("{sector}: {found} positions counted, expected {expected}")]
    Reduced {
        /// Name of the sector.
        sector: String,
        /// Positions counted.
        found: u64,
        /// Positions by the formula.
        expected: u64,
    },
    /// The number of positions is wrong, every image counted.
    #[error("{sector}: {found} positions counted with all images, expected {expected}")]
    Unreduced {
        /// Name of the sector.
        sector: String,
        /// Positions counted.
        found: u64,
        /// Positions by the formula.
        expected: u64,
    },
    /// A win has no loss that it could lead to.
    #[error(
        "{sector}: longest win of {found} plies, expected at most {limit}: one more than the longest loss one ply on"
    )]
    Win {
        /// Name of the sector.
        sector: String,
        /// The longest win in plies.
        found: u32,
        /// One more than the longest loss one ply on.
        limit: u32,
    },
    /// A loss has no win that it could lead to.
    #[error(
        "{sector}: longest loss of {found} plies, expected at most {limit}: one more than the longest win one ply on"
    )]
    Loss {
        /// Name of the sector.
        sector: String,
        /// The longest loss in plies.
        found: u32,
        /// One more than the longest win one ply on, or 0 if there is no win.
        limit: u32,
    },
}

/// Checks the tallies of a [pair](millbrain_tablebase::Endings::pair) that has just been solved. `finished` has those
/// of the sectors that moves out of the pair lead to; without all of them no bound on the distances is known.
///
/// # Errors
/// Fails with the first contradiction.
pub(crate) fn check<'a, E: Solvable>(
    endings: &E,
    solved: &'a [(Sector, Tally)],
    finished: impl Fn(Sector) -> Option<&'a Tally>,
) -> Result<(), Contradiction> {
    let tally_of = |sector| match solved.iter().find(|(of, _)| *of == sector) {
        Some((_, tally)) => Some(tally),
        None => finished(sector),
    };
    for (sector, tally) in solved {
        check_extent(endings, *sector, tally)?;
        let next: Option<Vec<&Tally>> = endings.successors(*sector).into_iter().map(tally_of).collect();
        if let Some(next) = next {
            check_longest(endings.name(*sector), tally, &next)?;
        }
    }
    Ok(())
}

fn check_extent<E: Solvable>(endings: &E, sector: Sector, tally: &Tally) -> Result<(), Contradiction> {
    let Extent { reduced, unreduced } = endings.extent(sector);
    let found = tally.reduced.total();
    if found != reduced {
        return Err(Contradiction::Reduced { sector: endings.name(sector), found, expected: reduced });
    }
    let found = tally.unreduced.total();
    if found != unreduced {
        return Err(Contradiction::Unreduced { sector: endings.name(sector), found, expected: unreduced });
    }
    Ok(())
}

/// Checks the longest distances of a sector against those of the sectors that its moves lead to.
fn check_longest(sector: String, tally: &Tally, next: &[&Tally]) -> Result<(), Contradiction> {
    let plies = |longest: &Option<Longest>| longest.as_ref().map(|longest| longest.plies);
    // A move may also end the game, which is a loss in no plies for the other side.
    let longest_loss = next.iter().filter_map(|tally| plies(&tally.longest_loss)).max().unwrap_or(0);
    if let Some(found) = plies(&tally.longest_win).filter(|&found| found > longest_loss + 1) {
        return Err(Contradiction::Win { sector, found, limit: longest_loss + 1 });
    }
    // A side without a move has lost in no plies.
    let limit =
        next.iter().filter_map(|tally| plies(&tally.longest_win)).max().map_or(0, |longest_win| longest_win + 1);
    if let Some(found) = plies(&tally.longest_loss).filter(|&found| found > limit) {
        return Err(Contradiction::Loss { sector, found, limit });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::count::tally;
    use crate::tests::solve_in_memory;
    use millbrain_core::morris::FLYING;
    use millbrain_tablebase::Counts;
    use millbrain_tablebase::Endings;
    use millbrain_tablebase::{MorrisEndings, SmessEndings};
    use std::collections::HashMap;

    /// The 49 sectors of the moving phase, with the columns of `tests/data/morris.tsv`.
    const MOVING_PHASE: &str = include_str!("../../tests/data/morris.tsv");

    type Tallies = HashMap<Sector, Tally>;

    fn check_all<E: Solvable>(endings: &E, tallies: &Tallies) -> Result<(), Contradiction> {
        let mut sectors: Vec<Sector> = tallies.keys().copied().collect();
        sectors.sort_unstable();
        sectors.into_iter().try_for_each(|sector| {
            let solved = [(sector, tallies[&sector].clone())];
            check(endings, &solved, |sector| tallies.get(&sector))
        })
    }

    fn longest(plies: &str) -> Option<Longest> {
        plies.parse().ok().map(|plies| Longest { plies, fen: String::new() })
    }

    fn moving_phase() -> (MorrisEndings, Tallies) {
        let endings = MorrisEndings::new(FLYING, 9);
        let tally_of = |line: &str| {
            let fields: Vec<&str> = line.split('\t').collect();
            let counts = |first: usize| {
                let [wins, losses, draws] = [0, 1, 2].map(|i| fields[first + i].parse().expect("a number"));
                Counts { wins, losses, draws }
            };
            let sector = endings.sectors().into_iter().find(|&sector| endings.name(sector) == fields[0]);
            let (longest_win, longest_loss) = (longest(fields[7]), longest(fields[8]));
            (sector.expect("a sector"), Tally { reduced: counts(1), unreduced: counts(4), longest_win, longest_loss })
        };
        let tallies = MOVING_PHASE.lines().filter(|line| !line.starts_with('#')).map(tally_of).collect();
        (endings, tallies)
    }

    #[test]
    fn nothing_contradicts_the_known_figures_of_the_moving_phase() {
        let (endings, tallies) = moving_phase();
        assert_eq!(tallies.len(), 49);
        assert_eq!(check_all(&endings, &tallies), Ok(()));
        assert_eq!(tallies.values().map(|tally| tally.reduced.total()).sum::<u64>(), 8_904_593_601);
        let longest = |of: fn(&Tally) -> &Option<Longest>| {
            tallies.values().filter_map(|tally| of(tally).as_ref()).map(|longest| longest.plies).max()
        };
        assert_eq!([longest(|t| &t.longest_win), longest(|t| &t.longest_loss)], [Some(203), Some(204)]);
    }

    /// Returns the message after the tally of a sector of the moving phase is changed.
    fn said_after(name: &str, change: impl Fn(&mut Tally)) -> String {
        let (endings, mut tallies) = moving_phase();
        let sector = endings.sectors().into_iter().find(|&sector| endings.name(sector) == name).expect("a sector");
        change(tallies.get_mut(&sector).expect("known"));
        check_all(&endings, &tallies).expect_err("a contradiction").to_string()
    }

    #[test]
    fn wrong_figures_are_reported_in_a_line() {
        let said = said_after("5-3", |tally| tally.reduced.wins += 1);
        assert_eq!(said, "5-3: 2580391 positions counted, expected 2580390");
        let said = said_after("5-3", |tally| tally.unreduced.draws -= 1);
        assert_eq!(said, "5-3: 41186375 positions counted with all images, expected 41186376");
        let said = said_after("8-7", |tally| tally.longest_win = longest("207"));
        let limit = "expected at most 205: one more than the longest loss one ply on";
        assert_eq!(said, format!("8-7: longest win of 207 plies, {limit}"));
        let said = said_after("7-8", |tally| tally.longest_loss = longest("206"));
        let limit = "expected at most 204: one more than the longest win one ply on";
        assert_eq!(said, format!("7-8: longest loss of 206 plies, {limit}"));
    }

    #[test]
    fn a_loss_needs_a_win_one_ply_on_unless_there_is_no_move() {
        let tally = |longest_win, longest_loss| Tally {
            reduced: Counts::default(),
            unreduced: Counts::default(),
            longest_win: longest(longest_win),
            longest_loss: longest(longest_loss),
        };
        let check = |tally: Tally, next: Tally| check_longest(String::new(), &tally, &[&next]);
        assert_eq!(check(tally("-", "0"), tally("-", "-")), Ok(()));
        assert!(matches!(check(tally("-", "2"), tally("-", "9")), Err(Contradiction::Loss { limit: 0, .. })));
        assert_eq!(check(tally("1", "-"), tally("-", "-")), Ok(()), "a move may end the game");
        assert!(matches!(check(tally("3", "-"), tally("9", "-")), Err(Contradiction::Win { limit: 1, .. })));
    }

    fn solved_sectors_pass<E: Solvable>(endings: &E, name: &str) {
        let wanted = endings.sectors().into_iter().find(|&sector| endings.name(sector) == name).expect("a sector");
        let solved = solve_in_memory(endings, &[wanted]);
        let tallies = solved.into_iter().map(|(sector, codes)| (sector, tally(endings, sector, &codes))).collect();
        assert_eq!(check_all(endings, &tallies), Ok(()));
    }

    #[test]
    fn solved_sectors_do_not_contradict_what_is_known() {
        solved_sectors_pass(&SmessEndings, "BN-B");
        solved_sectors_pass(&MorrisEndings::new(FLYING, 4).with_placing(true), "3+1-3+1");
        solved_sectors_pass(&MorrisEndings::new(0, 3).with_placing(true), "0+3-0+3");
    }
}
