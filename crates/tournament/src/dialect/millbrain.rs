//! The protocol of this engine.

use super::{Question, Search, SettingsError, Speech};
use crate::advertised::{Advertised, OptionError};
use crate::answer::{Answer, Best, Report};
use crate::config::EngineConfig;
use millbrain_core::variant::NamedRules;
use std::fmt::Write;
use std::time::Duration;

/// The protocol of this engine.
pub struct Millbrain;

impl Speech for Millbrain {
    fn settings(
        &mut self,
        advertised: &Advertised,
        config: &EngineConfig,
        rules: NamedRules,
    ) -> Result<Vec<String>, SettingsError> {
        let options = config.options.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let house_rules = rules.rules.house_rules(rules.variant);
        let house_rules: Vec<_> = house_rules.into_iter().map(|(name, value)| (name, value.to_string())).collect();
        let house_rules = house_rules.iter().map(|(name, value)| (*name, value.as_str()));
        let ponder = config.ponder.then_some(("Ponder", "true"));
        let all = [("UCI_Variant", rules.variant.name())].into_iter().chain(house_rules).chain(ponder).chain(options);
        let commands: Result<_, OptionError> = all.map(|(name, value)| advertised.command(name, value)).collect();
        Ok(commands?)
    }

    fn search(&self, question: &Question<'_>, _half: Option<&Answer>) -> Search {
        Search { before: vec![position_command(question)], go: go_command(question), stop_after: None }
    }

    fn ponder(&self, question: &Question<'_>) -> Vec<String> {
        let go = go_command(question);
        vec![position_command(question), go.replacen("go", "go ponder", 1)]
    }

    fn read(&self, line: &str, _question: &Question<'_>, report: &mut Report) -> Option<Best> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("info") => report.read(words),
            Some("bestmove") => {
                let best = words.next().unwrap_or_default().to_string();
                let ponder = words.next().filter(|&word| word == "ponder").and_then(|_| words.next());
                return Some(Best { best, ponder: ponder.map(String::from) });
            }
            _ => {}
        }
        None
    }
}

/// Returns the `position` command for the game so far.
pub fn position_command(question: &Question<'_>) -> String {
    let mut command = format!("position fen {}", question.fen);
    for (i, played) in question.moves.iter().enumerate() {
        command.push_str(if i == 0 { " moves " } else { " " });
        command.push_str(played);
    }
    command
}

/// Returns the `go` command for the side to move.
pub fn go_command(question: &Question<'_>) -> String {
    let mut go = "go".to_string();
    let ms = |time: Duration| time.as_millis();
    if question.clock().is_some() {
        // The opponent may have no clock.
        for (clock, [time, increment]) in question.clocks.iter().zip([["wtime", "winc"], ["btime", "binc"]]) {
            if let Some(clock) = clock {
                let _ = write!(go, " {time} {} {increment} {}", ms(clock.left), ms(clock.increment));
            }
        }
        if let Some(moves) = question.moves_to_go {
            let _ = write!(go, " movestogo {moves}");
        }
    }
    let thinking = &question.thinking;
    if let Some(time) = thinking.move_time {
        let _ = write!(go, " movetime {}", ms(time));
    }
    if let Some(nodes) = thinking.nodes {
        let _ = write!(go, " nodes {nodes}");
    }
    if let Some(depth) = thinking.depth {
        let _ = write!(go, " depth {depth}");
    }
    go
}
