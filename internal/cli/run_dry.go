package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/lock"
	"toolgraph/internal/wording"
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
	formatFlag(cmd, &f.format)
	cmd.Flags().Lookup("format").Usage = "output format of --dry-run: text or json"
	f.chosen = cmd.Flags().Changed
}

// check rejects flags that contradict each other.
func (f *dryFlags) check() error {
	if f.chosen("format") && !f.on {
		return usagef("--format is given without --dry-run; a run prints JSON")
	}
	return nil
}

// run runs a graph with calls of read-only tools alone, and prints all calls.
func (f *dryFlags) run(ctx context.Context, l *loaded, g *graph.Graph, args value.Value, show *trace) error {
	beside, _, err := lockBeside(l.Project)
	if err != nil {
		return err
	}
	pool := l.newPool(l.Project, l.log, mcpclient.WithToolCheck(l.readOnlyAlone))
	defer pool.Close()
	calls := &dryCaller{loaded: l, pool: pool, beside: beside, listed: map[string]listedTools{}, made: []dryCall{}}
	result, err := execution.New(calls).Run(withRuleLog(ctx, l.log, g.Tool.Name.Value), g, args,
		execution.WithObserver(show), reportPanics(l.log))
	show.progress.clear()
	var refused *execution.ArgumentsError
	if errors.As(err, &refused) {
		return usageError{err}
	}
	plan := &dryPlan{
		Tool: g.Tool.Name.Value, Calls: calls.made, Path: []string{}, Complete: err == nil,
		Assumed: slices.ContainsFunc(calls.made, func(c dryCall) bool { return c.Output != nil }),
	}
	for _, r := range result.History {
		plan.Path = append(plan.Path, r.NodeID)
	}
	switch {
	case err == nil:
		if plan.Result, err = redactedJSON(result.Value, l.File.Secrets); err != nil {
			return err
		}
	case calls.ended != "":
		plan.Ended = calls.ended
	default:
		plan.Error = l.File.Secrets.Redact(err.Error())
	}
	if f.format == "json" {
		err = encodeJSON(l.std.out, plan)
	} else {
		err = plan.print(l.std.out)
	}
	if err != nil || plan.Error == "" {
		return err
	}
	if f.format != "json" {
		printLine(l.std.err, "toolgraph: %s", plan.Error)
	}
	return errReported
}

// dryPlan is the result of a dry run, as --format json prints it.
type dryPlan struct {
	Tool     string          `json:"tool"`
	Complete bool            `json:"complete"` // the run has reached its exit
	Assumed  bool            `json:"assumed"`  // outputs were assumed, so a real run may take another path
	Calls    []dryCall       `json:"calls"`
	Path     []string        `json:"path"`
	Result   json.RawMessage `json:"result,omitempty"`
	Ended    string          `json:"ended,omitempty"` // why the run could not continue
	Error    string          `json:"error,omitempty"`
}

func (p *dryPlan) print(w io.Writer) error {
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

// dryCall is a call of a dry run.
type dryCall struct {
	Step   int             `json:"step"`
	Node   string          `json:"node"`
	Server string          `json:"server"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Made   bool            `json:"made"`             // the tool is read-only, so it was called
	Output json.RawMessage `json:"output,omitempty"` // the assumed output of a call that was not made
	From   string          `json:"from,omitempty"`   // the source of the assumed output
	Error  string          `json:"error,omitempty"`
}

// text is the call for people; its output and error are on lines of their own.
func (c dryCall) text() string {
	call := fmt.Sprintf("%s.%s %s", c.Server, c.Tool, c.Args)
	if c.Made {
		call = "calls " + call + " (read-only)"
	} else {
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

// dryCaller makes the calls of read-only tools, and notes all calls. It belongs to one run.
type dryCaller struct {
	*loaded
	pool   *mcpclient.Pool
	beside *lock.Lock // nil: no lock file
	listed map[string]listedTools

	made  []dryCall
	ended string // why the run cannot continue
}

// listedTools are the tools that a server listed, or why it did not.
type listedTools struct {
	tools []mcpclient.Tool
	err   error
}

var errPlanEnds = errors.New("the output of a call that was not made is unknown")

// CallTool makes a call of a read-only tool, and returns an assumed output for any other.
func (d *dryCaller) CallTool(ctx context.Context, c execution.Call) (value.Value, error) {
	args, err := redactedJSON(c.Args, d.File.Secrets)
	if err != nil {
		return nil, err
	}
	call := dryCall{Step: c.Index, Node: c.Node, Server: c.Server, Tool: c.Tool, Args: args}
	value, err := d.output(ctx, c, &call)
	if err != nil && !errors.Is(err, errPlanEnds) {
		call.Error = d.File.Secrets.Redact(err.Error())
	}
	d.made = append(d.made, call)
	return value, err
}

func (d *dryCaller) output(ctx context.Context, c execution.Call, call *dryCall) (value.Value, error) {
	known, err := d.known(ctx, c.Server, c.Tool)
	if err != nil {
		return nil, err
	}
	if known.ReadOnly != nil && *known.ReadOnly {
		value, err := d.pool.CallTool(ctx, c.Server, c.Tool, c.Args, c.Meta)
		var fault *mcpclient.Error
		call.Made = !errors.As(err, &fault) || fault.Code != codeNotReadOnly
		return value, err
	}
	if err := rejected(ctx, known.InputSchema, c.Args); err != nil {
		return nil, err
	}
	value, ok := schema.Sample(known.OutputSchema)
	if !ok {
		d.ended = fmt.Sprintf("%s.%s is not known to be read-only, so it was not called, and it has no outputSchema to assume an output from", c.Server, c.Tool)
		return nil, errPlanEnds
	}
	call.From = "the outputSchema that " + known.From + " has"
	if known.Learned {
		call.From = "earlier answers in " + known.From
	}
	call.Output, err = redactedJSON(value, d.File.Secrets)
	return value, err
}

// codeNotReadOnly is the code of a call that a dry run does not make after all.
const codeNotReadOnly = "not-read-only"

// readOnlyAlone is a check of tools that allows only calls of tools that their servers declare to
// be read-only now, whatever an old lock says; with --locked, also only what the lock allows.
func (l *loaded) readOnlyAlone(upstream string, tool mcpclient.Tool) *mcpclient.Error {
	if l.lock != nil {
		if fault := l.lock.Guard(l.File)(upstream, tool); fault != nil {
			return fault
		}
	}
	if readOnly := lock.HintsOf(tool.Annotations).ReadOnly; readOnly != nil && *readOnly {
		return nil
	}
	return &mcpclient.Error{
		Code:    codeNotReadOnly,
		Message: "not called in a dry run, because the server no longer declares it to be read-only",
		Hint:    "run: toolgraph lock " + l.File.Path,
	}
}

// known returns the definition of a tool from the lock file, or else from its server.
func (d *dryCaller) known(ctx context.Context, upstream, tool string) (flow.Tool, error) {
	if d.beside != nil {
		if known, ok := d.beside.Tool(upstream, tool); ok {
			return known, nil
		}
	}
	listed, asked := d.listed[upstream]
	if !asked {
		listed.tools, listed.err = d.pool.ListTools(ctx, upstream)
		d.listed[upstream] = listed
	}
	if listed.err != nil {
		return flow.Tool{}, listed.err
	}
	var names []string
	for _, t := range listed.tools {
		if t.Name == tool {
			return flow.Tool{
				InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
				ReadOnly: lock.HintsOf(t.Annotations).ReadOnly, From: fmt.Sprintf("server %q", upstream),
			}, nil
		}
		names = append(names, t.Name)
	}
	return flow.Tool{}, fmt.Errorf("server %q has no tool %q, expected one of its %d%s", upstream, tool, len(names), wording.Suggest(tool, names))
}

// rejected returns why a server would reject the arguments of a call.
func rejected(ctx context.Context, inputSchema []byte, args value.Value) error {
	if len(inputSchema) == 0 {
		return nil
	}
	s, err := schema.Compile(inputSchema)
	if err != nil {
		return nil //nolint:nilerr // nothing can be validated with an invalid schema
	}
	problems, err := s.Check(ctx, args)
	if err != nil {
		return fmt.Errorf("the server would reject the call, because its arguments cannot be validated: %w", err)
	}
	if len(problems) > 0 {
		return errors.New("the server would reject the call: " + problems.Text("arguments"))
	}
	return nil
}
