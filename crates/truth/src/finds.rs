//! Positions in which the search loses value, and the file that stores them.

use super::draw::without_counters;
use super::truth;
use millbrain_core::any::AnyGame;
use millbrain_core::game::Verdict;
use millbrain_core::game::value::Known;
use millbrain_core::variant::NamedRules;
use millbrain_files::{InFile, WholeLines, go_on_after, is_busy, named};
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The beginning of files of finds, before the name of the variant.
const HEAD: &str = "millbrain finds 1 ";

/// A position in which the search has lost value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Find {
    /// The position.
    pub fen: String,
    /// Its value for the side to move: won or drawn.
    pub value: Verdict,
    /// The result of the move for the side that has made it: a draw or a loss.
    pub after: Verdict,
    /// The chosen move.
    pub chosen: String,
    /// The nodes of the search.
    pub nodes: u64,
    /// All losing moves, one of each set of symmetric moves.
    pub losing: Vec<String>,
}

/// Finds by the lost value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Lost {
    /// Drawn positions that were lost.
    pub drawn_to_lost: usize,
    /// Won positions that were drawn.
    pub won_to_drawn: usize,
    /// Won positions that were lost.
    pub won_to_lost: usize,
}

impl Lost {
    /// Counts all finds.
    pub const fn all(self) -> usize {
        self.drawn_to_lost + self.won_to_drawn + self.won_to_lost
    }

    /// Counts the finds that end in a lost position.
    pub const fn to_lost(self) -> usize {
        self.drawn_to_lost + self.won_to_lost
    }

    /// Counts a find.
    pub fn add(&mut self, find: &Find) {
        *match (find.value, find.after) {
            (Verdict::Win, Verdict::Loss) => &mut self.won_to_lost,
            (Verdict::Win, _) => &mut self.won_to_drawn,
            _ => &mut self.drawn_to_lost,
        } += 1;
    }
}

const WORDS: [(Verdict, &str); 3] = [(Verdict::Win, "won"), (Verdict::Draw, "drawn"), (Verdict::Loss, "lost")];

fn word(verdict: Verdict) -> &'static str {
    WORDS.iter().find(|(known, _)| *known == verdict).map_or("", |(_, word)| word)
}

fn verdict(text: &str) -> Option<Verdict> {
    WORDS.iter().find(|(_, word)| *word == text).map(|(verdict, _)| *verdict)
}

impl fmt::Display for Find {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Find { fen, value, after, chosen, nodes, losing } = self;
        write!(f, "{fen};{};{};{chosen};{nodes};{}", word(*value), word(*after), losing.join(" "))
    }
}

impl Find {
    /// Creates a find, if the chosen move loses value in this position.
    pub(crate) fn of(fen: String, position: &truth::Position, chosen: &str, nodes: u64) -> Option<Find> {
        let after = position.result_of(chosen)?;
        let loses = Known::Verdict(after).rank() < Known::Verdict(position.value).rank();
        loses.then(|| Find {
            fen,
            value: position.value,
            after,
            chosen: chosen.to_string(),
            nodes,
            losing: position.losing(),
        })
    }

    fn read(line: &str) -> Option<Find> {
        let fields: Vec<&str> = line.split(';').collect();
        let [fen, value, after, chosen, nodes, losing] = *fields else { return None };
        Some(Find {
            fen: fen.to_string(),
            value: verdict(value)?,
            after: verdict(after)?,
            chosen: chosen.to_string(),
            nodes: nodes.parse().ok()?,
            losing: losing.split_whitespace().map(str::to_string).collect(),
        })
    }

    /// Returns the positions after its losing moves: the opponent wins them all.
    ///
    /// # Errors
    /// Fails with the fault of the position or of a move.
    pub fn lost_positions(&self, start: &AnyGame) -> Result<Vec<String>, millbrain_core::play::PlayError> {
        let after = |mv: &String| start.at(Some(&self.fen), [mv.as_str()]).map(|game| without_counters(&game.fen()));
        if self.after == Verdict::Loss { self.losing.iter().map(after).collect() } else { Ok(Vec::new()) }
    }
}

/// The reason why a file of finds cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FindsError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] InFile<io::Error>),
    /// Another job writes to the file.
    #[error("{}: another job writes to it", .0.display())]
    Busy(PathBuf),
    /// The file is of other rules, or not a file of finds.
    #[error("{}: begins with {found:?}, expected {expected:?}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Its first line.
        found: String,
        /// The first line of such a file by these rules.
        expected: String,
    },
    /// A line is damaged.
    #[error("{}: line {line}: {text:?}, expected FEN;VALUE;AFTER;MOVE;NODES;MOVES", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The text of the line.
        text: String,
    },
}

/// A file of finds, open for more.
pub struct FindsFile {
    file: File,
    path: PathBuf,
    /// The finds in the file.
    pub finds: Vec<Find>,
}

fn head(rules: &NamedRules) -> String {
    format!("{HEAD}{} {}", rules.variant, rules.list()).trim_end().to_string()
}

impl FindsFile {
    /// Opens a file, or begins it. A last line that was cut short by a kill is dropped.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written, is of other rules, damaged, or in use.
    pub fn open(path: &Path, rules: &NamedRules) -> Result<FindsFile, FindsError> {
        let at = named(path);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(&at)?;
        if is_busy(&file) {
            return Err(FindsError::Busy(path.to_path_buf()));
        }
        let expected = head(rules);
        let (mut finds, mut number) = (Vec::new(), 0);
        let mut lines = WholeLines::of(&file);
        while let Some(line) = lines.next_line().map_err(&at)? {
            let text = String::from_utf8_lossy(line).trim_end().to_string();
            number += 1;
            if number > 1 {
                let damaged = || FindsError::Damaged { path: path.to_path_buf(), line: number, text: text.clone() };
                finds.push(Find::read(&text).ok_or_else(damaged)?);
            } else if text != expected {
                return Err(FindsError::Foreign { path: path.to_path_buf(), found: text, expected });
            }
        }
        let length = lines.length();
        go_on_after(&mut file, length).map_err(&at)?;
        if length == 0 {
            writeln!(file, "{expected}").map_err(&at)?;
        }
        Ok(FindsFile { file, path: path.to_path_buf(), finds })
    }

    /// Appends finds.
    ///
    /// # Errors
    /// Fails with the error of the file system.
    pub fn append(&mut self, finds: &[Find]) -> Result<(), FindsError> {
        let lines: String = finds.iter().map(|find| format!("{find}\n")).collect();
        self.file.write_all(lines.as_bytes()).map_err(named(&self.path))?;
        self.finds.extend_from_slice(finds);
        Ok(())
    }
}
