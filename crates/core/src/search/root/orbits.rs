//! Root moves that are equal up to symmetry: one of them is searched, and the result holds for all.

use super::root_move::RootMove;
use crate::game::{Move, Searchable};
use crate::play::Play;

/// A move searched for others, each with the symmetry of the position after it, as [`Searchable::root_key`] returns it.
struct Orbit {
    key: u64,
    first: (Move, u8),
    twins: Vec<(Move, u8)>,
}

/// The root moves by orbits.
pub(in crate::search) struct Orbits<G: Searchable> {
    game: G,
    orbits: Vec<Orbit>,
}

impl<G: Searchable> Orbits<G> {
    /// Leaves only the first move of each orbit.
    ///
    /// Two moves are the same if the positions after them are symmetric, and no position of the game can repeat that
    /// would distinguish them.
    pub fn fold(play: &Play<G>, moves: &mut Vec<RootMove>) -> Orbits<G> {
        let (game, pos) = (play.game, play.position());
        let is_fresh = play.keys().len() == 1;
        let mut orbits: Vec<Orbit> = Vec::with_capacity(moves.len());
        moves.retain(|root| {
            let (key, symmetry) = game.root_key(&game.play(pos, root.mv));
            let can_be_twin = is_fresh || game.is_irreversible(pos, root.mv);
            let known = orbits.iter_mut().find(|orbit| can_be_twin && orbit.key == key);
            let is_first = known.is_none();
            match known {
                Some(orbit) => orbit.twins.push((root.mv, symmetry)),
                None => orbits.push(Orbit { key, first: (root.mv, symmetry), twins: Vec::new() }),
            }
            is_first
        });
        for (root, orbit) in moves.iter_mut().zip(&orbits) {
            root.twins = orbit.twins.len();
        }
        Orbits { game, orbits }
    }

    /// Returns the images of a line that begins with a root move: one for each move of its orbit but the first.
    pub fn images<'a>(&'a self, line: &'a [Move]) -> impl Iterator<Item = Vec<Move>> + 'a {
        let orbit = self.orbits.iter().find(|orbit| line.first() == Some(&orbit.first.0));
        orbit.into_iter().flat_map(move |Orbit { first: (_, symmetry), twins, .. }| {
            twins.iter().map(move |&(twin, back)| {
                let image = |&mv: &Move| self.game.unmap_move(self.game.map_move(mv, *symmetry), back);
                std::iter::once(twin).chain(line[1..].iter().map(image)).collect()
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Notation};
    use crate::morris::{CUSTOM, FLYING, Morris, Rules, rules};
    use crate::search::{Control, HashTable, Info, Limits, Request, search};
    use crate::smess::Smess;
    use ahash::AHashMap;
    use std::sync::Arc;

    /// Returns the orbits by their moves, in the order of the moves.
    fn orbits<G: Searchable>(play: &Play<G>) -> Vec<String> {
        let mut moves =
            play.game.moves(play.position()).into_iter().map(|mv| RootMove::new(mv, false)).collect::<Vec<_>>();
        let count = moves.len();
        let orbits = Orbits::fold(play, &mut moves);
        assert_eq!(moves.iter().map(|root| 1 + root.twins).sum::<usize>(), count);
        let text = |mv| play.game.move_text(mv);
        moves
            .iter()
            .map(|root| {
                let line = [root.mv];
                let twins: Vec<_> = orbits.images(&line).collect();
                assert_eq!(twins.len(), root.twins);
                twins.iter().fold(text(root.mv), |all, twin| all + " " + &text(twin[0]))
            })
            .collect()
    }

    fn morris(fen: Option<&str>, moves: &[&str]) -> Play<Morris<FLYING>> {
        Play::set_up(Morris::new(rules::MORRIS), fen, moves.iter().copied()).expect("a position")
    }

    #[test]
    fn symmetric_moves_are_one() {
        assert_eq!(
            orbits(&morris(None, &[])),
            ["d7 g4 d1 a4 d5 e4 d3 c4", "g7 g1 a1 a7 e5 e3 c3 c5", "d6 f4 d2 b4", "f6 f2 b2 b6",]
        );
        // A mirror remains, and the rings can still change places; then only a mirror.
        assert_eq!(orbits(&morris(None, &["d6"])).len(), 9);
        assert_eq!(orbits(&morris(None, &["a7"])).len(), 14);
        let smess = Play::new(Smess::new(crate::smess::Rules::default()));
        assert_eq!(orbits(&smess).len(), smess.game.moves(smess.position()).len(), "its board has no symmetry");
    }

    /// A position of the game can repeat, and is not its image.
    #[test]
    fn what_has_been_played_tells_moves_apart() {
        let fen = Some("O1O/O1O/3/6/3/1X1/XXX w 0 0");
        let circle = ["a7a4", "d2d3", "a4a7", "d3d2"];
        let fresh = orbits(&morris(fen, &[]));
        assert!(fresh.iter().any(|orbit| orbit == "g7g4 a7a4"), "{fresh:?}");
        let played = orbits(&morris(fen, &circle));
        assert!(played.iter().all(|orbit| !orbit.contains(' ')), "{played:?}");
    }

    /// Lines that have been mills have no images.
    #[test]
    fn rules_without_symmetries_have_none() {
        let rules = Rules { once_per_line: true, ..rules::MORRIS };
        let play = Play::new(Morris::<CUSTOM>::new(rules));
        assert_eq!(orbits(&play).len(), 24);
    }

    /// All lines of an orbit have the same score, and can be played; a smaller number of lines is a part of them.
    #[test]
    fn what_is_found_for_one_holds_for_all() {
        for (fen, moves) in [
            (None, &[][..]),
            (None, &["d6"][..]),
            (Some("O1O/3/1X1/O1XX1O/1X1/3/O1O w 3 4"), &[][..]),
            (Some("O1O/O1O/3/6/3/1X1/XXX w 0 0"), &[][..]),
        ] {
            let play = morris(fen, moves);
            let orbits = orbits(&play);
            let [all, some] = [500, 5].map(|multipv| {
                let limits = Limits { depth: Some(5), ..Limits::default() };
                let hash = Arc::new(HashTable::new(1).expect("a MiB"));
                let control = Arc::new(Control::new(false));
                let mut lines: Vec<(i32, Vec<Move>)> = Vec::new();
                search(&play, None, &Request { multipv, ..Request::plain(&limits, &hash, &control) }, &mut |info| {
                    if let Info::Line(line) = info {
                        lines.truncate(line.multipv - 1);
                        assert_eq!(lines.len(), line.multipv - 1, "lines are reported in order");
                        lines.push((line.score, line.pv.clone()));
                    }
                });
                lines
            });
            assert_eq!(some.len(), 5);
            assert!(all.is_sorted_by(|a, b| a.0 >= b.0));
            let scores: AHashMap<_, _> = all.iter().map(|(score, pv)| (play.game.move_text(pv[0]), *score)).collect();
            assert_eq!(scores.len(), play.game.moves(play.position()).len(), "each move has a line");
            for orbit in &orbits {
                let mut of_orbit = orbit.split(' ').map(|mv| scores[mv]);
                let first = of_orbit.next();
                assert!(of_orbit.all(|score| Some(score) == first), "{orbit}: {scores:?}");
            }
            for (_, pv) in all.iter().chain(&some) {
                let mut play = play.clone();
                for &mv in pv {
                    assert!(play.game.is_legal(play.position(), mv), "{}", play.fen());
                    play.push(mv);
                }
            }
        }
    }
}
