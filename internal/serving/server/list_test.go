package server

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
)

func calling(t *testing.T, name string, tools ...string) Tool {
	t.Helper()
	g := toolOf(t, name, "", "")
	for _, tool := range tools {
		tool, effect, _ := strings.Cut(tool, ":")
		g.Calls = append(g.Calls, Upstream{Server: "s", Tool: tool, Effect: config.Effect(effect)})
	}
	return g
}

// Hints are derived from the known hints of the called tools, and left out where they
// depend on an unknown one.
func TestDerivedAnnotations(t *testing.T) {
	known := map[string]Hints{
		"read":   {ReadOnly: yes(true), OpenWorld: yes(false)},
		"web":    {ReadOnly: yes(true), OpenWorld: yes(true)},
		"delete": {ReadOnly: yes(false), Destructive: yes(true)},
		"append": {ReadOnly: yes(false), Destructive: yes(false), OpenWorld: yes(false)},
		"shy":    {},
	}
	var found config.Diagnostics
	hints := func(_, tool string) (Hints, bool) {
		h, ok := known[tool]
		return h, ok
	}
	for _, c := range []struct {
		calls []string
		want  string
	}{
		{nil, `{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":false}`},
		{[]string{"read"}, `{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":false}`},
		{[]string{"read", "web"}, `{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":true}`},
		{[]string{"read", "append"}, `{"readOnlyHint":false,"destructiveHint":false,"openWorldHint":false}`},
		{[]string{"read", "delete"}, `{"readOnlyHint":false,"destructiveHint":true}`},
		{[]string{"shy"}, `{}`},
		{[]string{"shy", "delete", "web"}, `{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":true}`},
		{[]string{"unheard-of"}, `{}`},

		// The author's word goes before the hints.
		{[]string{"unheard-of:read"}, `{"readOnlyHint":true,"destructiveHint":false}`},
		{[]string{"unheard-of:write"}, `{"readOnlyHint":false,"destructiveHint":false}`},
		{[]string{"unheard-of:destroy"}, `{"readOnlyHint":false,"destructiveHint":true}`},
		{[]string{"delete:read"}, `{"readOnlyHint":true,"destructiveHint":false}`},
		{[]string{"delete:write", "read"}, `{"readOnlyHint":false,"destructiveHint":false}`},
		{[]string{"web:destroy", "read"}, `{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":true}`},
		{[]string{"read:read", "read:destroy"}, `{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":false}`},
		{[]string{"shy", "append:read"}, `{}`},
		{[]string{"shy", "append:write"}, `{"readOnlyHint":false}`},
	} {
		got, err := json.Marshal(newTool(calling(t, "x", c.calls...), &found).derive(hints))
		if err != nil || string(got) != c.want {
			t.Errorf("%v:\ngot  %s\nwant %s", c.calls, got, c.want)
		}
	}
}

func TestGivenAnnotations(t *testing.T) {
	g := calling(t, "x", "delete")
	g.Def.Title = config.Text{Value: "X"}
	g.Def.Description = config.Text{Value: "does\nx"}
	g.Def.Annotations = dataOf(t, `{"title":"Y","readOnlyHint":true}`)
	var found config.Diagnostics
	want := `{"name":"x","title":"X","description":"does\nx","inputSchema":{"type":"object"},"annotations":{"title":"Y","readOnlyHint":true}}`
	if got := string(newTool(g, &found).appendListed(nil, nil, false)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	g.Def.Icons, g.Def.Meta = dataOf(t, `[{"src":"https://e.com/i"}]`), dataOf(t, `{"z":1,"a":9007199254740993}`)
	want = strings.TrimSuffix(want, "}") + `,"icons":[{"src":"https://e.com/i"}],"_meta":{"z":1,"a":9007199254740993}}`
	if got := string(newTool(g, &found).appendListed(nil, nil, false)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// G16, the part of this room: other graphs from now on, each client is notified once in
// the way of its era, and runs in flight keep their graph.
func TestG16Replace(t *testing.T) {
	b := newBench(t, nil)
	old := connect(t, b.server).handshake()
	quiet := connect(t, b.server) // has asked for nothing
	fresh := connect(t, b.server)
	fresh.send(`{"jsonrpc":"2.0","id":9007199254740993,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	fresh.want(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":9007199254740993},"notifications":{"toolsListChanged":true}}}`)
	old.send(hold(1))
	b.waitStarted(t, 1)

	if _, err := b.server.Replace([]Tool{toolOf(t, "x", `{"type":"array"}`, "")}, nil); err == nil {
		t.Fatal("graphs with a broken schema are served")
	}
	ended, err := b.server.Replace([]Tool{toolOf(t, "new", "", "")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	old.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	fresh.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":9007199254740993}}}`)
	old.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	old.want(`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"new","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":false}}]}}`)
	select {
	case <-ended:
		t.Error("the old tools have ended, and one of them runs")
	default:
	}
	close(b.release)
	old.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\"1\""}]}}`)
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the old tools have not ended")
	}
	quiet.send(ping)
	quiet.want(pong)
	for _, h := range []*host{old, quiet, fresh} {
		if err := h.close(); err != nil {
			t.Fatal(err)
		}
	}
	// At the end of the connection a subscription is answered.
	fresh.want(`{"jsonrpc":"2.0","id":9007199254740993,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":9007199254740993}}}`)
}

func TestNewRefuses(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("a server without a name")
	}
	_, err := New(Options{Info: Info{Name: "x"}, Tools: []Tool{
		toolOf(t, "a", `{"type":"array"}`, ""), toolOf(t, "b", `{"required":1}`, ""),
	}})
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("both tools should be named: %v", err)
	}
}
