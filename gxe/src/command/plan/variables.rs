//! Variables, each of which is one memory, so that its users are in one process.

use gxf_plan::{Kind, Plan, Register};
use gxf_plugin_abi::{ResultCode, Uid};
use gxf_runtime::Context;
use gxf_runtime::graph::{Diagnostic, Diagnostics, ParameterValue};
use std::collections::{BTreeMap, BTreeSet};

const VARIABLE: &str = "gxe::Variable";

/// The components of a graph that name each other.
#[derive(Default)]
struct Graph {
    /// By component: its entity.
    entities: BTreeMap<Uid, String>,
    /// By component: those that name it.
    users: BTreeMap<Uid, Vec<Uid>>,
    /// By name as `entity/component`.
    variables: Vec<(String, Uid)>,
}

/// The variables that a plan divides: entities of several ranks use them.
///
/// # Errors
/// The graph cannot be read.
pub fn divided(context: &Context, plan: &Plan) -> anyhow::Result<Diagnostics> {
    let graph = Graph::of(context)?;
    let ranks: BTreeMap<&str, u32> = plan
        .tasks
        .iter()
        .filter_map(|task| Some((&*task.name, plan.streams.get(task.stream as usize)?.rank)))
        .collect();
    let mut findings = Diagnostics::new();
    for (name, variable) in &graph.variables {
        let mut users = graph.users_of(*variable, |entity| ranks.contains_key(entity));
        users.extend(writers(plan, name));
        let users: Vec<(&str, u32)> =
            users.into_iter().filter_map(|user| Some((user, *ranks.get(user)?))).collect();
        let of_ranks: BTreeSet<u32> = users.iter().map(|(_, rank)| *rank).collect();
        if of_ranks.len() < 2 {
            continue;
        }
        let users: Vec<String> =
            users.iter().map(|(user, rank)| format!("`{user}` (rank {rank})")).collect();
        let text = format!(
            "variable `{name}` is one memory, and entities of several ranks use it: {}",
            users.join(", ")
        );
        let problem = Diagnostic::error(ResultCode::ARGUMENT_INVALID, text).found_by("variable");
        findings.push(problem.help(
            "give their tasks streams of one rank: write the plan with `-o PLAN`, edit it, and \
             split it with `--check PLAN`",
        ));
    }
    Ok(findings)
}

/// The tasks that write into a variable: that of the register which is bound to it, and those that
/// change its messages in place.
fn writers<'p>(plan: &'p Plan, variable: &str) -> Vec<&'p str> {
    let registers = || plan.registers.iter().filter(|register| register.kind == Kind::Data);
    let is_bound = |register: &&Register| register.variable.as_deref() == Some(variable);
    let mut bound: Vec<&Register> = registers().filter(is_bound).collect();
    let mut known = 0;
    while let Some(source) = bound.get(known) {
        let is_new = |register: &&Register| {
            register.in_place.as_ref() == Some(&source.name)
                && !bound.iter().any(|one| one.name == register.name)
        };
        let behind: Vec<&Register> = registers().filter(is_new).collect();
        bound.extend(behind);
        known += 1;
    }
    bound.into_iter().map(|register| &*register.producer).collect()
}

impl Graph {
    fn of(context: &Context) -> anyhow::Result<Self> {
        let mut graph = Self::default();
        for eid in context.entities() {
            let entity = context.entity_name(eid)?;
            for cid in context.component_ids(eid)? {
                graph.entities.insert(cid, entity.clone());
                let Some(info) = context.type_info_by_id(context.component_type(cid)?) else {
                    continue;
                };
                if info.name == VARIABLE {
                    let name = context.component_name(cid)?;
                    let label = if name.is_empty() { VARIABLE } else { &name };
                    graph.variables.push((format!("{entity}/{label}"), cid));
                }
                for spec in &info.parameters {
                    let Ok(value) = context.parameter(cid, &spec.key) else { continue };
                    graph.add(cid, &value);
                }
            }
        }
        Ok(graph)
    }

    /// A component has a parameter of this value.
    fn add(&mut self, user: Uid, value: &ParameterValue) {
        match value {
            ParameterValue::Component(cid) => self.users.entry(*cid).or_default().push(user),
            ParameterValue::List(items) => items.iter().for_each(|item| self.add(user, item)),
            _ => {}
        }
    }

    /// The tasks that use a component, and that of its own entity. Entities that are no tasks are in
    /// all ranks, so their users count.
    fn users_of(&self, component: Uid, is_task: impl Fn(&str) -> bool) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::from([component]);
        let mut next = vec![component];
        while let Some(one) = next.pop() {
            let task = self.entities.get(&one).filter(|entity| is_task(entity));
            found.extend(task.map(String::as_str));
            // Whoever names a component of a task does not use what that one uses.
            if task.is_some() && one != component {
                continue;
            }
            let users = self.users.get(&one).into_iter().flatten();
            next.extend(users.filter(|user| seen.insert(**user)));
        }
        found
    }
}
