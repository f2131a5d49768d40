# The newcomer's front door; CMake and its presets do the work (CMakePresets.json).
#
#   make            install what is missing, build the release: build/hedgerow
#   make demo       generate a census, price its boundaries, anonymize it, check the release
#   make test       every test, then the quick ones once more under sanitizers
#   make bench      the benchmarks, into bench/results.csv; QUICK=1: small sizes, a minute
#   make reproduce  the experiments of the five papers, into docs/reproduction; QUICK=1: a part of
#                   them, against the committed figures; DATA=FOLDER: where data is
#   make install    into PREFIX (/usr/local), below DESTDIR if given
#   make format     lay out the code; check-format only looks
#   make asan|tsan|coverage|fuzz|golden|results
#   make clean      remove what was built

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
# Files that clang-format lays out.
C_FILES = find include src tests bench examples -name '*.[ch]'
# Configure and build one preset.
build = cmake --preset $(1) $(if $(CC_GIVEN),-DCMAKE_C_COMPILER=$(CC)) >/dev/null && cmake --build --preset $(1)

# A compiler named by the caller (make CC=clang) is passed on; make's own default is not.
CC_GIVEN = $(filter-out default,$(origin CC))

.PHONY: all release demo test bench reproduce install format check-format clean asan tsan coverage fuzz golden results

all: release

release:
	@tools/deps build
	@$(call build,release)

demo: release
	@tools/demo build/hedgerow demo

# Without a browser the page of `compare` is the one thing that is not looked at.
test:
	@tools/deps build test
	@tools/deps browser || echo "The browser's test will be skipped." >&2
	@$(call build,test)
	@$(call build,asan)
	ctest --preset test
	ctest --preset asan

asan tsan:
	@tools/deps build test
	@$(call build,$@)
	ctest --preset $@

coverage:
	@tools/deps build test
	@$(call build,coverage)
	ctest --preset coverage
	@tools/coverage build-coverage

# Rewrite the expected outputs of tests/golden; review the diff.
golden:
	@tools/deps build test
	@$(call build,test)
	UPDATE=1 tests/golden/run.sh build-test/hedgerow

# Rewrite tests/results.csv and results_means.csv, what the algorithms reach; review the diff.
results:
	@tools/deps build test
	@$(call build,test)
	UPDATE=1 tests/results.sh build-test/hedgerow
	UPDATE=1 tests/results_means.sh build-test/hedgerow

fuzz:
	@tools/deps build test fuzz
	@$(call build,fuzz)
	@tools/fuzz build-fuzz $(FUZZ_SECONDS)

bench:
	@tools/deps build bench
	@$(call build,bench)
	@QUICK=$(QUICK) tools/bench build-bench

reproduce: release
	@$(if $(DATA),DATA="$(DATA)") QUICK=$(QUICK) tools/reproduce build/hedgerow

install: release
	cmake --install build --prefix "$(PREFIX)"

format:
	@tools/deps format
	$(C_FILES) | xargs clang-format -i

check-format:
	@tools/deps format
	$(C_FILES) | xargs clang-format --dry-run -Werror

clean:
	rm -rf build build-dev build-test build-asan build-tsan build-coverage build-fuzz build-bench demo
