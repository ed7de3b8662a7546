//! What waits to be sent to a client: answers are never lost, progress of a search may be.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Most texts that wait, and most bytes of them.
const MAX_TEXTS: usize = 256;
const MAX_BYTES: usize = 256 << 10;

#[derive(Default)]
struct Waiting {
    texts: VecDeque<String>,
    bytes: usize,
    /// Nobody sends any more.
    closed: bool,
    /// No more texts will come.
    finished: bool,
    /// There never was a session.
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

    /// Drops the oldest line of progress; `false` if there is none.
    fn forget_one(&mut self) -> bool {
        let Some(at) = self.texts.iter().position(|text| is_progress(text)) else { return false };
        let dropped = self.texts.remove(at);
        self.bytes -= dropped.map_or(0, |text| text.len());
        true
    }
}

/// Whether a text tells how far a search has come: the next one tells it better.
fn is_progress(text: &str) -> bool {
    text.starts_with("info ") && !text.starts_with("info string")
}

/// Texts on their way from the threads of a session to its socket.
#[derive(Default)]
pub struct Outbox {
    waiting: Mutex<Waiting>,
    /// Told when there is room again.
    room: Condvar,
    /// Told when there is something to send, or nothing more will come.
    ready: Notify,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a text at the end. Where there is no room, progress takes the place of older progress or is dropped, and
    /// anything else waits.
    ///
    /// # Errors
    /// A broken pipe once nobody sends any more.
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

    /// Puts a text at the end if there is room; `false` if there is none, or nobody sends any more.
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

    /// Puts a short text at the end, whether there is room or not.
    pub fn push_now(&self, text: &str) {
        self.lock().add(text.to_string());
        self.ready.notify_one();
    }

    /// The next text; `None` when no more will come.
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

    /// No more texts will come.
    pub fn finish(&self) {
        self.lock().finished = true;
        self.ready.notify_one();
    }

    /// No session could be begun, and no more texts will come.
    pub fn fail(&self) {
        self.lock().failed = true;
        self.finish();
    }

    /// Whether no session could be begun.
    pub fn has_failed(&self) -> bool {
        self.lock().failed
    }

    /// Nobody sends any more: what waits is dropped, and who waits for room is told.
    pub fn close(&self) {
        let mut waiting = self.lock();
        waiting.closed = true;
        waiting.texts.clear();
        waiting.bytes = 0;
        drop(waiting);
        self.room.notify_all();
    }
}

/// The end of an outbox that a session writes to: what is written between two flushes is a text.
pub struct Inlet {
    outbox: Arc<Outbox>,
    text: Vec<u8>,
}

impl Inlet {
    /// An end of this outbox.
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
