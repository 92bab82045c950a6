package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/debugger/debug"
)

var errNotPaused = errors.New("the run is not paused")

// at returns the address of the step that is looked at.
func (r *repl) at() execution.Address {
	if r.looked != "" {
		return r.looked
	}
	if next := r.session.State().Next; next != nil {
		return next.At()
	}
	return execution.AddressOf("", len(r.session.History().Records("")), "")
}

// drawn returns the graph of the frame that is looked at.
func (r *repl) drawn() *graph.Graph {
	return cmp.Or(r.graph.ReachedTool(r.session.History().Tool(r.at().Frame())), r.graph)
}

// place names a node, or a part of it.
func place(name, part string) string {
	name = wording.OneLine(name)
	if _, err := strconv.Atoi(part); err == nil {
		return fmt.Sprintf("item %s of node %q", part, name)
	}
	return fmt.Sprintf("node %q", name)
}

// stack prints where a run is paused, and what has called that.
func (r *repl) stack(ctx context.Context) {
	state := r.session.State()
	r.where(ctx, state)
	for _, c := range state.Stack {
		r.say("  %s\n", r.described(c))
	}
}

func (r *repl) described(c debug.Caller) string {
	_, _, part := c.At.Split()
	node := c.Node
	if _, err := strconv.Atoi(part); part != "" && err != nil {
		node += "." + part
	}
	text := fmt.Sprintf("step %s, %s of tool %q", c.At, place(node, part), c.Tool)
	if c.At == r.looked {
		text += " (looked at)"
	}
	return text
}

// up looks at the caller of the frame that is looked at.
func (r *repl) up(ctx context.Context) error {
	caller := r.at().Frame()
	if caller == "" {
		return errors.New("this is the run's own frame, which has no caller")
	}
	return r.look(ctx, caller)
}

// down looks at the frame that up has left.
func (r *repl) down(ctx context.Context) error {
	stack := r.session.State().Stack
	i := slices.IndexFunc(stack, func(c debug.Caller) bool { return c.At == r.looked })
	switch {
	case i < 0:
		return errors.New("there is no frame below")
	case i == 0:
		return r.look(ctx, "")
	}
	return r.look(ctx, stack[i-1].At)
}

// frame looks at a step, for the empty text at where the run is.
func (r *repl) frame(ctx context.Context, text string) error {
	if text == "" {
		return r.look(ctx, "")
	}
	at, err := execution.ParseAddress(text)
	if err != nil {
		return err
	}
	if r.session.Choose(at) == nil { // it is paused there
		at = ""
	}
	return r.look(ctx, at)
}

func (r *repl) look(ctx context.Context, at execution.Address) error {
	if _, err := r.session.Context(at); err != nil {
		return err
	}
	r.looked = at
	if at == "" {
		r.where(ctx, r.session.State())
		return nil
	}
	c := debug.Caller{At: at, Tool: r.drawn().Tool.Name.Value, Node: r.session.History().NodeID(at)}
	r.say("looking at %s\n", strings.TrimSuffix(r.described(c), " (looked at)"))
	return nil
}

// parts lists parts of the node that is looked at, or of another one.
func (r *repl) parts(rest string) error {
	at, from := r.at(), 0
	words := strings.Fields(rest)
	if len(words) > 0 {
		var err error
		if at, err = execution.ParseAddress(words[0]); err != nil {
			return err
		}
	}
	if len(words) > 1 {
		var err error
		if from, err = strconv.Atoi(words[1]); err != nil || from < 0 || len(words) > 2 {
			return errors.New("parts takes an address and the number of the first part: parts 4 20")
		}
	}
	all := r.session.History().Parts(at)
	if all.Count == 0 {
		at = at.Outer()
		all = r.session.History().Parts(at)
	}
	if all.Count == 0 {
		return fmt.Errorf("step %s has no parts; parts exist from the moment in which a node with forEach, a parallel, or a block of steps begins them", at)
	}
	const shown = 20
	last := min(from+shown, all.Count)
	for i := from; i < last; i++ {
		r.part(at + execution.Address("."+all.Name(i)))
	}
	r.say("%s, %d ended, %d failed", wording.Count(all.Count, "part"), all.Ended, all.Failed)
	if last < all.Count {
		r.say("; more: parts %s %d", at, last)
	}
	r.say("\n")
	return nil
}

// part prints a part and its state.
func (r *repl) part(at execution.Address) {
	rec, ended := r.session.History().Record(at)
	switch {
	case ended:
		state := "ended"
		switch {
		case rec.Error != nil:
			state = "failed"
		case rec.Handled != nil:
			state = "handled"
		}
		r.say("  %-8s %-8s %9.2f ms  %s\n", at, state, float64(rec.Duration())/float64(time.Millisecond), outputText(rec, outputShown, r.secrets))
	default:
		r.say("  %-8s %s\n", at, r.running(at))
	}
}

// running is what a part without a record does.
func (r *repl) running(at execution.Address) string {
	for _, h := range r.session.State().Held {
		switch held := h.Visit.At(); {
		case held == at:
			return "paused"
		case at.Contains(held):
			return "paused, at " + string(held)
		}
	}
	flying := r.session.History().InFlight(at)
	if len(flying) == 0 {
		return "waits"
	}
	if inner := flying[len(flying)-1].Visit.At(); inner != at {
		return "runs, at " + string(inner)
	}
	return "runs"
}
