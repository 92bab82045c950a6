package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// maxName bounds a name in a line, in bytes.
const maxName = 200

func name(text string) string { return wording.Truncate(text, maxName) }

// Caller returns a caller that writes a line before each call that it passes to next, and one
// after it. A call that is not known to be read-only is passed on when its line is on the disk;
// while no line can be written, it is refused with the code not-allowed. The run that it belongs
// to is in the context that Run returned.
func (l *Log) Caller(next execution.ToolCaller) execution.ToolCaller {
	return execution.CallerFunc(func(ctx context.Context, c execution.Call) (output value.Value, err error) {
		r, _ := ctx.Value(runKey{}).(*run)
		e := r.entry(CallBegun, c.Run, c.At(), c.Name())
		e.Call = &Call{Server: name(c.Server), Tool: name(c.Tool), Effect: effectOf(c.Effect), Attempt: c.Attempt, Args: r.args(c.Args)}
		reads := c.Effect == config.ReadEffect
		written, failed := l.write(e, !reads)
		began, code := time.Now(), string(execution.CodeInternal) // of a call that panics
		if written || reads {
			defer func() {
				ended := e
				ended.Kind, ended.Outcome = CallEnded, &Outcome{Code: code, Ms: time.Since(began).Milliseconds()}
				ended.Call = &Call{Server: e.Call.Server, Tool: e.Call.Tool, Effect: e.Call.Effect, Attempt: e.Call.Attempt}
				l.note(ended)
			}()
		}
		if failed != nil && !reads {
			err = &refusedError{call: &c, why: failed}
		} else {
			output, err = next.CallTool(ctx, c)
		}
		code = codeOf(ctx, err)
		return output, err
	})
}

// refusedError is the error of a call that was not sent because its line could not be written.
type refusedError struct {
	call *execution.Call
	why  error
}

func (e *refusedError) Error() string {
	what := "whose effect is " + string(e.call.Effect)
	if e.call.Effect == "" {
		what = "whose effect is not known"
	}
	return fmt.Sprintf("%s.%s, %s, was not called, because the audit log cannot be written: %s; then repeat the call", e.call.Server, e.call.Tool, what, e.why)
}

func (e *refusedError) Unwrap() error { return e.why }

// ErrorCode is that of a call that is not allowed.
func (e *refusedError) ErrorCode() string { return string(config.FailNotAllowed) }

// codeOf returns ok, or the code of an error.
func codeOf(ctx context.Context, err error) string {
	var coded interface{ ErrorCode() string }
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &coded):
		return name(coded.ErrorCode())
	case ctx.Err() != nil:
		return string(execution.CodeCancelled)
	}
	return string(config.FailToolError)
}

// run is a run that is observed; nil for calls outside of one.
type run struct {
	log     *Log
	graph   *graph.Graph
	subject string
	began   time.Time // zero before the first event
}

type runKey struct{}

type subjectKey struct{}

// WithSubject returns the context of a run that a user has started through a client. subject is the
// name of the user in the access token of the client.
func WithSubject(ctx context.Context, subject string) context.Context {
	return context.WithValue(ctx, subjectKey{}, subject)
}

// SubjectOf returns the subject of the context of a run; "" without one.
func SubjectOf(ctx context.Context) string {
	subject, _ := ctx.Value(subjectKey{}).(string)
	return subject
}

// Run returns the observer of one run of a graph, and the context that the run must have, so that
// the lines of its calls name its tool.
func (l *Log) Run(ctx context.Context, g *graph.Graph) (context.Context, execution.Observer) {
	r := &run{log: l, graph: g}
	r.subject = SubjectOf(ctx)
	return context.WithValue(ctx, runKey{}, r), execution.ObserverFunc(r.observe)
}

// entry returns an entry of a run.
func (r *run) entry(kind Kind, id string, at execution.Address, node string) Entry {
	e := Entry{Kind: kind, Run: id, At: execution.Address(name(string(at))), Node: name(node)}
	if r != nil {
		e.Tool = name(r.graph.Tool.Name.Value)
	}
	return e
}

// args describes arguments.
func (r *run) args(args value.Value) *Args {
	var secrets *config.Secrets
	if r != nil {
		secrets = r.graph.Secrets
	}
	src, err := value.Encode(args)
	if err != nil {
		return &Args{Shape: shape(args, secrets)} // the call will fail as well
	}
	return &Args{Digest: digestOf(src), Shape: shape(args, secrets)}
}

// observe writes the lines of an event.
func (r *run) observe(e execution.Event) {
	if r.began.IsZero() {
		r.began = e.Time
		begun := r.entry(RunBegun, e.Run, "", "")
		begun.Graph, begun.Resumed, begun.Subject = r.graph.Hash, e.Start == nil, name(r.subject)
		if e.Start != nil {
			begun.Forked = name(e.Start.ForkedFrom)
		}
		r.log.note(begun)
	}
	switch {
	case e.Question != nil && e.Step != nil:
		r.asked(&e)
	case e.Answer != nil && e.Step != nil:
		answer := r.entry(Answer, e.Run, e.At(), e.Step.Name())
		answer.Answered = &Answered{Action: execution.Action(name(string(e.Answer.Action))), Digest: name(e.Answer.Digest)}
		r.log.note(answer)
	case e.Retry != nil && e.Step != nil:
		v := e.Step
		r.refused(&e, v.Name(), r.graph.ReachedTool(v.Graph).NodeAt(v.NodeID, v.Part), e.Retry.Error)
	case e.Record != nil:
		rec := e.Record
		failed := rec.Error
		if failed == nil {
			failed = rec.Handled
		}
		if failed != nil && failed.Part == rec.Part { // else the record of the part has it
			r.refused(&e, rec.Name(), r.graph.ReachedTool(rec.Tool).NodeAt(rec.NodeID, rec.Part), failed)
		}
	case e.End != nil:
		ended := r.entry(RunEnded, e.Run, "", "")
		ended.Outcome = &Outcome{Code: "ok", Ms: max(0, e.Time.Sub(r.began).Milliseconds())}
		if e.End.Failure != nil {
			ended.Outcome.Code = name(string(e.End.Failure.Kind()))
		}
		r.log.note(ended)
	}
}

func (r *run) asked(e *execution.Event) {
	q := e.Question
	asked := r.entry(Question, e.Run, e.At(), e.Step.Name())
	asked.Asked = &Asked{Kind: "ask", Digest: name(q.Digest), Calls: q.Calls}
	if q.IsConfirmation() {
		asked.Asked.Kind = "confirmation"
		asked.Call = &Call{Server: name(q.Server), Tool: name(q.Tool), Effect: effectOf(q.Effect)}
	}
	r.log.note(asked)
}

// refused writes a line for a failure that is a refusal, unless a frame below has reported it.
func (r *run) refused(e *execution.Event, step string, node graph.Node, failed *execution.Failure) {
	code := string(failed.Kind())
	if failed.Code == execution.CodeUser {
		code = failed.Detail
	} else if failed.Kind() != config.FailNotAllowed {
		return
	}
	if len(failed.Callers) > 0 {
		return
	}
	line := r.entry(Refusal, e.Run, e.At(), step)
	line.Outcome = &Outcome{Code: name(code)}
	if called, isMCP := node.(*graph.MCP); isMCP {
		line.Call = &Call{Server: name(called.Server), Tool: name(called.Tool), Effect: effectOf(called.Effect)}
	}
	r.log.note(line)
}
