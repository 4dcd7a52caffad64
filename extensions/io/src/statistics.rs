//! `StatisticsSource`.

use gxe_columns::{Block, Values, bad_data};
use gxf::prelude::*;
use gxf::{IpcService, SharedCodelet};
use serde_json::Value;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a message of statistics looks like.
#[derive(ParameterEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `rows`: a row for each entity, in columns named after the values.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    rows,
    /// `numbers`: a payload `ENTITY/VALUE` for each number, such as `camera/count`. Recorded to
    /// MCAP, each has a topic of its own, which viewers plot.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    numbers,
}

/// Name of the service that answers with statistics.
const SERVICE: &str = "stat";

/// Publishes the statistics of the graph itself each time it ticks, for recorders, plots and files.
/// It is the `server` of a `JobStatistics`, which measures the graph and answers its queries. The
/// values are those that GXF's clients of `stat/entity` get: `status`, `count`,
/// `execution_time_median_ms`, `execution_time_90_ms`, `execution_time_max_ms`,
/// `execution_time_total_ms`, `load_percentage`, `variation_median_ms`, `variation_90_ms`,
/// `variation_max_ms`.
#[derive(Component, Default)]
pub struct StatisticsSource {
    /// Transmitter for the statistics.
    output: Parameter<Handle<Transmitter>>,
    /// Whether a message has rows or single numbers.
    #[parameter(default = Form::rows)]
    form: Parameter<Form>,
    /// Entities to publish [default: all].
    entities: Parameter<Option<Vec<String>>>,
    service: Mutex<Option<IpcService>>,
}

impl SharedCodelet for StatisticsSource {
    fn start(&self, _context: &TickContext) -> Result<()> {
        if self.lock().is_none() {
            return Err(Error::new(
                ResultCode::UNINITIALIZED_VALUE,
                "no component measures the graph; add a `nvidia::gxf::JobStatistics` whose \
                 parameter `server` names this component",
            ));
        }
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        let answer = match &*self.lock() {
            Some(service) => service.answer("entity", "")?,
            None => return Err(ResultCode::INVALID_LIFECYCLE_STAGE.into()),
        };
        let measured: Vec<Value> = serde_json::from_str(&answer)
            .map_err(|error| bad_data(format!("the statistics cannot be read: {error}")))?;
        let wanted = self.entities.as_deref();
        let entities = measured.iter().filter(|entity| {
            wanted.is_none_or(|wanted| wanted.iter().any(|name| entity["name"] == **name))
        });
        let message = match *self.form {
            Form::rows => rows(entities).into_message(context, false)?,
            Form::numbers => numbers(entities, context)?,
        };
        self.output.publish(message, context.now())
    }
}

impl StatisticsSource {
    fn lock(&self) -> MutexGuard<'_, Option<IpcService>> {
        self.service.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl implement::IpcServer for StatisticsSource {
    fn register_service(&self, name: &str, _is_action: bool, service: IpcService) -> Result<()> {
        if name != SERVICE {
            return Err(Error::new(
                ResultCode::NOT_IMPLEMENTED,
                format!("only the statistics can be published, not the service `{name}`"),
            ));
        }
        *self.lock() = Some(service);
        Ok(())
    }
}

/// The values of an entity: those with a number, and the others.
fn values(entity: &Value) -> impl Iterator<Item = (&String, &Value)> {
    // The id differs from run to run.
    entity.as_object().into_iter().flatten().filter(|(key, _)| *key != "uid")
}

/// A row for each entity.
fn rows<'a>(entities: impl Iterator<Item = &'a Value>) -> Block {
    let mut block = Block::default();
    for entity in entities {
        for (key, value) in values(entity) {
            let found = block.columns.iter().position(|(name, _)| name == key);
            let column = found.unwrap_or_else(|| {
                let values = match value.as_f64() {
                    Some(_) => Values::Numbers(Vec::new()),
                    None => Values::Texts(String::new()),
                };
                block.columns.push((key.clone(), values));
                block.columns.len() - 1
            });
            match &mut block.columns[column].1 {
                Values::Numbers(numbers) => numbers.push(value.as_f64().unwrap_or(f64::NAN)),
                Values::Texts(texts) => {
                    texts.push_str(value.as_str().unwrap_or_default());
                    texts.push('\n');
                }
            }
        }
    }
    block
}

/// A payload for each number.
fn numbers<'a>(
    entities: impl Iterator<Item = &'a Value>,
    context: &TickContext,
) -> Result<Message> {
    let mut message = context.new_message()?;
    for entity in entities {
        let name = entity["name"].as_str().unwrap_or_default();
        for (key, value) in values(entity) {
            if let Some(value) = value.as_f64() {
                message.add(&format!("{name}/{key}"), value)?;
            }
        }
    }
    Ok(message)
}
