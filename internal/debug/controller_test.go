package debug_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/debug"
)

// Many sessions at once do not disturb each other.
func TestManyAtOnce(t *testing.T) {
	c := debug.New(debug.Options{Keep: 1000})
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
				_ = s.Resume() // has ended, or goes on
			}
			if n, _ := s.State().Result.(value.Object).Get("n"); n != float64(i+1) {
				t.Errorf("counted to %v, want %d", n, i+1)
			}
		})
	}
	all.Wait()
	if len(c.Sessions()) != 40 {
		t.Errorf("%d sessions", len(c.Sessions()))
	}
	c.Close()
}

// Close ends what is held and what is called, and waits for it.
func TestClose(t *testing.T) {
	c := debug.New(debug.Options{})
	caller, called, _ := blocked()
	calling, err := c.Start(context.Background(), build(t), count(1), execution.New(caller), debug.StartOptions{})
	do(t, err)
	held, err := c.Start(context.Background(), build(t), count(1), execution.New(inc), debug.StartOptions{Pause: true})
	do(t, err)
	<-called
	at(t, held, "entry", debug.AtStart)
	events, _ := held.Subscribe(0)
	c.Close()
	for range events { // closed at last
	}
	for _, s := range []*debug.Session{calling, held} {
		ended(t, s, debug.Stopped, "")
	}
}

// Of the sessions that have ended, the last ones are kept.
func TestKeep(t *testing.T) {
	c := debug.New(debug.Options{Keep: 2})
	defer c.Close()
	var ids []string
	for range 5 {
		s, err := c.Start(t.Context(), build(t), count(1), execution.New(inc), debug.StartOptions{})
		do(t, err)
		<-s.Done()
		ids = append(ids, s.ID())
	}
	var kept []string
	for _, s := range c.Sessions() {
		kept = append(kept, s.ID())
	}
	if !slices.Equal(kept, ids[3:]) {
		t.Errorf("kept %v of %v", kept, ids)
	}
	if _, there := c.Session(ids[0]); there {
		t.Error("the oldest is still there")
	}
	if _, there := c.Session(ids[4]); !there {
		t.Error("the newest is gone")
	}
}
