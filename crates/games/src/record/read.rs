//! Reads the text of finished games, as strictly as it is written.

use super::{GameRecord, MoveRecord, Outcome, UnknownOutcome, UnknownTermination, without_control};

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
    #[error(transparent)]
    Outcome(#[from] UnknownOutcome),
    /// The tag of the termination has another value.
    #[error(transparent)]
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

/// A game as its text has it.
pub(crate) struct Parts<'a> {
    /// Its first line, from 1.
    pub line: usize,
    /// Names and values of its tags.
    tags: Vec<(&'a str, String)>,
    /// Moves, comments and the result.
    pub body: String,
}

impl Parts<'_> {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| *tag == name).map(|(_, value)| value.as_str())
    }

    /// Whether it is moves without tags.
    pub fn is_bare(&self) -> bool {
        self.tags.is_empty()
    }
}

/// Takes the games of a file apart.
///
/// # Errors
/// The first line that begins as a tag and is none.
pub(crate) fn parts(text: &str) -> Result<Vec<Parts<'_>>, RecordError> {
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
        games.push(Parts { line: first + 1, tags, body });
    }
}

/// A word of the body of a game.
#[derive(Clone, Copy)]
pub(crate) enum Word<'a> {
    /// What stands in braces.
    Comment(&'a str),
    /// A move, or the result.
    Plain(&'a str),
}

/// The words of a body, without the numbers of its moves; a comment without an end is a fault.
pub(crate) fn words(body: &str) -> impl Iterator<Item = Result<Word<'_>, RecordFault>> {
    let mut rest = body.trim_start();
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            if let Some(comment) = rest.strip_prefix('{') {
                let Some((comment, after)) = comment.split_once('}') else {
                    rest = "";
                    return Some(Err(RecordFault::OpenComment));
                };
                rest = after.trim_start();
                return Some(Ok(Word::Comment(comment)));
            }
            let end = rest.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            rest = after.trim_start();
            if !word.ends_with('.') {
                return Some(Ok(Word::Plain(word)));
            }
        }
        None
    })
}

/// Reads the games of a file.
///
/// # Errors
/// The first fault, with its line.
pub fn read_games(text: &str) -> Result<Vec<GameRecord>, RecordError> {
    let games = parts(text)?.into_iter();
    games.map(|parts| assemble(&parts).map_err(|source| RecordError { line: parts.line, source })).collect()
}

/// A game of its tags and the text of its moves.
fn assemble(parts: &Parts<'_>) -> Result<GameRecord, RecordFault> {
    let tag = |name: &'static str| parts.tag(name).map(str::to_string).ok_or(RecordFault::NoTag(name));
    let number =
        |name: &'static str| tag(name)?.parse::<usize>().ok().filter(|n| *n > 0).ok_or(RecordFault::Number(name));
    let outcome: Outcome = tag("Result")?.parse()?;
    let (moves, last) = read_moves(&parts.body)?;
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
    for word in words(body) {
        match word? {
            Word::Comment(comment) => annotate(moves.last_mut().ok_or(RecordFault::EarlyComment)?, comment)?,
            Word::Plain(word) => {
                if let Some(result) = last.take() {
                    return Err(RecordFault::EarlyResult(result));
                }
                if word.parse::<Outcome>().is_ok() {
                    last = Some(word.to_string());
                } else {
                    moves.push(MoveRecord { text: word.to_string(), ..MoveRecord::default() });
                }
            }
        }
    }
    Ok((moves, last))
}

/// Reads what `MoveRecord::comment` writes.
pub(super) fn annotate(played: &mut MoveRecord, comment: &str) -> Result<(), RecordFault> {
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
