package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// caller is a client that wants the answer to one call, from whichever process.
type caller struct {
	id      int // its argument, which no other call has
	tool    string
	steps   int
	key     string // "": the call is made once
	subject string
	after   time.Duration
	repeats int // of the call, once it is answered
	cancels time.Duration
	asked   string // the name of the open question

	// guarded by fleet.mu
	answers []string
	tries   int
	broke   bool // a request had no answer
	done    bool
	gone    bool // it does not want the answer any more
}

func (c *caller) String() string {
	return fmt.Sprintf("%s(%d) of %s with key %q", c.tool, c.id, c.subject, c.key)
}

var askedName = regexp.MustCompile(`"inputRequests":\{"([^"]+)"`)

var requestState = regexp.MustCompile(`"requestState":"([^"]+)"`)

const askable = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}`

// body is the message of a call; with a state it continues the run, with the answer to the question of a name.
func (c *caller) body(state, asked string) string {
	meta := []string{askable}
	if c.key != "" {
		meta = append(meta, fmt.Sprintf(`"toolgraph/key":%q`, c.key))
	}
	more := ""
	if state != "" {
		more = fmt.Sprintf(`,"requestState":%q,"inputResponses":{%q:{"action":"accept"}}`, state, asked)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{"id":%d,"steps":%d},"_meta":{%s}%s}}`,
		c.tool, c.id, c.steps, strings.Join(meta, ","), more)
}

// call makes a call until it is answered, at one process after the other.
func (f *fleet) call(c *caller) {
	time.Sleep(c.after)
	state, left := "", c.repeats
	for try := 0; f.ctx.Err() == nil; try++ {
		p := f.someone(c, try)
		if p == nil {
			f.pause(300 * time.Millisecond)
			continue
		}
		limit := time.Duration(2+hashOf("limit", fmt.Sprint(c.id, try))%40) * time.Second
		if c.cancels > 0 {
			limit = c.cancels
		}
		text, err := f.post(p, c, state, limit)
		f.note("client of %v at %s: %.160s, %v", c, p.name, text, err)
		found := requestState.FindStringSubmatch(text)
		switch {
		case err == nil && found != nil:
			state = found[1]
			if c.asked = ""; askedName.MatchString(text) {
				c.asked = askedName.FindStringSubmatch(text)[1]
			}
			f.pause(time.Duration(hashOf("thinks", fmt.Sprint(c.id, try))%9000) * time.Millisecond)
			continue
		case err == nil && strings.Contains(text, "call again without it"): // the process has taken the answer before
			if state = ""; c.key == "" {
				f.leave(c)
				return
			}
			continue
		case err == nil:
			if state = ""; c.answered(f, textOf(text)) {
				return
			}
			if left--; left < 0 {
				f.finish(c)
				return
			}
			f.pause(time.Duration(hashOf("again", fmt.Sprint(c.id, try))%20000) * time.Millisecond)
			continue
		case c.key == "" && state == "", c.cancels > 0:
			f.leave(c) // another call would be another run
			return
		}
		f.pause(time.Duration(200+hashOf("pause", fmt.Sprint(c.id, try))%1500) * time.Millisecond)
	}
}

// answered notes an answer; over says that the client has no use for another one.
func (c *caller) answered(f *fleet, text string) (over bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c.answers = append(c.answers, text)
	c.done = c.key == ""
	return c.done
}

func (f *fleet) finish(c *caller) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c.done = true
}

func (f *fleet) leave(c *caller) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c.gone = true
}

func (f *fleet) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-f.ctx.Done():
	}
}

// someone returns the process of a try; nil when that serves no client.
func (f *fleet) someone(c *caller, try int) *serving {
	f.mu.Lock()
	defer f.mu.Unlock()
	c.tries++
	p := f.processes[(c.id+try)%len(f.processes)]
	if p == nil || !p.serves() {
		return nil
	}
	return p
}

// textOf returns the text of a result, or the error.
func textOf(body string) string {
	var m struct {
		Result struct {
			Content []struct{ Text string }
		}
		Error *struct{ Message string }
	}
	switch err := json.Unmarshal([]byte(body), &m); {
	case err != nil:
		return "not JSON: " + body
	case m.Error != nil:
		return "error: " + m.Error.Message
	case len(m.Result.Content) > 0:
		return m.Result.Content[0].Text
	}
	return body
}

// elsewhere is what a process says that cannot answer a call, because it has another version of the graph than the run:
// another process can.
var elsewhere = regexp.MustCompile(`cannot be resumed here|its tool has changed since|goes on in another one|is suspended|process is stopping`)

// post sends a call to a process. The error is for an answer that says nothing of the run.
func (f *fleet) post(p *serving, c *caller, state string, limit time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(f.ctx, limit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(c.body(state, c.asked)))
	if err != nil {
		return "", err
	}
	r.Header = http.Header{
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {c.tool}, "Authorization": {"Bearer " + c.subject},
		"Content-Type": {"application/json"}, "Accept": {"application/json"},
	}
	to := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return p.listener.connect(ctx) }}
	defer to.CloseIdleConnections()
	resp, err := (&http.Client{Transport: to}).Do(r)
	if err != nil {
		f.broken(c)
		return "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	text := string(raw)
	switch {
	case err != nil:
		f.broken(c)
		return text, err
	case p.dead.Load():
		f.broken(c)
		return "", errRefused // it was killed while it answered
	case resp.StatusCode == http.StatusServiceUnavailable, elsewhere.MatchString(textOf(text)):
		return text, fmt.Errorf("status %d, %.100s", resp.StatusCode, textOf(text))
	case resp.StatusCode != http.StatusOK:
		f.violated(engineKind, "%v has the status %d: %s", c, resp.StatusCode, text)
	}
	return text, nil
}

func (f *fleet) broken(c *caller) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c.broke = true
}
