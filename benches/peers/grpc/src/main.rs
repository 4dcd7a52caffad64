//! Messages a second between two processes over one client-streaming call of gRPC, by tonic. Arguments:
//! the address, the size and the number of messages. Each process has one thread, as fits two cores.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::process::Command;
use std::task::{Context, Poll};
use std::time::Instant;
use tonic::body::Body;
use tonic::server::{ClientStreamingService, Grpc, NamedService};
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Server};
use tonic::{Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

#[derive(Clone, prost::Message)]
struct Blob {
    #[prost(bytes = "vec", tag = "1")]
    data: Vec<u8>,
}

#[derive(Clone, prost::Message)]
struct Done {}

/// Counts the messages of a call, and prints how many came a second.
#[derive(Clone)]
struct Counts;

impl NamedService for Counts {
    const NAME: &'static str = "bench.Stream";
}

impl tower_service::Service<http::Request<Body>> for Counts {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Boxed<Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        Box::pin(async move {
            let mut grpc = Grpc::new(ProstCodec::<Done, Blob>::default());
            Ok(grpc.client_streaming(Self, request).await)
        })
    }
}

impl ClientStreamingService<Blob> for Counts {
    type Response = Done;
    type Future = Boxed<Result<Response<Done>, Status>>;

    fn call(&mut self, request: Request<Streaming<Blob>>) -> Self::Future {
        Box::pin(async move {
            let mut messages = request.into_inner();
            // The first one only starts the watch.
            messages.message().await?;
            let began = Instant::now();
            let mut count = 0u64;
            while messages.message().await?.is_some() {
                count += 1;
            }
            println!("RESULT {:.0}", count as f64 / began.elapsed().as_secs_f64());
            Ok(Response::new(Done {}))
        })
    }
}

async fn send(address: &str, size: usize, count: u64) {
    let channel = Channel::from_shared(format!("http://{address}")).expect("an address");
    let channel = channel.connect().await.expect("the server");
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.expect("the connection");
    let blob = Blob { data: vec![0; size] };
    let messages = tokio_stream::iter((0..count).map(move |_| blob.clone()));
    let path = http::uri::PathAndQuery::from_static("/bench.Stream/Count");
    let codec = ProstCodec::<Blob, Done>::default();
    client.client_streaming(Request::new(messages), path, codec).await.expect("an answer");
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [program, address, size, count, sends @ ..] = &arguments[..] else {
        panic!("arguments: ADDRESS SIZE COUNT")
    };
    if !sends.is_empty() {
        let numbers = (size.parse().expect("a size"), count.parse().expect("a number"));
        return send(address, numbers.0, numbers.1).await;
    }
    let address: SocketAddr = address.parse().expect("an address");
    let incoming = TcpIncoming::bind(address).expect("a free port").with_nodelay(Some(true));
    let mut sender = Command::new(program);
    let sender = sender.args([&address.to_string(), size, count, "send"]).spawn();
    let mut sender = sender.expect("the sender starts");
    let ended = tokio::task::spawn_blocking(move || sender.wait().expect("it ends"));
    let over = async move {
        let status = ended.await.expect("its status");
        assert!(status.success(), "the sender failed");
    };
    let server = Server::builder().add_service(Counts);
    server.serve_with_incoming_shutdown(incoming, over).await.expect("it serves");
}
