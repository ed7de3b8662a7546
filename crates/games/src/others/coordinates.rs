//! Old games of Sanmill. A point is its ring, from the inner one, and its place there, clockwise from the north:
//! `(1,1)` is d5 and `(3,2)` is g7. Moves are `(1,6)`, `(3,1)->(3,2)`, and `-(3,1)` for a removed stone.

use crate::movetext::{Place, Token};

/// The points of each ring, from the inner one, clockwise from the north.
const RINGS: [[&str; 8]; 3] = [
    ["d5", "e5", "e4", "e3", "d3", "c3", "c4", "c5"],
    ["d6", "f6", "f4", "f2", "d2", "b2", "b4", "b6"],
    ["d7", "g7", "g4", "g1", "d1", "a1", "a4", "a7"],
];

/// Returns the point at the beginning of a text, and the rest of the text.
fn point(text: &str) -> Option<(&'static str, &str)> {
    let (ring, rest) = text.strip_prefix('(')?.split_once(',')?;
    let (place, rest) = rest.split_once(')')?;
    let number = |text: &str| text.trim().parse::<usize>().ok()?.checked_sub(1);
    Some((RINGS.get(number(ring)?)?.get(number(place)?)?, rest))
}

/// Returns whether a text has moves of this form.
pub(crate) fn is_body(tokens: &[(Token, Place)]) -> bool {
    tokens.windows(4).any(|tokens| {
        let [(Token::Open, _), (Token::Number(1..=3, 0), _), (Token::Number(1..=8, 0), _), (Token::Close, _)] = tokens
        else {
            return false;
        };
        true
    })
}

/// Returns the same text in our notation.
pub(crate) fn translated(text: &str) -> String {
    let mut words = String::new();
    let (mut rest, mut in_comment) = (text, false);
    while let Some(c) = rest.chars().next() {
        in_comment = c == '{' || (in_comment && c != '}');
        if in_comment {
            words.push(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        } else if let Some((point, after)) = rest.strip_prefix('-').and_then(point) {
            words += &format!("x{point}");
            rest = after;
        } else if let Some((point, after)) = point(rest) {
            words += point;
            rest = after;
        } else if let Some(after) = rest.strip_prefix("->") {
            words.push('-');
            rest = after;
        } else {
            words.push(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movetext::scan;

    #[test]
    fn points_are_rings_and_places() {
        let text = "1. (2,1) (3,5)\n2. (3,1)->(3,2) -(1,6) {(1,1)} ( 3, 8)";
        assert!(is_body(&scan(text)) && !is_body(&scan("1. d6 (1. f4) (4,1) (1,9) (0,1) (a,b {(1,1)}")));
        assert_eq!(translated(text), "1. d6 d1\n2. d7-g7 xc3 {(1,1)} a7");
        assert_eq!(translated("(4,1) ä -> (1,"), "(4,1) ä - (1,");
    }
}
