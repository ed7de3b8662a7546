//! Looking one position up.

use super::tables::{Sources, Tabled};
use crate::game::Searchable;
use crate::play::Play;
use crate::value::{Oracle, Value, known_end};
use crate::variant::Variant;
use crate::with_game;
use clap::Args;
use serde::Serialize;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

/// Look a position up.
#[derive(Args)]
pub struct Arguments {
    /// The position
    fen: String,
    /// morris, muehle, mylos, mlyn, lasker, morabaraba or smess
    #[arg(long, default_value = "morris")]
    variant: Variant,
    /// Folder made by 'tablebase build'; may be given several times
    #[arg(long, value_name = "DIR")]
    path: Vec<PathBuf>,
    /// Leave out the tables that are part of the program
    #[arg(long)]
    no_embedded: bool,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    fen: String,
    #[serde(flatten)]
    value: Shown,
    moves: Vec<MoveAnswer>,
}

#[derive(Serialize)]
struct MoveAnswer {
    #[serde(rename = "move")]
    text: String,
    #[serde(flatten)]
    value: Shown,
}

/// A value for the side to move, in words and plies.
#[derive(Serialize)]
struct Shown {
    value: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<u32>,
}

impl Shown {
    const fn of(value: Option<Value>) -> Shown {
        match value {
            None => Shown { value: "unknown", plies: None },
            Some(Value::Draw) => Shown { value: "draw", plies: None },
            Some(Value::Win(plies)) => Shown { value: "win", plies: Some(plies) },
            Some(Value::Loss(plies)) => Shown { value: "loss", plies: Some(plies) },
        }
    }

    fn text(&self) -> String {
        self.plies.map_or_else(|| self.value.to_string(), |plies| format!("{} in {plies}", self.value))
    }
}

/// Prints the answer.
///
/// # Errors
/// A bad FEN, tables that cannot be used, a position that is in no table, or a closed output.
pub fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    with_game!(arguments.variant.rules(), |game| {
        let play = Play::set_up(game, Some(&arguments.fen), [])?;
        let sources = Sources { folders: arguments.path.clone(), embedded: !arguments.no_embedded, limit: u32::MAX };
        let opened = game.open_tables(&sources);
        if let Some(refusal) = opened.refusals.into_iter().next() {
            return Err(refusal.into());
        }
        let answer = answer(&play, opened.oracle.as_deref());
        let faults = opened.oracle.iter().flat_map(|oracle| oracle.new_faults()).collect::<Vec<_>>().join("; ");
        let Some(answer) = answer else {
            let unknown = "no table has this position, expected --path with one that does";
            return Err(if faults.is_empty() { unknown.into() } else { faults.into() });
        };
        if !faults.is_empty() {
            log::warn!("{faults}");
        }
        if arguments.json {
            writeln!(out, "{}", serde_json::to_string(&answer)?)?;
        } else {
            writeln!(out, "{}\n{}", answer.fen, answer.value.text())?;
            for MoveAnswer { text, value } in &answer.moves {
                writeln!(out, "{text:8} {}", value.text())?;
            }
        }
        Ok(())
    })
}

fn answer<G: Searchable>(play: &Play<G>, oracle: Option<&dyn Oracle<G::Position>>) -> Option<Answer> {
    let (game, pos) = (play.game, play.position());
    let value = |pos: &G::Position| known_end(&game, pos).or_else(|| oracle?.value(pos));
    let own = value(pos)?;
    let mut moves: Vec<_> = game
        .moves(pos)
        .into_iter()
        .map(|mv| (game.move_text(mv), value(&game.play(pos, mv)).map(Value::before)))
        .collect();
    moves.sort_by_key(|(_, value)| std::cmp::Reverse(value.map(Value::rank)));
    Some(Answer {
        fen: play.fen(),
        value: Shown::of(Some(own)),
        moves: moves.into_iter().map(|(text, value)| MoveAnswer { text, value: Shown::of(value) }).collect(),
    })
}
