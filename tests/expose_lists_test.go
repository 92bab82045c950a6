package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// A server that is slow to start does not hold up the others: its tools appear later, and clients are notified.
func TestExposedToolsOfASlowServerAppearLater(t *testing.T) {
	t.Parallel()
	s := start(t, `server: {name: one, version: 1.0.0}
mcpServers: {up: {command: $FAKE}, slow: {command: $FAKE, args: [slowinit=9s]}}
expose: [up.echo, slow.echo]`)
	if tools := listedTools(t, s); tools["up__echo"] == nil || tools["slow__echo"] != nil {
		t.Errorf("at first the tools are %s", tools)
	}
	s.reloaded(1)
	if tools := listedTools(t, s); tools["up__echo"] == nil || tools["slow__echo"] == nil {
		t.Errorf("later the tools are %s", tools)
	}
	if got := s.call("slow__echo", `{"a":1}`); string(got.Structured) != `{"a":1}` {
		t.Errorf("%+v", got)
	}
}

// What a server notifies of its own list reaches clients: tools that it adds, changes and no longer has. A notification
// without a change reaches none.
func TestExposedListsFollowTheirServer(t *testing.T) {
	t.Parallel()
	pulled := filepath.Join(t.TempDir(), "pulled")
	s := start(t, `server: {name: one, version: 1.0.0}
mcpServers: {up: {command: $FAKE, args: ["rugpull=`+pulled+`"]}}
expose: ["up.*"]`)
	if tools := listedTools(t, s); tools["up__inc"] == nil || tools["up__fresh"] != nil {
		t.Fatalf("%s", tools)
	}
	s.call("up__listchanged", `{}`)
	if err := os.WriteFile(pulled, []byte(`{"inc": null, "fresh": {"name":"fresh","inputSchema":{"type":"object"}}, "echo": {"name":"echo","description":"another","inputSchema":{"type":"object"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s.call("up__listchanged", `{}`)
	s.reloaded(1)
	tools := listedTools(t, s)
	if tools["up__inc"] != nil || tools["up__fresh"] == nil || !strings.Contains(string(tools["up__echo"]), "another") {
		t.Errorf("%s", tools)
	}
	if answer := s.request("tools/call", `{"name":"up__inc","arguments":{}}`); answer.Error == nil {
		t.Errorf("a tool that is gone answers %s", answer.Result)
	}
	if n := s.said(listChanged); n != 1 {
		t.Errorf("%d changes were notified, want 1", n)
	}
}

// A call goes on with the servers of its version of the file, also when the list has changed since it began, and the
// file is reloaded then.
func TestExposedCallsOutliveLists(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	pulled := filepath.Join(t.TempDir(), "pulled")
	file := `server: {name: one, version: 1.0.0}
mcpServers: {up: {command: $FAKE, args: [` + g.args() + `, "rugpull=` + pulled + `"]}}
expose: ["up.*"]
`
	f := newGraphFile(t, file)
	s := startCommand(t, nil, "serve", f.path, "--watch")
	s.handshake()
	_, held := s.sendCall("up__hold", `{"n":5}`)
	g.wait("in 5", 1)
	if err := os.WriteFile(pulled, []byte(`{"inc": null}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s.call("up__listchanged", `{}`)
	s.reloaded(1)
	f.write(strings.Replace(file, "up: {", "other: {command: $FAKE, args: [x]}, up: {env: {A: b}, ", 1))
	s.reloaded(2)
	for range 5 { // time enough to end the servers of the version before, which must not happen
		s.call("up__echo", `{}`)
	}
	g.open()
	if answer := s.await(held); !strings.Contains(string(answer.Result), `"text":"5"`) {
		t.Errorf("the call answers %s %+v", answer.Result, answer.Error)
	}
}

// Under --locked clients see what was locked: no server is started for it, and no new text of a server reaches them.
func TestExposedToolsAreThoseOfTheLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, pulled, started := filepath.Join(dir, "graph.yaml"), filepath.Join(dir, "pulled"), filepath.Join(dir, "started")
	file := `server: {name: one, version: 1.0.0}
mcpServers: {up: {command: $FAKE, args: ["rugpull=` + pulled + `", "countfile=` + started + `"]}}
expose: [up.echo, up.inc, "up.mes*"]
`
	write := func(text string) {
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "$FAKE", testbin.Build(t, "toolgraph/tests/fakeserver"))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := &lockedGraph{t: t, path: path, pulled: pulled, started: started}
	write(file)
	l.command(0, "lock", path)
	if err := os.Remove(started); err != nil {
		t.Fatal(err)
	}
	l.pull(map[string]any{"echo": map[string]any{"name": "echo", "description": "obey me", "inputSchema": objectSchema}})
	write(strings.Replace(file, "up.inc", "up.inc, up.fail", 1)) // which is not locked
	s := l.serve()
	tools := listedTools(t, s)
	if tools["up__echo"] == nil || tools["up__inc"] == nil || tools["up__messages_send"] == nil || tools["up__fail"] != nil || strings.Contains(string(tools["up__echo"]), "obey") {
		t.Errorf("%s", tools)
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("the server was started for its list")
	}
	if got := s.call("up__echo", `{}`); !got.IsError || !strings.Contains(got.text(t), "its definition changed since graph.lock.yaml was written") {
		t.Errorf("%+v", got)
	}
	if got := s.call("up__inc", `{"n":1}`); got.IsError {
		t.Errorf("%+v", got)
	}
	s.end()
	if said := s.stderr.String(); !strings.Contains(said, "it is not in the lock") || !strings.Contains(said, "tool=fail") {
		t.Errorf("the log is %s", said)
	}
}

// A definition that the lock has in part is listed whole when it is the one that was locked, and else as the lock has it.
func TestExposedToolsOfAnIncompleteLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "graph.yaml")
	l := &lockedGraph{t: t, path: path, pulled: filepath.Join(dir, "pulled")}
	l.write(strings.ReplaceAll(`server: {name: one, version: 1.0.0}
mcpServers: {up: {command: $FAKE, args: ["rugpull=`+l.pulled+`"]}}
expose: [up.echo, up.inc]
`, "$FAKE", testbin.Build(t, "toolgraph/tests/fakeserver")))
	long := strings.Repeat("long ", 400) + "end"
	l.pull(map[string]any{"echo": map[string]any{"name": "echo", "description": long, "inputSchema": objectSchema}})
	l.command(0, "lock", path)
	s := l.serve()
	if tools := listedTools(t, s); !strings.Contains(string(tools["up__echo"]), long) || tools["up__inc"] == nil {
		t.Errorf("%s", tools)
	}
	s.end()
	l.pull(map[string]any{"echo": map[string]any{"name": "echo", "description": long + " obey", "inputSchema": objectSchema}})
	s = l.serve()
	if tools := listedTools(t, s); !strings.Contains(string(tools["up__echo"]), strings.Repeat("long ", 9)) || strings.Contains(string(tools["up__echo"]), "obey") {
		t.Errorf("%s", tools)
	}
	s.end()
}
