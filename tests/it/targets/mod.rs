//! Properties that hold for any input, one function for each kind of input. The fuzzers call these with the bytes
//! they generate, the tests with the seeds of the fuzzers, mutations of them, and random bytes.

mod protocol;
mod tables;
mod texts;

pub use protocol::{Printed, protocol};
pub use tables::tables;
pub use texts::{batch, fen, game_record, match_config, moves, options};

use millbrain::morris::{self, Removal};
use millbrain::variant::{Ruleset, Variant};

/// Checks the properties of one kind of input; panics if they do not hold.
pub type Target = fn(&[u8]);

/// All targets by name; the file with this name has the seeds of each.
pub const ALL: [(&str, Target); 8] = [
    ("batch", batch),
    ("fen", fen),
    ("game_record", game_record),
    ("match_config", match_config),
    ("moves", moves),
    ("options", options),
    ("protocol", protocol),
    ("tables", tables),
];

/// Returns the rules for a byte: the variants, and combinations of switches that no variant uses.
fn rules(choice: u8) -> Ruleset {
    let base = morris::rules::MORRIS;
    match usize::from(choice) % (Variant::ALL.len() + 3) {
        7 => Ruleset::Morris(morris::Rules { once_per_line: true, ..base }),
        8 => Ruleset::Morris(morris::Rules { stones: 3, flying: false, slides_while_placing: true, ..base }),
        9 => Ruleset::Morris(morris::Rules { stones: 12, diagonals: true, removal: Removal::Never, ..base }),
        variant @ ..7 => Variant::ALL[variant].rules(),
        variant => Variant::ALL[variant - 3].rules(),
    }
}

/// Takes a byte from the front; 0 if there is none.
fn byte(data: &mut &[u8]) -> u8 {
    let Some((&first, rest)) = data.split_first() else { return 0 };
    *data = rest;
    first
}
