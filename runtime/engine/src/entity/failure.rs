//! A failure in a part of an execution, before the entity's name is added.

use crate::entity::term::Term;
use gxf_plugin::component::{CodeletRef, Component};
use gxf_plugin_abi::ResultCode;
use std::sync::Arc;

/// A failure in a part of an execution, before names are added. Boxed, because every result may
/// contain one.
pub struct Failure(pub Box<FailureParts>);

/// What a failure consists of.
pub struct FailureParts {
    /// The component that failed.
    pub component: Arc<Component>,
    /// What was called: `tick`, `check of the scheduling term`, ….
    pub stage: &'static str,
    /// The result code.
    pub code: ResultCode,
    /// The text that the component left, if any.
    pub text: Option<String>,
}

impl Failure {
    /// A failure of a component.
    pub fn new(
        component: &Arc<Component>,
        stage: &'static str,
        code: ResultCode,
        text: Option<String>,
    ) -> Self {
        Self(Box::new(FailureParts { component: component.clone(), stage, code, text }))
    }

    /// The same, from an error.
    #[cold]
    pub fn of(component: &Arc<Component>, stage: &'static str, error: gxf::Error) -> Self {
        let text = Some(error.message().to_owned()).filter(|text| !text.is_empty());
        Self::new(component, stage, error.code(), text)
    }

    /// A term failed.
    #[cold]
    pub fn of_term(term: &Term, error: gxf::Error) -> Self {
        Self::of(term.component(), "check of the scheduling term", error)
    }

    /// A codelet returned an error.
    #[cold]
    pub fn of_codelet(codelet: &CodeletRef, stage: &'static str, code: ResultCode) -> Self {
        let text = gxf_plugin::reported::take_reported(code);
        Self::new(codelet.component(), stage, code, text)
    }
}
