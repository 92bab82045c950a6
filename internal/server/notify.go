package server

import (
	"slices"
	"strconv"
	"strings"

	"toolgraph/expressions/value"
)

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
