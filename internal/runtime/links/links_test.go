package links

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"toolgraph/expressions/value"
)

func linkTo(uri string) value.Value {
	return value.FromPlain(map[string]any{"type": "resource_link", "uri": uri, "name": "x"})
}

var a, b = Origin{"a", "1"}, Origin{"b", "1"}

func TestOrigin(t *testing.T) {
	table := &Table{}
	embedded := value.FromPlain(map[string]any{"type": "resource", "resource": map[string]any{"uri": "u:embedded", "text": "t"}})
	table.Named(a, []any{linkTo("u:list"), "text", embedded})
	table.Named(a, linkTo("u:alone"))
	table.Named(a, value.FromPlain(map[string]any{"type": "resource_link", "uri": "u:data", "name": "x", "more": 1.0})) // no content
	table.Named(a, linkTo("u:not-given"))
	table.Named(a, linkTo("u:twice"))
	table.Named(b, linkTo("u:twice"))
	table.Named(a, linkTo("u:later"))
	long := "u:" + strings.Repeat("x", mostURI)
	table.Named(a, linkTo(long))
	for _, uri := range []string{"u:list", "u:embedded", "u:alone", "u:data", "u:twice", "u:later", long, "u:unknown"} {
		table.Given("", uri)
	}
	table.Named(b, linkTo("u:later")) // but no client gets it
	for uri, want := range map[string]error{
		"u:list": nil, "u:embedded": nil, "u:alone": nil, "u:later": nil,
		"u:data": ErrUnknown, "u:not-given": ErrUnknown, "u:unknown": ErrUnknown, "": ErrUnknown, long: ErrUnknown,
		"u:twice": ErrAmbiguous,
	} {
		if by, err := table.Origin("", uri); !errors.Is(err, want) || err == nil && by != a {
			t.Errorf("%.20s: %v, %v", uri, by, err)
		}
	}
	table.Given("", "u:later") // now one does
	if _, err := table.Origin("", "u:later"); !errors.Is(err, ErrAmbiguous) {
		t.Error(err)
	}
	table.Given("alice", "u:list")
	for client, want := range map[string]error{"alice": nil, "": nil, "bob": ErrUnknown} {
		if _, err := table.Origin(client, "u:list"); !errors.Is(err, want) {
			t.Errorf("%q: %v", client, err)
		}
	}
	var none *Table
	none.Named(a, linkTo("u:x"))
	none.Given("", "u:x")
	if _, err := none.Origin("", "u:x"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

// The least recently used URIs make room, of those that were given and of those that were not.
func TestURIsMakeRoom(t *testing.T) {
	table := &Table{}
	for i := range mostURIs {
		uri := fmt.Sprint("u:", i)
		table.Named(a, linkTo(uri))
		table.Given("", uri)
	}
	if _, err := table.Origin("", "u:0"); err != nil {
		t.Error(err)
	}
	table.Named(a, linkTo("u:new"))
	table.Given("", "u:new")
	for uri, want := range map[string]error{"u:0": nil, "u:1": ErrUnknown, "u:2": nil, "u:new": nil} {
		if _, err := table.Origin("", uri); !errors.Is(err, want) {
			t.Errorf("%s: %v", uri, err)
		}
	}
	for i := range 3 * mostURIs { // what no client gets makes no room among what one has
		table.Named(b, linkTo(fmt.Sprint("v:", i)))
	}
	if _, err := table.Origin("", "u:0"); err != nil || len(table.named.byURI) != mostURIs || table.named.order.Len() != mostURIs {
		t.Error(err)
	}
}
