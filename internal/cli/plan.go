package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

type planFlags struct {
	runFlags
	only bool // check the plan
	json bool
}

func newPlan(std program.Streams) *cobra.Command {
	flags := planFlags{}
	cmd := &cobra.Command{
		Use:   "plan FILE PLAN",
		Short: "Check a plan against the tools of a graph file, then run it",
		Long: `Check a plan, then run it as the tool run_plan does for a client. PLAN is a file with steps
and perhaps return, as JSON or YAML, or - for standard input. Everything is checked against
the schemas of the tools before the first call; what is wrong is shown with its path.

What the plan may call is in plan of the graph file. Without that it may call the tools
of the file.

With --dry-run nothing is called: servers are started to list their tools, and the calls,
their effects and what flows from which server to which are shown. The exit status is 3
when the plan cannot run.`,
		Example: `  toolgraph plan graph.yaml plan.json --dry-run
  echo '{"steps": [{"id": "n", "expr": "1 + 1"}]}' | toolgraph plan graph.yaml -`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args[0])
		},
	}
	traceFlag(cmd, &flags.trace)
	cmd.Flags().BoolVar(&flags.only, "dry-run", false, "check the plan and show its calls, without calling anything")
	cmd.Flags().BoolVar(&flags.json, "json", false, "with --dry-run print JSON, else what the run has used as a line of JSON on standard error")
	flags.RegisterRuns(cmd, "error")
	flags.yesFlag(cmd)
	flags.RegisterGrace(cmd)
	flags.Audit.Register(cmd)
	flags.History.Register(cmd)
	return program.TakesGraph(cmd, &flags.Graph)
}

func (f *planFlags) run(ctx context.Context, std program.Streams, from string) error {
	f.Planned()
	if _, err := f.Project(ctx); err != nil { // before a plan is typed
		return err
	}
	request, err := readPlan(ctx, std, from)
	if err != nil {
		return err
	}
	if !f.only {
		f.usage, f.History.Records = f.json, true
		l, g, args, err := f.loadTool(ctx, std, string(request), []string{config.RunPlan})
		if err != nil {
			return err
		}
		defer l.Close()
		return f.make(ctx, std, l, g, args, newTrace(std.Err, l.Project, g, f.trace))
	}
	l, err := f.load(ctx, std)
	if err != nil {
		return err
	}
	defer l.Close()
	args, err := value.Decode(request)
	if err != nil {
		return err
	}
	report, err := l.CheckPlan(ctx, args)
	if err != nil {
		return err
	}
	if f.json {
		src, err := value.Encode(report)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(std.Out, "%s\n", l.File.Secrets.RedactJSON(src)); err != nil {
			return err
		}
	} else if _, err := std.Out.Write([]byte(planReport(report))); err != nil {
		return err
	}
	if valid := fieldOf(report, "valid"); valid != true {
		return program.ErrFindings
	}
	return nil
}

// readPlan reads a plan as JSON.
func readPlan(ctx context.Context, std program.Streams, from string) ([]byte, error) {
	var src []byte
	var err error
	if from == "-" {
		from = "standard input"
		src, err = program.ReadInput(ctx, std.In, program.MaxArguments)
	} else {
		src, err = os.ReadFile(from)
	}
	if err != nil {
		return nil, err
	}
	if _, err := value.Decode(src); err == nil {
		return src, nil
	}
	data, err := config.ParseData(from, src)
	if err != nil {
		return nil, err
	}
	if data.Kind != config.KindObject {
		return nil, program.Usagef("%s is no plan, expected an object with steps", from)
	}
	return data.JSON(), nil
}

// planReport is what a dry run has found, for people.
func planReport(report value.Value) string {
	var b strings.Builder
	list := func(name string) []any { items, _ := fieldOf(report, name).([]any); return items }
	text := func(v value.Value, key string) string { t, _ := fieldOf(v, key).(string); return wording.OneLine(t) }
	for _, f := range list("findings") {
		severity := ""
		if text(f, "severity") == "warning" {
			severity = "warning: "
		}
		hint := text(f, "hint")
		if hint != "" {
			hint = "; " + hint
		}
		fmt.Fprintf(&b, "%s: %s%s%s [%s]\n", text(f, "path"), severity, text(f, "message"), hint, text(f, "code"))
	}
	for _, c := range list("calls") {
		fmt.Fprintf(&b, "%s calls %s: %s", text(c, "step"), text(c, "tool"), text(c, "effect"))
		if fieldOf(c, "certain") != true {
			b.WriteString(", perhaps")
		}
		if fieldOf(c, "asks") == true {
			b.WriteString(", the user is asked")
		}
		b.WriteString("\n")
	}
	for _, f := range list("flows") {
		items, _ := fieldOf(f, "from").([]any)
		from := make([]string, len(items))
		for i, item := range items {
			from[i], _ = item.(string)
		}
		fmt.Fprintf(&b, "what %s answers reaches %s\n", wording.OneLine(strings.Join(from, ", ")), text(f, "to"))
	}
	if b.Len() == 0 {
		return "the plan calls nothing\n"
	}
	return b.String()
}

func fieldOf(v value.Value, key string) value.Value {
	if object, isObject := value.ObjectOf(v); isObject {
		item, _ := object.Get(key)
		return item
	}
	return nil
}
