//! What says when work is done that an entity submits to an engine without a worker: a device, or
//! threads of an extension.

use crate::graph::store::Entity;
use gxf_app::error::{Error, Result};
use gxf_app::escape::one_line;
use gxf_plugin::component::{Component, FromComponent, Interface};
use gxf_plugin_abi::ResultCode;
use std::sync::Arc;

/// What says when the work is done.
#[derive(Clone)]
pub struct Target {
    /// The work: `client.runnable`.
    pub work: String,
    /// The completion.
    pub completion: Interface<gxf::Completion>,
    /// A component of the submitter, whose entity tokens name.
    pub submitter: Arc<Component>,
}

impl Target {
    /// The completion of an entity, with a name or the only one. `None` if the submitter has no
    /// components.
    ///
    /// # Errors
    /// The entity has none, or several.
    pub fn new(
        work: &str,
        entity: &Entity,
        component: Option<&str>,
        submitter: &Entity,
    ) -> Result<Option<Self>> {
        let completions: Vec<Interface<gxf::Completion>> =
            entity.components().iter().filter_map(gxf::Completion::from_component).collect();
        let wanted = |one: &&Interface<gxf::Completion>| match component {
            Some(name) => one.component().name() == name,
            None => true,
        };
        let mut found = completions.iter().filter(wanted);
        let wrong = |text: String| {
            let work = one_line(work);
            Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!("the submitted work `{work}`: {} {text}", entity.described()),
            )
        };
        let Some(completion) = found.next().cloned() else {
            return Err(wrong(match component {
                Some(name) => format!("has no completion `{}`", one_line(name)),
                None => "has no component that says when it is done, a gxe::Completion".to_owned(),
            }));
        };
        if found.next().is_some() {
            return Err(wrong(
                "has several completions; name one in `entities`, as `[client.runnable, \
                 entity/component]`"
                    .to_owned(),
            ));
        }
        let components = submitter.components();
        let submitter = components.first().cloned();
        Ok(submitter.map(|submitter| Self { work: work.to_owned(), completion, submitter }))
    }

    /// Whether the work is done.
    ///
    /// # Errors
    /// It failed.
    pub fn is_done(&self) -> Result<bool> {
        let done = self.completion.call("poll of the completion", |work| work.poll());
        done.map_err(|error| self.failed(error))
    }

    /// Hands over a token that is used when the work is done.
    ///
    /// # Errors
    /// It failed.
    pub fn notify(&self, token: gxf::WakeToken) -> Result<()> {
        let notified = self.completion.call("notify of the completion", |work| work.notify(token));
        notified.map_err(|error| self.failed(error))
    }

    /// The error of a completion that failed.
    pub fn failed(&self, error: gxf::Error) -> Error {
        let code = error.code();
        Error::new(code, format!("the submitted work `{}` failed with {code}", self.work))
            .caused_by(error)
    }
}
