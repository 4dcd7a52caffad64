//! `ZenohSession`.

use gxf::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use zenoh::{Config, Session, Wait};

/// The role of a session.
#[derive(ParameterEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `peer`: connects to other peers and to routers.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    peer,
    /// `client`: connects to one router or peer, which forwards everything.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    client,
}

/// A connection to zenoh, which the publishers and subscribers of a graph share. It finds nobody by
/// multicast: peers stand in `connect`, and listen at what stands in `listen`.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct ZenohSession {
    /// Role of the session.
    #[parameter(default = Mode::peer)]
    mode: Parameter<Mode>,
    /// Endpoints to listen at, such as `tcp/127.0.0.1:7447`; empty listens nowhere.
    listen: Parameter<Option<Vec<String>>>,
    /// Endpoints of peers and routers to connect to. They may start later.
    connect: Parameter<Option<Vec<String>>>,
    /// Zenoh's own configuration in JSON5, with certificates and access control; the other
    /// parameters that are set add to it.
    config_file: Parameter<Option<PathBuf>>,
    /// Whether `listen` and `connect` may name other hosts without TLS and without a
    /// `config_file`: whoever reaches such an endpoint reads and writes messages.
    #[parameter(default = false)]
    insecure: Parameter<bool>,
    session: Mutex<Option<Session>>,
}

impl ZenohSession {
    /// The session.
    pub fn get(&self) -> Result<Session> {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        session.clone().ok_or_else(|| {
            Error::new(ResultCode::INVALID_LIFECYCLE_STAGE, "the zenoh session is not open")
        })
    }

    fn config(&self) -> Result<Config> {
        let mut config = match self.config_file.as_ref() {
            Some(path) => Config::from_file(path).map_err(|error| {
                let text = format!("`config_file`: `{}` cannot be read: {error}", path.display());
                Error::new(ResultCode::PARAMETER_PARSER_ERROR, text)
            })?,
            None => Config::default(),
        };
        let own = self.config_file.as_ref().is_none();
        let mut set = |key: &str, value: String| {
            config.insert_json5(key, &value).map_err(|error| {
                let text = format!("zenoh refuses {value} for `{key}`: {error}");
                Error::new(ResultCode::PARAMETER_PARSER_ERROR, text)
            })
        };
        if own {
            set("scouting/multicast/enabled", "false".to_owned())?;
            set("scouting/gossip/enabled", "false".to_owned())?;
            // Peers may start in any order.
            set("connect/timeout_ms", "-1".to_owned())?;
            set("connect/exit_on_failure", "false".to_owned())?;
        }
        let mode = match *self.mode {
            Mode::peer => "peer",
            Mode::client => "client",
        };
        if own || *self.mode == Mode::client {
            set("mode", format!("\"{mode}\""))?;
        }
        for (key, endpoints) in [("listen", &*self.listen), ("connect", &*self.connect)] {
            if own || endpoints.is_some() {
                let quoted: Vec<String> =
                    endpoints.iter().flatten().map(|endpoint| format!("{endpoint:?}")).collect();
                set(&format!("{key}/endpoints"), format!("[{}]", quoted.join(",")))?;
            }
        }
        Ok(config)
    }
}

/// Whether only this host reaches an endpoint, or its other end proves who it is.
fn is_safe(endpoint: &str) -> bool {
    let Some((protocol, address)) = endpoint.split_once('/') else { return false };
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let host = host.trim_matches(['[', ']']);
    let is_loopback = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    protocol == "unixsock-stream" || is_loopback || host == "localhost"
}

impl Lifecycle for ZenohSession {
    fn check_parameters(&self) -> Result<()> {
        let may_be_remote = *self.insecure.get() || self.config_file.as_ref().is_some();
        for (key, endpoints) in [("listen", &*self.listen), ("connect", &*self.connect)] {
            let mut endpoints = endpoints.iter().flatten();
            if let Some(endpoint) = endpoints.find(|endpoint| !may_be_remote && !is_safe(endpoint))
            {
                return Err(Error::new(
                    ResultCode::PARAMETER_OUT_OF_RANGE,
                    format!(
                        "`{key}`: `{endpoint}` is no endpoint on this host, such as \
                         tcp/127.0.0.1:7447; for other hosts, set a `config_file` with \
                         certificates, or `insecure: true`"
                    ),
                ));
            }
        }
        Ok(())
    }

    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        let session = zenoh::open(self.config()?).wait().map_err(|error| {
            Error::failure(format!("the zenoh session cannot be opened: {error}"))
        })?;
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(session);
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(session) = session else { return Ok(()) };
        let closed = session.close().wait();
        closed.map_err(|error| Error::failure(format!("the zenoh session does not close: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::is_safe;

    #[test]
    fn only_endpoints_of_this_host_need_no_certificate() {
        for endpoint in [
            "tcp/127.0.0.1:7447",
            "tcp/localhost:0",
            "tcp/[::1]:7447",
            "unixsock-stream//tmp/socket",
            "tls/127.0.0.1:1",
        ] {
            assert!(is_safe(endpoint), "{endpoint}");
        }
        for endpoint in ["tcp/0.0.0.0:7447", "tcp/[::]:0", "tls/10.0.0.1:1", "rubbish", "tcp/", ""]
        {
            assert!(!is_safe(endpoint), "{endpoint}");
        }
    }
}
