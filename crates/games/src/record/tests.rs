use super::*;
use millbrain_core::variant::Variant;

fn example() -> GameRecord {
    let played = |text: &str, score: &str, depth, time| MoveRecord {
        text: text.to_string(),
        score: Some(score.to_string()),
        depth: Some(depth),
        time: Some(time),
        late: None,
    };
    GameRecord {
        index: 4,
        round: 3,
        white: "A".to_string(),
        black: "B \"quoted\" \\".to_string(),
        variant: "morris".to_string(),
        house_rules: String::new(),
        thinking: ["1+0.01".to_string(), "nodes 1000".to_string()],
        fen: "OO1/3/3/O1X3/1XX/3/3 b 0 0 0 1".to_string(),
        moves: vec![
            MoveRecord { text: "e3e4".to_string(), ..MoveRecord::default() },
            MoveRecord { time: Some(0), text: "d7c5".to_string(), ..MoveRecord::default() },
            played("e4g4", "-M2", 9, 12),
            played("c5a1xd3", "+M1", 1, 3),
        ],
        late_move: None,
        outcome: Outcome::WhiteWins,
        termination: Termination::Normal,
        reason: "few-stones".to_string(),
    }
}

#[test]
fn house_rules_change_those_of_the_variant() {
    let game = |house_rules: &str| GameRecord { house_rules: house_rules.to_string(), ..example() };
    assert_eq!(game("").rules(), Ok(Variant::Morris.rules()));
    let Ok(Ruleset::Morris(rules)) = game("Stones=7; Flying=false").rules() else { panic!("they exist") };
    assert_eq!((rules.stones, rules.flying, rules.no_mill_draw), (7, false, 100));
    for wrong in ["Stones=99", "Stones", "Colour=red", "Threads=2", "UCI_Variant=mlyn"] {
        let error = game(wrong).rules().expect_err("no rule");
        assert!(error.to_string().starts_with(&format!("house rules {wrong:?}, expected")), "{error}");
    }
    // A game with a removal that only these rules allow survives its text.
    let fen = "OOO/1XX/X2/3X2/3/3/O2 w 0 0 0 1";
    let text = GameRecord { fen: fen.to_string(), ..game("Removal=never,Flying=false") }.text();
    assert!(text.contains("[HouseRules \"Removal=never,Flying=false\"]\n"), "{text}");
    let again = read_games(&text).expect("a record").remove(0);
    assert_eq!(again.house_rules, "Removal=never,Flying=false");
    assert!(!example().text().contains("HouseRules"));
}

#[test]
fn games_survive_their_text() {
    let game = example();
    let text = game.text() + &game.text();
    assert_eq!(read_games(&text).expect("readable"), [game.clone(), game]);
    assert_eq!(read_games(" \n\n").expect("empty"), []);
}

#[test]
fn faults_have_their_line() {
    let text = example().text();
    for (from, to, reported) in [
        ("[Result \"1-0\"]", "[Result \"0-1\"]", "line 1: the moves end with 1-0, expected 0-1 as the tag says"),
        ("3ms}", "3ms", "line 17: a comment has no end"),
        ("[Black ", "[Black", "line 5: \"[Black\\\"B"),
        ("1... ", "xd1 ", "line 15: \"xd1\" stands before the first move"),
    ] {
        let changed = text.replacen(from, to, 1);
        let error = read_games(&changed).expect_err(from).to_string();
        assert!(error.starts_with(reported), "{error}");
        let error = read_games(&format!("{}{changed}", example().text())).expect_err(from).to_string();
        let line = |text: &str| text.split([' ', ':']).nth(1).and_then(|line| line.parse::<usize>().ok());
        assert_eq!(line(&error), line(reported).map(|line| line + text.lines().count()), "{error}");
    }
    // Missing tags have their usual values.
    let bare = read_games("[Variant \"morris\"]\n\n1. d6 f4").expect("a game").remove(0);
    assert_eq!((bare.white.as_str(), bare.index, bare.round, bare.outcome), ("?", 0, 1, Outcome::Open));
    assert_eq!((bare.termination, bare.fen.as_str()), (Termination::Unfinished, "3/3/3/6/3/3/3 w 9 9 0 1"));
    assert_eq!(bare.verify(), Ok(()));
}

/// Returns a game that was lost by a late move, after one that was late within the margin.
fn lost_on_time() -> GameRecord {
    let mut game = example();
    game.late_move = game.moves.pop().map(|last| MoveRecord { time: Some(612), late: Some(112), ..last });
    game.moves[2].late = Some(2);
    GameRecord {
        outcome: Outcome::BlackWins,
        termination: Termination::Time,
        reason: "A was 112 ms late".to_string(),
        ..game
    }
}

#[test]
fn late_moves_are_recorded() {
    let game = lost_on_time();
    let text = game.text();
    assert!(text.contains("\n[LateMove \"c5a1xd3 {+M1/1 612ms 112ms late}\"]\n"), "{text}");
    assert!(text.contains(" e4g4 {-M2/9 12ms 2ms late}"), "{text}");
    assert_eq!(read_games(&text), Ok(vec![game.clone()]));
    // The late move was not played, so the game is not over by the rules.
    assert_eq!(game.verify(), Ok(()));
    let json = serde_json::to_string(&game).expect("data");
    assert!(json.contains(r#""late_move":{"move":"c5a1xd3","score":"+M1","depth":1,"time":612,"late":112}"#));
    assert_eq!(serde_json::from_str::<GameRecord>(&json).expect("data"), game);
    // It need not even be a move.
    for text in ["", "}", " {", "a\"b\\"] {
        let late_move = Some(MoveRecord { text: text.to_string(), time: Some(1), ..MoveRecord::default() });
        let odd = GameRecord { late_move, ..lost_on_time() };
        assert_eq!(read_games(&odd.text()), Ok(vec![odd]));
    }
}

#[test]
fn records_without_late_moves_are_read() {
    let json = serde_json::to_string(&example()).expect("data");
    assert!(!json.contains("late"), "{json}");
    assert_eq!(serde_json::from_str::<GameRecord>(&json).expect("data"), example());
    assert!(!example().text().contains("LateMove"));
}

#[test]
fn the_text_is_as_documented() {
    let text = example().text();
    let (tags, moves) = text.split_once("\n\n").expect("an empty line");
    assert_eq!(tags.lines().next(), Some("[Event \"millbrain match\"]"));
    assert!(tags.contains("[Game \"5\"]\n[Round \"3\"]\n[White \"A\"]\n[Black \"B \\\"quoted\\\" \\\\\"]\n"), "{tags}");
    assert!(tags.contains("[PlyCount \"4\"]"), "{tags}");
    // Black moves first here.
    assert_eq!(moves, "1... e3e4 {book}\n2. d7c5 {0ms} e4g4 {-M2/9 12ms}\n3. c5a1xd3 {+M1/1 3ms} 1-0\n\n");
    let white_first = GameRecord { fen: "3/3/3/6/3/3/3 w 9 9 0 1".to_string(), ..example() };
    assert!(white_first.text().contains("\n\n1. e3e4 {book} d7c5 {0ms}\n2. e4g4 {-M2/9 12ms} c5a1xd3"));
}

#[test]
fn outcomes_and_ends_have_names() {
    for outcome in Outcome::ALL {
        assert_eq!(outcome.to_string().parse(), Ok(outcome));
    }
    assert_eq!(
        [Some(Side::White), Some(Side::Black), None].map(|side| Outcome::of(side).to_string()),
        ["1-0", "0-1", "1/2-1/2"]
    );
    assert_eq!(Outcome::ALL.map(Outcome::white_half_points), [Some(2), Some(0), Some(1), None]);
    for termination in Termination::ALL {
        assert_eq!(termination.to_string().parse(), Ok(termination));
    }
    let failures: Vec<_> = Termination::ALL.into_iter().filter(|ended| ended.is_failure()).collect();
    assert_eq!(failures, [Termination::Time, Termination::IllegalMove, Termination::Crash, Termination::Stall]);
    assert!("win".parse::<Outcome>().is_err_and(|error| error.to_string().contains("expected 1-0")));
    assert!("win".parse::<Termination>().is_err_and(|error| error.to_string().contains("expected one such as")));
}

#[test]
fn games_are_played_again() {
    assert_eq!(example().verify(), Ok(()));
    let fault = |change: &dyn Fn(&mut GameRecord)| {
        let mut game = example();
        change(&mut game);
        game.verify().expect_err("a fault").to_string()
    };
    assert!(fault(&|game| game.variant = "chess".to_string()).contains("chess"));
    assert!(fault(&|game| game.fen = "x".to_string()).contains("FEN"));
    assert!(fault(&|game| game.moves[1].text = "a1a1".to_string()).starts_with("move 2 (a1a1) is illegal"));
    assert!(
        fault(&|game| game.outcome = Outcome::Draw).starts_with("the result is recorded as 1/2-1/2, but it is 1-0")
    );
    assert!(fault(&|game| game.termination = Termination::Stall).starts_with("recorded as stall, but over"));
    assert!(fault(&|game| drop(game.moves.pop())).contains("recorded as over, but it is not"));
    assert!(
        fault(&|game| game.moves.push(game.moves[0].clone()))
            .starts_with("move 5 (e3e4) comes after the end of the game")
    );
    let mut open = example();
    open.moves.pop();
    for termination in [Termination::Adjudication, Termination::Crash] {
        assert_eq!(GameRecord { termination, ..open.clone() }.verify(), Ok(()));
    }
}

#[test]
fn control_characters_do_not_break_the_text() {
    let game = GameRecord { white: "A\nB\t\u{1b}".to_string(), ..example() };
    let read = read_games(&game.text()).expect("readable");
    assert_eq!(read[0].white, "A B  ");
}
