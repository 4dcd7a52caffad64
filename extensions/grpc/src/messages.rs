//! The messages of GXF's service and of the standard health service.

/// GXF's method.
pub const SEND_REQUEST: &str = "/gxf.ServiceHub/SendRequest";
/// The methods of the health service.
pub const CHECK: &str = "/grpc.health.v1.Health/Check";
pub const WATCH: &str = "/grpc.health.v1.Health/Watch";

/// `gxf.Request`. A query has one parameter, the resource; an action has the payload, too.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Request {
    #[prost(string, tag = "1")]
    pub service: String,
    #[prost(string, repeated, tag = "2")]
    pub params: Vec<String>,
}

/// `gxf.Response`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Response {
    #[prost(string, tag = "1")]
    pub result: String,
}

/// `grpc.health.v1.HealthCheckRequest`. An empty name means the server.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct HealthCheckRequest {
    #[prost(string, tag = "1")]
    pub service: String,
}

/// `grpc.health.v1.HealthCheckResponse`.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct HealthCheckResponse {
    #[prost(enumeration = "ServingStatus", tag = "1")]
    pub status: i32,
}

/// Whether a service serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum ServingStatus {
    Unknown = 0,
    Serving = 1,
    NotServing = 2,
    ServiceUnknown = 3,
}

impl ServingStatus {
    /// Its name in the health service.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "UNKNOWN",
            Self::Serving => "SERVING",
            Self::NotServing => "NOT_SERVING",
            Self::ServiceUnknown => "SERVICE_UNKNOWN",
        }
    }
}
