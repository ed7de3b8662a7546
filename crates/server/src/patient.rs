//! A stream whose reader has so much patience with it and no more.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream that ends where what is written to it is not taken for too long. The system keeps some for a slow reader, and
/// takes more only when a good part of that has been read: whoever reads a byte now and then is not waited for either.
pub struct Patient<S> {
    stream: S,
    patience: Duration,
    /// The end of the patience, while a write waits.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    /// A stream that waits so long for room.
    pub const fn new(stream: S, patience: Duration) -> Patient<S> {
        Patient { stream, patience, waiting: None }
    }

    /// What has become of a write, which ends the stream when it has waited too long.
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

    /// Who reads is served, however much it is; who stops is given up, and not before its time.
    #[tokio::test(flavor = "current_thread")]
    async fn who_does_not_read_is_given_up() {
        let patience = Duration::from_millis(200);
        for reads in [true, false] {
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
