# Tools that are needed neither to build nor to test are run with `go run pkg@version`.
GOLANGCI := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOFUMPT  := go run mvdan.cc/gofumpt@v0.12.0

.PHONY: help build test race golden fuzz edits soak random mutants steps clients editors frames page pictures apps alerts conformance servers rules graphs mcpgraph flows pairs sim sim-mutants fleet fleet-versions temporal fleet-waiting bench-temporal web vscode lint fmt cover bench bench-context bench-scale bench-store check notices release-files release-dry release-check publish-as published

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 15

build: ## build ./toolgraph, static and stripped, as it is released
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o toolgraph .

test: ## run the tests
	go test ./...

race: ## run the tests with the race detector
	go test -race ./...

golden: ## rewrite the golden files of the tests; review the diff
	UPDATE_GOLDEN=1 go test ./...

fuzz: ## fuzz each target for a while (FUZZTIME=30s)
	@for pkg in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "$$pkg $$target"; go test -run '^$$' -fuzz "^$$target$$" -fuzztime $${FUZZTIME:-30s} $$pkg || exit 1; \
	  done; done

edits: ## make 20,000 random edits of the examples through the language server (EDITS=20000)
	TOOLGRAPH_EDITS=$${EDITS:-20000} go test -count=1 -timeout 60m -run TestRandomEdits -v ./internal/editor/lsp

soak: ## run the long tests as well
	TOOLGRAPH_SOAK=1 go test -timeout 30m ./...

random: ## run all random cases of the suites of which go test runs some
	TOOLGRAPH_RANDOM=1 go test -timeout 30m ./...

mutants: ## break ten rooms in small ways, one at a time, and print which tests notice (takes an hour; SEED=1, EACH=6)
	go run ./tests/mutants -seed $${SEED:-1} -each $${EACH:-6}

sim-mutants: ## break what makes processes one server in twelve ways, and print in which schedule of the simulation each is found (takes half an hour; SEED=1)
	go run ./tests/mutants -fleet -seed $${SEED:-1}

steps: ## run the thirty tasks of docs/experiments/steps in the engine (needs Node)
	TOOLGRAPH_STEPS=1 go test -count=1 -v ./tests/steptasks

clients: ## call every example from the newest third-party MCP clients, and write docs/clients.md (needs Node)
	TOOLGRAPH_NEWEST=1 TOOLGRAPH_CLIENTS=1 go test -count=1 -timeout 30m ./tests/clients/

editors: ## test the language server in Neovim and Emacs, and the extension for VS Code (needs these editors and Node; code-server with TOOLGRAPH_CODE_SERVER)
	TOOLGRAPH_CLIENTS=1 go test -count=1 -timeout 30m -v ./tests/editor/

frames: ## compare what a terminal shows of commands with tests/testdata/terminal (needs tmux; UPDATE_GOLDEN=1 writes it)
	TOOLGRAPH_CLIENTS=1 go test -count=1 -run 'TestTerminal' ./tests

page: ## drive the debugger's page in a browser (needs Node and Chromium)
	TOOLGRAPH_CLIENTS=1 go test -count=1 -timeout 30m ./tests/page/

pictures: ## take the pictures of the documentation anew from the running product (needs Node, Chromium, tmux, Neovim); review them
	UPDATE_GOLDEN=1 TOOLGRAPH_CLIENTS=1 go test -count=1 -timeout 30m ./tests/page/

apps: ## show runs and plans in the official host's side of MCP Apps, in a browser (needs Node and Chromium; APPS_SHOTS=DIR stores images)
	TOOLGRAPH_CLIENTS=1 go test -count=1 -timeout 30m ./tests/apps/

alerts: ## check docs/monitoring/alerts.yaml and its tests with promtool, whose first build takes minutes (PROMTOOL=FILE: one that is there)
	TOOLGRAPH_CLIENTS=1 go test -count=1 -timeout 60m -v -run TestPromtool ./internal/telemetry/observe

conformance: ## run the official conformance suite (needs Node)
	TOOLGRAPH_CLIENTS=1 go test -count=1 ./tests/conformance/

servers: ## lock, check and call 25 servers of npm, and write docs/servers.md (needs Node)
	UPDATE_GOLDEN=1 TOOLGRAPH_CLIENTS=1 go test -count=1 -timeout 40m ./tests/servers/

pairs: ## compare 20,000 random pairs of expression and data of each grammar with jsonata (needs Node; SEED=1)
	dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && npm install --silent --no-audit --no-fund --prefix "$$dir" jsonata@2.2.2 && \
	  seed=$${SEED:-$$(date +%s)} && for grammar in "" rare; do \
	    node expressions/jsonata/testdata/pairs.mjs $$seed 20000 "$$dir" $$grammar > "$$dir/pairs.jsonl" && \
	    TOOLGRAPH_JSONATA_PAIRS="$$dir/pairs.jsonl" go test -count=1 -v -run TestPairs ./expressions/jsonata || exit 1; done

rules: ## ask json-logic-js again for every operator over a value that is missing (needs Node); review the diff
	dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && npm install --silent --no-audit --no-fund --prefix "$$dir" json-logic-js@2.0.5 && \
	  node expressions/jsonlogic/testdata/undefined.mjs "$$dir" > "$$dir/undefined.jsonl" && cp "$$dir/undefined.jsonl" expressions/jsonlogic/testdata/ && \
	  go test -count=1 -run TestX11 ./expressions/jsonlogic

graphs: ## run 3,600 random graphs beside jsonata and json-logic-js (needs Node)
	TOOLGRAPH_GRAPHS=1 go test -count=1 -timeout 30m -v ./tests/graphs/

mcpgraph: ## run 600 random graphs beside mcpGraph of npm (needs Node; SEED=1; MCPGRAPH_DIR=DIR runs a build of its source)
	TOOLGRAPH_CLIENTS=1 MCPGRAPH_SEED=$$SEED go test -count=1 -timeout 30m -v ./tests/mcpgraph/

flows: ## run 10,000 random programs of nodes and of steps beside a second interpreter (SEED=1)
	FLOWS_SEED=$${SEED:-$$(date +%s)} FLOWS_COUNT=10000 go test -count=1 -timeout 30m -v -run TestRandomFlows ./tests/graphs/flows/

sim: ## run 10,000 random schedules of one process and of several on one journal, with faults (SIM=10000; SEED=17 runs one, with its trace)
	SIM=$${SIM:-10000} go test -count=1 -timeout 60m -v ./tests/simulation

# TEMPORAL is the temporal CLI; its development server is built once, into the user's cache.
TEMPORAL_VERSION := v1.5.1
TEMPORAL ?= $(or $(TOOLGRAPH_TEMPORAL),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/toolgraph/temporal-$(TEMPORAL_VERSION)/temporal)

$(TEMPORAL):
	GOBIN=$(dir $(TEMPORAL)) go install github.com/temporalio/cli/cmd/temporal@$(TEMPORAL_VERSION)

temporal: $(TEMPORAL) ## run the tests of internal/temporal with Temporal's development server (its first build takes minutes)
	cd internal/temporal && TOOLGRAPH_TEMPORAL=$(TEMPORAL) go test -count=1 -timeout 30m ./...

bench-temporal: $(TEMPORAL) ## compare one activity a run with one activity a call, with and without the limits of Temporal's development server (8 minutes)
	cd internal/temporal && TOOLGRAPH_TEMPORAL=$(TEMPORAL) go test -tags bench -count=1 -timeout 30m -v -run 'TestBench$$' .

fleet: ## make 2,000 calls to three processes behind HAProxy through thirteen faults, and try each row of what happens when something fails (FLEET=2000; Debian's postgresql and haproxy)
	FLEET=$${FLEET:-2000} go test -count=1 -parallel 4 -timeout 30m -v ./tests/fleet

fleet-versions: ## let the program of an earlier commit and this one share a run history
	FLEET_VERSIONS=1 go test -count=1 -timeout 30m -v -run TestVersions ./tests/fleet

fleet-waiting: ## measure runs that wait in three processes over Postgres: memory, queries, time to go on (WAITING=100000)
	WAITING=$${WAITING:-100000} go test -count=1 -timeout 60m -v -run TestWaitingTakesNoProcess ./tests/fleet

web: ## build the debugger's page (needs Node)
	cd internal/debugger/web && npm ci --no-audit --no-fund && npm run build

# An extension's version has no suffix for what comes before a release.
VSIX_VERSION = $(firstword $(subst -, ,$(or $(VERSION),0.0.0)))

vscode: ## pack the extension for VS Code as DIST/toolgraph-VERSION.vsix (needs Node)
	mkdir -p $${DIST:-dist} && out=$$(realpath $${DIST:-dist}) && cd internal/tools/editors/vscode && npm ci --no-audit --no-fund --loglevel=error && \
	  npx --yes @vscode/vsce@3.9.2 package $(VSIX_VERSION) --no-git-tag-version --no-update-package-json --allow-missing-repository --out "$$out/toolgraph-$(VSIX_VERSION).vsix"

lint: ## run the linters
	$(GOLANGCI) run

fmt: ## format the code
	$(GOFUMPT) -w $$(git ls-files '*.go')

cover: ## measure the coverage of the tests
	go test -coverpkg=./... -coverprofile=coverage.out ./... && go tool cover -func=coverage.out | tail -n 1

bench: ## measure startup, size, speed and memory beside other servers and engines, and the language server (needs Node for some)
	cd internal/tools/bench && go run . && go run ./expressions && go run ./fanout && go run ./editor

bench-context: ## count the tokens that jobs of many calls take with each call, pipelines, plans and tools (needs Node and git)
	cd internal/tools/bench && go run ./context

bench-store: ## measure a store with a million runs, over SQLite and Postgres, and retention under load; takes 20 minutes (MILLION_RUNS, MILLION_SPAN)
	go test ./execution/journal -run '^$$' -bench Million -benchtime 1x -timeout 2h

bench-scale: ## measure one process, three, and workers of Temporal (needs Postgres and the temporal CLI; leaves out what is missing)
	cd internal/tools/bench && go run ./scale

notices: ## write docs/third-party-notices.txt from the modules that are linked, on all systems
	go run ./internal/tools/release notices

# 2.17 needs a module that the Go module proxy does not serve, 2.18 needs Go 1.27.
GORELEASER := go run github.com/goreleaser/goreleaser/v2@v2.16.0

release-files: ## make archives, SBOMs, checksums, deb and rpm of all systems in dist (VERSION=0.0.0-check)
	$(GORELEASER) check
	$(GORELEASER) release --snapshot --clean --skip=docker,sign

release-dry: ## the same for this system only, in dist/dry, and try the files
	go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 .github/workflows/*.yml
	{ sed "s/goos: \[.*/goos: [$$(go env GOOS)]/; s/goarch: \[.*/goarch: [$$(go env GOARCH)]/" .goreleaser.yaml; echo "dist: dist/dry"; } > dry.goreleaser.yaml
	$(GORELEASER) check
	$(GORELEASER) release --snapshot --clean --skip=docker,sign,scoop,homebrew -f dry.goreleaser.yaml
	rm dry.goreleaser.yaml
	TOOLGRAPH_DRY=1 TOOLGRAPH_RELEASE=$$(realpath dist/dry) go test -count=1 -v -run 'TestRelease(Archives|Newcomer|Deb|RPM|Image)' ./internal/tools/release

release-check: release-files ## make the files of a release in dist and try them (needs Node; tries qemu, Wine, systemd)
	go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 .github/workflows/*.yml
	for os in windows darwin; do GOOS=$$os go vet ./... && GOOS=$$os go test -count=1 -exec true ./... > /dev/null || exit 1; done
	go run ./internal/tools/release npm dist $${VERSION:-0.0.0-check}
	go run ./internal/tools/release bundles dist $${VERSION:-0.0.0-check}
	TOOLGRAPH_CLIENTS=1 TOOLGRAPH_RELEASE=$$(realpath dist) go test -count=1 -v -run TestRelease ./internal/tools/release

publish-as: ## give the module its path and every release its names, in one commit (MODULE=host/owner/toolgraph; docs/releasing.md has the other names)
	go run ./internal/tools/release publish-as "$(MODULE)" $(NAMES)

published: ## publish a clone as another module, and get it as others would, through a proxy that is a directory
	TOOLGRAPH_PUBLISHED=1 go test -count=1 -timeout 20m -v -run TestPublish ./internal/tools/release

check: lint test race ## what a change must pass
