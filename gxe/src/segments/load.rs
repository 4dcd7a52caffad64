//! Loads segments.

use super::{Segment, Segments};
use crate::loading::add_paths;
use crate::options::GraphOptions;
use gxf_runtime::Context;
use gxf_runtime::graph::{Diagnostic, Diagnostics, Span};
use std::path::{Path, PathBuf};

/// A segment in a context of its own.
pub(super) struct Loaded<'a> {
    pub segment: &'a Segment,
    pub context: Context,
    /// What is wrong with its files.
    pub findings: Diagnostics,
}

impl Loaded<'_> {
    pub fn name(&self) -> &str {
        &self.segment.files.name
    }

    /// Adds what is wrong with a file that is named at a place. What has no place itself, such as a
    /// file that is missing, is found there.
    fn failed(&mut self, error: &gxf_runtime::Error, place: &Span, root: Option<&Path>) {
        let of = |text: &str| format!("segment `{}`: {text}", self.segment.files.name);
        let below = match root {
            Some(root) => format!("paths of segments begin in the folder `{}`", root.display()),
            None => {
                "paths of segments begin in the folder of --app-root, or the current one".into()
            }
        };
        let Some(found) = error.diagnostics().filter(|found| found.errors() > 0) else {
            let finding = Diagnostic::error(error.code(), of(&error.to_string()));
            self.findings.push(finding.at(place.clone()));
            return;
        };
        for finding in found.iter().cloned() {
            self.findings.push(match &finding.span {
                Some(_) => finding,
                None => {
                    let message = of(&finding.message);
                    Diagnostic { message, ..finding }.at(place.clone()).help(below.clone())
                }
            });
        }
    }
}

impl Segments {
    /// Loads every segment, without a driver or workers. Of graphs that are only read, missing
    /// libraries are no mistakes.
    pub(super) fn load(&self, options: &GraphOptions, is_only_read: bool) -> Vec<Loaded<'_>> {
        let root = self.root.as_deref();
        let path = |text: &str| root.map_or_else(|| PathBuf::from(text), |root| root.join(text));
        let load = |segment| {
            let context = Context::new();
            if is_only_read {
                context.only_read();
            }
            add_paths(&context, options);
            if let Some(root) = root {
                context.set_file_root(root);
            }
            let mut loaded = Loaded { segment, context, findings: Diagnostics::new() };
            let Segment { files, places, .. } = segment;
            if let Some(manifest) = &files.manifest
                && let Err(error) = loaded.context.load_manifest(&path(manifest), root)
            {
                let place = places.manifest.as_ref().unwrap_or(&places.name);
                loaded.failed(&error, place, root);
                if is_only_read {
                    let missing = std::mem::take(&mut loaded.findings).into_iter();
                    loaded.findings.extend(missing.map(Diagnostic::as_warning));
                }
            }
            // Without its libraries an app has no types.
            if loaded.findings.errors() == 0 {
                let mut apps = vec![path(&files.app)];
                apps.extend(files.parameters.as_deref().map(path));
                if let Err(error) = loaded.context.load_apps(&apps, &[]) {
                    let is_first = apps[0].is_file();
                    let place = places.parameters.as_ref().filter(|_| is_first);
                    loaded.failed(&error, place.unwrap_or(&places.app), root);
                }
            }
            loaded.findings.extend(loaded.context.take_warnings());
            loaded
        };
        self.list.iter().map(load).collect()
    }
}
