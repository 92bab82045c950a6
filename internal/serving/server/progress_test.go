package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The time of these tests is that of a bubble: it passes when all is at rest, and only then.

// doing is a bench with a tool "do", whose runs do this.
func doing(t *testing.T, do func(ctx context.Context, watch Watch)) *bench {
	t.Helper()
	b := newBench(t, func(o *Options) { o.Tools = append(o.Tools, toolOf(t, "do", "", "")) })
	b.do = do
	return b
}

// callDo is a call of do in the legacy era.
const callDo = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"do","_meta":{"progressToken":"p"}}}`

// doDone is its answer.
const doDone = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\"done\""}]}}`

// news are the progress notifications of a call, and the lines that are something else.
type news struct {
	Progress []float64
	Message  []string
	other    []string
}

// readNews checks that the progress grows with each notification.
func readNews(t *testing.T, lines []string) (n news) {
	t.Helper()
	for _, line := range lines {
		var said struct {
			Method string
			Params struct {
				ProgressToken any
				Progress      float64
				Total         *float64
				Message       string
			}
		}
		if err := json.Unmarshal([]byte(line), &said); err != nil || said.Method != "notifications/progress" {
			n.other = append(n.other, line)
			continue
		}
		if p := said.Params; p.ProgressToken != "p" || p.Total != nil {
			t.Errorf("got %s", line)
		}
		if i := len(n.Progress); i > 0 && said.Params.Progress <= n.Progress[i-1] {
			t.Errorf("the progress %v comes after %v", said.Params.Progress, n.Progress[i-1])
		}
		n.Progress, n.Message = append(n.Progress, said.Params.Progress), append(n.Message, said.Params.Message)
	}
	return n
}

// have are the lines that have come until all is at rest.
func (h *host) have() (lines []string) {
	synctest.Wait()
	for {
		select {
		case line, open := <-h.lines:
			if !open {
				return lines
			}
			lines = append(lines, line)
		default:
			return lines
		}
	}
}

// A call with a progressToken is never silent for longer than a heartbeat, whatever its
// run does; steps come when they come, and nothing comes after the answer.
func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := doing(t, func(_ context.Context, w Watch) {
			time.Sleep(25 * time.Second) // before the first step: a queue
			w.Step("entry", 0)
			w.Call("fetch")
			time.Sleep(21 * time.Second) // a slow upstream server, which reports nothing
			w.Step("fetch", 1)
			time.Sleep(10 * time.Minute) // an expression, a gate
		})
		h := connect(t, b.server).handshake()
		h.send(callDo)
		last := time.Now()
		var lines []string
		for len(lines) == 0 || lines[len(lines)-1] != doDone {
			lines = append(lines, h.next())
			if gap := time.Since(last); gap > heartbeat {
				t.Errorf("silent for %v before %s", gap, lines[len(lines)-1])
			}
			last = time.Now()
		}
		n := readNews(t, lines)
		if len(n.Progress) != 64+2 || len(n.other) != 1 {
			t.Fatalf("%d notifications and %q, want one each 10 s of 646 and 2 steps", len(n.Progress), n.other)
		}
		if n.Progress[1]-n.Progress[0] < 1e-4 {
			t.Errorf("the progress does not grow to be seen: %v", n.Progress)
		}
		if n.Progress[2] != 1 || n.Progress[5] != 2 || n.Progress[65] >= 3 || n.Message[0] != "" || n.Message[2] != "entry" || n.Message[3] != "fetch" {
			t.Errorf("got %v %q", n.Progress, n.Message)
		}
		time.Sleep(10 * heartbeat)
		if late := h.have(); late != nil {
			t.Errorf("after the answer: %q", late)
		}
		if err := h.close(); err != nil {
			t.Fatal(err)
		}
	})
}

// Without a token there is none, and none after a cancellation.
func TestHeartbeatUnasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := doing(t, func(ctx context.Context, w Watch) {
			if w.Call != nil || w.Progress != nil {
				t.Error("upstream servers are asked for progress that the client does not want")
			}
			<-ctx.Done()
		})
		h := connect(t, b.server).handshake()
		h.send(`{"jsonrpc":"2.0","id":0,"method":"logging/setLevel","params":{"level":"debug"}}`)
		h.next()
		h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"do"}}`)
		h.send(strings.NewReplacer(`"id":1`, `"id":2`, `"do"`, `"hold"`).Replace(callDo))
		b.waitStarted(t, 1)
		h.send(cancelOf(2))
		time.Sleep(10 * heartbeat)
		if lines := h.have(); lines != nil {
			t.Errorf("got %q", lines)
		}
		if err := h.close(); err != nil {
			t.Fatal(err)
		}
	})
}

// A client whose user is asked hears heartbeats while it waits for the user: in the older
// era during the one call, in the modern one in each call that has a token.
func TestHeartbeatDuringQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		h := connect(t, b.server)
		h.send(strings.Replace(strings.TrimSpace(initLine), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
		h.next()
		h.send(strings.Replace(callDo, `"do"`, `"ask"`, 1))
		time.Sleep(3*heartbeat + 1)
		n := readNews(t, h.have())
		if len(n.Progress) != 3 || len(n.other) != 1 || !strings.Contains(n.other[0], "elicitation/create") {
			t.Errorf("got %+v", n)
		}
		h.send(`{"jsonrpc":"2.0","id":"toolgraph-1","result":{"action":"decline"}}`)
		if n := readNews(t, h.have()); len(n.Progress) != 1 || n.Progress[0] != 1 || len(n.other) != 1 || !strings.Contains(n.other[0], `"id":1`) {
			t.Errorf("got %+v", n)
		}
		if err := h.close(); err != nil {
			t.Fatal(err)
		}
	})
}

// The run of a question goes on in another call, which has heartbeats and steps of its own.
func TestHeartbeatAfterQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := doing(t, func(ctx context.Context, w Watch) {
			w.Step("entry", 0)
			time.Sleep(heartbeat + 1)
			if _, err := Ask(ctx, Question{Params: json.RawMessage(`{"message":"Go on?","requestedSchema":{"type":"object","properties":{}}}`)}); err != nil {
				t.Error(err)
			}
			time.Sleep(2*heartbeat + 1)
			w.Step("slow", 1)
		})
		h := connect(t, b.server)
		call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"do",STATE"_meta":{"progressToken":"p","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`
		h.send(strings.Replace(call, "STATE", "", 1))
		time.Sleep(10 * heartbeat)
		n := readNews(t, h.have())
		if len(n.Progress) != 2 || len(n.other) != 1 {
			t.Fatalf("got %+v", n)
		}
		var question struct {
			Result struct{ RequestState string }
		}
		if err := json.Unmarshal([]byte(n.other[0]), &question); err != nil {
			t.Fatal(err)
		}
		answer := fmt.Sprintf(`"requestState":%q,"inputResponses":{"question":{"action":"decline"}},`, question.Result.RequestState)
		h.send(strings.Replace(call, "STATE", answer, 1))
		time.Sleep(10 * heartbeat)
		again := readNews(t, h.have())
		if len(again.Progress) != 3 || again.Progress[0] <= n.Progress[1] || again.Progress[2] != 2 || len(again.other) != 1 {
			t.Errorf("got %+v after %+v", again, n)
		}
		if err := h.close(); err != nil {
			t.Fatal(err)
		}
	})
}

// What an upstream server reports is a part of the step under way, whatever it reports.
// An upstream server that floods its reports reaches the client a few times a second.
// A call does not leave its run while a notification of it is being sent.
func TestHeartbeatEndsBeforeTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sending, release := make(chan struct{}), make(chan struct{})
		c := &call{token: []byte("1"), notify: func(func([]byte) []byte) {
			close(sending)
			<-release
		}}
		f := newFollower()
		leave := f.attend(c)
		<-sending // the first heartbeat
		left := false
		go func() {
			leave()
			left = true
		}()
		synctest.Wait()
		if left {
			t.Error("the answer overtakes a heartbeat")
		}
		close(release)
		synctest.Wait()
		if !left {
			t.Error("the call never ends")
		}
	})
}
