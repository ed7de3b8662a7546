//! Texts of many games taken apart line by line, so that no more than one of them is in memory.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::forms::Format;
use crate::lines::BYTE_ORDER_MARK;

/// The text of one game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Its first line in the whole text, from 1.
    pub line: usize,
    /// Its form.
    pub form: Format,
    /// The text.
    pub text: String,
}

/// Takes the lines of a text of games, and gives the text of each game as soon as it is whole.
///
/// ```
/// use millbrain_games::split::Splitter;
///
/// let mut splitter = Splitter::new(None);
/// let mut pieces: Vec<_> = "(;FF[4](;B[aa])) (;\nC[)])\n".split_inclusive('\n').flat_map(|line| splitter.line(line)).collect();
/// pieces.extend(splitter.finish());
/// assert_eq!(pieces.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>(), ["(;FF[4](;B[aa]))", "(;\nC[)])"]);
/// ```
#[derive(Debug, Default)]
pub struct Splitter {
    /// The form, once it is known.
    form: Option<Format>,
    /// Lines so far.
    line: usize,
    /// Where the game begins that is being read.
    first: usize,
    text: String,
    /// Whether it has more than tags.
    has_moves: bool,
    /// Whether a blank line stands behind its moves.
    is_over: bool,
    /// Of SGF and MIF: open parentheses or braces, whether a value is open, and whether the last character takes the meaning
    /// from the next.
    depth: usize,
    in_value: bool,
    escaped: bool,
}

impl Splitter {
    /// A text in a form, or in the one that it seems to have.
    pub fn new(form: Option<Format>) -> Splitter {
        Splitter { form, ..Splitter::default() }
    }

    /// Takes a line, with its end, and returns the games that are whole now.
    pub fn line(&mut self, line: &str) -> Vec<Piece> {
        self.line += 1;
        let line = if self.line == 1 { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line) } else { line };
        let bare = line.trim();
        let form = match self.form {
            Some(form) => form,
            None if bare.is_empty() => return Vec::new(),
            None => *self.form.insert(form_of(bare)),
        };
        match form {
            Format::Sgf => self.nested(line, form, ['(', ')'], ['[', ']']),
            Format::Mif => self.nested(line, form, ['{', '}'], ['"', '"']),
            Format::Record => {
                let begins = self.has_moves && !bare.is_empty() && (bare.starts_with('[') || self.is_over);
                self.rows(line, begins, form)
            }
            Format::Sanmill => {
                let begins = self.has_moves && (bare.starts_with('[') || bare.starts_with("1."));
                self.rows(line, begins, form)
            }
        }
    }

    /// The game that the end of the text ends.
    pub fn finish(mut self) -> Option<Piece> {
        let form = self.form?;
        let rest = self.take(form);
        (!rest.text.trim().is_empty()).then_some(rest)
    }

    /// What has been read of a game.
    fn take(&mut self, form: Format) -> Piece {
        Piece { line: self.first, form, text: std::mem::take(&mut self.text) }
    }

    /// A line of the forms that go by lines.
    fn rows(&mut self, line: &str, begins: bool, form: Format) -> Vec<Piece> {
        let whole = begins.then(|| self.take(form));
        if begins {
            (self.has_moves, self.is_over) = (false, false);
        }
        let bare = line.trim();
        if self.text.is_empty() && bare.is_empty() {
            return Vec::new();
        }
        if self.text.is_empty() {
            self.first = self.line;
        }
        self.has_moves |= !bare.is_empty() && !bare.starts_with('[');
        self.is_over = self.has_moves && bare.is_empty();
        self.text.push_str(line);
        whole.into_iter().collect()
    }

    /// A line of the forms whose games stand between two marks, with values in which these mean nothing.
    fn nested(&mut self, line: &str, form: Format, game: [char; 2], value: [char; 2]) -> Vec<Piece> {
        let mut whole = Vec::new();
        for c in line.chars() {
            if self.text.is_empty() {
                if c.is_whitespace() {
                    continue;
                }
                self.first = self.line;
            }
            self.text.push(c);
            if self.escaped {
                self.escaped = false;
            } else if self.in_value {
                self.escaped = c == '\\';
                self.in_value = c != value[1];
            } else if c == value[0] {
                self.in_value = true;
            } else if c == game[0] {
                self.depth += 1;
            } else if c == game[1] {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    whole.push(self.take(form));
                }
            }
        }
        whole
    }
}

/// The form that a text seems to have by its first line.
fn form_of(line: &str) -> Format {
    // A comment of a list of moves begins with a brace too.
    let is_object = |rest: &str| rest.trim_start().is_empty() || rest.trim_start().starts_with('"');
    if line.starts_with('(') {
        Format::Sgf
    } else if line.strip_prefix('{').is_some_and(is_object) {
        Format::Mif
    } else if line.starts_with('[') && !line.starts_with("[FEN \"") {
        Format::Record
    } else {
        Format::Sanmill
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod tests {
    use super::*;
    use crate::forms::{read, write};
    use crate::game::Game;

    fn pieces(form: Option<Format>, text: &str) -> Vec<Piece> {
        let mut splitter = Splitter::new(form);
        let mut pieces: Vec<Piece> = text.split_inclusive('\n').flat_map(|line| splitter.line(line)).collect();
        pieces.extend(splitter.finish());
        pieces
    }

    fn game(moves: &[&str]) -> Game {
        let mut game = Game { variant: "morris".to_string(), ..Game::default() };
        let mut at = 0;
        for text in moves {
            at = game.add(at, text);
        }
        game
    }

    /// The games of each form come one by one, and are those of the text as a whole.
    #[test]
    fn each_game_comes_by_itself() {
        let mut games = [game(&["d6", "f4"]), game(&["a7", "d7", "g7"]), game(&["a1"])];
        games[1].nodes[2].comment = "a (strange) [value] \\ here\n\n[and] 1. there".to_string();
        let like = Game { variant: "morris".to_string(), ..Game::default() };
        for form in [Format::Record, Format::Sgf, Format::Sanmill, Format::Mif] {
            let texts: Vec<String> = games.iter().map(|game| write(game, form).unwrap()).collect();
            for between in ["", "\n", "\r\n\n"] {
                let whole = format!("\u{feff}\n{}\n", texts.join(between));
                let found = pieces(None, &whole);
                assert_eq!(found, pieces(Some(form), &whole));
                assert_eq!(found.len(), games.len(), "{whole}");
                for (piece, text) in found.iter().zip(&texts) {
                    assert_eq!(piece.form, form);
                    assert_eq!(read(&piece.text, form, &like).unwrap(), read(text, form, &like).unwrap(), "{whole}");
                    let first = whole.lines().nth(piece.line - 1).unwrap();
                    assert!(first.contains(text.lines().next().unwrap()), "{}: {first}", piece.line);
                }
            }
        }
    }

    #[test]
    fn what_is_not_whole_is_given_at_the_end() {
        assert_eq!(pieces(None, "").len() + pieces(None, "\n \n").len() + pieces(Some(Format::Sgf), "\n").len(), 0);
        let torn = pieces(None, "(;B[aa])\n(;W[bb]\n");
        assert_eq!(
            torn.iter().map(|piece| (piece.line, piece.text.as_str())).collect::<Vec<_>>(),
            [(1, "(;B[aa])"), (2, "(;W[bb]\n")]
        );
        let positions = "[FEN \"x\"]\n\n1. d6 f4\n[FEN \"y\"]\n1. a1\n2. a4\n";
        assert_eq!(pieces(None, positions).iter().map(|piece| piece.line).collect::<Vec<_>>(), [1, 4]);
        let bare = pieces(Some(Format::Record), "[Game \"1\"]\n\n1. d6 *\n\n1. f4 *\n");
        assert_eq!(
            bare.iter().map(|piece| piece.line).collect::<Vec<_>>(),
            [1, 5],
            "a game without tags is a fault of its own"
        );
    }
}
