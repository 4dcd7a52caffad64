//! Parameters that programs set and read, with the loader's checks.

use super::Context;
use crate::inner::Inner;
use crate::inspect::ParameterChange;
use crate::load::resolve::{Broken, Scope};
use crate::load::setter::ParameterSetter;
use gxf_app::error::{Error, Result};
use gxf_app::infer::infer_value;
use gxf_app::yaml::parse_value_at;
use gxf_app::{Diagnostic, Diagnostics, ParameterSpec, ParameterValue, Span};
use gxf_engine::graph::routes::CONNECTION;
use gxf_engine::graph::store::Stage;
use gxf_plugin::message::by_id::is_message_id;
use gxf_plugin_abi::{PARAMETER_DYNAMIC, ParameterType, ResultCode, Uid, tids};

/// The key for a component's name, which is a parameter in GXF.
pub(crate) const NAME_KEY: &str = "__name";

impl Inner {
    /// Sets a parameter of a component. Readers see the value immediately; the component gets it
    /// between two ticks of its entity.
    pub fn set_parameter(&self, cid: Uid, key: &str, value: Option<ParameterValue>) -> Result<()> {
        let component = self.graph.component(cid)?;
        let type_info = component.type_info().clone();
        let Some((index, spec)) = type_info.parameter(key) else {
            if let Some(value) = value {
                component.set_unregistered(key, value);
            }
            return Ok(());
        };
        if let Some(value) = &value
            && !value.fits(spec)
        {
            return Err(Error::new(
                ResultCode::PARAMETER_INVALID_TYPE,
                format!("parameter `{key}` of `{}` has another type", type_info.name),
            ));
        }
        let entity = self.graph.entity(component.eid())?;
        let runner = self.active_runners.get(entity.eid());
        // The wiring is computed after all are initialised; the routes of connections, before.
        let in_time = runner.is_none() && self.initializes_here() && type_info.tid != CONNECTION;
        if spec.element == ParameterType::HANDLE && *entity.stage.lock() != Stage::Open && !in_time
        {
            return Err(Error::new(
                ResultCode::PARAMETER_CAN_NOT_MODIFY_CONSTANT,
                format!(
                    "parameter `{key}` of component `{}` leads to another component; that cannot \
                     change while the graph is active",
                    component.label()
                ),
            ));
        }
        match runner {
            Some(runner) => {
                // What a term waits for determines who wakes its entity.
                let is_term = component.is_a(tids::SCHEDULING_TERM);
                let changing = is_term.then(|| self.change()).transpose()?;
                runner.set_parameter(&component, index, spec, value)?;
                if let Some(changing) = changing {
                    self.wire_again(&changing);
                }
                runner.notify();
                Ok(())
            }
            None => self.calls.during_function(&entity, &component, "set_parameter", || {
                component.set_parameter(index, spec, value)
            }),
        }
    }

    /// The value and the description of a parameter.
    pub fn parameter(&self, cid: Uid, key: &str) -> Result<(ParameterSpec, ParameterValue)> {
        let component = self.graph.component(cid)?;
        let spec = component.type_info().parameter(key).map(|(_, spec)| spec.clone());
        match (component.parameter(key), spec) {
            (Some(value), Some(spec)) => Ok((spec, value)),
            (Some(value), None) => {
                let (element, rank) = value.natural_type();
                let mut spec = ParameterSpec::new(key, element, rank);
                spec.flags = PARAMETER_DYNAMIC;
                Ok((spec, value))
            }
            (None, Some(_)) => Err(Error::new(
                ResultCode::PARAMETER_NOT_INITIALIZED,
                format!("parameter `{key}` of component `{}` has no value", component.label()),
            )),
            (None, None) => Err(Error::new(
                ResultCode::PARAMETER_NOT_FOUND,
                format!(
                    "component `{}` ({}) has no parameter `{key}`",
                    component.label(),
                    component.type_info().name
                ),
            )),
        }
    }

    /// Whether a component can take this value.
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
                "the name of a component cannot change",
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
                if spec.handle_tid.is_null() || target.serves_as(spec.handle_tid) {
                    return Ok(());
                }
                let cause = self.graph.wrong_type(&target, spec.handle_tid);
                let text = format!("parameter `{}` leads to another type", spec.key);
                Err(Error::new(ResultCode::PARAMETER_INVALID_TYPE, text).caused_by(cause))
            }
            value => {
                let Some(number) = value.number() else { return Ok(()) };
                if !spec.limits_bind || spec.allows(number) {
                    return Ok(());
                }
                out_of_range(format!("{number} is out of range; allowed: {}", spec.limits()))
            }
        }
    }
}

impl Context {
    /// Sets a parameter; `None` removes its value. A payload has only its name, `__name`.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`, `PARAMETER_INVALID_TYPE`, `PARAMETER_OUT_OF_RANGE`,
    /// `PARAMETER_CAN_NOT_MODIFY_CONSTANT`; `QUERY_NOT_APPLICABLE` for a payload,
    /// `CONTRACT_INVALID_SEQUENCE` if its message has other holders
    pub fn set_parameter(&self, cid: Uid, key: &str, value: Option<ParameterValue>) -> Result<()> {
        if let Some(ParameterValue::String(name)) = &value
            && key == NAME_KEY
            && is_message_id(cid)
        {
            return self.rename_payload(cid, name);
        }
        self.inner().check_parameter(cid, key, value.as_ref())?;
        self.inner().set_parameter(cid, key, value)
    }

    /// The current value of a parameter, or its default.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`, `PARAMETER_NOT_FOUND`, `PARAMETER_NOT_INITIALIZED`;
    /// `QUERY_NOT_APPLICABLE` for a payload
    pub fn parameter(&self, cid: Uid, key: &str) -> Result<ParameterValue> {
        if key == NAME_KEY {
            return self.component_name(cid).map(ParameterValue::String);
        }
        self.inner().real_component(cid)?;
        self.inner().parameter(cid, key).map(|(_, value)| value)
    }

    /// The place in a file that sets a parameter; `None` if no file does.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`; `QUERY_NOT_APPLICABLE` for a payload
    pub fn parameter_place(&self, cid: Uid, key: &str) -> Result<Option<Span>> {
        Ok(self.inner().real_component(cid)?.parameter_place(key))
    }

    /// The description of a parameter; `None` for a key that the type does not have.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`; `QUERY_NOT_APPLICABLE` for a payload
    pub fn parameter_spec(&self, cid: Uid, key: &str) -> Result<Option<ParameterSpec>> {
        let component = self.inner().real_component(cid)?;
        Ok(component.type_info().parameter(key).map(|(_, spec)| spec.clone()))
    }

    /// Applies one of [`GraphValues::changes`], even while the graph runs.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `ENTITY_COMPONENT_NOT_FOUND`, and the errors of
    /// [`Context::set_parameter`]
    pub fn apply_change(&self, change: &ParameterChange) -> Result<()> {
        let components = self.inner().graph.find_entity(&change.entity)?.components();
        let component = components.get(change.component).ok_or_else(|| {
            let text = format!("there is no component for `{}`", change.path);
            Error::new(ResultCode::ENTITY_COMPONENT_NOT_FOUND, text)
        })?;
        self.set_parameter(component.cid(), &change.key, change.value.clone())
    }

    /// Sets a parameter from YAML text, as a file would. Handles are looked up within the subgraph
    /// of `prefix` first.
    ///
    /// # Errors
    /// `PARAMETER_PARSER_ERROR`, and the errors of [`Context::set_parameter`]
    pub fn set_parameter_yaml(&self, cid: Uid, key: &str, yaml: &str, prefix: &str) -> Result<()> {
        let inner = self.inner();
        let component = inner.real_component(cid)?;
        let failed = |problems: Diagnostics| {
            Error::from_diagnostics(format!("parameter `{key}` cannot be set"), problems)
        };
        let source = gxf_app::Source::new("<value>", yaml);
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
        let scope = Scope { inner, prefix, broken: Broken::default() };
        let entity = inner.graph.entity(component.eid())?;
        let mut setter = ParameterSetter::new(&scope, entity, true);
        let value = setter.read(spec, &node, &source).map_err(all)?;
        inner.warnings.lock().extend(setter.warnings);
        // An unspecified handle is no value.
        self.set_parameter(cid, key, value)
    }
}
