//! GoldToken: rows of a table with a number and two moves, such as `Place to d6, take f4` and `a4->a7`. The surrounding
//! text of the page is skipped.

use crate::movetext::{Place, Token};

/// Returns whether a text has moves of this form.
pub(crate) fn is_body(tokens: &[(Token, Place)]) -> bool {
    let is = |token: &Token, text: &str| matches!(token, Token::Word(word) if word == text);
    tokens.windows(2).any(|pair| matches!(pair, [(place, _), (to, _)] if is(place, "Place") && is(to, "to")))
}

/// Returns the same moves in our notation, one line per row; rows without a move are empty.
pub(crate) fn translated(text: &str) -> String {
    let mut rows = String::new();
    let mut is_over = false;
    for line in text.lines() {
        is_over |= line.contains("Quick Jump");
        let row = line.trim_start();
        let number = row.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_row = number.len() < row.len() && number.starts_with(['\t', ' ', '.']);
        if is_row && !is_over {
            let moves = number.trim_start_matches('.').replace("Place to ", "").replace(", take ", "x");
            let moves = moves.replace(" -> ", "->").replace("->", "-");
            let digits = row.get(..row.len() - number.len()).unwrap_or_default();
            rows += &format!("{digits}. {}", moves.trim());
        }
        rows.push('\n');
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movetext::scan;

    #[test]
    fn rows_are_moves_and_the_page_is_nothing() {
        let text = "GoldToken: 7 Stones\nMove\tWhite\tBlack\n1\tPlace to d6\tPlace to f4\n2\ta4->a7, take g1\td2 -> d3\n3\tPlace to b4, take f4\n\
            Quick Jump\n4 games\n";
        assert!(is_body(&scan(text)) && !is_body(&scan("1. d6 {Place to d6}")));
        assert_eq!(translated(text), "\n\n1. d6\tf4\n2. a4-a7xg1\td2-d3\n3. b4xf4\n\n\n");
    }
}
