//! Components with work outside the graph, for tests: `job.rs` has jobs that another thread
//! finishes, `submitter.rs` work that one does in order, `token.rs` uses of wake tokens, `failing.rs` failures, `tracing.rs` spans in the trace,
//! `device.rs` queues of devices, `client.rs` clients of services in other processes, `ports.rs` codelets that declare what they
//! exchange.
#![forbid(unsafe_code)]

mod client;
mod device;
mod failing;
mod job;
mod ports;
mod submitter;
mod token;
mod tracing;

use client::{ClientUser, EchoClient, SilentClient};
use device::Device;
use failing::{FailingPart, FailingThread};
use gxf::prelude::*;
use job::{CompletionTerm, Job, JobGiver};
use ports::{Count, Counted, Pose, PoseFilter, PoseReceiver, PoseSource};
use submitter::{Submitter, WorkQueue};
use token::{LateUser, Listener, TokenKeeper, TokenUser};
use tracing::Spanning;

gxf_ext_factory! {
    id: 0x38ef803be85c4705, 0x98a697821a2fc5d6;
    name: "OutsideExtension";
    version: "1.0.0";
    description: "Components with work outside the graph";
    license: "Apache-2.0";
    components: [
        Job: Component + Completion {
            id: 0x612c61a86f9b402c, 0xa8c9ee483c0f8194;
            name: "gxe::test::Job";
        },
        JobGiver: Codelet {
            id: 0x9bad421fb93942a3, 0xa7695d9652a9fc5e;
            name: "gxe::test::JobGiver";
        },
        CompletionTerm: SchedulingTerm {
            id: 0x6a7623b6a5ee427e, 0xa69603d5f7fad8e0;
            name: "gxe::test::CompletionTerm";
            announces: true;
        },
        WorkQueue: Component + Completion {
            id: 0xe41b7d90c26f4a58, 0x8a3d915fc07be264;
            name: "gxe::test::WorkQueue";
        },
        Submitter: Codelet {
            id: 0x57c09ea14d8b4f36, 0x9f62d8b3710ae5c4;
            name: "gxe::test::Submitter";
        },
        Device: Component + DeviceQueue {
            id: 0x9d25e8f1607b4c3a, 0xb84fd6e0a1379c52;
            name: "gxe::test::Device";
        },
        TokenUser: Codelet {
            id: 0x841fcccc1192412e, 0x8a937869ccbc6fde;
            name: "gxe::test::TokenUser";
        },
        Listener: System {
            id: 0xbbb56104b9ae4a9b, 0x8ebc6bf80064dc7e;
            name: "gxe::test::Listener";
        },
        TokenKeeper: Codelet {
            id: 0x448764a1faf54dc0, 0x8f05373a03adfa1e;
            name: "gxe::test::TokenKeeper";
        },
        LateUser: Codelet {
            id: 0x091d45a88daa4631, 0x89a1785bd363bb81;
            name: "gxe::test::LateUser";
        },
        FailingThread: Codelet {
            id: 0x120fa4ae67af4223, 0x846d34bc9c10fdd5;
            name: "gxe::test::FailingThread";
        },
        FailingPart: Component {
            id: 0x6a0d3b1fe85c4f27, 0x9be1d04c7a35f862;
            name: "gxe::test::FailingPart";
        },
        Spanning: Codelet {
            id: 0xd2794be05f1a4c38, 0xa06f9c3e5d81b247;
            name: "gxe::test::Spanning";
        },
        PoseSource: Codelet {
            id: 0x83d1f60b2e9c4a75, 0xb5e07a394cd8f216;
            name: "gxe::test::PoseSource";
            capturable: false;
        },
        PoseFilter: Codelet {
            id: 0x4ae5b8703d1f9c26, 0x92c6d4f18e07ba53;
            name: "gxe::test::PoseFilter";
            capturable: true;
            in_place: true;
            publishes_into: true;
        },
        Counted: Codelet {
            id: 0x2c8f61d40b7e4a39, 0xb5d09e173fa6c824;
            name: "gxe::test::Counted";
        },
        PoseReceiver: Receiver {
            id: 0xb9c40f7d2e6a4813, 0xae1f5c8036d79b42;
            name: "gxe::test::PoseReceiver";
        },
        EchoClient: IpcClient {
            id: 0x1f5c82d7b36e4a09, 0x8d4760ea2bc953f1;
            name: "gxe::test::EchoClient";
        },
        SilentClient: IpcClient {
            id: 0x7be3490d1ca64f58, 0xb1926d08e57fa3c4;
            name: "gxe::test::SilentClient";
        },
        ClientUser: Codelet {
            id: 0xc08d5e72f9314b6a, 0x97a3f1b60d2e84c5;
            name: "gxe::test::ClientUser";
        },
    ];
    payloads: [
        Pose {
            id: 0xf6a80d3c5b714e92, 0x8b1ec27f04d9a563;
            name: "gxe::test::Pose";
        },
        Count {
            id: 0x70e3b94a5d1c4f82, 0x96a2c7f80d4be153;
            name: "gxe::test::Count";
        },
    ];
}
