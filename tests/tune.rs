//! The parameters of the search as options, with the feature `tune`.

use millbrain::protocol::{Output, Session, Settings};
use millbrain::search::Tunable;
use std::io::Write;
use std::sync::{Arc, Mutex};

/// Collects the output of a session.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<Vec<u8>>>);

impl Write for Said {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("whole").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A session that runs its jobs at once.
struct Engine {
    session: Session,
    said: Said,
}

impl Engine {
    fn new() -> Engine {
        let said = Said::default();
        let session = Session::new(Arc::new(Output::new(Box::new(said.clone())))).expect("memory");
        Engine { session, said }
    }

    /// Returns the answer to a line.
    fn ask(&mut self, line: &str) -> String {
        self.session.line(line);
        while let Some(work) = self.session.take_work() {
            self.session.job_done(&work.run());
        }
        String::from_utf8(std::mem::take(&mut self.said.0.lock().expect("whole"))).expect("text")
    }

    fn set(&mut self, name: &str, value: u64) {
        assert_eq!(self.ask(&format!("setoption name {name} value {value}")), "");
    }

    /// Returns the nodes of the benchmark.
    fn nodes(&mut self) -> u64 {
        let said = self.ask("bench 8");
        let total = said.lines().last().and_then(|line| line.split(' ').next()?.parse().ok());
        total.unwrap_or_else(|| panic!("{said}"))
    }
}

fn all() -> Vec<Tunable<Settings>> {
    Tunable::all()
}

#[test]
fn every_parameter_is_an_option() {
    let said = Engine::new().ask("uci");
    for tunable in all() {
        let Tunable { name, default, range: [least, most], step, .. } = tunable;
        let line = format!("option name {name} type spin default {default} min {least} max {most}");
        assert!(said.lines().any(|said| said == line), "{line}");
        assert!((least..=most).contains(&default), "{name}");
        assert!((1..=most - least).contains(&step), "{name}");
        assert_eq!(tunable.to_string(), format!("{name}, int, {default}, {least}, {most}, {step}, 0.002"));
    }
}

#[test]
fn the_lines_in_the_documentation_are_listed() {
    let listed: Vec<String> = all().iter().map(ToString::to_string).collect();
    let shown: Vec<&str> = include_str!("../docs/search.md").lines().filter(|line| line.contains(", int, ")).collect();
    assert!(!shown.is_empty() && shown.iter().all(|line| listed.contains(&line.to_string())), "{shown:#?}");
}

#[test]
fn values_beyond_the_range_are_refused() {
    let mut engine = Engine::new();
    for Tunable { name, range: [least, most], get, .. } in all() {
        for value in [(most + 1).to_string(), "-1".to_string(), "x".to_string()] {
            assert_eq!(
                engine.ask(&format!("setoption name {name} value {value}")),
                format!(
                    "info string setoption refused: invalid value \"{value}\" for {name}: \
                     expected a number from {least} to {most}\n"
                )
            );
        }
        assert_eq!(get(engine.session.settings()), get(&Settings::default()), "{name}");
    }
}

/// Each parameter of the tree, at its minimum or maximum, changes the next search; reset, it changes nothing. This is
/// the only test that searches: the values apply to the whole process.
#[test]
fn values_are_in_force_with_the_next_search() {
    let mut engine = Engine::new();
    let nodes = engine.nodes();
    for Tunable { name, default, range, .. } in all() {
        // The others apply to a clock, to several threads, or to a proof.
        let is_of_tree = !["time_", "deferring_", "proof_"].iter().any(|kind| name.starts_with(kind));
        let changed = range.map(|value| {
            engine.set(name, value);
            engine.nodes() != nodes
        });
        assert_eq!(changed.contains(&true), is_of_tree, "{name}");
        engine.set(name, default);
    }
    assert_eq!(engine.nodes(), nodes);
    let mut searched = |set: &str| {
        engine.ask("ucinewgame");
        engine.ask(set);
        engine.ask("go depth 9")
    };
    let reported =
        |said: String| said.split(" nodes ").last().and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok());
    let [first, other, again] =
        ["debug off", "setoption name reduction_divisor value 300", "setoption name reduction_divisor value 210"]
            .map(|set| reported(searched(set)));
    assert!(first.is_some() && first == again && first != other, "{first:?} {other:?} {again:?}");
}
