//! `--metrics ADDRESS`: serves the statistics of a run over HTTP, in Prometheus' format. `text.rs`
//! formats the numbers.

mod text;

use crate::http::{self, Answer, Asked, answer, error};
use crate::live_graph::LiveGraph;
use anyhow::Result;
use gxf_runtime::Statistics;
use hyper::{Method, StatusCode};
use std::net::SocketAddr;
use std::sync::Arc;

const PAGE: &str = "/metrics";

/// Starts to serve the statistics of the graph.
///
/// # Errors
/// The address is in use, or no thread can be started.
pub fn serve(address: SocketAddr, graph: &Arc<LiveGraph>) -> Result<()> {
    let graph = Arc::clone(graph);
    let (address, _) = http::serve("metrics", address, true, move |asked| {
        let graph = Arc::clone(&graph);
        async move {
            // Terms are asked, which may belong to an extension.
            let answered = tokio::task::spawn_blocking(move || answered(&asked, &graph)).await;
            let failed = |_| error(StatusCode::INTERNAL_SERVER_ERROR, "the metrics have failed");
            answered.unwrap_or_else(failed)
        }
    })?;
    tracing::info!("Metrics at http://{address}{PAGE}");
    Ok(())
}

fn answered(asked: &Asked, graph: &LiveGraph) -> Answer {
    if ![Method::GET, Method::HEAD].contains(&asked.method) {
        return error(StatusCode::METHOD_NOT_ALLOWED, "only GET is possible");
    }
    if asked.path != PAGE {
        return error(StatusCode::NOT_FOUND, &format!("the metrics are at {PAGE}"));
    }
    let numbers = graph
        .look(|context| {
            let statistics = context.statistics().map(Statistics::flattened);
            text::exposition(&context.status(), statistics.as_ref())
        })
        .unwrap_or_default();
    answer(StatusCode::OK, text::FORMAT, numbers)
}
