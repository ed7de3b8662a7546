//! The options, in one table: `uci` prints it, it parses and checks values, and a test compares the documentation with
//! it.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::bounds::{Bounds, Files};
use crate::fen::shorten;
use crate::files::size::Size;
use crate::options::{Choice, RuleOption, from_to, one_of};
use crate::search::{Style, strength};
#[cfg(feature = "tune")]
use crate::search::{Tunable, Tunables};
use crate::tablebase::{self, Sources};
use crate::variant::{Ruleset, Variant};
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::LazyLock;

/// The values of all options.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// Search threads.
    pub threads: usize,
    /// Size of the transposition table in MiB.
    pub hash: usize,
    /// Whether the GUI may let the engine ponder; it has no effect.
    pub ponder: bool,
    /// Number of variations.
    pub multipv: usize,
    /// Milliseconds lost per move between engine and clock.
    pub move_overhead: u64,
    /// The variant last chosen.
    pub variant: Variant,
    /// The current rules, of the same family as the variant.
    pub rules: Ruleset,
    /// Skill level.
    pub skill: u32,
    /// Whether `UCI_Elo` applies.
    pub limit_strength: bool,
    /// Rating set with `UCI_Elo`.
    pub elo: u32,
    /// Seed of random choices; 0 for a random seed.
    pub seed: u64,
    /// Whether to report the chances of a win, draw and loss.
    pub show_wdl: bool,
    /// Whether to play at full strength regardless of the skill.
    pub analyse: bool,
    /// Preference among moves with the same known result.
    pub style: Style,
    /// Folders of tablebases, separated as in `PATH`; empty for none.
    pub tablebase_path: String,
    /// Maximum stones or pieces on the board for a tablebase lookup.
    pub tablebase_limit: u32,
    /// Memory for unpacked blocks of tablebases in MiB.
    pub tablebase_cache: u64,
    /// Whether the built-in tablebases are used.
    pub tablebase_embedded: bool,
    /// Whether moves come from the opening book, if there is one.
    pub own_book: bool,
    /// The file of the opening book; empty for none.
    pub book_file: String,
    /// Path of the log file; empty for none.
    pub log_file: String,
    /// The parameters of the search.
    #[cfg(feature = "tune")]
    pub tunables: Tunables,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            threads: 1,
            hash: 16,
            ponder: false,
            multipv: 1,
            move_overhead: 10,
            variant: Variant::default(),
            rules: Variant::default().rules(),
            skill: strength::FULL,
            limit_strength: false,
            elo: strength::MAX_ELO,
            seed: 0,
            show_wdl: false,
            analyse: false,
            style: Style::default(),
            tablebase_path: String::new(),
            tablebase_limit: MAX_PIECES,
            tablebase_cache: tablebase::DEFAULT_CACHE.0 / MIB,
            tablebase_embedded: true,
            own_book: true,
            book_file: String::new(),
            log_file: String::new(),
            #[cfg(feature = "tune")]
            tunables: Tunables::default(),
        }
    }
}

#[cfg(feature = "tune")]
impl AsRef<Tunables> for Settings {
    fn as_ref(&self) -> &Tunables {
        &self.tunables
    }
}

#[cfg(feature = "tune")]
impl AsMut<Tunables> for Settings {
    fn as_mut(&mut self) -> &mut Tunables {
        &mut self.tunables
    }
}

const MIB: u64 = 1 << 20;

/// Maximum number of stones or pieces on a board.
const MAX_PIECES: u32 = 24;

/// Splits a list of paths into folders, files and addresses.
fn places(list: &str) -> Vec<PathBuf> {
    let mut places = Vec::new();
    // A browser has no paths to split.
    let parts: Vec<String> = if cfg!(target_family = "wasm") {
        list.split(':').map(str::to_string).collect()
    } else {
        std::env::split_paths(list).map(|path| path.to_string_lossy().into_owned()).collect()
    };
    let mut paths = parts.into_iter().peekable();
    while let Some(mut place) = paths.next() {
        while let Some(rest) = paths.next_if(|next| is_cut(&place, next)) {
            place.push_str(&format!(":{rest}"));
        }
        if !place.is_empty() {
            places.push(place.into());
        }
    }
    places
}

/// Returns the list of these places; a name of a folder or file has no separator in it.
pub fn list_of(places: &[PathBuf]) -> String {
    let texts: Vec<_> = places.iter().map(|place| place.to_string_lossy()).collect();
    texts.join(if cfg!(windows) { ";" } else { ":" })
}

/// Whether a colon between two parts of a list belongs to an address: `tables:http://[::1]:8080` is a folder and a
/// server.
fn is_cut(before: &str, after: &str) -> bool {
    let Some((_, host)) = before.split_once("://") else {
        return ["http", "https"].contains(&before) && after.starts_with("//");
    };
    if host.starts_with('[') && !host.contains(']') {
        return true;
    }
    let has_port = host.rsplit(']').next().is_some_and(|rest| rest.contains([':', '/']));
    let port = after.split('/').next().unwrap_or_default();
    !has_port && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

impl Settings {
    /// Returns the sources of tablebases.
    pub fn sources(&self) -> Sources {
        let places = places(&self.tablebase_path);
        let cache = Size(self.tablebase_cache * MIB);
        Sources { embedded: self.tablebase_embedded, limit: self.tablebase_limit, cache, ..Sources::at(places) }
    }

    /// Returns the current skill level.
    pub fn level(&self) -> u32 {
        if self.analyse {
            strength::FULL
        } else if self.limit_strength {
            strength::level_of_elo(self.elo).min(self.skill)
        } else {
            self.skill
        }
    }
}

/// The action that a changed option requires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// None: the next search uses the value.
    None,
    /// Resize the thread pool.
    Threads,
    /// Resize the hash table.
    Hash,
    /// Clear the hash table.
    Clear,
    /// Set up the start position of the new rules.
    Rules,
    /// Reopen the tablebases.
    Tables,
    /// Resize the memory for tablebases.
    Cache,
    /// Reopen the opening book.
    Book,
    /// Reopen the log file.
    Log,
}

/// Reads a value from the settings.
type Get<T> = fn(&Settings) -> T;
/// Writes a checked value into the settings.
type Set<T> = fn(&mut Settings, T);
/// Writes the value with a name into the settings; returns whether there is one.
type SetWord = fn(&mut Settings, &str) -> bool;

/// The type of an option, with its range and its accessors.
#[derive(Clone, Copy)]
pub enum Kind {
    /// `true` or `false`.
    Check(Get<bool>, Set<bool>),
    /// A whole number in a range.
    Spin(u64, u64, Get<u64>, Set<u64>),
    /// One of a set of words, or an alias of one.
    Combo(&'static [&'static str], Get<&'static str>, SetWord),
    /// A rule of any family. A rule of another family is checked but has no effect.
    Rule(RuleOption),
    /// An action without a value.
    Button,
    /// Any text.
    Text(Get<String>, Set<String>),
    /// A path or list of paths.
    Path(Get<String>, Set<String>),
}

/// An option.
#[derive(Clone, Copy)]
pub struct Opt {
    /// Name of the option. It may contain spaces, but none of the keywords of the option line.
    pub name: &'static str,
    /// Type of the option.
    pub kind: Kind,
    /// Action required after a change.
    pub effect: Effect,
}

const fn opt(name: &'static str, kind: Kind, effect: Effect) -> Opt {
    Opt { name, kind, effect }
}

/// The text that represents an empty string.
const EMPTY: &str = "<empty>";
const ABOUT: &str = concat!("millbrain ", env!("CARGO_PKG_VERSION"), ", an engine for Nine Men's Morris and Smess");

/// The table of options: the rules follow the variant; the parameters of the search, if they can be set, are last.
pub static OPTIONS: LazyLock<Vec<Opt>> = LazyLock::new(|| {
    let rules = RuleOption::all().into_iter().map(|rule| opt(rule.name, Kind::Rule(rule), Effect::Rules));
    let options = BEFORE_RULES.iter().copied().chain(rules).chain(AFTER_RULES.iter().copied());
    #[cfg(feature = "tune")]
    let options = options.chain(tunables());
    options.collect()
});

/// Lists the parameters of the search as options.
#[cfg(feature = "tune")]
fn tunables() -> impl Iterator<Item = Opt> {
    Tunable::all().into_iter().map(|Tunable { name, range: [low, high], get, set, .. }| {
        opt(name, Kind::Spin(low, high, get, set), Effect::None)
    })
}

const BEFORE_RULES: &[Opt] = &[
    opt("Threads", Kind::Spin(1, 512, |s| s.threads as u64, |s, v| s.threads = v as usize), Effect::Threads),
    opt("Hash", Kind::Spin(1, 65_536, |s| s.hash as u64, |s, v| s.hash = v as usize), Effect::Hash),
    opt("Clear Hash", Kind::Button, Effect::Clear),
    opt("Ponder", Kind::Check(|s| s.ponder, |s, v| s.ponder = v), Effect::None),
    opt("MultiPV", Kind::Spin(1, 500, |s| s.multipv as u64, |s, v| s.multipv = v as usize), Effect::None),
    opt("Move Overhead", Kind::Spin(0, 5_000, |s| s.move_overhead, |s, v| s.move_overhead = v), Effect::None),
    opt("UCI_Variant", Kind::Combo(&Variant::NAMES, |s| s.variant.name(), set_variant), Effect::Rules),
];

const AFTER_RULES: &[Opt] = &[
    opt(
        "Skill Level",
        Kind::Spin(0, strength::FULL as u64, |s| s.skill.into(), |s, v| s.skill = v as u32),
        Effect::None,
    ),
    opt("UCI_LimitStrength", Kind::Check(|s| s.limit_strength, |s, v| s.limit_strength = v), Effect::None),
    opt(
        "UCI_Elo",
        Kind::Spin(strength::MIN_ELO as u64, strength::MAX_ELO as u64, |s| s.elo.into(), |s, v| s.elo = v as u32),
        Effect::None,
    ),
    opt("Random Seed", Kind::Spin(0, u32::MAX as u64, |s| s.seed, |s, v| s.seed = v), Effect::None),
    opt("UCI_ShowWDL", Kind::Check(|s| s.show_wdl, |s, v| s.show_wdl = v), Effect::None),
    opt("UCI_AnalyseMode", Kind::Check(|s| s.analyse, |s, v| s.analyse = v), Effect::None),
    opt("Play Style", Kind::Combo(&Style::NAMES, |s| s.style.name(), set_style), Effect::None),
    opt("TablebasePath", Kind::Path(|s| s.tablebase_path.clone(), |s, v| s.tablebase_path = v), Effect::Tables),
    opt(
        "TablebaseProbeLimit",
        Kind::Spin(0, MAX_PIECES as u64, |s| s.tablebase_limit.into(), |s, v| s.tablebase_limit = v as u32),
        Effect::Tables,
    ),
    opt("TablebaseCache", Kind::Spin(1, 65_536, |s| s.tablebase_cache, |s, v| s.tablebase_cache = v), Effect::Cache),
    opt("TablebaseEmbedded", Kind::Check(|s| s.tablebase_embedded, |s, v| s.tablebase_embedded = v), Effect::Tables),
    opt("OwnBook", Kind::Check(|s| s.own_book, |s, v| s.own_book = v), Effect::None),
    opt("BookFile", Kind::Path(|s| s.book_file.clone(), |s, v| s.book_file = v), Effect::Book),
    opt("Log File", Kind::Path(|s| s.log_file.clone(), |s, v| s.log_file = v), Effect::Log),
    opt("UCI_EngineAbout", Kind::Text(|_| ABOUT.to_string(), |_, _| {}), Effect::None),
];

/// Sets a variant and its rules.
fn set_variant(settings: &mut Settings, name: &str) -> bool {
    let Ok(variant) = name.parse::<Variant>() else { return false };
    settings.variant = variant;
    settings.rules = variant.rules();
    true
}

fn set_style(settings: &mut Settings, name: &str) -> bool {
    let Some(style) = Style::named(name) else { return false };
    settings.style = style;
    true
}

/// Why an option was not set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// There is no such option.
    #[error("unknown option {:?}, expected one that 'uci' lists", shorten(.0))]
    Unknown(String),
    /// The option names files, which the session does not allow.
    #[error("option {0} names files, which this session may not; expected one that 'uci' lists")]
    Files(&'static str),
    /// The value is missing.
    #[error("no value for {0}: expected {1}")]
    Missing(&'static str, String),
    /// The value has the wrong type or is out of range.
    #[error("invalid value {:?} for {name}: expected {expected}", shorten(value))]
    Value {
        /// The option.
        name: &'static str,
        /// The value given.
        value: String,
        /// The expected value.
        expected: String,
    },
}

/// Reduces the spaces between the words of a name to one.
fn plain(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Opt {
    /// Finds an option by name, ignoring case and the width of spaces.
    pub fn named(name: &str) -> Option<&'static Opt> {
        let name = plain(name);
        OPTIONS.iter().find(|option| option.name.eq_ignore_ascii_case(&name))
    }

    /// Whether the option changes the rules.
    pub fn is_rule(&self) -> bool {
        self.effect == Effect::Rules
    }

    /// Returns the option restricted to these bounds; `None` if it is not available.
    pub fn within(&self, bounds: &Bounds) -> Option<Opt> {
        let most = match self.effect {
            Effect::Threads => bounds.threads,
            Effect::Hash => bounds.hash,
            // Blocks use memory only once they are read.
            Effect::Cache => bounds.hash.max(tablebase::DEFAULT_CACHE.0 / MIB),
            _ => u64::MAX,
        };
        let kind = match self.kind {
            Kind::Path(..) if !self.may_name(bounds.files) => return None,
            Kind::Spin(low, high, get, set) => Kind::Spin(low, high.min(most).max(low), get, set),
            kind => kind,
        };
        Some(Opt { kind, ..*self })
    }

    /// Whether the option may name files in a session that uses these.
    fn may_name(&self, files: Files) -> bool {
        match files {
            Files::All => true,
            Files::Hosted => self.effect == Effect::Tables,
            Files::None => false,
        }
    }

    /// Describes the valid values.
    pub fn expected(&self) -> String {
        match &self.kind {
            Kind::Check(..) => "true or false".to_string(),
            Kind::Spin(low, high, ..) => from_to(*low, *high).to_string(),
            Kind::Combo(words, ..) => one_of(words).to_string(),
            Kind::Rule(rule) => rule.choice.to_string(),
            Kind::Button => "no value".to_string(),
            Kind::Text(..) | Kind::Path(..) => "a text".to_string(),
        }
    }

    /// Returns the line that `uci` prints, with the default value.
    pub fn uci_line(&self, defaults: &Settings) -> String {
        let check = |on: &dyn Display| format!("check default {on}");
        let spin = |value: &dyn Display, [low, high]: [u64; 2]| format!("spin default {value} min {low} max {high}");
        let combo = |value: &dyn Display, words: &[&str]| format!("combo default {value} var {}", words.join(" var "));
        let kind = match &self.kind {
            Kind::Check(get, _) => check(&get(defaults)),
            Kind::Spin(low, high, get, _) => spin(&get(defaults), [*low, *high]),
            Kind::Combo(words, get, _) => combo(&get(defaults), words),
            Kind::Rule(rule) => {
                let value = defaults.rules.value(rule.name).or_else(|| rule.default());
                let value = value.map(|value| value.to_string()).unwrap_or_default();
                match rule.choice {
                    Choice::Switch => check(&value),
                    Choice::Number { least, most } => spin(&value, [least.into(), most.into()]),
                    Choice::Word { words } => combo(&value, words),
                }
            }
            Kind::Button => "button".to_string(),
            Kind::Text(get, _) | Kind::Path(get, _) => {
                let value = get(defaults);
                format!("string default {}", if value.is_empty() { EMPTY } else { &value })
            }
        };
        format!("option name {} type {kind}", self.name)
    }

    fn assign(&self, settings: &mut Settings, value: Option<&str>) -> Result<(), OptionError> {
        let wrong =
            |value: &str| OptionError::Value { name: self.name, value: value.to_string(), expected: self.expected() };
        let value = match (&self.kind, value.map(str::trim)) {
            (Kind::Button, _) => return Ok(()),
            (Kind::Text(..) | Kind::Path(..), value) => value.filter(|&value| value != EMPTY).unwrap_or_default(),
            (_, None | Some("")) => return Err(OptionError::Missing(self.name, self.expected())),
            (_, Some(value)) => value,
        };
        match &self.kind {
            Kind::Button => {}
            Kind::Check(_, set) => match value.to_ascii_lowercase().as_str() {
                "true" => set(settings, true),
                "false" => set(settings, false),
                _ => return Err(wrong(value)),
            },
            Kind::Spin(low, high, _, set) => match value.parse::<u64>() {
                Ok(number) if (*low..=*high).contains(&number) => set(settings, number),
                _ => return Err(wrong(value)),
            },
            Kind::Combo(_, _, set) => {
                if !set(settings, value) {
                    return Err(wrong(value));
                }
            }
            Kind::Rule(rule) => match rule.choice.read(value) {
                Some(value) => settings.rules.assign(rule, value),
                None => return Err(wrong(value)),
            },
            Kind::Text(_, set) | Kind::Path(_, set) => set(settings, value.to_string()),
        }
        Ok(())
    }
}

impl Settings {
    /// Sets an option by name (not case-sensitive) and returns the required action.
    ///
    /// # Errors
    /// An unknown name or an unusable value; then nothing has changed.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Effect, OptionError> {
        self.set_within(name, value, &Bounds::default())
    }

    /// Sets an option like [`Settings::set`], within bounds.
    ///
    /// # Errors
    /// An unknown name, an unusable value, or a value beyond the bounds; then nothing has changed.
    pub fn set_within(&mut self, name: &str, value: Option<&str>, bounds: &Bounds) -> Result<Effect, OptionError> {
        let option = Opt::named(name).ok_or_else(|| OptionError::Unknown(plain(name)))?;
        let allowed = option.within(bounds).ok_or(OptionError::Files(option.name))?;
        if bounds.files == Files::Hosted && matches!(option.kind, Kind::Path(..)) {
            let list = value.map(str::trim).filter(|&list| list != EMPTY).unwrap_or_default();
            let Sources { folders, servers, .. } = Sources::at(places(list));
            if !(folders.is_empty() && servers.is_empty()) {
                let expected = "addresses of files, such as https://example.org/morris.mbt".to_string();
                return Err(OptionError::Value { name: option.name, value: list.to_string(), expected });
            }
        }
        allowed.assign(self, value)?;
        Ok(option.effect)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_hold_no_word_of_the_option_line() {
        for option in OPTIONS.iter() {
            for word in option.name.split(' ') {
                assert!(!["name", "type", "default", "min", "max", "var", "value"].contains(&word), "{}", option.name);
            }
        }
    }

    #[test]
    fn every_default_can_be_set_again() {
        let defaults = Settings::default();
        for option in OPTIONS.iter() {
            let line = option.uci_line(&defaults);
            let Some((_, rest)) = line.split_once(" default ") else { continue };
            let value = rest.split(" min ").next().and_then(|rest| rest.split(" var ").next());
            let mut settings = Settings::default();
            settings.set(option.name, value).unwrap();
            assert_eq!(settings, defaults, "{}", option.name);
        }
    }

    /// Every option reports the value that was set.
    #[test]
    fn every_value_that_is_set_is_there() {
        for option in OPTIONS.iter() {
            let values: Vec<String> = match &option.kind {
                Kind::Check(..) => vec!["true".to_string(), "false".to_string()],
                Kind::Spin(low, high, ..) => vec![low.to_string(), high.to_string()],
                Kind::Combo(words, ..) => words.iter().map(ToString::to_string).collect(),
                Kind::Rule(RuleOption { choice: Choice::Switch, .. }) => vec!["true".to_string(), "false".to_string()],
                Kind::Rule(RuleOption { choice: Choice::Number { least, most }, .. }) => {
                    vec![least.to_string(), most.to_string()]
                }
                Kind::Rule(RuleOption { choice: Choice::Word { words }, .. }) => {
                    words.iter().map(ToString::to_string).collect()
                }
                // One text option is read-only.
                Kind::Button | Kind::Text(..) | Kind::Path(..) => continue,
            };
            let mut settings = Settings::default();
            if matches!(option.kind, Kind::Rule(_)) && settings.rules.value(option.name).is_none() {
                let variant = Variant::ALL.iter().find(|variant| variant.rules().value(option.name).is_some());
                settings.set("UCI_Variant", variant.map(|variant| variant.name())).unwrap();
            }
            for value in values.iter().rev().chain(&values) {
                settings.set(option.name, Some(value)).unwrap();
                let line = option.uci_line(&settings);
                assert!(format!("{line} ").contains(&format!(" default {value} ")), "{value}: {line}");
            }
        }
    }

    #[test]
    fn tables_come_from_where_and_as_the_options_say() {
        let mut settings = Settings::default();
        assert!(settings.sources().folders.is_empty());
        let set = [("TablebasePath", "tables"), ("TablebaseCache", "3"), ("TablebaseEmbedded", "false")];
        for (name, value) in set.into_iter().chain([("TablebaseProbeLimit", "7")]) {
            settings.set(name, Some(value)).unwrap();
        }
        let sources = settings.sources();
        assert_eq!(sources.folders, [PathBuf::from("tables")]);
        assert_eq!((sources.cache, sources.embedded, sources.limit), (Size(3 << 20), false, 7));
    }

    proptest! {
        /// A list joined like `PATH` splits into the same places.
        #[test]
        fn lists_of_places_are_taken_apart(list in proptest::collection::vec(place(), 0..5)) {
            let text = list.join(if cfg!(windows) { ";" } else { ":" });
            prop_assert_eq!(places(&text), list.iter().map(PathBuf::from).collect::<Vec<_>>());
        }
    }

    /// Generates a folder or a server address.
    fn place() -> impl Strategy<Value = String> {
        let host =
            prop_oneof!["[a-z]{1,4}(\\.[a-z]{2})?", "[0-9]{1,3}\\.[0-9]{1,3}", "\\[[0-9a-f:]{1,8}(%[a-z]{2})?\\]"];
        let address = ("https?://", host, "(:[0-9]{1,5})?(/[a-z]{0,3})?").prop_map(|(a, b, c)| a + &b + &c);
        prop_oneof!["/[a-z ]{1,4}(/[0-9 a-z]{1,3})?", "[a-g]{1,3}", address]
    }

    #[test]
    fn faults_say_what_was_expected() {
        let mut settings = Settings::default();
        let fault = |settings: &mut Settings, name: &str, value| settings.set(name, value).unwrap_err().to_string();
        assert_eq!(
            fault(&mut settings, "Hash", Some("0")),
            "invalid value \"0\" for Hash: expected a number from 1 to 65536"
        );
        assert!(fault(&mut settings, "Hash", None).contains("no value"));
        assert!(fault(&mut settings, "Hash", Some("99999999999999999999999")).contains("a number from 1 to 65536"));
        assert!(fault(&mut settings, "hash size", Some("1")).contains("unknown option"));
        assert!(fault(&mut settings, "Flying", Some("yes")).contains("true or false"));
        assert_eq!(settings, Settings::default());
        assert_eq!(settings.set("  skill   LEVEL ", Some(" 7 ")).unwrap(), Effect::None);
        assert_eq!(settings.skill, 7);
    }

    #[test]
    fn a_variant_brings_its_rules() {
        let mut settings = Settings::default();
        settings.set("UCI_Variant", Some("LASKER")).unwrap();
        assert_eq!(settings.rules, Variant::Lasker.rules());
        settings.set("Flying", Some("false")).unwrap();
        settings.set("UCI_Variant", Some("smess")).unwrap();
        assert_eq!(settings.rules, Variant::Smess.rules());
        settings.set("UCI_Variant", Some("Twelve")).unwrap();
        assert_eq!((settings.rules, settings.variant.name()), (Variant::Morabaraba.rules(), "morabaraba"));
        settings.set("UCI_Variant", Some("morris")).unwrap();
        assert_eq!(settings.rules, Variant::Morris.rules());
    }
}
