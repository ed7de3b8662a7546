//! The variants, and the only place where a rule set known at run time selects its compiled instance.

use crate::message::{self, Message};
use crate::options::{Field, OptionFault, RuleOption, Value};
use crate::{merels, morris, smess};
use std::error::Error;
use std::fmt;
use std::mem;
use std::str::FromStr;

/// Lists the variants with their names, the first of which is written, and rules. [`Variant`] and [`with_morris!`]
/// follow from it.
///
/// The variants of a `compiled` group share an instance, whose switches are constants. For the rules of `general`
/// variants no code can be compiled: they are read at run time. A variant in the wrong group does not compile.
#[doc(hidden)]
#[macro_export]
macro_rules! variants {
    ($use:ident $values:tt) => {
        $crate::variants! { @$use $values
            compiled {
                /// Nine Men's Morris by tournament rules.
                Morris "morris" = Morris(morris::MORRIS),
                /// A draw after 20 plies without a mill.
                Muehle "muehle" = Morris(morris::MUEHLE),
            }
            compiled {
                /// Stones in mills are never removed.
                Mylos "mylos" = Morris(morris::MYLOS),
            }
            compiled {
                /// No flying.
                Mlyn "mlyn" = Morris(morris::MLYN),
            }
            compiled {
                /// Ten stones, sliding while placing.
                Lasker "lasker" = Morris(morris::LASKER),
            }
            compiled {
                /// Twelve stones, diagonals.
                Morabaraba "morabaraba" "twelve" = Morris(morris::MORABARABA),
            }
            general {
                /// Take the Brain.
                Smess "smess" = Smess(smess::SMESS),
                /// Three Men's Morris.
                Three "three" = Merels(merels::THREE),
                /// Five Men's Morris.
                Five "five" = Merels(merels::FIVE),
                /// Six Men's Morris.
                Six "six" = Merels(merels::SIX),
                /// Seven Men's Morris.
                Seven "seven" = Merels(merels::SEVEN),
            }
        }
    };
    (@define () $(compiled { $($compiled:tt)+ })+ general { $($general:tt)* }) => {
        $crate::variants! { @enum $($($compiled)+)+ $($general)* }
        const _: () = {
            $($crate::variants! { @group true $($compiled)+ })+
            $crate::variants! { @group false $($general)* }
        };
    };
    (@group $is_compiled:literal $($(#[$_doc:meta])* $variant:ident $($name:literal)+ = $family:ident $rules:tt,)+) => {
        assert!(is_group(&[$(Variant::$variant),+], $is_compiled), concat!("not one group:" $($(, " ", $name)+)+));
    };
    (@enum $(
        $(#[$doc:meta])* $variant:ident $name:literal $($alias:literal)* = $family:ident($module:ident::$rules:ident),
    )+) => {
        /// A named rule set.
        ///
        /// ```
        /// use millbrain_core::variant::{Ruleset, Variant};
        ///
        /// let variant: Variant = "Mlyn".parse().expect("case does not matter");
        /// assert_eq!(variant.name(), "mlyn");
        /// assert!(matches!(variant.rules(), Ruleset::Morris(rules) if !rules.flying));
        /// assert_eq!("twelve".parse(), Ok(Variant::Morabaraba));
        /// assert!("chess".parse::<Variant>().is_err());
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
        pub enum Variant {
            $($(#[$doc])* $variant,)+
        }

        impl Variant {
            /// All variants; the first is the default.
            pub const ALL: [Variant; [$($name),+].len()] = [$(Variant::$variant),+];

            /// The names of all variants, in the same order.
            pub const NAMES: [&str; Variant::ALL.len()] = [$($name),+];

            /// The names by which a variant can be chosen: of each its name, then its aliases.
            pub const CHOICES: [&str; [$($name $(, $alias)*),+].len()] = [$($name $(, $alias)*),+];

            /// Returns the name used by the protocol and on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Variant::$variant => $name,)+
                }
            }

            /// Returns other names by which it can be chosen. Output has its [`Variant::name`].
            pub const fn aliases(self) -> &'static [&'static str] {
                match self {
                    $(Variant::$variant => &[$($alias),*],)+
                }
            }

            /// Returns the rules of this variant.
            pub const fn rules(self) -> Ruleset {
                match self {
                    $(Variant::$variant => Ruleset::$family($module::rules::$rules),)+
                }
            }
        }
    };
    (@choose ($value:expr, $game:ident, $body:expr) $(compiled {
        $(#[$_doc:meta])* $_variant:ident $($name:literal)+ = Morris($module:ident::$rules:ident), $($shared:tt)*
    })+ general $general:tt) => {{
        let value = $value;
        $(if $crate::morris::switches(&value) == const { $crate::morris::switches(&$crate::$module::rules::$rules) } {
            let $game = $crate::morris::Morris::<{ $crate::morris::switches(&$crate::$module::rules::$rules) }>::new(value);
            $body
        } else)+ {
            let $game = $crate::morris::Morris::<{ $crate::morris::CUSTOM }>::new(value);
            $body
        }
    }};
}

variants!(define());

/// Returns the switches that are constants in the instance of a variant.
const fn instance(variant: Variant) -> u8 {
    match variant.rules() {
        Ruleset::Morris(rules) => morris::switches(&rules),
        Ruleset::Smess(_) | Ruleset::Merels(_) => morris::CUSTOM,
    }
}

/// Counts the variants among these that have this instance.
const fn count_of(instance_of: u8, variants: &[Variant]) -> usize {
    let mut count = 0;
    let mut i = 0;
    while i < variants.len() {
        count += (instance(variants[i]) == instance_of) as usize;
        i += 1;
    }
    count
}

/// Returns whether these variants, and no others, share an instance that is compiled or not, as `is_compiled` expects.
const fn is_group(group: &[Variant], is_compiled: bool) -> bool {
    let shared = instance(group[0]);
    is_compiled == (shared != morris::CUSTOM)
        && count_of(shared, group) == group.len()
        && count_of(shared, &Variant::ALL) == group.len()
}

impl Default for Variant {
    fn default() -> Variant {
        Variant::ALL[0]
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for a name that is not that of a variant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownVariant(String);

impl UnknownVariant {
    /// Returns the unknown name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl From<&UnknownVariant> for Message {
    fn from(unknown: &UnknownVariant) -> Message {
        let names = message::Value::Text(Variant::CHOICES.join(", "));
        Message { id: "fault.unknown-variant", values: vec![("text", unknown.0.clone().into()), ("expected", names)] }
    }
}

impl fmt::Display for UnknownVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Message::from(self).fmt(f)
    }
}

impl Error for UnknownVariant {}

impl FromStr for Variant {
    type Err = UnknownVariant;

    fn from_str(text: &str) -> Result<Variant, UnknownVariant> {
        let has_name = |variant: &Variant| {
            [variant.name()].iter().chain(variant.aliases()).any(|name| name.eq_ignore_ascii_case(text))
        };
        Variant::ALL.into_iter().find(has_name).ok_or_else(|| UnknownVariant(text.to_string()))
    }
}

/// A rule set as data: a preset or the user's own.
///
/// ```
/// use millbrain_core::any::AnyGame;
/// use millbrain_core::morris::{Rules, rules};
/// use millbrain_core::variant::Ruleset;
///
/// // Three stones each, the rest as in tournaments.
/// let house = Ruleset::Morris(Rules { stones: 3, ..rules::MORRIS });
/// assert_eq!(AnyGame::new(house).fen(), "3/3/3/6/3/3/3 w 3 3 0 1");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ruleset {
    /// Rules of the morris family.
    Morris(morris::Rules),
    /// Smess.
    Smess(smess::Rules),
    /// Rules of the merels family.
    Merels(merels::Rules),
}

/// Returns the parts of a list of rule options. Commas separate them, or semicolons as in SGF.
pub fn rule_list(list: &str) -> impl Iterator<Item = &str> {
    list.split([',', ';']).map(str::trim).filter(|part| !part.is_empty())
}

impl RuleOption {
    /// Returns the options of all families, each once.
    pub fn all() -> Vec<RuleOption> {
        let mut all: Vec<RuleOption> = Vec::new();
        for variant in Variant::ALL {
            for option in variant.rules().options() {
                if all.iter().all(|known| known.name != option.name) {
                    all.push(option);
                }
            }
        }
        all
    }

    /// Returns its value in the first variant that has it.
    pub fn default(&self) -> Option<Value> {
        Variant::ALL.iter().find_map(|variant| variant.rules().value(self.name))
    }
}

/// Evaluates an expression with the rules and the table of fields of their family.
macro_rules! with_fields {
    ($rules:expr, |$own:ident, $fields:ident| $body:expr) => {
        match $rules {
            Ruleset::Morris($own) => {
                let $fields = morris::rules::FIELDS;
                $body
            }
            Ruleset::Smess($own) => {
                let $fields = smess::rules::FIELDS;
                $body
            }
            Ruleset::Merels($own) => {
                let $fields = merels::rules::FIELDS;
                $body
            }
        }
    };
}

impl Ruleset {
    /// Returns the options of these rules.
    pub fn options(&self) -> Vec<RuleOption> {
        with_fields!(self, |_own, fields| fields.iter().map(Field::option).collect())
    }

    /// Returns the value of an option, or `None` if its family has no such option.
    pub fn value(&self, name: &str) -> Option<Value> {
        with_fields!(self, |own, fields| {
            fields.iter().find(|field| field.name.eq_ignore_ascii_case(name)).map(|field| field.get(own))
        })
    }

    /// Sets an option from a text.
    ///
    /// # Errors
    /// Fails for an unknown name or an invalid value; the rules are then unchanged.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionFault> {
        let known = self.options();
        let option = RuleOption::find(&known, name)?;
        self.assign(option, option.read(value)?);
        Ok(())
    }

    /// Sets options from a list, as in `Stones=7,Flying=false`.
    ///
    /// ```
    /// use millbrain_core::variant::Variant;
    ///
    /// let mut rules = Variant::Morris.rules();
    /// rules.set_all("Stones=7, Flying=false")?;
    /// assert_eq!(rules.house_rules(Variant::Morris).len(), 2);
    /// assert!(rules.set_all("Stones").is_err());
    /// # Ok::<(), millbrain_core::options::OptionFault>(())
    /// ```
    ///
    /// # Errors
    /// Fails for a part that is not a pair, an unknown name or an invalid value; the rules are then unchanged.
    pub fn set_all(&mut self, list: &str) -> Result<(), OptionFault> {
        let mut changed = *self;
        for part in rule_list(list) {
            let pair = part.split_once('=').ok_or_else(|| OptionFault::Pair { part: part.to_string() })?;
            changed.set(pair.0.trim(), pair.1.trim())?;
        }
        *self = changed;
        Ok(())
    }

    /// Sets an option, if the family has it, to a value of its kind.
    pub fn assign(&mut self, option: &RuleOption, value: Value) {
        with_fields!(self, |own, fields| {
            if let Some(field) = fields.iter().find(|field| field.name == option.name) {
                field.set(own, value);
            }
        });
    }

    /// Returns the options whose values are not those of a variant of the same family, in the order of the table.
    pub fn house_rules(&self, variant: Variant) -> Vec<(&'static str, Value)> {
        let usual = variant.rules();
        let options = self.options().into_iter().map(|option| option.name);
        let values = options.filter_map(|name| Some((name, self.value(name)?)));
        values.filter(|(name, value)| usual.value(name) != Some(*value)).collect()
    }
}

/// Rules expressed as a variant with house rules.
///
/// ```
/// use millbrain_core::variant::{NamedRules, Variant};
///
/// let rules = NamedRules::read(Variant::Morris, "stones=7, Flying=true")?;
/// assert_eq!(rules.list(), "Stones=7");
/// assert_eq!(rules.to_string(), "morris with Stones=7");
/// # Ok::<(), millbrain_core::options::OptionFault>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NamedRules {
    /// The variant.
    pub variant: Variant,
    /// The rules, of the same family.
    pub rules: Ruleset,
}

impl NamedRules {
    /// Returns a variant with a list of house rules, as in `Stones=7,Flying=false`.
    ///
    /// # Errors
    /// Fails as [`Ruleset::set_all`] does.
    pub fn read(variant: Variant, list: &str) -> Result<NamedRules, OptionFault> {
        let mut rules = variant.rules();
        rules.set_all(list)?;
        Ok(NamedRules { variant, rules })
    }

    /// Returns the rules as the variant with the fewest changes.
    pub fn nearest(rules: Ruleset) -> NamedRules {
        let family = mem::discriminant(&rules);
        let of_family = Variant::ALL.into_iter().filter(|variant| mem::discriminant(&variant.rules()) == family);
        let nearest = of_family.min_by_key(|&variant| rules.house_rules(variant).len());
        NamedRules { variant: nearest.unwrap_or_default(), rules }
    }

    /// Returns the options that differ from those of the variant, in the form of [`NamedRules::read`].
    pub fn list(&self) -> String {
        let options = self.rules.house_rules(self.variant).into_iter();
        options.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",")
    }
}

impl From<Variant> for NamedRules {
    fn from(variant: Variant) -> NamedRules {
        NamedRules { variant, rules: variant.rules() }
    }
}

impl fmt::Display for NamedRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = self.list();
        self.variant.fmt(f)?;
        if list.is_empty() { Ok(()) } else { write!(f, " with {list}") }
    }
}

/// Evaluates an expression with `$game` bound to the compiled instance of a [`Ruleset`]. With the feature `presets` the
/// switches of the variants are compile-time constants; other combinations use the instance that reads them at run
/// time.
///
/// ```
/// use millbrain_core::game::Game;
/// use millbrain_core::variant::Variant;
/// use millbrain_core::with_game;
///
/// let first_moves = |variant: Variant| with_game!(variant.rules(), |game| game.count_moves(&game.start()));
/// assert_eq!(first_moves(Variant::Lasker), 24);
/// ```
#[macro_export]
macro_rules! with_game {
    ($rules:expr, |$game:ident| $body:expr) => {
        match $rules {
            $crate::variant::Ruleset::Smess(rules) => {
                let $game = $crate::smess::Smess::new(rules);
                $body
            }
            $crate::variant::Ruleset::Merels(rules) => {
                let $game = $crate::merels::Merels::new(rules);
                $body
            }
            $crate::variant::Ruleset::Morris(rules) => $crate::with_morris!(rules, |$game| $body),
        }
    };
}

/// Does the same as [`with_game!`] for the rules of the morris family.
#[cfg(feature = "presets")]
#[macro_export]
macro_rules! with_morris {
    ($rules:expr, |$game:ident| $body:expr) => {
        $crate::variants!(choose($rules, $game, $body))
    };
}

/// Does the same as [`with_game!`] for the rules of the morris family.
#[cfg(not(feature = "presets"))]
#[macro_export]
macro_rules! with_morris {
    ($rules:expr, |$game:ident| $body:expr) => {{
        let $game = $crate::morris::Morris::<{ $crate::morris::CUSTOM }>::new($rules);
        $body
    }};
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Choice;

    /// Returns some values of an option, including the ends of its range.
    fn values(choice: Choice) -> Vec<Value> {
        match choice {
            Choice::Switch => vec![Value::Switch(true), Value::Switch(false)],
            Choice::Number { least, most } => vec![Value::Number(least), Value::Number(most)],
            Choice::Word { words } => words.iter().copied().map(Value::Word).collect(),
        }
    }

    #[test]
    fn every_option_keeps_what_it_is_given_and_changes_no_other() {
        for variant in Variant::ALL {
            for option in variant.rules().options() {
                for value in values(option.choice) {
                    let (mut rules, before) = (variant.rules(), variant.rules());
                    rules.set(&option.name.to_uppercase(), &format!(" {value} ")).expect("a value");
                    assert_eq!(rules.value(option.name), Some(value), "{variant} {}", option.name);
                    let changed: Vec<_> = rules.house_rules(variant).into_iter().map(|(name, _)| name).collect();
                    let expected = if before.value(option.name) == Some(value) { vec![] } else { vec![option.name] };
                    assert_eq!(changed, expected, "{variant} {}", option.name);
                }
            }
        }
    }

    #[test]
    fn what_is_no_value_is_refused() {
        let mut rules = Variant::Morris.rules();
        for (name, value, words) in [
            ("Removal", "all", r#"invalid value "all" for Removal: expected if-all or never"#),
            ("stones", "2", r#"invalid value "2" for Stones: expected a number from 3 to 12"#),
            ("Flying", "yes", r#"invalid value "yes" for Flying: expected true or false"#),
        ] {
            assert_eq!(rules.set(name, value).expect_err(words).to_string(), words);
        }
        let unknown = rules.set("No Capture Draw", "3").expect_err("of Smess").to_string();
        assert!(unknown.starts_with(r#"unknown rule option "No Capture Draw": expected Stones, Fl"#), "{unknown}");
        assert_eq!(rules, Variant::Morris.rules());
    }

    #[test]
    fn the_list_of_all_has_each_once() {
        let names: Vec<&str> = RuleOption::all().iter().map(|option| option.name).collect();
        assert_eq!(names.first(), Some(&"Stones"));
        assert_eq!(names[names.len() - 3..], ["No Capture Draw", "Points", "First Mill Wins"]);
        assert!(RuleOption::all().iter().all(|option| option.default().is_some()));
    }
}
