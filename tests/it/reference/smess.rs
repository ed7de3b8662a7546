//! Smess.

use super::{Reference, row_text};

/// The arrows of each square, ranks 8 to 1, files a to g: the table of the rules page.
const ARROWS: [&str; 8] = [
    "E,S|E,S,W|E,S,W|E,S,W|E,S,W|E,S,W|S",
    "N,S|E,S,NW|N,E,S,W|E,S,W|N,E,S,W|S,W|N,S",
    "N,E,S|N,E,S,W|NE,SE,SW,NW|E,W|NE,SE,SW,NW|N,E,W|N,S,W",
    "NE,E,SE|E|N,E,S|all|N,E,S|N,E,S,W|N,S",
    "N,S|N,E,S,W|N,S,W|all|N,S,W|W|SW,W,NW",
    "N,E,S|E,S,W|NE,SE,SW,NW|E,W|NE,SE,SW,NW|N,E,S,W|N,S,W",
    "N,S|N,E|N,E,S,W|N,E,W|N,E,S,W|N,SE,W|N,S",
    "N|N,E,W|N,E,W|N,E,W|N,E,W|N,E,W|N,W",
];
const WINDS: [(&str, i32, i32); 8] =
    [("N", 0, 1), ("NE", 1, 1), ("E", 1, 0), ("SE", 1, -1), ("S", 0, -1), ("SW", -1, -1), ("W", -1, 0), ("NW", -1, 1)];

/// Returns the steps along the arrows of a square.
fn arrows(file: i32, rank: i32) -> Vec<(i32, i32)> {
    let cell = ARROWS[7 - rank as usize].split('|').nth(file as usize).expect("a square");
    let here = |wind: &str| cell == "all" || cell.split(',').any(|arrow| arrow == wind);
    WINDS.into_iter().filter(|(wind, _, _)| here(wind)).map(|(_, x, y)| (x, y)).collect()
}

#[derive(Clone)]
pub struct Game {
    /// Ranks 8 to 1.
    board: Vec<Vec<char>>,
    white: bool,
    counter: usize,
    number: usize,
    history: Vec<(Vec<Vec<char>>, bool)>,
}

fn name(file: i32, rank: i32) -> String {
    format!("{}{}", (b'a' + file as u8) as char, rank + 1)
}

impl Game {
    pub fn new() -> Game {
        let rows = [".ssbss.", "nnnnnnn", ".......", ".......", ".......", ".......", "NNNNNNN", ".SSBSS."];
        let board: Vec<Vec<char>> = rows.iter().map(|row| row.chars().collect()).collect();
        Game { history: vec![(board.clone(), true)], board, white: true, counter: 0, number: 1 }
    }

    fn at(&self, file: i32, rank: i32) -> Option<char> {
        self.board.get(usize::try_from(7 - rank).ok()?)?.get(usize::try_from(file).ok()?).copied()
    }

    fn is_own(&self, piece: char) -> bool {
        piece != '.' && piece.is_uppercase() == self.white
    }

    fn count(&self, piece: char) -> usize {
        self.board.iter().flatten().filter(|&&p| p == piece).count()
    }

    fn pieces(&self) -> usize {
        56 - self.count('.')
    }
}

impl Reference for Game {
    fn moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        if self.count('B') == 0 || self.count('b') == 0 || self.pieces() == 2 {
            return moves;
        }
        for rank in 0..8 {
            for file in 0..7 {
                let piece = self.at(file, rank).expect("a square");
                if !self.is_own(piece) {
                    continue;
                }
                let reach = if piece.eq_ignore_ascii_case(&'s') { 7 } else { 1 };
                for (x, y) in arrows(file, rank) {
                    for distance in 1..=reach {
                        let (to_file, to_rank) = (file + x * distance, rank + y * distance);
                        let Some(there) = self.at(to_file, to_rank) else { break };
                        if !self.is_own(there) {
                            moves.push(format!("{}{}", name(file, rank), name(to_file, to_rank)));
                        }
                        if there != '.' {
                            break;
                        }
                    }
                }
            }
        }
        moves
    }

    fn play(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let square = |at: usize| ((b'8' - bytes[at + 1]) as usize, (bytes[at] - b'a') as usize);
        let (from, to) = (square(0), square(2));
        let mut piece = std::mem::replace(&mut self.board[from.0][from.1], '.');
        let captured = self.board[to.0][to.1] != '.';
        let far_row = if self.white { 0 } else { 7 };
        let promoted = piece.eq_ignore_ascii_case(&'n') && to.0 == far_row && [1, 2, 4, 5].contains(&to.1);
        if promoted {
            piece = if self.white { 'S' } else { 's' };
        }
        self.board[to.0][to.1] = piece;
        self.number += usize::from(!self.white);
        self.white = !self.white;
        if captured || promoted {
            self.counter = 0;
            self.history.clear();
        } else {
            self.counter += 1;
        }
        self.history.push((self.board.clone(), self.white));
    }

    fn ending(&self) -> Option<(&'static str, &'static str)> {
        let (own, opp) = if self.white { ('B', 'b') } else { ('b', 'B') };
        if self.count(own) == 0 {
            return Some(("loss", "Brain captured"));
        }
        if self.count(opp) == 0 {
            return Some(("win", "Brain captured"));
        }
        if self.pieces() == 2 {
            return Some(("draw", "only the two Brains are left"));
        }
        if self.moves().is_empty() {
            return Some(("loss", "no legal move"));
        }
        if self.counter >= 100 {
            return Some(("draw", "move counter"));
        }
        let now = self.history.last();
        let occurrences = self.history.iter().filter(|&then| Some(then) == now).count();
        (occurrences >= 3).then_some(("draw", "threefold repetition"))
    }

    fn fen(&self) -> String {
        let rows: Vec<String> = self.board.iter().map(|row| row_text(row)).collect();
        format!("{} {} {} {}", rows.join("/"), if self.white { 'w' } else { 'b' }, self.counter, self.number)
    }
}
