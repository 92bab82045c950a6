package execution_test

import (
	"context"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

var cutTools = flag.Int("cuttools", 25, "how many random tools of steps are resumed after each of their events")

// A run of steps that was interrupted after any of its events ends as it would have: with the same value and
// the same addresses, and without making a call again that is recorded. The order is the recorded one,
// whatever the servers say then.
func TestStepsResumeAfterEveryEvent(t *testing.T) {
	resumed := 0
	for seed := range uint64(*cutTools) {
		r := &randomSteps{Rand: rand.New(rand.NewPCG(seed, 11)), writes: true}
		steps := r.block(5, 2, []string{"args", "args.n"}, nil, false)
		tool := map[string]any{"name": "tool", "description": "a tool", "inputSchema": map[string]any{"type": "object"}, "steps": steps}
		src, _ := json.Marshal(map[string]any{"tools": []any{tool}})
		g := build(t, strings.Replace(strings.TrimSuffix(strings.TrimPrefix(string(src), "{"), "}"), `"tools":`, "tools: ", 1)+"\n")
		args := decode(t, `{"n": 3, "list": [1, 2], "name": "a1"}`)
		w := &world{}
		caller := callerFunc(func(_ context.Context, _, tool string, args value.Value) (value.Value, error) {
			return w.call(t, tool, args)
		})
		events := &kept{}
		result, wantErr := execution.New(caller).Run(t.Context(), g, args, execution.WithJournal(events),
			execution.WithReads(func(_ context.Context, _, tool string) bool { return tool == "get" }))
		if wantErr != nil {
			continue // which failure comes first may differ
		}
		want, wantAddresses := encode(t, orNull(result.Value)), addressesOf(result)
		for cut := 1; cut < len(events.all); cut++ {
			before := jsonEvents(t, events.all[:cut])
			done := map[execution.Address]bool{}
			for _, e := range before {
				if e.Record != nil {
					done[e.At()] = true
				}
			}
			checked := callerOf(func(c execution.Call) (value.Value, error) {
				if at := c.At(); done[at] {
					t.Errorf("seed %d, cut %d: the call at %s is made again", seed, cut, at)
				}
				return w.call(t, c.Tool, c.Args)
			})
			result, err := execution.New(checked).Resume(t.Context(), g, before,
				execution.WithReads(func(context.Context, string, string) bool { return false }),
				execution.WithRepeatable(func(string, string, config.Effect) bool { return true }))
			if err != nil || encode(t, orNull(result.Value)) != want {
				t.Fatalf("seed %d, cut %d of %d: %v, want %s\n%s\n%s", seed, cut, len(events.all), err, want, encode(t, orNull(result.Value)), src)
			}
			if got := addressesOf(result); got != wantAddresses && wantAddresses != "" {
				t.Fatalf("seed %d, cut %d: %s, want %s\n%s", seed, cut, got, wantAddresses, src)
			}
			resumed++
		}
	}
	t.Logf("%d resumed", resumed)
}

// kept is a journal in memory.
type kept struct {
	mu  sync.Mutex
	all []execution.Event
}

func (k *kept) Append(_ context.Context, e execution.Event) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all = append(k.all, e)
	return nil
}

func (k *kept) Load(context.Context, string) ([]execution.Event, error) { return k.all, nil }

// jsonEvents returns events as a journal has them.
func jsonEvents(t *testing.T, events []execution.Event) (all []execution.Event) {
	t.Helper()
	for _, e := range events {
		src, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var again execution.Event
		if err := json.Unmarshal(src, &again); err != nil {
			t.Fatal(err)
		}
		if err := again.Check(); err != nil {
			t.Fatalf("%v: %s", err, src)
		}
		all = append(all, again)
	}
	return all
}

// addressesOf returns the addresses of a run; empty for one in which a step has failed, since it depends on
// the time how far others came.
func addressesOf(r *execution.Result) string {
	var all []string
	for _, rec := range r.History() {
		if rec.Error != nil {
			return ""
		}
		all = append(all, string(rec.At()))
	}
	return strings.Join(all, " ")
}

// callerOf is a ToolCaller made of a function of the whole call.
type callerOf func(c execution.Call) (value.Value, error)

func (f callerOf) CallTool(_ context.Context, c execution.Call) (value.Value, error) { return f(c) }
