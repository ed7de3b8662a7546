//! A program with line-based input and output. Its printed or unread lines never block the caller or fill the memory.

use crate::dialogue::Dialogue;
pub use crate::dialogue::LastWords;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum bytes of a line; the rest is skipped.
const MAX_LINE: u64 = 64 << 10;
/// Maximum lines read ahead; a program that prints more waits.
const LINES_AHEAD: usize = 512;
/// Time to end after `quit`, and then to read the last lines.
const QUIT_TIMEOUT: Duration = Duration::from_millis(200);
/// Time for a program with closed output to end and print its last lines.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// A running program. Dropping it sends `quit`, then kills the program if it does not end.
pub struct Process {
    child: Mutex<Child>,
    input: Sender<String>,
    lines: Mutex<Receiver<(Instant, String)>>,
    dialogue: Arc<Dialogue>,
    /// Set while no caller reads.
    is_unread: Arc<AtomicBool>,
    /// The process that started it: a process forked from there does not end it.
    owner: u32,
}

/// Reads lines until the end of the output, or until `take` returns `false`.
fn read_lines(output: impl Read, mut take: impl FnMut(Instant, String) -> bool) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        match output.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                if !take(Instant::now(), String::from_utf8_lossy(&line).trim().to_string()) {
                    return;
                }
            }
        }
        if !line.ends_with(b"\n") && output.skip_until(b'\n').is_err() {
            return;
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Process {
    /// Starts a program. Its standard error is read if the command pipes it.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub fn start(command: Command) -> io::Result<Process> {
        Process::logged(command, Dialogue::default())
    }

    /// Starts a program with a log of its dialogue.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub(crate) fn logged(mut command: Command, dialogue: Dialogue) -> io::Result<Process> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // An interrupt at the terminal reaches its whole process group. It is meant for the caller, which ends its
        // engines; an engine that ended by it would lose the game.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("no pipes to its input and output"));
        };
        let dialogue = Arc::new(dialogue);
        let words: Vec<_> = [command.get_program()].into_iter().chain(command.get_args()).collect();
        dialogue.started(&words.join(" ".as_ref()).to_string_lossy(), child.id());
        let (input, commands) = channel::<String>();
        let (sender, lines) = sync_channel(LINES_AHEAD);
        // The threads end with the process or with its owner, whichever ends first.
        let sent = Arc::clone(&dialogue);
        std::thread::spawn(move || {
            for command in commands {
                // Logged before it is written: the answer comes later.
                sent.sent(&command);
                if stdin.write_all(format!("{command}\n").as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        let answered = Arc::clone(&dialogue);
        let is_unread = Arc::new(AtomicBool::new(false));
        let skims = Arc::clone(&is_unread);
        std::thread::spawn(move || {
            read_lines(stdout, |at, line| {
                answered.answered(at, &line);
                match sender.try_send((at, line)) {
                    Err(TrySendError::Full((_, line)))
                        if skims.load(Ordering::Relaxed) && !line.starts_with("bestmove") =>
                    {
                        true
                    }
                    Err(TrySendError::Full(line)) => sender.send(line).is_ok(),
                    sent => sent.is_ok(),
                }
            });
        });
        let complained = Arc::clone(&dialogue);
        match child.stderr.take() {
            // Read as fast as it comes, so that it never blocks the program.
            Some(stderr) => drop(std::thread::spawn(move || {
                read_lines(stderr, |at, line| complained.complained(at, &line));
                complained.fell_silent();
            })),
            None => complained.fell_silent(),
        }
        let (child, lines) = (Mutex::new(child), Mutex::new(lines));
        Ok(Process { child, input, lines, dialogue, is_unread, owner: std::process::id() })
    }

    /// Returns the process ID.
    pub fn id(&self) -> u32 {
        locked(&self.child).id()
    }

    /// Sends a line. If the process has ended, its output shows it.
    pub fn send(&self, line: &str) {
        let _ = self.input.send(line.to_string());
    }

    /// Sets whether output stays unread for now. Then the program does not wait: beyond the read-ahead limit only its
    /// moves are stored.
    pub(crate) fn leave_unread(&self, is_unread: bool) {
        self.is_unread.store(is_unread, Ordering::Relaxed);
    }

    /// Waits for the next line; returns it with the time of its arrival.
    ///
    /// # Errors
    /// When no line comes in time, or the output has ended.
    pub fn hear(&self, timeout: Duration) -> Result<(Instant, String), RecvTimeoutError> {
        locked(&self.lines).recv_timeout(timeout)
    }

    /// Returns the known circumstances of a failure. A program whose output has ended gets a second to end.
    pub fn last_words(&self, has_ended: bool) -> LastWords {
        if !has_ended {
            return LastWords { status: None, lines: self.dialogue.last_lines(Duration::ZERO) };
        }
        let deadline = Instant::now() + END_TIMEOUT;
        let status = self.end_by(deadline);
        let lines = self.dialogue.last_lines(deadline.saturating_duration_since(Instant::now()));
        LastWords { status, lines }
    }

    /// Waits until the process has ended by itself, or until the deadline.
    pub fn end_by(&self, deadline: Instant) -> Option<ExitStatus> {
        loop {
            if let Ok(Some(status)) = locked(&self.child).try_wait() {
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Kills the process.
    pub fn kill(&self) -> Option<ExitStatus> {
        let mut child = locked(&self.child);
        let _ = child.kill();
        child.wait().ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.owner != std::process::id() {
            return;
        }
        self.send("quit");
        let status = self.end_by(Instant::now() + QUIT_TIMEOUT).or_else(|| self.kill());
        // The last lines of output are part of the dialogue.
        self.dialogue.last_lines(QUIT_TIMEOUT);
        self.dialogue.ended(status);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_and_cleaned() {
        let lines = |bytes: &[u8]| {
            let mut lines = Vec::new();
            read_lines(bytes, |_, line| {
                lines.push(line);
                true
            });
            lines
        };
        assert_eq!(lines(b" a \r\n\n\xffb"), ["a", "", "\u{fffd}b"]);
        // The rest of a long line is not a separate line.
        let long = [&[b'x'; 64 << 10][..], b"bestmove d6\nnext\n"].concat();
        assert_eq!(lines(&long).iter().map(String::len).collect::<Vec<_>>(), [64 << 10, 4]);
        assert_eq!(lines(&long[..(64 << 10) + 5]).len(), 1);
        // The reader is gone.
        let mut taken = 0;
        read_lines(&b"a\nb\n"[..], |_, _| {
            taken += 1;
            false
        });
        assert_eq!(taken, 1);
    }
}
