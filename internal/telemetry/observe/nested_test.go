package observe

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

const nestedFile = `version: "1.0"
server: {name: s, version: 1.0.0}
mcpServers: {up: {command: x}}
tools:
  - name: t
    description: d
    nodes:
      - {id: entry, type: entry, next: each}
      - {id: each, type: graph, tool: inner, forEach: {items: '[1, 2, 3, 4]', maxParallel: 4}, args: {n: {expr: $item}}, onError: {}, next: both}
      - id: both
        type: parallel
        branches:
          one: {type: mcp, server: up, tool: add, args: {n: 1}}
          two: {type: graph, tool: inner, args: {n: 2}}
        next: exit
      - {id: exit, type: exit}
  - name: inner
    description: d
    hidden: true
    nodes:
      - {id: start, type: entry, next: call}
      - {id: call, type: mcp, server: up, tool: add, retry: {codes: [tool-error], attempts: 2, delayMs: 1}, args: {n: {expr: $.start.n}}, next: end}
      - {id: end, type: exit}
`

// Spans of parts and called graphs are inside those of their nodes, each attempt of a call carries
// its own span, and no value is in any of them.
func TestNestedSpans(t *testing.T) {
	f, err := config.Parse("g.yaml", []byte(nestedFile), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), f)
	if found.Err() != nil {
		t.Fatal(found)
	}
	kept := tracetest.NewInMemoryExporter()
	traces := newTraces(sdktrace.WithSyncer(kept))
	var mu sync.Mutex
	sent, tries := map[string]execution.Address{}, map[execution.Address]int{}
	ctx, watching := traces.Run(t.Context(), "t")
	caller := traces.Caller(execution.CallerFunc(func(_ context.Context, c execution.Call) (value.Value, error) {
		mu.Lock()
		defer mu.Unlock()
		sent[fmt.Sprint(c.Meta["traceparent"])] = c.At()
		tries[c.At()]++
		if c.At() == "1.3/1" || tries[c.At()] == 1 && c.Frame != "" {
			return nil, errSecret
		}
		return "hunter2", nil
	}))
	if _, err := execution.New(caller).Run(ctx, graphs[0], value.NewObject(nil, nil), execution.WithObserver(watching)); err != nil {
		t.Fatal(err)
	}
	byAddress, bySpan, attempts := map[string]tracetest.SpanStub{}, map[trace.SpanID]string{}, map[string]int{}
	for _, s := range kept.GetSpans() {
		at, step := "", ""
		for _, a := range s.Attributes {
			switch a.Key {
			case "toolgraph.address":
				at = a.Value.AsString()
			case "toolgraph.step":
				step = a.Value.String()
			}
		}
		if at == "" {
			at = step
		}
		byAddress[at], bySpan[s.SpanContext.SpanID()] = s, at
		attempts[at]++
		if text := fmt.Sprint(s.Attributes, s.Events, s.Status); strings.Contains(text, "hunter2") {
			t.Errorf("span %s has a value: %s", at, text)
		}
	}
	for at, parent := range map[string]string{
		"0": "", "1": "", "1.0": "1", "1.3": "1", "1.0/0": "1.0", "1.0/1": "1.0", "1.3/1": "1.3", "2": "", "2.one": "2", "2.two": "2", "2.two/1": "2.two", "3": "",
	} {
		s, known := byAddress[at]
		if !known || bySpan[s.Parent.SpanID()] != parent {
			t.Errorf("span %s (%v) is in %q, want %q", at, known, bySpan[s.Parent.SpanID()], parent)
		}
	}
	if s := byAddress["1.0/1"]; s.Name != "tools/call add" || s.SpanKind != trace.SpanKindClient || attempts["1.0/1"] != 2 || !strings.Contains(fmt.Sprint(s.Attributes), `{"toolgraph.attempt":2}`) {
		t.Errorf("%s, %d attempts: %+v", s.Name, attempts["1.0/1"], s.Attributes)
	}
	if s := byAddress["1"]; s.Name != "each" {
		t.Errorf("the span of the step with parts is %s", s.Name)
	}
	for carried, at := range sent {
		if id, err := trace.SpanIDFromHex(strings.Split(carried, "-")[2]); err != nil || bySpan[id] != string(at) {
			t.Errorf("the call %s carries %s, the span of %q", at, carried, bySpan[id])
		}
	}
	if len(sent) != 11 {
		t.Errorf("%d spans are carried, want those of 11 attempts", len(sent))
	}
}
