//! The settings of a match as text: engines, time controls, adjudication.

use super::sprt::{Sprt, SprtError};
use millbrain_games::{house_rules, sanmill::options};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

/// Faulty settings of a match.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A word that is not `KEY=VALUE`.
    #[error("{0:?} unusable, expected KEY=VALUE")]
    NoKey(String),
    /// A value that its key rejects, or a key that its option does not have.
    #[error("value {value:?} unusable for {key}, expected {expected}")]
    Value {
        /// The key, or the option.
        key: String,
        /// The value given.
        value: String,
        /// The values that the key accepts.
        expected: &'static str,
    },
    /// An unknown key of an engine.
    #[error(
        "unknown key {0:?} of an engine, expected name, cmd, args, dir, dialect, tc, movetime, nodes, depth, timemargin, \
         ponder or option.NAME"
    )]
    EngineKey(String),
    /// An unknown dialect.
    #[error(transparent)]
    Dialect(#[from] UnknownDialect),
    /// An unknown key or order of openings.
    #[error(
        "{key}={value} unusable for --openings, expected file=, plies=, balance=, seed= or order=random|sequential"
    )]
    OpeningsKey {
        /// The key.
        key: String,
        /// Its value.
        value: String,
    },
    /// An engine without a program, by its number from 1.
    #[error("engine {0}: no command, expected cmd=PROGRAM")]
    NoCommand(usize),
    /// An engine, by its name, that might think forever.
    #[error("engine {0}: no limit, expected tc=, movetime=, nodes= or depth=")]
    NoLimit(String),
    /// An engine, by its name, whose dialect does not support pondering.
    #[error("engine {0}: ponder=true unusable with dialect=sanmill, expected dialect=millbrain")]
    NoPonder(String),
    /// A key that an engine for analysis does not have.
    #[error(
        "{0}= unusable for an engine that analyses, expected the limits of the command: --nodes, --depth or --movetime"
    )]
    Playing(String),
    /// An option of an engine for analysis that chooses the rules.
    #[error("option.{0} unusable, expected no options that choose the rules: the games have them")]
    Rule(String),
    /// This number of engines, fewer than two.
    #[error("{0} engines, expected two or more times --engine")]
    FewEngines(usize),
    /// Two engines with this name.
    #[error("two engines are called {0:?}, expected different names")]
    SameName(String),
    /// A sequential test with a value out of range.
    #[error(transparent)]
    Sprt(#[from] SprtError),
}

/// Returns the error for an invalid value.
fn unusable(key: &str, value: &str, expected: &'static str) -> ConfigError {
    ConfigError::Value { key: key.to_string(), value: value.to_string(), expected }
}

/// Splits `KEY=VALUE`.
pub(super) fn key_value(word: &str) -> Result<(&str, &str), ConfigError> {
    word.split_once('=').ok_or_else(|| ConfigError::NoKey(word.to_string()))
}

/// Parses a number, or any other value with a text form.
pub(super) fn number<T: FromStr>(key: &str, value: &str, expected: &'static str) -> Result<T, ConfigError> {
    value.parse().map_err(|_| unusable(key, value, expected))
}

/// The protocol of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// The protocol of this engine.
    #[default]
    Millbrain,
    /// The protocol of the program Sanmill.
    Sanmill,
}

impl Dialect {
    /// All dialects; the first is the default.
    pub const ALL: [Dialect; 2] = [Dialect::Millbrain, Dialect::Sanmill];
    /// The names of all dialects for messages.
    pub const NAMES: &str = "millbrain or sanmill";

    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Millbrain => "millbrain",
            Dialect::Sanmill => "sanmill",
        }
    }

    /// Whether this is this engine's dialect.
    pub fn is_own(&self) -> bool {
        *self == Dialect::default()
    }

    /// Whether an option with this name chooses the rules.
    pub fn has_rule(self, option: &str) -> bool {
        match self {
            Dialect::Millbrain => house_rules::is_rule(option),
            Dialect::Sanmill => options::is_rule(option),
        }
    }
}

/// An unknown dialect name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown dialect {:?}, expected {}", millbrain_core::game::fen::shorten(.0), Dialect::NAMES)]
pub struct UnknownDialect(String);

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(text: &str) -> Result<Dialect, UnknownDialect> {
        let named = |dialect: &Dialect| dialect.name() == text;
        Dialect::ALL.into_iter().find(named).ok_or_else(|| UnknownDialect(text.to_string()))
    }
}

/// A chess clock, `MOVES/MINUTES:SECONDS+INCREMENT`; only the seconds are required.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Clock {
    /// Moves until the base time is added again; 0 for the whole game.
    pub moves: u32,
    /// Time at the start of a period.
    pub base: Duration,
    /// Time added after each move.
    pub increment: Duration,
}

impl FromStr for Clock {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Clock, ConfigError> {
        /// Maximum time. Input may be in minutes and seconds or only in seconds; output is in seconds.
        const MAX_TIME: Duration = Duration::from_secs(1_000_000);
        let fault = || unusable("tc", text, "[MOVES/][MINUTES:]SECONDS[+INCREMENT] such as 10+0.1 or 40/1:30");
        let seconds = |text: &str| {
            let value = text.parse::<f64>().ok().filter(|value| (0.0..=MAX_TIME.as_secs_f64()).contains(value));
            value.map(Duration::from_secs_f64).ok_or_else(fault)
        };
        let (moves, rest) = text.split_once('/').map_or((Ok(0), text), |(moves, rest)| (moves.parse(), rest));
        let (time, increment) = rest.split_once('+').map_or((rest, None), |(time, inc)| (time, Some(inc)));
        let (minutes, secs) = time.split_once(':').map_or((None, time), |(minutes, secs)| (Some(minutes), secs));
        let base =
            minutes.map_or(Ok(Duration::ZERO), |minutes| seconds(minutes).map(|time| time * 60))? + seconds(secs)?;
        let increment = increment.map_or(Ok(Duration::ZERO), seconds)?;
        if (base + increment).is_zero() || base > MAX_TIME {
            return Err(fault());
        }
        Ok(Clock { moves: moves.map_err(|_| fault())?, base, increment })
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.moves > 0 {
            write!(f, "{}/", self.moves)?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

/// The limits on an engine's thinking.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Thinking {
    /// Chess clock.
    pub clock: Option<Clock>,
    /// Time for each move.
    pub move_time: Option<Duration>,
    /// Nodes for each move.
    pub nodes: Option<u64>,
    /// Plies for each move.
    pub depth: Option<u32>,
}

impl Thinking {
    /// Whether time is limited.
    pub(super) const fn is_timed(&self) -> bool {
        self.clock.is_some() || self.move_time.is_some()
    }

    /// Whether any limit is given.
    pub const fn is_limited(&self) -> bool {
        self.clock.is_some() || self.move_time.is_some() || self.nodes.is_some() || self.depth.is_some()
    }
}

impl fmt::Display for Thinking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.clock.map(|clock| clock.to_string()),
            self.move_time.map(|time| format!("movetime {}", time.as_secs_f64())),
            self.nodes.map(|nodes| format!("nodes {nodes}")),
            self.depth.map(|depth| format!("depth {depth}")),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// An engine of the match.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct EngineConfig {
    /// Name in all reports; unique.
    pub name: String,
    /// The program.
    pub command: String,
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// Working folder of the program.
    pub directory: Option<String>,
    /// Protocol of the engine.
    #[serde(default, skip_serializing_if = "Dialect::is_own")]
    pub dialect: Dialect,
    /// Options to set, in order.
    pub options: Vec<(String, String)>,
    /// Limits on its thinking.
    pub thinking: Thinking,
    /// Tolerated time beyond the limit.
    pub margin: Duration,
    /// Whether the engine ponders on its opponent's time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ponder: bool,
}

impl EngineConfig {
    /// Returns the number of its search threads.
    pub(super) fn threads(&self) -> usize {
        let threads = self.options.iter().filter(|(name, _)| name.eq_ignore_ascii_case("Threads"));
        threads.filter_map(|(_, value)| value.parse().ok()).max().unwrap_or(1)
    }

    /// Applies one `KEY=VALUE` word.
    ///
    /// # Errors
    /// An unknown key or an invalid value.
    pub fn apply(&mut self, word: &str) -> Result<(), ConfigError> {
        let (key, value) = key_value(word)?;
        let milliseconds = || number(key, value, "milliseconds").map(Duration::from_millis);
        match key {
            "name" => self.name = value.to_string(),
            "cmd" => self.command = value.to_string(),
            "args" => self.arguments = value.split_whitespace().map(String::from).collect(),
            "dir" => self.directory = Some(value.to_string()),
            "dialect" => self.dialect = value.parse()?,
            "tc" => self.thinking.clock = Some(value.parse()?),
            "movetime" => self.thinking.move_time = Some(milliseconds()?),
            "nodes" => self.thinking.nodes = Some(number(key, value, "a number of nodes")?),
            "depth" => self.thinking.depth = Some(number(key, value, "a number of plies")?),
            "timemargin" => self.margin = milliseconds()?,
            "ponder" => self.ponder = number(key, value, "true or false")?,
            _ => match key.strip_prefix("option.") {
                Some(option) if !option.is_empty() => {
                    self.options.retain(|(name, _)| name != option);
                    self.options.push((option.to_string(), value.to_string()));
                }
                _ => return Err(ConfigError::EngineKey(key.to_string())),
            },
        }
        Ok(())
    }
}

/// Returns the engines of a match. The words of `each` apply to all of them; an engine's own words override them.
///
/// # Errors
/// Faulty words, fewer than two engines, no command, no limit, or a duplicate name.
pub fn engines(lists: &[Vec<String>], each: &[String]) -> Result<Vec<EngineConfig>, ConfigError> {
    let mut engines = Vec::new();
    for (i, words) in lists.iter().enumerate() {
        let mut engine = EngineConfig::default();
        for word in each.iter().chain(words) {
            engine.apply(word)?;
        }
        if engine.command.is_empty() {
            return Err(ConfigError::NoCommand(i + 1));
        }
        if engine.name.is_empty() {
            engine.name = format!("engine{}", i + 1);
        }
        if !engine.thinking.is_limited() {
            return Err(ConfigError::NoLimit(engine.name));
        }
        if engine.ponder && !engine.dialect.is_own() {
            return Err(ConfigError::NoPonder(engine.name));
        }
        engines.push(engine);
    }
    if engines.len() < 2 {
        return Err(ConfigError::FewEngines(engines.len()));
    }
    for (i, engine) in engines.iter().enumerate() {
        if engines[..i].iter().any(|other| other.name == engine.name) {
            return Err(ConfigError::SameName(engine.name.clone()));
        }
    }
    Ok(engines)
}

/// Returns the engine of these words for analysis within these limits.
///
/// # Errors
/// Faulty words, no command, or words that are for games.
pub fn analyst(words: &[String], thinking: Thinking) -> Result<EngineConfig, ConfigError> {
    let mut engine = EngineConfig::default();
    for word in words {
        let (key, _) = key_value(word)?;
        if ["tc", "movetime", "nodes", "depth", "timemargin", "ponder"].contains(&key) {
            return Err(ConfigError::Playing(key.to_string()));
        }
        engine.apply(word)?;
    }
    if let Some((option, _)) = engine.options.iter().find(|(option, _)| engine.dialect.has_rule(option)) {
        return Err(ConfigError::Rule(option.clone()));
    }
    if engine.command.is_empty() {
        return Err(ConfigError::NoCommand(1));
    }
    if engine.name.is_empty() {
        engine.name = "engine1".to_string();
    }
    Ok(EngineConfig { thinking, ..engine })
}

/// Adjudicates a draw after the scores of both engines have been near zero for long.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DrawAdjudication {
    /// First full move that may end the game, from 1.
    pub move_number: u32,
    /// Consecutive moves of each side, from 1.
    pub move_count: u32,
    /// Maximum score for either side, in centistones.
    pub score: i32,
}

/// Adjudicates a loss after the scores of an engine have been hopeless for long.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ResignAdjudication {
    /// Consecutive moves, from 1.
    pub move_count: u32,
    /// Minimum deficit, in centistones.
    pub score: i32,
    /// Whether the winner's own scores must agree.
    pub two_sided: bool,
}

/// Parses `movenumber= movecount= score=`.
///
/// # Errors
/// Unknown keys and invalid values.
pub fn draw_adjudication(words: &[String]) -> Result<Option<DrawAdjudication>, ConfigError> {
    if words.is_empty() {
        return Ok(None);
    }
    let mut rule = DrawAdjudication { move_number: 30, move_count: 8, score: 10 };
    for word in words {
        match key_value(word)? {
            ("movenumber", value) => rule.move_number = number("movenumber", value, "a move number")?,
            ("movecount", value) => {
                rule.move_count = number::<NonZeroU32>("movecount", value, "a number of moves from 1")?.get();
            }
            ("score", value) => rule.score = number("score", value, "centistones")?,
            (key, _) => return Err(unusable("--draw", key, "movenumber=, movecount= or score=")),
        }
    }
    Ok(Some(rule))
}

/// Parses `tables=` words: folders of tables, packs, or addresses of servers.
///
/// # Errors
/// Unknown keys and empty places.
pub fn adjudicating_tables(words: &[String]) -> Result<Vec<String>, ConfigError> {
    let place = |word: &String| match key_value(word)? {
        ("tables", "") => Err(unusable("tables", "", "a folder of tables")),
        ("tables", place) => Ok(place.to_string()),
        (key, _) => Err(unusable("--adjudicate", key, "tables=DIR")),
    };
    words.iter().map(place).collect()
}

/// Parses `movecount= score= twosided=`.
///
/// # Errors
/// Unknown keys and invalid values.
pub fn resign_adjudication(words: &[String]) -> Result<Option<ResignAdjudication>, ConfigError> {
    if words.is_empty() {
        return Ok(None);
    }
    let mut rule = ResignAdjudication { move_count: 3, score: 1_000, two_sided: false };
    for word in words {
        match key_value(word)? {
            ("movecount", value) => {
                rule.move_count = number::<NonZeroU32>("movecount", value, "a number of moves from 1")?.get();
            }
            ("score", value) => rule.score = number("score", value, "centistones")?,
            ("twosided", value) => rule.two_sided = number("twosided", value, "true or false")?,
            (key, _) => return Err(unusable("--resign", key, "movecount=, score= or twosided=")),
        }
    }
    Ok(Some(rule))
}

/// Parses `elo0= elo1= alpha= beta=`.
///
/// # Errors
/// Unknown keys and invalid values.
pub fn sequential_test(words: &[String]) -> Result<Option<Sprt>, ConfigError> {
    if words.is_empty() {
        return Ok(None);
    }
    let mut test = Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };
    for word in words {
        match key_value(word)? {
            ("elo0", value) => test.elo0 = number("elo0", value, "normalised Elo")?,
            ("elo1", value) => test.elo1 = number("elo1", value, "normalised Elo")?,
            ("alpha", value) => test.alpha = number("alpha", value, "a chance such as 0.05")?,
            ("beta", value) => test.beta = number("beta", value, "a chance such as 0.05")?,
            (key, _) => return Err(unusable("--sprt", key, "elo0=, elo1=, alpha= or beta=")),
        }
    }
    test.check()?;
    Ok(Some(test))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_and_written() {
        let clock = |text: &str| text.parse::<Clock>().map_err(|error| error.to_string());
        let ms = Duration::from_millis;
        assert_eq!(clock("10+0.1"), Ok(Clock { moves: 0, base: ms(10_000), increment: ms(100) }));
        assert_eq!(clock("40/1:30"), Ok(Clock { moves: 40, base: ms(90_000), increment: ms(0) }));
        assert_eq!(clock("40/90.5+2").map(|clock| clock.to_string()), Ok("40/90.5+2".to_string()));
        for bad in ["", "x", "0", "-1", "1/", "/5", "5+", "5+x", "1:2:3", "inf", "nan", "1e99", "20002:2"] {
            assert!(clock(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn engines_are_read() {
        let each = words("tc=1+0.1 option.Hash=8");
        let two = engines(&[words("name=A cmd=a option.Hash=16"), words("cmd=b nodes=5 timemargin=20")], &each);
        let two = two.expect("two engines");
        assert_eq!(two[0].options, [("Hash".to_string(), "16".to_string())]);
        assert_eq!((two[1].name.as_str(), two[1].thinking.nodes), ("engine2", Some(5)));
        let fault = |a: &str, b: &str| engines(&[words(a), words(b)], &[]).expect_err("a fault").to_string();
        assert!(fault("cmd=a tc=1", "cmd=b").contains("no limit"));
        assert!(fault("tc=1", "cmd=b tc=1").contains("no command"));
        assert!(fault("name=A cmd=a tc=1", "name=A cmd=b tc=1").contains("different names"));
        assert!(fault("cmd=a tc=1 colour=red", "cmd=b tc=1").contains("unknown key"));
        assert!(fault("cmd", "cmd=b tc=1").contains("KEY=VALUE"));
    }

    #[test]
    fn adjudication_is_read() {
        let draw = draw_adjudication(&words("movenumber=40 movecount=5 score=8")).expect("good");
        assert_eq!(draw, Some(DrawAdjudication { move_number: 40, move_count: 5, score: 8 }));
        assert!(resign_adjudication(&words("score=x")).is_err());
        assert_eq!(adjudicating_tables(&words("tables=a tables=b=c")), Ok(words("a b=c")));
        for bad in ["tables", "tables=", "table=a"] {
            assert!(adjudicating_tables(&words(bad)).is_err(), "{bad}");
        }
        assert!(sequential_test(&words("elo0=5 elo1=0")).is_err());
        assert!(sequential_test(&[]).expect("nothing").is_none());
    }

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn every_key_of_an_engine_is_taken() {
        let mut engine = EngineConfig::default();
        assert!(!engine.thinking.is_limited());
        for word in [
            "name=A",
            "cmd=a=b",
            "args=-x  y",
            "dir=/d",
            "dialect=sanmill",
            "tc=1:2+3",
            "movetime=40",
            "nodes=5",
            "depth=6",
            "timemargin=70",
            "ponder=true",
            "option.X=1",
            "option.Y=",
            "option.X=2",
        ] {
            engine.apply(word).expect(word);
        }
        let thinking = Thinking {
            clock: Some(Clock { moves: 0, base: Duration::from_secs(62), increment: Duration::from_secs(3) }),
            move_time: Some(Duration::from_millis(40)),
            nodes: Some(5),
            depth: Some(6),
        };
        let option = |name: &str, value: &str| (name.to_string(), value.to_string());
        let expected = EngineConfig {
            name: "A".to_string(),
            command: "a=b".to_string(),
            arguments: words("-x y"),
            directory: Some("/d".to_string()),
            dialect: Dialect::Sanmill,
            options: vec![option("Y", ""), option("X", "2")],
            thinking,
            margin: Duration::from_millis(70),
            ponder: true,
        };
        assert_eq!(engine, expected);
        assert_eq!(thinking.to_string(), "62+3, movetime 0.04, nodes 5, depth 6");
        let only = |change: &dyn Fn(&mut Thinking)| {
            let mut thinking = Thinking::default();
            change(&mut thinking);
            thinking.is_limited()
        };
        assert!(only(&|limit| limit.clock = thinking.clock) && only(&|limit| limit.move_time = thinking.move_time));
        assert!(only(&|limit| limit.nodes = Some(1)) && only(&|limit| limit.depth = Some(1)));
        for (bad, reported) in [
            ("movetime=x", "expected milliseconds"),
            ("timemargin=-1", "expected milliseconds"),
            ("ponder=1", "expected true or false"),
            ("nodes=1.5", "expected a number of nodes"),
            ("depth=", "expected a number of plies"),
            ("option.=1", "unknown key \"option.\" of an engine"),
            ("colour=red", "expected name, cmd"),
            ("dialect=uci", "unknown dialect \"uci\", expected millbrain or sanmill"),
        ] {
            assert!(engine.apply(bad).is_err_and(|error| error.to_string().contains(reported)), "{bad}");
        }
        assert_eq!(engine, expected);
    }

    #[test]
    fn the_default_dialect_is_not_written() {
        let plain = EngineConfig { name: "A".to_string(), ..EngineConfig::default() };
        let saved = serde_json::to_string(&plain).expect("JSON");
        assert!(!saved.contains("dialect"), "{saved}");
        assert_eq!(serde_json::from_str::<EngineConfig>(&saved).expect("settings"), plain);
        let other = EngineConfig { dialect: Dialect::Sanmill, ..plain };
        let saved = serde_json::to_string(&other).expect("JSON");
        assert_eq!(serde_json::from_str::<EngineConfig>(&saved).expect("settings"), other);
    }

    #[test]
    fn longest_clocks() {
        let clock = |text: &str| text.parse::<Clock>().is_ok();
        assert!(clock("1000000") && !clock("1000001") && clock("16666:40") && !clock("16666:41"));
        assert!(clock("0+1") && !clock("0+0"));
        assert_eq!("40/5".parse::<Clock>().map(|clock| clock.to_string()), Ok("40/5".to_string()));
    }

    #[test]
    fn names_default_to_their_number() {
        let lists = [words("cmd=a"), words("cmd=b name=B"), words("cmd=c")];
        let names: Vec<_> = engines(&lists, &words("depth=1")).expect("three").into_iter().map(|e| e.name).collect();
        assert_eq!(names, ["engine1", "B", "engine3"]);
        let fault = |lists: &[Vec<String>]| engines(lists, &words("depth=1")).expect_err("a fault").to_string();
        assert_eq!(fault(&lists[..1]), "1 engines, expected two or more times --engine");
        assert!(fault(&[words("cmd=a"), words("name=x")]).starts_with("engine 2: no command"));
    }

    #[test]
    fn rules_of_adjudication_have_defaults() {
        let draw = |text: &str| draw_adjudication(&words(text)).map_err(|error| error.to_string());
        let resign = |text: &str| resign_adjudication(&words(text)).map_err(|error| error.to_string());
        assert_eq!((draw(""), resign("")), (Ok(None), Ok(None)));
        let rule = DrawAdjudication { move_number: 30, move_count: 8, score: 3 };
        assert_eq!(draw("score=3"), Ok(Some(rule)));
        let rule = ResignAdjudication { move_count: 2, score: 1_000, two_sided: true };
        assert_eq!(resign("twosided=true movecount=2"), Ok(Some(rule)));
        assert_eq!(resign("score=7"), Ok(Some(ResignAdjudication { move_count: 3, score: 7, two_sided: false })));
        for bad in ["movecount=0", "movecount=x", "score=x", "movenumber=x", "colour=1", "score"] {
            assert!(draw(bad).is_err_and(|error| error.contains("expected")), "{bad}");
        }
        for bad in ["movecount=0", "twosided=yes", "score=x", "movenumber=1"] {
            assert!(resign(bad).is_err_and(|error| error.contains("expected")), "{bad}");
        }
    }

    #[test]
    fn the_sequential_test_is_read() {
        let test = |text: &str| sequential_test(&words(text)).map_err(|error| error.to_string());
        let sprt = |elo0, elo1, alpha, beta| Ok(Some(Sprt { elo0, elo1, alpha, beta }));
        assert_eq!(test("elo0=-5 elo1=2.5 alpha=0.1 beta=0.02"), sprt(-5.0, 2.5, 0.1, 0.02));
        assert_eq!(test("elo1=3"), sprt(0.0, 3.0, 0.05, 0.05));
        assert_eq!(test("elo0=-1000 elo1=1000"), sprt(-1_000.0, 1_000.0, 0.05, 0.05));
        for bad in [
            "elo0=10",
            "elo0=-1001",
            "elo1=1001",
            "elo0=11",
            "elo0=inf",
            "elo0=-inf",
            "elo1=inf",
            "elo1=nan",
            "alpha=0",
            "alpha=0.5",
            "beta=0",
            "beta=0.5",
            "alpha=-1",
            "beta=1",
            "elo=1",
            "elo0=x",
            "alpha=x",
            "beta=x",
            "elo1=x",
        ] {
            assert!(test(bad).is_err_and(|error| error.contains("expected")), "{bad}");
        }
    }

    #[test]
    fn dialects_are_known_by_their_names() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.name().parse(), Ok(dialect));
            assert!(Dialect::NAMES.contains(dialect.name()));
            let saved = serde_json::to_string(&dialect).expect("JSON");
            assert_eq!(saved, format!("{:?}", dialect.name()));
        }
        let reported = "Sanmill!".parse::<Dialect>().expect_err("unknown").to_string();
        assert_eq!(reported, "unknown dialect \"Sanmill!\", expected millbrain or sanmill");
    }
}
