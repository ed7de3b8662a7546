//! Games read and written.

use super::json::give_result;
use super::{give, take_input};
use crate::games;

/// Answers with the games of the text in the input, which is JSON: the text, and the rules of bare lists of moves.
#[unsafe(no_mangle)]
pub extern "C" fn read_games() -> usize {
    give_result(&games::read(&take_input()))
}

/// Begins to take a text of games apart; returns the number of what does it.
#[unsafe(no_mangle)]
pub extern "C" fn splitter() -> u32 {
    games::splitters().begin()
}

/// Takes the next part of a text from the input, and answers with the games that are whole now, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn split(splitter: u32) -> usize {
    let part = take_input();
    give(serde_json::to_vec(&games::splitters().push(splitter, &String::from_utf8_lossy(&part))).unwrap_or_default())
}

/// Ends a text, and answers with the games that its end ends, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn split_end(splitter: u32) -> usize {
    give(serde_json::to_vec(&games::splitters().finish(splitter)).unwrap_or_default())
}

/// Answers with the text of the game in the input, which is JSON: the game and the form.
#[unsafe(no_mangle)]
pub extern "C" fn write_game() -> usize {
    give_result(&games::write(&take_input()))
}
