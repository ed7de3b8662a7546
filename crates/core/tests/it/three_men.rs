//! A family from outside the crate, without network and tablebases: Three Men's Morris. On a board of three by three
//! points the sides place three stones each in turn, then slide them along the lines; three in a line win.

use millbrain_core::any::Family;
use millbrain_core::game::fen::{
    Faults, Field, MAX_PLIES_WITHOUT_PROGRESS, read_board, read_move_number, read_number, read_side, write_board,
};
use millbrain_core::game::{DrawRules, Ending, Game, Move, Notation, Placed, Reason, Searchable, Side, Verdict};
use millbrain_core::layout::{Described, Kind, Layout, MoveParts, Piece, Point};

const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
pub const LINE: Reason = Reason::Rule("three in a line");
const STONES: u32 = 3;
const ROWS: [usize; 3] = [3; 3];
const MEN: [char; 2] = ['O', 'X'];

#[derive(Clone, Copy)]
pub struct ThreeMen;

/// The stones of the side to move and of the other, the number of placed ones, the side to move, and the slides so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    pub own: u16,
    pub opp: u16,
    pub placed: u8,
    pub black: bool,
    pub slides: u16,
}

impl Position {
    /// Returns the side of the stone on a point.
    fn stone(&self, point: usize) -> Option<Side> {
        let mover = if self.black { Side::Black } else { Side::White };
        [(self.own, mover), (self.opp, mover.other())]
            .into_iter()
            .find(|(set, _)| set >> point & 1 != 0)
            .map(|(_, side)| side)
    }
}

fn points(set: u16) -> impl Iterator<Item = u16> {
    (0..9).filter(move |point| set >> point & 1 != 0)
}

/// Returns whether two points are neighbours on a line.
fn adjacent(a: u16, b: u16) -> bool {
    let (rows, files) = ((a / 3).abs_diff(b / 3), (a % 3).abs_diff(b % 3));
    a != b && rows <= 1 && files <= 1 && (rows + files == 1 || a == 4 || b == 4)
}

/// Returns origin and target, each from 1; a placed stone comes from 0.
fn unpack(mv: Move) -> (u16, u16) {
    ((mv.bits() >> 4) as u16, (mv.bits() & 15) as u16)
}

impl Game for ThreeMen {
    type Position = Position;

    fn start(&self) -> Position {
        Position { own: 0, opp: 0, placed: 0, black: false, slides: 0 }
    }
    fn side(&self, pos: &Position) -> Side {
        if pos.black { Side::Black } else { Side::White }
    }
    fn plies_without_progress(&self, pos: &Position) -> u16 {
        pos.slides
    }
    fn draw_rules(&self) -> DrawRules {
        DrawRules { repetition: true, progress_limit: 50 }
    }
    fn decided(&self, pos: &Position) -> Option<Ending> {
        LINES.iter().any(|line| pos.opp & line == *line).then_some(Ending::new(Verdict::Loss, LINE))
    }
    fn generate(&self, pos: &Position, mut sink: impl FnMut(Move)) {
        let free = 0o777 & !(pos.own | pos.opp);
        if self.decided(pos).is_some() {
        } else if u32::from(pos.placed) < 2 * STONES {
            points(free).for_each(|to| sink(Move::from_bits(u32::from(to + 1))));
        } else {
            for from in points(pos.own) {
                points(free)
                    .filter(|&to| adjacent(from, to))
                    .for_each(|to| sink(Move::from_bits(u32::from((from + 1) << 4 | (to + 1)))));
            }
        }
    }
    fn play(&self, pos: &Position, mv: Move) -> Position {
        let (from, to) = unpack(mv);
        let placing = from == 0;
        let own = (pos.own | 1 << (to - 1)) & if placing { 0o777 } else { !(1 << (from - 1)) };
        let slides = if placing { 0 } else { pos.slides + 1 };
        Position { own: pos.opp, opp: own, placed: pos.placed + u8::from(placing), black: !pos.black, slides }
    }
    fn is_irreversible(&self, pos: &Position, _: Move) -> bool {
        u32::from(pos.placed) < 2 * STONES
    }
    fn key(&self, pos: &Position) -> u64 {
        u64::from(pos.own) | u64::from(pos.opp) << 9 | u64::from(pos.placed) << 18
    }
}

impl Notation for ThreeMen {
    const EXAMPLES: &'static [&'static str] = &["5", "59"];

    fn parse_fen(&self, text: &str) -> Result<Placed<Position>, Faults> {
        let (mut faults, mut sets) = (Faults::default(), [0u16; 2]);
        let mut fields = text.split_whitespace();
        let board = fields.next().unwrap_or_default();
        read_board(board, &ROWS, "O, X, 1-3", |c| "OX".find(c), &mut faults, |at, side| sets[side] |= 1 << at);
        let side = read_side(fields.next(), &mut faults);
        let slides = read_number(fields.next(), Field::Counter, 0, MAX_PLIES_WITHOUT_PROGRESS, 0, &mut faults) as u16;
        let move_number = read_move_number(fields.next(), &mut faults);
        let [own, opp] = if side == Side::White { sets } else { [sets[1], sets[0]] };
        let placed = (own | opp).count_ones() as u8;
        let position = Position { own, opp, placed, black: side == Side::Black, slides };
        if faults.0.is_empty() { Ok(Placed { position, move_number }) } else { Err(faults) }
    }
    fn fen(&self, &Placed { position: pos, move_number }: &Placed<Position>) -> String {
        let cells = (0..9).map(|at| pos.stone(at).map(|side| MEN[side as usize]));
        format!("{} {} {} {move_number}", write_board(&ROWS, cells), self.side(&pos).letter(), pos.slides)
    }
    fn move_text(&self, mv: Move) -> String {
        let (from, to) = unpack(mv);
        if from == 0 { to.to_string() } else { format!("{from}{to}") }
    }
    fn parse_move(&self, text: &str) -> Option<Move> {
        let point = |c: char| c.to_digit(10).filter(|&point| point > 0);
        let points: Option<Vec<u32>> = text.chars().map(point).collect();
        match *points? {
            [to] => Some(Move::from_bits(to)),
            [from, to] => Some(Move::from_bits(from << 4 | to)),
            _ => None,
        }
    }
    fn diagram(&self, pos: &Position) -> String {
        self.fen(&Placed { position: *pos, move_number: 1 }).replace('/', "\n") + "\n"
    }
    fn flipped(&self, pos: &Position) -> Position {
        Position { black: !pos.black, ..*pos }
    }
    fn describe(&self, pos: &Position) -> Vec<(&'static str, String)> {
        vec![("Placed", pos.placed.to_string())]
    }
}

impl Searchable for ThreeMen {
    type Hints = ();

    fn evaluate(&self, pos: &Position) -> i32 {
        20 * ((pos.own >> 4 & 1) as i32 - (pos.opp >> 4 & 1) as i32)
    }
    fn hints(&self, _: &Position) {}
    fn order(&self, _: &Position, (): &(), mv: Move) -> i32 {
        i32::from(unpack(mv).1 == 5)
    }
    fn pass(&self, pos: &Position) -> Position {
        Position { own: pos.opp, opp: pos.own, black: !pos.black, ..*pos }
    }
}

impl Family for ThreeMen {
    const ID: &'static str = "three-men";
}

impl Described for ThreeMen {
    fn layout(&self) -> Layout {
        Layout {
            points: (0..9).map(|p| Point { name: (p + 1).to_string(), x: p % 3, y: p / 3 }).collect(),
            rows: ROWS.to_vec(),
            squares: false,
            lines: LINES.iter().map(|line| (0..9).filter(|p| line >> p & 1 == 1).collect()).collect(),
            steps: (0..81).map(|i| [i / 9, i % 9]).filter(|&[a, b]| a < b && adjacent(a as u16, b as u16)).collect(),
            arrows: Vec::new(),
            marked: Vec::new(),
            kinds: vec![Kind { id: "man", letters: MEN }],
            hand: 0,
            symmetries: vec![(0..9).collect()],
        }
    }

    fn pieces(&self, pos: &Position) -> Vec<Piece> {
        (0..9).filter_map(|point| Some(Piece { point, side: pos.stone(point)?, kind: 0 })).collect()
    }

    fn phase(&self, pos: &Position) -> &'static str {
        if pos.placed < 6 { "placing" } else { "moving" }
    }

    fn parts(&self, mv: Move) -> MoveParts {
        let (from, to) = unpack(mv);
        let place = |p: u16| usize::from(p) - 1;
        MoveParts { text: self.move_text(mv), from: (from > 0).then(|| place(from)), to: place(to), taken: Vec::new() }
    }
}
