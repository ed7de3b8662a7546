//! Output of a game at a terminal.

use crate::any::AnyGame;
use crate::game::Side;
use crate::layout::{Kind, MoveParts};
use crate::search::score::mate_moves;
use crate::texts::Language;
use anstyle::{AnsiColor, Style};
use std::fmt::Write;

/// Returns the style for pieces of a side.
const fn style(side: Side) -> Style {
    match side {
        Side::White => AnsiColor::BrightYellow.on_default().bold(),
        Side::Black => AnsiColor::BrightBlue.on_default().bold(),
    }
}

/// Style of marks.
const MARK: Style = AnsiColor::BrightGreen.on_default().bold();
/// Style of a square's arrows.
const ARROW: Style = Style::new().dimmed();

/// Returns the owner of a letter in a diagram.
fn owner(kinds: &[Kind], letter: char) -> Option<Side> {
    [Side::White, Side::Black].into_iter().find(|&side| kinds.iter().any(|kind| kind.letters[side as usize] == letter))
}

/// Marks on a board: the selected points and the possible choices.
#[derive(Default)]
pub struct Marks {
    picked: Vec<String>,
    choices: Vec<String>,
}

impl Marks {
    /// Marks the targets or removals of the piece that all these moves begin with; `None` if they do not share one
    /// piece.
    pub fn of(game: &AnyGame, moves: &[MoveParts]) -> Option<Marks> {
        let points = game.layout().points;
        let name = |place: usize| points.get(place).map(|point| point.name.to_string());
        let first = moves.first()?;
        let goes_there = moves.iter().all(|mv| mv.to == first.to);
        if moves.iter().any(|mv| mv.from != first.from) || first.from.is_none() && !goes_there {
            return None;
        }
        let choices = moves.iter().flat_map(|mv| if goes_there { mv.taken.clone() } else { vec![mv.to] });
        let picked = first.from.into_iter().chain(goes_there.then_some(first.to));
        Some(Marks { picked: picked.filter_map(name).collect(), choices: choices.filter_map(name).collect() })
    }

    /// Returns the signs on both sides of a marked point.
    fn around(&self, name: &str) -> Option<[char; 2]> {
        let signs = [(&self.picked, ['(', ')']), (&self.choices, ['[', ']'])];
        signs.into_iter().find(|(names, _)| names.iter().any(|known| known == name)).map(|(_, signs)| signs)
    }
}

/// Draws the board with marks, the pieces in the colours of their sides. The output strips colours where they are not
/// wanted.
pub fn board(game: &AnyGame, marks: &Marks) -> String {
    let (diagram, kinds) = (game.diagram(), game.layout().kinds);
    let mut rows: Vec<Vec<char>> = diagram.lines().map(|line| line.chars().collect()).collect();
    let files = rows.pop().unwrap_or_default();
    let mut text = String::new();
    for row in &mut rows {
        row.push(' ');
        let rank = row.first().copied().unwrap_or_default();
        for (column, file) in (0..row.len()).zip(&files) {
            if let Some([left, right]) = marks.around(&format!("{file}{rank}")) {
                row[column - 1] = left;
                row[column + 1] = right;
            }
        }
        for &sign in row.iter() {
            let style = match sign {
                '(' | ')' | '[' | ']' => MARK,
                '←'..='↙' => ARROW,
                _ => owner(&kinds, sign).map_or_else(Style::new, style),
            };
            let _ = write!(text, "{style}{sign}{style:#}");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text.extend(files.iter().chain(&['\n']));
    text
}

/// Describes the side to move, the phase, the stones in hand and the stones off the board.
pub fn state(game: &AnyGame) -> String {
    let language = Language::default();
    let side = game.side();
    let mut text =
        format!("{} to move, {}", capital(&side.to_string()), language.named("phase", game.phase()).to_lowercase());
    if let Some([white, black]) = game.hands().filter(|hands| hands.iter().any(|&stones| stones > 0)) {
        let _ = write!(text, "; in hand: white {white}, black {black}");
    }
    let [white, black] = game.lost().map(|kinds| kinds.len());
    if white + black > 0 {
        let _ = write!(text, "; taken: white {white}, black {black}");
    }
    text
}

/// Capitalizes a word.
pub fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Formats a score for a person, from the side to move.
pub fn score(score: i32) -> String {
    match mate_moves(score) {
        Some(moves) if moves > 0 => format!("wins in {moves}"),
        Some(moves) => format!("loses in {}", -moves),
        None => format!("{:+.2}", f64::from(score) / 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Layout, Point};
    use crate::variant::Variant;
    use std::collections::{BTreeMap, BTreeSet};

    /// Returns the points with these signs on both sides, by the positions of points in a diagram.
    fn marked(text: &str, [left, right]: [char; 2], layout: &Layout) -> BTreeSet<String> {
        let cells: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
        let mut found = BTreeSet::new();
        for Point { name, x, y } in &layout.points {
            let (across, down) = (usize::from(*x), usize::from(*y));
            let (line, column) =
                if layout.squares { (4 * down + 2, 8 * across + 6) } else { (2 * down, 4 * across + 2) };
            let at = |column: usize| cells.get(line).and_then(|cells| cells.get(column)).copied();
            if at(column - 1) == Some(left) && at(column + 1) == Some(right) {
                found.insert(name.clone());
            }
        }
        assert_eq!(found.len(), text.matches(left).count(), "{text}");
        found
    }

    /// In random games of all variants every piece shows its targets, and every mill its removals.
    #[test]
    fn boards_show_where_a_picked_piece_may_go() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut taking = 0;
        for variant in Variant::ALL {
            let mut game = AnyGame::new(variant.rules());
            let layout = game.layout();
            while game.ending().is_none() && game.move_number() < 40 {
                let mut picks: BTreeMap<String, Vec<MoveParts>> = BTreeMap::new();
                for mv in game.move_parts() {
                    // Prefixes of moves that a person may type.
                    for length in [2, 4] {
                        let pick = mv.text.get(..length).filter(|pick| !pick.contains('x')).map(String::from);
                        picks.entry(pick.unwrap_or_default()).or_default().push(mv.clone());
                    }
                }
                picks.remove("");
                for (pick, moves) in picks.into_iter().filter(|(_, moves)| moves.len() > 1) {
                    let Some(marks) = Marks::of(&game, &moves) else { panic!("{pick}: one piece") };
                    let text = anstream::adapter::strip_str(&board(&game, &marks)).to_string();
                    let names = |text: &str| (0..text.len() / 2).map(|i| text[2 * i..][..2].to_string()).collect();
                    let step = |mv: &MoveParts| mv.text.split('x').next().unwrap_or_default().to_string();
                    let goes_there = moves.iter().all(|mv| step(mv) == step(&moves[0]));
                    let picked = if goes_there { names(&step(&moves[0])) } else { names(&pick) };
                    let choices: BTreeSet<String> = match goes_there {
                        true => moves.iter().flat_map(|mv| mv.text.split('x').skip(1).map(String::from)).collect(),
                        false => moves.iter().map(|mv| step(mv)[2..].to_string()).collect(),
                    };
                    taking += usize::from(goes_there);
                    assert_eq!(marked(&text, ['(', ')'], &layout), picked, "{text}");
                    assert_eq!(marked(&text, ['[', ']'], &layout), choices, "{pick}: {text}");
                    assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
                }
                let mv = random.choice(game.moves()).expect("a move");
                game.push(&mv).expect("a legal move");
            }
        }
        assert!(taking > 9, "{taking}");
    }
}
