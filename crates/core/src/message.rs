//! Messages as data: the name of a text and what is filled into it. Every language has such a text
//! ([`texts`](crate::texts)), and `Display` writes the English one.
//!
//! ```
//! use millbrain_core::any::AnyGame;
//! use millbrain_core::message::Message;
//! use millbrain_core::texts::Language;
//! use millbrain_core::variant::Variant;
//!
//! let mut game = AnyGame::new(Variant::Morris.rules());
//! let fault = game.push("h8").expect_err("no such point");
//! assert_eq!(fault.to_string(), "cannot be read, expected a move such as d6, a4a7 or d6xb4");
//! let message = Message::from(&fault);
//! assert_eq!(message.id, "fault.unreadable");
//! let german = Language::find("de").expect("one of the languages");
//! assert_eq!(message.in_language(german), "ist nicht lesbar, erwartet ein Zug wie d6, a4a7 oder d6xb4");
//! ```
//!
//! As JSON a message has the members `id` and `values`; a value is a number, a text, a message or a list of messages.
//!
//! ```
//! use millbrain_core::any::AnyGame;
//! use millbrain_core::message::Message;
//! use millbrain_core::variant::Variant;
//!
//! let mut game = AnyGame::new(Variant::Morris.rules());
//! let fault = game.set_up(Some("3/3/3/6/3/3/3 x 9 9"), []).expect_err("no side to move");
//! assert_eq!(
//!     serde_json::to_value(Message::from(&fault)).expect("JSON"),
//!     serde_json::json!({"id": "fault.fen", "values": {"faults": [{
//!         "id": "fault.field",
//!         "values": {
//!             "field": {"id": "field.side", "values": {}},
//!             "text": "x",
//!             "expected": {"id": "expected.side", "values": {}},
//!         },
//!     }]}})
//! );
//! ```

use crate::game::fen::shorten;
use crate::game::{Reason, Side};
use crate::options::one_of;
use crate::texts::Language;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::fmt;

/// A text by its name, and what is filled into it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Message {
    /// The name of the text. Of what has none in a language this is the text itself.
    pub id: &'static str,
    /// The values by their names: a text with `{name}` in it shows them. The form of the text is that for the number
    /// `n`.
    #[serde(serialize_with = "as_map")]
    pub values: Vec<(&'static str, Value)>,
}

/// A value in a text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A number.
    Number(i64),
    /// A text that is the same in all languages.
    Text(String),
    /// Something with a text of its own.
    Message(Message),
    /// Several of them; a text shows them with `; ` in between.
    Messages(Vec<Message>),
}

fn as_map<S: Serializer>(values: &[(&'static str, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(values.len()))?;
    for (name, value) in values {
        map.serialize_entry(name, value)?;
    }
    map.end()
}

impl Message {
    /// A text without values.
    pub const fn plain(id: &'static str) -> Message {
        Message { id, values: Vec::new() }
    }

    /// A text with the number `n` in it.
    pub fn counted(id: &'static str, n: u32) -> Message {
        Message { id, values: vec![("n", n.into())] }
    }

    /// Returns the message in a language.
    pub fn in_language(&self, language: Language) -> String {
        let pattern = language.text(self.id).unwrap_or(self.id);
        let value = |name: &str| self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
        let form = match value("n") {
            Some(Value::Number(n)) => language.form(pattern, *n),
            _ => pattern,
        };
        let (mut text, mut rest) = (String::new(), form);
        while let Some((before, (name, after))) =
            rest.split_once('{').and_then(|(before, more)| Some((before, more.split_once('}')?)))
        {
            text.push_str(before);
            text.push_str(&value(name).map(|value| value.in_language(language)).unwrap_or_default());
            rest = after;
        }
        text + rest
    }
}

impl Value {
    fn in_language(&self, language: Language) -> String {
        match self {
            Value::Number(number) => number.to_string(),
            Value::Text(text) => text.clone(),
            Value::Message(message) => message.in_language(language),
            Value::Messages(all) => {
                all.iter().map(|message| message.in_language(language)).collect::<Vec<_>>().join("; ")
            }
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_language(Language::default()))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_language(Language::default()))
    }
}

impl From<Side> for Message {
    fn from(side: Side) -> Message {
        Message::plain(match side {
            Side::White => "side.white",
            Side::Black => "side.black",
        })
    }
}

/// A family may tell its rules by words that have no text: they are their own.
impl From<Reason> for Message {
    fn from(reason: Reason) -> Message {
        let known = Language::default().entry(&format!("ending.{}", reason.id()));
        Message::plain(known.map_or(reason.id(), |(name, _)| name))
    }
}

impl<T: Into<Message>> From<T> for Value {
    fn from(message: T) -> Value {
        Value::Message(message.into())
    }
}

/// Words of our own.
impl From<&'static str> for Value {
    fn from(text: &'static str) -> Value {
        Value::Text(text.to_string())
    }
}

/// A choice of words.
impl From<&'static [&'static str]> for Value {
    fn from(words: &'static [&'static str]) -> Value {
        one_of(words)
    }
}

/// Text from outside: one short line.
impl From<String> for Value {
    fn from(text: String) -> Value {
        let quoted = format!("{:?}", shorten(&text));
        Value::Text(quoted[1..quoted.len() - 1].to_string())
    }
}

impl From<char> for Value {
    fn from(character: char) -> Value {
        Value::from(character.to_string())
    }
}

impl From<u16> for Value {
    fn from(number: u16) -> Value {
        Value::Number(number.into())
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Value {
        Value::Number(number.into())
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Value {
        Value::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Value {
        Value::from(number as u64)
    }
}

/// Names of texts, each with the names of its values; nothing for a message without a text.
#[cfg(test)]
pub(crate) type Texts = &'static [Option<(&'static str, &'static [&'static str])>];

/// Defines an enum of messages in a group of texts: `Variant(name: Type) = "id"`, where the id is the name of the text
/// in the group and `name` that of a value. `name as n` calls the value `n` in the text. A variant without an id holds
/// a message and has its text. `Display` is the English text, and `TEXTS` lists ids and names of values.
macro_rules! messages {
    ($(
        $(#[$meta:meta])*
        $vis:vis enum $name:ident in $group:literal {
            $(
                $(#[$doc:meta])*
                $variant:ident
                $(($one:ident $(as $one_alias:ident)?: $one_type:ty))?
                $({ $($(#[$field_doc:meta])* $field:ident $(as $alias:ident)?: $type:ty),+ $(,)? })?
                $(= $id:literal)?
            ),+ $(,)?
        }
    )+) => {$(
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, Debug)]
        $vis enum $name {
            $(
                $(#[$doc])*
                $variant $(($one_type))? $({ $($(#[$field_doc])* $field: $type),+ })?
            ),+
        }

        impl $name {
            /// The names of the texts, each with the names of its values; nothing for a variant without a text.
            #[cfg(test)]
            pub(crate) const TEXTS: $crate::message::Texts = &[$(
                $crate::message::messages!(
                    @text $group, [$($id)?],
                    [$($one $($one_alias)?,)? $($($field $($alias)?,)+)?]
                )
            ),+];
        }

        impl From<&$name> for $crate::message::Message {
            fn from(this: &$name) -> $crate::message::Message {
                match this {
                    $($name::$variant $(($one))? $({ $($field),+ })? => $crate::message::messages!(
                        @message $group, [$($id)?],
                        [$($one $($one_alias)?,)? $($($field $($alias)?,)+)?]
                    ),)+
                }
            }
        }

        impl From<$name> for $crate::message::Message {
            fn from(this: $name) -> $crate::message::Message {
                (&this).into()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::message::Message::from(self).fmt(f)
            }
        }
    )+};
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $alias:ident) => { stringify!($alias) };
    (@text $group:literal, [$id:literal], [$($field:ident $($alias:ident)?,)*]) => {
        Some((concat!($group, ".", $id), &[$($crate::message::messages!(@name $field $($alias)?)),*]))
    };
    (@text $group:literal, [], [$field:ident,]) => { None };
    (@message $group:literal, [$id:literal], [$($field:ident $($alias:ident)?,)*]) => {
        $crate::message::Message {
            id: concat!($group, ".", $id),
            values: vec![$((
                $crate::message::messages!(@name $field $($alias)?),
                $crate::message::Value::from($field.clone()),
            )),*],
        }
    };
    (@message $group:literal, [], [$field:ident,]) => { $crate::message::Message::from($field.clone()) };
}

pub(crate) use messages;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_filled_in_once_and_the_form_is_that_for_their_number() {
        let fill = |id, values: Vec<(&'static str, Value)>| Message { id, values }.to_string();
        assert_eq!(fill("no text of this name", vec![]), "no text of this name");
        assert_eq!(fill("{a} and {b}", vec![("b", 2_u32.into()), ("a", "{b}".into())]), "{b} and 2");
        assert_eq!(fill("{a}, {c}, {", vec![("a", 'x'.into())]), "x, , {");
        assert_eq!(
            [1, 2, 5].map(|n| Message::counted("{n} row|{n} rows", n).to_string()),
            ["1 row", "2 rows", "5 rows"]
        );
        let slovak = Language::find("sk").expect("a language");
        let forms = [1, 2, 4, 5, 0].map(|n| Message::counted("{n} a|{n} b|{n} c", n).in_language(slovak));
        assert_eq!(forms, ["1 a", "2 b", "4 b", "5 c", "0 c"]);
        let both = vec![Message::plain("one"), Side::Black.into()];
        assert_eq!(fill("{faults}", vec![("faults", Value::Messages(both))]), "one; black");
    }

    #[test]
    fn text_from_outside_is_one_short_line() {
        for (text, expected) in [("a\n\"b\"", r#"a\n\"b\""#), ("'", "'"), ("", ""), ("\u{1b}", "\\u{1b}")] {
            assert_eq!(Value::from(text.to_string()), Value::Text(expected.to_string()));
        }
        assert_eq!(Value::from("x".repeat(61)), Value::Text(format!("{}...", "x".repeat(60))));
    }
}
