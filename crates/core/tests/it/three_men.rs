//! A family from outside the crate, without network and tablebases: Three Men's Morris. On a board of three by three
//! points the sides place three stones each in turn, then slide them along the lines; three in a line win.

use millbrain_core::any::Family;
use millbrain_core::game::fen::{Faults, read_row, read_side};
use millbrain_core::game::{DrawRules, Ending, Game, Move, Notation, Placed, Reason, Searchable, Side, Term, Verdict};
use millbrain_core::layout::{Described, Kind, Layout, MoveParts, Piece, Point};

const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
pub const LINE: Reason = Reason::Rule("three in a line");
const STONES: u32 = 3;

#[derive(Clone, Copy)]
pub struct ThreeMen;

/// The stones of the side to move and of the other, how many were placed, whose turn it is, and the slides so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    pub own: u16,
    pub opp: u16,
    pub placed: u8,
    pub black: bool,
    pub slides: u16,
}

fn points(set: u16) -> impl Iterator<Item = u16> {
    (0..9).filter(move |point| set >> point & 1 != 0)
}

/// Whether two points are neighbours on a line.
fn adjacent(a: u16, b: u16) -> bool {
    let (rows, files) = ((a / 3).abs_diff(b / 3), (a % 3).abs_diff(b % 3));
    a != b && rows <= 1 && files <= 1 && (rows + files == 1 || a == 4 || b == 4)
}

/// From and to, each from 1; a stone that is placed comes from 0.
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
    fn count_moves(&self, pos: &Position) -> u64 {
        self.moves(pos).len() as u64
    }
    fn is_legal(&self, pos: &Position, mv: Move) -> bool {
        self.moves(pos).contains(&mv)
    }
    fn has_moves(&self, pos: &Position) -> bool {
        !self.moves(pos).is_empty()
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
    fn parse_fen(&self, text: &str) -> Result<Placed<Position>, Faults> {
        let (mut faults, mut sets) = (Faults::default(), [0u16; 2]);
        let mut fields = text.split_whitespace();
        for (row, cells) in fields.next().unwrap_or_default().split('/').enumerate().take(3) {
            let piece = |c| "OX".find(c);
            read_row(cells, row, 3, "O, X, 1-3", piece, &mut faults, |file, side| sets[side] |= 1 << (3 * row + file));
        }
        let side = read_side(fields.next(), &mut faults);
        let [own, opp] = if side == Side::White { sets } else { [sets[1], sets[0]] };
        let placed = (own | opp).count_ones() as u8;
        let position = Position { own, opp, placed, black: side == Side::Black, slides: 0 };
        if faults.0.is_empty() { Ok(Placed { position, move_number: 1 }) } else { Err(faults) }
    }
    fn fen(&self, placed: &Placed<Position>) -> String {
        let pos = &placed.position;
        let [white, black] = if pos.black { [pos.opp, pos.own] } else { [pos.own, pos.opp] };
        let cell = |i: u16| {
            if white >> i & 1 != 0 {
                'O'
            } else if black >> i & 1 != 0 {
                'X'
            } else {
                '1'
            }
        };
        let row = |r: u16| (3 * r..3 * r + 3).map(cell).collect::<String>();
        format!("{}/{}/{} {}", row(0), row(1), row(2), self.side(pos).letter())
    }
    fn move_text(&self, mv: Move) -> String {
        let (from, to) = unpack(mv);
        if from == 0 { to.to_string() } else { format!("{from}{to}") }
    }
    fn parse_move(&self, text: &str) -> Option<Move> {
        let number: u16 = text.parse().ok().filter(|number| (1..100).contains(number))?;
        Some(Move::from_bits(u32::from(((number / 10) << 4) | (number % 10))))
    }
    fn diagram(&self, pos: &Position) -> String {
        self.fen(&Placed { position: *pos, move_number: 1 }).replace('/', "\n")
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
    fn terms(&self, pos: &Position) -> Vec<Term> {
        vec![Term::of_mover("centre", self.side(pos), self.evaluate(pos))]
    }
    fn can_win_now(&self, _: &Position) -> bool {
        false
    }
    fn is_threatened(&self, _: &Position) -> bool {
        false
    }
    fn generate_tactical(&self, _: &Position, _: impl FnMut(Move)) {}
    fn is_tactical(&self, _: &Position, _: Move) -> bool {
        false
    }
    fn hints(&self, _: &Position) {}
    fn order(&self, _: &Position, (): &(), mv: Move) -> i32 {
        i32::from(unpack(mv).1 == 5)
    }
    fn allows_null(&self, _: &Position) -> bool {
        false
    }
    fn pass(&self, pos: &Position) -> Position {
        Position { own: pos.opp, opp: pos.own, black: !pos.black, ..*pos }
    }
    fn hash_key(&self, pos: &Position) -> (u64, u8) {
        (self.key(pos), 0)
    }
    fn map_move(&self, mv: Move, _: u8) -> Move {
        mv
    }
    fn unmap_move(&self, mv: Move, _: u8) -> Move {
        mv
    }
    fn history_index(&self, mv: Move) -> usize {
        mv.bits() as usize
    }
}

impl Family for ThreeMen {
    const ID: &'static str = "three-men";
}

impl Described for ThreeMen {
    fn layout(&self) -> Layout {
        Layout {
            points: (0..9).map(|p| Point { name: (p + 1).to_string(), x: p % 3, y: p / 3 }).collect(),
            rows: vec![3; 3],
            squares: false,
            lines: LINES.iter().map(|line| (0..9).filter(|p| line >> p & 1 == 1).collect()).collect(),
            arrows: Vec::new(),
            marked: Vec::new(),
            kinds: vec![Kind { id: "man", letters: ['O', 'X'] }],
            hand: 0,
            symmetries: vec![(0..9).collect()],
        }
    }

    fn pieces(&self, pos: &Position) -> Vec<Piece> {
        let (white, black) = if pos.black { (pos.opp, pos.own) } else { (pos.own, pos.opp) };
        let man = |point: usize| {
            let side =
                [(white, Side::White), (black, Side::Black)].into_iter().find(|(set, _)| set >> point & 1 == 1)?.1;
            Some(Piece { point, side, kind: 0 })
        };
        (0..9).filter_map(man).collect()
    }

    fn lost(&self, _: &Position) -> [Vec<usize>; 2] {
        [Vec::new(), Vec::new()]
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
