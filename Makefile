# What one does with this project. `make up` and `make test` need only make and Node ≥ 20: each installs what it needs first.
# Recipes run under the Node 24 that comes with the dependencies (Linux), elsewhere under the machine's own.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

installed := node_modules/.package-lock.json
reports := test/.artefacts/reports
report = --reporter=default --reporter=json --reporter=junit --outputFile.json=$(reports)/$(1).json --outputFile.junit=$(reports)/$(1).junit.xml
in_toolchain := export PATH="$(CURDIR)/node_modules/.bin:$$PATH";

.PHONY: up tools check unit integration test compat mutants e2e bench crds words images chart build cluster-up cluster-down clean help

up: build ## run the example agents on this machine, without a cluster; PORT=n for another port, ARGS="…" for pallas up
	@$(in_toolchain) exec node examples/quickstart/up.ts $(if $(PORT),--port $(PORT)) $(ARGS)

tools: $(installed) ## install the programs of this machine that tests use (Debian, root; elsewhere it says which they are)
	@$(in_toolchain) node test/tools/install.ts

check: $(installed) ## types, lint, format, dead code, generated files, rules of the house
	@$(in_toolchain) node crds/to-crd.ts --check && node crds/to-reference.ts --check
	@$(in_toolchain) tsc -p tsconfig.json
	@$(in_toolchain) npm run --silent lint
	@$(in_toolchain) npm run --silent format -- --check
	@$(in_toolchain) knip
	@$(in_toolchain) vitest run --project unit --reporter=dot test/tidy

unit: $(installed) ## the tests that need nothing but Node
	@$(in_toolchain) vitest run --project unit $(call report,unit)

integration: $(installed) ## the built programs against a real API server (Go; the first run builds it for seven minutes)
	@$(in_toolchain) node test/cluster/build.ts && vitest run --project integration --project rights $(call report,integration)

test: check unit integration ## everything that can be checked without a cluster of nodes; says at the end what was left out
	@$(in_toolchain) node test/summarise-reports.ts $(reports)/{unit,integration}.json

compat: $(installed) ## published servers, clients and frameworks of others, really started (Python, Go; the first run installs for five minutes)
	@$(in_toolchain) node test/compat/install.ts && vitest run --project compat $(call report,compat)

mutants: $(installed) ## break the code on purpose, and see that unit tests notice (half an hour); FILES=x for some of the code only
	@$(in_toolchain) node test/mutants/run.ts $(FILES)

e2e: $(installed) ## the chart on a real cluster of one node, with pods, policies and clients (Linux, root; the first run builds for ten minutes)
	@$(in_toolchain) node test/cluster/build.ts node
	@$(in_toolchain) vitest run --project machine $(call report,machine)
	@$(in_toolchain) vitest run --project e2e $(call report,e2e)

bench: build ## measure operator and agents against bare rivals and bounds; NAME=x for one benchmark only
	@$(in_toolchain) node test/cluster/build.ts && node test/bench/run.ts $(NAME)

crds: $(installed) ## write crds/*.yaml and docs/reference.md from their schemas
	@$(in_toolchain) node crds/to-crd.ts && node crds/to-reference.ts

words: $(installed) ## train the word table of lib/search anew (118 MB from the npm registry once); ARGS=--check only compares
	@$(in_toolchain) node lib/search/train/train.ts $(ARGS)

images: $(installed) ## make the container images, as archives in images/out
	@$(in_toolchain) node images/build.ts

chart: $(installed) ## pack the Helm chart into charts/out, and renew what is generated in it
	@$(in_toolchain) export HELM="$$(node test/chart/programs.ts)"; node charts/build.ts

cluster-up: $(installed) ## start a cluster of one node on this machine (root, Linux) and print how to use it
	@$(in_toolchain) node test/cluster/build.ts node && exec node test/cluster/node/up.ts

cluster-down: $(installed) ## end it; PURGE=1 removes its data too
	@$(in_toolchain) exec node test/cluster/node/down.ts $(if $(PURGE),--purge)

build: $(installed) ## bundle the programs into dist/
	@$(in_toolchain) node build.ts

clean: ## remove what was built, keep what was installed
	rm -rf dist charts/out images/out test/.artefacts

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# npm writes this file at the end of an installation, so it is older than the lock file exactly when the installation is stale.
$(installed): package-lock.json
	npm ci --loglevel=error --no-fund >&2
	@touch $@
	@$(in_toolchain) node -e 'const [a, b] = process.versions.node.split(".").map(Number); if (a < 22 || (a === 22 && b < 19)) { console.error("Pallas needs Node ≥ 22.19, found " + process.version + "; install Node 24 from https://nodejs.org and try again"); process.exit(1); }'
