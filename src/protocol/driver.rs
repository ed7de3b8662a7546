//! Drives a session by events from one channel, its jobs on a thread beside.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::output::Output;
use super::session::{Session, Work};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Stack of the thread that runs jobs.
const STACK_BYTES: usize = 8 << 20;
/// Events on their way to a session.
const INBOX: usize = 64;

/// What a driven session waits for.
pub enum Event {
    /// A line, without its end.
    Line(String),
    /// A line that was longer than the bounds of the session allow.
    TooLong,
    /// No more lines will come.
    End,
    /// Nobody reads the output any more.
    Closed,
    /// The job is over; these are its last words.
    JobDone(String),
}

/// The channel of a session with this output, which tells of the output's end.
pub fn events_of(out: &Output) -> (SyncSender<Event>, Receiver<Event>) {
    let (events, inbox) = sync_channel(INBOX);
    let closed = events.clone();
    // With a full channel the session is at work and sees the end of the output by itself.
    out.on_close(move || drop(closed.try_send(Event::Closed)));
    (events, inbox)
}

/// Runs a job to its end, on a thread of its own; returns its last words.
pub type Runner = Arc<dyn Fn(Work) -> String + Send + Sync>;

/// Hands the session what comes in, until it has nothing more to do. `events` leads to `inbox`; jobs, each of which `run`
/// runs, tell their end through it.
pub fn drive(session: &mut Session, inbox: &Receiver<Event>, events: &SyncSender<Event>, run: &Runner) {
    while !session.is_finished() {
        match inbox.recv() {
            Ok(Event::Line(line)) => session.line(&line),
            Ok(Event::TooLong) => session.line_too_long(),
            Ok(Event::JobDone(last_words)) => session.job_done(&last_words),
            Ok(Event::End) | Err(_) => session.end_of_input(),
            // The session sees it by itself.
            Ok(Event::Closed) => session.look_at_output(),
        }
        while let Some(work) = session.take_work() {
            let last_resort = work.last_resort().to_string();
            if let Err(error) = launch(work, events, run) {
                session.could_not_start(&error);
                session.job_done(&last_resort);
            }
        }
    }
}

/// Runs a job on a thread beside the loop.
///
/// # Errors
/// When there is no thread for it.
fn launch(work: Work, events: &SyncSender<Event>, run: &Runner) -> io::Result<()> {
    let (events, run) = (events.clone(), Arc::clone(run));
    let body = move || {
        // The session may have gone already.
        let _ = events.send(Event::JobDone(run(work)));
    };
    std::thread::Builder::new().name("job".to_string()).stack_size(STACK_BYTES).spawn(body).map(drop)
}
