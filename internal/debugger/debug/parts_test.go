package debug_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/debugger/debug"
)

// busyResult is the result of trip.
const busyResult = `{"error":{"code":"tool-error","message":"busy","node":"again","server":"up","tool":"busy","attempts":3}}`

// heldAt returns where a run is held, as ADDRESS=REASON.
func heldAt(s *debug.Session) string {
	var all []string
	for _, h := range s.State().Held {
		all = append(all, fmt.Sprintf("%s=%s", h.Visit.At(), h.PausedBy))
	}
	return strings.Join(all, " ")
}

// until waits for a state of a run.
func until(t *testing.T, s *debug.Session, what string, is func(debug.State) bool) debug.State {
	t.Helper()
	late := time.After(20 * time.Second) // only a guard
	for {
		state, changed := s.StateAndChange()
		if is(state) {
			return state
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("not %s: the run is %s at %s, %s", what, state.Status, heldAt(s), state.Message)
		}
	}
}

// gathering is a caller whose calls return when as many are in flight as it wants.
func gathering(want int) execution.CallerFunc {
	arrived, all := make(chan struct{}, want), make(chan struct{})
	go func() {
		for range want {
			<-arrived
		}
		close(all)
	}()
	return func(ctx context.Context, c execution.Call) (value.Value, error) {
		select {
		case arrived <- struct{}{}:
		default: // they have gathered
		}
		select {
		case <-all:
			return upstream(ctx, c)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// each calls a tool for each of n items, eight at once.
const each = `version: "1.0"
server: {name: test, version: 1.0.0}
executionLimits: {maxExecutionTimeMs: 60000}
mcpServers: {up: {command: up}}
tools:
- name: each
  description: a call for each
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: all}
  - {id: all, type: mcp, server: up, tool: inc, forEach: {items: '[1..$.entry.n]', maxParallel: 8}, args: {n: {expr: $item}}, next: sum}
  - {id: sum, type: transform, transform: {expr: '$sum($.all)'}, next: exit}
  - {id: exit, type: exit}
`

// Under a debugger parts run at once, as many as without one.
func TestPartsRunAtOnce(t *testing.T) {
	ended(t, startOf(t, each, 8, gathering(8), debug.StartOptions{}), debug.Finished, "44")
	s := startOf(t, each, 8, gathering(8), debug.StartOptions{Pause: true})
	at(t, s, "entry", debug.AtStart)
	do(t, s.Next(""))
	at(t, s, "all", debug.AfterStep)
	do(t, s.Next("")) // over all parts
	at(t, s, "sum", debug.AfterStep)
	do(t, s.Resume(""))
	ended(t, s, debug.Finished, "44")
}

// A breakpoint before parts holds as many as run at once; each can be continued, or all.
func TestPartsHeldTogether(t *testing.T) {
	s := startOf(t, each, 20, upstream, debug.StartOptions{Breakpoints: []debug.Breakpoint{{Node: "all[]"}}})
	state := at(t, s, "all", debug.AtBreakpoint)
	if state.Next.Part != "0" || heldAt(s) != addresses(0, 1, 2, 3, 4, 5, 6, 7) {
		t.Fatalf("held at %s, next %s", heldAt(s), state.Next.At())
	}
	do(t, s.Resume("1.2")) // then its place is taken by the ninth
	wait(t, s)
	if got := heldAt(s); got != addresses(0, 1, 3, 4, 5, 6, 7, 8) {
		t.Errorf("one was continued: held at %s", got)
	}
	do(t, s.Step("1.5"))
	wait(t, s)
	if got := heldAt(s); got != addresses(0, 1, 3, 4, 6, 7, 8, 9) {
		t.Errorf("one was stepped over: held at %s", got)
	}
	if err := s.Next("1.5"); err == nil || !strings.Contains(err.Error(), "not paused at 1.5") {
		t.Errorf("a part that has ended: %v", err)
	}
	for pauses := 0; !s.State().Status.Ended(); pauses++ {
		if pauses > 20 {
			t.Fatalf("held again and again: %s", heldAt(s))
		}
		do(t, s.Resume(""))
		wait(t, s)
	}
	if hits := s.Breakpoints()[0].Hits; hits != 20 {
		t.Errorf("%d hits", hits)
	}
	ended(t, s, debug.Finished, "230")
}

func addresses(parts ...int) string {
	var all []string
	for _, part := range parts {
		all = append(all, fmt.Sprintf("1.%d=breakpoint", part))
	}
	return strings.Join(all, " ")
}

// When one part is held, the others stop at their next steps. The command goes on with the one that
// was chosen; the others stay where they are.
func TestOthersStopBesideOne(t *testing.T) {
	calling, stopped := make(chan bool, 2), make(chan struct{})
	s := startOf(t, trip, 3, func(ctx context.Context, c execution.Call) (value.Value, error) {
		switch c.At() {
		case "3.0/1", "3.2/1":
			calling <- true
			<-stopped
		case "3.1/1":
			<-calling
			<-calling
		}
		return upstream(ctx, c)
	}, debug.StartOptions{Breakpoints: []debug.Breakpoint{{Node: "stop:each", Condition: "$.entry.n = 2"}}})
	at(t, s, "each", debug.AtBreakpoint)
	close(stopped)
	state := until(t, s, "held three times", func(state debug.State) bool { return state.Status == debug.Paused && len(state.Held) == 3 })
	if state.Next.At() != "3.1/2" || heldAt(s) != "3.0/2=beside 3.1/2=breakpoint 3.2/2=beside" {
		t.Fatalf("held at %s, next %s", heldAt(s), state.Next.At())
	}
	if got := fmt.Sprint(state.Stack); got != "[{3.1 trip stops}]" {
		t.Errorf("called by %s", got)
	}
	do(t, s.Next(""))
	at(t, s, "sum", debug.AfterStep)
	do(t, s.Edit(t.Context(), "3.2/2", "read", 7.0))
	do(t, s.Choose("3.2/3")) // after the edit
	if state = s.State(); state.Next.At() != "3.2/3" || heldAt(s) != "3.0/2=beside 3.1/3=step 3.2/3=beside" {
		t.Errorf("held at %s, next %s", heldAt(s), state.Next.At())
	}
	if got, err := s.Evaluate(t.Context(), "$.read", ""); err != nil || got != 7.0 {
		t.Errorf("the edit: %v %v", got, err)
	}
	do(t, s.Out("")) // to the end of that part; one of the others is next
	wait(t, s)
	if state = s.State(); state.Next.At() != "3.1/3" || heldAt(s) != "3.0/2=beside 3.1/3=step" {
		t.Errorf("held at %s, next %s", heldAt(s), state.Next.At())
	}
	do(t, s.Resume("3.1/3"))
	wait(t, s)
	do(t, s.Out("")) // the last one: then the node ends
	at(t, s, "again", debug.AfterStep)
	do(t, s.Resume(""))
	ended(t, s, debug.Finished, busyResult)
	if r, _ := s.History().Record("3"); fmt.Sprint(r.Output) != "[45 65 145]" {
		t.Errorf("the outputs are %v", r.Output)
	}
}

// A pause holds each part before its own next step; while one calls, the run is paused where the
// others are.
func TestPauseOfParts(t *testing.T) {
	calling, answer := make(chan string, 8), map[string]chan struct{}{"0": make(chan struct{}), "1": make(chan struct{})}
	s := startOf(t, trip, 2, func(ctx context.Context, c execution.Call) (value.Value, error) {
		if frame := c.At().Frame(); c.At().Outermost() == 3 && c.Node == "read" {
			_, _, part := frame.Split()
			calling <- part
			<-answer[part]
		}
		return upstream(ctx, c)
	}, debug.StartOptions{})
	<-calling
	<-calling
	do(t, s.Pause())
	close(answer["1"])
	state := at(t, s, "each", debug.OnPause)
	if state.Next.At() != "3.1/2" || heldAt(s) != "3.1/2=pause" {
		t.Errorf("held at %s", heldAt(s))
	}
	do(t, s.Step("")) // its parts are made one after the other
	if state = at(t, s, "each", debug.AfterStep); state.Next.At() != "3.1/2.0" {
		t.Errorf("held at %s", heldAt(s))
	}
	close(answer["0"])
	until(t, s, "held twice", func(state debug.State) bool { return len(state.Held) == 2 })
	if state = s.State(); state.Status != debug.Paused || state.Next.At() != "3.1/2.0" || heldAt(s) != "3.0/2=beside 3.1/2.0=step" {
		t.Errorf("%s at %s, next %v", state.Status, heldAt(s), state.Next)
	}
	do(t, s.Resume(""))
	ended(t, s, debug.Finished, busyResult)
}

// A part that is held ends when another one fails: without a command the run does not go on
// from there.
func TestHeldPartIsCancelled(t *testing.T) {
	src := strings.Replace(trip, "maxParallel: 8}, args: {n: {expr: $item}}", "maxParallel: 8}, args: {n: {expr: $item}}, onError: {value: gone}", 1)
	src = strings.Replace(src, "items: '[1, 2]'", "items: '[1, 2]', maxParallel: 2", 1)
	src = strings.Replace(src, "{type: graph, tool: stop, args: {n: 7}}", "{type: mcp, server: up, tool: inc, args: {n: 7}}", 1)
	fail := make(chan struct{})
	s := startOf(t, src, 1, func(ctx context.Context, c execution.Call) (value.Value, error) {
		if c.At() == "3.0/2.1" {
			<-fail
			return nil, errors.New("broken")
		}
		return upstream(ctx, c)
	}, debug.StartOptions{Breakpoints: []debug.Breakpoint{{Node: "stop:each[]", Condition: "$index = 0"}}})
	at(t, s, "each", debug.AtBreakpoint)
	until(t, s, "beside the call", func(state debug.State) bool { return state.Status == debug.Paused })
	if got := heldAt(s); got != "3.0/2.0=breakpoint" && got != "3.0/2.0=breakpoint 3.0/2.1=beside" {
		t.Errorf("held at %s", got)
	}
	if len(s.State().Held) == 2 { // it came before its call
		do(t, s.Resume("3.0/2.1"))
	}
	close(fail)
	until(t, s, "at the next node", func(state debug.State) bool { return state.Status == debug.Paused && state.Next.NodeID == "again" })
	at(t, s, "again", debug.OnPause)
	if err := s.Resume("3.0/2.0"); err == nil {
		t.Error("a part that has ended was continued")
	}
	do(t, s.Resume(""))
	ended(t, s, debug.Finished, busyResult)
}

// Equal runs have equal addresses, whatever runs or is held at the same time.
func TestAddressesOfRunsAreEqual(t *testing.T) {
	var want []string
	for i, o := range []debug.StartOptions{
		{}, {Pause: true}, {Breakpoints: []debug.Breakpoint{{Node: "stop:each[]", Condition: "$index = 1"}, {Node: "stops[]"}}},
	} {
		s := startTrip(t, 9, o)
		for wait(t, s); !s.State().Status.Ended(); wait(t, s) {
			command := s.Step
			if i == 2 {
				command = s.Resume
			}
			do(t, command(""))
		}
		var got []string
		for _, r := range s.History().Sorted() {
			got = append(got, fmt.Sprintf("%s=%s=%s", r.At(), r.Name(), encode(t, r.Output)))
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("run %d:\ngot  %s\nwant %s", i, got, want)
		}
	}
}
