//! `EntityGroups`: groups of entities that share resources.

use super::Loader;
use gxf_app::model::AppFile;
use gxf_app::source::Spanned;
use gxf_app::{CompactString, Diagnostic};
use gxf_plugin_abi::{ResultCode, Uid};

impl Loader<'_> {
    /// Moves the entities named in a file to their groups.
    pub(super) fn move_to_groups(&mut self, app: &AppFile, prefix: &str) {
        for group in &app.entity_groups {
            let gid = self.inner.graph.group_named(&group.name.value);
            for target in &group.targets {
                let Some(eid) = self.entity_of_group(target, prefix) else { continue };
                if self.inner.graph.groups.lock().of(eid) == gid {
                    continue;
                }
                if let Err(error) = self.inner.graph.move_to_group(gid, eid) {
                    self.diagnostics.push(Diagnostic::from(&error).at(target.span.clone()));
                }
            }
        }
    }

    /// The entity that a group names; looks within the subgraph first.
    fn entity_of_group(&mut self, target: &Spanned<CompactString>, prefix: &str) -> Option<Uid> {
        let store = self.inner.graph.store.read();
        let inside = store.entity_named(&format!("{prefix}{}", target.value));
        if let Some(entity) = inside.or_else(|| store.entity_named(&target.value)) {
            return Some(entity.eid());
        }
        let near = self.near(&target.value, store.entity_names());
        let near = near.map(|near| near.strip_prefix(prefix).unwrap_or(near).to_owned());
        let problem = Diagnostic::error(
            ResultCode::ENTITY_NOT_FOUND,
            format!("there is no entity `{}`", target.value),
        )
        .at(target.span.clone())
        .label("an entity group consists of entities of the graph")
        .suggest(near.as_deref());
        drop(store);
        self.diagnostics.push(problem);
        None
    }
}
