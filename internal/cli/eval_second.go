package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"toolgraph/expressions"
	"toolgraph/expressions/second"
	"toolgraph/expressions/value"
	"toolgraph/internal/program"
)

// secondCommand is the hidden command in whose process another engine evaluates: it may crash or hang.
const secondCommand = "second-opinion"

func newSecond(std program.Streams) *cobra.Command {
	return &cobra.Command{
		Use:    secondCommand,
		Short:  "Ask another engine, for eval --compare",
		Hidden: true,
		Args:   program.Args(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			second.LimitMemory()
			return second.Answer(std.In, std.Out)
		},
	}
}

// printSecond asks another engine and prints whether its value is the same, or how it fails. failed: the
// evaluation here has failed.
func (f *evalFlags) printSecond(ctx context.Context, w io.Writer, source string, scope *expressions.Scope, ours value.Value, failed bool) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	q := second.Question{Rule: f.rule, Source: source, Data: value.JSON{Value: scope.Context}, Variables: map[string]value.JSON{}}
	for name, v := range scope.Variables {
		if v != nil {
			q.Variables[name] = value.JSON{Value: v}
		}
	}
	opinion, err := second.Ask(ctx, &q, self, secondCommand)
	if err != nil {
		return err
	}
	line, err := opinionText(ctx, &opinion, ours, failed)
	fmt.Fprintf(w, "%s %s\n", q.Engine(), line)
	return err
}

// opinionText compares an opinion with the value here, or with its failure, in a line.
func opinionText(ctx context.Context, o *second.Opinion, ours value.Value, failed bool) (string, error) {
	switch {
	case o.Failure != "" && failed:
		return "fails too: " + o.Failure, nil
	case o.Failure != "":
		return "differs, it fails: " + o.Failure, nil
	}
	agrees, err := o.Agrees(ctx, ours)
	switch {
	case err != nil:
		return "", err
	case agrees && !failed:
		return "agrees", nil
	case o.Value == nil:
		return "differs: it yields no value", nil
	}
	text, err := value.Encode(o.Value)
	return "differs: " + string(text), err
}
