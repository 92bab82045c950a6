package server

import (
	"slices"
	"strconv"
	"strings"
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
		return silent, &rpcError{code: codeInvalidParams, message: "level: expected one of " + strings.Join(levelNames, ", ") + ", got " + describeRaw(raw)}
	}
	return severity(i + 1), nil
}

// wants reports whether messages of a level go to the client.
func (c *call) wants(l severity) bool { return c.level != silent && c.level <= l && c.notify != nil }

// observer tells the client of each step, as progress and as log messages; nil when it
// wants neither. The lines go out in order and before the answer, because the run's
// goroutine sends them and the answer after them.
func (c *call) observer() func(step string, index int) {
	log := c.wants(debug)
	if c.token == nil && !log {
		return nil
	}
	return func(step string, index int) {
		if c.token != nil {
			c.notify(func(dst []byte) []byte { return c.appendProgress(dst, step, index) })
		}
		if log {
			c.notify(func(dst []byte) []byte {
				dst = c.appendLog(dst, debug, "step "+step+" has finished")
				dst = appendString(append(dst, `,"node":`...), step)
				dst = strconv.AppendInt(append(dst, `,"executionIndex":`...), int64(index), 10)
				return append(dst, "}}}\n"...)
			})
		}
	}
}

// failed tells the client why its run has failed, when it wants to know apart from the
// answer.
func (c *call) failed(message string) {
	if !c.wants(failure) {
		return
	}
	c.notify(func(dst []byte) []byte {
		return append(c.appendLog(dst, failure, message), "}}}\n"...)
	})
}

func (c *call) appendProgress(dst []byte, step string, index int) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`...)
	dst = append(append(dst, c.token...), `,"progress":`...)
	dst = strconv.AppendInt(dst, int64(index)+1, 10)
	dst = appendString(append(dst, `,"message":`...), step)
	return append(dst, "}}\n"...)
}

// appendLog appends a log message, up to where its data may go on.
func (c *call) appendLog(dst []byte, l severity, message string) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"`+l.String()+`","logger":"run","data":{"tool":`...)
	dst = appendString(dst, c.tool.name)
	return appendString(append(dst, `,"message":`...), c.from.redact(message))
}
