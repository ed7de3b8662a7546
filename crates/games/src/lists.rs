//! The move lists of the program Sanmill: numbered rows, a stone that moves as `a4-a7`, and a stone that is taken as a
//! word of its own after the move that closes the mill:
//!
//! ```text
//! 1.    d6    f4
//! 2.    a4-a7 xg1    d2
//! ```
//!
//! A game from a position begins with a tag that has Sanmill's FEN. Plain lists of moves in the engine's notation are
//! read too.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::game::{Game, NotationError};
use crate::record::VerifyError;
use crate::sanmill;
use millbrain_core::game::Side;
use millbrain_core::play::PlayError;
use std::fmt::Write;

/// The results that a list may end with.
const RESULTS: [&str; 5] = ["1-0", "0-1", "1/2-1/2", "0.5-0.5", "*"];

/// The main line of a game. Players, result and house rules are not kept.
///
/// # Errors
/// A game of another family, or rules or a FEN that are none.
pub fn write(game: &Game) -> Result<String, NotationError> {
    let first = game.first()?;
    if first.family() != "morris" {
        return Err(NotationError::OtherFamily("Sanmill has no Smess"));
    }
    let mut text = String::new();
    if game.fen.is_some()
        && let Some(fen) = sanmill::fen(game.rules()?, &first.fen())
    {
        let _ = write!(text, "[FEN \"{fen}\"]\n\n");
    }
    let mut cells: Vec<String> = if first.side() == Side::Black { vec!["...".to_string()] } else { Vec::new() };
    cells.extend(game.main_line().into_iter().map(|node| {
        let (step, removal) = sanmill::tokens(&node.played.text);
        step + &removal.unwrap_or_default().replace('x', " x")
    }));
    for (row, cells) in cells.chunks(2).enumerate() {
        let _ = writeln!(text, "{}.    {}", row + 1, cells.join("    "));
    }
    Ok(text)
}

/// What the rows of a list are, one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rows {
    in_comment: bool,
    has_moves: bool,
}

impl Rows {
    /// Whether the next row is a tag: these stand before the first move. A comment may have rows that look like one.
    pub fn is_tag(&mut self, row: &str) -> bool {
        if row.trim_start().starts_with('[') && !self.in_comment && !self.has_moves {
            return true;
        }
        for c in row.chars() {
            match c {
                '{' => self.in_comment = true,
                '}' if self.in_comment => self.in_comment = false,
                _ => self.has_moves |= !self.in_comment && !c.is_whitespace(),
            }
        }
        false
    }

    /// Whether the next row can only be the first of another list: a tag, or the number 1 once more, with a move of White.
    pub fn begins(self, row: &str) -> bool {
        let is_first = row.strip_prefix("1.").is_some_and(|rest| !rest.starts_with('.'));
        self.has_moves && !self.in_comment && (is_first || row.starts_with('['))
    }
}

/// A text without what stands in braces.
fn without_comments(text: &str) -> Result<String, NotationError> {
    let mut parts = text.split('{');
    let mut rest = parts.next().unwrap_or_default().to_string();
    let mut is_open = false;
    for part in parts {
        match part.split_once('}') {
            Some((_, after)) => {
                rest.push(' ');
                rest.push_str(after);
                is_open = false;
            }
            None => is_open = true,
        }
    }
    if is_open { Err(NotationError::OpenComment) } else { Ok(rest) }
}

/// Reads a list by the rules of another game; its result is what the rules say.
///
/// # Errors
/// A word that is no move, a move that cannot be played, a FEN that is none.
pub fn read(text: &str, like: &Game) -> Result<Game, NotationError> {
    let mut game = Game { variant: like.variant.clone(), house_rules: like.house_rules.clone(), ..Game::default() };
    let mut rows = Rows::default();
    let (tags, body): (Vec<&str>, Vec<&str>) = text.lines().partition(|row| rows.is_tag(row));
    let fen = tags.into_iter().find_map(|tag| tag.trim_start().strip_prefix("[FEN \"")?.split('"').next());
    if let Some(fen) = fen {
        game.fen = Some(fen.to_string());
        game.fen = Some(game.first()?.fen());
    }
    let rules = game.first()?;
    let mut moves: Vec<String> = Vec::new();
    for word in without_comments(&body.join(" "))?.split(|c: char| c.is_whitespace() || c == ',') {
        let lower = word.to_ascii_lowercase();
        // A number before a move, not the one in `0.5-0.5`.
        let digits = lower.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_number = digits.len() < lower.len() && digits.starts_with('.') && !RESULTS.contains(&lower.as_str());
        let bare = if is_number { digits.trim_start_matches('.') } else { &lower };
        if bare.chars().all(|c| c == '.') || RESULTS.contains(&bare) {
            continue;
        }
        // A removal belongs to the move before it.
        let text = if bare.starts_with('x') {
            moves.pop().ok_or_else(|| NotationError::EarlyRemoval(word.to_string()))? + bare
        } else {
            bare.to_string()
        };
        let number = moves.len() + 1;
        let fault = |fault| VerifyError::from(PlayError::Move { number, text: word.to_string(), fault });
        moves.push(rules.parts_of(&text).map_err(fault)?.text);
    }
    let mut parent = 0;
    for text in moves {
        parent = game.add(parent, &text);
    }
    game.check()?;
    game.end = game.end_by_rules()?;
    Ok(game)
}
