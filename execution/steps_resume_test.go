package execution_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// everyStep has a step of each kind that a run can be interrupted in.
const everyStep = `steps:
  - {id: list, call: up.get, args: {x: {expr: '[1..3]'}}}
  - {id: jobs, each: list, as: n, call: up.get, args: {x: {expr: '[$n, $$.args.k]'}}, onError: skip}
  - id: rows
    each: '[1, 2]'
    as: row
    steps:
      - {id: text, call: up.get, args: {x: {expr: $row}}}
      - {id: odd, if: $row = 1, call: up.get, args: {x: odd}}
  - {id: polled, call: up.get, args: {x: {expr: $n}}, repeat: {until: $result = 3, times: 5, delayMs: 0, collect: true}}
  - {id: never, if: "false", call: up.save}
  - {id: save, call: up.save, args: {x: {expr: '$count(rows)'}}}
  - {id: after, call: up.get, args: {x: {expr: save}}}
return: '[jobs, rows, polled, never, save, after]'`

// W05. A run that died after any of its events ends as it would have: with the same value and the same addresses, in the order that
// was recorded, whatever the servers say of their tools by then. A call that is recorded is not made again; one that was in flight, and may have
// changed something, is a matter of the operator's, once. A tool that is gone by then is a failure of the call.
func TestW05StepsResumeAfterEveryEvent(t *testing.T) {
	g, args := stepsOf(t, everyStep), decode(t, `{"k": "v"}`)
	answer := func(c execution.Call) (value.Value, error) {
		x, _ := c.Args.(value.Object).Get("x")
		return x, nil
	}
	journal := &kept{}
	result, err := execution.New(callerOf(answer)).Run(t.Context(), g, args, reading, execution.WithJournal(journal))
	if err != nil {
		t.Fatal(err)
	}
	want, addresses := encode(t, result.Value), addressesOf(result)
	asked := 0
	for cut := 1; cut < len(journal.all); cut++ {
		before := jsonEvents(t, journal.all[:cut])
		var mu sync.Mutex
		again := map[execution.Address]int{}
		resume := func(opts ...execution.Option) (*execution.Result, error) {
			caller := callerOf(func(c execution.Call) (value.Value, error) {
				mu.Lock()
				defer mu.Unlock()
				if again[c.At()]++; slices.ContainsFunc(before, func(e execution.Event) bool { return e.Record != nil && e.At() == c.At() }) {
					t.Errorf("cut %d: the call at %s is made again", cut, c.At())
				}
				return answer(c)
			})
			contrary := execution.WithReads(func(context.Context, string, string) bool { return false })
			safe := execution.WithRepeatable(func(_, tool string, _ config.Effect) bool { return tool == "get" })
			return execution.New(caller).Resume(t.Context(), g, before, append(opts, contrary, safe)...)
		}
		last := before[len(before)-1]
		inDoubt := last.Kind == execution.CallStarted && last.Step.Tool == "save"
		result, err := resume()
		if inDoubt {
			asked++
			if err == nil || !strings.Contains(err.Error(), "outcome is unknown") || len(again) > 0 {
				t.Errorf("cut %d: the call in doubt: %v, calls %v", cut, err, again)
			}
			result, err = resume(execution.WithResolution(execution.Resolution{Value: 2.0}))
		}
		if err != nil || encode(t, result.Value) != want || addressesOf(result) != addresses {
			t.Errorf("cut %d of %d: %v, want %s\nat %s\nwant %s", cut, len(journal.all), err, want, addressesOf(result), addresses)
		}
	}
	before := jsonEvents(t, journal.all[:4]) // the first call has not ended
	_, err = execution.New(callerOf(func(execution.Call) (value.Value, error) { return nil, unknownTool{} })).Resume(t.Context(), g, before,
		execution.WithRepeatable(func(_, _ string, _ config.Effect) bool { return true }))
	var failed *execution.Failure
	if !errors.As(err, &failed) || failed.Detail != string(config.FailUnknownTool) {
		t.Errorf("a tool that is gone: %v", err)
	}
	if asked != 1 {
		t.Errorf("%d calls were in doubt, want the write alone", asked)
	}
}

// unknownTool is the error of a server that does not have a tool any more.
type unknownTool struct{}

func (unknownTool) Error() string     { return "no such tool" }
func (unknownTool) ErrorCode() string { return string(config.FailUnknownTool) }

// addressesOf returns the addresses of the steps of a run, in the order of the file.
func addressesOf(r *execution.Result) string {
	var all []string
	for _, rec := range r.History() {
		all = append(all, string(rec.At()))
	}
	return strings.Join(all, " ")
}
