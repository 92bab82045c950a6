package execution_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/runtime/cache"
)

// listed is a pool of servers that list no tools.
type listed struct{}

func (listed) Identity(server string) string { return server }

func (listed) Definition(context.Context, string, string) string { return "" }

// withCache gives runs a cache of their own.
func withCache() execution.Option { return execution.WithCache(cache.New().Of(listed{})) }

// caching reads twice with the same arguments; FLAGS are those of both nodes.
const caching = `
- {id: entry, type: entry, next: one}
- {id: one, type: mcp, server: up, tool: read, FLAGS, cache: {ttlMs: 60000}, args: {a: 1, b: {expr: $.entry.n}}, next: two}
- {id: two, type: mcp, server: up, tool: read, FLAGS, cache: {ttlMs: 60000}, args: {b: {expr: $.entry.n}, a: 1}, next: exit}
- {id: exit, type: exit}
`

func cached(records []execution.Record) (names []string) {
	for _, r := range records {
		if r.Cached {
			names = append(names, r.Name())
		}
	}
	return names
}

// A cached answer is no call: it has no call-started, and counts neither for maxCalls nor as used.
func TestCachedAnswersAreNoCalls(t *testing.T) {
	g := build(t, "executionLimits: {maxCalls: 1}\n"+inFile("{}", strings.ReplaceAll(caching, "FLAGS", "effect: read")))
	server, kept := &counted{}, &journal.Memory{}
	engine := execution.New(server, withCache(), execution.WithJournal(kept))
	for i, want := range []string{"[two]", "[one two]"} {
		id := fmt.Sprint("r", i)
		result, err := engine.Run(t.Context(), g, decode(t, `{"n": 3}`), execution.WithRunID(id))
		if err != nil {
			t.Fatal(err)
		}
		history := result.History()
		if got := fmt.Sprint(cached(history)); got != want || len(server.calls) != 1 || encode(t, result.Value) != `{"b":3,"a":1}` && encode(t, result.Value) != `{"a":1,"b":3}` {
			t.Errorf("run %d: %s cached, want %s; %q; %s", i, got, want, server.calls, encode(t, result.Value))
		}
		size := value.Size(history[1].Output)
		if used := result.Usage; used.Calls != 1-i || used.BytesIn != size*(1-i) {
			t.Errorf("run %d has used %+v", i, used)
		}
		events, _ := kept.Load(t.Context(), id)
		started := 0
		for _, e := range events {
			if e.Kind == execution.CallStarted {
				started++
			}
		}
		if started != 1-i {
			t.Errorf("run %d: %d call-started", i, started)
		}
		if err := execution.CheckEvents(throughJSON(t, events)); err != nil {
			t.Error(err)
		}
		again, err := engine.Resume(t.Context(), g, throughJSON(t, events))
		if err != nil || again.Usage.Calls != 1-i || again.Usage.BytesIn != size*(1-i) || !reflect.DeepEqual(cached(again.History()), cached(history)) {
			t.Errorf("run %d, read again: %+v, %v", i, again, err)
		}
		replayed, err := execution.New(execution.NewRecording(throughJSON(t, events), 0)).Run(t.Context(), g, decode(t, `{"n": 3}`))
		if limit := (*execution.StepError)(nil); !errors.As(err, &limit) || limit.Code() != execution.CodeLimit {
			t.Errorf("without a cache both calls are made, and maxCalls is 1: %v, %v", replayed, err)
		}
		recording := execution.NewRecording(throughJSON(t, events), 0)
		replayed, err = execution.New(recording, execution.WithCache(recording)).Run(t.Context(), g, decode(t, `{"n": 3}`))
		if err != nil || replayed.Usage.Calls != 1-i || !reflect.DeepEqual(cached(replayed.History()), cached(history)) {
			t.Errorf("run %d, replayed: %+v, %v", i, replayed, err)
		}
	}
}

// Without a cache, and without a belief that the call only reads, every call is made.
func TestOnlyReadsAreCached(t *testing.T) {
	believes := func(effect config.Effect) execution.Option {
		return execution.WithEffects(func(context.Context, string, string) config.Effect { return effect })
	}
	for _, c := range []struct {
		flags string
		opts  []execution.Option
		calls int
	}{
		{"effect: read", nil, 2},
		{"effect: read", []execution.Option{withCache()}, 1},
		{"effect: read", []execution.Option{withCache(), believes(config.DestroyEffect)}, 1}, // the author's word goes first
		{"help: h", []execution.Option{withCache()}, 2},
		{"help: h", []execution.Option{withCache(), believes("")}, 2},
		{"help: h", []execution.Option{withCache(), believes(config.WriteEffect)}, 2},
		{"help: h", []execution.Option{withCache(), believes(config.ReadEffect)}, 1},
	} {
		server := &counted{}
		g := build(t, strings.ReplaceAll(caching, "FLAGS", c.flags))
		if _, err := execution.New(server, c.opts...).Run(t.Context(), g, decode(t, `{"n": 1}`)); err != nil || len(server.calls) != c.calls {
			t.Errorf("%s: %q, want %d: %v", c.flags, server.calls, c.calls, err)
		}
	}
}

// What allow and confirm require, a cached answer requires, too.
func TestAllowAndConfirmHoldForCachedAnswers(t *testing.T) {
	store, server := withCache(), &counted{}
	run := func(g *graph.Graph, opts ...execution.Option) (*execution.Result, error) {
		return execution.New(server, append(opts, store)...).Run(t.Context(), g, decode(t, `{"n": 1}`))
	}
	if _, err := run(build(t, strings.ReplaceAll(caching, "FLAGS", "effect: read"))); err != nil || len(server.calls) != 1 {
		t.Fatal(server.calls, err)
	}
	confirmed := build(t, strings.ReplaceAll(caching, "FLAGS", "effect: read, confirm: true"))
	u := answers(does(execution.Accept), does(execution.Accept))
	result, err := run(confirmed, execution.WithUser(u))
	if err != nil || len(u.asked) != 2 || len(server.calls) != 1 || result.History()[1].Confirmed == nil || !result.History()[1].Cached {
		t.Errorf("asked %d times, called %q: %v", len(u.asked), server.calls, err)
	}
	if _, err := run(confirmed, execution.WithUser(answers(does(execution.Decline)))); err == nil || len(server.calls) != 1 {
		t.Errorf("declined: %q, %v", server.calls, err)
	}
	const believed = "help: h" // the effect is known only when the call comes
	believes := execution.WithEffects(func(context.Context, string, string) config.Effect { return config.ReadEffect })
	if result, err := run(build(t, inFile("{effects: [read]}", strings.ReplaceAll(caching, "FLAGS", believed))), believes); err != nil || len(cached(result.History())) != 2 {
		t.Error(err)
	}
	_, err = run(build(t, inFile("{effects: [write]}", strings.ReplaceAll(caching, "FLAGS", believed))), believes)
	if err == nil || !strings.Contains(err.Error(), "allow") || len(server.calls) != 1 {
		t.Errorf("not allowed: %q, %v", server.calls, err)
	}
}

// Equal calls of the parts of one step make one, in whatever order they come to the cache.
func TestCacheInParts(t *testing.T) {
	const each = `
- {id: entry, type: entry, next: each}
- {id: each, type: mcp, server: up, tool: read, effect: read, cache: {ttlMs: 1000}, forEach: {items: '[1..200]', maxParallel: 64}, args: {a: {expr: $item % 2}}, next: both}
- id: both
  type: parallel
  branches:
    left: {type: mcp, server: up, tool: read, effect: read, cache: {ttlMs: 1000}, args: {a: 7}}
    right: {type: mcp, server: up, tool: read, effect: read, cache: {ttlMs: 1000}, args: {a: 7}}
  next: exit
- {id: exit, type: exit}
`
	g := build(t, "executionLimits: {maxCalls: 3}\n"+inFile("{}", each))
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		slow := execution.CallerFunc(func(_ context.Context, c execution.Call) (value.Value, error) {
			calls.Add(1)
			time.Sleep(time.Second / 2)
			return c.Args, nil
		})
		result, err := execution.New(slow, withCache()).Run(t.Context(), g, decode(t, `{}`))
		if err != nil || calls.Load() != 3 || len(cached(result.History())) != 199 || result.Usage.Calls != 3 {
			t.Errorf("%d calls: %+v, %v", calls.Load(), result.Usage, err)
		}
		if got := encode(t, result.Value); got != `{"left":{"a":7},"right":{"a":7}}` {
			t.Error(got)
		}
	})
}

// lateFirst is a cache to which the first part comes after the others.
type lateFirst struct{ execution.Cache }

func (l lateFirst) Answer(ctx context.Context, c execution.Call, ttl time.Duration, send func() (value.Value, error)) (value.Value, bool, error) {
	if c.Part == "0" {
		time.Sleep(time.Second)
	}
	return l.Cache.Answer(ctx, c, ttl, send)
}

// Calls of parts begin in their order; a part that waits for the equal call of a later one does not
// keep that from beginning.
func TestCacheAndTheOrderOfParts(t *testing.T) {
	g := build(t, `
- {id: entry, type: entry, next: each}
- {id: each, type: mcp, server: up, tool: read, effect: read, cache: {ttlMs: 1000}, forEach: {items: '[1..8]', maxParallel: 8}, next: exit}
- {id: exit, type: exit}
`)
	synctest.Test(t, func(t *testing.T) {
		slow := execution.CallerFunc(func(context.Context, execution.Call) (value.Value, error) {
			time.Sleep(5 * time.Second)
			return "x", nil
		})
		result, err := execution.New(slow, execution.WithCache(lateFirst{cache.New().Of(listed{})})).Run(t.Context(), g, decode(t, `{}`))
		if err != nil || result.Usage.Calls != 1 {
			t.Errorf("%+v, %v", result, err)
		}
	})
}

// A retry asks the cache again after its own failure only, and an error is not kept.
func TestCacheAndRetry(t *testing.T) {
	const retried = `
- {id: entry, type: entry, next: one}
- {id: one, type: mcp, server: up, tool: read, effect: read, cache: {ttlMs: 60000}, retry: {attempts: 3, delayMs: 0}, next: two}
- {id: two, type: mcp, server: up, tool: read, effect: read, cache: {ttlMs: 60000}, next: exit}
- {id: exit, type: exit}
`
	g := build(t, retried)
	calls := 0
	flaky := execution.CallerFunc(func(context.Context, execution.Call) (value.Value, error) {
		if calls++; calls < 3 {
			return nil, errors.New("busy")
		}
		return float64(calls), nil
	})
	kept := &journal.Memory{}
	result, err := execution.New(flaky, withCache(), execution.WithJournal(kept), execution.WithRunID("r")).Run(t.Context(), g, decode(t, `{}`))
	if err != nil || calls != 3 || fmt.Sprint(cached(result.History())) != "[two]" || len(result.History()[1].Attempts) != 2 {
		t.Errorf("%d calls: %v", calls, err)
	}
	events, _ := kept.Load(t.Context(), "r")
	replayed, err := execution.New(execution.NewRecording(throughJSON(t, events), 0), execution.WithSleep(func(context.Context, time.Duration) error { return nil })).
		Run(t.Context(), g, decode(t, `{}`))
	if err != nil || encode(t, replayed.Value) != "3" || len(cached(replayed.History())) != 0 {
		t.Errorf("replayed: %v, %v", replayed, err)
	}
}

// A replay finds a cached answer by its arguments: others are not recorded.
func TestReplayOfCachedAnswers(t *testing.T) {
	src := strings.ReplaceAll(caching, "FLAGS", "effect: read")
	kept := &journal.Memory{}
	if _, err := execution.New(echo, withCache(), execution.WithJournal(kept), execution.WithRunID("r")).Run(t.Context(), build(t, src), decode(t, `{"n": 3}`)); err != nil {
		t.Fatal(err)
	}
	events, _ := kept.Load(t.Context(), "r")
	replay := func(src string) error {
		recording := execution.NewRecording(throughJSON(t, events), 0)
		_, err := execution.New(recording, execution.WithCache(recording)).Run(t.Context(), build(t, src), decode(t, `{"n": 3}`))
		return err
	}
	if err := replay(src); err != nil {
		t.Error(err)
	}
	if err := replay(strings.ReplaceAll(src, "effect: read, cache: {ttlMs: 60000}, ", "")); err != nil {
		t.Errorf("without a cache in the file: %v", err)
	}
	missing := (*execution.NotRecordedError)(nil)
	if err := replay(strings.Replace(src, "$.entry.n}, a: 1}", "$.entry.n}, a: 2}", 1)); !errors.As(err, &missing) {
		t.Errorf("other arguments: %v", err)
	}
	if err := replay(strings.Replace(src, "two, type: mcp, server: up, tool: read", "two, type: mcp, server: up, tool: other", 1)); !errors.As(err, &missing) {
		t.Errorf("another tool: %v", err)
	}
}

// An answer that exceeds a limit of its run is a failure of that run alone.
func TestCachedAnswerOverLimit(t *testing.T) {
	store := withCache()
	src := strings.ReplaceAll(caching, "FLAGS", "effect: read")
	long := execution.CallerFunc(func(context.Context, execution.Call) (value.Value, error) { return strings.Repeat("x", 1000), nil })
	if _, err := execution.New(long, store).Run(t.Context(), build(t, src), decode(t, `{"n": 3}`)); err != nil {
		t.Fatal(err)
	}
	small := build(t, "executionLimits: {maxNodeOutputBytes: 100}\n"+inFile("{}", src))
	result, err := execution.New(long, store).Run(t.Context(), small, decode(t, `{"n": 3}`))
	if failed := (*execution.StepError)(nil); !errors.As(err, &failed) || failed.Code() != execution.CodeLimit || len(cached(result.History())) != 0 {
		t.Errorf("%v", err)
	}
}
