//! Positions with their values and the moves that preserve them, as a text.

use millbrain_core::any::AnyGame;
use millbrain_core::game::Verdict;
use millbrain_core::game::fen::shorten;
use millbrain_core::options::OptionFault;
use millbrain_core::play::{MoveFault, PlayError};
use millbrain_core::variant::{NamedRules, UnknownVariant};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// The beginning of a set's first line: the format and its version.
const HEAD: &str = "millbrain truth 1 ";

/// A position in which a mistake is possible: some moves preserve its value, and some do not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The position.
    pub fen: String,
    /// Its value for the side to move: a win or a draw.
    pub value: Verdict,
    /// The moves that preserve the value, in the order of their texts.
    pub good: BTreeSet<String>,
}

/// Positions by the same rules.
///
/// As a text it has the line `millbrain truth 1 VARIANT` or `millbrain truth 1 VARIANT RULES`. Then each position has
/// one line `FEN;won|drawn;MOVE MOVE ...`, with the moves that preserve the value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Set {
    /// The rules.
    pub rules: NamedRules,
    /// The positions.
    pub positions: Vec<Position>,
}

/// The reason why a text is not a set of positions.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct SetError {
    /// Number of the line, from 1.
    pub line: usize,
    /// The fault in the line.
    pub fault: SetFault,
}

/// A fault in a line of a set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetFault {
    /// The first line has another form.
    #[error("{:?}, expected \"{HEAD}\" and a variant", shorten(.0))]
    Head(String),
    /// The variant does not exist.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// The house rules do not exist.
    #[error(transparent)]
    Rules(#[from] OptionFault),
    /// The line does not have three fields.
    #[error("{:?}, expected FEN;won;MOVES or FEN;drawn;MOVES", shorten(.0))]
    Form(String),
    /// The FEN is faulty.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A move is not legal.
    #[error(transparent)]
    Move(#[from] MoveFault),
    /// All legal moves preserve the value, or none.
    #[error("{good} of {legal} moves keep the value, expected some and not all")]
    Moves {
        /// Number of moves that preserve it.
        good: usize,
        /// Number of legal moves.
        legal: usize,
    },
}

const fn word(value: Verdict) -> &'static str {
    match value {
        Verdict::Win => "won",
        Verdict::Draw => "drawn",
        Verdict::Loss => "lost",
    }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{HEAD}{}", self.rules.variant)?;
        match self.rules.list() {
            list if list.is_empty() => writeln!(f)?,
            list => writeln!(f, " {list}")?,
        }
        for Position { fen, value, good } in &self.positions {
            let good: Vec<&str> = good.iter().map(String::as_str).collect();
            writeln!(f, "{fen};{};{}", word(*value), good.join(" "))?;
        }
        Ok(())
    }
}

fn read_rules(head: &str) -> Result<NamedRules, SetFault> {
    let reported = head.strip_prefix(HEAD).ok_or_else(|| SetFault::Head(head.to_string()))?.trim();
    let (variant, list) = reported.split_once(' ').unwrap_or((reported, ""));
    Ok(NamedRules::read(variant.parse()?, list)?)
}

impl Position {
    fn read(line: &str, start: &AnyGame) -> Result<Position, SetFault> {
        let form = || SetFault::Form(line.to_string());
        let fields: Vec<&str> = line.split(';').collect();
        let [fen, value, moves] = *fields else { return Err(form()) };
        let value = [Verdict::Win, Verdict::Draw].into_iter().find(|&known| word(known) == value).ok_or_else(form)?;
        let game = start.at(Some(fen), [])?;
        let text = |mv: &str| game.find_move(mv).map(|mv| game.move_text(mv));
        let good = moves.split_whitespace().map(text).collect::<Result<BTreeSet<String>, _>>()?;
        let legal = game.moves().len();
        if good.is_empty() || good.len() >= legal {
            return Err(SetFault::Moves { good: good.len(), legal });
        }
        Ok(Position { fen: fen.to_string(), value, good })
    }
}

impl FromStr for Set {
    type Err = SetError;

    fn from_str(text: &str) -> Result<Set, SetError> {
        let mut lines = (1..).zip(text.lines());
        let at = |line| move |fault| SetError { line, fault };
        let head = lines.next().map_or("", |(_, head)| head);
        let rules = read_rules(head).map_err(at(1))?;
        let start = AnyGame::new(rules.rules);
        let lines = lines.filter(|(_, line)| !line.is_empty());
        let positions = lines.map(|(number, line)| Position::read(line, &start).map_err(at(number)));
        Ok(Set { rules, positions: positions.collect::<Result<_, _>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SET: &str = "millbrain truth 1 lasker Stones=9,Flying=false\n\
                       3/3/3/6/3/3/3 w 9 9 0 1;drawn;a1 b4 d6\n\
                       3/1O1/3/6/3/3/3 b 8 9 0 1;won;a1\n";

    #[test]
    fn what_is_written_is_read() {
        let set: Set = SET.parse().expect("a set");
        assert_eq!(set.rules.to_string(), "lasker with Stones=9,Flying=false");
        assert_eq!(set.positions[0].good.len(), 3);
        assert_eq!(set.to_string(), SET);
        let empty: Set = "millbrain truth 1 smess\n".parse().expect("a set");
        assert_eq!((empty.positions.len(), empty.to_string().as_str()), (0, "millbrain truth 1 smess\n"));
    }

    #[test]
    fn faults_are_reported_with_their_line() {
        for (from, to, reported) in [
            ("millbrain truth 1", "truth", "line 1: \"truth lasker Stones"),
            ("truth 1", "truth 2", "line 1: \"millbrain truth 2 lasker"),
            ("lasker", "chess", "line 1: unknown variant \"chess\""),
            ("Stones=9", "Stones=1", "line 1: invalid value \"1\" for Stones"),
            ("drawn", "lost", "expected FEN;won;MOVES or FEN;drawn;MOVES"),
            (";won", "", "line 3: \"3/1O1/3/6/3/3/3 b 8 9 0 1;a1\", expected FEN;won;MOVES"),
            ("won;a1", "won;a1;a4", "line 3: "),
            ("won;a1", "won;d6", "line 3: "),
            ("won;a1", "won;", "line 3: 0 of 23 moves keep the value, expected some and not all"),
            ("w 9 9", "w 19 9", "line 2: "),
        ] {
            let error = SET.replacen(from, to, 1).parse::<Set>().expect_err(reported).to_string();
            assert!(error.contains(reported), "{error}");
        }
        let error = "".parse::<Set>().expect_err("nothing").to_string();
        assert_eq!(error, "line 1: \"\", expected \"millbrain truth 1 \" and a variant");
        let all: Vec<String> = AnyGame::new(millbrain_core::variant::Variant::Lasker.rules()).moves();
        let set = format!("millbrain truth 1 lasker\n3/3/3/6/3/3/3 w 10 10;drawn;{}\n", all.join(" "));
        assert!(set.parse::<Set>().is_err_and(|error| error.to_string().contains("24 of 24 moves")));
    }
}
