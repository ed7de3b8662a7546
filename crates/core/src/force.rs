//! Proofs that a side gains material by force within a few plies.

use crate::game::{Move, Searchable, Verdict};

/// The answer to the question whether a side gains material by force.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Forced<M> {
    /// The nodes did not suffice.
    Unknown,
    /// The other side can prevent it.
    No,
    /// It does, with this first move; `None` if the other side is to move.
    Yes(Option<M>),
}

impl<M> Forced<M> {
    /// Returns the same answer with another form of the move.
    pub fn map<N>(self, form: impl FnOnce(M) -> N) -> Forced<N> {
        match self {
            Forced::Unknown => Forced::Unknown,
            Forced::No => Forced::No,
            Forced::Yes(first) => Forced::Yes(first.map(form)),
        }
    }
}

/// A question about a position: whether a side gains material with the last of some plies, whatever the other side
/// does. An odd number of plies asks for the side to move, an even one for its opponent.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The least gain in centistones, as [`Searchable::material`] counts them.
    pub least: i32,
    /// Plies until then.
    pub plies: u32,
    /// The most positions to look at.
    pub nodes: u32,
    /// The keys of earlier positions; a position that occurs for the third time gains nothing.
    pub history: &'a [u64],
}

/// More than any order of quiet moves.
const TACTICAL: i32 = 1 << 20;

/// Returns the moves, the greatest order first.
fn sorted(mut moves: Vec<(i32, Move)>) -> Vec<Move> {
    moves.sort_unstable_by_key(|&(order, mv)| (-order, mv.bits()));
    moves.into_iter().map(|(_, mv)| mv).collect()
}

/// The nodes are used up.
struct Exhausted;

struct Prover<'a, G> {
    game: &'a G,
    nodes: u32,
    history: &'a [u64],
    progress_limit: u16,
}

/// Answers a question about a position.
pub fn prove<G: Searchable>(game: &G, pos: &G::Position, question: Question<'_>) -> Forced<Move> {
    let draws = game.draw_rules();
    let Question { least, plies, nodes, history } = question;
    let history = if draws.repetition { history } else { &[] };
    let mut prover = Prover { game, nodes, history, progress_limit: draws.progress_limit };
    let lead = game.material(pos);
    let proof = if plies % 2 == 1 {
        prover.attack(pos, lead + least, plies).map(|first| first.map(Some))
    } else {
        prover.defend(pos, least - lead, plies).map(|forced| forced.then_some(None))
    };
    match proof {
        Err(Exhausted) => Forced::Unknown,
        Ok(None) => Forced::No,
        Ok(Some(first)) => Forced::Yes(first),
    }
}

impl<G: Searchable> Prover<'_, G> {
    fn spend(&mut self) -> Result<(), Exhausted> {
        self.nodes = self.nodes.checked_sub(1).ok_or(Exhausted)?;
        Ok(())
    }

    /// Returns whether the game ends here as a draw by its history.
    fn is_drawn(&self, pos: &G::Position) -> bool {
        let game = self.game;
        let is_stale = self.progress_limit > 0 && game.plies_without_progress(pos) >= self.progress_limit;
        let occurrences = || {
            let key = game.key(pos);
            self.history.iter().filter(|&&known| known == key).count()
        };
        is_stale && game.has_moves(pos) || occurrences() > 1
    }

    /// Returns the moves, those first that are good by the hints for move ordering.
    fn ordered(&self, pos: &G::Position, only_tactical: bool) -> Vec<Move> {
        let game = self.game;
        let hints = game.hints(pos);
        let mut moves = Vec::new();
        let mut add = |mv: Move| {
            let tactical = if game.is_tactical(pos, mv) { TACTICAL } else { 0 };
            moves.push((tactical + game.order(pos, &hints, mv), mv));
        };
        if only_tactical {
            game.generate_tactical(pos, &mut add);
        } else {
            game.generate(pos, &mut add);
        }
        sorted(moves)
    }

    /// Returns a move by which the side to move reaches a lead, if there is one.
    fn attack(&mut self, pos: &G::Position, lead: i32, plies: u32) -> Result<Option<Move>, Exhausted> {
        self.spend()?;
        if self.is_drawn(pos) {
            return Ok(None);
        }
        for mv in self.ordered(pos, plies == 1) {
            if self.defend(&self.game.play(pos, mv), lead, plies - 1)? {
                return Ok(Some(mv));
            }
        }
        Ok(None)
    }

    /// Returns whether the opponent of the side to move reaches a lead, or wins before.
    fn defend(&mut self, pos: &G::Position, lead: i32, plies: u32) -> Result<bool, Exhausted> {
        self.spend()?;
        let game = self.game;
        if let Some(ending) = game.decided(pos) {
            return Ok(ending.verdict == Verdict::Loss);
        }
        if plies == 0 {
            return Ok(-game.material(pos) >= lead && self.settles(pos, lead, false)?);
        }
        if self.is_drawn(pos) {
            return Ok(false);
        }
        for mv in self.ordered(pos, false) {
            let next = game.play(pos, mv);
            match game.decided(&next) {
                Some(ending) if ending.verdict == Verdict::Win => {}
                Some(_) => return Ok(false),
                None if self.attack(&next, lead, plies - 1)?.is_none() => return Ok(false),
                None => {}
            }
        }
        Ok(true)
    }

    /// Returns whether a lead outlasts captures: that of the opponent of the side to move, or one that the side to move
    /// reaches by them.
    fn settles(&mut self, pos: &G::Position, lead: i32, by_mover: bool) -> Result<bool, Exhausted> {
        let game = self.game;
        for mv in self.ordered(pos, true) {
            self.spend()?;
            let next = game.play(pos, mv);
            let material = game.material(&next);
            if by_mover {
                let holds = match game.decided(&next) {
                    Some(ending) => ending.verdict == Verdict::Loss,
                    None => -material >= lead && self.settles(&next, lead, false)?,
                };
                if holds {
                    return Ok(true);
                }
            } else if game.decided(&next).is_some() || material < lead && !self.settles(&next, lead, true)? {
                return Ok(false);
            }
        }
        Ok(!by_mover)
    }
}
