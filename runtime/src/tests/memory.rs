//! The allocators of a graph, used through the SDK like tensors do. Miri runs these tests.

#![expect(unsafe_code, reason = "tests make components and messages by their addresses")]

use crate::context::Context;
use gxf::{Allocator, ComponentContext, Handle, HandleTarget, MemoryBuffer, StorageType, Tensor};
use gxf_plugin_abi::{ComponentEnvironment, Uid};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::ptr::NonNull;

const APP: &str = "\
name: memory
components:
- {name: unbounded, type: nvidia::gxf::UnboundedAllocator}
- name: pool
  type: nvidia::gxf::BlockMemoryPool
  parameters: {storage_type: 2, block_size: 64, num_blocks: 8}
---
components:
- {name: clock, type: nvidia::gxf::ManualClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
";

/// The allocators of an active graph.
fn graph() -> (Context, [Handle<Allocator>; 2]) {
    let context = Context::new();
    context.load_app_text("app.yaml", APP, &[]).expect("the app is right");
    context.activate().expect("the graph can be activated");
    let allocators = ["unbounded", "pool"].map(|name| {
        let cid = context.find_component("memory", name).expect("it is in the app");
        handle(&context, cid)
    });
    (context, allocators)
}

fn handle<T: HandleTarget>(context: &Context, cid: Uid) -> Handle<T> {
    let environment = ComponentEnvironment {
        size: size_of::<ComponentEnvironment>(),
        context: context.raw(),
        eid: 0,
        cid: 0,
    };
    // SAFETY: the environment lives during the call, and the context is alive.
    let context = unsafe { ComponentContext::from_raw(NonNull::from(&environment)) };
    Handle::resolve(&context, cid).expect("an allocator")
}

#[derive(Clone, Debug)]
enum Step {
    /// Allocates from one of the allocators.
    Allocate { from: usize, size: u64 },
    /// Creates a second owner of a buffer.
    Share(prop::sample::Index),
    /// Keeps a part of a buffer.
    Narrow(prop::sample::Index),
    /// Drops a buffer.
    Drop(prop::sample::Index),
    /// Drops a buffer on another thread.
    DropElsewhere(prop::sample::Index),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..2usize, 0..=64u64).prop_map(|(from, size)| Step::Allocate { from, size }),
        any::<prop::sample::Index>().prop_map(Step::Share),
        any::<prop::sample::Index>().prop_map(Step::Narrow),
        any::<prop::sample::Index>().prop_map(Step::Drop),
        any::<prop::sample::Index>().prop_map(Step::DropElsewhere),
    ]
}

/// Executes the steps and drops everything, partly on other threads.
fn play(allocators: &[Handle<Allocator>; 2], steps: Vec<Step>) {
    let mut buffers: Vec<MemoryBuffer> = Vec::new();
    std::thread::scope(|scope| {
        for step in steps {
            let count = buffers.len();
            match step {
                Step::Allocate { from, size } => {
                    // The pool may be empty for a while.
                    let made = MemoryBuffer::allocate(&allocators[from], size, StorageType::SYSTEM);
                    buffers.extend(made);
                }
                _ if count == 0 => {}
                Step::Share(which) => {
                    let shared = buffers[which.index(count)].share();
                    buffers.push(shared);
                }
                Step::Narrow(which) => {
                    let buffer = buffers.swap_remove(which.index(count));
                    let size = buffer.size();
                    buffers.push(buffer.narrow(size / 2, size - size / 2).expect("it fits"));
                }
                Step::Drop(which) => drop(buffers.swap_remove(which.index(count))),
                Step::DropElsewhere(which) => {
                    let buffer = buffers.swap_remove(which.index(count));
                    scope.spawn(move || drop(buffer));
                }
            }
        }
    });
}

/// Programs of several threads, each a list of steps.
fn programs() -> impl Strategy<Value = Vec<Vec<Step>>> {
    prop::collection::vec(prop::collection::vec(step(), 0..40), 1..4)
}

#[test]
fn everything_comes_back() {
    // One graph for all programs, because loading it under Miri takes longer than running them.
    let (context, allocators) = graph();
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 64 })
    };
    let played = TestRunner::new(config).run(&programs(), |programs| {
        std::thread::scope(|scope| {
            for steps in programs {
                scope.spawn(|| play(&allocators, steps));
            }
        });
        for allocator in &allocators {
            prop_assert_eq!(allocator.statistics().used_bytes, 0);
        }
        let all: Vec<_> = (0..8)
            .map(|_| MemoryBuffer::allocate(&allocators[1], 64, StorageType::SYSTEM).unwrap())
            .collect();
        prop_assert!(MemoryBuffer::allocate(&allocators[1], 1, StorageType::SYSTEM).is_err());
        prop_assert_eq!(allocators[1].statistics().peak_bytes, 8 * 64);
        drop(all);
        Ok(())
    });
    played.unwrap();
    context.deactivate().unwrap();
}

#[test]
fn buffers_outlive_the_graph() {
    let (context, allocators) = graph();
    let mut tensors = allocators
        .each_ref()
        .map(|allocator| Tensor::new::<f32>(allocator, StorageType::SYSTEM, &[2, 8]).unwrap());
    drop(allocators);
    context.deactivate().unwrap();
    drop(context);
    for tensor in &mut tensors {
        assert_eq!(tensor.data::<f32>().unwrap(), [0.0; 16]);
        tensor.data_mut::<f32>().unwrap()[15] = 1.0;
    }
    std::thread::spawn(move || drop(tensors)).join().unwrap();
}

#[test]
fn device_memory_without_a_device_is_an_error() {
    let (_context, [unbounded, pool]) = graph();
    let refused = Tensor::new::<u8>(&unbounded, StorageType::DEVICE, &[1]).unwrap_err();
    assert_eq!(refused.code(), gxf::ResultCode::MEMORY_INVALID_STORAGE_MODE);
    assert!(refused.message().contains("needs CUDA"), "{refused}");
    let refused = Tensor::new::<u8>(&pool, StorageType::HOST, &[1]).unwrap_err();
    assert_eq!(refused.code(), gxf::ResultCode::ARGUMENT_INVALID);
}
