# The front door. Each target sets up and builds what it needs itself; CMake (CMakePresets.json) does the work behind it.
BUILD := build
JOBS  := $(shell nproc)

.PHONY: install demo test test-slow build bench honesty learning scale format lint sanitize mutants fuzz trino setup clean help
help: ; @printf '%s\n' 'make demo      see it work' 'make test      build, and run the first tier of tests' \
	'make test-slow build, and run the second tier: long searches' 'make build     build/discreet' \
	'make install   the command, the library, the manual page and completions, below PREFIX=/usr/local' \
	'make bench     the speed table, then the table of honesty' 'make lint      format, clang-tidy, include directions' 'make format    rewrite with clang-format' \
	'make honesty   how honest answers without declared bounds are, and how close to the best ones (HONESTY="--runs 5": a quick look)' \
	'make learning  how well private training does on MNIST and Fashion-MNIST, which it fetches (LEARNING="--cases scatter --runs 1": a quick look)' \
	'make scale     what privacy costs on Trino as tables grow; an hour (SCALE="--rows 1000000 --runs 1": a quick look)' \
	'make sanitize  the unit tests under address, undefined-behaviour and thread sanitizers' \
	'make mutants   which small defects the unit tests miss; hours (ROOMS="plan bound" for some lists, ONLY="PL6 B7" for some defects)' \
	'make trino     fetch what a Trino server is made of, for the tests that ask one' \
	'make fuzz      inputs that nobody thought of, for a minute a target (FUZZ_SECONDS=60, TARGETS="sql policy" for some)'

setup:
	@setup/run

$(BUILD)/build.ninja: CMakeLists.txt CMakePresets.json | setup
	@cmake --preset release >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@mv $(BUILD).log $(BUILD)/configure.log

build: setup $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS) --target discreet-cli

PREFIX := /usr/local
install: setup $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS) --target discreet discreet-cli discreet-help
	@cmake --install $(BUILD) --prefix $(PREFIX)

demo: build
	@examples/demo

test: setup $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS)
	@missing=$$(setup/trino/run --check 2>&1) || echo "test: what asks a Trino server is skipped: $${missing#trino: }"
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS) -LE slow

test-slow: setup $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS)
	@missing=$$(setup/trino/run --check 2>&1) || echo "test: what asks a Trino server is skipped: $${missing#trino: }"
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS) -L slow

bench: setup $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS) --target discreet-bench --target discreet-cli
	@bench/run $(BUILD)
	@bench/honesty/run $(BUILD) $(HONESTY)

# HONESTY="--runs 5" for a quick look; bench/honesty/run --help has the rest.
honesty: build
	@bench/honesty/run $(BUILD) $(HONESTY)

# LEARNING="--cases scatter --runs 1" for a quick look; bench/learning/run --help has the rest.
learning: build
	@bench/learning/run $(BUILD) $(LEARNING)

# SCALE="--rows 1000000 --runs 1" for a quick look; bench/scale/run --help has the rest. What it runs is fetched first.
scale: build trino
	@bench/scale/run $(BUILD) $(SCALE)

format: setup
	@git ls-files '*.cc' '*.h' | xargs clang-format -i

lint: setup $(BUILD)/build.ninja
	@tests/lint $(BUILD)

# PRESETS="asan" for one of them, ROOMS="sql ledger fuzz" for the unit tests of some rooms, SKIP="A|B" without those.
PRESETS := asan tsan
space   := $(subst ,, )
# (A sanitizer's stack frames are many times as large: what nests deeply needs a larger stack there.)
sanitize: setup
	@ulimit -s 262144; for preset in $(PRESETS); do cmake --preset $$preset >/dev/null || exit 1; \
	  rooms=; for room in $(ROOMS); do ninja -C build-$$preset -t query test-$$room >/dev/null 2>&1 && rooms="$$rooms test-$$room"; done; \
	  cmake --build --preset $$preset -j $(JOBS) --target $${rooms:-unit-tests} && \
	  ctest --test-dir build-$$preset --output-on-failure -j $(JOBS) -L '^unit$$' $(if $(ROOMS),-R '^($(subst $(space),|,$(strip $(ROOMS))))\.') $(if $(SKIP),-E '$(SKIP)') || exit 1; done

# tests/mutants/README.md tells more. ROOMS="plan bound" for the lists of some rooms, ONLY="PL6 B7" for some mutants.
MUTANTS = tests/mutants/run $(BUILD) --rooms "$(ROOMS)" --only "$(ONLY)" --jobs $(JOBS)
mutants: setup $(BUILD)/build.ninja
	@targets=$$($(MUTANTS) --programs) && cmake --build $(BUILD) -j $(JOBS) --target $$targets && $(MUTANTS)

fuzz:
	@setup/run fuzz
	@cmake --preset fuzz >/dev/null && cmake --build --preset fuzz -j $(JOBS) --target fuzz-targets
	@FUZZ_SECONDS=$(or $(FUZZ_SECONDS),60) fuzz/run build-fuzz $(TARGETS)

# Tests with a Trino server run where this has been done, and say that they are skipped elsewhere.
trino:
	@setup/trino/run

clean:
	rm -rf build build-debug build-asan build-tsan build-fuzz build-consumer
