package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/graph/flow"
	"toolgraph/internal/lock"
	"toolgraph/internal/project"
	"toolgraph/internal/wording"
)

// lockReport is what locking found.
type lockReport struct {
	Lock     string
	Missing  bool // there was no lock
	Learned  bool // what was learned counts, too
	Changes  []lock.Change
	Findings config.Diagnostics // of the graphs, because of the changes
}

// stale reports whether the lock is not what the servers tell.
func (r lockReport) stale() bool {
	return r.Missing || slices.ContainsFunc(r.Changes, func(c lock.Change) bool { return r.Learned || c.Kind != lock.Learned })
}

func (r lockReport) state() string {
	if r.Missing {
		return "missing"
	}
	return "stale"
}

func (r lockReport) print(w io.Writer, format string, now *lock.Lock, file string) error {
	if format == "json" {
		changes := r.Changes
		if changes == nil {
			changes = []lock.Change{}
		}
		return encodeJSON(w, struct {
			Lock     string        `json:"lock"`
			Stale    bool          `json:"stale"`
			Changes  []lock.Change `json:"changes"`
			Findings []finding     `json:"findings"`
		}{r.Lock, r.stale(), changes, findingsOf(r.Findings)})
	}
	var b strings.Builder
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "%s %s.%s\n", c.Kind, c.Server, c.Tool)
		for _, line := range c.Diff {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	if len(r.Findings) > 0 {
		fmt.Fprintf(&b, "by these definitions, %s has:\n%s\n", file, r.Findings.Error())
	}
	what := "nothing changed"
	if n := len(r.Changes); n > 0 {
		what = wording.Count(n, "change")
	}
	fmt.Fprintf(&b, "%s: %s, %s\n", r.Lock, wording.Count(len(now.Entries), "tool"), what)
	_, err := io.WriteString(w, wording.Printable(b.String()))
	return err
}

// newFindings are the findings that the graphs of a file have by the newer lock, and
// did not have by the older.
func newFindings(ctx context.Context, p *project.Project, older, newer *lock.Lock) (config.Diagnostics, error) {
	before, err := lockFindings(ctx, p, older)
	if err != nil {
		return nil, err
	}
	now, err := lockFindings(ctx, p, newer)
	return slices.DeleteFunc(now, func(d config.Diagnostic) bool { return slices.Contains(before, d) }), err
}

// lockFindings are the findings that the graphs of a file have by a lock, nil for none.
func lockFindings(ctx context.Context, p *project.Project, l *lock.Lock) (config.Diagnostics, error) {
	var found config.Diagnostics
	if l != nil {
		found = l.Check(p.File, p.Graphs)
	}
	for _, g := range p.Graphs {
		more, err := flow.Check(ctx, g, l)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	found.Sort()
	return found, nil
}
