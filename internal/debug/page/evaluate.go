package page

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
)

type evaluateJSON struct {
	Kind   string `json:"kind"`
	Source string `json:"source"`
	At     int    `json:"at"`
	Path   []any  `json:"path"`
	From   int    `json:"from"`
}

// mistakeJSON is why an expression has no value.
type mistakeJSON struct {
	Message string `json:"message"`
	Code    string `json:"code,omitempty"`
	Offset  int    `json:"offset"` // byte in the source; -1 when unknown
	Caret   string `json:"caret,omitempty"`
}

type evaluatedJSON struct {
	Value *level       `json:"value,omitempty"`
	MS    float64      `json:"ms"`
	Error *mistakeJSON `json:"error,omitempty"`
}

// evaluate evaluates an expression as a step would have. It sees values without their
// secrets, so that no expression can take one apart.
func (s *Server) evaluate(r *http.Request) (any, error) {
	var in evaluateJSON
	if err := read(r, &in); err != nil {
		return nil, err
	}
	now, err := s.frame(r)
	if err != nil {
		return nil, err
	}
	ctx, done, err := s.evaluating(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	return answered(ctx, in, execution.ScopeOf(now.before(in.At)))
}

// answered evaluates an expression and tells what came of it. The error is that the value
// has no such part as was asked for.
func answered(ctx context.Context, in evaluateJSON, scope *expressions.Scope) (evaluatedJSON, error) {
	start := time.Now()
	v, err := evaluated(ctx, in, scope)
	out := evaluatedJSON{MS: float64(time.Since(start).Microseconds()) / 1000}
	if err != nil {
		out.Error = mistakeOf(in.Source, err)
		return out, nil
	}
	top, err := levelOf(v, in.Path, min(max(0, in.From), maxBody))
	out.Value = &top
	return out, err
}

func evaluated(ctx context.Context, in evaluateJSON, scope *expressions.Scope) (value.Value, error) {
	switch in.Kind {
	case "jsonata":
		e, err := jsonata.Compile(ctx, in.Source)
		if err != nil {
			return nil, err
		}
		return e.Eval(ctx, scope)
	case "rule":
		v, err := value.Decode([]byte(in.Source))
		if err != nil {
			return nil, err
		}
		rule, err := jsonlogic.Compile(ctx, value.Plain(v))
		if err != nil {
			return nil, err
		}
		return rule.Eval(ctx, scope)
	}
	return nil, errors.New("kind is jsonata or rule")
}

// mistakeOf tells where in the source an error is.
func mistakeOf(source string, err error) *mistakeJSON {
	out := &mistakeJSON{Message: err.Error(), Offset: -1}
	var syntax *expressions.SyntaxError
	var rule *jsonlogic.Error
	var decode *value.DecodeError
	var eval *expressions.EvalError
	switch {
	case errors.As(err, &rule):
		// The place is a path into the rule, which the message can tell.
		if path, bad := json.Marshal(rule.Path); bad == nil && len(rule.Path) > 0 {
			out.Message += " at " + string(path)
		}
		if rule.Hint != "" {
			out.Message += "; " + rule.Hint
		}
	case errors.As(err, &syntax):
		out.Offset = syntax.Offset
		if syntax.Hint != "" {
			out.Message += "; " + syntax.Hint
		}
	case errors.As(err, &decode):
		out.Offset = decode.Offset
	case errors.As(err, &eval):
		out.Offset, out.Code = eval.Offset, eval.Code
	}
	if out.Offset >= 0 {
		out.Caret = expressions.Caret(source, out.Offset)
	}
	return out
}
