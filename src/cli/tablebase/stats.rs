//! `millbrain tablebase stats`.

use crate::tablebase::stats::{FolderStats, NamedEntry, stats};
use crate::tablebase::{Counts, Entry, Longest};
use clap::Args;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

/// Print the contents of tables.
#[derive(Args)]
pub struct Arguments {
    /// Folder made by 'tablebase build', or file made by 'tablebase compact'
    #[arg(value_name = "DIR|FILE")]
    dir: PathBuf,
    /// Print a JSON list instead of a table
    #[arg(long)]
    json: bool,
}

/// Prints the contents of a folder.
///
/// # Errors
/// A folder without a valid manifest, or a closed output.
pub fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let FolderStats { rules, sectors } = stats(&arguments.dir)?;
    if arguments.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&sectors)?)?;
        return Ok(());
    }
    writeln!(out, "{rules}\n\n{}", figures(&sectors))?;
    writeln!(out, "{}", examples(&sectors))?;
    Ok(())
}

/// The figures of a sector, or the sums of several.
#[derive(Default)]
struct Figures {
    reduced: Counts,
    unreduced: Counts,
    wdl_bytes: u64,
    dtw_bytes: u64,
}

impl Figures {
    fn of(entry: &Entry) -> Figures {
        Figures {
            reduced: entry.tally.reduced,
            unreduced: entry.tally.unreduced,
            wdl_bytes: entry.wdl.bytes,
            dtw_bytes: entry.dtw.as_ref().map_or(0, |file| file.bytes),
        }
    }

    fn add(&mut self, other: &Figures) {
        self.reduced = self.reduced.plus(other.reduced);
        self.unreduced = self.unreduced.plus(other.unreduced);
        self.wdl_bytes += other.wdl_bytes;
        self.dtw_bytes += other.dtw_bytes;
    }

    fn line(&self, name: &str, longest_win: &str, longest_loss: &str) -> String {
        let Figures { reduced: r, unreduced: u, wdl_bytes, dtw_bytes } = self;
        format!(
            "{name:8} {:>13}  {:>13} {:>13} {:>13}  {:>14} {:>14} {:>14}  {longest_win:>4} {longest_loss:>4}  \
             {wdl_bytes:>11} {dtw_bytes:>11}\n",
            r.total(),
            r.wins,
            r.losses,
            r.draws,
            u.wins,
            u.losses,
            u.draws
        )
    }
}

fn figures(sectors: &[NamedEntry]) -> String {
    let mut text = format!(
        "{:8} {:>13}  {:>13} {:>13} {:>13}  {:>14} {:>14} {:>14}  {:>4} {:>4}  {:>11} {:>11}\n",
        "sector",
        "positions",
        "won",
        "lost",
        "drawn",
        "won, all",
        "lost, all",
        "drawn, all",
        "win",
        "loss",
        "wdl",
        "dtw"
    );
    let plies =
        |longest: &Option<Longest>| longest.as_ref().map_or("-".to_string(), |longest| longest.plies.to_string());
    let mut total = Figures::default();
    for NamedEntry { name, entry } in sectors {
        let figures = Figures::of(entry);
        total.add(&figures);
        text.push_str(&figures.line(name, &plies(&entry.tally.longest_win), &plies(&entry.tally.longest_loss)));
    }
    text + &total.line("all", "", "")
}

fn examples(sectors: &[NamedEntry]) -> String {
    let mut text = String::from("One of the longest wins and losses of each, side to move first:\n");
    for NamedEntry { name, entry } in sectors {
        for (what, longest) in [("win", &entry.tally.longest_win), ("loss", &entry.tally.longest_loss)] {
            if let Some(Longest { plies, fen }) = longest {
                text.push_str(&format!("{name:8} {what:4} in {plies:>3}  {fen}\n"));
            }
        }
    }
    text
}
