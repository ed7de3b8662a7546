//! The options that an engine advertises, the values they accept, and its complaints about settings.

use std::collections::HashMap;

/// Maximum options stored per engine, so that an endless list does not fill the memory.
const MAX_OPTIONS: usize = 1_000;

/// The values that an option accepts. Details that the engine omits are not checked.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    Check,
    Spin {
        min: Option<i128>,
        max: Option<i128>,
    },
    Combo(Vec<String>),
    Button,
    /// A string, or an unknown type.
    Any,
}

impl Kind {
    /// Parses the text after the word `type`.
    fn read(text: &str) -> Kind {
        let words: Vec<&str> = text.split(' ').collect();
        let bound = |name| {
            let at = words.iter().position(|&word| word == name)?;
            words.get(at + 1)?.parse().ok()
        };
        match words[0] {
            "check" => Kind::Check,
            "spin" => Kind::Spin { min: bound("min"), max: bound("max") },
            "combo" => Kind::Combo(text.split(" var ").skip(1).map(String::from).collect()),
            "button" => Kind::Button,
            _ => Kind::Any,
        }
    }

    fn takes(&self, value: &str) -> bool {
        match self {
            Kind::Check => ["true", "false"].iter().any(|word| word.eq_ignore_ascii_case(value)),
            Kind::Spin { min, max } => value
                .parse::<i128>()
                .is_ok_and(|number| min.is_none_or(|min| min <= number) && max.is_none_or(|max| number <= max)),
            Kind::Combo(words) => words.is_empty() || words.iter().any(|word| word.eq_ignore_ascii_case(value)),
            Kind::Button => value.is_empty(),
            Kind::Any => true,
        }
    }

    fn expected(&self) -> String {
        match self {
            Kind::Check => "true or false".to_string(),
            Kind::Spin { min, max } => {
                let bound = |bound: &Option<i128>| bound.map_or_else(String::new, |bound| bound.to_string());
                format!("a whole number in {}..={}", bound(min), bound(max))
            }
            Kind::Combo(words) => format!("one of {}", words.join(", ")),
            Kind::Button => "no value".to_string(),
            Kind::Any => "a text".to_string(),
        }
    }
}

/// A setting that an engine does not have or rejects.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// The engine has no option with this name.
    #[error("it has no option {0:?}, expected one that it lists in its answer to 'uci'")]
    Unknown(String),
    /// The option rejects this value.
    #[error("invalid value {value:?} for {name}: expected {expected}")]
    Value {
        /// Name of the option.
        name: String,
        /// The value given.
        value: String,
        /// The values that the option accepts.
        expected: String,
    },
}

/// The options that an engine lists in its answer to `uci`, keyed by lower-case name.
#[derive(Default)]
pub struct Advertised(HashMap<String, Kind>);

impl Advertised {
    /// Reads a line of the answer; only `option` lines matter.
    pub fn read(&mut self, line: &str) {
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(option) = line.strip_prefix("option name ")
            && self.0.len() < MAX_OPTIONS
        {
            let (name, kind) = option.split_once(" type ").unwrap_or((option, ""));
            self.0.insert(name.to_lowercase(), Kind::read(kind));
        }
    }

    /// Whether the engine lists an option with this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(&name.to_lowercase())
    }

    /// Returns the command that sets an option.
    ///
    /// # Errors
    /// When the engine has no such option, or does not list this value as valid.
    pub fn command(&self, name: &str, value: &str) -> Result<String, OptionError> {
        let kind = self.0.get(&name.to_lowercase()).ok_or_else(|| OptionError::Unknown(name.to_string()))?;
        if !kind.takes(value) {
            let (name, value) = (name.to_string(), value.to_string());
            return Err(OptionError::Value { name, value, expected: kind.expected() });
        }
        Ok(match kind {
            Kind::Button => format!("setoption name {name}"),
            _ => format!("setoption name {name} value {value}"),
        })
    }
}

/// Words that mark an `info string` line as a complaint.
const COMPLAINTS: [&str; 28] = [
    "bad",
    "cannot",
    "can't",
    "couldn't",
    "error",
    "expected",
    "fail",
    "failed",
    "failure",
    "ignored",
    "ignoring",
    "illegal",
    "invalid",
    "missing",
    "must",
    "no",
    "not",
    "refused",
    "rejected",
    "skipped",
    "unable",
    "unknown",
    "unrecognised",
    "unrecognized",
    "unsupported",
    "unusable",
    "warning",
    "wrong",
];

/// Whether a line printed between `setoption` and `readyok` complains about a setting.
///
/// `info string` lines may be harmless, so their words decide. A line outside the protocol is always a complaint.
pub fn is_complaint(line: &str) -> bool {
    let mut words = line.split_whitespace();
    match words.next() {
        None | Some("id" | "option" | "uciok" | "readyok") => false,
        Some("info") if words.next() != Some("string") => false,
        Some("info" | "copyprotection" | "registration") => words
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
            .any(|word| COMPLAINTS.contains(&word.as_str())),
        Some(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advertised() -> Advertised {
        let mut advertised = Advertised::default();
        for line in [
            "id name option name X type check",
            "option name Hash type spin default 16 min 1 max 64",
            "option  name  Skill  Level type spin default 0 min -5",
            "option name Style type combo default Very Solid var Very Solid var Wild",
            "option name UCI_Variant type combo default morris",
            "option name Ponder type check default false",
            "option name Clear Hash type button",
            "option name Path type string default <empty> min 3",
            "option name Depth type spin max 9 default 3",
            "option name Odd type spin default 3 min x max",
            "option name Bare",
            "uciok",
        ] {
            advertised.read(line);
        }
        advertised
    }

    #[test]
    fn values_are_checked_against_what_the_engine_lists() {
        let advertised = advertised();
        let fault = |name, value| advertised.command(name, value).expect_err(value).to_string();
        for (name, good, bad, expected) in [
            (
                "Hash",
                &["1", "64", "007"][..],
                &["0", "65", "-1", "x", "", "1.5", "99999999"][..],
                "a whole number in 1..=64",
            ),
            ("skill level", &["-5", "99999999999"], &["-6", "x"], "a whole number in -5..="),
            ("Depth", &["9", "-3"], &["10"], "a whole number in ..=9"),
            ("Odd", &["-1", "1000"], &["x"], "a whole number in ..="),
            ("Style", &["Very Solid", "WILD"], &["Solid", "", "Very"], "one of Very Solid, Wild"),
            ("UCI_VARIANT", &["morris", "smess"], &[], ""),
            ("Ponder", &["true", "False"], &["yes", "1", ""], "true or false"),
            ("Path", &["", "/a b/c", "1"], &[], ""),
            ("Bare", &["x"], &[], ""),
        ] {
            for value in good {
                assert_eq!(advertised.command(name, value), Ok(format!("setoption name {name} value {value}")));
            }
            for value in bad {
                let reported = format!("invalid value {value:?} for {name}: expected {expected}");
                assert_eq!(fault(name, value), reported);
            }
        }
        assert_eq!(advertised.command("clear hash", ""), Ok("setoption name clear hash".to_string()));
        assert!(fault("Clear Hash", "now").ends_with("expected no value"));
        for name in ["X", "Colour", "Skill", "Hash type", ""] {
            assert!(fault(name, "1").starts_with(&format!("it has no option {name:?}, expected one")));
        }
        assert_eq!(Kind::Any.expected(), "a text");
        let mut endless = Advertised::default();
        (0..=MAX_OPTIONS).for_each(|i| endless.read(&format!("option name {i} type check")));
        assert_eq!([0, MAX_OPTIONS].map(|i| endless.has(&i.to_string())), [true, false]);
    }

    #[test]
    fn complaints_are_not_news() {
        for line in [
            "info string setoption refused: invalid value \"0\" for Hash: expected a number from 1 to 65536",
            "info string tablebase not used: /a/manifest.json: No such file or directory",
            "info string ERROR: out of memory",
            "info string Hash: invalid value.",
            "No such option: Foo",
            "Unknown command: setoption",
            "hello",
            "registration error",
        ] {
            assert!(is_complaint(line), "{line}");
        }
        for line in [
            "",
            "  ",
            "id name Not Known",
            "option name Error type check default false",
            "uciok",
            "readyok",
            "info depth 1 score cp 5 error",
            "info",
            "info string",
            "info string tablebases: 49 sectors, up to 24 on the board",
            "info string path /no/error/bad set",
            "info string NNUE evaluation using nn.nnue",
            "copyprotection ok",
        ] {
            assert!(!is_complaint(line), "{line}");
        }
    }

    #[test]
    fn the_words_of_a_complaint_are_documented() {
        let documented = include_str!("../../../../docs/matches.md");
        for word in COMPLAINTS {
            let described = documented.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|found| found == word);
            assert!(described, "{word}");
        }
    }
}
