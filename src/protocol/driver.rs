//! Drives a session by events from one channel; its jobs run on a separate thread.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::output::Output;
use super::session::{Session, Work};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Stack of the job thread.
const STACK_BYTES: usize = 8 << 20;
/// Capacity of a session's event queue.
const INBOX: usize = 64;

/// An event for a driven session.
pub enum Event {
    /// A line, without its end.
    Line(String),
    /// A line beyond the length limit of the session.
    TooLong,
    /// The end of the input.
    End,
    /// The end of the output.
    Closed,
    /// The end of the job, with its last words.
    JobDone(String),
}

/// Creates the channel of a session with this output, whose end is an event.
pub fn events_of(out: &Output) -> (SyncSender<Event>, Receiver<Event>) {
    let (events, inbox) = sync_channel(INBOX);
    let closed = events.clone();
    // A session with a full channel is busy and notices the end of the output itself.
    out.on_close(move || drop(closed.try_send(Event::Closed)));
    (events, inbox)
}

/// Runs a job to its end on its own thread; returns its last words.
pub type Runner = Arc<dyn Fn(Work) -> String + Send + Sync>;

/// Passes events to the session until it is finished. `events` leads to `inbox`; jobs, which `run` executes, report
/// their end through it.
pub fn drive(session: &mut Session, inbox: &Receiver<Event>, events: &SyncSender<Event>, run: &Runner) {
    while !session.is_finished() {
        match inbox.recv() {
            Ok(Event::Line(line)) => session.line(&line),
            Ok(Event::TooLong) => session.line_too_long(),
            Ok(Event::JobDone(last_words)) => session.job_done(&last_words),
            Ok(Event::End) | Err(_) => session.end_of_input(),
            // The session notices the end of the output itself.
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

/// Runs a job on a separate thread.
///
/// # Errors
/// When no thread can be started.
fn launch(work: Work, events: &SyncSender<Event>, run: &Runner) -> io::Result<()> {
    let (events, run) = (events.clone(), Arc::clone(run));
    let body = move || {
        // The session may have ended already.
        let _ = events.send(Event::JobDone(run(work)));
    };
    std::thread::Builder::new().name("job".to_string()).stack_size(STACK_BYTES).spawn(body).map(drop)
}
