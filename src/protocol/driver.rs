//! Drives a session by events from one channel, its jobs on a thread beside.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::output::Output;
use super::session::{Session, Work};
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

/// Hands the session what comes in, until it has nothing more to do. `events` leads to `inbox`; jobs tell their end
/// through it.
pub fn drive(session: &mut Session, inbox: &Receiver<Event>, events: &SyncSender<Event>) {
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
            launch(session, work, events);
        }
    }
}

/// Runs a job on a thread beside the loop.
fn launch(session: &mut Session, work: Work, events: &SyncSender<Event>) {
    let (events, last_resort) = (events.clone(), work.last_resort().to_string());
    let body = move || {
        // The session may have gone already.
        let _ = events.send(Event::JobDone(work.run()));
    };
    if let Err(error) = std::thread::Builder::new().name("job".to_string()).stack_size(STACK_BYTES).spawn(body) {
        session.job_not_started(&error, &last_resort);
    }
}
