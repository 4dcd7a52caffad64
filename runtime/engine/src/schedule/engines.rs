//! The table of built-in engines.

use crate::schedule::engine::EngineType;
use crate::schedule::{actor, epoch, greedy, pool};
#[cfg(feature = "stm")]
use crate::schedule::{client, timetable};
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

/// What stands for the engines of static schedules in a build without them.
#[cfg(not(feature = "stm"))]
mod timetable {
    use crate::schedule::engine::{Engine, Environment};
    use gxf_app::error::{Error, Result};
    use gxf_plugin::component::Component;
    use gxf_plugin_abi::ResultCode;
    use std::sync::Arc;

    pub fn start(_: &Arc<Component>, _: Environment) -> Result<Arc<dyn Engine>> {
        let text = "this gxe was built without static schedules; `make install` builds all of it";
        Err(Error::new(ResultCode::NOT_IMPLEMENTED, text))
    }
}
#[cfg(not(feature = "stm"))]
use timetable as client;
