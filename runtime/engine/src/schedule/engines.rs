//! The table of built-in engines.

use crate::schedule::engine::EngineType;
use crate::schedule::{actor, client, epoch, greedy, pool, timetable};
use crate::standard::BuiltIn;
use crate::standard::scheduler::{
    ActorScheduler, EpochScheduler, EventBasedScheduler, GreedyScheduler, MultiThreadScheduler,
    StaticClient, StaticScheduler,
};

/// The built-in engines.
pub static ENGINES: &[EngineType] = &[
    EngineType { scheduler: GreedyScheduler::TID, start: greedy::start },
    EngineType { scheduler: EpochScheduler::TID, start: epoch::start },
    EngineType { scheduler: MultiThreadScheduler::TID, start: pool::start_multi_thread },
    EngineType { scheduler: EventBasedScheduler::TID, start: pool::start_event_based },
    EngineType { scheduler: ActorScheduler::TID, start: actor::start },
    EngineType { scheduler: StaticScheduler::TID, start: timetable::start },
    EngineType { scheduler: StaticClient::TID, start: client::start },
];
