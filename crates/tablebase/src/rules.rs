//! The rules that a tablebase is of.

use millbrain_core::morris::{self, Removal};
use millbrain_core::smess;
use millbrain_core::variant::Ruleset;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The rules that values in a tablebase depend on. A field that is not known is an error: the values would be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "family", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TablebaseRules {
    /// Of the morris family.
    Morris {
        /// A side with three stones moves to any free point.
        flying: bool,
        /// What happens when every enemy stone stands in a mill.
        #[serde(with = "RemovalName")]
        removal: Removal,
        /// The corner diagonals are lines.
        diagonals: bool,
        /// A side with stones in hand may slide one. Values without stones in hand do not depend on it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        sliding: bool,
    },
    /// Smess.
    Smess,
}

/// How [`Removal`] is written.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Removal", rename_all = "kebab-case")]
enum RemovalName {
    IfAll,
    Never,
}

impl TablebaseRules {
    /// These rules, with the most stones that there can be tables of.
    pub fn ruleset(self) -> Ruleset {
        match self {
            TablebaseRules::Morris { flying, removal, diagonals, sliding } => Ruleset::Morris(morris::Rules {
                flying,
                removal,
                diagonals,
                slides_while_placing: sliding,
                ..morris::rules::MORABARABA
            }),
            TablebaseRules::Smess => Ruleset::Smess(smess::Rules::default()),
        }
    }

    /// The rules in the words that [`fmt::Display`] has for them.
    pub(super) fn from_words(text: &str) -> Option<TablebaseRules> {
        if text == "smess" {
            return Some(TablebaseRules::Smess);
        }
        let mut words = text.strip_prefix("morris ")?.split(' ');
        let mut field = |name| words.next()?.strip_prefix(name);
        let flying = field("flying=")?.parse().ok()?;
        let removal = field("removal=")?;
        let removal = [Removal::IfAll, Removal::Never].into_iter().find(|known| known.name() == removal)?;
        let diagonals = field("diagonals=")?.parse().ok()?;
        let sliding = match words.next() {
            None => false,
            Some("sliding=true") => true,
            Some(_) => return None,
        };
        words.next().is_none().then_some(TablebaseRules::Morris { flying, removal, diagonals, sliding })
    }
}

impl fmt::Display for TablebaseRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TablebaseRules::Morris { flying, removal, diagonals, sliding } => {
                write!(f, "morris flying={flying} removal={} diagonals={diagonals}", removal.name())?;
                if *sliding { f.write_str(" sliding=true") } else { Ok(()) }
            }
            TablebaseRules::Smess => f.write_str("smess"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Endings;

    #[test]
    fn words_and_data_say_the_same() {
        let switches = [false, true];
        let mut all = vec![TablebaseRules::Smess];
        for (flying, diagonals) in switches.into_iter().flat_map(|a| switches.map(|b| (a, b))) {
            all.extend([Removal::IfAll, Removal::Never].map(|removal| TablebaseRules::Morris {
                flying,
                removal,
                diagonals,
                sliding: flying && !diagonals && removal == Removal::IfAll,
            }));
        }
        for rules in all {
            assert_eq!(TablebaseRules::from_words(&rules.to_string()), Some(rules));
            let data = serde_json::to_string(&rules).expect("plain data");
            assert_eq!(serde_json::from_str::<TablebaseRules>(&data).expect("as written"), rules);
            assert_eq!(crate::with_endings!(rules.ruleset(), |endings| endings.rules(), else panic!("{rules}")), rules);
        }
        for wrong in [
            "",
            "morris",
            "smess ",
            "morris flying=true removal=if-all",
            "morris flying=1 removal=never diagonals=true",
        ] {
            assert_eq!(TablebaseRules::from_words(wrong), None, "{wrong}");
        }
        let more = "morris flying=true removal=never diagonals=true laps=3";
        assert_eq!(TablebaseRules::from_words(more), None);
        let more = r#"{"family": "morris", "flying": true, "removal": "never", "diagonals": true, "laps": 3}"#;
        assert!(serde_json::from_str::<TablebaseRules>(more).is_err());
    }
}
