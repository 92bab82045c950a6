package mcpclient

import (
	"context"
	"errors"
	"sync"
)

// turns are the calls on a pipe of the older era whose server may ask. Its questions do not
// name their call, so calls go one at a time; one that waits for its user lets the next one
// go, and a question is of the call that could have asked it. That holds as long as a call
// has one question at a time. Safe for concurrent use.
type turns struct {
	token chan struct{} // holds one while a call goes on that has not asked

	mu      sync.Mutex // guards what follows
	calls   map[*turn]struct{}
	unclear int           // questions that wait until their call is known
	changed chan struct{} // closed, and made anew, when a call could be known since
}

// turn is one call in flight.
type turn struct {
	watch  *watch
	holds  bool // the token
	asking int  // questions without an answer
}

var (
	errNoCall  = errors.New("there is no call in flight for which it could be")
	errUnclear = errors.New("more than one call in flight could have asked it, and it does not say which")
)

func newTurns() *turns {
	return &turns{token: make(chan struct{}, 1), calls: map[*turn]struct{}{}, changed: make(chan struct{})}
}

// wait waits until the calls before have ended or wait for their user. The caller ends the
// turn.
func (t *turns) wait(ctx context.Context) (*turn, error) {
	select {
	case t.token <- struct{}{}:
		return &turn{holds: true}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin notes that the call is sent, and may ask.
func (t *turns) begin(c *turn, w *watch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.watch = w
	t.calls[c] = struct{}{}
}

func (t *turns) end(c *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.calls, c)
	t.yield(c)
	t.wake()
}

// yield lets the next call go; mu is held.
func (t *turns) yield(c *turn) {
	if c.holds {
		c.holds = false
		<-t.token
	}
}

// wake has the calls of questions looked for again; mu is held.
func (t *turns) wake() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// busy reports whether a call waits for its user.
func (t *turns) busy() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.calls {
		if c.asking > 0 {
			return true
		}
	}
	return false
}

// claim is called as a question is read, in the order of the pipe. What it returns waits
// until the call is known for which it is, if need be for calls to end; then that call lets
// others go until answered is called.
func (t *turns) claim() func() (w *watch, answered func(), err error) {
	c, changed, err := t.asker(false)
	return func() (*watch, func(), error) {
		for changed != nil {
			<-changed
			c, changed, err = t.asker(true)
		}
		if err != nil {
			return nil, nil, err
		}
		return c.watch, func() { t.answered(c) }, nil
	}
}

// asker is the call of a question, or what to wait for before it can be known; waited
// reports whether the question has waited already.
func (t *turns) asker(waited bool) (c *turn, changed chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if waited {
		t.unclear--
	}
	able := 0 // calls that can have asked: those that do not wait for an answer already
	for call := range t.calls {
		if call.asking == 0 {
			able++
			c = call
		} else if len(t.calls) == 1 {
			c = call
		}
	}
	switch {
	case len(t.calls) == 0:
		return nil, nil, errNoCall
	case c == nil, able > 1 && t.unclear+1 >= able:
		return nil, nil, errUnclear // if each of them has asked, none of them ends
	case able > 1:
		t.unclear++
		return nil, t.changed, nil
	}
	c.asking++
	t.yield(c)
	t.wake()
	return c, nil, nil
}

// answered is the end of a question. Its call holds up others again, if none has begun.
func (t *turns) answered(c *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.asking--; c.asking > 0 {
		return
	}
	if _, flies := t.calls[c]; !flies {
		return
	}
	select {
	case t.token <- struct{}{}:
		c.holds = true
	default:
	}
}
