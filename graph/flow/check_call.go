package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// call reports what is wrong with a call: a node or a branch.
func (c *checker) call(ctx context.Context, node int, call graph.Node, defined *config.Node) {
	c.list(ctx, node, call)
	c.countedItems(ctx, call)
	if m, isMCP := call.(*graph.MCP); isMCP {
		c.confirmed(m, defined)
		c.cached(m, defined)
		c.tooMany(m)
		c.effectOf(m, defined)
		if m.Retry != nil {
			c.retry(m, defined)
		}
	}
	c.outlasts(call)
	c.args(ctx, node, call, defined)
	c.handlers(ctx, node, call)
	c.leftOut(call, defined.OnError)
	c.again(call, defined)
}

// outlasts warns of a timeout that no call can reach, because the run ends before.
func (c *checker) outlasts(call graph.Node) {
	of := graph.CallingOf(call)
	at, limit := c.graph.LimitsAt["maxExecutionTimeMs"], c.graph.Limits.MaxExecutionTime
	if of == nil || !at.IsValid() || of.Timeout <= limit || limit == 0 {
		return
	}
	c.found.Warn(at, "limit-too-low", fmt.Sprintf("maxExecutionTimeMs is %d, but timeoutMs of node %q is %d, which no call can reach", limit.Milliseconds(), call.ID(), of.Timeout.Milliseconds()),
		"raise maxExecutionTimeMs, or lower timeoutMs")
}

// effectOf warns of a call that says to only read, of a tool that says to change something: the step may be repeated, and is
// not confirmed. A tool that says no more than that it is not read-only has to have a name that says so, too: many say it by mistake.
func (c *checker) effectOf(m *graph.MCP, defined *config.Node) {
	hints := knownTool(c.all.up, m.Server, m.Tool)
	var says string
	switch is := func(hint *bool, truth bool) bool { return hint != nil && *hint == truth }; {
	case m.Effect != config.ReadEffect || is(hints.ReadOnly, true):
		return
	case is(hints.Destructive, true):
		says = "destructiveHint: true"
	case is(hints.ReadOnly, false) && changesByName(m.Tool):
		says = "readOnlyHint: false"
	default:
		return
	}
	c.found.Warn(defined.Tool.Pos, "effect-contradicts", fmt.Sprintf("node %q has effect: read, but tool %q of server %q says %s: such a call may be repeated, and is not confirmed", m.ID(), m.Tool, m.Server, says),
		"say what it does, effect: write or effect: destroy, or leave effect out")
}

// changesByName reports whether the name of a tool begins with a word for a change.
func changesByName(tool string) bool {
	first, _, _ := strings.Cut(strings.ReplaceAll(tool, "-", "_"), "_")
	return slices.Contains([]string{"add", "append", "create", "delete", "edit", "insert", "move", "patch", "post", "remove", "rename", "save", "send", "update", "write"}, first)
}

// cached warns of a cache that has no effect, because the call may change something.
func (c *checker) cached(m *graph.MCP, defined *config.Node) {
	effect := c.all.effect(m)
	if m.Cache == 0 || m.Effect != "" || effect == config.ReadEffect { // package graph reports what the file says
		return
	}
	what := "whether it only reads is not known"
	if effect != "" {
		what = fmt.Sprintf("its effect is %s", effect)
	}
	c.found.Warn(defined.Cache.Pos, "cache-not-read", fmt.Sprintf("no answer of %s is given again: %s", m.Tool, what),
		"remove cache, or say effect: read where the call changes nothing").
		Fixed(config.SayKey(defined.Tool.Pos, "effect", "read", "server")...).Fixed(config.RemoveNamed(defined.Cache.Pos, "cache"))
}

// handlers reports what is wrong with the expressions that are evaluated after an attempt.
func (c *checker) handlers(ctx context.Context, node int, n graph.Node) {
	for number, use := range c.uses[node] {
		if use.call != n {
			continue
		}
		switch use.at {
		case inWhen, inUntil:
			if !c.untilReads(node, use) {
				c.expression(ctx, node, number, use.expr, needless, func(*shape.Env) {})
			}
		case inHandled:
			c.expression(ctx, node, number, use.expr, afterwards, func(*shape.Env) {})
		case inTransform, inMessage, inItems, inArgs, inIf, inKey, inEachUntil, inTurnUntil:
		}
	}
}

// untilReads warns of a retry.until that reads the node's own output, which has no value of the attempt yet.
func (c *checker) untilReads(node int, u use) (warned bool) {
	if u.at != inUntil || u.expr.Tree() == nil {
		return false
	}
	for _, ref := range u.expr.References() {
		if len(ref.Path) > 0 && ref.Path[0] == c.graph.Nodes[node].ID() && ref.Function == "" {
			c.found.Warn(c.place(u.expr.Text, ref.Offset), "never-run", fmt.Sprintf("until reads node %q, whose output of this attempt is not in the context yet", ref.Path[0]),
				"read the answer of the attempt: $result")
			return true
		}
	}
	return false
}

// list reports what is wrong with the items of a forEach. What follows from that is not reported.
func (c *checker) list(ctx context.Context, node int, call graph.Node) {
	for number, use := range c.uses[node] {
		if use.call != call || use.at != inItems || c.stepOf(call) != nil {
			continue
		}
		before := len(c.found)
		c.expression(ctx, node, number, use.expr, afterwards, func(*shape.Env) {})
		c.unstable(use.expr)
		if len(c.found) == before {
			given, _ := c.valueOf(ctx, node, number, use.expr)
			c.noList(use.expr, given)
		}
		if len(c.found) > before {
			c.items[call] = shape.Any()
		}
	}
}

// noList warns of items that are certainly no list, unless they are one part of a list.
func (c *checker) noList(e *graph.Expr, given shape.Shape) {
	if _, never := given.Conflict(shape.Union(shape.Array(shape.Any()), shape.Null(), shape.Nothing())); !never || picks(e.Tree()) {
		return
	}
	hint, fix := "give the list itself; for one call, leave forEach out", config.Fix{}
	for _, f := range given.Fields() {
		if _, other := f.Shape.Conflict(shape.Array(shape.Any())); !other && !f.Shape.IsAny() {
			list := e.Text.Value + "." + f.Name
			hint = fmt.Sprintf("one of its fields is a list: %s.%s", wording.Shorten(e.Text.Value), f.Name)
			fix = config.WriteText(e.Text, list)
			break
		}
	}
	c.found.Warn(e.Text.At(0), "not-a-list", fmt.Sprintf("items is %s, expected a list", given), hint).Fixed(fix)
}

// picks reports whether an expression ends in a predicate, which may choose one item of a list.
func picks(t *jsonata.Tree) bool {
	switch t.Kind {
	case jsonata.PredicateKind:
		return true
	case jsonata.PathKind, jsonata.BlockKind:
		return len(t.Parts) > 0 && picks(&t.Parts[len(t.Parts)-1])
	}
	return false
}

// unstable warns of items that another evaluation may not find again.
func (c *checker) unstable(e *graph.Expr) {
	for _, t := range unstableIn(e.Tree(), nil) {
		c.found.Warn(c.place(e.Text, t.Offset), "unstable-items",
			fmt.Sprintf("$%s gives another value when a resumed run evaluates items again, and the run is refused then (items-changed)", t.Text),
			"compute the list in a transform before this node, and read its output here")
	}
}

func unstableIn(t *jsonata.Tree, found []*jsonata.Tree) []*jsonata.Tree {
	if t.Kind == jsonata.VariableKind && slices.Contains([]string{"now", "millis", "random", "shuffle"}, t.Text) {
		found = append(found, t)
	}
	for i := range t.Parts {
		found = unstableIn(&t.Parts[i], found)
	}
	return found
}

// mayHaveHappened are the failures after which a call may have been made.
var mayHaveHappened = []config.FailureCode{config.FailTimeout, config.FailTransport, config.FailServerExited}

// retry reports a retry that may do harm, one that does nothing, and one that outlasts the run.
func (c *checker) retry(m *graph.MCP, defined *config.Node) {
	r := m.Retry
	hints := knownTool(c.all.up, m.Server, m.Tool)
	is := func(hint *bool, truth bool) bool { return hint != nil && *hint == truth }
	safe := m.OnCrash == config.RerunCall || c.all.effect(m) == config.ReadEffect || hints.Believed && is(hints.Idempotent, true)
	unsafe := !safe && !is(hints.Idempotent, true) && (m.Effect == config.DestroyEffect || is(hints.Destructive, true) || is(hints.Idempotent, false))
	for _, code := range defined.Retry.Codes {
		if unsafe && slices.Contains(mayHaveHappened, config.FailureCode(code.Value)) {
			c.found.Warn(code.Pos, "retry-may-repeat",
				fmt.Sprintf("after %s, %s may have been done already, and it is not known to be safe to repeat", code.Value, m.Tool),
				"leave the code out, or say onCrash: rerun where a second call does no harm").
				Over(code).Fixed(config.SayKey(defined.Tool.Pos, "onCrash", "rerun", "server")...).Fixed(config.RemoveItem(code.Pos))
		}
	}
	if !safe && r.Codes == nil && r.When == nil && r.Until == nil {
		c.found.Warn(defined.Retry.Pos, "retry-without-effect",
			fmt.Sprintf("only a server that does not start is tried again: whether %s is safe to repeat is not known", m.Tool),
			"say effect: read, or name the failures in retry.codes").Fixed(config.SayKey(defined.Tool.Pos, "effect", "read", "server")...)
	}
	if r.Delay > r.MaxDelay && defined.Retry.DelayAt.IsValid() {
		c.found.Warn(defined.Retry.DelayAt, "delay-over-max",
			fmt.Sprintf("delayMs is %d and maxDelayMs is %d, so that each wait is at most %d ms", r.Delay.Milliseconds(), r.MaxDelay.Milliseconds(), r.MaxDelay.Milliseconds()),
			"lower delayMs, or raise maxDelayMs")
	}
	if total, limit := waits(r), c.graph.Limits.MaxExecutionTime; total > limit {
		c.found.Warn(defined.Retry.Pos, "waits-over-limit",
			fmt.Sprintf("the waits between %d attempts can take %d ms, and executionLimits.maxExecutionTimeMs is %d", r.Attempts, total.Milliseconds(), limit.Milliseconds()),
			"make fewer attempts or shorter waits, or raise the limit")
	}
}

// waits returns how long the waits between all attempts can take, or a little more than the
// longest limit.
func waits(r *graph.Retry) time.Duration {
	const longest = 1000 * time.Hour
	var total time.Duration
	wait := float64(r.Delay)
	for range r.Attempts - 1 {
		total += time.Duration(min(wait, float64(r.MaxDelay)))
		if wait *= r.Backoff; total > longest {
			break
		}
		wait = min(wait, float64(longest))
	}
	return total
}
