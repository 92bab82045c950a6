package simulation

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// attemptKey names an attempt of a call.
type attemptKey struct {
	run     string
	at      execution.Address
	attempt int
}

// sent is a call that has reached its server.
type sent struct {
	execution.Call
	by   string // the process
	at   time.Time
	key  string // its idempotency key
	item int    // the argument id
}

// isSafe reports whether a tool of the server is safe to repeat, as the graph file says it.
func isSafeTool(tool string) bool { return tool == "look" }

// CallTool is the server that runs call: it counts its calls, which are answered after some time, unless the process
// is frozen or dead by then.
func (p *serving) CallTool(ctx context.Context, c execution.Call) (value.Value, error) {
	if !p.held(ctx) {
		return nil, context.Cause(ctx)
	}
	if !isSafeTool(c.Tool) && !p.f.db.hasCall(c.Run, c.Node) {
		p.f.violated(recordKind, "call %s of run %s is sent by %s, and is not recorded", c.At(), c.Run, p.name)
	}
	n := p.f.called(p, &c)
	took := time.Duration(hashOf(c.Run, string(c.At()), p.name)%400) * time.Millisecond
	if c.Tool == "hold" {
		took = time.Hour
	}
	select {
	case <-time.After(took):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if !p.held(ctx) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return float64(n), nil
}

func hashOf(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		fmt.Fprintf(h, "%s\x00", p)
	}
	return h.Sum64()
}

// called counts a call, and returns its answer: the number of a payment, else the argument.
func (f *fleet) called(p *serving, c *execution.Call) int {
	id := 0
	if args, is := value.ObjectOf(c.Args); is {
		v, _ := args.Get("id")
		id, _ = strconv.Atoi(fmt.Sprint(v))
	}
	key, _ := c.Meta["toolgraph/idempotencyKey"].(string)
	f.mu.Lock()
	defer f.mu.Unlock()
	name := attemptKey{c.Run, c.At(), attemptOf(c.Attempt)}
	s := &sent{Call: *c, by: p.name, at: time.Now(), key: key, item: id}
	before := f.ledger[name]
	f.ledger[name] = append(before, s)
	f.line("%s calls %s of %.6s at %s, id %d", p.name, c.Tool, c.Run, c.At(), id)
	if len(before) > 0 && !isSafeTool(c.Tool) {
		f.violate(sentKind, "call %s of run %s is not safe to repeat, and is sent by %s and by %s", c.At(), c.Run, before[0].by, p.name)
	}
	if len(before) > 0 && before[0].key != key || key == "" {
		f.violate(keyKind, "call %s of run %s is repeated with the idempotency key %q, before %q", c.At(), c.Run, key, before[0].key)
	}
	if c.Tool != "pay" {
		return id
	}
	f.paid[id]++
	return f.paid[id]
}
