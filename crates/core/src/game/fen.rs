//! Faults in a position text, and the parts of reading and writing FENs that all games share.

use super::side::Side;
use crate::message::{Message, Value, messages};
use crate::options::from_to;
use std::cmp::Ordering;
use std::fmt::{self, Write};

/// Most plies without progress that are counted.
pub const MAX_PLIES_WITHOUT_PROGRESS: u32 = u16::MAX as u32;
/// Highest move number that is counted.
pub const MAX_MOVE_NUMBER: u32 = u32::MAX;

/// The number of faults after which reading stops: the text is not a FEN at all.
const MAX_FAULTS: usize = 30;

messages! {
    /// One thing wrong with a position text.
    #[non_exhaustive]
    pub enum Fault in "fault" {
        /// The text has no such field.
        Missing {
            /// The field.
            field: Message,
            /// The allowed contents of the field.
            expected: Value,
        } = "missing",
        /// A field that cannot be read.
        Field {
            /// The field.
            field: Message,
            /// The text found.
            value as text: String,
            /// The expected contents.
            expected: Value,
        } = "field",
        /// Text after the last field.
        Extra(text: String) = "extra",
        /// The wrong number of rows.
        RowCount {
            /// Rows found.
            found as n: usize,
            /// Rows expected.
            expected: usize,
        } = "rows",
        /// A row with too many cells.
        LongRow {
            /// Number of the row from the top, from 1.
            row: usize,
            /// Cells found.
            found as n: usize,
            /// Cells expected.
            expected: usize,
        } = "long-row",
        /// A row with too few cells.
        ShortRow {
            /// Number of the row from the top, from 1.
            row: usize,
            /// Cells found.
            found as n: usize,
            /// Cells expected.
            expected: usize,
        } = "short-row",
        /// A character without a meaning.
        Character {
            /// Number of the row from the top, from 1.
            row: usize,
            /// The character.
            found as text: char,
            /// The characters allowed there.
            expected: &'static str,
        } = "character",
        /// A position that the rules of the family do not allow.
        Rule(fault: Message),
    }

    /// A field of a position text that all games have.
    pub enum Field in "field" {
        /// The board.
        Board = "board",
        /// The side to move.
        Side = "side",
        /// Plies without progress.
        Counter = "counter",
        /// The number of the move.
        MoveNumber = "move-number",
    }

    /// The allowed contents of a field.
    pub(crate) enum Expected in "expected" {
        /// The letter of a side.
        Side = "side",
    }
}

impl Fault {
    /// The fault of a row with another number of cells, if it has; rows are counted from 1.
    pub fn row_length(row: usize, found: usize, expected: usize) -> Option<Fault> {
        match found.cmp(&expected) {
            Ordering::Less => Some(Fault::ShortRow { row, found, expected }),
            Ordering::Equal => None,
            Ordering::Greater => Some(Fault::LongRow { row, found, expected }),
        }
    }
}

impl std::error::Error for Fault {}

/// All faults of a position text; never empty when returned as an error.
#[derive(Clone, PartialEq, Eq, Debug, Default, thiserror::Error)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Value::from(self.clone()).fmt(f)
    }
}

impl From<Faults> for Value {
    fn from(faults: Faults) -> Value {
        Value::Messages(faults.0.iter().map(Message::from).collect())
    }
}

/// Shortens external text so that it fits in one line of output.
pub fn shorten(text: &str) -> String {
    const MAX_LENGTH: usize = 60;
    if text.chars().count() <= MAX_LENGTH {
        return text.to_string();
    }
    let mut short: String = text.chars().take(MAX_LENGTH).collect();
    short.push_str("...");
    short
}

/// Formats a number of things: `1 row`, `2 rows`.
pub fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Reads a board whose rows, from the top, have these widths. `piece` turns a character into a piece, and digits are
/// runs of empty cells. Calls `put` with the index of each piece that fits, among the cells of all rows; faults go to
/// `faults`. Returns whether the number of rows is right.
pub fn read_board<T>(
    text: &str,
    widths: &[usize],
    alphabet: &'static str,
    piece: impl Fn(char) -> Option<T>,
    faults: &mut Faults,
    mut put: impl FnMut(usize, T),
) -> bool {
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != widths.len() {
        faults.0.push(Fault::RowCount { found: rows.len(), expected: widths.len() });
        return false;
    }
    let mut first = 0;
    for (row, (text, &width)) in rows.into_iter().zip(widths).enumerate() {
        read_row(text, row, width, alphabet, &piece, faults, |column, piece| put(first + column, piece));
        first += width;
    }
    true
}

/// Writes a board whose rows, from the top, have these widths: a letter for each piece, a number for each run of empty
/// cells.
pub fn write_board(widths: &[usize], cells: impl IntoIterator<Item = Option<char>>) -> String {
    let (mut text, mut cells) = (String::new(), cells.into_iter());
    for (row, &width) in widths.iter().enumerate() {
        if row > 0 {
            text.push('/');
        }
        write_row(&mut text, cells.by_ref().take(width));
    }
    text
}

/// Reads the cells of one row; `put` gets the column of each piece that fits.
fn read_row<T>(
    text: &str,
    row: usize,
    width: usize,
    alphabet: &'static str,
    piece: impl Fn(char) -> Option<T>,
    faults: &mut Faults,
    mut put: impl FnMut(usize, T),
) {
    let mut column = 0usize;
    for c in text.chars() {
        if let Some(run) = c.to_digit(10).filter(|&run| run > 0) {
            column = column.saturating_add(run as usize);
        } else {
            match piece(c) {
                Some(piece) if column < width => put(column, piece),
                Some(_) => {}
                None => {
                    let fault = Fault::Character { row: row + 1, found: c, expected: alphabet };
                    if !faults.0.contains(&fault) {
                        faults.0.push(fault);
                    }
                    if faults.0.len() >= MAX_FAULTS {
                        return;
                    }
                }
            }
            column = column.saturating_add(1);
        }
    }
    faults.0.extend(Fault::row_length(row + 1, column, width));
}

/// Writes the cells of one row.
fn write_row(text: &mut String, cells: impl IntoIterator<Item = Option<char>>) {
    fn end_run(text: &mut String, run: u32) {
        if run > 0 {
            let _ = write!(text, "{run}");
        }
    }
    let mut run = 0;
    for cell in cells {
        match cell {
            None => run += 1,
            Some(piece) => {
                end_run(text, run);
                run = 0;
                text.push(piece);
            }
        }
    }
    end_run(text, run);
}

/// Reads the side to move.
pub fn read_side(text: Option<&str>, faults: &mut Faults) -> Side {
    let (field, expected) = (Field::Side.into(), Expected::Side.into());
    faults.0.push(match text {
        Some("w") => return Side::White,
        Some("b") => return Side::Black,
        Some(other) => Fault::Field { field, value: other.to_string(), expected },
        None => Fault::Missing { field, expected },
    });
    Side::White
}

/// Reads a number in `low..=high`; a missing field gives `default`.
pub fn read_number(
    text: Option<&str>,
    field: impl Into<Message>,
    low: u32,
    high: u32,
    default: u32,
    faults: &mut Faults,
) -> u32 {
    let Some(text) = text else { return default };
    match text.parse::<u32>() {
        Ok(value) if (low..=high).contains(&value) => value,
        _ => {
            let expected = from_to(low, high);
            faults.0.push(Fault::Field { field: field.into(), value: text.to_string(), expected });
            default
        }
    }
}

/// Reads the number of the move, from 1. Programs that count from 0 mean the first move, too.
pub fn read_move_number(text: Option<&str>, faults: &mut Faults) -> u32 {
    read_number(text, Field::MoveNumber, 0, MAX_MOVE_NUMBER, 1, faults).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut() {
        let text = "\u{e9}".repeat(60);
        assert_eq!(shorten(&text), text);
        assert_eq!(shorten(&format!("{text}x")), format!("{text}..."));
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!([0, 1, 2].map(|number| counted(number, "cell")), ["0 cells", "1 cell", "2 cells"]);
        assert_eq!(Fault::RowCount { found: 1, expected: 7 }.to_string(), "1 row, expected 7");
        let fault = Fault::row_length(1, 1, 3).map(|fault| fault.to_string());
        assert_eq!(fault.as_deref(), Some("row 1 is too short: 1 cell, expected 3"));
        assert_eq!(Fault::row_length(1, 3, 3), None);
    }

    /// Returns the pieces of a row of seven, and its faults.
    fn row(text: &str) -> (Vec<(usize, char)>, Faults) {
        let (mut pieces, mut faults) = (Vec::new(), Faults::default());
        let piece = |c: char| (c == 'O').then_some(c);
        read_row(text, 2, 7, "O, 1-7", piece, &mut faults, |column, piece| pieces.push((column, piece)));
        (pieces, faults)
    }

    #[test]
    fn rows_hold_pieces_and_runs() {
        assert_eq!(row("7"), (vec![], Faults::default()));
        assert_eq!(row("O2O3"), (vec![(0, 'O'), (3, 'O')], Faults::default()));
        assert_eq!(row("52"), (vec![], Faults::default()));
        let (pieces, faults) = row("6OO");
        assert_eq!(pieces, [(6, 'O')], "what does not fit is left out");
        assert_eq!(faults.to_string(), "row 3 is too long: 8 cells, expected 7");
        assert_eq!(row("").1.to_string(), "row 3 is too short: 0 cells, expected 7");
        assert_eq!(row("9").1.to_string(), "row 3 is too long: 9 cells, expected 7");
    }

    #[test]
    fn rows_are_written_as_they_are_read() {
        for text in ["7", "O2O3", "2OO3", "6O", "OOOOOOO"] {
            let mut cells = [None; 7];
            row(text).0.into_iter().for_each(|(column, piece)| cells[column] = Some(piece));
            let mut written = String::new();
            write_row(&mut written, cells);
            assert_eq!(written, text);
        }
    }

    #[test]
    fn characters_are_reported_once_and_not_without_end() {
        let expected = "character '0' in row 3, expected one of O, 1-7; row 3 is too long: 9 cells, expected 7";
        assert_eq!(row("070").1.to_string(), expected);
        assert_eq!(row("x3x2").1.to_string(), "character 'x' in row 3, expected one of O, 1-7");
        let alphabet: String = ('A'..='Z').chain('a'..='z').filter(|&c| c != 'O').collect();
        assert_eq!(row(&alphabet).1.0.len(), MAX_FAULTS);
        let few: String = alphabet.chars().take(MAX_FAULTS - 1).collect();
        assert_eq!(row(&few).1.0.len(), MAX_FAULTS, "one less, and the length");
    }

    #[test]
    fn sides_and_numbers_are_read() {
        let mut faults = Faults::default();
        assert_eq!(read_side(Some("w"), &mut faults), Side::White);
        assert_eq!(read_side(Some("b"), &mut faults), Side::Black);
        for (text, value) in [(None, 4), (Some("3"), 3), (Some("5"), 5)] {
            assert_eq!(read_number(text, Message::plain("number"), 3, 5, 4, &mut faults), value);
        }
        for (text, value) in [(None, 1), (Some("0"), 1), (Some("00"), 1), (Some("1"), 1), (Some("7"), 7)] {
            assert_eq!(read_move_number(text, &mut faults), value);
        }
        assert_eq!(faults, Faults::default());
        for text in ["2", "6", "", "x", "-3", "4294967296"] {
            assert_eq!(read_number(Some(text), Message::plain("number"), 3, 5, 4, &mut faults), 4);
            let expected = format!("number is {text:?}, expected a number from 3 to 5");
            assert_eq!(std::mem::take(&mut faults).to_string(), expected);
        }
    }
}
