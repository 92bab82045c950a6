package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// F30: of 512 equal cached calls in flight the first is cancelled by its client: the server has one
// call, which is cancelled, and one made anew for all others.
func TestF30CachedCallsOverTheWire(t *testing.T) {
	t.Parallel()
	const all = 512
	g := newGate(t)
	s := start(t, strings.Replace(g.holding(""), "tool: hold, args: {n: {expr: $.entry.id}}", "tool: hold, effect: read, cache: {ttlMs: 3600000}, args: {n: 7}", 1))
	first, _ := s.sendCall("hold", `{"id":0}`)
	g.wait("in ", 1)
	answers := make([]<-chan reply, all)
	for i := 1; i < all; i++ {
		_, answers[i] = s.sendCall("hold", fmt.Sprintf(`{"id":%d}`, i))
	}
	s.request("ping", `{}`)
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, first))
	g.wait("in ", 2)
	g.open()
	for i := 1; i < all; i++ {
		if r := s.result(s.await(answers[i])); r.IsError || !strings.Contains(r.text(t), fmt.Sprintf(`"entry":%d`, i)) {
			t.Errorf("call %d gave %s", i, r.text(t))
		}
	}
	if got := s.call("hold", `{"id":1000}`); got.IsError {
		t.Error(got.text(t))
	}
	if calls := g.lines("in "); len(calls) != 2 {
		t.Errorf("the server has had %d calls, want 2: %q", len(calls), calls)
	}
}

const answering = `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: $FAKE, args: [ARGS], env: {TOKEN: "${E2E_TOKEN}", MORE: "1"}}}
tools:
- name: secret
  description: DESCRIPTION
  inputSchema: {type: object, properties: {text: {type: string}}, required: [text]}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: text, effect: read, cache: {ttlMs: 3600000}, args: {text: {expr: $.entry.text}}, next: exit}
  - {id: exit, type: exit}
- name: count
  description: how many calls the server has had
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: count, effect: read, cache: {ttlMs: 3600000}, next: exit}
  - {id: exit, type: exit}
- name: change
  description: the server says that its tools have changed
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: listchanged, next: exit}
  - {id: exit, type: exit}
`

// F31: a cached answer that holds a secret is redacted as one that is not cached.
func TestF31CachedSecret(t *testing.T) {
	t.Parallel()
	s := start(t, strings.Replace(answering, "ARGS", "", 1), "E2E_TOKEN="+hidden)
	for name, form := range forms() {
		for range 2 {
			if got := s.call("secret", fmt.Sprintf(`{"text":%s}`, quoted("login as "+form))).text(t); len(leaks(got)) > 0 || !strings.Contains(got, "login as ") {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
	calls := 0
	_, _ = fmt.Sscan(s.call("count", `{}`).text(t), &calls)
	if most := len(forms()) + 1; calls > most {
		t.Errorf("the server has had %d calls, want %d at most: the answers are not cached", calls, most)
	}
}

// An answer outlives a reload that leaves its server as it is, and not one that changes it; nor
// another definition of the tool.
func TestCacheAndChanges(t *testing.T) {
	t.Parallel()
	pulled := filepath.Join(t.TempDir(), "tools.json")
	graph := strings.Replace(answering, "ARGS", "'rugpull="+pulled+"'", 1)
	f := newGraphFile(t, graph)
	s := startCommand(t, []string{"E2E_TOKEN=" + hidden}, "-g", f.path, "--watch")
	s.handshake()
	count := func(what, want string) {
		t.Helper()
		if got := s.call("count", `{}`).text(t); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	count("the first call", "1")
	s.call("change", `{}`)
	count("equal tools", "1")
	f.write(strings.Replace(graph, "DESCRIPTION", "other words", 1))
	s.reloaded(1)
	count("another description", "1")
	if err := os.WriteFile(pulled, []byte(`{"count":{"name":"count","description":"another tool","inputSchema":{"type":"object"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s.call("change", `{}`)
	count("another definition", "4") // 1, two changes, and this one
	count("it, again", "4")
	f.write(strings.ReplaceAll(strings.Replace(graph, "DESCRIPTION", "more words", 1), `MORE: "1"`, `MORE: "2"`))
	s.reloaded(2)
	count("another server", "1") // a new process
}
