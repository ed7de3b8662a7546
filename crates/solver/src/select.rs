//! Lists of sectors as text.

use millbrain_core::game::fen::shorten;
use millbrain_tablebase::{Endings, Sector};
use std::collections::HashSet;
use std::str::FromStr;

/// A list of sectors as text; it is resolved once the game is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection(String);

impl FromStr for Selection {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Selection, Self::Err> {
        Ok(Selection(text.to_string()))
    }
}

/// The error for a part of a selection that names no sector.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{part:?} names no sector, expected {expected}")]
pub struct NoSector {
    part: String,
    expected: String,
}

impl Selection {
    /// Returns the sectors in building order, with or without those with stones in hand; `game` always includes these.
    ///
    /// # Errors
    /// Fails if a part names no sector of these endings.
    pub fn resolve<E: Endings>(&self, endings: &E, in_hand: bool) -> Result<Vec<Sector>, NoSector> {
        let all = endings.sectors();
        let game = endings.start().filter(|start| all.contains(start));
        let mut chosen = vec![false; all.len()];
        let named: Vec<Sector> = all.iter().copied().filter(|&sector| in_hand || !endings.in_hand(sector)).collect();
        for part in self.0.split(',').map(str::trim) {
            let wanted = wanted(part, endings, &named, game);
            if wanted.is_empty() {
                let names = [named.first(), named.last()].map(|s| s.map_or_else(String::new, |&s| endings.name(s)));
                let words = if game.is_some() { "all, or game" } else { "or all" };
                return Err(NoSector {
                    part: shorten(part),
                    expected: format!(
                        "a name from {} to {}, FROM..TO, a number of stones or pieces, {words}",
                        names[0], names[1]
                    ),
                });
            }
            chosen.iter_mut().zip(&all).for_each(|(chosen, sector)| *chosen |= wanted.contains(sector));
        }
        Ok(all.into_iter().zip(chosen).filter(|&(_, chosen)| chosen).map(|(sector, _)| sector).collect())
    }
}

/// Returns the sectors that a word of a list stands for, given those that can be named and the start sector.
fn wanted<E: Endings>(part: &str, endings: &E, named: &[Sector], game: Option<Sector>) -> HashSet<Sector> {
    let by_name = |name: &str| named.iter().copied().find(|&s| endings.name(s).eq_ignore_ascii_case(name));
    let all = named.iter().copied();
    if part.eq_ignore_ascii_case("game") {
        game.map(|start| endings.with_dependencies(&[start])).into_iter().flatten().collect()
    } else if part.eq_ignore_ascii_case("all") {
        all.collect()
    } else if let Ok(max) = part.parse::<u32>() {
        all.filter(|&sector| endings.pieces(sector) <= max).collect()
    } else if let Some((from, to)) = part.split_once("..") {
        let ends = by_name(from).zip(by_name(to));
        all.filter(|&sector| ends.is_some_and(|(from, to)| endings.is_between(sector, from, to))).collect()
    } else {
        by_name(part).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::morris::FLYING;
    use millbrain_tablebase::{MorrisEndings, SmessEndings};

    fn resolve(text: &str) -> Result<Vec<String>, NoSector> {
        let endings = MorrisEndings::new(FLYING, 9);
        let selection: Selection = text.parse().expect("any text");
        let sectors = selection.resolve(&endings, false)?;
        Ok(sectors.into_iter().map(|sector| endings.name(sector)).collect())
    }

    #[test]
    fn sectors_are_selected_by_name_range_and_size() {
        assert_eq!(resolve("4-3"), Ok(vec!["4-3".to_string()]));
        assert_eq!(resolve("3-3..9-9").map(|sectors| sectors.len()), Ok(49));
        let mut range = resolve("4-3..5-4").expect("sectors");
        range.sort();
        assert_eq!(range, ["4-3", "4-4", "5-3", "5-4"]);
        assert_eq!(resolve("all").map(|sectors| sectors.len()), Ok(49));
        assert_eq!(resolve("7").map(|sectors| sectors.len()), Ok(3));
        assert_eq!(resolve("3-3, 4-4 ,3-3").map(|sectors| sectors.len()), Ok(2));
        for wrong in ["", "2-3", "10-3", "3-3..2-2", "5", "x", "3-3,y"] {
            assert!(
                resolve(wrong).is_err_and(|error| error.to_string().contains("expected a name from 3-3 to 9-9")),
                "{wrong}"
            );
        }
        assert!(resolve("game").is_err_and(|error| error.to_string().ends_with("or all")), "without stones in hand");
    }

    /// Between two sectors of Smess lie those that have no fewer and no more pieces of each kind on either side.
    #[test]
    fn ranges_of_smess_go_by_the_kinds_of_pieces() {
        let resolve = |text: &str| {
            let sectors = text.parse::<Selection>().expect("any text").resolve(&SmessEndings, false)?;
            let mut names: Vec<String> = sectors.into_iter().map(|sector| SmessEndings.name(sector)).collect();
            names.sort();
            Ok::<_, NoSector>(names.join(" "))
        };
        assert_eq!(resolve("BS-B..BSS-B").as_deref(), Ok("BS-B BSS-B"));
        assert_eq!(resolve("BN-B..BSN-B").as_deref(), Ok("BN-B BSN-B"));
        assert_eq!(resolve("B-BS..BN-BS").as_deref(), Ok("B-BS BN-BS"));
        assert_eq!(resolve("BS-B..BS-BS").as_deref(), Ok("BS-B BS-BS"));
        assert_eq!(resolve("b-bn..bn-bn").as_deref(), Ok("B-BN BN-BN"));
        assert_eq!(resolve("B-BN..B-BSN,BSS-B").as_deref(), Ok("B-BN B-BSN BSS-B"));
        for empty in ["BSS-B..BS-B", "BS-B..BN-B", "BS-B..B-BSS"] {
            assert!(resolve(empty).is_err_and(|error| error.to_string().contains(empty)), "{empty}");
        }
    }

    #[test]
    fn the_game_is_all_that_follows_from_the_start() {
        let endings = MorrisEndings::new(FLYING, 9).with_placing(true);
        let resolve = |text: &str| {
            let selection: Selection = text.parse().expect("any text");
            selection.resolve(&endings, false)
        };
        let game = resolve("Game").expect("known");
        let moving = game.iter().filter(|&&sector| !endings.in_hand(sector)).count();
        assert_eq!((moving, game.len()), (49, 49 + 449));
        assert_eq!(game.last().map(|&last| endings.name(last)), Some("0+9-0+9".to_string()));
        assert_eq!(resolve("3-3,game"), Ok(game));
        assert_eq!(resolve("all").map(|sectors| sectors.len()), Ok(49));
        assert!(resolve("8+1-9+0").is_err_and(|error| error.to_string().ends_with("all, or game")));
    }
}
