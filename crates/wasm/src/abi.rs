//! The functions that the host calls and provides. Texts and files pass through two buffers, one for each direction.
#![expect(unsafe_code, reason = "a function of a module that is not Rust has no safe form")]

#[cfg(feature = "engine")]
mod engine;
#[cfg(feature = "games")]
mod games;
#[cfg(any(feature = "games", feature = "rules"))]
mod json;
#[cfg(feature = "rules")]
mod rules;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The input of the next call.
static INPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
/// The answer of the last call that has one.
static ANSWER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn take_input() -> Vec<u8> {
    std::mem::take(&mut *lock(&INPUT))
}

/// Stores an answer for [`answer`]; returns its length.
fn give(answer: impl Into<Vec<u8>>) -> usize {
    let mut kept = lock(&ANSWER);
    *kept = answer.into();
    kept.len()
}

/// Allocates `length` bytes of input and returns the address for the host to write to.
// SAFETY: no other function has this name; the same applies below.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    let mut input = lock(&INPUT);
    *input = vec![0; length];
    input.as_mut_ptr()
}

/// Returns the address of the last answer; the function that produced it returned its length.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    lock(&ANSWER).as_ptr()
}
