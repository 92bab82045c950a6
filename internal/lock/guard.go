package lock

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/mcpclient"
)

// The codes of refused calls.
const (
	CodeChanged   = "definition-changed" // the server tells the tool otherwise than when it was locked
	CodeNotLocked = "not-locked"         // the lock has no such tool
)

// Guard refuses the calls of tools that are not what the lock has. It compares what is
// known of a tool at the time of the call, whatever the graph's file was checked with.
func (l *Lock) Guard(file *config.File) mcpclient.ToolCheck {
	remedy := remedyFor(file)
	return func(server string, tool mcpclient.Tool) *mcpclient.Error {
		i := slices.IndexFunc(file.Servers, func(u *config.Upstream) bool { return u.Name.Value == server })
		was, known := l.Entry(server, tool.Name)
		if !known || i < 0 {
			return &mcpclient.Error{
				Code: CodeNotLocked, Message: fmt.Sprintf("not called, because %s does not have the tool", l.Name), Hint: l.meant(server, tool.Name, remedy),
			}
		}
		is := Pin(file.Servers[i], tool, file.Secrets)
		// The annotations of an entry that is shortened are not checked against its hash when
		// the lock is read, where that is of the first format.
		if was.Hash == is.Hash && bytes.Equal(was.Annotations, is.Annotations) {
			return nil
		}
		return &mcpclient.Error{
			Code: CodeChanged,
			Message: fmt.Sprintf("not called, because its definition changed since %s was written; look at the change, then %s\n  %s",
				l.Name, remedy, strings.Join(few(was.diff(is)), "\n  ")),
		}
	}
}

// few are the first lines, and how many more there are.
func few(lines []string) []string {
	const most = 10
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most:most], fmt.Sprintf("and %d more", len(lines)-most))
}
