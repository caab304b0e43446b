# Two commands: `make verify` checks every claim, `make test` checks the suite itself and then every claim.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python -m
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
# make benchmarks SLOW=--with-slow also runs what takes a minute and more.
SLOW ?=
SCALING ?= ledger
# make site LEDGER=DIR has the pages of that ledger, in .cache/site/ledger.
LEDGER ?= ledger
# Rows and unit tests of which nothing has changed are not run again, but for CI; make test KNOWN= runs all of them.
KNOWN ?= $(if $(CI),,--known)
# make seeds SEEDS=0,3,7-9 MORE="--constants --paper zou2018"
SEEDS ?= 0-19
MORE ?=
# make verdicts SEEDS=20-99 judges the claims with a constant of ours alone, without their controls.
# make mutants ENOUGH=0 judges every claim that calls what is wrong.
# make mutants MORE=--missing asks claims of which the record has nothing, or which have changed since.
ENOUGH ?=
# make vary SEED=1 VARIATIONS=10 draws other sizes, and more of them.
# make vary MORE="--ends --output .cache/ends" judges at two small and two large sizes of each symbol instead.
# make sums MORE="--claim ID" measures these rows again, of the ledger of the last make test.
# make fuzz BLOCKS=10000 tries more blocks.
BLOCKS ?= 4000
SEED ?= 0
VARIATIONS ?= 5
# make verify CONSTRAINTS=constraints.txt installs the versions with which the committed errata were made.
CONSTRAINTS ?= $(if $(LOWEST),$(VENV)/lowest.txt)
SHELL := /bin/bash
# Tests start hundreds of processes: each would compile all modules again where the environment keeps none of that.
unexport PYTHONDONTWRITEBYTECODE
# Nor do they load what other packages give Hypothesis: trio, which selenium brings, takes as long as Hypothesis itself.
export HYPOTHESIS_NO_PLUGINS := 1

.PHONY: verify test claims judged lint contracts types benchmarks unit-theory unit-theory-of-claims unit-widths-of-claims unit-rest-of-claims unit-theory-of-some-claims unit-bounds unit-nets unit-benchmarks unit-properties scaling portability seeds verdicts mutants vary sums fuzz second-opinion lowest site picture clean

verify: $(VENV)/.installed
	@echo "checking every claim at quick effort"
	@$(RUN) pytest --ledger ledger --jobs $(JOBS)

test: $(VENV)/.installed-dev
	@echo "lint, types, import contracts, unit tests, and every claim with its negative controls: two at a time"
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target claims unit-theory unit-theory-of-claims unit-theory-of-some-claims unit-bounds unit-nets unit-properties unit-benchmarks types lint contracts
	@echo "all checks passed"

# Rows are replayed in two halves, so that two cores are busy to the end.
claims: replay-1 replay-2

# Two workers: the replays wait for this run, which would be the longest, and beside it tests wait for their processes.
judged: $(VENV)/.installed
	@echo "checking every claim and its negative controls"
	@$(RUN) pytest --ledger .cache/ledger --jobs 2 $(if $(KNOWN),$(KNOWN) --no-page)
	@$(RUN) theory.reports.errata --check .cache/ledger/ledger.json

replay-%: judged
	@echo "replaying rows, part $* of 2"
	@$(RUN) theory.upkeep.replay .cache/ledger/ledger.json $*/2 $(KNOWN)

# What all unit tests can read, and what of it those of a room cannot: claims, and what claims alone are about.
SURFACE := conftest.py setup.cfg pyproject.toml theory
CLAIM_FILES := $(wildcard properties/*/test_*.py)
PAPERS := $(patsubst properties/%/tests,%,$(wildcard properties/*/tests))
READ_BY_THEORY := $(SURFACE) bounds nets properties benchmarks docs .ci .github $(wildcard examples *.*)
# A test that hangs says where.
passed = $(RUN) $(if $(KNOWN),theory.upkeep.passed --of $(1) $(if $(2),--but $(2)) $(if $(3),--each $(3)) -- $(VENV)/bin/python -m) pytest -q -o faulthandler_timeout=300
# Test files with tests of these marks.
marked = $(shell grep -lE 'mark\.$(1)\b' theory/tests/test_*.py properties/*/tests/test_*.py)

# Those that are not marked must not read claim files (theory/tests/conftest.py).
unit-theory: $(VENV)/.installed-dev
	@echo "unit tests of theory, but those that read claims"
	@$(call passed,$(READ_BY_THEORY),$(CLAIM_FILES)) theory -m "not reads_claims and not reads_claims_of"

# In two runs, so that two cores are busy: widths that theorems need take a third of the time.
unit-theory-of-claims: unit-widths-of-claims unit-rest-of-claims

unit-widths-of-claims: $(VENV)/.installed-dev
	@echo "unit tests that read all claims for the widths that theorems need"
	@$(call passed,$(READ_BY_THEORY),) -m reads_claims $(filter theory/tests/test_needs%,$(call marked,reads_claims))

unit-rest-of-claims: $(VENV)/.installed-dev
	@echo "other unit tests that read all claims"
	@$(call passed,$(READ_BY_THEORY),) -m reads_claims $(filter-out theory/tests/test_needs%,$(call marked,reads_claims))

# Each file of tests is run when one of the claim files that it names has changed.
unit-theory-of-some-claims: $(VENV)/.installed-dev
	@echo "unit tests that read some claims"
	@$(call passed,$(READ_BY_THEORY),$(CLAIM_FILES),$(call marked,reads_claims_of)) -m reads_claims_of $(if $(KNOWN),,$(call marked,reads_claims_of))

unit-bounds unit-nets: unit-%: $(VENV)/.installed-dev
	@echo "unit tests of $*"
	@$(call passed,$(SURFACE) bounds nets,theory/tests) $*

unit-benchmarks: $(VENV)/.installed-dev
	@echo "unit tests of benchmarks"
	@$(call passed,$(SURFACE) bounds nets benchmarks,theory/tests) benchmarks/tests

# Of what claims measure with; a run of the claims leaves these folders out (conftest.py). Those of a paper read no other
# paper, and no claims (theory/tests/test_claims_refused.py).
unit-properties: $(if $(KNOWN),$(addprefix unit-of-,$(PAPERS)),unit-of-*)

unit-of-%: $(VENV)/.installed-dev
	@echo "unit tests of properties/$*"
	@export LEMMATA_TEST_WITHOUT_CLAIMS=properties/$*/tests; \
	$(call passed,$(SURFACE) bounds nets properties,theory/tests $(CLAIM_FILES) $(filter-out properties/$*,$(wildcard properties/*[0-9]*))) $(filter-out $(call marked,reads_claims),$(wildcard properties/$*/tests/test_*.py))

lint: $(VENV)/.installed-dev
	@echo "lint"
	@$(RUN) ruff check --quiet . && $(RUN) ruff format --quiet --check .

contracts: $(VENV)/.installed-dev
	@echo "import contracts"
	@$(VENV)/bin/lint-imports --config setup.cfg

types: $(VENV)/.installed-dev
	@echo "types"
	@$(RUN) mypy

benchmarks: $(VENV)/.installed-dev
	@echo "benchmarks"
	@$(RUN) pytest benchmarks --benchmark-only --benchmark-columns=min,median,max,rounds --benchmark-sort=name $(SLOW)

scaling: $(VENV)/.installed-dev
	@echo "time and memory against the width, into $(SCALING)"
	@$(RUN) benchmarks.scaling --output $(SCALING)

portability: $(VENV)/.installed-dev
	@echo "unit tests and every claim under other processors' kernels, one after the other"
	@$(RUN) theory.upkeep.portability

# Goes on where it was interrupted.
seeds: $(VENV)/.installed
	@echo "checking every claim at the seeds $(SEEDS), into .cache/seeds"
	@$(RUN) theory.upkeep.over_seeds --seeds $(SEEDS) --jobs $(JOBS) $(MORE)

# MORE=--resume goes on where it was interrupted.
verdicts: $(VENV)/.installed
	@echo "judging claims with constants of the project's own at the seeds $(SEEDS), into .cache/verdicts"
	@$(RUN) theory.upkeep.verdicts --seeds $(SEEDS) --jobs $(JOBS) $(MORE)

mutants: $(VENV)/.installed-dev
	@echo "how many claims notice wrong variants of the code that they run"
	@$(RUN) theory.upkeep.mutants --jobs $(JOBS) --record theory/reports/noticed.json $(if $(ENOUGH),--enough $(ENOUGH)) $(MORE)

vary: $(VENV)/.installed
	@echo "judging every row again beside its own sizes"
	@$(RUN) theory.upkeep.vary --jobs $(JOBS) --seed $(SEED) --variations $(VARIATIONS) $(MORE)

sums: $(VENV)/.installed
	@echo "measuring the worst case of each search again, sums in another order"
	@$(RUN) theory.upkeep.other_sums .cache/ledger/ledger.json $(MORE)

fuzz: $(VENV)/.installed-dev
	@echo "judging blocks made of valid and invalid parts, and hostile ones, stopping runs in every way, and slow tests"
	@LEMMATA_BLOCKS=$(BLOCKS) $(RUN) pytest -q theory/tests/test_fuzz.py theory/tests/test_attacks.py theory/tests/test_interrupts.py theory/tests/test_reproduce.py
	@LEMMATA_BLOCKS=$(BLOCKS) $(RUN) pytest -q theory -m at_night --ignore theory/tests/test_attacks.py

# make second-opinion MORE="--claim ID" asks again for some proofs, and keeps what is on record of the others.
second-opinion: $(VENV)/.installed-second-opinion
	@echo "deciding each step of each proof again, by another arithmetic"
	@$(RUN) theory.upkeep.second_opinion --record theory/reports/second_opinion.json --page docs/second_opinion.md $(MORE)

# All dependencies at the lowest versions that setup.cfg allows, in an environment of their own.
lowest:
	@$(MAKE) --no-print-directory VENV=.cache/lowest LOWEST=yes unit-theory unit-theory-of-claims unit-theory-of-some-claims unit-bounds unit-nets unit-properties unit-benchmarks claims

# Beside the pages in docs/ those that they lead to, each where it lies in the checkout, so that links hold there and here.
PAGES := README.md CONTRIBUTING.md CHANGELOG.md docs theory/ERRATA.md theory/reports/page/page.png

site: $(VENV)/.installed-site
	@echo "the site, into .cache/site"
	@rm -rf .cache/site-pages && mkdir -p .cache/site-pages
	@tar -cf - $(PAGES) | tar -xf - -C .cache/site-pages
	@$(RUN) pygments -S default -f html -a .highlight >.cache/site-pages/docs/pygments.css
	@$(RUN) properdocs build --strict --config-file mkdocs.yml
	@if [ -f $(LEDGER)/ledger.json ]; then $(RUN) lemmata site $(LEDGER) .cache/site/ledger --statements; \
	else echo "no $(LEDGER)/ledger.json: the site has no page of a ledger; make verify writes one"; fi

# Of the ledger of the last make test; make picture LEDGER=ledger takes that of make verify.
picture: $(VENV)/.installed-dev
	@echo "the picture of the page in the documentation"
	@$(RUN) theory.upkeep.page_picture $(if $(filter file,$(origin LEDGER)),.cache/ledger,$(LEDGER))/ledger.json

clean:
	@rm -rf $(VENV) .cache ledger

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "error: $(PYTHON) is missing or older than Python 3.11; install it or run make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "creating $(VENV)"
	@$(PYTHON) -m venv $(VENV) || \
		{ rm -rf $(VENV); echo "error: $(PYTHON) -m venv failed; install the venv module of Python" >&2; exit 1; }

$(VENV)/lowest.txt: $(VENV)/bin/python setup.cfg
	@sed -nE 's/^    ([A-Za-z0-9_.-]+)(\[[a-z]+\])?>=([0-9.]+)(,<[0-9]+)?$$/\1==\3/p' setup.cfg >$@

# Each set of dependencies is installed again when the files that list it change.
define install
	@echo "installing $(1)"
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS)) -e '$(1)' >$(VENV)/install.log 2>&1 || \
		{ tail -n 5 $(VENV)/install.log >&2; echo "error: installing the dependencies failed; the log is $(VENV)/install.log" >&2; exit 1; }
	@touch $@
endef

$(VENV)/.installed: $(VENV)/bin/python setup.cfg pyproject.toml $(CONSTRAINTS)
	$(call install,.)

$(VENV)/.installed-dev: $(VENV)/.installed setup.cfg pyproject.toml
	$(call install,.[dev])

$(VENV)/.installed-second-opinion: $(VENV)/.installed setup.cfg pyproject.toml
	$(call install,.[second-opinion])

$(VENV)/.installed-site: $(VENV)/.installed setup.cfg pyproject.toml
	$(call install,.[site])
