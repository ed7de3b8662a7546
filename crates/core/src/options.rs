//! The rules that can be chosen, as a table: protocol, page and other languages read names, ranges and values from here.
//!
//! ```
//! use millbrain_core::options::{RuleOption, Value};
//! use millbrain_core::variant::Variant;
//!
//! let mut rules = Variant::Morris.rules();
//! rules.set("stones", "10").expect("case does not matter");
//! assert_eq!(rules.value("Stones"), Some(Value::Number(10)));
//! assert!(rules.set("Stones", "13").is_err());
//! assert_eq!(rules.value("No Capture Draw"), None, "an option of Smess");
//! assert!(RuleOption::all().iter().any(|option| option.name == "No Capture Draw"));
//! ```

use crate::game::fen::shorten;
use crate::variant::{Ruleset, Variant};
use crate::{morris, smess};
use serde::Serialize;
use std::fmt;

/// What values a rule can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Choice {
    /// `true` or `false`.
    Switch,
    /// A whole number.
    Number {
        /// The least.
        least: u16,
        /// The most.
        most: u16,
    },
    /// One of a few words.
    Word {
        /// These words.
        words: &'static [&'static str],
    },
}

/// The value of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Of a [`Choice::Switch`].
    Switch(bool),
    /// Of a [`Choice::Number`].
    Number(u16),
    /// Of a [`Choice::Word`].
    Word(&'static str),
}

impl Value {
    /// Whether a switch is on.
    pub(crate) const fn is_on(self) -> bool {
        matches!(self, Value::Switch(true))
    }

    /// The number; 0 for anything else.
    pub(crate) const fn number(self) -> u16 {
        match self {
            Value::Number(number) => number,
            _ => 0,
        }
    }

    /// Whether it is this word.
    pub(crate) fn is(self, word: &str) -> bool {
        matches!(self, Value::Word(own) if own == word)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Switch(on) => on.fmt(f),
            Value::Number(number) => number.fmt(f),
            Value::Word(word) => f.write_str(word),
        }
    }
}

impl Choice {
    /// The value that a text means; neither case nor spaces around it matter.
    pub fn read(&self, text: &str) -> Option<Value> {
        let text = text.trim();
        match *self {
            Choice::Switch if text.eq_ignore_ascii_case("true") => Some(Value::Switch(true)),
            Choice::Switch => text.eq_ignore_ascii_case("false").then_some(Value::Switch(false)),
            Choice::Number { least, most } => {
                text.parse().ok().filter(|number| (least..=most).contains(number)).map(Value::Number)
            }
            Choice::Word { words } => {
                words.iter().find(|word| word.eq_ignore_ascii_case(text)).copied().map(Value::Word)
            }
        }
    }
}

/// A choice of words as one says it: `a, b or c`.
pub fn one_of(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [word] => (*word).to_string(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// What a value must be, for a message.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Switch => f.write_str("true or false"),
            Choice::Number { least, most } => write!(f, "a number from {least} to {most}"),
            Choice::Word { words } => f.write_str(&one_of(words)),
        }
    }
}

/// An option of a family, whose rules are an `R`: how it is read from them and written into them.
pub(crate) struct Field<R: 'static> {
    pub name: &'static str,
    pub choice: Choice,
    pub get: fn(&R) -> Value,
    pub set: fn(&mut R, Value),
}

impl<R> Field<R> {
    const fn option(&self) -> RuleOption {
        RuleOption { name: self.name, choice: self.choice }
    }
}

/// A rule that can be chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct RuleOption {
    /// Its name in the protocol.
    pub name: &'static str,
    /// Its values.
    pub choice: Choice,
}

impl RuleOption {
    /// The options of all families, each once: one that several have stands where the last of them has it.
    pub fn all() -> Vec<RuleOption> {
        let mut all: Vec<RuleOption> = Vec::new();
        for variant in Variant::ALL {
            for option in variant.rules().options() {
                all.retain(|known| known.name != option.name);
                all.push(option);
            }
        }
        all
    }

    /// Its value in the first variant that has it.
    pub fn default(&self) -> Option<Value> {
        Variant::ALL.iter().find_map(|variant| variant.rules().value(self.name))
    }
}

/// Why a rule cannot be chosen.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OptionFault {
    /// The rules of this family have no such option.
    #[error("unknown rule option {:?}: expected {expected}", shorten(name))]
    Unknown {
        /// The name.
        name: String,
        /// The options that there are.
        expected: String,
    },
    /// The value is not one of this option.
    #[error("invalid value {:?} for {name}: expected {expected}", shorten(value))]
    Value {
        /// The option.
        name: &'static str,
        /// The value.
        value: String,
        /// What it must be.
        expected: Choice,
    },
}

/// Evaluates an expression with the rules and the table of fields of their family.
macro_rules! with_fields {
    ($rules:expr, |$own:ident, $fields:ident| $body:expr) => {
        match $rules {
            Ruleset::Morris($own) => {
                let $fields = morris::rules::FIELDS;
                $body
            }
            Ruleset::Smess($own) => {
                let $fields = smess::rules::FIELDS;
                $body
            }
        }
    };
}

impl Ruleset {
    /// The options of these rules.
    pub fn options(&self) -> Vec<RuleOption> {
        with_fields!(self, |_own, fields| fields.iter().map(Field::option).collect())
    }

    /// The value of an option; `None` if its family has no such option.
    pub fn value(&self, name: &str) -> Option<Value> {
        with_fields!(self, |own, fields| {
            fields.iter().find(|field| field.name.eq_ignore_ascii_case(name)).map(|field| (field.get)(own))
        })
    }

    /// Sets an option from a text.
    ///
    /// # Errors
    /// An unknown name or an unusable value; nothing has changed then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionFault> {
        let known = self.options();
        let option = known.iter().find(|option| option.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|option| option.name).collect();
            OptionFault::Unknown { name: name.to_string(), expected: one_of(&names) }
        })?;
        let wrong = || OptionFault::Value { name: option.name, value: value.to_string(), expected: option.choice };
        let read = option.choice.read(value).ok_or_else(wrong)?;
        self.assign(option, read);
        Ok(())
    }

    /// Sets an option, if the family has it, to a value of its kind.
    pub fn assign(&mut self, option: &RuleOption, value: Value) {
        with_fields!(self, |own, fields| {
            if let Some(field) = fields.iter().find(|field| field.name == option.name) {
                (field.set)(own, value);
            }
        });
    }

    /// The options whose values are not those of a variant of the same family, in the order of the table.
    pub fn house_rules(&self, variant: Variant) -> Vec<(&'static str, Value)> {
        let usual = variant.rules();
        let options = self.options().into_iter().map(|option| option.name);
        let values = options.filter_map(|name| Some((name, self.value(name)?)));
        values.filter(|(name, value)| usual.value(name) != Some(*value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some values of an option, the ends of its range among them.
    fn values(choice: Choice) -> Vec<Value> {
        match choice {
            Choice::Switch => vec![Value::Switch(true), Value::Switch(false)],
            Choice::Number { least, most } => vec![Value::Number(least), Value::Number(most)],
            Choice::Word { words } => words.iter().copied().map(Value::Word).collect(),
        }
    }

    #[test]
    fn every_option_keeps_what_it_is_given_and_changes_no_other() {
        for variant in Variant::ALL {
            for option in variant.rules().options() {
                for value in values(option.choice) {
                    let (mut rules, before) = (variant.rules(), variant.rules());
                    rules.set(&option.name.to_uppercase(), &format!(" {value} ")).expect("a value");
                    assert_eq!(rules.value(option.name), Some(value), "{variant} {}", option.name);
                    let changed: Vec<_> = rules.house_rules(variant).into_iter().map(|(name, _)| name).collect();
                    let expected = if before.value(option.name) == Some(value) { vec![] } else { vec![option.name] };
                    assert_eq!(changed, expected, "{variant} {}", option.name);
                }
            }
        }
    }

    #[test]
    fn what_is_no_value_is_refused() {
        let mut rules = Variant::Morris.rules();
        for (name, value, words) in [
            ("Removal", "all", r#"invalid value "all" for Removal: expected if-all or never"#),
            ("stones", "2", r#"invalid value "2" for Stones: expected a number from 3 to 12"#),
            ("Flying", "yes", r#"invalid value "yes" for Flying: expected true or false"#),
        ] {
            assert_eq!(rules.set(name, value).expect_err(words).to_string(), words);
        }
        let unknown = rules.set("No Capture Draw", "3").expect_err("of Smess").to_string();
        assert!(unknown.starts_with(r#"unknown rule option "No Capture Draw": expected Stones, Fl"#), "{unknown}");
        assert_eq!(rules, Variant::Morris.rules());
    }

    #[test]
    fn the_list_of_all_has_each_once() {
        let names: Vec<&str> = RuleOption::all().iter().map(|option| option.name).collect();
        assert_eq!(names.first(), Some(&"Stones"));
        assert_eq!(names[names.len() - 2..], ["No Capture Draw", "Repetition Draw"]);
        assert!(RuleOption::all().iter().all(|option| option.default().is_some()));
    }
}
