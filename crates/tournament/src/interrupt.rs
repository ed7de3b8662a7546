//! How the user ends a match early.

use std::sync::atomic::{AtomicBool, Ordering};

/// The user's wish to end a match: after the games that are being played, or at once.
#[derive(Debug, Default)]
pub struct Interrupt {
    first: AtomicBool,
    second: AtomicBool,
}

impl Interrupt {
    /// No wish yet.
    pub const fn new() -> Interrupt {
        Interrupt { first: AtomicBool::new(false), second: AtomicBool::new(false) }
    }

    /// Asks for the end. The first time no more games begin, the second time those that are being played end, too.
    pub fn ask(&self) {
        if self.first.swap(true, Ordering::Relaxed) {
            self.second.store(true, Ordering::Relaxed);
        }
    }

    /// Set once the user has asked.
    pub const fn first(&self) -> &AtomicBool {
        &self.first
    }

    /// Whether the user has asked.
    pub fn is_asked(&self) -> bool {
        self.first.load(Ordering::Relaxed)
    }

    /// Whether the match is to end at once.
    pub fn is_urgent(&self) -> bool {
        self.second.load(Ordering::Relaxed)
    }
}
