package authoring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
	"toolgraph/internal/inspect"
)

// evaluated is what an expression gives. Result is null when it gives nothing or fails.
type evaluated struct {
	Result  jsonValue `json:"result"`
	Nothing bool      `json:"nothing,omitempty"`
	Reads   []string  `json:"reads,omitempty"`
	Note    string    `json:"note,omitempty"`
	Error   *failure  `json:"error,omitempty"`
}

// evaluator is a compiled expression or rule.
type evaluator interface {
	Eval(ctx context.Context, scope *expressions.Scope) (value.Value, error)
}

func testJSONata(ctx context.Context, _ *Toolkit, _ *view, a arguments) (any, error) {
	source := a.text("expression")
	expr, err := jsonata.Compile(ctx, source)
	if err != nil {
		return failedIn(source, err), nil
	}
	var reads []string
	for _, r := range expr.References() {
		reads = append(reads, inspect.ReferenceText(r))
	}
	return evaluate(ctx, expr, source, reads, a)
}

func testJSONLogic(ctx context.Context, _ *Toolkit, _ *view, a arguments) (any, error) {
	if text, isText := a.get("expression").(string); isText {
		return nil, notARule(text)
	}
	rule, err := jsonlogic.Compile(ctx, value.Plain(a.get("expression")))
	if err != nil {
		return failedIn("", err), nil
	}
	var reads []string
	for _, r := range rule.References() {
		if !r.Body {
			reads = append(reads, inspect.ReferenceText(r.Reference))
		}
	}
	return evaluate(ctx, rule, "", reads, a)
}

// notARule refuses a text, which as a rule would always hold: it is a rule that was
// written as JSON once more, or an expression.
func notARule(text string) error {
	if v, err := value.Decode([]byte(text)); err == nil {
		if _, isObject := v.(value.Object); isObject {
			return errors.New("the rule is a text with JSON in it, expected an object; give the object itself")
		}
	}
	quoted, err := value.Encode(text)
	if err != nil {
		return err
	}
	return fmt.Errorf(`the rule is a text, which always holds, expected an object with one operator; to ask an expression, give {"var": %s}`, quoted)
}

func evaluate(ctx context.Context, expr evaluator, source string, reads []string, a arguments) (any, error) {
	scope, err := scopeOf(a)
	if err != nil {
		return nil, err
	}
	result, err := expr.Eval(ctx, scope)
	if err != nil {
		failed := failedIn(source, err)
		failed.Reads = reads
		return failed, nil
	}
	told := evaluated{Result: jsonValue{result}, Nothing: result == nil, Reads: reads}
	if told.Nothing {
		told.Note = "the expression yields nothing: some path in it finds nothing in the context; a node with it would have no value in the context"
	}
	return told, nil
}

func failedIn(source string, err error) evaluated {
	f := failureOf(err)
	if f.Details != nil && f.Details.Offset != nil && f.Details.Caret == "" {
		f.Details.Caret = expressions.Caret(source, *f.Details.Offset)
	}
	return evaluated{Result: jsonValue{value.Null}, Error: f}
}

// scopeOf is what an expression sees: the context, or the history that makes it.
func scopeOf(a arguments) (*expressions.Scope, error) {
	history, given := a.get("history").([]any)
	if !given {
		return expressions.NewScope(contextOf(a.get("context")), nil), nil
	}
	raw, err := value.Encode(history)
	if err != nil {
		return nil, err
	}
	var records []execution.Record
	if err := json.Unmarshal(raw, &records); err != nil {
		return nil, fmt.Errorf("history: expected a list of {\"nodeId\": …, \"output\": …}, the oldest first: %w", err)
	}
	return execution.ScopeOf(records), nil
}
