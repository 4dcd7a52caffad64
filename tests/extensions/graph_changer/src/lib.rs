//! Changes that extensions can make to their own graph: `scheduler.rs` executes its entities,
//! `recruiter.rs` adds and removes entities while it runs, `rival.rs` removes an entity that does
//! the same, `bouncer.rs` one whose tick changes the graph, `executor.rs` executes an entity within
//! a tick, `watcher.rs` watches the executions of others.
#![forbid(unsafe_code)]

mod bouncer;
mod executor;
mod recruiter;
mod rival;
mod scheduler;
mod watcher;

use bouncer::{Bouncer, Host};
use executor::Executor;
use gxf::prelude::*;
use recruiter::Recruiter;
use rival::Rival;
use scheduler::RoundRobinScheduler;
use watcher::Watcher;

gxf_ext_factory! {
    id: 0x5d0c7be2a41f4c39, 0x8b2e6f90d3a1c574;
    name: "GraphChangerExtension";
    version: "1.0.0";
    description: "A scheduler in an extension, and a codelet that lets entities join and leave";
    license: "Apache-2.0";
    components: [
        RoundRobinScheduler: Scheduler {
            id: 0x2f9e4d7c81b04a65, 0x93d7c0e5b6f8a142;
            name: "gxe::test::RoundRobinScheduler";
        },
        Recruiter: Codelet {
            id: 0xc46a1f0d5e3b4798, 0xa7e2d9f4c0b58316;
            name: "gxe::test::Recruiter";
        },
        Rival: Codelet {
            id: 0x6b92e0f4a83d4c17, 0x9c51d7e8024fb3a6;
            name: "gxe::test::Rival";
        },
        Bouncer: Component {
            id: 0x3d80b5f67ae14c29, 0x8f61d2a90c37e5b4;
            name: "gxe::test::Bouncer";
        },
        Executor: Codelet {
            id: 0x4fa8c1d27b604e93, 0xa35c79e810d6bf24;
            name: "gxe::test::Executor";
        },
        Watcher: Monitor {
            id: 0x91c7f36a2be84d05, 0x86d1e54f09b7a3c2;
            name: "gxe::test::Watcher";
        },
        Host: Codelet {
            id: 0xe7214a9c05bd4f38, 0xb59e03c7d8a1462f;
            name: "gxe::test::Host";
        },
    ];
}
