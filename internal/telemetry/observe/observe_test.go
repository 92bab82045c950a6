package observe

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/serving/server"
)

const file = `version: "1.0"
server: {name: s, version: 1.0.0}
mcpServers: {up: {command: x}}
tools:
  - name: t
    description: d
    nodes:
      - {id: entry, type: entry, next: call}
      - {id: call, type: mcp, server: up, tool: add, args: {n: 1}, next: done}
      - {id: done, type: transform, transform: {expr: "call + 1"}, next: exit}
      - {id: exit, type: exit}
`

// upstream is an upstream server's tool in this process.
type upstream func(meta map[string]any) (value.Value, error)

func (u upstream) CallTool(_ context.Context, c execution.Call) (value.Value, error) {
	return u(c.Meta)
}

type toolError struct{ error }

func (toolError) ErrorCode() string { return "tool-error" }

var errSecret = toolError{errors.New("the password hunter2 is wrong")}

func testGraph(t *testing.T) *graph.Graph {
	t.Helper()
	f, err := config.Parse("g.yaml", []byte(file), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), f)
	if found.Err() != nil {
		t.Fatal(found)
	}
	return graphs[0]
}

func TestSpans(t *testing.T) {
	const host = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	kept := tracetest.NewInMemoryExporter()
	traces := newTraces(sdktrace.WithSyncer(kept))
	var sent map[string]any
	caller := traces.Caller(upstream(func(meta map[string]any) (value.Value, error) {
		sent = meta
		return 1.0, nil
	}))
	request := (&Telemetry{traces: traces}).Request(&server.Request{
		Method: "tools/call", Tool: "t", ID: "7", Trace: server.TraceContext{"traceparent": host, "baggage": "k=v"},
	})
	ctx, watching := traces.Run(request.Context(t.Context()), "t")
	if _, err := execution.New(caller).Run(ctx, testGraph(t), value.NewObject(nil, nil), execution.WithObserver(watching)); err != nil {
		t.Fatal(err)
	}
	request.End(server.Outcome{})
	spans := kept.GetSpans()
	var names []string
	for _, s := range spans {
		names = append(names, s.Name)
		if s.SpanContext.TraceID().String() != "0af7651916cd43dd8448eb211c80319c" {
			t.Errorf("span %q is of another trace", s.Name)
		}
	}
	if got := strings.Join(names, ", "); got != "entry, tools/call add, done, exit, tools/call t" {
		t.Fatalf("the spans are %s", got)
	}
	run, call := spans[4], spans[1]
	if run.Parent.SpanID().String() != "b7ad6b7169203331" || call.Parent.SpanID() != run.SpanContext.SpanID() {
		t.Errorf("parents: run %v, call %v", run.Parent.SpanID(), call.Parent.SpanID())
	}
	if run.SpanKind != trace.SpanKindServer || call.SpanKind != trace.SpanKindClient {
		t.Errorf("kinds: run %v, call %v", run.SpanKind, call.SpanKind)
	}
	parent, _ := sent["traceparent"].(string)
	if !strings.Contains(parent, call.SpanContext.SpanID().String()) || sent["baggage"] != "k=v" || sent["toolgraph/idempotencyKey"] == nil {
		t.Errorf("the upstream server was sent %v", sent)
	}
}

func TestFailedSpansTellCodesAlone(t *testing.T) {
	kept := tracetest.NewInMemoryExporter()
	traces := newTraces(sdktrace.WithSyncer(kept))
	caller := traces.Caller(upstream(func(map[string]any) (value.Value, error) { return nil, errSecret }))
	ctx, watching := traces.Run(t.Context(), "t")
	if _, err := execution.New(caller).Run(ctx, testGraph(t), value.NewObject(nil, nil), execution.WithObserver(watching)); err == nil {
		t.Fatal("the run did not fail")
	}
	for _, s := range kept.GetSpans()[1:] {
		if s.Status.Description != "tool" || !has(s.Attributes, "toolgraph.error.detail", "tool-error") {
			t.Errorf("%s: %+v %v", s.Name, s.Status, s.Attributes)
		}
		for _, a := range s.Attributes {
			if strings.Contains(a.Value.String(), "hunter2") {
				t.Errorf("%s tells a value: %v", s.Name, a)
			}
		}
	}
}

func has(all []attribute.KeyValue, key, value string) bool {
	for _, a := range all {
		if string(a.Key) == key && a.Value.AsString() == value {
			return true
		}
	}
	return false
}

func TestMetrics(t *testing.T) {
	m := NewMetrics()
	g := testGraph(t)
	answers := []upstream{
		func(map[string]any) (value.Value, error) { return 1.0, nil },
		func(map[string]any) (value.Value, error) { return nil, errSecret },
		func(map[string]any) (value.Value, error) { return nil, errors.New("unknown") },
	}
	in, out, saved := 0, 0, 0
	for _, answer := range answers {
		// Two of the three fail, as the figures show.
		result, _ := execution.New(m.Caller(answer)).Run(t.Context(), g, value.NewObject(nil, nil), execution.WithObserver(m.Run("t")))
		in, out, saved = in+result.Used.BytesIn, out+result.Used.BytesOut, saved+result.Used.TokensSaved()
	}
	if in == 0 || out == 0 {
		t.Fatal("the figures prove nothing", in, out)
	}
	const tokens = 17
	m.Run("t").Observe(execution.Event{Kind: execution.RunFinished, End: &execution.End{Used: &execution.Used{BytesIn: 4 * tokens}}})
	in, saved = in+4*tokens, saved+tokens
	page := httptest.NewRecorder()
	m.Handler().ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, want := range []string{
		`toolgraph_runs_total{outcome="ok",tool="t"} 2`,
		`toolgraph_runs_total{outcome="tool",tool="t"} 2`,
		`toolgraph_runs_in_flight{tool="t"} 0`,
		`toolgraph_steps_total{tool="t",type="mcp"} 3`,
		`toolgraph_steps_total{tool="t",type="exit"} 1`,
		`toolgraph_calls_total{outcome="ok",server="up",tool="add"} 1`,
		`toolgraph_calls_total{outcome="tool-error",server="up",tool="add"} 1`,
		`toolgraph_calls_total{outcome="error",server="up",tool="add"} 1`,
		`toolgraph_bytes_in_total{tool="t"} ` + strconv.Itoa(in),
		`toolgraph_bytes_out_total{tool="t"} ` + strconv.Itoa(out),
		`toolgraph_tokens_saved_total{tool="t"} ` + strconv.Itoa(saved),
		`toolgraph_run_duration_seconds_count{tool="t"} 4`,
		`toolgraph_call_duration_seconds_count{server="up",tool="add"} 3`,
		"go_goroutines",
	} {
		if !strings.Contains(page.Body.String(), want) {
			t.Errorf("no %s in\n%s", want, page.Body)
		}
	}
}
