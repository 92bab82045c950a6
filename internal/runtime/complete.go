package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/execution/journal"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/serving/server"
)

const (
	mostCompleted   = 100 // values of one answer, as the protocol says
	mostCompletions = 4   // expressions that are evaluated at the same time; others wait
)

// canComplete reports whether a prompt of the file has an argument whose values are known.
func (l *Loaded) canComplete() bool {
	for _, g := range l.Served() {
		if !g.Tool.Prompt {
			continue
		}
		if len(g.Suggested) > 0 {
			return true
		}
		if properties := g.Tool.InputSchema.Get("properties"); properties != nil {
			for _, property := range properties.Items {
				if len(listedValues(property)) > 0 {
					return true
				}
			}
		}
	}
	return false
}

// listedValues returns the values that a schema lists: those of enum, or true and false.
func listedValues(property *config.Data) (values []value.Value) {
	if enum := property.Get("enum"); enum != nil && enum.Kind == config.KindArray {
		for _, item := range enum.Items {
			v, _ := value.Decode(item.JSON()) // the JSON of Data is valid
			values = append(values, v)
		}
		return values
	}
	if kind := property.Get("type"); kind != nil && kind.Scalar == "boolean" {
		return []value.Value{true, false}
	}
	return nil
}

// promptOf returns the graph of a prompt of the file, or nil.
func (l *Loaded) promptOf(name string) *graph.Graph {
	for _, g := range l.Served() {
		if g.Tool.Prompt && g.Tool.Name.Value == name {
			return g
		}
	}
	return nil
}

// given is an argument of completion/complete, with what has been typed of its value.
type given struct{ Name, Value string }

// completeOwn returns the values of an argument of a prompt of the file.
func (p prompts) completeOwn(ctx context.Context, l *Loaded, g *graph.Graph, argument, within []byte) ([]byte, error) {
	var of given
	if json.Unmarshal(argument, &of) != nil {
		return nil, &server.InvalidError{Err: errors.New("argument: expected an object with name and value, which are texts")}
	}
	property := g.Tool.InputSchema.Get("properties").Get(of.Name)
	if property == nil {
		return nil, &server.InvalidError{Err: fmt.Errorf("argument: prompt %s has no argument %s", wording.Quote(g.Tool.Name.Value), wording.Quote(of.Name))}
	}
	values := listedValues(property)
	if suggested := g.Suggested[of.Name]; suggested != nil {
		if values = suggested.Values; suggested.Expr != nil {
			args, err := argumentsWithin(g.Tool, of.Name, within)
			if err != nil {
				return nil, &server.InvalidError{Err: err}
			}
			if values, err = p.evaluate(ctx, g, suggested.Expr, args); ctx.Err() != nil {
				return nil, context.Cause(ctx)
			} else if err != nil {
				l.Log.Warn("suggest gives no values", "prompt", g.Tool.Name.Value, "argument", of.Name, "error", err)
			}
		}
	}
	return completion(values, of.Value), nil
}

// mostRuns is how many runs are looked at to complete the id of one.
const mostRuns = 50

// completeRun returns the ids of the newest recorded runs whose results the client can read.
func (l *Loaded) completeRun(ctx context.Context, argument []byte) ([]byte, error) {
	var of given
	if json.Unmarshal(argument, &of) != nil || of.Name != "run" {
		return nil, &server.InvalidError{Err: errors.New("argument: expected an object with the name run and a value, which are texts")}
	}
	file := l.resultsFile()
	runs, err := l.History.List(ctx, journal.Filter{File: file.Path, Status: journal.Finished, Limit: mostRuns})
	if err != nil {
		return nil, l.unavailable(err)
	}
	var ids []value.Value
	for _, run := range runs {
		if l.large.Mine(ctx, file, &run) {
			ids = append(ids, run.ID)
		}
	}
	return completion(ids, of.Value), nil
}

// evaluate returns the values of an expression of suggest. Its work is bounded as that of any expression of a run.
func (p prompts) evaluate(ctx context.Context, g *graph.Graph, e *graph.Expr, args value.Value) ([]value.Value, error) {
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	scope := expressions.NewScope(map[string]any{graph.ArgsName: args}, nil)
	scope.Variables = g.Variables(nil)
	v, err := e.Eval(value.Working(ctx), scope)
	if err != nil || v == nil {
		return nil, err
	}
	if list, isList := v.([]any); isList {
		return list, nil
	}
	return []value.Value{v}, nil
}

// argumentsWithin returns the other arguments that a client has given already, as the tool would get them.
func argumentsWithin(tool *config.Tool, but string, within []byte) (value.Value, error) {
	none := value.NewObject(nil, nil)
	if within == nil {
		return none, nil
	}
	decoded, err := value.Decode(within)
	if err != nil {
		return nil, fmt.Errorf("context: %w", err)
	}
	about, _ := decoded.(value.Object)
	if about == nil {
		return nil, errors.New("context: expected an object with arguments")
	}
	v, has := about.Get("arguments")
	if !has {
		return none, nil
	}
	object, _ := v.(value.Object)
	if object == nil {
		return nil, errors.New("context.arguments: expected an object of texts")
	}
	var keys []string
	var values []value.Value
	for _, key := range object.Keys() {
		if v, _ := object.Get(key); key != but {
			keys, values = append(keys, key), append(values, v)
		}
	}
	return fromTexts(tool, value.NewObject(keys, values))
}

// completion returns the values that begin with what is typed, as the result of completion/complete. Values that are no
// text, number or boolean are left out.
func completion(values []value.Value, typed string) []byte {
	dst := []byte(`{"completion":{"values":[`)
	seen := map[string]bool{}
	for _, v := range values {
		text, isText := v.(string)
		if !isText {
			switch v.(type) {
			case float64, json.Number, bool:
				raw, _ := value.Encode(v) // such a value has a JSON form
				text = string(raw)
			default:
				continue
			}
		}
		if seen[text] || !beginsWith(text, typed) {
			continue
		}
		if seen[text] = true; len(seen) > mostCompleted {
			continue
		}
		if len(seen) > 1 {
			dst = append(dst, ',')
		}
		dst = value.AppendString(dst, text)
	}
	return fmt.Appendf(dst, `],"total":%d,"hasMore":%t}}`, len(seen), len(seen) > mostCompleted)
}

// beginsWith reports whether a text begins with another one, in upper or lower case.
func beginsWith(text, typed string) bool {
	return strings.HasPrefix(strings.ToLower(text), strings.ToLower(typed))
}
