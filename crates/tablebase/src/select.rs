//! Lists of sectors in words.

use super::endings::{Endings, Sector};
use millbrain_core::game::fen::shorten;
use std::str::FromStr;

/// A list of sectors as written; it is resolved once the game is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection(String);

impl FromStr for Selection {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Selection, Self::Err> {
        Ok(Selection(text.to_string()))
    }
}

/// A part of a selection that names no sector.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{part:?} names no sector, expected {expected}, FROM..TO, a number of stones or pieces, or all")]
pub struct NoSector {
    part: String,
    expected: String,
}

impl Selection {
    /// The sectors in building order, with or without those with stones in hand.
    ///
    /// # Errors
    /// A part that names no sector of these endings.
    pub fn resolve<E: Endings>(&self, endings: &E, in_hand: bool) -> Result<Vec<Sector>, NoSector> {
        let all: Vec<Sector> =
            endings.sectors().into_iter().filter(|&sector| in_hand || !endings.in_hand(sector)).collect();
        let mut chosen = vec![false; all.len()];
        for part in self.0.split(',').map(str::trim) {
            let before = chosen.iter().filter(|&&chosen| chosen).count();
            let named = |name: &str| all.iter().copied().find(|&s| endings.name(s).eq_ignore_ascii_case(name));
            let mut choose = |wanted: &dyn Fn(Sector) -> bool| {
                all.iter().zip(&mut chosen).for_each(|(&sector, chosen)| *chosen |= wanted(sector));
            };
            if part.eq_ignore_ascii_case("all") {
                choose(&|_| true);
            } else if let Ok(max) = part.parse::<u32>() {
                choose(&|sector| endings.pieces(sector) <= max);
            } else if let Some((from, to)) = part.split_once("..") {
                if let (Some(from), Some(to)) = (named(from), named(to)) {
                    choose(&|sector| endings.is_between(sector, from, to));
                }
            } else if let Some(only) = named(part) {
                choose(&|sector| sector == only);
            }
            let after = chosen.iter().filter(|&&chosen| chosen).count();
            if after == before && !(before > 0 && named(part).is_some()) {
                let names = [all.first(), all.last()].map(|s| s.map_or_else(String::new, |&s| endings.name(s)));
                return Err(NoSector {
                    part: shorten(part),
                    expected: format!("a name from {} to {}", names[0], names[1]),
                });
            }
        }
        Ok(all.into_iter().zip(chosen).filter(|&(_, chosen)| chosen).map(|(sector, _)| sector).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MorrisEndings;
    use millbrain_core::morris::FLYING;

    fn resolve(text: &str) -> Result<Vec<String>, NoSector> {
        let endings = MorrisEndings::<FLYING>::new(9);
        let selection: Selection = text.parse().expect("any text");
        let sectors = selection.resolve(&endings, false)?;
        Ok(sectors.into_iter().map(|sector| endings.name(sector)).collect())
    }

    #[test]
    fn sectors_are_selected_by_name_range_and_size() {
        assert_eq!(resolve("4-3"), Ok(vec!["4-3".to_string()]));
        assert_eq!(resolve("3-3..9-9").map(|sectors| sectors.len()), Ok(49));
        assert_eq!(resolve("all").map(|sectors| sectors.len()), Ok(49));
        assert_eq!(resolve("7").map(|sectors| sectors.len()), Ok(3));
        assert_eq!(resolve("3-3, 4-4 ,3-3").map(|sectors| sectors.len()), Ok(2));
        for wrong in ["", "2-3", "10-3", "3-3..2-2", "5", "x", "3-3,y"] {
            assert!(
                resolve(wrong).is_err_and(|error| error.to_string().contains("expected a name from 3-3 to 9-9")),
                "{wrong}"
            );
        }
    }
}
