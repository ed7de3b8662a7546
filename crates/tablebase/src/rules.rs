//! The rules that a tablebase depends on.

use millbrain_core::merels::{self, Points};
use millbrain_core::morris::{self, Removal};
use millbrain_core::smess;
use millbrain_core::variant::Ruleset;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The rules that values in a tablebase depend on. An unknown field is an error: the values would be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "family", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TablebaseRules {
    /// Rules of the morris family.
    Morris {
        /// A side with three stones moves to any free point.
        flying: bool,
        /// The rule for removing when every enemy stone is in a mill.
        #[serde(with = "RemovalName")]
        removal: Removal,
        /// Whether the corner diagonals are lines.
        diagonals: bool,
        /// Whether a side with stones in hand may slide one. Values without stones in hand do not depend on it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        sliding: bool,
        /// The number of plies without a placement or mill that is a draw; 0 where values ignore draw counters.
        #[serde(default, skip_serializing_if = "is_zero")]
        no_mill_draw: u16,
    },
    /// Smess.
    Smess,
    /// Rules of the merels family.
    Merels {
        /// The board.
        #[serde(with = "PointsName")]
        points: Points,
        /// A side with three stones moves to any free point.
        flying: bool,
        /// Whether the first mill wins.
        first_mill_wins: bool,
        /// The rule for removing when every enemy stone is in a mill.
        #[serde(with = "RemovalName")]
        removal: Removal,
        /// Whether a side with stones in hand may slide one. Values without stones in hand do not depend on it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        sliding: bool,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
const fn is_zero(plies: &u16) -> bool {
    *plies == 0
}

/// The serialized form of [`Removal`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "Removal", rename_all = "kebab-case")]
enum RemovalName {
    IfAll,
    Never,
}

/// The serialized form of [`Points`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "Points")]
enum PointsName {
    #[serde(rename = "9")]
    Nine,
    #[serde(rename = "16")]
    Sixteen,
    #[serde(rename = "17")]
    Seventeen,
}

impl TablebaseRules {
    /// Returns these rules, with the most stones that can have tables.
    pub fn ruleset(self) -> Ruleset {
        match self {
            TablebaseRules::Morris { flying, removal, diagonals, sliding, no_mill_draw } => {
                Ruleset::Morris(morris::Rules {
                    flying,
                    removal,
                    diagonals,
                    slides_while_placing: sliding,
                    no_mill_draw,
                    ..morris::rules::MORABARABA
                })
            }
            TablebaseRules::Smess => Ruleset::Smess(smess::Rules::default()),
            TablebaseRules::Merels { points, flying, first_mill_wins, removal, sliding } => {
                Ruleset::Merels(merels::Rules {
                    points,
                    stones: 12,
                    flying,
                    first_mill_wins,
                    removal,
                    slides_while_placing: sliding,
                    ..merels::rules::SIX
                })
            }
        }
    }
}

impl fmt::Display for TablebaseRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TablebaseRules::Morris { flying, removal, diagonals, sliding, no_mill_draw } => {
                write!(f, "morris flying={flying} removal={} diagonals={diagonals}", removal.name())?;
                if *sliding {
                    f.write_str(" sliding=true")?;
                }
                if *no_mill_draw > 0 { write!(f, " no-mill-draw={no_mill_draw}") } else { Ok(()) }
            }
            TablebaseRules::Smess => f.write_str("smess"),
            TablebaseRules::Merels { points, flying, first_mill_wins, removal, sliding } => {
                write!(f, "merels points={} flying={flying} removal={}", points.name(), removal.name())?;
                if *first_mill_wins {
                    f.write_str(" first-mill-wins=true")?;
                }
                if *sliding { f.write_str(" sliding=true") } else { Ok(()) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Endings;

    #[test]
    fn rules_come_back_from_data_and_from_their_endings() {
        let switches = [false, true];
        let mut all = vec![TablebaseRules::Smess];
        for (flying, diagonals) in switches.into_iter().flat_map(|a| switches.map(|b| (a, b))) {
            all.extend([Removal::IfAll, Removal::Never].map(|removal| TablebaseRules::Morris {
                flying,
                removal,
                diagonals,
                sliding: flying && !diagonals && removal == Removal::IfAll,
                no_mill_draw: 0,
            }));
        }
        all.extend(Points::ALL.map(|points| TablebaseRules::Merels {
            points,
            flying: points == Points::Sixteen,
            first_mill_wins: points == Points::Nine,
            removal: Removal::IfAll,
            sliding: points == Points::Seventeen,
        }));
        for rules in all {
            let data = serde_json::to_string(&rules).expect("plain data");
            assert_eq!(serde_json::from_str::<TablebaseRules>(&data).expect("as written"), rules);
            assert_eq!(crate::with_endings!(rules.ruleset(), |endings| endings.rules(), else panic!("{rules}")), rules);
        }
        let more = r#"{"family": "morris", "flying": true, "removal": "never", "diagonals": true, "laps": 3}"#;
        assert!(serde_json::from_str::<TablebaseRules>(more).is_err());
    }
}
