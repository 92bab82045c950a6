package cli

import (
	"bufio"
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
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/runtime"
	"toolgraph/mcpclient"
)

type callFlags struct {
	serverFlags
	args    string
	given   bool // --args was given
	text    bool
	timeout time.Duration
}

func newMCPCall(std program.Streams) *cobra.Command {
	flags := callFlags{}
	cmd := &cobra.Command{
		Use:   "call NAME.TOOL [key=value …]",
		Short: "Call a tool of a registered server",
		Long: `Call a tool of a registered server once. Its value goes to standard output as JSON,
everything else to standard error; the exit code is 1 when the call fails.

A key=value argument has the type that the tool's inputSchema declares for the key;
otherwise it is read as JSON, or else as text. key:=value is always JSON. Arguments may
also be a JSON object: in --args, or on standard input, which is read for "-", and when no
argument is given and it is not a terminal. Pairs replace the same keys of it.

A server that may ask its user (allow: [elicitation] in its entry) asks in the terminal.`,
		Example: `  toolgraph mcp call github.search_repositories query=mcp perPage=5
  echo '{"query": "mcp"}' | toolgraph mcp call github.search_repositories
  toolgraph mcp call notes.read path=todo.md --text`,
		SuggestFor: []string{"run", "exec"},
		Args:       program.Args(1, -1, "one tool, as NAME.TOOL, and its arguments"), ValidArgsFunction: completeTools,
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.given = cmd.Flags().Changed("args")
			return flags.run(cmd.Context(), std, args[0], args[1:])
		},
	}
	cmd.Flags().StringVar(&flags.args, "args", "", "arguments as a `JSON` object, or - to read it from standard input")
	cmd.Flags().BoolVar(&flags.text, "text", false, "print a value that is text as it is, instead of as JSON")
	cmd.Flags().DurationVar(&flags.timeout, "timeout", 0, "time limit of the call (default timeoutMs of the server)")
	flags.registerServers(cmd)
	flags.RegisterExec(cmd)
	return cmd
}

func (f *callFlags) run(ctx context.Context, std program.Streams, word string, words []string) error {
	if f.timeout < 0 {
		return program.Usagef("--timeout is %v, expected a positive duration such as 30s", f.timeout)
	}
	s, tool, err := f.tool(ctx, word)
	if err != nil {
		return err
	}
	in, err := f.input(ctx, std, words)
	if err != nil {
		return err
	}
	l, err := f.open(ctx, std, s)
	if err != nil {
		return err
	}
	defer l.Close()
	var schema *config.Data
	if len(in.pairs) > 0 {
		if schema, err = inputSchema(ctx, l, s, tool); err != nil {
			return f.failed(std, l, err)
		}
	}
	args, err := program.GivenArguments(in.from, in.object, schema, in.pairs)
	if err != nil {
		return err
	}
	args = withValues(args, in.values)
	warnUndeclared(std.Err, &config.Tool{Name: config.Text{Value: word}, InputSchema: schema}, args)
	result, err := f.call(ctx, std, l, s.name, tool, args)
	if err != nil {
		return f.failed(std, l, err)
	}
	form := &config.Tool{}
	if f.text {
		form.Result = config.TextResult
	}
	return printResult(std.Out, form, result, l.File.Secrets)
}

// call makes the call, and shows on a terminal how far it is.
func (f *callFlags) call(ctx context.Context, std program.Streams, l *runtime.Loaded, server, tool string, args value.Value) (value.Value, error) {
	shown := newProgress(std.Err, l.File.Secrets, server+"."+tool)
	if shown.live != nil {
		shown.alone(time.Now())
		ctx = mcpclient.WithProgress(ctx, func(done, total float64, message string) { shown.heard(whole, done, total, message) })
	}
	defer shown.clear()
	return l.Pool.CallTool(ctx, execution.Call{Server: server, Tool: tool, Args: args, Timeout: f.timeout})
}

// failed prints the error of a call; what the command line has wrong is a usage error.
func (f *callFlags) failed(std program.Streams, l *runtime.Loaded, err error) error {
	text := l.File.Secrets.Redact(err.Error())
	var failure *mcpclient.Error
	if errors.As(err, &failure) && slices.Contains([]string{mcpclient.CodeInvalidArguments, mcpclient.CodeUnknownTool}, failure.Code) {
		return program.Usagef("%s", text)
	}
	program.PrintLine(std.Err, "toolgraph: %s", text)
	return fmt.Errorf("%w: %w", program.ErrReported, err)
}

// inputSchema returns the inputSchema of a tool as its server lists it now; nil when it lists no
// such tool, which the call reports.
func inputSchema(ctx context.Context, l *runtime.Loaded, s *found, tool string) (*config.Data, error) {
	tools, err := l.Pool.ListTools(ctx, s.name) // not redacted, so that the name is found
	if err != nil {
		return nil, err
	}
	for _, t := range tools {
		if t.Name == tool {
			return schemaData(t.InputSchema), nil
		}
	}
	return nil, nil //nolint:nilnil // any arguments
}

// withValues returns an object of arguments with others added; one replaces the same key.
func withValues(args value.Value, more *value.Map) value.Value {
	object, ok := args.(value.Object)
	if !ok || more.Len() == 0 {
		return args
	}
	all := value.NewMap()
	for _, from := range []value.Object{object, more} {
		for _, key := range from.Keys() {
			v, _ := from.Get(key)
			all.Set(key, v)
		}
	}
	return all
}

// callInput are the arguments of a call before the tool's inputSchema is known.
type callInput struct {
	object []byte     // JSON; empty for none
	from   string     // where it was read, for messages
	values *value.Map // of key:=JSON
	pairs  []string   // key=value
}

// input reads the arguments.
func (f *callFlags) input(ctx context.Context, std program.Streams, words []string) (in callInput, err error) {
	in = callInput{object: []byte(f.args), from: "--args", values: value.NewMap()}
	wanted := f.args == "-"
	for _, word := range words {
		key, text, isValue := strings.Cut(word, ":=")
		switch {
		case word == "-" && f.given:
			return in, program.Usagef(`"-" reads the arguments from standard input, and --args gives them, too; remove one of them`)
		case word == "-":
			wanted = true
		case isValue && key != "" && !strings.Contains(key, "="):
			v, err := value.Decode([]byte(text))
			if err != nil {
				return in, program.Usagef("%s is not JSON: %v; text is written %s=…", wording.Quote(text), err, key)
			}
			in.values.Set(key, v)
		default:
			in.pairs = append(in.pairs, word)
		}
	}
	offered := !f.given && len(words) == 0 && !program.IsTerminal(std.In)
	if !wanted && !offered {
		return in, nil
	}
	in.from = "standard input"
	if wanted {
		in.object, err = program.ReadInput(ctx, std.In, program.MaxArguments)
	} else {
		in.object, err = readOffered(ctx, std.In, inputPatience)
	}
	return in, err
}

// inputPatience is how long a call waits for arguments that nothing on the command line announces.
const inputPatience = 5 * time.Second

// readOffered is readInput for an input that may have nothing and stay open, as that of a program
// that starts commands: it returns an error when nothing arrives in time.
func readOffered(ctx context.Context, in io.Reader, patience time.Duration) ([]byte, error) {
	buffered := bufio.NewReader(in)
	began := make(chan error, 1)
	go func() {
		_, err := buffered.Peek(1)
		began <- err
	}()
	select {
	case err := <-began:
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return program.ReadInput(ctx, buffered, program.MaxArguments)
	case <-time.After(patience):
		return nil, program.Usagef("no arguments, and standard input stays open without any; write key=value, --args '{}' for none, or - to wait for a JSON object on standard input")
	case <-ctx.Done():
		return nil, fmt.Errorf("interrupted while waiting for standard input: %w", context.Cause(ctx))
	}
}
