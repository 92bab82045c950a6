//go:build unix

package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"toolgraph/tests/issuer"
	"toolgraph/tests/testbin"
)

// longFile has the tool long, which takes some time before its question and after it, and one that needs a task.
const longFile = `version: "1.0"
server: {name: long, version: 1.0.0, taskAfterMs: 100}
mcpServers:
  slow: {command: %q}
tools:
- name: long
  inputSchema: {type: object, properties: {ms: {type: integer}}, required: [ms]}
  nodes:
  - {id: entry, type: entry, next: before}
  - {id: before, type: mcp, server: slow, tool: sleep, effect: read, timeoutMs: 600000, args: {ms: {expr: $.entry.ms}}, next: who}
  - {id: who, type: ask, message: "Whose name?", schema: {type: object, properties: {name: {type: string}}, required: [name]}, next: after}
  - {id: after, type: mcp, server: slow, tool: sleep, effect: read, timeoutMs: 600000, args: {ms: {expr: $.entry.ms}}, next: value}
  - {id: value, type: transform, transform: {expr: '{"name": $.who.name, "slept": $.before.slept + $.after.slept}'}, next: exit}
  - {id: exit, type: exit}
- name: needing
  task: required
  nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit}
`

// taskRequest is a request of testdata/tasks.mjs.
type taskRequest struct {
	Method string         `json:"method"`
	Params map[string]any `json:"params"`
	Until  string         `json:"until,omitempty"`
	Cut    bool           `json:"cut,omitempty"`
}

// taskAnswer is a message of the server.
type taskAnswer struct {
	Result struct {
		ResultType, TaskID, Status string
		InputRequests              map[string]json.RawMessage
		Result                     json.RawMessage
	}
	Method string
	Params struct{ TaskID, Status string }
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

// tasksBySDK sends requests with the SDK, or lets its Client call a tool.
func tasksBySDK(t *testing.T, modules, url, token, client string, requests ...taskRequest) (answers []taskAnswer) {
	t.Helper()
	script, err := filepath.Abs("testdata/tasks.mjs")
	if err != nil {
		t.Fatal(err)
	}
	in, err := json.Marshal(map[string]any{"url": url, "token": token, "client": client, "requests": requests})
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "node", script)
	cmd.Dir, cmd.Stdin, cmd.Stderr = filepath.Dir(modules), bytes.NewReader(in), &stderr
	out, err := cmd.Output()
	if err != nil || json.Unmarshal(out, &answers) != nil {
		t.Fatalf("%v: %s%s", err, out, &stderr)
	}
	return answers
}

// servingTasks is a process that serves the file from a store.
type servingTasks struct {
	*exec.Cmd
	url string
}

var servedAt = regexp.MustCompile(`at (http://\S+/mcp)`)

func serveTasks(t *testing.T, graph, state string, from *issuer.Issuer) servingTasks {
	t.Helper()
	said := &testbin.Said{}
	cmd := exec.Command(testbin.Build(t, "toolgraph"), "serve", graph, "--http", "127.0.0.1:0", "--resume=false", "--state", state,
		"--oauth-issuer", from.URL, "--oauth-resource", taskResource)
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(said)
		}
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if found := servedAt.FindStringSubmatch(said.String()); found != nil {
			return servingTasks{cmd, found[1]}
		}
		if time.Now().After(end) {
			t.Fatal(said)
		}
	}
}

const taskResource = "http://localhost/mcp"

// kill kills the process, and returns when it has ended.
func (s servingTasks) kill(t *testing.T) {
	t.Helper()
	if err := s.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.Wait()
}

// A task of the SDK's transport outlives its connections, two processes that are killed in a call, and its question is
// answered between them. Another subject finds nothing. TASK_SECONDS is how long the tool takes, without what is repeated.
func TestLongTaskThroughTheTypeScriptSDK(t *testing.T) {
	modules := modules(t, newerSDKPackage)
	ms := 500
	if text := os.Getenv("TASK_SECONDS"); text != "" {
		seconds, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		ms = seconds * 1000 / 2
	}
	graph, state, from := filepath.Join(t.TempDir(), "graph.yaml"), t.TempDir(), issuer.New(t)
	if err := os.WriteFile(graph, fmt.Appendf(nil, longFile, testbin.Build(t, "toolgraph/tests/fakeserver")), 0o600); err != nil {
		t.Fatal(err)
	}
	alice, bob := from.Token("alice", taskResource, ""), from.Token("bob", taskResource, "")
	about := func(method, id string) taskRequest {
		return taskRequest{Method: method, Params: map[string]any{"taskId": id}}
	}
	first := serveTasks(t, graph, state, from)
	made := tasksBySDK(t, modules, first.url, alice, "", taskRequest{
		Method: "tools/call", Params: map[string]any{"name": "long", "arguments": map[string]any{"ms": ms}},
	})[0]
	id := made.Result.TaskID
	if made.Result.ResultType != "task" || id == "" {
		t.Fatalf("%+v", made)
	}
	heard := tasksBySDK(t, modules, first.url, alice, "", taskRequest{
		Method: "subscriptions/listen", Params: map[string]any{"notifications": map[string]any{"taskIds": []string{id}}}, Cut: true,
	})[0]
	if heard.Method != "notifications/tasks" || heard.Params.TaskID != id {
		t.Errorf("the subscription: %+v", heard)
	}
	first.kill(t)

	second := serveTasks(t, graph, state, from)
	untilAsked := about("tasks/get", id)
	untilAsked.Until = "input_required"
	asks := tasksBySDK(t, modules, second.url, alice, "", untilAsked)[0].Result
	answers := map[string]any{}
	for key, q := range asks.InputRequests {
		if !strings.Contains(string(q), "Whose name?") {
			t.Errorf("the question: %s", q)
		}
		answers[key] = map[string]any{"action": "accept", "content": map[string]any{"name": "Ann"}}
	}
	foreignTries(t, modules, second.url, bob, id)
	update := about("tasks/update", id)
	update.Params["inputResponses"] = answers
	if got := tasksBySDK(t, modules, second.url, alice, "", update)[0]; got.Error != nil || got.Result.ResultType != "complete" {
		t.Fatalf("the answer: %+v", got)
	}
	second.kill(t)

	third := serveTasks(t, graph, state, from)
	untilDone := about("tasks/get", id)
	untilDone.Until = "completed"
	done := tasksBySDK(t, modules, third.url, alice, "", untilDone)[0].Result
	if want := fmt.Sprintf(`"structuredContent":{"name":"Ann","slept":%d}`, 2*ms); !strings.Contains(string(done.Result), want) {
		t.Errorf("%s\nwant %s", done.Result, want)
	}
	foreignTries(t, modules, third.url, bob, id)
}

// foreignTries sends 40 requests about the task of another subject: each gets what an unknown id gets.
func foreignTries(t *testing.T, modules, url, token, id string) {
	t.Helper()
	var requests []taskRequest
	for i := range 40 {
		method := []string{"tasks/get", "tasks/update", "tasks/cancel"}[i%3]
		for _, of := range []string{id, "none-such"} {
			requests = append(requests, taskRequest{Method: method, Params: map[string]any{"taskId": of, "inputResponses": map[string]any{}}})
		}
	}
	answers := tasksBySDK(t, modules, url, token, "", requests...)
	for i := 0; i < len(answers); i += 2 {
		got, unknown := answers[i].Error, answers[i+1].Error
		if got == nil || unknown == nil || got.Code != -32602 || got.Code != unknown.Code || got.Message != unknown.Message {
			t.Errorf("%s: %+v, want %+v", requests[i].Method, got, unknown)
		}
	}
}

// The SDK's Client, which does not know tasks, learns which capability a tool needs that it calls.
func TestTaskRequiredThroughTheTypeScriptSDK(t *testing.T) {
	modules, from := modules(t, newerSDKPackage), issuer.New(t)
	graph := filepath.Join(t.TempDir(), "graph.yaml")
	if err := os.WriteFile(graph, fmt.Appendf(nil, longFile, testbin.Build(t, "toolgraph/tests/fakeserver")), 0o600); err != nil {
		t.Fatal(err)
	}
	p := serveTasks(t, graph, t.TempDir(), from)
	got := tasksBySDK(t, modules, p.url, from.Token("alice", taskResource, ""), "needing")[0].Error
	if got == nil || got.Code != -32021 || !strings.Contains(string(got.Data), `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`) {
		t.Errorf("%+v", got)
	}
}
