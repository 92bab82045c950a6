package graphtest

import (
	"context"
	"errors"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// Through stands between a run and its recorded answers: it gets each call with the answer that was recorded, or the
// error that there is none, and returns what the run gets.
type Through func(ctx context.Context, c execution.Call, v value.Value, err error) (value.Value, error)

// Replay is a case whose calls a cassette answers, to be run as often as its caller likes.
type Replay struct {
	Case  *Case
	Graph *graph.Graph

	runner *runner
	in     surroundings
	args   value.Value
}

// Replays returns the cases of a test file that a cassette answers. The error has all mistakes, as that of Run.
func (s *Suite) Replays(ctx context.Context, opts Options) ([]*Replay, error) {
	opts.Mode = Offline
	r, err := newRunner(ctx, s, opts)
	if err != nil {
		return nil, err
	}
	var all []*Replay
	for _, c := range s.Cases {
		one := &Replay{Case: c, runner: r, in: surroundings{project: r.others[c.varsKey()], known: r.directory}}
		if one.tape() == nil {
			continue
		}
		g, err := one.in.project.Graph(c.Tool.Value)
		if err == nil {
			one.Graph, one.args, err = one.in.project.ForRun(ctx, g, c.Args, nil)
		}
		if err != nil {
			return nil, err
		}
		one.Graph = limited(one.Graph, c)
		all = append(all, one)
	}
	return all, nil
}

// tape returns the recorded calls, nil without any.
func (r *Replay) tape() *tape {
	return r.runner.cassettes[r.runner.cassetteOf(r.Case)].tape(r.Case.Name, r.in.known)
}

// Run runs the case on its mocks, and on its cassette through a function. The error is that of the run, or that a call
// or a question has no answer.
func (r *Replay) Run(ctx context.Context, through Through) (value.Value, error) {
	calls := newCaller(r.Graph, r.Case, r.runner.suite, r.tape(), r.in)
	calls.through = through
	result, err := runTool(ctx, r.Graph, r.args, calls, r.runner.engine(r.in.project))
	if err == nil && calls.unanswered != nil {
		err = errors.New(calls.unanswered.Message)
	}
	return result.Value, err
}

// Fill returns the arguments of a call with the paths of this machine in place of their names.
func (r *Replay) Fill(v value.Value) value.Value { return r.runner.directory.fill(v) }

// Empty is the reverse of Fill, for what a server answers.
func (r *Replay) Empty(v value.Value) value.Value { return r.runner.directory.empty(v) }

// IsAnswer reports whether the error of a call is what a server answered. With any other the server did not start, or
// ended, or did not answer in time.
func IsAnswer(err error) bool {
	code := codeOf(err)
	for _, known := range answers {
		if known == code {
			return true
		}
	}
	return false
}
