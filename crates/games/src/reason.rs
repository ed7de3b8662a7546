//! Reasons of endings in records: the id of an ending, whose text is `ending.ID`, or a comment on it.

use crate::game::End;
use crate::record::{Outcome, Termination};
use millbrain_core::texts::Language;
use serde::{Deserialize, Deserializer};

/// The words of earlier records, and the ids in their place.
const EARLIER: [(&str, &str); 9] = [
    ("fewer than three stones", "few-stones"),
    ("the board is full", "full-board"),
    ("Brain captured", "brain-captured"),
    ("only the two Brains are left", "only-brains"),
    ("no legal move", "no-moves"),
    ("threefold repetition", "repetition"),
    ("move counter", "no-progress"),
    ("draw by the scores", "scores"),
    ("too many moves", "length"),
];

/// Returns the reason that a record gives, where earlier ones have words.
pub fn of_record(reason: String) -> String {
    let known = EARLIER.iter().find(|(words, _)| *words == reason);
    known.map_or(reason, |(_, id)| (*id).to_string())
}

/// Returns a reason in words, which are English.
pub fn in_words(reason: &str) -> &str {
    Language::default().text(&format!("ending.{reason}")).unwrap_or(reason)
}

/// Reads the reason of a record.
pub(crate) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    String::deserialize(deserializer).map(of_record)
}

/// Returns the ending that a record gives. In earlier ones the reason alone says that a side has resigned.
pub(crate) fn ending(end: End) -> End {
    let is_vague =
        matches!(end.termination, Termination::Normal | Termination::Adjudication | Termination::Resignation);
    let is_said = matches!(
        (end.outcome, end.reason.as_str()),
        (Outcome::WhiteWins, "black resigns") | (Outcome::BlackWins, "white resigns")
    );
    if is_vague && is_said {
        return End { termination: Termination::Resignation, reason: String::new(), ..end };
    }
    End { reason: of_record(end.reason), ..end }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_earlier_records_are_endings() {
        for (words, id) in EARLIER {
            assert_eq!(of_record(words.to_string()), id);
            assert_ne!(in_words(id), id, "an ending with a text");
        }
        for other in ["", "few-stones", "A was 3 ms late"] {
            assert_eq!(of_record(other.to_string()), other);
        }
        assert_eq!(in_words("A was 3 ms late"), "A was 3 ms late");
    }

    #[test]
    fn who_has_resigned_is_who_has_not_won() {
        let end = |outcome, termination, reason: &str| ending(End { outcome, termination, reason: reason.to_string() });
        let resigned =
            End { outcome: Outcome::WhiteWins, termination: Termination::Resignation, reason: String::new() };
        for termination in [Termination::Normal, Termination::Adjudication, Termination::Resignation] {
            assert_eq!(end(Outcome::WhiteWins, termination, "black resigns"), resigned);
        }
        let other = end(Outcome::BlackWins, Termination::Normal, "black resigns");
        assert_eq!((other.termination, other.reason.as_str()), (Termination::Normal, "black resigns"));
    }
}
