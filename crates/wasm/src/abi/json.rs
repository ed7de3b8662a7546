//! Answers as JSON.

use super::give;
use serde::Serialize;
use std::collections::BTreeMap;

/// Stores an answer as JSON; returns its length.
pub(super) fn give_json(answer: &impl Serialize) -> usize {
    give(serde_json::to_vec(answer).unwrap_or_default())
}

/// Stores an answer or a fault as JSON: `{"ok": ...}` or `{"fault": ...}`.
pub(super) fn give_result<F: Serialize>(result: &Result<impl Serialize, F>) -> usize {
    match result {
        Ok(answer) => give_json(&BTreeMap::from([("ok", answer)])),
        Err(fault) => give_json(&BTreeMap::from([("fault", fault)])),
    }
}
