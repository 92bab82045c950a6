package inspect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

const nestedGraph = `server: {name: g, version: 1.0.0}
mcpServers: {up: {command: up}}
tools:
  - name: sums
    description: Sums.
    inputSchema: {type: object, properties: {n: {type: integer}}}
    nodes:
      - {id: entry, type: entry, next: each}
      - id: each
        type: graph
        tool: inner
        forEach: {items: '[1..$.entry.n]', maxParallel: 7}
        args: {n: {expr: $item}}
        onError: {value: none}
        next: both
      - id: both
        type: parallel
        branches:
          one: {type: mcp, server: up, tool: inc, args: {n: 1}}
          two: {type: graph, tool: inner, args: {n: 2}}
        next: exit
      - {id: exit, type: exit}
  - name: inner
    description: Inner.
    hidden: true
    nodes:
      - {id: start, type: entry, next: call}
      - {id: call, type: mcp, server: up, tool: inc, args: {n: {expr: $.start.n}}, next: done}
      - {id: done, type: exit}
`

// nestedRuns records runs of the graph with so many items; the call of item fails answers with an
// error.
func nestedRuns(t *testing.T, fails float64, items ...int) (*Inspector, []string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "graph.yaml")
	if err := os.WriteFile(path, []byte(nestedGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := config.Parse(path, []byte(nestedGraph), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	if found.Err() != nil {
		t.Fatal(found)
	}
	store, err := sqlite.Open(filepath.Join(dir, "state"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	caller := execution.CallerFunc(func(_ context.Context, c execution.Call) (value.Value, error) {
		n, _ := c.Args.(value.Object).Get("n")
		if n == fails {
			return nil, errors.New("no such number")
		}
		return fmt.Sprintf("the number %v", n), nil
	})
	var ids []string
	for _, n := range items {
		args := value.NewObject([]string{"n"}, []value.Value{float64(n)})
		result, err := execution.New(caller, execution.WithJournal(store.Journal(nil, journal.About{File: path}))).Run(t.Context(), graphs[0], args)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, result.RunID)
	}
	return &Inspector{File: path, Store: store}, ids
}

func addresses(steps []Step) (all []string) {
	for i := range steps {
		all = append(all, string(steps[i].At()))
	}
	return all
}

func read(t *testing.T, i *Inspector, q RunQuery) *Run {
	t.Helper()
	r, err := i.ReadRun(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Steps are listed in the order of addresses. Many steps below one are only counted, and can be
// read by its address, in pages.
func TestReadNestedRun(t *testing.T) {
	i, ids := nestedRuns(t, 3, 40)
	r := read(t, i, RunQuery{Run: ids[0]})
	if got, want := addresses(r.History), []string{"0", "1", "2.one", "2.two/0", "2.two/1", "2.two/2", "2.two", "2", "3"}; !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if got, want := *r.History[1].Below, (journal.Below{Steps: 40*4 - 1, Parts: 40, Handled: 1}); got != want {
		t.Errorf("below step 1 are %+v, want %+v", got, want)
	}
	if all := read(t, i, RunQuery{Run: ids[0], All: true, Limit: 1000}); len(all.History) != all.Steps || all.Nested != all.Steps-4 {
		t.Errorf("%d of %d steps, %d of them nested", len(all.History), all.Steps, all.Nested)
	}
	page := read(t, i, RunQuery{Run: ids[0], Step: "1", From: 10, Limit: 5})
	if got, want := addresses(page.History), []string{"1.10", "1.11", "1.12", "1.13", "1.14"}; !slices.Equal(got, want) || page.Next != 15 || page.Step == nil {
		t.Errorf("got %v, next %d, %+v", got, page.Next, page.Step)
	}
	part := read(t, i, RunQuery{Run: ids[0], Step: "1.2", Context: "1.2/1"})
	if got := addresses(part.History); !slices.Equal(got, []string{"1.2/0", "1.2/1"}) || part.Step.Handled == nil || string(part.Step.Output.Value) != `"none"` {
		t.Errorf("%v %+v", got, part.Step)
	}
	if got := names(part.Context); !slices.Equal(got, []string{`start={"n":3}`}) {
		t.Errorf("step 1.2/1 saw %v", got)
	}
	for at, want := range map[string][]string{"1": {`entry={"n":40}`}, "1.7": {`entry={"n":40}`}, "2.two/0": {}, "2.two/2": {`call="the number 2"`, `start={"n":2}`}} {
		if got := names(read(t, i, RunQuery{Run: ids[0], Context: at}).Context); !slices.Equal(got, want) {
			t.Errorf("step %s saw %v, want %v", at, got, want)
		}
	}
	for _, q := range []RunQuery{{Step: "9"}, {Step: "1.40"}, {Step: "2.three"}, {Step: "1.0/9"}, {Context: "1.99/3"}, {Context: "7"}, {Step: "1..2"}, {Step: "-1"}, {Context: "a"}} {
		q.Run = ids[0]
		if _, err := i.ReadRun(t.Context(), q); err == nil {
			t.Errorf("%+v: no error", q)
		}
	}
}

func names(context map[string]Value) []string {
	all := []string{}
	for node, v := range context {
		if len(v.Value) < 40 {
			all = append(all, node+"="+string(v.Value))
		}
	}
	slices.Sort(all)
	return all
}

// Steps of two runs meet by their addresses; the first divergence is the one with the smallest.
func TestDiffNestedRuns(t *testing.T) {
	i, ids := nestedRuns(t, 3, 5, 5, 200)
	same, err := i.DiffRuns(t.Context(), ids[0], ids[1])
	if err != nil || same.Value != nil || same.Path != nil {
		t.Errorf("%+v %v", same, err)
	}
	d, err := i.DiffRuns(t.Context(), ids[0], ids[2])
	if err != nil {
		t.Fatal(err)
	}
	if d.Path == nil || d.Path.At() != "1.5/0" || d.Path.A != nil || d.Path.B.Node != "start" || d.Value != nil || d.Arguments == nil {
		t.Errorf("%+v %+v", d.Path, d.Value)
	}
	if d, err = i.DiffRuns(t.Context(), ids[2], ids[0]); err != nil || d.Path == nil || d.Path.At() != "1.5/0" || d.Path.B != nil {
		t.Errorf("%+v %v", d.Path, err)
	}
	short, err := i.Store.Load(t.Context(), ids[0])
	if err != nil {
		t.Fatal(err)
	}
	short = short[:len(short)-2] // without its exit and its end
	for n := range short {
		short[n].Run = "SHORT"
	}
	if err := i.Store.Import(t.Context(), journal.Run{ID: "SHORT", File: i.File}, short); err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]string{{ids[0], "SHORT"}, {"SHORT", ids[0]}} {
		if d, err = i.DiffRuns(t.Context(), pair[0], pair[1]); err != nil || d.Path == nil || d.Path.At() != "3" || (d.Path.A == nil) == (d.Path.B == nil) {
			t.Errorf("%+v %v", d.Path, err)
		}
	}
	other, moreIDs := nestedRuns(t, 4, 5)
	run, err := other.Store.Run(t.Context(), moreIDs[0])
	if err != nil {
		t.Fatal(err)
	}
	events, err := other.Store.Load(t.Context(), run.ID)
	if err != nil {
		t.Fatal(err)
	}
	run.File = i.File
	if err := i.Store.Import(t.Context(), run, events); err != nil {
		t.Fatal(err)
	}
	d, err = i.DiffRuns(t.Context(), ids[0], run.ID)
	if err != nil {
		t.Fatal(err)
	}
	if d.Value == nil || d.Value.At() != "1.2/1" || !strings.Contains(d.Value.A.Error, "no such number") {
		t.Errorf("%+v", d.Value)
	}
}

// The times of two runs are compared node by node: items are part of their node, the nodes of called graphs have their own.
func TestDiffTimes(t *testing.T) {
	i, ids := nestedRuns(t, 3, 5, 9)
	d, err := i.DiffRuns(t.Context(), ids[0], ids[1])
	if err != nil {
		t.Fatal(err)
	}
	var counts []string
	for n, of := range d.Times {
		counts = append(counts, fmt.Sprintf("%s:%s %d %d", of.Tool, of.Node, of.A.Count, of.B.Count))
		if math.Abs(of.Difference-(of.B.Took-of.A.Took)) > 0.003 || n > 0 && max(of.Difference, -of.Difference) > max(d.Times[n-1].Difference, -d.Times[n-1].Difference) {
			t.Errorf("%d: %+v", n, of)
		}
	}
	slices.Sort(counts)
	if got := strings.Join(counts, ", "); got != ":both 1 1, :both.one 1 1, :both.two 1 1, :each 1 1, :entry 1 1, :exit 1 1, inner:call 6 10, inner:done 5 9, inner:start 6 10" {
		t.Errorf("got %s", got)
	}
}
