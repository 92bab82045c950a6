package inspect

import (
	"fmt"

	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// purpose returns what a node does.
func purpose(n graph.Node) string { return work(n) + onError(graph.OnErrorOf(n)) }

// purposeOf returns what a step does: when, how often, and what.
func purposeOf(s *graph.Step) string {
	text := work(s.Node)
	if r := s.Repeat; r != nil {
		text += fmt.Sprintf("; again until %s, at most %s", wording.Shorten(r.Until.Source()), wording.Count(r.Times, "time"))
		if r.Collect {
			text += "; returns the list of all results"
		}
	}
	if s.Each != nil {
		text = fmt.Sprintf("for each $%s of %s: %s", s.Item(), wording.Shorten(s.Each.Source()), text)
		switch {
		case s.Key != nil:
			text += "; returns an object by " + wording.Shorten(s.Key.Source())
		default:
			text += "; returns the list of the values"
		}
		if s.MaxParallel > 0 {
			text += fmt.Sprintf("; at most %d at the same time", s.MaxParallel)
		}
		if s.Until != nil {
			text += "; ends after the item for which " + wording.Shorten(s.Until.Source()) + " holds"
		}
	}
	if s.If != nil {
		text = "if " + wording.Shorten(s.If.Source()) + ": " + text
	}
	if s.OnError == nil || !s.OnError.Skip {
		return text + onError(s.OnError)
	}
	if s.Each != nil {
		return text + "; leaves out an item that fails"
	}
	return text + "; has no value after a failure"
}

// work returns what a node does, without what its onError does.
func work(n graph.Node) string {
	switch n := n.(type) {
	case *graph.Entry:
		return "returns the tool's arguments"
	case *graph.MCP:
		return calling(&n.Calling, fmt.Sprintf("calls %s of server %s", n.Tool, n.Server)) + retrying(n.Retry)
	case *graph.SubGraph:
		return calling(&n.Calling, fmt.Sprintf("calls the tool %s of this file in a frame of its own", n.Tool))
	case *graph.Parallel:
		return fmt.Sprintf("makes %s at once; returns an object with the value of each branch", wording.Count(len(n.Branches), "call"))
	case *graph.Ask:
		if n.Form == nil {
			return "asks the user for consent; returns an empty object"
		}
		return "asks the user to fill in a form; returns what was filled in"
	case *graph.Transform:
		return "evaluates an expression"
	case *graph.Switch:
		return "goes to the first node whose rule holds, else to the default; returns the id of that node"
	case *graph.Steps:
		return "runs " + wording.Count(len(n.Block), "step") + " in the order of what they read"
	case *graph.Exit:
		return "ends the run with the output of the node before it"
	}
	return ""
}

// calling adds to what a call does how often it is made.
func calling(c *graph.Calling, does string) string {
	if each := c.ForEach; each != nil {
		does += " for each item of " + wording.Shorten(each.Items.Source())
		if each.MaxParallel > 1 {
			does += fmt.Sprintf(", at most %d at the same time", each.MaxParallel)
		}
		does += "; returns the list of the values"
	}
	if c.Timeout > 0 {
		does += fmt.Sprintf("; fails after %v", c.Timeout)
	}
	return does
}

func retrying(r *graph.Retry) string {
	switch {
	case r == nil:
		return ""
	case r.Until != nil:
		return fmt.Sprintf("; repeats the call until %s, at most %d attempts", wording.Shorten(r.Until.Source()), r.Attempts)
	case len(r.Codes) == 0:
		return fmt.Sprintf("; repeats a failed call when that is safe, at most %d attempts", r.Attempts)
	}
	return fmt.Sprintf("; repeats a call that failed with %s, at most %d attempts", wording.Or(r.Codes), r.Attempts)
}

func onError(o *graph.OnError) string {
	if o == nil {
		return ""
	}
	text := "; after a failure"
	if len(o.Codes) > 0 {
		text += " with " + wording.Or(o.Codes)
	}
	if o.Value == nil {
		text += " returns {error: …}"
	} else {
		text += " returns the value of onError"
	}
	if o.Next != nil {
		text += " and goes to " + o.Next.ID()
	}
	return text
}
