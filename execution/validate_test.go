package execution_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// validating is a tool with schemas whose value is its argument out.
func validating(t testing.TB) *graph.Graph {
	t.Helper()
	return build(t, `tools:
- name: tool
  description: a tool
  inputSchema:
    type: object
    properties:
      n: {type: integer}
      out: {default: {}}
      size: {type: integer, default: 10}
    required: [n]
  outputSchema:
    type: object
    properties: {ok: {type: boolean}, tree: {$ref: "#/$defs/node"}}
    $defs: {node: {anyOf: [{type: object, properties: {c: {$dynamicRef: "#/$defs/node"}}}, {type: object, properties: {c: {$dynamicRef: "#/$defs/node"}}}]}}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: t, args: {v: {expr: $.entry.out}}, next: pick}
  - {id: pick, type: transform, transform: {expr: $.call.v}, next: exit}
  - {id: exit, type: exit}
`)
}

// Arguments that do not fit make no run: no event, no record, no call.
func TestArgumentsThatDoNotFit(t *testing.T) {
	store := &memory{}
	calls := 0
	caller := callerFunc(func(context.Context, string, string, value.Value) (value.Value, error) {
		calls++
		return nil, nil
	})
	observed := 0
	engine := execution.New(caller, execution.WithJournal(store),
		execution.WithObserver(execution.ObserverFunc(func(execution.Event) { observed++ })))
	result, err := engine.Run(t.Context(), validating(t), decode(t, `{"n": "x"}`))
	var refused *execution.ArgumentsError
	if !errors.As(err, &refused) || err.Error() != `invalid arguments: arguments.n: expected an integer, got the string "x"` {
		t.Errorf("got %v", err)
	}
	if result != nil || len(store.events) > 0 || observed > 0 || calls > 0 {
		t.Errorf("result %v, %d events, %d observed, %d calls", result, len(store.events), observed, calls)
	}
}

// The entry's output has the defaults, the run is recorded with them, and so a resumed run
// has them too.
func TestDefaultsOfARun(t *testing.T) {
	store := &memory{}
	engine := execution.New(echo, execution.WithJournal(store))
	result, err := engine.Run(t.Context(), validating(t), decode(t, `{"n": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"n":1,"out":{},"size":10}`
	if got := encode(t, result.History()[0].Output); got != want {
		t.Errorf("the entry has %s", got)
	}
	if got := encode(t, store.events[0].Start.Args); got != want {
		t.Errorf("the run is recorded with %s", got)
	}
}

// A value that does not fit is a failure of the run, and recorded as one, however the run
// comes to its end.
func TestV18Value(t *testing.T) {
	g := validating(t)
	store := &memory{}
	engine := execution.New(echo, execution.WithJournal(store))
	result, err := engine.Run(t.Context(), g, decode(t, `{"n": 1, "out": {"ok": 5}}`))
	check := func(result *execution.Result, err error) {
		t.Helper()
		var step *execution.StepError
		if !errors.As(err, &step) || step.Code() != execution.CodeResult || step.Node != "exit" || step.Step != 3 ||
			!strings.Contains(err.Error(), "the value does not fit its outputSchema: result.ok: expected a boolean (true or false), got 5") {
			t.Errorf("got %v", err)
		}
		if result == nil || result.Value != nil || len(result.History()) != 4 {
			t.Errorf("the result is %+v", result)
		}
		end := store.events[len(store.events)-1]
		if end.End == nil || end.End.Failure == nil || end.End.Failure.Code != execution.CodeResult || end.End.Value != nil {
			t.Errorf("the run is recorded with %+v", end.End)
		}
	}
	check(result, err)
	whole := store.events
	for cut := 1; cut < len(whole); cut++ {
		store = &memory{events: append([]execution.Event(nil), whole[:cut]...)}
		engine := execution.New(echo, execution.WithJournal(store), execution.WithRepeatable(func(string, string, config.Effect) bool { return true }))
		check(engine.Resume(t.Context(), g, store.events))
	}
}

// A value whose validation takes too long ends its run by the limit that it reaches.
func TestV01RunEndsItsValidation(t *testing.T) {
	deep := `{"n": 1, "out": {"tree": ` + strings.Repeat(`{"c":`, 60) + "1" + strings.Repeat("}", 60) + `}}`
	step, failure := fails(t.Context(), t, echo, validating(t), deep)
	if step.Code() != execution.CodeLimit || !strings.Contains(failure.Message, "cannot be validated against outputSchema") ||
		!strings.Contains(failure.Message, "steps; simplify the schema") || !strings.Contains(step.Error(), `tool "tool"`) {
		t.Errorf("got %v", step)
	}
	// The time limit and a cancellation, which come when the exit has run.
	now := time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	atExit := func(do func()) execution.Option {
		return execution.WithObserver(execution.ObserverFunc(func(e execution.Event) {
			if e.Record != nil && e.Record.NodeID == "exit" {
				do()
			}
		}))
	}
	pass := execution.WithGate(gateFunc(func(context.Context, execution.Event) ([]execution.Edit, error) { return nil, nil }))
	for code, opts := range map[execution.Code][]execution.Option{
		execution.CodeCancelled: {atExit(cancel)},
		execution.CodeLimit:     {atExit(func() { now = now.Add(time.Hour) }), execution.WithClock(func() time.Time { return now }), pass},
	} {
		run := t.Context()
		if code == execution.CodeCancelled {
			run = ctx
		}
		_, err := execution.New(echo, opts...).Run(run, validating(t), decode(t, deep))
		if !errors.As(err, &step) || step.Code() != code || strings.Contains(err.Error(), "steps") {
			t.Errorf("%s: got %v", code, err)
		}
	}
}

// memory is a journal that keeps everything.
type memory struct{ events []execution.Event }

func (m *memory) Append(_ context.Context, e execution.Event) error {
	m.events = append(m.events, e)
	return nil
}

func (m *memory) Load(context.Context, string) ([]execution.Event, error) { return m.events, nil }
