# The commands of this project. `make help` lists them; scripts/bootstrap.sh installs what they need.

# Where rustup puts cargo, also in a shell that was opened before rustup came.
export PATH := $(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(PATH)

# Cargo puts gxe and every libgxf_*.so of the workspace into one folder a profile.
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))

# Extensions that cargo does not know: each is built by its own Makefile, into the same folder.
FOREIGN := $(dir $(wildcard extensions/*/Makefile))

.PHONY: install install-headers help run test bench ext lint miri loom tsan fuzz doc tools
.DEFAULT_GOAL := help

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 12

run: ext ## build everything in release and run the example application
	$(TARGET)/release/gxe --app apps/access_log/access_log.yaml --manifest manifests/access_log.yaml

test: tools ## build all extensions, then run every test
	cargo build --workspace
	$(foreach folder,$(FOREIGN),$(MAKE) -C $(folder) OUT=$(TARGET)/debug &&) true
	cargo test --workspace

bench: ext ## measure against the standing targets
	cargo bench -p gxe-benches

ext: tools ## build gxe and all extensions in release
	cargo build --release --workspace
	$(foreach folder,$(FOREIGN),$(MAKE) -C $(folder) OUT=$(TARGET)/release &&) true

PREFIX ?= /usr/local

install: ext ## install gxe, its libraries, the headers, the CMake package and the pkg-config file below PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/cmake/GXF $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install $(TARGET)/release/gxe $(DESTDIR)$(PREFIX)/bin
	install $(TARGET)/release/libgxf_*.so $(DESTDIR)$(PREFIX)/lib
	$(MAKE) install-headers

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

miri: tools ## run the unsafe code's tests under Miri (needs a nightly toolchain with miri)
	$(MIRI) test -p gxf-plugin-abi -p gxf --lib
	$(MIRI) test -p gxf-runtime --lib -- id:: memory:: message:: plugin:: schedule::

loom: tools ## check the lock-free parts with every interleaving
	RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=$(TARGET)/loom cargo test --release -p gxf-runtime --lib loom_tests

tsan: tools ## run the threaded unit tests under ThreadSanitizer (needs a nightly toolchain with rust-src)
	RUSTFLAGS="-Zsanitizer=thread" CARGO_TARGET_DIR=$(TARGET)/tsan cargo +nightly test -Zbuild-std \
		--target $$(rustc -vV | sed -n 's/^host: //p') -p gxf-runtime --lib -- memory:: message:: schedule::

fuzz: tools ## run each fuzz target for SECONDS (600) seconds (needs a nightly toolchain and cargo-fuzz)
	for target in app manifest parameter_override recording; do \
		cargo +nightly fuzz run $$target -- -max_total_time=$(or $(SECONDS),600) -timeout=60 -detect_leaks=0 || exit 1; done

doc: tools ## build the documentation of all crates
	cargo doc --workspace --no-deps

tools:
	@scripts/bootstrap.sh
