package execution

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

const (
	planArgument = 200 // bytes that the question about a plan shows of the arguments of a call
	planCalls    = 20  // steps that it shows
)

// planQuestion is the question whether calls of a plan may be made.
func planQuestion(group []*callsToAgree) string {
	var b strings.Builder
	fmt.Fprintf(&b, "A plan of the client is about to make %s:\n", wording.Count(countCalls(group), "call"))
	for i, c := range group[:min(len(group), planCalls)] {
		fmt.Fprintf(&b, "%d. step %s: %s (effect: %s)", i+1, c.site.step.Node.ID(), calledName(c.node), cmp.Or(string(c.effect), "unknown, may destroy"))
		if c.site.step.Repeat != nil {
			fmt.Fprintf(&b, ", up to %d times", c.site.step.Repeat.Times)
		}
		switch {
		case len(c.all) == 1:
			fmt.Fprintf(&b, " %s\n", group[0].site.shown(c.all[0], planArgument))
		default:
			fmt.Fprintf(&b, ", %d times:\n", len(c.all))
			for _, args := range c.all[:min(len(c.all), callsShown)] {
				fmt.Fprintf(&b, "   %s\n", group[0].site.shown(args, planArgument))
			}
			if more := len(c.all) - callsShown; more > 0 {
				fmt.Fprintf(&b, "   and %d more\n", more)
			}
		}
		for _, from := range c.origins() {
			fmt.Fprintf(&b, "   %s\n", from)
		}
	}
	if more := len(group) - planCalls; more > 0 {
		fmt.Fprintf(&b, "and those of %s\n", wording.Count(more, "more step"))
	}
	b.WriteString("Allow these calls?")
	return b.String()
}

func countCalls(group []*callsToAgree) (n int) {
	for _, c := range group {
		n += len(c.all)
	}
	return n
}

// origins says for each computed argument from which steps, and so which servers, it comes.
func (c *callsToAgree) origins() (lines []string) {
	of := graph.CallingOf(c.node)
	if of == nil || of.Args == nil {
		return nil
	}
	all := c.site.frame.graph.Plan.Sources(c.site.step)
	of.Args.Named(func(name string, e *graph.Expr) {
		from := stepsRead(e)
		if each := c.site.step.Each; len(from) == 0 && each != nil { // of an item
			from = stepsRead(each)
		}
		if len(from) == 0 && len(all) == 0 {
			return
		}
		line := wording.OneLine(name) + " is computed"
		if len(from) > 0 {
			line += " from step " + strings.Join(from, ", ")
		}
		if len(all) > 0 {
			line += " (" + strings.Join(all, ", ") + ")"
		}
		lines = append(lines, line)
	})
	return lines
}

// stepsRead returns the names of the steps that an expression reads.
func stepsRead(e *graph.Expr) (names []string) {
	for _, ref := range e.References() {
		if len(ref.Path) > 0 && ref.Function == "" && ref.Path[0] != "args" && !slices.Contains(names, ref.Path[0]) {
			names = append(names, ref.Path[0])
		}
	}
	return names
}
