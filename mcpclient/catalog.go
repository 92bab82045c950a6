package mcpclient

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// listPatience is how long calls wait for the first list of a server's tools.
	// After it they go unchecked until the list is there.
	listPatience = 5 * time.Second
	// listFresh is how old a list may be that refuses a call: an older one is asked
	// for again first, because not every server tells that its tools have changed.
	listFresh = time.Second
	// listTries is how often a list is asked for that has changed before it came, where a
	// check wants to know what there is now.
	listTries = 3
)

// listing is what a server's tools/list said at one time. Immutable.
type listing struct {
	byName map[string]*offer
	names  []string
	at     time.Time // when it was asked for
}

// unlisted is the listing of a server that has none to give: nothing is checked.
var unlisted = &listing{}

func newListing(tools []Tool, at time.Time) *listing {
	l := &listing{byName: make(map[string]*offer, len(tools)), names: make([]string, 0, len(tools)), at: at}
	for i := range tools {
		first := l.byName[tools[i].Name]
		if first == nil {
			l.byName[tools[i].Name] = &offer{Tool: tools[i]}
			l.names = append(l.names, tools[i].Name)
			continue
		}
		first.ambiguous = first.ambiguous || !bytes.Equal(first.Raw, tools[i].Raw) && !sameJSON(first.Raw, tools[i].Raw)
	}
	return l
}

func (l *listing) fresh(now time.Time) bool { return now.Sub(l.at) < listFresh }

// catalog keeps the listing of one session. It is fetched when a call first needs
// it, and again after the server has said that it changed.
type catalog struct {
	now atomic.Pointer[listing] // nil: not known

	mu       sync.Mutex // guards what follows
	fetching *fetch
	changes  int // how often the listing was made invalid
}

// fetch is one tools/list that any number of calls wait for.
type fetch struct {
	begun   time.Time
	changes int           // of the catalog when it began
	done    chan struct{} // closed when listing is set
	listing *listing      // nil when it could not be had
	stale   bool          // the listing had changed before it came
}

// changed makes what is known invalid.
func (c *catalog) changed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	c.now.Store(nil)
}

// outdated makes a listing invalid unless another has taken its place.
func (c *catalog) outdated(l *listing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now.Load() == l {
		c.now.Store(nil)
	}
}

// join is the fetch to wait for, or the listing that is there by now. begin starts
// one, and reports whether it could.
func (c *catalog) join(now time.Time, begin func(*fetch) bool) (*fetch, *listing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.now.Load(); l != nil {
		return nil, l
	}
	if c.fetching != nil && c.fetching.changes == c.changes {
		return c.fetching, nil
	}
	f := &fetch{begun: now, changes: c.changes, done: make(chan struct{})}
	if !begin(f) {
		return nil, unlisted
	}
	c.fetching = f
	return f, nil
}

// settle ends a fetch. A listing that was asked for before a change is handed to
// those who wait for it, and not kept.
func (c *catalog) settle(f *fetch, l *listing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.listing, f.stale = l, f.changes != c.changes
	if !f.stale {
		c.now.Store(l)
	}
	if c.fetching == f {
		c.fetching = nil
	}
	close(f.done)
}

// offered is the listing of a session; unlisted when it cannot be had, or not soon. Where
// tools are checked it is none that the server has taken back already.
func (u *upstream) offered(ctx context.Context, s *session) *listing {
	if l := s.tools.now.Load(); l != nil {
		return l
	}
	for range listTries {
		f, l := s.tools.join(u.opts.clock.now(), func(f *fetch) bool {
			return u.behind(func() { s.tools.settle(f, u.fetchListing(s, f.begun)) })
		})
		if l != nil {
			return l
		}
		if !f.within(ctx, min(listPatience, u.set.callTimeout/2), u.opts.clock) {
			break
		}
		if !f.stale || u.opts.check == nil {
			return f.listing
		}
	}
	return unlisted
}

// within reports whether the fetch has ended so long after it began, or does; not when
// ctx ends first.
func (f *fetch) within(ctx context.Context, patience time.Duration, clk clock) bool {
	select {
	case <-f.done:
		return true
	case <-clk.after(f.begun.Add(patience).Sub(clk.now())):
	case <-ctx.Done():
	}
	return false
}

// fetchListing asks for all pages on this very session, beside the limit of calls in
// flight, for a call that waits may hold the last place.
func (u *upstream) fetchListing(s *session, begun time.Time) *listing {
	tools, fail := u.pages(func(cursor string) ([]byte, *Error) {
		params, err := s.listParams(cursor)
		if err == nil {
			var raw []byte
			if raw, err = u.send(u.life, s, request{method: listMethod, params: params}); err == nil {
				return raw, nil
			}
		}
		return nil, u.explain(u.life, s, err)
	})
	if fail != nil {
		u.opts.logger.Debug("upstream does not list its tools; calls go unchecked",
			"server", u.conf.Name.Value, "error", fail.Error())
		return unlisted
	}
	u.subscribe(s)
	return u.learn(tools, begun)
}

// learn makes tools known to those who ask without starting anything.
func (u *upstream) learn(tools []Tool, at time.Time) *listing {
	l := newListing(tools, at)
	before := u.known.Swap(l)
	for _, name := range l.names {
		if l.byName[name].ambiguous && (before == nil || before.byName[name] == nil || !before.byName[name].ambiguous) {
			u.opts.logger.Warn("an upstream lists a tool twice, with different definitions; the first is used",
				"server", u.conf.Name.Value, "tool", presentable(name, 200))
		}
	}
	return l
}
