package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/authoring/dryrun"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/editor/checks"
	"toolgraph/internal/program"
	"toolgraph/internal/runtime"
	"toolgraph/mcpclient"
)

// dryFlags are --dry-run of run, and the format of its plan.
type dryFlags struct {
	on     bool
	format string
	chosen func(flag string) bool // reports whether the command line has a flag
}

func (f *dryFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.on, "dry-run", false, "call only read-only tools, and print the other calls")
	program.ChoiceFlag(cmd, &f.format, "format", "f", "output format of --dry-run", "text", "json") // --json of a run is about its usage
	f.chosen = cmd.Flags().Changed
}

// check rejects flags that contradict each other.
func (f *dryFlags) check() error {
	if f.chosen("format") && !f.on {
		return program.Usagef("--format is given without --dry-run; a run prints JSON")
	}
	return nil
}

// run makes a dry run of a graph and prints its plan.
func (f *dryFlags) run(ctx context.Context, std program.Streams, l *runtime.Loaded, g *graph.Graph, args value.Value, show *trace) error {
	beside, _, err := checks.LockBeside(l.Project, nil)
	if err != nil {
		return err
	}
	var guard mcpclient.ToolCheck
	if l.Lock != nil {
		guard = l.Lock.Guard(l.File)
	}
	dry := l.Checked(dryrun.ReadOnly(guard, l.File.Path))
	defer dry.Release()
	ctx, believed := dry.Believe(runtime.WithRuleLog(ctx, l.Log, g.Tool.Name.Value), g)
	plan, err := dryrun.Run(ctx, dryrun.Options{Pool: dry.Pool, Lock: beside, Secrets: l.File.Secrets},
		g, args, append(believed, execution.WithObserver(show), runtime.ReportPanics(l.Log))...)
	show.progress.clear()
	var refused *execution.ArgumentsError
	switch {
	case errors.As(err, &refused):
		return program.Usagef("%w", err)
	case err != nil:
		return err
	case f.format == "json":
		err = program.EncodeJSON(std.Out, plan)
	default:
		err = printPlan(std.Out, plan)
	}
	if err != nil || plan.Error == "" {
		return err
	}
	if f.format != "json" {
		program.PrintLine(std.Err, "toolgraph: %s", plan.Error)
	}
	return program.ErrReported
}

func printPlan(w io.Writer, p *dryrun.Plan) error {
	var all error
	line := func(format string, args ...any) {
		_, err := fmt.Fprintln(w, wording.Printable(fmt.Sprintf(format, args...)))
		all = errors.Join(all, err)
	}
	lines, width := planLines(p), 4
	for _, l := range lines {
		width = max(width, len(l.at))
	}
	for _, l := range lines {
		line("%-*s  %s", width, l.at, l.text)
	}
	switch {
	case p.Error != "":
		if p.Assumed {
			line("The run fails, perhaps because of the assumed outputs.")
		}
	case p.Ended != "":
		line("The plan ends here: %s.", p.Ended)
	case p.Assumed:
		line("The result, with the assumed outputs:\n%s", indentedJSON(p.Result))
	default:
		line("The result:\n%s", indentedJSON(p.Result))
	}
	return all
}

// callText returns a call for people; its output and error are on lines of their own.
func callText(c dryrun.Call) string {
	call := fmt.Sprintf("%s.%s %s", c.Server, c.Tool, c.Args)
	switch {
	case c.Made:
		call = "calls " + call + " (read-only)"
	case c.Confirmed:
		call = "would call " + call + ", if the user agrees"
	default:
		call = "would call " + call
	}
	if c.Output != nil {
		call += fmt.Sprintf("\n        assumed, by %s: %s", c.From, c.Output)
	}
	if c.Error != "" {
		call += "\n        " + c.Error
	}
	return call
}

// questionText returns a question for people; the assumed answer is on a line of its own.
func questionText(q dryrun.Question) string {
	text := fmt.Sprintf("would ask %q", wording.OneLine(q.Message))
	if q.Calls > 0 {
		effect := "effect unknown"
		if q.Effect != "" {
			effect = "effect: " + string(q.Effect)
		}
		text = fmt.Sprintf("would ask whether %s of %s.%s may be made (%s)", wording.Count(q.Calls, "call"), q.Server, q.Tool, effect)
	}
	if q.Assumed {
		text += ", with the assumed outputs"
	}
	if q.Answer != nil {
		text += fmt.Sprintf("\n        assumed, by its schema: %s", q.Answer)
	}
	return text
}

// planLine is a line of a plan.
type planLine struct {
	at   execution.Address
	text string
}

// planLines returns the questions and calls of a plan in order, those of a forEach for its first item, each
// execution with parts before them.
func planLines(p *dryrun.Plan) []planLine {
	var lines []planLine
	add := func(at execution.Address, node, text string) {
		if !slices.ContainsFunc(p.Parts, func(parts dryrun.Parts) bool { return parts.IsRepeated(at) }) {
			lines = append(lines, planLine{at, wording.OneLine(node) + ": " + text})
		}
	}
	for _, q := range p.Questions {
		add(q.At, q.Node, questionText(q))
	}
	for _, c := range p.Calls {
		add(c.Address(), c.Node, callText(c))
	}
	for _, r := range p.Refused {
		add(r.At, r.Node, "refused: "+r.Message)
	}
	for _, parts := range p.Parts {
		add(parts.At, parts.Node, partsText(parts))
		for _, branch := range parts.NotReached {
			add(parts.At+execution.Address("."+branch), parts.Node+"."+branch, "not reached")
		}
	}
	slices.SortStableFunc(lines, func(a, b planLine) int {
		switch {
		case a.at.Contains(b.at):
			return -1
		case b.at.Contains(a.at):
			return 1
		}
		return p.Compare(a.at, b.at)
	})
	return lines
}

// partsText says for people how many calls an execution makes.
func partsText(p dryrun.Parts) string {
	text := "for each of " + wording.Count(p.Count, "item")
	switch {
	case p.Branches != nil:
		return fmt.Sprintf("%d branches at once", p.Count)
	case p.Steps != nil:
		return fmt.Sprintf("%s, each when what it needs is there", wording.Count(p.Count, "step"))
	case p.Assumed:
		text += ", with the assumed outputs"
	}
	if p.Count > 1 {
		text += "; the first:"
	}
	return text
}
