//! A client of services in other processes, and a user of one.

use gxf::IpcClient;
use gxf::prelude::*;
use std::sync::Mutex;

/// Echoes its request.
#[derive(Component, Default)]
pub struct EchoClient {
    address: Mutex<String>,
}

impl implement::IpcClient for EchoClient {
    fn query(&self, service: &str, resource: &str) -> Result<String> {
        let address = self.address.lock().expect("no thread panics with the lock");
        Ok(format!("{address} query {service}/{resource}"))
    }

    fn action(&self, service: &str, resource: &str, payload: &str) -> Result<String> {
        Ok(format!("action {service}/{resource} {payload}"))
    }

    fn ping(&self, service: &str) -> Result<String> {
        Ok(format!("pong of {service}"))
    }

    fn change_address(&self, ip: &str, port: u32) -> Result<()> {
        if port > 65535 {
            return Err(Error::new(ResultCode::ARGUMENT_OUT_OF_RANGE, format!("no port {port}")));
        }
        *self.address.lock().expect("no thread panics with the lock") = format!("{ip}:{port}");
        Ok(())
    }
}

/// Can only do what it must.
#[derive(Component, Default)]
pub struct SilentClient {}

impl implement::IpcClient for SilentClient {
    fn query(&self, _service: &str, _resource: &str) -> Result<String> {
        Ok(String::new())
    }

    fn action(&self, _service: &str, _resource: &str, _payload: &str) -> Result<String> {
        Ok(String::new())
    }
}

/// Calls every function of a client and logs the answers.
#[derive(Component, Default)]
pub struct ClientUser {
    /// The client.
    client: Parameter<Handle<IpcClient>>,
}

impl Codelet for ClientUser {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let client = self.client.get();
        let changes = [("10.0.0.7", 8000), ("10.0.0.8", 70000)];
        for (ip, port) in changes {
            let changed = client.change_address(ip, port);
            gxf::info!("outside: changed {:?}", changed.map_err(|error| error.code().name()));
        }
        for answer in [client.query("s", "r"), client.action("s", "r", "p"), client.ping("s")] {
            gxf::info!("outside: {:?}", answer.map_err(|error| error.code().name()));
        }
        Ok(())
    }
}
