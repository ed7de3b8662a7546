//! Checks the files that a job writes. None may be a file that the same job reads, or writes for another purpose.

use crate::files::{beside, is_same};
use crate::tablebase::is_table;
use clap::ArgMatches;
use std::path::{Path, PathBuf};

/// The arguments that name a file to write, in any job. All other paths are read.
const WRITTEN: [&str; 7] = ["backup", "out", "json", "record", "save", "resume", "archive"];

/// Suffixes that jobs add to an output's name for their own files.
const BESIDE: [&str; 4] = ["", ".tmp", ".part", ".settings"];

/// An output that would replace another file of the job.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: also named by another argument, expected a file of its own for --{argument}", path.display())]
pub struct SharedFile {
    path: PathBuf,
    argument: String,
}

/// Checks that no output of a job is also one of its other files.
///
/// # Errors
/// The first output that is.
pub fn check(mut job: &ArgMatches) -> Result<(), SharedFile> {
    while let Some((_, inner)) = job.subcommand() {
        job = inner;
    }
    let named: Vec<(&str, PathBuf)> = job.ids().flat_map(|id| paths(job, id.as_str())).collect();
    for written in WRITTEN {
        let outputs = named.iter().filter(|(argument, _)| *argument == written);
        for (_, out) in outputs {
            // An output of a merge may be one of its inputs.
            let others = named
                .iter()
                .filter(|(argument, _)| *argument != written && !(written == "out" && *argument == "merge"));
            if others.clone().any(|(_, other)| replaces(out, other)) {
                return Err(SharedFile { path: out.clone(), argument: written.to_string() });
            }
        }
    }
    Ok(())
}

/// Returns the paths that an argument names.
fn paths<'a>(job: &ArgMatches, argument: &'a str) -> Vec<(&'a str, PathBuf)> {
    if let Ok(Some(paths)) = job.try_get_many::<PathBuf>(argument) {
        return paths.map(|path| (argument, path.clone())).collect();
    }
    let words = job.try_get_many::<String>(argument).ok().flatten().into_iter().flatten();
    words.filter_map(|word| Some((argument, word.strip_prefix("file=")?.into()))).collect()
}

/// Returns whether writing an output would replace this file, or a table in this folder.
fn replaces(out: &Path, other: &Path) -> bool {
    let is_in_folder = || other.is_dir() && is_table(out) && out.parent().is_some_and(|folder| is_same(folder, other));
    BESIDE.iter().any(|added| is_same(&beside(out, added), other)) || is_in_folder()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::builder::{Arg, Command};
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    use clap::{CommandFactory, Error};
    use std::any::TypeId;
    use std::collections::BTreeSet;
    use std::fs;

    /// Returns the jobs of the program, each with its subcommand path.
    fn jobs(command: &Command, words: &[String]) -> Vec<(Vec<String>, Command)> {
        let inner = command.get_subcommands().flat_map(|inner| {
            let words = [words, &[inner.get_name().to_string()]].concat();
            jobs(inner, &words)
        });
        let inner: Vec<_> = inner.collect();
        if inner.is_empty() { vec![(words.to_vec(), command.clone())] } else { inner }
    }

    fn program() -> Vec<(Vec<String>, Command)> {
        let mut program = crate::cli::Arguments::command().disable_help_subcommand(true);
        program.build();
        jobs(&program, &["millbrain".to_string()])
    }

    fn paths_of(job: &Command) -> Vec<&Arg> {
        let is_path = |arg: &&Arg| arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        job.get_arguments().filter(is_path).collect()
    }

    /// Returns the words that give an argument this value.
    fn given(arg: &Arg, value: &str) -> Vec<String> {
        arg.get_long().map(|long| format!("--{long}")).into_iter().chain([value.to_string()]).collect()
    }

    /// A new path argument belongs in this test if it is read, otherwise in [`WRITTEN`].
    #[test]
    fn every_path_is_read_or_written() {
        let found: BTreeSet<String> = program()
            .iter()
            .flat_map(|(_, job)| paths_of(job).into_iter().map(|arg| arg.get_id().to_string()).collect::<Vec<_>>())
            .filter(|id| !WRITTEN.contains(&id.as_str()))
            .collect();
        let read = [
            "against",
            "data",
            "dir",
            "file",
            "finds",
            "from",
            "import",
            "journal",
            "log",
            "merge",
            "pack",
            "page",
            "path",
            "positions",
            "replay",
            "secret",
            "tablebase",
            "tables",
        ];
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), read);
    }

    /// Parses words of a job and adds required arguments.
    fn parsed(job: &Command, mut words: Vec<String>) -> Result<ArgMatches, Error> {
        loop {
            let error = match crate::cli::Arguments::command().try_get_matches_from(&words) {
                Err(error) if error.kind() == ErrorKind::MissingRequiredArgument => error,
                result => return result,
            };
            let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else { return Err(error) };
            for arg in job.get_arguments().filter(|arg| missing.contains(&arg.to_string())) {
                let value = arg.get_possible_values().first().map_or("filler", |value| value.get_name()).to_string();
                words.extend(given(arg, &value));
            }
        }
    }

    /// No output replaces another file that its job reads or writes.
    #[test]
    fn no_output_is_another_file_of_its_job() {
        let folder = std::env::temp_dir().join(format!("millbrain-outputs-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let file = |name: &str| folder.join(name).to_str().expect("a name").to_string();
        let (input, table) = (file("input"), file("manifest.json"));
        for name in [&input, &file("input.tmp"), &table] {
            fs::write(name, "something").expect("written");
        }
        let mut tried = BTreeSet::new();
        for (words, job) in program() {
            let paths = paths_of(&job);
            for out in paths.iter().filter(|arg| WRITTEN.contains(&arg.get_id().as_str())) {
                for other in paths.iter().filter(|arg| arg.get_id() != out.get_id()) {
                    let checked = |output: &str, value: &str| match parsed(
                        &job,
                        [words.clone(), given(out, output), given(other, value)].concat(),
                    ) {
                        Ok(job) => Some(check(&job)),
                        Err(error) => {
                            assert_eq!(error.kind(), ErrorKind::ArgumentConflict, "{words:?}: {error}");
                            None
                        }
                    };
                    let Some(same) = checked(&input, &file("./input")) else { continue };
                    assert_eq!(checked(&file("new"), &input), Some(Ok(())), "{words:?} {out} {other}");
                    if (out.get_id().as_str(), other.get_id().as_str()) == ("out", "merge") {
                        assert_eq!(same, Ok(()), "an output may be merged into itself");
                        continue;
                    }
                    let fault = same.expect_err("refused").to_string();
                    assert!(fault.contains("input: also named by another argument"), "{words:?}: {fault}");
                    assert!(checked(&input, &file("input.tmp")).is_some_and(|checked| checked.is_err()));
                    assert!(checked(&table, &file(".")).is_some_and(|checked| checked.is_err()));
                    tried.insert(format!("{} {} {}", words.join(" "), out.get_id(), other.get_id()));
                }
            }
        }
        fs::remove_dir_all(&folder).expect("removed");
        for pair in ["convert out file", "book build out tables", "tune fit out data", "match json merge"] {
            assert!(tried.contains(&format!("millbrain {pair}")), "{pair}: {tried:?}");
        }
    }
}
