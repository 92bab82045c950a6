package graphs

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
)

// record is one execution that an expression can look back at.
type record struct {
	Node    string          `json:"node"`
	Value   json.RawMessage `json:"value,omitempty"` // none for nothing
	decoded value.Value
}

// pair is an expression or a rule, and the records that it reads: all that it takes
// to see a difference.
type pair struct {
	source  *term
	isRule  bool
	records []record
}

// key names the pair, for finding the same one again.
func (p pair) key() string { return p.source.String() }

// past is records as what expressions read.
type past []record

func (p past) Previous(n int) (value.Value, bool) {
	if n < 1 || n > len(p) {
		return nil, false
	}
	return p[len(p)-n].decoded, true
}

func (p past) all(id string) []value.Value {
	var all []value.Value
	for _, r := range p {
		if r.Node == id {
			all = append(all, r.decoded)
		}
	}
	return all
}

func (p past) Count(id string) int { return len(p.all(id)) }

func (p past) Execution(id string, i int) (value.Value, bool) {
	all := p.all(id)
	if i < 0 {
		i += len(all)
	}
	if i < 0 || i >= len(all) {
		return nil, false
	}
	return all[i], true
}

// Executions leaves out what is nothing.
func (p past) Executions(id string) []value.Value {
	return slices.DeleteFunc(p.all(id), func(v value.Value) bool { return v == nil })
}

// scope is what an expression after the records sees.
func (p past) scope() (*expressions.Scope, error) {
	latest := map[string]any{}
	for i := range p {
		r := &p[i]
		if r.Value == nil {
			r.decoded = nil
			delete(latest, r.Node)
			continue
		}
		v, err := value.Decode(r.Value)
		if err != nil {
			return nil, err
		}
		r.decoded, latest[r.Node] = v, v
	}
	return expressions.NewScope(latest, p), nil
}

// evaluated is this program's answer to the pair.
func (p pair) evaluated(ctx context.Context) answer {
	scope, err := past(p.records).scope()
	if err != nil {
		return answer{Error: err.Error()}
	}
	if p.isRule {
		return answerOf(evalRule(ctx, scope, p.source.String()))
	}
	expr, err := jsonata.Compile(ctx, p.source.String())
	if err != nil {
		return answer{Error: "compile: " + err.Error()}
	}
	return answerOf(expr.Eval(ctx, scope))
}

func evalRule(ctx context.Context, scope *expressions.Scope, source string) (value.Value, error) {
	var rule any
	if err := json.Unmarshal([]byte(source), &rule); err != nil {
		return nil, err
	}
	compiled, err := jsonlogic.Compile(ctx, rule)
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	return compiled.Eval(ctx, scope)
}

func answerOf(v value.Value, err error) answer {
	if err != nil {
		return answer{Error: err.Error()}
	}
	if v == nil {
		return answer{Nothing: true}
	}
	text, err := value.Encode(v)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Value: text}
}

// theirs is the reference's answer.
func (p pair) theirs(r *reference) answer {
	request := map[string]any{"records": p.records}
	if p.records == nil {
		request["records"] = []record{}
	}
	if p.isRule {
		source := json.RawMessage(p.source.String())
		if !json.Valid(source) {
			return answer{Error: "compile: no JSON"}
		}
		request["rule"] = source
	} else {
		request["expr"] = p.source.String()
	}
	var got answer
	r.ask(request, &got)
	return got
}
