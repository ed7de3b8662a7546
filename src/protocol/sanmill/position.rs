//! The position of the dialect, which may be in the middle of a move.

use crate::any::AnyGame;
use crate::morris::board::NAMES;
use crate::play::PlayError;
use crate::sanmill::{completions, tokens};

/// A position, and the first half of a move if a removal is due.
#[derive(Clone)]
pub struct Position {
    /// The first position; the start of the rules without one.
    fen: Option<String>,
    /// The whole moves since then.
    moves: Vec<String>,
    /// The game after these moves.
    pub game: AnyGame,
    /// The step whose removal is due.
    pub half: Option<String>,
}

impl Position {
    /// The start position of the rules of this game.
    pub fn start(game: AnyGame) -> Position {
        Position { fen: None, moves: Vec::new(), game, half: None }
    }

    /// The position after these moves, to which removals have been joined. All but the last must be whole.
    ///
    /// # Errors
    /// A faulty FEN, or the first move that cannot be played.
    pub fn read(rules: &AnyGame, fen: Option<String>, mut moves: Vec<String>) -> Result<Position, PlayError> {
        let (fen, due) = match fen.as_deref().and_then(|fen| before_the_step(rules, fen)) {
            Some((before, step)) => (Some(before), Some(step)),
            None => (fen, None),
        };
        if let Some(step) = due {
            match moves.first_mut() {
                Some(removal) if removal.starts_with('x') => removal.insert_str(0, &step),
                _ => moves.insert(0, step),
            }
        }
        let set_up = |moves: &[String]| rules.at(fen.as_deref(), moves.iter().map(String::as_str));
        if let Some((last, whole)) = moves.split_last() {
            let game = set_up(whole)?;
            let (step, removal) = tokens(last);
            if removal.is_none() && !completions(&game, &step).is_empty() {
                return Ok(Position { fen, moves: whole.to_vec(), game, half: Some(step) });
            }
        }
        let game = set_up(&moves)?;
        Ok(Position { fen, moves, game, half: None })
    }

    /// The command that sets up the game of this position in a session.
    pub fn command(&self) -> String {
        let mut command = match &self.fen {
            Some(fen) => format!("position fen {fen}"),
            None => "position startpos".to_string(),
        };
        for (i, mv) in self.moves.iter().enumerate() {
            command.push_str(if i == 0 { " moves " } else { " " });
            command.push_str(mv);
        }
        command
    }
}

/// A FEN in which the mover has a stone to take, as the position before its last step, and that step. Which stone of the
/// mill came last does not matter for what follows, so one is taken back into the hand. `None` for any other FEN.
fn before_the_step(rules: &AnyGame, fen: &str) -> Option<(String, String)> {
    let fields: Vec<&str> = fen.split_whitespace().collect();
    let &[board, side, _, _, white, white_hand, black, black_hand, white_due, black_due, ref rest @ ..] =
        fields.as_slice()
    else {
        return None;
    };
    let (own, due) = match side {
        "w" => ('O', [white_due, black_due]),
        "b" => ('@', [black_due, white_due]),
        _ => return None,
    };
    if due != ["1", "0"] {
        return None;
    }
    let moved = |stones: &str, by: i32| stones.parse::<i32>().ok()?.checked_add(by).map(|stones| stones.to_string());
    let counts = match own {
        'O' => [moved(white, -1)?, moved(white_hand, 1)?, black.to_string(), black_hand.to_string()],
        _ => [white.to_string(), white_hand.to_string(), moved(black, -1)?, moved(black_hand, 1)?],
    };
    let rest = rest.join(" ");
    board.match_indices(own).find_map(|(at, _)| {
        let cell = at - board.get(..at)?.matches('/').count();
        let ring = [16, 8, 0].get(cell / 8)?;
        let step = NAMES.get(ring + cell % 8)?;
        let mut board = board.to_string();
        board.replace_range(at..=at, "*");
        let before = format!("{board} {side} p p {} 0 0 {rest}", counts.join(" "));
        let game = rules.at(Some(&before), []).ok()?;
        (!completions(&game, step).is_empty()).then(|| (before, step.to_string()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant::Variant;

    /// Wherever a mill stands, the stone of it that is taken back into the hand is one of its three.
    #[test]
    fn the_step_before_a_removal_is_found_on_every_point() {
        let rules = AnyGame::new(Variant::Morris.rules());
        // Cells of the dialect by ring, from the innermost out, clockwise from the top.
        let name = |cell: usize| NAMES[[16, 8, 0][cell / 8] + cell % 8];
        let corners = |ring: usize| [1, 3, 5, 7].map(|at| [at, (at + 1) % 8, (at + 2) % 8].map(|at| 8 * ring + at));
        let rest = "0 0 0 0 0 0 4";
        let spokes = [0, 2, 4, 6].map(|at| [at, 8 + at, 16 + at]);
        for mill in (0..3).flat_map(corners).chain(spokes) {
            let free = |cell: &usize| !mill.contains(cell);
            let taken: Vec<usize> = (0..24).filter(free).step_by(7).take(3).collect();
            for (side, [own, opp], due) in [("w", ['O', '@'], "1 0"), ("b", ['@', 'O'], "0 1")] {
                let cell = |cell| match cell {
                    cell if mill.contains(&cell) => own,
                    cell if taken.contains(&cell) => opp,
                    _ => '*',
                };
                let row = |ring: usize| (8 * ring..8 * ring + 8).map(cell).collect::<String>();
                let board = [0, 1, 2].map(row).join("/");
                let fen = format!("{board} {side} p r 3 6 3 6 {due} {rest}");
                let (before, step) = before_the_step(&rules, &fen).unwrap_or_else(|| panic!("{fen}"));
                let back = mill.into_iter().find(|&cell| name(cell) == step).unwrap_or_else(|| panic!("{step}: {fen}"));
                let mut expected = board.clone();
                expected.replace_range(back + back / 8..=back + back / 8, "*");
                let counts = if side == "w" { "2 7 3 6" } else { "3 6 2 7" };
                assert_eq!(before, format!("{expected} {side} p p {counts} 0 0 {rest}"));
                for wrong in [fen.replace(&format!(" {due} "), " 0 0 "), fen.replace(&format!(" {side} "), " x ")] {
                    assert_eq!(before_the_step(&rules, &wrong), None, "{wrong}");
                }
            }
        }
    }
}
