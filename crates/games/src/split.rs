//! Texts of many games taken apart piece by piece, so that no more than one of them is in memory.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::forms::Format;
use crate::lines::BYTE_ORDER_MARK;
use crate::lists::Rows;
use serde::Serialize;

/// The text of one game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Piece {
    /// Its first line in the whole text, from 1.
    pub line: usize,
    /// Its form.
    pub form: Format,
    /// The text.
    pub text: String,
}

/// Takes a text of games in parts of any size, and gives the text of each game as soon as it is whole. The parts may end
/// anywhere: the games are the same.
///
/// ```
/// use millbrain_games::split::Splitter;
///
/// let mut splitter = Splitter::new(None);
/// let mut pieces: Vec<_> = ["(;FF[4](;B[", "aa])) (;\nC[)", "])\n"].into_iter().flat_map(|part| splitter.push(part)).collect();
/// pieces.extend(splitter.finish());
/// assert_eq!(pieces.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>(), ["(;FF[4](;B[aa]))", "(;\nC[)])"]);
/// ```
#[derive(Debug)]
pub struct Splitter {
    /// The form, once it is known.
    form: Option<Format>,
    /// Whether an empty line between its moves ends a record.
    by_blanks: bool,
    /// What has been taken and not looked at: less than a line, unless the form goes by other marks.
    rest: String,
    /// The line that is looked at, from 1.
    line: usize,
    /// Where the game begins that is being read.
    first: usize,
    text: String,
    /// Of a list: its tags, comments and moves so far.
    rows: Rows,
    /// Of a record: whether it has more than tags, and whether a blank line stands behind its moves.
    has_moves: bool,
    is_over: bool,
    /// Of SGF and MIF: open parentheses or braces, whether a value is open, and whether the last character takes the meaning
    /// from the next.
    depth: usize,
    in_value: bool,
    escaped: bool,
}

impl Splitter {
    /// A text in a form, or in the one that it seems to have, for [`read`](crate::forms::read): behind an empty line after
    /// its moves a record needs tags again.
    pub fn new(form: Option<Format>) -> Splitter {
        Splitter {
            form,
            by_blanks: true,
            rest: String::new(),
            line: 1,
            first: 1,
            text: String::new(),
            rows: Rows::default(),
            has_moves: false,
            is_over: false,
            depth: 0,
            in_value: false,
            escaped: false,
        }
    }

    /// A text that somebody brings along, for [`import`](crate::import::import): only tags begin a record.
    pub fn for_import() -> Splitter {
        Splitter { by_blanks: false, ..Splitter::new(None) }
    }

    /// Takes the next part of the text, and returns the games that are whole now.
    pub fn push(&mut self, part: &str) -> Vec<Piece> {
        self.rest.push_str(part);
        let is_row = matches!(self.form, Some(Format::Record | Format::Sanmill));
        // A line is looked at once, however many parts it comes in.
        if is_row && !part.contains('\n') { Vec::new() } else { self.look(false) }
    }

    /// The games that the end of the text ends.
    pub fn finish(mut self) -> Vec<Piece> {
        let mut pieces = self.look(true);
        if let Some(form) = self.form {
            let rest = self.take(form);
            pieces.extend(Some(rest).filter(|rest| !rest.text.trim().is_empty()));
        }
        pieces
    }

    /// Looks at what has been taken: all of it at the end.
    fn look(&mut self, is_end: bool) -> Vec<Piece> {
        if self.text.is_empty() {
            let rest = self.rest.trim_start_matches(is_space);
            let (space, rest) = self.rest.split_at(self.rest.len() - rest.len());
            self.line += space.matches('\n').count();
            self.rest = rest.to_string();
        }
        if self.form.is_none() {
            self.form = form_of(&self.rest, is_end);
        }
        let Some(form) = self.form else { return Vec::new() };
        let rest = std::mem::take(&mut self.rest);
        match form {
            Format::Sgf => self.nested(&rest, form, ['(', ')'], ['[', ']']),
            Format::Mif => self.nested(&rest, form, ['{', '}'], ['"', '"']),
            Format::Record | Format::Sanmill => {
                let mut whole = Vec::new();
                for line in rest.split_inclusive('\n') {
                    if is_end || line.ends_with('\n') {
                        whole.extend(self.row(line, form));
                    } else {
                        self.rest.push_str(line);
                    }
                }
                whole
            }
        }
    }

    /// What has been read of a game.
    fn take(&mut self, form: Format) -> Piece {
        (self.rows, self.has_moves, self.is_over) = (Rows::default(), false, false);
        Piece { line: self.first, form, text: std::mem::take(&mut self.text) }
    }

    /// A line of the forms that go by lines: the game that it ends by beginning another.
    fn row(&mut self, line: &str, form: Format) -> Option<Piece> {
        let bare = line.trim();
        let begins = match form {
            Format::Sanmill => self.rows.begins(bare),
            _ => self.has_moves && !bare.is_empty() && (bare.starts_with('[') || (self.is_over && self.by_blanks)),
        };
        let whole = begins.then(|| self.take(form));
        if !self.text.is_empty() || !bare.is_empty() {
            if self.text.is_empty() {
                self.first = self.line;
            }
            if form == Format::Sanmill {
                self.rows.is_tag(bare);
            } else {
                self.has_moves |= !bare.is_empty() && !bare.starts_with('[');
                self.is_over = self.has_moves && bare.is_empty();
            }
            self.text.push_str(line);
        }
        self.line += 1;
        whole
    }

    /// A part of the forms whose games stand between two marks, with values in which these mean nothing.
    fn nested(&mut self, part: &str, form: Format, game: [char; 2], value: [char; 2]) -> Vec<Piece> {
        let mut whole = Vec::new();
        for c in part.chars() {
            if !self.text.is_empty() || !is_space(c) {
                if self.text.is_empty() {
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
            self.line += usize::from(c == '\n');
        }
        whole
    }
}

/// What may stand before a text and between games.
fn is_space(c: char) -> bool {
    c.is_whitespace() || BYTE_ORDER_MARK.contains(c)
}

/// The form that a text seems to have by how it begins; nothing while it can still be another.
fn form_of(text: &str, is_end: bool) -> Option<Format> {
    const FEN: &str = "[FEN \"";
    if text.is_empty() {
        None
    } else if text.starts_with('(') {
        Some(Format::Sgf)
    } else if let Some(rest) = text.strip_prefix('{') {
        // A comment of a list of moves begins with a brace too.
        let next = rest.trim_start().chars().next();
        let form = if next.is_none_or(|c| c == '"') { Format::Mif } else { Format::Sanmill };
        (next.is_some() || is_end).then_some(form)
    } else if FEN.starts_with(text) && !is_end {
        None
    } else if text.starts_with('[') && !text.starts_with(FEN) {
        Some(Format::Record)
    } else {
        Some(Format::Sanmill)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod tests {
    use super::*;
    use crate::forms::{read, write};
    use crate::game::Game;

    fn pieces(form: Option<Format>, text: &str) -> Vec<Piece> {
        sliced(Splitter::new(form), text.split_inclusive('\n'))
    }

    fn sliced<'a>(mut splitter: Splitter, parts: impl IntoIterator<Item = &'a str>) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = parts.into_iter().flat_map(|part| splitter.push(part)).collect();
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

    /// Rows of a comment are none of the list, whatever they look like.
    #[test]
    fn comments_of_several_rows_stay_whole() {
        let like = Game { variant: "morris".to_string(), ..Game::default() };
        let lists = [
            "{ first\n1. d6\n}\n[FEN \"********/********/******** w p p 0 9 0 9 0 0 0 0 0 0 0 0 1\"]\n\n1. a7 f4 {1. }{ \n1.\n\n1. d7} d6\n",
            "1. d6 {then\n1. f4\n[or] so} f4\n2. a1\n",
            "1. d6 f4\n1... {no game\n\n1. a7} g7\n",
        ];
        let moves = [vec!["a7", "f4", "d6"], vec!["d6", "f4", "a1"], vec!["d6", "f4", "g7"]];
        for splitter in [Splitter::new(None), Splitter::new(Some(Format::Sanmill)), Splitter::for_import()] {
            let found = sliced(splitter, [lists.concat().as_str()]);
            assert_eq!(found.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>(), lists);
            for (piece, moves) in found.iter().zip(&moves) {
                let games = read(&piece.text, piece.form, &like).unwrap();
                let line: Vec<&str> = games[0].main_line().iter().map(|node| node.played.text.as_str()).collect();
                assert_eq!(&line, moves, "{}", piece.text);
            }
        }
        let rows = "1. d6 f4\n[FEN";
        assert!(read(rows, Format::Sanmill, &like).is_err(), "a tag behind moves");
    }

    #[test]
    fn what_is_imported_has_records_with_empty_lines() {
        let text = "[Variant \"morris\"]\n\n1. d6 f4\n\n2. a1\n[Variant \"mlyn\"]\n\n1. d6\n";
        let lines = |splitter| sliced(splitter, [text]).iter().map(|piece| piece.line).collect::<Vec<_>>();
        assert_eq!(lines(Splitter::for_import()), [1, 6]);
        assert_eq!(lines(Splitter::new(None)), [1, 5, 6]);
    }

    /// However a text comes, it has the same games, and nothing of it is lost.
    #[test]
    fn games_are_the_same_whatever_the_parts() {
        const WORDS: [&str; 24] = [
            "(",
            "[",
            "{",
            "}",
            ")",
            "]",
            "\"",
            "\\",
            ";",
            "\n",
            "\r\n",
            " ",
            "\n\n",
            "1. d6",
            "1... f4",
            "1.",
            "a",
            "[FEN \"",
            "[FEN \"x\"]\n",
            "[Variant \"morris\"]\n",
            "{\"format\":",
            "\u{feff}",
            "ä",
            "1-0",
        ];
        let mut rng = fastrand::Rng::with_seed(29);
        for round in 0..4_000 {
            let text: String = (0..rng.usize(..30)).map(|_| WORDS[rng.usize(..WORDS.len())]).collect();
            let splitter = || match round % 6 {
                0 => Splitter::for_import(),
                1 => Splitter::new(Some(Format::Record)),
                2 => Splitter::new(Some(Format::Sgf)),
                3 => Splitter::new(Some(Format::Sanmill)),
                4 => Splitter::new(Some(Format::Mif)),
                _ => Splitter::new(None),
            };
            let whole = sliced(splitter(), [text.as_str()]);
            let mut ends: Vec<usize> = text.char_indices().map(|(at, _)| at).filter(|_| rng.bool()).collect();
            ends.push(text.len());
            let begins = std::iter::once(0).chain(ends.iter().copied());
            let parts: Vec<&str> = begins.zip(&ends).map(|(begin, &end)| &text[begin..end]).collect();
            assert_eq!(sliced(splitter(), parts.iter().copied()), whole, "{parts:?}");
            let bare = |text: &str| text.replace(is_space, "");
            let joined: String = whole.iter().map(|piece| bare(&piece.text)).collect();
            assert_eq!(joined, bare(&text), "{text:?}");
        }
    }
}
