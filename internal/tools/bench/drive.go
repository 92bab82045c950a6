package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"time"
)

// silence is how long a peer may leave a slice of calls unfinished before it is killed.
const silence = 60 * time.Second

// tally is the outcome of calls.
type tally struct {
	right  int
	faults map[string]int // wrong answers and errors by kind, digits as #
	took   time.Duration
	each   []time.Duration // of the right answers, with one call in flight
}

func (t *tally) fault(kind string) {
	if t.faults == nil {
		t.faults = map[string]int{}
	}
	t.faults[faultKind(kind)]++
}

// add adds the outcome of further calls.
func (t *tally) add(more tally) {
	t.right += more.right
	t.took += more.took
	t.each = append(t.each, more.each...)
	for kind, n := range more.faults {
		if t.faults == nil {
			t.faults = map[string]int{}
		}
		t.faults[kind] += n
	}
}

func (t *tally) failed() int {
	n := 0
	for _, count := range t.faults {
		n += count
	}
	return n
}

// check counts the answer to the call of its id.
func (t *tally) check(w *workload, a *answer) bool {
	value, fault := a.value()
	if fault != "" {
		t.fault(fault)
		return false
	}
	if !sameJSON(value, []byte(w.call(a.id()).want)) {
		t.fault("wrong answer: " + string(value))
		return false
	}
	t.right++
	return true
}

// drive keeps calls of w in flight for at least span, at least one each, and until
// all are answered. The error is the conversation's end.
func (c *conn) drive(w *workload, span time.Duration) (tally, error) {
	watch := time.AfterFunc(span+silence, c.kill)
	defer watch.Stop()
	if w.inflight == 1 {
		return c.driveOne(w, span)
	}
	return c.driveMany(w, span)
}

// driveOne has no second goroutine, so that none is in the latencies.
func (c *conn) driveOne(w *workload, span time.Duration) (tally, error) {
	var t tally
	var line []byte
	begin := time.Now()
	for first := true; first || time.Since(begin) < span; first = false {
		id := c.next
		line = c.appendCall(line[:0], w.tool, w.call(id).args)
		sent := time.Now()
		if _, err := c.in.Write(line); err != nil {
			t.fault("the process ended")
			return t, err
		}
		a, err := c.read()
		took := time.Since(sent)
		if err != nil {
			t.fault("the process ended")
			return t, err
		}
		if a.id() != id {
			t.fault("an answer without a call")
			return t, errors.New("the answers are out of step")
		}
		if t.check(w, a) {
			t.each = append(t.each, took)
		}
	}
	t.took = time.Since(begin)
	return t, nil
}

func (c *conn) driveMany(w *workload, span time.Duration) (tally, error) {
	var t tally
	wanted := make(chan struct{}, w.inflight)
	for range w.inflight {
		wanted <- struct{}{}
	}
	first, open := c.next, w.inflight
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write(w, wanted)
	}()
	begin := time.Now()
	seen := make([]bool, w.inflight)
	var err error
	for open > 0 {
		var a *answer
		if a, err = c.read(); err != nil {
			for range open {
				t.fault("the process ended")
			}
			c.kill() // ends a blocked write
			break
		}
		i := a.id() - first
		if i < 0 || i >= int64(len(seen)) || seen[i] {
			t.fault("an answer without a call")
			continue
		}
		seen[i] = true
		t.check(w, a)
		open--
		if time.Since(begin) < span {
			wanted <- struct{}{}
			seen = append(seen, false)
			open++
		}
	}
	t.took = time.Since(begin)
	close(wanted)
	<-written
	return t, err
}

// write sends a call for each element of wanted; several that wait are one write.
func (c *conn) write(w *workload, wanted <-chan struct{}) {
	var lines []byte
	var err error
	for range wanted {
		lines = c.appendCall(lines[:0], w.tool, w.call(c.next).args)
		for range len(wanted) {
			<-wanted
			lines = c.appendCall(lines, w.tool, w.call(c.next).args)
		}
		if err == nil { // the reader notices the end itself
			_, err = c.in.Write(lines)
		}
	}
}

func sameJSON(got, want []byte) bool {
	if bytes.Equal(got, want) {
		return true
	}
	var a, b any
	if json.Unmarshal(got, &a) != nil || json.Unmarshal(want, &b) != nil {
		return false
	}
	return reflect.DeepEqual(a, b)
}

// faultKind is a message without the parts that differ between faults of one cause.
func faultKind(message string) string {
	const most = 120
	kind := make([]rune, 0, most)
	for _, r := range message {
		switch {
		case r >= '0' && r <= '9':
			if len(kind) > 0 && kind[len(kind)-1] == '#' {
				continue
			}
			r = '#'
		case r < ' ':
			r = ' '
		}
		if kind = append(kind, r); len(kind) == most {
			return string(kind) + "…"
		}
	}
	return string(kind)
}
