//! The graph.

use crate::border::{Text, elements, logged, text, text_or_empty};
use gxf_plugin_abi::{ResultCode, Uid};
use gxf_runtime::graph::{Diagnostics, ParameterOverride, parse_override};
use gxf_runtime::{Context, Error, Result};
use std::ffi::c_void;
use std::path::Path;

/// # Safety
/// `texts` must be null or point to that many null pointers or C strings.
unsafe fn overrides(texts: *const Text, count: u32) -> Result<Vec<ParameterOverride>> {
    // SAFETY: the caller's promise.
    let texts = unsafe { elements(texts, u64::from(count), ResultCode::ARGUMENT_NULL) }?;
    let parse = |(index, given): (usize, &Text)| {
        // SAFETY: the caller's promise.
        parse_override(unsafe { text(*given) }?, index + 1).map_err(|problem| {
            Error::from_diagnostics("an override cannot be used", Diagnostics::from(problem))
        })
    };
    texts.iter().enumerate().map(parse).collect()
}

/// What a load warned of; a program has nobody else to tell.
fn log_warnings(context: &Context) {
    let warnings = context.take_warnings();
    if warnings.warnings() > 0 {
        tracing::warn!("{}", warnings.render(false).trim_end());
    }
}

fn loaded(context: &Context, result: Result<()>) -> Result<()> {
    log_warnings(context);
    logged(result).map_err(|error| match error.code() {
        // As in GXF: to a program, a file that is missing is one that cannot be loaded.
        ResultCode::FILE_NOT_FOUND => {
            Error::new(ResultCode::FAILURE, error.to_string()).caused_by(error)
        }
        _ => error,
    })
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
            let text = "prerequisites are an object of GXF's own C++ library";
            return Err(Error::new(ResultCode::NOT_IMPLEMENTED, text));
        }
        let given = logged(overrides(given, count))?;
        let parent = (parent != 0).then_some(parent);
        let (path, prefix) = (Path::new(text(name)?), text_or_empty(prefix)?);
        loaded(context, context.load_app_below(path, prefix, parent, &given))
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
}
