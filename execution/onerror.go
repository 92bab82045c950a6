package execution

import (
	"errors"

	"toolgraph/config"
	"toolgraph/execution/call"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// handle lets the onError of the node take the failure of the record, if it does.
func (s *site) handle(rec *Record) { s.handleBy(graph.OnErrorOf(s.node), rec) }

// handleBy is handle for an onError.
func (s *site) handleBy(on *graph.OnError, rec *Record) {
	failed := rec.Error
	if !on.Catches(failed.Kind()) {
		return
	}
	output, err := s.instead(on, failed)
	if err != nil {
		rec.Error = s.located(failureOf(s.ctx, s.node, err))
		return
	}
	handled := s.placed(failed)
	rec.Error, rec.Handled = nil, handled
	if s.frame.setOutput(s.work, rec, s.node, output); rec.Error != nil {
		rec.Handled = nil
	}
}

// instead returns the output that onError gives a node.
func (s *site) instead(on *graph.OnError, failed *Failure) (output value.Value, err error) {
	defer recovered(&err)
	if on.Skip {
		return nil, nil
	}
	if on.Value == nil {
		return value.NewObject([]string{"error"}, []value.Value{s.failureValue(failed)}), nil
	}
	return on.Value.Eval(s.ctx, s.withFailure(failed, max(1, failed.Attempts)))
}

func (s *site) withFailure(failed *Failure, attempts int) *expressions.Scope {
	return s.with(map[string]value.Value{"failure": s.failureValue(failed), "attempt": float64(attempts)})
}

// failureValue returns $failure.
func (s *site) failureValue(failed *Failure) value.Value {
	var keys []string
	var values []value.Value
	add := func(key string, v value.Value) {
		if v != nil && v != "" {
			keys, values = append(keys, key), append(values, v)
		}
	}
	secrets := s.frame.graph.Secrets
	origin := s.origin(failed)
	add("code", string(failed.Kind()))
	add("message", secrets.Redact(failed.plain()))
	add("node", origin.name)
	add("server", origin.server)
	add("tool", origin.tool)
	if failed.Attempts > 0 {
		add("attempts", float64(failed.Attempts))
	}
	if failed.Result != nil {
		result, _ := value.Decode(secrets.RedactJSON(failed.Result)) // nil when it cannot be decoded
		add("result", result)
	}
	return value.NewObject(keys, values)
}

// origin is the node at which a failure began.
type origin struct{ name, server, tool string }

func (s *site) origin(failed *Failure) origin {
	node, name := s.node, s.name()
	switch {
	case len(failed.Callers) > 0:
		inner := failed.Callers[0]
		name = call.NameOf(inner.Tool, inner.Node, inner.Part)
		node = s.frame.graph.ReachedTool(inner.Tool).NodeAt(inner.Node, inner.Part)
	case failed.Part != "": // of a step in this block
		name = call.NameOf("", failed.Node, failed.Part)
		node = s.frame.graph.NodeAt(failed.Node, failed.Part)
	}
	switch n := node.(type) {
	case *graph.MCP:
		return origin{name, n.Server, n.Tool}
	case *graph.SubGraph:
		return origin{name: name, tool: n.Tool}
	case *graph.Entry, *graph.Parallel, *graph.Ask, *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit:
	}
	return origin{name: name}
}

// Kind returns the code by which retry, onError, $failure and tests know the failure.
func (f *Failure) Kind() config.FailureCode {
	switch {
	case f.Code == CodeTool && f.Detail == "":
		return config.FailToolError
	case f.Code == CodeTool || f.Code == CodeGraph || f.Code == CodeUser:
		return config.FailureCode(f.Detail)
	case f.Code == CodeExpression && f.isRaised():
		return config.FailRaised
	case f.Code == CodeResult:
		return config.FailOutputMismatch
	}
	return config.FailureCode(f.Code)
}

// MissingCapability returns the capability that the client has not declared, without which the run
// failed; empty when that is not the reason. A recorded failure has it too.
func (f *Failure) MissingCapability() string { return f.Lacks }

// isRaised reports whether $error ended the expression. Raised is only kept where an onError can
// read it, so the cause is asked as well.
func (f *Failure) isRaised() bool {
	var eval *expressions.EvalError
	return f.Raised != "" || errors.As(f.err, &eval) && eval.Raised != ""
}

// plain returns the message as $failure has it: without what was added for people.
func (f *Failure) plain() string {
	switch {
	case f.Raised != "":
		return f.Raised
	case f.Plain != "":
		return f.Plain
	}
	return f.Message
}

// with returns the failure with a clause added to its message.
func (f *Failure) with(clause string) *Failure {
	out := *f
	if out.Plain == "" {
		out.Plain = f.Message
	}
	out.Message += "; " + clause
	return &out
}

// withHelp adds the help of a node to the message of a failure of its call or question.
func withHelp(help string, failed *Failure) *Failure {
	if help == "" || !failed.Kind().Catchable() {
		return failed
	}
	return failed.with(help)
}

// setResult gives a failure the value of its call.
func (f *Failure) setResult(v value.Value) {
	if v == nil {
		return
	}
	if src, err := value.Encode(v); err == nil {
		f.Result = src
	}
}

// details adds what onError and retry may ask about a failure.
func (f *Failure) details(err error) {
	var failed interface{ FailedResult() value.Value }
	if errors.As(err, &failed) {
		f.setResult(failed.FailedResult())
	}
	var raised *expressions.EvalError
	if errors.As(err, &raised) {
		f.Raised, f.Plain = raised.Raised, raised.Message // without the code and the line of the expression
	}
}
