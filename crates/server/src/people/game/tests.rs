//! Tests of a single game: seats, moves, clocks and offers.

use super::super::terms::{Act, Offer};
use super::time::{CORRESPONDENCE, DAY, FIRST_MOVE, HOST_AWAY};
use super::*;

const A: &str = "0123456789abcdef0123456789abcdef";
const B: &str = "fedcba9876543210fedcba9876543210";

fn terms(clock: Option<&str>) -> Terms {
    Terms { variant: "morris".to_string(), rules: String::new(), clock: clock.map(String::from), listed: true }
}

fn key(token: &str) -> String {
    key_of(token).expect("a token")
}

fn seat(game: &Game, token: &str) -> Option<Colour> {
    game.seat(&[key(token)])
}

fn open(terms: Terms, colour: Option<Colour>, name: &str) -> Result<Game, Fault> {
    Game::open(terms, colour, name, &key(A), "1", 0)
}

/// Returns a game whose White has the secret A, started at time 0.
fn begun(clock: Option<&str>) -> Game {
    let mut game = open(terms(clock), Some(Colour::White), " Ann\n ").expect("terms");
    game.join("Bo", &key(B), 0).expect("a seat");
    game
}

fn play(game: &mut Game, moves: &str, now: u64) {
    for text in moves.split_whitespace() {
        let act = Act::Move { ply: game.kept.moves.len(), text: text.to_string() };
        assert!(game.act(game.to_move(), &act, now).expect("a move"));
    }
}

fn fault(game: &mut Game, colour: Colour, act: Act, now: u64) -> String {
    let before = game.kept.clone();
    let fault = game.act(colour, &act, now).expect_err("refused").to_string();
    assert_eq!(game.kept.offers, before.offers);
    assert_eq!((&game.kept.moves, &game.kept.stage), (&before.moves, &before.stage));
    fault
}

fn result(game: &Game) -> (String, Termination, String) {
    let Stage::Over { result, termination, reason } = game.stage() else { panic!("not over: {:?}", game.stage()) };
    (result.to_string(), *termination, reason.clone())
}

#[test]
fn seats_are_kept_by_secrets() {
    let mut game = open(terms(None), None, "").expect("terms");
    let again = Game::open(terms(None), None, "", &key(A), "1", 5).expect("terms");
    assert_eq!((game.id(), game.id().len()), (again.id(), ID), "asked again it is the same");
    let other = Game::open(terms(None), None, "", &key(A), "2", 5).expect("terms");
    assert_ne!(game.id(), other.id(), "a player opens several");
    let own = seat(&game, A).expect("the own seat");
    assert_eq!(seat(&game, B), None);
    game.join("Bo", &key(B), 1).expect("the other");
    assert_eq!(seat(&game, B), Some(own.other()));
    assert!(game.is_playing() && game.join("Cy", &key(&"c".repeat(32)), 2).is_err());
    for bad in ["", "x", &A[1..], &A.to_uppercase()] {
        assert!(key_of(bad).is_err(), "{bad}");
    }
    let text = serde_json::to_string(game.kept()).expect("text");
    assert!(!text.contains(A) && !text.contains(B), "secrets are not kept: {text}");
    for (terms, expected) in [
        (Terms { variant: "x".to_string(), ..terms(None) }, "unknown variant"),
        (Terms { rules: "Stones=99".to_string(), ..terms(None) }, "Stones"),
        (terms(Some("0")), "clock"),
    ] {
        let reported = open(terms, None, "").err().expect("refused").to_string();
        assert!(reported.contains(expected), "{reported}");
    }
}

#[test]
fn moves_are_judged() {
    let mut game = begun(None);
    let mv = |ply, text: &str| Act::Move { ply, text: text.to_string() };
    assert_eq!(fault(&mut game, Colour::Black, mv(0, "d6"), 1), "the other side is to move");
    assert!(fault(&mut game, Colour::White, mv(0, "d9"), 1).starts_with("move \"d9\" "));
    play(&mut game, "d6", 1);
    assert!(!game.act(Colour::White, &mv(0, "d6"), 2).expect("known"), "sent again");
    assert_eq!(fault(&mut game, Colour::White, mv(0, "f4"), 2), "there are 1 moves, expected a move after these");
    assert!(fault(&mut game, Colour::Black, mv(1, "d6"), 2).starts_with("move \"d6\" "));
    assert!(game.act(Colour::White, &Act::Resign, 3).expect("given up"));
    assert_eq!(result(&game), ("0-1".to_string(), Termination::Resignation, "resigned".to_string()));
    assert_eq!(fault(&mut game, Colour::Black, mv(1, "f4"), 4), "the game is not being played");
    game.to_record().expect("a record").verify().expect("a game");
}

#[test]
fn a_game_ends_by_the_rules() {
    let rules = Terms { rules: "Stones=3".to_string(), ..terms(Some("60")) };
    let mut game = open(rules, Some(Colour::White), "").expect("terms");
    game.join("", &key(B), 0).expect("a seat");
    // Three stones each: the first mill wins.
    play(&mut game, "a7 a1 d7 d1 g7xa1", 10);
    let (result, termination, reason) = result(&game);
    assert_eq!((result.as_str(), termination, reason.as_str()), ("1-0", Termination::Normal, "few-stones"));
    let record = game.to_record().expect("a record");
    record.verify().expect("a game");
    assert_eq!((record.white.as_str(), record.house_rules.as_str()), ("?", "Stones=3"));
    assert_eq!(record.reason, "few-stones");
}

#[test]
fn flags_fall() {
    let mut game = begun(Some("60+2"));
    play(&mut game, "d6", 50_000);
    assert_eq!(game.clocks(50_500), Some(Both { white: 60_000, black: 60_000 }), "no clock runs yet");
    play(&mut game, "f4", 51_000);
    assert_eq!(game.clocks(61_000), Some(Both { white: 50_000, black: 60_000 }));
    play(&mut game, "d2", 61_000);
    assert_eq!(game.clocks(61_000), Some(Both { white: 52_000, black: 60_000 }), "increment");
    assert_eq!((game.deadline(), game.tick(120_999)), (121_000, Time::Same));
    // The clocks do not run while the server is stopped.
    let mut later = Game::resume(game.kept().clone(), None, 500_000).expect("kept");
    assert_eq!(later.clocks(510_000), Some(Both { white: 52_000, black: 50_000 }));
    assert_eq!(game.tick(121_000), Time::Ended);
    assert_eq!(result(&game), ("1-0".to_string(), Termination::Time, "time forfeit".to_string()));
    assert_eq!(game.clocks(999_999), Some(Both { white: 52_000, black: 0 }));
    assert_eq!((game.tick(121_001), game.tick(game.deadline())), (Time::Same, Time::Gone));
    game.to_record().expect("a record").verify().expect("a game");
    later.act(Colour::White, &Act::Resign, 511_000).expect("given up");
}

#[test]
fn periods_add_their_time() {
    let mut game = begun(Some("2/60"));
    play(&mut game, "d6 f4", 0);
    play(&mut game, "d2", 10_000);
    assert_eq!(game.clocks(10_000), Some(Both { white: 110_000, black: 60_000 }));
    play(&mut game, "b4", 12_000);
    assert_eq!(game.clocks(12_000), Some(Both { white: 110_000, black: 118_000 }));
}

#[test]
fn nobody_waits_for_ever() {
    let mut open = open(terms(Some("60")), None, "").expect("terms");
    assert_eq!((open.deadline(), open.tick(DAY)), (DAY, Time::Ended));
    assert!(*open.stage() == Stage::Aborted && open.to_record().is_none());
    let mut unplayed = begun(Some("60"));
    assert_eq!((unplayed.deadline(), unplayed.tick(FIRST_MOVE)), (FIRST_MOVE, Time::Ended));
    assert_eq!(*unplayed.stage(), Stage::Aborted);
    let mut slow = begun(None);
    play(&mut slow, "d6 f4", 5);
    assert_eq!((slow.clocks(9), slow.tick(CORRESPONDENCE + 4)), (None, Time::Same));
    // The days of a correspondence game pass even while a server is stopped.
    let mut slow = Game::resume(slow.kept().clone(), None, 77).expect("kept");
    assert_eq!(slow.tick(CORRESPONDENCE + 5), Time::Ended);
    assert_eq!(result(&slow).1, Termination::Time);
}

#[test]
fn offers_need_both() {
    use Colour::{Black, White};
    let mut game = begun(None);
    let (offer, accept) = (Act::Offer, Act::Accept);
    assert_eq!(fault(&mut game, White, offer(Offer::Takeback), 0), "you have no move to take back");
    assert_eq!(fault(&mut game, White, offer(Offer::Rematch), 0), "the game is not over");
    play(&mut game, "d6 f4", 0);
    assert_eq!(fault(&mut game, Black, accept(Offer::Draw), 0), "there is no such offer");
    assert!(game.act(White, &offer(Offer::Draw), 1).expect("offered"));
    assert!(!game.act(White, &offer(Offer::Draw), 1).expect("it waits"));
    assert_eq!(fault(&mut game, White, accept(Offer::Draw), 1), "there is no such offer", "not one's own");
    assert!(game.act(Black, &Act::Decline(Offer::Draw), 1).expect("declined"));
    assert!(fault(&mut game, White, offer(Offer::Draw), 1).starts_with("this was offered already"));
    // White has moved and Black answers: the take-back undoes both moves.
    play(&mut game, "d2 b4", 2);
    assert!(game.act(White, &offer(Offer::Takeback), 3).expect("offered"));
    assert!(game.act(Black, &accept(Offer::Takeback), 4).expect("accepted"));
    assert_eq!((game.moves().collect::<Vec<_>>(), game.to_move()), (vec!["d6", "f4"], White));
    play(&mut game, "d2", 5);
    game.act(White, &offer(Offer::Takeback), 5).expect("offered");
    game.act(Black, &offer(Offer::Takeback), 5).expect("both want it: the first offer counts");
    assert_eq!(game.moves().count(), 2);
    play(&mut game, "d2", 6);
    game.act(White, &offer(Offer::Draw), 6).expect("offered");
    play(&mut game, "b4", 7);
    assert_eq!(fault(&mut game, Black, accept(Offer::Draw), 7), "there is no such offer", "a move declines");
    game.act(Black, &offer(Offer::Draw), 8).expect("offered");
    game.act(White, &accept(Offer::Draw), 9).expect("accepted");
    assert_eq!(result(&game), ("1/2-1/2".to_string(), Termination::Agreement, "agreement".to_string()));
    game.to_record().expect("a record").verify().expect("a game");
    assert!(game.rematch(9).is_none());
    game.act(Black, &offer(Offer::Rematch), 10).expect("offered");
    game.act(White, &accept(Offer::Rematch), 11).expect("accepted");
    let next = game.rematch(12).expect("a game");
    assert_eq!((next.id(), next.moves().count()), (game.next().expect("a name"), 0));
    assert_eq!(seat(&next, A), Some(Black), "colours are exchanged");
    assert_eq!(next.names(), Both { white: Some("Bo"), black: Some("Ann") });
}

#[test]
fn prepared_answers_are_played() {
    let lines = |text: &str| -> Vec<Vec<String>> {
        text.split(';').map(|line| line.split_whitespace().map(String::from).collect()).collect()
    };
    let plan = |ply, text: &str| Act::Plan { ply, lines: lines(text) };
    let moves = |game: &Game| game.moves().collect::<Vec<_>>().join(" ");
    let mut game = begun(Some("60+2"));
    assert_eq!(fault(&mut game, Colour::White, plan(0, "d6 f4"), 0), "you are to move, expected the other side to be");
    assert!(fault(&mut game, Colour::Black, plan(1, "d6 f4"), 0).starts_with("there are 0 moves"));
    for bad in ["d6", "d6 f4 d2", ";d6 f4"] {
        assert!(
            fault(&mut game, Colour::Black, plan(0, bad), 0).starts_with("plan, expected at most 20 lines"),
            "{bad}"
        );
    }
    assert!(fault(&mut game, Colour::Black, plan(0, "d6 f4; d2 d2"), 0).starts_with("move \"d2\" "));
    let answers = plan(0, "d6 f4 d2 b4; d6 f4 a7 d7; a1 d1");
    assert!(game.act(Colour::Black, &answers, 0).expect("planned"));
    assert!(!game.act(Colour::Black, &answers, 0).expect("known"), "sent again");
    // It outlasts a restart.
    let mut game = Game::resume(game.kept().clone(), None, 0).expect("kept");
    play(&mut game, "d6", 1_000);
    assert_eq!((moves(&game), game.plan(Colour::Black)), ("d6 f4".to_string(), &lines("d2 b4; a7 d7")[..]));
    assert!(
        !game.act(Colour::White, &Act::Move { ply: 0, text: "d6".to_string() }, 1_001).expect("known"),
        "sent again"
    );
    play(&mut game, "a7", 11_000);
    assert_eq!((moves(&game), game.plan(Colour::Black).len()), ("d6 f4 a7 d7".to_string(), 0));
    assert_eq!(game.clocks(11_000), Some(Both { white: 52_000, black: 62_000 }), "an answer takes no time");
    // Another move than the expected ones, a take-back and the end leave no plan.
    for end in [Act::Offer(Offer::Takeback), Act::Resign] {
        game.act(Colour::Black, &plan(4, "a1 d1"), 12_000).expect("planned");
        game.act(Colour::Black, &end, 12_000).expect("done");
        if end != Act::Resign {
            game.act(Colour::White, &Act::Accept(Offer::Takeback), 12_000).expect("accepted");
            assert!(game.plan(Colour::Black).is_empty() && moves(&game) == "d6 f4 a7");
            play(&mut game, "d7", 12_000);
        }
    }
    assert!(game.plan(Colour::Black).is_empty());
    let mut game = begun(None);
    game.act(Colour::Black, &plan(0, "d6 f4"), 0).expect("planned");
    play(&mut game, "a1", 0);
    assert_eq!((moves(&game), game.plan(Colour::Black).len()), ("a1".to_string(), 0));
}

#[test]
fn an_invitation_can_be_withdrawn() {
    let mut open = open(terms(None), None, "").expect("terms");
    assert!(open.act(Colour::White, &Act::Cancel, 1).expect("withdrawn") && *open.stage() == Stage::Aborted);
    assert!(fault(&mut begun(None), Colour::White, Act::Cancel, 1).starts_with("the other player is there"));
}

#[test]
fn an_invitation_with_a_clock_expires_without_its_host() {
    let mut game = open(terms(Some("60")), None, "").expect("terms");
    game.set_host(false, 5);
    game.set_host(false, 50);
    assert_eq!((game.deadline(), game.tick(HOST_AWAY + 4)), (HOST_AWAY + 5, Time::Same), "away since 5");
    game.set_host(true, 60);
    assert_eq!(game.deadline(), DAY);
    game.set_host(false, DAY - 1);
    assert_eq!(game.deadline(), DAY);
    // After a restart of the server no client is connected.
    let mut game = Game::resume(game.kept().clone(), None, 100).expect("kept");
    assert_eq!((game.deadline(), game.tick(HOST_AWAY + 100)), (HOST_AWAY + 100, Time::Ended));
    assert_eq!(*game.stage(), Stage::Aborted);
    // The days do not depend on the host, and neither does a game in progress.
    let mut days = open(terms(None), None, "").expect("terms");
    days.set_host(false, 0);
    assert_eq!(days.deadline(), 14 * DAY);
    let mut playing = begun(Some("60"));
    playing.set_host(false, 0);
    assert_eq!(playing.deadline(), FIRST_MOVE);
}

#[test]
fn what_is_kept_comes_back() {
    let mut game = begun(Some("40/300+3"));
    play(&mut game, "d6 f4 d2", 1_000);
    game.act(Colour::White, &Act::Offer(Offer::Draw), 1_500).expect("offered");
    let text = serde_json::to_string(game.kept()).expect("text");
    let kept: Kept = serde_json::from_str(&text).expect("data");
    assert_eq!(&kept, game.kept());
    let back = Game::resume(kept, Some(7), 1_000).expect("a game");
    assert_eq!((back.kept(), back.record, back.to_move()), (game.kept(), Some(7), Colour::Black));
}
