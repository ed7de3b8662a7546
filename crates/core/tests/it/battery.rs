//! Properties that hold for every variant and several other rule sets, checked on random games.

use crate::dao::Dao;
use crate::three_men::ThreeMen;
use millbrain_core::any::Family;
use millbrain_core::arrays::Arrays;
use millbrain_core::game::{Game, Move, Notation, Placed, Searchable, Side, Verdict};
use millbrain_core::layout::{Described, Layout, Piece, Places};
use millbrain_core::merels::{self, Points};
use millbrain_core::morris::{self, Removal, Removals};
use millbrain_core::play::Play;
use millbrain_core::variant::{Ruleset, Variant};
use millbrain_core::with_game;
use proptest::prelude::*;
use std::collections::HashSet;

/// Returns all variants, and combinations of switches that no variant uses.
fn rule_sets() -> Vec<Ruleset> {
    let base = morris::rules::MORRIS;
    let others = [
        morris::Rules { once_per_line: true, ..base },
        morris::Rules { once_per_line: true, ..morris::rules::MORABARABA },
        morris::Rules { stones: 12, ..base },
        morris::Rules { removals: Removals::EachMill, ..base },
        morris::Rules {
            removals: Removals::EachMill,
            removal: Removal::Never,
            once_per_line: true,
            ..morris::rules::MORABARABA
        },
        morris::Rules { stones: 12, diagonals: true, removal: Removal::Never, slides_while_placing: true, ..base },
        morris::Rules { stones: 3, flying: false, slides_while_placing: true, ..base },
        morris::Rules { no_mill_draw: 0, repetition_draw: false, ..base },
    ];
    let six = merels::rules::SIX;
    let small = [
        merels::Rules { flying: true, ..merels::rules::SEVEN },
        merels::Rules { first_mill_wins: true, slides_while_placing: true, ..six },
        merels::Rules { points: Points::Nine, stones: 5, removal: Removal::Never, ..six },
        merels::Rules { once_per_line: true, stones: 9, ..six },
    ];
    let all = Variant::ALL.into_iter().map(Variant::rules);
    all.chain(others.map(Ruleset::Morris)).chain(small.map(Ruleset::Merels)).collect()
}

/// Calls `check` on the positions of random games, with the move about to be played.
fn random_games<G: Searchable>(game: G, games: u64, mut check: impl FnMut(&Play<G>, Option<Move>)) {
    for seed in 0..games {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut play = Play::new(game);
        for _ in 0..160 {
            let mv = rng.choice(game.moves(play.position()));
            check(&play, mv);
            match mv {
                Some(mv) => play.push(mv),
                None => break,
            }
        }
    }
}

fn check_moves<G: Searchable>(game: &G, pos: &G::Position) {
    let moves = game.moves(pos);
    let distinct: HashSet<Move> = moves.iter().copied().collect();
    assert_eq!(distinct.len(), moves.len(), "moves are distinct");
    assert_eq!(game.count_moves(pos), moves.len() as u64);
    assert_eq!(game.has_moves(pos), !moves.is_empty());
    assert!(game.decided(pos).is_none() || moves.is_empty(), "finished positions have no moves");
    assert!(!distinct.contains(&Move::NONE));
    let mut tactical = HashSet::new();
    game.generate_tactical(pos, |mv| assert!(tactical.insert(mv), "tactical moves are distinct"));
    for &mv in &moves {
        assert_eq!(game.parse_move(&game.move_text(mv)), Some(mv));
        assert_eq!(game.is_tactical(pos, mv), tactical.remove(&mv));
        assert!(game.history_index(mv) < millbrain_core::game::HISTORY_SIZE);
    }
    assert!(tactical.is_empty(), "tactical moves are legal");
}

fn check_texts<G: Searchable>(play: &Play<G>) {
    let game = play.game;
    let fen = play.fen();
    let read = game.parse_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    assert_eq!(read.position, *play.position(), "keys made step by step equal keys made from scratch");
    assert_eq!(game.fen(&read), fen);
    assert!(game.diagram(play.position()).ends_with('\n'));
    assert!(!game.describe(play.position()).is_empty());
}

/// Checks that the pieces on the board, and each move, are described as the layout has them.
fn check_board<G: Family>(layout: &Layout, play: &Play<G>) {
    let (game, pos) = (play.game, play.position());
    let pieces = game.pieces(pos);
    let at = |pieces: &[Piece], point| pieces.iter().find(|piece| piece.point == point).copied();
    assert!(
        pieces.is_sorted_by(|a, b| a.point < b.point) && pieces.iter().all(|piece| piece.kind < layout.kinds.len())
    );
    // An editor writes the same board, and its FEN is read.
    let hands = game.hands(pos);
    assert_eq!(hands.is_some(), layout.hand > 0);
    let fen = layout.fen(&pieces, game.side(pos), hands.unwrap_or_default());
    assert_eq!(fen.split(' ').next(), play.fen().split(' ').next());
    let read = game.parse_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    assert_eq!((game.pieces(&read.position), game.side(&read.position)), (pieces.clone(), game.side(pos)));
    for mv in game.moves(pos) {
        let parts = game.parts(mv);
        assert_eq!(parts.text, game.move_text(mv));
        let places = Places { from: parts.from, to: parts.to, taken: parts.taken.first().copied() };
        assert_eq!(game.places(mv), places);
        let mover = parts.from.map(|from| at(&pieces, from).expect("a piece").side);
        assert_eq!(mover.unwrap_or(game.side(pos)), game.side(pos));
        let after = game.pieces(&game.play(pos, mv));
        assert_eq!(at(&after, parts.to).map(|piece| piece.side), Some(game.side(pos)));
        let other = Some(game.side(pos).other());
        assert!(parts.taken.iter().all(|&point| at(&pieces, point).map(|piece| piece.side) == other));
        assert!(parts.taken.iter().all(|&point| at(&after, point).is_none()));
    }
}

fn check_layout(layout: &Layout) {
    let points = layout.points.len();
    let names: HashSet<&str> = layout.points.iter().map(|point| point.name.as_str()).collect();
    let places: HashSet<(u8, u8)> = layout.points.iter().map(|point| (point.x, point.y)).collect();
    assert_eq!((names.len(), places.len(), layout.rows.iter().sum()), (points, points, points));
    let listed = layout.lines.iter().flatten().chain(layout.steps.iter().flatten()).chain(&layout.marked);
    assert!(listed.copied().all(|point| point < points));
    assert!(layout.arrows.is_empty() || layout.arrows.len() == points);
    assert!(layout.symmetries.first().is_some_and(|identity| identity.iter().copied().eq(0..points)));
    for symmetry in &layout.symmetries {
        let images: HashSet<usize> = symmetry.iter().copied().collect();
        assert!(symmetry.len() == points && images == (0..points).collect());
    }
}

/// Checks that positions are rows, and moves are actions, without two that are alike.
fn check_arrays<G: Arrays>(game: G, games: u64) {
    let [planes, rows, columns] = game.planes();
    let (mut row, mut observation) = (vec![-7; game.width()], vec![-7.0; planes * rows * columns]);
    random_games(game, games, |play, _| {
        let pos = play.position();
        game.write(pos, &mut row);
        assert_eq!(game.read(&row).expect("a position"), *pos, "{row:?}");
        let mut actions: Vec<usize> = game.moves(pos).into_iter().map(|mv| game.action(mv)).collect();
        actions.sort_unstable();
        assert!(actions.is_sorted_by(|a, b| a < b) && actions.iter().all(|&action| action < game.actions()));
        game.observe(pos, 1, &mut observation);
        let pieces = observation[..2 * game.sizes().kinds * rows * columns].iter().sum::<f32>();
        assert_eq!(pieces as usize, game.pieces(pos).len(), "{}", play.fen());
        assert!(observation.iter().all(|number| (0.0..=1.0).contains(number)), "{observation:?}");
    });
}

#[test]
fn positions_and_moves_are_numbers() {
    for rules in rule_sets() {
        with_game!(rules, |game| if game.has_actions() {
            check_arrays(game, 6);
        });
    }
    check_arrays(Dao, 20);
    let fault = Dao.read(&[2; 18]).expect_err("no such kind").to_string();
    assert_eq!(fault, "column 0 is 2, expected 0 or a kind, negative for Black");
}

fn check_sides<G: Searchable>(game: &G, pos: &G::Position) {
    let flipped = game.flipped(pos);
    assert_eq!(game.flipped(&flipped), *pos);
    assert_ne!(game.side(&flipped), game.side(pos));
    assert_eq!(game.count_moves(&flipped), game.count_moves(pos));
    assert_eq!(game.evaluate(&flipped), game.evaluate(pos), "the sides are alike");
    assert_eq!(game.hash_key(&flipped).0, game.hash_key(pos).0);
    assert_eq!(game.key(&flipped), game.key(pos));
    let sum: i32 = game.terms(pos).iter().map(|term| term.white - term.black).sum();
    let sign = if game.side(pos) == Side::White { 1 } else { -1 };
    assert_eq!(game.evaluate(pos), sign * sum, "the terms add up");
}

/// Checks the threat hints, which are exact for the families here, although they need not be.
fn check_threats<G: Searchable>(game: &G, pos: &G::Position) {
    if game.decided(pos).is_some() {
        return;
    }
    let wins =
        |pos: &G::Position, mv| game.decided(&game.play(pos, mv)).is_some_and(|ending| ending.verdict == Verdict::Loss);
    assert_eq!(game.can_win_now(pos), game.moves(pos).into_iter().any(|mv| wins(pos, mv)));
    let passed = game.pass(pos);
    assert_eq!(game.is_threatened(pos), game.can_win_now(&passed));
}

#[test]
fn moves_texts_and_scores_agree_in_every_variant() {
    for rules in rule_sets() {
        with_game!(rules, |game| {
            check_family(game, 60);
            random_games(game, 60, |play, _| check_threats(&game, play.position()));
        });
    }
}

#[test]
fn moves_texts_and_scores_agree_in_families_from_outside() {
    check_family(ThreeMen, 200);
    check_family(Dao, 200);
}

fn check_family<G: Family>(game: G, games: u64) {
    let layout = game.layout();
    check_layout(&layout);
    random_games(game, games, |play, _| {
        check_moves(&game, play.position());
        check_texts(play);
        check_sides(&game, play.position());
        check_board(&layout, play);
    });
}

#[test]
fn exactly_the_listed_moves_are_legal() {
    for rules in rule_sets() {
        let mut rng = fastrand::Rng::with_seed(4);
        with_game!(rules, |game| random_games(game, 6, |play, _| {
            if rng.u32(..8) != 0 {
                return;
            }
            let listed: HashSet<Move> = game.moves(play.position()).into_iter().collect();
            let is_right = |bits: u32| {
                let mv = Move::from_bits(bits);
                assert_eq!(game.is_legal(play.position(), mv), listed.contains(&mv), "{} {bits:#x}", play.fen());
            };
            (0..=u32::from(u16::MAX)).for_each(is_right);
            // Moves with any further bits.
            let more = (0..2_000).map(|_| rng.u32(..));
            more.for_each(is_right);
            for mv in &listed {
                (15..32).for_each(|bit| is_right(mv.bits() ^ 1 << bit));
            }
        }));
    }
}

#[test]
fn symmetric_games_stay_symmetric() {
    for variant in Variant::ALL {
        with_game!(variant.rules(), |game| {
            for symmetry in 0..game.layout().symmetries.len() as u8 {
                let mut image = Play::new(game);
                random_games(game, 4, |play, mv| {
                    if play.position() == &game.start() {
                        image = Play::new(game);
                    }
                    let (pos, other) = (play.position(), image.position());
                    assert_eq!(game.evaluate(pos), game.evaluate(other));
                    assert_eq!(game.count_moves(pos), game.count_moves(other));
                    let ((key, to), (other_key, other_to)) = (game.hash_key(pos), game.hash_key(other));
                    if to != 0 || other_to != 0 {
                        assert_eq!(key, other_key);
                    }
                    if let Some(mv) = mv {
                        let mapped = game.map_move(mv, symmetry);
                        assert_eq!(game.unmap_move(mapped, symmetry), mv);
                        assert!(game.is_legal(other, mapped));
                        image.push(mapped);
                    }
                });
            }
        });
    }
}

#[test]
fn the_counter_and_repetition_end_games() {
    with_game!(Variant::Muehle.rules(), |game| {
        let play = Play::set_up(game, Some("O2/1O1/2O/O2X2/3/XX1/2X w 0 0 19 1"), ["a7d7"]).expect("legal");
        assert_eq!(play.ending().map(|ending| ending.verdict), Some(Verdict::Draw));
        let moves = "a7d7 g1g4 d7a7 g4g1 ".repeat(2);
        let fen = "O2/1O1/2O/O2X2/3/XX1/2X w 0 0 0 1";
        let play = Play::set_up(game, Some(fen), moves.split_whitespace()).expect("legal");
        assert_eq!((play.occurrences(), play.ending().map(|e| e.verdict)), (3, Some(Verdict::Draw)));
        let placed = Placed { position: *play.position(), move_number: 5 };
        assert_eq!(play.fen(), game.fen(&placed));
    });
}

proptest! {
    #[test]
    fn no_text_makes_the_readers_fail(text in "[ -~]{0,60}", board in "[OXwb0-9/ *@BSNbsn]{0,50}") {
        for variant in Variant::ALL {
            with_game!(variant.rules(), |game| check_readers(game, &[&text, &board]));
        }
        check_readers(ThreeMen, &[&text, &board]);
        check_readers(Dao, &[&text, &board]);
    }
}

/// Checks that each readable text is written so that it is read again.
fn check_readers<G: Family>(game: G, texts: &[&str]) {
    for text in texts {
        if let Ok(placed) = game.parse_fen(text) {
            assert_eq!(game.parse_fen(&game.fen(&placed)).expect("its own FEN"), placed);
        }
        if let Some(mv) = game.parse_move(text) {
            assert_eq!(game.parse_move(&game.move_text(mv)), Some(mv));
            assert_eq!(game.parts(mv).text, game.move_text(mv));
        }
    }
}
