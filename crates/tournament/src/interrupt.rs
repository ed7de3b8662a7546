//! Lets the user end a match early.

use std::sync::atomic::{AtomicBool, Ordering};

/// The user's request to end a match: after the games in progress, or immediately.
#[derive(Debug, Default)]
pub struct Interrupt {
    first: AtomicBool,
    second: AtomicBool,
}

impl Interrupt {
    /// Creates an interrupt without a request.
    pub const fn new() -> Interrupt {
        Interrupt { first: AtomicBool::new(false), second: AtomicBool::new(false) }
    }

    /// Requests the end. After the first request no more games begin; the second ends the games in progress too.
    pub fn ask(&self) {
        if self.first.swap(true, Ordering::Relaxed) {
            self.second.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the flag that the first request sets.
    pub const fn first(&self) -> &AtomicBool {
        &self.first
    }

    /// Whether the user has requested the end.
    pub fn is_asked(&self) -> bool {
        self.first.load(Ordering::Relaxed)
    }

    /// Whether the match must end immediately.
    pub fn is_urgent(&self) -> bool {
        self.second.load(Ordering::Relaxed)
    }
}
