//! Tests of the archive: old versions, damage, search.

use super::openings::{OPENING_PLIES, Results};
use super::schema::STEPS;
use super::*;
use millbrain_core::any::AnyGame;
use millbrain_core::variant::Variant;
use millbrain_games::record::{GameRecord, MoveRecord, Outcome, Termination};

/// A file that is removed when dropped, with the database's auxiliary files.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> File {
        let file = File(std::env::temp_dir().join(format!("millbrain-archive-{name}-{}", std::process::id())));
        file.remove();
        file
    }

    fn remove(&self) {
        for end in ["", "-wal", "-shm", "-lock"] {
            let _ = std::fs::remove_file(format!("{}{end}", self.0.display()));
        }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Returns an unfinished game.
fn record(variant: Variant, players: [&str; 2], moves: &str) -> GameRecord {
    let game = AnyGame::new(variant.rules());
    let played = |text: &str| MoveRecord { text: text.to_string(), ..MoveRecord::default() };
    GameRecord {
        index: 0,
        round: 1,
        white: players[0].to_string(),
        black: players[1].to_string(),
        variant: variant.name().to_string(),
        house_rules: String::new(),
        thinking: ["-".to_string(), "-".to_string()],
        fen: game.fen(),
        moves: moves.split_whitespace().map(played).collect(),
        late_move: None,
        outcome: Outcome::WhiteWins,
        termination: Termination::Adjudication,
        reason: "resigned".to_string(),
    }
}

fn game(players: [&str; 2], moves: &str) -> Game {
    Game::read(&record(Variant::Morris, players, moves).text()).expect("a game")
}

fn key(text: &str) -> Key {
    Key::of_client(text).expect("a key")
}

fn found(archive: &Archive, variant: Option<Variant>, moves: &str) -> Vec<i64> {
    let positions = Some(opening_keys(variant, None, moves).expect("a position"));
    let listing = archive.list(&Filter { positions, limit: 100, ..Filter::default() }).expect("a list");
    listing.games.iter().map(|game| game.id).collect()
}

#[test]
fn games_are_kept_once_and_found_again() {
    let file = File::new("kept");
    let archive = Archive::open(&file.0, 64).expect("an archive");
    let save = |name: &str, game: &Game| archive.save(&key(name), game, "client").expect("saved");
    let first = game(["Änne", "Bo"], "d6 f4 b4 d2");
    assert_eq!(save("1", &first), Saved::New(1));
    assert_eq!(save("1", &first), Saved::Known(1));
    assert_eq!(save("2", &game(["Cy_", "änne"], "b4 d2 d6")), Saved::New(2));
    assert_eq!(save("3", &game(["Cy", "Di"], "a7")), Saved::New(3));
    let ids = |filter: Filter| {
        let listing = archive.list(&filter).expect("a list");
        (listing.games.iter().map(|game| game.id).collect::<Vec<_>>(), listing.next)
    };
    let player = |name: &str| ids(Filter { player: Some(name.to_string()), limit: 9, ..Filter::default() }).0;
    assert_eq!((player("ÄNNE"), player("cy_"), player("%"), player("\n")), (vec![2, 1], vec![2], vec![], vec![]));
    assert_eq!(ids(Filter { limit: 2, ..Filter::default() }), (vec![3, 2], Some(2)));
    assert_eq!(ids(Filter { limit: 2, before: Some(2), ..Filter::default() }), (vec![1], None));
    let result = |text: &str| ids(Filter { result: Some(text.to_string()), limit: 9, ..Filter::default() }).0.len();
    assert_eq!((result("1-0"), result("0-1")), (3, 0));
    // Transposed, and rotated by a quarter.
    assert_eq!(found(&archive, None, "b4 f4 d6 d2"), [1]);
    assert_eq!(found(&archive, Some(Variant::Morris), "d6"), [2, 1]);
    assert_eq!(found(&archive, Some(Variant::Morris), "f4"), [2, 1]);
    assert_eq!(found(&archive, Some(Variant::Lasker), "d6"), [0; 0]);
    assert!(opening_keys(None, None, "e9").is_err());
    assert!(archive.delete(1).expect("deleted") && !archive.delete(1).expect("gone"));
    assert_eq!(found(&archive, None, "d6"), [2]);
    assert_eq!((player("bo"), player("änne")), (vec![], vec![2]));
    let known = "SELECT count(*) FROM players WHERE name = 'bo'";
    assert_eq!(
        archive.writer().query_row(known, [], |row| row.get::<_, i64>(0)).expect("a count"),
        0,
        "nobody is kept"
    );
    // Numbers are not reused.
    assert!(archive.delete(3).expect("deleted"));
    assert_eq!(save("4", &first), Saved::New(4));
}

/// Returns the statistics of a position of morris: games, and those won, drawn and lost by White, in total and by each
/// move played. Symmetric moves are not distinguished.
fn explored(archive: &Archive, fen: &str, moves: &str) -> (String, String) {
    let fen = Some(fen).filter(|fen| !fen.is_empty());
    let game = AnyGame::new(Variant::Morris.rules()).at(fen, moves.split_whitespace()).expect("a position");
    let explored = archive.explore(Variant::Morris, &game).expect("an answer");
    assert_eq!(explored.fen, game.fen());
    let text = |Results { games, white, draws, black }| format!("{games}/{white}/{draws}/{black}");
    assert!(explored.moves.iter().all(|found| game.moves().contains(&found.text)));
    let played = explored.moves.iter().filter(|found| found.results.games > 0);
    let moves: Vec<String> = played.map(|found| text(found.results)).collect();
    (text(explored.results), moves.join(" "))
}

#[test]
fn openings_tell_what_was_played_and_how_it_ended() {
    let file = File::new("openings");
    let archive = Archive::open(&file.0, 64).expect("an archive");
    let play = |name: &str, outcome: Outcome, fen: Option<&str>, moves: &str| {
        let mut record = record(Variant::Morris, ["A", "B"], moves);
        record.outcome = outcome;
        if let Some(fen) = fen {
            record.fen = fen.to_string();
        }
        let game = Game::read(&record.text()).expect("a game");
        archive.save(&key(name), &game, "client").expect("saved").reported().1
    };
    assert_eq!(explored(&archive, "", ""), ("0/0/0/0".to_string(), String::new()));
    play("1", Outcome::WhiteWins, None, "d6 f4 b4");
    play("2", Outcome::Draw, None, "f4 d6");
    let third = play("3", Outcome::BlackWins, None, "d2 b2 a1");
    play("4", Outcome::BlackWins, None, "a7 d6");
    play("5", Outcome::BlackWins, None, "");
    // A game without a result is found by its opening, but not counted.
    let open = GameRecord { termination: Termination::Unfinished, ..record(Variant::Morris, ["A", "B"], "d6 f4") };
    let open = Game::read(&GameRecord { outcome: Outcome::Open, ..open }.text()).expect("a game");
    let open = archive.save(&key("open"), &open, "client").expect("saved").reported().1;
    assert_eq!(archive.game(open).expect("an answer").map(|game| game.listed.result).as_deref(), Some("*"));
    assert_eq!(found(&archive, None, "d6 f4"), [open, 2, 1]);
    // A game that does not count here: other rules have other moves.
    let other = record(Variant::Lasker, ["A", "B"], "d6 f4").text();
    archive.save(&key("6"), &Game::read(&other).expect("a game"), "client").expect("saved");
    // The four points in the middle of a side are symmetric, and so are the two beside a stone there.
    let text = |all: &str, moves: &str| (all.to_string(), moves.to_string());
    assert_eq!(explored(&archive, "", ""), text("5/1/1/3", "3/1/1/1 1/0/0/1"));
    assert_eq!(explored(&archive, "", "b4"), text("3/1/1/1", "2/1/1/0 1/0/0/1"));
    // The same stones with the other side to move are another position.
    assert_eq!(explored(&archive, "", "d6 f4"), text("2/1/1/0", "1/1/0/0"));
    assert_eq!(explored(&archive, "", "d7"), text("0/0/0/0", ""));
    assert!(archive.delete(third).expect("deleted"));
    assert_eq!(explored(&archive, "", "f4"), text("2/1/1/0", "2/1/1/0"));
    // Sliding stones have symmetries, too; a repeated position counts once, with its first move.
    let fen = "O1O/1O1/3/2O3/3/1X1/X1X w 0 0 0 1";
    play("7", Outcome::Draw, Some(fen), "a7d7 a1a4 d7a7 a4a1 a7a4");
    let turned = "X1X/1X1/3/3O2/3/1O1/O1O w 0 0 0 1";
    assert_eq!(explored(&archive, turned, ""), text("1/0/1/0", "1/0/1/0"));
    // Every legal move is listed, one per symmetry class.
    let game = AnyGame::new(Variant::Morris.rules());
    let explored = archive.explore(Variant::Morris, &game).expect("an answer");
    assert_eq!(explored.moves.len(), 4, "the points of a board have four kinds");
    // Deleted games leave no counts.
    assert!((1..=8).filter(|&id| archive.delete(id).expect("an answer")).count() == 7);
    let counted = "SELECT (SELECT count(*) FROM openings) + (SELECT count(*) FROM positions)";
    assert_eq!(archive.writer().query_row(counted, [], |row| row.get::<_, i64>(0)).expect("a count"), 0);
}

/// The moves of a long game are stored only within the opening.
#[test]
fn openings_end() {
    let file = File::new("long");
    let archive = Archive::open(&file.0, 64).expect("an archive");
    let mut board = AnyGame::new(Variant::Morris.rules());
    let moves: Vec<String> = (0..OPENING_PLIES + 2)
        .map(|_| {
            let quiet = board.moves().into_iter().find(|text| !text.contains('x')).expect("a move");
            board.push(&quiet).expect("legal");
            quiet
        })
        .collect();
    archive.save(&key("1"), &game(["A", "B"], &moves.join(" ")), "client").expect("saved");
    let games = |plies: usize| {
        let (all, moves) = explored(&archive, "", &moves[..plies].join(" "));
        (all.starts_with("1/"), moves.split_whitespace().count())
    };
    assert_eq!(games(OPENING_PLIES), (true, 1));
    assert_eq!(games(OPENING_PLIES + 1), (false, 0));
}

/// An archive of version 0.2.0 of this program.
#[test]
fn older_archives_are_brought_up() {
    let file = File::new("old");
    let old = Connection::open(&file.0).expect("a database");
    let (_, version, tables) = STEPS[0];
    old.execute_batch(tables).expect("a step");
    old.pragma_update(None, "user_version", version).expect("a version");
    let game = game(["A", "B"], "d6 f4");
    let insert =
        "INSERT INTO games (key, date, white, black, names, variant, result, reason, plies, source, record)
                  VALUES ('client:x', 1, 'A', 'B', 'a' || char(10) || 'b', 'morris', '1-0', 'resigned', 2, 'client', ?1)";
    old.execute(insert, [&game.text]).expect("a game");
    let players = "INSERT INTO players (name) VALUES ('a'), ('b'); INSERT INTO plays SELECT id, 1 FROM players";
    old.execute_batch(players).expect("players");
    drop(old);
    for _ in 0..2 {
        let archive = Archive::open(&file.0, 64).expect("an archive");
        assert_eq!(found(&archive, None, "d6"), [1]);
        assert_eq!(explored(&archive, "", ""), ("1/1/0/0".to_string(), "1/1/0/0".to_string()));
        for (name, games) in [("a", 1), ("B", 1), ("c", 0)] {
            let filter = Filter { player: Some(name.to_string()), limit: 9, ..Filter::default() };
            assert_eq!(archive.list(&filter).expect("a list").games.len(), games, "{name}");
        }
        assert_eq!(archive.save(&key("x"), &game, "client").expect("saved"), Saved::Known(1));
        let stored = archive.game(1).expect("an answer").expect("a game");
        assert_eq!((stored.listed.date.as_str(), stored.record), ("1970-01-01T00:00:01Z", game.text.clone()));
    }
}

/// A file of another program is rejected in one line and stays unchanged.
#[test]
fn what_is_not_ours_is_refused() {
    let file = File::new("foreign");
    let database = |sql: &str| {
        let database = Connection::open(&file.0).expect("a database");
        database.execute_batch(sql).expect("written");
    };
    let refused = || {
        let before = std::fs::read(&file.0).expect("there");
        let copy = File::new("foreign-copy");
        let reported = Archive::open(&file.0, 64).err().expect("refused").to_string();
        let copied = back_up(&file.0, &copy.0).expect_err("refused").to_string();
        assert_eq!(copied, format!("{}: {reported}", file.0.display()));
        assert_eq!((std::fs::read(&file.0).expect("there"), copy.0.exists()), (before, false));
        reported
    };
    const FOREIGN: &str = "not an archive of games, expected one or the name of a new file";
    std::fs::write(&file.0, "this is no database, but a long line of text about something else").expect("written");
    assert_eq!(refused(), FOREIGN);
    for sql in [
        "CREATE TABLE games (id INTEGER, name TEXT)",
        "CREATE TABLE other (id INTEGER); PRAGMA user_version = 3",
        "PRAGMA journal_mode = WAL; CREATE TABLE other (id INTEGER); PRAGMA user_version = 99",
    ] {
        file.remove();
        database(sql);
        assert_eq!(refused(), FOREIGN, "{sql}");
    }
    file.remove();
    drop(Archive::open(&file.0, 64).expect("an archive"));
    // No release has written this version.
    database("PRAGMA user_version = 3");
    assert_eq!(refused(), FOREIGN);
    database("PRAGMA user_version = 99");
    assert_eq!(refused(), "archive of version 99, expected at most 7: it is a newer program's");
}

/// A server has exclusive use of its archive: it manages the games between people in progress, which a second server
/// would not know.
#[test]
fn an_archive_has_one_server() {
    let file = File::new("used");
    let archive = Archive::open(&file.0, 64).expect("an archive");
    assert!(matches!(Archive::open(&file.0, 64), Err(ArchiveError::InUse)));
    archive.save(&key("1"), &game(["A", "B"], "d6"), "client").expect("saved");
    drop(archive);
    assert_eq!(found(&Archive::open(&file.0, 64).expect("an archive"), None, "d6"), [1]);
}

/// No other write comes between a transaction's reads and writes, which would make it fail.
#[test]
fn writes_wait_for_each_other() {
    let file = File::new("writes");
    let archive = Archive::open(&file.0, 64).expect("an archive");
    let other = Connection::open(&file.0).expect("a database");
    other.busy_timeout(Duration::ZERO).expect("set");
    let fact = "INSERT OR REPLACE INTO facts (name, value) VALUES ('x', 'y')";
    let written = archive.write(|transaction| {
        transaction.query_row("SELECT count(*) FROM games", [], |row| row.get::<_, i64>(0))?;
        assert!(other.execute(fact, []).is_err(), "the other has to wait");
        Ok(transaction.execute(fact, [])?)
    });
    assert_eq!((written.expect("written"), other.execute(fact, []).expect("its turn")), (1, 1));
}

/// Common properties are found as well as rare ones, alone and combined.
#[test]
fn many_games_are_found_as_few_are() {
    let file = File::new("many");
    let archive = Archive::open(&file.0, 64).expect("an archive");
    // More than counts as few, by as many players; every tenth has other moves.
    let moves = |i: i32| if i % 10 == 0 { "f4 d2" } else { "d6 a7" };
    let one = |i: i32| (key(&i.to_string()), game([&format!("p{i}"), "all"], moves(i)));
    let games: Vec<_> = (0..1_200).map(one).collect();
    archive.save_all(&games, "client").expect("saved");
    let ids = |player: Option<&str>, moves: Option<&str>| {
        let positions = moves.map(|moves| opening_keys(None, None, moves).expect("a position"));
        let player = player.map(String::from);
        let listing = archive.list(&Filter { player, positions, limit: 3, ..Filter::default() }).expect("a list");
        listing.games.iter().map(|game| game.id).collect::<Vec<_>>()
    };
    assert_eq!((ids(Some("all"), None), ids(Some("p"), None)), (vec![1_200, 1_199, 1_198], vec![1_200, 1_199, 1_198]));
    assert_eq!((ids(Some("p119"), None), ids(Some("nobody"), None)), (vec![1_200, 1_199, 1_198], vec![]));
    assert_eq!(ids(None, Some("d6 a7")), [1_200, 1_199, 1_198]);
    assert_eq!(ids(None, Some("f4 d2")), [1_191, 1_181, 1_171]);
    assert_eq!((ids(Some("p119"), Some("f4 d2")), ids(Some("p5"), Some("f4 d2"))), (vec![1_191], vec![591, 581, 571]));
    assert_eq!(ids(Some("all"), Some("f4 d2")), [1_191, 1_181, 1_171]);
    assert_eq!(ids(Some("nobody"), Some("d6")), [0; 0]);
}

/// A copy contains all earlier games, and the original remains usable.
#[test]
fn a_copy_is_an_archive() {
    let (file, copy) = (File::new("original"), File::new("copy"));
    let archive = Archive::open(&file.0, 64).expect("an archive");
    archive.save(&key("1"), &game(["A", "B"], "d6 f4"), "client").expect("saved");
    std::fs::write(&copy.0, "an older copy").expect("written");
    back_up(&file.0, &copy.0).expect("copied");
    archive.save(&key("2"), &game(["A", "B"], "d6 f4"), "client").expect("saved");
    assert_eq!(found(&Archive::open(&copy.0, 64).expect("an archive"), None, "d6"), [1]);
    assert_eq!(found(&archive, None, "d6"), [2, 1]);
    let missing = back_up(Path::new("/no/such/file"), &copy.0).expect_err("nothing there");
    assert!(missing.to_string().starts_with("/no/such/file: cannot be opened"), "{missing}");
    assert!(Archive::open(&copy.0, 64).is_ok(), "the copy is as it was");
}

/// A copy never replaces a file of its archive, whatever its name.
#[test]
#[cfg(unix)]
fn a_copy_never_replaces_its_archive() {
    let (file, link) = (File(beside(&File::new("itself").0, ".part")), File::new("link"));
    let archive = Archive::open(&file.0, 64).expect("an archive");
    archive.save(&key("1"), &game(["A", "B"], "d6 f4"), "client").expect("saved");
    let name = file.0.to_str().expect("a name");
    let mut targets: Vec<String> = ["", "-wal", "-shm", "-journal", "-lock"].map(|end| format!("{name}{end}")).to_vec();
    targets.push(name.replace("/millbrain-", "/./millbrain-"));
    // The temporary file of its copy would have the name of the archive.
    targets.push(name.replace(".part", ""));
    std::os::unix::fs::symlink(&file.0, &link.0).expect("a link");
    for round in 0..2 {
        for target in targets.iter().map(String::as_str).chain(link.0.to_str()) {
            let reported = back_up(&file.0, Path::new(target));
            assert!(matches!(reported, Err(InFile { source: ArchiveError::Itself, .. })), "{target}: {reported:?}");
        }
        // As a link, and then as another name of the same file.
        std::fs::remove_file(&link.0).expect("removed");
        if round == 0 {
            std::fs::hard_link(&file.0, &link.0).expect("a link");
        }
    }
    archive.save(&key("2"), &game(["A", "B"], "d6 f4"), "client").expect("saved");
    drop(archive);
    assert_eq!(found(&Archive::open(&file.0, 64).expect("an archive"), None, "d6"), [2, 1]);
}

/// Leftovers of a killed database beside the target are not applied to the copy.
#[test]
fn a_copy_stands_alone() {
    let (file, copy) = (File::new("source"), File::new("target"));
    let archive = Archive::open(&file.0, 64).expect("an archive");
    archive.save(&key("1"), &game(["A", "B"], "d6 f4"), "client").expect("saved");
    // As after a kill: the written-ahead data exists, but is never moved into the file.
    let other = Archive::open(&copy.0, 64).expect("an archive");
    for i in 0..9 {
        other.save(&key(&i.to_string()), &game(["C", "D"], "a7"), "client").expect("saved");
    }
    let reported = back_up(&file.0, &copy.0).expect_err("another server's");
    assert_eq!(reported.to_string(), format!("{}: {}", copy.0.display(), ArchiveError::InUse));
    let left = ["-wal", "-shm"].map(|end| (beside(&copy.0, end), std::fs::read(beside(&copy.0, end)).expect("there")));
    drop(other);
    for (path, bytes) in &left {
        std::fs::write(path, bytes).expect("written");
    }
    back_up(&file.0, &copy.0).expect("copied");
    assert!(left.iter().all(|(path, _)| !path.exists()), "nothing is laid over it");
    assert_eq!(found(&Archive::open(&copy.0, 64).expect("an archive"), None, "d6"), [1]);
}

#[test]
fn keys_of_another_engine_are_made_anew() {
    let file = File::new("keys");
    let archive = Archive::open(&file.0, 64).expect("an archive");
    archive.save(&key("1"), &game(["A", "B"], "d6 f4"), "client").expect("saved");
    archive.writer().execute_batch("UPDATE positions SET key = key + 1; UPDATE facts SET value = 'x'").expect("spoilt");
    assert_eq!(found(&archive, None, "d6"), [0; 0]);
    drop(archive);
    assert_eq!(found(&Archive::open(&file.0, 64).expect("an archive"), None, "d6"), [1]);
}

#[test]
fn a_full_archive_says_so() {
    let file = File::new("full");
    let archive = Archive::open(&file.0, 1).expect("an archive");
    let game = game(["A", "B"], "d6 f4 b4 d2");
    let fault = (0..5_000).find_map(|i| archive.save(&key(&i.to_string()), &game, "client").err());
    assert!(matches!(fault, Some(ArchiveError::Full)), "{fault:?}");
    // Existing games remain, and deletions free space.
    let ids: Vec<_> = (1..=40).filter(|&id| archive.delete(id).expect("deleted")).collect();
    assert_eq!(ids.len(), 40);
    assert!(archive.save(&key("again"), &game, "client").is_ok());
}

#[test]
fn files_are_taken_in_once() {
    let file = File::new("import");
    let archive = Archive::open(&file.0, 64).expect("an archive");
    let good = |name: &str| record(Variant::Smess, [name, "B"], "f2g1").text();
    let bad = good("C").replace("f2g1", "f2f9");
    let text = format!("{}{bad}{}{}", good("A"), good("B"), good("A"));
    let import = archive.import(&text).expect("taken");
    assert_eq!((import.imported, import.known, import.refused.len()), (2, 1, 1));
    assert_eq!(import.refused[0].game, 2);
    assert!(import.refused[0].error.contains("move 1"), "{}", import.refused[0].error);
    let again = archive.import(&text.replace('\n', "\r\n")).expect("taken");
    assert_eq!((again.imported, again.known), (0, 3));
    for nonsense in ["x", "[", "\u{0}", "[Event \"x\"]\n\n{1-0}"] {
        assert_eq!(archive.import(nonsense).expect("taken").refused.len(), 1, "{nonsense:?}");
    }
    assert_eq!(archive.import(" \n").expect("taken"), Import::default());
}

#[test]
fn faulty_games_are_reported() {
    let fault = |text: &str| Game::read(text).expect_err("a fault").to_string();
    let text = record(Variant::Morris, ["A", "B"], "d6 f4").text();
    assert_eq!(fault(""), "0 games, expected one");
    assert!(fault(&format!("{text}{text}")).starts_with("2 games"));
    assert!(fault(&text.replace("f4", "d6")).starts_with("move 2"));
    assert!(fault(&text.replace("\"A\"", &format!("\"{}\"", "A".repeat(201)))).starts_with("a name of 201"));
    for name in ["A\u{0}", "\u{1b}[1m", "A\u{9c}"] {
        let reported = fault(&text.replace("\"A\"", &format!("\"{name}\"")));
        assert!(reported.starts_with("the control character U+00"), "{reported}");
    }
    for key in ["", "a b", "ä", &"x".repeat(101)] {
        assert!(Key::of_client(key).is_err(), "{key}");
    }
}

#[test]
fn annotations_go_on_where_they_were() {
    let file = File::new("annotations");
    let archive = Archive::open(&file.0, 64).expect("an archive");
    archive.save(&key("1"), &game(["A", "B"], "d6 f4"), "client").expect("saved");
    assert!(!archive.want_annotation(2, 5).expect("an answer"));
    assert!(archive.want_annotation(1, 5).expect("an answer"));
    assert!(archive.add_evaluation(1, 0, "zero").expect("kept"));
    assert!(archive.want_annotation(1, 5).expect("an answer"));
    let task = archive.next_annotation().expect("an answer").expect("work");
    assert_eq!((task.id, task.nodes, task.done), (1, 5, vec!["zero".to_string()]));
    // Another budget starts from scratch.
    assert!(archive.want_annotation(1, 6).expect("an answer"));
    let task = archive.next_annotation().expect("an answer").expect("work");
    assert!(task.nodes == 6 && task.done.is_empty());
    archive.finish_annotation(1, "[]").expect("kept");
    assert_eq!(archive.next_annotation().expect("an answer"), None);
    let stored = archive.game(1).expect("an answer").expect("a game");
    assert_eq!((stored.listed.annotated, stored.annotation), (true, Some((6, "[]".to_string()))));
    assert!(archive.want_annotation(1, 6).expect("an answer"));
    assert_eq!(archive.next_annotation().expect("an answer"), None, "it is there already");
    assert!(archive.delete(1).expect("deleted") && !archive.add_evaluation(1, 0, "x").expect("not wanted"));
}
