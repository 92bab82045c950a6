package flows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/authoring/convert"
)

// makeStraight makes the program of a seed whose first tool is a chain of nodes, which can be steps.
func makeStraight(seed, index uint64) *program {
	p := makeProgram(seed, index)
	m := &maker{Rand: rand.New(rand.NewPCG(seed, ^index)), straight: true, tools: len(p.tools)}
	t := &tool{name: "t0", fields: slices.DeleteFunc(p.tools[0].fields, func(f field) bool { return f.key == "return" || f.key == "executionLimits" }), nodes: []*node{{id: "entry", kind: "entry"}}}
	m.nodes = 2 + m.IntN(mostNodes-3)
	for m.at < m.nodes {
		n := m.node()
		if text := n.flow(); n.kind == "switch" || notStraight.MatchString(text) || strings.Contains(text, "tool: t") && len(p.tools) == 1 {
			continue
		}
		m.at++
		n.id = "n" + strconv.Itoa(m.at)
		t.nodes = append(t.nodes, n)
	}
	t.nodes = append(t.nodes, &node{id: "exit", kind: "exit"})
	p.tools[0] = t
	p.limits = "{maxExecutionTimeMs: 3600000}"
	return p
}

// notStraight finds what steps do not have; calls of the tool itself, which would have no end; what polls and shows its attempts;
// and the tools whose calls do not end.
var notStraight = regexp.MustCompile(`next: |\$previousNode|\$nodeExecution|\$executionCount|tool: t0|tool: hang|\$attempt|attempts\b.*until|\.attempts|\$failure\}|'\$failure'`)

// A tool that is written as steps has the same value, and makes the same calls with the same arguments. Where the graph
// fails, the steps fail, too; reads that the graph would have made later may have been made then.
func TestConvertedFlows(t *testing.T) {
	seed, count := fromEnv(t, "FLOWS_SEED", defaultSeed), fromEnv(t, "FLOWS_COUNT", defaultCount)
	ended, failed, calls, raced := 0, 0, 0, 0
	for i := range count {
		p := makeStraight(seed, i)
		if _, err := p.build(t.Context()); err != nil { // an onError: skip of another tool hides a change
			continue
		}
		src := []byte(p.yaml(8))
		text, _, err := convert.ToSteps(t.Context(), "random.yaml", src, "t0", config.Options{})
		if err != nil {
			t.Fatalf("program %d: %v\n%s", i, err, src)
		}
		was, is := runText(t, src, p.input, i), runText(t, text, p.input, i)
		if was.failed != nil && was.failed.code == failLimit || is.failed != nil && is.failed.code == failLimit {
			continue // what counts as an execution is not the same
		}
		if !sameRun(was, is) { // a failure that a called tool takes may have ended other calls at the same time, or not
			raced++
			was, is = runText(t, src, p.input, i, execution.WithSequentialParts()), runText(t, text, p.input, i, execution.WithSequentialParts())
		}
		if !sameRun(was, is) {
			t.Fatalf("program %d: as nodes %s %v\n%q\nas steps %s %v\n%q\n%s\n%s", i, textOf(was.value), was.failed, sentOf(was), textOf(is.value), is.failed, sentOf(is), src, text)
		}
		if was.failed != nil {
			failed++
			continue
		}
		ended++
		calls += len(was.calls)
	}
	t.Logf("%d tools with a value after %d calls, %d that fail, %d with races", ended, calls, failed, raced)
	if count >= 200 && (ended < 60 || failed < 20 || calls < 200 || raced > int(count/100)) {
		t.Error("too few of them reach what they are for")
	}
}

// sameRun reports whether two runs have the same value and calls, or both fail.
func sameRun(was, is engineRun) bool {
	if was.failed != nil || is.failed != nil {
		return was.failed != nil && is.failed != nil
	}
	return textOf(was.value) == textOf(is.value) && slices.Equal(sentOf(was), sentOf(is))
}

func runText(t *testing.T, src []byte, input string, times uint64, opts ...execution.Option) (run engineRun) {
	t.Helper()
	file, err := config.Parse("random.yaml", src, config.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	graphs, found, err := graph.Build(t.Context(), file)
	args, err2 := value.Decode([]byte(input))
	if err := errors.Join(err, found.Err(), err2); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	synctest.Test(t, func(t *testing.T) { run = runEngine(t.Context(), graphs[0], args, times, opts...) })
	return run
}

// sentOf returns the calls of a run, without their places and times.
func sentOf(run engineRun) (all []string) {
	for _, c := range run.calls {
		all = append(all, c.args)
	}
	slices.Sort(all)
	return all
}

// A call that is repeated until its value is the wanted one is made as often as steps, also when one fails meanwhile: only the
// largest number of attempts is that of turns, in each of which failures are repeated.
func TestConvertedPolls(t *testing.T) {
	for _, retry := range []string{"until: $result.n > 2", "until: $result.n > 3, delayMs: 10, attempts: 4", "until: $result.n > 9, attempts: 3", "until: $result.n > 1, codes: [tool-error]"} {
		src := "server: {name: s, version: 1.0.0}\nmcpServers: {up: {command: up}}\ntools:\n- name: t0\n  nodes:\n  - {id: entry, type: entry, next: a}\n" +
			"  - {id: a, type: mcp, server: up, tool: count, effect: read, retry: {" + retry + "}, onError: {codes: [not-yet], value: {late: {expr: $failure.result}}}, next: exit}\n  - {id: exit, type: exit}\n"
		text, _, err := convert.ToSteps(t.Context(), "g.yaml", []byte(src), "t0", config.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var results []string
		for _, src := range [][]byte{[]byte(src), text} {
			file, err := config.Parse("g.yaml", src, config.Options{})
			if err != nil {
				t.Fatal(err)
			}
			graphs, _, err := graph.Build(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				n := 0
				result, err := execution.New(execution.CallerFunc(func(context.Context, execution.Call) (value.Value, error) {
					if n++; n == 2 && !strings.Contains(retry, "> 9") {
						return nil, callError{&failure{code: config.FailToolError}}
					}
					return value.NewObject([]string{"n"}, []value.Value{float64(n)}), nil
				})).Run(t.Context(), graphs[0], value.NewMap())
				results = append(results, fmt.Sprint(textOf(result.Value), " ", cmp.Or(err, errors.New("no failure")), " after ", n))
			})
		}
		if results[0] != results[1] {
			t.Errorf("%s: as nodes %s, as steps %s\n%s", retry, results[0], results[1], text)
		}
	}
}
