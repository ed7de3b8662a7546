//! Faults for a page: as data, and in words.

use millbrain_core::message::{Message, Value};
use serde::{Serialize, Serializer};
use std::fmt;

/// The fault of a request.
#[derive(Debug)]
pub struct Fault {
    /// The name of its text and the values in it; none for what has only words.
    what: Option<Message>,
    /// The same in English.
    words: String,
}

impl Fault {
    /// A fault with a text and with these words.
    pub fn new(what: impl Into<Option<Message>>, words: impl fmt::Display) -> Fault {
        Fault { what: what.into(), words: words.to_string() }
    }

    /// A fault with a text that only the page has.
    pub fn of_page(id: &'static str, values: Vec<(&'static str, Value)>, words: impl fmt::Display) -> Fault {
        Fault::new(Message { id, values }, words)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Reported<'a> {
            #[serde(flatten)]
            what: &'a Message,
            message: &'a str,
        }
        let nothing = Message::plain("");
        Reported { what: self.what.as_ref().unwrap_or(&nothing), message: &self.words }.serialize(serializer)
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Fault {
        Fault::new(None, error)
    }
}
