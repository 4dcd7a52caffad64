//! Collectives whose members are on several ranks: one member of each rank gets links to those before
//! and behind it, so that the ranks form a ring.

use super::nodes::{
    component, components, name_of, number, parameter, text, type_of, with_parameters,
};
use anyhow::anyhow;
use gxf_plan::Plan;
use gxf_runtime::graph::yaml::Node;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const MEMBERS: [&str; 3] =
    ["gxe::actors::AllReduce", "gxe::actors::AllGather", "gxe::actors::Broadcast"];

/// A rank on a ring.
pub struct Place {
    collective: String,
    /// The rank, and the entity of the member with the links.
    pub rank: u32,
    entity: String,
    /// The port of the link from the rank before it.
    port: u16,
    /// The rank behind it, its entity and the port of its link.
    next: (u32, String, u16),
    processes: usize,
    capacity: u64,
}

/// Whether a component is a member of this collective.
fn is_member(one: &Node, collective: &str) -> bool {
    MEMBERS.contains(&type_of(one)) && parameter(one, "collective") == Some(collective)
}

/// The members of a collective.
#[derive(Default)]
struct Ring<'a> {
    /// By rank: the first member there.
    ranks: BTreeMap<u32, &'a str>,
    /// The number of each member.
    numbers: Vec<u64>,
    /// How many there are, as each says.
    counts: BTreeSet<u64>,
}

impl Ring<'_> {
    /// Checks that each member of a collective is there once: over several ranks, nobody sees that one
    /// is missing.
    ///
    /// # Errors
    /// One is missing, or there twice, or they disagree about their number.
    fn check(&self, collective: &str) -> anyhow::Result<u64> {
        let mut counts = self.counts.iter().copied();
        let (count, None) = (counts.next().unwrap_or(1), counts.next()) else {
            let counts: Vec<_> = self.counts.iter().map(u64::to_string).collect();
            let counts = counts.join(" and ");
            return Err(anyhow!(
                "the members of collective `{collective}` disagree: `members` is {counts}"
            ));
        };
        let mut numbers = self.numbers.clone();
        numbers.sort_unstable();
        let is_wrong = |(place, number): &(u64, u64)| place != number;
        match (0..).zip(numbers.iter().copied()).find(is_wrong) {
            Some((place, number)) if number > place => {
                Err(number_missing(collective, count, place))
            }
            Some((_, number)) => {
                Err(anyhow!("collective `{collective}` has two members with number {number}"))
            }
            None if (numbers.len() as u64) < count => {
                Err(number_missing(collective, count, numbers.len() as u64))
            }
            None => Ok(count),
        }
    }
}

fn number_missing(collective: &str, count: u64, number: u64) -> anyhow::Error {
    anyhow!("collective `{collective}` has {count} members, and number {number} is missing")
}

/// The places of all rings. Each link has a port of its own.
///
/// # Errors
/// There are no ports left, or a collective over several ranks is not complete.
pub fn places(
    documents: &[Node],
    plan: &Plan,
    mut port: impl FnMut() -> anyhow::Result<u16>,
) -> anyhow::Result<Vec<Place>> {
    let mut rings: BTreeMap<&str, Ring<'_>> = BTreeMap::new();
    for document in documents {
        let Some(entity) = name_of(document) else { continue };
        let Some(rank) = plan.rank_of(entity) else { continue };
        for member in components(document).filter(|one| MEMBERS.contains(&type_of(one))) {
            let Some(collective) = parameter(member, "collective") else { continue };
            let number = |key| parameter(member, key).and_then(|text| text.parse::<u64>().ok());
            let ring = rings.entry(collective).or_default();
            ring.ranks.entry(rank).or_insert(entity);
            ring.numbers.extend(number("member"));
            ring.counts.extend(number("members"));
        }
    }
    let mut places = Vec::new();
    for (collective, ring) in rings.into_iter().filter(|(_, ring)| ring.ranks.len() > 1) {
        let members = ring.check(collective)?;
        let ports = ring.ranks.iter().map(|_| port()).collect::<anyhow::Result<Vec<u16>>>()?;
        let ranks: Vec<_> = ring.ranks.into_iter().zip(ports).collect();
        let behind = ranks.iter().cycle().skip(1);
        for (((rank, entity), port), ((next, next_entity), next_port)) in ranks.iter().zip(behind) {
            places.push(Place {
                collective: collective.to_owned(),
                rank: *rank,
                entity: (*entity).to_owned(),
                port: *port,
                next: (*next, (*next_entity).to_owned(), *next_port),
                processes: ranks.len(),
                capacity: members.saturating_mul(2),
            });
        }
    }
    Ok(places)
}

impl Place {
    /// The name of one of the components that it adds to its entity.
    fn name(&self, what: &str) -> String {
        format!("{}_{what}", self.collective)
    }

    /// The connection to the next place.
    pub fn connection(&self) -> Value {
        let (rank, entity, _) = &self.next;
        let [next, previous] = ["next", "previous"].map(|what| self.name(what));
        json!({
            "source": format!("rank{}.{}.{next}", self.rank, self.entity),
            "target": format!("rank{rank}.{entity}.{previous}"),
        })
    }

    /// Adds the links to the components of its entity; does nothing for other entities.
    ///
    /// # Errors
    /// The member is gone.
    pub fn add_links(&self, entity: Option<&str>, its: &mut Vec<Node>) -> anyhow::Result<()> {
        if entity != Some(&self.entity) {
            return Ok(());
        }
        let [next, previous, buffer, allocator] =
            ["next", "previous", "buffer", "allocator"].map(|what| self.name(what));
        let member = its.iter_mut().find(|one| is_member(one, &self.collective));
        let member = member.ok_or_else(|| anyhow!("a member of a collective is gone"))?;
        *member = with_parameters(
            member,
            &[
                ("processes", number(self.processes)),
                ("rank", number(self.rank)),
                ("next", text(&next)),
                ("previous", text(&previous)),
            ],
        );
        let link = |port: u16| {
            [("buffer", text(&buffer)), ("capacity", number(self.capacity)), ("port", number(port))]
        };
        its.extend([
            component(&allocator, "nvidia::gxf::UnboundedAllocator", &[]),
            component(
                &buffer,
                "nvidia::gxf::UcxSerializationBuffer",
                &[("allocator", text(&allocator))],
            ),
            component(&next, "nvidia::gxf::UcxTransmitter", &link(self.next.2)),
            component(&previous, "nvidia::gxf::UcxReceiver", &link(self.port)),
        ]);
        Ok(())
    }
}
