//! Known facts, and a check of all facts by a plain search of every move.

use super::facts::{Fact, Kind};
use millbrain_core::any::{AnyBoard, AnyRules};
use millbrain_core::game::value::{Known, Value};
use millbrain_core::game::{Side, Verdict};
use millbrain_core::texts::Language;
use millbrain_core::variant::Variant;
use std::collections::BTreeSet;

type Board = Box<dyn AnyRules>;

fn board(variant: Variant, fen: Option<&str>, moves: &str) -> Board {
    let mut board = AnyBoard::new(variant.rules()).copy();
    board.set_up_all(fen, &mut moves.split_whitespace()).expect("a position");
    board
}

fn after(game: &dyn AnyRules, mv: &str) -> Board {
    let mut next = game.copy();
    next.push(mv).unwrap_or_else(|fault| panic!("{mv} {fault}"));
    next
}

/// Returns the lead of a side in pieces, counted one by one.
fn lead(game: &dyn AnyRules, side: Side) -> i32 {
    let worth = |kind: usize| if game.family() == "smess" { [0, 330, 100][kind] } else { 100 };
    let on_board: i32 =
        game.pieces().iter().map(|piece| if piece.side == side { worth(piece.kind) } else { -worth(piece.kind) }).sum();
    let [white, black] = game.hands().unwrap_or_default().map(|hand| 100 * hand as i32);
    on_board + if side == Side::White { white - black } else { black - white }
}

fn winner(game: &dyn AnyRules) -> Option<Option<Side>> {
    game.ending().map(|ending| ending.winner(game.side()))
}

/// Returns the positions after the captures and promotions.
fn exchanges(game: &dyn AnyRules) -> Vec<Board> {
    let counts = |game: &dyn AnyRules| (lead(game, Side::White), game.pieces().len() as u32 + hand(game));
    let before = counts(game);
    let next = game.moves().into_iter().map(|mv| after(game, &mv));
    next.filter(|next| counts(&**next) != before).collect()
}

fn hand(game: &dyn AnyRules) -> u32 {
    game.hands().unwrap_or_default().iter().sum()
}

/// Returns whether a side, whose opponent is to move, keeps a lead in an exchange.
fn keeps(game: &dyn AnyRules, side: Side, least: i32) -> bool {
    exchanges(game).into_iter().all(|next| match winner(&*next) {
        Some(_) => false,
        None => lead(&*next, side) >= least || regains(&*next, side, least),
    })
}

fn regains(game: &dyn AnyRules, side: Side, least: i32) -> bool {
    exchanges(game).into_iter().any(|next| match winner(&*next) {
        Some(won) => won == Some(side),
        None => lead(&*next, side) >= least && keeps(&*next, side, least),
    })
}

/// Returns whether a side reaches a lead within these plies, whatever the other one plays.
fn forces(game: &dyn AnyRules, side: Side, least: i32, plies: u32) -> bool {
    if let Some(won) = winner(game) {
        return won == Some(side);
    }
    if plies == 0 {
        return lead(game, side) >= least && keeps(game, side, least);
    }
    let mut next = game.moves().into_iter().map(|mv| after(game, &mv));
    if plies == 1 {
        // The last move has to gain something itself.
        return exchanges(game).iter().any(|next| forces(&**next, side, least, 0));
    }
    if game.side() == side {
        next.any(|next| forces(&*next, side, least, plies - 1))
    } else {
        next.all(|next| forces(&*next, side, least, plies - 1))
    }
}

/// Counts the stones of a side on the points of a mill, and whether the other points are empty.
fn on_mill(game: &dyn AnyRules, mill: &[String], side: Side) -> (usize, bool) {
    let points = game.layout().points;
    let on: Vec<Side> =
        game.pieces().iter().filter(|piece| mill.contains(&points[piece.point].name)).map(|piece| piece.side).collect();
    (on.iter().filter(|stone| **stone == side).count(), on.iter().all(|stone| *stone == side))
}

fn wins_next(game: &dyn AnyRules) -> bool {
    game.moves().iter().any(|mv| winner(&*after(game, mv)) == Some(Some(game.side())))
}

fn neighbours(game: &dyn AnyRules, point: usize) -> BTreeSet<usize> {
    let steps = game.layout().steps;
    let next = steps.iter().flat_map(|&[a, b]| [(a, b), (b, a)]).filter(|&(from, _)| from == point);
    next.map(|(_, to)| to).collect()
}

fn free_points(game: &dyn AnyRules, side: Side) -> u32 {
    let pieces = game.pieces();
    let own = pieces.iter().filter(|piece| piece.side == side);
    let next: BTreeSet<usize> = own.flat_map(|piece| neighbours(game, piece.point)).collect();
    next.iter().filter(|&&point| pieces.iter().all(|piece| piece.point != point)).count() as u32
}

/// Whether a search of these plies takes too long here.
fn is_long(game: &dyn AnyRules, plies: u32) -> bool {
    (game.moves().len() as u64).pow(plies) > 40_000
}

/// Returns the least gain that a fact claims, and the plies after the move until then.
fn gain_of(fact: &Fact) -> Option<(i32, u32)> {
    let count = fact.count.unwrap_or_default();
    match fact.kind {
        Kind::MissedMill | Kind::MissedTake | Kind::MissedPromotion => Some((100, 0)),
        Kind::MissedDoubleMill | Kind::MissedFork => Some((100, 2)),
        Kind::MissedStone | Kind::MissedMaterial => Some((100, 2 * (count - 1))),
        Kind::MissedTwoStones => Some((200, 2 * (count - 1))),
        Kind::AllowsMill | Kind::AllowsTake | Kind::AllowsPromotion => Some((100, 1)),
        Kind::AllowsDoubleMill | Kind::AllowsFork => Some((100, 3)),
        Kind::AllowsStone | Kind::AllowsMaterial => Some((100, 2 * count - 1)),
        Kind::AllowsTwoStones => Some((200, 2 * count - 1)),
        _ => None,
    }
}

/// Counts the squares to which a side can move its Brain without losing it at once.
fn safe_squares(reached: &dyn AnyRules, side: Side) -> u32 {
    let own = reached.passed();
    let brain = |game: &dyn AnyRules| {
        let mut pieces = game.pieces().into_iter();
        pieces.find(|piece| piece.kind == 0 && piece.side == side).map(|piece| piece.point)
    };
    let kept = |mv: &String| {
        let moved = after(&*own, mv);
        brain(&*moved) != brain(&*own) && moved.moves().iter().all(|reply| brain(&*after(&*moved, reply)).is_some())
    };
    own.moves().iter().filter(|mv| kept(mv)).count() as u32
}

/// Checks a fact by plain means; returns `false` if that took too long.
fn check(game: &dyn AnyRules, played: &str, better: &str, fact: &Fact) -> bool {
    let (side, opponent) = (game.side(), game.side().other());
    let (after_played, after_better) = (after(game, played), after(game, better));
    let name = format!("{fact:?} after {} of {} instead of {better}", game.fen(), played);
    let next = fact.reply.as_ref().map(|reply| after(&*after_played, reply));
    let mill = |place: usize| fact.mills.get(place).unwrap_or_else(|| panic!("{name}"));
    let holds = |is_true: bool| assert!(is_true, "{name}");
    let [count, instead] = [fact.count, fact.instead].map(Option::unwrap_or_default);
    let gain = gain_of(fact);
    if let Some((least, plies)) = gain {
        if is_long(game, plies) {
            return false;
        }
        if let Some(next) = &next {
            let gains = |from: &dyn AnyRules, to: &dyn AnyRules, plies| {
                forces(to, opponent, lead(from, opponent) + least, plies)
            };
            holds(gains(&*after_played, &**next, plies - 1) && !gains(&*after_better, &*after_better, plies));
        } else {
            let gains = |to: &dyn AnyRules| forces(to, side, lead(game, side) + least, plies);
            holds(gains(&*after_better) && !gains(&*after_played));
        }
    }
    let takes = |to: &dyn AnyRules, by: Side, before: &dyn AnyRules| lead(to, by) > lead(before, by);
    match fact.kind {
        Kind::WinsAtOnce => holds(winner(&*after_better) == Some(Some(side))),
        Kind::AllowsWinAtOnce | Kind::AllowsLock | Kind::AllowsBrain => {
            holds(next.is_some_and(|next| winner(&*next) == Some(Some(opponent))) && !wins_next(&*after_better));
        }
        Kind::MissedMill => {
            holds(on_mill(&*after_better, mill(0), side).0 == 3 && takes(&*after_better, side, game));
            holds(on_mill(game, mill(0), side).0 < 3 || game.phase() != "placing");
        }
        Kind::AllowsMill | Kind::LeavesMill => {
            let next = next.expect("a reply");
            holds(on_mill(&*next, mill(0), opponent).0 == 3 && takes(&*next, opponent, &*after_played));
            let names = game.layout().points;
            for parts in after_better.move_parts() {
                let reached = after(&*after_better, &parts.text);
                let closes = mill(0).contains(&names[parts.to].name) && on_mill(&*reached, mill(0), opponent).0 == 3;
                holds(!closes || !takes(&*reached, opponent, &*after_better));
            }
        }
        Kind::MissedTake | Kind::MissedPromotion => holds(takes(&*after_better, side, game)),
        Kind::AllowsTake | Kind::AllowsPromotion => {
            holds(takes(&*next.expect("a reply"), opponent, &*after_played));
        }
        Kind::MissedDoubleMill => {
            holds(on_mill(&*after_better, mill(0), side).0 == 3 && on_mill(&*after_better, mill(1), side) == (2, true));
        }
        Kind::AllowsDoubleMill => {
            let next = next.expect("a reply");
            holds(on_mill(&*next, mill(0), opponent).0 == 3 && on_mill(&*next, mill(1), opponent) == (2, true));
        }
        Kind::MissedFork => holds((0..2).all(|place| on_mill(&*after_better, mill(place), side) == (2, true))),
        Kind::AllowsFork => {
            let next = next.expect("a reply");
            holds((0..2).all(|place| on_mill(&*next, mill(place), opponent) == (2, true)));
        }
        Kind::OpensMill => {
            holds(on_mill(game, mill(0), side).0 == 3 && on_mill(&*after_played, mill(0), side) == (2, true));
            holds(on_mill(&*next.expect("a reply"), mill(0), opponent).0 == 1);
            holds(on_mill(&*after_better, mill(0), side).0 == 3);
        }
        Kind::MissedThreat => {
            holds(on_mill(&*after_better, mill(0), side) == (2, true));
            let own = after_played.passed();
            holds(own.moves().iter().all(|mv| !takes(&*after(&*own, mv), side, &*own)));
        }
        Kind::FreePoints => {
            holds([count, instead] == [&after_played, &after_better].map(|game| free_points(&**game, side)));
            holds(count < instead);
        }
        Kind::FreePointsOfOpponent => {
            holds([count, instead] == [&after_played, &after_better].map(|game| free_points(&**game, opponent)));
            holds(count > instead);
        }
        Kind::Neighbours => {
            let points = game.layout().points;
            let of = |name: &str| {
                let at = points.iter().position(|point| point.name == name).expect("a point");
                neighbours(game, at).len() as u32
            };
            holds(count == of(&played[..2]) && instead == of(&better[..2]) && count < instead);
        }
        Kind::BrainSquares => {
            holds([count, instead] == [&after_played, &after_better].map(|game| safe_squares(&**game, side)));
            holds(count < instead);
        }
        Kind::Moves => {
            let moves = |game: &dyn AnyRules| game.passed().moves().len() as u32;
            holds([count, instead] == [moves(&*after_played), moves(&*after_better)] && count < instead);
        }
        Kind::MovesOfOpponent => {
            let moves = |game: &dyn AnyRules| game.moves().len() as u32;
            holds([count, instead] == [moves(&*after_played), moves(&*after_better)] && count > instead);
        }
        _ => holds(gain.is_some()),
    }
    true
}

/// Checks that a fact has its sentence in every language, with all that it names.
fn check_words(fact: &Fact) {
    for language in Language::ALL {
        let sentence = fact.sentence(*language);
        assert!(sentence.ends_with('.') && !sentence.contains(['{', '}', '|']), "{fact:?}: {sentence}");
        assert!(!sentence.contains("  ") && !sentence.contains(" ."), "{fact:?}: {sentence}");
        for number in [fact.plies, fact.count, fact.instead].into_iter().flatten() {
            assert!(sentence.contains(&number.to_string()), "{fact:?}: {sentence}");
        }
        let named = fact.reply.iter().chain(&fact.point).cloned().chain(fact.mills.iter().take(1).map(|m| m.join("-")));
        for name in named {
            assert!(sentence.contains(&name), "{fact:?}: {sentence}");
        }
    }
}

/// A variant, the FEN of its first position, the moves up to the bad one, the better one, and the expected kind of fact
/// and reply.
type Case = (Variant, Option<&'static str>, &'static str, &'static str, Kind, Option<&'static str>);

#[test]
fn each_kind_of_fact_is_stated_where_it_is_true() {
    use Variant::{Lasker, Mlyn, Morabaraba, Morris, Mylos, Smess};
    let cases: &[Case] = &[
        (Morris, Some("3/O1O/O2/X5/2X/3/1XX w 0 0"), "b6b4", "b6a1", Kind::AllowsWinAtOnce, Some("a4a1")),
        (Mlyn, Some("OOX/1X1/3/X3X1/3/1X1/1O1 w 0 0"), "d1a1", "d1g1", Kind::AllowsLock, Some("d2d1")),
        (Mlyn, None, "c5 f6 c3 d7 f2", "c4xd7", Kind::MissedMill, None),
        (Mlyn, None, "c5 f6 c3 d7", "c4", Kind::AllowsMill, Some("c4")),
        (Mlyn, None, "g4 d1 e3 g7 d2", "e4", Kind::MissedFork, None),
        (Mlyn, None, "g4 d1 e3 g7", "f4", Kind::AllowsFork, Some("e4")),
        (Lasker, None, "b2 d7 g7 c4 g4 d2 g1xd7 b4 g7d7 a4xg4 g1d1 f4 d5 d6 c3 e3", "f6", Kind::MissedDoubleMill, None),
        (
            Lasker,
            None,
            "b2 d7 g7 c4 g4 d2 g1xd7 b4 g7d7 a4xg4 g1d1 f4 d5 d6 c3",
            "f6",
            Kind::AllowsDoubleMill,
            Some("f6"),
        ),
        (Lasker, None, "c4 a1 e5 d5 g4 b4 e4 f4 e3xa1", "e3xf4", Kind::MissedStone, None),
        (Morris, None, "e4 a1 d5 f2", "d2", Kind::AllowsStone, Some("e5")),
        (Morris, Some("3/OOO/1X1/6/3/X1X/O1X w 0 0"), "d6d7", "a1a4", Kind::OpensMill, Some("d5d6")),
        (Morabaraba, None, "c5 e3 f4", "b6", Kind::MissedThreat, None),
        (Mylos, None, "g1", "d6", Kind::FreePoints, None),
        (Mlyn, None, "g4", "d6", Kind::Neighbours, None),
        (
            Smess,
            None,
            "c2c3 g7g8 c3b4 g8g7 c1c3 g7g8 c3d4 b7a8 a2a3 b8b7 e2e3 f7f6 d2d3 d7d6 d4d5 b7b4 g2g1 b4g4 e3d4",
            "d1c1",
            Kind::AllowsBrain,
            Some("g4d1"),
        ),
        (Smess, None, "g2g3 f7f6 g3f3 f8g8 b1a1 b8a8 f1g1 b7b6 g1g7 f6e6", "g8g7", Kind::MissedTake, None),
        (Smess, None, "c2c3 g7g8 c3b4 g8g7 c1c3 g7g8 b4b3 g8g7", "e7e6", Kind::AllowsTake, Some("c3g7")),
        (
            Smess,
            None,
            "g2g3 b7b6 g3f3 c7b7 c2c3 c8c4 f3e3 d8c8 b2b3 g7g6 c3d4 c4c6 a2a3",
            "d4d5",
            Kind::MissedMaterial,
            None,
        ),
        (
            Smess,
            None,
            "g2g3 f7f6 g3f3 f8g8 b1a1 b8a8 f1g1 b7b6 g1g7 f6e6 f3f4",
            "g7g8",
            Kind::AllowsMaterial,
            Some("g8g7"),
        ),
        (Smess, Some("6b/2N4/7/7/7/7/7/3B3 w 0 1"), "d1e1", "c7c8", Kind::MissedPromotion, None),
        (Smess, Some("6b/7/7/7/7/B6/2n1S2/7 w 0 1"), "e2e5", "e2e1", Kind::AllowsPromotion, Some("c2c1")),
        (Smess, None, "a2a3 d7d6 a3a2 d6c6 f2g1 d8d7 e2e3 c6d5 a2a3 d5c4", "e7e6", Kind::BrainSquares, None),
        (Smess, None, "b1a1 g7g8", "a7a6", Kind::Moves, None),
    ];
    let mut wrong = Vec::new();
    for (variant, fen, moves, better, kind, reply) in cases {
        let (before, played) = moves.rsplit_once(' ').unwrap_or(("", moves));
        let game = board(*variant, *fen, before);
        let facts = Fact::all(&*game, played, better, [None; 2]);
        let reported = facts.first().map(|fact| (fact.kind, fact.reply.clone()));
        let is_reported = reported.as_ref().is_some_and(|(stated, given)| {
            stated == kind && reply.is_none_or(|reply| given.as_ref().is_some_and(|given| given.starts_with(reply)))
        });
        if !is_reported {
            wrong.push(format!("{variant} {moves} {kind:?}: {reported:?}"));
        }
        for fact in &facts {
            check(&*game, played, better, fact);
            check_words(fact);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn results_that_are_known_come_first() {
    let game = board(Variant::Morris, None, "");
    let first = |before, after| {
        let facts = Fact::all(&*game, "a7", "d6", [before, after]);
        let fact = facts.first().expect("a fact").clone();
        check_words(&fact);
        (fact.kind, fact.plies)
    };
    let (win, draw, loss) = (Some(Value::Win(9)), Some(Value::Draw), Some(Value::Loss(4)));
    let [win, draw, loss] = [win, draw, loss].map(|value| value.map(Known::Value));
    assert_eq!(first(win, draw), (Kind::GaveUpWin, Some(9)));
    assert_eq!(first(win, loss), (Kind::GaveUpWin, Some(9)));
    assert_eq!(first(Some(Known::Verdict(Verdict::Win)), draw), (Kind::GaveUpWin, None));
    assert_eq!(first(draw, loss), (Kind::GaveUpDraw, Some(4)));
    assert_eq!(first(win, None), (Kind::MissedWin, Some(9)));
    assert_eq!(first(None, loss), (Kind::AllowsWin, Some(3)));
    assert_eq!(first(Some(Known::Value(Value::Loss(8))), loss), (Kind::HastensLoss, Some(4)));
    assert_ne!(first(loss, loss).0, Kind::HastensLoss);
}

/// Whatever two moves are compared, what is stated about them is true.
#[test]
fn every_fact_holds_by_a_plain_search() {
    let mut rng = fastrand::Rng::with_seed(5);
    let (mut seen, mut checked, mut skipped) = (BTreeSet::new(), 0, 0);
    for variant in Variant::ALL {
        for _ in 0..25 {
            let mut game = board(variant, None, "");
            for _ in 0..rng.usize(2..50) {
                let moves = game.moves();
                let mut next = after(&*game, rng.choice(&moves).expect("a move"));
                // Captures make positions with mills more frequent.
                if let Some(exchange) = exchanges(&*game).pop().filter(|_| rng.u8(..3) > 0) {
                    next = exchange;
                }
                if next.ending().is_some() {
                    break;
                }
                game = next;
            }
            let moves = game.moves();
            for _ in 0..3 {
                let [played, better] = [(); 2].map(|()| rng.choice(&moves).expect("a move"));
                for fact in Fact::all(&*game, played, better, [None; 2]) {
                    check_words(&fact);
                    if check(&*game, played, better, &fact) {
                        seen.insert(fact.kind);
                        checked += 1;
                    } else {
                        skipped += 1;
                    }
                }
            }
        }
    }
    assert!(checked > 200 && checked > 2 * skipped && seen.len() > 16, "{checked} {skipped} {seen:?}");
}
