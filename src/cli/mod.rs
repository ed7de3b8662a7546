//! The command line: without a subcommand the protocol loop, otherwise one job.
//!
//! Only this module parses arguments, shows progress bars and prints. Each job turns its arguments into a plain
//! request, calls the library, and prints the result.

mod analyse;
mod annotate;
mod bench;
mod book;
mod convert;
mod games;
mod limits;
mod manual;
mod outputs;
mod perft;
mod play;
mod puzzles;
mod rules;
#[cfg(feature = "serve")]
mod serve;
mod tablebase;
mod tournament;
mod truth;
mod tune;
mod version;

use crate::protocol::{self, Output};
use crate::streams::{stdin, stdout};
use crate::tournament::openings::OpeningsError;
use crate::variant::Variant;
use anstream::AutoStream;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write};
use std::iter;

/// The status that a shell shows for a program ended by the signal of a broken pipe, as with `head`.
const BROKEN_PIPE: u8 = 128 + 13;

/// The status of a job that was interrupted before it had a result, or ended with its input. It equals the shell's
/// status for a program ended by the signal of an interrupt.
const INTERRUPTED: u8 = 128 + 2;

/// The status for an address that cannot be served: a fault of the arguments, like those that `clap` finds.
const UNUSABLE_ADDRESS: u8 = 2;

/// Parses the name of a variant. Help and shells list the names.
fn variants() -> impl TypedValueParser<Value = Variant> {
    PossibleValuesParser::new(Variant::CHOICES).try_map(|name| name.parse())
}

/// Styles a progress bar; uses the plain style if the template is faulty.
fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// An engine for Nine Men's Morris (six rule sets) and Smess.
///
/// Without a subcommand it speaks a UCI-style protocol on standard input and output: type 'uci', 'help' or
/// 'go movetime 1000'. Diagnostics go to standard error; set RUST_LOG (error, warn, info, debug) for more.
#[derive(Parser)]
#[command(version, long_version = version::built(), args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    job: Option<Job>,
    /// End the job when standard input ends, so that it does not outlive the program that started it
    #[arg(long, global = true)]
    end_with_input: bool,
}

#[derive(Subcommand)]
enum Job {
    /// Search a fixed set of positions and print nodes and speed
    ///
    /// One thread gives the same node total on every machine; the last line is 'N nodes M nps'.
    Bench(bench::Arguments),
    /// Count the leaves of the game tree below a position
    ///
    /// Prints each root move with its count, then the total. A move including its removal is one ply.
    Perft(perft::Arguments),
    /// Play against the engine at this terminal
    Play(play::Arguments),
    /// Play engines against each other and report who is stronger
    Match(Box<tournament::Arguments>),
    /// Analyse positions, one per line, and write one JSON object per line
    ///
    /// A line is a FEN, VARIANT;FEN;MOVES;RULES, an object with id, variant, rules, fen and moves, all optional, or an
    /// MSTATE or MIFPOS of MIF. --variant and --rules apply to lines without their own.
    Analyse(analyse::Arguments),
    /// Explain games: the value of each move, the better line, and why
    Annotate(annotate::Arguments),
    /// Write games in another form: records, SGF, Sanmill's lists, or MIF
    Convert(convert::Arguments),
    /// Serve the page, engine sessions and an archive of games
    ///
    /// Serves HTTP only on this machine unless --address is given; docs/server.md is the reference.
    #[cfg(feature = "serve")]
    Serve(Box<serve::Arguments>),
    /// Build, verify and probe endgame tablebases
    #[command(subcommand)]
    Tablebase(tablebase::Job),
    /// Print a completion script for a shell
    Completions(manual::Shells),
    /// Print a manual page in roff
    Man,
    /// Measure the search's error rate against tablebases
    #[command(subcommand)]
    Truth(truth::Job),
    /// Make puzzles with a single winning or drawing move, graded by difficulty
    ///
    /// One JSON object per line: variant, rules, fen, goal (win or draw), plies to the end, solution, difficulty from 0
    /// to 8, themes.
    Puzzles(puzzles::Arguments),
    /// Make and show opening books, for the option BookFile
    #[command(subcommand)]
    Book(book::Job),
    /// Train the evaluation networks on positions from self-play
    Tune(tune::Arguments),
}

/// Runs the program with this command line, which begins with the program's name.
///
/// Returns the exit status: 0 for success, 1 for a job that failed, 2 for unusable arguments. 130 means that the job
/// was interrupted before it had a result, or ended with its input; 141 means that the output was closed. Faults are
/// reported on standard error.
pub fn main(words: impl IntoIterator<Item = OsString>) -> u8 {
    // A program that embeds the library may already have a logger.
    let _ = env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).try_init();
    let parsed = Arguments::command().try_get_matches_from(words);
    let parsed = parsed.and_then(|matches| Ok((Arguments::from_arg_matches(&matches)?, outputs::check(&matches))));
    let (arguments, checked) = match parsed {
        Ok(parsed) => parsed,
        Err(reported) if reported.use_stderr() => {
            // If standard error is closed, only the status reports the fault.
            let _ = reported.print();
            return reported.exit_code().try_into().unwrap_or(u8::MAX);
        }
        Err(help) => return ended(write!(coloured(), "{}", help.render().ansi()).map_err(Box::from)),
    };
    ended(checked.map_err(Box::from).and_then(|()| run(arguments)))
}

/// Returns standard output for coloured text. Colours are stripped where they are not wanted.
fn coloured() -> AutoStream<Box<dyn Write>> {
    AutoStream::new(Box::new(stdout()), AutoStream::choice(&io::stdout()))
}

/// Flushes the output, reports a fault, and returns the status.
fn ended(result: Result<(), Box<dyn Error>>) -> u8 {
    match result.and_then(|()| Ok(stdout().flush()?)) {
        Ok(()) => 0,
        Err(error) if is_broken_pipe(&*error) => BROKEN_PIPE,
        Err(error) => {
            // If standard error is closed too, only the status reports the fault.
            let _ = writeln!(io::stderr(), "millbrain: {error}");
            status(&*error)
        }
    }
}

/// Returns the status for a failed job.
fn status(error: &(dyn Error + 'static)) -> u8 {
    match error.downcast_ref() {
        Some(OpeningsError::Interrupted { .. }) => INTERRUPTED,
        _ if is_taken_address(error) => UNUSABLE_ADDRESS,
        _ => 1,
    }
}

/// Runs the job of the arguments.
///
/// # Errors
/// Any fault that stops the job.
fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    if arguments.end_with_input {
        let reads_input = match &arguments.job {
            None | Some(Job::Play(_)) => true,
            Some(Job::Analyse(job)) => job.reads_input(),
            Some(Job::Annotate(job)) => job.reads_input(),
            Some(Job::Convert(job)) => job.reads_input(),
            Some(
                Job::Bench(_) | Job::Perft(_) | Job::Match(_) | Job::Tablebase(_) | Job::Completions(_) | Job::Man,
            ) => false,
            Some(Job::Truth(_) | Job::Puzzles(_) | Job::Book(_) | Job::Tune(_)) => false,
            #[cfg(feature = "serve")]
            Some(Job::Serve(_)) => false,
        };
        if reads_input {
            return Err("--end-with-input unusable, expected a job that does not read standard input".into());
        }
        std::thread::spawn(end_with_input);
    }
    match arguments.job {
        None => Ok(protocol::run(stdin(), Output::to_stdout())?),
        Some(Job::Bench(arguments)) => bench::run(&arguments),
        Some(Job::Perft(arguments)) => perft::run(&arguments),
        Some(Job::Play(arguments)) => play::run(&arguments),
        Some(Job::Match(arguments)) => tournament::run(&arguments),
        Some(Job::Analyse(arguments)) => analyse::run(&arguments),
        Some(Job::Annotate(arguments)) => annotate::run(&arguments),
        Some(Job::Convert(arguments)) => convert::run(&arguments),
        #[cfg(feature = "serve")]
        Some(Job::Serve(arguments)) => serve::run(&arguments),
        Some(Job::Tablebase(job)) => tablebase::run(job),
        Some(Job::Completions(shells)) => manual::completions(&shells),
        Some(Job::Man) => manual::man(),
        Some(Job::Truth(job)) => truth::run(job),
        Some(Job::Puzzles(arguments)) => puzzles::run(&arguments),
        Some(Job::Book(job)) => book::run(job),
        Some(Job::Tune(arguments)) => tune::run(&arguments),
    }
}

/// Ends the process with standard input. Files are complete at any moment, and engines end with their input.
fn end_with_input() {
    let _ = io::copy(&mut stdin(), &mut io::sink());
    std::process::exit(INTERRUPTED.into());
}

/// Whether the only fault is a closed output.
fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let is_pipe = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    iter::successors(Some(error), |error| cause(*error)).any(|error| error.downcast_ref().is_some_and(is_pipe))
}

/// Returns the cause of an error. An I/O error that wraps another error reports only the inner error's source.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}

/// Whether a server's address was unavailable.
#[cfg(feature = "serve")]
fn is_taken_address(error: &(dyn Error + 'static)) -> bool {
    use crate::serve::ServeError;
    error.downcast_ref::<ServeError>().is_some_and(|error| matches!(error, ServeError::Address { .. }))
}

/// This build has no server.
#[cfg(not(feature = "serve"))]
const fn is_taken_address(_: &(dyn Error + 'static)) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::Language;
    use clap::{Args, CommandFactory, ValueEnum};

    /// Wraps the arguments of a job as a command.
    #[derive(Parser)]
    struct Whole<A: Args> {
        #[command(flatten)]
        arguments: A,
    }

    /// Parses the words of a job.
    pub fn parsed<A: Args>(words: &str) -> Result<A, String> {
        let words = std::iter::once("job").chain(words.split_whitespace());
        Whole::try_parse_from(words).map(|whole| whole.arguments).map_err(|error| error.to_string())
    }

    #[test]
    fn a_broken_pipe_is_found_wherever_it_is_reported_of() {
        use crate::analysis::batch::AnalysisError;
        use crate::files::named;
        use crate::tournament::error::MatchError;
        let fault = |kind: io::ErrorKind| io::Error::new(kind, "standard output: no more");
        let wrapped = |kind| -> [Box<dyn Error>; 5] {
            let file = named(std::path::Path::new("out"))(fault(kind));
            [
                Box::new(fault(kind)),
                Box::new(AnalysisError::Output(fault(kind))),
                Box::new(MatchError::Report(fault(kind))),
                Box::new(io::Error::other(fault(kind))),
                Box::new(AnalysisError::Output(io::Error::other(file))),
            ]
        };
        for error in wrapped(io::ErrorKind::BrokenPipe) {
            assert!(is_broken_pipe(&*error), "{error:?}");
        }
        for error in wrapped(io::ErrorKind::StorageFull) {
            assert!(!is_broken_pipe(&*error), "{error:?}");
        }
    }

    /// Every option with a fixed set of names has one of these types.
    #[test]
    fn shells_complete_all_names() {
        fn arguments(command: &clap::Command, found: &mut Vec<clap::Arg>) {
            found.extend(command.get_arguments().cloned());
            command.get_subcommands().for_each(|command| arguments(command, found));
        }
        let mut found = Vec::new();
        let mut command = Arguments::command();
        command.build();
        arguments(&command, &mut found);
        for (id, names, least) in [
            ("variant", Variant::CHOICES.to_vec(), 15),
            ("explain", Language::ALL.iter().map(|language| language.code()).collect(), 1),
        ] {
            let named: Vec<_> = found.iter().filter(|argument| argument.get_id() == id).collect();
            assert!(named.len() >= least, "{id}: {}", named.len());
            for argument in named {
                let values = argument.get_possible_values();
                assert_eq!(values.iter().map(|value| value.get_name()).collect::<Vec<_>>(), names, "{id}");
            }
        }
        for shell in clap_complete::Shell::value_variants() {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "millbrain", &mut script);
            let script = String::from_utf8(script).expect("text");
            // Completions of these two shells do not include values.
            if !matches!(shell, clap_complete::Shell::Elvish | clap_complete::Shell::PowerShell) {
                Variant::CHOICES.iter().for_each(|name| assert!(script.contains(name), "{shell}: {name}"));
            }
        }
    }
}
