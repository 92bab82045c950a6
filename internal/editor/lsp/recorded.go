package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/editor/completion"
)

// Output is the latest output of a node in a recorded run, with secrets redacted.
type Output struct {
	Run       string
	Started   time.Time
	JSON      []byte
	Truncated bool // JSON is only the beginning
}

// recordedValue is a value of a recorded run, for people.
type recordedValue struct {
	run     string
	started time.Time
	text    string
}

// head says of which run the value is.
func (v *recordedValue) head() string {
	return "value in the last run, " + v.run + " of " + v.started.Local().Format("2006-01-02 15:04:05")
}

const (
	recordedWait = 200 * time.Millisecond // how long an answer waits for the store
	recordedMost = 5 * time.Second        // how long a look into the store takes
	recordedAge  = 2 * time.Second        // for which a value is taken as the latest
	mostRecorded = 200                    // values that are remembered
	mostShown    = 300                    // characters of a value
)

// recordedOutputs are outputs that were read, so that a pointer that moves does not read each time.
type recordedOutputs struct {
	mu    sync.Mutex
	found map[outputKey]foundOutput
	busy  bool // a goroutine looks into the store
}

type outputKey struct{ state, file, tool, node string }

type foundOutput struct {
	out *Output // nil: there is none
	at  time.Time
}

// recordedValue returns the value of an expression in the last recorded run of a tool; nil when there is none,
// when the user does not want it, or when the store has not answered soon.
func (s *Server) recordedValue(ctx context.Context, snap *snapshot, of *completion.Reading) *recordedValue {
	s.mu.Lock()
	wanted, state := s.settings.hoverValues(), s.settings.State
	s.mu.Unlock()
	if !wanted || s.opts.LastOutput == nil || snap.kind != graphFile {
		return nil
	}
	out := s.output(ctx, outputKey{state, snap.path, of.Tool, of.Node})
	if out == nil {
		return nil
	}
	text := ""
	switch isWhole := of.Expr == "$."+of.Node || of.Expr == of.Node; {
	case out.Truncated && isWhole:
		text = string(out.JSON)
	case !out.Truncated:
		text = evaluated(ctx, out, of)
	}
	if text == "" {
		return nil
	}
	return &recordedValue{run: out.Run, started: out.Started, text: wording.Truncate(wording.Printable(text), mostShown)}
}

// output returns the latest output of a node. It looks into the store, one look at a time, and waits for it a
// while; what comes later is there for the next question.
func (s *Server) output(ctx context.Context, key outputKey) *Output {
	r := &s.recorded
	r.mu.Lock()
	was, known := r.found[key]
	if known && time.Since(was.at) < recordedAge || r.busy {
		r.mu.Unlock()
		return was.out
	}
	r.busy = true
	r.mu.Unlock()
	done := make(chan *Output, 1)
	s.background(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, recordedMost)
		defer cancel()
		var out *Output
		defer func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.found == nil || len(r.found) >= mostRecorded {
				r.found = map[outputKey]foundOutput{}
			}
			r.found[key], r.busy = foundOutput{out, time.Now()}, false
			done <- out
		}()
		var err error
		if out, err = s.opts.LastOutput(ctx, key.state, key.file, key.tool, key.node); err != nil {
			s.log.Debug("recorded runs were not read", "error", err)
			out = nil
		}
	})
	wait := time.NewTimer(recordedWait)
	defer wait.Stop()
	select {
	case out := <-done:
		return out
	case <-wait.C:
	case <-ctx.Done():
	}
	return nil
}

// evaluated returns the value of an expression over an output, as JSON; "" for nothing.
func evaluated(ctx context.Context, out *Output, of *completion.Reading) string {
	v, err := value.Decode(out.JSON)
	if err != nil {
		return ""
	}
	e, err := jsonata.CompileVar(ctx, of.Expr)
	if err != nil {
		return ""
	}
	got, err := e.Eval(ctx, expressions.NewScope(map[string]any{of.Node: v}, nil))
	if err != nil || got == nil {
		return ""
	}
	raw, err := value.Encode(got)
	if err != nil {
		return ""
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}
