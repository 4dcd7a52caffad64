//! GXF's TestHelperExtension: components that check a graph while it runs, and mocks.
//!
//! One file per family:
//!
//! - `step_count.rs`: `StepCount`, `StepRangeCount`: was the entity run as often as expected?
//! - `mock_queue.rs`: `MockTransmitter`, `MockReceiver`: queues that fail on demand and report
//!   messages that never left;
//! - `mock_allocator.rs`: `MockAllocator`: memory with limits that reports leaks;
//! - `mock_codelet.rs`: `MockCodelet`, `Frame`: a pipeline that measures its latency;
//!   `MockFailure`: failure on demand;
//! - `metric_logger.rs`: `TestMetricLogger`: known samples for metrics;
//! - `async_ping.rs`: `AsyncPingTx`, `AsyncPingRx`: pings paced by a thread of their own;
//! - `scheduled_ping.rs`: `ScheduledPingTx`, `TestTimestampTx`, `TestTimestampRx`: pings at target
//!   times, and a check of the times they carry;
//! - `ping_rx.rs`: `PingPollRx`, `PingBatchRx`: receivers that poll and that take batches;
//! - `clock_sync.rs`: `ClockSetter`, `ClockChecker`: move a synthetic clock and check it;
//! - `memory_user.rs`: `MemoryUser`: takes memory and gives it back on another thread;
//! - `inspect.rs`: `Pop`, `Print`, `TestLogger`, `EntityMonitor`: what passes by, in the log;
//! - `tensor_source.rs`: `Generator`, `ArbitraryPrecisionFactorial`, `IntegerSinSum`: numbers in
//!   tensors; `print_tensor.rs`: `PrintTensor`: tensors, in the log;
//! - `tensor_check.rs`: `TensorGenerator`, `TensorComparator`, `TestTensorStrides`: tensors with
//!   known content, and checks of it;
//! - `serialization_tester.rs`: `SerializationTester`: messages to bytes and back;
//! - `terms.rs`: `WaitSchedulingTerm`, `PeriodicSchedulingTermWithDelay`;
//! - `parameters.rs`: components that only hold parameters, one of each type.
#![forbid(unsafe_code)]

mod async_ping;
mod clock_sync;
mod inspect;
mod memory_user;
mod metric_logger;
mod mock_allocator;
mod mock_codelet;
mod mock_queue;
mod parameters;
mod ping_rx;
mod print_tensor;
mod scheduled_ping;
mod serialization_tester;
mod step_count;
mod tensor_check;
mod tensor_source;
mod terms;

use async_ping::{AsyncPingRx, AsyncPingTx};
use clock_sync::{ClockChecker, ClockSetter};
use inspect::{EntityMonitor, Pop, Print, TestLogger};
use memory_user::MemoryUser;
use metric_logger::TestMetricLogger;
use mock_allocator::MockAllocator;
use mock_codelet::{Frame, MockCodelet, MockFailure};
use mock_queue::{MockReceiver, MockTransmitter};
use parameters::{
    FixedVectorParameterTest, LoadParameterFromYamlTest, RegisterParameterInterfaceTest,
    StdParameterTest, TestConfigurationSet, TestGxfParameterSetFromYamlNode, TestHandleParameter,
    VectorParameterTest,
};
use ping_rx::{PingBatchRx, PingPollRx};
use print_tensor::PrintTensor;
use scheduled_ping::{ScheduledPingTx, TestTimestampRx, TestTimestampTx};
use serialization_tester::SerializationTester;
use step_count::{StepCount, StepRangeCount};
use tensor_check::{TensorComparator, TensorGenerator, TestTensorStrides};
use tensor_source::{ArbitraryPrecisionFactorial, Generator, IntegerSinSum};
use terms::{PeriodicSchedulingTermWithDelay, WaitSchedulingTerm};

gxf::gxf_ext_factory! {
    id: 0x1b99ffebc2504ced, 0x811762ac05969a50;
    name: "TestHelperExtension";
    version: "2.6.0";
    description: "Components that check a graph while it runs, and mocks";
    license: "Apache-2.0";
    display_name: "Test Helpers";
    category: "Test";
    brief: "Counters, mocks and parameter tests";
    components: [
        LoadParameterFromYamlTest: Component {
            id: 0x77d3cb561ddb4656, 0x828a3955ad78fb27;
            name: "nvidia::gxf::test::LoadParameterFromYamlTest";
        },
        RegisterParameterInterfaceTest: Component {
            id: 0xe9234c1ad5f8445c, 0xae9118bcda197032;
            name: "nvidia::gxf::test::RegisterParameterInterfaceTest";
        },
        FixedVectorParameterTest: Component {
            id: 0xf6a9bda17a0d1642, 0xc2d06c87c645218f;
            name: "nvidia::gxf::test::FixedVectorParameterTest";
        },
        StdParameterTest: Component {
            id: 0x405d8e062d3f45f1, 0x84c492ac9ef3c67c;
            name: "nvidia::gxf::test::StdParameterTest";
        },
        TestHandleParameter: Component {
            id: 0x92f49e50aded48a8, 0x8b97a274e227875f;
            name: "nvidia::gxf::test::TestHandleParameter";
        },
        TestGxfParameterSetFromYamlNode: Component {
            id: 0xfa56c02660824b44, 0x9fc75efd1e1d6a13;
            name: "nvidia::gxf::test::TestGxfParameterSetFromYamlNode";
        },
        VectorParameterTest: Component {
            id: 0xb6c6697a3b2d79fa, 0x0bb8c8d6ad0f92ac;
            name: "nvidia::gxf::test::VectorParameterTest";
        },
        TestConfigurationSet: Codelet {
            id: 0x85ed3ce306114314, 0x94dfda4f507f75a0;
            name: "nvidia::gxf::test::TestConfigurationSet";
        },
        StepCount: Codelet {
            id: 0xc076cb7155ca4687, 0x8c84c789818f5cf7;
            name: "nvidia::gxf::test::StepCount";
        },
        StepRangeCount: Codelet {
            id: 0x947e3c3d122142d5, 0x92f1fe6c7fd95a8a;
            name: "nvidia::gxf::test::StepRangeCount";
        },
        AsyncPingRx: Codelet {
            id: 0xa4f26a81a7dc4cdb, 0x8ad9c638c2de48f8;
            name: "nvidia::gxf::test::AsyncPingRx";
        },
        AsyncPingTx: Codelet {
            id: 0x1c211f155e5a4efc, 0x8daa19f351d19ad6;
            name: "nvidia::gxf::test::AsyncPingTx";
        },
        PingPollRx: Codelet {
            id: 0x64866edc725b11eb, 0x9dfa37dfe2305968;
            name: "nvidia::gxf::test::PingPollRx";
        },
        PingBatchRx: Codelet {
            id: 0x85058d3a553911eb, 0xbe0b873d2618d774;
            name: "nvidia::gxf::test::PingBatchRx";
        },
        ScheduledPingTx: Codelet {
            id: 0x8b2e8b0f02364d5f, 0x3e572048949a43ef;
            name: "nvidia::gxf::test::ScheduledPingTx";
        },
        TestTimestampTx: Codelet {
            id: 0x4f7b92fcfb4d1096, 0xeebf2cf958e74c45;
            name: "nvidia::gxf::test::TestTimestampTx";
        },
        TestTimestampRx: Codelet {
            id: 0xa0204781cabf69d7, 0x56153ac8398984ca;
            name: "nvidia::gxf::test::TestTimestampRx";
        },
        Pop: Codelet {
            id: 0x6019517f60844d1b, 0x9eff178d6891e9e8;
            name: "nvidia::gxf::test::Pop";
        },
        Print: Codelet {
            id: 0x15ac607f553942e0, 0xb1f09b841e1f9ecd;
            name: "nvidia::gxf::test::Print";
        },
        TestLogger: Codelet {
            id: 0x121178a5ee024251, 0xb2d30663306bf3c3;
            name: "nvidia::gxf::test::TestLogger";
        },
        EntityMonitor: Monitor {
            id: 0xd3f52056b8a0974d, 0xf8d3c321bdf247ee;
            name: "nvidia::gxf::test::EntityMonitor";
        },
        PeriodicSchedulingTermWithDelay: SchedulingTerm {
            id: 0xbb138e69066aba28, 0xd392c98a9b0849b4;
            base: 0xd392c98a9b0849b4, 0xa422d5fe6cd72e3e; // PeriodicSchedulingTerm
            name: "nvidia::gxf::test::PeriodicSchedulingTermWithDelay";
            announces: true;
        },
        WaitSchedulingTerm: SchedulingTerm {
            id: 0xa055fbf8758811ed, 0xa423331e2d38b116;
            name: "nvidia::gxf::test::WaitSchedulingTerm";
            announces: true;
        },
        MockAllocator: Allocator {
            id: 0x93585693d816b6c5, 0xcb06ba6ec534dfd4;
            name: "nvidia::gxf::test::MockAllocator";
        },
        MockTransmitter: Transmitter {
            id: 0x9fa09605848581ab, 0x92c23096508cc4a1;
            name: "nvidia::gxf::test::MockTransmitter";
        },
        MockReceiver: Receiver {
            id: 0xe9c70ddbf2235546, 0xbb7b118048380c21;
            name: "nvidia::gxf::test::MockReceiver";
        },
        ClockSetter: Codelet {
            id: 0x50d4440f0fac47f4, 0x4da733735882429a;
            name: "nvidia::gxf::test::ClockSetter";
        },
        ClockChecker: Codelet {
            id: 0x4f78dfd3337542da, 0x2f67e8871d574fee;
            name: "nvidia::gxf::test::ClockChecker";
        },
        Generator: Codelet {
            id: 0xebe83f933e8e4c09, 0x8c124ab7390ac565;
            name: "nvidia::gxf::test::Generator";
        },
        PrintTensor: Codelet {
            id: 0xc73d835ebf5b4a54, 0x9cd5370e1256b650;
            name: "nvidia::gxf::test::PrintTensor";
        },
        ArbitraryPrecisionFactorial: Codelet {
            id: 0x2ca901d00d384a06, 0x951edc0d655ac5a6;
            name: "nvidia::gxf::test::ArbitraryPrecisionFactorial";
        },
        IntegerSinSum: Codelet {
            id: 0x2ed6049cc6ad4d89, 0x8e28078be6776adf;
            name: "nvidia::gxf::test::IntegerSinSum";
        },
        TensorGenerator: Codelet {
            id: 0xd2abde61ff76ea8b, 0xfdc74e01d70259af;
            name: "nvidia::gxf::test::TensorGenerator";
        },
        TensorComparator: Codelet {
            id: 0xe99f8fe0c7ab9674, 0xc4ef5778874b7c3f;
            name: "nvidia::gxf::test::TensorComparator";
        },
        TestTensorStrides: Codelet {
            id: 0x92002082602311eb, 0xaeea03cedbfc916f;
            name: "nvidia::gxf::test::TestTensorStrides";
        },
        SerializationTester: Codelet {
            id: 0xdb9f4ca3f121471b, 0xb0a0d49b89a0dc19;
            name: "nvidia::gxf::test::SerializationTester";
        },
        MemoryUser: Codelet {
            id: 0x0f6f0f6e1d0f4a86, 0x8a3f64d3c9c1a5b2;
            name: "gxe::test::MemoryUser";
        },
        MockFailure: Codelet {
            id: 0x263ba11abf9d11ed, 0xa3ed8f40163997e9;
            name: "nvidia::gxf::test::MockFailure";
        },
        MockCodelet: Codelet {
            id: 0x01401bae1cf64e91, 0xadd00c88b988b04c;
            name: "nvidia::gxf::test::MockCodelet";
        },
        TestMetricLogger: Codelet {
            id: 0x557d64785a864052, 0xa2acf94edb0341ca;
            name: "nvidia::gxf::test::TestMetricLogger";
        },
    ];
    payloads: [
        Frame { id: 0xcd944caff32f46cc, 0xa8a744977a4805a6; name: "nvidia::gxf::test::Frame"; },
    ];
}
