//! The seven variants, and the one place where a rule set known at run time picks its compiled instance.

use crate::{morris, smess};
use std::fmt;
use std::str::FromStr;

/// A named rule set.
///
/// ```
/// use millbrain_core::variant::{Ruleset, Variant};
///
/// let variant: Variant = "Mlyn".parse().expect("case does not matter");
/// assert_eq!(variant.name(), "mlyn");
/// assert!(matches!(variant.rules(), Ruleset::Morris(rules) if !rules.flying));
/// assert!("chess".parse::<Variant>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Variant {
    /// Nine Men's Morris by tournament rules.
    Morris,
    /// Draw after 20 plies without a mill.
    Muehle,
    /// Stones in mills are never taken.
    Mylos,
    /// No flying.
    Mlyn,
    /// Ten stones, sliding while placing.
    Lasker,
    /// Twelve stones, diagonals.
    Morabaraba,
    /// Take the Brain.
    Smess,
}

impl Variant {
    /// All variants; the first is the default.
    pub const ALL: [Variant; 7] = [
        Variant::Morris,
        Variant::Muehle,
        Variant::Mylos,
        Variant::Mlyn,
        Variant::Lasker,
        Variant::Morabaraba,
        Variant::Smess,
    ];

    /// The names of all variants, in the same order.
    pub const NAMES: [&str; 7] = {
        let mut names = [""; 7];
        let mut i = 0;
        while i < names.len() {
            names[i] = Variant::ALL[i].name();
            i += 1;
        }
        names
    };

    /// The name used by the protocol and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Variant::Morris => "morris",
            Variant::Muehle => "muehle",
            Variant::Mylos => "mylos",
            Variant::Mlyn => "mlyn",
            Variant::Lasker => "lasker",
            Variant::Morabaraba => "morabaraba",
            Variant::Smess => "smess",
        }
    }

    /// The rules of this variant.
    pub fn rules(self) -> Ruleset {
        use morris::rules;
        match self {
            Variant::Morris => Ruleset::Morris(rules::MORRIS),
            Variant::Muehle => Ruleset::Morris(rules::MUEHLE),
            Variant::Mylos => Ruleset::Morris(rules::MYLOS),
            Variant::Mlyn => Ruleset::Morris(rules::MLYN),
            Variant::Lasker => Ruleset::Morris(rules::LASKER),
            Variant::Morabaraba => Ruleset::Morris(rules::MORABARABA),
            Variant::Smess => Ruleset::Smess(smess::Rules::default()),
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not that of a variant.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown variant {:?}, expected one of {}", crate::game::fen::shorten(.0), Variant::NAMES.join(", "))]
pub struct UnknownVariant(String);

impl FromStr for Variant {
    type Err = UnknownVariant;

    fn from_str(text: &str) -> Result<Variant, UnknownVariant> {
        Variant::ALL
            .into_iter()
            .find(|variant| variant.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownVariant(text.to_string()))
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ruleset {
    /// Of the morris family.
    Morris(morris::Rules),
    /// Smess.
    Smess(smess::Rules),
}

/// Evaluates an expression with `$game` bound to the compiled instance of a [`Ruleset`]: the rule switches of
/// the presets are compile-time constants; other combinations use the instance that looks them up at run time.
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
    ($rules:expr, |$game:ident| $body:expr) => {{
        use $crate::morris::{CUSTOM, DIAGONALS, FLYING, Morris, NEVER, SLIDES, switches};
        const FLYING_NEVER: u8 = FLYING | NEVER;
        const FLYING_SLIDES: u8 = FLYING | SLIDES;
        const FLYING_DIAGONALS: u8 = FLYING | DIAGONALS;
        match $rules {
            $crate::variant::Ruleset::Smess(rules) => {
                let $game = $crate::smess::Smess::new(rules);
                $body
            }
            $crate::variant::Ruleset::Morris(rules) => match switches(&rules) {
                FLYING => {
                    let $game = Morris::<FLYING>::new(rules);
                    $body
                }
                FLYING_NEVER => {
                    let $game = Morris::<FLYING_NEVER>::new(rules);
                    $body
                }
                0 => {
                    let $game = Morris::<0>::new(rules);
                    $body
                }
                FLYING_SLIDES => {
                    let $game = Morris::<FLYING_SLIDES>::new(rules);
                    $body
                }
                FLYING_DIAGONALS => {
                    let $game = Morris::<FLYING_DIAGONALS>::new(rules);
                    $body
                }
                _ => {
                    let $game = Morris::<CUSTOM>::new(rules);
                    $body
                }
            },
        }
    }};
}
