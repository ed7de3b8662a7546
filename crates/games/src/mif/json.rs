//! JSON as MIF uses it: unique names, a canonical form (RFC 8785), and digests of it.

use super::MifError;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::fmt;

/// The largest whole number that every reader of JSON preserves.
const MAX_EXACT: u64 = (1 << 53) - 1;

/// A value in whose objects every name is unique.
pub(super) struct Strict(pub Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Strict, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Strict(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some((name, Strict(value))) = map.next_entry::<String, Strict>()? {
            if members.contains_key(&name) {
                return Err(A::Error::custom(format_args!("the name {name:?} stands twice, expected it once")));
            }
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}

/// Returns the canonical text of a value. It accepts only whole numbers: the facts of a game in MIF have no others.
pub(super) fn canonical(value: &Value) -> Result<String, MifError> {
    let mut text = String::new();
    write(value, &mut text)?;
    Ok(text)
}

fn write(value: &Value, text: &mut String) -> Result<(), MifError> {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (i, item) in items.iter().enumerate() {
                text.push_str(if i > 0 { "," } else { "" });
                write(item, text)?;
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
            text.push('{');
            for (i, (name, value)) in members.into_iter().enumerate() {
                text.push_str(if i > 0 { "," } else { "" });
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write(value, text)?;
            }
            text.push('}');
        }
        Value::Number(number) if number.as_i64().is_none_or(|whole| whole.unsigned_abs() > MAX_EXACT) => {
            return Err(MifError::Number(number.to_string()));
        }
        scalar => text.push_str(&scalar.to_string()),
    }
    Ok(())
}

/// Returns the digest of a value: `sha256:` and 64 hexadecimal digits of its canonical text.
pub(super) fn digest(value: &Value) -> Result<String, MifError> {
    let mut text = "sha256:".to_string();
    for byte in Sha256::digest(canonical(value)?) {
        text.push_str(&format!("{byte:02x}"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_canonical_form_sorts_names_and_leaves_no_space() {
        let value =
            json!({"b": [1, -2, null, true], "a\n": {"\u{20ac}": "\u{1f}/\"", "": 0}, "\u{fb33}": 1, "\u{1f600}": 2});
        let text =
            "{\"a\\n\":{\"\":0,\"\u{20ac}\":\"\\u001f/\\\"\"},\"b\":[1,-2,null,true],\"\u{1f600}\":2,\"\u{fb33}\":1}";
        assert_eq!(canonical(&value), Ok(text.to_string()));
        for number in [json!(0.5), json!(MAX_EXACT + 1)] {
            assert!(matches!(canonical(&json!([number])), Err(MifError::Number(_))), "{number}");
        }
    }

    #[test]
    fn the_digest_is_that_of_the_text() {
        // The digest of the text {"a":1}.
        let expected = "sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862";
        assert_eq!(digest(&json!({"a": 1})).as_deref(), Ok(expected));
    }

    #[test]
    fn a_name_stands_once() {
        let read = |text: &str| serde_json::from_str::<Strict>(text).map(|Strict(value)| value);
        assert_eq!(
            read(r#"{"a": [{"b": null}, -1, 0.5, "x", false]}"#).ok(),
            Some(json!({"a": [{"b": null}, -1, 0.5, "x", false]}))
        );
        let error = read(r#"[{"a": 1, "\u0061": 2}]"#).expect_err("twice").to_string();
        assert!(error.starts_with("the name \"a\" stands twice, expected it once"), "{error}");
    }
}
