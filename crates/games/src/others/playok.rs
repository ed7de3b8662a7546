//! PlayOK: the portable game notation with points that are numbers, row by row from the top left: 1 is a7, 24 is g1.
//! Moves are `11`, `3-15`, `3-15x22`, `18x21`, and `x12` for a separate removal.

use super::by_rows;
use crate::movetext::{Place, Token};

/// Returns whether the tag of a site names this one.
pub(crate) fn is_site(site: Option<&str>) -> bool {
    site.is_some_and(|site| site.to_ascii_lowercase().contains("playok"))
}

/// Returns the name of a point by its number.
fn point(number: &str) -> Option<&'static str> {
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    by_rows(number.parse::<usize>().ok().filter(|_| is_number)?.checked_sub(1)?)
}

/// Returns a move in our notation, or `None` for any other word.
fn step(word: &str) -> Option<String> {
    let mut text = String::new();
    let mut number = String::new();
    for c in word.chars().chain(Some('-')) {
        if c.is_ascii_digit() {
            number.push(c);
            continue;
        }
        if !(number.is_empty() && text.is_empty() && c == 'x') {
            text.push_str(point(&std::mem::take(&mut number))?);
        }
        match c {
            'x' => text.push('x'),
            '-' => text.push('-'),
            _ => return None,
        }
    }
    text.pop();
    Some(text)
}

/// Returns whether all moves of a text have this form, where no tag names it.
pub(crate) fn is_body(tokens: &[(Token, Place)]) -> bool {
    let mut words = tokens.iter().filter_map(|(token, _)| match token {
        Token::Word(word) => Some(step(word).is_some()),
        Token::Number(number, 0) => Some((1..=24).contains(number)),
        _ => None,
    });
    words.next().is_some_and(|first| first && words.all(|is_move| is_move))
}

/// Returns the same token in our notation.
pub(crate) fn translated(token: Token) -> Token {
    match token {
        Token::Word(word) => Token::Word(step(&word).unwrap_or(word)),
        Token::Number(number, 0) => {
            let text = number.to_string();
            Token::Word(point(&text).map_or(text, str::to_string))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_numbers() {
        let numbers: Vec<_> = (1..=24).filter_map(|number| point(&number.to_string())).collect();
        let rows = "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1";
        assert_eq!(numbers.join(" "), rows);
        let steps = ["3-15", "3-15x22", "18x21", "x12", "7x8x9"].map(step);
        assert_eq!(steps.map(Option::unwrap_or_default), ["g7-g4", "g7-g4xa1", "e3xf2", "xc4", "c5xd5xe5"]);
        for bad in ["25", "0", "3-", "-3", "3--4", "x", "3x", "d6", "3+4", ""] {
            assert_eq!(step(bad), None, "{bad}");
        }
    }
}
