//! Differences between the settings of two runs, of which one is to resume the other.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// A setting in which a run differs from an earlier one.
#[derive(Debug, thiserror::Error)]
#[error("{setting} is {found}, expected {expected} as in {}", origin.display())]
pub struct OtherSetting {
    /// The first different setting, such as `engines.1.thinking.nodes`.
    pub setting: String,
    /// Its value, as JSON.
    pub found: Value,
    /// Its value in the earlier run.
    pub expected: Value,
    /// The file with those settings.
    pub origin: PathBuf,
}

impl OtherSetting {
    /// Returns the first setting in which `found` differs from `expected`, which `origin` has; a setting that one of
    /// them lacks is null.
    pub fn first(found: &Value, expected: &Value, origin: &Path) -> Option<OtherSetting> {
        let (setting, found, expected) = first_difference(String::new(), found, expected)?;
        Some(OtherSetting { setting, found, expected, origin: origin.to_path_buf() })
    }
}

/// Returns the first difference of two values, as a path of keys after `name`.
fn first_difference(name: String, found: &Value, expected: &Value) -> Option<(String, Value, Value)> {
    if found == expected {
        return None;
    }
    let within = |key: String, values: [Option<&Value>; 2]| {
        let [found, expected] = values.map(|value| value.unwrap_or(&Value::Null));
        let name = if name.is_empty() { key } else { format!("{name}.{key}") };
        first_difference(name, found, expected)
    };
    match (found, expected) {
        (Value::Object(a), Value::Object(b)) => {
            a.keys().chain(b.keys()).find_map(|key| within(key.clone(), [a.get(key), b.get(key)]))
        }
        (Value::Array(a), Value::Array(b)) => {
            (0..a.len().max(b.len())).find_map(|i| within(i.to_string(), [a.get(i), b.get(i)]))
        }
        _ => Some((name, found.clone(), expected.clone())),
    }
}
