//! Connections with and without TLS as one.

use gxe_access::unexpected_tls;
use gxf::Result;
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

/// A connection that is not encrypted. Reading it fails if the peer uses TLS.
pub struct Plain {
    stream: TcpStream,
    has_read: bool,
}

impl Plain {
    fn new(stream: TcpStream) -> Self {
        Self { stream, has_read: false }
    }
}

impl AsyncRead for Plain {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if !std::mem::replace(&mut self.has_read, true)
            && let Some(text) = unexpected_tls(buffer.filled())
        {
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, text)));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Plain {
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
        None => Either::Left(Plain::new(stream)),
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
    let Some(tls) = tls else { return Ok(Ok(Either::Left(Plain::new(stream)))) };
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

/// The reason of TLS for which a handshake failed.
fn tls_error(error: &io::Error) -> Option<&rustls::Error> {
    error.get_ref()?.downcast_ref()
}

/// Whether one of the two ends does not trust the other's certificate.
pub fn is_about_trust(error: &io::Error) -> bool {
    use rustls::Error::{AlertReceived, InvalidCertificate, NoCertificatesPresented};
    let error = tls_error(error);
    matches!(error, Some(AlertReceived(_) | InvalidCertificate(_) | NoCertificatesPresented))
}
