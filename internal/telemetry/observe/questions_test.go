package observe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/serving/server"
	"toolgraph/mcpclient"
)

// graphOf is the first graph of a file with one tool and these nodes after entry.
func graphOf(t *testing.T, nodes string) *graph.Graph {
	t.Helper()
	f, err := config.Parse("g.yaml", []byte(`version: "1.0"
server: {name: s, version: 1.0.0}
mcpServers: {up: {command: x}}
tools:
  - name: t
    description: d
    nodes:
`+nodes), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), f)
	if found.Err() != nil {
		t.Fatal(found)
	}
	return graphs[0]
}

type userFunc func(ctx context.Context, q execution.Question) (execution.Answer, error)

func (f userFunc) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	return f(ctx, q)
}

// A question is a span with its answer, inside that of the node that asks.
func TestSpansOfQuestions(t *testing.T) {
	g := graphOf(t, `      - {id: entry, type: entry, next: sure}
      - {id: sure, type: ask, message: 'hunter2?', next: call}
      - {id: call, type: mcp, server: up, tool: add, effect: write, confirm: true, args: {n: hunter2}, next: exit}
      - {id: exit, type: exit}
`)
	kept := tracetest.NewInMemoryExporter()
	traces := newTraces(sdktrace.WithSyncer(kept))
	user := userFunc(func(_ context.Context, q execution.Question) (execution.Answer, error) {
		if q.IsConfirmation() {
			return execution.Answer{Action: execution.Decline}, nil
		}
		return execution.Answer{Action: execution.Accept}, nil
	})
	ctx, watching := traces.Run(t.Context(), "t")
	_, err := execution.New(upstream(nil)).Run(ctx, g, value.NewObject(nil, nil), execution.WithObserver(watching), execution.WithUser(user))
	if err == nil {
		t.Fatal("the call was made")
	}
	var got []string
	spans := kept.GetSpans()
	names := map[string]string{}
	for _, s := range spans {
		names[s.SpanContext.SpanID().String()] = s.Name
	}
	for _, s := range spans {
		text := fmt.Sprint(s.Attributes, s.Events, s.Status)
		if strings.Contains(text, "hunter2") {
			t.Errorf("%s has a value: %s", s.Name, text)
		}
		if s.Name == "question" {
			for _, a := range s.Attributes {
				if strings.HasPrefix(string(a.Key), "toolgraph.question.") {
					text = a.Value.AsString()
					got = append(got, text)
				}
			}
			got = append(got, "in "+names[s.Parent.SpanID().String()])
		}
	}
	if text := strings.Join(got, ", "); text != "ask, accept, in sure, confirm, decline, in execute_tool t" {
		t.Errorf("the questions are %s, of %v", text, names)
	}
}

// A part that fails ends the span of another one's question, which waits for no answer any more.
func TestUnansweredQuestion(t *testing.T) {
	g := graphOf(t, `      - {id: entry, type: entry, next: both}
      - id: both
        type: parallel
        branches:
          one: {type: graph, tool: asks}
          two: {type: mcp, server: up, tool: add}
        next: exit
      - {id: exit, type: exit}
  - name: asks
    description: d
    hidden: true
    nodes:
      - {id: start, type: entry, next: sure}
      - {id: sure, type: ask, message: 'sure?', next: end}
      - {id: end, type: exit}
`)
	kept := tracetest.NewInMemoryExporter()
	traces := newTraces(sdktrace.WithSyncer(kept))
	ctx, watching := traces.Run(t.Context(), "t")
	asked := make(chan struct{})
	user := userFunc(func(ctx context.Context, _ execution.Question) (execution.Answer, error) {
		close(asked)
		<-ctx.Done()
		return execution.Answer{}, ctx.Err()
	})
	caller := traces.Caller(upstream(func(map[string]any) (value.Value, error) {
		<-asked
		return nil, errSecret
	}))
	if _, err := execution.New(caller).Run(ctx, g, value.NewObject(nil, nil), execution.WithObserver(watching), execution.WithUser(user)); err == nil {
		t.Fatal("the run did not fail")
	}
	var names []string
	for _, s := range kept.GetSpans() {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, ", "); !strings.Contains(got, "question") || !strings.Contains(got, "sure") {
		t.Errorf("the spans are %s", got)
	}
}

// A run of thousands of steps has a limited number of spans, and its calls are in the trace all the same.
func TestSpansAreBounded(t *testing.T) {
	g := graphOf(t, `      - {id: entry, type: entry, next: each}
      - {id: each, type: mcp, server: up, tool: add, forEach: {items: '[1..1500]', maxParallel: 4}, args: {n: {expr: $item}}, next: exit}
      - {id: exit, type: exit}
    executionLimits: {maxCalls: 2000, maxNodeExecutions: 2000}
`)
	kept := tracetest.NewInMemoryExporter()
	traces := newTraces(sdktrace.WithSyncer(kept))
	ctx, watching := traces.Run(t.Context(), "t")
	carried := make(chan string, 2000)
	caller := traces.Caller(upstream(func(meta map[string]any) (value.Value, error) {
		carried <- fmt.Sprint(meta["traceparent"])
		return 1.0, nil
	}))
	if _, err := execution.New(caller).Run(ctx, g, value.NewObject(nil, nil), execution.WithObserver(watching)); err != nil {
		t.Fatal(err)
	}
	close(carried)
	spans := kept.GetSpans()
	run := spans[len(spans)-1]
	for parent := range carried {
		if !strings.Contains(parent, run.SpanContext.TraceID().String()) {
			t.Fatalf("a call carries %q", parent)
		}
	}
	if len(spans) != mostSpans+1 || !strings.Contains(fmt.Sprint(run.Attributes), `{"toolgraph.spans.left_out":503}`) {
		t.Errorf("%d spans; the run has %v", len(spans), run.Attributes)
	}
}

type coded struct {
	code string
	rpc  int
}

func (c coded) Error() string     { return "hunter2" }
func (c coded) ErrorCode() string { return c.code }

type rpcCoded struct{ coded }

func (c rpcCoded) JSONRPCCode() int { return c.rpc }

// How a call failed is a code, never a message.
func TestErrorTypes(t *testing.T) {
	for expected, err := range map[string]error{
		"[]":                            nil,
		`[{"error.type":"tool_error"}]`: coded{code: mcpclient.CodeToolError},
		`[{"error.type":"-32050"} {"rpc.response.status_code":"-32050"}]`: fmt.Errorf("wrapped: %w", rpcCoded{coded{mcpclient.CodeRPCError, -32050}}),
		`[{"error.type":"timeout"}]`:                                      coded{code: mcpclient.CodeTimeout},
		`[{"error.type":"cancelled"}]`:                                    context.Canceled,
		`[{"error.type":"_OTHER"}]`:                                       errors.New("hunter2"),
	} {
		if got := fmt.Sprint(failureAttributes(err)); got != expected {
			t.Errorf("%v gives %s, want %s", err, got, expected)
		}
	}
}

// The span of a request ends with what the client gets; the code of its run says why.
func TestFailedRequest(t *testing.T) {
	for expected, how := range map[string]server.Outcome{
		"tool_error": {Failed: true}, "-32602": {Code: -32602}, "cancelled": {Failed: true, Cancelled: true}, "": {},
	} {
		kept := tracetest.NewInMemoryExporter()
		telemetry := &Telemetry{traces: newTraces(sdktrace.WithSyncer(kept)), metrics: NewMetrics()}
		telemetry.Request(&server.Request{Method: "hunter2", ID: "1", Session: "hunter2"}).End(how)
		s := kept.GetSpans()[0]
		text := fmt.Sprint(s.Name, s.Attributes)
		if (s.Status.Code == codes.Error) != (expected != "") || s.Status.Description != expected || !strings.Contains(text, expected) {
			t.Errorf("%+v: %v, %s", how, s.Status, text)
		}
		if scraped := scrape(t, telemetry.metrics); strings.Contains(text+scraped, "hunter2") || !strings.Contains(scraped, `mcp_server_operation_duration_seconds_count{`) {
			t.Errorf("%s\n%s", text, scraped)
		}
	}
}
