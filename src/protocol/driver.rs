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

/// What can be driven: a session, or a layer in front of one.
pub trait Driven {
    /// The session that has the jobs.
    fn session(&mut self) -> &mut Session;

    /// Takes a line of input, without its end.
    fn line(&mut self, line: &str);

    /// A job is over: its last words are said, and what has waited for its end is done.
    fn job_done(&mut self, last_words: &str);

    /// Ends it all if nobody reads the output any more.
    fn look_at_output(&mut self);

    /// Whether there is nothing more to do.
    fn is_finished(&self) -> bool;
}

impl Driven for Session {
    fn session(&mut self) -> &mut Session {
        self
    }

    fn line(&mut self, line: &str) {
        Session::line(self, line);
    }

    fn job_done(&mut self, last_words: &str) {
        Session::job_done(self, last_words);
    }

    fn look_at_output(&mut self) {
        Session::look_at_output(self);
    }

    fn is_finished(&self) -> bool {
        Session::is_finished(self)
    }
}

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
pub fn drive(driven: &mut impl Driven, inbox: &Receiver<Event>, events: &SyncSender<Event>, run: &Runner) {
    while !driven.is_finished() {
        match inbox.recv() {
            Ok(Event::Line(line)) => driven.line(&line),
            Ok(Event::TooLong) => driven.session().line_too_long(),
            Ok(Event::JobDone(last_words)) => driven.job_done(&last_words),
            Ok(Event::End) | Err(_) => driven.session().end_of_input(),
            // The session sees it by itself.
            Ok(Event::Closed) => driven.look_at_output(),
        }
        while let Some(work) = driven.session().take_work() {
            let last_resort = work.last_resort().to_string();
            if let Err(error) = launch(work, events, run) {
                driven.session().could_not_start(&error);
                driven.job_done(&last_resort);
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
