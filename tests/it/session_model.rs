//! The session against a model of the protocol: any commands in any order, every line sent once, in writes split at any
//! point. The model knows the answers due after each line, and their order. The engine prints these and no others, and
//! is idle at the end.

use crate::common::Client;
use millbrain::game::{Game, Notation};
use millbrain::play::Play;
use millbrain::variant::Variant;
use millbrain::with_game;
use proptest::prelude::*;
use std::collections::HashSet;

/// Positions of the default variant; every move of one is illegal in at least one other.
const POSITIONS: [&str; 3] =
    ["startpos", "fen O2/1O1/2O/O2X2/3/XX1/2X w 0 0", "fen X2/1O1/1OX/O1XX1O/1X1/O1O/1XX b 0 0 0 1"];

/// A search command and its end.
#[derive(Clone, Copy, Debug)]
struct Search {
    text: &'static str,
    bounded: bool,
    pondering: bool,
}

const fn search(text: &'static str, bounded: bool, pondering: bool) -> Search {
    Search { text, bounded, pondering }
}

const SEARCHES: [Search; 9] = [
    search("go infinite", false, false),
    search("go", false, false),
    search("go depth 3", true, false),
    search("go nodes 2000", true, false),
    search("go movetime 5", true, false),
    search("go infinite depth 2", false, false),
    search("go ponder wtime 40 btime 40", true, true),
    search("go ponder depth 2", true, true),
    search("go ponder", false, true),
];

#[derive(Clone, Copy, Debug)]
enum Line {
    Position(usize),
    Go(usize),
    Perft,
    Moves,
    NewGame,
    SetOption,
    MultiPv(usize),
    IsReady,
    PonderHit,
    Stop,
}

impl Line {
    fn text(self) -> String {
        match self {
            Line::Position(index) => format!("position {}", POSITIONS[index]),
            Line::Go(index) => SEARCHES[index].text.to_string(),
            Line::Perft => "perft 2".to_string(),
            Line::Moves => "moves".to_string(),
            Line::NewGame => "ucinewgame".to_string(),
            Line::SetOption => "setoption name Threads value 2".to_string(),
            Line::MultiPv(lines) => format!("setoption name MultiPV value {lines}"),
            Line::IsReady => "isready".to_string(),
            Line::PonderHit => "ponderhit".to_string(),
            Line::Stop => "stop".to_string(),
        }
    }
}

fn lines() -> impl Strategy<Value = Vec<Line>> {
    let line = prop_oneof![
        3 => (0..POSITIONS.len()).prop_map(Line::Position),
        6 => (0..SEARCHES.len()).prop_map(Line::Go),
        4 => Just(Line::Stop),
        3 => Just(Line::PonderHit),
        1 => Just(Line::Perft),
        1 => Just(Line::Moves),
        1 => Just(Line::NewGame),
        1 => Just(Line::SetOption),
        2 => (1..4_usize).prop_map(Line::MultiPv),
        1 => Just(Line::IsReady),
    ];
    proptest::collection::vec(line, 1..25)
}

/// An answer in the order of the commands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    /// The move of a search of this position.
    BestMove(usize),
    /// The end of a leaf count.
    Count,
    /// The legal moves of this position.
    Moves(usize),
}

/// Returns the answers due after these lines.
fn due(lines: &[Line]) -> Vec<Answer> {
    let mut answers = Vec::new();
    let mut position = 0;
    for (i, line) in lines.iter().enumerate() {
        match *line {
            Line::Position(index) => position = index,
            Line::NewGame => position = 0,
            Line::Perft => answers.push(Answer::Count),
            Line::Moves => answers.push(Answer::Moves(position)),
            Line::Go(index) => {
                let Search { bounded, pondering, .. } = SEARCHES[index];
                let later = &lines[i + 1..];
                let stopped = later.iter().any(|line| matches!(line, Line::Stop));
                let hit = later.iter().any(|line| matches!(line, Line::PonderHit));
                if !stopped && !(bounded && (hit || !pondering)) {
                    // The search continues, and all later lines wait.
                    return answers;
                }
                answers.push(Answer::BestMove(position));
            }
            Line::SetOption | Line::MultiPv(_) | Line::IsReady | Line::PonderHit | Line::Stop => {}
        }
    }
    answers
}

/// The engine and its answers so far.
struct Conversation {
    client: Client,
    legal: Vec<HashSet<String>>,
    answers: Vec<Answer>,
    ready: usize,
}

impl Conversation {
    fn new() -> Conversation {
        let legal = POSITIONS.iter().map(|position| {
            let fen = position.strip_prefix("fen ");
            with_game!(Variant::Morris.rules(), |game| {
                let play = Play::set_up(game, fen, []).expect("a valid FEN");
                play.game.moves(play.position()).into_iter().map(|mv| play.game.move_text(mv)).collect()
            })
        });
        Conversation { client: Client::new(), legal: legal.collect(), answers: Vec::new(), ready: 0 }
    }

    /// Reads a line. The expected answer distinguishes positions with a common move.
    fn read(&mut self, expected: Option<&Answer>) {
        let line = self.client.line().expect("the engine lives");
        let mut words = line.split(' ');
        match (words.next().unwrap_or_default(), words.next().unwrap_or_default()) {
            ("bestmove", mv) => {
                let Some(&Answer::BestMove(position)) = expected else { panic!("{line:?} instead of {expected:?}") };
                assert!(self.legal[position].contains(mv), "{line:?} for {:?}", POSITIONS[position]);
                self.answers.push(Answer::BestMove(position));
            }
            ("info", _) if line == "info string perft stopped" => self.answers.push(Answer::Count),
            ("info", _) => {}
            ("readyok", "") => self.ready += 1,
            ("Nodes", "searched:") => self.answers.push(Answer::Count),
            (word, _) if word.is_empty() || word.ends_with(':') => {}
            _ => {
                let moves: HashSet<String> = line.split(' ').map(str::to_string).collect();
                let position = self.legal.iter().position(|legal| *legal == moves);
                self.answers.push(Answer::Moves(position.unwrap_or_else(|| panic!("unexpected line {line:?}"))));
            }
        }
    }

    /// Reads until all these answers have arrived.
    fn read_up_to(&mut self, due: &[Answer]) {
        while self.answers.len() < due.len() {
            let expected = due.get(self.answers.len()).copied();
            let before = self.answers.len();
            self.read(expected.as_ref());
            if self.answers.len() > before {
                assert_eq!(self.answers.last().copied(), expected);
            }
        }
    }
}

/// Sends lines in the given pieces, waits at times for the answers due, and checks that all arrive in the end.
fn converse(mut lines: Vec<Line>, pieces: &[(usize, bool)]) {
    if due(&lines).len() < due(&[&lines[..], &[Line::Stop]].concat()).len() {
        lines.push(Line::Stop);
    }
    let text: String = lines.iter().map(|line| line.text() + "\n").collect();
    let mut conversation = Conversation::new();
    let mut rest = text.as_str();
    let mut pieces = pieces.iter().cycle();
    while !rest.is_empty() {
        let &(len, wait) = pieces.next().expect("a cycle");
        let (piece, later) = rest.split_at(len.clamp(1, rest.len()));
        rest = later;
        conversation.client.send_bytes(piece.as_bytes());
        if wait {
            let sent = text.len() - rest.len();
            let whole = text.as_bytes()[..sent].iter().filter(|&&byte| byte == b'\n').count();
            conversation.read_up_to(&due(&lines[..whole]));
        }
    }
    let due = due(&lines);
    conversation.read_up_to(&due);
    // An idle engine answers this before the following `isready`.
    conversation.client.send_bytes(b"position startpos\nmoves\nisready\n");
    let last = [due, vec![Answer::Moves(0)]].concat();
    conversation.read_up_to(&last);
    let asked = 1 + lines.iter().filter(|line| matches!(line, Line::IsReady)).count();
    while conversation.ready < asked {
        conversation.read(None);
    }
    assert_eq!(conversation.answers, last);
    assert_eq!(conversation.client.finish(), Vec::<String>::new());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_line_is_sent_once_and_answered_in_order(
        lines in lines(),
        pieces in proptest::collection::vec((prop_oneof![1usize..40, Just(10_000)], any::<bool>()), 1..8),
    ) {
        converse(lines, &pieces);
    }
}

/// A `stop` applies to waiting searches, too.
#[test]
fn stops_and_ponder_hits_hold_for_searches_that_wait() {
    let go = |text| Line::Go(SEARCHES.iter().position(|search| search.text == text).expect("a search"));
    let (infinite, stop, position) = (go("go infinite"), Line::Stop, Line::Position);
    for lines in [
        vec![infinite, stop, infinite, stop],
        vec![infinite, stop, position(1), infinite, stop, position(2), go("go depth 3")],
        vec![infinite, stop, position(1), go("go ponder wtime 40 btime 40"), Line::PonderHit],
        vec![infinite, infinite, infinite, stop],
        vec![go("go ponder depth 2"), go("go ponder depth 2"), Line::PonderHit, Line::Moves],
        vec![infinite, Line::Perft, infinite, stop],
    ] {
        // In one write, and split everywhere.
        converse(lines.clone(), &[(10_000, false)]);
        converse(lines, &[(1, false)]);
    }
}
