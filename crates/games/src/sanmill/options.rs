//! The options of that program: names, values, and which options of ours they stand for.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::house_rules;

/// The type of an option, with its default.
pub enum Kind {
    /// `true` or `false`.
    Check(bool),
    /// A whole number: its default, the least and the most.
    Spin(u64, u64, u64),
    /// An action without a value.
    Button,
    /// Any text.
    Text,
}

/// What an option does.
pub enum Meaning {
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

/// An option.
pub struct Opt {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// What it does.
    pub meaning: Meaning,
}

const fn opt(name: &'static str, kind: Kind, meaning: Meaning) -> Opt {
    Opt { name, kind, meaning }
}

use Kind::{Button, Check, Spin, Text};
use Meaning::{Board, Level, Nothing, Only, Same, Time, Unheeded};

/// The highest `SkillLevel`, which is full strength.
pub const MAX_LEVEL: u64 = 30;
const FALSE: Meaning = Only(&["false"]);

/// The table.
pub const OPTIONS: &[Opt] = &[
    opt("Threads", Spin(1, 1, 512), Same("Threads")),
    opt("Hash", Spin(16, 1, 65_536), Same("Hash")),
    opt("Clear Hash", Button, Same("Clear Hash")),
    opt("Ponder", Check(false), Nothing),
    opt("MultiPV", Spin(1, 1, 500), Nothing),
    opt("SkillLevel", Spin(MAX_LEVEL, 0, MAX_LEVEL), Level),
    opt("MoveTime", Spin(1, 0, 60), Time(1_000)),
    opt("MoveTimeMs", Spin(1_000, 0, 60_000), Time(1)),
    opt("Move Overhead", Spin(10, 0, 5_000), Same("Move Overhead")),
    opt("AiIsLazy", Check(false), Nothing),
    opt("IDSEnabled", Check(true), Nothing),
    opt("DepthExtension", Check(true), Nothing),
    opt("Slow Mover", Spin(100, 10, 1_000), Nothing),
    opt("nodestime", Spin(0, 0, 10_000), Nothing),
    opt("Shuffling", Check(true), Nothing),
    opt("Algorithm", Spin(2, 0, 4), Nothing),
    opt("UsePerfectDatabase", Check(false), Nothing),
    opt("PerfectDatabasePath", Text, Nothing),
    opt("DrawOnHumanExperience", Check(true), Nothing),
    opt("ConsiderMobility", Check(true), Nothing),
    opt("FocusOnBlockingPaths", Check(true), Nothing),
    opt("DeveloperMode", Check(true), Nothing),
    opt("TrapAwareness", Check(false), Nothing),
    opt("PiecesCount", Spin(9, 9, 12), Same("Stones")),
    opt("flyPieceCount", Spin(3, 3, 4), Only(&["3"])),
    opt("PiecesAtLeastCount", Spin(3, 3, 5), Only(&["3"])),
    opt("HasDiagonalLines", Check(false), Board),
    opt("MillFormationActionInPlacingPhase", Spin(0, 0, 5), Only(&["0"])),
    opt("MayMoveInPlacingPhase", Check(false), Same("Moves While Placing")),
    opt("IsDefenderMoveFirst", Check(false), FALSE),
    opt("MayRemoveMultiple", Check(false), FALSE),
    opt("MayRemoveFromMillsAlways", Check(false), FALSE),
    opt("RestrictRepeatedMillsFormation", Check(false), FALSE),
    opt("OneTimeUseMill", Check(false), FALSE),
    opt("CustodianCaptureEnabled", Check(false), FALSE),
    opt("InterventionCaptureEnabled", Check(false), FALSE),
    opt("LeapCaptureEnabled", Check(false), FALSE),
    opt("BoardFullAction", Spin(0, 0, 4), Only(&["0", "4"])),
    opt("StopPlacingWhenTwoEmptySquares", Check(false), FALSE),
    opt("StalemateAction", Spin(0, 0, 5), Only(&["0"])),
    opt("MayFly", Check(true), Same("Flying")),
    opt("NMoveRule", Spin(100, 10, 200), Same("No Mill Draw")),
    opt("EndgameNMoveRule", Spin(100, 5, 200), Unheeded),
    opt("ThreefoldRepetitionRule", Check(true), Same("Repetition Draw")),
];

/// Options whose names begin like this are details of rules that are not played here.
const DETAILS: [&str; 3] = ["custodiancapture", "interventioncapture", "leapcapture"];

/// The option of this name, in which case does not matter.
pub fn named(name: &str) -> Option<&'static Opt> {
    OPTIONS.iter().find(|option| option.name.eq_ignore_ascii_case(name))
}

/// Whether an option of this name is a detail of rules that are not played here.
pub fn is_detail(name: &str) -> bool {
    DETAILS.iter().any(|detail| name.to_ascii_lowercase().starts_with(detail))
}

/// Whether the option of this name chooses the rules, those included that are not played here.
pub fn is_rule(name: &str) -> bool {
    match named(name).map(|option| &option.meaning) {
        Some(Same(own)) => house_rules::is_rule(own),
        Some(meaning) => matches!(meaning, Board | Only(_) | Unheeded),
        None => is_detail(name),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rule_options;
    use super::*;
    use millbrain_core::variant::Variant;

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
