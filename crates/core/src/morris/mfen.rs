//! Positions in the Mill Interchange Format (MIF) 1.0: records of the form `MFEN/1.0`.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::board::{LINES_PLAIN, PointSet};
use super::game::{CUSTOM, Morris};
use super::rules::FEW_STONES;
use crate::game::fen::{self, Fault, Faults, MAX_MOVE_NUMBER, MAX_PLIES_WITHOUT_PROGRESS};
use crate::game::{Ending, Game, Placed, Reason, Side};
use crate::message::{Message, Value};
use crate::mills::validation::{Expected, Field, Unfit};
use crate::mills::{Position, Setup};
use crate::options::from_to;
use std::fmt;

/// The beginning of every record, whatever its version.
pub(super) const PREFIX: &str = "MFEN/";
/// The version of the records.
const FORMAT: &str = "MFEN/1.0";
/// The list of fields.
const PROFILE: &str = "mill24-state-v1";

/// The highest count of placements and moves that a move number can express.
const MAX_PRIMARY_PLY: u64 = 2 * MAX_MOVE_NUMBER as u64 - 1;

/// A position as a record contains it; `Display` writes the record.
///
/// ```
/// use millbrain_core::game::Notation;
/// use millbrain_core::morris::{FLYING, Mfen, Morris, rules};
///
/// let game = Morris::<FLYING>::new(rules::MORRIS);
/// let placed = game.parse_fen("3/1O1/3/6/3/3/2X w 8 8 0 2")?;
/// let record = Mfen::of(&game, &placed).to_string();
/// assert_eq!(record, "MFEN/1.0 mill24-state-v1 ....B.../.W....../........ w p p 8,8 - 0 2 -");
/// assert_eq!(game.parse_fen(&record)?, placed);
/// # Ok::<(), millbrain_core::game::fen::Faults>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mfen {
    /// The rings from the outer to the inner, each clockwise from its north-west corner: `W`, `B` or `.` a point.
    pub board: String,
    /// The side to move.
    pub side: Side,
    /// Stones in hand of White and of Black.
    pub hands: [u32; 2],
    /// Plies since the last placement or mill; 0 by rules without a limit for them.
    pub plies_without_progress: u16,
    /// Placements and moves since the start of the game.
    pub primary_ply: u64,
    /// The winner of a finished game, or `None` for a draw, and the reason in the terms of MIF.
    pub outcome: Option<(Option<Side>, String)>,
    /// The lines on which White and Black have formed mills, if the rules need them.
    pub used_lines: Option<String>,
}

impl Mfen {
    /// Returns the record of a position; the ending is that of the position alone, without draws by history.
    pub fn of<const S: u8>(game: &Morris<S>, placed: &Placed<Position>) -> Mfen {
        let pos = &placed.position;
        let [white, black] = pos.stones();
        let mut board = String::new();
        for (i, p) in points_in_order().enumerate() {
            if i > 0 && i % 8 == 0 {
                board.push('/');
            }
            board.push(match (white >> p & 1, black >> p & 1) {
                (0, 0) => '.',
                (1, _) => 'W',
                _ => 'B',
            });
        }
        let side = pos.side();
        let lines = |side| lines_to_mif(pos.formed_lines(side));
        let width = if game.diagonals() { 5 } else { 4 };
        let record = Mfen {
            board,
            side,
            hands: pos.hands(),
            // Without a limit nothing is counted.
            plies_without_progress: if game.rules().no_mill_draw == 0 { 0 } else { pos.plies_without_progress() },
            primary_ply: 2 * u64::from(placed.move_number.max(1) - 1) + u64::from(side == Side::Black),
            outcome: None,
            used_lines: game
                .rules()
                .once_per_line
                .then(|| format!("{:0width$x},{:0width$x}", lines(Side::White), lines(Side::Black))),
        };
        match game.ending(pos) {
            Some(ending) => record.ended(ending),
            None => record,
        }
    }

    /// Returns the same position with this ending.
    pub fn ended(self, ending: Ending) -> Mfen {
        let reason = match ending.reason {
            Reason::NoMoves => "no-legal-move",
            Reason::Repetition => "repetition",
            Reason::NoProgress => "no-progress",
            FEW_STONES => "fewer-than-minimum",
            Reason::Rule(_) => "board-full",
        };
        Mfen { outcome: Some((ending.winner(self.side), reason.to_string())), ..self }
    }

    /// Returns the phase of the side to move: `p` while it has stones in hand, then `m`.
    pub fn phase(&self) -> char {
        let [white, black] = self.hands;
        if (if self.side == Side::White { white } else { black }) > 0 { 'p' } else { 'm' }
    }
}

impl fmt::Display for Mfen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (side, phase) = match self.outcome {
            Some(_) => ('-', 'o'),
            None => (self.side.letter(), self.phase()),
        };
        let [white, black] = self.hands;
        write!(f, "{FORMAT} {PROFILE} {} {side} {phase} {phase} {white},{black} - ", self.board)?;
        write!(f, "{} {} ", self.plies_without_progress, self.primary_ply)?;
        match &self.outcome {
            None => f.write_str("-")?,
            Some((winner, reason)) => write!(f, "{}:{reason}", winner.map_or('d', Side::letter))?,
        }
        self.used_lines.as_ref().map_or(Ok(()), |lines| write!(f, " ul={lines}"))
    }
}

/// Returns the points in the order of a record.
fn points_in_order() -> impl Iterator<Item = usize> {
    (0..24).map(|i| i / 8 * 8 + (i + 7) % 8)
}

/// Converts a set of lines to MIF's numbers. They equal ours except for the diagonals, which begin in the north-west
/// there.
const fn lines_to_mif(lines: u32) -> u32 {
    let (plain, diagonals) = (lines & 0xFFFF, lines >> LINES_PLAIN);
    plain | (diagonals << 1 & 0xF | diagonals >> 3) << LINES_PLAIN
}

/// Converts a set of lines to our numbers.
const fn lines_from_mif(lines: u32) -> u32 {
    let (plain, diagonals) = (lines & 0xFFFF, lines >> LINES_PLAIN);
    plain | (diagonals >> 1 | (diagonals & 1) << 3) << LINES_PLAIN
}

/// Returns a field as parsed by `read`; faults go to `faults`.
fn field<'a, T>(
    text: Option<&'a str>,
    field: impl Into<Message>,
    expected: impl Into<Value>,
    faults: &mut Faults,
    read: impl FnOnce(&'a str) -> Option<T>,
) -> Option<T> {
    let Some(text) = text else {
        faults.0.push(Fault::Missing { field: field.into(), expected: expected.into() });
        return None;
    };
    let value = read(text);
    if value.is_none() {
        let (field, expected) = (field.into(), expected.into());
        faults.0.push(Fault::Field { field, value: text.to_string(), expected });
    }
    value
}

/// Parses a number as MIF writes it, without a sign and leading zeros.
fn number(text: &str, most: u64) -> Option<u64> {
    let is_canonical = text == "0" || text.starts_with(|c: char| ('1'..='9').contains(&c));
    text.parse().ok().filter(|&number| is_canonical && number <= most)
}

fn read_board(text: &str, faults: &mut Faults) -> [PointSet; 2] {
    let rings: Vec<&str> = text.split('/').collect();
    if rings.len() != 3 {
        faults.0.push(Fault::RowCount { found: rings.len(), expected: 3 });
    }
    for (row, ring) in rings.iter().enumerate() {
        faults.0.extend(Fault::row_length(row + 1, ring.chars().count(), 8));
    }
    let [mut white, mut black]: [PointSet; 2] = [0, 0];
    for (c, p) in text.chars().filter(|&c| c != '/').zip(points_in_order()) {
        match c {
            'W' => white |= 1 << p,
            'B' => black |= 1 << p,
            '.' => {}
            // Lower case marks stones that are removed later, which no rule set here has.
            _ => faults.0.push(Fault::Character { row: p / 8 + 1, found: c, expected: "W, B, ." }),
        }
    }
    [white, black]
}

impl Morris<CUSTOM> {
    /// Reads a record; one of a finished game has no side to move.
    pub(super) fn read_record(&self, text: &str) -> Result<Placed<Position>, Faults> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        if fields.join(" ") != text {
            return Err(Faults(vec![Unfit::Spaces.into()]));
        }
        let placed = self.placed(|faults| self.read_mfen(&fields, faults))?;
        if self.ending(&placed.position).is_some() { Err(Faults(vec![Unfit::Over.into()])) } else { Ok(placed) }
    }

    /// Reads the fields: format, profile, board, side, phase, action, hands, obligations, plies without progress,
    /// placements and moves, outcome, and the lines of once-per-line rules.
    fn read_mfen(&self, fields: &[&str], faults: &mut Faults) -> Setup {
        let get = |index: usize| fields.get(index).copied();
        let empty = Setup {
            stones: [0; 2],
            hands: [0; 2],
            side: Side::White,
            plies_without_progress: 0,
            move_number: 1,
            formed_lines: [0; 2],
        };
        let is = |word: &'static str| move |text: &str| (text == word).then_some(());
        field(get(0), Field::Format, FORMAT, faults, is(FORMAT));
        field(get(1), Field::Profile, PROFILE, faults, is(PROFILE));
        if get(3) == Some("-") {
            faults.0.push(Unfit::Over.into());
        } else if get(7).is_some_and(|due| due != "-") {
            faults.0.push(Unfit::RemovalDue.into());
        }
        if !faults.0.is_empty() {
            return empty;
        }
        let stones = field(get(2), fen::Field::Board, Expected::Rings, faults, Some);
        let stones = stones.map_or([0; 2], |text| read_board(text, faults));
        let side = match get(3) {
            Some("w") => Some(Side::White),
            Some("b") => Some(Side::Black),
            _ => None,
        };
        let side = field(get(3), fen::Field::Side, fen::Expected::Side, faults, |_| side).unwrap_or(Side::White);
        let limit = u64::from(self.rules().stones);
        let hands = get(6).and_then(|text| {
            let (white, black) = text.split_once(',')?;
            Some([number(white, limit)? as u32, number(black, limit)? as u32])
        });
        let known = hands.is_some();
        let hands = field(get(6), Field::Hands, Expected::Hands, faults, |_| hands).unwrap_or([0; 2]);
        let phase = if hands.get(side as usize).is_some_and(|&hand| hand > 0) { "p" } else { "m" };
        if known {
            field(get(4), Field::Phase, Expected::Phase, faults, is(phase));
            field(get(5), Field::Action, Expected::Phase, faults, is(phase));
        }
        field(get(7), Field::Obligations, "-", faults, Some);
        let (most, expected) = match self.rules().no_mill_draw {
            0 => (0, Expected::NoLimit.into()),
            _ => (MAX_PLIES_WITHOUT_PROGRESS, from_to(0_u32, MAX_PLIES_WITHOUT_PROGRESS)),
        };
        let plies = field(get(8), fen::Field::Counter, expected, faults, |text| number(text, most.into())).unwrap_or(0);
        let ply = |text| number(text, MAX_PRIMARY_PLY);
        let ply = field(get(9), Field::Plies, from_to(0_u32, MAX_PRIMARY_PLY), faults, ply).unwrap_or(0);
        field(get(10), Field::Outcome, Expected::Open, faults, is("-"));
        let mut extensions = fields.iter().skip(11);
        let mut formed_lines = [0; 2];
        if self.rules().once_per_line {
            let next = extensions.next().copied();
            let lines = field(next, Field::UsedLines, Expected::UsedLines, faults, |text| self.read_lines(text));
            formed_lines = lines.unwrap_or_default();
        }
        if let Some(&extra) = extensions.next() {
            let (field, expected) = (Field::Extension.into(), Expected::None.into());
            faults.0.push(Fault::Field { field, value: extra.to_string(), expected });
        }
        let plies_without_progress = plies as u32;
        let move_number = (ply / 2 + 1) as u32;
        Setup { stones, hands, side, plies_without_progress, move_number, formed_lines }
    }

    /// Reads the formed lines of both sides as `ul=hex,hex`, in our numbers.
    fn read_lines(&self, text: &str) -> Option<[u32; 2]> {
        let (white, black) = text.strip_prefix("ul=")?.split_once(',')?;
        let width = if self.diagonals() { 5 } else { 4 };
        let read = |text: &str| {
            let is_hex = text.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'));
            let lines = u32::from_str_radix(text, 16).ok().filter(|_| is_hex && text.len() == width)?;
            Some(lines_from_mif(lines))
        };
        Some([read(white)?, read(black)?])
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod tests {
    use super::super::board::{LINES, NAMES, point_by_name};
    use super::super::rules::{LASKER, MLYN, MORABARABA, MORRIS, MUEHLE, MYLOS, Removals, Rules};
    use super::*;
    use crate::game::Notation;
    use crate::mills::notation::tests::{faults, game};

    const ONCE: Rules = Rules { once_per_line: true, diagonals: true, stones: 12, ..MORRIS };

    #[test]
    fn every_point_of_a_record_is_the_right_one() {
        let game = game(MORRIS);
        let order = "a7 d7 g7 g4 g1 d1 a1 a4 b6 d6 f6 f4 f2 d2 b2 b4 c5 d5 e5 e4 e3 d3 c3 c4";
        for (i, point) in order.split(' ').enumerate() {
            for (letter, hands, owner) in [("W", "8,9", 0), ("B", "9,8", 1)] {
                let mut board = "......../......../........".to_string();
                board.replace_range(i + i / 8..=i + i / 8, letter);
                let record = format!("MFEN/1.0 mill24-state-v1 {board} w p p {hands} - 0 0 -");
                let placed = game.parse_fen(&record).unwrap();
                let mut expected = [0, 0];
                expected[owner] = 1 << point_by_name(point).unwrap();
                assert_eq!(placed.position.stones(), expected, "{board}");
                assert_eq!(Mfen::of(&game, &placed).to_string(), record);
            }
        }
    }

    #[test]
    fn every_line_has_its_number() {
        let numbered = "a7d7g7 g7g4g1 g1d1a1 a1a4a7 b6d6f6 f6f4f2 f2d2b2 b2b4b6 c5d5e5 e5e4e3 e3d3c3 c3c4c5 \
            d7d6d5 g4f4e4 d1d2d3 a4b4c4 a7b6c5 g7f6e5 g1f2e3 a1b2c3";
        for (number, points) in numbered.split(' ').enumerate() {
            let line = [0, 2, 4].iter().fold(0, |set, &at| set | 1 << point_by_name(&points[at..at + 2]).unwrap());
            let ours = LINES.iter().position(|&known| known == line).unwrap();
            assert_eq!(lines_to_mif(1 << ours), 1 << number, "{points}");
            assert_eq!(lines_from_mif(1 << number), 1 << ours, "{points}");
        }
    }

    /// Rules without a draw limit write no plies, and ignore those in a record.
    #[test]
    fn without_a_limit_nothing_is_counted() {
        let game = game(Rules { no_mill_draw: 0, ..MORRIS });
        let placed = game.parse_fen("O2/1O1/2O/O2X2/3/XX1/2X w 0 0 7 9").unwrap();
        let record = Mfen::of(&game, &placed).to_string();
        assert!(record.ends_with(" w m m 0,0 - 0 16 -"), "{record}");
        assert_eq!(game.fen(&game.parse_fen(&record).unwrap()), "O2/1O1/2O/O2X2/3/XX1/2X w 0 0 0 9");
        let counted = record.replace(" - 0 16", " - 7 16");
        assert_eq!(faults(&game, &counted), "counter is \"7\", expected 0 by rules without a limit");
    }

    #[test]
    fn fields_have_one_space_between_them() {
        let game = game(MORRIS);
        let record = "MFEN/1.0 mill24-state-v1 W......./......../.......B w p p 8,8 - 0 2 -";
        assert!(game.parse_fen(record).is_ok());
        for bad in [
            record.replacen(' ', "  ", 1),
            record.replacen(" w", "\tw", 1),
            format!(" {record}"),
            format!("{record}\n"),
        ] {
            assert_eq!(faults(&game, &bad), Unfit::Spaces.to_string(), "{bad:?}");
        }
        assert!(game.parse_fen(&format!("\u{feff}{record}")).is_err());
    }

    #[test]
    fn a_finished_position_with_a_side_to_move_is_refused() {
        let game = game(MORRIS);
        for rest in [
            "WW....../......../.....BBB w m m 0,0 - 0 40 -",
            "WB.....B/......../.....BBW w m m 0,0 - 0 40 -",
            "WWWB..../......../.....BBW w m m 0,0 - 100 140 -",
        ] {
            assert_eq!(faults(&game, &format!("MFEN/1.0 mill24-state-v1 {rest}")), Unfit::Over.to_string(), "{rest}");
        }
        let going_on = "MFEN/1.0 mill24-state-v1 WWWB..../......../.....BBW w m m 0,0 - 99 140 -";
        assert!(game.parse_fen(going_on).is_ok());
    }

    /// In random games, each written position is read back as the same one, while there is a side to move.
    #[test]
    fn positions_of_random_games_come_back() {
        let each_mill = Rules { removals: Removals::EachMill, ..MORRIS };
        let plain_once = Rules { once_per_line: true, ..MORRIS };
        let mut rng = fastrand::Rng::with_seed(27);
        let mut finished = std::collections::BTreeSet::new();
        for rules in [MORRIS, MUEHLE, MYLOS, MLYN, LASKER, MORABARABA, each_mill, plain_once, ONCE] {
            let game = game(rules);
            for _ in 0..12 {
                let mut placed = Placed { position: game.start(), move_number: 1 };
                loop {
                    let record = Mfen::of(&game, &placed);
                    let text = record.to_string();
                    if let Some((_, reason)) = record.outcome {
                        assert_eq!(game.parse_fen(&text), Err(Faults(vec![Unfit::Over.into()])), "{text}");
                        finished.insert(reason);
                        break;
                    }
                    assert_eq!(game.parse_fen(&text).unwrap(), placed, "{text}");
                    let mv = rng.choice(game.moves(&placed.position)).unwrap();
                    let black = placed.position.side() == Side::Black;
                    placed.position = game.play(&placed.position, mv);
                    placed.move_number += u32::from(black);
                }
            }
        }
        assert!(finished.contains("no-progress") && finished.contains("fewer-than-minimum"), "{finished:?}");
    }

    #[test]
    fn a_finished_game_is_written_with_its_outcome() {
        let game = game(MORRIS);
        for (fen, written) in [
            ("OO1/3/3/6/3/3/XXX w 0 0", "WW..BBB./......../........ - o o 0,0 - 0 0 b:fewer-than-minimum"),
            ("OOO/1X1/3/OX3X/3/3/X2 w 0 0", "WWWB..BW/.B.....B/........ - o o 0,0 - 0 0 b:no-legal-move"),
            ("3/3/3/6/OOO/3/XXX b 0 0 100 60", "....BBB./......../....WWW. - o o 0,0 - 100 119 d:no-progress"),
        ] {
            let text = Mfen::of(&game, &game.parse_fen(fen).unwrap()).to_string();
            assert_eq!(text, format!("MFEN/1.0 mill24-state-v1 {written}"), "{fen}");
        }
        let twice = Ending::new(crate::game::Verdict::Draw, Reason::Repetition);
        let placed = game.parse_fen("3/3/3/6/OOO/3/XXX b 0 0 9 60").unwrap();
        let text = Mfen::of(&game, &placed).ended(twice).to_string();
        assert!(text.ends_with(" - o o 0,0 - 9 119 d:repetition"), "{text}");
    }

    #[test]
    fn the_faults_of_a_record_are_reported() {
        let record = |rest: &str| format!("MFEN/1.0 mill24-state-v1 W......./......../.......B {rest}");
        let (plain, once) = (game(MORRIS), game(ONCE));
        let phases = "expected p while the side to move has stones in hand, else m";
        for (game, text, expected) in [
            (plain, "MFEN/0.4 mill24-state-v1 x", "format is \"MFEN/0.4\", expected MFEN/1.0".to_string()),
            (plain, "MFEN/1.0 x", "state profile is \"x\", expected mill24-state-v1".to_string()),
            (
                plain,
                "MFEN/1.0 mill24-state-v1 W....../w......./x......./.",
                "4 rows, expected 3; row 1 is too short: 7 cells, expected 8; row 4 is too short: 1 cell, expected 8; \
                 character 'w' in row 1, expected one of W, B, .; character 'x' in row 2, expected one of W, B, .; \
                 side to move is missing, expected w or b; hands is missing, expected two numbers of stones as in 9,9; \
                 obligations is missing, expected -; counter is missing, expected a number from 0 to 65535; number of \
                 plies is missing, expected a number from 0 to 8589934589; outcome is missing, expected - as long as \
                 there is a side to move"
                    .to_string(),
            ),
            (plain, &record("w m p 8,8 - 0 2 -"), format!("phase is \"m\", {phases}")),
            (
                plain,
                &record("w p m 8,8 - 0 2 d:agreement"),
                format!("action is \"m\", {phases}; outcome is \"d:agreement\", expected - as long as there is a side to move"),
            ),
            (
                plain,
                &record("w p r 8,8 w:mill:b:b:1:800000:b - 0 2 -"),
                "a removal is due, expected a position between two moves".to_string(),
            ),
            (
                plain,
                &record("- o o 8,8 - 0 2 w:resignation"),
                "the game is over, expected a position with a side to move".to_string(),
            ),
            (
                plain,
                &record("w p p 8,08 - 00 +2 -"),
                "hands is \"8,08\", expected two numbers of stones as in 9,9; counter is \"00\", expected a number from 0 to 65535; \
                 number of plies is \"+2\", expected a number from 0 to 8589934589"
                    .to_string(),
            ),
            (plain, &record("w p p 9,8 - 0 2 -"), "white has 10 stones on board and in hand, expected at most 9".to_string()),
            (plain, &record("w p p 8,8 - 0 2 - pc=1,1"), "extension is \"pc=1,1\", expected none by these rules".to_string()),
            (once, &record("w p p 8,8 - 0 2 -"), "ul is missing, expected the lines of White and Black as in ul=0001,0000".to_string()),
            (
                once,
                &record("w p p 8,8 - 0 2 - ul=FFFF,0000"),
                "ul is \"ul=FFFF,0000\", expected the lines of White and Black as in ul=0001,0000".to_string(),
            ),
        ] {
            assert_eq!(faults(&game, text), expected, "{text}");
        }
        let lines = once.parse_fen(&record("w p p 8,8 - 0 2 - ul=00001,80000")).unwrap().position;
        let through = |side| LINES[lines.formed_lines(side).trailing_zeros() as usize];
        let names =
            |set: PointSet| (0..24).filter(|p| set >> p & 1 == 1).map(|p| NAMES[p]).collect::<Vec<_>>().join(" ");
        assert_eq!((names(through(Side::White)), names(through(Side::Black))), ("d7 g7 a7".into(), "a1 b2 c3".into()));
    }
}
