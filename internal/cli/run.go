package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/wording"
)

type runFlags struct {
	runnerFlags
	args  string
	trace bool
	dry   dryFlags
}

func newRun(std streams) *cobra.Command {
	flags, file := runFlags{}, ""
	cmd := &cobra.Command{
		Use:   "run FILE TOOL [key=value …]",
		Short: "Run one tool once and print its result",
		Long: `Run one tool once. The result goes to standard output as JSON, everything else to
standard error. A value is taken as the type that the tool's inputSchema gives the
key, else as JSON, else as text; it goes before the same key of --args.

With --dry-run a call is made only when its tool is known as read-only, by the lock
beside the graph file or by what its server says. Any other is told with its arguments,
and the run goes on with an output that its outputSchema allows; without one it ends
there.`,
		Example: `  toolgraph run graph.yaml count_files directory=.
  toolgraph run graph.yaml search --args '{"query": "x", "limit": 3}' --trace
  toolgraph run graph.yaml tidy_up directory=. --dry-run
  echo '{"n": 5}' | toolgraph run graph.yaml sum_to_n --args -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, file, args)
		},
	}
	cmd.Flags().StringVar(&flags.args, "args", "", "the arguments as a JSON object, or - to read it from standard input")
	cmd.Flags().BoolVar(&flags.trace, "trace", false, "print each step on standard error when it has finished")
	flags.dry.register(cmd)
	flags.register(cmd, "error")
	graceFlag(cmd, &flags.grace)
	flags.history.register(cmd)
	cmd.SuggestFor = []string{"call", "exec"}
	return takesGraph(cmd, &file)
}

func (f *runFlags) run(ctx context.Context, std streams, file string, words []string) error {
	if err := f.dry.check(); err != nil {
		return err
	}
	p, err := load(ctx, file, f.servers)
	if err != nil {
		return err
	}
	g, pairs, err := toolOf(p, words)
	if err != nil {
		return err
	}
	args, err := argumentsOf(ctx, std.in, f.args, g.Tool.InputSchema, pairs)
	if err != nil {
		return err
	}
	warnUndeclared(std.err, g.Tool, args)
	log, locked, err := f.prepare(std, p)
	if err != nil {
		return err
	}
	show := newTrace(std.err, p, g, f.trace)
	if f.dry.on {
		return f.dry.run(ctx, std, p, g, args, locked, show, log)
	}
	plugged, err := f.plug(ctx, log)
	if err != nil {
		return err
	}
	defer plugged.close()
	pool := newPool(p, log, append(guarded(locked, p), newTerminal(ctx, std).asks(p.File.Secrets))...)
	defer closePool(pool, log)
	plugged.hints = hintsOf(pool, locked)
	opts, ctx, release := f.untilStopped(ctx, std, []execution.Option{execution.WithObserver(show)})
	defer release()
	result, err := plugged.run(ctx, plugged.engine(p, pool), g, args, log, opts...)
	return show.end(std, result, explained(err))
}

// printResult writes the result of a tool: as JSON, or a string as it is when the tool has
// result: text. A terminal gets no control characters.
func printResult(w io.Writer, tool *config.Tool, v value.Value, secrets *config.Secrets) error {
	text, isText := v.(string)
	if !isText || tool.Result != config.TextResult {
		return printValue(w, v, secrets)
	}
	text = secrets.Redact(text)
	if isTerminal(w) {
		text = wording.Printable(text)
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// printValue writes a value as indented JSON.
func printValue(w io.Writer, v value.Value, secrets *config.Secrets) error {
	src, err := value.Encode(v)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, secrets.RedactJSON(src), "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err = w.Write(out.Bytes())
	return err
}

// argumentsOf are those of --args with the key=value pairs put over them.
func argumentsOf(ctx context.Context, in io.Reader, given string, schema *config.Data, pairs []string) (value.Value, error) {
	src := []byte(given)
	if given == "-" {
		var err error
		if src, err = readInput(ctx, in, maxArguments); err != nil {
			return nil, err
		}
	}
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}")
	}
	v, err := value.Decode(src)
	if err != nil {
		return nil, usagef("--args: %v", err)
	}
	object, ok := v.(value.Object)
	if !ok {
		return nil, usagef("--args is not a JSON object, and a tool takes one")
	}
	return withPairs(schema, object, pairs)
}

var errPair = errors.New("an argument is written key=value")
