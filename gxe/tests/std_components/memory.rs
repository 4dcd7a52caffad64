//! Allocators, and entities that wait for memory.

use crate::{entity, fails_with, manual, run_at, succeeds};

/// More ticks than blocks: each needs one that came back, on another thread.
fn memory_user(pool: &str, size: u32, count: u32) -> String {
    entity(
        "user",
        &format!(
            "pool {pool}
             user gxe::test::MemoryUser allocator: pool, size: {size}, use_ms: 3
             steps test::StepCount expected_count: {count}
             free MemoryAvailableSchedulingTerm allocator: pool, min_blocks: 1
             count CountSchedulingTerm count: {count}"
        ),
    )
}

fn patient() -> String {
    entity(
        "scheduler",
        "clock RealtimeClock\n greedy GreedyScheduler clock: clock, stop_on_deadlock_timeout: 5000",
    )
}

#[test]
fn memory_that_comes_back_wakes_who_waits_for_it() {
    let app =
        [memory_user("BlockMemoryPool block_size: 100, num_blocks: 2", 100, 7), patient()].concat();
    // At debug level only: the seed's log has no such line.
    for (level, lines) in [("info", 0), ("debug", 1)] {
        let (status, log) = run_at(level, &app);
        assert_eq!(status, Some(0), "{log}");
        assert_eq!(log.matches("storage type 0 (host)").count(), lines, "{log}");
    }
    succeeds(&[memory_user("UnboundedAllocator", 5000, 7), patient()]);
}

#[test]
fn memory_errors_name_the_component_and_the_way_out() {
    let pool = "BlockMemoryPool storage_type: 1, block_size: 100, num_blocks: 2";
    fails_with(
        &[memory_user(pool, 1, 1), manual()],
        "`storage_type`: memory of storage type 1 (device)",
    );
    fails_with(&[memory_user(pool, 1, 1), manual()], "needs CUDA");
    let pool = "BlockMemoryPool block_size: 100, num_blocks: 2";
    fails_with(&[memory_user(pool, 101, 1), manual()], "101 bytes do not fit a block of 100");
}
