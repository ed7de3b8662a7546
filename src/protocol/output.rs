//! All output: complete, flushed lines to standard output, and to the log file if there is one.

use crate::platform::Instant;
use crate::streams;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

struct Inner {
    out: Box<dyn Write + Send>,
    log: Option<File>,
    started: Instant,
}

impl Inner {
    fn log(&mut self, direction: &str, line: &str) {
        let elapsed = self.started.elapsed();
        let (seconds, millis) = (elapsed.as_secs(), elapsed.subsec_millis());
        if let Some(file) = &mut self.log
            && let Err(error) = writeln!(file, "{seconds:6}.{millis:03} {direction} {line}")
        {
            log::warn!("log file given up: {error}");
            self.log = None;
        }
    }
}

/// Waits until standard output loses its reader; returns `false` if the system cannot detect it.
#[cfg(unix)]
fn stdout_hangs_up() -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    let stdout = io::stdout();
    // Errors and hang-ups are always reported.
    let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
    loop {
        match poll(&mut watched, None) {
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
            Ok(_) => return watched.iter().any(|fd| fd.revents().intersects(PollFlags::ERR | PollFlags::HUP)),
        }
    }
}

#[cfg(not(unix))]
fn stdout_hangs_up() -> bool {
    false
}

/// Called when the output is closed.
type OnClose = Box<dyn Fn() + Send + Sync>;

/// The output shared by the session and its searches. Lines never interleave.
pub struct Output {
    inner: Mutex<Inner>,
    is_stdout: bool,
    closed: AtomicBool,
    /// Whether faults of files go to the program's log instead.
    hides_faults: AtomicBool,
    on_close: OnceLock<OnClose>,
}

impl Output {
    /// Creates an output to this writer.
    pub fn new(out: Box<dyn Write + Send>) -> Output {
        let inner = Inner { out, log: None, started: Instant::now() };
        Output {
            inner: Mutex::new(inner),
            is_stdout: false,
            closed: AtomicBool::new(false),
            hides_faults: AtomicBool::new(false),
            on_close: OnceLock::new(),
        }
    }

    /// Creates an output to standard output. If the system can detect it, a closed output is noticed without writing: a
    /// silently searching engine ends too.
    pub fn to_stdout() -> Output {
        Output { is_stdout: true, ..Output::new(Box::new(streams::stdout())) }
    }

    /// Starts to watch for the end of standard output if it is the target.
    pub(super) fn watch(self: &Arc<Self>) {
        if !self.is_stdout {
            return;
        }
        let out = Arc::clone(self);
        // The thread may wait forever and is never joined. Without it, the next write detects the end.
        let watching = std::thread::Builder::new().name("output".to_string()).spawn(move || {
            if stdout_hangs_up() {
                out.close();
            }
        });
        if let Err(error) = watching {
            log::debug!("standard output is not watched: {error}");
        }
    }

    /// Whether the output is closed.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Closes the output: further writes are ignored.
    pub fn close(&self) {
        if !self.closed.swap(true, Ordering::AcqRel)
            && let Some(tell) = self.on_close.get()
        {
            tell();
        }
    }

    /// Registers a callback for the end of the output; only the first one counts.
    pub fn on_close(&self, tell: impl Fn() + Send + Sync + 'static) {
        let _ = self.on_close.set(Box::new(tell));
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes one or several lines, unless the output is closed.
    pub fn line(&self, text: &str) {
        if self.is_closed() {
            return;
        }
        let mut inner = self.inner();
        for line in text.lines() {
            inner.log("<<", line);
        }
        let mut text = text.trim_end_matches('\n').to_string();
        text.push('\n');
        if let Err(error) = inner.out.write_all(text.as_bytes()).and_then(|()| inner.out.flush()) {
            drop(inner);
            match error.kind() {
                io::ErrorKind::BrokenPipe => self.close(),
                _ => log::warn!("standard output: {error}"),
            }
        }
    }

    /// Writes an `info string` line.
    pub fn note(&self, text: &str) {
        self.line(&format!("info string {}", text.replace(['\n', '\r'], " ")));
    }

    /// Sends faults of files to the program's log: strangers must not learn their paths.
    pub fn hide_faults(&self) {
        self.hides_faults.store(true, Ordering::Release);
    }

    /// Reports a fault in a file, with its path.
    pub fn fault(&self, text: &str) {
        if self.hides_faults.load(Ordering::Acquire) {
            log::warn!("{text}");
        } else {
            self.note(text);
        }
    }

    /// Writes an input line to the log file.
    pub fn log_input(&self, line: &str) {
        self.inner().log(">>", line);
    }

    /// Opens the log file for appending; an empty path closes it.
    ///
    /// # Errors
    /// When the file cannot be opened; then the log stays the same.
    pub fn log_to(&self, path: &str) -> io::Result<()> {
        let file = match path {
            "" => None,
            path => Some(File::options().create(true).append(true).open(Path::new(path))?),
        };
        self.inner().log = file;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Collects the output.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("not poisoned").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Faults of files are reported at a terminal, but not to strangers.
    #[test]
    fn faults_of_files_can_be_hidden() {
        let written = Written::default();
        let out = Output::new(Box::new(written.clone()));
        out.fault("/a/folder is torn");
        out.hide_faults();
        out.fault("/a/folder is gone");
        out.note("no\nfault");
        assert_eq!(*written.0.lock().expect("not poisoned"), b"info string /a/folder is torn\ninfo string no fault\n");
    }

    /// Only the first callback is called, once; nothing is written after it.
    #[test]
    fn the_end_is_reported_once() {
        let (written, reported) = (Written::default(), Arc::new(Mutex::new(Vec::new())));
        let out = Output::new(Box::new(written.clone()));
        for name in ["first", "second"] {
            let reported = Arc::clone(&reported);
            out.on_close(move || reported.lock().expect("not poisoned").push(name));
        }
        out.line("before");
        assert!(!out.is_closed());
        out.close();
        out.close();
        out.line("after");
        assert!(out.is_closed());
        assert_eq!(*reported.lock().expect("not poisoned"), ["first"]);
        assert_eq!(*written.0.lock().expect("not poisoned"), b"before\n");
    }
}
