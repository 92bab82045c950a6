package debug_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/debugger/debug"
)

// Many sessions at once do not disturb each other.
func TestManyAtOnce(t *testing.T) {
	c := debug.New()
	g, engine := build(t), execution.New(inc)
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			s, err := c.Start(context.Background(), g, count(i+1), engine, debug.StartOptions{
				Breakpoints: []debug.Breakpoint{{Node: "add", Condition: fmt.Sprintf("$.add = %d", i/2)}},
			})
			if err != nil {
				t.Error(err)
				return
			}
			for s.State().Status != debug.Finished {
				if err := s.Wait(context.Background()); err != nil {
					t.Error(err)
				}
				_ = s.Resume("") // has ended, or goes on
			}
			if n, _ := s.State().Result.(value.Object).Get("n"); n != float64(i+1) {
				t.Errorf("counted to %v, want %d", n, i+1)
			}
		})
	}
	all.Wait()
	c.Close()
}

// Close ends what is held and what is called, and waits for it.
func TestClose(t *testing.T) {
	c := debug.New()
	caller, called, _ := blocked()
	calling, err := c.Start(context.Background(), build(t), count(1), execution.New(caller), debug.StartOptions{})
	do(t, err)
	held, err := c.Start(context.Background(), build(t), count(1), execution.New(inc), debug.StartOptions{Pause: true})
	do(t, err)
	<-called
	at(t, held, "entry", debug.AtStart)
	_, changed := held.StateAndChange()
	c.Close()
	<-changed
	for _, s := range []*debug.Session{calling, held} {
		ended(t, s, debug.Stopped, "")
	}
}

// The controller lets go of sessions that have ended; who shows one keeps it.
func TestEndedSessionsAreReleased(t *testing.T) {
	c := debug.New()
	for range 5 {
		s, err := c.Start(t.Context(), build(t), count(1), execution.New(inc), debug.StartOptions{})
		do(t, err)
		<-s.Done()
	}
	held, err := c.Start(t.Context(), build(t), count(1), execution.New(inc), debug.StartOptions{Pause: true})
	do(t, err)
	at(t, held, "entry", debug.AtStart)
	for all := c.Sessions(); len(all) != 1; all = c.Sessions() { // a run that has ended is released a moment later
		time.Sleep(time.Millisecond)
	}
	if c.Sessions()[0] != held {
		t.Error("the session that has not ended was released")
	}
	c.Close()
	if all := c.Sessions(); len(all) != 0 {
		t.Errorf("%d sessions after Close", len(all))
	}
}
