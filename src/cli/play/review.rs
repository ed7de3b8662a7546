//! Reviews a finished game.

use super::Table;
use crate::analysis::analyse;
use crate::analysis::marks::{Evaluation, MARKS, annotated};
use crate::game::Side;
use crate::search::Limits;
use std::io::{self, Write};

/// Nodes for each position.
const NODES: u64 = 30_000;
/// Maximum number of mistakes shown.
const SHOWN: usize = 5;

impl Table {
    /// Counts the mistakes of both sides, and shows the person's worst ones with the better moves.
    ///
    /// # Errors
    /// A closed output.
    pub(super) fn review(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.moves.is_empty() {
            return Ok(());
        }
        let limits = Limits { nodes: Some(NODES), ..Limits::default() };
        let mut game = self.game.clone();
        while game.undo() {}
        let mut evaluations = vec![Evaluation::from(analyse(&game, &limits, 1, &self.resources.hash))];
        let first = game.side();
        let mut numbers = Vec::new();
        for mv in &self.moves {
            numbers.push(game.move_number());
            // The move was legal when it was played.
            let _ = game.push(mv);
            evaluations.push(match game.ending() {
                Some(ending) => Evaluation::over(ending.winner(game.side()), game.side()),
                None => analyse(&game, &limits, 1, &self.resources.hash).into(),
            });
        }
        let moves = annotated(self.moves.iter().map(String::as_str), &evaluations);
        let mover = |ply: usize| if ply % 2 == 1 { first } else { first.other() };
        let count = |side: Side, mark: &str| moves.iter().filter(|m| m.mark == mark && mover(m.ply) == side).count();
        for (name, side) in [("You", self.person), ("I", self.person.other())] {
            let counts: Vec<String> =
                MARKS.iter().rev().map(|(_, mark)| format!("{mark} {}", count(side, mark))).collect();
            writeln!(out, "{name:3}  {}", counts.join("   "))?;
        }
        let mut mistakes: Vec<_> = moves.iter().filter(|m| !m.mark.is_empty() && mover(m.ply) == self.person).collect();
        mistakes.sort_by_key(|m| (std::cmp::Reverse(m.loss), m.ply));
        mistakes.truncate(SHOWN);
        mistakes.sort_by_key(|m| m.ply);
        for mistake in mistakes {
            let better = mistake.pv.iter().take(4).cloned().collect::<Vec<_>>().join(" ");
            let number = numbers.get(mistake.ply - 1).copied().unwrap_or_default();
            writeln!(out, "  move {number}: {}{}, better {better}", mistake.played, mistake.mark)?;
        }
        Ok(())
    }
}
