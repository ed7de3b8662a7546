//! The options of the dialect: names, values and what they mean here.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::super::options::{OPTIONS, Opt};
use crate::fen::shorten;
use crate::search::strength;

/// The type of an option, with its default.
enum Kind {
    Check(bool),
    Spin(u64, u64, u64),
    Button,
    Text,
}

/// What an option does.
enum Meaning {
    /// What the option of this name does here.
    Same(&'static str),
    /// `HasDiagonalLines`: the board.
    Board,
    /// `SkillLevel`.
    Level,
    /// `MoveTime` and `MoveTimeMs`: the time of a search, in so many milliseconds.
    Time(u64),
    /// Rules that are not played here: no other values are taken.
    Only(&'static [&'static str]),
    /// A rule that is not followed.
    Unheeded,
    /// Nothing.
    Nothing,
}

use Kind::{Button, Check, Spin, Text};
use Meaning::{Board, Level, Nothing, Only, Same, Time, Unheeded};

/// The highest `SkillLevel`, which is full strength.
const MAX_LEVEL: u64 = 30;
const FALSE: Meaning = Only(&["false"]);

/// The table.
const TABLE: &[(&str, Kind, Meaning)] = &[
    ("Threads", Spin(1, 1, 512), Same("Threads")),
    ("Hash", Spin(16, 1, 65_536), Same("Hash")),
    ("Clear Hash", Button, Same("Clear Hash")),
    ("Ponder", Check(false), Nothing),
    ("MultiPV", Spin(1, 1, 500), Nothing),
    ("SkillLevel", Spin(MAX_LEVEL, 0, MAX_LEVEL), Level),
    ("MoveTime", Spin(1, 0, 60), Time(1_000)),
    ("MoveTimeMs", Spin(1_000, 0, 60_000), Time(1)),
    ("Move Overhead", Spin(10, 0, 5_000), Same("Move Overhead")),
    ("AiIsLazy", Check(false), Nothing),
    ("IDSEnabled", Check(true), Nothing),
    ("DepthExtension", Check(true), Nothing),
    ("Slow Mover", Spin(100, 10, 1_000), Nothing),
    ("nodestime", Spin(0, 0, 10_000), Nothing),
    ("Shuffling", Check(true), Nothing),
    ("Algorithm", Spin(2, 0, 4), Nothing),
    ("UsePerfectDatabase", Check(false), Nothing),
    ("PerfectDatabasePath", Text, Nothing),
    ("DrawOnHumanExperience", Check(true), Nothing),
    ("ConsiderMobility", Check(true), Nothing),
    ("FocusOnBlockingPaths", Check(true), Nothing),
    ("DeveloperMode", Check(true), Nothing),
    ("TrapAwareness", Check(false), Nothing),
    ("PiecesCount", Spin(9, 9, 12), Same("Stones")),
    ("flyPieceCount", Spin(3, 3, 4), Only(&["3"])),
    ("PiecesAtLeastCount", Spin(3, 3, 5), Only(&["3"])),
    ("HasDiagonalLines", Check(false), Board),
    ("MillFormationActionInPlacingPhase", Spin(0, 0, 5), Only(&["0"])),
    ("MayMoveInPlacingPhase", Check(false), Same("Moves While Placing")),
    ("IsDefenderMoveFirst", Check(false), FALSE),
    ("MayRemoveMultiple", Check(false), FALSE),
    ("MayRemoveFromMillsAlways", Check(false), FALSE),
    ("RestrictRepeatedMillsFormation", Check(false), FALSE),
    ("OneTimeUseMill", Check(false), FALSE),
    ("CustodianCaptureEnabled", Check(false), FALSE),
    ("InterventionCaptureEnabled", Check(false), FALSE),
    ("LeapCaptureEnabled", Check(false), FALSE),
    ("BoardFullAction", Spin(0, 0, 4), Only(&["0", "4"])),
    ("StopPlacingWhenTwoEmptySquares", Check(false), FALSE),
    ("StalemateAction", Spin(0, 0, 5), Only(&["0"])),
    ("MayFly", Check(true), Same("Flying")),
    ("NMoveRule", Spin(100, 10, 200), Same("No Mill Draw")),
    ("EndgameNMoveRule", Spin(100, 5, 200), Unheeded),
    ("ThreefoldRepetitionRule", Check(true), Same("Repetition Draw")),
];

/// Options whose names begin like this are details of rules that are not played here.
const DETAILS: [&str; 3] = ["custodiancapture", "interventioncapture", "leapcapture"];

/// The option of this name, in which case does not matter.
fn named(name: &str) -> Option<&'static (&'static str, Kind, Meaning)> {
    TABLE.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name))
}

fn is_detail(name: &str) -> bool {
    DETAILS.iter().any(|detail| name.to_lowercase().starts_with(detail))
}

/// Whether the option of this name chooses the rules, those included that are not played here.
pub fn is_rule(name: &str) -> bool {
    match named(name) {
        Some((_, _, Same(own))) => Opt::named(own).is_some_and(Opt::is_rule),
        Some((_, _, meaning)) => matches!(meaning, Board | Only(_) | Unheeded),
        None => is_detail(name),
    }
}

/// What the layer itself keeps of the options.
pub struct Options {
    /// Milliseconds of a search; 0 for no limit.
    pub move_time: u64,
    /// `SkillLevel`.
    level: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { move_time: 1_000, level: MAX_LEVEL }
    }
}

/// The lines that list the options.
pub fn lines() -> impl Iterator<Item = String> {
    TABLE.iter().map(|(name, kind, _)| match kind {
        Check(on) => format!("option name {name} type check default {on}"),
        Spin(default, min, max) => format!("option name {name} type spin default {default} min {min} max {max}"),
        Button => format!("option name {name} type button"),
        Text => format!("option name {name} type string default <empty>"),
    })
}

impl Options {
    /// Depth of a search without a limit of time.
    pub fn depth(&self) -> u64 {
        self.level.max(1)
    }

    /// Sets an option by its name, in which case does not matter; returns what the session is to be told, if anything.
    ///
    /// # Errors
    /// An unknown name, or a value that is not taken; nothing has changed then.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Option<String>, String> {
        let Some((name, kind, meaning)) = named(name) else {
            let fault = || format!("unknown option {:?}, expected one that 'uci' lists", shorten(name));
            return if is_detail(name) { Ok(None) } else { Err(fault()) };
        };
        let value = value.map(str::trim).unwrap_or_default();
        let taken = match kind {
            Check(_) => ["true", "false"].contains(&value),
            Spin(_, min, max) => value.parse().is_ok_and(|number| (min..=max).contains(&&number)),
            Button | Text => true,
        };
        if !taken {
            let expected = match kind {
                Spin(_, min, max) => format!("a number from {min} to {max}"),
                _ => "true or false".to_string(),
            };
            return Err(format!("invalid value {:?} for {name}: expected {expected}", shorten(value)));
        }
        let number = value.parse().unwrap_or_default();
        Ok(match meaning {
            Same(own) => Some(format!("setoption name {own} value {value}")),
            Board => {
                let board = if value == "true" { "diagonals" } else { "plain" };
                Some(format!("setoption name Board value {board}"))
            }
            Level => {
                self.level = number;
                let full = u64::from(strength::FULL);
                Some(format!("setoption name Skill Level value {}", (number * full + MAX_LEVEL / 2) / MAX_LEVEL))
            }
            Time(milliseconds) => {
                self.move_time = number * milliseconds;
                None
            }
            Only(values) if !values.contains(&value) => {
                let expected = values.join(" or ");
                return Err(format!("{name} {value} is not played here, expected {expected}"));
            }
            Only(_) | Unheeded | Nothing => None,
        })
    }
}

/// Whether an option of the session changes the rules, and with them the position.
pub fn changes_rules(command: &str) -> bool {
    OPTIONS
        .iter()
        .filter(|option| option.is_rule())
        .any(|option| command.starts_with(&format!("setoption name {} ", option.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanmill::rule_options;
    use crate::variant::Variant;

    #[test]
    fn options_of_rules_are_told_from_others() {
        let set_by_variants = Variant::ALL.iter().filter_map(|variant| rule_options(variant.rules())).flatten();
        let mut rules: Vec<&str> = set_by_variants.map(|(name, _)| name).collect();
        assert!(rules.len() >= 5 * 8);
        rules.extend(["mayfly", "OneTimeUseMill", "flyPieceCount", "StalemateAction", "CustodianCaptureOnCrossLines"]);
        for name in rules {
            assert!(is_rule(name), "{name}");
        }
        for name in ["SkillLevel", "Hash", "MoveTimeMs", "IDSEnabled", "DeveloperMode", "Speed", ""] {
            assert!(!is_rule(name), "{name}");
        }
    }
}
