package temporal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/internal/runtime/state"
)

var httpAddress = regexp.MustCompile(`at (http://\S+/mcp)`)

// callOf is a call of the tool that asks, by a client of the modern era with these capabilities.
func callOf(id, key, capabilities, more string) string {
	if key != "" {
		key = fmt.Sprintf(`"toolgraph/key":%q,`, key)
	}
	large := ""
	if id == "keyed" { // the arguments do not travel with the start of the workflow
		large = fmt.Sprintf(`,"pad":%q`, strings.Repeat("a", largestArgs))
	}
	return fmt.Sprintf(`{"name":"ask","arguments":{"id":%q%s},%s"_meta":{%s"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":%s}}`,
		id, large, more, key, capabilities)
}

const canAsk, cannotAsk = `{"elicitation":{"form":{}}}`, `{}`

// answers makes calls of the tool that asks, and returns the HTTP status, 0 over stdio, and the answer.
type answers func(t *testing.T, params string) (status int, m message)

// transports are the ways of a client to a serve of a file.
var transports = map[string]func(t *testing.T, p *place, file string) answers{
	"stdio": func(t *testing.T, p *place, file string) answers {
		c := p.serve(t, file)
		return func(_ *testing.T, params string) (int, message) { return 0, c.wait(c.send("tools/call", params)) }
	},
	"HTTP": func(t *testing.T, p *place, file string) answers {
		served := p.command(t, "serve", file, "--http", "127.0.0.1:0")
		served.says(t, "/mcp")
		log, _ := served.log.now()
		at := httpAddress.FindStringSubmatch(log)[1]
		return func(t *testing.T, params string) (int, message) { return post(t, at, params) }
	},
}

// post makes a call over HTTP.
func post(t *testing.T, at, params string) (status int, m message) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"ask"},
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&m); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, m
}

// lacks checks the error for a client that lacks the capability.
func lacks(t *testing.T, what string, status int, m message) {
	t.Helper()
	if status != 0 && status != http.StatusBadRequest || !strings.Contains(string(m.Error), `"code":-32021`) ||
		!strings.Contains(string(m.Error), `"data":{"requiredCapabilities":{"elicitation":{"form":{}}}}`) {
		t.Errorf("%s: %d, %s %s", what, status, m.Result, m.Error)
	}
}

// agreed returns what a client adds to its call to answer the question of an answer.
func agreed(t *testing.T, m message) string {
	t.Helper()
	var q struct {
		State    string                     `json:"requestState"`
		Requests map[string]json.RawMessage `json:"inputRequests"`
	}
	if err := json.Unmarshal(m.Result, &q); err != nil || q.State == "" || len(q.Requests) != 1 {
		t.Fatalf("no question: %s %s", m.Result, m.Error)
	}
	for name := range q.Requests {
		return fmt.Sprintf(`"requestState":%q,"inputResponses":{%q:{"action":"accept","content":{"name":"Bo"}}},`, q.State, name)
	}
	return ""
}

// A run of a client that cannot ask its user fails, and the reason reaches the client with the error of the
// protocol, also with a key. A client that can be asked goes on with the same key at the question.
func TestX20Lacking(t *testing.T) {
	t.Parallel()
	for name, connect := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, u := newPlace(t), newUpstream(t)
			file := askingFile(t, u)
			p.worker(t, file)
			call, key := connect(t, p, file), p.queue // all tests share a namespace, in which a key is one run's
			do := func(what, id, key, capabilities, more string) message {
				t.Helper()
				status, m := call(t, callOf(id, key, capabilities, more))
				if capabilities == cannotAsk && m.Error != nil {
					lacks(t, what, status, m)
				}
				return m
			}
			if m := do("without a key", "plain", "", cannotAsk, ""); m.Error == nil {
				t.Errorf("without a key: %s", m.Result)
			}
			for range 2 {
				if m := do("with a key", "keyed", key, cannotAsk, ""); m.Error == nil {
					t.Errorf("with a key: %s", m.Result)
				}
			}
			for _, id := range []string{"keyed", "open"} { // the later run, and one that has begun with a client that can be asked
				m := do("", id, key, canAsk, "")
				waits := do("while another client is asked", id, key, cannotAsk, "")
				if waits.Error == nil || id == "open" && !strings.Contains(string(waits.Error), `waits for the answer to \"Go on with open?\"`) {
					t.Errorf("%s, while another client is asked: %s %s", id, waits.Result, waits.Error)
				}
				for range 2 { // the node asks, then the confirmation
					m = do("", id, key, canAsk, agreed(t, m))
				}
				if m.text() != `{"said":"Bo"}` {
					t.Errorf("%s: %s %s", id, m.Result, m.Error)
				}
				for _, client := range []string{cannotAsk, canAsk} {
					if m := do("after its end", id, key, client, ""); m.text() != `{"said":"Bo"}` {
						t.Errorf("%s, after its end: %s %s", id, m.Result, m.Error)
					}
				}
			}
			for _, call := range []string{"plain/before", "keyed/before", "keyed/after", "open/before", "open/after"} {
				if n := u.count(call); n != 1 {
					t.Errorf("%s was called %d times", call, n)
				}
			}
			p.until(t, "all runs have ended", func(runs []journal.Run) bool {
				failed := 0
				for _, r := range runs {
					if r.Status == journal.Failed && r.Failure.MissingCapability() == "elicitation" {
						failed++
					}
				}
				return len(runs) == 4 && failed == 2
			})
			do("the first call of a run that is deleted", "deleted", key, cannotAsk, "")
			p.forget(t)
			if m := do("after its run was deleted", "deleted", key, cannotAsk, ""); m.Error == nil { // Temporal has the reason
				t.Errorf("after its run was deleted: %s", m.Result)
			}
			if m := do("", "deleted", key, canAsk, ""); !strings.Contains(m.text(), "call with a new key") {
				t.Errorf("a client that can be asked, after the run was deleted: %s %s", m.Result, m.Error)
			}
		})
	}
}

// forget deletes the recorded runs.
func (p *place) forget(t *testing.T) {
	t.Helper()
	store, err := state.Open(p.state, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	runs, err := store.List(t.Context(), journal.Filter{})
	for _, r := range runs {
		if err == nil {
			_, err = store.Delete(t.Context(), r.ID)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
