//! The session driven by messages on a single thread, as in a browser: lines that arrive during a job are delivered in
//! its pulses.

use crate::common::without_times;
use crate::targets::Printed;
use millbrain::protocol::{Bounds, Output, Session, Settings};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};

/// A line, and the number of a job's pulses after which it arrives; lines with 0 wait for the end of the job.
type Script<'a> = &'a [(u32, &'a str)];

/// Runs a script in a session on this thread only; returns its output.
fn drive(script: Script<'_>) -> String {
    let printed = Printed::default();
    let out = Arc::new(Output::new(Box::new(printed.clone())));
    let session = Arc::new(Mutex::new(Session::new(out).expect("memory")));
    let lines: VecDeque<(u32, String)> = script.iter().map(|&(pulses, line)| (pulses, line.to_string())).collect();
    let lines = Arc::new(Mutex::new(lines));
    let lock = || session.lock().expect("nobody panics");
    while !lock().is_finished() {
        let work = lock().take_work();
        if let Some(work) = work {
            let (held, lines, pulses) = (Arc::clone(&session), Arc::clone(&lines), Mutex::new(0));
            work.control().on_pulse(move |_| {
                let mut pulses = pulses.lock().expect("nobody panics");
                *pulses += 1;
                let mut lines = lines.lock().expect("nobody panics");
                if lines.front().is_some_and(|&(after, _)| after > 0 && *pulses >= after) {
                    *pulses = 0;
                    let (_, line) = lines.pop_front().expect("a line");
                    held.lock().expect("nobody panics").line(&line);
                }
            });
            let last_words = work.run();
            lock().job_done(&last_words);
            continue;
        }
        let line = lines.lock().expect("nobody panics").pop_front();
        match line {
            Some((_, line)) => lock().line(&line),
            None => lock().end_of_input(),
        }
    }
    printed.take()
}

fn count(said: &str, word: &str) -> usize {
    said.lines().filter(|line| line.split(' ').next() == Some(word)).count()
}

/// The benchmark has a total only if it runs to its end.
#[test]
fn a_benchmark_that_is_stopped_says_so() {
    let said = drive(&[(0, "bench"), (3, "stop"), (0, "isready")]);
    assert!(said.lines().any(|line| line == "info string bench stopped"), "{said}");
    assert_eq!(said.lines().last(), Some("readyok"), "{said}");
}

/// A job that cannot run still has last words.
#[test]
fn jobs_have_last_words() {
    let printed = Printed::default();
    let mut session = Session::new(Arc::new(Output::new(Box::new(printed.clone())))).expect("memory");
    for (line, last_words) in [("go depth 3", "bestmove "), ("go perft 2", "info string perft failed")] {
        session.line(line);
        let work = session.take_work().expect("a job");
        let last_resort = work.last_resort().to_string();
        assert!(last_resort.starts_with(last_words), "{line}: {last_resort}");
        if let Some(mv) = last_resort.strip_prefix("bestmove ") {
            assert!(session.game().moves().iter().any(|legal| legal == mv), "{mv}");
        }
        session.job_done(&last_resort);
        assert!(!session.is_busy());
        assert_eq!(printed.take().lines().last(), Some(last_resort.as_str()));
    }
}

#[test]
fn a_ponder_hit_is_for_searches_that_ponder() {
    const NONE: &str = "ponderhit: not pondering";
    let said = drive(&[(0, "go infinite"), (5, "go depth 1"), (5, "ponderhit"), (5, "stop")]);
    assert!(said.contains(NONE) && count(&said, "bestmove") == 2, "{said}");
    let said = drive(&[(0, "go infinite"), (5, "go ponder depth 1"), (5, "ponderhit"), (5, "stop")]);
    assert!(!said.contains(NONE) && count(&said, "bestmove") == 2, "{said}");
}

/// With `debug on` waiting commands are reported; an overflow of the queue is always reported.
#[test]
fn commands_that_wait_are_reported_of() {
    let printed = Printed::default();
    let out = Arc::new(Output::new(Box::new(printed.clone())));
    let bounds = Bounds { queue: 3, ..Bounds::default() };
    let mut session = Session::within(out, Settings::default(), bounds).expect("memory");
    session.line("go infinite");
    printed.take();
    for (line, reported) in [
        ("position startpos", ""),
        ("debug on", ""),
        ("position startpos", "info string busy: the command waits for the end of the search\n"),
        ("debug off", ""),
        ("position startpos", ""),
        ("position startpos", "info string command skipped: 3 wait already, expected 'stop'\n"),
    ] {
        session.line(line);
        assert_eq!(printed.take(), reported, "{line}");
    }
}

#[test]
fn a_stop_reaches_a_search_on_the_only_thread() {
    let said = drive(&[(0, "go infinite"), (40, "isready"), (3, "stop"), (0, "isready")]);
    assert_eq!((count(&said, "bestmove"), count(&said, "readyok")), (1, 2), "{said}");
    let ready = said.find("readyok").expect("an answer");
    assert!(ready < said.find("bestmove").expect("an answer"), "answered while the search runs: {said}");
}

#[test]
fn a_finished_search_waits_for_its_release() {
    // With a single legal reply the search ends at once: it waits in its pulses for the stop.
    let said = drive(&[(0, "position startpos moves d6"), (0, "go ponder depth 1"), (50, "ponderhit")]);
    assert_eq!(count(&said, "bestmove"), 1, "{said}");
    let said = drive(&[(0, "go infinite depth 1"), (30, "d"), (30, "stop")]);
    assert_eq!(count(&said, "bestmove"), 1, "{said}");
    assert!(said.find("bestmove") < said.find("Fen:"), "what waits comes after the search: {said}");
}

/// A level without a search has its move at once, but prints it only after its release.
#[test]
fn a_random_move_waits_for_its_release() {
    const LEVEL: &str = "setoption name Skill Level value 0";
    for (go, release) in [("go ponder", "ponderhit"), ("go ponder", "stop"), ("go infinite", "stop")] {
        let said = drive(&[(0, LEVEL), (0, go), (30, "isready"), (30, release)]);
        assert_eq!((count(&said, "bestmove"), count(&said, "readyok")), (1, 1), "{go}: {said}");
        assert!(said.find("readyok") < said.find("bestmove"), "{go}, answered before it may: {said}");
        assert!(!said.contains("ponderhit"), "{said}");
    }
    let said = drive(&[(0, LEVEL), (0, "go ponder infinite"), (30, "ponderhit"), (30, "isready"), (30, "stop")]);
    assert!(said.find("readyok") < said.find("bestmove"), "a ponder hit is no stop: {said}");
    let said = drive(&[(0, LEVEL), (0, "go"), (1, "isready")]);
    assert!(said.find("bestmove") < said.find("readyok"), "below full strength it ends by itself: {said}");
}

#[test]
fn the_answers_are_those_of_the_streams() {
    let script = [
        "uci",
        "setoption name UCI_Variant value smess",
        "position startpos moves f2g1",
        "go depth 6",
        "d",
        "eval",
        "moves",
    ];
    let driven = drive(&script.map(|line| (0, line)));
    let printed = Printed::default();
    let input = io::Cursor::new(script.join("\n"));
    millbrain::protocol::run(input, Output::new(Box::new(printed.clone()))).expect("a session");
    let streamed = printed.take();
    assert_eq!(without_times(driven.lines()), without_times(streamed.lines()));
}

/// With four stones each, every ending is in the built-in tables, and the whole game is proved into them. The number of
/// positions is the same everywhere, as in the benchmark.
#[test]
fn a_proof_takes_the_same_nodes_everywhere() {
    for (variant, proved) in
        [("morris", "draw for the side to move (35422 nodes,"), ("mlyn", "loss for the side to move (185982 nodes,")]
    {
        let variant = format!("setoption name UCI_Variant value {variant}");
        let said = drive(&[(0, &variant), (0, "setoption name Stones value 4"), (0, "go infinite"), (50_000, "stop")]);
        assert!(said.contains(&format!("info string proved: {proved}")), "{said}");
    }
}
