//! Parameters, as programs set and read them: with the checks the loader makes for files.

use super::{Context, Inner, Result};
use crate::error::Error;
use crate::graph::parameter::{infer_value, parse_value};
use crate::graph::resolve::{Broken, Scope, resolve_handles};
use crate::graph::yaml::parse_value_at;
use crate::graph::{Diagnostic, Diagnostics, ParameterOverride, ParameterSpec, ParameterValue};
use crate::plugin::descriptor::number;
use gxf_plugin_abi::{ResultCode, Uid};
use std::path::Path;

/// The key of a component's name, which is a parameter in GXF.
pub(super) const NAME_KEY: &str = "__name";

impl Inner {
    /// Whether a component may get this value.
    pub(super) fn check_parameter(
        &self,
        cid: Uid,
        key: &str,
        value: Option<&ParameterValue>,
    ) -> Result<()> {
        let component = self.real_component(cid)?;
        if key == NAME_KEY {
            return Err(Error::new(
                ResultCode::PARAMETER_CAN_NOT_MODIFY_CONSTANT,
                "the name of a component stays what it is",
            ));
        }
        let Some(value) = value else { return Ok(()) };
        let invalid = |text| Err(Error::new(ResultCode::PARAMETER_INVALID_TYPE, text));
        let type_info = component.type_info();
        let Some((_, spec)) = type_info.parameter(key) else {
            let known = component.parameter(key);
            return match known.map(|known| known.natural_type()) {
                Some(known) if known != value.natural_type() => {
                    invalid(format!("parameter `{key}` has a value of another type"))
                }
                _ => Ok(()),
            };
        };
        if !value.fits(spec) {
            return invalid(format!("parameter `{key}` of `{}` has another type", type_info.name));
        }
        self.check_element(spec, value, 0)
    }

    /// Limits of numbers, lengths of lists, types of handles.
    fn check_element(
        &self,
        spec: &ParameterSpec,
        value: &ParameterValue,
        level: usize,
    ) -> Result<()> {
        let out_of_range = |what: String| {
            let text = format!("parameter `{}`: {what}", spec.key);
            Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text))
        };
        match value {
            ParameterValue::List(items) => {
                let wanted = spec.shape.get(level).copied().unwrap_or(-1);
                if usize::try_from(wanted).is_ok_and(|wanted| wanted != items.len()) {
                    return out_of_range(format!("{} elements, not {wanted}", items.len()));
                }
                items.iter().try_for_each(|item| self.check_element(spec, item, level + 1))
            }
            ParameterValue::Component(cid) => {
                let target = self.real_component(*cid)?;
                if spec.handle_tid.is_null() || target.is_a(spec.handle_tid) {
                    return Ok(());
                }
                let cause = self.wrong_type(&target, spec.handle_tid);
                let text = format!("parameter `{}` leads to another type", spec.key);
                Err(Error::new(ResultCode::PARAMETER_INVALID_TYPE, text).caused_by(cause))
            }
            value => {
                let Some(number) = number(value) else { return Ok(()) };
                if spec.minimum.is_none_or(|minimum| number >= minimum)
                    && spec.maximum.is_none_or(|maximum| number <= maximum)
                {
                    return Ok(());
                }
                out_of_range(format!("{number} is outside of its limits"))
            }
        }
    }
}

impl Context {
    /// Sets a parameter from YAML text, as a file would. Handles are looked up with the prefix of a
    /// subgraph first.
    ///
    /// # Errors
    /// `PARAMETER_PARSER_ERROR`, and those of [`Context::set_parameter`]
    pub fn set_parameter_yaml(&self, cid: Uid, key: &str, yaml: &str, prefix: &str) -> Result<()> {
        let inner = self.inner();
        let component = inner.real_component(cid)?;
        let failed = |problems: Diagnostics| {
            Error::from_diagnostics(format!("parameter `{key}` cannot be set"), problems)
        };
        let source = crate::graph::Source::new("<value>", yaml);
        let node = parse_value_at(&source, 0).map_err(|problem| {
            failed(Diagnostic { code: ResultCode::PARAMETER_PARSER_ERROR, ..problem }.into())
        })?;
        let type_info = component.type_info().clone();
        let Some((_, spec)) = type_info.parameter(key) else {
            return self.set_parameter(cid, key, Some(infer_value(&node)));
        };
        let all = |problems: Vec<Diagnostic>| {
            let mut found = Diagnostics::new();
            problems.into_iter().for_each(|problem| found.push(problem));
            failed(found)
        };
        let mut value = parse_value(spec, &node, &source).map_err(all)?;
        let entity = inner.entity(component.eid())?;
        let scope = Scope { inner, prefix, broken: Broken::default() };
        let resolved = resolve_handles(&scope, &entity, spec, &mut value, &node, &source, true)
            .map_err(all)?;
        inner.warnings.lock().extend(resolved.warnings);
        // A handle that is left open has no value.
        self.set_parameter(cid, key, resolved.complete.then_some(value))
    }

    /// Loads an app file whose entities get a prefix to their names. The components it exports
    /// become known in the entity `parent`; the prerequisites are known in the file as
    /// `prerequisites/name`.
    ///
    /// # Errors
    /// As [`Context::load_app`]; `ENTITY_NOT_FOUND` for the parent, `ENTITY_COMPONENT_NOT_FOUND` for
    /// a prerequisite
    pub fn load_app_below(
        &self,
        path: &Path,
        prefix: &str,
        parent: Option<Uid>,
        prerequisites: &[(&str, Uid)],
        overrides: &[ParameterOverride],
    ) -> Result<()> {
        let inner = self.inner();
        let parent = parent.map(|eid| inner.entity(eid)).transpose()?;
        for (_, cid) in prerequisites {
            inner.component(*cid)?;
        }
        if !prerequisites.is_empty() {
            let holder = crate::graph::load::prerequisites_of(inner, prefix)?;
            prerequisites.iter().for_each(|(name, cid)| holder.add_interface(name, *cid));
        }
        crate::graph::load::load_below(inner, path, prefix, parent.as_ref(), overrides)
    }
}
