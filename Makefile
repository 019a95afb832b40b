SWIFT   ?= swift
PYTHON  ?= python3
PREFIX  ?= /usr/local
SCRATCH ?= .build

# Everything is compiled once: `run`, `test`, `check` and what depends on `build` use the same flags and the same folder, since other
# flags in one folder compile all modules again. The modules are optimised, also for the tests, and keep all checks of a release build.
# Without debugging information, tests compile in three quarters of the time, and valgrind 3.19 can read the command.
DAILY   := -c release -Xswiftc -enable-testing -debug-info-format none

# The release (`dist`, `install`) has flags and a folder of its own.
#
# The Swift standard library is linked statically: the command starts in less than half the time, and runs on machines without
# Swift. So is the C++ library that Swift's runtime needs: LINKING holds a link to its archive alone, which the linker finds
# before the shared library. libxml2 is opened at run time, so LINKING also has a pkg-config file for it that names no library.
# Symbols would be two thirds of the file and are left out (-s). The command exports no names, so the linker can drop
# functions that nothing calls. It searches for no libraries in its own folder (--disable-local-rpath).
RELEASED := $(SCRATCH)-dist
LINKING  := $(RELEASED)/linking
# C files name themselves in messages: by their place in the project, not by that on the machine.
NAMES   := -Xcc -ffile-prefix-map=$(abspath $(RELEASED))/= -Xcc -ffile-prefix-map=$(CURDIR)/=
# Makes the compiler call the functions that create generic types. Without the flag, Swift's runtime looks types up by name and
# searches all protocol conformances of the command each time, which takes a fifth of the start.
TYPES   := -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
# Two builds give the same bytes, whatever folders they are in: an object has no hash of what it was made of, which is for building
# it again in less time, and names paths.
SAME    := -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
RELEASE := -c release $(TYPES) $(NAMES) $(SAME) $(if $(filter Linux,$(shell uname)),--static-swift-stdlib --disable-local-rpath -Xlinker -s \
	-Xlinker --no-export-dynamic -Xswiftc -L$(LINKING) -Xswiftc -Xclang-linker -Xswiftc -static-libgcc \
	--pkg-config-path $(LINKING))

SWIFT_FILES := Sources Tests Package.swift
TOOL        := $(SCRATCH)/release/tillroll
DIST_TOOL   := $(RELEASED)/release/tillroll

# What `make reports` puts into Reports/: every report in every format (name:extension).
REPORTS := revenue deferred restores failures subscriptions anomalies journal all
FORMATS := table:txt markdown:md html:html xlsx:xlsx csv:csv json:json ndjson:ndjson
# Samples/broken is left out: a report on it would be about the rejects.
INPUTS  := Samples/studio Samples/verify Samples/pkcs7 Samples/legacy Samples/jws Samples/notification Samples/events Samples/odd
FLAGS   := --prices Samples/prices.csv --anchor Samples/test-roots.pem --fx Samples/finance/studio-rates.csv --base-currency EUR \
	--catalogue Samples/finance/Studio.storekit
# The last quarter of the samples; what lies before it is compared with.
PERIOD  := --since 2026-01-01
# A month as a controller closes it: Reports/closing.
CLOSING := --month 2026-03 --complete 2026-03-31 --catalogue Samples/finance/Lumen.storekit --catalogue Samples/finance/metadata.xml \
	--tax Samples/finance/tax.csv --commission 0.30 --compare month
# The same month beside Apple's report of it: Reports/reconcile.
RECONCILED := --apple Samples/apple/sales Samples/verify --prices Samples/prices.csv --month 2026-03

# Double entries with estimates, under names of a company's own.
JOURNAL := --tax Samples/finance/tax.csv --commission 0.30 --accounts Samples/finance/accounts.csv

.DEFAULT_GOAL := help
.PHONY: help deps linking build release run tests test faults check lint nightly format samples reports reports-check record interop \
	interop-some spark spark-test spark-some trust-check reconcile-check incidents-check incidents-some \
	workbook-check pictures fuzz sanitize complexity complexity-some soak bench bench-compare bench-guard walk bench-stages \
	bench-formats cases-of-dist man dist dist-check install uninstall clean

help: ## daily: list the targets
	@for group in daily release measure; do \
		echo "$$group:"; \
		awk -F ':.*## ' -v group="$$group" '/^[a-z-]+:.*## / && index($$2, group ": ") == 1 \
			{ printf "  %-16s %s\n", $$1, substr($$2, length(group) + 3) }' $(firstword $(MAKEFILE_LIST)); \
	done

deps: ## daily: install the system packages that the build needs
	@dev/install-dependencies.sh

# What the release links with.
linking: deps
	@mkdir -p $(LINKING); archive=$$($$(command -v cc || command -v clang) -print-file-name=libstdc++.a); \
		[ ! -f "$$archive" ] || ln -sf "$$archive" $(LINKING)/libstdc++.a
	@if flags=$$(pkg-config --cflags libxml-2.0 2>/dev/null); then \
		printf 'Name: libxml2\nDescription: headers\nVersion: 2\nCflags: %s\n' "$$flags" > $(LINKING)/libxml-2.0.pc; fi

build: deps ## daily: build tillroll, optimised
	$(SWIFT) build --scratch-path $(SCRATCH) $(DAILY) --product tillroll

release: linking
	$(SWIFT) build --scratch-path $(RELEASED) $(RELEASE) --product tillroll

run: build ## daily: build, and show all reports on the samples
	@$(TOOL) report all $(INPUTS) $(FLAGS) --month 2026-03 --no-pager

# Runs the tests that are built; SEEDS=all takes every seed of random data, TESTS=PATTERN the tests with names like it.
TREE = $(shell $(PYTHON) dev/nightly.py tree 2>/dev/null)
run-tests = TILLROLL_TREE=$(TREE) TILLROLL_SEEDS=$(SEEDS) $(SWIFT) test --skip-build --disable-xctest --scratch-path $(SCRATCH) $(DAILY)

tests: deps
	$(SWIFT) build --scratch-path $(SCRATCH) $(DAILY) --build-tests

test: tests ## daily: run the tests (TESTS=PATTERN: some; SEEDS=all: every seed)
	@log=$$(mktemp); { $(run-tests) $(if $(TESTS),--filter '$(TESTS)'); echo $$? > "$$log.status"; } 2>&1 | tee "$$log"; \
	status=$$(cat "$$log.status"); \
	if grep -q 'No matching test cases\|Test run with 0 tests' "$$log"; then \
		echo "no test has the name '$(TESTS)'; TESTS matches names of suites and functions, as in RevenueReportTests" >&2; status=1; \
	fi; \
	rm -f "$$log" "$$log.status"; exit $$status

faults: tests ## measure: let every system call fail (FAULTS=COMMANDS: in some)
	TILLROLL_FAULTS=$(or $(FAULTS),all) $(run-tests) --filter '^FaultTests'

# Each step of `check` by itself; .ci/run times them.
CHECKS := lint tests test reports-check bench-guard complexity-some interop-some spark-some

check: ## daily: run what each change needs: lint, tests, Reports/, growth
	@for step in $(CHECKS); do $(MAKE) --no-print-directory $$step || exit 1; done

lint: ## daily: check format, weight of modules, words, links
	@$(SWIFT) format lint -r -p --strict $(SWIFT_FILES)
	@$(PYTHON) dev/weight.py
	@$(PYTHON) dev/words.py
	@$(PYTHON) dev/links.py

nightly: ## measure: run the long tests, part by part (PARTS=NAMES: some)
	@$(PYTHON) dev/nightly.py run $(PARTS)

format: ## daily: format the Swift files
	$(SWIFT) format -i -r -p $(SWIFT_FILES)

# Writes all samples below the folder $(1).
write-samples = $(SWIFT) build --scratch-path $(SCRATCH) -q $(DAILY) --product tillroll-samples && \
	$(SCRATCH)/release/tillroll-samples $(1)

# Nobody looks at the number of input bytes, and with it a longer sample would change every report: it becomes 0.
NO_BYTES := 's/("rejected":[0-9]+,"bytes":)[0-9]+/\10/'

# Writes all reports below the folder $(1).
define write-reports
for report in $(REPORTS); do \
	mkdir -p $(1)/$$report || exit 1; \
	for format in $(FORMATS); do \
		$(TOOL) report $$report $(INPUTS) $(FLAGS) $(PERIOD) -t $${format%%:*} > $(1)/$$report/$$report.$${format##*:} || exit 1; \
	done; \
done; \
$(TOOL) report journal $(INPUTS) $(FLAGS) $(PERIOD) $(JOURNAL) -t ledger > $(1)/journal/journal.journal || exit 1; \
mkdir -p $(1)/closing || exit 1; \
for format in $(FORMATS); do \
	$(TOOL) report revenue $(INPUTS) $(FLAGS) $(CLOSING) -t $${format%%:*} > $(1)/closing/closing.$${format##*:} || exit 1; \
done; \
mkdir -p $(1)/reconcile || exit 1; \
for format in $(FORMATS); do \
	$(TOOL) reconcile $(RECONCILED) -t $${format%%:*} > $(1)/reconcile/reconcile.$${format##*:}; \
	[ $$? -eq 3 ] || exit 1; \
done; \
find $(1) -name '*json' -exec sed -i -E $(NO_BYTES) {} +
endef

samples: deps ## daily: write Samples/ anew from the fixed seed
	@fresh=$$(mktemp -d) && trap 'rm -rf "$$fresh"' EXIT && \
	$(call write-samples,"$$fresh") && rm -rf Samples && mkdir Samples && cp -R "$$fresh"/. Samples

reports: build ## daily: write Reports/ anew
	@fresh=$$(mktemp -d) && trap 'rm -rf "$$fresh"' EXIT && \
	{ $(call write-reports,"$$fresh"); } && \
	find Reports -mindepth 1 -maxdepth 1 -type d -exec rm -rf {} + && cp -R "$$fresh"/. Reports

reports-check: build ## daily: compare Reports/ and Samples/ with what the tool writes
	@fresh=$$(mktemp -d) && trap 'rm -rf "$$fresh"' EXIT && mkdir "$$fresh/Samples" "$$fresh/Reports" && \
	$(call write-samples,"$$fresh/Samples") && \
	{ diff -rq Samples "$$fresh/Samples" || \
		{ echo "Samples/ is not what the generator writes; remedy: make samples reports" >&2; exit 1; }; } && \
	{ $(call write-reports,"$$fresh/Reports"); } && \
	{ diff -ru -x README.md Reports "$$fresh/Reports" || \
		{ echo "Reports/ is not what the tool writes; remedy: make reports, then review git diff" >&2; exit 1; }; } && \
	echo "Reports/ and Samples/ are what the tool writes."

record: tests ## daily: rewrite the golden files of the tests
	@TILLROLL_RECORD=1 $(run-tests) || \
		echo "A run that records fails on purpose; what has changed: git diff"

# Throw-away environments below SCRATCH; what they hold is from PyPI and is made anew when the list changes.
INTEROP  := Tests/Interop
JUDGES   := $(SCRATCH)/interop-venv
PEERS    := $(SCRATCH)/bench-venv

$(JUDGES)/ready: $(INTEROP)/requirements.txt
$(PEERS)/ready: dev/bench/bench-requirements.txt
$(JUDGES)/ready $(PEERS)/ready:
	rm -rf $(@D) && python3 -m venv $(@D) && $(@D)/bin/pip install --quiet --disable-pip-version-check -r $< && touch $@

# A smoke test of at most a minute, for each change: two samples, and the tests of Spark that each flag needs.
interop-some: INPUTS := Samples/verify Samples/events
interop-some: interop
spark-some:
	@$(MAKE) --no-print-directory spark-test SPARK_TESTS="-m 'smoke'"

interop: build ## measure: read our Parquet with other tools, and theirs with ours
	@if $(MAKE) --no-print-directory $(JUDGES)/ready; then \
		$(JUDGES)/bin/python $(INTEROP)/interop.py $(TOOL) --queries Samples/queries $(INPUTS); \
	else \
		echo "******** interop was SKIPPED: pyarrow, duckdb and polars cannot be installed ********" >&2; \
	fi

# Spark runs on Java; the package and PySpark come from PyPI. The environment is made anew when the list of packages changes.
SPARK := $(SCRATCH)/spark

$(SPARK)/ready: Sources/TillSpark/pyproject.toml
	rm -rf $(@D) && python3 -m venv $(@D) && \
		$(@D)/bin/pip install --quiet --disable-pip-version-check --editable 'Sources/TillSpark[test]' && touch $@

spark: build ## daily: make .build/spark/bin/tillroll-spark
	@command -v java >/dev/null || dev/install-dependencies.sh default-jre-headless
	@$(MAKE) --no-print-directory $(SPARK)/ready
	@ln -sf ../../release/tillroll $(SPARK)/bin/tillroll

SPARK_TESTS ?= -m 'not slow'

spark-test: build ## measure: compare reports on Spark with one machine (SPARK_TESTS)
	@if $(MAKE) --no-print-directory spark; then \
		PATH="$(abspath $(SPARK)/bin):$$PATH" $(SPARK)/bin/python -m pytest Sources/TillSpark $(SPARK_TESTS); \
	else \
		echo "******** spark-test was SKIPPED: Java, or pyspark and pytest from PyPI, cannot be installed ********" >&2; \
	fi

# Published receipts and the generator of dumps lie beside the project; where they do not, there is nothing to compare.
BESIDE := ../shared

trust-check: build ## measure: compare verdicts on signatures with openssl
	@test -d $(BESIDE)/vectors || { echo "no $(BESIDE)/vectors: nothing to compare with" >&2; exit 1; }
	python3 dev/trust_check.py $(TOOL) --vectors $(BESIDE)/vectors \
		--generator $(BESIDE)/bench/generate.py --check $(BESIDE)/bench/check.py

# The number of streams, and the text from which they are made.
STREAMS ?= 200
SEED    ?= 1

incidents-check: build ## measure: compare incidents with a plain implementation (STREAMS, SEED)
	@test -d $(BESIDE)/bench/incidents || { echo "no $(BESIDE)/bench/incidents: nothing to compare with" >&2; exit 1; }
	python3 dev/incidents_check.py $(TOOL) --bench $(BESIDE)/bench/incidents --streams $(STREAMS) --seed $(SEED)

# A few streams, others for each tree; none where there is nothing to compare with.
incidents-some:
	@if test -d $(BESIDE)/bench/incidents; then \
		$(MAKE) --no-print-directory incidents-check STREAMS=10 SEED="$$(python3 dev/nightly.py tree)"; \
	else \
		echo "no $(BESIDE)/bench/incidents: nothing to compare with"; \
	fi

reconcile-check: build ## measure: compare reconciliations with exact answers
	@test -d $(BESIDE)/bench || { echo "no $(BESIDE)/bench: nothing to compare with" >&2; exit 1; }
	python3 dev/reconcile_check.py $(TOOL) --generator $(BESIDE)/bench/generate.py --reports $(BESIDE)/bench/apple_reports.py

pictures: build ## measure: make pictures of pages, workbooks and terminals
	python3 dev/pictures.py $(TOOL) $(SCRATCH)/pictures
	@echo "pictures are in $(SCRATCH)/pictures"

# Where the peers cannot be installed, `bench` does without the generator, and `bench-compare` says what is missing.
with-peers = $(MAKE) --no-print-directory $(PEERS)/ready >&2 && python=$(PEERS)/bin/python || python=python3; \
	python3 dev/bench/bench.py $(1) $(DIST_TOOL) --scratch $(SCRATCH) --beside $(BESIDE) --peers $$python

bench: release ## measure: time each kind of work (DOCS, SEED, RUNS, JOBS)
	@$(call with-peers,table)

bench-compare: release ## measure: time tillroll and its peers
	@$(call with-peers,compare)

# valgrind is for these two alone, so `make build` and `make test` do without it.
# CASES='chains files' takes the shapes with these words in their names, CASES='--group 2/12' a share of them.
complexity: build ## measure: check that work grows with the input (CASES)
	@dev/install-dependencies.sh valgrind || true
	@$(PYTHON) dev/complexity/complexity.py $(TOOL) $(CASES)

# The first command of twelve shapes, which the tree chooses.
complexity-some:
	@$(MAKE) --no-print-directory complexity CASES='--first --some 12 $(or $(TREE),0)'

# trickle: SOAK_SECONDS of slow input into commands that run on; stdin: 10 GB; files: a million files; line: lines of 1 GB.
SOAK_SECONDS ?= 1800
SOAK_PARTS   ?= line files stdin trickle

soak: build ## measure: run long and large inputs (SOAK_SECONDS, SOAK_PARTS)
	@$(PYTHON) dev/soak.py $(TOOL) $(SOAK_SECONDS) $(SOAK_PARTS)

bench-guard: build ## measure: compare instructions per line with the known count
	@dev/install-dependencies.sh valgrind || true
	@python3 dev/bench/bench_guard.py $(TOOL)

walk: deps ## measure: count the functions that run for one line
	@dev/install-dependencies.sh valgrind || true
	$(SWIFT) build --scratch-path $(SCRATCH)-walk --product tillroll
	@$(PYTHON) dev/walk.py $(SCRATCH)-walk/debug/tillroll

bench-stages: deps ## measure: time each stage alone
	@$(SWIFT) package --package-path Tests/Benchmarks benchmark --format jmh --path stdout --no-progress | \
		python3 dev/bench/bench_stages.py

bench-formats: release ## measure: time each format
	@dev/bench/bench-formats.sh $(DIST_TOOL)

# Each target is fuzzed for FUZZ_SECONDS, FUZZ_ROUNDS times. FUZZ_TARGETS names some targets; FUZZ_SWEEP adds sweeps (seconds).
FUZZ_SECONDS ?= 10
FUZZ_SWEEP   ?= 0
FUZZ_ROUNDS  ?= 1
FUZZ_TARGETS ?=
# `address` finds what reads or writes where it must not; `plain` has the coverage alone and runs several times as many inputs.
FUZZ_BUILD   ?= address
FUZZ_PACKAGE := Tests/FuzzTests
FUZZ_SCRATCH  = $(FUZZ_PACKAGE)/.build-$(FUZZ_BUILD)
COVERAGE     := edge,inline-8bit-counters,pc-table,trace-cmp
# Coverage as libFuzzer wants it comes with these flags and not with -sanitize=fuzzer, whose kind it no longer reads. The compiler
# makes none without a sanitizer, so where there is no other, its frontend alone is told of the fuzzer's.
COVERED_address := --sanitize=address -Xswiftc -sanitize-coverage=$(COVERAGE)
COVERED_plain   := -Xswiftc -Xfrontend -Xswiftc -sanitize=fuzzer -Xswiftc -Xfrontend -Xswiftc -sanitize-coverage=$(COVERAGE)

fuzz: deps ## measure: fuzz each decoder (FUZZ_SECONDS, FUZZ_TARGETS, …)
	@runtime=$$(find "$$($(SWIFT)c -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/../clang" \
		-name 'libclang_rt.fuzzer_no_main-*.a' | grep "$$(uname -m)"); \
	$(SWIFT) build --package-path $(FUZZ_PACKAGE) --scratch-path $(FUZZ_SCRATCH) -c release $(COVERED_$(FUZZ_BUILD)) \
		-Xswiftc -enable-testing -Xlinker "$$runtime" -Xlinker -lstdc++ -Xlinker -lm
	@status=0; $(PYTHON) dev/fuzz/fuzz.py run $(FUZZ_SCRATCH)/release/fuzz $(FUZZ_TARGETS) --build $(FUZZ_BUILD) --seconds $(FUZZ_SECONDS) \
		--sweep $(FUZZ_SWEEP) --rounds $(FUZZ_ROUNDS) || status=$$?; \
		$(PYTHON) dev/fuzz/fuzz.py sum $(FUZZ_PACKAGE)/.build/executions.log; exit $$status

# Each sanitizer has a build of its own, of all modules and tests: half an hour each on two cores.
SANITIZERS ?= kernels address thread

sanitize: deps ## measure: run C kernels and tests with sanitizers (SANITIZERS)
	@dev/sanitize.sh "$(SWIFT)" "$(SCRATCH)" $(SANITIZERS)

CLOSE := Samples/studio --fx Samples/finance/studio-rates.csv --base-currency EUR

workbook-check: build ## measure: compare workbooks with the JSON
	@python=$(PYTHON); if $(MAKE) --no-print-directory $(JUDGES)/ready; then python=$(JUDGES)/bin/python; fi; \
	fresh=$$(mktemp -d) && trap 'rm -rf "$$fresh"' EXIT; \
	compare() { name=$$1; shift; $(TOOL) "$$@" --quiet -o "$$fresh/$$name.xlsx" && $(TOOL) "$$@" --quiet -o "$$fresh/$$name.json" && \
		$$python Tests/Interop/workbook.py "$$fresh/$$name.xlsx" "$$fresh/$$name.json"; }; \
	for report in $(REPORTS); do \
		case $$report in failures|all) same="--examples 3";; *) same=;; esac; \
		compare $$report report $$report $(INPUTS) $(FLAGS) $$same || exit 1; \
	done; \
	compare month report revenue $(CLOSE) --month 2026-03 && compare currencies report revenue Samples/studio --month 2026-03 && \
	compare balances report deferred $(CLOSE) --month 2026-03 && compare keys report revenue $(CLOSE) --by storefront,sale_kind && \
	compare against report revenue $(CLOSE) --month 2026-03 --compare year && compare nothing report all $(CLOSE) --month 2019-01

cases-of-dist: release tests ## release: run the command cases on the released binary
	TILLROLL_BIN=$(abspath $(dir $(DIST_TOOL))) $(run-tests) --filter '^EndToEndTests'

# Manual pages and completions are made from the help of the command itself. The pages bear the date of the last change.
PAGES := $(RELEASED)/man
SHELLS := $(RELEASED)/completions
MAN_DIR  = $(DESTDIR)$(PREFIX)/share/man/man1
BASH_DIR = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH_DIR  = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISH_DIR = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

man: release ## release: write the manual pages and completions
	@rm -rf $(PAGES) $(SHELLS) && mkdir -p $(PAGES) $(SHELLS)
	@$(DIST_TOOL) --dump-help | $(PYTHON) dev/manual.py $(PAGES) "$$($(DIST_TOOL) --version | head -1)" \
		"$$(git log -1 --format=%cs 2>/dev/null || date +%F)"
	@for shell in bash zsh fish; do $(DIST_TOOL) --generate-completion-script $$shell > $(SHELLS)/tillroll.$$shell || exit 1; done
	@for shell in bash zsh fish; do \
		if command -v $$shell >/dev/null; then $$shell -n $(SHELLS)/tillroll.$$shell || exit 1; fi; done
	@if command -v mandoc >/dev/null; then mandoc -T lint -W warning $(PAGES)/*.1 || exit 1; fi

install: man ## release: install below PREFIX (/usr/local)
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(MAN_DIR)" "$(BASH_DIR)" "$(ZSH_DIR)" "$(FISH_DIR)"
	install -s -m 755 $(DIST_TOOL) "$(DESTDIR)$(PREFIX)/bin/tillroll"
	install -m 644 $(PAGES)/*.1 "$(MAN_DIR)"
	install -m 644 $(SHELLS)/tillroll.bash "$(BASH_DIR)/tillroll"
	install -m 644 $(SHELLS)/tillroll.zsh "$(ZSH_DIR)/_tillroll"
	install -m 644 $(SHELLS)/tillroll.fish "$(FISH_DIR)/tillroll.fish"

dist: man ## release: write tarball, Debian package, SBOM, checksums
	@$(PYTHON) dev/release/dist.py $(DIST_TOOL) $(RELEASED) $(RELEASED)/dist

# The folder of the second build has a longer path, and the files there other times.
dist-check: dist ## release: build twice and compare the bytes
	@git diff --quiet HEAD || { echo "dist-check: there are changes that are not committed" >&2; exit 1; }
	@other=$$(mktemp -d) && trap 'rm -rf "$$other"' EXIT && git clone -q . "$$other/of-another-name" && \
		$(MAKE) --no-print-directory -C "$$other/of-another-name" dist SCRATCH=.build && \
		(cd "$$other/of-another-name/.build-dist/dist" && sha256sum --quiet -c "$(abspath $(RELEASED))/dist/SHA256SUMS") && \
		echo "two builds gave the same bytes"

uninstall: ## release: remove what `make install` wrote
	rm -f "$(DESTDIR)$(PREFIX)/bin/tillroll" "$(MAN_DIR)/tillroll.1" "$(MAN_DIR)"/tillroll-*.1 \
		"$(BASH_DIR)/tillroll" "$(ZSH_DIR)/_tillroll" "$(FISH_DIR)/tillroll.fish"

clean: ## daily: remove what was built
	$(SWIFT) package --scratch-path $(SCRATCH) clean
