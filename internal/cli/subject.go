package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
)

// subject is what eval evaluates.
type subject struct {
	eval    func(context.Context, *expressions.Scope) (value.Value, error)
	explain func(io.Writer)
}

// compile compiles the source as the flags say. The error shows the place.
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
		return subject{}, fmt.Errorf("the rule is %w", err)
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

// shown is a syntax error with its place in the source.
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
	text := t.Kind
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
