package server

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"toolgraph/expressions/value"
)

// Watch is called while a run executes. A function whose calls would have no effect is nil.
type Watch struct {
	// Step is called in the run's goroutine after each step, with its node and its index.
	Step func(node string, index int)
	// Call is called before a node calls an upstream server.
	Call func(node string)
	// Part is called after each part of a step that makes several calls: done of count parts have
	// ended, and done grows by one. Step, Call and Part are never called at the same time.
	Part func(node string, done, count int)
	// Progress takes the progress of the calls of the current step, as their servers report it;
	// total is 0 when it is unknown. It never blocks and may be called in any goroutine.
	Progress func(done, total float64, message string)
}

const (
	// heartbeat is the longest time between two notifications to a client with a
	// progressToken. Clients give up a silent call after 60 s, some after 30.
	heartbeat = 10 * time.Second
	// breath is the shortest time between two notifications within a step: reports of
	// upstream servers during it become one notification.
	breath = 250 * time.Millisecond
	// partBreath is breath for a step that is made of parts.
	partBreath = 100 * time.Millisecond
	// mostWithin is the largest fraction of a step that is reported before it has finished. The
	// rest is left for the notification of the finished step.
	mostWithin = 0.999
	// slowness is the number of heartbeats after which a step counts as half done.
	slowness = 1000
)

// follower reports the progress of a run to its client, through the current call: in the
// modern era each question ends a call, and the run continues in another. Progress is the
// number of finished steps plus a fraction of the current step. It grows with each notification;
// the total is unknown. Safe for concurrent use.
type follower struct {
	news chan struct{} // holds one: a part has ended, or an upstream server has reported

	mu     sync.Mutex // guards what follows; never held while something is sent
	at     *call      // the current call; nil between two calls
	done   int        // steps
	within float64    // fraction of the current step, by its parts and the reports of its servers
	sent   int        // notifications during the current step
	last   float64    // the last progress that was sent
	node   string     // the current node
	parts  string     // "17/200": the parts of the current step that have ended; "" without parts
	text   string     // the last message of its upstream server; "" for none
	fresh  bool       // something of the current step was not sent yet
}

func newFollower() *follower { return &follower{news: make(chan struct{}, 1)} }

// attend makes c the current call until leave is called; after that nothing is sent. With a
// progressToken the client gets a notification at each heartbeat.
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

// beat sends the heartbeats of a call, and the reports of upstream servers, until quit is
// closed.
func (f *follower) beat(c *call, quit <-chan struct{}) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-quit:
			return
		case <-tick.C:
			f.report(c, true)
		case <-f.news:
			f.report(c, false)
		}
		select {
		case <-quit:
			return
		case <-time.After(f.pause()):
		}
	}
}

// report sends a notification within a step; unless always, only of what was not sent yet: the step
// may have finished since beat was woken.
func (f *follower) report(c *call, always bool) {
	c.notify(func(dst []byte) []byte {
		progress, message, ok := f.next(always)
		if !ok {
			return dst
		}
		return c.appendProgress(dst, progress, message)
	})
}

// pause is the shortest time before the next notification within the step.
func (f *follower) pause() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.parts != "" {
		return partBreath
	}
	return breath
}

func (f *follower) set(c *call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = c
}

// current returns the current call, or nil.
func (f *follower) current() *call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

// took records a finished step and returns the progress.
func (f *follower) took(node string, index int) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done, f.within, f.sent, f.node, f.parts, f.text, f.fresh = index+1, 0, 0, node, "", "", false
	return f.grow(float64(f.done))
}

// calling records that the current step calls an upstream server.
func (f *follower) calling(node string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.node, f.parts, f.text, f.fresh = node, "", "", false
}

// parted records that a part of the current step has ended. The notification of the last part
// is sent at once, that of another one when the client has had a pause.
func (f *follower) parted(node string, done, count int) {
	f.mu.Lock()
	f.node, f.parts, f.text, f.fresh = node, fmt.Sprintf("%d/%d", done, count), "", true
	f.advance(float64(done) / float64(count))
	c := f.at
	f.mu.Unlock()
	switch {
	case done < count:
		f.wake()
	case c != nil && c.token != nil:
		select {
		case <-f.news: // the notification has it
		default:
		}
		f.report(c, false)
	}
}

// heard records a report of an upstream server.
func (f *follower) heard(done, total float64, message string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if total > 0 {
		f.advance(done / total)
	}
	if message != "" {
		f.text = message
	}
	f.fresh = true
	f.wake()
}

// advance records that a fraction of the current step is done, unless more was; mu is held.
func (f *follower) advance(to float64) {
	if to = min(to, mostWithin); to > f.within { // NaN is not
		f.within = to
	}
}

// wake lets beat send a notification.
func (f *follower) wake() {
	select {
	case f.news <- struct{}{}:
	default:
	}
}

// next returns a notification within a step. The missing fraction of the step shrinks with its
// parts and the reports of the upstream server, and a little with each notification. Unless
// always, there is none when another notification had all of it.
func (f *follower) next(always bool) (progress float64, message string, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !always {
		if !f.fresh {
			return 0, "", false
		}
		f.fresh = false
	}
	f.sent++
	missing := (1 - f.within) * slowness / (slowness + float64(f.sent))
	message = f.node
	if f.parts != "" {
		message += " " + f.parts
	}
	if f.text != "" {
		message += ": " + f.text
	}
	return f.grow(float64(f.done) + 1 - missing), message, true
}

// grow returns progress, or the smallest number above the last progress; mu is held.
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

// severity is the level of a log message. A client gets messages of the level that it asks
// for and above.
type severity int

// The levels in use; silent is for a client that has not asked for log messages.
const (
	silent  severity = 0
	debug   severity = 1
	failure severity = 5 // "error"
)

// levelNames are the protocol's, the least severe first.
var levelNames = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func (l severity) String() string { return levelNames[l-1] }

// parseLevel reads the level in a request.
func parseLevel(raw []byte) (severity, *rpcError) {
	i := slices.Index(levelNames, text(raw))
	if i < 0 {
		return silent, invalidParams("level: expected one of " + strings.Join(levelNames, ", ") + ", got " + describeRaw(raw))
	}
	return severity(i + 1), nil
}

// wants reports whether the client gets messages of a level.
func (c *call) wants(l severity) bool { return c.level != silent && c.level <= l && c.notify != nil }

// watch returns the functions that report a run to the client. The lines of steps are sent
// in order and before the answer, because the goroutine of the run sends all of them.
func (c *call) watch() (w Watch) {
	if c.follower == nil {
		return w
	}
	w.Step = c.follower.step
	if c.token != nil {
		w.Call, w.Part, w.Progress = c.follower.calling, c.follower.parted, c.follower.heard
	}
	return w
}

// step sends a finished step to the client, as progress and as a log message.
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

// failed sends the reason of a failed run as a log message.
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

// appendLog appends a log message without the end of its data.
func (c *call) appendLog(dst []byte, l severity, message string) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"`+l.String()+`","logger":"run","data":{"tool":`...)
	dst = value.AppendString(dst, c.tool.name)
	return value.AppendString(append(dst, `,"message":`...), c.from.secrets.Redact(message))
}
