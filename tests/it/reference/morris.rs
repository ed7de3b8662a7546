//! The families morris and merels.

use super::{Reference, row_text};

/// The differences between the variants.
#[derive(Clone, Copy)]
pub struct Rules {
    pub stones: usize,
    pub flying: bool,
    pub never_when_all_in_mills: bool,
    pub one_for_each_mill: bool,
    pub diagonals: bool,
    pub slides_while_placing: bool,
    pub no_mill_draw: usize,
    pub first_mill_wins: bool,
}

/// A board in words: its points row by row, its lines, and ways that are no lines.
pub struct Board {
    pub rows: &'static str,
    pub lines: &'static str,
    pub ways: &'static str,
}

pub const NINE: Board = Board {
    rows: "a3 b3 c3/a2 b2 c2/a1 b1 c1",
    lines: "a3-b3-c3 a2-b2-c2 a1-b1-c1 a1-a2-a3 b1-b2-b3 c1-c2-c3 a1-b2-c3 a3-b2-c1",
    ways: "",
};
pub const SIXTEEN: Board = Board {
    rows: "a5 c5 e5/b4 c4 d4/a3 b3 d3 e3/b2 c2 d2/a1 c1 e1",
    lines: "a5-c5-e5 b4-c4-d4 b2-c2-d2 a1-c1-e1 a1-a3-a5 b2-b3-b4 d2-d3-d4 e1-e3-e5",
    ways: "c5-c4 a3-b3 d3-e3 c2-c1",
};
pub const SEVENTEEN: Board = Board {
    rows: "a5 c5 e5/b4 c4 d4/a3 b3 c3 d3 e3/b2 c2 d2/a1 c1 e1",
    lines: "a5-c5-e5 b4-c4-d4 b2-c2-d2 a1-c1-e1 a1-a3-a5 b2-b3-b4 d2-d3-d4 e1-e3-e5 c4-c3-c2 b3-c3-d3",
    ways: "c5-c4 a3-b3 d3-e3 c2-c1",
};
const MORRIS: Board = Board {
    rows: "a7 d7 g7/b6 d6 f6/c5 d5 e5/a4 b4 c4 e4 f4 g4/c3 d3 e3/b2 d2 f2/a1 d1 g1",
    lines: "a7-d7-g7 b6-d6-f6 c5-d5-e5 a4-b4-c4 e4-f4-g4 c3-d3-e3 b2-d2-f2 a1-d1-g1 \
        a1-a4-a7 b2-b4-b6 c3-c4-c5 d1-d2-d3 d5-d6-d7 e3-e4-e5 f2-f4-f6 g1-g4-g7",
    ways: "",
};
const DIAGONALS: &str = " a7-b6-c5 g7-f6-e5 a1-b2-c3 g1-f2-e3";

#[derive(Clone)]
pub struct Game {
    rules: Rules,
    points: Vec<&'static str>,
    widths: Vec<usize>,
    lines: Vec<Vec<usize>>,
    /// The lines and other ways.
    ways: Vec<Vec<usize>>,
    board: Vec<char>,
    /// Stones in hand of O and X.
    hands: [usize; 2],
    /// `O` or `X`.
    mover: char,
    counter: usize,
    number: usize,
    /// Boards with the side to move since the last placement or removal.
    history: Vec<(Vec<char>, char)>,
}

const fn other(side: char) -> char {
    if side == 'O' { 'X' } else { 'O' }
}

impl Game {
    pub fn new(rules: Rules) -> Game {
        Game::on(&MORRIS, rules)
    }

    /// Returns a game on a board.
    pub fn on(board: &Board, rules: Rules) -> Game {
        let points: Vec<&str> = board.rows.split([' ', '/']).collect();
        let point = |name: &str| points.iter().position(|point| *point == name).expect("a point");
        let read = |text: &str| -> Vec<Vec<usize>> {
            let ways = text.split(' ').filter(|way| !way.is_empty());
            ways.map(|way| way.split('-').map(point).collect()).collect()
        };
        let diagonals = if rules.diagonals { DIAGONALS } else { "" };
        let lines = read(&format!("{}{diagonals}", board.lines));
        let ways = [lines.clone(), read(board.ways)].concat();
        let widths = board.rows.split('/').map(|row| row.split(' ').count()).collect();
        let board = vec!['.'; points.len()];
        Game {
            rules,
            points,
            widths,
            lines,
            ways,
            history: vec![(board.clone(), 'O')],
            board,
            hands: [rules.stones; 2],
            mover: 'O',
            counter: 0,
            number: 1,
        }
    }

    fn point(&self, name: &str) -> usize {
        self.points.iter().position(|point| *point == name).expect("a point")
    }

    fn hand(&self, side: char) -> usize {
        self.hands[usize::from(side == 'X')]
    }

    fn on_board(&self, side: char) -> usize {
        self.board.iter().filter(|&&place| place == side).count()
    }

    fn in_mill(&self, board: &[char], at: usize) -> bool {
        self.lines.iter().any(|line| line.contains(&at) && line.iter().all(|&p| board[p] == board[at]))
    }

    fn is_won_by_mill(&self) -> bool {
        let has_won = |p: usize| self.board[p] == other(self.mover) && self.in_mill(&self.board, p);
        self.rules.first_mill_wins && (0..self.board.len()).any(has_won)
    }

    fn adjacent(&self, a: usize, b: usize) -> bool {
        self.ways.iter().any(|way| way.windows(2).any(|two| two == [a, b] || two == [b, a]))
    }

    /// Returns the endings of a move to this board and point: one for each stone that may be removed.
    fn removals(&self, after: &[char], to: usize) -> Vec<String> {
        let mills = self.lines.iter().filter(|line| line.contains(&to) && line.iter().all(|&p| after[p] == after[to]));
        let most = if self.rules.first_mill_wins { 0 } else { 1 };
        let due = if self.rules.one_for_each_mill { mills.count() } else { mills.count().min(most) };
        let text = |taken: &Vec<usize>| taken.iter().map(|&p| format!("x{}", self.points[p])).collect::<String>();
        let mut ways: Vec<String> = self.taken(after, due).iter().map(text).collect();
        ways.sort_unstable();
        ways.dedup();
        ways
    }

    /// Returns the stones that may be removed in sequence, each list in the order of the points.
    fn taken(&self, after: &[char], due: usize) -> Vec<Vec<usize>> {
        if due == 0 {
            return vec![Vec::new()];
        }
        let enemies: Vec<usize> = (0..after.len()).filter(|&p| after[p] == other(self.mover)).collect();
        let mut takable: Vec<usize> = enemies.iter().copied().filter(|&p| !self.in_mill(after, p)).collect();
        if takable.is_empty() && !self.rules.never_when_all_in_mills {
            takable = enemies;
        }
        if takable.is_empty() {
            return vec![Vec::new()];
        }
        let mut ways = Vec::new();
        for p in takable {
            let mut board = after.to_vec();
            board[p] = '.';
            for mut rest in self.taken(&board, due - 1) {
                rest.push(p);
                rest.sort_unstable();
                ways.push(rest);
            }
        }
        ways
    }
}

impl Reference for Game {
    fn moves(&self) -> Vec<String> {
        let side = self.mover;
        let total = |side| self.on_board(side) + self.hand(side);
        if total(side) < 3 || total(other(side)) < 3 || self.is_won_by_mill() {
            return Vec::new();
        }
        let mut moves = Vec::new();
        let free: Vec<usize> = (0..self.board.len()).filter(|&p| self.board[p] == '.').collect();
        if self.hand(side) > 0 {
            for &to in &free {
                let mut after = self.board.clone();
                after[to] = side;
                moves.extend(self.removals(&after, to).into_iter().map(|taken| format!("{}{taken}", self.points[to])));
            }
        }
        if self.hand(side) == 0 || self.rules.slides_while_placing {
            let flies = self.rules.flying && self.hand(side) == 0 && self.on_board(side) == 3;
            for from in (0..self.board.len()).filter(|&p| self.board[p] == side) {
                for &to in free.iter().filter(|&&to| flies || self.adjacent(from, to)) {
                    let mut after = self.board.clone();
                    after[from] = '.';
                    after[to] = side;
                    let removals = self.removals(&after, to);
                    moves.extend(
                        removals.into_iter().map(|taken| format!("{}{}{taken}", self.points[from], self.points[to])),
                    );
                }
            }
        }
        moves
    }

    fn play(&mut self, text: &str) {
        let (way, taken) = text.split_once('x').unwrap_or((text, ""));
        let to = self.point(&way[way.len() - 2..]);
        let placing = way.len() == 2;
        if placing {
            self.hands[usize::from(self.mover == 'X')] -= 1;
        } else {
            let from = self.point(&way[..2]);
            self.board[from] = '.';
        }
        self.board[to] = self.mover;
        let mill = self.in_mill(&self.board, to);
        for name in taken.split('x').filter(|name| !name.is_empty()) {
            let at = self.point(name);
            self.board[at] = '.';
        }
        self.counter = if placing || mill { 0 } else { self.counter + 1 };
        self.number += usize::from(self.mover == 'X');
        self.mover = other(self.mover);
        if placing || !taken.is_empty() {
            self.history.clear();
        }
        self.history.push((self.board.clone(), self.mover));
    }

    fn ending(&self) -> Option<(&'static str, &'static str)> {
        let total = |side| self.on_board(side) + self.hand(side);
        if total(self.mover) < 3 {
            return Some(("loss", "fewer than three stones"));
        }
        if total(other(self.mover)) < 3 {
            return Some(("win", "fewer than three stones"));
        }
        if self.is_won_by_mill() {
            return Some(("loss", "three in a row"));
        }
        if !self.board.contains(&'.') {
            return Some(("draw", "the board is full"));
        }
        if self.moves().is_empty() {
            return Some(("loss", "no legal move"));
        }
        if self.counter >= self.rules.no_mill_draw {
            return Some(("draw", "move counter"));
        }
        let now = self.history.last();
        let occurrences = self.history.iter().filter(|&then| Some(then) == now).count();
        (occurrences >= 3).then_some(("draw", "threefold repetition"))
    }

    fn fen(&self) -> String {
        let mut rows = Vec::new();
        let mut rest = &self.board[..];
        for &width in &self.widths {
            let (row, below) = rest.split_at(width);
            rows.push(row_text(row));
            rest = below;
        }
        let side = if self.mover == 'O' { 'w' } else { 'b' };
        format!("{} {side} {} {} {} {}", rows.join("/"), self.hands[0], self.hands[1], self.counter, self.number)
    }
}
