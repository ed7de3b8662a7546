//! Explained games as one page for a browser: board, moves, a graph, and the annotations of each move.

use super::Annotation;
use millbrain_core::any::AnyBoard;
use millbrain_core::layout::Layout;
use millbrain_core::play::PlayError;
use millbrain_games::game::{Game, NotationError};
use millbrain_games::record::VerifyError;
use serde::Serialize;

/// The page without its games, which follow it, each as [`game`] writes it. It is self-contained and makes no requests.
pub const PAGE: &str = include_str!("page.html");

/// A piece on the board: the index in the layout's points, the side (0 is White), the kind.
type Standing = (usize, usize, usize);

/// A game as the page reads it.
#[derive(Serialize)]
struct Shown<'a> {
    annotation: &'a Annotation,
    layout: Layout,
    /// Every position, the first one included.
    boards: Vec<Vec<Standing>>,
    /// The origin of each move, if on the board, and its destination.
    parts: Vec<(Option<usize>, usize)>,
}

fn standing(game: &AnyBoard) -> Vec<Standing> {
    game.pieces().into_iter().map(|piece| (piece.point, piece.side as usize, piece.kind)).collect()
}

/// Returns a game for the page.
///
/// # Errors
/// Fails for invalid rules, FEN or moves.
pub fn game(annotation: &Annotation, game: &Game) -> Result<String, NotationError> {
    let mut board = game.first()?;
    let mut shown = Shown { annotation, layout: board.layout(), boards: vec![standing(&board)], parts: Vec::new() };
    for (number, annotated) in (1..).zip(&annotation.moves) {
        let text = &annotated.played;
        let fault = |fault| VerifyError::from(PlayError::Move { number, text: text.clone(), fault });
        let parts = board.parts_of(text).map_err(fault)?;
        board.push(text).map_err(fault)?;
        shown.parts.push((parts.from, parts.to));
        shown.boards.push(standing(&board));
    }
    // No name of a player can end the script.
    let json = serde_json::to_string(&shown).unwrap_or_default().replace('<', "\\u003c");
    Ok(format!("<script type=\"application/json\" class=\"game\">{json}</script>"))
}
