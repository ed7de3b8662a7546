//! Printing what a folder of tables holds.

use super::endings::Endings;
use super::manifest::{Entry, Folder, folder_rules};
use super::tally::Longest;
use crate::with_endings;
use clap::Args;
use serde::Serialize;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

/// Print what tables hold.
#[derive(Args)]
pub struct Arguments {
    /// Folder made by 'tablebase build'
    dir: PathBuf,
    /// Print a JSON list instead of a table
    #[arg(long)]
    json: bool,
}

/// A sector as `--json` prints it.
#[derive(Serialize)]
struct Row<'a> {
    sector: &'a str,
    #[serde(flatten)]
    entry: &'a Entry,
}

/// Prints what the arguments ask for.
///
/// # Errors
/// When the folder has no sound manifest, or the output is closed.
pub fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    with_endings!(folder_rules(&arguments.dir)?, |endings| stats(&endings, arguments, out))
}

fn stats<E: Endings>(endings: &E, arguments: &Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let folder = Folder::open(&arguments.dir, endings)?;
    let names: Vec<String> = endings.sectors().into_iter().map(|sector| endings.name(sector)).collect();
    let rows: Vec<Row<'_>> = names
        .iter()
        .filter_map(|name| folder.manifest.sectors.get(name).map(|entry| Row { sector: name, entry }))
        .collect();
    if arguments.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&rows)?)?;
        return Ok(());
    }
    writeln!(out, "{}\n\n{}", folder.manifest.rules, figures(&rows))?;
    writeln!(out, "{}", examples(&rows))?;
    Ok(())
}

fn figures(rows: &[Row<'_>]) -> String {
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
    let mut total = [0; 9];
    for Row { sector, entry } in rows {
        let (r, u) = (&entry.tally.reduced, &entry.tally.unreduced);
        let numbers =
            [r.total(), r.wins, r.losses, r.draws, u.wins, u.losses, u.draws, entry.wdl.bytes, entry.dtw.bytes];
        for (sum, number) in total.iter_mut().zip(numbers) {
            *sum += number;
        }
        let longest = [plies(&entry.tally.longest_win), plies(&entry.tally.longest_loss)];
        text.push_str(&figures_line(sector, numbers, longest));
    }
    text + &figures_line("all", total, [String::new(), String::new()])
}

fn figures_line(name: &str, n: [u64; 9], longest: [String; 2]) -> String {
    format!(
        "{name:8} {:>13}  {:>13} {:>13} {:>13}  {:>14} {:>14} {:>14}  {:>4} {:>4}  {:>11} {:>11}\n",
        n[0], n[1], n[2], n[3], n[4], n[5], n[6], longest[0], longest[1], n[7], n[8]
    )
}

fn examples(rows: &[Row<'_>]) -> String {
    let mut text = String::from("One of the longest wins and losses of each, side to move first:\n");
    for Row { sector, entry } in rows {
        for (what, longest) in [("win", &entry.tally.longest_win), ("loss", &entry.tally.longest_loss)] {
            if let Some(Longest { plies, fen }) = longest {
                text.push_str(&format!("{sector:8} {what:4} in {plies:>3}  {fen}\n"));
            }
        }
    }
    text
}
