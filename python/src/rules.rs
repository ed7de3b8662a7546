//! Rules as Python names them: a variant, and house rules by keyword.

use crate::errors::{RulesError, raise};
use millbrain::options::{Value, one_of};
use millbrain::protocol::{Kind, Opt, Settings};
use millbrain::variant::{NamedRules, Ruleset, Variant};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

/// A variant and its house rules.
#[derive(Clone, PartialEq)]
pub struct Rules {
    variant: Variant,
    ruleset: Ruleset,
}

/// Returns the keyword of an option: `Moves While Placing` is `moves_while_placing`.
fn keyword(name: &str) -> String {
    name.to_lowercase().replace(' ', "_")
}

fn rule_value(py: Python<'_>, value: Value) -> PyResult<Bound<'_, PyAny>> {
    Ok(match value {
        Value::Switch(on) => on.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(number) => number.into_pyobject(py)?.into_any(),
        Value::Word(word) => word.into_pyobject(py)?.into_any(),
    })
}

/// Returns a value as the protocol writes it. No option accepts a value without a text or with several lines.
pub fn text_of(value: &Bound<'_, PyAny>) -> String {
    if let Ok(value) = value.cast::<PyBool>() {
        return value.is_true().to_string();
    }
    let text = value.str().map_or_else(|_| "without a text".to_string(), |text| text.to_string());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the value of an option; `None` if it has none.
pub fn value_of<'py>(py: Python<'py>, option: &Opt, settings: &Settings) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(Some(match option.kind {
        Kind::Check(get, _) => get(settings).into_pyobject(py)?.to_owned().into_any(),
        Kind::Spin(_, _, get, _) => get(settings).into_pyobject(py)?.into_any(),
        Kind::Combo(_, get, _) => get(settings).into_pyobject(py)?.into_any(),
        Kind::Text(get, _) | Kind::Path(get, _) => get(settings).into_pyobject(py)?.into_any(),
        Kind::Rule(rule) => return settings.rules.value(rule.name).map(|value| rule_value(py, value)).transpose(),
        Kind::Button => return Ok(None),
    }))
}

/// Finds the name that a keyword or a name means, ignoring case.
///
/// # Errors
/// The message for an unknown name.
pub fn find(name: &str, known: impl Iterator<Item = &'static str> + Clone) -> Result<&'static str, String> {
    let spelt = keyword(name);
    known.clone().find(|known| keyword(known) == spelt).ok_or_else(|| {
        let shown = millbrain::fen::shorten(name);
        let names: Vec<String> = known.map(keyword).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        format!("unknown option {shown:?}: expected {}", one_of(&names))
    })
}

impl Rules {
    /// Returns the rules of a variant, changed by keywords.
    pub fn read(variant: &str, changes: Option<&Bound<'_, PyDict>>) -> PyResult<Rules> {
        let variant: Variant = variant.parse().map_err(raise(RulesError::new_err))?;
        let mut rules = Rules { variant, ruleset: variant.rules() };
        for (name, value) in changes.into_iter().flatten() {
            let known = rules.ruleset.options().into_iter().map(|option| option.name);
            let option = find(name.extract()?, known).map_err(raise(RulesError::new_err))?;
            rules.ruleset.set(option, &text_of(&value)).map_err(raise(RulesError::new_err))?;
        }
        Ok(rules)
    }

    /// Returns the rules for the engine.
    pub const fn ruleset(&self) -> Ruleset {
        self.ruleset
    }

    /// Returns the rules with their name, for messages.
    pub const fn named(&self) -> NamedRules {
        NamedRules { variant: self.variant, rules: self.ruleset }
    }

    /// Returns the name of the variant.
    pub const fn variant(&self) -> &'static str {
        self.variant.name()
    }

    /// Returns a key of these rules: the 64-bit FNV-1a hash of their text.
    pub fn key(&self) -> u64 {
        let text = format!("{} {:?}", self.variant(), self.ruleset());
        text.bytes().fold(0xCBF2_9CE4_8422_2325, |key, byte| (key ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
    }

    /// Returns all rule options of the family by keyword, or only those that differ from the variant if `changed`.
    pub fn options<'py>(&self, py: Python<'py>, changed: bool) -> PyResult<Bound<'py, PyDict>> {
        let usual = self.variant.rules();
        let options = PyDict::new(py);
        for option in self.ruleset.options() {
            if let Some(value) = self.ruleset.value(option.name)
                && !(changed && usual.value(option.name) == Some(value))
            {
                options.set_item(keyword(option.name), rule_value(py, value)?)?;
            }
        }
        Ok(options)
    }
}
