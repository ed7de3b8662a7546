//! The protocol of the program Sanmill: of its engine in C++ and of its newer engine, which lists an option
//! `MoveTimeMs`.

use super::{Question, Search, SettingsError, Speech};
use crate::advertised::{Advertised, OptionError};
use crate::answer::{Answer, Best, Report};
use crate::config::EngineConfig;
use millbrain_core::game::Side;
use millbrain_core::variant::{NamedRules, Ruleset, Variant};
use millbrain_games::sanmill::{ONLY_MOVE, STONE, completions, fen, rule_options, tokens};
use millbrain_games::score::Score;
use std::time::Duration;

/// Time lost between engine and clock.
const OVERHEAD: Duration = Duration::from_millis(20);
/// Assumed number of moves until the end of the game.
const MOVES_TO_GO: u32 = 30;
/// Maximum of its time options.
const MAX_MOVE_TIME: Duration = Duration::from_secs(60);
/// Maximum depth of `SkillLevel`.
const MAX_LEVEL: u32 = 30;
/// Share of a move's time and nodes for the first search, if a legal move takes a stone; the rest is for the removal.
const FIRST: (u32, u32) = (2, 3);

/// The protocol of Sanmill.
#[derive(Default)]
pub struct Sanmill {
    /// The rules of the match, once they are set.
    rules: Option<Ruleset>,
    /// Whether this is the newer engine: times are in milliseconds, and `go` accepts depth and nodes.
    is_newer: bool,
}

/// Lists the variants that have options.
fn variants() -> String {
    let known = Variant::ALL.into_iter().filter(|variant| rule_options(variant.rules()).is_some());
    known.map(Variant::name).collect::<Vec<_>>().join(", ")
}

impl Sanmill {
    /// Returns the options for the limits that are not sent with each search.
    fn limits(&self, config: &EngineConfig) -> Result<Vec<(&'static str, String)>, SettingsError> {
        let refused = |limit: String, expected: &'static str| Err(SettingsError::Limit { limit, expected });
        let thinking = &config.thinking;
        let mut options = Vec::new();
        if thinking.clock.is_none() && thinking.move_time.is_none() {
            options.push((self.time_option(), "0".to_string()));
        }
        match (thinking.nodes, self.is_newer) {
            (Some(nodes), false) => return refused(format!("nodes={nodes}"), "tc=, movetime= or depth="),
            // Otherwise only the last depth is searched, and may not finish.
            (Some(_), true) => options.push(("IDSEnabled", "true".to_string())),
            (None, _) => {}
        }
        match thinking.depth {
            Some(depth) if !self.is_newer => {
                if !(1..=MAX_LEVEL).contains(&depth) {
                    return refused(format!("depth={depth}"), "a depth of 1 to 30");
                }
                // These settings make the level the depth of every search.
                for name in ["DeveloperMode", "DrawOnHumanExperience"] {
                    options.push((name, "false".to_string()));
                }
                options.push(("SkillLevel", depth.to_string()));
            }
            _ => {}
        }
        Ok(options)
    }

    const fn time_option(&self) -> &'static str {
        if self.is_newer { "MoveTimeMs" } else { "MoveTime" }
    }
}

/// Returns the time for the whole move, without the overhead.
fn time_for_move(question: &Question<'_>) -> Option<Duration> {
    let lessened = |time: Duration| time.saturating_sub(OVERHEAD).max(time / 2);
    let share = question.clock().map(|clock| {
        let moves = question.moves_to_go.unwrap_or(MOVES_TO_GO).clamp(1, MOVES_TO_GO);
        (clock.left / moves + clock.increment).min(clock.left)
    });
    [share, question.thinking.move_time].into_iter().flatten().min().map(lessened)
}

/// Whether some legal move takes a stone.
fn may_take(question: &Question<'_>) -> bool {
    question.game.moves().iter().any(|mv| mv.contains('x'))
}

impl Speech for Sanmill {
    fn settings(
        &mut self,
        advertised: &Advertised,
        config: &EngineConfig,
        rules: NamedRules,
    ) -> Result<Vec<String>, SettingsError> {
        let refused = || SettingsError::Rules { rules: rules.to_string(), known: variants() };
        let options = rule_options(rules.rules).ok_or_else(refused)?;
        self.rules = Some(rules.rules);
        self.is_newer = advertised.has("MoveTimeMs");
        let limits = self.limits(config)?;
        let own = config.options.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let all = options.iter().chain(&limits).map(|(name, value)| (*name, value.as_str())).chain(own);
        let commands: Result<_, OptionError> = all.map(|(name, value)| advertised.command(name, value)).collect();
        Ok(commands?)
    }

    fn search(&self, question: &Question<'_>, half: Option<&Answer>) -> Search {
        let start = self.rules.and_then(|rules| fen(rules, question.fen)).unwrap_or_default();
        let mut position = format!("position fen {start}");
        let begun = half.map(|half| half.best.as_str());
        let played = question.moves.iter().copied().chain(begun).flat_map(|mv| {
            let (step, removals) = tokens(mv);
            std::iter::once(step).chain(removals)
        });
        for (i, token) in played.enumerate() {
            position.push_str(if i == 0 { " moves " } else { " " });
            position.push_str(&token);
        }
        let (first, parts) = if may_take(question) { FIRST } else { (1, 1) };
        let spent = half.map_or(Duration::ZERO, |half| half.elapsed);
        let time = time_for_move(question).map(|whole| match half {
            None => whole * first / parts,
            Some(_) => whole.saturating_sub(spent).max(Duration::from_millis(1)),
        });
        let nodes = question.thinking.nodes.map(|whole| match half {
            None => (whole / u64::from(parts) * u64::from(first)).max(1),
            Some(half) => whole.saturating_sub(half.report.nodes.unwrap_or(whole)).max(1),
        });
        let mut before = Vec::new();
        if let Some(time) = time {
            let value = if self.is_newer { time.min(MAX_MOVE_TIME).as_millis().max(1) } else { whole_seconds(time) };
            before.push(format!("setoption name {} value {value}", self.time_option()));
        }
        before.push(position);
        let mut go = "go".to_string();
        if self.is_newer {
            go.extend(question.thinking.depth.map(|depth| format!(" depth {depth}")));
            go.extend(nodes.map(|nodes| format!(" nodes {nodes}")));
        }
        // Whole seconds are too coarse.
        Search { before, go, stop_after: time.filter(|_| !self.is_newer) }
    }

    /// The engine prints from several threads, and not always whole lines.
    fn is_ready(&self, line: &str) -> bool {
        line.contains("readyok")
    }

    /// The answer is one line: `info score N bestmove M`, or with `depth D score cp N nodes N` in the newer engine.
    /// Other text may precede it.
    fn read(&self, line: &str, question: &Question<'_>, report: &mut Report) -> Option<Best> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let after = |name: &str| words.iter().skip_while(|&&word| word != name).nth(1).copied();
        words.iter().find(|&&word| word == "bestmove")?;
        let score = after("score").and_then(|word| if word == "cp" { after("cp") } else { Some(word) });
        // A `mate` is not used as a score: neither its sign nor its number is reliable.
        report.score =
            score.and_then(|word| word.parse::<i32>().ok()).filter(|score| score.abs() != ONLY_MOVE).map(|score| {
                let score = score.saturating_mul(100 / STONE);
                Score::Cp(if question.game.side() == Side::White { score } else { score.saturating_neg() })
            });
        report.depth = after("depth").and_then(|word| word.parse().ok());
        report.nodes = after("nodes").and_then(|word| word.parse().ok());
        Some(Best { best: after("bestmove").unwrap_or_default().to_string(), ponder: None })
    }

    fn is_half(&self, question: &Question<'_>, best: &str) -> bool {
        !completions(question.game, best).is_empty()
    }
}

/// Rounds a time up to whole seconds within the option's range; a `stop` comes before it is over.
fn whole_seconds(time: Duration) -> u128 {
    time.min(MAX_MOVE_TIME).as_millis().div_ceil(1_000).max(1)
}

#[cfg(test)]
mod tests {
    use super::super::ClockReading;
    use super::*;
    use crate::config::Thinking;
    use millbrain_core::any::AnyGame;
    use millbrain_games::house_rules;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn game(moves: &[&str]) -> AnyGame {
        AnyGame::new(Variant::Morris.rules()).at(None, moves.iter().copied()).expect("legal moves")
    }

    /// Returns the question to the side to move in this game.
    fn question(game: &AnyGame, thinking: Thinking) -> Question<'_> {
        let (fen, moves) = ("3/3/3/6/3/3/3 w 9 9 0 1", Vec::new());
        Question { fen, moves, game, clocks: [None, None], moves_to_go: None, thinking, patience: ms(60_000) }
    }

    #[test]
    fn a_clock_is_shared_out() {
        let game = game(&[]);
        let time = |left, increment, moves_to_go, move_time: Option<u64>| {
            let reading = ClockReading { left: ms(left), increment: ms(increment) };
            let thinking = Thinking { move_time: move_time.map(ms), ..Thinking::default() };
            let clocks = [Some(reading), None];
            time_for_move(&Question { clocks, moves_to_go, ..question(&game, thinking) }).expect("a time")
        };
        assert_eq!(time(60_000, 1_000, None, None), ms(2_980));
        assert_eq!(time(60_000, 0, Some(6), None), ms(9_980));
        assert_eq!(time(60_000, 0, Some(40), None), ms(1_980), "there may be more than are thought of");
        assert_eq!(time(60_000, 1_000, None, Some(500)), ms(480), "the smaller limit");
        // Never more than the time left; at least half of a short time remains.
        assert_eq!(time(300, 5_000, None, None), ms(280));
        assert_eq!(time(60_000, 5_000, Some(1), None), ms(59_980));
        assert_eq!(time(30, 0, Some(1), None), ms(15));
        assert_eq!(time(0, 1_000, None, None), ms(0));
        // The other side's clock does not count.
        let clocks = [None, Some(ClockReading { left: ms(1), increment: ms(1) })];
        assert_eq!(time_for_move(&Question { clocks, ..question(&game, Thinking::default()) }), None);
    }

    #[test]
    fn answers_are_found_in_a_line() {
        let read = |line: &str, moves: &[&str]| {
            let (game, mut report) = (game(moves), Report::default());
            let best = Sanmill::default().read(line, &question(&game, Thinking::default()), &mut report);
            best.map(|found| (found.best, report.score, report.depth, report.nodes))
        };
        let cp = |score| Some(Score::Cp(score));
        let best = |text: &str, score, depth, nodes| Some((text.to_string(), score, depth, nodes));
        assert_eq!(read("info score -3 bestmove a4-a7", &[]), best("a4-a7", cp(-60), None, None));
        assert_eq!(read("info score -3 bestmove xa7", &["d6"]), best("xa7", cp(60), None, None));
        assert_eq!(read("5(5) info score 85 aimovetype perfect bestmove d6", &[]), best("d6", cp(1_700), None, None));
        let newer = "info depth 7 score cp 2 nodes 99 bestmove d6";
        assert_eq!(read(newer, &[]), best("d6", cp(40), Some(7), Some(99)));
        // No scores: the only move, a mate, and unreadable text.
        for score in ["100", "-100", "mate 2", "mate -9", "cp", "x", ""] {
            assert_eq!(read(&format!("info score {score} bestmove d6"), &[]), best("d6", None, None, None), "{score}");
        }
        assert_eq!(read("info score 99999999999 bestmove", &[]), best("", None, None, None));
        assert_eq!(read("info score 2147483647 bestmove", &["d6"]), best("", cp(-i32::MAX), None, None));
        for line in ["Algorithm bestMove = d6", "info score 5", "readyok", "", "nobestmove d6"] {
            assert_eq!(read(line, &[]), None, "{line}");
        }
        assert!(Sanmill::default().is_ready("White to movereadyok") && !Sanmill::default().is_ready("ready"));
    }

    /// Joined, the tokens of a `position` command are the moves of the game.
    #[test]
    fn games_are_sent_in_tokens() {
        let mut removals = 0;
        let each = house_rules::rules(Variant::Morabaraba, "Removals=each mill").expect("rules");
        let all = Variant::ALL.map(Variant::rules).into_iter().chain([each]);
        for rules in all.filter(|rules| rule_options(*rules).is_some()) {
            let sanmill = Sanmill { rules: Some(rules), is_newer: true };
            let mut game = AnyGame::new(rules);
            let fen = game.fen();
            let mut moves = Vec::new();
            while game.ending().is_none() && moves.len() < 60 {
                let legal = game.moves();
                let mv = legal.iter().find(|mv| mv.contains('x')).unwrap_or(&legal[moves.len() * 7 % legal.len()]);
                game.push(mv).expect("legal");
                moves.push(mv.clone());
            }
            let asked = Question {
                fen: &fen,
                moves: moves.iter().map(String::as_str).collect(),
                ..question(&game, Thinking::default())
            };
            let Search { before, .. } = sanmill.search(&asked, None);
            let (start, tokens) = before[0].split_once(" moves ").expect("moves");
            let joined = tokens.replace(" x", "x");
            removals += tokens.matches(" x").count();
            let sent =
                AnyGame::new(rules).at(start.strip_prefix("position fen "), joined.split(' ')).expect("legal moves");
            assert_eq!(sent.fen(), game.fen(), "{rules:?}");
        }
        assert!(removals >= 10, "{removals}");
    }

    #[test]
    fn what_is_left_goes_to_the_stone() {
        let mut game = game(&["d6", "f4", "d7", "f2"]);
        let sanmill = Sanmill { rules: Some(Variant::Morris.rules()), is_newer: true };
        let thinking = Thinking { move_time: Some(ms(620)), nodes: Some(1), depth: None, clock: None };
        let half = |elapsed, nodes| Answer {
            best: "d5".to_string(),
            ponder: None,
            report: Report { nodes, ..Report::default() },
            elapsed: ms(elapsed),
        };
        let sent = |game: &AnyGame, half: Option<&Answer>| {
            let Search { before, go, stop_after } = sanmill.search(&question(game, thinking), half);
            assert_eq!((before.len(), stop_after), (2, None));
            let moves = before[1].split_once(" moves ").map(|(_, moves)| moves.to_string());
            (before[0].rsplit(' ').next().map(String::from), moves, go)
        };
        let expected = |time: &str, moves: Option<&str>, go: &str| {
            (Some(time.to_string()), moves.map(String::from), go.to_string())
        };
        assert_eq!(sent(&game, None), expected("400", None, "go nodes 1"));
        assert_eq!(sent(&game, Some(&half(450, None))), expected("150", Some("d5"), "go nodes 1"));
        assert_eq!(sent(&game, Some(&half(999, Some(7)))), expected("1", Some("d5"), "go nodes 1"));
        game.push("f6").expect("legal");
        assert_eq!(sent(&game, None), expected("600", None, "go nodes 1"), "no mill can be closed");
        // Each removal is a token.
        let two = Answer { best: "d5xf4".to_string(), ..half(450, None) };
        assert_eq!(sent(&game, Some(&two)).1.as_deref(), Some("d5 xf4"));
    }
}
