package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"toolgraph/config"
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

// place names a node or a part of it; of a tool that is written as steps, a step, an item or a turn of one.
func place(v execution.Visit) string {
	name, last := wording.OneLine(v.Name()), v.At().Name()
	_, err := strconv.Atoi(last)
	isItem := err == nil
	switch {
	case v.NodeID != config.StepsID && isItem:
		return fmt.Sprintf("item %s of node %q", last, name)
	case v.NodeID != config.StepsID:
		return fmt.Sprintf("node %q", name)
	case v.Part == "":
		return "the steps"
	case isItem && strings.HasSuffix(v.Part, "@"+last):
		return fmt.Sprintf("turn %s of step %q", last, name)
	case isItem:
		return fmt.Sprintf("item %s of step %q", last, name)
	}
	return fmt.Sprintf("step %q", name)
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
	text := fmt.Sprintf("step %s, %s of tool %q", c.At, place(execution.Visit{NodeID: c.Node, Part: part}), c.Tool)
	if c.At == r.looked {
		text += " (looked at)"
	}
	return text
}

// up looks at the caller of the frame that is looked at; from a step in a block, at the item or step that it is in.
func (r *repl) up(ctx context.Context) error {
	caller := r.around(r.at())
	if caller == "" {
		return errors.New("this is the run's own frame, which has no caller")
	}
	return r.look(ctx, caller)
}

// down looks at what up has left.
func (r *repl) down(ctx context.Context) error {
	next := r.session.State().Next
	if next == nil || r.looked == "" {
		return errors.New("there is no frame below")
	}
	for at := next.At(); at != ""; at = r.around(at) {
		if r.around(at) != r.looked {
			continue
		}
		if at == next.At() {
			at = ""
		}
		return r.look(ctx, at)
	}
	return errors.New("there is no frame below")
}

// around returns what up leads to: of a step what it is a part of, else the call of the frame.
func (r *repl) around(at execution.Address) execution.Address {
	if outer := at.Outer(); outer != at && r.session.History().NodeID(at) == config.StepsID {
		return outer
	}
	return at.Frame()
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
	width := 8
	for i := from; i < last; i++ {
		width = max(width, len(all.At(at, i)))
	}
	for i := from; i < last; i++ {
		r.part(all.At(at, i), width)
	}
	r.say("%s, %d ended, %d failed", wording.Count(all.Count, "part"), all.Ended, all.Failed)
	if last < all.Count {
		r.say("; more: parts %s %d", at, last)
	}
	r.say("\n")
	return nil
}

// part prints a part and its state, after its address in a column.
func (r *repl) part(at execution.Address, width int) {
	state, inside := debug.StateOf(r.session.History(), r.session.State().HeldAt(), at)
	rec, ended := r.session.History().Record(at)
	switch {
	case ended:
		word := wording.Status(state)
		switch {
		case rec.Edited:
			word = "edited"
		case rec.Skipped:
			word = "not run"
		case rec.Handled != nil:
			word = "handled"
		}
		r.say("  %-*s %-8s %9.2f ms  %s\n", width, at, word, float64(rec.Duration())/float64(time.Millisecond), outputText(rec, outputShown, r.secrets))
	case inside != at:
		r.say("  %-*s %s, at %s\n", width, at, wording.Status(state), inside)
	default:
		r.say("  %-*s %s\n", width, at, wording.Status(state))
	}
}
