package second

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	jsonata "github.com/blues/jsonata-go"
	"github.com/diegoholiveira/jsonlogic/v3"

	"toolgraph/expressions/value"
)

// Question is what an engine is asked. Its JSON form is the input of Answer.
type Question struct {
	Rule      bool                  `json:"rule,omitempty"` // Source is the JSON of a JSON Logic rule
	Source    string                `json:"source"`
	Data      value.JSON            `json:"data,omitzero"`       // what the source reads; nil for nothing
	Variables map[string]value.JSON `json:"variables,omitempty"` // of an expression, by name without $
}

// Engine returns the name of the engine that is asked.
func (q *Question) Engine() string {
	if q.Rule {
		return "jsonlogic"
	}
	return "jsonata-go"
}

// Opinion is the answer of an engine: a value, nil when the source yields none; or, not empty, Failure: why
// there is no answer.
type Opinion struct {
	Value   value.Value
	Failure string
}

// opinionJSON is an Opinion as Answer writes it.
type opinionJSON struct {
	Value   value.JSON `json:"value,omitzero"`
	Failure string     `json:"failure,omitempty"`
}

// Answer reads a Question as JSON, asks the engine in this process, and writes its Opinion as JSON. A
// panic of the engine is an Opinion; an input that never ends, or exhausts the stack or the memory, is not
// caught here. The error is that of the streams, or of an input that is no Question.
func Answer(in io.Reader, out io.Writer) error {
	var q Question
	if err := json.NewDecoder(in).Decode(&q); err != nil {
		return err
	}
	var answer opinionJSON
	v, err := q.evaluate()
	if err == nil {
		answer.Value, err = asJSON(v)
	}
	if err != nil {
		answer.Failure = err.Error()
	}
	return json.NewEncoder(out).Encode(answer)
}

// asJSON returns what an engine made as a value; nil is null to both engines.
func asJSON(v any) (value.JSON, error) {
	if v == (nothing{}) {
		return value.JSON{}, nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return value.JSON{}, err
	}
	decoded, err := value.Decode(text)
	return value.JSON{Value: decoded}, err
}

// nothing is the value of an expression that yields none.
type nothing struct{}

// evaluate asks the engine.
func (q *Question) evaluate() (v any, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = nil, fmt.Errorf("the engine panics: %v", p)
		}
	}()
	data := value.Plain(q.Data.Value)
	if q.Rule {
		return evaluateRule(q.Source, data)
	}
	expr, err := jsonata.Compile(q.Source)
	if err != nil {
		return nil, err
	}
	variables := map[string]any{}
	for name, v := range q.Variables {
		variables[name] = floats(value.Plain(v.Value))
	}
	if err := expr.RegisterVars(variables); err != nil {
		return nil, err
	}
	v, err = expr.Eval(floats(data))
	if errors.Is(err, jsonata.ErrUndefined) {
		return nothing{}, nil
	}
	return v, err
}

// evaluateRule asks jsonlogic, which takes JSON.
func evaluateRule(source string, data any) (any, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := jsonlogic.Apply(bytes.NewReader([]byte(source)), bytes.NewReader(text), &out); err != nil {
		return nil, err
	}
	return json.RawMessage(bytes.TrimSpace(out.Bytes())), nil
}

// floats replaces each json.Number of a plain value, which jsonata-go takes for a text.
func floats(v any) any {
	switch x := v.(type) {
	case json.Number:
		f, _ := x.Float64()
		return f
	case []any:
		for i := range x {
			x[i] = floats(x[i])
		}
	case map[string]any:
		for key := range x {
			x[key] = floats(x[key])
		}
	}
	return v
}
