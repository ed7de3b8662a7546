//! Runs a session on streams: one thread reads lines, another runs jobs.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::driver::{Event, Runner, drive, events_of};
use super::output::Output;
use super::session::{Session, SessionError, Work};
use crate::lines::{BYTE_ORDER_MARK, Found, Lines};
use std::io::{self, BufReader, ErrorKind, Read};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, channel};

/// Reads lines of any bytes until the input ends.
///
/// # Errors
/// Any error of the input.
fn read_lines(input: impl Read, events: &SyncSender<Event>) -> io::Result<()> {
    let mut lines = Lines::new(BufReader::new(input));
    let mut line = Vec::new();
    let mut is_first = true;
    loop {
        let event = match lines.read(&mut line)? {
            Found::End => return Ok(()),
            Found::TooLong => Event::TooLong,
            Found::Line => {
                let text = String::from_utf8_lossy(&line);
                let text = text.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first).unwrap_or(&text);
                Event::Line(text.to_string())
            }
        };
        is_first = false;
        if events.send(event).is_err() {
            return Ok(());
        }
    }
}

/// Runs a session until `quit` or the end of input.
///
/// # Errors
/// When there is no memory for the smallest hash table, no thread to read the input, or the input cannot be read. A
/// broken pipe when the output is closed.
pub fn run(input: impl Read + Send + 'static, out: Output) -> Result<(), SessionError> {
    let out = Arc::new(out);
    let mut session = Session::new(Arc::clone(&out))?;
    let (events, inbox) = events_of(&out);
    out.watch();
    let sender = events.clone();
    let (reported, faults) = channel();
    let reader = std::thread::Builder::new().name("input".to_string());
    let body = move || {
        if let Err(error) = read_lines(input, &sender) {
            let _ = reported.send(error);
        }
        let _ = sender.send(Event::End);
    };
    // The reader may wait for input forever and is never joined.
    reader.spawn(body).map_err(SessionError::Thread)?;
    drive(&mut session, &inbox, &events, &(Arc::new(Work::run) as Runner));
    if out.is_closed() {
        return Err(SessionError::Closed(ErrorKind::BrokenPipe.into()));
    }
    faults.try_recv().map_or(Ok(()), |fault| Err(SessionError::Input(fault)))
}
