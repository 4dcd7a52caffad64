//! The graph.

use crate::boundary::{Text, elements, logged, text, text_or_empty};
use gxf_plugin_abi::{ResultCode, Uid};
use gxf_runtime::graph::{Diagnostics, ParameterOverride, parse_override};
use gxf_runtime::{Context, Error, Result};
use std::ffi::c_void;
use std::path::Path;
use std::time::Duration;

/// # Safety
/// `texts` must be null or point to that many null pointers or C strings.
unsafe fn overrides(texts: *const Text, count: u32) -> Result<Vec<ParameterOverride>> {
    // SAFETY: `texts` is null or points to that many null pointers or C strings.
    let texts = unsafe { elements(texts, u64::from(count), ResultCode::ARGUMENT_NULL) }?;
    let parse = |(index, given): (usize, &Text)| {
        // SAFETY: `texts` is null or points to that many null pointers or C strings.
        parse_override(unsafe { text(*given) }?, index + 1).map_err(|problem| {
            Error::from_diagnostics("an override cannot be used", Diagnostics::from(problem))
        })
    };
    texts.iter().enumerate().map(parse).collect()
}

/// Logs the warnings of a load, because the C API cannot return them.
fn log_warnings(context: &Context) {
    let warnings = context.take_warnings();
    if warnings.warnings() > 0 {
        tracing::warn!("{}", warnings.render(false).trim_end());
    }
}

fn loaded(context: &Context, result: Result<()>) -> Result<()> {
    log_warnings(context);
    logged(result)
}

/// # Safety
/// The texts must be null or C strings.
unsafe fn load_below(
    context: &Context,
    name: Text,
    prefix: Text,
    parent: Uid,
    prerequisites: &[(&str, Uid)],
    given: &[ParameterOverride],
) -> Result<()> {
    let parent = (parent != 0).then_some(parent);
    // SAFETY: the texts are null or C strings.
    let (path, prefix) = unsafe { (Path::new(text(name)?), text_or_empty(prefix)?) };
    loaded(context, context.load_app_below(path, prefix, parent, prerequisites, given))
}

api! {
    fn GxfGraphLoadFile(name: Text, given: *const Text, count: u32) |context| {
        let given = logged(overrides(given, count))?;
        loaded(context, context.load_app(Path::new(text(name)?), &given))
    }

    fn GxfGraphLoadFileExtended(
        name: Text,
        prefix: Text,
        given: *const Text,
        count: u32,
        parent: Uid,
        prerequisites: *mut c_void,
    ) |context| {
        if !prerequisites.is_null() {
            let text = "prerequisites are a C++ map, which the C API cannot read; pass their names \
                        and ids to GxfGraphLoadFileWithPrerequisites";
            return logged(Err(Error::new(ResultCode::NOT_IMPLEMENTED, text)));
        }
        let given = logged(overrides(given, count))?;
        load_below(context, name, prefix, parent, &[], &given)
    }

    fn GxfGraphLoadFileWithPrerequisites(
        name: Text,
        prefix: Text,
        given: *const Text,
        count: u32,
        parent: Uid,
        prerequisite_names: *const Text,
        prerequisite_cids: *const Uid,
        num_prerequisites: u32,
    ) |context| {
        let number = u64::from(num_prerequisites);
        let names = elements(prerequisite_names, number, ResultCode::ARGUMENT_NULL)?;
        let cids = elements(prerequisite_cids, number, ResultCode::ARGUMENT_NULL)?;
        let pairs = names.iter().zip(cids).map(|(name, cid)| Ok((text(*name)?, *cid)));
        let prerequisites = pairs.collect::<Result<Vec<_>>>()?;
        let given = logged(overrides(given, count))?;
        load_below(context, name, prefix, parent, &prerequisites, &given)
    }

    fn GxfGraphParseString(content: Text, given: *const Text, count: u32) |context| {
        let given = logged(overrides(given, count))?;
        loaded(context, context.load_app_text("<text>", text(content)?, &given))
    }

    fn GxfGraphSaveToFile(name: Text) |context| {
        logged(context.save(Path::new(text(name)?)))
    }

    fn GxfGraphSetRootPath(path: Text) |context| {
        context.set_root_path(text(path)?);
        Ok(())
    }

    fn GxfGraphActivate() |context| {
        logged(context.activate())
    }

    fn GxfGraphDeactivate() |context| {
        logged(context.deactivate())
    }

    fn GxfGraphRunAsync() |context| {
        logged(context.run_async())
    }

    fn GxfGraphInterrupt() |context| {
        context.interrupt()
    }

    fn GxfGraphWait() |context| {
        logged(context.wait())
    }

    fn GxfGraphRun() |context| {
        logged(context.run())
    }

    fn GxfGraphRunEpoch(budget_ms: f32) |context| {
        // NaN is not positive either.
        let budget = if budget_ms > 0.0 {
            Duration::try_from_secs_f64(f64::from(budget_ms) / 1e3)
                .map_or(Duration::MAX, |budget| budget.max(Duration::from_nanos(1)))
        } else {
            Duration::ZERO
        };
        logged(context.run_epoch(budget)).map(|_| ())
    }
}
