package server

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

const askingMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}`

// askCall is a call of a tool that asks, with more members of params.
func askCall(id int, tool, more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{},%s%s}}`, id, tool, more, askingMeta)
}

var givenState = regexp.MustCompile(`"requestState":"([A-Z0-9]+)"`)

// stateOf is the state of an answer that is a question.
func stateOf(t testing.TB, line string) string {
	t.Helper()
	found := givenState.FindStringSubmatch(line)
	if found == nil || !strings.Contains(line, `"result":{"resultType":"input_required","inputRequests":{"question":{"method":"elicitation/create","params":{"message":"Go on?","requestedSchema":{"type":"object","properties":{}}}}},"requestState":`) {
		t.Fatalf("no question: %s", line)
	}
	return found[1]
}

func answering(state, answer string) string {
	return fmt.Sprintf(`"requestState":%q,"inputResponses":{"question":%s},`, state, answer)
}

const accepted = `{"action":"accept","content":{"n":1}}`

const askedResult = `"result":{"content":[{"type":"text","text":"{\"action\":\"accept\",\"content\":{\"n\":1}}"}],"structuredContent":{"action":"accept","content":{"n":1}},"resultType":"complete"`

// In the modern era the question is the answer of a call, and the next call brings the
// answer. M18: a state is good for one answer, to the tool and arguments that it was
// given for, for a while.
func TestM18Talk(t *testing.T) {
	b := newBench(t, nil)
	h := connect(t, b.server)
	refused := func(id int, message, why string) {
		t.Helper()
		h.send(message)
		if got := h.next(); !strings.HasPrefix(got, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32602,"message":"%s`, id, why)) {
			t.Errorf("got %s, want %s", got, why)
		}
	}
	h.send(askCall(1, "ask", ""))
	state := stateOf(t, h.next())
	const none = "requestState is unknown: no run of this tool with these arguments waits for it in this process"
	refused(2, askCall(2, "any", answering(state, accepted)), none)
	refused(3, strings.Replace(askCall(3, "ask", answering(state, accepted)), `"arguments":{}`, `"arguments":{"a":1}`, 1), none)
	refused(4, askCall(4, "ask", answering(state+"A", accepted)), none)
	refused(5, askCall(5, "ask", `"requestState":5,"inputResponses":{},`), none)
	refused(6, askCall(6, "ask", answering(state, `{"action":"perhaps"}`)), "inputResponses.question: expected an object whose action is")
	refused(7, askCall(7, "ask", fmt.Sprintf(`"requestState":%q,"inputResponses":{"other":{}},`, state)), "inputResponses: expected an object with the answer under the key")
	// None of that has used it up.
	h.send(askCall(9, "ask", answering(state, accepted)))
	if got := h.next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":9,`+askedResult) {
		t.Errorf("got %s", got)
	}
	refused(10, askCall(10, "ask", answering(state, accepted)), none)
	b.noneLeft(t)
	b.server.pending.patience = time.Millisecond
	h.send(askCall(11, "ask", ""))
	state = stateOf(t, h.next())
	b.noneLeft(t)
	refused(12, askCall(12, "ask", answering(state, accepted)), none)
	if err := h.close(); err != nil {
		t.Error(err)
	}
}

// A client that cannot ask its user is not made to; progress belongs to the call that
// wanted it; what the run comes to after a question is the next call's.
func TestTalkEdges(t *testing.T) {
	b := newBench(t, nil)
	h := connect(t, b.server)
	call, _ := modernCall(1, "ask", "{}")
	h.send(call)
	if got := h.next(); !strings.Contains(got, "it has not declared the capability elicitation") {
		t.Errorf("got %s", got)
	}
	h.send(strings.Replace(askCall(2, "ask", ""), `"_meta":{`, `"_meta":{"progressToken":"p",`, 1))
	state := stateOf(t, h.next())
	h.send(askCall(3, "ask", answering(state, accepted)))
	if got := h.next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":3,"result"`) {
		t.Errorf("got %s", got)
	}
	h.send(strings.Replace(askCall(4, "walk", ""), `"_meta":{`, `"_meta":{"progressToken":"p",`, 1))
	if got := h.next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"0"}]`) {
		t.Errorf("a run without a question: %s", got)
	}
	h.send(askCall(5, "hold", ""))
	b.waitStarted(t, 1)
	h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	b.waitStopped(t)
	h.send(askCall(6, "ask", "")) // its run ends with the connection
	stateOf(t, h.next())
	if err := h.close(); err != nil {
		t.Error(err)
	}
}

func TestHTTPInteractiveRun(t *testing.T) {
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{})
	other := serveSite(t, newBench(t, nil).server, HTTPOptions{})
	headers := []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: ask"}
	_, body := h.post(askCall(1, "ask", ""), headers...)
	answer := askCall(2, "ask", answering(stateOf(t, body), accepted))
	if _, body := other.post(answer, headers...); !strings.Contains(body, "requestState is unknown: no run") {
		t.Errorf("another process: %s", body)
	}
	if status, body, _ := h.do(h.request(context.Background(), answer, headers...)); status != 200 || !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":2,`+askedResult) {
		t.Errorf("%d %s", status, body)
	}
	if _, body := h.post(askCall(3, "ask", ""), headers...); stateOf(t, body) == "" {
		t.Error("no state")
	} // its run ends with the server
}

// A question has the name that its asker gives it. Answers that come with a new call are for
// the questions of these names; what is no answer is passed over, and the user is asked.
func TestTalkNamesAndEarlyAnswers(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Tools = append(o.Tools, toolOf(t, "asknamed", "", "")) })
	h := connect(t, b.server)
	const named = `"inputRequests":{"go\"on":{"method":"elicitation/create"`
	for i, early := range []string{"", `"inputResponses":{},`, `"inputResponses":{"question":` + accepted + `},`, `"inputResponses":{"go\"on":12345},`, `"inputResponses":7,`} {
		h.send(askCall(10+i, "asknamed", early))
		got := h.next()
		found := givenState.FindStringSubmatch(got)
		if found == nil || !strings.Contains(got, named) {
			t.Fatalf("%s: %s", early, got)
		}
		h.send(askCall(20+i, "asknamed", fmt.Sprintf(`"requestState":%q,"inputResponses":{"question":%s},`, found[1], accepted)))
		if got := h.next(); !strings.Contains(got, `expected an object with the answer under the key \"go\\\"on\"`) {
			t.Errorf("%s: %s", early, got)
		}
		h.send(askCall(30+i, "asknamed", fmt.Sprintf(`"requestState":%q,"inputResponses":{"go\"on":%s},`, found[1], accepted)))
		if got := h.next(); !strings.Contains(got, askedResult) {
			t.Errorf("%s: %s", early, got)
		}
	}
	h.send(askCall(40, "asknamed", `"inputResponses":{"other":{},"go\"on":`+accepted+`},`))
	if got := h.next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":40,`+askedResult) {
		t.Errorf("answered with the call: %s", got)
	}
	if err := h.close(); err != nil {
		t.Error(err)
	}
	b.noneLeft(t)
}
