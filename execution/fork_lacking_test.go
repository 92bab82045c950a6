package execution_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// asksLate makes a call before it asks.
const asksLate = `
tools:
- name: tool
  description: a tool
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: pay}
  - {id: pay, type: mcp, server: up, tool: pay$CRASH, next: asks}
  - {id: asks, type: graph, tool: inner, next: exit}
  - {id: exit, type: exit}
- name: inner
  description: inside
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: sure}
  - {id: sure, type: ask, message: "Sure?", next: exit}
  - {id: exit, type: exit}
`

// lackingError is why a user cannot be asked whose client lacks a capability.
type lackingError struct{ error }

func (e lackingError) Unwrap() error           { return e.error }
func (lackingError) MissingCapability() string { return "elicitation" }

func lacks(context.Context, execution.Question) (execution.Answer, error) {
	return execution.Answer{}, lackingError{execution.ErrNoUser}
}

// The capability that a client lacks is recorded with the question and with the failure of the run.
func TestX20Recorded(t *testing.T) {
	for what, lacking := range map[string]answerFunc{"elicitation": lacks, "": func(context.Context, execution.Question) (execution.Answer, error) {
		return execution.Answer{}, execution.ErrNoUser
	}} {
		kept := &journal.Memory{}
		_, err := execution.New(&countedCalls{}, execution.WithJournal(kept), execution.WithRunID("r"), execution.WithUser(answers(lacking))).
			Run(t.Context(), build(t, strings.Replace(asksLate, "$CRASH", "", 1)), decode(t, `{}`))
		var failed *execution.Failure
		if !errors.As(err, &failed) || failed.MissingCapability() != what || failed.Kind() != "no-user" {
			t.Errorf("%q: %+v", what, failed)
		}
		events, _ := kept.Load(t.Context(), "r")
		events = throughJSON(t, events)
		if end := events[len(events)-1].End; end.Failure.MissingCapability() != what {
			t.Errorf("%q, recorded: %+v", what, end.Failure)
		}
		answered := 0
		for _, e := range events {
			if e.Answer != nil && e.Answer.Lacks == what {
				answered++
			}
		}
		if answered != 1 {
			t.Errorf("%q: %d answers", what, answered)
		}
	}
}

// A fork that has to be safe makes no call again that is not safe to repeat. A fork has a caller, and begins once
// if that is asked for.
func TestX20SafeFork(t *testing.T) {
	for _, test := range []struct {
		crash, at string
		refused   bool
		pays      int
	}{
		{"", "1", true, 1},
		{", onCrash: rerun", "1", false, 2},
		{"", "2", false, 1},
		{"", "2/1", false, 1},
	} {
		g := build(t, strings.Replace(asksLate, "$CRASH", test.crash, 1))
		kept, up := &journal.Memory{}, &countedCalls{}
		engine := execution.New(up, execution.WithJournal(kept))
		if _, err := engine.Run(t.Context(), g, decode(t, `{}`), execution.WithRunID("r"), execution.WithUser(answers(lacks))); err == nil {
			t.Fatal("the run has not failed")
		}
		events, _ := kept.Load(t.Context(), "r")
		_, err := engine.Fork(t.Context(), g, events, execution.Fork{At: execution.Address(test.at), Safe: true},
			execution.WithRunID("f"), execution.WithCaller("who", true), execution.WithUser(answers(does(execution.Accept))))
		if errors.Is(err, execution.ErrRepeats) != test.refused || !test.refused && err != nil || len(up.calls) != test.pays {
			t.Errorf("%+v: %v, %q", test, err, up.calls)
		}
		if test.refused {
			continue
		}
		forked, _ := kept.Load(t.Context(), "f")
		if first := forked[0]; first.Start.Caller != "who" || !first.Sync {
			t.Errorf("%+v: %+v, %t", test, first.Start, first.Sync)
		}
	}
}
