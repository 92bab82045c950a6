// Package links remembers which upstream server named the URI of a resource, and which of these URIs
// results have given to clients: what a client may read through this process.
//
// Input: the values of calls, then the links of results. Output: the server to ask for a URI. It
// must not know how a server is asked.
package links

import (
	"container/list"
	"errors"
	"sync"

	"toolgraph/expressions/value"
	"toolgraph/internal/serving/server"
)

const (
	mostURIs = 4096 // that are remembered of each kind
	mostURI  = 2048 // bytes of one; a longer one is not remembered
)

// Origin is a server as it was when it named a URI.
type Origin struct {
	Server   string // its name in the graph file
	Identity string // its definition: see config.Upstream.Identity
}

// Errors of Table.Origin.
var (
	ErrUnknown   = errors.New("no result has given a client this uri")
	ErrAmbiguous = errors.New("two servers have named this uri")
)

// Table has the URIs of one process. The least recently used ones make room. A nil Table remembers
// nothing. Safe for concurrent use.
type Table struct {
	mu           sync.Mutex
	named, given recent
}

// Named remembers the URIs that the value of a call has as content.
func (t *Table) Named(by Origin, v value.Value) {
	if t == nil {
		return
	}
	if items, isList := v.([]any); isList {
		for _, item := range items {
			t.name(by, item)
		}
		return
	}
	t.name(by, v)
}

func (t *Table) name(by Origin, item value.Value) {
	uri := server.LinkOf(item)
	if uri == "" || len(uri) > mostURI {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.named.add(key{uri: uri}, by)
}

// Given remembers that a client gets a URI; one that no server has named is ignored. Clients are
// subjects of access tokens; those without one are one client, "".
func (t *Table) Given(client, uri string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if by := t.named.get(key{uri: uri}); by != nil {
		t.given.add(key{client, uri}, *by)
	}
}

// Origin returns the server that named a URI which the client was given. When two servers have named
// it, the error is ErrAmbiguous: the content of one must not pass for that of the other.
func (t *Table) Origin(client, uri string) (Origin, error) {
	if t == nil {
		return Origin{}, ErrUnknown
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch by := t.given.get(key{client, uri}); {
	case by == nil:
		return Origin{}, ErrUnknown
	case *by == several:
		return Origin{}, ErrAmbiguous
	default:
		return *by, nil
	}
}

// several stands for the origin of a URI that two servers have named.
var several = Origin{}

// recent has a number of URIs, the most recently used first.
type recent struct {
	order list.List // of *entry
	byURI map[key]*list.Element
}

// key is a URI and the client that was given it; the client is "" in a list of URIs that are named.
type key struct{ client, uri string }

type entry struct {
	key
	by Origin
}

func (r *recent) add(k key, by Origin) {
	if known := r.get(k); known != nil {
		if *known != by {
			*known = several
		}
		return
	}
	if r.byURI == nil {
		r.byURI = map[key]*list.Element{}
	}
	if len(r.byURI) >= mostURIs {
		delete(r.byURI, r.order.Remove(r.order.Back()).(*entry).key)
	}
	r.byURI[k] = r.order.PushFront(&entry{k, by})
}

// get returns the origin of a URI; nil when it is not known.
func (r *recent) get(k key) *Origin {
	at := r.byURI[k]
	if at == nil {
		return nil
	}
	r.order.MoveToFront(at)
	return &at.Value.(*entry).by
}
