//! The program: hands its command line to the library, which has it so that other packagings of it can run it too.

use std::process::ExitCode;

fn main() -> ExitCode {
    millbrain::cli::main(std::env::args_os()).into()
}
