//! `HttpClient` and `CppRestHttpClient`.

use gxf::prelude::*;

/// The base of clients for any service over HTTP, for handles to them.
#[derive(Component, Default)]
pub struct HttpClient {}

/// A client for any service over HTTP, which in GXF C++ code of extensions calls. Here an app with
/// one loads and runs, and nothing calls it.
#[derive(Component, Default)]
pub struct CppRestHttpClient {
    /// Host and port of the server.
    #[parameter(headline = "Server address and port", default = "")]
    server_ip_port: Parameter<String>,
    /// Whether calls are encrypted.
    #[parameter(headline = "Use HTTPS", default = false)]
    use_https: Parameter<bool>,
}
