//! The special actors of OneFlow's runtime as codelets: they run under every scheduler, and under
//! `gxe::ActorScheduler` as there. Ordinary codelets are its normal actors.
//!
//! A map:
//!
//! - `control.rs`: messages without a payload, which only order what others do;
//! - `ids.rs`: numbers from outside;
//! - `one_to_many.rs`: several messages for each, `many_to_one.rs`: one for several;
//! - `branch.rs`: one of several ways, and back together;
//! - `collectives.rs`: what several do together; `executor.rs`: who they are, and what they have
//!   contributed;
//! - `network.rs`: from process to process;
//! - `lock.rs`: one of several users at a time;
//! - `sum.rs`: sums and rows of payloads; `own_term.rs`: codelets that are their own terms;
//! - `wiring.rs`: what lists of ports have to be.
#![forbid(unsafe_code)]

mod branch;
mod collectives;
mod control;
mod executor;
mod ids;
mod lock;
mod many_to_one;
mod network;
mod one_to_many;
mod own_term;
mod sum;
mod wiring;

use branch::{Case, Esac};
use collectives::{AllGather, AllReduce, Broadcast};
use control::{AccumulateTick, Sink, SourceTick, Tick};
use ids::WaitAndSendIds;
use lock::ReentrantLock;
use many_to_one::{Accumulate, InputWise, Pack};
use network::CopyOverNetwork;
use one_to_many::{Repeat, Unpack};

use gxf::{EndOfStream, Message, Payload, PayloadInfo, Result, Tensor, TickContext};

/// Whether a payload says that its message is the last one of a stream.
fn is_end(payload: &PayloadInfo<'_>) -> bool {
    payload.tid == <EndOfStream as Payload>::TID
}

/// The same message, but not the last one of its stream.
fn without_end(message: &Message, context: &TickContext) -> Result<Message> {
    let mut result = context.new_message()?;
    result.share_payloads(message)?;
    loop {
        let end = result.payloads().position(|payload| is_end(&payload));
        let Some(end) = end else { return Ok(result) };
        result.remove(end)?;
    }
}

/// Whether a payload is a tensor.
fn is_tensor(payload: &PayloadInfo<'_>) -> bool {
    payload.tid == <Tensor as Payload>::TID
}

/// The same message with its other payloads only.
fn without_tensors(mut message: Message) -> Result<Message> {
    loop {
        let tensor = message.payloads().position(|payload| is_tensor(&payload));
        let Some(tensor) = tensor else { return Ok(message) };
        message.remove(tensor)?;
    }
}

gxf::gxf_ext_factory! {
    id: 0x8d1f2c4b60a7493e, 0xa52e97c31f0b48d6;
    name: "ActorsExtension";
    version: "0.1.0";
    description: "Codelets that are the special actors of a runtime without a scheduler";
    license: "Apache-2.0";
    display_name: "Actors";
    category: "Flow";
    brief: "Repeat, accumulate, pack, branch, lock";
    components: [
        SourceTick: Codelet + SchedulingTerm {
            id: 0x1b64e90f7c2d4a85, 0x93f8d05a6e71c24b;
            name: "gxe::actors::SourceTick";
            announces: true;
        },
        WaitAndSendIds: Codelet + SchedulingTerm {
            id: 0xc0a93d7158fe4b26, 0x8e41b67f92d3a50c;
            name: "gxe::actors::WaitAndSendIds";
        },
        Repeat: Codelet + SchedulingTerm {
            id: 0x57e2d81ba4c64f90, 0xb03c79ae12f568d4;
            name: "gxe::actors::Repeat";
            announces: true;
        },
        Accumulate: Codelet {
            id: 0xe93b05c87a1f4d62, 0x84d6f12e0b7ac359;
            name: "gxe::actors::Accumulate";
        },
        Pack: Codelet {
            id: 0x2f708ad4c6e94b1d, 0xa95e3c17d0f284b6;
            name: "gxe::actors::Pack";
        },
        Unpack: Codelet + SchedulingTerm {
            id: 0x9ac5f13e072b4d68, 0xbf1470d8e6a3925c;
            name: "gxe::actors::Unpack";
            announces: true;
        },
        InputWise: Codelet + SchedulingTerm {
            id: 0x640de7b92c8f4a31, 0x97c2e58b1ad0f463;
            name: "gxe::actors::InputWise";
            announces: true;
        },
        Case: Codelet {
            id: 0xd3187fa05b6c4e92, 0x8b2fe4619d70ca35;
            name: "gxe::actors::Case";
        },
        Esac: Codelet + SchedulingTerm {
            id: 0x08f6b2d94e3a4c71, 0xa6d9137c5fe82b40;
            name: "gxe::actors::Esac";
            announces: true;
        },
        ReentrantLock: Codelet + SchedulingTerm {
            id: 0xb57c90e2f1684da3, 0x9e03d6a84c2b71f5;
            name: "gxe::actors::ReentrantLock";
            announces: true;
        },
        AllReduce: Codelet + SchedulingTerm + EndOfInputs {
            id: 0xd0693a0307a9fa28, 0xd4c0bdda0469fe4f;
            name: "gxe::actors::AllReduce";
            announces: true;
        },
        AllGather: Codelet + SchedulingTerm + EndOfInputs {
            id: 0x97e10682b967f7a8, 0xf2b6932db3a8fa50;
            name: "gxe::actors::AllGather";
            announces: true;
        },
        Broadcast: Codelet + SchedulingTerm + EndOfInputs {
            id: 0xf9f2312b50d642c7, 0xec7afd99776d5bb6;
            name: "gxe::actors::Broadcast";
            announces: true;
        },
        CopyOverNetwork: Codelet {
            id: 0xa121aea3b145354b, 0xb28a6df60208332b;
            name: "gxe::actors::CopyOverNetwork";
        },
        Tick: Codelet {
            id: 0x71a4c8e06f9b4d25, 0x8cf053b7e2d619a4;
            name: "gxe::actors::Tick";
        },
        AccumulateTick: Codelet {
            id: 0xfe2095d3b7814ac6, 0xb4687e1fc09da352;
            name: "gxe::actors::AccumulateTick";
        },
        Sink: Codelet + SchedulingTerm {
            id: 0x4dc61ef8a0354b97, 0x91ea5d2c7b08f46c;
            name: "gxe::actors::Sink";
            announces: true;
        },
    ];
}
