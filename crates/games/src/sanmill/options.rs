//! The options of that program that choose its rules.

/// The options that choose the rules, including rules that this engine does not play.
const RULES: [&str; 18] = [
    "PiecesCount",
    "flyPieceCount",
    "PiecesAtLeastCount",
    "HasDiagonalLines",
    "MillFormationActionInPlacingPhase",
    "MayMoveInPlacingPhase",
    "IsDefenderMoveFirst",
    "MayRemoveMultiple",
    "MayRemoveFromMillsAlways",
    "RestrictRepeatedMillsFormation",
    "OneTimeUseMill",
    "BoardFullAction",
    "StopPlacingWhenTwoEmptySquares",
    "StalemateAction",
    "MayFly",
    "NMoveRule",
    "EndgameNMoveRule",
    "ThreefoldRepetitionRule",
];
/// The prefixes of options for rules that this engine does not play.
const CAPTURES: [&str; 3] = ["CustodianCapture", "InterventionCapture", "LeapCapture"];

/// Returns whether the option of this name chooses the rules, ignoring case.
pub fn is_rule(name: &str) -> bool {
    let begins = |start: &&str| name.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start));
    RULES.iter().any(|rule| rule.eq_ignore_ascii_case(name)) || CAPTURES.iter().any(begins)
}

#[cfg(test)]
mod tests {
    use super::super::rule_options;
    use super::*;
    use millbrain_core::variant::Variant;

    #[test]
    fn options_of_rules_are_reported_from_others() {
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
