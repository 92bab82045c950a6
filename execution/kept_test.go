package execution_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

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

// callerOf is a ToolCaller made of a function of the whole call.
type callerOf func(c execution.Call) (value.Value, error)

func (f callerOf) CallTool(_ context.Context, c execution.Call) (value.Value, error) { return f(c) }

func orNull(v value.Value) value.Value {
	if v == nil {
		return value.Null
	}
	return v
}
