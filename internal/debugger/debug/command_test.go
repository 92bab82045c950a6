package debug_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/debugger/debug"
)

// blocked is a caller whose calls wait to be let go.
func blocked() (caller callerFunc, called, letGo chan struct{}) {
	called, letGo = make(chan struct{}), make(chan struct{})
	return func(ctx context.Context, args value.Value) (value.Value, error) {
		called <- struct{}{}
		select {
		case <-letGo:
			return inc(ctx, args)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}, called, letGo
}

// A pause that is asked for during a call takes effect after it.
func TestPauseDuringCall(t *testing.T) {
	caller, called, letGo := blocked()
	s := start(t, caller, debug.StartOptions{})
	<-called
	do(t, s.Pause())
	if state := s.State(); state.Status != debug.Running || !state.Pausing || state.Current.Tool != "inc" {
		t.Errorf("during the call: %+v", state)
	}
	close(letGo)
	at(t, s, "more", debug.OnPause)
	do(t, s.Resume(""))
	<-called
	<-called
	ended(t, s, debug.Finished, counted)
}

// Continue takes back a pause that has not come yet.
func TestPauseTakenBack(t *testing.T) {
	caller, called, letGo := blocked()
	s := start(t, caller, debug.StartOptions{})
	<-called
	if err := s.Resume(""); err == nil {
		t.Error("a run that is not about to pause was continued")
	}
	do(t, s.Pause())
	do(t, s.Resume(""))
	if state := s.State(); state.Status != debug.Running || state.Pausing {
		t.Errorf("during the call: %+v", state)
	}
	close(letGo)
	<-called
	<-called
	ended(t, s, debug.Finished, counted)
}

func TestStop(t *testing.T) {
	caller, called, _ := blocked()
	s := start(t, caller, debug.StartOptions{})
	<-called
	s.Stop()
	state := ended(t, s, debug.Stopped, "")
	if state.Error == nil || state.Error.Code != execution.CodeCancelled {
		t.Errorf("stopped: %+v", state)
	}
	held := start(t, inc, debug.StartOptions{Pause: true})
	at(t, held, "entry", debug.AtStart)
	held.Stop()
	held.Stop()
	ended(t, held, debug.Stopped, "")
}

// A run that fails by itself has another status than one that was stopped.
func TestFailure(t *testing.T) {
	broken := callerFunc(func(context.Context, value.Value) (value.Value, error) {
		return nil, errors.New("out of paper")
	})
	state := ended(t, start(t, broken, debug.StartOptions{}), debug.Failed, "")
	if state.Error.Code != execution.CodeTool || !strings.Contains(state.Message, "out of paper") || !strings.Contains(state.Message, "path: ") {
		t.Errorf("failed: %+v", state)
	}
}
