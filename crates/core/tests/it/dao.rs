//! Another family from outside the crate: Dao. On four by four squares each side has four stones, initially on a
//! diagonal. A stone slides in one of eight directions, as far as it can. Four stones in a row, a column, a square or
//! the corners win. A side with a stone in a corner that is shut in by three enemy stones wins too.

use millbrain_core::any::Family;
use millbrain_core::arrays::Arrays;
use millbrain_core::game::fen::{Fault, Faults, read_board, read_move_number, read_side, write_board};
use millbrain_core::game::{DrawRules, Ending, Game, Move, Notation, Placed, Reason, Searchable, Side, Verdict};
use millbrain_core::layout::{Described, Kind, Layout, MoveParts, Piece, Point};
use millbrain_core::message::Message;
use millbrain_core::network::Learned;

const WIDTH: usize = 4;
const SQUARES: usize = WIDTH * WIDTH;
const ROWS: [usize; WIDTH] = [WIDTH; WIDTH];
const STONES: [char; 2] = ['O', 'X'];
/// The diagonals, row by row from the top, as in a FEN: bit 0 is a4, bit 15 is d1.
const DIAGONALS: [u16; 2] = [0x1248, 0x8421];
const MIDDLE: u16 = 0x0660;
const CORNERS: u16 = 0x9009;
/// The corners, each with the squares around it.
const AROUND: [(u16, u16); 4] = [(0x0001, 0x0032), (0x0008, 0x00c4), (0x1000, 0x2300), (0x8000, 0x4c00)];
const STEPS: [(isize, isize); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

const FOUR: Reason = Reason::Rule("four in a figure");
const SHUT_IN: Reason = Reason::Rule("shut in a corner");

#[derive(Clone, Copy)]
pub struct Dao;

/// The stones of the side to move and of the other, and the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    own: u16,
    opp: u16,
    black: bool,
}

/// Returns the sets of four squares that win.
fn figures() -> impl Iterator<Item = u16> {
    let lines = (0..WIDTH).flat_map(|i| [0x000f << (WIDTH * i), 0x1111 << i]);
    let squares = (0..3).flat_map(|row| (0..3).map(move |column| 0x0033 << (WIDTH * row + column)));
    lines.chain(squares).chain([CORNERS])
}

/// Returns how the side with the first of these sets has won, if it has.
fn won(own: u16, opp: u16) -> Option<Reason> {
    let is_shut_in = |&(corner, around): &(u16, u16)| own & corner != 0 && opp & around == around;
    if figures().any(|figure| figure == own) {
        Some(FOUR)
    } else {
        AROUND.iter().find(|at| is_shut_in(at)).map(|_| SHUT_IN)
    }
}

fn squares(set: u16) -> impl Iterator<Item = usize> {
    (0..SQUARES).filter(move |square| set >> square & 1 != 0)
}

/// Returns the square where a stone stops that slides over free squares.
fn slide(from: usize, (right, down): (isize, isize), taken: u16) -> usize {
    let mut at = from;
    loop {
        let step = |place: usize, by: isize| place.checked_add_signed(by).filter(|&place| place < WIDTH);
        let next = step(at % WIDTH, right).zip(step(at / WIDTH, down)).map(|(column, row)| WIDTH * row + column);
        match next {
            Some(next) if taken >> next & 1 == 0 => at = next,
            _ => return at,
        }
    }
}

fn name(square: usize) -> String {
    format!("{}{}", char::from(b'a' + (square % WIDTH) as u8), WIDTH - square / WIDTH)
}

fn pack(from: usize, to: usize) -> Move {
    Move::from_bits((from << 4 | to) as u32)
}

fn unpack(mv: Move) -> [usize; 2] {
    [mv.bits() as usize >> 4 & 15, mv.bits() as usize & 15]
}

impl Position {
    fn stone(&self, square: usize) -> Option<Side> {
        let mover = if self.black { Side::Black } else { Side::White };
        let sides = [(self.own, mover), (self.opp, mover.other())];
        sides.into_iter().find(|(set, _)| set >> square & 1 != 0).map(|(_, side)| side)
    }
}

impl Game for Dao {
    type Position = Position;

    fn start(&self) -> Position {
        Position { own: DIAGONALS[0], opp: DIAGONALS[1], black: false }
    }
    fn side(&self, pos: &Position) -> Side {
        if pos.black { Side::Black } else { Side::White }
    }
    fn plies_without_progress(&self, _: &Position) -> u16 {
        0
    }
    fn draw_rules(&self) -> DrawRules {
        DrawRules { repetition: true, progress_limit: 0 }
    }
    fn decided(&self, pos: &Position) -> Option<Ending> {
        let ending = |verdict| move |reason| Ending::new(verdict, reason);
        let lost = won(pos.opp, pos.own).map(ending(Verdict::Loss));
        lost.or_else(|| won(pos.own, pos.opp).map(ending(Verdict::Win)))
    }
    fn generate(&self, pos: &Position, mut sink: impl FnMut(Move)) {
        if self.decided(pos).is_some() {
            return;
        }
        for from in squares(pos.own) {
            let ends = STEPS.iter().map(|&step| slide(from, step, pos.own | pos.opp));
            ends.filter(|&to| to != from).for_each(|to| sink(pack(from, to)));
        }
    }
    fn play(&self, pos: &Position, mv: Move) -> Position {
        let [from, to] = unpack(mv);
        Position { own: pos.opp, opp: pos.own & !(1 << from) | 1 << to, black: !pos.black }
    }
    fn is_irreversible(&self, _: &Position, _: Move) -> bool {
        false
    }
    fn key(&self, pos: &Position) -> u64 {
        // An odd factor preserves the difference of keys and spreads them.
        (u64::from(pos.own) | u64::from(pos.opp) << 16).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl Notation for Dao {
    const EXAMPLES: &'static [&'static str] = &["a1a3"];

    fn parse_fen(&self, text: &str) -> Result<Placed<Position>, Faults> {
        let (mut faults, mut sets) = (Faults::default(), [0u16; 2]);
        let mut fields = text.split_whitespace();
        let board = fields.next().unwrap_or_default();
        let put = |at: usize, side: usize| sets[side] |= 1 << at;
        if read_board(board, &ROWS, "O, X, 1-4", |c| "OX".find(c), &mut faults, put) {
            for (side, set) in [Side::White, Side::Black].into_iter().zip(sets) {
                let id = "{side} has {n} stone, expected 4|{side} has {n} stones, expected 4";
                let values = vec![("side", side.into()), ("n", set.count_ones().into())];
                faults.0.extend((set.count_ones() != 4).then_some(Fault::Rule(Message { id, values })));
            }
        }
        let black = read_side(fields.next(), &mut faults) == Side::Black;
        let move_number = read_move_number(fields.next(), &mut faults);
        let [own, opp] = if black { [sets[1], sets[0]] } else { sets };
        if faults.0.is_empty() {
            Ok(Placed { position: Position { own, opp, black }, move_number })
        } else {
            Err(faults)
        }
    }
    fn fen(&self, &Placed { position: pos, move_number }: &Placed<Position>) -> String {
        let cells = (0..SQUARES).map(|square| pos.stone(square).map(|side| STONES[side as usize]));
        format!("{} {} {move_number}", write_board(&ROWS, cells), self.side(&pos).letter())
    }
    fn move_text(&self, mv: Move) -> String {
        unpack(mv).map(name).concat()
    }
    fn parse_move(&self, text: &str) -> Option<Move> {
        let square = |text: &str| (0..SQUARES).find(|&square| name(square) == text);
        let (from, to) = text.split_at_checked(2)?;
        Some(pack(square(from)?, square(to)?)).filter(|mv| !mv.is_none())
    }
    fn diagram(&self, pos: &Position) -> String {
        self.fen(&Placed { position: *pos, move_number: 1 }).replace('/', "\n") + "\n"
    }
    fn flipped(&self, pos: &Position) -> Position {
        Position { black: !pos.black, ..*pos }
    }
    fn describe(&self, pos: &Position) -> Vec<(&'static str, String)> {
        vec![("In the middle", (pos.own & MIDDLE).count_ones().to_string())]
    }
}

impl Searchable for Dao {
    type Hints = ();

    fn evaluate(&self, pos: &Position) -> i32 {
        10 * ((pos.own & MIDDLE).count_ones() as i32 - (pos.opp & MIDDLE).count_ones() as i32)
    }
    fn hints(&self, _: &Position) {}
    fn pass(&self, pos: &Position) -> Position {
        Position { own: pos.opp, opp: pos.own, black: !pos.black }
    }
}

impl Family for Dao {
    const ID: &'static str = "dao";
}

/// A family of the engine may have a network; this one has none.
impl Learned for Dao {}
impl Arrays for Dao {}

impl Described for Dao {
    fn layout(&self) -> Layout {
        let image = |square: usize, symmetry: usize| {
            let turn = |place: usize, bit: usize| if symmetry & bit == 0 { place } else { WIDTH - 1 - place };
            let (column, row) = (turn(square % WIDTH, 1), turn(square / WIDTH, 2));
            if symmetry & 4 == 0 { WIDTH * row + column } else { WIDTH * column + row }
        };
        Layout {
            points: (0..SQUARES).map(|square| Point::named(name(square), WIDTH as u8)).collect(),
            rows: ROWS.to_vec(),
            squares: true,
            lines: figures().map(|figure| squares(figure).collect()).collect(),
            steps: Vec::new(),
            arrows: Vec::new(),
            marked: Vec::new(),
            kinds: vec![Kind { id: "stone", letters: STONES }],
            hand: 0,
            symmetries: (0..8).map(|symmetry| (0..SQUARES).map(|square| image(square, symmetry)).collect()).collect(),
        }
    }
    fn pieces(&self, pos: &Position) -> Vec<Piece> {
        (0..SQUARES).filter_map(|point| Some(Piece { point, side: pos.stone(point)?, kind: 0 })).collect()
    }
    fn phase(&self, _: &Position) -> &'static str {
        "moving"
    }
    fn parts(&self, mv: Move) -> MoveParts {
        let [from, to] = unpack(mv);
        MoveParts { text: self.move_text(mv), from: Some(from), to, taken: Vec::new() }
    }
}
