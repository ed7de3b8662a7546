//! An explained game for a human reader.

use super::{AnnotatedMove, Annotation, Judgement, ONLY, Summary};
use crate::marks::MARKS;
use std::fmt;

/// Prints the known value, or the score of the search, and what the draw counter makes doubtful.
impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.value, self.plies) {
            (Some(value), Some(plies)) if plies > 0 => write!(f, "{value} in {plies}")?,
            (Some(value), _) => f.write_str(value)?,
            (None, _) => write!(f, "{}", self.score)?,
        }
        self.category.filter(|category| self.value != Some(category)).map_or(Ok(()), |doubt| write!(f, " ({doubt})"))
    }
}

impl AnnotatedMove {
    /// Returns the annotations of the move: its mark, the values before and after it, the better line and the reason.
    pub fn comment(&self) -> String {
        if self.mark.is_empty() { self.remark() } else { format!("{} {}", self.mark, self.remark()) }
    }

    /// Returns the same without the mark.
    pub fn remark(&self) -> String {
        let mut text = format!("{} -> {}", self.before, self.after);
        if !self.better.is_empty() {
            text += &format!("; better {}", self.better.join(" "));
        }
        if let Some(sentence) = &self.sentence {
            text += &format!(". {sentence}");
        }
        text
    }
}

fn counts(summary: &Summary) -> String {
    let marks = [ONLY].into_iter().chain(MARKS.iter().rev().map(|(_, mark)| *mark));
    let count = |mark| format!("{mark} {}", summary.marks.get(mark).copied().unwrap_or_default());
    marks.map(count).collect::<Vec<_>>().join("  ")
}

/// Prints a line per move, then a line for each side and phase.
impl fmt::Display for Annotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |name: &str| if name.is_empty() { "?" } else { name }.to_string();
        let rules = if self.house_rules.is_empty() { String::new() } else { format!(" with {}", self.house_rules) };
        let (white, black) = (named(&self.white), named(&self.black));
        writeln!(f, "{}. {white} - {black}, {}{rules}, {}", self.game, self.variant, self.result)?;
        for annotated in &self.moves {
            let AnnotatedMove { number, side, played, .. } = annotated;
            writeln!(f, "{number:>4} {side} {played:9} {}", annotated.comment())?;
        }
        for (side, phases) in &self.summary {
            for (phase, summary) in phases {
                let (moves, accuracy) = (summary.moves, summary.accuracy());
                writeln!(f, "{side} {phase:8} {moves:>4} moves, accuracy {accuracy:5.1} %  {}", counts(summary))?;
            }
        }
        Ok(())
    }
}
