# Entry points for newcomers. CMake and its presets (CMakePresets.json) do the work.
#
#   make            install what is missing, build the release: build/hedgerow
#   make demo       generate a census, price its boundaries, anonymize it, check the release
#   make test       everything that CI checks: layout, static analysis, all tests, then some of them
#                   under the sanitizers and compiled by clang (CONTRIBUTING.md has the times)
#   make bench      run the benchmarks, write bench/results.csv; QUICK=1: small sizes, one minute
#   make reproduce  run the experiments of the five papers, write docs/reproduction; QUICK=1: run some
#                   and compare them with the committed figures; DATA=FOLDER: the folder of the data
#   make install    into PREFIX (/usr/local), below DESTDIR if given
#   make wheel      build the Python package: dist/hedgerow-*.whl
#   make format     lay out the code; check-format reports what format would change
#   make tidy       static analysis by clang-tidy
#   make asan|tsan|clang|coverage|fuzz|golden|results
#   make docs       rewrite what commands print on the pages of the documentation; review the diff
#   make reference  docs/reference/c-interface.md from the public header, docs/reference/commands.md from the command
#   make clean      remove what was built

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
# The files that clang-format lays out.
C_FILES = find include src tests bench examples python tools -name '*.[ch]'
# Configure and build one preset, unless its folder was copied from elsewhere.
build = tools/own-build $(if $(filter release,$(1)),build,build-$(1)) && cmake --preset $(1) $(compiler) >/dev/null && cmake --build --preset $(1)
# A compiler named by the caller (make CC=clang) is passed on, but not make's own default, and not to
# the presets that need clang.
compiler = $(if $(filter clang fuzz,$(1))$(filter default,$(origin CC)),,-DCMAKE_C_COMPILER=$(CC))

.PHONY: all release demo test bench reproduce install format check-format clean asan tsan clang tidy coverage fuzz golden results reference docs wheel

all: release

release:
	@tools/deps build
	@$(call build,release)

demo: release
	@tools/demo build/hedgerow demo

# Cheap checks come first. Without PostgreSQL's server only the test that needs one is skipped, without
# a browser only the test of the page of `compare`, without
# Python only those of the package and of Arrow tables of other libraries, without zsh, fish and mandoc a part of that of
# manual pages and completions.
test:
	@tools/deps build test format clang
	@tools/deps postgres || echo "The test with a PostgreSQL server will be skipped." >&2
	@tools/deps browser || echo "The browser's test will be skipped." >&2
	@tools/deps python || echo "The test with Python's Arrow libraries will be skipped." >&2
	@tools/deps python spark || echo "The test with Spark will be skipped." >&2
	@tools/deps shells || echo "A part of the test of completions will be skipped." >&2
	@$(MAKE) --no-print-directory check-format
	@$(call build,test)
	@$(call build,asan)
	@$(call build,tsan)
	@$(call build,clang)
	tools/tidy build-clang
	ctest --preset test
	ctest --preset asan
	ctest --preset tsan
	ctest --preset clang

asan tsan:
	@tools/deps build test
	@$(call build,$@)
	ctest --preset $@

clang:
	@tools/deps build test clang
	@$(call build,clang)
	ctest --preset clang

tidy:
	@tools/deps build test clang
	@cmake --preset clang >/dev/null
	tools/tidy build-clang

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

# Rewrite tests/results.csv and results_means.csv, the losses of the algorithms; review the diff.
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
	@tools/deps build bench postgres
	@$(call build,bench)
	@QUICK=$(QUICK) tools/bench build-bench

reproduce: release
	@$(if $(DATA),DATA="$(DATA)") QUICK=$(QUICK) tools/reproduce build/hedgerow

wheel:
	@tools/deps build python
	@tools/wheel dist

install: release
	cmake --install build --prefix "$(PREFIX)"

format:
	@tools/deps format
	$(C_FILES) | xargs clang-format -i

check-format:
	@tools/deps format
	$(C_FILES) | xargs clang-format --dry-run -Werror
	$(C_FILES) | xargs tests/columns.sh

# Rewrite the outputs on the pages of the documentation; review the diff.
docs:
	@tools/deps build test
	@$(call build,test)
	UPDATE=1 tests/docs.sh build-test/hedgerow .

reference:
	@tools/deps build test
	@$(call build,test)
	tools/reference include/hedgerow.h >docs/reference/c-interface.md
	build-test/hedgerow help --markdown >docs/reference/commands.md

clean:
	rm -rf build build-dev build-test build-asan build-tsan build-clang build-coverage build-fuzz build-bench build-python dist demo
