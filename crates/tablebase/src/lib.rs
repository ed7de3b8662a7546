//! Endgame tablebases: their files, how positions are numbered, and probing. `millbrain-solver` builds and checks them.
//!
//! A *sector* holds all positions with given forces of the side to move and of its opponent. A slide leads from a
//! sector to its partner, which has the same forces with the other side to move. So the two are solved together. A
//! capture leads to a smaller sector, which is solved first. docs/tablebases.md has the details.
//!
//! Features, both on by default: `embedded` has the small tables and packs that are part of the program. `remote`
//! requests values from servers.

pub mod binomial;
pub mod compact;
mod endings;
pub mod folder;
pub mod format;
pub mod hosted;
pub mod merels;
mod metric;
pub mod morris;
pub mod pack;
pub mod probe;
mod rules;
pub mod smess;
pub mod summary;
mod tally;
pub mod ultra;

#[doc(hidden)]
pub use millbrain_core as __core;

pub use endings::{Endings, Located, PositionOf, RulesTag, Sector};
pub use folder::{Entry, FileEntry, FolderFault, folder_rules, is_table, stats};
pub use format::Fault;
pub use merels::MerelsEndings;
pub use metric::Metric;
pub use morris::MorrisEndings;
pub use probe::embedded::{InstallError, install_table, missing_tables};
pub use probe::sources::{Opened, Sources, identity, open};
pub use probe::tables::{DEFAULT_CACHE, Refusal, Tablebase};
pub use rules::TablebaseRules;
pub use smess::SmessEndings;
pub use tally::{Counts, Longest, Tally};

/// Evaluates an expression with `$endings` bound to the endings of a [`Ruleset`](millbrain_core::variant::Ruleset).
/// Evaluates the one after `else` if there are no tables for these rules.
#[macro_export]
macro_rules! with_endings {
    ($rules:expr, |$endings:ident| $body:expr, else $none:expr) => {
        match $rules {
            $crate::__core::variant::Ruleset::Smess(_) => {
                let $endings = $crate::SmessEndings;
                $body
            }
            $crate::__core::variant::Ruleset::Merels(rules) => match $crate::MerelsEndings::of(&rules) {
                Some($endings) => $body,
                None => $none,
            },
            $crate::__core::variant::Ruleset::Morris(rules) => match $crate::MorrisEndings::of(&rules) {
                Some($endings) => $body,
                None => $none,
            },
        }
    };
}

/// The error for rules that have no tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no tables for these rules: expected Removals one, and no once-per-line mills")]
pub struct NoEndings;

/// Compiles and runs the README's example with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
