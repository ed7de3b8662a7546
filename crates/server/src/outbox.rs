//! The messages waiting for a client: answers are never dropped, progress of a search may be.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Maximum number of waiting texts, and their maximum bytes.
const MAX_TEXTS: usize = 256;
const MAX_BYTES: usize = 256 << 10;

#[derive(Default)]
struct Waiting {
    texts: VecDeque<String>,
    bytes: usize,
    /// The socket has stopped sending.
    closed: bool,
    /// No more texts will come.
    finished: bool,
    /// The session could not start.
    failed: bool,
}

impl Waiting {
    fn is_full(&self) -> bool {
        self.texts.len() >= MAX_TEXTS || self.bytes >= MAX_BYTES
    }

    fn add(&mut self, text: String) {
        self.bytes += text.len();
        self.texts.push_back(text);
    }

    /// Drops the oldest line of progress; returns `false` if there is none.
    fn forget_one(&mut self) -> bool {
        let Some(at) = self.texts.iter().position(|text| is_progress(text)) else { return false };
        let dropped = self.texts.remove(at);
        self.bytes -= dropped.map_or(0, |text| text.len());
        true
    }
}

/// Whether a text reports the progress of a search, which the next report supersedes.
fn is_progress(text: &str) -> bool {
    text.starts_with("info ") && !text.starts_with("info string")
}

/// The queue of texts from a session's threads to its socket.
#[derive(Default)]
pub struct Outbox {
    waiting: Mutex<Waiting>,
    /// Notified when there is room again.
    room: Condvar,
    /// Notified when there is a text to send, or no more will come.
    ready: Notify,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a text. If there is no room, progress replaces older progress or is dropped, and other texts wait.
    ///
    /// # Errors
    /// A broken pipe after the socket has stopped sending.
    pub fn push(&self, text: String) -> io::Result<()> {
        let mut waiting = self.lock();
        while waiting.is_full() && !waiting.closed {
            if waiting.forget_one() {
                continue;
            }
            if is_progress(&text) {
                return Ok(());
            }
            waiting = self.room.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        if waiting.closed {
            return Err(ErrorKind::BrokenPipe.into());
        }
        waiting.add(text);
        drop(waiting);
        self.ready.notify_one();
        Ok(())
    }

    /// Appends a text if there is room; returns `false` if there is none, or the socket has stopped sending.
    pub fn offer(&self, text: String) -> bool {
        let mut waiting = self.lock();
        let has_room = !waiting.is_full() && !waiting.closed;
        if has_room {
            waiting.add(text);
        }
        drop(waiting);
        self.ready.notify_one();
        has_room
    }

    /// Appends a short text regardless of room.
    pub fn push_now(&self, text: &str) {
        self.lock().add(text.to_string());
        self.ready.notify_one();
    }

    /// Returns the next text; `None` when no more will come.
    pub async fn pop(&self) -> Option<String> {
        loop {
            let ready = self.ready.notified();
            {
                let mut waiting = self.lock();
                if let Some(text) = waiting.texts.pop_front() {
                    waiting.bytes -= text.len();
                    drop(waiting);
                    self.room.notify_all();
                    return Some(text);
                }
                if waiting.finished {
                    return None;
                }
            }
            ready.await;
        }
    }

    /// Ends the texts.
    pub fn finish(&self) {
        self.lock().finished = true;
        self.ready.notify_one();
    }

    /// Ends the texts because the session could not start.
    pub fn fail(&self) {
        self.lock().failed = true;
        self.finish();
    }

    /// Whether the session could not start.
    pub fn has_failed(&self) -> bool {
        self.lock().failed
    }

    /// Stops sending: waiting texts are dropped, and waiting writers are notified.
    pub fn close(&self) {
        let mut waiting = self.lock();
        waiting.closed = true;
        waiting.texts.clear();
        waiting.bytes = 0;
        drop(waiting);
        self.room.notify_all();
    }
}

/// The writer of a session into an outbox: each flush completes a text.
pub struct Inlet {
    outbox: Arc<Outbox>,
    text: Vec<u8>,
}

impl Inlet {
    /// Creates a writer into this outbox.
    pub const fn new(outbox: Arc<Outbox>) -> Inlet {
        Inlet { outbox, text: Vec::new() }
    }
}

impl Write for Inlet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = String::from_utf8_lossy(&std::mem::take(&mut self.text)).trim_end_matches('\n').to_string();
        if text.is_empty() { Ok(()) } else { self.outbox.push(text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drained(outbox: &Outbox) -> Vec<String> {
        outbox.lock().texts.drain(..).collect()
    }

    #[test]
    fn the_newest_progress_is_kept() {
        let outbox = Outbox::default();
        outbox.push("uciok".to_string()).expect("open");
        for depth in 0..1_000 {
            outbox.push(format!("info depth {depth}")).expect("open");
        }
        outbox.push("bestmove d6".to_string()).expect("open");
        let texts = drained(&outbox);
        assert_eq!(texts.len(), MAX_TEXTS);
        assert_eq!(texts.first().map(String::as_str), Some("uciok"));
        assert_eq!(texts[MAX_TEXTS - 2..], ["info depth 999", "bestmove d6"]);
    }

    #[test]
    fn answers_wait_for_room_or_the_end() {
        let outbox = Arc::new(Outbox::default());
        for _ in 0..MAX_TEXTS {
            outbox.push("info string refused".to_string()).expect("room");
        }
        outbox.push("info depth 1".to_string()).expect("dropped");
        let other = Arc::clone(&outbox);
        let waiting = std::thread::spawn(move || other.push("readyok".to_string()));
        outbox.close();
        let refused = waiting.join().expect("no panic").expect_err("closed");
        assert_eq!(refused.kind(), ErrorKind::BrokenPipe);
        assert!(drained(&outbox).is_empty());
    }

    #[test]
    fn what_is_written_up_to_a_flush_is_a_text() {
        let outbox = Arc::new(Outbox::default());
        let mut inlet = Inlet::new(Arc::clone(&outbox));
        inlet.write_all(b"id name x\n").expect("taken");
        inlet.write_all(b"uciok\n").expect("taken");
        inlet.flush().expect("open");
        inlet.flush().expect("nothing to do");
        assert_eq!(drained(&outbox), ["id name x\nuciok"]);
    }
}
