//! Checking tables by a forward pass: the value of every position must follow from those one move on.
//!
//! Of the solver only the numbering is used; moves come from the plain generator. If any value is wrong, take the
//! wrong one with the shortest true distance: the values it follows from are right, so the pass notices it. A pass
//! over all sectors without a fault therefore proves every value.

use super::code::Code;
use super::endings::{Endings, PositionOf, Sector, Solvable};
use super::format::{Kind, Table};
use super::manifest::{Folder, folder_rules};
use super::select::Selection;
use super::tally::tally;
use crate::game::Game;
use crate::memory::prefetch;
use crate::value::{Value, known_end};
use crate::with_endings;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// Check tables.
#[derive(Args)]
pub struct Arguments {
    /// Folder made by 'tablebase build'
    dir: PathBuf,
    /// Sectors to check, as for 'build'; all in the folder by default
    #[arg(long, value_name = "LIST")]
    sectors: Option<Selection>,
    /// Check this many random positions of each sector instead of all
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,
    /// Threads; all cores by default
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
}

/// Slots looked at together, so that their reads from memory overlap.
const BATCH: usize = 32;
/// Slots that a thread takes at a time.
const CHUNK: u64 = 1 << 14;

/// The distances of the sectors that a sector leads to.
struct Codes(Vec<(Sector, Vec<Code>)>);

/// One sector under check.
struct Check<'a, E: Endings> {
    endings: &'a E,
    sector: Sector,
    wdl: &'a Table,
    codes: &'a Codes,
}

/// Where the value of a position after a move is found.
#[derive(Clone, Copy)]
enum Successor {
    Known(Value),
    /// In one of the loaded sectors, at this slot.
    Table(u32, u32),
}

impl Codes {
    fn place(&self, sector: Sector) -> Option<usize> {
        self.0.iter().position(|(of, _)| *of == sector)
    }
}

impl<E: Endings> Check<'_, E> {
    /// Checks some slots. The error names the first position that is wrong.
    fn slots(&self, slots: &[u64]) -> Result<(), String> {
        let game = self.endings.game();
        let own = self.codes.place(self.sector).ok_or("sector not loaded")?;
        let mut successors: Vec<(usize, Successor)> = Vec::new();
        for batch in slots.chunks(BATCH) {
            let positions: Vec<Option<PositionOf<E>>> =
                batch.iter().map(|&slot| self.endings.position(self.sector, slot)).collect();
            successors.clear();
            for (i, pos) in positions.iter().enumerate() {
                let Some(pos) = pos else { continue };
                let mut unknown = None;
                game.generate(pos, |mv| {
                    let next = game.play(pos, mv);
                    let successor = match known_end(&game, &next) {
                        Some(value) => Some(Successor::Known(value)),
                        None => self.endings.sector(&next).and_then(|sector| self.codes.place(sector)).map(|place| {
                            let slot = self.endings.slot(&next);
                            prefetch(&self.codes.0[place].1[slot as usize]);
                            Successor::Table(place as u32, slot as u32)
                        }),
                    };
                    match successor {
                        Some(successor) => successors.push((i, successor)),
                        None => unknown = Some(next),
                    }
                });
                if let Some(next) = unknown {
                    return Err(format!("no table for {}", self.endings.fen(&next)));
                }
            }
            let mut rest = &successors[..];
            for (i, pos) in positions.iter().enumerate() {
                let Some(pos) = pos else { continue };
                let (mine, others) = rest.split_at(rest.iter().take_while(|(of, _)| *of == i).count());
                rest = others;
                let found = self.codes.0[own].1[batch[i] as usize].value();
                let expected = match known_end(&game, pos) {
                    Some(value) => value,
                    None => Value::from_successors(mine.iter().map(|&(_, successor)| match successor {
                        Successor::Known(value) => value,
                        Successor::Table(place, slot) => self.codes.0[place as usize].1[slot as usize].value(),
                    })),
                };
                let verdict = self.wdl.verdict(batch[i]).map_err(|fault| fault.to_string())?;
                if found != expected || verdict != expected.verdict() {
                    return Err(format!(
                        "{}: the distance table says {found}, the WDL table {verdict}, the moves {expected}",
                        self.endings.fen(pos)
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Checks what the arguments say and prints a line for each sector.
///
/// # Errors
/// The first fault found: a file that is not what it should be, or a position with a wrong value; or a closed output.
pub fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    with_endings!(folder_rules(&arguments.dir)?, |endings| verify(&endings, arguments, out))
}

fn verify<E: Solvable>(endings: &E, arguments: &Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let folder = Folder::open(&arguments.dir, endings)?;
    let chosen = match &arguments.sectors {
        Some(selection) => selection.resolve(endings, true)?,
        None => endings.sectors().into_iter().filter(|&sector| folder.entry(endings, sector).is_some()).collect(),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.map_or(0, usize::from)).build()?;
    for sector in chosen {
        let started = Instant::now();
        let (checked, of) = pool
            .install(|| verify_sector(endings, &folder, sector, arguments.sample))
            .map_err(|error| format!("{}: {error}", endings.name(sector)))?;
        let seconds = started.elapsed().as_secs_f64();
        writeln!(
            out,
            "{:8} {checked:>11} of {of:>11} slots checked, all right  {seconds:8.2} s {:6.2} M/s",
            endings.name(sector),
            checked as f64 / seconds / 1e6
        )?;
    }
    Ok(())
}

fn verify_sector<E: Solvable>(
    endings: &E,
    folder: &Folder,
    sector: Sector,
    sample: Option<u64>,
) -> Result<(u64, u64), Box<dyn Error + Send + Sync>> {
    let entry = folder.entry(endings, sector).ok_or("not built yet, expected a sector that 'tablebase stats' lists")?;
    let named = |kind, fault| format!("{}: {fault}", folder.file(endings, sector, kind).display());
    let open = |sector, kind| {
        let table = folder.table(endings, sector, kind).map_err(|fault| named(kind, fault))?;
        table.check_all().map_err(|fault| named(kind, fault))?;
        Ok::<_, String>(table)
    };
    let wdl = open(sector, Kind::Wdl)?;
    let mut needed = endings.pair(sector);
    needed.extend(endings.exits(sector));
    needed.sort_unstable();
    needed.dedup();
    let mut codes = Codes(Vec::new());
    for sector in needed {
        let table = open(sector, Kind::Distance)?;
        codes.0.push((sector, table.codes().map_err(|fault| named(Kind::Distance, fault))?));
    }
    let slots = endings.slots(sector);
    let check = Check { endings, sector, wdl: &wdl, codes: &codes };
    let count = sample.map_or(slots, |sample| sample.min(slots));
    let bar = ProgressBar::new(count);
    if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {percent}%, {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    bar.set_message(endings.name(sector));
    let result = (0..count.div_ceil(CHUNK)).into_par_iter().try_for_each(|chunk| {
        let range = chunk * CHUNK..((chunk + 1) * CHUNK).min(count);
        let chosen: Vec<u64> = if sample.is_some_and(|sample| sample < slots) {
            let mut rng = fastrand::Rng::with_seed(chunk);
            range.map(|_| rng.u64(..slots)).collect()
        } else {
            range.collect()
        };
        bar.inc(chosen.len() as u64);
        check.slots(&chosen)
    });
    bar.finish_and_clear();
    result?;
    if count == slots {
        let own = check.codes.place(sector).ok_or("sector not loaded")?;
        let found = tally(endings, sector, |slot| codes.0[own].1[slot]);
        if found != entry.tally {
            return Err(format!("the manifest counts {}, the tables hold {found}", entry.tally).into());
        }
    }
    Ok((count, slots))
}
