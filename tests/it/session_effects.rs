//! Effects between features: after any settings, positions, searches and tables, a session answers like a fresh process
//! with only the relevant commands.
//!
//! The documentation defines the relevant commands: the last value of each option, the last position, and the searches
//! since the last clearing of the hash table. `ucinewgame`, `Clear Hash`, `Hash` and other rules clear it.
//! `PROPTEST_CASES` tests more sessions.

use crate::common::{Client, folder, setting, without_times};
use crate::targets::Printed;
use millbrain::any::AnyGame;
use millbrain::protocol::{Bounds, Effect, Output, Session, Settings};
use millbrain::search::strength;
use millbrain::variant::Ruleset;
use proptest::prelude::*;
use proptest::sample::select;
use std::fmt::{self, Display};
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// The options as `uci` lists them in a session with tight bounds.
static OPTIONS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let printed = Printed::default();
    let out = Arc::new(Output::new(Box::new(printed.clone())));
    let bounds = Bounds { threads: 2, hash: 4, ..Bounds::default() };
    Session::within(out, Settings::default(), bounds).expect("memory").line("uci");
    printed.take().lines().filter(|line| line.starts_with("option ")).map(str::to_string).collect()
});

/// Texts for options without a fixed set of values: no folder, one with tables, a missing one, a file.
static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tables");
    let folder = folder("texts");
    let paths = [tables, folder.join("nothing"), folder.join("file")].map(|path| path.display().to_string());
    ["", "<empty>"].map(str::to_string).into_iter().chain(paths).collect()
});

/// Generates a `setoption` for the option of this line of `uci`, with a valid or invalid value.
fn set(option: &str) -> BoxedStrategy<Step> {
    let (name, rest) = option.strip_prefix("option name ").and_then(|rest| rest.split_once(" type ")).expect("a type");
    let number = |key: &str| -> i64 {
        let (_, after) = rest.split_once(key).expect("a bound");
        after.split(' ').next().and_then(|word| word.parse().ok()).expect("a number")
    };
    let any = select(["", "0", "none", "99999999999999999999"].map(str::to_string).to_vec());
    let value = match rest.split(' ').next() {
        Some("check") => prop_oneof![9 => select(vec!["true".to_string(), "FALSE".to_string()]), 1 => any].boxed(),
        Some("spin") => {
            let (low, high) = (number(" min "), number(" max "));
            let spin =
                prop_oneof![4 => low..=high.min(low + 12), 4 => low..=high, 1 => select(vec![low - 1, high + 1])];
            prop_oneof![9 => spin.prop_map(|value| value.to_string()), 1 => any].boxed()
        }
        Some("combo") => {
            let words: Vec<String> = rest.split(" var ").skip(1).map(str::to_string).collect();
            prop_oneof![9 => select(words), 1 => any].boxed()
        }
        Some("string") => select(TEXTS.clone()).boxed(),
        _ => return Just(Step::Set(name.to_string(), None)).boxed(),
    };
    let name = name.to_string();
    value.prop_map(move |value| Step::Set(name.clone(), Some(value))).boxed()
}

#[derive(Clone, Debug)]
enum Step {
    Set(String, Option<String>),
    /// The start or a random board, and then `plies` random moves.
    Position {
        seed: u16,
        is_start: bool,
        plies: usize,
    },
    NewGame,
    Flip,
    /// A command whose answer depends only on the position and the settings.
    Ask(&'static str),
    Go(Search),
}

#[derive(Clone, Debug)]
struct Search {
    limit: String,
    /// Whether the limit is deterministic: then a required release does not affect the result.
    repeats: bool,
    release: Option<&'static str>,
    /// Number of legal moves to search, or all.
    searchmoves: usize,
    /// Whether to bring the session first to a state in which it must answer like a fresh process.
    compared: bool,
}

/// The text of a limit, whether it is deterministic, and the release.
type Limit = (String, bool, Option<&'static str>);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let repeated = prop_oneof![
        (1..2_000u32).prop_map(|nodes| -> Limit { (format!("nodes {nodes}"), true, None) }),
        (0..6u32).prop_map(|depth| -> Limit { (format!("depth {depth} nodes 2000"), true, None) }),
        (0..3u32).prop_map(|depth| -> Limit { (format!("ponder depth {depth}"), true, Some("ponderhit")) }),
        (1..4u32).prop_map(|moves| -> Limit { (format!("mate {moves} nodes 2000"), true, None) }),
    ];
    let free = select(vec![
        ("movetime 2", None),
        ("wtime 30 btime 30", None),
        ("infinite", Some("stop")),
        ("ponder nodes 500", Some("ponderhit")),
        ("ponder movetime 2", Some("stop")),
    ]);
    let free = free.prop_map(|(limit, release)| -> Limit { (limit.to_string(), false, release) });
    let search = (prop_oneof![4 => repeated, 1 => free], prop_oneof![3 => Just(0usize), 1 => 1..4usize], any::<bool>());
    let search = search.prop_map(|((limit, repeats, release), searchmoves, compared)| {
        Step::Go(Search { limit, repeats, release, searchmoves, compared })
    });
    // Few enough that searches have positions in common.
    let position = (0..4u16, any::<bool>(), 0..4usize);
    let step = prop_oneof![
        12 => select(OPTIONS.clone()).prop_flat_map(|option| set(&option)),
        4 => position.prop_map(|(seed, is_start, plies)| Step::Position { seed, is_start, plies }),
        1 => Just(Step::NewGame),
        1 => Just(Step::Flip),
        1 => select(vec!["d", "eval", "moves", "random", "rules"]).prop_map(Step::Ask),
        9 => search,
    ];
    proptest::collection::vec(step, 1..24)
}

/// Returns a board with few stones or pieces as a FEN; not every rule set allows it.
fn board(rules: &Ruleset, rng: &mut fastrand::Rng) -> String {
    let layout = AnyGame::new(*rules).layout();
    let (pieces, hands) = if layout.hand > 0 {
        let hands = [(); 2].map(|()| if rng.bool() { 0 } else { rng.u32(..4) });
        let stones = [(); 2].map(|()| 3 + rng.usize(..3));
        ("O".repeat(stones[0]) + &"X".repeat(stones[1]), format!(" {} {}", hands[0], hands[1]))
    } else {
        (["Bb", "BSb", "BNbs", "BSNbn"][rng.usize(..4)].to_string(), String::new())
    };
    let rows = layout.rows;
    let count = rows.iter().sum();
    let mut cells = vec!['1'; count];
    for (piece, cell) in pieces.chars().zip(rng.choose_multiple(0..count, pieces.len())) {
        cells[cell] = piece;
    }
    let mut cells = cells.into_iter();
    let rows: Vec<String> = rows.iter().map(|&row| cells.by_ref().take(row).collect()).collect();
    let side = if rng.bool() { 'w' } else { 'b' };
    format!("{} {side}{hands} {} 30", rows.join("/"), rng.u32(..110))
}

/// Returns the `position` command of a step, and whether it must be accepted.
fn position(rules: Ruleset, seed: u16, is_start: bool, plies: usize) -> (String, bool) {
    let mut rng = fastrand::Rng::with_seed(seed.into());
    let fen = (!is_start).then(|| board(&rules, &mut rng));
    let place = fen.as_ref().map_or("startpos".to_string(), |fen| format!("fen {fen}"));
    let start = AnyGame::new(rules);
    let Ok(mut game) = start.at(fen.as_deref(), []) else { return (format!("position {place}"), false) };
    let mut moves: Vec<String> = Vec::new();
    for _ in 0..plies {
        let Some(mv) = rng.choice(game.moves()).filter(|_| game.ending().is_none()) else { break };
        moves.push(mv);
        game = start.at(fen.as_deref(), moves.iter().map(String::as_str)).expect("legal moves");
    }
    let list = if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
    (format!("position {place}{list}"), true)
}

/// A line that a fresh process needs.
#[derive(Clone, PartialEq)]
enum Reported {
    Option(String, String),
    Position(String),
    Flip,
    Search(String),
}

impl Display for Reported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reported::Option(_, line) | Reported::Position(line) | Reported::Search(line) => f.write_str(line),
            Reported::Flip => f.write_str("flip"),
        }
    }
}

/// Sends a `go`, and releases it if necessary; returns the engine's output for it.
fn go(client: &mut Client, line: &str, release: Option<&str>) -> Vec<String> {
    client.send(line);
    let mut lines = Vec::new();
    if let Some(release) = release {
        lines = client.until_ready();
        assert!(
            !lines.iter().any(|line| line.starts_with("bestmove")),
            "{line} is answered before {release}: {lines:#?}"
        );
        client.send(release);
    }
    lines.extend(client.until("bestmove"));
    lines.extend(client.until_ready());
    assert!(!lines.iter().any(|line| line.contains("internal error")), "{line}: {lines:#?}");
    without_times(lines)
}

/// A session and its known state.
struct Conversation {
    client: Client,
    /// All lines sent.
    sent: Vec<String>,
    settings: Settings,
    /// Lines that a fresh process needs.
    reported: Vec<Reported>,
    /// Whether the contents of the hash table follow from these lines.
    repeats: bool,
}

impl Conversation {
    fn new() -> Conversation {
        let (client, settings) = (Client::new(), Settings::default());
        Conversation { client, sent: Vec::new(), settings, reported: Vec::new(), repeats: true }
    }

    /// Sends a line with an immediate answer; returns the answer.
    fn send(&mut self, line: &str) -> Vec<String> {
        self.sent.push(line.to_string());
        self.client.ask(line)
    }

    /// Records an empty hash table: of all earlier lines, only the last value of each option and the last position
    /// count.
    fn hash_emptied(&mut self) {
        self.repeats = true;
        let mut later: Vec<Reported> = Vec::new();
        for reported in self.reported.drain(..).rev() {
            let counts = match &reported {
                Reported::Option(name, _) => {
                    !later.iter().any(|other| matches!(other, Reported::Option(of, _) if of == name))
                }
                Reported::Position(_) | Reported::Flip => {
                    !later.iter().any(|other| matches!(other, Reported::Position(_)))
                }
                Reported::Search(_) => false,
            };
            if counts {
                later.push(reported);
            }
        }
        self.reported = later.into_iter().rev().collect();
    }

    fn set(&mut self, name: &str, value: Option<&str>) {
        let value_text = value.map_or(String::new(), |value| format!(" value {value}"));
        let line = format!("setoption name {name}{value_text}");
        let said = self.send(&line);
        let is_refused = said.iter().any(|line| line.contains("refused"));
        let mut settings = self.settings.clone();
        match settings.set(name, value) {
            Err(_) => assert!(is_refused, "{line}: {said:?}"),
            // Not every file can be written, or is a book.
            Ok(Effect::Log | Effect::Book) if is_refused => {}
            Ok(effect) => {
                assert!(!is_refused, "{line}: {said:?}");
                let is_emptied = matches!(effect, Effect::Hash | Effect::Clear);
                if is_emptied || settings.rules != self.settings.rules {
                    self.hash_emptied();
                }
                if effect != Effect::Clear {
                    self.reported.push(Reported::Option(name.to_string(), line));
                }
                self.settings = settings;
            }
        }
    }

    /// Returns a fresh process's answer to this line, after all relevant lines.
    fn fresh(&self, line: &str) -> Vec<String> {
        let mut client = Client::new();
        for reported in &self.reported {
            client.send(&reported.to_string());
            if let Reported::Search(_) = reported {
                client.until("bestmove");
            }
        }
        client.until_ready();
        if line.starts_with("go ") { go(&mut client, line, None) } else { client.ask(line) }
    }

    /// Compares the engine's answer to the last line with a fresh process's answer to an equivalent one.
    fn compare(&self, said: &[String], line: &str) {
        let expected = self.fresh(line);
        if said == expected {
            return;
        }
        let list = |lines: &[String]| lines.iter().fold(String::new(), |text, line| text + "\n  " + line);
        let reported: Vec<String> = self.reported.iter().map(Reported::to_string).chain([line.to_string()]).collect();
        let [sent, reported, said, expected] = [&self.sent[..], &reported, said, &expected].map(list);
        panic!(
            "a session that is sent{sent}\nanswers{said}\nand a fresh one that is sent{reported}\nanswers{expected}"
        );
    }

    /// Returns `count` random legal moves.
    fn moves(&mut self, count: usize) -> Vec<String> {
        let moves: Vec<String> = self.send("moves").concat().split(' ').map(str::to_string).collect();
        fastrand::Rng::with_seed(count as u64).choose_multiple(moves, count)
    }

    fn search(&mut self, search: &Search) {
        if search.compared {
            for (name, value, wrong) in [
                ("Threads", Some("1"), self.settings.threads > 1),
                ("Random Seed", Some("7"), self.settings.seed == 0),
                ("Clear Hash", None, !self.repeats),
            ] {
                if wrong {
                    self.set(name, value);
                }
            }
        }
        let chosen = if search.searchmoves > 0 { self.moves(search.searchmoves) } else { Vec::new() };
        let searchmoves = if chosen.is_empty() { String::new() } else { format!(" searchmoves {}", chosen.join(" ")) };
        let line = format!("go {}{searchmoves}", search.limit);
        self.sent.extend([line.clone()].into_iter().chain(search.release.map(str::to_string)));
        let said = go(&mut self.client, &line, search.release);
        let is_random = self.settings.level() < strength::FULL && self.settings.seed == 0;
        if !search.repeats || is_random || self.settings.threads > 1 {
            self.repeats = false;
        }
        let line = line.replace("ponder ", "");
        if self.repeats {
            self.compare(&said, &line);
            self.reported.push(Reported::Search(line));
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Set(name, value) => self.set(name, value.as_deref()),
            &Step::Position { seed, is_start, plies } => {
                let (line, is_legal) = position(self.settings.rules, seed, is_start, plies);
                let said = self.send(&line);
                assert_eq!(said.is_empty(), is_legal, "{line}: {said:?}");
                if is_legal {
                    self.reported.push(Reported::Position(line));
                }
            }
            Step::NewGame => {
                let said = self.send("ucinewgame");
                assert_eq!(said, [""; 0]);
                self.hash_emptied();
                self.reported.retain(|reported| matches!(reported, Reported::Option(..)));
            }
            Step::Flip => {
                self.send("flip");
                self.reported.push(Reported::Flip);
            }
            Step::Ask("random") if self.settings.seed == 0 => {}
            Step::Ask(line) => {
                let said = self.send(line);
                self.compare(&said, line);
            }
            Step::Go(search) => self.search(search),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: setting("PROPTEST_CASES").unwrap_or(24),
        max_shrink_iters: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_session_answers_as_a_fresh_one(steps in steps()) {
        let mut conversation = Conversation::new();
        steps.iter().for_each(|step| conversation.step(step));
        prop_assert_eq!(conversation.client.finish(), Vec::<String>::new());
    }
}
