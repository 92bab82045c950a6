package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
)

// trace shows a run on standard error: with rows, a line for each finished step; on a
// terminal, also what is in flight, and without rows a line for each call that has ended.
type trace struct {
	w        io.Writer
	screen   terminal.Screen
	secrets  *config.Secrets
	tool     *config.Tool
	progress *progress
	rows     bool
	places   int  // width of the column of addresses
	names    int  // width of the column of nodes
	begun    bool // the header is printed
}

func traceFlag(cmd *cobra.Command, into *bool) {
	cmd.Flags().BoolVar(into, "trace", false, "print each finished step on standard error")
}

func newTrace(w io.Writer, p *project.Project, g *graph.Graph, rows bool) *trace {
	screen := terminal.On(w)
	t := &trace{w: w, screen: screen, secrets: p.File.Secrets, tool: g.Tool, progress: newProgress(w, p.File.Secrets, g.Tool.Name.Value), rows: rows, names: len("node")}
	t.places = min(max(4, addressWidth(g, nil)), maxPlaces)
	wider := func(name string) { t.names = max(t.names, screen.Width(nameText(name))) }
	for _, of := range g.Reached() {
		tool := ""
		if of != g {
			tool = of.Tool.Name.Value + ":"
		}
		for _, n := range of.Nodes {
			wider(tool + n.ID())
		}
		for _, n := range of.CallNodes() {
			wider(tool + n.ID()) // of a branch, too
		}
		of.Steps().EachStep(func(s *graph.Step) { wider(tool + s.Node.ID()) })
	}
	return t
}

// maxPlaces bounds the column of addresses; longer ones move what follows.
const maxPlaces = 24

// addressWidth returns how long addresses in a graph get, with up to ten items and executions in
// each frame. Frames below one of the same graph are not counted.
func addressWidth(g *graph.Graph, around []*graph.Graph) int {
	width := 1
	within := func(part int, n graph.Node) {
		if graph.CallingOf(n).ForEach != nil {
			part = len(".0")
		}
		own := 1 + part
		if sub, isGraph := n.(*graph.SubGraph); isGraph && !slices.Contains(around, sub.Graph) && sub.Graph != g {
			own += 1 + addressWidth(sub.Graph, append(slices.Clone(around), g))
		}
		width = max(width, own)
	}
	for _, n := range g.Nodes {
		switch n := n.(type) {
		case *graph.MCP, *graph.SubGraph:
			within(0, n)
		case *graph.Parallel:
			for _, b := range n.Branches {
				within(1+len(b.Name), b.Node)
			}
		case *graph.Steps:
			n.EachStep(func(s *graph.Step) { width = max(width, len("1.")+len(s.Node.ID())+len(".0")) })
		case *graph.Entry, *graph.Ask, *graph.Transform, *graph.Switch, *graph.Exit:
		}
	}
	return width
}

// followed shows what followed of progress does, but for steps of which there is a row.
func (t *trace) followed(ctx context.Context) context.Context {
	return t.progress.followed(ctx, !t.rows)
}

// Observe shows an event.
func (t *trace) Observe(e execution.Event) {
	if t.rows && e.Record != nil {
		t.row(*e.Record)
	}
	t.progress.Observe(e)
}

// editedKind is what rows of steps have in place of the type for an edit by a user.
const editedKind = "edited"

// row shows a record: # node type ms output. On a terminal the row is as long as a line.
func (t *trace) row(r execution.Record) {
	if !t.begun {
		t.begun = true
		header := fmt.Sprintf("%-*s  %-*s  %-9s  %9s  %s", t.places, "#", t.names, "node", "type", "ms", "output")
		t.progress.print(t.w, t.screen.Line(terminal.Part{Text: header, Style: terminal.Faint}))
	}
	kind, style := string(r.NodeType), terminal.Faint
	if r.Edited {
		kind, style = editedKind, terminal.Notice
	}
	place := fmt.Sprintf("%-*s  %s  ", t.places, r.At(), t.screen.Pad(nameText(r.Name()), t.names))
	about := fmt.Sprintf("%-9s  %9.2f  ", kind, float64(r.Duration())/float64(time.Millisecond))
	most := outputShown
	if columns := t.screen.Columns(); columns > 0 {
		const note = len("… (123456 bytes)")
		most = max(outputShown/4, columns-t.screen.Width(place)-len(about)-note)
	}
	t.progress.print(t.w, t.screen.Line(terminal.Part{Text: place}, terminal.Part{Text: about, Style: style},
		terminal.Part{Text: outputText(r, most, t.secrets), Style: outputStyle(r)}))
}

// nameText returns the name of a node or a step for a row; the steps of a tool as a whole are called so.
func nameText(name string) string {
	if tool, isWhole := strings.CutSuffix(name, config.StepsID); isWhole {
		name = tool + "steps"
	}
	return wording.OneLine(name)
}

// outputStyle is how the output of a record is painted.
func outputStyle(r execution.Record) terminal.Style {
	switch {
	case r.Error != nil:
		return terminal.Bad
	case r.Handled != nil:
		return terminal.Notice
	}
	return terminal.Plain
}

// end prints the result to standard output, or the failure to standard error. Invalid
// arguments are a usage error.
func (t *trace) end(std program.Streams, result *execution.Result, err error) error {
	t.progress.clear()
	var refused *execution.ArgumentsError
	if errors.As(err, &refused) {
		return program.Usagef("%w", err)
	}
	if err != nil {
		if result != nil && result.Partial != nil {
			if err := printResult(std.Out, t.tool, result.Partial, t.secrets); err != nil {
				return err
			}
		}
		program.PrintFailure(std.Err, t.secrets.Redact(err.Error()))
		return fmt.Errorf("%w: %w", program.ErrReported, err)
	}
	return printResult(std.Out, t.tool, result.Value, t.secrets)
}

// notRun is what a row of a step says that was not run.
const notRun = "not run: its if does not hold"

// outputText returns what a record has: its output, what onError has taken, the error; whether
// the user has agreed to the call, and whether the output is cached.
func outputText(r execution.Record, most int, secrets *config.Secrets) string {
	text := valueText(r.Output, most, secrets)
	switch {
	case r.Skipped:
		text = notRun
	case r.Error != nil:
		text = wording.OneLine(secrets.Redact("error: " + r.Error.Message))
	}
	if r.Handled != nil {
		text += wording.OneLine(secrets.Redact("  (handled: " + r.Handled.Message + ")"))
	}
	if r.Confirmed != nil {
		text += "  (confirmed)"
	}
	if r.Cached {
		text += "  (cached)"
	}
	if n := len(r.Attempts); n > 0 && r.Error == nil && r.Handled == nil { // a failure says how many there were
		text += fmt.Sprintf("  (attempt %d)", n+1)
	}
	return text
}
