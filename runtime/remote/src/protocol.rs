//! What drivers and workers exchange: GXF's JSON. Fields that GXF does not have may be missing.

use crate::address::authority;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Services of a driver and of a worker.
pub const DRIVER: &str = "GraphDriver";
pub const WORKER: &str = "GraphWorker";

/// Actions of a driver.
pub const REGISTER: &str = "RegisterGraphWorker";
/// The answer to it if the driver waits for workers that are lost. Not of GXF.
pub const WAITS: &str = "waits";
pub const COMPLETE: &str = "GraphWorkerComplete";
/// Not of GXF: all segments of a worker are active.
pub const ACTIVE: &str = "GraphWorkerActive";
/// Not of GXF: the entities of all segments of a worker have started, and wait before they tick.
pub const READY: &str = "GraphWorkerReady";
/// Not of GXF.
pub const HEARTBEAT: &str = "Heartbeat";
/// Not of GXF, but named as in Holoscan: a worker asks which segments it shall load.
pub const ALLOCATE: &str = "AllocateFragments";

/// Actions of a worker that are not of GXF: says which of its segments rest, and ends their links.
pub const REST: &str = "GetSegmentRest";
pub const END_LINKS: &str = "EndSegmentLinks";
/// Not of GXF: the entities of all workers have started, so that those of this one tick.
pub const START: &str = "StartSegments";

/// What `RunSegments` says to a worker that is to wait for [`START`].
pub const HELD: &str = "held";

/// What GXF sends where nothing is to be said: a server refuses an empty body.
pub const PLACEHOLDER: &str = "placeholder";

/// Most segments, and ports of one, that are accepted.
const LIMIT: usize = 10_000;

/// A worker, as it registers and when it is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "a worker: {server_ip_address, server_port, segment_info_list}")]
pub struct WorkerInfo {
    /// Address of its server.
    pub server_ip_address: String,
    /// Port of its server.
    pub server_port: String,
    /// Its segments.
    pub segment_info_list: Vec<SegmentInfo>,
    /// Identifies this run of the worker. Not of GXF.
    #[serde(default)]
    pub run: u64,
    /// Time between the signs of life that it gives from its registration on; 0 for none. Not of
    /// GXF.
    #[serde(default)]
    pub heartbeat_period_ms: u64,
    /// Whether it says when its segments are active. Not of GXF.
    #[serde(default)]
    pub tells_activation: bool,
    /// Whether it says which of its segments rest. Not of GXF.
    #[serde(default)]
    pub tells_rest: bool,
    /// Whether its segments run, so that a new driver takes it over. Not of GXF.
    #[serde(default)]
    pub is_running: bool,
    /// Whether it can wait until the entities of all workers have started. Not of GXF.
    #[serde(default)]
    pub can_wait: bool,
    /// Whether it does. Not of GXF.
    #[serde(default)]
    pub is_held: bool,
    /// Whether its entities have started. Not of GXF.
    #[serde(default)]
    pub is_ready: bool,
    /// Whether its segments are done. Not of GXF.
    #[serde(default)]
    pub is_complete: bool,
    /// What failed, by segment; with an empty name, why the worker ends. Not of GXF.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failures: BTreeMap<String, String>,
}

/// A segment of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "a segment: {segment_name, ip_port_address_map}")]
pub struct SegmentInfo {
    /// Its name.
    pub segment_name: String,
    /// Where its receivers listen, by `segment.entity.component`.
    pub ip_port_address_map: BTreeMap<String, String>,
}

impl WorkerInfo {
    /// Reads a request.
    pub fn from_json(text: &str) -> gxf::Result<Self> {
        let info: Self = serde_json::from_str(text).map_err(|error| invalid(&error))?;
        let sizes = info.segment_info_list.iter().map(|segment| segment.ip_port_address_map.len());
        if info.segment_info_list.len() > LIMIT || sizes.sum::<usize>() > LIMIT {
            return Err(refused("a worker has too many segments or receivers"));
        }
        if info.server_ip_address.is_empty() || info.segment_info_list.is_empty() {
            return Err(refused("a worker has an address and at least one segment"));
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = info.segments().find(|segment| !seen.insert(*segment)) {
            let name = info.name();
            let text = format!(
                "worker {:.100} has segment `{:.100}` twice",
                name.escape_debug(),
                twice.escape_debug()
            );
            return Err(refused(&text));
        }
        if info.server_port.parse::<u16>().unwrap_or_default() == 0 {
            let text = format!("`{:.20}` is no port of a worker", info.server_port.escape_debug());
            return Err(refused(&text));
        }
        Ok(info)
    }

    /// Whether it gives signs of life.
    pub fn beats(&self) -> bool {
        self.heartbeat_period_ms > 0
    }

    /// For people.
    pub fn name(&self) -> String {
        authority(&self.server_ip_address, &self.server_port)
    }

    /// What people are told when it is lost.
    pub fn lost(&self, why: &str) -> String {
        let segments: Vec<_> = self.segments().collect();
        format!("worker {} is lost with its segments {}: {why}", self.name(), segments.join(", "))
    }

    /// The names of its segments.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.segment_info_list.iter().map(|segment| segment.segment_name.as_str())
    }
}

/// A worker asks which segments it shall load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "a worker that asks for segments: {id, worker, segments}")]
pub struct AllocationRequest {
    /// Differs between workers.
    pub id: String,
    /// What the worker will be called, for people.
    pub worker: String,
    /// The segments that it names; without any it gets one that nobody else has.
    #[serde(default)]
    pub segments: Vec<String>,
}

/// What a driver answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "answer")]
pub enum Allocation {
    /// Ask again.
    Wait,
    /// Run these segments.
    Run { segments: Vec<String> },
    /// Other workers have all segments.
    Leave,
}

impl AllocationRequest {
    /// Reads a request.
    pub fn from_json(text: &str) -> gxf::Result<Self> {
        let request: Self = serde_json::from_str(text).map_err(|error| invalid(&error))?;
        if request.segments.len() > LIMIT {
            return Err(refused("a worker names too many segments"));
        }
        Ok(request)
    }
}

/// Parameters of a component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "a component: {name, params}")]
pub struct ComponentParams {
    /// `segment.entity.component`.
    pub name: String,
    /// The parameters.
    pub params: Vec<Param>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "a parameter: {key, value, value_type}")]
pub struct Param {
    /// Its key.
    pub key: String,
    /// Its value as text.
    pub value: String,
    /// GXF's name of its type, such as `String` or `UInt32`.
    pub value_type: String,
}

/// Reads the body of `SetComponentParams`.
pub fn component_params(text: &str) -> gxf::Result<Vec<ComponentParams>> {
    let params: Vec<ComponentParams> =
        serde_json::from_str(text).map_err(|error| invalid(&error))?;
    if params.iter().map(|component| component.params.len() + 1).sum::<usize>() > LIMIT {
        return Err(refused("too many parameters"));
    }
    Ok(params)
}

fn invalid(error: &serde_json::Error) -> gxf::Error {
    refused(&format!("the body of the request cannot be read: {error}"))
}

/// Nobody has the action that a request names.
pub fn no_action(whose: &str, action: &str) -> gxf::Error {
    let text = format!("a {whose} has no action `{action:.100}`");
    gxf::Error::new(gxf::ResultCode::ARGUMENT_INVALID, text)
}

fn refused(text: &str) -> gxf::Error {
    gxf::Error::new(gxf::ResultCode::INVALID_DATA_FORMAT, text)
}

/// A value as JSON.
pub fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

impl Param {
    /// The value as YAML, for a parameter of the stated type.
    pub fn to_yaml(&self) -> String {
        match self.value_type.as_str() {
            // JSON's text is YAML's, too.
            "String" => to_json(&self.value),
            _ => self.value.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As GXF's workers send it.
    #[test]
    fn a_worker_of_gxf_is_understood() {
        let text = r#"{"server_ip_address": "10.0.0.1", "server_port": "50001",
            "segment_info_list": [{"segment_name": "rx",
            "ip_port_address_map": {"rx.rx.signal": "10.0.0.1:13337"}}]}"#;
        let info = WorkerInfo::from_json(text).unwrap();
        assert_eq!(info.name(), "10.0.0.1:50001");
        assert_eq!(info.segments().collect::<Vec<_>>(), ["rx"]);
        assert!(!info.is_complete && info.failures.is_empty());
    }

    #[test]
    fn a_worker_has_each_segment_once() {
        let segment = r#"{"segment_name": "rx", "ip_port_address_map": {}}"#;
        let text = format!(
            r#"{{"server_ip_address": "10.0.0.1", "server_port": "50001",
            "segment_info_list": [{segment}, {segment}]}}"#
        );
        let refused = WorkerInfo::from_json(&text).unwrap_err();
        assert_eq!(refused.message(), "worker 10.0.0.1:50001 has segment `rx` twice");
    }

    #[test]
    fn texts_stay_texts() {
        let param = |value: &str, value_type: &str| Param {
            key: String::new(),
            value: value.to_owned(),
            value_type: value_type.to_owned(),
        };
        assert_eq!(param("1: \"x\"", "String").to_yaml(), r#""1: \"x\"""#);
        assert_eq!(param("13337", "UInt32").to_yaml(), "13337");
    }
}
