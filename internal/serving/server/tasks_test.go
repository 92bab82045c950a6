package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeTasks has the task T of a run that works until it is over.
type fakeTasks struct {
	mu      sync.Mutex // guards what follows
	begun   []string
	changed []string
	refuse  bool // runs are no tasks
}

func (f *fakeTasks) Begin(_ context.Context, tool, run string) (Task, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begun = append(f.begun, tool+" "+run)
	if f.refuse {
		return Task{}, errors.New("not recorded")
	}
	return f.task(), nil
}

func (*fakeTasks) task() Task {
	return Task{ID: "T", Tool: "do", Run: "R", Status: TaskWorking, State: "working", Created: time.Unix(0, 0), Updated: time.Unix(1, 0), Keep: time.Hour}
}

func (f *fakeTasks) Look(ctx context.Context, id, state string) (Task, error) {
	if id != "T" {
		return Task{}, ErrNoTask
	}
	if state != "" {
		<-ctx.Done()
		return Task{}, ctx.Err()
	}
	return f.task(), nil
}

func (f *fakeTasks) Change(_ context.Context, id string, answers map[string]json.RawMessage) (*Continued, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changed = append(f.changed, fmt.Sprint(id, len(answers), answers == nil))
	return nil, nil //nolint:nilnil // the run goes on where it is
}

const (
	tasksMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
	plainMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	// earlierMeta declares tasks as protocol 2025-11-25 does, which is not the extension.
	earlierMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"tasks":{"requests":{"tools":{"call":{}}}},"experimental":{"io.modelcontextprotocol/tasks":{}}}}`
)

func request(method, params, meta string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s%s}}`, method, params, meta)
}

// Clients without the extension get byte for byte what a server without tasks gives them, and so do fast calls of
// clients with it.
func TestTasksChangeNothingElse(t *testing.T) {
	answers := func(with Tasks) (all []string) {
		h := connect(t, newBench(t, func(o *Options) { o.Tasks = with }).server)
		for _, message := range []string{
			strings.Replace(askingInit, `"elicitation":{}`, `"tasks":{"list":{}}`, 1),
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"msg":"a"},"task":{"ttl":60000}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"T"}}`,
			request("tools/list", "", plainMeta),
			request("tools/call", `"name":"echo","arguments":{"msg":"a"},`, plainMeta),
			request("tools/call", `"name":"echo","arguments":{"msg":"a"},`, earlierMeta),
			request("tools/call", `"name":"echo","arguments":{"msg":"a"},`, tasksMeta),
			request("tools/call", `"name":"fail","arguments":{},`, tasksMeta),
			request("tasks/list", "", tasksMeta),
			request("tasks/result", `"taskId":"T",`, tasksMeta),
		} {
			h.send(message)
			all = append(all, h.next())
		}
		if err := h.close(); err != nil {
			t.Error(err)
		}
		return all
	}
	with, without := answers(&fakeTasks{}), answers(nil)
	for i := range without {
		if with[i] != without[i] {
			t.Errorf("with tasks:    %s\nwithout tasks: %s", with[i], without[i])
		}
	}
	for _, answer := range with[len(with)-2:] {
		if !strings.Contains(answer, `"code":-32601`) {
			t.Errorf("a request that the extension does not have: %s", answer)
		}
	}
}

// A call that takes long is answered with a task, once the run can be one; the run goes on. What an upstream server asks
// from then on is refused.
func TestCallBecomesTask(t *testing.T) {
	f, asked, open := &fakeTasks{}, make(chan error, 1), make(chan struct{})
	b := newBench(t, func(o *Options) {
		o.Tools, o.Tasks, o.TaskAfter = append(o.Tools, toolOf(t, "do", "", "")), f, time.Millisecond
	})
	b.do = func(ctx context.Context, _ Watch) {
		CalledBy(ctx).Name.Set("R")
		<-open
		_, err := Ask(ctx, Question{Params: json.RawMessage(goOn)})
		asked <- err
	}
	h := connect(t, b.server)
	h.send(request("tools/call", `"name":"do",`, strings.Replace(tasksMeta, `{"extensions"`, `{"elicitation":{},"extensions"`, 1)))
	const want = `{"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"T","status":"working","createdAt":"1970-01-01T00:00:00Z","lastUpdatedAt":"1970-01-01T00:00:01Z","ttlMs":3600000,"pollIntervalMs":1000,"_meta":{`
	if got := h.next(); !strings.HasPrefix(got, want) || strings.Contains(got, "requestState") {
		t.Error(got)
	}
	close(open)
	if err := <-asked; !errors.Is(err, errTaskAsks) {
		t.Errorf("the question: %v", err)
	}
	f.mu.Lock()
	begun := strings.Join(f.begun, ",")
	f.mu.Unlock()
	if begun != "do R" {
		t.Errorf("begun: %s", begun)
	}
	if err := h.close(); err != nil {
		t.Error(err)
	}
	b.noneLeft(t)
}

// A call whose run cannot be a task is answered when it ends.
func TestCallThatCannotBeTask(t *testing.T) {
	f, tried := &fakeTasks{refuse: true}, make(chan struct{}, 1)
	b := newBench(t, func(o *Options) {
		o.Tools, o.Tasks, o.TaskAfter = append(o.Tools, toolOf(t, "do", "", "")), f, time.Millisecond
	})
	b.do = func(ctx context.Context, _ Watch) {
		CalledBy(ctx).Name.Set("R")
		<-tried
	}
	h := connect(t, b.server)
	h.send(request("tools/call", `"name":"do",`, tasksMeta))
	for tries := 0; tries < 2; time.Sleep(time.Millisecond) {
		f.mu.Lock()
		tries = len(f.begun)
		f.mu.Unlock()
	}
	tried <- struct{}{}
	if got := h.next(); !strings.Contains(got, `"text":"\"done\""`) || !strings.Contains(got, `"resultType":"complete"`) {
		t.Error(got)
	}
}

// Requests about tasks need the extension in their own capabilities, and over HTTP the id of the task in a header.
func TestTaskRequests(t *testing.T) {
	f := &fakeTasks{}
	b := newBench(t, func(o *Options) { o.Tasks = f })
	h := serveSite(t, b.server, HTTPOptions{})
	send := func(method, params, meta string, names ...string) (int, string) {
		t.Helper()
		headers := []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}
		for _, name := range names {
			headers = append(headers, "Mcp-Name: "+name)
		}
		return h.post(request(method, params, meta), headers...)
	}
	const undeclared = `"code":-32021,"message":"the request is about tasks`
	const required = `"data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		for _, meta := range []string{plainMeta, earlierMeta} {
			if status, got := send(method, `"taskId":"T","inputResponses":{},`, meta, "T"); status != http.StatusBadRequest || !strings.Contains(got, undeclared) || !strings.Contains(got, required) {
				t.Errorf("%s: %d %s", method, status, got)
			}
		}
		for _, names := range [][]string{nil, {"other"}, {"=?base64?VQ==?="}} {
			if status, got := send(method, `"taskId":"T","inputResponses":{},`, tasksMeta, names...); status != http.StatusBadRequest || !strings.Contains(got, `"code":-32020`) {
				t.Errorf("%s with %q: %d %s", method, names, status, got)
			}
		}
	}
	if status, got := send("subscriptions/listen", `"notifications":{"taskIds":["T"]},`, plainMeta); status != http.StatusBadRequest || !strings.Contains(got, undeclared) {
		t.Errorf("a subscription: %d %s", status, got)
	}
	if len(f.changed) > 0 {
		t.Errorf("what was refused was done: %s", f.changed)
	}
	for _, c := range []struct{ method, params, name, want string }{
		{"tasks/get", `"taskId":"T",`, "=?base64?VA==?=", `"result":{"taskId":"T","status":"working",`},
		{"tasks/get", `"taskId":"U",`, "U", `"code":-32602,"message":"taskId: this server has no such task`},
		{"tasks/get", `"taskId":5,`, "5", `"code":-32020`},
		{"tasks/update", `"taskId":"T",`, "T", `"code":-32602,"message":"inputResponses: expected an object`},
		{"tasks/update", `"taskId":"T","inputResponses":null,`, "T", `"code":-32602,"message":"inputResponses: expected an object`},
		{"tasks/update", `"taskId":"T","inputResponses":{"a":{}},`, "T", `"result":{"resultType":"complete","_meta":`},
		{"tasks/cancel", `"taskId":"T",`, "T", `"result":{"resultType":"complete","_meta":`},
		{"server/discover", "", "", `"extensions":{"io.modelcontextprotocol/tasks":{}}`},
	} {
		if _, got := send(c.method, c.params, tasksMeta, c.name); !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %s", c.method, c.params, got)
		}
	}
	if got := strings.Join(f.changed, ","); got != "T1 false,T0 true" {
		t.Errorf("changes: %s", got)
	}
}

// A subscription over stdio has the status of the tasks that are there, and ends with the connection.
func TestTaskSubscription(t *testing.T) {
	h := connect(t, newBench(t, func(o *Options) { o.Tasks, o.Grace = &fakeTasks{}, time.Hour }).server)
	h.send(request("subscriptions/listen", `"notifications":{"taskIds":["T","U","T"]},`, tasksMeta))
	if got := h.next(); !strings.Contains(got, `"notifications":{"taskIds":["T"]}`) {
		t.Error(got)
	}
	if got := h.next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","method":"notifications/tasks","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"taskId":"T","status":"working",`) {
		t.Error(got)
	}
	if err := h.close(); err != nil {
		t.Error(err)
	}
}
