package page

import (
	"context"
	"errors"
	"net/http"
	"time"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/view"
)

const (
	lookBudget  = 3 * time.Second // for the expressions of one request, waiting included
	mostLooks   = 8               // requests that evaluate at once
	mostWatches = 20              // expressions of a request
)

// evaluating returns the context of a request that evaluates, and done to end it.
func (s *Server) evaluating(ctx context.Context) (bounded context.Context, done func(), err error) {
	bounded, cancel := context.WithTimeout(ctx, s.look)
	select {
	case s.looks <- struct{}{}:
	case <-bounded.Done():
		cancel()
		return nil, nil, errorf(http.StatusServiceUnavailable, "%d expressions are being evaluated, which is the limit; ask again later", mostLooks)
	}
	return bounded, func() {
		<-s.looks
		cancel()
	}, nil
}

type evaluateJSON struct {
	Kind   string `json:"kind"`
	Source string `json:"source"`
	Path   []any  `json:"path"`
	From   int    `json:"from"`
	place
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

// evaluate evaluates an expression as a step would have.
func (s *Server) evaluate(r *http.Request, in evaluateJSON) (any, error) {
	out, err := s.evaluateAll(r, in.place, []evaluateJSON{in})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

type watchJSON struct {
	Sources []string `json:"sources"`
	place
}

// watchAt evaluates several JSONata expressions as a step would have.
func (s *Server) watchAt(r *http.Request, in watchJSON) (any, error) {
	if len(in.Sources) > mostWatches {
		return nil, errorf(http.StatusUnprocessableEntity, "%d expressions are watched, expected at most %d", len(in.Sources), mostWatches)
	}
	all := make([]evaluateJSON, len(in.Sources))
	for i, source := range in.Sources {
		all[i] = evaluateJSON{Kind: "jsonata", Source: source}
	}
	return s.evaluateAll(r, in.place, all)
}

// evaluateAll evaluates expressions over what a step saw, redacted, so that no expression
// can take a secret apart. The error is about a part of a value that does not exist.
func (s *Server) evaluateAll(r *http.Request, p place, all []evaluateJSON) ([]evaluatedJSON, error) {
	run, err := s.run(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	ctx, done, err := s.evaluating(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	now := run.now()
	if p, err = now.check(p); err != nil {
		return nil, err
	}
	scope, err := now.scope(ctx, p)
	if err != nil {
		return nil, err
	}
	out := make([]evaluatedJSON, len(all))
	for i, in := range all {
		start := time.Now()
		v, err := evaluated(ctx, in, scope)
		out[i].MS = milliseconds(time.Since(start))
		if err != nil {
			out[i].Error = mistakeOf(in.Source, err)
			continue
		}
		top, err := levelOf(v, in.Path, min(max(0, in.From), maxBody))
		if err != nil {
			return nil, err
		}
		out[i].Value = &top
	}
	return out, nil
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
	return nil, errors.New("kind must be jsonata or rule")
}

// mistakeOf returns an error with its place in the source; that of a rule is in the message.
func mistakeOf(source string, err error) *mistakeJSON {
	p := view.ProblemOf(source, err)
	if p.At != "" {
		p.Message += " at " + p.At
	}
	if p.Hint != "" {
		p.Message += "; " + p.Hint
	}
	return &mistakeJSON{Message: p.Message, Code: p.Code, Offset: p.Offset, Caret: p.Caret}
}
