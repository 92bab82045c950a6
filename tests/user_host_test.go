package tests

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"toolgraph/tests/testbin"
)

// door is one way from a host to a served graph: an era of the protocol over a transport.
type door struct{ modern, http bool }

func (d door) String() string {
	era, over := "legacy", "stdio"
	if d.modern {
		era = "modern"
	}
	if d.http {
		over = "HTTP"
	}
	return era + " over " + over
}

// userHost is a host, and the graph that it calls. What the user of the host answers, the test says.
type userHost struct {
	t *testing.T
	door
	*session        // of the process
	addr     string // over HTTP
	header   string // the name of the session of the legacy era over HTTP

	questions chan reply // those of the legacy era, and their withdrawals
	meta      string     // of each request of the modern era
	ledger    string     // the calls that the fake server has answered, a line each
	state     string     // directory of recorded runs
	graph     string     // path of the graph file
}

// atEachDoor runs a test with a host at each door. In the graph, $FAKE is the command of the fake server, and
// $LEDGER an argument with which its tool enter records calls.
func atEachDoor(t *testing.T, graph, capabilities string, test func(t *testing.T, h *userHost)) {
	for _, d := range []door{{}, {modern: true}, {http: true}, {modern: true, http: true}} {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			test(t, newUserHost(t, d, graph, capabilities))
		})
	}
}

const canAsk = `{"elicitation":{}}`

// newUserHost starts a command on a graph file, serve unless another one is given.
func newUserHost(t *testing.T, d door, graph, capabilities string, command ...string) *userHost {
	t.Helper()
	if len(command) == 0 {
		command = []string{"serve"}
	}
	dir := t.TempDir()
	h := &userHost{t: t, door: d, ledger: filepath.Join(dir, "ledger"), state: filepath.Join(dir, "state"), questions: make(chan reply, 100)}
	f := newGraphFile(t, strings.ReplaceAll(graph, "$LEDGER", "ledger="+h.ledger))
	h.graph = f.path
	h.meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + `}`
	const hello = `{"protocolVersion":"2025-11-25","capabilities":%s,"clientInfo":{"name":"test","version":"1"}}`
	args := append(slices.Clip(command), "-g", f.path, "--state", h.state)
	if !d.http {
		h.session = startCommand(t, nil, args...)
		h.mu.Lock()
		h.requests = h.questions
		h.mu.Unlock()
		if !d.modern {
			h.request("initialize", fmt.Sprintf(hello, capabilities))
		}
		return h
	}
	h.session = startCommand(t, nil, append(args, "--http", "127.0.0.1:0")...)
	t.Cleanup(func() { _ = h.cmd.Process.Signal(os.Interrupt) })
	eventually(t, "the address", func() bool {
		found := httpAddress.FindStringSubmatch(h.stderr.String())
		if found != nil {
			h.addr = found[1]
		}
		return found != nil
	})
	if !d.modern {
		resp := h.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":`+hello+`}`, capabilities))
		h.header = resp.Header.Get("Mcp-Session-Id")
		_ = resp.Body.Close()
	}
	return h
}

// post sends a message over HTTP.
func (h *userHost) post(message string) *http.Response {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, "http://"+h.addr+"/mcp", strings.NewReader(message))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if h.header != "" {
		r.Header.Set("Mcp-Session-Id", h.header)
	}
	if h.modern {
		var m struct{ Params struct{ Name string } }
		if err := json.Unmarshal([]byte(message), &m); err != nil {
			h.t.Fatal(err)
		}
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", m.Params.Name)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	return resp
}

// conversation is one call of a tool, with its questions.
type conversation struct {
	*userHost
	tool, args string
	id         int
	answered   <-chan reply
}

// begin calls a tool.
func (h *userHost) begin(tool, args string) *conversation {
	h.t.Helper()
	c := &conversation{userHost: h, tool: tool, args: args}
	c.call("")
	return c
}

// call sends the call, with more members of its params.
func (c *conversation) call(more string) {
	c.t.Helper()
	params := fmt.Sprintf(`{"name":%q,"arguments":%s%s`, c.tool, c.args, more)
	if c.modern {
		params += "," + c.meta
	}
	params += "}"
	if !c.http {
		c.id, c.answered = c.send("tools/call", params)
		return
	}
	c.mu.Lock()
	c.next++
	c.id = c.next
	c.mu.Unlock()
	answered := make(chan reply, 1)
	c.answered = answered
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`, c.id, params)
	go func() {
		resp := c.post(message)
		defer resp.Body.Close()
		for lines := bufio.NewReader(resp.Body); ; {
			line, err := lines.ReadString('\n')
			var r reply
			switch {
			case json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &r) != nil:
			case r.Method != "":
				c.questions <- r
			default:
				r.status = resp.StatusCode
				answered <- r
			}
			if err != nil {
				return
			}
		}
	}()
}

// hostQuestion is a question that a host has got for its user.
type hostQuestion struct {
	Message         string
	RequestedSchema json.RawMessage
	Mode            string

	name, state string // modern
	id          string // legacy
}

// question waits for the next question of the call.
func (c *conversation) question() (q hostQuestion) {
	c.t.Helper()
	if c.modern {
		return c.modernQuestion(c.await(c.answered))
	}
	select {
	case r := <-c.questions:
		if r.Method != "elicitation/create" {
			c.t.Fatalf("got %s %s, want a question", r.Method, r.Params)
		}
		if err := json.Unmarshal(r.Params, &q); err != nil {
			c.t.Fatal(err)
		}
		q.id = string(r.ID)
	case r := <-c.answered:
		c.t.Fatalf("not asked: %s", r.Result)
	case <-time.After(answerTimeout):
		c.t.Fatalf("not asked; the server said: %s", c.stderr)
	}
	return q
}

func (c *conversation) modernQuestion(r reply) (q hostQuestion) {
	c.t.Helper()
	var in struct {
		ResultType    string
		RequestState  string
		InputRequests map[string]struct{ Params json.RawMessage }
	}
	if err := json.Unmarshal(r.Result, &in); err != nil || in.ResultType != "input_required" || len(in.InputRequests) != 1 {
		c.t.Fatalf("not asked: %v %s %+v", err, r.Result, r.Error)
	}
	for name, request := range in.InputRequests {
		if err := json.Unmarshal(request.Params, &q); err != nil {
			c.t.Fatal(err)
		}
		q.name = name
	}
	q.state = in.RequestState
	return q
}

// nextQuestion is the next question of any call of a host of the legacy era; this call may be answered before.
func (c *conversation) nextQuestion() hostQuestion {
	c.t.Helper()
	bare := &conversation{userHost: c.userHost, tool: c.tool, args: c.args} // its call is never answered
	return bare.question()
}

// answer answers a question.
func (c *conversation) answer(q hostQuestion, answer string) {
	c.t.Helper()
	if c.modern {
		c.call(c.withAnswer(q, answer))
		return
	}
	if status := c.say(q, answer); status != 0 && status != http.StatusAccepted {
		c.t.Errorf("the answer got status %d", status)
	}
}

func (*conversation) withAnswer(q hostQuestion, answer string) string {
	return fmt.Sprintf(`,"requestState":%q,"inputResponses":{%q:%s}`, q.state, q.name, answer)
}

// say sends the answer to a question of the legacy era; over stdio there is no status.
func (c *conversation) say(q hostQuestion, answer string) (status int) {
	c.t.Helper()
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, q.id, answer)
	if !c.http {
		c.write(message)
		return 0
	}
	resp := c.post(message)
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// refused answers a question that is not open any more. The server says so, but over stdio in the legacy
// era, where it cannot: there the answer has no effect.
func (c *conversation) refused(q hostQuestion, answer string) {
	c.t.Helper()
	if !c.modern {
		if status := c.say(q, answer); status != 0 && status != http.StatusBadRequest {
			c.t.Errorf("a late answer got status %d", status)
		}
		return
	}
	late := &conversation{userHost: c.userHost, tool: c.tool, args: c.args}
	late.call(c.withAnswer(q, answer))
	if r := c.await(late.answered); r.Error == nil || r.Error.Code != -32602 {
		c.t.Errorf("a late answer: %s %+v", r.Result, r.Error)
	}
}

// withdrawn waits for the withdrawal of a question. In the modern era there is none: its state is not
// valid any more.
func (c *conversation) withdrawn(q hostQuestion) {
	c.t.Helper()
	if c.modern {
		return
	}
	r := reply{}
	select {
	case r = <-c.questions:
	case <-time.After(answerTimeout):
	}
	if r.Method != "notifications/cancelled" || string(r.Params) != `{"requestId":`+q.id+`}` {
		c.t.Errorf("the question is not withdrawn: %s %s", r.Method, r.Params)
	}
}

// result waits for the result of the call.
func (c *conversation) result() toolResult {
	c.t.Helper()
	return c.session.result(c.await(c.answered))
}

// failed waits for a result that is an error with this text in it.
func (c *conversation) failed(want ...string) {
	c.t.Helper()
	got := c.result()
	for _, part := range want {
		if !got.IsError || !strings.Contains(got.text(c.t), part) {
			c.t.Errorf("got %+v, want a failure with %q", got, part)
		}
	}
}

// cannotAsk expects the answer to a call that needs a user whom the host cannot ask: a failed result
// in the legacy era, an error with what the host lacks in the modern one.
func (c *conversation) cannotAsk(want ...string) {
	c.t.Helper()
	if !c.modern {
		c.failed(want...)
		return
	}
	r := c.await(c.answered)
	if r.Error == nil || r.Error.Code != -32021 || string(r.Error.Data) != `{"requiredCapabilities":{"elicitation":{"form":{}}}}` || c.http && r.status != http.StatusBadRequest {
		c.t.Fatalf("got status %d, %s, %+v", r.status, r.Result, r.Error)
	}
	for _, part := range want {
		if !strings.Contains(r.Error.Message, part) {
			c.t.Errorf("got %q, want %q in it", r.Error.Message, part)
		}
	}
}

// calls returns how many calls the fake server has answered.
func (h *userHost) calls() int {
	h.t.Helper()
	raw, err := os.ReadFile(h.ledger)
	if err != nil && !os.IsNotExist(err) {
		h.t.Fatal(err)
	}
	return strings.Count(string(raw), "\n")
}

// called checks how many calls the fake server has answered.
func (h *userHost) called(want int) {
	h.t.Helper()
	if got := h.calls(); got != want {
		h.t.Errorf("the server has counted %d calls, want %d", got, want)
	}
}

// toolgraph runs a command beside the server, and returns what it prints.
func (h *userHost) toolgraph(args ...string) string {
	h.t.Helper()
	cmd := exec.CommandContext(h.t.Context(), testbin.Build(h.t, "toolgraph"), append(args, "--state", h.state)...)
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return out.String() + said.String()
	}
	return out.String()
}
