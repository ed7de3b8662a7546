//! The program: runs the command line and tells how it ended.

mod cli;

use clap::Parser;
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    match cli::run(cli::Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&*error) => ExitCode::from(BROKEN_PIPE),
        Err(error) => {
            // Where standard error is closed too, the status has to do.
            let _ = writeln!(io::stderr(), "millbrain: {error}");
            if cli::is_taken_address(&*error) { ExitCode::from(UNUSABLE_ADDRESS) } else { ExitCode::FAILURE }
        }
    }
}

/// The status that a shell shows for a program ended by the signal of a broken pipe: what `head` leaves behind.
const BROKEN_PIPE: u8 = 128 + 13;

/// The status for an address that cannot be served at: a fault of the arguments, like those that `clap` finds.
const UNUSABLE_ADDRESS: u8 = 2;

/// Whether all that went wrong is that nobody reads the output any more.
fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            return true;
        }
        cause = error.source();
    }
    false
}
