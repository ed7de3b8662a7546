//! The rules and their texts; each call returns its answer.

use super::json::{give_json, give_result};
use super::{give, lock, take_input};
use crate::rules::Rules;
use crate::state;
use millbrain_analysis::marks::MARKS;
use std::sync::{LazyLock, Mutex};

static RULES: LazyLock<Mutex<Rules>> = LazyLock::new(|| Mutex::new(Rules::default()));

/// Answers with all variants, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn variants() -> usize {
    give_json(&state::variants())
}

/// Sets the rules in the input, which is JSON: a variant, and the options that differ from it. A refused input changes
/// nothing.
#[unsafe(no_mangle)]
pub extern "C" fn set_rules() -> usize {
    let input = take_input();
    give_result(&lock(&RULES).set(&input))
}

/// Answers with the state of the game at the position in the input, which is JSON: a FEN and moves.
#[unsafe(no_mangle)]
pub extern "C" fn state() -> usize {
    let input = take_input();
    give_result(&lock(&RULES).state(&input))
}

/// Answers with the facts about the move in the input, which is JSON: the moves up to it, a better one, and scores.
#[unsafe(no_mangle)]
pub extern "C" fn facts() -> usize {
    let input = take_input();
    give_result(&lock(&RULES).facts(&input))
}

/// Answers with the board of the current rules, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn layout() -> usize {
    give_json(&lock(&RULES).layout())
}

/// Answers with the parts of the move in the input, as JSON: `null` for a text that is not a move of the current rules.
#[unsafe(no_mangle)]
pub extern "C" fn parts() -> usize {
    let input = take_input();
    give_json(&lock(&RULES).parts(&String::from_utf8_lossy(&input)))
}

/// Answers with the FEN of the setup in the input, which is JSON.
#[unsafe(no_mangle)]
pub extern "C" fn compose() -> usize {
    let input = take_input();
    give(lock(&RULES).compose(&input))
}

/// Answers with the current rules in the language in the input, one or two sentences per line.
#[unsafe(no_mangle)]
pub extern "C" fn text() -> usize {
    let input = take_input();
    give(lock(&RULES).text(&String::from_utf8_lossy(&input)))
}

/// Answers with the names of the files that a search with the current rules requests, one per line.
#[unsafe(no_mangle)]
pub extern "C" fn files() -> usize {
    give(lock(&RULES).files().join("\n"))
}

/// Returns the expected points under the current rules for a score in hundredths of a stone, from 0 (lost) to 1 (won).
#[unsafe(no_mangle)]
pub extern "C" fn expected_points(score: i32) -> f64 {
    lock(&RULES).expected_points(score)
}

/// Answers with the marks of bad moves and their minimum loss of expected points in permille, greatest first, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn marks() -> usize {
    give_json(&MARKS)
}
