//! Connections with and without TLS as one.

use gxe_access::unexpected_tls;
use gxf::Result;
use std::fmt::{self, Display, Formatter};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::rustls;
use tokio_rustls::{TlsAcceptor, TlsConnector, TlsStream};
use tokio_util::either::Either;

/// A connection, encrypted or not.
pub type Stream = Either<Plain, TlsStream<TcpStream>>;

/// Looks at what is read from a stream.
pub trait Watch: Unpin {
    /// These bytes were read.
    ///
    /// # Errors
    /// The read fails.
    fn has_read(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// A stream, and what looks at what is read from it.
pub struct Watched<S, W> {
    stream: S,
    watch: W,
}

impl<S, W> Watched<S, W> {
    /// Puts the two together.
    pub fn new(stream: S, watch: W) -> Self {
        Self { stream, watch }
    }
}

/// A connection that is not encrypted. Reading it fails if the peer uses TLS.
type Plain = Watched<TcpStream, Beginning>;

/// The peer uses TLS, and this end does not.
#[derive(Debug)]
struct UnexpectedTls(&'static str);

impl Display for UnexpectedTls {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)
    }
}

impl std::error::Error for UnexpectedTls {}

/// Whether a connection failed because the peer uses TLS, and this end does not.
pub fn is_unexpected_tls(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|cause| cause.is::<UnexpectedTls>())
}

/// Looks at what is read first.
#[derive(Default)]
pub struct Beginning {
    is_over: bool,
}

impl Watch for Beginning {
    fn has_read(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_over, true)
            && let Some(text) = unexpected_tls(bytes)
        {
            return Err(io::Error::new(io::ErrorKind::InvalidData, UnexpectedTls(text)));
        }
        Ok(())
    }
}

impl<S: AsyncRead + Unpin, W: Watch> AsyncRead for Watched<S, W> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let known = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        Poll::Ready(self.watch.has_read(&buffer.filled()[known..]))
    }
}

impl<S: AsyncWrite + Unpin, W: Watch> AsyncWrite for Watched<S, W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Greets a client.
pub async fn accept_tls(stream: TcpStream, tls: Option<TlsAcceptor>) -> io::Result<Stream> {
    Ok(match tls {
        None => Either::Left(Plain::new(stream, Beginning::default())),
        Some(tls) => Either::Right(tls.accept(stream).await?.into()),
    })
}

/// Greets a server, which must have the certificate of `host`.
pub async fn connect_tls(
    stream: TcpStream,
    tls: Option<&gxe_access::Tls>,
    host: &str,
    protocol: &str,
) -> Result<io::Result<Stream>> {
    let Some(tls) = tls else {
        return Ok(Ok(Either::Left(Plain::new(stream, Beginning::default()))));
    };
    let (config, name) = (tls.client(Some(protocol))?, tls.server_name(host)?);
    let connected = TlsConnector::from(config).connect(name, stream).await;
    let failed = |error: io::Error| {
        let is_foreign = matches!(tls_error(&error), Some(rustls::Error::InvalidMessage(_)));
        match is_foreign || error.kind() == io::ErrorKind::UnexpectedEof {
            true => io::Error::other("the peer does not answer the handshake; does it use TLS?"),
            false => error,
        }
    };
    Ok(connected.map(|stream| Either::Right(stream.into())).map_err(failed))
}

/// The reason of TLS for which a handshake, or what followed it, failed.
pub fn tls_error(error: &io::Error) -> Option<&rustls::Error> {
    error.get_ref()?.downcast_ref()
}

/// Whether one of the two ends does not trust the other's certificate.
pub fn is_about_trust(error: &io::Error) -> bool {
    tls_error(error).is_some_and(gxe_access::is_about_trust)
}
