package config

import (
	"errors"
	"strings"
	"testing"
)

// head begins a graph file.
const head = `version: "1.0"
server: {name: test, version: 1.0.0}
`

// withArgs is a whole graph whose mcp node has these args, in line 10.
func withArgs(args string) string {
	return head + `mcpServers: {s: {command: x}}
tools:
  - name: t
    inputSchema: {type: object}
    nodes:
      - {id: entry, type: entry, next: call}
      - {id: exit, type: exit}
      - {id: call, type: mcp, server: s, tool: u, next: exit, args: ` + args + `}
`
}

// environment is a LookupEnv of pairs.
func environment(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func mustParse(t testing.TB, src string, env ...string) *File {
	t.Helper()
	f, err := Parse("g.yaml", []byte(src), Options{LookupEnv: environment(env...)})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// findings are all that Parse has to say.
func findings(t testing.TB, src string, env ...string) Diagnostics {
	t.Helper()
	f, err := Parse("g.yaml", []byte(src), Options{LookupEnv: environment(env...)})
	var found Diagnostics
	if err != nil && !errors.As(err, &found) {
		t.Fatalf("the error is %T: %v", err, err)
	}
	if err == nil {
		found = f.Warnings
	}
	for _, d := range found {
		if d.Pos.Line < 1 || d.Pos.Column < 1 || d.Code == "" || d.Message == "" {
			t.Fatalf("finding without a place: %#v", d)
		}
	}
	return found
}

// want holds that Parse finds exactly this: each entry is a part of one finding's text.
func want(t testing.TB, src string, parts ...string) {
	t.Helper()
	wantAll(t, findings(t, src), parts...)
}

func wantAll(t testing.TB, found Diagnostics, parts ...string) {
	t.Helper()
	if len(found) != len(parts) {
		t.Fatalf("found %d, expected %d:\n%v", len(found), len(parts), found)
	}
	for i, part := range parts {
		if !strings.Contains(found[i].String(), part) {
			t.Errorf("found    %s\nexpected %s", found[i], part)
		}
	}
}

// argValue is the value of args x.
func argValue(t testing.TB, src string) any {
	t.Helper()
	return mustParse(t, withArgs("{x: "+src+"}")).Tools[0].Nodes[2].Args.Get("x").Value()
}
