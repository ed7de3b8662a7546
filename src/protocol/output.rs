//! Everything that goes out: whole lines to standard output, flushed, and to the log file if there is one.

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

/// Waits until standard output has no reader any more; `false` where the system cannot tell.
#[cfg(unix)]
fn stdout_hangs_up() -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    let stdout = io::stdout();
    // Errors and hang-ups are told without being asked for.
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

/// Called when nobody reads the output any more.
type OnClose = Box<dyn Fn() + Send + Sync>;

/// The output shared by the session and its searches. Lines never mix.
pub struct Output {
    inner: Mutex<Inner>,
    is_stdout: bool,
    closed: AtomicBool,
    /// Whether faults of files go to the log of the program instead.
    hides_faults: AtomicBool,
    on_close: OnceLock<OnClose>,
}

impl Output {
    /// Output to this writer.
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

    /// Output to standard output. Where the system can tell, it is known at once when the reader goes away, though
    /// nothing is being written: an engine that thinks in silence ends too.
    pub fn to_stdout() -> Output {
        Output { is_stdout: true, ..Output::new(Box::new(streams::stdout())) }
    }

    /// Begins to watch whether standard output still has a reader, if that is where the output goes.
    pub(super) fn watch(self: &Arc<Self>) {
        if !self.is_stdout {
            return;
        }
        let out = Arc::clone(self);
        // It may wait for ever; it is not waited for at the end. Without it, the next write tells.
        let watching = std::thread::Builder::new().name("output".to_string()).spawn(move || {
            if stdout_hangs_up() {
                out.close();
            }
        });
        if let Err(error) = watching {
            log::debug!("standard output is not watched: {error}");
        }
    }

    /// Whether the reader has gone away.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Takes note that the reader has gone away: nothing is written any more.
    pub fn close(&self) {
        if !self.closed.swap(true, Ordering::AcqRel)
            && let Some(tell) = self.on_close.get()
        {
            tell();
        }
    }

    /// Says whom to tell when the reader has gone away; the first one named stays.
    pub fn on_close(&self, tell: impl Fn() + Send + Sync + 'static) {
        let _ = self.on_close.set(Box::new(tell));
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a line, or several. Once the reader has gone away nothing is written.
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

    /// From now on, faults of files go to the log of the program: a stranger is not to know where they lie.
    pub fn hide_faults(&self) {
        self.hides_faults.store(true, Ordering::Release);
    }

    /// Tells of a fault in a file, which it names.
    pub fn fault(&self, text: &str) {
        if self.hides_faults.load(Ordering::Acquire) {
            log::warn!("{text}");
        } else {
            self.note(text);
        }
    }

    /// Notes a line of input in the log file.
    pub fn log_input(&self, line: &str) {
        self.inner().log(">>", line);
    }

    /// Opens the log file, appending; an empty path closes it.
    ///
    /// # Errors
    /// When the file cannot be opened; the log goes on as it was.
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

    /// What has been written.
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

    /// Faults of files are told whoever sits at the terminal, and not to strangers.
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

    /// The first who is named is told of the end, once; nothing is written after it.
    #[test]
    fn the_end_is_told_once() {
        let (written, told) = (Written::default(), Arc::new(Mutex::new(Vec::new())));
        let out = Output::new(Box::new(written.clone()));
        for name in ["first", "second"] {
            let told = Arc::clone(&told);
            out.on_close(move || told.lock().expect("not poisoned").push(name));
        }
        out.line("before");
        assert!(!out.is_closed());
        out.close();
        out.close();
        out.line("after");
        assert!(out.is_closed());
        assert_eq!(*told.lock().expect("not poisoned"), ["first"]);
        assert_eq!(*written.0.lock().expect("not poisoned"), b"before\n");
    }
}
