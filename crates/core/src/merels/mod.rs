//! The merels family: games of mills on small boards, each board as data. Three Men's Morris has 9 points; Five, Six
//! and Seven Men's Morris have two squares, joined at their middles, without and with a cross in the inner one.

pub mod board;
pub mod rules;

pub use crate::mills::Position;
pub use rules::{Points, Rules};

use crate::mills::Mills;
use crate::network::Learned;

/// A rule set of the merels family.
pub type Merels = Mills<Rules>;

impl Merels {
    /// Creates this rule set.
    pub const fn new(rules: Rules) -> Merels {
        Mills { rules }
    }

    /// Returns the rules as data.
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }
}

impl Learned for Merels {}
