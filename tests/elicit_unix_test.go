//go:build unix

package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// asking is an upstream server whose only tool asks the user before it answers.
const asking = `#!/bin/sh
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
  case "$line" in
  *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"asking","version":"1"}}}' ;;
  *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"tools":[{"name":"delete","inputSchema":{"type":"object"}}]}}' ;;
  *'"tools/call"'*) call=$id
    echo '{"jsonrpc":"2.0","id":77,"method":"elicitation/create","params":{"message":"Delete it?","requestedSchema":{"type":"object","properties":{}}}}' ;;
  *'"action":"accept"'*) echo '{"jsonrpc":"2.0","id":'"$call"',"result":{"content":[{"type":"text","text":"deleted"}]}}' ;;
  *'"id":77'*) echo '{"jsonrpc":"2.0","id":'"$call"',"result":{"content":[{"type":"text","text":"kept"}]}}' ;;
  esac
done
`

// askingGraph is a graph on the server asking.
func askingGraph(t *testing.T, allow string) string { return graphOn(t, asking, allow) }

// graphOn is a graph on a server that is a shell script.
func graphOn(t *testing.T, server, allow string) string {
	t.Helper()
	script := filepath.Join(t.TempDir(), "asking")
	if err := os.WriteFile(script, []byte(server), 0o700); err != nil {
		t.Fatal(err)
	}
	return `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: ` + script + `, protocol: legacy` + allow + `}}
tools:
- name: go
  description: deletes something, if the user agrees
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: delete, next: exit}
  - {id: exit, type: exit}
`
}

const delivered = `{"message":"The server \"up\" asks: Delete it?","requestedSchema":{"type":"object","properties":{}}}`

// The question of a server that may ask reaches the user of a host, and the answer the
// server, in the legacy era by a request to the host.
func TestServerAsksTheUser(t *testing.T) {
	t.Parallel()
	f := newGraphFile(t, askingGraph(t, ", allow: [elicitation]"))
	s := startCommand(t, nil, "-g", f.path)
	s.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}`)
	for i, c := range []struct{ answer, want string }{{`{"action":"accept","content":{}}`, `"deleted"`}, {`{"action":"decline"}`, `"kept"`}} {
		_, answer := s.sendCall("go", `{}`)
		eventually(t, "the user is asked", func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return len(s.asked) == i+1 && slices.Contains(s.asked, "elicitation/create")
		})
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"toolgraph-%d","result":%s}`, i+1, c.answer))
		if got := s.result(s.await(answer)).text(t); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// In the modern era the question is an answer, and the answer comes with another call.
func TestServerAsksTheUserOfAModernHost(t *testing.T) {
	t.Parallel()
	f := newGraphFile(t, askingGraph(t, ", allow: [elicitation]"))
	s := startCommand(t, nil, "-g", f.path)
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	r := s.request("tools/call", `{"name":"go","arguments":{},`+meta+`}`)
	var question struct {
		ResultType    string
		InputRequests struct {
			Question struct{ Params json.RawMessage }
		}
		RequestState string
	}
	if err := json.Unmarshal(r.Result, &question); err != nil || question.ResultType != "input_required" || string(question.InputRequests.Question.Params) != delivered {
		t.Fatalf("%v: %s", err, r.Result)
	}
	again := s.request("tools/call", fmt.Sprintf(`{"name":"go","arguments":{},"requestState":%q,"inputResponses":{"question":{"action":"accept"}},%s}`, question.RequestState, meta))
	if got := s.result(again).text(t); got != `"deleted"` {
		t.Errorf("got %s", got)
	}
}

// A server that may not ask is refused, and so is one whose host cannot ask its user.
func TestServerMayNotAsk(t *testing.T) {
	t.Parallel()
	for _, allow := range []string{"", ", allow: [elicitation]"} {
		f := newGraphFile(t, askingGraph(t, allow))
		s := startCommand(t, nil, "-g", f.path)
		s.handshake()
		if got := s.call("go", `{}`); strings.Contains(got.text(t), "deleted") {
			t.Errorf("with %q: %+v", allow, got)
		}
		s.mu.Lock()
		if len(s.asked) > 0 {
			t.Errorf("with %q the host was sent %v", allow, s.asked)
		}
		s.mu.Unlock()
	}
}

// On the page of ui, the user of the page is asked, also after the file was read again.
func TestServerAsksTheUserOfThePage(t *testing.T) {
	t.Parallel()
	graph := askingGraph(t, ", allow: [elicitation]")
	f := newGraphFile(t, graph)
	p, _, _ := startUI(t, f.path, "--no-open", "--no-history")
	var open struct {
		Questions []struct{ ID, Server, Message string }
	}
	for action, want := range map[string]string{`{"action":"accept","content":{}}`: `"deleted"`, `{"action":"decline"}`: `"kept"`} {
		var run struct{ ID string }
		if err := json.Unmarshal([]byte(p.ask("POST", "api/runs", `{"tool": "go", "args": {}}`)), &run); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(p.until("api/questions", `"Delete it?"`)), &open); err != nil || len(open.Questions) != 1 || open.Questions[0].Server != "up" {
			t.Fatalf("%+v, %v", open, err)
		}
		p.ask("POST", "api/questions/"+open.Questions[0].ID, action)
		p.until("api/runs/"+run.ID, `"finished"`)
		if got := p.ask("GET", "api/runs/"+run.ID+"/whole?of=result", ""); got != want {
			t.Errorf("%s: %s, want %s", action, got, want)
		}
		f.write(strings.ReplaceAll(graph, "protocol: legacy", "timeoutMs: 50000, protocol: legacy") + "# another pool\n")
		p.until("api/source", "another pool")
	}
}

// A server may list its tools to clients alone whose user it can ask: lock is one, where the
// graph allows it.
func TestLockOfAServerThatMayAsk(t *testing.T) {
	t.Parallel()
	shy := strings.NewReplacer(
		`*'"initialize"'*) echo`, `*'"initialize"'*) case "$line" in *'"elicitation"'*) may=1 ;; esac; echo`,
		`*'"tools/list"'*) echo`, `*'"tools/list"'*) [ -n "$may" ] || { echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"tools":[]}}'; continue; }; echo`,
	).Replace(asking)
	toolgraph := testbin.Build(t, "toolgraph")
	for allow, code := range map[string]int{", allow: [elicitation]": 0, "": 1} {
		f := newGraphFile(t, graphOn(t, shy, allow))
		cmd := programCommand(t, toolgraph, "lock", f.path)
		said, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != code || code == 0 && !strings.Contains(string(said), "added up.delete") {
			t.Errorf("%q: exit code %d, want %d\n%s", allow, got, code, said)
		}
	}
}
