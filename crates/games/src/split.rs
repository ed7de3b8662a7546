//! Splits texts of many games piece by piece, so that only one of them is in memory.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::forms::Format;
use crate::movetext::{Fault, Place, Scanner, Token};
use millbrain_files::lines::BYTE_ORDER_MARK;
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

/// The delimiters of the games of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Frame {
    /// Parentheses, with values in brackets: SGF.
    Sgf,
    /// Braces, with values in quotes: JSON.
    Json,
    /// No delimiters: movetext.
    Rows,
}

/// Takes a text of games in parts of any size, and returns the text of each game as soon as it is whole. The parts may
/// end anywhere: the games are the same.
///
/// In movetext a game ends before a tag or a move 1 of White that follows moves. It also ends before a tag that it
/// already has, and before a move after a result. A truncated game does not swallow the next, if that one begins in a
/// new line as games of its form do.
///
/// ```
/// use millbrain_games::split::Splitter;
///
/// let mut splitter = Splitter::new(None);
/// let mut pieces: Vec<_> =
///     ["(;FF[4](;B[", "aa])) (;\nC[)", "])\n"].into_iter().flat_map(|part| splitter.push(part)).collect();
/// pieces.extend(splitter.finish());
/// assert_eq!(pieces.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>(), ["(;FF[4](;B[aa]))", "(;\nC[)])"]);
/// ```
#[derive(Debug)]
pub struct Splitter {
    /// The form of all games, if it is known.
    form: Option<Format>,
    /// The delimiters of the game, once they are known.
    frame: Option<Frame>,
    text: String,
    /// The line of the next character, and that of the first one of the game, from 1.
    line: usize,
    first: usize,
    /// Whether the last character was CR: an LF after it belongs to it.
    after_return: bool,
    /// The state within movetext.
    scanner: Scanner,
    tags: Vec<String>,
    has_moves: bool,
    has_result: bool,
    /// Open parentheses or braces, whether a value is open, and whether the last character escapes the next.
    depth: usize,
    in_value: bool,
    escaped: bool,
}

impl Splitter {
    /// Splits a text in a form, or in the detected ones.
    pub fn new(form: Option<Format>) -> Splitter {
        Splitter {
            form,
            frame: None,
            text: String::new(),
            line: 1,
            first: 1,
            after_return: false,
            scanner: Scanner::new(),
            tags: Vec::new(),
            has_moves: false,
            has_result: false,
            depth: 0,
            in_value: false,
            escaped: false,
        }
    }

    /// Returns the games of a whole text.
    pub fn all(text: &str) -> Vec<Piece> {
        let mut splitter = Splitter::new(None);
        let mut pieces = splitter.push(text);
        pieces.extend(splitter.finish());
        pieces
    }

    /// Takes the next part of the text, and returns the games that are whole now.
    pub fn push(&mut self, part: &str) -> Vec<Piece> {
        let mut whole = Vec::new();
        part.chars().for_each(|c| self.take(c, &mut whole));
        whole
    }

    /// Returns the games that the end of the text completes.
    pub fn finish(mut self) -> Vec<Piece> {
        let mut whole = Vec::new();
        if self.frame.is_none() && !self.text.is_empty() {
            self.decide(true, &mut whole);
        }
        if self.frame == Some(Frame::Rows) {
            let mut tokens = Vec::new();
            self.scanner.finish(&mut |token, place| tokens.push((token, place)));
            tokens.into_iter().for_each(|(token, place)| self.token(&token, place, &mut whole));
        }
        whole.extend(self.cut(self.text.len()));
        whole
    }

    /// Takes a character; all ends of lines become LF.
    fn take(&mut self, c: char, whole: &mut Vec<Piece>) {
        let c = match (c, std::mem::replace(&mut self.after_return, c == '\r')) {
            ('\n', true) => return,
            ('\r', _) => '\n',
            _ => c,
        };
        if self.text.is_empty() {
            if is_space(c) {
                self.line += usize::from(c == '\n');
                return;
            }
            self.first = self.line;
        }
        self.text.push(c);
        self.line += usize::from(c == '\n');
        match self.frame {
            None => self.decide(false, whole),
            Some(frame) => self.look(c, frame, whole),
        }
    }

    /// Detects the delimiters of a game by its beginning.
    fn decide(&mut self, is_end: bool, whole: &mut Vec<Piece>) {
        let frame = match self.form {
            Some(Format::Sgf) => Some(Frame::Sgf),
            Some(Format::Mif | Format::Kaggle) => Some(Frame::Json),
            Some(_) => Some(Frame::Rows),
            None => frame_of(&self.text, is_end),
        };
        let Some(frame) = frame else { return };
        self.frame = Some(frame);
        self.scanner = Scanner::new();
        let text = self.text.clone();
        // No game can end in so short a text.
        text.chars().for_each(|c| self.look(c, frame, whole));
    }

    fn look(&mut self, c: char, frame: Frame, whole: &mut Vec<Piece>) {
        match frame {
            Frame::Sgf => self.nested(c, ['(', ')'], ['[', ']'], whole),
            Frame::Json => self.nested(c, ['{', '}'], ['"', '"'], whole),
            Frame::Rows => {
                let mut tokens = Vec::new();
                self.scanner.push(c, &mut |token, place| tokens.push((token, place)));
                tokens.into_iter().for_each(|(token, place)| self.token(&token, place, whole));
            }
        }
    }

    /// Ends the game before byte `at` of the text read so far, and begins the next there.
    fn cut(&mut self, at: usize) -> Option<Piece> {
        let rest = self.text.split_off(at.min(self.text.len()));
        let text = std::mem::replace(&mut self.text, rest);
        let line = std::mem::replace(&mut self.first, self.line - self.text.matches('\n').count());
        (self.has_moves, self.has_result, self.frame) = (false, false, None);
        (self.depth, self.in_value, self.escaped) = (0, false, false);
        self.tags.clear();
        let form = self.form.unwrap_or_else(|| Format::of(&text));
        Some(Piece { line, form, text }).filter(|piece| !piece.text.trim_matches(is_space).is_empty())
    }

    /// Handles a token of movetext: it may begin another game.
    fn token(&mut self, token: &Token, place: Place, whole: &mut Vec<Piece>) {
        let begins = match token {
            Token::Tag(name, _) => self.has_moves || self.has_result || self.tags.contains(name),
            Token::Number(1, 1) => self.has_result || (self.has_moves && self.depth == 0),
            Token::Number(..) | Token::Word(_) | Token::Open => self.has_result,
            Token::Comment(text, false) => self.has_result && is_member(text),
            _ => false,
        };
        if begins {
            whole.extend(self.cut(place.at));
            if matches!(token, Token::Open | Token::Comment(..)) {
                // The next game may have another form.
                return self.decide(false, whole);
            }
            self.frame = Some(Frame::Rows);
            self.scanner.rebase(place.at);
        }
        match token {
            Token::Tag(name, _) => self.tags.push(name.clone()),
            Token::Fault(Fault::Tag(_)) => self.has_moves = true,
            Token::Open => self.depth += 1,
            Token::Close => (self.depth, self.has_moves) = (self.depth.saturating_sub(1), true),
            Token::Word(_) | Token::Number(_, 0) => self.has_moves = true,
            Token::Result(_) => self.has_result |= self.depth == 0,
            _ => {}
        }
    }

    /// Handles a character of the forms with delimiters; within values these mean nothing.
    fn nested(&mut self, c: char, game: [char; 2], value: [char; 2], whole: &mut Vec<Piece>) {
        let [open, close] = game;
        let [begin, end] = value;
        if self.depth > 0 && self.is_torn(c, begin) {
            let at = self.text.rfind('\n').map_or(0, |at| at + 1);
            whole.extend(self.cut(at));
            if !self.text.is_empty() {
                self.decide(false, whole);
            }
            return;
        }
        if self.escaped {
            self.escaped = false;
        } else if self.in_value {
            self.escaped = c == '\\';
            self.in_value = c != end;
        } else if c == begin {
            self.in_value = true;
        } else if c == open {
            self.depth += 1;
        } else if c == close {
            self.depth = self.depth.saturating_sub(1);
            if self.depth == 0 {
                whole.extend(self.cut(self.text.len()));
            }
        }
    }

    /// Returns whether the game breaks off before the line of this character, which has just been read.
    fn is_torn(&self, c: char, begin: char) -> bool {
        let line = self.text.rfind('\n').map(|at| self.text.split_at(at + 1));
        let Some((before, line)) = line else { return false };
        match (begin, c) {
            ('[', ']') => {
                let number = ["(;FF[", "(;GM["].iter().find_map(|begin| line.strip_prefix(begin)?.strip_suffix(']'));
                number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
            }
            // No quoted text spans lines.
            ('"', '\n') => self.in_value,
            ('"', '"') => line == "{\"" && !before.trim_end().ends_with([',', '[', ':', '{']),
            _ => false,
        }
    }
}

/// Returns whether a character may come before a text and between games.
fn is_space(c: char) -> bool {
    c.is_whitespace() || BYTE_ORDER_MARK.contains(c)
}

/// Returns whether a comment is the beginning of a JSON object, `"NAME":`.
fn is_member(comment: &str) -> bool {
    let name = comment.trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"'));
    name.is_some_and(|(_, rest)| rest.trim_start().starts_with(':'))
}

/// Detects the delimiters of a game by its beginning; `None` while it is ambiguous.
fn frame_of(text: &str, is_end: bool) -> Option<Frame> {
    let rest = text.get(1..).unwrap_or_default().trim_start();
    let next = rest.chars().next();
    match text.chars().next()? {
        // Old games of Sanmill begin with a point in parentheses.
        '(' => next.map(|c| if c.is_ascii_digit() { Frame::Rows } else { Frame::Sgf }).or(is_end.then_some(Frame::Sgf)),
        // A comment of movetext begins with a brace too.
        '{' => {
            next.map(|c| if c == '"' || c == '}' { Frame::Json } else { Frame::Rows }).or(is_end.then_some(Frame::Rows))
        }
        _ => Some(Frame::Rows),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod tests {
    use super::*;
    use crate::game::Game;

    fn pieces(form: Option<Format>, text: &str) -> Vec<Piece> {
        sliced(Splitter::new(form), text.split_inclusive('\n'))
    }

    fn sliced<'a>(mut splitter: Splitter, parts: impl IntoIterator<Item = &'a str>) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = parts.into_iter().flat_map(|part| splitter.push(part)).collect();
        pieces.extend(splitter.finish());
        pieces
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
        assert_eq!(bare.iter().map(|piece| piece.line).collect::<Vec<_>>(), [1, 5]);
    }

    /// The places where a game begins.
    #[test]
    fn games_begin_at_tags_first_moves_and_behind_results() {
        for (text, lines) in [
            ("1. d6\n1. f4\n", &[1, 2][..]),
            ("1. d6\n1... f4\n2. d2 1 b4\n", &[1]),
            ("d6 f4 1-0\nd2\n*\n[White \"x\"]\n\nd6", &[1, 2, 4]),
            ("1. d6 (1. f4\n1. d2) 1... b4\n{1. d2}\n; 1. d2\n% 1. d2", &[1]),
            ("1. d6 (1. f4\n[White \"x\"]\n\nd6", &[1, 2]),
            ("[White \"x\"]\n[Black \"y\"]\n\n[White \"z\"]\n\nd6", &[1, 4]),
            ("1. d6 {no end\n\n[Event \"x\"]\n\nd6 {end}", &[1, 3]),
            ("1. d6 *\n(;FF[4];W[d6])\n{\"format\": 1}\n1. d6", &[1, 2, 3, 4]),
            ("(;W[d6]C[no end\n(;FF[4];W[d6]C[\n(;FF[4\\]])", &[1, 2]),
            ("{\"a\": \"no end\n{\"a\": {\"b\": 1\n{\"a\": [\n{\"b\": 1}]}\n", &[1, 2, 3]),
            ("1. 11 3\n1. 12 4", &[1, 2]),
            ("(3,1)\n(2,1) 1-0\n(3,1)\n", &[1, 3]),
            ("1. (3,1) (2,1)\n2. (1,1)\n1. (3,1)\n", &[1, 3]),
        ] {
            let found = pieces(None, text);
            assert_eq!(found.iter().map(|piece| piece.line).collect::<Vec<_>>(), lines, "{text}");
        }
    }

    /// Rows within a comment do not belong to the list, whatever they look like.
    #[test]
    fn comments_of_several_rows_stay_whole() {
        let like = Game { variant: "morris".to_string(), ..Game::default() };
        let lists = [
            "{ first\n1. d6\n}\n[FEN \"********/********/******** w p p 0 9 0 9 0 0 0 0 0 0 0 0 1\"]\n\n1. a7 f4 {1. }{ \n1.\n\n1. d7} d6\n",
            "1. d6 {then\n1. f4\n[or] so} f4\n2. a1\n",
            "1. d6 f4\n1... {no game\n\n1. a7} g7\n",
        ];
        let moves = [vec!["a7", "f4", "d6"], vec!["d6", "f4", "a1"], vec!["d6", "f4", "g7"]];
        for splitter in [Splitter::new(None), Splitter::new(Some(Format::Sanmill))] {
            let found = sliced(splitter, [lists.concat().as_str()]);
            assert_eq!(found.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>(), lists);
            for (piece, moves) in found.iter().zip(&moves) {
                let game = piece.read(&like).unwrap().game;
                let line: Vec<&str> = game.main_line().iter().map(|node| node.played.text.as_str()).collect();
                assert_eq!(&line, moves, "{}", piece.text);
            }
        }
        let rows = "1. d6 f4\n[FEN";
        assert!(pieces(None, rows).iter().any(|piece| piece.read(&like).is_err()), "a tag that is none");
    }

    /// However a text is cut, it has the same games, and no part of it is lost.
    #[test]
    fn games_are_the_same_whatever_the_parts() {
        const WORDS: [&str; 29] = [
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
            "\n(;FF[4]",
            "\n{\"",
            "\n[Event \"",
            "\n(;GM[5",
            "*",
        ];
        let mut rng = fastrand::Rng::with_seed(29);
        for round in 0..4_000 {
            let text: String = (0..rng.usize(..30)).map(|_| WORDS[rng.usize(..WORDS.len())]).collect();
            let splitter = || match round % 6 {
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
