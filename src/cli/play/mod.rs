//! `millbrain play`: a game against a person at a terminal.

mod review;
mod show;

use super::coloured;
use super::rules::Rules;
use crate::any::{Answer, AnyGame};
use crate::game::{Ending, Side};
use crate::protocol::{Resources, Settings, player};
use crate::search::strength;
use crate::search::{Control, Limits};
use crate::streams::stdin;
use crate::tablebase::{self, Sources};
use crate::texts::Language;
use clap::{Args, ValueEnum};
use show::Marks;
use std::error::Error;
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

/// The colour of the person.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Colour {
    /// Moves first.
    #[default]
    White,
    /// Moves second.
    Black,
    /// White or black at random.
    Random,
}

/// Play against the engine.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    rules: Rules,
    /// Strength of the engine: 0 plays at random, 3 is poor, 8 better, 14 good, 20 full strength
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=i64::from(strength::FULL)))]
    level: u32,
    /// Your colour
    #[arg(long, value_enum, default_value_t)]
    colour: Colour,
    /// Milliseconds for a move of the engine; the lower levels need fewer
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    movetime: u64,
    /// Position to begin from (default: the start position)
    #[arg(long)]
    fen: Option<String>,
    /// Seed of the engine's choices, for a repeatable game; 0 for a random seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// The help text for the prompt.
const HELP: &str = "\
A move is typed as it is written: d6 places a stone, d6d7 moves one, d6d7xa1 takes the stone on a1 too. In Smess d2d3
moves a piece along an arrow of its square; B is a Brain, S a Numskull, N a Ninny, and small letters are black. The
beginning of a move will do where there is no other. Where there are several, they are listed with numbers to pick from,
and the board shows where the piece may go.
  moves    list your moves          hint     show the engine's choice
  undo     take your move back      board    draw the board again
  rules    show the rules; rules de in another language
  resign   give the game up         quit     leave";

/// The time for a hint.
const HINT: Duration = Duration::from_secs(1);

/// The effect of an input line.
enum Next {
    /// Read another line.
    Ask,
    /// The engine's move, unless the game is over.
    Played,
    /// The person resigns.
    Resigned,
    /// The program ends.
    Left,
}

/// Plays a game to its end and reviews it.
///
/// # Errors
/// Unknown house rules, an invalid position, no memory, or a closed output.
pub fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let rules = arguments.rules.named()?;
    let mut start = AnyGame::new(rules.rules);
    start.set_oracle(tablebase::open(&rules.rules, &Sources::default()).oracle.as_ref());
    let game = start.at(arguments.fen.as_deref(), [])?;
    let person = match arguments.colour {
        Colour::White => Side::White,
        Colour::Black => Side::Black,
        Colour::Random => fastrand::choice([Side::White, Side::Black]).unwrap_or(Side::White),
    };
    let settings = Settings { skill: arguments.level, seed: arguments.seed, ..Settings::default() };
    let mut table = Table {
        game,
        moves: Vec::new(),
        person,
        listed: Vec::new(),
        resources: Resources::new(settings.hash)?,
        settings,
        limits: Limits { movetime: Some(Duration::from_millis(arguments.movetime)), ..Limits::default() },
    };
    let out = &mut coloured();
    writeln!(out, "{rules}, level {}. You are {person}. Type a move, or help.", arguments.level)?;
    let ending = table.play(&mut BufReader::new(stdin()), out)?;
    if let Some(ending) = ending {
        writeln!(out, "{}", table.result(ending))?;
        table.review(out)?;
    }
    Ok(())
}

/// A game between a person and the engine.
struct Table {
    game: AnyGame,
    moves: Vec<String>,
    person: Side,
    /// The moves that a number selects from.
    listed: Vec<String>,
    settings: Settings,
    resources: Resources,
    limits: Limits,
}

/// How a game has ended.
#[derive(Clone, Copy)]
enum End {
    Rules(Ending),
    Resigned,
}

impl Table {
    /// Plays until the game is over or the person quits.
    fn play(&mut self, input: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<Option<End>> {
        let mut is_shown = false;
        loop {
            if let Some(ending) = self.game.ending() {
                self.show(out)?;
                return Ok(Some(End::Rules(ending)));
            }
            if self.game.side() != self.person {
                let Some(best) = self.think(self.settings.skill, &self.limits).best else { return Ok(None) };
                writeln!(out, "I play {best}.")?;
                self.push(&best);
                is_shown = false;
                continue;
            }
            if !is_shown {
                self.show(out)?;
                is_shown = true;
            }
            match self.ask(input, out)? {
                Next::Ask | Next::Played => {}
                Next::Resigned => return Ok(Some(End::Resigned)),
                Next::Left => return Ok(None),
            }
        }
    }

    /// Reads a line and executes it.
    fn ask(&mut self, input: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<Next> {
        write!(out, "{}> ", self.person)?;
        out.flush()?;
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? == 0 {
            writeln!(out)?;
            return Ok(Next::Left);
        }
        let line = String::from_utf8_lossy(&line);
        if !io::stdin().is_terminal() {
            // Terminals echo the input; other inputs do not.
            writeln!(out, "{}", line.trim().escape_debug())?;
        }
        let line = line.trim().to_lowercase();
        match line.split_once(' ').map_or((line.as_str(), ""), |(word, rest)| (word, rest.trim())) {
            ("", _) => {}
            ("help" | "?", _) => writeln!(out, "{HELP}")?,
            ("board", _) => self.show(out)?,
            ("moves", _) => self.list(self.game.moves(), out)?,
            ("quit" | "exit", _) => return Ok(Next::Left),
            ("resign", _) => return Ok(Next::Resigned),
            ("undo", _) => self.take_back(out)?,
            ("hint", _) => self.hint(out)?,
            ("rules", code) => {
                let language = if code.is_empty() { Some(Language::default()) } else { Language::find(code) };
                match language {
                    Some(language) => writeln!(out, "{}", self.game.rules_text(language).join("\n"))?,
                    None => writeln!(out, "language {code:?}, expected {}", Language::CODES)?,
                }
            }
            _ => return self.choose(&line, out),
        }
        Ok(Next::Ask)
    }

    /// Plays the move that a line means.
    fn choose(&mut self, line: &str, out: &mut dyn Write) -> io::Result<Next> {
        let picked = line.parse::<usize>().ok().and_then(|number| self.listed.get(number.checked_sub(1)?));
        // A line that is a move in another notation is that move.
        let read = || self.game.find_move(line).ok().map(|mv| self.game.move_text(mv));
        let mv = picked.cloned().or_else(read);
        let mv = match mv {
            Some(mv) => mv,
            None => {
                let mut begun = self.game.move_parts();
                begun.retain(|mv| mv.text.to_lowercase().starts_with(line));
                match begun.len() {
                    0 => {
                        let fault = self.game.find_move(line).err().map(|fault| fault.to_string()).unwrap_or_default();
                        writeln!(out, "{line:?} {fault}; type moves to see yours")?;
                        return Ok(Next::Ask);
                    }
                    1 => begun.remove(0).text,
                    _ => {
                        if let Some(marks) = Marks::of(&self.game, &begun) {
                            write!(out, "\n{}\n", show::board(&self.game, &marks))?;
                        }
                        self.list(begun.into_iter().map(|mv| mv.text).collect(), out)?;
                        return Ok(Next::Ask);
                    }
                }
            }
        };
        self.push(&mv);
        Ok(Next::Played)
    }

    /// Lists moves with their numbers.
    fn list(&mut self, mut moves: Vec<String>, out: &mut dyn Write) -> io::Result<()> {
        moves.sort();
        let numbered: Vec<String> = (1..).zip(&moves).map(|(number, mv)| format!("{number:>3} {mv}")).collect();
        for row in numbered.chunks(8) {
            writeln!(out, "{}", row.iter().map(|cell| format!("{cell:<13}")).collect::<String>().trim_end())?;
        }
        self.listed = moves;
        Ok(())
    }

    fn push(&mut self, mv: &str) {
        if let Ok(text) = self.game.push(mv) {
            self.moves.push(text);
        }
        self.listed.clear();
    }

    /// Takes the person's last move back, and the engine's answer to it.
    fn take_back(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.moves.len() < 2 {
            return writeln!(out, "no move of yours to take back");
        }
        for _ in 0..2 {
            self.game.undo();
            self.moves.pop();
        }
        self.listed.clear();
        self.show(out)
    }

    /// Shows the engine's move at full strength.
    fn hint(&self, out: &mut dyn Write) -> io::Result<()> {
        let limits = Limits { movetime: Some(HINT), ..Limits::default() };
        let answer = self.think(strength::FULL, &limits);
        match answer.best {
            Some(best) => writeln!(out, "{best} ({})", show::score(answer.score)),
            None => writeln!(out, "no move"),
        }
    }

    /// Searches for the engine's move at a level.
    fn think(&self, skill: u32, limits: &Limits) -> Answer {
        let settings = Settings { skill, ..self.settings.clone() };
        let control = Arc::new(Control::new(false));
        player::search(&self.game, limits, &[], &settings, &self.resources, &control, &mut |_| {})
    }

    /// Draws the board and the state of the game.
    fn show(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "\n{}", show::board(&self.game, &Marks::default()))?;
        writeln!(out, "{}", show::state(&self.game))
    }

    /// Describes the result.
    fn result(&self, end: End) -> String {
        let (winner, reason) = match end {
            End::Rules(ending) => (ending.winner(self.game.side()), ending.reason.to_string()),
            End::Resigned => (Some(self.person.other()), "you have given the game up".to_string()),
        };
        match winner {
            Some(side) if side == self.person => format!("You have won: {reason}."),
            Some(_) => format!("You have lost: {reason}."),
            None => format!("A draw: {reason}."),
        }
    }
}
