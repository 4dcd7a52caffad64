//! A compute graph that keeps every rule: names are resolved to indexes, times are nanoseconds.

use gxf_app::Span;

/// A compute graph.
///
/// Every index of the model belongs to the list of the same name here.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The graph's name, the top-level key beside `Version`.
    pub name: String,
    /// Id of the schedules made of it; assigned from the name where the file has none.
    pub identifier: u16,
    /// Global resources in file order, then those of each client.
    pub resources: Vec<Resource>,
    /// Hyperepochs in file order.
    pub hyperepochs: Vec<Hyperepoch>,
    /// Epochs of all hyperepochs.
    pub epochs: Vec<Epoch>,
    /// Clients in file order.
    pub clients: Vec<Client>,
    /// Runnables of all clients.
    pub runnables: Vec<Runnable>,
}

impl Graph {
    /// `client.runnable`.
    #[must_use]
    pub fn runnable_name(&self, index: usize) -> String {
        let runnable = &self.runnables[index];
        format!("{}.{}", self.clients[runnable.client].name, runnable.name)
    }

    /// The work of a submitter, if its `StartTime` delays the submitter.
    #[must_use]
    pub fn delayed_by(&self, submitter: usize) -> Option<usize> {
        let runnable = &self.runnables[submitter];
        let is_why = |work: &usize| self.runnables[*work].start_time == runnable.start_time;
        runnable.submits.filter(|_| runnable.start_time > 0).filter(is_why)
    }

    /// `hyperepoch.epoch`.
    #[must_use]
    pub fn epoch_name(&self, index: usize) -> String {
        let epoch = &self.epochs[index];
        format!("{}.{}", self.hyperepochs[epoch.hyperepoch].name, epoch.name)
    }

    /// The name under which schedules refer to a resource: that of a local one begins with its
    /// client, and with several SOCs that of a global one with its SOC.
    #[must_use]
    pub fn resource_name(&self, index: usize) -> String {
        let resource = &self.resources[index];
        match (&resource.soc, resource.client) {
            (_, Some(client)) => format!("{}.{}", self.clients[client].name, resource.name),
            (Some(soc), None) => format!("{soc}.{}", resource.name),
            (None, None) => resource.name.clone(),
        }
    }

    /// The resource's CPU, GPU or other engine, if it is one.
    #[must_use]
    pub fn engine(&self, resource: usize) -> Option<Engine> {
        match self.resources[resource].kind {
            ResourceKind::Engine(engine) => Some(engine),
            _ => None,
        }
    }

    /// The engine that a runnable executes on.
    #[must_use]
    pub fn engine_of(&self, runnable: usize) -> Option<Engine> {
        let needs = self.runnables[runnable].needs.iter();
        needs.filter_map(|need| self.engine(*need.candidates.first()?)).next()
    }

    /// The need of a submitter for the stream that its work goes through; `None` if it holds none, or
    /// several, so that nobody knows which.
    #[must_use]
    pub fn stream_need(&self, runnable: usize) -> Option<usize> {
        let is_stream = |need: &Need| {
            let first = need.candidates.first();
            first.is_some_and(|first| self.resources[*first].leads_to.is_some())
        };
        let needs = self.runnables[runnable].needs.iter().enumerate();
        let mut streams = needs.filter(|(_, need)| is_stream(need)).map(|(at, _)| at);
        streams.next().filter(|_| streams.next().is_none())
    }

    /// Whether the work of two submitters may go through one stream, which executes it in the order
    /// of its submission.
    #[must_use]
    pub fn may_share_stream(&self, one: usize, other: usize) -> bool {
        let streams = |runnable: usize| {
            Some(&self.runnables[runnable].needs[self.stream_need(runnable)?].candidates)
        };
        let (Some(one), Some(other)) = (streams(one), streams(other)) else { return false };
        one.iter().any(|stream| other.contains(stream))
    }
}

/// A time line that holds one runnable at a time.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The instance's name.
    pub name: String,
    /// The type as written.
    pub type_name: String,
    /// What it is.
    pub kind: ResourceKind,
    /// The client whose runnables alone may use it; `None` for a global resource.
    pub client: Option<usize>,
    /// The SOC it is part of, in a graph that names several.
    pub soc: Option<String>,
    /// The hyperepoch that owns it; a local resource has none, and need not.
    pub hyperepoch: Option<usize>,
    /// The engine that a stream leads to.
    pub leads_to: Option<usize>,
    /// Place of its name.
    pub span: Span,
}

/// What a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// Hardware that executes runnables.
    Engine(Engine),
    /// A stream or handle of a client, through which it submits work to an engine.
    Stream,
    /// A scheduling mutex: any type that is not known.
    Mutex,
}

/// Kinds of hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Engine {
    /// A processor core.
    Cpu,
    /// A graphics processor.
    Gpu,
    /// A vector processor.
    Vpu,
    /// A programmable vision accelerator.
    Pva,
    /// A deep-learning accelerator.
    Dla,
}

impl Engine {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Cpu, Self::Gpu, Self::Vpu, Self::Pva, Self::Dla];

    /// The resource type, which also begins the names of its instances.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Gpu => "GPU",
            Self::Vpu => "VPU",
            Self::Pva => "PVA",
            Self::Dla => "DLA",
        }
    }

    /// The kind with a resource type's name.
    #[must_use]
    pub fn named(type_name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.name() == type_name)
    }
}

/// A partition of the resources that repeats with one period.
#[derive(Clone, Debug)]
pub struct Hyperepoch {
    /// Its name.
    pub name: String,
    /// Time between two starts, in nanoseconds; written or inferred. `None` starts again as soon as
    /// it ends.
    pub period: Option<u64>,
    /// The resources it owns.
    pub resources: Vec<usize>,
    /// Its epochs.
    pub epochs: Vec<usize>,
    /// Place of its name.
    pub span: Span,
}

/// A series of frames inside a hyperepoch.
#[derive(Clone, Debug)]
pub struct Epoch {
    /// Its name, unique in the hyperepoch.
    pub name: String,
    /// The hyperepoch.
    pub hyperepoch: usize,
    /// Time between two frames, in nanoseconds. `None` starts a frame when the one before is done.
    pub period: Option<u64>,
    /// Frames in each period of the hyperepoch.
    pub frames: u32,
    /// Slots in which runnables take turns.
    pub alias_groups: Vec<AliasGroup>,
    /// Place of its name.
    pub span: Span,
}

/// Runnables that take turns, frame by frame.
#[derive(Clone, Debug)]
pub struct AliasGroup {
    /// Its name.
    pub name: String,
    /// What runs in frame *k*, at *k* modulo the length; `None` runs nothing.
    pub steps: Vec<Option<usize>>,
}

/// A process.
#[derive(Clone, Debug)]
pub struct Client {
    /// Its name.
    pub name: String,
    /// Place of its name.
    pub span: Span,
}

/// A task on one engine.
#[derive(Clone, Debug)]
pub struct Runnable {
    /// Its name, unique in the client.
    pub name: String,
    /// The client.
    pub client: usize,
    /// The epoch.
    pub epoch: usize,
    /// Worst-case execution time in nanoseconds.
    pub wcet: u64,
    /// Earliest start after the start of its frame, in nanoseconds.
    pub start_time: u64,
    /// Wished end after the start of its frame, in nanoseconds.
    pub deadline: Option<u64>,
    /// What it holds while it runs; the first one is its engine.
    pub needs: Vec<Need>,
    /// Runnables that end before it starts, its submitter included.
    pub dependencies: Vec<usize>,
    /// Runnables that end before it starts because the work that it submits waits for them: nobody
    /// can hold work back that is submitted. Where the work of both may go through one stream, the
    /// submitter of the first stands for its work.
    pub before_work: Vec<usize>,
    /// The work that it submits.
    pub submits: Option<usize>,
    /// The runnable that submits it.
    pub submitter: Option<usize>,
    /// From 1, the highest, to 10.
    pub priority: u8,
    /// The alias group of the epoch that it takes turns in.
    pub alias_group: Option<usize>,
    /// Place of its name.
    pub span: Span,
}

/// One resource that a runnable holds while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// As written: a type or an instance.
    pub text: String,
    /// The resources of which it holds one.
    pub candidates: Vec<usize>,
}
