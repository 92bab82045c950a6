package mcpgraph

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/tests/npm"
	"toolgraph/tests/testbin"
)

const (
	mcpGraphPackage = "mcpgraph@0.1.23"

	defaultSeed  = 20251125
	defaultCount = 600
	lot          = 100 // graphs of a file, of which there are six with different limits
	mostTools    = 200 // of a graph file
)

func TestMain(m *testing.M) { os.Exit(testbin.Run(m)) }

func fromEnv(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%s: %v", name, text, err)
	}
	return n
}

// pair is both programs.
type pair struct {
	t                *testing.T
	toolgraph, fakes string
	main             string // mcpGraph's
	old              bool   // it is 0.1.23
	limits           []int
}

// newPair builds toolgraph and finds mcpGraph; the test is skipped where it may not or cannot.
func newPair(t *testing.T) *pair {
	t.Helper()
	if os.Getenv("TOOLGRAPH_CLIENTS") != "1" {
		t.Skip("downloads mcpGraph from npm; set TOOLGRAPH_CLIENTS=1 (make mcpgraph)")
	}
	if err := npm.Available(); err != nil {
		t.Skip(err)
	}
	p := &pair{t: t, toolgraph: testbin.Build(t, "toolgraph"), fakes: testbin.Build(t, "toolgraph/tests/fakeserver"), limits: []int{40, 1000, 25, 60}}
	if dir := os.Getenv("MCPGRAPH_DIR"); dir != "" {
		p.main = filepath.Join(dir, "dist", "main.js")
		return p
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	dir, err := npm.Install(ctx, mcpGraphPackage)
	if err != nil {
		t.Fatal(err)
	}
	p.main, p.old = filepath.Join(dir, "node_modules", "mcpgraph", "dist", "main.js"), true
	return p
}

func (p *pair) file(lot int) file {
	return file{old: p.old, limit: p.limits[lot%len(p.limits)], server: p.fakes}
}

// run writes a file and calls all its tools.
func (p *pair) run(path string, f file, tools []tool, command ...string) (all []outcome, err error) {
	if err := os.WriteFile(path, []byte(f.write(tools)), 0o644); err != nil {
		return nil, err
	}
	s, err := start(context.WithoutCancel(p.t.Context()), filepath.Dir(path), append(command, "-g", path)...)
	if err != nil {
		return nil, err
	}
	defer s.close()
	for _, tool := range tools {
		answer, err := s.call(tool.name, tool.arguments())
		if err != nil {
			return nil, err
		}
		all = append(all, answer)
	}
	return all, nil
}

// both runs the tools in both programs at the same time.
func (p *pair) both(dir string, f file, tools []tool) (ours, theirs []outcome) {
	p.t.Helper()
	var wait sync.WaitGroup
	var failed [2]error
	wait.Go(func() { ours, failed[0] = p.run(filepath.Join(dir, "toolgraph.yaml"), f, tools, p.toolgraph, "serve") })
	wait.Go(func() { theirs, failed[1] = p.run(filepath.Join(dir, "mcpgraph.yaml"), f, tools, "node", p.main) })
	wait.Wait()
	if err := errors.Join(failed[:]...); err != nil {
		p.t.Fatal(err)
	}
	return ours, theirs
}

// tally is what all graphs came to.
type tally struct {
	equal    int
	failures map[string]int // of the equal ones, by reason
	rules    map[string]int // of the others
	open     []string
}

func TestRandomGraphs(t *testing.T) {
	p := newPair(t)
	seed, count := fromEnv(t, "MCPGRAPH_SEED", defaultSeed), fromEnv(t, "MCPGRAPH_COUNT", defaultCount)
	sum := &tally{failures: map[string]int{}, rules: map[string]int{}}
	for i := uint64(0); i < count; i += lot {
		p.compare(sum, seed, i, min(i+lot, count))
	}
	if seed == defaultSeed && count == defaultCount {
		sum.enough(t, p.old)
	}
	t.Logf("%d graphs of seed %d: %d equal, of which failed in both %v; by rules of docs/coming-from.md %v",
		count, seed, sum.equal, sum.failures, sum.rules)
	for _, text := range sum.open {
		t.Error(text)
	}
}

// differing is a graph with different answers, and the readings in which mcpGraph is asked again.
type differing struct {
	tool
	ours, theirs outcome
	readings     []tool
}

// compare runs one file of graphs, and asks mcpGraph again where the answers differ.
func (p *pair) compare(sum *tally, seed, from, to uint64) {
	p.t.Helper()
	var tools []tool
	for i := from; i < to; i++ {
		s := makeSample(seed, i, p.old)
		tools = append(tools, tool{name: s.name(), of: s})
	}
	f := p.file(int(from / lot))
	ours, theirs := p.both(p.t.TempDir(), f, tools)
	var differ []differing
	var again []tool
	for i, tool := range tools {
		switch rule := ofAnswersRule(tool.of, ours[i], theirs[i]); {
		case agree(ours[i], theirs[i], reasonThere):
			sum.equal++
			if ours[i].failed != "" {
				sum.failures[reasonHere(ours[i])]++
			}
		case rule != "":
			sum.rules[rule]++
		default:
			d := differing{tool: tool, ours: ours[i], theirs: theirs[i], readings: tool.readings()}
			differ, again = append(differ, d), append(again, d.readings...)
		}
	}
	if len(differ) == 0 {
		return
	}
	ours, theirs = nil, nil
	for tools := range slices.Chunk(again, mostTools) {
		a, b := p.both(p.t.TempDir(), f, tools)
		ours, theirs = append(ours, a...), append(theirs, b...)
	}
	for _, d := range differ {
		n := len(d.readings)
		sum.explain(f, d, ours[:n], theirs[:n])
		ours, theirs = ours[n:], theirs[n:]
	}
}

// explain counts the difference under the first reading in which mcpGraph gives toolgraph's answer. No reading
// may change that answer.
func (sum *tally) explain(f file, d differing, ours, theirs []outcome) {
	for i, r := range d.readings {
		if !agree(d.ours, ours[i], reasonHere) {
			sum.open = append(sum.open, fmt.Sprintf("%s is something else in toolgraph when it is written by %v\n%s\n%s\n%s",
				d.name, r.rules, f.tool(d.tool), f.tool(r), firstDifference(d.ours, ours[i])))
			return
		}
	}
	for i, r := range d.readings {
		rules := strings.Join(r.rules, "+")
		if agree(d.ours, theirs[i], reasonThere) {
			sum.rules[rules]++
			return
		}
		if rule := ofAnswersRule(d.of, d.ours, theirs[i]); rule != "" {
			sum.rules[rules+"+"+rule]++
			return
		}
	}
	text := fmt.Sprintf("%s(%s)\n%s\ntoolgraph: %s\nmcpGraph:  %s", d.name, d.arguments(), f.tool(d.tool), d.ours, d.theirs)
	nearest := d.theirs
	if last := len(theirs) - 1; last >= 0 {
		nearest = theirs[last]
		text += fmt.Sprintf("\nby %v, mcpGraph: %s\n%s", d.readings[last].rules, nearest, f.tool(d.readings[last]))
	}
	sum.open = append(sum.open, text+"\n"+firstDifference(d.ours, nearest))
}

// firstDifference shows both answers where they diverge.
func firstDifference(one, other outcome) string {
	ours, theirs := one.String(), other.String()
	i := 0
	for i < min(len(ours), len(theirs)) && ours[i] == theirs[i] {
		i++
	}
	around := func(text string) string { return text[max(0, i-60):min(len(text), i+80)] }
	return fmt.Sprintf("first difference: %q and %q", around(ours), around(theirs))
}

// readings are the tool as it is written by each of its rules, by each two of them, and by all.
func (t tool) readings() []tool {
	var all []tool
	add := func(rules ...string) {
		all = append(all, tool{name: fmt.Sprintf("%s_%d", t.name, len(all)), of: t.of, rules: rules})
	}
	rules := t.of.rules()
	for _, rule := range rules {
		add(rule)
	}
	for i, rule := range rules {
		for _, other := range rules[i+1:] {
			add(rule, other)
		}
	}
	if len(rules) > 2 {
		add(rules...)
	}
	return all
}
