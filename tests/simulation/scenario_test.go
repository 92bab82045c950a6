package simulation

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// scenario is a file with graphs, and what is known of it.
type scenario struct {
	source  string
	graph   *graph.Graph
	args    value.Value
	trouble int                                          // of 100 calls that may fail
	specs   map[string]*spec                             // of mcp nodes, by name
	answer  func(c *execution.Call) (value.Value, error) // of the upstream server; nil: answerOf

	// limits; 0 is none
	maxExecutions, maxCalls, maxDepth, maxBytes int
	maxTime                                     time.Duration
}

// spec is what the graph says of an mcp node.
type spec struct {
	safe    bool // to repeat after a crash
	confirm bool // the user must agree
	timeout time.Duration
}

// story is what came of a scenario.
type story struct {
	s          *scenario
	events     []string // of the journal
	trace      []string
	violations []string
	value      string // "" when the run failed
	err        error
	lives      int
	steps      int
	asked      int
	compared   bool // with the undisturbed run as a whole
	records    map[execution.Address]*execution.Record
	raced      bool // parts failed or wanted to ask at once, without an operation that the scheduler could order
}

// mayRepeat is the engine's option that the tools with names in _safe are safe to repeat.
func mayRepeat(_, tool string, _ config.Effect) bool {
	_, safe := cutSafe(tool)
	return safe
}

// engine returns the engine of a process with these options. For the order of steps, tools with names in _safe only
// read; in a process that resumes a run they do not, since the order of a run is that of its start.
func engine(caller execution.ToolCaller, resumes bool, opts ...execution.Option) *execution.Engine {
	reads := func(_ context.Context, _, tool string) bool { return mayRepeat("", tool, "") != resumes }
	return execution.New(caller, append(opts, execution.WithRepeatable(mayRepeat), execution.WithReads(reads))...)
}

// reference runs the scenario undisturbed, operations in order.
func (s *scenario) reference(ctx context.Context) (*world, *life) {
	w := newWorld(s, 0)
	p, l := w.process(), &life{}
	p.live(ctx, l, w.starting(p, nil, execution.Resolution{}), inOrder)
	return w, l
}

// starting returns the function that starts the run, or resumes it from events.
func (w *world) starting(p *process, events []execution.Event, r execution.Resolution) func(context.Context, ...execution.Option) (*execution.Result, error) {
	return func(ctx context.Context, opts ...execution.Option) (*execution.Result, error) {
		engine := engine(p, events != nil, execution.WithRunID(runID), execution.WithResolution(r))
		if events == nil {
			return engine.Run(ctx, w.s.graph, w.s.args, opts...)
		}
		return engine.Resume(ctx, w.s.graph, events, opts...)
	}
}

// mostLives is how many processes a run may need.
const mostLives = 60

// disturb runs the scenario with disturbances until it has an end; steps is how many operations
// the reference had.
func (s *scenario) disturb(ctx context.Context, w *world, kinds []disturbance, steps int, pick policy) *story {
	st := &story{s: s}
	var resolution execution.Resolution
	asked := map[execution.Address]bool{} // since the last crash
	for left := len(kinds); ; st.lives++ {
		if st.lives == mostLives {
			w.violated("the run has no end after %d processes", mostLives)
			break
		}
		l, p := &life{}, w.process()
		if left > 0 {
			left--
			l.kind, l.after = kinds[left], w.rng.IntN(steps+1)
		}
		w.resumedFrom()
		p.live(ctx, l, w.starting(p, w.loaded(), resolution), pick)
		st.steps += l.steps
		resolution = execution.Resolution{}
		if len(w.events) == 0 { // it died before it was recorded that it began
			continue
		}
		var failed *execution.StepError
		if errors.As(l.err, &failed) && w.events[len(w.events)-1].End != nil && !w.ended() {
			st.asked++
			resolution = w.ask(failed, asked)
			continue
		}
		if w.ended() {
			st.err = l.err
			if l.err == nil {
				st.value = text(l.result.Value)
			}
			w.checkEnd(ctx, l)
			break
		}
		if l.err == nil || l.kind == undisturbed {
			w.violated("process %d ended with %v, and the journal has no end", st.lives, l.err)
			break
		}
		clear(asked)
		if l.kind == crash && w.rng.IntN(4) == 0 {
			w.forget()
		}
	}
	st.trace, st.violations = w.trace, w.violations
	for i := range w.events {
		e := &w.events[i]
		st.events = append(st.events, describe(e))
		st.raced = st.raced || e.Record != nil && e.Record.Part != "" && e.Record.Error != nil && e.Record.Error.Code != execution.CodeTool ||
			e.Question != nil && strings.Contains(string(e.At()), ".")
	}
	return st
}

// loaded returns the events to resume from, nil when there are none.
func (w *world) loaded() []execution.Event {
	if len(w.events) == 0 {
		return nil
	}
	return append([]execution.Event(nil), w.events...)
}

// ended reports whether the journal has the end of the run.
func (w *world) ended() bool {
	end := w.events[len(w.events)-1].End
	return end != nil && (end.Failure == nil || end.Failure.Code != execution.CodeOutcomeUnknown)
}

var keyShown = regexp.MustCompile(`idempotency key ` + runID + `/([^\s#,;]+)`)

// ask resolves the in-doubt call that a failure names, as an operator would who asks the server.
func (w *world) ask(failed *execution.StepError, asked map[execution.Address]bool) execution.Resolution {
	found := keyShown.FindStringSubmatch(failed.Error())
	if found == nil {
		w.violated("no idempotency key in %q", failed.Error())
		return execution.Resolution{Repeat: true}
	}
	at, open := execution.Address(found[1]), w.unsafeDoubts()
	var d *doubt
	for i := range open {
		if open[i].visit.At() == at {
			d = &open[i]
		}
	}
	switch {
	case d == nil:
		w.violated("call %s is asked about, and is not in doubt", at)
		return execution.Resolution{Repeat: true}
	case asked[at]:
		w.violated("call %s is asked about again", at)
	}
	asked[at] = true
	made, a := w.outcome(at, d.attempt)
	w.note("call %s attempt %d is asked about: made %t, %s", at, d.attempt, made, text(a.value))
	switch {
	case !made || a.err != nil: // made in vain: the same error comes again
		w.repeatable[at] = true
		return execution.Resolution{Repeat: true}
	case a.value == nil:
		return execution.Resolution{Nothing: true}
	}
	return execution.Resolution{Value: a.value}
}

// checkEnd checks a run whose end is recorded.
func (w *world) checkEnd(ctx context.Context, l *life) {
	if l.result == nil {
		w.violated("no result with %v", l.err)
		return
	}
	w.checkHistory(l.result)
	if err := execution.CheckEvents(w.events); err != nil {
		w.violated("the journal is not valid: %v", err)
	}
	if l.err != nil {
		w.checkFailure(l.err)
	} else if open := doubts(w.events); len(open) > 0 {
		w.violated("the run has a value, and call %s has no outcome", open[0].visit.At())
	}
	// The end is reported again.
	p, again := w.process(), &life{}
	before := len(w.events)
	p.live(ctx, again, w.starting(p, w.loaded(), execution.Resolution{}), inOrder)
	switch {
	case len(w.events) != before:
		w.violated("a run that has ended was driven on")
	case (again.err == nil) != (l.err == nil), l.err == nil && text(again.result.Value) != text(l.result.Value):
		w.violated("resumed at its end the run has %v, before %v", again.err, l.err)
	case l.err != nil && cutPath(again.err) != cutPath(l.err):
		w.violated("resumed at its end the run failed with %q, before with %q", again.err, l.err)
	}
}

// cutPath is an error without the path.
func cutPath(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\npath:")
	return text
}

// compile builds the graph of a scenario.
func (s *scenario) compile(t testing.TB) {
	t.Helper()
	file, err := config.Parse("graph.yaml", []byte(s.source), config.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, s.source)
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	if found.Err() != nil {
		t.Fatalf("%v\n%s", found, s.source)
	}
	s.graph = graphs[0]
	s.specs = map[string]*spec{}
	for i, g := range s.graph.Reached() {
		for _, n := range g.CallNodes() {
			call, ok := n.(*graph.MCP)
			if !ok {
				continue
			}
			made := &spec{safe: isSafe(call), confirm: call.Confirm != nil && *call.Confirm, timeout: call.Timeout}
			s.specs[g.Tool.Name.Value+":"+call.ID()] = made
			if i == 0 {
				s.specs[call.ID()] = made
			}
		}
	}
	if s.args, err = value.Decode([]byte(`{"n": 3, "list": [5, 6, 7]}`)); err != nil {
		t.Fatal(err)
	}
}

// isSafe reports whether the call of a node is safe to repeat after a crash.
func isSafe(call *graph.MCP) bool {
	switch call.OnCrash {
	case config.RerunCall:
		return true
	case config.StopRun:
		return false
	}
	return call.Effect == config.ReadEffect || mayRepeat("", call.Tool, "") || call.Retry != nil && call.Retry.Until != nil
}

// report names the violations of a seed.
func (st *story) report(t *testing.T, seed uint64) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: SEED=%d go test -count=1 -run 'TestSimulation$' ./tests/simulation\n", seed, seed)
	for _, v := range st.violations {
		fmt.Fprintf(&b, "  %s\n", v)
	}
	fmt.Fprintf(&b, "%s\ntrace:\n", st.s.source)
	for i, line := range st.trace {
		fmt.Fprintf(&b, "%4d %s\n", i, line)
	}
	fmt.Fprintf(&b, "result %s, %v\n", st.value, st.err)
	if len(st.violations) > 0 {
		t.Error(b.String())
		return
	}
	t.Log(b.String())
}
