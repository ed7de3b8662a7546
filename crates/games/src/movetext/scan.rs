//! Movetext as tokens.

use super::{Fault, TextError};
use crate::record::Outcome;

/// A word of movetext, or a sign between words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    /// A tag: its name and its value.
    Tag(String, String),
    /// A comment, and whether it was after a semicolon.
    Comment(String, bool),
    /// A mark, by its number.
    Mark(u8),
    /// `(`
    Open,
    /// `)`
    Close,
    /// The number of a move, and its dots.
    Number(u32, usize),
    /// A result.
    Result(Outcome),
    /// Any other word: a move, or the removal that completes one.
    Word(String),
    /// Unreadable text.
    Fault(Fault),
}

/// The beginning of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Place {
    /// The bytes before it.
    pub at: usize,
    /// Its line, from 1.
    pub line: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    Between,
    Word,
    /// Within a comment in braces.
    Brace,
    /// Within a comment up to the end of the line.
    Line,
    /// Within a line that is skipped.
    Skipped,
    Tag,
}

/// Makes tokens of characters, which may arrive a few at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scanner {
    state: State,
    /// The part of the token that has been read.
    token: String,
    start: Place,
    here: Place,
    /// Whether this character is the first of its line.
    is_first: bool,
}

/// The beginning of a tag block, even within an unclosed comment, so that one bad game does not swallow the next.
pub(super) const NEXT_GAME: &str = "\n[Event \"";

impl Scanner {
    pub fn new() -> Scanner {
        Scanner { here: Place { at: 0, line: 1 }, is_first: true, ..Scanner::default() }
    }

    /// Takes a character, and passes on the tokens that it ends.
    pub fn push(&mut self, c: char, sink: &mut impl FnMut(Token, Place)) {
        match self.state {
            State::Between => self.begin(c, sink),
            State::Word if c.is_whitespace() || matches!(c, ',' | '{' | '}' | '(' | ')' | '[' | ';' | '$') => {
                self.end_word(sink);
                self.begin(c, sink);
            }
            State::Word | State::Skipped if c != '\n' => self.token.push(c),
            State::Brace if c == '}' => self.end(sink, |text| Token::Comment(comment(&text), false)),
            State::Brace => {
                self.token.push(c);
                if c == '"' && self.token.ends_with(NEXT_GAME) {
                    let tag = NEXT_GAME.trim_start();
                    self.end(sink, |_| Token::Fault(Fault::OpenComment));
                    self.state = State::Tag;
                    self.token = tag.to_string();
                    self.start = Place { at: self.here.at + 1 - tag.len(), line: self.here.line };
                }
            }
            State::Line if c == '\n' => {
                self.end(sink, |text| Token::Comment(text.trim_end_matches('\r').to_string(), true));
            }
            State::Tag if c == '\n' => self.end(sink, |text| Token::Fault(Fault::Tag(text.trim_end().to_string()))),
            State::Tag if c == ']' => {
                self.token.push(c);
                if let Some((name, value)) = read_tag(&self.token) {
                    self.end(sink, |_| Token::Tag(name, value));
                }
            }
            State::Line | State::Tag => self.token.push(c),
            State::Word | State::Skipped => self.end(sink, |_| Token::Word(String::new())),
        }
        self.is_first = c == '\n';
        self.here.at += c.len_utf8();
        self.here.line += usize::from(c == '\n');
    }

    /// Counts bytes from a later one on.
    pub fn rebase(&mut self, at: usize) {
        self.here.at -= at.min(self.here.at);
        self.start.at -= at.min(self.start.at);
    }

    /// Ends the text.
    pub fn finish(&mut self, sink: &mut impl FnMut(Token, Place)) {
        match self.state {
            State::Between | State::Skipped => {}
            State::Word => self.end_word(sink),
            State::Brace => self.end(sink, |_| Token::Fault(Fault::OpenComment)),
            State::Line => self.end(sink, |text| Token::Comment(text.trim_end_matches('\r').to_string(), true)),
            State::Tag => self.end(sink, |text| Token::Fault(Fault::Tag(text.trim_end().to_string()))),
        }
    }

    /// Takes a character between two tokens.
    fn begin(&mut self, c: char, sink: &mut impl FnMut(Token, Place)) {
        self.start = self.here;
        match c {
            '(' => sink(Token::Open, self.start),
            ')' => sink(Token::Close, self.start),
            '{' => self.state = State::Brace,
            ';' => self.state = State::Line,
            '%' if self.is_first => self.state = State::Skipped,
            '[' => {
                self.state = State::Tag;
                self.token.push(c);
            }
            ',' => {}
            _ if c.is_whitespace() || c == '\u{feff}' => {}
            _ => {
                self.state = State::Word;
                self.token.push(c);
            }
        }
    }

    fn end(&mut self, sink: &mut impl FnMut(Token, Place), token: impl FnOnce(String) -> Token) {
        let text = std::mem::take(&mut self.token);
        if std::mem::take(&mut self.state) != State::Skipped {
            sink(token(text), self.start);
        }
    }

    /// Splits a word into numbers, a move and marks.
    fn end_word(&mut self, sink: &mut impl FnMut(Token, Place)) {
        self.state = State::Between;
        let text =
            std::mem::take(&mut self.token).replace(['\u{2010}', '\u{2011}', '\u{2013}', '\u{2014}', '\u{2212}'], "-");
        let mut sink = |token| sink(token, self.start);
        let mut word = text.as_str();
        if let Some(digits) = word.strip_prefix('$') {
            return sink(digits.parse().map_or_else(|_| Token::Word(text.clone()), Token::Mark));
        }
        if let Some(outcome) = result(word) {
            return sink(Token::Result(outcome));
        }
        let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let (digits, after) = word.split_at(word.len() - rest.len());
        word = after.trim_start_matches('.');
        let dots = after.len() - word.len();
        // `1.2.` is not a number, and `18x21` is a move of points that are numbers.
        let is_number = word.is_empty() || (dots > 0 && !word.starts_with(|c: char| c.is_ascii_digit()));
        if digits.is_empty() || !is_number {
            // Dots represent a move of White that is not shown.
            word = if digits.is_empty() { text.trim_start_matches('.') } else { &text };
        } else {
            sink(Token::Number(digits.parse().unwrap_or(u32::MAX), dots));
        }
        let bare = word.trim_end_matches(['!', '?']);
        let (bare, marks) = word.split_at(bare.len());
        if let Some(outcome) = result(bare).filter(|_| !bare.is_empty()) {
            sink(Token::Result(outcome));
        } else if !bare.is_empty() {
            sink(Token::Word(bare.to_string()));
        }
        let pairs = MARKS.iter().position(|mark| *mark == marks);
        match pairs {
            Some(place) => sink(Token::Mark(place as u8 + 1)),
            None if marks.is_empty() => {}
            None => sink(Token::Word(marks.to_string())),
        }
    }
}

/// The marks that have their own signs, from number 1 on.
pub const MARKS: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];

/// Parses a word as a result.
fn result(word: &str) -> Option<Outcome> {
    match word.replace('\u{bd}', "1/2").as_str() {
        "1/2" | "0.5-0.5" => Some(Outcome::Draw),
        word => word.parse().ok(),
    }
}

/// Trims a comment, and normalizes its line ends.
fn comment(text: &str) -> String {
    text.trim().replace("\r\n", "\n")
}

/// Returns the name and the value of a whole tag.
fn read_tag(text: &str) -> Option<(String, String)> {
    let (name, value) = text.strip_prefix('[')?.strip_suffix(']')?.trim().split_once(char::is_whitespace)?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let value = value.trim_start().strip_prefix('"')?.strip_suffix('"')?;
    let is_whole = value.len() - value.trim_end_matches('\\').len();
    (is_name && is_whole % 2 == 0).then(|| (name.to_string(), unescaped(value)))
}

/// Returns the value of a tag without its escapes.
fn unescaped(text: &str) -> String {
    let mut value = String::new();
    let mut chars = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    while let Some(c) = chars.next() {
        value.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
    }
    value
}

/// Returns all tokens of a text, each with its place.
pub(crate) fn scan(text: &str) -> Vec<(Token, Place)> {
    let mut tokens = Vec::new();
    let mut scanner = Scanner::new();
    let mut sink = |token, place| tokens.push((token, place));
    text.chars().for_each(|c| scanner.push(c, &mut sink));
    scanner.finish(&mut sink);
    tokens
}

impl Fault {
    /// Adds the line to the fault.
    pub(crate) fn at(self, place: Place) -> TextError {
        TextError { line: place.line, source: self }
    }
}
