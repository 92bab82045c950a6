package cli

import (
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/internal/wording"
)

// trace shows a run on standard error while it goes on: with rows, a line for each step
// that has finished; on a terminal, also what it is doing now.
type trace struct {
	w        io.Writer
	secrets  *config.Secrets
	tool     *config.Tool
	progress *progress
	rows     bool
	names    int // how wide the column of nodes is
	begun    bool
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
		float64(r.Duration())/float64(time.Millisecond), wording.OneLine(outputText(r, t.secrets)))
}

// end tells how the run ended: its result goes to standard output, a failure after the
// trace. Arguments that make no run are an error of usage.
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

// outputShown is how many characters of an output a row has room for.
const outputShown = 72

func outputText(r execution.Record, secrets *config.Secrets) string {
	if r.Error != nil {
		return secrets.Redact("error: " + r.Error.Message)
	}
	return valueText(r.Output, outputShown, secrets)
}

// nothing stands where JSON would, had the node yielded a value.
const nothing = "nothing"

// valueText is the beginning of a value as JSON; nil is nothing.
func valueText(v value.Value, most int, secrets *config.Secrets) string {
	if v == nil {
		return nothing
	}
	src, err := value.Encode(v)
	if err != nil {
		return err.Error()
	}
	text := string(secrets.RedactJSON(src)) // before it is cut: half a secret is not recognised
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes)", string([]rune(text)[:most]), len(src))
}

// progress is one line on a terminal that tells where a run is. On anything else it
// is silent.
type progress struct {
	w     io.Writer // nil: silent
	last  time.Time
	shown bool
}

func newProgress(w io.Writer) *progress {
	if !isTerminal(w) {
		w = nil
	}
	return &progress{w: w}
}

// progressEvery keeps a fast loop from drawing more than an eye can see.
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
