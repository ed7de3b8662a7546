//! Rules as Python names them: a variant, and house rules by keyword.

use crate::errors::{RulesError, raise};
use millbrain::protocol::{Effect, Kind, OPTIONS, Opt, Settings};
use millbrain::variant::{Ruleset, Variant};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

/// A variant and its house rules.
#[derive(Clone, PartialEq)]
pub struct Rules(Settings);

/// The keyword of an option: `Moves While Placing` is `moves_while_placing`.
fn keyword(option: &Opt) -> String {
    option.name.to_lowercase().replace(' ', "_")
}

/// The text of a value as the protocol writes it. No option takes one that has no text, or several lines.
pub fn text_of(value: &Bound<'_, PyAny>) -> String {
    if let Ok(value) = value.cast::<PyBool>() {
        return value.is_true().to_string();
    }
    let text = value.str().map_or_else(|_| "without a text".to_string(), |text| text.to_string());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The value of an option; `None` if it has none.
pub fn value_of<'py>(py: Python<'py>, option: &Opt, settings: &Settings) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(Some(match option.kind {
        Kind::Check(get, _) => get(settings).into_pyobject(py)?.to_owned().into_any(),
        Kind::Spin(_, _, get, _) => get(settings).into_pyobject(py)?.into_any(),
        Kind::Combo(_, get, _) => get(settings).into_pyobject(py)?.into_any(),
        Kind::Text(get, _) | Kind::Path(get, _) => get(settings).into_pyobject(py)?.into_any(),
        Kind::Button => return Ok(None),
    }))
}

/// The option of a keyword or a name, in capitals or not, among those that `wanted` names.
///
/// # Errors
/// The words for one that there is not.
pub fn find(name: &str, wanted: impl Fn(&Opt) -> bool) -> Result<&'static Opt, String> {
    let spelt = name.to_lowercase().replace(' ', "_");
    let mut known = OPTIONS.iter().filter(|option| wanted(option));
    known.clone().find(|option| keyword(option) == spelt).ok_or_else(|| {
        let shown = millbrain::fen::shorten(name);
        let names: Vec<String> = known.by_ref().map(keyword).collect();
        format!("unknown option {shown:?}, expected one of {}", names.join(", "))
    })
}

impl Rules {
    /// The rules of a variant, changed by keywords.
    pub fn read(variant: &str, changes: Option<&Bound<'_, PyDict>>) -> PyResult<Rules> {
        let variant: Variant = variant.parse().map_err(raise(RulesError::new_err))?;
        let mut rules = Rules::of(variant)?;
        for (name, value) in changes.into_iter().flatten() {
            let option = find(name.extract()?, |option| rules.has(option)).map_err(raise(RulesError::new_err))?;
            rules.0.set(option.name, Some(&text_of(&value))).map_err(raise(RulesError::new_err))?;
        }
        Ok(rules)
    }

    fn of(variant: Variant) -> PyResult<Rules> {
        let mut settings = Settings::default();
        settings.set("UCI_Variant", Some(variant.name())).map_err(raise(RulesError::new_err))?;
        Ok(Rules(settings))
    }

    /// Whether this is an option of the rules of this family.
    fn has(&self, option: &Opt) -> bool {
        let smess = matches!(self.ruleset(), Ruleset::Smess(_));
        option.effect == Effect::Rules
            && match option.name {
                "UCI_Variant" => false,
                "Repetition Draw" => true,
                "No Capture Draw" => smess,
                _ => !smess,
            }
    }

    /// The rules for the engine.
    pub fn ruleset(&self) -> Ruleset {
        self.0.rules()
    }

    /// The name of the variant.
    pub const fn variant(&self) -> &'static str {
        self.0.variant.name()
    }

    /// A key of these rules: the 64-bit FNV-1a hash of their text.
    pub fn key(&self) -> u64 {
        let text = format!("{} {:?}", self.variant(), self.ruleset());
        text.bytes().fold(0xCBF2_9CE4_8422_2325, |key, byte| (key ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
    }

    /// All rule options of the family by keyword; without those that are as in the variant, if `changed`.
    pub fn options<'py>(&self, py: Python<'py>, changed: bool) -> PyResult<Bound<'py, PyDict>> {
        let usual = Rules::of(self.0.variant)?;
        let options = PyDict::new(py);
        for option in OPTIONS.iter().filter(|option| self.has(option)) {
            let (value, usual) = (value_of(py, option, &self.0)?, value_of(py, option, &usual.0)?);
            if let (Some(value), Some(usual)) = (value, usual)
                && !(changed && value.eq(usual)?)
            {
                options.set_item(keyword(option), value)?;
            }
        }
        Ok(options)
    }
}
