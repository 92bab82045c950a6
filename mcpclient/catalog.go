package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
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

// Tool is a tool as its server tells it. The raw fields are the server's bytes, so
// that no keyword of a schema is lost; those it left out are nil.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
	Raw          json.RawMessage `json:"-"` // the whole definition
}

const (
	pagesMost = 1000 // pages of one tools/list; more is a server that never ends
	toolsMost = 50_000
)

var errPages = errors.New("tools/list does not end")

func (u *upstream) listTools(ctx context.Context) ([]Tool, *Error) {
	begun := u.opts.clock.now()
	tools, fail := u.pages(func(cursor string) ([]byte, *Error) {
		raw, _, fail := u.request(ctx, listMethod, func(s *session) (request, *Error) {
			params, err := s.listParams(cursor)
			if err != nil {
				return request{}, u.unencoded(err)
			}
			return request{params: params}, nil
		})
		return raw, fail
	})
	if fail == nil {
		u.learn(tools, begun)
	}
	return tools, fail
}

// pages gathers the pages that ask gets.
func (u *upstream) pages(ask func(cursor string) ([]byte, *Error)) ([]Tool, *Error) {
	var tools []Tool
	cursor := ""
	for range pagesMost {
		raw, fail := ask(cursor)
		if fail != nil {
			return nil, fail
		}
		page, next, err := readPage(raw)
		if err != nil {
			return nil, u.fault(CodeBadResult, "the answer to tools/list is none: "+err.Error())
		}
		tools = append(tools, page...)
		if next == "" {
			return tools, nil
		}
		if next == cursor || len(tools) > toolsMost {
			break
		}
		cursor = next
	}
	e := u.fault(CodeBadResult, fmt.Sprintf("tools/list does not end, expected a last page after at most %d", pagesMost))
	e.Err = errPages
	return nil, e
}

func (s *session) listParams(cursor string) (json.RawMessage, error) {
	out := []byte{'{'}
	if cursor != "" {
		raw, err := json.Marshal(cursor)
		if err != nil {
			return nil, err
		}
		out = append(append(out, `"cursor":`...), raw...)
	}
	return s.endParams(out, nil)
}

// readPage reads one page and the cursor of the next. A definition without a name is
// passed over: one bad tool must not hide the others.
func readPage(raw json.RawMessage) (tools []Tool, next string, err error) {
	var page struct {
		Tools      []json.RawMessage `json:"tools"`
		NextCursor string            `json:"nextCursor"`
	}
	if err := json.Unmarshal(raw, &page); err != nil {
		return nil, "", err
	}
	for _, def := range page.Tools {
		if t := readTool(def); t.Name != "" {
			tools = append(tools, t)
		}
	}
	return tools, page.NextCursor, nil
}

// readTool reads a definition; a field that is null or of a wrong kind is left out. Keys
// are taken to the letter, which a struct does not do: a Description beside a description
// would pass for it there, and not in what a check of the whole definition sees.
func readTool(def json.RawMessage) Tool {
	t := Tool{Raw: def}
	var fields map[string]json.RawMessage
	if json.Unmarshal(def, &fields) != nil {
		return t
	}
	maps.DeleteFunc(fields, func(_ string, raw json.RawMessage) bool { return string(raw) == "null" })
	for key, text := range map[string]*string{"name": &t.Name, "title": &t.Title, "description": &t.Description} {
		if json.Unmarshal(fields[key], text) != nil {
			*text = ""
		}
	}
	t.InputSchema, t.OutputSchema, t.Annotations = fields["inputSchema"], fields["outputSchema"], fields["annotations"]
	return t
}

// listenLeast is how long a subscription must have lasted for another to follow it.
const listenLeast = 10 * time.Second

// subscribe has a server of the modern era tell when its tools change, which it does
// only when asked. In the older era it tells by itself. What was known is invalid when
// a subscription ends, for changes may have gone untold; the next listing begins
// another.
func (u *upstream) subscribe(s *session) {
	if s.meta == nil || !s.tellsChanges || !s.subscribed.CompareAndSwap(false, true) {
		return
	}
	u.behind(func() {
		params, err := s.endParams([]byte(`{"notifications":{"toolsListChanged":true}`), nil)
		if err != nil {
			return
		}
		begun := u.opts.clock.now()
		_, err = s.request(u.life, request{method: string(mcp.MethodSubscriptionsListen), params: params})
		if err != nil && u.life.Err() == nil {
			u.opts.logger.Debug("upstream does not tell when its tools change",
				"server", u.conf.Name.Value, "error", s.note.shown(err.Error(), 300))
		}
		if u.opts.clock.now().Sub(begun) >= listenLeast {
			s.subscribed.Store(false)
			s.tools.changed()
		}
	})
}
