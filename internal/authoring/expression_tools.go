package authoring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/authoring/view"
	"toolgraph/internal/serving/toolset"
)

// evaluated is the result of an expression. Result is null when it yields nothing or fails.
type evaluated struct {
	Result  toolset.Value `json:"result"`
	Nothing bool          `json:"nothing,omitempty"`
	Reads   []string      `json:"reads,omitempty"`
	Note    string        `json:"note,omitempty"`
	Error   *failure      `json:"error,omitempty"`
}

// evaluator is a compiled expression or rule.
type evaluator interface {
	Eval(ctx context.Context, scope *expressions.Scope) (value.Value, error)
}

func (r *request) testJSONata(ctx context.Context) (any, error) {
	source := r.Text("expression")
	expr, err := jsonata.Compile(ctx, source)
	if err != nil {
		return evaluated{Error: failureIn(source, err)}, nil
	}
	return r.evaluate(ctx, expr, source, expr.References())
}

func (r *request) testJSONLogic(ctx context.Context) (any, error) {
	if text, isText := r.Get("expression").(string); isText {
		return nil, notARule(text)
	}
	rule, err := jsonlogic.Compile(ctx, value.Plain(r.Get("expression")))
	if err != nil {
		return evaluated{Error: failureIn("", err)}, nil
	}
	return r.evaluate(ctx, rule, "", view.RuleReads(rule))
}

// notARule is the error about a string, which as a rule would always be true: it is a rule
// encoded as JSON twice, or an expression.
func notARule(text string) error {
	if v, err := value.Decode([]byte(text)); err == nil {
		if _, isObject := v.(value.Object); isObject {
			return errors.New("the rule is a string with JSON in it, expected an object; give the object itself")
		}
	}
	quoted, err := value.Encode(text)
	if err != nil {
		return err
	}
	return fmt.Errorf(`the rule is a string, which is always true, expected an object with one operator; to evaluate an expression, give {"var": %s}`, quoted)
}

func (r *request) evaluate(ctx context.Context, expr evaluator, source string, references []jsonata.Reference) (any, error) {
	scope, err := r.scope()
	if err != nil {
		return nil, err
	}
	var out evaluated
	for _, ref := range references {
		out.Reads = append(out.Reads, view.ReferenceText(ref))
	}
	result, err := expr.Eval(value.Working(ctx), scope)
	if err != nil {
		out.Error = failureIn(source, err)
		return out, nil
	}
	if out.Result, out.Note = bounded(ctx, result, r.secrets); result == nil {
		out.Nothing = true
		out.Note = "the expression yields nothing: a path in it has no value in the context; a node with this expression would have no value in the context"
	}
	return out, nil
}

// scope is what expressions see: the argument context, or the argument history, from which
// the context is made; the argument variables, and the constants of the file.
func (r *request) scope() (*expressions.Scope, error) {
	scope, err := r.outputs()
	if err != nil {
		return nil, err
	}
	scope.Variables = map[string]value.Value{}
	if file, err := r.file(); err == nil && len(file.Vars) > 0 {
		scope.Variables[expressions.VarVars] = graph.Constants(file)
	}
	if given, ok := r.Get("variables").(value.Object); ok {
		for _, name := range given.Keys() {
			scope.Variables[name], _ = given.Get(name)
		}
	}
	return scope, nil
}

// outputs is a scope with the outputs of nodes that the arguments give.
func (r *request) outputs() (*expressions.Scope, error) {
	history, given := r.Get("history").([]any)
	if !given {
		outputs := map[string]any{}
		if given, ok := r.Get("context").(value.Object); ok {
			for _, key := range given.Keys() {
				outputs[key], _ = given.Get(key)
			}
		}
		return expressions.NewScope(outputs, nil), nil
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

// called is the result of a call of a server's tool: its output as a node would have it.
type called struct {
	Output        toolset.Value  `json:"output"`
	Nothing       bool           `json:"nothing,omitempty"`       // the call yielded nothing; Output is null
	EvaluatedArgs *toolset.Value `json:"evaluatedArgs,omitempty"` // when there are expressions among them
	ExecutionTime float64        `json:"executionTime"`           // milliseconds
	Note          string         `json:"note,omitempty"`
	Error         *failure       `json:"error,omitempty"`
}

// testMcpTool calls a tool as an mcp node would.
func (r *request) testMcpTool(ctx context.Context) (any, error) {
	var out called
	took, output, err := r.callUpstream(ctx, &out)
	out.ExecutionTime, out.Error = float64(took)/float64(time.Millisecond), failureOf(err)
	if err == nil {
		out.Nothing = output == nil
		out.Output, out.Note = bounded(ctx, output, r.secrets)
	}
	return out, nil
}

// callUpstream evaluates the arguments and makes the call, which takes a time.
func (r *request) callUpstream(ctx context.Context, out *called) (took time.Duration, output value.Value, err error) {
	scope, err := r.scope()
	if err != nil {
		return 0, nil, err
	}
	trial := argsTrial{scope: scope}
	args, err := trial.eval(ctx, r.Object("args"), "args")
	if err != nil {
		return 0, nil, err
	}
	if trial.expressions > 0 {
		shown, _ := bounded(ctx, args, r.secrets)
		out.EvaluatedArgs = &shown
	}
	pool, done, err := r.pool()
	if err != nil {
		return 0, nil, err
	}
	defer done()
	began := time.Now()
	output, err = pool.CallTool(ctx, execution.Call{Server: r.Text("server"), Tool: r.Text("tool"), Args: args})
	return time.Since(began), output, err
}

// argsTrial evaluates arguments by the rules of mcp nodes, without a graph: an object
// whose only key is expr is an expression, at any depth.
type argsTrial struct {
	scope       *expressions.Scope
	expressions int // evaluated so far
}

// eval returns the value of a part of the arguments, nil when an expression yields
// nothing. The path names the part in errors.
func (t *argsTrial) eval(ctx context.Context, v value.Value, path string) (value.Value, error) {
	switch v := v.(type) {
	case value.Object:
		if source, has := v.Get("expr"); has {
			return t.expression(ctx, source, v, path)
		}
		var keys []string
		var values []value.Value
		for _, key := range v.Keys() {
			item, _ := v.Get(key)
			made, err := t.eval(ctx, item, path+"."+key)
			if err != nil {
				return nil, err
			}
			if made != nil {
				keys, values = append(keys, key), append(values, made)
			}
		}
		return value.NewObject(keys, values), nil
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			made, err := t.eval(ctx, item, fmt.Sprintf("%s[%d]", path, i))
			if err != nil {
				return nil, err
			}
			if made == nil {
				made = value.Null
			}
			items[i] = made
		}
		return items, nil
	}
	return v, nil
}

func (t *argsTrial) expression(ctx context.Context, source value.Value, whole value.Object, path string) (value.Value, error) {
	text, isText := source.(string)
	switch {
	case whole.Len() > 1:
		return nil, fmt.Errorf("%s has other keys beside expr, expected expr alone; compute the whole object in the expression", path)
	case !isText:
		return nil, fmt.Errorf("%s.expr is not a string, expected a JSONata expression", path)
	}
	t.expressions++
	expr, err := jsonata.Compile(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("%s: the JSONata does not compile: %w", path, err)
	}
	v, err := expr.Eval(value.Working(ctx), t.scope)
	if err != nil {
		return nil, fmt.Errorf("%s: the evaluation of the JSONata failed: %w", path, err)
	}
	return v, nil
}
