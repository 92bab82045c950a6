package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// The diary is a file, whose path is the mode diary=PATH, to which a line is appended
// when something happens, in the order in which it happens: "in N" and "out N" for the
// call of hold with {n: N}, "eof" for the end of the input, "term" for a SIGTERM that is
// ignored, "late N" for an answer to a cancelled call, "done TOOL" at the end of a
// call, "hang" for a call of that name.
//
//	hold           {n}: answers n when the file of the mode gate=PATH exists, or nothing
//	               when cancelled
//	latecancel     {n}: answers n once it is cancelled
//	flying         the number of other calls in flight
//	heard          the methods of the requests so far, one after the other
func diaryTools() map[string]func(*call) {
	return map[string]func(*call){
		"hold":       (*call).hold,
		"latecancel": (*call).lateCancel,
		"flying": func(c *call) {
			c.mu.Lock()
			n := len(c.flying) - 1
			c.mu.Unlock()
			c.text(fmt.Sprint(n))
		},
		"heard": func(c *call) {
			c.mu.Lock()
			methods := c.methods
			c.mu.Unlock()
			c.showAll(methods)
		},
	}
}

// note appends a line to the diary, if there is one.
func (s *server) note(format string, args ...any) {
	path := s.modes["diary"]
	if path == "" {
		return
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, format+"\n", args...)
		_ = f.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the diary:", err)
	}
}

// openGate closes the channel when the gate's file exists.
func (s *server) openGate() {
	path := s.modes["gate"]
	if path == "" {
		return
	}
	for {
		if _, err := os.Stat(path); err == nil {
			close(s.gate)
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func (c *call) hold() {
	c.note("in %v", c.in.N)
	select {
	case <-c.gate:
		c.note("out %v", c.in.N) // before the answer, which makes room for another call
		c.text(fmt.Sprint(c.in.N))
	case <-c.cancelled:
		c.note("out %v", c.in.N)
	}
}

func (c *call) lateCancel() {
	c.note("in %v", c.in.N)
	<-c.cancelled
	c.text(fmt.Sprint(c.in.N))
	c.note("late %v", c.in.N)
}

// ignoreTerm makes SIGTERM an entry in the diary and nothing else.
func (s *server) ignoreTerm() {
	came := make(chan os.Signal, 1)
	signal.Notify(came, syscall.SIGTERM)
	go func() {
		for range came {
			s.note("term")
		}
	}()
}
