//! GXF's SampleExtension: small codelets to try a graph with.
//!
//! One file per family:
//!
//! - `hello_world.rs`: `HelloWorld`, a codelet without inputs or outputs;
//! - `ping_tx.rs`: `PingTx`, which sends a counted message on every tick;
//! - `ping_rx.rs`: `PingRx`, `MultiPingRx` and `PingBatchRx`, which receive one message, one from
//!   each of several receivers, and several from one receiver;
//! - `ping_async.rs`: `PingTxAsync` and `PingRxAsync`, which run at different paces and share only
//!   the latest value.
//!
//! Every ping carries an `int32_t` named "Integer" that counts from 0. GXF's parameters of type
//! `Resource<GPUDevice>` are missing.
#![forbid(unsafe_code)]

mod hello_world;
mod ping_async;
mod ping_rx;
mod ping_tx;

use hello_world::HelloWorld;
use ping_async::{PingRxAsync, PingTxAsync};
use ping_rx::{MultiPingRx, PingBatchRx, PingRx};
use ping_tx::PingTx;

/// Name of the payload a ping carries.
const INTEGER: &str = "Integer";

gxf::gxf_ext_factory! {
    id: 0xa6ad78b6168211ec, 0x96210242ac130002;
    name: "SampleExtension";
    version: "1.6.0";
    description: "Small codelets to try a graph with";
    license: "Apache-2.0";
    display_name: "Sample";
    category: "Sample";
    brief: "Ping and hello world";
    components: [
        HelloWorld: Codelet {
            id: 0x3d1e58fc74fa11ed, 0xa7eef7e728cd4c11;
            name: "nvidia::gxf::HelloWorld";
        },
        PingTx: Codelet {
            id: 0x568ba758168811ec, 0x96210242ac130002;
            name: "nvidia::gxf::PingTx";
        },
        PingRx: Codelet {
            id: 0xa7fc439a168811ec, 0x96210242ac130002;
            name: "nvidia::gxf::PingRx";
        },
        PingTxAsync: Codelet {
            id: 0x986417b44f1546b3, 0xbb2426382858d1db;
            name: "nvidia::gxf::PingTxAsync";
        },
        PingRxAsync: Codelet {
            id: 0x7720a88e28f84a84, 0xb6d08c39e8014ef4;
            name: "nvidia::gxf::PingRxAsync";
        },
        PingBatchRx: Codelet {
            id: 0x75acc5caeaaa11ed, 0xa05b0242ac120003;
            name: "nvidia::gxf::PingBatchRx";
        },
        MultiPingRx: Codelet {
            id: 0xd7a53484a1a711ed, 0xb686138d2bc637ee;
            name: "nvidia::gxf::MultiPingRx";
        },
    ];
}
