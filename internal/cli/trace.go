package cli

import (
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/internal/wording"
)

// trace shows a run on standard error: with rows, a line for each finished step; on a
// terminal, also the step that it is executing.
type trace struct {
	w        io.Writer
	secrets  *config.Secrets
	tool     *config.Tool
	progress *progress
	rows     bool
	names    int  // width of the column of nodes
	begun    bool // the header is printed
}

func traceFlag(cmd *cobra.Command, into *bool) {
	cmd.Flags().BoolVar(into, "trace", false, "print each finished step on standard error")
}

func newTrace(w io.Writer, p *project.Project, g *graph.Graph, rows bool) *trace {
	t := &trace{w: w, secrets: p.File.Secrets, tool: g.Tool, progress: newProgress(w), rows: rows, names: len("node")}
	for _, n := range g.Nodes {
		t.names = max(t.names, utf8.RuneCountInString(n.ID()))
	}
	return t
}

// Observe shows an event.
func (t *trace) Observe(e execution.Event) {
	if !t.rows || e.Record == nil {
		t.progress.Observe(e)
		return
	}
	t.progress.clear()
	t.row(*e.Record)
}

// row shows a record: # node type ms output.
func (t *trace) row(r execution.Record) {
	if !t.begun {
		t.begun = true
		fmt.Fprintf(t.w, "%-4s  %-*s  %-9s  %9s  %s\n", "#", t.names, "node", "type", "ms", "output")
	}
	kind := string(r.NodeType)
	if r.Edited {
		kind = "edited"
	}
	fmt.Fprintf(t.w, "%-4d  %-*s  %-9s  %9.2f  %s\n", r.Index, t.names, wording.OneLine(r.NodeID), kind,
		float64(r.Duration())/float64(time.Millisecond), outputText(r, t.secrets))
}

// end prints the result to standard output, or the failure to standard error. Invalid
// arguments are a usage error.
func (t *trace) end(std streams, result *execution.Result, err error) error {
	t.progress.clear()
	var refused *execution.ArgumentsError
	if errors.As(err, &refused) {
		return usageError{err}
	}
	if err != nil {
		fmt.Fprintf(std.err, "toolgraph: %s\n", wording.Printable(t.secrets.Redact(err.Error())))
		return fmt.Errorf("%w: %w", errReported, err)
	}
	return printResult(std.out, t.tool, result.Value, t.secrets)
}

func outputText(r execution.Record, secrets *config.Secrets) string {
	if r.Error != nil {
		return wording.OneLine(secrets.Redact("error: " + r.Error.Message))
	}
	return valueText(r.Output, outputShown, secrets)
}

// progress is a line on a terminal that shows the current step of a run. On other streams
// nothing is shown.
type progress struct {
	w     io.Writer // nil: nothing is shown
	last  time.Time
	shown bool
}

func newProgress(w io.Writer) *progress {
	if !isTerminal(w) {
		w = nil
	}
	return &progress{w: w}
}

// progressEvery bounds how often a fast loop redraws the line.
const progressEvery = 50 * time.Millisecond

// Observe redraws the line.
func (p *progress) Observe(e execution.Event) {
	if p.w == nil || e.Time.Sub(p.last) < progressEvery {
		return
	}
	switch e.Kind {
	case execution.CallStarted:
		p.draw(e.Time, fmt.Sprintf("%d %s: calling %s %s", e.Step.Index, e.Step.NodeID, e.Step.Server, e.Step.Tool))
	case execution.StepFinished:
		p.draw(e.Time, fmt.Sprintf("%d %s", e.Record.Index, e.Record.NodeID))
	}
}

func (p *progress) draw(at time.Time, text string) {
	p.last, p.shown = at, true
	fmt.Fprintf(p.w, "\r\x1b[2K%s", wording.OneLine(text))
}

func (p *progress) clear() {
	if p.shown {
		p.shown = false
		fmt.Fprint(p.w, "\r\x1b[2K")
	}
}
