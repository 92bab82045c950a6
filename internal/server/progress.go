package server

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"toolgraph/expressions/value"
)

// Watch is called as a run goes on. A function whose calls would lead to nothing is nil.
type Watch struct {
	// Step is called in the run's goroutine after each step, with its node and its index.
	Step func(node string, index int)
	// Call is called in the run's goroutine before a node calls an upstream server.
	Call func(node string)
	// Progress takes what an upstream server reports of a call in flight; total is 0 when it
	// is unknown. It returns at once, for any values, at any rate, in any goroutine.
	Progress func(done, total float64, message string)
}

const (
	// heartbeat is how often a client with a progressToken hears of its call at least. Hosts
	// give up a silent call after 60 s, some after 30.
	heartbeat = 10 * time.Second
	// breath is the shortest time between two notifications that are no steps: what
	// upstream servers report meanwhile is one notification.
	breath = 250 * time.Millisecond
	// partMost is how much of a step its upstream server can report: the step's own
	// notification is the rest.
	partMost = 0.999
	// slowness is how many heartbeats take a step to its half.
	slowness = 1000
)

// follower leads what happens in a run to its client, by the call at hand: in the modern
// era each question ends a call, and the run goes on with another. Progress is the number of
// steps so far and a part of the step under way, and grows with each notification; how many
// there will be is unknown. Safe for concurrent use.
type follower struct {
	news chan struct{} // holds one: an upstream server has reported

	mu   sync.Mutex // guards what follows; never held while something is sent
	at   *call      // the call at hand; nil: there is none
	done int        // steps
	part float64    // of the step under way, as its upstream server reports; below 1
	sent int        // notifications during the step under way
	last float64    // the progress that was sent last
	node string     // which was reached last
	text string     // what its upstream server says; "" for nothing
}

func newFollower() *follower { return &follower{news: make(chan struct{}, 1)} }

// attend makes c the call at hand until leave is called, after which nothing is sent any
// more. With a progressToken the client hears of the run at each heartbeat.
func (f *follower) attend(c *call) (leave func()) {
	f.set(c)
	if c.token == nil {
		return func() { f.set(nil) }
	}
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		f.beat(c, quit)
	}()
	return func() {
		f.set(nil)
		close(quit)
		<-ended
	}
}

// beat sends the heartbeats of a call, and what upstream servers report, until quit is
// closed.
func (f *follower) beat(c *call, quit <-chan struct{}) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-quit:
			return
		case <-tick.C:
		case <-f.news:
		}
		c.notify(func(dst []byte) []byte {
			progress, message := f.next()
			return c.appendProgress(dst, progress, message)
		})
		select {
		case <-quit:
			return
		case <-time.After(breath):
		}
	}
}

func (f *follower) set(c *call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = c
}

// current is the call at hand, or nil.
func (f *follower) current() *call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

// took notes a step and is the progress that comes with it.
func (f *follower) took(node string, index int) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done, f.part, f.sent, f.node, f.text = index+1, 0, 0, node, ""
	return f.grow(float64(f.done))
}

// calling notes that the step under way calls an upstream server.
func (f *follower) calling(node string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.node, f.text = node, ""
}

// heard notes what an upstream server reports.
func (f *follower) heard(done, total float64, message string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if part := min(done/total, partMost); total > 0 && part > f.part { // NaN is not
		f.part = part
	}
	if message != "" {
		f.text = message
	}
	select {
	case f.news <- struct{}{}:
	default:
	}
}

// next is a notification during a step: what is missing of the step shrinks with what the
// upstream server reports, and a little with each notification.
func (f *follower) next() (progress float64, message string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent++
	missing := (1 - f.part) * slowness / (slowness + float64(f.sent))
	message = f.node
	if f.text != "" {
		message += ": " + f.text
	}
	return f.grow(float64(f.done) + 1 - missing), message
}

// grow is the progress, or a hair more than the last when it would not be more; mu is held.
func (f *follower) grow(progress float64) float64 {
	f.last = max(progress, math.Nextafter(f.last, math.Inf(1)))
	return f.last
}

func (c *call) appendProgress(dst []byte, progress float64, message string) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`...)
	dst = append(append(dst, c.token...), `,"progress":`...)
	dst = strconv.AppendFloat(dst, progress, 'f', -1, 64)
	if message != "" {
		dst = value.AppendString(append(dst, `,"message":`...), c.from.secrets.Redact(message))
	}
	return append(dst, "}}\n"...)
}

// severity is how grave a log message is. A client gets those of the level that it asks
// for and above.
type severity int

// The levels that we use; silent is that of a client that has asked for nothing.
const (
	silent  severity = 0
	debug   severity = 1
	failure severity = 5 // "error"
)

// levelNames are the protocol's, the least severe first.
var levelNames = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func (l severity) String() string { return levelNames[l-1] }

// parseLevel reads a level that a client names.
func parseLevel(raw []byte) (severity, *rpcError) {
	i := slices.Index(levelNames, text(raw))
	if i < 0 {
		return silent, invalidParams("level: expected one of " + strings.Join(levelNames, ", ") + ", got " + describeRaw(raw))
	}
	return severity(i + 1), nil
}

// wants reports whether messages of a level go to the client.
func (c *call) wants(l severity) bool { return c.level != silent && c.level <= l && c.notify != nil }

// watch leads what happens in the run of a call to its client. The lines of steps go out in
// order and before the answer, because the run's goroutine sends them and the answer after
// them.
func (c *call) watch() (w Watch) {
	if c.follower == nil {
		return w
	}
	w.Step = c.follower.step
	if c.token != nil {
		w.Call, w.Progress = c.follower.calling, c.follower.heard
	}
	return w
}

// step sends a step to the client of the call at hand, as progress and as a log message.
func (f *follower) step(node string, index int) {
	c := f.current()
	if c == nil || c.token == nil {
		f.took(node, index)
	} else {
		c.notify(func(dst []byte) []byte { return c.appendProgress(dst, f.took(node, index), node) })
	}
	if c != nil && c.wants(debug) {
		c.notify(func(dst []byte) []byte {
			dst = c.appendLog(dst, debug, "step "+node+" has finished")
			dst = value.AppendString(append(dst, `,"node":`...), node)
			dst = strconv.AppendInt(append(dst, `,"executionIndex":`...), int64(index), 10)
			return append(dst, "}}}\n"...)
		})
	}
}

// failed sends the client why its run has failed, when it wants to know apart from the
// answer.
func (c *call) failed(message string) {
	if c.follower == nil {
		return
	}
	if at := c.follower.current(); at != nil && at.wants(failure) {
		at.notify(func(dst []byte) []byte {
			return append(at.appendLog(dst, failure, message), "}}}\n"...)
		})
	}
}

// appendLog appends a log message, up to where its data may go on.
func (c *call) appendLog(dst []byte, l severity, message string) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"`+l.String()+`","logger":"run","data":{"tool":`...)
	dst = value.AppendString(dst, c.tool.name)
	return value.AppendString(append(dst, `,"message":`...), c.from.secrets.Redact(message))
}
