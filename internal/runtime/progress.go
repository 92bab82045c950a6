package runtime

import (
	"context"
	"maps"
	"strings"
	"sync"

	"toolgraph/execution"
	"toolgraph/internal/serving/server"
	"toolgraph/mcpclient"
)

// reporter reports one run to its client: each step of the run's own frame and, while a step is
// made of parts, how many have ended. Of parts inside parts only the outermost count. It is an
// observer. Safe for concurrent use.
type reporter struct {
	watch server.Watch // its functions are called without mu

	mu          sync.Mutex                    // guards what follows
	calls       map[execution.Address]float64 // those in flight, with the fraction that their servers report
	parts       execution.Address             // the step whose parts run; "" for none
	node        string                        // of that step
	done, count int                           // of its parts
}

func newReporter(watch server.Watch) *reporter {
	return &reporter{watch: watch, calls: map[execution.Address]float64{}}
}

// Observe reports an event.
func (r *reporter) Observe(e execution.Event) {
	switch e.Kind {
	case execution.CallStarted:
		if alone := r.called(e.Step); alone && r.watch.Call != nil {
			r.watch.Call(e.Step.Name())
		}
	case execution.PartsStarted:
		r.started(e.Step, e.Parts.Count)
	case execution.StepFinished:
		node, done, count := r.ended(e.Record)
		if done > 0 && r.watch.Part != nil {
			r.watch.Part(node, done, count)
		}
		if e.Record.Frame == "" && e.Record.Part == "" {
			r.watch.Step(e.Record.NodeID, e.Record.Index)
		}
	case execution.RunStarted, execution.StepReady, execution.AttemptFailed, execution.ContextEdited, execution.RunFinished, execution.RunSuspended:
	}
}

// called records that a call is made, and returns whether it is no part of a step.
func (r *reporter) called(v *execution.Visit) (alone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[v.At()] = 0
	return r.parts == ""
}

func (r *reporter) started(v *execution.Visit, count int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.parts == "" {
		r.parts, r.node, r.done, r.count = v.At(), v.Name(), 0, count
	}
}

// ended records the end of a step or part. For a part that counts it returns the step and how many
// of its parts have ended; else done is 0.
func (r *reporter) ended(rec *execution.Record) (node string, done, count int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := rec.At()
	// Calls below the step have ended, recorded or not: a failure or a time limit can end them.
	maps.DeleteFunc(r.calls, func(call execution.Address, _ float64) bool { return call == at || at.Contains(call) })
	switch {
	case r.parts == "":
	case at == r.parts || at.Contains(r.parts):
		r.parts = ""
	case rec.Part != "" && execution.AddressOf(rec.Frame, rec.Index, "") == r.parts:
		r.done++
		return r.node, r.done, r.count
	}
	return "", 0, 0
}

// upstreamProgress reports the progress that the server of a call reports.
func (r *reporter) upstreamProgress(at execution.Address, done, total float64, message string) {
	r.mu.Lock()
	defer r.mu.Unlock() // Progress does not block
	if _, inFlight := r.calls[at]; !inFlight {
		return
	}
	below, isPart := strings.CutPrefix(string(at), string(r.parts)+".")
	switch {
	case r.parts == "" && at.Frame() == "":
		r.watch.Progress(done, total, message)
		return
	case r.parts == "" || !isPart: // one of many calls of the step
		r.watch.Progress(0, 0, message)
		return
	}
	part, _, isDeeper := strings.Cut(below, "/")
	if fraction := done / total; total > 0 && !isDeeper && fraction > r.calls[at] { // NaN is not
		r.calls[at] = min(fraction, 1)
	}
	if message != "" {
		message = partText(part) + ": " + message
	}
	r.watch.Progress(r.ahead(), float64(r.count), message)
}

// ahead returns how many parts have been made, those in flight as far as they are; mu is held.
func (r *reporter) ahead() float64 {
	sum := float64(r.done)
	for call, fraction := range r.calls {
		if frame, index, part := call.Split(); part != "" && execution.AddressOf(frame, index, "") == r.parts {
			sum += fraction
		}
	}
	return sum
}

// partText names a part: "item 3" or "branch weather".
func partText(part string) string {
	if part[0] >= '0' && part[0] <= '9' {
		return "item " + part
	}
	return "branch " + part
}

type reporterKey struct{}

// WithUpstreamProgress gives a function what the servers of a run's calls report, by the addresses of the calls.
func WithUpstreamProgress(ctx context.Context, report func(at execution.Address, done, total float64, message string)) context.Context {
	return context.WithValue(ctx, reporterKey{}, report)
}

// withRunProgress returns the context of a call whose progress its run reports, if its client wants it.
func withRunProgress(ctx context.Context, c *execution.Call) context.Context {
	report, wanted := ctx.Value(reporterKey{}).(func(at execution.Address, done, total float64, message string))
	if !wanted {
		return ctx
	}
	at := c.At()
	return mcpclient.WithProgress(ctx, func(done, total float64, message string) { report(at, done, total, message) })
}
