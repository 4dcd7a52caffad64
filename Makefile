# The commands of this project. `make help` lists them; scripts/bootstrap.sh installs what they need.

# Where rustup puts cargo, also in a shell that was opened before rustup came.
export PATH := $(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(PATH)

# Cargo puts gxe and every libgxf_*.so of the workspace into one folder a profile.
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))

# Extensions that cargo does not know: each is built by its own Makefile, into the same folder.
FOREIGN := $(dir $(wildcard extensions/*/Makefile))

.PHONY: help install install-built install-headers run test bench profile bench-peers differential soak ext lint miri loom asan tsan fuzz doc tools
.DEFAULT_GOAL := help

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

run: ext ## build everything in release and run the example applications
	$(TARGET)/release/gxe --app apps/access_log/access_log.yaml --manifest manifests/access_log.yaml
	$(TARGET)/release/gxe --app apps/my_recorder/my_recorder_gxf.yaml --manifest manifests/my_recorder.yaml
	@for file in gxf_index gxf_entities; do \
		cmp apps/my_recorder/data/turning_disc.$$file /tmp/tensor_out.$$file || exit 1; \
		echo "/tmp/tensor_out.$$file matches its original byte for byte"; done

# A test run gives the same answer twice; new random input comes with `make differential`.
test: export PROPTEST_RNG_SEED := $(or $(PROPTEST_RNG_SEED),2026)
test: tools ## build all extensions, then run every test
	cargo build --workspace
	$(foreach folder,$(FOREIGN),$(MAKE) -C $(folder) OUT=$(TARGET)/debug &&) true
	cargo test --workspace

bench: ext ## measure against the standing targets
	cargo bench -p gxe-benches

profile: tools ## show where the instructions of one hop go (needs valgrind)
	cargo build --release -p gxe-benches -p gxf_bench_stages
	scripts/profile_hop.py $(TARGET)/release/hop

bench-peers: tools ## measure open peers beside gxe (installs them from crates.io and Debian)
	cargo build --release -p gxe-benches -p gxf_bench_stages
	CARGO_TARGET_DIR=$(TARGET) scripts/bench_peers.sh

differential: tools ## run GRAPHS (20000) new random graphs under every scheduler beside the naive model
	DIFFERENTIAL_GRAPHS=$(or $(GRAPHS),20000) cargo test --release -p gxe-tests --test differential

soak: tools ## run random graphs under every scheduler for SECONDS (600) seconds, ended in every way
	cargo build --release -p gxe-tests -p gxf_actor --lib --bins
	$(TARGET)/release/soak $(or $(SECONDS),600)

ext: tools ## build gxe and all extensions in release
	cargo build --release --workspace
	$(foreach folder,$(FOREIGN),$(MAKE) -C $(folder) OUT=$(TARGET)/release &&) true

PREFIX ?= /usr/local

# Those of tests and benchmarks are not for users.
LIBRARIES := core $(shell sed -n 's|^name = "gxf_\(.*\)"|\1|p' extensions/*/Cargo.toml)

install: ext ## install gxe, its libraries, the headers, the CMake package and the pkg-config file below PREFIX
	$(MAKE) install-built BUILT=$(TARGET)/release

install-built: install-headers
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib
	install $(BUILT)/gxe $(DESTDIR)$(PREFIX)/bin
	install $(LIBRARIES:%=$(BUILT)/libgxf_%.so) $(DESTDIR)$(PREFIX)/lib

install-headers: ## only the headers, the CMake package and the pkg-config file
	cd plugin-abi/include && find . -type f -exec install -D -m 644 {} $(DESTDIR)$(abspath $(PREFIX))/include/{} \;
	install -d $(DESTDIR)$(PREFIX)/lib/cmake/GXF $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 644 plugin-abi/cmake/*.cmake $(DESTDIR)$(PREFIX)/lib/cmake/GXF
	sed 's|@PREFIX@|$(abspath $(PREFIX))|' plugin-abi/cmake/gxf.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/gxf.pc

lint: tools ## check the format, and the code with clippy
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

# Leaks are ignored: the descriptions of types live as long as the process, on purpose.
MIRI := PROPTEST_CASES=8 \
	MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-permissive-provenance -Zmiri-ignore-leaks" \
	cargo +nightly miri

# The units of the SDK have no unsafe code, and much text.
miri: tools ## run the unsafe code's tests under Miri (needs a nightly toolchain with miri)
	$(MIRI) test -p gxf-plugin-abi -p gxf --lib -- --skip units::
	$(MIRI) test -p gxf-runtime --lib -- biased_lock:: tick_lock:: memory:: message:: plugin:: schedule:: trace::region

loom: tools ## check the lock-free parts with every interleaving
	RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=$(TARGET)/loom cargo test --release -p gxf-runtime --lib loom_tests

asan: tools ## run the C API's suite with AddressSanitizer and UndefinedBehaviorSanitizer in its programs
	CC="gcc -fsanitize=address,undefined -fno-sanitize-recover=all" ASAN_OPTIONS=detect_leaks=0 \
		cargo test -p gxf-core --test conformance

tsan: tools ## run what has threads under ThreadSanitizer (needs a nightly toolchain with rust-src)
	scripts/tsan.sh $(TARGET)/tsan $(or $(SECONDS),60)

fuzz: tools ## run each fuzz target for SECONDS (600) seconds (needs a nightly toolchain and cargo-fuzz)
	for target in app manifest parameter_override recording; do \
		cargo +nightly fuzz run $$target -- -max_total_time=$(or $(SECONDS),600) -timeout=60 -detect_leaks=0 || exit 1; done

doc: ext ## build the documentation: the book (target/book) and that of all crates
	scripts/book.sh
	cargo doc --workspace --no-deps

tools:
	@scripts/bootstrap.sh
