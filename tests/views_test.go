package tests

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolgraph/tests/issuer"
	"toolgraph/tests/testbin"
)

const (
	viewed = `version: "1.0"
server: {name: viewed, version: 1.0.0, taskAfterMs: 1}
mcpServers: {up: {command: $FAKE, env: {KEY: "${VIEW_SECRET}"}}}
tools:
  - name: t
    inputSchema: {type: object, properties: {ms: {type: integer, default: 0}, note: {type: string, default: plain}}}
    nodes:
      - {id: entry, type: entry, next: made}
      - {id: made, type: transform, transform: {expr: '"inner " & $.entry.note'}, next: call}
      - {id: call, type: mcp, server: up, tool: sleep, args: {ms: {expr: $.entry.ms}}, next: given}
      - {id: given, type: transform, transform: {expr: '"done"'}, next: exit}
      - {id: exit, type: exit}
`
	showing = `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]},"io.modelcontextprotocol/tasks":{}}}`
	// showingMeta declares the same in a request.
	showingMeta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + showing + `}`
)

// viewIn is what a result says of its run, and to its view.
type viewIn struct {
	Meta struct {
		Run struct {
			ID string `json:"id"`
		} `json:"toolgraph/run"`
		View struct {
			Values bool `json:"values"`
			Run    struct {
				ID, Status string
			} `json:"run"`
			Graph struct {
				Nodes []struct{ ID string } `json:"nodes"`
			} `json:"graph"`
		} `json:"toolgraph/view"`
	} `json:"_meta"`
}

func viewOf(t *testing.T, raw json.RawMessage) (v viewIn) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return v
}

// The view is with the result, with or without a history: the graph, with values only where they are wanted, and never secrets.
func TestViews(t *testing.T) {
	t.Parallel()
	fake := testbin.Build(t, "toolgraph/tests/fakeserver")
	path := filepath.Join(t.TempDir(), "graph.yaml")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(viewed, "$FAKE", fake)), 0o600); err != nil {
		t.Fatal(err)
	}
	const secret = "s3cret-of-the-view"
	for _, args := range [][]string{{"--views", "off"}, {}, {"--views", "values"}, {"--no-history"}, {"--no-history", "--views", "values"}} {
		s := startCommand(t, []string{"VIEW_SECRET=" + secret, "TOOLGRAPH_STATE=" + t.TempDir()}, append([]string{"serve", "-g", path}, args...)...)
		s.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":`+showing+`,"clientInfo":{"name":"test","version":"1"}}`)
		off, values := strings.Contains(fmt.Sprint(args), "off"), strings.Contains(fmt.Sprint(args), "values")
		if list := s.request("tools/list", `{}`); strings.Contains(string(list.Result), "ui://toolgraph/run.html") == off {
			t.Errorf("%v: %s", args, list.Result)
		}
		read := s.request("resources/read", `{"uri":"ui://toolgraph/run.html"}`)
		if (read.Error != nil) != off || !off && !strings.Contains(string(read.Result), `<!doctype html>`) {
			t.Errorf("%v: %.300s %+v", args, read.Result, read.Error)
		}
		result := s.request("tools/call", `{"name":"t","arguments":{"note":"`+secret+`"}}`).Result
		v := viewOf(t, result).Meta
		if strings.Contains(string(result), secret[:6]) || strings.Contains(string(result), "inner") != values || v.View.Values != values {
			t.Errorf("%v: %s", args, result)
		}
		if !off && (v.View.Run.ID != v.Run.ID || v.View.Run.Status != "finished" || len(v.View.Graph.Nodes) != 5) || off && strings.Contains(string(result), "toolgraph/view") {
			t.Errorf("%v: %s", args, result)
		}
		s.end()
	}
}

// The result of a task has a view, too.
func TestViewOfATask(t *testing.T) {
	t.Parallel()
	s := start(t, viewed, "TOOLGRAPH_STATE="+t.TempDir(), "VIEW_SECRET=x-y-z-secret")
	begun := s.request("tools/call", `{"name":"t","arguments":{"ms":300},"_meta":`+showingMeta+`}`).Result
	var task struct {
		ID     string          `json:"taskId"`
		Status string          `json:"status"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(begun, &task); err != nil || task.ID == "" {
		t.Fatalf("no task: %v %s", err, begun)
	}
	for end := time.Now().Add(answerTimeout); task.Status != "completed"; {
		reply := s.request("tasks/get", `{"taskId":"`+task.ID+`","_meta":`+showingMeta+`}`)
		if reply.Error != nil && strings.HasSuffix(reply.Error.Message, "; call again") && time.Now().Before(end) {
			continue // the history is busy for the moment
		}
		if err := json.Unmarshal(reply.Result, &task); err != nil || time.Now().After(end) {
			t.Fatalf("%v %s %+v", err, reply.Result, reply.Error)
		}
	}
	if v := viewOf(t, task.Result).Meta.View; v.Run.Status != "finished" || len(v.Graph.Nodes) != 5 {
		t.Errorf("%s", task.Result)
	}
	raw := s.request("tasks/get", `{"taskId":"`+task.ID+`","_meta":`+strings.Replace(showingMeta, "mcp-app", "other", 1)+`}`).Result
	if !strings.Contains(string(raw), `"completed"`) || strings.Contains(string(raw), "toolgraph/view") {
		t.Errorf("a client without views: %s", raw)
	}
}

// A view is that of the call's own run: the same call of another subject, with the same key, has another one, and no request
// names a run.
func TestViewsOfTwoSubjects(t *testing.T) {
	t.Parallel()
	a := issuer.New(t)
	const resource = "http://localhost:8080/mcp"
	_, addr := startHTTP(t, mirror, nil, "--oauth-issuer", a.URL, "--oauth-resource", resource, "--state", t.TempDir())
	seen := map[string]string{}
	for _, subject := range []string{"alice", "bob", "alice"} {
		header := http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"mirror"}}
		meta := strings.Replace(showingMeta, "{", `{"toolgraph/key":"k",`, 1)
		body := postWith(t, addr, a.Token(subject, resource, ""), header, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mirror","arguments":{"id":1,"ms":0},"_meta":`+meta+`}}`)
		var answer reply
		if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.Error != nil {
			t.Fatalf("%v %s", err, body)
		}
		id := viewOf(t, answer.Result).Meta.View.Run.ID
		if id == "" || seen[subject] != "" && seen[subject] != id {
			t.Errorf("%s: run %q, before %q: %s", subject, id, seen[subject], body)
		}
		seen[subject] = id
		header.Set("Mcp-Method", "resources/read")
		for _, uri := range []string{"ui://toolgraph/run.html?run=" + seen["alice"], "ui://toolgraph/runs/" + seen["alice"]} {
			header.Set("Mcp-Name", uri)
			if body := postWith(t, addr, a.Token("bob", resource, ""), header, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+uri+`","_meta":`+showingMeta+`}}`); !strings.Contains(body, "not found") {
				t.Errorf("%s: %s", uri, body)
			}
		}
	}
	if seen["alice"] == seen["bob"] {
		t.Error("two subjects see one run")
	}
}

// postWith posts a message of the modern era and returns the answer.
func postWith(t *testing.T, addr, token string, header http.Header, message string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/mcp", strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header.Clone()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
