//! A session on streams: lines are read on a thread of their own, and jobs run on another.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::bounds::MAX_LINE;
use super::driver::{Driven, Event, drive, events_of};
use super::output::Output;
use super::session::{Session, SessionError};
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

/// Some editors begin a text with this mark; it is no part of the first command.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Reads lines of any bytes until the input ends.
fn read_lines(input: impl Read, events: &SyncSender<Event>) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    let mut is_first = true;
    loop {
        line.clear();
        let event = match input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) if line.last() != Some(&b'\n') && line.len() as u64 == MAX_LINE => {
                if skip_line(&mut input).is_err() {
                    break;
                }
                Event::TooLong
            }
            Ok(_) => {
                let text = String::from_utf8_lossy(&line);
                let text = text.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first).unwrap_or(&text);
                Event::Line(text.trim_end_matches(['\n', '\r']).to_string())
            }
        };
        is_first = false;
        if events.send(event).is_err() {
            return;
        }
    }
    let _ = events.send(Event::End);
}

fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (used, done) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        if done {
            return Ok(());
        }
    }
}

/// Runs a session until `quit` or the end of input.
///
/// # Errors
/// When there is no memory for the smallest hash table or no thread to read the input, and a broken pipe when the
/// reader of the output has gone away.
pub fn run(input: impl Read + Send + 'static, out: Output) -> Result<(), SessionError> {
    let out = Arc::new(out);
    drive_by(input, &out, Session::new(Arc::clone(&out))?)
}

/// Drives what says its lines to `out` by the lines of the input.
///
/// # Errors
/// When there is no thread to read the input, and a broken pipe when the reader of the output has gone away.
pub(super) fn drive_by(
    input: impl Read + Send + 'static,
    out: &Arc<Output>,
    mut driven: impl Driven,
) -> Result<(), SessionError> {
    let (events, inbox) = events_of(out);
    out.watch();
    let sender = events.clone();
    let reader = std::thread::Builder::new().name("input".to_string());
    // The reader may wait for input for ever; it is not waited for at the end.
    reader.spawn(move || read_lines(input, &sender)).map_err(SessionError::Thread)?;
    drive(&mut driven, &inbox, &events);
    if out.is_closed() { Err(SessionError::Closed(ErrorKind::BrokenPipe.into())) } else { Ok(()) }
}
