//! GXF's CudaExtension.
//!
//! - `stream.rs`: `CudaStream`, a component of an entity that a pool makes for each stream;
//!   `stream_pool.rs`: `CudaStreamPool`;
//! - `green_context.rs`: `CudaGreenContextPool` and `CudaGreenContext`, parts of a device;
//! - `stream_sync.rs`: `CudaStreamSync`, a codelet that waits for the streams of a message;
//! - `term.rs`: the three scheduling terms, `waiter.rs`: how they wait;
//! - `stream_ordered_allocator.rs`: `StreamOrderedAllocator`;
//! - payloads: the crate `gxf-cuda` has them, and all calls of CUDA.
#![forbid(unsafe_code)]

mod green_context;
mod stream;
mod stream_ordered_allocator;
mod stream_pool;
mod stream_sync;
mod term;
mod waiter;

use green_context::{CudaGreenContext, CudaGreenContextPool};
use gxf::prelude::*;
use gxf_device::{Buffer, Event, StreamId};
use stream::CudaStream;
use stream_ordered_allocator::StreamOrderedAllocator;
use stream_pool::CudaStreamPool;
use stream_sync::CudaStreamSync;
use term::{CudaBufferAvailableSchedulingTerm, CudaEventSchedulingTerm, CudaStreamSchedulingTerm};

/// The base of allocators that serve streams.
#[derive(Component, Default)]
struct CudaAllocator {}

gxf::gxf_ext_factory! {
    id: 0xd63a98fa788211eb, 0xa917b38f664f399c;
    name: "CudaExtension";
    version: "2.6.0";
    description: "Streams, events and memory of CUDA devices";
    license: "Apache-2.0";
    display_name: "CUDA";
    category: "CUDA";
    brief: "Streams, events and memory of CUDA devices";
    components: [
        CudaAllocator: Component {
            id: 0x04f22de65f1d11ef, 0x9c8a373b588897af;
            base: 0x3cdd82d023264867, 0x8de2d565dbe28e03;
            name: "nvidia::gxf::CudaAllocator";
            abstract_type: true;
        },
        CudaStream: Component + CudaStream {
            id: 0x5683d692788411eb, 0x9338c3be62d576be;
            name: "nvidia::gxf::CudaStream";
        },
        CudaStreamPool: Allocator + CudaStreamPool + Completion + DeviceQueue {
            id: 0x6733bf8bba5e4fae, 0xb596af2d1269d0e7;
            name: "nvidia::gxf::CudaStreamPool";
        },
        CudaGreenContextPool: Component {
            id: 0x8e0f1b6a4c9d4f27, 0xa35b7de2c1f04986;
            name: "nvidia::gxf::CudaGreenContextPool";
        },
        CudaGreenContext: Component {
            id: 0x2c7a9d5e61b84b3f, 0x9f40e8a7d3b5c612;
            name: "nvidia::gxf::CudaGreenContext";
        },
        StreamOrderedAllocator: CudaAllocator + Allocator {
            id: 0x63d1d16813d711ef, 0x931a0be4a6378384;
            name: "nvidia::gxf::StreamOrderedAllocator";
        },
        CudaStreamSync: Codelet {
            id: 0x0d1d81426648485d, 0x97d5277eed00129c;
            name: "nvidia::gxf::CudaStreamSync";
        },
        CudaStreamSchedulingTerm: SchedulingTerm {
            id: 0x7397a4aaa4e94b6c, 0x850664d7c18c17ae;
            name: "nvidia::gxf::CudaStreamSchedulingTerm";
            announces: true;
        },
        CudaEventSchedulingTerm: SchedulingTerm {
            id: 0xc2122c2d07454260, 0xb110514c3f4e82f9;
            name: "nvidia::gxf::CudaEventSchedulingTerm";
            announces: true;
        },
        CudaBufferAvailableSchedulingTerm: SchedulingTerm {
            id: 0xedab61b65f7611ef, 0xba73cfbc18c46142;
            name: "nvidia::gxf::CudaBufferAvailableSchedulingTerm";
            announces: true;
        },
    ];
    payloads: [
        StreamId { name: "nvidia::gxf::CudaStreamId"; },
        Event { name: "nvidia::gxf::CudaEvent"; },
        Buffer { name: "nvidia::gxf::CudaBuffer"; },
    ];
}
