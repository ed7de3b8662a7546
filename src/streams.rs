//! Standard input and output that wait until they are ready: another process that shares them may have made them
//! non-blocking.

#[cfg(feature = "cli")]
use std::io::Stdin;
use std::io::{self, ErrorKind, Read, Stdout, Write};

/// A stream that waits instead of failing with [`ErrorKind::WouldBlock`].
pub struct Waiting<S>(pub S);

/// Returns standard input.
#[cfg(feature = "cli")]
pub fn stdin() -> Waiting<Stdin> {
    Waiting(io::stdin())
}

/// Returns standard output.
pub fn stdout() -> Waiting<Stdout> {
    Waiting(io::stdout())
}

/// The readiness that a stream is waited for.
#[derive(Clone, Copy)]
enum Ready {
    Read,
    Write,
}

impl<S: Handle> Waiting<S> {
    /// Repeats a call until the stream is ready for it.
    fn retry<T>(&mut self, ready: Ready, mut call: impl FnMut(&mut S) -> io::Result<T>) -> io::Result<T> {
        loop {
            match call(&mut self.0) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => wait(&self.0, ready)?,
                done => return done,
            }
        }
    }
}

impl<S: Handle + Read> Read for Waiting<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.retry(Ready::Read, |stream| stream.read(buffer))
    }
}

impl<S: Handle + Write> Write for Waiting<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.retry(Ready::Write, |stream| stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.retry(Ready::Write, S::flush)
    }
}

#[cfg(unix)]
use std::os::fd::AsFd as Handle;

/// Waits until a stream is ready or its other end is closed.
///
/// # Errors
/// Any error of the system.
#[cfg(unix)]
fn wait(stream: &impl Handle, ready: Ready) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    let events = match ready {
        Ready::Read => PollFlags::IN,
        Ready::Write => PollFlags::OUT,
    };
    match poll(&mut [PollFd::new(stream, events)], None) {
        Err(rustix::io::Errno::INTR) => Ok(()),
        waited => Ok(waited.map(drop)?),
    }
}

/// Any stream.
#[cfg(not(unix))]
trait Handle {}

#[cfg(not(unix))]
impl<S> Handle for S {}

/// Fails: standard streams of these systems always block.
#[cfg(not(unix))]
fn wait(_: &impl Handle, _: Ready) -> io::Result<()> {
    Err(ErrorKind::WouldBlock.into())
}
