//! The options of the dialect: how they are listed, and what is done for them here.

use super::super::options;
use crate::fen::shorten;
use crate::options::from_to;
use crate::sanmill::options::Kind::{Button, Check, Spin, Text};
use crate::sanmill::options::Meaning::{Board, Level, Nothing, Only, Same, Time, Unheeded};
use crate::sanmill::options::{MAX_LEVEL, OPTIONS, Opt, is_detail, named};
use crate::search::strength;

/// What the layer itself keeps of the options.
pub struct Options {
    /// Milliseconds of a search; 0 for no limit.
    pub move_time: u64,
    /// `SkillLevel`.
    level: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { move_time: 1_000, level: MAX_LEVEL }
    }
}

/// The lines that list the options.
pub fn lines() -> impl Iterator<Item = String> {
    OPTIONS.iter().map(|Opt { name, kind, .. }| match kind {
        Check(on) => format!("option name {name} type check default {on}"),
        Spin(default, min, max) => format!("option name {name} type spin default {default} min {min} max {max}"),
        Button => format!("option name {name} type button"),
        Text => format!("option name {name} type string default <empty>"),
    })
}

impl Options {
    /// Depth of a search without a limit of time.
    pub fn depth(&self) -> u64 {
        self.level.max(1)
    }

    /// Sets an option by its name, in which case does not matter; returns what the session is to be told, if anything.
    ///
    /// # Errors
    /// An unknown name, or a value that is not taken; nothing has changed then.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Option<String>, String> {
        let Some(Opt { name, kind, meaning }) = named(name) else {
            let fault = || format!("unknown option {:?}, expected one that 'uci' lists", shorten(name));
            return if is_detail(name) { Ok(None) } else { Err(fault()) };
        };
        let value = value.map(str::trim).unwrap_or_default();
        let taken = match kind {
            Check(_) => ["true", "false"].contains(&value),
            Spin(_, min, max) => value.parse().is_ok_and(|number| (min..=max).contains(&&number)),
            Button | Text => true,
        };
        if !taken {
            let expected = match kind {
                Spin(_, min, max) => from_to(min, max),
                _ => "true or false".to_string(),
            };
            return Err(format!("invalid value {:?} for {name}: expected {expected}", shorten(value)));
        }
        let number = value.parse().unwrap_or_default();
        Ok(match meaning {
            Same(own) => Some(format!("setoption name {own} value {value}")),
            Board => {
                let board = if value == "true" { "diagonals" } else { "plain" };
                Some(format!("setoption name Board value {board}"))
            }
            Level => {
                self.level = number;
                let full = u64::from(strength::FULL);
                Some(format!("setoption name Skill Level value {}", (number * full + MAX_LEVEL / 2) / MAX_LEVEL))
            }
            Time(milliseconds) => {
                self.move_time = number * milliseconds;
                None
            }
            Only(values) if !values.contains(&value) => {
                let expected = values.join(" or ");
                return Err(format!("{name} {value} is not played here, expected {expected}"));
            }
            Only(_) | Unheeded | Nothing => None,
        })
    }
}

/// Whether an option of the session changes the rules, and with them the position.
pub fn changes_rules(command: &str) -> bool {
    options::OPTIONS
        .iter()
        .filter(|option| option.is_rule())
        .any(|option| command.starts_with(&format!("setoption name {} ", option.name)))
}
