package flows

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// build compiles a file of these limits and tools; the first tool is run.
func build(t testing.TB, limits, tools string) *graph.Graph {
	t.Helper()
	text := "version: \"1.0\"\nserver: {name: flows, version: 1.0.0}\nexecutionLimits: " + limits + "\nmcpServers: {up: {command: up}}\ntools:\n" + tools
	file, err := config.Parse("flows.yaml", []byte(text), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, err := graph.Build(t.Context(), file)
	if err := errors.Join(err, found.Err()); err != nil {
		t.Fatal(err)
	}
	return graphs[0]
}

// numbers are the arguments {items: [0, 1, …]}.
func numbers(n int) value.Value {
	items := make([]any, n)
	for i := range items {
		items[i] = float64(i)
	}
	return value.NewObject([]string{"items"}, []value.Value{items})
}

// each makes a call for each item, and eachGraph runs a graph of three steps for each.
const (
	each = `
- name: each
  description: a call for each item
  nodes:
  - {id: entry, type: entry, next: all}
  - {id: all, type: mcp, server: up, tool: wait, forEach: {items: $.entry.items, maxParallel: 64}, args: {n: {expr: $item}}, next: exit}
  - {id: exit, type: exit}
`
	eachGraph = `
- name: each
  description: a graph for each item
  nodes:
  - {id: entry, type: entry, next: all}
  - {id: all, type: graph, tool: one, forEach: {items: $.entry.items, maxParallel: 64}, args: {n: {expr: $item}}, next: exit}
  - {id: exit, type: exit}
- name: one
  description: one item
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: wait, args: {n: {expr: $.entry.n}}, next: exit}
  - {id: exit, type: exit}
`
)

// server counts the calls that are in flight.
type server struct {
	wait                   time.Duration
	begun, inFlight, atMax atomic.Int64
	ended                  atomic.Int64 // calls that the end of their context has ended
}

func (s *server) CallTool(ctx context.Context, c execution.Call) (value.Value, error) {
	s.begun.Add(1)
	now := s.inFlight.Add(1)
	defer s.inFlight.Add(-1)
	for most := s.atMax.Load(); now > most && !s.atMax.CompareAndSwap(most, now); most = s.atMax.Load() {
		continue
	}
	select {
	case <-time.After(s.wait):
		return c.Args, nil
	case <-ctx.Done():
		s.ended.Add(1)
		return nil, context.Cause(ctx)
	}
}

// 10,000 calls of 5 ms, 64 at a time, take 157 waits: no place is ever idle. The clock is virtual,
// so this counts waits; make bench measures the time.
func TestF05FanOut(t *testing.T) {
	const items, width = 10_000, 64
	const rounds = (items + width - 1) / width
	for name, tools := range forms {
		t.Run(name, func(t *testing.T) {
			g := build(t, "{maxNodeExecutions: 1000000}", tools)
			synctest.Test(t, func(t *testing.T) {
				s := &server{wait: 5 * time.Millisecond}
				start := time.Now()
				result, err := execution.New(s).Run(t.Context(), g, numbers(items))
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took != rounds*s.wait {
					t.Errorf("the calls take %v, want %d waits of %v", took, rounds, s.wait)
				}
				if s.begun.Load() != items || s.atMax.Load() != width {
					t.Errorf("%d calls, at most %d at once, want %d and %d", s.begun.Load(), s.atMax.Load(), items, width)
				}
				list, _ := result.Value.([]any)
				if len(list) != items {
					t.Errorf("%d values, want %d", len(list), items)
				}
			})
		})
	}
}

// A cancellation ends the calls in flight at once, and none begins after it.
func TestF05Cancelled(t *testing.T) {
	for name, tools := range forms {
		t.Run(name, func(t *testing.T) {
			g := build(t, "{maxNodeExecutions: 1000000}", tools)
			synctest.Test(t, func(t *testing.T) {
				s := &server{wait: time.Hour / 100}
				ctx, cancel := context.WithCancel(t.Context())
				at := 5 * time.Millisecond
				time.AfterFunc(at, cancel)
				start := time.Now()
				_, err := execution.New(s).Run(ctx, g, numbers(10_000))
				var step *execution.StepError
				if !errors.As(err, &step) || step.Code() != execution.CodeCancelled {
					t.Errorf("the run ended with %v, want a cancellation", err)
				}
				if took := time.Since(start); took != at {
					t.Errorf("the run ended after %v, want %v", took, at)
				}
				if s.begun.Load() != 64 || s.ended.Load() != 64 || s.inFlight.Load() != 0 {
					t.Errorf("%d calls began, %d were cancelled, %d go on; want 64, 64 and 0", s.begun.Load(), s.ended.Load(), s.inFlight.Load())
				}
			})
		})
	}
}

// Limits are never exceeded, however many parts run at once.
func TestF05Limits(t *testing.T) {
	loop := `
- name: each
  description: loops for each item
  nodes:
  - {id: entry, type: entry, next: all}
  - {id: all, type: graph, tool: loop, forEach: {items: $.entry.items, maxParallel: 64}, args: {n: {expr: $item}}, next: exit}
  - {id: exit, type: exit}
- name: loop
  description: calls again and again
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: wait, args: {n: {expr: $.entry.n}}, next: again}
  - {id: again, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("call")'}, 100]}, next: call}], next: exit}
  - {id: exit, type: exit}
`
	for _, most := range []int{64, 200, 257, 1000} {
		t.Run(fmt.Sprintf("%d executions", most), func(t *testing.T) {
			g := build(t, fmt.Sprintf("{maxNodeExecutions: %d}", most), loop)
			synctest.Test(t, func(t *testing.T) {
				s := &server{wait: time.Millisecond}
				result, err := execution.New(s).Run(t.Context(), g, numbers(14))
				checkLimit(t, err, "maxNodeExecutions")
				if n := len(result.History()); n > most {
					t.Errorf("%d records, want at most %d", n, most)
				}
			})
		})
		t.Run(fmt.Sprintf("%d calls", most), func(t *testing.T) {
			g := build(t, fmt.Sprintf("{maxNodeExecutions: 1000000, maxCalls: %d}", most), loop)
			synctest.Test(t, func(t *testing.T) {
				s := &server{wait: time.Millisecond}
				_, err := execution.New(s).Run(t.Context(), g, numbers(64))
				checkLimit(t, err, "maxCalls")
				if n := int(s.begun.Load()); n != most {
					t.Errorf("%d calls, want %d", n, most)
				}
			})
		})
	}
	t.Run("too many items", func(t *testing.T) {
		for name, tools := range forms {
			s := &server{}
			_, err := execution.New(s).Run(t.Context(), build(t, "{maxNodeExecutions: 1000}", tools), numbers(999))
			checkLimit(t, err, "maxNodeExecutions")
			if n := s.begun.Load(); n != 0 {
				t.Errorf("%s: %d calls before the limit was found, want none", name, n)
			}
		}
	})
}

func checkLimit(t *testing.T, err error, setting string) {
	t.Helper()
	var step *execution.StepError
	if !errors.As(err, &step) || step.Code() != execution.CodeLimit || !strings.Contains(err.Error(), setting) {
		t.Errorf("the run ended with %v, want the limit %s", err, setting)
	}
}

// shapes is a run with every kind of part: graphs for each item with calls for each of their
// items, different calls at once, failures that onError takes, and attempts.
const shapes = `
- name: shapes
  description: every kind of part
  nodes:
  - {id: entry, type: entry, next: lots}
  - id: lots
    type: graph
    tool: lot
    forEach: {items: '$chunk($.entry.items, 7)', maxParallel: %}
    args: {lot: {expr: $item}, at: {expr: $index}}
    onError: {value: {lost: {expr: $index}, code: {expr: $failure.code}, node: {expr: $failure.node}}}
    next: both
  - id: both
    type: parallel
    branches:
      first: {type: mcp, server: up, tool: flaky, args: {n: {expr: $count($.lots)}}, effect: read, retry: {attempts: 5, delayMs: 3}, onError: {value: {expr: $failure.code}}}
      second: {type: graph, tool: lot, args: {lot: {expr: '[1, 2, 3]'}, at: 99}, onError: {}}
    next: exit
  - {id: exit, type: exit}
- name: lot
  hidden: true
  description: some items
  nodes:
  - {id: entry, type: entry, next: calls}
  - id: calls
    type: mcp
    server: up
    tool: fail
    forEach: {items: $.entry.lot, maxParallel: %}
    args: {n: {expr: $item}, at: {expr: $.entry.at}}
    onError: {value: {expr: $failure.code}}
    next: count
  - {id: count, type: transform, transform: {expr: '$.entry.at = 3 ? $error("no") : {"lost": $count($.calls[$type($) = "string"]), "before": $count($previousNode())}'}, next: exit}
  - {id: exit, type: exit}
`

// The same run has the same addresses, outputs and result at every maxParallel and whatever
// the calls take.
func TestF07AnyTimes(t *testing.T) {
	var first string
	for _, maxParallel := range []int{1, 2, 7, 64} {
		g := build(t, "{maxNodeExecutions: 10000}", strings.ReplaceAll(shapes, "%", fmt.Sprint(maxParallel)))
		for times := range uint64(12) {
			synctest.Test(t, func(t *testing.T) {
				run := runEngine(t.Context(), g, numbers(60), times)
				text := ""
				for _, r := range run.history {
					output, err := value.Encode(r.Output) // with its messages
					if err != nil {
						t.Fatal(err)
					}
					text += fmt.Sprintf("%s %s %s\n", r.At(), describeRecord(r), output)
				}
				output, err := value.Encode(run.value)
				if err != nil {
					t.Fatal(err)
				}
				text += string(output)
				if run.failed != nil {
					t.Fatal(run.failed.code)
				}
				if first == "" {
					first = text
				}
				if text != first {
					t.Errorf("maxParallel %d and times %d give another history:\n%s\nat first:\n%s", maxParallel, times, text, first)
				}
			})
		}
	}
	if n := strings.Count(first, "\n"); n < 100 {
		t.Errorf("only %d executions", n)
	}
}

// Arguments that do not fit the called tool fail at the place of args, and nothing of it runs.
func TestF13Arguments(t *testing.T) {
	const tools = `
- name: outer
  description: calls with other arguments
  nodes:
  - {id: entry, type: entry, next: call}
  - id: call
    type: graph
    tool: inner
    args: {n: {expr: $.entry.n}}
    %
    next: exit
  - {id: exit, type: exit}
- name: inner
  description: wants a number
  inputSchema: {type: object, properties: {n: {type: number}, d: {default: 7}}, required: [n]}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: echo, args: {n: {expr: $.entry.n}, d: {expr: $.entry.d}}, next: exit}
  - {id: exit, type: exit}
`
	for name, c := range map[string]struct {
		onError, args, want string
		fails               bool
	}{
		"fits":             {"", `{"n": 1}`, `{"n":1,"d":7}`, false},
		"a text":           {"", `{"n": "one"}`, "", true},
		"missing":          {"", `{}`, "", true},
		"not by default":   {"onError: {value: taken}", `{"n": "one"}`, "", true},
		"taken when named": {"onError: {codes: [invalid-arguments], value: {expr: $failure.code}}", `{"n": "one"}`, `"invalid-arguments"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := build(t, "{}", strings.ReplaceAll(tools, "%", c.onError))
			args, err := value.Decode([]byte(c.args))
			if err != nil {
				t.Fatal(err)
			}
			var calls []*sent
			result, err := execution.New(caller(rand.Uint64(), &calls)).Run(t.Context(), g, args)
			if !c.fails {
				if err != nil || textOf(result.Value) != c.want {
					t.Errorf("%s and %v, want %s", textOf(result.Value), err, c.want)
				}
			} else {
				var failed *execution.Failure
				if !errors.As(err, &failed) || codeOf(failed) != config.FailInvalidArguments || failed.Pos.Line != 14 {
					t.Errorf("%v, want invalid-arguments at line 14", err)
				}
			}
			if c.want == `{"n":1,"d":7}` {
				return
			}
			for _, r := range result.History() {
				if r.Frame != "" {
					t.Errorf("%s ran: %s", r.At(), describeRecord(r))
				}
			}
			if len(calls) != 0 {
				t.Errorf("%d calls, want none", len(calls))
			}
		})
	}
}
