package config

import (
	"slices"
	"testing"
)

func TestGrants(t *testing.T) {
	f := mustParse(t, head+"mcpServers:\n"+
		"  asks: {command: x, allow: [elicitation]}\n"+
		"  plain: {type: http, url: 'https://a.test/mcp', oauth: {}}\n"+
		"  full: {type: sse, url: 'https://a.test/sse', oauth: {clientId: '${ID}', scopes: [read, write], redirectPort: 4321}}\n",
		"ID", "our-client")
	asks, plain, full := f.Servers[0], f.Servers[1], f.Servers[2]
	if !asks.AllowElicit || asks.OAuth != nil || plain.AllowElicit {
		t.Errorf("asks: %+v, plain: %+v", asks, plain)
	}
	if plain.OAuth == nil || plain.OAuth.ClientID != "" || plain.OAuth.Scopes != nil || plain.OAuth.RedirectPort != 0 {
		t.Errorf("plain: %+v", plain.OAuth)
	}
	if o := full.OAuth; o.ClientID != "our-client" || !slices.Equal(o.Scopes, []string{"read", "write"}) || o.RedirectPort != 4321 {
		t.Errorf("full: %+v", o)
	}
}

func TestGrantMistakes(t *testing.T) {
	for src, expected := range map[string]string{
		"{command: x, allow: elicitation}":                            `allow of server "s" is text, expected a list`,
		"{command: x, allow: [elicitaton]}":                           `allow of server "s" has "elicitaton", expected elicitation; did you mean "elicitation"? [unknown-value]`,
		"{command: x, allow: [[a]]}":                                  `allow of server "s" has a list, expected elicitation`,
		"{command: x, allow: [sampling]}":                             "a graph has no model to sample",
		"{type: http, url: 'http://x', oauth: true}":                  `oauth of server "s" is the value true, expected a mapping`,
		"{type: http, url: 'http://x', oauth: {clientID: a}}":         `unknown field "clientID" of oauth of server "s"; did you mean "clientId"?`,
		"{type: http, url: 'http://x', oauth: {scopes: [[a]]}}":       `scope 1 of oauth of server "s" is a list, expected text`,
		"{type: http, url: 'http://x', oauth: {redirectPort: 70000}}": `redirectPort of oauth of server "s" is 70000, expected at most 65535`,
		"{type: stdio, command: x, oauth: {}}":                        `warning: "oauth" of server "s" has no effect: its type is stdio`,
	} {
		want(t, head+"mcpServers: {s: "+src+"}\n", expected)
	}
}
