package cli

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions"
)

// printTrace writes the history of a run as a table.
func printTrace(w io.Writer, result *execution.Result, secrets *config.Secrets) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "#\tnode\ttype\tms\toutput")
	for _, r := range result.History {
		fmt.Fprintf(table, "%d\t%s\t%s\t%.2f\t%s\n", r.Index, r.NodeID, r.NodeType,
			float64(r.Duration())/float64(time.Millisecond), oneLine(outputText(r, secrets)))
	}
	if err := table.Flush(); err != nil {
		return // standard error is gone: nobody to tell
	}
}

// outputShown is how many characters of an output a table row has room for.
const outputShown = 72

func outputText(r execution.Record, secrets *config.Secrets) string {
	if r.Error != nil {
		return secrets.Redact("error: " + r.Error.Message)
	}
	src, err := expressions.Encode(r.Output)
	if err != nil {
		return err.Error()
	}
	text := secrets.Redact(string(src)) // before it is cut: half a secret is not recognised
	if utf8.RuneCountInString(text) <= outputShown {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes)", string([]rune(text)[:outputShown]), len(src))
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
	fmt.Fprintf(p.w, "\r\x1b[2K%s", text)
}

func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[2K")
	}
}
