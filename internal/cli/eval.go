package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
)

type evalFlags struct {
	data, history string
	rule, explain bool
}

func newEval(std streams) *cobra.Command {
	flags := evalFlags{}
	cmd := &cobra.Command{
		Use:   "eval EXPR",
		Short: "Evaluate a JSONata expression or a JSON Logic rule, and explain it",
		Long: `Evaluate a JSONata expression, or with --rule a JSON Logic rule, as a node would. The
value goes to standard output; with --explain its parse tree, what it reads and how
long it took go to standard error. An error is shown under the place where it is.

--data is the context, {"NODE": output, …}; --history is a run's history, a list of
{"nodeId": …, "output": …} in order, from which context and history functions come. A
record with "nothing": true in the place of an output is of a node that yielded nothing.`,
		Example: `  toolgraph eval '$sum(list.entries.size)' --data context.json --explain
  toolgraph eval --rule '{">": [{"var": "list.total"}, 3]}' --data -`,
		Args: args(1, 1, "one expression"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args[0])
		},
	}
	cmd.Flags().StringVar(&flags.data, "data", "", "a JSON file with the context, or - for standard input")
	cmd.Flags().StringVar(&flags.history, "history", "", "a JSON file with a run's history, or - for standard input")
	cmd.Flags().BoolVar(&flags.rule, "rule", false, "EXPR is a JSON Logic rule")
	cmd.Flags().BoolVar(&flags.explain, "explain", false, "also tell the parse tree, what is read, and the time")
	return cmd
}

func (f *evalFlags) run(ctx context.Context, std streams, source string) error {
	scope, err := f.scope(ctx, std.in)
	if err != nil {
		return err
	}
	subject, err := f.compile(ctx, source)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return usageError{err}
	}
	if f.explain {
		subject.explain(std.err)
	}
	start := time.Now()
	value, err := subject.eval(ctx, scope)
	took := time.Since(start)
	if err != nil {
		fmt.Fprintln(std.err, pointTo(source, offsetOf(err), err.Error()+codeOf(err)))
		return errReported
	}
	if f.explain {
		fmt.Fprintf(std.err, "time   %v\n", took.Round(time.Microsecond/10))
	}
	if value == nil {
		fmt.Fprintln(std.err, "nothing: the expression yields no value")
		return nil
	}
	return printValue(std.out, value, nil)
}

// scope is what the expression sees.
func (f *evalFlags) scope(ctx context.Context, in io.Reader) (*expressions.Scope, error) {
	if f.data != "" && f.history != "" {
		return nil, usagef("--data and --history exclude each other: the history makes the context")
	}
	if f.history != "" {
		src, err := dataFrom(ctx, "--history", f.history, in)
		if err != nil {
			return nil, err
		}
		var records []execution.Record
		if err := json.Unmarshal(src, &records); err != nil {
			return nil, usagef("--history: %s is no history, expected a list of {\"nodeId\": …, \"output\": …}, the oldest first", f.history)
		}
		return execution.ScopeOf(records), nil
	}
	if f.data == "" {
		return expressions.NewScope(map[string]any{}, nil), nil
	}
	src, err := dataFrom(ctx, "--data", f.data, in)
	if err != nil {
		return nil, err
	}
	v, err := value.Decode(src)
	if err != nil {
		return nil, usagef("--data: %v", err)
	}
	object, ok := v.(value.Object)
	if !ok {
		return nil, usagef("--data: expected an object, {\"NODE\": output, …}")
	}
	outputs := map[string]any{}
	for _, key := range object.Keys() {
		outputs[key], _ = object.Get(key)
	}
	return expressions.NewScope(outputs, nil), nil
}

// dataFrom reads the file that a flag names, or standard input.
func dataFrom(ctx context.Context, flag, name string, in io.Reader) ([]byte, error) {
	if name == "-" {
		return readInput(ctx, in, maxArguments)
	}
	src, err := os.ReadFile(name)
	if err != nil && strings.ContainsAny(name[:1], "{[") {
		return nil, usagef("%s names a file, and %q looks like JSON: write it to one, or give - and JSON on standard input", flag, name)
	}
	return src, err
}

// codeOf is the code of a failed evaluation, in brackets.
func codeOf(err error) string {
	var eval *expressions.EvalError
	if errors.As(err, &eval) && eval.Code != "" {
		return " [" + eval.Code + "]"
	}
	return ""
}

// offsetOf is the byte in the source that an error is about, or -1.
func offsetOf(err error) int {
	var syntax *expressions.SyntaxError
	var eval *expressions.EvalError
	switch {
	case errors.As(err, &syntax):
		return syntax.Offset
	case errors.As(err, &eval):
		return eval.Offset
	}
	return -1
}

// pointTo shows a message under the source with a caret at the offset.
func pointTo(source string, offset int, message string) string {
	if caret := expressions.Caret(source, offset); caret != "" {
		return caret + " " + message
	}
	return message
}
