package cli

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project/lock"
	"toolgraph/mcpclient"
)

// listing asks servers for their tools, and shows on a terminal which servers are being asked, and a line for each that has
// answered. Safe for concurrent use.
type listing struct {
	of    lock.Lister
	shown *progress
	begin func(i, of int, name, doing string) (end func(failed bool, line string))
	asked atomic.Int32
}

// newListing returns what asks the servers of something with a name. The caller clears what is shown.
func newListing(w io.Writer, name string, of lock.Lister) *listing {
	l := &listing{of: of, shown: newProgress(w, nil, name)}
	l.begin = l.shown.work("server")
	return l
}

// ListTools is that of the pool.
func (l *listing) ListTools(ctx context.Context, server string) ([]mcpclient.Tool, error) {
	end, began := l.begin(int(l.asked.Add(1)), 0, server, listsTools), time.Now()
	tools, err := l.of.ListTools(ctx, server)
	if l.shown.live == nil {
		return tools, err
	}
	word, style, about := "ok", terminal.Good, wording.Count(len(tools), "tool")
	if err != nil {
		word, style, about = "failed", terminal.Bad, "" // its caller says why
	}
	end(err != nil, l.shown.ended(word, style, wording.OneLine(server), time.Since(began), about))
	return tools, err
}

// listsTools is what a server does.
const listsTools = "starts, and lists its tools"
