package server

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

var (
	errOutboxClosed = errors.New("the connection is closed")
	// errStalled is a client that reads nothing for the stall time.
	errStalled = errors.New("the client has stopped reading its answers")
	// errUnread is a client that reads nothing while answers accumulate.
	errUnread = fmt.Errorf("%w: more than %d MiB are unread", errStalled, unreadMost>>20)
)

// unreadMost is the limit of bytes that accumulate while the client reads none, without the
// line that it is about to read.
const unreadMost = 64 << 20

// outbox writes complete lines in the order in which they are put. A goroutine that puts a
// line while no other is writing becomes the writer, and also writes the lines that others
// put meanwhile: one write for one answer, few writes for many. Safe for concurrent use.
type outbox struct {
	out   io.Writer
	limit int           // bytes that may wait
	stall time.Duration // how long a full outbox waits for the client

	mu      sync.Mutex // guards what follows; not held during a write
	room    *sync.Cond // signalled when waiting shrinks, or err is set
	waiting []byte
	spare   []byte
	writing bool
	taken   int64         // bytes that the client has read
	unread  int           // bytes that were added since then, here or in blocked writers
	err     error         // set once
	dead    chan struct{} // closed when a failure sets err
}

func newOutbox(out io.Writer, limit int, stall time.Duration) *outbox {
	o := &outbox{out: out, limit: limit, stall: stall, dead: make(chan struct{})}
	o.room = sync.NewCond(&o.mu)
	return o
}

// put adds the lines that fill appends and writes them, unless another goroutine is writing
// and will. It blocks while the outbox is full. The error is why the connection has ended.
func (o *outbox) put(fill func([]byte) []byte) error {
	mine, err := o.add(0, fill)
	if mine {
		o.flush()
	}
	return err
}

// putLater is put for the goroutine that reads: it never writes itself, because a
// client that does not read must not block the reading of its cancellations.
func (o *outbox) putLater(fill func([]byte) []byte) error {
	mine, err := o.add(0, fill)
	if mine {
		go o.flush()
	}
	return err
}

// add is put without the write. held is the number of bytes that the caller holds while it
// waits for room. If mine is true the caller must call flush.
func (o *outbox) add(held int, fill func([]byte) []byte) (mine bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.unread > unreadMost {
		o.failLocked(errUnread)
	}
	o.count(held)
	if err := o.waitForRoom(); err != nil {
		return false, err
	}
	before := len(o.waiting)
	o.waiting = fill(o.waiting)
	o.count(len(o.waiting) - before - held)
	if o.writing {
		return false, nil
	}
	o.writing = true
	return true, nil
}

// count counts bytes that wait behind others; mu is held.
func (o *outbox) count(n int) {
	if o.writing && o.err == nil {
		o.unread += n
	}
}

// waitForRoom is called with mu held.
func (o *outbox) waitForRoom() error {
	if o.err != nil || len(o.waiting) < o.limit {
		return o.err
	}
	defer o.watch(o.stall)()
	for o.err == nil && len(o.waiting) >= o.limit {
		o.room.Wait()
	}
	return o.err
}

const (
	// chunk limits one write to the size of a pipe, so that a slow client can be distinguished
	// from one that has stopped.
	chunk = 64 << 10
	// spareMost is the limit of a buffer that is reused.
	spareMost = 1 << 20
)

// flush writes until the outbox is empty.
func (o *outbox) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.waiting) > 0 && o.err == nil {
		batch := o.waiting
		o.waiting, o.spare = o.spare[:0], nil
		o.room.Broadcast()
		o.write(batch)
		if cap(batch) <= spareMost {
			o.spare = batch
		}
	}
	o.writing = false
	o.room.Broadcast()
}

// write is called with mu held and releases it while it writes.
func (o *outbox) write(batch []byte) {
	for len(batch) > 0 && o.err == nil {
		part := batch[:min(len(batch), chunk)]
		o.mu.Unlock()
		n, err := o.out.Write(part)
		o.mu.Lock()
		o.taken += int64(n)
		o.unread = 0
		batch = batch[n:]
		if err == nil && n == 0 {
			err = io.ErrShortWrite
		}
		if err != nil {
			o.failLocked(err)
		}
	}
}

// watch ends the outbox when the client reads nothing for the given time. It is called with
// mu held, and so is stop.
func (o *outbox) watch(patience time.Duration) (stop func()) {
	seen, stopped := o.taken, false
	var timer *time.Timer
	timer = time.AfterFunc(patience, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if stopped {
			return
		}
		if o.taken == seen {
			o.failLocked(errStalled)
			return
		}
		seen = o.taken
		timer.Reset(patience)
	})
	return func() {
		stopped = true
		timer.Stop()
	}
}

// failLocked ends the outbox: waiting lines are dropped and put returns err.
func (o *outbox) failLocked(err error) {
	if o.err != nil {
		return
	}
	o.err, o.waiting = err, nil
	close(o.dead)
	o.room.Broadcast()
}

// close waits until all lines are written, unless the client reads nothing for the given
// time, and then ends the outbox. It returns the error of a failed write.
func (o *outbox) close(patience time.Duration) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.writing {
		defer o.watch(patience)()
	}
	for o.writing && o.err == nil {
		o.room.Wait()
	}
	err := o.err
	if err == nil {
		o.err = errOutboxClosed
	}
	return err
}
