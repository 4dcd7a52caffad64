//! What went wrong in a part of an execution, before the entity's name is added.

use crate::entity::term::Term;
use crate::plugin::component::{CodeletRef, Component};
use gxf_plugin_abi::ResultCode;
use std::sync::Arc;

/// What happened in a part of an execution, before names are added. Boxed, since it is part of
/// every result.
pub(crate) struct Failure(pub Box<FailureParts>);

pub(crate) struct FailureParts {
    pub component: Arc<Component>,
    pub stage: &'static str,
    pub code: ResultCode,
    pub text: Option<String>,
}

impl Failure {
    pub fn new(
        component: &Arc<Component>,
        stage: &'static str,
        code: ResultCode,
        text: Option<String>,
    ) -> Self {
        Self(Box::new(FailureParts { component: component.clone(), stage, code, text }))
    }

    #[cold]
    pub fn of(component: &Arc<Component>, stage: &'static str, error: gxf::Error) -> Self {
        let text = Some(error.message().to_owned()).filter(|text| !text.is_empty());
        Self::new(component, stage, error.code(), text)
    }

    #[cold]
    pub fn of_term(term: &Term, error: gxf::Error) -> Self {
        Self::of(term.component(), "check of the scheduling term", error)
    }

    #[cold]
    pub fn of_codelet(codelet: &CodeletRef, stage: &'static str, code: ResultCode) -> Self {
        let text = crate::plugin::host::take_reported();
        Self::new(codelet.component(), stage, code, text)
    }
}
