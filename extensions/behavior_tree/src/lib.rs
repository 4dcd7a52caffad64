//! GXF's BehaviorTreeExtension: entities that decide what other entities do.
//!
//! Each node of a tree is an entity with a codelet, a BTSchedulingTerm that says when it ticks, and
//! a Controller that says what its ticks mean. A parent arms its children through their terms, and
//! reads from their controllers how they ended. A tick without an error is a success; the error
//! `NOT_FINISHED` means it is still running; any other error is a failure.
//!
//! Nothing polls: a parent sleeps until a child ends, a timer until its time. A parent may arm a
//! node again even after its controller deactivated it, so the graph of a tree ends by
//! `stop_on_deadlock`, an interrupt, or the maximum duration.
//!
//! One file per node:
//!
//! - `children.rs`: shared by all parents: arming children and reading how they ended;
//! - `in_order.rs`: shared by `sequence.rs` and `selector.rs`;
//! - `parallel.rs`, `switch.rs`, `repeat.rs`: the other parents;
//! - `constant.rs`, `timer.rs`: leaves;
//! - `controller.rs`: `EntityCountFailureRepeatController`, which lets failures repeat.
#![forbid(unsafe_code)]

mod children;
mod constant;
mod controller;
mod in_order;
mod parallel;
mod repeat;
mod selector;
mod sequence;
mod switch;
mod timer;

use constant::ConstantBehavior;
use controller::EntityCountFailureRepeatController;
use parallel::ParallelBehavior;
use repeat::RepeatBehavior;
use selector::SelectorBehavior;
use sequence::SequenceBehavior;
use switch::SwitchBehavior;
use timer::TimerBehavior;

gxf::gxf_ext_factory! {
    id: 0x9e6e55d41bc911ec, 0x96210242ac130002;
    name: "BehaviorTreeExtension";
    version: "0.6.0";
    description: "Entities that decide what other entities do";
    license: "Apache-2.0";
    display_name: "Behavior Tree";
    category: "Behavior Tree";
    brief: "Sequence, selector, parallel, switch, repeat, timer, constant";
    components: [
        EntityCountFailureRepeatController: Controller {
            id: 0x1f68ff76e5b8414f, 0xab5c8cef935d81c7;
            name: "nvidia::gxf::EntityCountFailureRepeatController";
        },
        ConstantBehavior: Codelet {
            id: 0x11ae05e575a54246, 0x8a04ef37d45419ab;
            name: "nvidia::gxf::ConstantBehavior";
        },
        SelectorBehavior: Codelet {
            id: 0x1f5efe9768a54a91, 0x899037c0a222646f;
            name: "nvidia::gxf::SelectorBehavior";
        },
        SequenceBehavior: Codelet {
            id: 0x9e610c81e3074654, 0x8d73c3405050cea7;
            name: "nvidia::gxf::SequenceBehavior";
        },
        SwitchBehavior: Codelet {
            id: 0xfbaafbf2644c4f49, 0xa398463215f54474;
            name: "nvidia::gxf::SwitchBehavior";
        },
        RepeatBehavior: Codelet {
            id: 0x9d035af9a33e447c, 0xa6ddc67b1d8ce687;
            name: "nvidia::gxf::RepeatBehavior";
        },
        ParallelBehavior: Codelet {
            id: 0xdc48e75e5c7648a1, 0xb22bc2b81d83a7b6;
            name: "nvidia::gxf::ParallelBehavior";
        },
        TimerBehavior: Codelet {
            id: 0x23cc558577084b93, 0x83798b46c3ab56d5;
            name: "nvidia::gxf::TimerBehavior";
        },
    ];
}
