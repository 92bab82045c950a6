package simulation

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
)

// fleetFile is the graph file of a fleet; the second version of it has another value. Nothing listens at the URL: the server is that of the simulation,
// see serving.CallTool.
const fleetFile = `version: "1.0"
server: {name: shop, version: 1.0.0}
mcpServers:
  up: {type: http, url: "http://127.0.0.1:1/mcp"}
tools:
- name: order
  inputSchema: {type: object, properties: {id: {type: integer}, steps: {type: integer, default: 1}}, required: [id]}
  nodes:
  - {id: entry, type: entry, next: look}
  - {id: look, type: mcp, server: up, tool: look, effect: read, args: {id: {expr: $.entry.id}}, next: more}
  - id: more
    type: switch
    conditions: [{rule: {"<": [{"var": "$executionCount(\"look\")"}, {"var": $.entry.steps}]}, next: look}]
    next: pay
  - {id: pay, type: mcp, server: up, tool: pay, args: {id: {expr: $.entry.id}}, next: after}
  - {id: after, type: mcp, server: up, tool: look, effect: read, args: {id: {expr: $.entry.id}}, next: value}
  - {id: value, type: transform, transform: {expr: '{"id": $.after, "paid": $.pay VERSION}'}, next: exit}
  - {id: exit, type: exit}
- name: confirm
  inputSchema: {type: object, properties: {id: {type: integer}, steps: {type: integer}}, required: [id]}
  nodes:
  - {id: entry, type: entry, next: sure}
  - {id: sure, type: ask, message: "Pay?", next: pay}
  - {id: pay, type: mcp, server: up, tool: pay, args: {id: {expr: $.entry.id}}, next: value}
  - {id: value, type: transform, transform: {expr: '{"id": $.entry.id, "paid": $.pay VERSION}'}, next: exit}
  - {id: exit, type: exit}
- name: hold
  inputSchema: {type: object, properties: {id: {type: integer}, steps: {type: integer}}, required: [id]}
  nodes:
  - {id: entry, type: entry, next: hold}
  - {id: hold, type: mcp, server: up, tool: hold, args: {id: {expr: $.entry.id}}, next: exit}
  - {id: exit, type: exit}
- name: late
  inputSchema: {type: object, properties: {id: {type: integer}, steps: {type: integer}}, required: [id]}
  nodes:
  - {id: entry, type: entry, next: pay}
  - {id: pay, type: mcp, server: up, tool: pay, args: {id: {expr: $.entry.id}}, next: sure}
  - {id: sure, type: ask, message: "Again?", next: again}
  - {id: again, type: mcp, server: up, tool: pay, args: {id: {expr: $.entry.id}}, next: value}
  - {id: value, type: transform, transform: {expr: '{"id": $.entry.id, "paid": [$.pay, $.again] VERSION}'}, next: exit}
  - {id: exit, type: exit}
`

// versions writes the versions of the graph file.
func versions(t *testing.T) (files []string) {
	t.Helper()
	for i, by := range []string{"", `, "version": 2`} {
		file := filepath.Join(t.TempDir(), fmt.Sprintf("shop%d.yaml", i+1))
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(fleetFile, "VERSION", by)), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// TestFleet lets two and three processes share one history: production code from the HTTP server to the statements that are
// sent to Postgres.
func TestFleet(t *testing.T) {
	first, n := fromEnv(t, "SIM_FROM", 1), fromEnv(t, "SIM", 25)
	if os.Getenv("SEED") != "" {
		first, n = fromEnv(t, "SEED", 0), 1
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that a seed is nearly always the same schedule
	files := versions(t)
	sum := &fleetTally{}
	failed, most := uint64(0), fromEnv(t, "SIM_FAILED", mostFailed)
	for seed := first; seed < first+n && failed < most; seed++ {
		f := playFleet(t, seed, files)
		sum.add(f)
		if len(f.violations) > 0 || os.Getenv("SEED") != "" {
			f.report(t, seed)
		}
		if len(f.violations) > 0 {
			failed++
		}
	}
	t.Logf("%+v", *sum)
}

// fleetTally is what all seeds came to.
type fleetTally struct {
	schedules, statements, processes, earlier, expanded, calls, repeated, answers, deleted int
}

func (sum *fleetTally) add(f *fleet) {
	sum.schedules++
	sum.statements += f.statements
	sum.processes += f.started
	for _, p := range f.all {
		if p.earlier {
			sum.earlier++
		}
	}
	if f.db.expanded {
		sum.expanded++
	}
	for _, all := range f.ledger {
		sum.calls += len(all)
		sum.repeated += len(all) - 1
	}
	for _, c := range f.callers {
		sum.answers += len(c.answers)
	}
	sum.deleted += int(f.deleted)
}

// playFleet plays the schedule of a seed.
func playFleet(t *testing.T, seed uint64, files []string) (f *fleet) {
	t.Run(fmt.Sprint(seed), func(t *testing.T) {
		cryptotest.SetGlobalRandom(t, seed)
		synctest.Test(t, func(t *testing.T) {
			f = newFleet(seed, files)
			f.play(t.Context())
		})
	})
	return f
}

func (f *fleet) report(t *testing.T, seed uint64) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: SEED=%d go test -count=1 -run 'TestFleet$' ./tests/simulation\n", seed, seed)
	for _, v := range f.violations {
		fmt.Fprintf(&b, "  %s: %s\n", v.kind, v.text)
	}
	for _, c := range f.callers {
		fmt.Fprintf(&b, "client of %v after %v: done %t, gone %t, %d tries, %q\n", c, c.after, c.done, c.gone, c.tries, c.answers)
	}
	fmt.Fprintf(&b, "history:\n%s\n", strings.Join(f.trace, "\n"))
	if os.Getenv("SIM_LOG") != "" {
		for _, p := range f.processes {
			if p != nil {
				fmt.Fprintf(&b, "%s:\n%s\n", p.name, &p.log)
			}
		}
	}
	if len(f.violations) > 0 {
		t.Error(b.String())
		return
	}
	t.Log(b.String())
}
