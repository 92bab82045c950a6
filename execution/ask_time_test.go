package execution_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// An answer that does not come ends with its own time, during which the time of the run and of a
// graph call stand still.
func TestTimeForAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := build(t, `executionLimits: {maxExecutionTimeMs: 1000}
tools:
- name: outer
  description: d
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: inner}
  - {id: inner, type: graph, tool: inner, timeoutMs: 500, args: {n: 3}, next: exit}
  - {id: exit, type: exit}
- name: inner
  description: d
  inputSchema: {type: object}
  nodes:
`+indent(asking))
		begun := time.Now()
		_, err := execution.New(echo, execution.WithUser(answers(never))).Run(t.Context(), g, decode(t, `{}`))
		var failed *execution.Failure
		if !errors.As(err, &failed) || failed.Kind() != config.FailTimeout || time.Since(begun) != 5*time.Second ||
			!strings.Contains(failed.Message, "the user did not answer within 5s") {
			t.Errorf("after %s: %v", time.Since(begun), err)
		}
		slow := func(_ context.Context, _ execution.Question) (execution.Answer, error) {
			time.Sleep(4 * time.Second)
			return execution.Answer{Action: execution.Accept, Content: value.NewObject([]string{"keepNewest"}, []value.Value{true})}, nil
		}
		result, err := execution.New(echo, execution.WithUser(answers(slow))).Run(t.Context(), g, decode(t, `{}`))
		if err != nil || result.Usage.Duration != 0 {
			t.Errorf("%v; the run took %s", err, result.Usage.Duration)
		}
	})
}

// The time stands still only while all that is unfinished waits for an answer.
func TestTimeWithOtherCalls(t *testing.T) {
	g := build(t, `executionLimits: {maxExecutionTimeMs: 2000}
tools:
- name: outer
  description: d
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: both}
  - id: both
    type: parallel
    branches:
      asks: {type: graph, tool: inner, args: {n: 3}}
      calls: {type: mcp, server: up, tool: slow}
    next: exit
  - {id: exit, type: exit}
- name: inner
  description: d
  inputSchema: {type: object}
  nodes:
`+indent(asking))
	for takes, want := range map[time.Duration]string{
		time.Second:     `{"asks":{"keepNewest":true},"calls":1}`,
		3 * time.Second: "maxExecutionTimeMs is 2000, and the run has taken longer",
	} {
		synctest.Test(t, func(t *testing.T) {
			slow := execution.CallerFunc(func(ctx context.Context, _ execution.Call) (value.Value, error) {
				select {
				case <-time.After(takes):
					return 1.0, nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			})
			waits := func(ctx context.Context, _ execution.Question) (execution.Answer, error) {
				select {
				case <-time.After(4 * time.Second):
					return execution.Answer{Action: execution.Accept, Content: value.NewObject([]string{"keepNewest"}, []value.Value{true})}, nil
				case <-ctx.Done():
					return execution.Answer{}, ctx.Err()
				}
			}
			result, err := execution.New(slow, execution.WithUser(answers(waits))).Run(t.Context(), g, decode(t, `{}`))
			if err == nil {
				if got := encode(t, result.Value); got != want || result.Usage.Duration != takes {
					t.Errorf("got %s in %s, want %s in %s", got, result.Usage.Duration, want, takes)
				}
			} else if !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

// The time that a run stood still for an answer is not taken from its time when it is resumed.
func TestTimeOfAnswersOnResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := build(t, "executionLimits: {maxExecutionTimeMs: 1000}\ntools:\n- name: tool\n  description: d\n  inputSchema: {type: object}\n  nodes:\n"+indent(asking))
		slow := answers(func(_ context.Context, _ execution.Question) (execution.Answer, error) {
			time.Sleep(4 * time.Second)
			return execution.Answer{Action: execution.Accept, Content: value.NewObject([]string{"keepNewest"}, []value.Value{true})}, nil
		})
		for n := 4; n < 6; n++ { // after the answer, and after its record
			kept := &cut{left: n}
			if _, err := execution.New(echo, execution.WithUser(slow), execution.WithJournal(kept), execution.WithRunID("r")).
				Run(t.Context(), g, decode(t, `{"n": 3}`)); !errors.Is(err, errCrash) {
				t.Fatal(err)
			}
			kept.left = -1
			events, err := kept.Load(t.Context(), "r")
			if err != nil {
				t.Fatal(err)
			}
			result, err := execution.New(echo, execution.WithJournal(kept)).Resume(t.Context(), g, events)
			if err != nil || result.Usage.Duration != 0 {
				t.Errorf("after %d events: %v, %v", n, result, err)
			}
		}
	})
}
