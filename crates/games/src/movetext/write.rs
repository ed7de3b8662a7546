//! Writes moves and variations as movetext.

use super::info::{self, Style};
use super::scan::{MARKS, NEXT_GAME};
use crate::game::{Game, Node};
use millbrain_core::game::Side;

/// Text with spaces between words, and rows.
#[derive(Default)]
struct Rows {
    text: String,
    /// Whether the next word begins a row, or follows the last without a space.
    is_first: bool,
}

impl Rows {
    fn word(&mut self, word: &str) {
        if !std::mem::take(&mut self.is_first) {
            self.text.push(' ');
        }
        self.text.push_str(word);
    }

    /// Puts the next word directly after the last.
    fn beside(&mut self) {
        self.is_first = true;
    }

    fn end_row(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.is_first = true;
    }

    /// Writes a comment in braces, or in lines of its own where braces would change it.
    fn comment(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let is_other = text.contains(['}', '\r']) || text.contains(NEXT_GAME) || info::is_taken(text);
        if !is_other {
            return self.word(&format!("{{{text}}}"));
        }
        for line in text.split('\n') {
            self.word(&format!(";{line}"));
            self.end_row();
        }
    }
}

enum Due {
    Open,
    Close,
    /// A node, the plies before it, and whether its number is always shown.
    Move(usize, usize, bool),
    /// The successors of a node, and whether a variation is in between.
    Rest(usize, usize, bool),
}

/// Writes the moves of a game with their variations and comments, a row for two moves of the main line, followed by the
/// result.
pub(crate) fn write(game: &Game, first: Side, style: Style, word: &dyn Fn(&str) -> String) -> String {
    let mut rows = Rows { is_first: true, ..Rows::default() };
    rows.comment(&game.comment);
    rows.end_row();
    let children = game.children();
    let opening = if style == Style::Record { opening(game) } else { 0 };
    // The items still to be written, the next last; no recursion, since games are long.
    let mut waiting = vec![Due::Rest(0, usize::from(first == Side::Black), true)];
    let start = usize::from(first == Side::Black);
    let mut depth = 0;
    while let Some(due) = waiting.pop() {
        match due {
            Due::Open => {
                depth += 1;
                rows.word("(");
                rows.beside();
            }
            Due::Close => {
                depth -= 1;
                if !rows.text.ends_with('\n') {
                    rows.beside();
                }
                rows.word(")");
            }
            Due::Rest(at, ply, is_broken) => {
                let next = children.get(at).map_or(&[][..], Vec::as_slice);
                if next.is_empty() && depth == 0 && !rows.text.ends_with('\n') && ply.is_multiple_of(2) && ply > start {
                    rows.end_row();
                }
                let Some((&main, others)) = next.split_first() else { continue };
                waiting.push(Due::Rest(main, ply + 1, !others.is_empty()));
                for &other in others.iter().rev() {
                    waiting.extend([
                        Due::Close,
                        Due::Rest(other, ply + 1, false),
                        Due::Move(other, ply, true),
                        Due::Open,
                    ]);
                }
                waiting.push(Due::Move(main, ply, is_broken));
            }
            Due::Move(at, ply, is_broken) => {
                let Some(node) = game.nodes.get(at - 1) else { continue };
                let is_white = ply.is_multiple_of(2);
                if depth == 0 && is_white && ply > start {
                    rows.end_row();
                }
                if is_white || is_broken || !node.before.is_empty() {
                    rows.word(&format!("{}{}", ply / 2 + 1, if is_white { "." } else { "..." }));
                }
                rows.comment(&node.before);
                let side = if is_white { Side::White } else { Side::Black };
                let is_opening = depth == 0 && ply < start + opening;
                write_move(&mut rows, node, side, style, is_opening, word);
            }
        }
    }
    rows.word(&game.outcome().to_string());
    rows.text.push('\n');
    rows.text
}

fn write_move(rows: &mut Rows, node: &Node, side: Side, style: Style, is_opening: bool, word: &dyn Fn(&str) -> String) {
    rows.word(&word(&node.played.text));
    for &mark in &node.marks {
        match usize::from(mark).checked_sub(1).and_then(|mark| MARKS.get(mark)) {
            // Two signs would form one mark.
            Some(sign) if node.marks.len() == 1 => {
                rows.beside();
                rows.word(sign);
            }
            _ => rows.word(&format!("${mark}")),
        }
    }
    let info = info::write(node, side, style, is_opening);
    if !info.is_empty() {
        rows.word(&format!("{{{info}}}"));
    }
    rows.comment(&node.comment);
}

/// Counts the moves at the beginning that no engine has searched, in a game where engines have searched others.
fn opening(game: &Game) -> usize {
    let line = game.main_line();
    line.iter().position(|node| node.played.time.is_some()).unwrap_or_default()
}

/// Writes a line with a tag: quotes and backslashes are escaped with a backslash, and there are no control characters.
pub(crate) fn tag(name: &str, value: &str) -> String {
    let mut text = format!("[{name} \"");
    for c in value.chars().map(|c| if c.is_control() { ' ' } else { c }) {
        if matches!(c, '"' | '\\') {
            text.push('\\');
        }
        text.push(c);
    }
    text + "\"]\n"
}
