//! The program. The library has the command line, so that other packagings can run it too.

use std::process::ExitCode;

fn main() -> ExitCode {
    millbrain::cli::main(std::env::args_os()).into()
}
