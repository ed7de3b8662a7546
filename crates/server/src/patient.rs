//! A stream that gives up on a slow reader.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream that ends if written data is not accepted for too long. The system buffers some data for a slow reader and
/// accepts more only after much of it was read. So a client that reads a byte now and then is disconnected too.
pub struct Patient<S> {
    stream: S,
    patience: Duration,
    /// The deadline of a waiting write.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    /// Wraps a stream with this limit on waiting for room.
    pub const fn new(stream: S, patience: Duration) -> Patient<S> {
        Patient { stream, patience, waiting: None }
    }

    /// Passes on the result of a write, or ends the stream after too long a wait.
    fn bounded<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let patience = self.patience;
        ready!(self.waiting.get_or_insert_with(|| Box::pin(sleep(patience))).as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.bounded(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.bounded(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.bounded(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.bounded(context, shut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::io::Read;
    use std::net::{TcpListener, TcpStream as StdStream};
    use tokio::net::TcpStream;

    async fn write(stream: &mut Patient<TcpStream>, bytes: &[u8]) -> io::Result<usize> {
        poll_fn(|context| Pin::new(&mut *stream).poll_write(context, bytes)).await
    }

    /// A reading client gets any amount; one that stops reading is disconnected, but not early.
    #[tokio::test(flavor = "current_thread")]
    async fn who_does_not_read_is_given_up() {
        // A busy machine may keep even a reader waiting.
        for (reads, patience) in [(true, Duration::from_secs(60)), (false, Duration::from_millis(200))] {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            let mut reader = StdStream::connect(listener.local_addr().expect("an address")).expect("a connection");
            let (stream, _) = listener.accept().expect("a connection");
            stream.set_nonblocking(true).expect("set");
            let mut stream = Patient::new(TcpStream::from_std(stream).expect("a stream"), patience);
            let reading = std::thread::spawn(move || {
                let mut part = [0; 65_536];
                while reads && reader.read(&mut part).is_ok_and(|read| read > 0) {}
                reader
            });
            let begun = std::time::Instant::now();
            let mut sent = 0;
            let end = loop {
                match write(&mut stream, &[0; 65_536]).await {
                    Ok(written) => sent += written,
                    Err(error) => break Some(error.kind()),
                }
                if sent > 64 << 20 {
                    break None;
                }
            };
            assert_eq!(end, (!reads).then_some(io::ErrorKind::TimedOut), "after {sent} bytes");
            assert!(reads || begun.elapsed() >= patience);
            drop(stream);
            reading.join().expect("no panic");
        }
    }
}
