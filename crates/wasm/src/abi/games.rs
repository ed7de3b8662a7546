//! Reading and writing games.

use super::json::give_result;
use super::{give, take_input};
use crate::games;

/// Answers with the games of the text in the input, which is JSON: the text, and the rules for bare lists of moves.
#[unsafe(no_mangle)]
pub extern "C" fn read_games() -> usize {
    give_result(&games::read(&take_input()))
}

/// Starts to split a text of games; returns the number of the splitter.
#[unsafe(no_mangle)]
pub extern "C" fn splitter() -> u32 {
    games::splitters().begin()
}

/// Reads the next part of a text from the input, and answers with the games that are now complete, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn split(splitter: u32) -> usize {
    let part = take_input();
    give(serde_json::to_vec(&games::splitters().push(splitter, &String::from_utf8_lossy(&part))).unwrap_or_default())
}

/// Ends a text, and answers with the remaining games, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn split_end(splitter: u32) -> usize {
    give(serde_json::to_vec(&games::splitters().finish(splitter)).unwrap_or_default())
}

/// Answers with the text of the game in the input, which is JSON: the game and the form.
#[unsafe(no_mangle)]
pub extern "C" fn write_game() -> usize {
    give_result(&games::write(&take_input()))
}
