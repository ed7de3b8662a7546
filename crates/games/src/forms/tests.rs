//! Games with all parts of the model, sent through every form and every pair of forms.

use super::*;
use crate::game::{End, Node};
use crate::record::{MoveRecord, Outcome, Termination};
use crate::score::Score;
use fastrand::Rng;
use millbrain_core::any::AnyBoard;
use millbrain_core::variant::{Ruleset, Variant};
use std::collections::BTreeSet;

/// Words that forms could mistake for their own syntax.
const WORDS: [&str; 40] = [
    "a",
    "good",
    "move",
    "1.",
    "1... d6",
    "[Event",
    "\"x\"]",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    "%",
    "$5",
    "!",
    "*",
    "1-0",
    "\\",
    "\"",
    "\n",
    "\n\n",
    "\n[Event \"",
    "\n(;FF[4]",
    "\n{\"",
    "12ms",
    "book",
    "+0.35/12",
    "[%clk 0:01:00]",
    "[%eval 1.0]",
    "ä½",
    "\u{2013}",
    "-",
    "<b>",
    "&",
    "RE[W+]",
    "Place to d6",
    "(1,6)",
    "late",
];

fn words(rng: &mut Rng) -> String {
    let text: Vec<&str> = (0..rng.usize(1..7)).map(|_| WORDS[rng.usize(..WORDS.len())]).collect();
    text.join([" ", ""][rng.usize(..2)]).trim().to_string()
}

fn some<T>(rng: &mut Rng, value: impl FnOnce(&mut Rng) -> T) -> Option<T> {
    rng.bool().then(|| value(rng))
}

/// Returns a line without control characters.
fn line(rng: &mut Rng) -> String {
    words(rng).replace('\n', " ").trim().to_string()
}

fn say(node: &mut Node, rng: &mut Rng) {
    let score = some(rng, |rng| if rng.bool() { Score::Cp(rng.i32(-900..900)) } else { Score::Mate(rng.i32(-9..9)) });
    node.played.score = score.map(|score| score.to_string());
    node.played.depth = some(rng, |rng| rng.u32(0..40));
    node.played.time = some(rng, |rng| rng.u64(0..100_000));
    node.played.late = some(rng, |rng| rng.u64(0..1_000));
    node.clock = some(rng, |rng| rng.u64(0..10_000_000));
    node.marks = (0..[0, 1, 1, 2][rng.usize(..4)]).map(|_| rng.u8(0..20)).collect();
    node.comment = some(rng, words).unwrap_or_default();
    node.before = some(rng, words).unwrap_or_default();
}

/// Returns a random game, with all parts of the model.
fn random(rng: &mut Rng) -> Game {
    let variant = Variant::ALL[rng.usize(..Variant::ALL.len())];
    let mut game = Game { variant: variant.to_string(), ..Game::default() };
    if matches!(variant.rules(), Ruleset::Morris(_)) {
        let lists = [
            "",
            "",
            "Stones=6,Flying=false",
            "No Mill Draw=4",
            "Once Per Line Mills=true",
            "No Mill Draw=0,Repetition Draw=false",
        ];
        game.house_rules = lists[rng.usize(..lists.len())].to_string();
        if variant == Variant::Morabaraba && rng.bool() {
            game.house_rules = "Removals=each mill".to_string();
        }
        if rng.u8(..4) == 0 {
            let turn = ["w", "b"][rng.usize(..2)];
            game.fen = Some(format!("O2/1O1/2O/O2X2/3/XX1/2X {turn} 1 0 0 7"));
        }
    }
    for line in 0..rng.usize(1..5) {
        let mut board = game.first().expect("a position");
        let mut at = 0;
        for _ in 0..rng.usize(1..if line == 0 { 120 } else { 15 }) {
            if board.ending().is_some() {
                break;
            }
            let Some(text) = rng.choice(board.moves()) else { break };
            let known = game.nodes.len();
            at = game.add(at, &board.push(&text).expect("legal"));
            if game.nodes.len() > known && rng.u8(..3) == 0 {
                say(&mut game.nodes[at - 1], rng);
            }
        }
    }
    game.white = some(rng, line).unwrap_or_default();
    game.black = some(rng, line).unwrap_or_default();
    game.comment = some(rng, words).unwrap_or_default();
    for name in ["Date", "Annotator", "Event", "Site", "WhiteElo", "ECO", "Opening", "Round", "x_1"] {
        if rng.bool() {
            game.tags.push((name.to_string(), line(rng)));
        }
    }
    rng.shuffle(&mut game.tags);
    if rng.bool() {
        game.index = rng.usize(..20);
        game.thinking = ["10+0.1", "nodes 5"].map(str::to_string);
        game.late_move =
            some(rng, |rng| MoveRecord { text: "d6x".to_string(), late: Some(rng.u64(..9)), ..MoveRecord::default() });
    }
    if game.tags.iter().all(|(name, _)| name != "Round") {
        game.round = rng.usize(1..9);
    }
    let kinds = Termination::ALL;
    game.end = some(rng, |rng| End {
        outcome: Outcome::ALL[rng.usize(..4)],
        termination: kinds[rng.usize(..kinds.len())],
        reason: some(rng, line).unwrap_or_default(),
    });
    game
}

/// Returns a random game that every form preserves.
fn settled(rng: &mut Rng) -> Game {
    loop {
        let mut game = random(rng);
        if game.settle().is_ok() {
            // A value that means nothing in a form is removed.
            game.tags.retain(|(_, value)| !value.is_empty() && value != "?");
            return game;
        }
    }
}

/// Returns the game that a form gives back, or its error.
fn through(game: &Game, form: Format) -> Result<Game, NotationError> {
    let written = write(game, form)?;
    let like = Game { house_rules: game.house_rules.clone(), variant: game.variant.clone(), ..Game::default() };
    let text = &written.text;
    let expected = if form == Format::Sanmill { Format::Sanmill } else { form };
    let mut found: Vec<Found> = games(text, &like).collect();
    assert_eq!(found.len(), 1, "{form}: {text}\n{game:?}");
    let reading = found.remove(0).reading.unwrap_or_else(|error| panic!("{form}: {error}\n{text}\n{game:?}"));
    assert!(
        reading.form == expected || matches!((form, reading.form), (Format::Pgn, Format::Record)),
        "{form}: {text}"
    );
    assert_eq!(reading.notes, [""; 0], "{form}: {text}");
    Ok(reading.game)
}

/// Returns the game after the losses that the table names, one after the other.
fn expected(game: &Game, forms: &[Format]) -> Game {
    forms.iter().fold(game.clone(), |game, form| parts::lost(&game, *form).expect("a game").1)
}

#[test]
fn a_form_keeps_what_the_table_says_and_names_the_rest() {
    let mut rng = Rng::with_seed(54);
    let mut lost = BTreeSet::new();
    let mut pairs = BTreeSet::new();
    for _ in 0..120 {
        let game = settled(&mut rng);
        for form in Format::WRITTEN {
            let Ok(back) = through(&game, form) else { continue };
            assert_eq!(back, expected(&game, &[form]), "{form}\n{}", write(&game, form).expect("a text").text);
            let written = write(&game, form).expect("a text");
            let named = written.lost.iter().map(|part| (form.to_string(), *part));
            lost.extend(named);
            // Every named loss is real, and every real loss is named.
            let is_same = back == game;
            let is_rules_alone = written.lost == [Part::Rules];
            assert_eq!(written.lost.is_empty() || is_rules_alone, is_same, "{form}: {:?}", written.lost);
            for second in Format::WRITTEN {
                let Ok(again) = through(&back, second) else { continue };
                assert_eq!(again, expected(&game, &[form, second]), "{form}, {second}");
                pairs.insert((form.to_string(), second.to_string()));
            }
        }
    }
    assert_eq!(pairs.len(), Format::WRITTEN.len().pow(2));
    let named = Format::WRITTEN.into_iter().flat_map(|form| Part::ALL.map(|part| (form, part)));
    let expected: BTreeSet<_> =
        named.filter(|(form, part)| !form.keeps(*part)).map(|(form, part)| (form.to_string(), part)).collect();
    assert_eq!(lost, expected, "every cell of the table has been tried");
}

/// All random games in one text are read back one by one, whatever their comments contain, and wherever the text is
/// cut.
#[test]
fn many_games_in_a_text_come_one_by_one() {
    let mut rng = Rng::with_seed(55);
    for round in 0..60 {
        let form = Format::WRITTEN[round % 3];
        let played: Vec<Game> = (0..6).map(|_| settled(&mut rng)).filter(|game| write(game, form).is_ok()).collect();
        let texts: Vec<String> = played.iter().map(|game| write(game, form).expect("a text").text).collect();
        let text = texts.join(["", "\n", "\r\n\n"][rng.usize(..3)]);
        let found: Vec<Game> =
            read(&text, None, &Game::default()).expect(&text).into_iter().map(|reading| reading.game).collect();
        let expected: Vec<Game> = played.iter().map(|game| expected(game, &[form])).collect();
        assert_eq!(found, expected, "{text}");
        // A torn game affects no other.
        let mut torn = texts.clone();
        if let Some(first) = torn.first_mut().filter(|_| texts.len() > 1) {
            let at = (0..first.len() / 2).rev().find(|at| first.is_char_boundary(*at)).unwrap_or_default();
            first.truncate(at);
            let text = format!("{}\n\n{}", torn[0], torn[1..].concat());
            let like = Game::default();
            let found = games(&text, &like).filter_map(|found| found.reading.ok()).map(|reading| reading.game);
            let found: Vec<Game> = found.collect();
            assert!(found.ends_with(&expected[1..]), "{form}: {text}");
        }
    }
}

#[test]
fn games_that_went_on_after_a_draw_are_written_as_what_they_are() {
    let mut game = Game { fen: Some("O2/1O1/2O/O2X2/3/XX1/2X w 0 0 0 1".to_string()), ..Game::default() };
    let moves = ["a7d7", "g1g4", "d7a7", "g4g1"].repeat(3);
    for (parent, text) in moves.iter().enumerate() {
        game.add(parent, text);
    }
    for form in Format::WRITTEN {
        let written = write(&game, form).expect("a text");
        let note = "the game goes on after move 8, a draw by threefold repetition: taken without that rule";
        assert_eq!(written.notes, [note], "{form}");
        let like = Game { house_rules: "Repetition Draw=false".to_string(), ..Game::default() };
        let back = read(&written.text, None, &like).expect(&written.text).remove(0).game;
        assert_eq!((back.nodes.len(), back.end), (12, None), "{form}: {}", written.text);
        assert_eq!(back.house_rules, "Repetition Draw=false");
    }
    let text = write(&game, Format::Record).expect("a record").text;
    let record = crate::record::read_games(&text).expect("a record").remove(0);
    assert_eq!(record.verify(), Ok(()), "{text}");
    // A result that is no draw has the same effect as further moves.
    game.nodes.truncate(8);
    game.end = Some(End { outcome: Outcome::WhiteWins, termination: Termination::Resignation, reason: String::new() });
    let written = write(&game, Format::Record).expect("a record");
    assert_eq!(written.notes, ["the result is 1-0, expected a draw by threefold repetition: taken without that rule"]);
    let record = crate::record::read_games(&written.text).expect("a record").remove(0);
    assert_eq!((record.verify(), record.termination), (Ok(()), Termination::Resignation));
}

/// A repeated tag splits a text into two games.
#[test]
fn a_second_tag_of_a_name_is_left_out() {
    let tags = [("Date", "2026.08.01"), ("ECO", "A00"), ("Date", "2026.08.02")];
    let tags = tags.map(|(name, value)| (name.to_string(), value.to_string())).to_vec();
    let game = Game { tags: tags.clone(), ..Game::default() };
    for form in [Format::Record, Format::Pgn, Format::Sgf] {
        let written = write(&game, form).expect("a text");
        assert_eq!(written.notes, ["a second tag Date, expected one: \"2026.08.02\" is left out"], "{form}");
        let games = read(&written.text, None, &game).expect("a game");
        assert_eq!(games.iter().map(|found| found.game.tags.clone()).collect::<Vec<_>>(), [&tags[..2]], "{form}");
    }
}

#[test]
fn what_others_write_is_read() {
    let like = Game { variant: "mlyn".to_string(), ..Game::default() };
    let one = |text: &str| {
        let reading = read(text, None, &like).unwrap_or_else(|error| panic!("{text}: {error}")).remove(0);
        let moves: Vec<String> = reading.game.main_line().into_iter().map(|node| node.played.text.clone()).collect();
        (moves.join(" "), reading)
    };
    let (moves, Reading { game, notes, .. }) =
        one("(;GM[5] FF[3] RU[Some club]\nPW[x] RE[B+R]; W[D6] C[first]\n;Black[f4](;W[d7])(;W[a7];B[a4]))");
    assert_eq!((moves.as_str(), game.variant.as_str(), game.nodes.len()), ("d6 f4 d7", "mlyn", 5));
    assert_eq!(notes, ["rules \"Some club\" are unknown, read by those of mlyn"]);
    assert_eq!(game.nodes[0].comment, "first");
    assert_eq!(game.end.map(|end| end.termination), Some(Termination::Resignation));
    let (moves, Reading { game, .. }) = one(" 1.    d6    f4\n 2.    d7 {good}   f2\n 3.    D5 xf4   f6 0.5-0.5\n");
    assert_eq!((moves.as_str(), game.variant.as_str()), ("d6 f4 d7 f2 d5xf4 f6", "mlyn"));
    assert_eq!((game.outcome(), game.nodes[2].comment.as_str()), (Outcome::Draw, "good"));
    assert_eq!(one("{a {b} 1. d6 {c}f4{ {} d7, 1...a7 *").0, "d6 f4 d7 a7");
    assert_eq!(read("\u{feff}\n", None, &like), Ok(Vec::new()));
    // Each mill takes a stone here, and each removal may be a word of its own.
    let each = Game { house_rules: "Removals=each mill".to_string(), ..Game::default() };
    let text = "1. a7 b6 2. d7 b2 3. g4 f2 4. g1 d1 5. g7 xb6 xb2 *";
    let game = read(text, None, &each).expect(text).remove(0).game;
    assert_eq!(game.nodes.last().map(|node| node.played.text.as_str()), Some("g7xb6xb2"));
    // A lone stone means another removal of the same move.
    let game = read("1. a7 d2 2. d7 d1 3. g7xd1 (xd2 b4) b4 *", None, &like).expect("a list").remove(0).game;
    let texts: Vec<_> = game.nodes.iter().map(|node| (node.parent, node.played.text.as_str())).collect();
    assert_eq!(texts[4..], [(4, "g7xd1"), (5, "b4"), (4, "g7xd2"), (7, "b4")]);
}

#[test]
fn faults_are_reported() {
    for (text, words) in [
        ("(;GM[1])", "SGF: game number 1, expected 5"),
        ("(;GM[5];W[d6]", "SGF, character 14: expected ')'"),
        ("(;GM[5]AW[d6])", "SGF: a position by AW and AB, expected its FEN in XF of the first node too"),
        ("(;GM[5];W[d6];AB[d6])", "SGF: a position by AW and AB, expected its FEN in XF of the first node too"),
        ("(;GM[5];W[d6];B[d6])", "move 2 (d6) is illegal, expected a legal move"),
        ("(;GM[5];B[d6])", "SGF: a move of Black as move 1, expected a move of White"),
        ("(;GM[5];W[d6];W[f4])", "SGF: a move of White as move 2, expected a move of Black"),
        ("(;GM[5];W[d6];B[])", "SGF: a pass of Black as move 2, expected a move of Black"),
        ("(GM[5])", "SGF, character 2: expected ';'"),
        ("(;RU[morris;Stones=1])", "house rules \"Stones=1\", expected rule options such as Stones=10,Flying=false"),
        ("1. d6 {f4", "line 1: a comment has no end, expected '}'"),
        ("1. d6 (1. f4", "line 1: a variation has no end, expected ')'"),
        ("1. d6\nf4 ) d2", "line 2: ')' closes no variation, expected '(' before it"),
        ("( d6 )", "SGF, character 3: expected ';'"),
        ("1. ( d6 )", "line 1: '(' stands before the first move, expected after the move that the variation replaces"),
        ("1. d6 } f4", "move 2 (}) cannot be read, expected a move such as d6, a4a7 or d6xb4"),
        ("xd6", "line 1: \"xd6\" stands before the first move, expected after a move that closes a mill"),
        ("1. d6 d6", "move 2 (d6) is illegal, expected a legal move"),
        ("1. d6 a4-", "move 2 (a4-) cannot be read, expected a move such as d6, a4a7 or d6xb4"),
        ("1. d6 f4 1. d2 -\n", "move 2 (-) cannot be read, expected a move such as d6, a4a7 or d6xb4"),
        ("[White \"a\"]\n[x]\n\n1. d6", "line 2: \"[x]\", expected [NAME \"VALUE\"]"),
        ("[Event \"x\"]", "the text holds no moves, expected games as records, PGN, SGF, in MIF, or as lists of moves"),
        (
            "[Result \"0-1\"]\n[FEN \"OO1/3/3/O1X3/1XX/3/3 w 0 0 0 1\"]\n\na4g7xc4 0-1",
            "the result is recorded as 0-1, but it is 1-0 (fewer than three stones)",
        ),
        (
            "[Variant \"morris\"]\n[HouseRules \"Stones=0\"]\n\nd6",
            "house rules \"Stones=0\", expected rule options such as Stones=10,Flying=false",
        ),
        (
            "{\"steps\": [], \"configuration\": {\"openSpielGameName\": \"chess\"}}",
            "replay: a game of \"chess\", expected nine_mens_morris",
        ),
    ] {
        let error = read(text, None, &Game::default()).expect_err(text);
        assert_eq!(error.to_string(), words, "{text}");
    }
    for form in [Format::PlayOk, Format::GoldToken, Format::Coordinates, Format::Kaggle] {
        let error = write(&Game::default(), form).expect_err("only read").to_string();
        assert_eq!(error, format!("no games are written as {form}, expected one of record, pgn, sgf, sanmill, mif"));
    }
    let deep = "(;".repeat(100_000);
    assert!(read(&deep, None, &Game::default()).is_err_and(|error| error.to_string().contains("')'")));
    let deep = format!("{}{}", "(;".repeat(5_000), ")".repeat(5_000));
    assert_eq!(read(&deep, None, &Game::default()).map(|games| games.len()), Ok(1));
    let moves = format!("1. d6 {} {} f4", "(1. d6".repeat(5_000), ")".repeat(5_000));
    assert_eq!(read(&moves, None, &Game::default()).map(|games| games[0].game.nodes.len()), Ok(5_002));
}

/// The table of `docs/formats.md` equals that of [`Format::keeps`].
#[test]
fn the_table_of_the_documentation_is_that_of_the_code() {
    let mut table = "| part |".to_string()
        + &Format::ALL.map(|form| format!(" {form} |")).concat()
        + "\n|---|"
        + &"---|".repeat(9)
        + "\n";
    for part in Part::ALL {
        let cells = Format::ALL.map(|form| if form.keeps(part) { " yes |" } else { " – |" });
        table += &format!("| {part} |{}\n", cells.concat());
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats.md");
    let text = std::fs::read_to_string(path).expect(path);
    assert!(text.contains(&table), "docs/formats.md, expected\n{table}");
}

#[test]
fn boards_of_any_rules_have_a_first_position() {
    for variant in Variant::ALL {
        let game = Game { variant: variant.to_string(), ..Game::default() };
        assert_eq!(pgn::start(&game), AnyBoard::new(variant.rules()).fen());
    }
}
