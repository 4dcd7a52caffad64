//! What the files say, in their order.

use gxf_app::Spanned;

/// The value of a key.
#[derive(Clone, Debug)]
pub(crate) enum Field<T> {
    /// The key is not there.
    Absent,
    /// The key is there, and a mistake in its value was reported.
    Wrong,
    /// The value.
    Given(Spanned<T>),
}

impl<T> Field<T> {
    pub(crate) fn given(&self) -> Option<&Spanned<T>> {
        match self {
            Self::Given(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

impl<T> From<Option<Spanned<T>>> for Field<T> {
    fn from(value: Option<Spanned<T>>) -> Self {
        value.map_or(Self::Wrong, Self::Given)
    }
}

#[derive(Debug)]
pub(crate) struct RawGraph {
    pub name: Option<Spanned<String>>,
    /// Version 3.0.0 or later.
    pub has_socs: bool,
    pub identifier: Field<u16>,
    /// Names of the SOCs.
    pub socs: Vec<Spanned<String>>,
    pub resources: Vec<RawResource>,
    pub hyperepochs: Vec<RawHyperepoch>,
    pub clients: Vec<RawClient>,
    /// Whether a part was unreadable, so that names may be missing that the file has.
    pub is_partial: bool,
}

#[derive(Debug)]
pub(crate) struct RawResource {
    pub type_name: Spanned<String>,
    pub name: Spanned<String>,
    /// The text behind the name: a limit, or the engine of a stream.
    pub mapped: Option<Spanned<String>>,
    pub soc: Option<String>,
}

#[derive(Debug)]
pub(crate) struct RawHyperepoch {
    pub name: Spanned<String>,
    pub period: Field<u64>,
    pub resources: Option<Vec<Spanned<String>>>,
    pub epochs: Vec<RawEpoch>,
}

#[derive(Debug)]
pub(crate) struct RawEpoch {
    pub name: Spanned<String>,
    pub period: Field<u64>,
    pub frames: Field<u32>,
    pub alias_groups: Vec<RawAliasGroup>,
}

#[derive(Debug)]
pub(crate) struct RawAliasGroup {
    pub name: Spanned<String>,
    pub steps: Vec<Option<Spanned<String>>>,
}

#[derive(Debug)]
pub(crate) struct RawClient {
    pub name: Spanned<String>,
    pub soc: Option<Spanned<String>>,
    pub resources: Vec<RawResource>,
    pub epochs: Vec<(Spanned<String>, Vec<RawRunnable>)>,
}

#[derive(Debug)]
pub(crate) struct RawRunnable {
    pub name: Spanned<String>,
    pub wcet: Field<u64>,
    pub start_time: Field<u64>,
    pub deadline: Field<u64>,
    /// `None` if the key is missing.
    pub resources: Option<Vec<Spanned<String>>>,
    pub dependencies: Vec<Spanned<String>>,
    pub submits: Field<String>,
    pub priority: Field<u8>,
    /// Place of `Extern: true`.
    pub external: Field<()>,
}
