package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/wording"
	"toolgraph/mcpclient"
)

// dryFlags are --dry-run of run, and the form of what it tells.
type dryFlags struct {
	on     bool
	format string
}

func (f *dryFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.on, "dry-run", false, "make only calls of read-only tools, and tell which others would be made")
	cmd.Flags().StringVarP(&f.format, "format", "f", "", "of what --dry-run tells: text or json")
}

// check refuses what does not fit together.
func (f *dryFlags) check() error {
	switch {
	case f.format != "" && !f.on:
		return usagef("--format is given without --dry-run; a run prints JSON")
	case f.format != "" && f.format != "text" && f.format != "json":
		return usagef("--format is %q, expected text or json", f.format)
	}
	return nil
}

// run runs a graph with the calls that change nothing, and tells the others. l is the
// lock to call by, or nil.
func (f *dryFlags) run(ctx context.Context, l *loaded, g *graph.Graph, args value.Value, show *trace) error {
	p, std := l.Project, l.std
	beside, _, err := lockBeside(p)
	if err != nil {
		return err
	}
	pool := l.newPool(p, l.log, mcpclient.WithToolCheck(readOnlyAlone(l.lock, p)))
	defer pool.Close()
	calls := &dryCaller{pool: pool, locked: beside, asked: map[string]answeredTools{}, secrets: p.File.Secrets}
	result, err := execution.New(calls).Run(withRuleLog(ctx, l.log, g.Tool.Name.Value), g, args,
		execution.WithObserver(show), reportPanics(l.log))
	show.progress.clear()
	var refused *execution.ArgumentsError
	if errors.As(err, &refused) {
		return usageError{err}
	}
	plan := &dryPlan{Tool: g.Tool.Name.Value, Calls: calls.made, Path: []string{}, Complete: err == nil, Assumed: calls.assumed()}
	for _, r := range result.History {
		plan.Path = append(plan.Path, r.NodeID)
	}
	ended := calls.ended
	switch {
	case err == nil:
		if plan.Result, err = redactedJSON(result.Value, p.File.Secrets); err != nil {
			return err
		}
	case ended != "":
		plan.Ended = ended
	default:
		plan.Error = p.File.Secrets.Redact(err.Error())
	}
	if err := plan.write(std.out, f.format); err != nil {
		return err
	}
	if plan.Error != "" {
		if f.format != "json" {
			fmt.Fprintf(std.err, "toolgraph: %s\n", wording.Printable(plan.Error))
		}
		return errReported
	}
	return nil
}

// dryPlan is what a dry run came to, as --format json gives it.
type dryPlan struct {
	Tool     string          `json:"tool"`
	Complete bool            `json:"complete"` // the run came to its exit
	Assumed  bool            `json:"assumed"`  // outputs were assumed, so that a real run may go another way
	Calls    []dryCall       `json:"calls"`
	Path     []string        `json:"path"`
	Result   json.RawMessage `json:"result,omitempty"`
	Ended    string          `json:"ended,omitempty"` // why it could not go on
	Error    string          `json:"error,omitempty"`
}

func (p *dryPlan) write(w io.Writer, format string) error {
	if p.Calls == nil {
		p.Calls = []dryCall{}
	}
	if format == "json" {
		return encodeJSON(w, p)
	}
	var all error
	line := func(format string, args ...any) {
		_, err := fmt.Fprintln(w, wording.Printable(fmt.Sprintf(format, args...)))
		all = errors.Join(all, err)
	}
	for _, c := range p.Calls {
		line("%-4d  %s: %s", c.Step, wording.OneLine(c.Node), c.text())
	}
	switch {
	case p.Error != "":
		if p.Assumed {
			line("The run fails, which may be because of what was assumed.")
		}
	case p.Ended != "":
		line("The plan ends here: %s.", p.Ended)
	case p.Assumed:
		line("The result, with what was assumed:\n%s", indentedJSON(p.Result))
	default:
		line("The result:\n%s", indentedJSON(p.Result))
	}
	return all
}
