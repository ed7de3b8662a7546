//! Finished games: as data, and as text much like the portable game notation of chess.

use super::client::Score;
use crate::game::Side;
use crate::play::new_any_play;
use crate::variant::Variant;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};
use std::str::FromStr;

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
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

impl FromStr for Outcome {
    type Err = String;

    fn from_str(text: &str) -> Result<Outcome, String> {
        [Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw]
            .into_iter()
            .find(|outcome| outcome.to_string() == text)
            .ok_or_else(|| format!("result {text:?}, expected 1-0, 0-1 or 1/2-1/2"))
    }
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
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

impl FromStr for Termination {
    type Err = String;

    fn from_str(text: &str) -> Result<Termination, String> {
        Termination::ALL
            .into_iter()
            .find(|termination| termination.to_string() == text)
            .ok_or_else(|| format!("termination {text:?}, expected one such as normal or time forfeit"))
    }
}

/// A move and what its maker said of it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// `+0.35`, `-M4`: the score from the mover.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
    /// Depth in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Milliseconds taken; none for moves of the opening.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<u64>,
}

/// A finished game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
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
    /// Time control of White and of Black.
    pub thinking: [String; 2],
    /// FEN of the first position.
    pub fen: String,
    /// All moves, those of the opening too.
    pub moves: Vec<MoveRecord>,
    /// Result.
    pub outcome: Outcome,
    /// Kind of ending.
    pub termination: Termination,
    /// The ending in words.
    pub reason: String,
}

/// A score as records show it: `+0.35`, or `-M4` for a loss in four moves.
pub(super) fn score_text(score: Score) -> String {
    match score {
        Score::Centistones(score) => format!("{:+.2}", f64::from(score) / 100.0),
        Score::Mate(moves) => format!("{}M{}", if moves > 0 { '+' } else { '-' }, moves.unsigned_abs()),
    }
}

impl GameRecord {
    /// The game as text, an empty line at its end.
    pub fn text(&self) -> String {
        let mut text = String::new();
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
        for (name, value) in tags {
            let _ = writeln!(text, "[{name} \"{}\"]", escaped(&value));
        }
        text.push('\n');
        // Move numbers count from the first position, whose side to move its FEN tells.
        let black_first = usize::from(self.fen.split_whitespace().nth(1) == Some("b"));
        for (i, played) in self.moves.iter().enumerate() {
            let ply = i + black_first;
            if ply.is_multiple_of(2) {
                let _ = write!(text, "{}. ", ply / 2 + 1);
            } else if i == 0 {
                let _ = write!(text, "{}... ", ply / 2 + 1);
            }
            let _ = write!(text, "{}", played.text);
            let _ = match (played.time, played.score.as_ref(), played.depth) {
                (None, ..) => write!(text, " {{book}}"),
                (Some(time), Some(score), depth) => {
                    write!(text, " {{{score}/{} {}ms}}", depth.unwrap_or(0), time)
                }
                (Some(time), None, _) => write!(text, " {{{time}ms}}"),
            };
            text.push(if ply % 2 == 1 { '\n' } else { ' ' });
        }
        let _ = writeln!(text, "{}\n", self.outcome);
        text
    }

    /// Plays the game again.
    ///
    /// # Errors
    /// An unreadable FEN, an illegal move, or an ending that contradicts the record.
    pub fn verify(&self) -> Result<(), String> {
        let variant: Variant = self.variant.parse().map_err(|error| format!("{error}"))?;
        let mut play = new_any_play(variant.rules(), Some(&self.fen)).map_err(|error| error.to_string())?;
        for (i, played) in self.moves.iter().enumerate() {
            if let Some(ending) = play.ending() {
                return Err(format!("ply {}: the game was over before ({})", i + 1, ending.reason));
            }
            let text = &played.text;
            play.push_text(text).map_err(|fault| format!("ply {}: {text:?} {fault}", i + 1))?;
        }
        match (self.termination, play.ending()) {
            (Termination::Normal, None) => Err("the game is recorded as over, but it is not".to_string()),
            (Termination::Normal, Some(ending)) => {
                let outcome = Outcome::of(ending.winner(play.side()));
                if outcome == self.outcome {
                    return Ok(());
                }
                Err(format!("the result is recorded as {}, but it is {outcome} ({})", self.outcome, ending.reason))
            }
            (_, Some(ending)) => Err(format!("recorded as {}, but over: {}", self.termination, ending.reason)),
            (_, None) => Ok(()),
        }
    }
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

/// Reads the games of a file.
///
/// # Errors
/// The first fault, with its line.
pub fn read_games(text: &str) -> Result<Vec<GameRecord>, String> {
    let mut games = Vec::new();
    let mut lines = text.lines().enumerate().peekable();
    loop {
        while lines.next_if(|(_, line)| line.trim().is_empty()).is_some() {}
        let Some(&(first, _)) = lines.peek() else { return Ok(games) };
        let at = |error: String| format!("line {}: {error}", first + 1);
        let mut tags = Vec::new();
        while let Some((number, line)) = lines.next_if(|(_, line)| line.starts_with('[')) {
            let tag = line.strip_prefix('[').and_then(|line| line.trim_end().strip_suffix("\"]"));
            let (name, value) = tag
                .and_then(|tag| tag.split_once(" \""))
                .ok_or_else(|| format!("line {}: {line:?}, expected [NAME \"VALUE\"]", number + 1))?;
            tags.push((name, unescaped(value)));
        }
        while lines.next_if(|(_, line)| line.trim().is_empty()).is_some() {}
        let mut body = String::new();
        while let Some((_, line)) = lines.next_if(|(_, line)| !line.trim().is_empty() && !line.starts_with('[')) {
            body.push_str(line);
            body.push('\n');
        }
        games.push(assemble(&tags, &body).map_err(at)?);
    }
}

fn assemble(tags: &[(&str, String)], body: &str) -> Result<GameRecord, String> {
    let tag = |name: &str| {
        let found = tags.iter().find(|(tag, _)| *tag == name);
        found.map(|(_, value)| value.clone()).ok_or_else(|| format!("the game has no tag {name}"))
    };
    let number = |name: &str| {
        tag(name)?.parse::<usize>().ok().filter(|n| *n > 0).ok_or_else(|| format!("tag {name}, expected a number"))
    };
    let outcome: Outcome = tag("Result")?.parse()?;
    let (moves, last) = read_moves(body)?;
    if last.as_deref() != Some(outcome.to_string().as_str()) {
        return Err(format!("the moves end with {last:?}, expected {outcome} as the tag says"));
    }
    Ok(GameRecord {
        index: number("Game")? - 1,
        round: number("Round")?,
        white: tag("White")?,
        black: tag("Black")?,
        variant: tag("Variant")?,
        thinking: [tag("WhiteTimeControl")?, tag("BlackTimeControl")?],
        fen: tag("FEN")?,
        moves,
        outcome,
        termination: tag("Termination")?.parse()?,
        reason: tag("Reason")?,
    })
}

/// The moves with their comments, and the word that ends them.
fn read_moves(body: &str) -> Result<(Vec<MoveRecord>, Option<String>), String> {
    let mut moves: Vec<MoveRecord> = Vec::new();
    let mut last = None;
    let mut rest = body.trim_start();
    while !rest.is_empty() {
        if let Some(comment) = rest.strip_prefix('{') {
            let (comment, after) = comment.split_once('}').ok_or("a comment without an end")?;
            let played = moves.last_mut().ok_or("a comment before the first move")?;
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
            return Err(format!("{word:?} stands before the end of the game"));
        }
        if word.parse::<Outcome>().is_err() {
            last = None;
            moves.push(MoveRecord { text: word.to_string(), ..MoveRecord::default() });
        }
    }
    Ok((moves, last))
}

fn annotate(played: &mut MoveRecord, comment: &str) -> Result<(), String> {
    if comment == "book" {
        return Ok(());
    }
    let fault = || format!("comment {comment:?}, expected book, TIMEms or SCORE/DEPTH TIMEms");
    let mut words = comment.split_whitespace().rev();
    let time = words.next().and_then(|word| word.strip_suffix("ms")).and_then(|word| word.parse().ok());
    played.time = Some(time.ok_or_else(fault)?);
    if let Some(word) = words.next() {
        let (score, depth) = word.split_once('/').ok_or_else(fault)?;
        played.score = Some(score.to_string());
        played.depth = Some(depth.parse().map_err(|_| fault())?);
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn example() -> GameRecord {
        let played = |text: &str, score: &str, depth, time| MoveRecord {
            text: text.to_string(),
            score: Some(score.to_string()),
            depth: Some(depth),
            time: Some(time),
        };
        GameRecord {
            index: 4,
            round: 3,
            white: "A".to_string(),
            black: "B \"quoted\" \\".to_string(),
            variant: "morris".to_string(),
            thinking: ["1+0.01".to_string(), "nodes 1000".to_string()],
            fen: "OO1/3/3/O1X3/1XX/3/3 b 0 0 0 1".to_string(),
            moves: vec![
                MoveRecord { text: "e3e4".to_string(), ..MoveRecord::default() },
                MoveRecord { time: Some(0), text: "d7c5".to_string(), ..MoveRecord::default() },
                played("e4a4", "-M2", 9, 12),
                played("c5g7xd3", "+M1", 1, 3),
            ],
            outcome: Outcome::WhiteWins,
            termination: Termination::Normal,
            reason: "fewer than three stones".to_string(),
        }
    }

    #[test]
    fn games_survive_their_text() {
        let game = example();
        let text = game.text() + &game.text();
        assert_eq!(read_games(&text).expect("readable"), [game.clone(), game]);
        assert_eq!(read_games(" \n\n").expect("empty"), []);
    }

    #[test]
    fn faults_are_told_with_their_line() {
        let text = example().text();
        for (from, to, told) in [
            ("[Result \"1-0\"]", "[Result \"2-0\"]", "expected 1-0"),
            ("[Result \"1-0\"]", "[Result \"0-1\"]", "as the tag says"),
            ("[White \"A\"]\n", "", "no tag White"),
            ("{book}", "{book", "expected book"),
            ("{book}", "{bok}", "expected book"),
            ("[Black ", "[Black", "expected [NAME"),
        ] {
            let error = read_games(&text.replacen(from, to, 1)).expect_err(from);
            assert!(error.contains(told) && error.starts_with("line "), "{error}");
        }
    }
}
