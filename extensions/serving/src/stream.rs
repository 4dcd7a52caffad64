//! Connections with and without TLS as one.

use gxf::Result;
use std::io;
use tokio::net::TcpStream;
use tokio_rustls::{TlsAcceptor, TlsConnector, TlsStream};
use tokio_util::either::Either;

/// A connection, encrypted or not.
pub type Stream = Either<TcpStream, TlsStream<TcpStream>>;

/// Greets a client.
pub async fn accept_tls(stream: TcpStream, tls: Option<TlsAcceptor>) -> io::Result<Stream> {
    Ok(match tls {
        None => Either::Left(stream),
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
    let Some(tls) = tls else { return Ok(Ok(Either::Left(stream))) };
    let (config, name) = (tls.client(Some(protocol))?, tls.server_name(host)?);
    let connected = TlsConnector::from(config).connect(name, stream).await;
    Ok(connected.map(|stream| Either::Right(stream.into())))
}
