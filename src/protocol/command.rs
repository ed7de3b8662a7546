//! Parses commands. Moves remain text: the parser does not know the position.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::fen::{counted, shorten};
use crate::play::whole_moves;
use crate::texts::Language;
use std::borrow::Cow;
use std::time::Duration;

/// A `go` command, moves still as text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go {
    /// Limits of the search.
    pub limits: crate::search::Limits,
    /// Search the move expected of the opponent; the clock runs from the ponder hit.
    pub ponder: bool,
    /// Root moves to consider.
    pub searchmoves: Vec<String>,
    /// Count leaves to this depth instead of searching.
    pub perft: Option<u32>,
    /// Complaints about skipped words.
    pub complaints: Vec<String>,
}

/// A command of the protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// An empty line.
    Nothing,
    /// `uci`
    Uci,
    /// `debug on|off`
    Debug(bool),
    /// `isready`
    IsReady,
    /// `setoption name NAME [value VALUE]`
    SetOption {
        /// Name of the option.
        name: String,
        /// Its new value.
        value: Option<String>,
    },
    /// `register ...`
    Register,
    /// `ucinewgame`
    NewGame,
    /// `position startpos|fen FEN [moves ...]`
    Position {
        /// The FEN; the start position without one.
        fen: Option<String>,
        /// Moves, each whole.
        moves: Vec<String>,
    },
    /// `go ...`
    Go(Box<Go>),
    /// `stop`
    Stop,
    /// `ponderhit`
    PonderHit,
    /// `quit`
    Quit,
    /// `d`
    Display,
    /// `eval`
    Eval,
    /// `moves`
    Moves,
    /// `probe`
    Probe,
    /// `perft N`
    Perft(u32),
    /// `bench [DEPTH]`
    Bench(Option<u32>),
    /// `help`
    Help,
    /// `rules [LANGUAGE]`
    Rules(Language),
    /// `random`
    Random,
    /// `flip`
    Flip,
    /// `license`
    License,
    /// `compiler`
    Compiler,
}

/// Describes a missing or unexpected argument.
fn argument_fault(found: &str) -> String {
    if found.is_empty() { "argument missing".to_string() } else { format!("unexpected {:?}", shorten(found)) }
}

/// A line that is not a command.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// The first word is unknown.
    #[error("unknown command {:?}, expected one that 'help' lists", shorten(.0))]
    Unknown(String),
    /// An argument is missing or wrong.
    #[error("{command}: {}, expected {expected}", argument_fault(found))]
    Argument {
        /// The command.
        command: &'static str,
        /// The text found.
        found: String,
        /// The expected text.
        expected: &'static str,
    },
}

/// Words of the `go` command that end a list of moves.
const GO_WORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

/// Largest perft depth.
const MAX_PERFT: u32 = 100;

/// Joins separate removals to their moves.
fn whole<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    whole_moves(words).into_iter().map(Cow::into_owned).collect()
}

fn position(words: &[&str]) -> Result<Command, CommandError> {
    let split = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
    let (setup, moves) = words.split_at(split);
    let wrong = |found: &str| CommandError::Argument {
        command: "position",
        found: found.to_string(),
        expected: "'startpos' or 'fen FEN', optionally followed by 'moves MOVE ...'",
    };
    let fen = match setup {
        ["startpos"] => None,
        ["fen", fields @ ..] => Some(fields.join(" ")),
        ["startpos", extra, ..] => return Err(wrong(extra)),
        [other, ..] => return Err(wrong(other)),
        [] => return Err(wrong("")),
    };
    Ok(Command::Position { fen, moves: whole(moves.iter().skip(1).copied()) })
}

/// Reads the whole part of a decimal number of any length, clamped to 128 bits.
fn integer(text: &str) -> Option<i128> {
    text.parse().ok().or_else(|| {
        // Names of floating-point numbers, such as `inf`, are not accepted.
        let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        let number = text.parse::<f64>().ok().filter(|_| is_decimal)?;
        Some(number as i128)
    })
}

/// Reads a clock value. Negative times, which some GUIs send when the flag is about to fall, mean no time left.
fn milliseconds(text: &str) -> Option<Duration> {
    let value = integer(text)?;
    const CENTURY: i128 = 100 * 366 * 86_400_000;
    Some(Duration::from_millis(value.clamp(0, CENTURY) as u64))
}

/// Reads a count, clamped to the largest value of its type.
fn count<T: TryFrom<i128>>(text: &str, largest: T) -> Option<T> {
    let value = integer(text).filter(|&value| value >= 0)?;
    Some(T::try_from(value).unwrap_or(largest))
}

fn go(words: &[&str]) -> Go {
    let mut go = Go::default();
    let mut names_limit = false;
    let mut rest = words.iter().copied().peekable();
    while let Some(word) = rest.next() {
        match word {
            "infinite" => go.limits.infinite = true,
            "ponder" => go.ponder = true,
            "searchmoves" => {
                let mut moves = Vec::new();
                while let Some(mv) = rest.next_if(|word| !GO_WORDS.contains(word)) {
                    moves.push(mv);
                }
                if moves.is_empty() {
                    go.complaints.push("searchmoves without moves, expected at least one move".to_string());
                }
                go.searchmoves.extend(whole(moves.into_iter()));
            }
            _ if GO_WORDS.contains(&word) => {
                names_limit = true;
                let value = rest.next_if(|word| !GO_WORDS.contains(word));
                if !read_limit(&mut go, word, value.unwrap_or_default()) {
                    let value = value.map_or("nothing".to_string(), |value| format!("{:?}", shorten(value)));
                    go.complaints.push(format!("{word} is {value}, expected a number; skipped"));
                }
            }
            _ => go.complaints.push(format!(
                "unknown word {:?}, expected one of {}; skipped",
                shorten(word),
                GO_WORDS.join(", ")
            )),
        }
    }
    const MAX_COMPLAINTS: usize = 8;
    if go.complaints.len() > MAX_COMPLAINTS {
        let more = go.complaints.len() - MAX_COMPLAINTS;
        go.complaints.truncate(MAX_COMPLAINTS);
        go.complaints.push(format!("{} skipped", counted(more, "more word")));
    }
    if names_limit && !go.limits.infinite && !go.limits.is_bounded() && go.perft.is_none() {
        // A command with limits must be answered.
        go.limits.depth = Some(1);
        go.complaints
            .push("no limit left, expected depth, nodes, mate, movetime or a clock; answering at once".to_string());
    }
    go
}

/// Reads the value of a limit; `false` if it cannot be read.
fn read_limit(go: &mut Go, word: &str, value: &str) -> bool {
    let limits = &mut go.limits;
    let [white_time, black_time] = &mut limits.time;
    let [white_increment, black_increment] = &mut limits.increment;
    fn put<T>(slot: &mut Option<T>, value: Option<T>) -> bool {
        let read = value.is_some();
        if read {
            *slot = value;
        }
        read
    }
    match word {
        "wtime" => put(white_time, milliseconds(value)),
        "btime" => put(black_time, milliseconds(value)),
        "winc" => put(white_increment, milliseconds(value)),
        "binc" => put(black_increment, milliseconds(value)),
        "movetime" => put(&mut limits.movetime, milliseconds(value)),
        "movestogo" => put(&mut limits.movestogo, count(value, u32::MAX)),
        "depth" => put(&mut limits.depth, count(value, u32::MAX)),
        "nodes" => put(&mut limits.nodes, count(value, u64::MAX)),
        "mate" => put(&mut limits.mate, count(value, u32::MAX)),
        "perft" => put(&mut go.perft, count(value, u32::MAX).map(|depth| depth.min(MAX_PERFT))),
        _ => false,
    }
}

/// Parses the rest of `setoption`. The value is the rest of the line unchanged: paths may contain any spaces.
fn set_option(rest: &str) -> Result<Command, CommandError> {
    let wrong = |found: Option<&str>| CommandError::Argument {
        command: "setoption",
        found: found.unwrap_or_default().to_string(),
        expected: "'name NAME', optionally followed by 'value VALUE'",
    };
    let named = rest.strip_prefix("name").filter(|rest| !rest.starts_with(|next: char| !next.is_whitespace()));
    let named = named.ok_or_else(|| wrong(rest.split_whitespace().next()))?;
    let is_word = |&(at, word): &(usize, &str)| {
        let (before, after) = (named.get(..at), named.get(at + word.len()..));
        before.is_some_and(|text| text.ends_with(char::is_whitespace))
            && after.is_some_and(|text| text.is_empty() || text.starts_with(char::is_whitespace))
    };
    let (name, value) = match named.match_indices("value").find(is_word) {
        Some((at, word)) => (named.get(..at), named.get(at + word.len()..)),
        None => (Some(named), None),
    };
    let name = name.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Err(wrong(None));
    }
    Ok(Command::SetOption { name, value: value.map(|value| value.trim().to_string()) })
}

impl std::str::FromStr for Command {
    type Err = CommandError;

    fn from_str(line: &str) -> Result<Command, CommandError> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((&first, rest)) = words.split_first() else {
            return Ok(Command::Nothing);
        };
        let argument = rest.first().copied();
        let number = |command, low: u32, expected| {
            argument.map_or(Ok(None), |text| match text.parse::<u32>() {
                Ok(number) if (low..=MAX_PERFT).contains(&number) => Ok(Some(number)),
                _ => Err(CommandError::Argument { command, found: text.to_string(), expected }),
            })
        };
        Ok(match first {
            "uci" => Command::Uci,
            "debug" => match argument {
                Some("on") => Command::Debug(true),
                Some("off") => Command::Debug(false),
                other => {
                    return Err(CommandError::Argument {
                        command: "debug",
                        found: other.unwrap_or_default().to_string(),
                        expected: "on or off",
                    });
                }
            },
            "isready" => Command::IsReady,
            "setoption" => set_option(line.trim_start().strip_prefix(first).unwrap_or_default().trim_start())?,
            "register" => Command::Register,
            "ucinewgame" => Command::NewGame,
            "position" => position(rest)?,
            "go" => Command::Go(Box::new(go(rest))),
            "stop" => Command::Stop,
            "ponderhit" => Command::PonderHit,
            "quit" | "exit" => Command::Quit,
            "d" => Command::Display,
            "eval" => Command::Eval,
            "probe" => Command::Probe,
            "moves" => Command::Moves,
            "perft" => {
                let expected = "a depth in 0..=100";
                match number("perft", 0, expected)? {
                    Some(depth) => Command::Perft(depth),
                    None => return Err(CommandError::Argument { command: "perft", found: String::new(), expected }),
                }
            }
            "bench" => Command::Bench(number("bench", 1, "a depth in 1..=100 or nothing")?),
            "help" | "?" => Command::Help,
            "rules" => {
                let language = argument.map_or(Some(Language::default()), Language::find);
                Command::Rules(language.ok_or_else(|| CommandError::Argument {
                    command: "rules",
                    found: argument.unwrap_or_default().to_string(),
                    expected: Language::CODES,
                })?)
            }
            "random" => Command::Random,
            "flip" => Command::Flip,
            "license" => Command::License,
            "compiler" => Command::Compiler,
            other => return Err(CommandError::Unknown(other.to_string())),
        })
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::panic, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::select;

    fn parse_go(text: &str) -> Go {
        match text.parse().unwrap() {
            Command::Go(go) => *go,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn go_takes_its_words_in_any_order() {
        let go = parse_go("go binc 5 searchmoves a4-a7 xg1 d6 infinite wtime 1000 depth 7 movestogo 3");
        assert_eq!(go.searchmoves, ["a4-a7xg1", "d6"]);
        assert!(go.limits.infinite && go.complaints.is_empty());
        assert_eq!(go.limits.time, [Some(Duration::from_secs(1)), None]);
        assert_eq!(go.limits.increment, [None, Some(Duration::from_millis(5))]);
        assert_eq!((go.limits.depth, go.limits.movestogo), (Some(7), Some(3)));
    }

    #[test]
    fn of_many_words_that_are_none_a_few_are_reported() {
        for (words, reported, last) in
            [(8, 8, "unknown word"), (9, 9, "1 more word skipped"), (19, 9, "11 more words skipped")]
        {
            let go = parse_go(&format!("go{}", " banana".repeat(words)));
            assert_eq!(go.complaints.len(), reported);
            assert!(go.complaints.last().is_some_and(|complaint| complaint.starts_with(last)), "{:?}", go.complaints);
        }
    }

    #[test]
    fn odd_numbers_in_go_are_survived() {
        let go = parse_go("go wtime -5 btime 99999999999999999999 nodes 99999999999999999999 depth x mate banana");
        assert_eq!(go.limits.time[0], Some(Duration::ZERO));
        assert!(go.limits.time[1].unwrap() > Duration::from_secs(1 << 30));
        assert_eq!(go.limits.nodes, Some(u64::MAX));
        assert_eq!(go.complaints.len(), 2);
        let long = "9".repeat(50);
        let go = parse_go(&format!("go wtime -{long} winc {long} nodes {long} depth -{long}"));
        assert_eq!((go.limits.time[0], go.limits.nodes), (Some(Duration::ZERO), Some(u64::MAX)));
        assert_eq!((go.complaints.len(), go.limits.depth), (1, None));
        assert_eq!(parse_go("go depth").complaints.len(), 2);
        assert_eq!(parse_go("go depth depth 3").limits.depth, Some(3));
    }

    #[test]
    fn decimal_numbers_are_read_by_their_whole_part() {
        let go = parse_go("go movetime 16.7 depth 3.0 wtime 1000.5 btime -0.5 nodes 1e3 mate .5 movestogo 1e999");
        assert_eq!(go.complaints, [""; 0]);
        assert_eq!(go.limits.movetime, Some(Duration::from_millis(16)));
        assert_eq!(go.limits.time, [Some(Duration::from_secs(1)), Some(Duration::ZERO)]);
        assert_eq!((go.limits.depth, go.limits.nodes, go.limits.mate), (Some(3), Some(1_000), Some(0)));
        assert_eq!(go.limits.movestogo, Some(u32::MAX));
        for text in ["50ms", "NaN", "inf", "-infinity", "1e", "1.2.3", "0x10", "1_000", "."] {
            let go = parse_go(&format!("go movetime {text}"));
            assert_eq!((go.limits.movetime, go.limits.depth, go.complaints.len()), (None, Some(1), 2), "{text}");
        }
    }

    proptest! {
        /// A command with a limit is answered, whatever the limit's value.
        #[test]
        fn a_named_limit_ends_the_search(
            limits in proptest::collection::vec((select(&GO_WORDS[..]), "\\PC*|-?[0-9]{1,50}([.eE][0-9]{0,9})?"), 1..4),
        ) {
            let words: String = limits.iter().map(|(word, value)| format!(" {word} {value}")).collect();
            let words: Vec<&str> = words.split_whitespace().collect();
            let is_endless = |word: &&str| ["infinite", "ponder"].contains(word);
            let is_limit = |word: &&str| GO_WORDS.contains(word) && !is_endless(word) && *word != "searchmoves";
            let names_limit = words.iter().any(is_limit) && !words.iter().any(is_endless);
            let go = parse_go(&format!("go {}", words.join(" ")));
            prop_assert!(go.limits.is_bounded() || go.perft.is_some() || !names_limit, "{go:?}");
        }
    }

    #[test]
    fn option_names_and_values_hold_spaces() {
        let parsed: Command = "setoption name Clear  Hash".parse().unwrap();
        assert_eq!(parsed, Command::SetOption { name: "Clear Hash".into(), value: None });
        let parsed: Command = "setoption name Log File value my log.txt".parse().unwrap();
        assert_eq!(parsed, Command::SetOption { name: "Log File".into(), value: Some("my log.txt".into()) });
        assert_eq!(
            "\tsetoption  name\tBookFile   value \t a value  of\ttabs ".parse::<Command>().unwrap(),
            Command::SetOption { name: "BookFile".into(), value: Some("a value  of\ttabs".into()) }
        );
        for (text, found) in
            [("setoption Hash value 3", "unexpected \"Hash\""), ("setoption names a", "unexpected \"names\"")]
        {
            assert!(text.parse::<Command>().unwrap_err().to_string().contains(found), "{text}");
        }
        assert!("setoption".parse::<Command>().is_err());
        assert!("setoption name".parse::<Command>().is_err());
    }

    proptest! {
        #[test]
        fn values_are_taken_as_they_are(value in "\\PC*( {0,3}|\t| value )\\PC*") {
            let parsed: Command = format!("setoption name TablebasePath value {value}").parse().unwrap();
            let value = Some(value.trim().to_string());
            prop_assert_eq!(parsed, Command::SetOption { name: "TablebasePath".into(), value });
        }
    }

    #[test]
    fn removals_may_stand_alone() {
        let parsed: Command = "position startpos moves d6 a4-a7 xg1 Xb4 d7".parse().unwrap();
        let moves = ["d6", "a4-a7xg1Xb4", "d7"].map(String::from).to_vec();
        assert_eq!(parsed, Command::Position { fen: None, moves });
    }
}
