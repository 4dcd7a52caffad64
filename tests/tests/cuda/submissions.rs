//! A device's work that static schedules and actors submit.

use super::{RX, TX, connected, entity};
use gxe_tests::Gxe;
use gxe_tests::cuda::{is_on_gpu, modes, run, with_stand_in};

/// A device's work that a static schedule submits: what its pool of streams enqueues is the work.
#[test]
fn work_on_streams_is_submitted_work_of_a_static_schedule() {
    const GRAPH: &str = "\
Version: 2.0.0
tests:
  Resources: {CPU: [CPU0, CPU1], GPU: [GPU0]}
  Hyperepochs:
  - h: {Epochs: [e: {Period: 4ms}]}
  Clients:
  - c:
      Resources: {CUDA_STREAM: [s: GPU0]}
      Epochs:
      - h.e:
          Runnables:
          - generator: {WCET: 100us, Resources: [CPU0, CUDA_STREAM], Submits: c.work}
          - work: {WCET: 500us, Resources: [GPU0]}
          - after: {WCET: 100us, Resources: [CPU1], Dependencies: [c.work]}
";
    // The term answers READY only if the work on the message's stream is done.
    let app = [
        entity(
            "generator",
            &[
                &format!("name: cuda, {TX}"),
                &format!("name: host, {TX}"),
                "name: pool, type: nvidia::gxf::UnboundedAllocator",
                "name: streams, type: nvidia::gxf::CudaStreamPool, parameters: {max_size: 2}",
                "type: nvidia::gxf::test::cuda::StreamTensorGenerator, parameters: {cuda_tx: cuda, \
                 host_tx: host, cuda_tensor_pool: pool, host_tensor_pool: pool, stream_pool: streams}",
                "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 20}",
            ],
        ),
        entity(
            "after",
            &[
                &format!("name: in, {RX}"),
                &format!("name: out, {TX}"),
                "type: nvidia::gxf::CudaStreamSync, parameters: {rx: in, tx: out}",
                "type: nvidia::gxf::CudaStreamSchedulingTerm, parameters: {receiver: in}",
                "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 20}",
            ],
        ),
        connected("generator/cuda", "after/in"),
        entity(
            "scheduler",
            &[
                "name: clock, type: nvidia::gxf::RealtimeClock",
                "type: gxe::StaticScheduler, parameters: {clock: clock, schedule: g.stm}",
            ],
        ),
    ]
    .concat();
    let with_schedule = |app: &str, mode: &str| {
        let gxe = with_stand_in(app, mode).file("g.yaml", GRAPH);
        let folder = gxe.folder();
        _ = Gxe::in_folder(&folder)
            .args("stm compile -i g.yaml -o g.stm -j 1")
            .run()
            .with_status(0);
        gxe
    };
    for mode in modes() {
        let (ended, report) = run(with_schedule(&app, mode));
        report.nothing_is_left();
        // Each frame's work was done when `after` was asked.
        assert_eq!(ended.with_status(0).count("CPU1: "), 0, "{mode}");
    }
    // What the driver refuses meanwhile ends the run, without waiting for work that may never be done.
    if !is_on_gpu() {
        for failure in ["cuEventRecord:2=2", "cuStreamQuery:2=719"] {
            let gxe = with_schedule(&app, "lazy").env("CUDA_STAND_IN_FAIL", failure);
            let (ended, _) = run(gxe);
            assert_ne!(ended.status, Some(0), "{failure}");
            let function = failure.split(':').next().expect("a name");
            ended.complains(&format!("{function} answers"));
            assert!(!ended.stderr.contains("is not done after"), "{}", ended.stderr);
        }
    }
    // It is the pool that says so.
    let (streams, pool) = ("name: streams, type: nvidia::gxf::CudaStreamPool", "elsewhere");
    let moved = app.replace(&format!("- {{{streams}, parameters: {{max_size: 2}}}}\n"), "");
    let moved = moved.replace("stream_pool: streams", &format!("stream_pool: {pool}/streams"));
    let moved = entity(pool, &[streams]) + &moved;
    let (ended, _) = run(with_schedule(&moved, "eager"));
    ended.with_status(5).complains("has no component that says when it is done, a gxe::Completion");
}

/// A device's work that actors submit: messages are sent when the streams of the entity's pool are
/// done, and several acts are under way.
#[test]
fn work_on_streams_ends_acts_of_actors() {
    for threads in [1, 2] {
        let scheduler = format!(
            "type: gxe::ActorScheduler, parameters: {{clock: clock, threads: {threads}, register_num: 3}}"
        );
        let app = [
            entity(
                "generator",
                &[
                    &format!("name: cuda, {TX}"),
                    &format!("name: host, {TX}"),
                    "type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: cuda}",
                    "name: pool, type: nvidia::gxf::UnboundedAllocator",
                    "name: streams, type: nvidia::gxf::CudaStreamPool, parameters: {max_size: 2}",
                    "type: nvidia::gxf::test::cuda::StreamTensorGenerator, parameters: {cuda_tx: cuda, \
                     host_tx: host, cuda_tensor_pool: pool, host_tensor_pool: pool, stream_pool: streams}",
                    "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 20}",
                ],
            ),
            entity(
                "after",
                &[
                    &format!("name: in, {RX}"),
                    &format!("name: out, {TX}"),
                    "type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}",
                    "type: nvidia::gxf::CudaStreamSync, parameters: {rx: in, tx: out}",
                ],
            ),
            connected("generator/cuda", "after/in"),
            entity("scheduler", &["name: clock, type: nvidia::gxf::RealtimeClock", &scheduler]),
        ]
        .concat();
        for mode in modes() {
            let (ended, report) = run(with_stand_in(&app, mode).args("--statistics"));
            report.nothing_is_left();
            let ended = ended.clean();
            let mut rows = ended.stdout.lines().filter(|line| line.starts_with("after "));
            let ticks = rows.next().and_then(|row| row.split_whitespace().nth(1));
            assert_eq!(ticks, Some("20"), "{mode}: {}", ended.stdout);
        }
        let planned = with_stand_in(&app, "eager");
        let folder = planned.folder();
        let plan = "plan --app app.yaml --manifest manifest.yaml";
        let plan = Gxe::in_folder(&folder).args(plan).run().with_status(0).stdout;
        assert!(plan.contains("\"completion\": \"streams\""), "{plan}");
        assert!(plan.contains("\"device\": \"cuda\""), "{plan}");
    }
}
