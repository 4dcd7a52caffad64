//! The smallest engine: it asks every entity in every round.

use gxf_runtime::Result;
use gxf_runtime::engine::{
    ConditionType, End, Engine, EngineType, Environment, ParameterValue, Wake,
};
use std::sync::Arc;
use std::time::Duration;

/// The engine of `gxe::test::RoundRobin`, a component type of `libgxf_actor.so`.
pub const ROUND_ROBIN: EngineType = EngineType {
    scheduler: gxf_runtime::Tid::new(0x5b0d7f2e94c84e16, 0x8fa2c7e0d5193b64),
    start: |scheduler, environment| {
        let longest = match scheduler.parameter("max_duration_ms") {
            Some(ParameterValue::Int64(ms)) => ms * 1_000_000,
            _ => i64::MAX,
        };
        Ok(Arc::new(RoundRobin { environment, longest }))
    },
};

struct RoundRobin {
    environment: Environment,
    longest: i64,
}

/// Whether an execution, or a message that was held, concerned another entity.
#[derive(Default)]
struct Woken(bool);

impl Wake for Woken {
    fn wake(&mut self, _entity: u32) {
        self.0 = true;
    }
}

impl Engine for RoundRobin {
    fn environment(&self) -> &Environment {
        &self.environment
    }

    fn thread_name(&self) -> String {
        "round-robin".to_owned()
    }

    fn run(&self) -> Result<End> {
        let Environment { runners, clock, event_queue, .. } = &self.environment;
        let (mut entities, mut known) = runners.begin_run();
        let end = clock.timestamp().saturating_add(self.longest);
        while !event_queue.collect(|_| ()) {
            let (joined, count) = runners.joined_since(known);
            known = count;
            entities.extend(joined);
            let now = clock.timestamp();
            if now > end {
                return Ok(End::Timeout);
            }
            let mut woken = Woken::default();
            let (mut ran, mut awaits, mut next) = (false, false, i64::MAX);
            for runner in std::mem::take(&mut entities) {
                let condition = runner.execute(now, &mut woken)?;
                match condition.condition_type {
                    ConditionType::READY => ran = true,
                    ConditionType::WAIT_TIME => next = next.min(condition.target),
                    ConditionType::WAIT_EVENT => awaits = true,
                    ConditionType::NEVER => {
                        runners.gone(runner.number);
                        continue;
                    }
                    _ => {}
                }
                entities.push(runner);
            }
            if entities.is_empty() {
                return Ok(End::Finished);
            } else if ran || woken.0 || event_queue.has_events() {
                continue;
            } else if next == i64::MAX && !awaits {
                return Ok(End::Deadlock);
            }
            let until = next.min(end.saturating_add(1));
            match clock.real_time_until(until).map(u64::try_from) {
                Some(Ok(real)) => _ = event_queue.wait(Some(Duration::from_nanos(real))),
                _ if until == i64::MAX => _ = event_queue.wait(None),
                _ => clock.sleep_until(until)?,
            }
        }
        Ok(End::Interrupted)
    }
}
