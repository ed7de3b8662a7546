//! Opening books: made from the command line and used by the engine.

use crate::common::{Client, folder, run_in};
use millbrain::any::AnyGame;
use millbrain::games::book::Book;
use millbrain::variant::Variant;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Runs `millbrain book` with these arguments in a folder.
fn book(folder: &Path, words: &str) -> Result<String, String> {
    run_in(folder, format!("book {words}").split_whitespace())
}

const SMALL: &str = "build --variant mlyn --games 6 --plies 2 --nodes 200";

/// Games of any form give their positions; those by other rules give none.
#[test]
fn books_are_made_of_given_games() {
    let dir = folder("given");
    let games = "[White \"A\"]\n\n1. d6 f4 2. d2 *\n(;GM[5];W[d6];B[b4])\n(;GM[5]RU[lasker];W[g7])\n1. d6 d6 *\n";
    fs::write(dir.join("games"), games).expect("written");
    let build = "build --variant mlyn --plies 2 --nodes 200 --out one --from games";
    book(&dir, build).expect("built");
    let read: Book = fs::read_to_string(dir.join("one")).expect("a book").parse().expect("a book");
    // The start and the position after d6.
    assert_eq!(read.entries().len(), 2, "{read}");
    fs::write(dir.join("games"), "(;GM[5]RU[lasker];W[g7])").expect("written");
    let reported = book(&dir, build).expect_err("no game of these rules");
    assert!(reported.contains("games: no game, expected one by the rules of mlyn"), "{reported}");
    let reported = book(&dir, &format!("{build} --games 5")).expect_err("both");
    assert!(reported.contains("cannot be used with"), "{reported}");
}

#[test]
fn equal_settings_make_equal_books() {
    let dir = folder("equal");
    let reported = book(&dir, &format!("{SMALL} --out one --threads 1")).expect("built");
    book(&dir, &format!("{SMALL} --out two --threads 2")).expect("built");
    book(&dir, &format!("{SMALL} --out three --seed 2")).expect("built");
    let text = |name: &str| fs::read_to_string(dir.join(name)).expect("a book");
    assert_eq!(text("one"), text("two"));
    assert_ne!(text("one"), text("three"));
    assert_eq!(fs::read_dir(&dir).expect("a folder").count(), 3, "nothing else is left");
    let read: Book = text("one").parse().expect("a book");
    assert!(reported.starts_with(&format!("{} positions, ", read.entries().len())), "{reported}");
    let shown = book(&dir, "show one").expect("shown");
    assert!(shown.starts_with("book of mlyn: ") && shown.contains("\n3/3/3/6/3/3/3 w 9 9 0 1\n"), "{shown}");
    let start = AnyGame::new(Variant::Mlyn.rules());
    for mv in read.moves(&start) {
        let line = format!("{:10} weight {:>5} {:>6.2} %\n", mv.text, mv.weight, mv.share * 100.0);
        assert!(shown.contains(&line), "{line} in {shown}");
    }
    assert!(book(&dir, "show one --fen O2/3/3/6/3/3/OOO").is_err_and(|reported| reported.contains("bad FEN")));
    fs::write(dir.join("torn"), &text("one")[..200]).expect("written");
    assert!(book(&dir, "show torn").is_err_and(|reported| reported.starts_with("millbrain: torn: line ")));
}

/// Every move in a book of a solved game keeps its value.
#[test]
fn a_book_from_tables_is_true() {
    let dir = folder("tables");
    let rules = "--rules Stones=3";
    let words = format!("tablebase build {rules} --sectors game --out tables");
    run_in(&dir, words.split_whitespace()).expect("built");
    book(&dir, &format!("build {rules} --tables tables --games 40 --plies 7 --out book")).expect("built");
    let shown = book(&dir, "show book --tables tables").expect("shown");
    let last = shown.lines().last().expect("a line");
    let (kept, rest) =
        last.strip_prefix("by the tables ").and_then(|last| last.split_once(' ')).unwrap_or_else(|| panic!("{shown}"));
    assert!(kept.parse::<u32>().is_ok_and(|kept| kept > 40), "{last}");
    assert_eq!(rest, "moves keep the value, 0 lose it, 0 are not known");
}

/// Returns the output of a search up to its move.
fn search(client: &mut Client, go: &str) -> Vec<String> {
    client.send(go);
    client.until("bestmove")
}

/// Returns the openings of `games` games of the engine against itself.
fn openings(client: &mut Client, games: usize, plies: usize) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for _ in 0..games {
        client.send("ucinewgame");
        let mut moves = String::new();
        for _ in 0..plies {
            let position = if moves.is_empty() { String::new() } else { format!(" moves{moves}") };
            client.send(&format!("position startpos{position}"));
            let last = search(client, "go nodes 50").pop().expect("an answer");
            let best = last.split(' ').nth(1).expect("a move");
            moves.push_str(&format!(" {best}"));
        }
        found.insert(moves);
    }
    found
}

#[test]
fn the_engine_plays_by_its_book() {
    let dir = folder("play");
    book(&dir, "build --variant mlyn --games 30 --plies 3 --nodes 200 --out book").expect("built");
    let path = dir.join("book");
    let read = Book::open(&path).expect("a book");
    let start = AnyGame::new(Variant::Mlyn.rules());
    let moves: BTreeSet<String> = read.moves(&start).into_iter().map(|mv| mv.text).collect();
    let mut client = Client::new();
    let expected = format!("info string setoption refused: book {}: for mlyn, expected one for morris", path.display());
    assert_eq!(client.ask(&format!("setoption name BookFile value {}", path.display())), [expected]);
    client.send("setoption name UCI_Variant value mlyn");
    assert_eq!(openings(&mut client, 3, 2).len(), 1, "without a book each game is the same");
    assert!(client.ask(&format!("setoption name BookFile value {}", path.display())).is_empty());
    assert!(openings(&mut client, 12, 2).len() > 3, "and with one they differ");
    client.send("position startpos");
    let reported = search(&mut client, "go nodes 50");
    let [note, best] = &reported[..] else { panic!("{reported:?}") };
    let mv = best.strip_prefix("bestmove ").expect("a move");
    assert!(moves.contains(mv) && *note == format!("info string book move {mv}"), "{reported:?}");
    // A seed always chooses the same move.
    client.send("setoption name Random Seed value 5");
    assert_eq!(openings(&mut client, 4, 2).len(), 1);
    // A `go` that is not for a game move at full strength searches.
    client.send("position startpos");
    for go in ["go nodes 50 searchmoves a7", "go depth 0", "go mate 1 nodes 50"] {
        assert!(search(&mut client, go).iter().all(|line| !line.contains("book")), "{go}");
    }
    for (option, value, back) in [
        ("OwnBook", "false", "true"),
        ("Skill Level", "5", "20"),
        ("MultiPV", "2", "1"),
        ("UCI_AnalyseMode", "true", "false"),
    ] {
        client.send(&format!("setoption name {option} value {value}"));
        assert!(search(&mut client, "go nodes 50").iter().all(|line| !line.contains("book")), "{option}");
        client.send(&format!("setoption name {option} value {back}"));
        assert_eq!(search(&mut client, "go nodes 50").len(), 2, "{option}");
    }
    // With other rules the book is ignored, and later it is used again.
    client.send("setoption name No Mill Draw value 50");
    assert!(search(&mut client, "go nodes 50").iter().all(|line| !line.contains("book")));
    client.send("setoption name UCI_Variant value mlyn");
    assert_eq!(search(&mut client, "go nodes 50").len(), 2);
    let refused = client.ask("setoption name BookFile value /no/such/book");
    assert!(refused[0].starts_with("info string setoption refused: book /no/such/book: "), "{refused:?}");
    assert_eq!(search(&mut client, "go nodes 50").len(), 2, "the old one is still there");
    assert!(client.ask("setoption name BookFile value <empty>").is_empty());
    assert!(search(&mut client, "go nodes 50").len() > 2);
}
