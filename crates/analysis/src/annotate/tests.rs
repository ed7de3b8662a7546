use super::*;
use millbrain_core::variant::Variant;
use millbrain_games::forms::{Format, read, write};
use millbrain_tablebase::probe::ProbedMove;
use millbrain_tablebase::{Sources, open};

/// Returns the games of a text, explained; a list of moves is played by the rules of `morris`.
fn explained(text: &str, nodes: u64, code: &str) -> Vec<(Game, Annotation)> {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let settings = Annotate { limits, explain: Language::find(code) };
    let hash = Arc::new(HashTable::new(1).expect("a MiB"));
    let games = read(text, None, &Game::default()).expect("games");
    let each = games.into_iter().enumerate().map(|(i, reading)| {
        let game = reading.game;
        let rules = game.rules().expect("rules");
        let mut start = AnyGame::new(rules);
        start.set_oracle(open(&rules, &Sources::default()).oracle.as_ref());
        let reported = annotate(i + 1, &game, &start, &settings, &hash, None).expect("legal moves");
        (game, reported)
    });
    each.collect()
}

/// Returns a record from a position, with these moves.
fn record(variant: Variant, fen: &str, moves: &str) -> String {
    format!("[Variant \"{variant}\"]\n[FEN \"{fen}\"]\n[Result \"*\"]\n\n{moves}\n")
}

/// Returns the last move of a record from a position.
fn last(variant: Variant, fen: &str, moves: &str, code: &str) -> AnnotatedMove {
    let (_, reported) = explained(&record(variant, fen, moves), 20_000, code).pop().expect("a game");
    reported.moves.last().expect("a move").clone()
}

#[test]
fn what_is_said_of_a_move_is_a_fact() {
    // White closes a mill at d7 and leaves Black two stones; it plays elsewhere.
    let missed = last(Variant::Morris, "O1O/1O1/3/O1X3/1XX/3/3 w 0 0", "g7g4", "en");
    let wins = missed.fact.as_ref().map(|fact| (fact.kind, fact.better.clone()));
    assert_eq!(wins, Some((Kind::WinsAtOnce, Some(missed.better[0].clone()))), "{missed:?}");
    assert_eq!(missed.sentence.as_deref(), Some(format!("{} wins at once.", missed.better[0]).as_str()));
    // A mill that takes one of many.
    let mill = last(Variant::Morris, "OO1/3/3/6/X2/1X1/2X w 6 6", "f4", "de");
    let better = &mill.better[0];
    assert!(mill.fact.as_ref().is_some_and(|fact| fact.kind == Kind::MissedMill) && better.starts_with("g7x"));
    let reported = format!("{better} hätte die Mühle a7-d7-g7 geschlossen und einen Stein genommen.");
    assert_eq!(mill.sentence, Some(reported));
    // A mill that has to be blocked.
    let allowed = last(Variant::Morris, "XX1/3/3/6/3/O2/1O1 w 7 7", "c3", "sk");
    let fact = allowed.fact.as_ref().expect("a fact");
    let reply = fact.reply.clone().expect("a reply");
    assert!(fact.kind == Kind::AllowsMill && reply.starts_with("g7x") && allowed.better[0] == "g7", "{allowed:?}");
    let reported = format!("Súper teraz môže ťahom {reply} zavrieť mlyn a7-d7-g7; g7 tomu zabráni.");
    assert_eq!(allowed.sentence, Some(reported));
}

#[test]
fn tables_are_believed_before_the_search() {
    // Known from the tables that are part of the program.
    let fen = "1O1/3/3/X4O/3/3/XOX w 0 0 0 1";
    let (_, reported) = explained(&record(Variant::Morris, fen, "d7a7"), 1, "en").pop().expect("a game");
    let AnnotatedMove { before, after, loss, mark, .. } = &reported.moves[0];
    assert_eq!((before.value, before.plies), (Some("loss"), Some(26)));
    assert_eq!((after.value, before.expected, after.expected), (Some("loss"), 0, 0));
    assert!(*loss == 0 && mark.is_empty() && after.plies.is_some_and(|plies| plies < 26));
    for annotated in &reported.moves {
        assert_eq!(annotated.comment(), format!("{} -> {}", annotated.before, annotated.after));
    }
}

#[test]
fn the_only_move_is_marked() {
    let won = last(Variant::Morris, "O1O/1O1/3/O1X3/1XX/3/3 w 0 0", "d6d7xc4", "en");
    assert!(won.after.value == Some("win") && won.mark.is_empty(), "several moves win: {won:?}");
    let mill = last(Variant::Morris, "3/1X1/1O1/2XXXO/3/3/2O w 0 0", "d5g7xd6", "en");
    assert_eq!((mill.mark, mill.after.value, mill.better.len()), (ONLY, Some("win"), 0), "{mill:?}");
}

#[test]
fn sums_and_forms_agree_with_the_moves() {
    let text = "d6 f4 d2 b4 c3 a1 e4 g7 d5";
    let (game, reported) = explained(text, 300, "en").pop().expect("a game");
    assert_eq!((reported.moves.len(), reported.result.as_str()), (9, "*"));
    let sums: Vec<usize> = reported.summary.values().flat_map(|phases| phases.values()).map(|sum| sum.moves).collect();
    assert_eq!(sums.iter().sum::<usize>(), 9);
    let loss: i32 = reported.summary.values().flat_map(|phases| phases.values()).map(|sum| sum.loss).sum();
    assert_eq!(loss, reported.moves.iter().map(|annotated| annotated.loss).sum::<i32>());
    let shown = reported.to_string();
    assert!(shown.starts_with("1. ? - ?, morris, *\n   1 white d6 ") && shown.contains("black placing "), "{shown}");
    assert_eq!(explained(text, 300, "en").pop().expect("a game").1, reported, "the same words again");
    // In other forms the game is the same one, with marks, comments and variations beside its own.
    let mut had = game;
    let aside = had.add(0, "d2");
    had.nodes[aside - 1].comment = "aside".to_string();
    had.nodes[0].comment = "well".to_string();
    for form in [Format::Sgf, Format::Pgn, Format::Record] {
        let text = write(&reported.game(&had), form).expect("a text").text;
        let again = read(&text, None, &Game::default()).expect(&text).remove(0).game;
        let line = again.main_line();
        let texts: Vec<_> = reported.moves.iter().map(|annotated| annotated.played.as_str()).collect();
        assert_eq!(line.iter().map(|node| node.played.text.as_str()).collect::<Vec<_>>(), texts);
        let comments: Vec<_> = line.iter().skip(1).map(|node| node.comment.clone()).collect();
        assert_eq!(comments, reported.moves.iter().skip(1).map(AnnotatedMove::remark).collect::<Vec<_>>());
        assert_eq!(line[0].comment, format!("well {}", reported.moves[0].remark()));
        let marks: Vec<_> =
            line.iter().map(|node| node.marks.first().map_or("", |mark| MARKS[*mark as usize - 1])).collect();
        assert_eq!(marks, reported.moves.iter().map(|annotated| annotated.mark).collect::<Vec<_>>());
        assert!(marks.iter().any(|mark| !mark.is_empty()), "{text}");
        let asides = again.nodes.iter().filter(|node| node.parent == 0 && node.comment == "aside").count();
        assert_eq!(asides, 1, "{text}");
    }
}

#[test]
fn accuracy_goes_by_the_mean_loss() {
    let summary = |moves, loss| Summary { moves, loss, ..Summary::default() };
    assert!((summary(4, 200).accuracy() - 95.0).abs() < 1e-9 && (summary(0, 0).accuracy() - 100.0).abs() < 1e-9);
}

#[test]
fn a_page_has_every_position_and_no_name_breaks_it() {
    let (mut game, reported) = explained("d6 f4 d2", 100, "en").pop().expect("a game");
    game.white = "</script><b>".to_string();
    let reported = Annotation { white: game.white.clone(), ..reported };
    let text = page::game(&reported, &game).expect("a game");
    let json = text.strip_prefix("<script type=\"application/json\" class=\"game\">").expect("a script");
    let json = json.strip_suffix("</script>").expect("its end");
    assert!(!json.contains('<'), "{json}");
    let data: serde_json::Value = serde_json::from_str(json).expect("JSON");
    assert_eq!(data["annotation"]["white"], "</script><b>");
    let stones: Vec<usize> =
        data["boards"].as_array().expect("boards").iter().filter_map(|board| Some(board.as_array()?.len())).collect();
    assert_eq!(stones, [0, 1, 2, 3]);
    assert_eq!(data["parts"].as_array().map(Vec::len), Some(3));
    assert!(page::PAGE.contains("script.game") && !page::PAGE.contains("src="), "it asks for nothing");
}

/// A win or loss that the draw counter stops is a draw. One that it may stop is not claimed.
#[test]
fn nothing_is_claimed_that_the_counter_may_stop() {
    // With three stones each no mill continues the game. The moves lose in 26 and in 18 plies.
    let lost = |counter| last(Variant::Morris, &format!("1O1/3/3/X4O/3/3/XOX w 0 0 {counter} 60"), "d7a7", "en");
    for (counter, before, after, loss) in [
        (0, "loss", "loss", 0),
        (74, "loss", "loss", 0),
        (75, "blessed-loss", "loss", 500),
        (82, "blessed-loss", "loss", 500),
        (83, "blessed-loss", "blessed-loss", 0),
        (99, "blessed-loss", "blessed-loss", 0),
    ] {
        let reported = lost(counter);
        let shown = reported.comment();
        assert_eq!(
            [reported.before.category, reported.after.category],
            [Some(before), Some(after)],
            "{counter}: {shown}"
        );
        assert_eq!((reported.loss, reported.mark), (loss, if loss == 0 { "" } else { "??" }), "{counter}: {shown}");
        assert_eq!(reported.before.plies.is_some(), before == "loss", "{counter}: {shown}");
        assert_eq!(shown.contains("loss in 18"), after == "loss", "{counter}: {shown}");
        assert_eq!(shown.contains("draw (blessed-loss)"), before != "loss", "{counter}: {shown}");
    }
    // Three stones against four: a mill of the loser begins the counter again, so that the tables do not settle it.
    let fen = |counter| format!("1O1/1OX/2X/6/3/3/OXX w 0 0 {counter} 60");
    let given = |counter| last(Variant::Morris, &fen(counter), &quiet_draw(&fen(counter)), "en");
    let early = given(0);
    assert_eq!((early.before.value, early.before.plies, early.mark), (Some("win"), Some(27), "??"), "{early:?}");
    let fact = early.fact.as_ref().map(|fact| (fact.kind, fact.plies));
    assert_eq!(fact, Some((Kind::GaveUpWin, Some(27))));
    // The search finds a mill in three plies.
    for (counter, mark) in [(97, "??"), (98, "")] {
        let late = given(counter);
        assert_eq!((late.before.value, late.before.category), (None, Some("maybe-win")), "{late:?}");
        assert_eq!((late.mark, late.before.expected >= 500, late.after.value), (mark, true, Some("draw")), "{late:?}");
        assert!(late.comment().contains("(maybe-win) -> draw") && !late.comment().contains("win in"), "{late:?}");
        let kind = late.fact.as_ref().map(|fact| fact.kind);
        assert!(!matches!(kind, Some(Kind::GaveUpWin | Kind::MissedWin)), "{late:?}");
    }
    assert_eq!(given(99).before.category, Some("cursed-win"), "each move ends the game");
    // Each winning move takes a stone, and what follows takes too long: so the moves settle it.
    let taken = "3/2O/1X1/4O1/1OX/X2/X2 w 0 0 19 60";
    let reported = last(Variant::Muehle, taken, "f6d7", "en");
    assert_eq!((reported.before.value, reported.before.category), (Some("draw"), Some("cursed-win")), "{reported:?}");
    assert_eq!((reported.loss, reported.mark, reported.fact), (0, "", None));
}

/// Returns a move without a capture that turns the win of a position of `morris` into a draw.
fn quiet_draw(fen: &str) -> String {
    let rules = Variant::Morris.rules();
    let mut game = AnyGame::new(rules).at(Some(fen), []).expect("a position");
    game.set_oracle(open(&rules, &Sources::default()).oracle.as_ref());
    let drawn = |probed: &ProbedMove| probed.category == Some(Category::Draw) && !probed.text.contains('x');
    probe_moves(&mut game).into_iter().find(drawn).expect("a draw").text
}
