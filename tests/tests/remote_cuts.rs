//! Random graphs that are cut into segments do what they did before.

use crate::remote::{Example, MANIFEST, received, root};
use gxe_tests::links::{BUFFER, free_port};
use gxe_tests::random::Random;

/// A random graph, each entity of which is in one of some segments.
#[derive(Default)]
pub(crate) struct Cut {
    pub(crate) segments: u64,
    pub(crate) entities: Vec<Part>,
    pub(crate) connections: Vec<Edge>,
    /// What arrives in the end, in any order.
    pub(crate) expected: Vec<u64>,
}

pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) segment: u64,
    /// Its components but queues.
    pub(crate) components: String,
}

/// A connection, with the numbers of two entities and the names of their queues.
pub(crate) struct Edge {
    pub(crate) source: (usize, &'static str),
    pub(crate) target: (usize, &'static str),
    pub(crate) capacity: u64,
    pub(crate) port: u16,
}

fn sends(count: u64) -> String {
    format!(
        "- {{type: nvidia::gxf::PingTx, parameters: {{signal: out}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}
"
    )
}

pub(crate) const FORWARDS: &str =
    "- {type: nvidia::gxf::Forward, parameters: {in: in, out: out}}\n";
const PRINTS: &str = "- {type: nvidia::gxf::PingRx, parameters: {signal: in}}\n";
pub(crate) const TICKS: &str = "\
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::PingTx, parameters: {signal: out}}
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 20ms}}
";
const GATHERS: &str = "\
- {type: nvidia::gxf::Gather, parameters: {sink: out, tick_source_limit: 1}}
- {type: nvidia::gxf::MultiMessageAvailableSchedulingTerm, parameters: {receivers: [in, again]}}
";
const SENDS_EVERY_OTHER_BACK: &str =
    "- {type: nvidia::gxf::Broadcast, parameters: {source: in, mode: RoundRobin}}\n";

impl Cut {
    pub(crate) fn new(random: &mut Random) -> Self {
        let mut cut = Self { segments: 2 + random.below(3), ..Self::default() };
        for _ in 0..1 + random.below(3) {
            cut.add_chain(random);
        }
        for _ in 0..random.below(3) {
            cut.add_ring(random);
        }
        cut
    }

    fn add(&mut self, random: &mut Random, components: &str) -> usize {
        let (name, segment) = (format!("e{}", self.entities.len()), random.below(self.segments));
        self.entities.push(Part { name, segment, components: components.to_owned() });
        self.entities.len() - 1
    }

    pub(crate) fn connect(
        &mut self,
        source: (usize, &'static str),
        target: (usize, &'static str),
        capacity: u64,
    ) {
        // An entity that gathers has a term of its own.
        if !self.entities[target.0].components.contains("again") {
            let receiver = target.1;
            self.entities[target.0].components += &format!(
                "- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: {receiver}}}}}\n"
            );
        }
        self.entities[source.0].components += &format!(
            "- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: {}}}}}\n",
            source.1
        );
        self.connections.push(Edge { source, target, capacity, port: free_port() });
    }

    fn add_chain(&mut self, random: &mut Random) {
        let count = 1 + random.below(40);
        let mut last = self.add(random, &sends(count));
        for _ in 0..random.below(4) {
            let next = self.add(random, FORWARDS);
            self.connect((last, "out"), (next, "in"), 2);
            last = next;
        }
        let printer = self.add(random, PRINTS);
        self.connect((last, "out"), (printer, "in"), 2);
        self.expected.extend(0..count);
    }

    /// Messages come to a ring, go around once or twice, and leave it. Nothing in it ever ends.
    fn add_ring(&mut self, random: &mut Random) {
        let count = random.below(4);
        let source = self.add(random, &sends(count));
        let first = self.add(random, GATHERS);
        self.connect((source, "out"), (first, "in"), 4);
        let mut last = first;
        for _ in 0..random.below(3) {
            let next = self.add(random, FORWARDS);
            self.connect((last, "out"), (next, "in"), 4);
            last = next;
        }
        let split = self.add(random, SENDS_EVERY_OTHER_BACK);
        self.connect((last, "out"), (split, "in"), 4);
        self.connect((split, "back"), (first, "again"), 4);
        let printer = self.add(random, PRINTS);
        self.connect((split, "out"), (printer, "in"), 4);
        self.expected.extend(0..count);
    }

    /// Writes the files; returns the words after `gxe` that run them, in one process or in several.
    pub(crate) fn write(&self, example: &Example, is_one_process: bool) -> String {
        let (mut specs, mut connections) = (String::new(), String::new());
        for segment in 0..self.segments {
            let (app, leaving) = self.segment(segment);
            example.write(&format!("s{segment}.yaml"), &app);
            specs += &format!(
                "  s{segment}: {{app-path: s{segment}.yaml, manifest-path: {MANIFEST}}}\n"
            );
            connections.extend(leaving);
        }
        let connections =
            if connections.is_empty() { "[]".to_owned() } else { format!("\n{connections}") };
        example.write("cut.yaml", &format!("graph-specs:\n{specs}connections: {connections}"));
        match is_one_process {
            true => format!("run cut.yaml --driver --worker --address 127.0.0.1:{}", free_port()),
            false => "launch cut.yaml".to_owned(),
        }
    }

    /// The app of a segment, and the connections that leave it.
    fn segment(&self, segment: u64) -> (String, Vec<String>) {
        let (mut app, mut leaving) = (String::new(), Vec::new());
        for (number, entity) in self.entities.iter().enumerate() {
            if entity.segment != segment {
                continue;
            }
            let name = &entity.name;
            app += &format!("---\nname: {name}\ncomponents:\n{BUFFER}");
            for edge in &self.connections {
                let Edge { source: (source, out), target: (target, into), capacity, port } = edge;
                let (source, target) = (&self.entities[*source], &self.entities[*target]);
                let is_link = source.segment != target.segment;
                if edge.target.0 == number {
                    app += &if is_link {
                        format!(
                            "- {{name: {into}, type: nvidia::gxf::UcxReceiver, parameters: {{buffer: buffer, capacity: {capacity}, port: {port}}}}}\n"
                        )
                    } else {
                        format!("- {{name: {into}, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: {capacity}}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: {}/{out}, target: {into}}}}}\n", source.name)
                    };
                }
                if edge.source.0 == number {
                    let kind = if is_link { "UcxTransmitter" } else { "DoubleBufferTransmitter" };
                    let buffer = if is_link { "buffer: buffer, " } else { "" };
                    app += &format!(
                        "- {{name: {out}, type: nvidia::gxf::{kind}, parameters: {{{buffer}capacity: {capacity}}}}}\n"
                    );
                    if is_link {
                        let (from, to) = (source.segment, target.segment);
                        let target = &target.name;
                        leaving.push(format!(
                            "- {{source: s{from}.{name}.{out}, target: s{to}.{target}.{into}}}\n"
                        ));
                    }
                }
            }
            app += &entity.components;
        }
        let example = std::fs::read_to_string(root().join("gxf/ucx/tests/test_ping_ucx_rx.yaml"));
        let example = example.expect("the example");
        let tail = example.find("---\nname: links").expect("its network");
        (format!("{app}{}", &example[tail..]), leaving)
    }
}

/// Whatever is cut where, also into segments that lead to each other in a circle, what arrives is
/// what the whole graph sends, and the run ends. `CUT_GRAPHS` sets the number of graphs.
#[test]
fn graphs_that_are_cut_do_what_they_did() {
    let cases = std::env::var("CUT_GRAPHS").map_or(12, |text| text.parse().expect("a number"));
    let mut random = Random(20_261_122);
    for case in 0..cases {
        let cut = Cut::new(&mut random);
        let example = Example::new();
        let line = cut.write(&example, case % 3 != 0);
        let ended = example.plain().args(&line).run().with_status(0);
        let mut found = received(&ended);
        let mut expected = cut.expected;
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "case {case}:\n{}", ended.stdout);
    }
}
