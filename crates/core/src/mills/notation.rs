//! FEN and move text.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::board::{Board, MAX_LINES, PointSet, points};
use super::game::Mills;
use super::moves::{MOST_REMOVED, Step};
use super::position::{Position, Setup};
use super::rules::{MillRules, sentences};
use super::validation::{Expected, Field, Unfit};
use crate::game::fen::{self, Fault, Faults};
use crate::game::{Game, Move, Notation, Placed, Side};
use crate::message::{Message, messages};
use crate::texts::Language;
use std::fmt::Write;

/// White's and Black's stones in a FEN.
pub(super) const WHITE: char = 'O';
pub(super) const BLACK: char = 'X';

fn read_board(board: &Board, text: &str, faults: &mut Faults) -> [PointSet; 2] {
    let mut stones: [PointSet; 2] = [0, 0];
    let piece = |c| match c {
        WHITE => Some(Side::White),
        BLACK => Some(Side::Black),
        _ => None,
    };
    fen::read_board(text, board.rows, board.alphabet(), piece, faults, |place, side| {
        if let Some(&p) = board.reading_order.get(place) {
            let [white, black] = &mut stones;
            *(if side == Side::White { white } else { black }) |= 1 << p;
        }
    });
    stones
}

/// Reads the formed lines of both sides as `hex,hex`.
fn read_lines(text: &str) -> Option<[u32; 2]> {
    let (white, black) = text.split_once(',')?;
    let read = |text| u32::from_str_radix(text, 16).ok().filter(|&lines| lines >> MAX_LINES == 0);
    Some([read(white)?, read(black)?])
}

messages! {
    /// Why a move that goes a legal way takes the wrong stones.
    pub(crate) enum Objection in "fault" {
        /// It closes no mill, or no stone may be taken.
        TakesNone { example: String } = "takes-none",
        /// It closes a mill and takes nothing.
        ClosesMill { example: String } = "closes-mill",
        /// It takes another number of stones.
        ClosesMills { due as n: u32, example: String } = "closes-mills",
        /// It takes a stone that is not to be taken.
        Protected { point: &'static str, example: String } = "protected",
    }
}

impl<R: MillRules> Mills<R> {
    fn read_own_form(&self, fields: &[&str], faults: &mut Faults) -> Setup {
        let mut fields = fields.iter().copied();
        let limit = u32::from(self.rules.stones());
        let stones = read_board(self.rules.board(), fields.next().unwrap_or_default(), faults);
        let side = fen::read_side(fields.next(), faults);
        let mut hand = |field: Field| match fields.next() {
            None => {
                faults.0.push(Fault::Missing { field: field.into(), expected: Expected::Stones.into() });
                0
            }
            text => fen::read_number(text, field, 0, limit, 0, faults),
        };
        let hands = [hand(Field::WhiteHand), hand(Field::BlackHand)];
        let plies_without_progress =
            fen::read_number(fields.next(), fen::Field::Counter, 0, fen::MAX_PLIES_WITHOUT_PROGRESS, 0, faults);
        let move_number = fen::read_move_number(fields.next(), faults);
        let mut formed_lines = [0, 0];
        if self.rules.once_per_line()
            && let Some(text) = fields.next()
        {
            match read_lines(text) {
                Some(lines) => formed_lines = lines,
                None => faults.0.push(Fault::Field {
                    field: Field::FormedLines.into(),
                    value: text.to_string(),
                    expected: Expected::Lines.into(),
                }),
            }
        }
        if let Some(extra) = fields.next() {
            faults.0.push(Fault::Extra(extra.to_string()));
        }
        Setup { stones, hands, side, plies_without_progress, move_number, formed_lines }
    }

    /// Reads a FEN.
    pub(crate) fn read_fen(&self, text: &str) -> Result<Placed<Position>, Faults> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        if fields.is_empty() {
            let rows = self.rules.board().rows.len();
            let (field, expected) = (fen::Field::Board.into(), Expected::Rows { n: rows }.into());
            return Err(Faults(vec![Fault::Missing { field, expected }]));
        }
        self.placed(|faults| self.read_own_form(&fields, faults))
    }

    /// Returns the position that `read` sets up, if it is one of these rules.
    pub(crate) fn placed(&self, read: impl FnOnce(&mut Faults) -> Setup) -> Result<Placed<Position>, Faults> {
        let mut faults = Faults::default();
        let setup = read(&mut faults);
        let validated = self.validate(&setup);
        if !faults.0.is_empty() {
            // The faults of the text explain an impossible position; the remaining ones are worth reporting too.
            if let Err(more) = validated {
                faults.0.extend(more.0.into_iter().filter(|fault| *fault != Unfit::BothLost.into()));
            }
            return Err(faults);
        }
        validated.map(|position| Placed { position, move_number: setup.move_number })
    }

    /// Returns why a move along a legal way removes the wrong stones.
    fn objection_to(&self, pos: &Position, mv: Move) -> Option<Objection> {
        let step = Step::unpack(mv);
        let same_way = |&legal: &Move| Step { removed: step.removed, ..Step::unpack(legal) } == step;
        let legal: Vec<Move> = self.moves(pos).into_iter().filter(same_way).collect();
        let taken = |&mv: &Move| Step::unpack(mv).removed;
        let example = self.move_text(*legal.first()?);
        let due = legal.iter().map(|mv| taken(mv).count_ones()).max()?;
        let takable = legal.iter().fold(0, |set, mv| set | taken(mv));
        let wrong = points(step.removed & !takable).next();
        Some(match (step.removed.count_ones(), due, wrong) {
            (_, 0, _) => Objection::TakesNone { example },
            (0, 1, _) => Objection::ClosesMill { example },
            (_, _, Some(wrong)) => Objection::Protected { point: self.rules.board().name(wrong), example },
            _ => Objection::ClosesMills { due, example },
        })
    }
}

impl<R: MillRules> Notation for Mills<R> {
    const EXAMPLES: &'static [&'static str] = R::EXAMPLES;

    fn parse_fen(&self, text: &str) -> Result<Placed<Position>, Faults> {
        R::read(self, text)
    }

    fn fen(&self, placed: &Placed<Position>) -> String {
        let pos = &placed.position;
        let [white, black] = pos.stones();
        let board = self.rules.board();
        let cells = board.reading_order.iter().map(|&p| match (white >> p & 1, black >> p & 1) {
            (0, 0) => None,
            (1, _) => Some(WHITE),
            _ => Some(BLACK),
        });
        let mut text = fen::write_board(board.rows, cells);
        let [white_hand, black_hand] = pos.hands();
        let _ = write!(
            text,
            " {} {white_hand} {black_hand} {} {}",
            pos.side().letter(),
            pos.plies_without_progress(),
            placed.move_number
        );
        if self.rules.once_per_line() {
            let _ = write!(text, " {:x},{:x}", pos.formed_lines(Side::White), pos.formed_lines(Side::Black));
        }
        text
    }

    fn move_text(&self, mv: Move) -> String {
        let step = Step::unpack(mv);
        let board = self.rules.board();
        let mut text = step.from.map_or(String::new(), |from| board.name(from).to_string());
        text.push_str(board.name(step.to));
        for removed in board.in_order(step.removed) {
            text.push('x');
            text.push_str(board.name(removed));
        }
        text
    }

    fn parse_move(&self, text: &str) -> Option<Move> {
        // A hyphen leads to something: a text that ends with one is only the beginning of a move.
        if text.ends_with('-') {
            return None;
        }
        let board = self.rules.board();
        let mut parts = text.split(['x', 'X']).map(|part| part.strip_suffix('-').unwrap_or(part));
        let path = parts.next()?;
        let mut removed: PointSet = 0;
        for name in parts {
            let point = 1 << board.point_by_name(name)?;
            if removed & point != 0 || removed.count_ones() as usize == MOST_REMOVED {
                return None;
            }
            removed |= point;
        }
        let (from, to) = match path.split_once('-') {
            Some((from, to)) => (Some(from), to),
            None if path.len() == 4 => (Some(path.get(..2)?), path.get(2..)?),
            None => (None, path),
        };
        let from = match from {
            Some(from) => Some(board.point_by_name(from)?),
            None => None,
        };
        Some(Step { from, to: board.point_by_name(to)?, removed }.pack())
    }

    fn objection(&self, pos: &Position, mv: Move) -> Option<Message> {
        self.plain().objection_to(pos, mv).map(Message::from)
    }

    fn flipped(&self, pos: &Position) -> Position {
        pos.sides_exchanged()
    }

    fn diagram(&self, pos: &Position) -> String {
        self.plain().board_text(pos)
    }

    fn describe(&self, pos: &Position) -> Vec<(&'static str, String)> {
        self.plain().description(pos)
    }

    fn rules_text(&self, language: Language) -> Vec<String> {
        sentences(&self.rules).into_iter().map(|sentence| sentence.in_language(language)).collect()
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::panic, reason = "tests")]
pub(crate) mod tests {
    use super::*;
    use crate::morris::rules::{MORABARABA, MORRIS, MYLOS, Rules};
    use crate::morris::{CUSTOM, Morris};
    use std::collections::HashSet;

    pub fn game(rules: Rules) -> Morris<CUSTOM> {
        Morris::new(rules)
    }

    /// Returns the position of a FEN, written as a FEN again.
    pub fn reread(game: &Morris<CUSTOM>, fen: &str) -> String {
        let placed = game.parse_fen(fen).unwrap_or_else(|faults| panic!("{fen}: {faults}"));
        game.fen(&placed)
    }

    pub fn faults(game: &Morris<CUSTOM>, fen: &str) -> String {
        game.parse_fen(fen).unwrap_err().to_string()
    }

    #[test]
    fn faults_of_a_fen_are_reported_together() {
        let game = game(MORRIS);
        for (fen, expected) in [
            ("", "board is missing, expected 7 rows of points"),
            ("3/3/3/6/3/3 w 9 9", "6 rows, expected 7"),
            ("3/3/3/6/3/3/3 w 9", "black's hand is missing, expected a number of stones"),
            ("3/3/3/6/3/3/3 w 10 9", "white's hand is \"10\", expected a number from 0 to 9"),
            ("3/3/3/6/3/3/3 w 9 9 0 -1", "move number is \"-1\", expected a number from 0 to 4294967295"),
            ("3/3/3/6/3/3/3 w 9 9 0 1 0,0", "unexpected text \"0,0\" after the last field"),
            ("O2/3/3/6/3/3/3 w 9 9", "white has 10 stones on board and in hand, expected at most 9"),
            ("O2/3/3/6/3/3/X2 w 1 1", "both sides have fewer than three stones, expected at most one such side"),
            // An unreadable side to move hides further faults of this one.
            ("O2/3/3/6/3/3/X2 x 1 1", "side to move is \"x\", expected w or b"),
            (
                "O2/3/3/6/3/3/X2 x 9 1",
                "side to move is \"x\", expected w or b; white has 10 stones on board and in hand, expected at most 9",
            ),
        ] {
            assert_eq!(faults(&game, fen), expected, "{fen}");
        }
    }

    #[test]
    fn formed_lines_are_read_and_written() {
        let game = game(Rules { once_per_line: true, ..MORABARABA });
        let start = "3/3/3/6/3/3/3 w 12 12 0 1";
        assert_eq!(reread(&game, start), format!("{start} 0,0"));
        for lines in ["1,0", "0,80000", "fffff,a5"] {
            assert_eq!(reread(&game, &format!("{start} {lines}")), format!("{start} {lines}"));
        }
        for lines in ["1", "100000,0", "0,100000", "x,0", "1,0,0"] {
            let fault = faults(&game, &format!("{start} {lines}"));
            assert_eq!(fault, format!("formed lines is {lines:?}, expected two hexadecimal line sets as in 1,0"));
        }
        assert_eq!(faults(&game, &format!("{start} 0,0 x")), "unexpected text \"x\" after the last field");
    }

    #[test]
    fn moves_are_read_in_all_their_forms() {
        let game = game(MORRIS);
        for (forms, text) in [
            (&["d6", "D6"][..], "d6"),
            (&["d6xb4", "d6-xb4", "d6Xb4", "D6xB4", "d6-XB4"], "d6xb4"),
            (&["a4a7", "a4-a7", "A4-a7"], "a4a7"),
            (&["a4a7xg1", "a4-a7xg1", "a4-a7-xg1"], "a4a7xg1"),
            (&["a4a7xd1xg1", "a4-a7-xg1-xd1", "a4a7Xd1-Xg1"], "a4a7xd1xg1"),
        ] {
            for form in forms {
                assert_eq!(game.parse_move(form).map(|mv| game.move_text(mv)).as_deref(), Some(text), "{form}");
            }
        }
        for text in ["d", "d4", "h7", "a4a", "a4a77", "a4a7xd4", "\u{e9}7a", "a\u{e9}7"] {
            assert_eq!(game.parse_move(text), None, "{text}");
        }
    }

    /// Of all short texts of points, hyphens and removals exactly the forms of moves are read.
    #[test]
    fn no_other_text_is_a_move() {
        let game = game(MORRIS);
        let ways = ["a4", "a7", "a4a4", "a4a7", "a7a4", "a7a7", "a4-a4", "a4-a7", "a7-a4", "a7-a7"];
        let removals = [
            "", "xa4", "xa7", "-xa4", "-xa7", "xa4xa7", "xa7xa4", "-xa4xa7", "xa7-xa4", "xa4-xa7", "-xa7xa4",
            "-xa4-xa7", "-xa7-xa4",
        ];
        let moves: HashSet<String> =
            ways.iter().flat_map(|way| removals.map(|removal| format!("{way}{removal}"))).collect();
        let mut texts = vec![String::new()];
        for _ in 0..7 {
            texts.retain(|text| text.matches('-').count() < 3);
            let longer = texts.iter().flat_map(|text| ["a4", "a7", "-", "x"].map(|next| format!("{text}{next}")));
            texts = longer.collect();
            for text in &texts {
                assert_eq!(game.parse_move(text).is_some(), moves.contains(text), "{text}");
            }
        }
    }

    #[test]
    fn illegal_moves_close_to_a_legal_one_get_a_hint() {
        let hint = |rules, fen, text| {
            let game = game(rules);
            let position = game.parse_fen(fen).unwrap().position;
            game.objection(&position, game.parse_move(text).unwrap()).map(|why| why.to_string())
        };
        let says = |text: &str| Some(text.to_string());
        let fen = "1OO/3/3/O3X1/3/X2/XXO w 0 0";
        assert_eq!(hint(MORRIS, fen, "a4a7"), says("closes a mill: name the stone to take, such as a4a7xd1"));
        assert_eq!(
            hint(MORRIS, "1OO/3/3/6/3/3/XX1 w 7 7", "a7"),
            says("closes a mill: name the stone to take, such as a7xd1")
        );
        assert_eq!(hint(MORRIS, fen, "a4b4xa1"), says("takes no stone here, expected a4b4"));
        assert_eq!(hint(MORRIS, fen, "a4a7xd5"), says("cannot take d5, expected a move such as a4a7xd1"));
        assert_eq!(hint(MORRIS, fen, "a4c4"), None);
        assert_eq!(hint(MORRIS, fen, "a4c4xa1"), None);
        let protected = "1OO/3/3/O5/3/3/XXX w 0 0";
        assert_eq!(hint(MORRIS, protected, "a4a7"), says("closes a mill: name the stone to take, such as a4a7xg1"));
        assert_eq!(hint(MYLOS, protected, "a4a7xd1"), says("takes no stone here, expected a4a7"));
    }
}
