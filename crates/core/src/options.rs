//! The rules that can be chosen, as a table: protocol, page and other languages read names, ranges and values from it.
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
use serde::Serialize;
use std::fmt;

/// The possible values of a rule.
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
    /// The value of a [`Choice::Switch`].
    Switch(bool),
    /// The value of a [`Choice::Number`].
    Number(u16),
    /// The value of a [`Choice::Word`].
    Word(&'static str),
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
    /// Parses a value; case and surrounding spaces do not matter.
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

/// Formats a choice of words: `a, b or c`.
pub fn one_of(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [word] => (*word).to_string(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Formats a range of numbers.
pub fn from_to(least: impl fmt::Display, most: impl fmt::Display) -> String {
    format!("a number from {least} to {most}")
}

/// Prints the expected value, for a message.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Switch => f.write_str("true or false"),
            Choice::Number { least, most } => f.write_str(&from_to(least, most)),
            Choice::Word { words } => f.write_str(&one_of(words)),
        }
    }
}

/// An option of a family, whose rules are an `R`.
pub(crate) struct Field<R: 'static> {
    pub name: &'static str,
    access: Access<R>,
}

/// Makes the table of the options of a rule set: a field without an option does not compile.
macro_rules! fields {
    ($rules:ident { $($field:ident: $option:expr,)+ }) => {{
        const _: fn($rules) = |$rules { $($field: _),+ }| {};
        &[$($option),+]
    }};
}
pub(crate) use fields;

/// The functions that read an option from the rules and write it into them, by its kind.
enum Access<R: 'static> {
    Switch(fn(&R) -> bool, fn(&mut R, bool)),
    Number { least: u16, most: u16, get: fn(&R) -> u16, set: fn(&mut R, u16) },
    Word(&'static [&'static str], fn(&R) -> &'static str, fn(&mut R, &'static str)),
}

impl<R> Field<R> {
    pub const fn switch(name: &'static str, get: fn(&R) -> bool, set: fn(&mut R, bool)) -> Field<R> {
        Field { name, access: Access::Switch(get, set) }
    }

    /// Creates an option for a number from `least` to `most`.
    pub const fn number(
        name: &'static str,
        [least, most]: [u16; 2],
        get: fn(&R) -> u16,
        set: fn(&mut R, u16),
    ) -> Field<R> {
        Field { name, access: Access::Number { least, most, get, set } }
    }

    pub const fn word(
        name: &'static str,
        words: &'static [&'static str],
        get: fn(&R) -> &'static str,
        set: fn(&mut R, &'static str),
    ) -> Field<R> {
        Field { name, access: Access::Word(words, get, set) }
    }

    pub const fn option(&self) -> RuleOption {
        let choice = match self.access {
            Access::Switch(..) => Choice::Switch,
            Access::Number { least, most, .. } => Choice::Number { least, most },
            Access::Word(words, ..) => Choice::Word { words },
        };
        RuleOption { name: self.name, choice }
    }

    pub fn get(&self, rules: &R) -> Value {
        match self.access {
            Access::Switch(get, _) => Value::Switch(get(rules)),
            Access::Number { get, .. } => Value::Number(get(rules)),
            Access::Word(_, get, _) => Value::Word(get(rules)),
        }
    }

    /// Writes a value; one of another kind changes nothing.
    pub fn set(&self, rules: &mut R, value: Value) {
        match (&self.access, value) {
            (Access::Switch(_, set), Value::Switch(on)) => set(rules, on),
            (Access::Number { set, .. }, Value::Number(number)) => set(rules, number),
            (Access::Word(_, _, set), Value::Word(word)) => set(rules, word),
            _ => {}
        }
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

/// The reason why a rule cannot be chosen.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OptionFault {
    /// The rules of this family have no such option.
    #[error("unknown rule option {:?}: expected {expected}", shorten(name))]
    Unknown {
        /// The name.
        name: String,
        /// The known options.
        expected: String,
    },
    /// A part of a list does not name an option and a value.
    #[error("invalid rule {:?}: expected a pair such as Stones=7", shorten(part))]
    Pair {
        /// The part.
        part: String,
    },
    /// The value is not one of this option.
    #[error("invalid value {:?} for {name}: expected {expected}", shorten(value))]
    Value {
        /// The option.
        name: &'static str,
        /// The value.
        value: String,
        /// The expected value.
        expected: Choice,
    },
}
