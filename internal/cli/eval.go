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
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
	"toolgraph/internal/program"
)

type evalFlags struct {
	data, history string
	run, step     string
	recorded      program.HistoryFlags
	rule, explain bool
	compare       bool
}

func newEval(std program.Streams) *cobra.Command {
	flags := evalFlags{}
	cmd := &cobra.Command{
		Use:   "eval EXPR",
		Short: "Evaluate a JSONata expression or a JSON Logic rule, and explain it",
		Long: `Evaluate a JSONata expression, or with --rule a JSON Logic rule, as a node does. The value
goes to standard output. With --explain, the parse tree, the paths that are read and the
time go to standard error. An error is shown below its place in the expression.

--data is the context, {"NODE": output, …}. --history is the history of a run, from which
the context and the history functions are derived: a list of {"nodeId": …, "output": …},
oldest first. A record of a node that yielded no value has "nothing": true instead of an
output.

--compare also asks another engine, jsonata-go or, with --rule, jsonlogic, in a process of its
own, and prints on standard error whether its value is the same. Other engines are no
reference: jsonata-go fails about a quarter of JSONata's test suite. A difference shows which
parts of an expression mean something else elsewhere.

--run is a recorded run: its id, the beginning of its id, or last. The expression sees what
the step at the address --step saw, such as 4, item 3 of it at 4.3 with $item and $index,
or 4.3/2 in the graph that item calls; without --step, what the run has at its end.`,
		Example: `  toolgraph eval '$sum(list.entries.size)' --data context.json --explain
  toolgraph eval --rule '{">": [{"var": "list.total"}, 3]}' --data -
  toolgraph eval '$item.name' --run last --step 4.3
  toolgraph eval 'items.tags[0]' --data context.json --compare`,
		Args: program.Args(1, 1, "one expression"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.eval(cmd.Context(), std, args[0])
		},
	}
	cmd.Flags().StringVar(&flags.data, "data", "", "JSON `file` with the context, or - for standard input")
	cmd.Flags().StringVar(&flags.history, "history", "", "JSON `file` with the history of a run, or - for standard input")
	cmd.Flags().StringVar(&flags.run, "run", "", "`run` whose recorded values the expression sees")
	cmd.Flags().StringVar(&flags.step, "step", "", "`address` of the step of the run before which it is evaluated (default the end of the run)")
	flags.recorded.RegisterState(cmd.Flags())
	cmd.Flags().BoolVar(&flags.rule, "rule", false, "evaluate EXPR as a JSON Logic rule")
	cmd.Flags().BoolVar(&flags.explain, "explain", false, "also print the parse tree, the paths that are read, and the time")
	cmd.Flags().BoolVar(&flags.compare, "compare", false, "also print what another engine makes of EXPR")
	return cmd
}

func (f *evalFlags) eval(ctx context.Context, std program.Streams, source string) error {
	scope, err := f.scope(ctx, std.In)
	if err != nil {
		return err
	}
	subject, err := f.compile(ctx, source)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return program.Usagef("%w", err)
	}
	if f.explain {
		subject.explain(std.Err)
	}
	start := time.Now()
	value, err := subject.eval(ctx, scope)
	took := time.Since(start)
	if f.compare {
		if err := f.printSecond(ctx, std.Err, source, scope, value, err != nil); err != nil {
			return err
		}
	}
	if err != nil {
		fmt.Fprintln(std.Err, pointTo(source, offsetOf(err), err.Error()+codeOf(err)))
		return program.ErrReported
	}
	if f.explain {
		fmt.Fprintf(std.Err, "time   %v\n", took.Round(time.Microsecond/10))
	}
	if value == nil {
		fmt.Fprintln(std.Err, "nothing: the expression yields no value")
		return nil
	}
	return printValue(std.Out, value, nil)
}

// scope returns the scope of the expression, from the flags.
func (f *evalFlags) scope(ctx context.Context, in io.Reader) (*expressions.Scope, error) {
	switch {
	case f.data != "" && f.history != "":
		return nil, program.Usagef("--data and --history exclude each other: the context is derived from the history")
	case f.run != "" && (f.data != "" || f.history != ""):
		return nil, program.Usagef("--run excludes --data and --history: the context is that of the run")
	case f.run != "":
		return f.recordedScope(ctx)
	case f.step != "":
		return nil, program.Usagef("--step is an address in a recorded run; name the run with --run")
	}
	if f.history != "" {
		src, err := dataFrom(ctx, "--history", f.history, in)
		if err != nil {
			return nil, err
		}
		var records []execution.Record
		if err := json.Unmarshal(src, &records); err != nil {
			return nil, program.Usagef("--history: %s is not a history, expected a list of {\"nodeId\": …, \"output\": …}, oldest first", f.history)
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
		return nil, program.Usagef("--data: %v", err)
	}
	object, ok := v.(value.Object)
	if !ok {
		return nil, program.Usagef("--data is not an object, expected {\"NODE\": output, …}")
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
		return program.ReadInput(ctx, in, program.MaxArguments)
	}
	src, err := os.ReadFile(name)
	if err != nil && strings.ContainsAny(name[:1], "{[") {
		return nil, program.Usagef("%s names a file, and %q looks like JSON; write it to a file, or give - and the JSON on standard input", flag, name)
	}
	return src, err
}

// codeOf returns the code of a failed evaluation, in brackets.
func codeOf(err error) string {
	var eval *expressions.EvalError
	if errors.As(err, &eval) && eval.Code != "" {
		return " [" + eval.Code + "]"
	}
	return ""
}

// offsetOf returns the byte offset in the source that an error is about, or -1.
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

// pointTo returns a message below the source, with a caret at the byte offset.
func pointTo(source string, offset int, message string) string {
	if caret := expressions.Caret(source, offset); caret != "" {
		return caret + " " + message
	}
	return message
}

// subject is a compiled expression or rule.
type subject struct {
	eval    func(context.Context, *expressions.Scope) (value.Value, error)
	explain func(io.Writer)
}

// compile compiles the source as the flags say. Its error shows the place.
func (f *evalFlags) compile(ctx context.Context, source string) (subject, error) {
	if f.rule {
		return compileRule(ctx, source)
	}
	expr, err := jsonata.Compile(ctx, source)
	if err != nil {
		return subject{}, shown(source, err)
	}
	return subject{eval: expr.Eval, explain: func(w io.Writer) {
		if tree := expr.Tree(); tree != nil {
			fmt.Fprintln(w, "tree")
			printTree(w, *tree, 1)
		}
		for _, r := range expr.References() {
			fmt.Fprintln(w, "reads  "+referenceText(r))
		}
	}}, nil
}

func compileRule(ctx context.Context, source string) (subject, error) {
	v, err := value.Decode([]byte(source))
	if err != nil {
		return subject{}, fmt.Errorf("rule: %w", err)
	}
	rule, err := jsonlogic.Compile(ctx, value.Plain(v))
	if err != nil {
		return subject{}, err
	}
	return subject{eval: rule.Eval, explain: func(w io.Writer) {
		for _, r := range rule.References() {
			fmt.Fprintln(w, "reads  "+referenceText(r.Reference))
		}
	}}, nil
}

// shown returns a syntax error with its place in the source.
func shown(source string, err error) error {
	var syntax *expressions.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	message := syntax.Message
	if syntax.Hint != "" {
		message += "; " + syntax.Hint
	}
	return errors.New("the expression does not compile\n" + pointTo(source, syntax.Offset, message))
}

func printTree(w io.Writer, t jsonata.Tree, depth int) {
	text := string(t.Kind)
	if t.Text != "" {
		text += " " + t.Text
	}
	fmt.Fprintln(w, strings.Repeat("  ", depth)+text)
	for _, part := range t.Parts {
		printTree(w, part, depth+1)
	}
}

func referenceText(r jsonata.Reference) string {
	path := strings.Join(r.Path, ".")
	if r.Function != "" {
		return fmt.Sprintf("the history of %s ($%s)", path, r.Function)
	}
	return path
}
