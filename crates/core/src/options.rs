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

use crate::message::{self, messages};
use serde::Serialize;
use std::error::Error;
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

messages! {
    /// The allowed values.
    pub(crate) enum Expected in "expected" {
        /// `true` or `false`.
        Switch = "switch",
        /// A number in a range.
        Number { least: message::Value, most: message::Value } = "number",
        /// One of several words; the last stands apart.
        Words { first: message::Value, last: message::Value } = "words",
    }
}

/// Returns a choice of words: `a, b or c`.
pub fn one_of(words: &[&str]) -> message::Value {
    match words {
        [] => "".into(),
        [word] => message::Value::Text((*word).to_string()),
        [first @ .., last] => {
            let text = |text: &str| message::Value::Text(text.to_string());
            Expected::Words { first: text(&first.join(", ")), last: text(last) }.into()
        }
    }
}

/// Returns a range of numbers as what is expected.
pub fn from_to(least: impl Into<message::Value>, most: impl Into<message::Value>) -> message::Value {
    Expected::Number { least: least.into(), most: most.into() }.into()
}

impl From<Choice> for message::Value {
    fn from(choice: Choice) -> message::Value {
        match choice {
            Choice::Switch => Expected::Switch.into(),
            Choice::Number { least, most } => from_to(least, most),
            Choice::Word { words } => one_of(words),
        }
    }
}

/// Prints the expected value, for a message.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        message::Value::from(*self).fmt(f)
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

impl RuleOption {
    /// Returns the option of this name; case does not matter.
    ///
    /// # Errors
    /// When there is none among those that are known.
    pub fn find<'a>(known: &'a [RuleOption], name: &str) -> Result<&'a RuleOption, OptionFault> {
        known.iter().find(|option| option.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|option| option.name).collect();
            OptionFault::Unknown { name: name.to_string(), expected: one_of(&names) }
        })
    }

    /// Returns the value that a text means.
    ///
    /// # Errors
    /// When it is none of this option.
    pub fn read(&self, text: &str) -> Result<Value, OptionFault> {
        let wrong = || OptionFault::Value { name: self.name, value: text.to_string(), expected: self.choice };
        self.choice.read(text).ok_or_else(wrong)
    }
}

messages! {
    /// Why a rule cannot be chosen.
    #[non_exhaustive]
    pub enum OptionFault in "fault" {
        /// The rules of this family have no such option.
        Unknown {
            /// The name.
            name as text: String,
            /// The options that there are.
            expected: message::Value,
        } = "unknown-option",
        /// A part of a list does not name an option and a value.
        Pair {
            /// The part.
            part as text: String,
        } = "no-pair",
        /// The value is not one of this option.
        Value {
            /// The option.
            name as option: &'static str,
            /// The value.
            value as text: String,
            /// The allowed values.
            expected: Choice,
        } = "option-value",
    }
}

impl Error for OptionFault {}
