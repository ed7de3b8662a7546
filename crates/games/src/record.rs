//! Finished games: as data, and as text much like the portable game notation of chess.

use crate::house_rules;
use millbrain_core::any::AnyGame;
use millbrain_core::game::{Reason, Side};
use millbrain_core::play::{MoveFault, PlayError};
use millbrain_core::variant::{Ruleset, UnknownVariant};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};
use std::str::FromStr;

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
}

impl Outcome {
    /// The outcome with this winner.
    pub const fn of(winner: Option<Side>) -> Outcome {
        match winner {
            Some(Side::White) => Outcome::WhiteWins,
            Some(Side::Black) => Outcome::BlackWins,
            None => Outcome::Draw,
        }
    }

    /// Half points of White: 0, 1 or 2.
    pub const fn white_half_points(self) -> usize {
        match self {
            Outcome::WhiteWins => 2,
            Outcome::Draw => 1,
            Outcome::BlackWins => 0,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::WhiteWins => "1-0",
            Outcome::BlackWins => "0-1",
            Outcome::Draw => "1/2-1/2",
        })
    }
}

/// A text that is no result.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("result {0:?}, expected 1-0, 0-1 or 1/2-1/2")]
pub struct UnknownOutcome(String);

impl FromStr for Outcome {
    type Err = UnknownOutcome;

    fn from_str(text: &str) -> Result<Outcome, UnknownOutcome> {
        [Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw]
            .into_iter()
            .find(|outcome| outcome.to_string() == text)
            .ok_or_else(|| UnknownOutcome(text.to_string()))
    }
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Termination {
    /// By the rules.
    Normal,
    /// By agreement of the scores, or for its length.
    Adjudication,
    /// The loser had used up its time.
    Time,
    /// The loser made an illegal move.
    IllegalMove,
    /// The loser's process ended.
    Crash,
    /// The loser did not answer.
    Stall,
}

impl Termination {
    const ALL: [Termination; 6] = [
        Termination::Normal,
        Termination::Adjudication,
        Termination::Time,
        Termination::IllegalMove,
        Termination::Crash,
        Termination::Stall,
    ];

    /// Whether the loser has failed as a program rather than lost the game.
    pub const fn is_failure(self) -> bool {
        !matches!(self, Termination::Normal | Termination::Adjudication)
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Termination::Normal => "normal",
            Termination::Adjudication => "adjudication",
            Termination::Time => "time forfeit",
            Termination::IllegalMove => "illegal move",
            Termination::Crash => "crash",
            Termination::Stall => "stall",
        })
    }
}

/// A text that is no termination.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("termination {0:?}, expected one such as normal or time forfeit")]
pub struct UnknownTermination(String);

impl FromStr for Termination {
    type Err = UnknownTermination;

    fn from_str(text: &str) -> Result<Termination, UnknownTermination> {
        Termination::ALL
            .into_iter()
            .find(|termination| termination.to_string() == text)
            .ok_or_else(|| UnknownTermination(text.to_string()))
    }
}

/// A move, and what the engine reported of it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// Score from the side that moves: `+0.35` in stones, or `-M4` for a loss in four moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
    /// Depth in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Milliseconds taken; none for moves of the opening.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<u64>,
    /// Milliseconds beyond the time limit, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<u64>,
}

impl MoveRecord {
    /// The comment on the move: `book`, or `[SCORE/DEPTH ]TIMEms[ LATEms late]`.
    fn comment(&self) -> String {
        let Some(time) = self.time else { return "book".to_string() };
        let score = self.score.as_ref().map(|score| format!("{score}/{} ", self.depth.unwrap_or(0)));
        let late = self.late.map(|late| format!(" {late}ms late"));
        format!("{}{time}ms{}", score.unwrap_or_default(), late.unwrap_or_default())
    }
}

/// A finished game.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Number of the game in the schedule, from 0.
    pub index: usize,
    /// Round, from 1.
    pub round: usize,
    /// Name of the engine that played White.
    pub white: String,
    /// Name of the engine that played Black.
    pub black: String,
    /// Name of the variant.
    pub variant: String,
    /// Rule options that differ from those of the variant, such as `Stones=10;Flying=false`; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub house_rules: String,
    /// Time control of White and of Black.
    pub thinking: [String; 2],
    /// FEN of the first position.
    pub fen: String,
    /// All moves, those of the opening too.
    pub moves: Vec<MoveRecord>,
    /// The move whose lateness ended the game. It was not played, and need not be legal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_move: Option<MoveRecord>,
    /// Result.
    pub outcome: Outcome,
    /// Kind of ending.
    pub termination: Termination,
    /// The ending in words.
    pub reason: String,
}

/// Why a recorded game cannot have been played.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The variant does not exist.
    #[error("{0}")]
    Variant(#[from] UnknownVariant),
    /// These house rules do not exist.
    #[error("house rules {0:?}, expected rule options such as Stones=10;Flying=false")]
    HouseRules(String),
    /// The FEN is faulty.
    #[error("{0}")]
    Fen(#[from] PlayError),
    /// A move after the end of the game.
    #[error("ply {ply}: the game was over before ({reason})")]
    MoveAfterEnd {
        /// Which, from 1.
        ply: usize,
        /// Why the game was over.
        reason: Reason,
    },
    /// A move that cannot be played.
    #[error("ply {ply}: {text:?} {fault}")]
    Move {
        /// Which, from 1.
        ply: usize,
        /// Its text.
        text: String,
        /// What is wrong with it.
        fault: MoveFault,
    },
    /// The game is not over by the rules, though the record says so.
    #[error("the game is recorded as over, but it is not")]
    NotOver,
    /// By the rules the game has another result.
    #[error("the result is recorded as {recorded}, but it is {found} ({reason})")]
    Outcome {
        /// The result in the record.
        recorded: Outcome,
        /// The result by the rules.
        found: Outcome,
        /// Why the game is over.
        reason: Reason,
    },
    /// The game is over by the rules, though the record says that it ended otherwise.
    #[error("recorded as {recorded}, but over: {reason}")]
    Termination {
        /// The termination in the record.
        recorded: Termination,
        /// Why the game is over.
        reason: Reason,
    },
}

impl GameRecord {
    /// The game without the times of its moves: what engines that play alike would play again.
    #[must_use]
    pub fn without_times(&self) -> GameRecord {
        let timeless = |played: &MoveRecord| MoveRecord { time: None, late: None, ..played.clone() };
        let moves = self.moves.iter().map(timeless).collect();
        GameRecord { moves, late_move: self.late_move.as_ref().map(timeless), ..self.clone() }
    }

    /// The game as text, an empty line at its end.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let late_move = self.late_move.as_ref().map(|late| format!("{} {{{}}}", late.text, late.comment()));
        let tags = [
            ("Event", "millbrain match".to_string()),
            ("Game", (self.index + 1).to_string()),
            ("Round", self.round.to_string()),
            ("White", self.white.clone()),
            ("Black", self.black.clone()),
            ("Result", self.outcome.to_string()),
            ("Variant", self.variant.clone()),
            ("FEN", self.fen.clone()),
            ("WhiteTimeControl", self.thinking[0].clone()),
            ("BlackTimeControl", self.thinking[1].clone()),
            ("PlyCount", self.moves.len().to_string()),
            ("Termination", self.termination.to_string()),
            ("Reason", self.reason.clone()),
        ];
        let house_rules = Some(self.house_rules.clone()).filter(|rules| !rules.is_empty());
        let more = [house_rules.map(|rules| ("HouseRules", rules)), late_move.map(|late| ("LateMove", late))];
        for (name, value) in tags.into_iter().chain(more.into_iter().flatten()) {
            let _ = writeln!(text, "[{name} \"{}\"]", escaped(&value));
        }
        text.push('\n');
        // Move numbers count from the first position.
        let black_first = usize::from(black_begins(&self.fen));
        for (i, played) in self.moves.iter().enumerate() {
            let ply = i + black_first;
            if ply.is_multiple_of(2) {
                let _ = write!(text, "{}. ", ply / 2 + 1);
            } else if i == 0 {
                let _ = write!(text, "{}... ", ply / 2 + 1);
            }
            let _ = write!(text, "{} {{{}}}", played.text, played.comment());
            text.push(if ply % 2 == 1 { '\n' } else { ' ' });
        }
        let _ = writeln!(text, "{}\n", self.outcome);
        text
    }

    /// The rules of the game: those of the variant, changed by the house rules.
    ///
    /// # Errors
    /// A variant or house rules that do not exist.
    pub fn rules(&self) -> Result<Ruleset, VerifyError> {
        let rules = house_rules::rules(self.variant.parse()?, &self.house_rules);
        rules.ok_or_else(|| VerifyError::HouseRules(self.house_rules.clone()))
    }

    /// Plays the game again.
    ///
    /// # Errors
    /// An unreadable FEN, an illegal move, or an ending that contradicts the record.
    pub fn verify(&self) -> Result<(), VerifyError> {
        let mut play = AnyGame::new(self.rules()?).at(Some(&self.fen), [])?;
        for (i, played) in self.moves.iter().enumerate() {
            if let Some(ending) = play.ending() {
                return Err(VerifyError::MoveAfterEnd { ply: i + 1, reason: ending.reason });
            }
            let text = &played.text;
            play.push(text).map_err(|fault| VerifyError::Move { ply: i + 1, text: text.clone(), fault })?;
        }
        let Some(ending) = play.ending() else {
            return if self.termination == Termination::Normal { Err(VerifyError::NotOver) } else { Ok(()) };
        };
        let reason = ending.reason;
        if self.termination != Termination::Normal {
            return Err(VerifyError::Termination { recorded: self.termination, reason });
        }
        let found = Outcome::of(ending.winner(play.side()));
        if found == self.outcome { Ok(()) } else { Err(VerifyError::Outcome { recorded: self.outcome, found, reason }) }
    }
}

/// Whether Black moves first from the position of a FEN.
pub fn black_begins(fen: &str) -> bool {
    fen.split_whitespace().nth(1) == Some("b")
}

/// The value of a tag as it is written: quotes and backslashes after a backslash, no control characters.
fn escaped(value: &str) -> String {
    let mut text = String::new();
    for c in value.chars().map(without_control) {
        if matches!(c, '"' | '\\') {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

fn without_control(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

/// The inverse of `escaped`.
fn unescaped(text: &str) -> String {
    let mut value = String::new();
    let mut chars = text.chars().map(without_control);
    while let Some(c) = chars.next() {
        value.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
    }
    value
}

/// A faulty game in a file of games.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {source}")]
pub struct RecordError {
    /// The faulty line, or the first of the faulty game; from 1.
    pub line: usize,
    /// What is wrong.
    pub source: RecordFault,
}

/// What is wrong with the text of a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordFault {
    /// A line that is no tag.
    #[error("{0:?}, expected [NAME \"VALUE\"]")]
    Tag(String),
    /// This tag is missing.
    #[error("the game has no tag {0}")]
    NoTag(&'static str),
    /// This tag is no number from 1.
    #[error("tag {0}, expected a number")]
    Number(&'static str),
    /// The tag of the result has another value.
    #[error("{0}")]
    Outcome(#[from] UnknownOutcome),
    /// The tag of the termination has another value.
    #[error("{0}")]
    Termination(#[from] UnknownTermination),
    /// Another result than that of the tag after the last move.
    #[error("the moves end with {found:?}, expected {expected} as the tag says")]
    OtherResult {
        /// The result after the moves.
        found: String,
        /// The result of the tag.
        expected: Outcome,
    },
    /// No result after the last move.
    #[error("the moves end without a result, expected {0} as the tag says")]
    NoResult(Outcome),
    /// The tag of the late move is not a move with its comment.
    #[error("tag LateMove {0:?}, expected MOVE {{COMMENT}}")]
    LateMove(String),
    /// A comment that is not as records have them.
    #[error("comment {0:?}, expected book or [SCORE/DEPTH ]TIMEms[ LATEms late]")]
    Comment(String),
    /// A comment without its closing brace.
    #[error("a comment without an end")]
    OpenComment,
    /// A comment that belongs to no move.
    #[error("a comment before the first move")]
    EarlyComment,
    /// This result is followed by something.
    #[error("{0:?} stands before the end of the game")]
    EarlyResult(String),
}

/// Reads the games of a file.
///
/// # Errors
/// The first fault, with its line.
pub fn read_games(text: &str) -> Result<Vec<GameRecord>, RecordError> {
    let mut games = Vec::new();
    let mut lines = text.lines().enumerate().peekable();
    loop {
        while lines.next_if(|(_, line)| line.trim().is_empty()).is_some() {}
        let Some(&(first, _)) = lines.peek() else { return Ok(games) };
        let mut tags = Vec::new();
        while let Some((number, line)) = lines.next_if(|(_, line)| line.starts_with('[')) {
            let tag = line.strip_prefix('[').and_then(|line| line.trim_end().strip_suffix("\"]"));
            let (name, value) = tag
                .and_then(|tag| tag.split_once(" \""))
                .ok_or_else(|| RecordError { line: number + 1, source: RecordFault::Tag(line.to_string()) })?;
            tags.push((name, unescaped(value)));
        }
        while lines.next_if(|(_, line)| line.trim().is_empty()).is_some() {}
        let mut body = String::new();
        while let Some((_, line)) = lines.next_if(|(_, line)| !line.trim().is_empty() && !line.starts_with('[')) {
            body.push_str(line);
            body.push('\n');
        }
        games.push(assemble(&tags, &body).map_err(|source| RecordError { line: first + 1, source })?);
    }
}

/// A game of its tags and the text of its moves.
fn assemble(tags: &[(&str, String)], body: &str) -> Result<GameRecord, RecordFault> {
    let tag = |name: &'static str| {
        let found = tags.iter().find(|(tag, _)| *tag == name);
        found.map(|(_, value)| value.clone()).ok_or(RecordFault::NoTag(name))
    };
    let number =
        |name: &'static str| tag(name)?.parse::<usize>().ok().filter(|n| *n > 0).ok_or(RecordFault::Number(name));
    let outcome: Outcome = tag("Result")?.parse()?;
    let (moves, last) = read_moves(body)?;
    match last {
        None => return Err(RecordFault::NoResult(outcome)),
        Some(found) if found != outcome.to_string() => {
            return Err(RecordFault::OtherResult { found, expected: outcome });
        }
        Some(_) => {}
    }
    let late_move = tag("LateMove").ok().map(|late| {
        let parts = late.strip_suffix('}').and_then(|late| late.rsplit_once(" {"));
        let (text, comment) = parts.ok_or_else(|| RecordFault::LateMove(late.clone()))?;
        let mut played = MoveRecord { text: text.to_string(), ..MoveRecord::default() };
        annotate(&mut played, comment).map(|()| played)
    });
    Ok(GameRecord {
        index: number("Game")? - 1,
        round: number("Round")?,
        white: tag("White")?,
        black: tag("Black")?,
        variant: tag("Variant")?,
        house_rules: tag("HouseRules").unwrap_or_default(),
        thinking: [tag("WhiteTimeControl")?, tag("BlackTimeControl")?],
        fen: tag("FEN")?,
        moves,
        late_move: late_move.transpose()?,
        outcome,
        termination: tag("Termination")?.parse()?,
        reason: tag("Reason")?,
    })
}

/// The moves with their comments, and the result that ends them.
fn read_moves(body: &str) -> Result<(Vec<MoveRecord>, Option<String>), RecordFault> {
    let mut moves: Vec<MoveRecord> = Vec::new();
    let mut last = None;
    let mut rest = body.trim_start();
    while !rest.is_empty() {
        if let Some(comment) = rest.strip_prefix('{') {
            let (comment, after) = comment.split_once('}').ok_or(RecordFault::OpenComment)?;
            let played = moves.last_mut().ok_or(RecordFault::EarlyComment)?;
            annotate(played, comment)?;
            rest = after.trim_start();
            continue;
        }
        let end = rest.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after.trim_start();
        if word.ends_with('.') {
            continue;
        }
        if let Some(word) = last.replace(word.to_string()) {
            return Err(RecordFault::EarlyResult(word));
        }
        if word.parse::<Outcome>().is_err() {
            last = None;
            moves.push(MoveRecord { text: word.to_string(), ..MoveRecord::default() });
        }
    }
    Ok((moves, last))
}

/// Reads what `MoveRecord::comment` writes.
fn annotate(played: &mut MoveRecord, comment: &str) -> Result<(), RecordFault> {
    if comment == "book" {
        return Ok(());
    }
    let fault = || RecordFault::Comment(comment.to_string());
    let milliseconds = |word: &str| word.strip_suffix("ms").and_then(|word| word.parse().ok()).ok_or_else(fault);
    let mut words: Vec<&str> = comment.split_whitespace().collect();
    if let [.., late, "late"] = words[..] {
        played.late = Some(milliseconds(late)?);
        words.truncate(words.len() - 2);
    }
    let (time, score) = match words[..] {
        [time] => (time, None),
        [score, time] => (time, Some(score)),
        _ => return Err(fault()),
    };
    played.time = Some(milliseconds(time)?);
    if let Some(score) = score {
        let (score, depth) = score.split_once('/').ok_or_else(fault)?;
        played.score = Some(score.to_string());
        played.depth = Some(depth.parse().map_err(|_| fault())?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::variant::Variant;

    fn example() -> GameRecord {
        let played = |text: &str, score: &str, depth, time| MoveRecord {
            text: text.to_string(),
            score: Some(score.to_string()),
            depth: Some(depth),
            time: Some(time),
            late: None,
        };
        GameRecord {
            index: 4,
            round: 3,
            white: "A".to_string(),
            black: "B \"quoted\" \\".to_string(),
            variant: "morris".to_string(),
            house_rules: String::new(),
            thinking: ["1+0.01".to_string(), "nodes 1000".to_string()],
            fen: "OO1/3/3/O1X3/1XX/3/3 b 0 0 0 1".to_string(),
            moves: vec![
                MoveRecord { text: "e3e4".to_string(), ..MoveRecord::default() },
                MoveRecord { time: Some(0), text: "d7c5".to_string(), ..MoveRecord::default() },
                played("e4g4", "-M2", 9, 12),
                played("c5a1xd3", "+M1", 1, 3),
            ],
            late_move: None,
            outcome: Outcome::WhiteWins,
            termination: Termination::Normal,
            reason: "fewer than three stones".to_string(),
        }
    }

    #[test]
    fn house_rules_change_those_of_the_variant() {
        let game = |house_rules: &str| GameRecord { house_rules: house_rules.to_string(), ..example() };
        assert_eq!(game("").rules(), Ok(Variant::Morris.rules()));
        let Ok(Ruleset::Morris(rules)) = game("Stones=7; Flying=false").rules() else { panic!("they exist") };
        assert_eq!((rules.stones, rules.flying, rules.no_mill_draw), (7, false, 100));
        for wrong in ["Stones=99", "Stones", "Colour=red", "Threads=2", "UCI_Variant=mlyn"] {
            let error = game(wrong).rules().expect_err("no rule");
            assert!(error.to_string().starts_with(&format!("house rules {wrong:?}, expected")), "{error}");
        }
        // A game with a removal that only these rules allow survives its text.
        let fen = "OOO/1XX/X2/3X2/3/3/O2 w 0 0 0 1";
        let text = GameRecord { fen: fen.to_string(), ..game("Removal=never;Flying=false") }.text();
        assert!(text.contains("[HouseRules \"Removal=never;Flying=false\"]\n"), "{text}");
        let again = read_games(&text).expect("a record").remove(0);
        assert_eq!(again.house_rules, "Removal=never;Flying=false");
        assert!(!example().text().contains("HouseRules"));
    }

    #[test]
    fn games_survive_their_text() {
        let game = example();
        let text = game.text() + &game.text();
        assert_eq!(read_games(&text).expect("readable"), [game.clone(), game]);
        assert_eq!(read_games(" \n\n").expect("empty"), []);
    }

    #[test]
    fn faults_have_their_line() {
        let text = example().text();
        for (from, to, told) in [
            ("[Result \"1-0\"]", "[Result \"2-0\"]", "expected 1-0"),
            ("[Result \"1-0\"]", "[Result \"0-1\"]", "as the tag says"),
            ("[White \"A\"]\n", "", "no tag White"),
            ("{book}", "{book", "expected book"),
            ("{book}", "{bok}", "expected book"),
            ("[Black ", "[Black", "expected [NAME"),
        ] {
            let error = read_games(&text.replacen(from, to, 1)).expect_err(from).to_string();
            assert!(error.contains(told) && error.starts_with("line "), "{error}");
        }
    }

    /// A game that was lost by a late move, after one that was late within the margin.
    fn lost_on_time() -> GameRecord {
        let mut game = example();
        game.late_move = game.moves.pop().map(|last| MoveRecord { time: Some(612), late: Some(112), ..last });
        game.moves[2].late = Some(2);
        GameRecord {
            outcome: Outcome::BlackWins,
            termination: Termination::Time,
            reason: "A was 112 ms late".to_string(),
            ..game
        }
    }

    #[test]
    fn late_moves_are_recorded() {
        let game = lost_on_time();
        let text = game.text();
        assert!(text.contains("\n[LateMove \"c5a1xd3 {+M1/1 612ms 112ms late}\"]\n"), "{text}");
        assert!(text.contains(" e4g4 {-M2/9 12ms 2ms late}"), "{text}");
        assert_eq!(read_games(&text), Ok(vec![game.clone()]));
        // The late move was not played, so the game is not over by the rules.
        assert_eq!(game.verify(), Ok(()));
        let json = serde_json::to_string(&game).expect("data");
        assert!(json.contains(r#""late_move":{"move":"c5a1xd3","score":"+M1","depth":1,"time":612,"late":112}"#));
        assert_eq!(serde_json::from_str::<GameRecord>(&json).expect("data"), game);
        // It need not be a move at all.
        for text in ["", "}", " {", "a\"b\\"] {
            let late_move = Some(MoveRecord { text: text.to_string(), time: Some(1), ..MoveRecord::default() });
            let odd = GameRecord { late_move, ..lost_on_time() };
            assert_eq!(read_games(&odd.text()), Ok(vec![odd]));
        }
    }

    #[test]
    fn records_without_late_moves_are_read() {
        let json = serde_json::to_string(&example()).expect("data");
        assert!(!json.contains("late"), "{json}");
        assert_eq!(serde_json::from_str::<GameRecord>(&json).expect("data"), example());
        assert!(!example().text().contains("LateMove"));
    }

    #[test]
    fn the_text_is_as_documented() {
        let text = example().text();
        let (tags, moves) = text.split_once("\n\n").expect("an empty line");
        assert_eq!(tags.lines().next(), Some("[Event \"millbrain match\"]"));
        assert!(
            tags.contains("[Game \"5\"]\n[Round \"3\"]\n[White \"A\"]\n[Black \"B \\\"quoted\\\" \\\\\"]\n"),
            "{tags}"
        );
        assert!(tags.contains("[PlyCount \"4\"]"), "{tags}");
        // Black moves first here.
        assert_eq!(moves, "1... e3e4 {book}\n2. d7c5 {0ms} e4g4 {-M2/9 12ms}\n3. c5a1xd3 {+M1/1 3ms} 1-0\n\n");
        let white_first = GameRecord { fen: "3/3/3/6/3/3/3 w 9 9 0 1".to_string(), ..example() };
        assert!(white_first.text().contains("\n\n1. e3e4 {book} d7c5 {0ms}\n2. e4g4 {-M2/9 12ms} c5a1xd3"));
    }

    #[test]
    fn comments_are_read_or_refused() {
        let read = |comment: &str| {
            let mut played = MoveRecord::default();
            annotate(&mut played, comment).map(|()| (played.score, played.depth, played.time, played.late))
        };
        let score = |text: &str| Some(text.to_string());
        assert_eq!(read("book"), Ok((None, None, None, None)));
        assert_eq!(read("12ms"), Ok((None, None, Some(12), None)));
        assert_eq!(read("12ms 3ms late"), Ok((None, None, Some(12), Some(3))));
        assert_eq!(read("+0.35/7 12ms"), Ok((score("+0.35"), Some(7), Some(12), None)));
        assert_eq!(read("+M3/7 12ms 3ms late"), Ok((score("+M3"), Some(7), Some(12), Some(3))));
        for bad in
            ["", "12", "ms", "late", "3ms late", "1ms x late", "a/b/c 1ms", "0.1 1ms", "0.1/x 1ms", "0.1/2 1ms 3ms"]
        {
            assert!(read(bad).is_err_and(|error| error.to_string().contains("expected book or")), "{bad}");
        }
    }

    #[test]
    fn outcomes_and_ends_have_names() {
        for outcome in [Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw] {
            assert_eq!(outcome.to_string().parse(), Ok(outcome));
        }
        assert_eq!(
            [Some(Side::White), Some(Side::Black), None].map(|side| Outcome::of(side).to_string()),
            ["1-0", "0-1", "1/2-1/2"]
        );
        assert_eq!([Outcome::WhiteWins, Outcome::Draw, Outcome::BlackWins].map(Outcome::white_half_points), [2, 1, 0]);
        for termination in Termination::ALL {
            assert_eq!(termination.to_string().parse(), Ok(termination));
            let lost = matches!(termination, Termination::Normal | Termination::Adjudication);
            assert_eq!(termination.is_failure(), !lost);
        }
        assert!("win".parse::<Outcome>().is_err_and(|error| error.to_string().contains("expected 1-0")));
        assert!("win".parse::<Termination>().is_err_and(|error| error.to_string().contains("expected one such as")));
    }

    #[test]
    fn games_are_played_again() {
        assert_eq!(example().verify(), Ok(()));
        let fault = |change: &dyn Fn(&mut GameRecord)| {
            let mut game = example();
            change(&mut game);
            game.verify().expect_err("a fault").to_string()
        };
        assert!(fault(&|game| game.variant = "chess".to_string()).contains("chess"));
        assert!(fault(&|game| game.fen = "x".to_string()).contains("FEN"));
        assert!(fault(&|game| game.moves[1].text = "a1a1".to_string()).starts_with("ply 2: \"a1a1\" is illegal"));
        assert!(
            fault(&|game| game.outcome = Outcome::Draw).starts_with("the result is recorded as 1/2-1/2, but it is 1-0")
        );
        assert!(fault(&|game| game.termination = Termination::Stall).starts_with("recorded as stall, but over"));
        assert!(fault(&|game| drop(game.moves.pop())).contains("recorded as over, but it is not"));
        assert!(fault(&|game| game.moves.push(game.moves[0].clone())).starts_with("ply 5: the game was over before"));
        let mut open = example();
        open.moves.pop();
        for termination in [Termination::Adjudication, Termination::Crash] {
            assert_eq!(GameRecord { termination, ..open.clone() }.verify(), Ok(()));
        }
    }

    #[test]
    fn the_first_fault_has_its_line() {
        let good = example().text();
        let lines = good.lines().count();
        let bad = good.replace("[Game \"5\"]", "[Game \"0\"]");
        let error = read_games(&format!("{good}{bad}")).expect_err("a fault").to_string();
        assert_eq!(error, format!("line {}: tag Game, expected a number", lines + 1));
        let error = read_games(&good.replace("[Round \"3\"]", "[Round]")).expect_err("a fault").to_string();
        assert!(error.starts_with("line 3: "), "{error}");
        for (body, told) in [
            ("1-0 d6", "\"1-0\" stands before"),
            ("1-0 0-1", "\"1-0\" stands before"),
            ("{book} d6 1-0", "before the first move"),
            ("d6 {book 1-0", "without an end"),
            ("d6", "end without a result, expected 1-0 as the tag says"),
            ("d6{book}1. f4 1-0", ""),
        ] {
            let (tags, _) = good.split_once("\n\n").expect("an empty line");
            match read_games(&format!("{tags}\n\n{body}\n")).map_err(|error| error.to_string()) {
                Ok(games) => assert_eq!((told, games[0].moves.len()), ("", 2)),
                Err(error) => assert!(!told.is_empty() && error.contains(told), "{error}"),
            }
        }
    }

    #[test]
    fn control_characters_do_not_break_the_text() {
        let game = GameRecord { white: "A\nB\t\u{1b}".to_string(), ..example() };
        let read = read_games(&game.text()).expect("readable");
        assert_eq!(read[0].white, "A B  ");
    }
}
