package runtime

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// legacyClient is a client of protocol 2025-06-18, which is asked over the connection of its call.
type legacyClient struct {
	p       *parker
	session string
}

func (c *legacyClient) send(body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(c.p.t.Context(), http.MethodPost, "http://"+c.p.address+"/mcp", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
		r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	}
	return http.DefaultClient.Do(r)
}

func (c *legacyClient) post(body string) *http.Response {
	c.p.t.Helper()
	resp, err := c.send(body)
	if err != nil {
		c.p.t.Fatal(err)
	}
	return resp
}

func connectLegacy(p *parker) *legacyClient {
	c := &legacyClient{p: p}
	resp := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	c.session = resp.Header.Get("Mcp-Session-Id")
	c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`).Body.Close()
	return c
}

// message is what the client gets during a call.
type message struct {
	ID     json.RawMessage
	Method string
	Result json.RawMessage
	Params json.RawMessage
}

// call makes a call, and returns its messages as they come. The head of the answer comes with the first of them, after
// seconds where nothing happens.
func (c *legacyClient) call(tool string) <-chan message {
	came := make(chan message, 10)
	go func() {
		defer close(came)
		resp, err := c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, tool))
		if err != nil { // the test has ended, or sees no message
			return
		}
		defer resp.Body.Close()
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			text, isData := strings.CutPrefix(lines.Text(), "data:")
			var m message
			if isData && json.Unmarshal([]byte(text), &m) == nil {
				came <- m
			}
		}
	}()
	return came
}

// A client that is asked over the connection of its call is asked once, however long it takes: the run is parked meanwhile, and its
// call gets the result. When another one answers, the question is taken back.
func TestOpenConnectionIsParked(t *testing.T) {
	t.Parallel()
	for name, place := range parkPlaces {
		t.Run(name, func(t *testing.T) {
			u, at := startCounting(t), place(t)
			s := storeAt(t, at)
			p := startParker(t, u, at, Service{})
			startParker(t, u, at, Service{})
			c := connectLegacy(p)
			came := c.call("sure")
			asked := <-came
			if asked.Method != "elicitation/create" {
				t.Fatalf("%+v", asked)
			}
			eventually(t, "the run is parked", func() bool { return len(parkedRuns(t, s)) == 1 })
			c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"name":"x"}}}`, asked.ID)).Body.Close()
			if m := <-came; m.Method != "" || !strings.Contains(string(m.Result), "x12") || u.count("pay") != 2 {
				t.Errorf("%s %s, paid %d times", m.Method, m.Result, u.count("pay"))
			}

			came = c.call("sure")
			<-came
			eventually(t, "the run is parked again", func() bool { return len(parkedRuns(t, s)) == 1 })
			run := parkedRuns(t, s)[0]
			if parked, err := s.AnswerParked(t.Context(), run.ID, markFor(run.Question), []byte(`{"action":"accept","content":{"name":"y"}}`)); err != nil || !parked {
				t.Fatal(parked, err)
			}
			m := <-came
			if m.Method == "notifications/cancelled" {
				m = <-came
			}
			if m.Method != "" || !strings.Contains(string(m.Result), "y34") || u.count("pay") != 4 {
				t.Errorf("%s %s, paid %d times", m.Method, m.Result, u.count("pay"))
			}
		})
	}
}

// A client that cancels its call ends the run that is parked for it: nothing more of it happens.
func TestParkedCallIsCancelled(t *testing.T) {
	t.Parallel()
	u, at := startCounting(t), t.TempDir()
	s := storeAt(t, at)
	p := startParker(t, u, at, Service{})
	c := connectLegacy(p)
	for _, tool := range []string{"days", "sure"} {
		came := c.call(tool)
		eventually(t, "the run is parked", func() bool { return len(parkedRuns(t, s)) == 1 })
		c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`).Body.Close()
		for range came { // until the call has ended
		}
		eventually(t, "the run is cancelled", func() bool { return len(parkedRuns(t, s)) == 0 })
		if run, err := s.Run(t.Context(), "last"); err != nil || run.Status != "cancelled" {
			t.Errorf("%s: %+v, %v", tool, run, err)
		}
	}
	if u.count("look") != 1 || u.count("pay") != 1 {
		t.Errorf("looked %d times, paid %d times", u.count("look"), u.count("pay"))
	}
}
