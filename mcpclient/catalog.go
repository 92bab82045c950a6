package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
)

// Tool is a tool as its server lists it. The raw fields are the server's bytes, so that
// no keyword of a schema is lost; missing ones are nil.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
	Execution    json.RawMessage `json:"execution,omitempty"`
	Raw          json.RawMessage `json:"-"` // the whole definition
}

// Icons returns the icons of the definition as JSON; nil for none.
func (t *Tool) Icons() []byte {
	var icons []byte
	if pick(t.Raw, field{name: "icons", into: &icons}) != nil || len(icons) == 0 || icons[0] != '[' {
		return nil
	}
	return icons
}

// TaskRequired reports whether the tool can only be called as a task: revision 2025-11-25 lets servers
// refuse other calls of it.
func (t *Tool) TaskRequired() bool {
	var support []byte
	return len(t.Execution) > 0 && pick(t.Execution, field{name: "taskSupport", into: &support}) == nil && string(support) == `"required"`
}

const (
	pagesMost = 1000 // pages of one tools/list; more is a server that never ends
	toolsMost = 50_000
)

func (u *upstream) listTools(ctx context.Context) ([]Tool, *Error) {
	begun := u.opts.clock.now()
	tools, fail := pages(func(cursor string) ([]byte, *Error) {
		raw, _, fail := u.request(ctx, listMethod, func(s *session) (request, *Error) {
			params, err := s.listParams(cursor)
			if err != nil {
				return request{}, unencoded(err)
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

// pages gathers the pages that ask returns.
func pages(ask func(cursor string) ([]byte, *Error)) ([]Tool, *Error) {
	var tools []Tool
	cursor := ""
	for range pagesMost {
		raw, fail := ask(cursor)
		if fail != nil {
			return nil, fail
		}
		page, next, err := readPage(raw)
		if err != nil {
			return nil, &Error{Code: CodeBadResult, Message: "invalid tools/list response: " + err.Error()}
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
	return nil, &Error{Code: CodeBadResult, Message: fmt.Sprintf("tools/list does not end, expected a last page after at most %d", pagesMost)}
}

func (s *session) listParams(cursor string) (json.RawMessage, error) {
	out := []byte{'{'}
	if cursor != "" {
		out = value.AppendString(append(out, `"cursor":`...), cursor)
	}
	return s.endParams(out, nil)
}

// readPage reads one page and the cursor of the next. A definition without a name is
// ignored: one bad tool must not hide the others.
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
// are matched exactly, unlike by a struct, which would take a Description for a
// description, while a check of the whole definition would not.
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
	t.Execution = fields["execution"]
	return t
}

const (
	// listPatience is how long calls wait for the first list of a server's tools.
	// After it they are not checked until the list has come.
	listPatience = 5 * time.Second
	// listFresh is how old a list may be that refuses a call: an older one is fetched
	// again first, because not every server sends a notification when its tools change.
	listFresh = time.Second
	// listTries is how often a list is fetched that changes meanwhile, where a check needs
	// the current one.
	listTries = 3
)

// listing is the result of a server's tools/list at one time. Immutable.
type listing struct {
	byName map[string]*offer
	names  []string
	at     time.Time // when it was requested
}

// unlisted is the listing of a server that cannot list its tools: nothing is checked.
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

// catalog holds the listing of one session. It is fetched when a call first needs
// it, and again after the server has sent a notification that it changed.
type catalog struct {
	now atomic.Pointer[listing] // nil: not known

	mu       sync.Mutex // guards the fields below
	fetching *fetch
	changes  int // how often the listing was made invalid
}

// fetch is one tools/list for which any number of calls wait.
type fetch struct {
	begun   time.Time
	changes int           // of the catalog when it began
	done    chan struct{} // closed when the fields below are set
	listing *listing
	stale   bool // the listing had changed before it came
}

// changed makes the listing invalid.
func (c *catalog) changed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	c.now.Store(nil)
}

// outdated makes a listing invalid unless another has taken its place.
func (c *catalog) outdated(l *listing) { c.now.CompareAndSwap(l, nil) }

// join returns the fetch to wait for, or the listing that has come meanwhile. begin starts
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

// settle ends a fetch. Calls that wait get a listing that was requested before a change,
// but it is not stored.
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

// offered returns the listing of a session; unlisted when there is none, or not soon. A strict
// one is not one that the server has already made invalid.
func (u *upstream) offered(ctx context.Context, s *session, strict bool) *listing {
	if l := s.tools.now.Load(); l != nil {
		return l
	}
	for range listTries {
		clk := u.opts.clock
		f, l := s.tools.join(clk.now(), func(f *fetch) bool {
			return u.background(func() { s.tools.settle(f, u.fetchListing(s, f.begun)) })
		})
		if l != nil {
			return l
		}
		patience := min(listPatience, u.conf.Timeout/2)
		select {
		case <-f.done:
		case <-clk.after(f.begun.Add(patience).Sub(clk.now())):
			return unlisted
		case <-ctx.Done():
			return unlisted
		}
		if !f.stale || !strict {
			return f.listing
		}
	}
	return unlisted
}

// fetchListing asks for all pages on this very session, without a slot among the calls in
// flight, for a call that waits for the listing may hold the last one.
func (u *upstream) fetchListing(s *session, begun time.Time) *listing {
	tools, fail := pages(func(cursor string) (raw []byte, fail *Error) {
		params, err := s.listParams(cursor)
		if err == nil {
			raw, err = u.send(u.ctx, s, request{method: listMethod, params: params})
		}
		if err != nil {
			return nil, u.explain(u.ctx, s, err)
		}
		return raw, nil
	})
	if fail != nil {
		u.opts.logger.Debug("upstream does not list its tools; calls are not checked",
			"server", u.conf.Name.Value, "error", fail.Message)
		return unlisted
	}
	u.subscribe(s)
	return u.learn(tools, begun)
}

// learn makes tools known to Pool.Known and Pool.KnownTools.
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

// listenLeast is how long a subscription must have lasted for another to follow it.
const listenLeast = 10 * time.Second

// subscribe asks a server of the modern era for notifications when its tools change; in the
// older era a server sends them without being asked. When a subscription ends, the listing
// is invalid, for changes may have gone unnoticed; the next listing begins another.
func (u *upstream) subscribe(s *session) {
	if s.meta == nil || !s.notifies() || !s.subscribed.CompareAndSwap(false, true) {
		return
	}
	u.background(func() {
		params, err := s.endParams(append([]byte(`{"notifications":{"toolsListChanged":true`), s.able.subscribed()+"}"...), nil)
		if err != nil {
			return
		}
		begun := u.opts.clock.now()
		_, err = s.request(u.ctx, request{method: string(mcp.MethodSubscriptionsListen), params: params})
		if err != nil && u.failure() == nil {
			u.opts.logger.Debug("upstream sends no notification when its tools change",
				"server", u.conf.Name.Value, "error", s.note.shown(err.Error(), 300))
		}
		if u.opts.clock.now().Sub(begun) >= listenLeast {
			s.subscribed.Store(false)
			s.tools.changed()
			s.changes.signal()
		}
	})
}
