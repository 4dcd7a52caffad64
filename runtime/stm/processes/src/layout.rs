//! What the schedules of a master are made of, and which cell of the shared memory belongs to what.
//! Master and clients compute the same layout from the same schedules.

use crate::Failure;
use crate::segment::{Ring, Size};
use gxf_app::Source;
use gxf_stm::plan::{self, Plan};
use gxf_stm::program::{Program, lower};
use gxf_stm::schedule::read_schedule;
use gxf_stm::status::Status;
use std::collections::BTreeSet;

/// The cell that says that all is over.
pub const CLOSED: usize = 0;
/// Most engines, clients, and schedules of a master.
const MOST: usize = 256;

/// All schedules of a master.
pub struct Layout {
    /// The schedules.
    pub schedules: Vec<Schedule>,
    /// Names of the clients.
    pub clients: Vec<String>,
    /// The engines that execute something, in any schedule.
    pub engines: Vec<Engine>,
    /// Number of cells.
    pub cells: usize,
    /// Number of rings of the log.
    pub rings: usize,
}

/// An engine that executes runnables of clients.
pub struct Engine {
    /// Its name.
    pub name: String,
    /// The clients that have a worker for it.
    pub clients: BTreeSet<usize>,
    /// The cell that counts the hyperepochs given to it; its number names the latest.
    pub given: usize,
    /// By client: the cell that counts those that it has left.
    pub left: Vec<usize>,
    /// By client: the ring of the log in which its worker for this engine writes, and the cell whose
    /// number counts what was written.
    pub log: Vec<Ring>,
}

/// A schedule.
pub struct Schedule {
    /// Name of its graph.
    pub graph: String,
    /// Its id.
    pub identifier: u16,
    /// Tells it from others of the same name and id.
    pub fingerprint: u64,
    /// Its runnables.
    pub runnables: Vec<Runnable>,
    /// Its hyperepochs, those that execute nothing included.
    pub hyperepochs: Vec<Hyperepoch>,
}

/// A runnable.
pub struct Runnable {
    /// `client.runnable`.
    pub name: String,
    /// Its client.
    pub client: usize,
    /// Whether it is submitted by another one.
    pub is_work: bool,
}

/// A hyperepoch.
pub struct Hyperepoch {
    /// Its name, period, epochs and lanes.
    pub plan: plan::Hyperepoch,
    /// What its lanes execute.
    pub program: Program,
    /// By lane: its engine.
    pub engines: Vec<usize>,
    /// The cell that counts the cycles that may begin; its value is the number of cycles that
    /// there are.
    pub opened: usize,
    /// The cell that counts the ends of parts of frames.
    pub progress: usize,
    /// By epoch: the cell that counts the frames that are admitted or skipped. Its value is the start
    /// of the latest, its number the number of the latest that runs.
    pub epochs: Vec<usize>,
    /// The first of the cells of its program's fences.
    pub fences: usize,
}

impl Hyperepoch {
    /// Its resources, sorted.
    #[must_use]
    pub fn resources(&self) -> &[String] {
        &self.plan.resources
    }
}

impl Layout {
    /// The layout of schedule files: names for messages, and texts.
    ///
    /// # Errors
    /// A schedule cannot be executed, or has the id of another one.
    pub fn new(texts: &[(String, String)]) -> Result<Self, Failure> {
        let mut layout = Self {
            schedules: Vec::new(),
            clients: Vec::new(),
            engines: Vec::new(),
            cells: 1,
            rings: 0,
        };
        for (name, text) in texts {
            let failed = |findings: gxf_app::Diagnostics| {
                let findings = findings.render(false);
                let text = format!("the schedule `{name}` cannot be executed\n{findings}");
                Failure::new(Status::BadValue, text)
            };
            let source = Source::new(name.as_str(), text.as_str());
            let schedule = read_schedule(&source).map_err(failed)?;
            let plan = Plan::new(&schedule).map_err(failed)?;
            layout.add(plan)?;
        }
        if layout.schedules.is_empty() {
            return Err(Failure::new(Status::BadParameter, "a master needs a schedule"));
        }
        for engine in &mut layout.engines {
            engine.given = layout.cells;
            layout.cells += 1;
            engine.left = (layout.cells..).take(layout.clients.len()).collect();
            layout.cells += layout.clients.len();
            let places = (layout.rings..).zip(layout.cells..).take(layout.clients.len());
            engine.log = places.map(|(number, cell)| Ring { number, cell }).collect();
            layout.rings += layout.clients.len();
            layout.cells += layout.clients.len();
        }
        let numbers = [layout.engines.len(), layout.clients.len(), layout.schedules.len()];
        if numbers.into_iter().any(|number| number > MOST) {
            let text = format!("a master has at most {MOST} engines, clients and schedules");
            return Err(Failure::new(Status::BadParameter, text));
        }
        Ok(layout)
    }

    fn add(&mut self, plan: Plan) -> Result<(), Failure> {
        let bad = |text: String| Failure::new(Status::BadParameter, text);
        if self.schedules.iter().any(|known| known.identifier == plan.identifier) {
            let text = format!("two schedules have the identifier {}", plan.identifier);
            return Err(Failure::new(Status::ScheduleIdInvalid, text));
        }
        let steps = plan.hyperepochs.iter().flat_map(|plan| &plan.cycles);
        let mut works = BTreeSet::new();
        for cycle in steps {
            for (lane, position) in cycle.lanes.iter().flatten().filter_map(|step| step.submits) {
                works.insert(cycle.lanes[lane][position].runnable);
            }
        }
        let mut runnables = Vec::new();
        for (index, name) in plan.runnables.iter().enumerate() {
            let Some((client, _)) = name.split_once('.') else {
                return Err(bad(format!("the runnable `{name}` names no client")));
            };
            let client = place(&mut self.clients, client);
            runnables.push(Runnable {
                name: name.clone(),
                client,
                is_work: works.contains(&index),
            });
        }
        let mut hyperepochs = Vec::new();
        for mut plan in plan.hyperepochs {
            let program = lower(&mut plan, |runnable| runnables[runnable].is_work);
            let program = program
                .map_err(|runnable| bad(format!("`{}` never starts", runnables[runnable].name)))?;
            let mut engines = Vec::new();
            for (lane, name) in plan.lanes.iter().enumerate() {
                let known = self.engines.iter().position(|engine| engine.name == *name);
                let engine = known.unwrap_or_else(|| {
                    let clients = BTreeSet::new();
                    let name = name.clone();
                    let (left, log) = (Vec::new(), Vec::new());
                    self.engines.push(Engine { name, clients, given: 0, left, log });
                    self.engines.len() - 1
                });
                let steps = plan.cycles.iter().flat_map(|cycle| &cycle.lanes[lane]);
                let steps = steps.filter(|_| program.has_worker[lane]);
                let owners = steps.map(|step| runnables[step.runnable].client);
                self.engines[engine].clients.extend(owners);
                engines.push(engine);
            }
            let opened = self.cells;
            let epochs: Vec<usize> = (opened + 2..).take(plan.epochs.len()).collect();
            let fences = opened + 2 + epochs.len();
            self.cells = fences + plan.lanes.len() + program.works.len();
            let progress = opened + 1;
            hyperepochs.push(Hyperepoch {
                plan,
                program,
                engines,
                opened,
                progress,
                epochs,
                fences,
            });
        }
        self.schedules.push(Schedule {
            graph: plan.graph,
            identifier: plan.identifier,
            fingerprint: plan.fingerprint,
            runnables,
            hyperepochs,
        });
        Ok(())
    }

    /// A schedule and one of its hyperepochs by their indices.
    #[must_use]
    pub fn find(&self, [schedule, hyperepoch]: [usize; 2]) -> (&Schedule, &Hyperepoch) {
        let schedule = &self.schedules[schedule];
        (schedule, &schedule.hyperepochs[hyperepoch])
    }

    /// How much memory the processes share, if each ring of the log has room for so many entries.
    #[must_use]
    pub fn size(&self, log_limit: usize) -> Size {
        Size { cells: self.cells, rings: self.rings, log_limit }
    }

    /// The names of the work that a runnable submits, in all schedules.
    #[must_use]
    pub fn works_of(&self, runnable: &str) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        for schedule in &self.schedules {
            let name = |index: usize| schedule.runnables[index].name.as_str();
            for program in schedule.hyperepochs.iter().map(|hyperepoch| &hyperepoch.program) {
                let lanes = program.cycles.iter().flat_map(|cycle| &cycle.lanes);
                let own = lanes.flatten().filter(|slot| name(slot.owner as usize) == runnable);
                let works = own.filter_map(|slot| program.works.get(slot.work as usize));
                names.extend(works.map(|work| name(work.runnable)));
            }
        }
        names
    }

    /// The runnables that a client registers: all but those that others submit.
    #[must_use]
    pub fn runnables_of(&self, client: usize) -> BTreeSet<&str> {
        let all = self.schedules.iter().flat_map(|schedule| &schedule.runnables);
        let own = all.filter(|runnable| runnable.client == client && !runnable.is_work);
        own.map(|runnable| runnable.name.as_str()).collect()
    }
}

fn place(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}
