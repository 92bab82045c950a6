package execution

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// Usage is what a run has used, with what it used before it was interrupted. The steps that a fork has copied are not
// counted: the other run has made their calls.
type Usage struct {
	Calls    int           // to servers, attempts included
	BytesIn  int           // of the values that they answered, as compact JSON
	Duration time.Duration // waits for a gate or for answers of the user excluded
}

// Used is what a run has used, as its end records it.
type Used struct {
	Calls    int `json:"calls"`    // to servers, attempts included
	BytesIn  int `json:"bytesIn"`  // of the values that they answered, as compact JSON
	BytesOut int `json:"bytesOut"` // of the result or the failure as its reader gets it, see WithBytesOut

	// Servers has the part of each server, by name: at most MostServers, and the sum of the others with an empty name.
	Servers []ServerUse `json:"servers,omitempty"`
	// Chain are the tools that the run has called, as server.tool, in the order of addresses. A node or a step counts
	// once, however often it calls, and so do neighbours that call the same tool. At most MostChain; … stands for the rest.
	Chain []string `json:"chain,omitempty"`
}

// ServerUse is what a run has used of a server.
type ServerUse struct {
	Server  string `json:"server"`
	Calls   int    `json:"calls"`
	BytesIn int    `json:"bytesIn"`
}

// The limits of what an end records.
const (
	MostServers = 16
	MostChain   = 32
)

// TokensSaved estimates how many tokens fewer a model has read than when it had made the calls itself. It is never below 0.
func (u *Used) TokensSaved() int { return value.TokensSaved(u.BytesIn, u.BytesOut) }

// check checks what a journal has recorded.
func (u *Used) check() error {
	lowest := min(u.Calls, u.BytesIn, u.BytesOut)
	for _, s := range u.Servers {
		lowest = min(lowest, s.Calls, s.BytesIn)
	}
	switch {
	case lowest < 0:
		return fmt.Errorf("its usage has the number %d, expected 0 or more", lowest)
	case len(u.Servers) > MostServers+1:
		return fmt.Errorf("its usage has %d servers, expected at most %d", len(u.Servers), MostServers+1)
	case len(u.Chain) > MostChain:
		return fmt.Errorf("its usage has a chain of %d calls, expected at most %d", len(u.Chain), MostChain)
	}
	return nil
}

// WithBytesOut sets the function that returns how many bytes of a result, or of the failure of a run, its reader gets: it is
// called before the end is recorded. Without it they are those of the value as compact JSON, or of the message.
func WithBytesOut(count func(result *Result, failed error) int) Option {
	return func(h *hooks) { h.bytesOut = count }
}

// Size returns the bytes of Value as compact JSON, which are counted once; 0 without a value.
func (r *Result) Size() int {
	if r.size == 0 && r.Value != nil {
		r.size = value.Size(r.Value)
	}
	return r.size
}

// UsedBy returns what a run has used, from its events. It has no BytesOut.
func UsedBy(events []Event) *Used {
	l := &live{tally: pastOf(events, &hooks{}).tally}
	for _, e := range events {
		l.begins(&e)
	}
	return l.used()
}

func (l *live) usage() Usage {
	calls, bytes := l.tally.sum()
	return Usage{Calls: calls, BytesIn: bytes, Duration: l.clock.elapsed()}
}

// used returns what the run has used, without BytesOut.
func (l *live) used() *Used {
	u := &Used{Chain: l.tally.chain((&Result{begun: l.begun}).Compare)}
	u.Calls, u.BytesIn = l.tally.sum()
	u.Servers = l.tally.byServer()
	return u
}

// countOut returns the bytes that the reader of a result gets; 0 when counting them panics.
func (h *hooks) countOut(run string, result *Result, failed error) (bytes int) {
	if h.bytesOut == nil {
		if failed != nil {
			return len(failed.Error())
		}
		return result.Size()
	}
	var err error
	defer func() { h.report(run, err) }()
	defer recovered(&err)
	return h.bytesOut(result, failed)
}

// answered returns the bytes that the last attempt of a record was answered.
func (r *Record) answered() int {
	switch {
	case r.NodeType != config.MCPNode || r.Parts > 0 || r.Edited:
		return 0
	case r.Error != nil:
		return r.Error.answered()
	case r.Handled != nil:
		return r.Handled.answered()
	case r.Cached:
		return 0
	}
	return r.Bytes
}

func (f *Failure) answered() int { return max(len(f.Result), len(f.Structured)) }

// spilled returns the size of a result that is longer than maxResultBytes; else 0.
func (l *live) spilled(r *Result) int {
	most := l.root.graph.Limits.MaxResultBytes
	if most == 0 {
		return 0
	}
	if size := r.Size(); size > most {
		return size
	}
	return 0
}

// tally counts what the calls of a run use. Safe for concurrent use; the zero value is an empty one.
type tally struct {
	mu      sync.Mutex
	servers []ServerUse         // in the order of their first calls; the last one of MostServers+1 is of all others
	callers map[string]firstUse // by the name of the node or step that calls
}

// firstUse is the call of a node with the smallest address.
type firstUse struct {
	at   Address
	tool string // server.tool
}

// mostCallers bounds the nodes that a tally remembers.
const mostCallers = 256

// of returns the numbers of a server. mu is held.
func (t *tally) of(server string) *ServerUse {
	i := slices.IndexFunc(t.servers, func(s ServerUse) bool { return s.Server == server })
	switch {
	case i >= 0:
		return &t.servers[i]
	case len(t.servers) > MostServers:
		return &t.servers[MostServers]
	case len(t.servers) == MostServers:
		server = ""
	}
	t.servers = append(t.servers, ServerUse{Server: server})
	return &t.servers[len(t.servers)-1]
}

// called counts a call.
func (t *tally) called(v *Visit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of(v.Server).Calls++
	name, at := v.Name(), v.At()
	first, known := t.callers[name]
	switch {
	case t.callers == nil:
		t.callers = map[string]firstUse{}
	case known && first.at.Compare(at) <= 0, !known && len(t.callers) == mostCallers:
		return
	}
	t.callers[name] = firstUse{at, v.Server + "." + v.Tool}
}

// answered counts what a server has answered.
func (t *tally) answered(server string, bytes int) {
	if bytes == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of(server).BytesIn += bytes
}

// sum returns the numbers of all servers.
func (t *tally) sum() (calls, bytes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.servers {
		calls, bytes = calls+s.Calls, bytes+s.BytesIn
	}
	return calls, bytes
}

// byServer returns the numbers of each server, the sum of the others last.
func (t *tally) byServer() []ServerUse {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := slices.Clone(t.servers)
	slices.SortFunc(all[:min(len(all), MostServers)], func(a, b ServerUse) int { return cmp.Compare(a.Server, b.Server) })
	return all
}

// chain returns Used.Chain, with the order of addresses of the run.
func (t *tally) chain(compare func(a, b Address) int) (chain []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.callers) == 0 {
		return nil
	}
	all := make([]firstUse, 0, len(t.callers))
	for _, first := range t.callers {
		all = append(all, first)
	}
	slices.SortFunc(all, func(a, b firstUse) int { return compare(a.at, b.at) })
	for _, first := range all {
		if n := len(chain); n > 0 && chain[n-1] == first.tool {
			continue
		}
		if len(chain) == MostChain-1 {
			return append(chain, "…")
		}
		chain = append(chain, first.tool)
	}
	return chain
}
