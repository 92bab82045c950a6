package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// upstream is the MCP server that all runs call. Each process calls it by a path of its own.
type upstream struct {
	*httptest.Server

	mu    sync.Mutex // guards made
	made  map[string][]visit
	noted bool
}

// visit is a call of a run.
type visit struct {
	step    int
	process string
	at      time.Time
}

func newUpstream() *upstream {
	u := &upstream{made: map[string][]visit{}}
	u.Server = httptest.NewServer(u)
	return u
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Version   string `json:"protocolVersion"`
		Arguments struct {
			ID   string `json:"id"`
			Step int    `json:"step"`
			Ms   int    `json:"ms"`
		} `json:"arguments"`
	} `json:"params"`
}

// ServeHTTP answers; the tool step waits ms and returns the step.
func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	src, err := io.ReadAll(r.Body)
	var in request
	if err != nil || r.Method != http.MethodPost || json.Unmarshal(src, &in) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var result string
	switch a := in.Params.Arguments; in.Method {
	case "initialize":
		result = fmt.Sprintf(`"result":{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"up","version":"1"}}`, in.Params.Version)
	case "tools/list":
		result = `"result":{"tools":[{"name":"step","inputSchema":{"type":"object"}}]}`
	case "tools/call":
		u.note(a.ID, visit{a.Step, strings.TrimPrefix(r.URL.Path, "/"), time.Now()})
		time.Sleep(time.Duration(a.Ms) * time.Millisecond)
		result = fmt.Sprintf(`"result":{"content":[],"structuredContent":{"v":%d}}`, a.Step)
	default:
		result = `"error":{"code":-32601,"message":"unknown method"}`
	}
	if len(in.ID) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, in.ID, result)
}

func (u *upstream) note(run string, v visit) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.noted {
		u.made[run] = append(u.made[run], v)
	}
}

// watch notes the calls from now on, until the returned function, which gives them by run.
func (u *upstream) watch() (end func() map[string][]visit) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.made, u.noted = map[string][]visit{}, true
	return func() map[string][]visit {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.noted = false
		return u.made
	}
}

// graphFile has the tools three, ten and pays, whose calls one process makes without a limit, and waits, of whose calls
// each process has at most 8 in flight.
func graphFile(url string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `version: "1.0"
server: {name: scale, version: 1.0.0}
executionLimits: {maxExecutionTimeMs: 600000}
mcpServers:
  all: {type: streamableHttp, url: %q}
  few: {type: streamableHttp, url: %q, maxInFlight: %d}
tools:
`, url+"/${PROCESS}", url+"/${PROCESS}", inFlightEach)
	for _, t := range []struct {
		name, server string
		calls        int
		pays         bool // the last call is not safe to repeat
	}{{"three", "all", 3, false}, {"ten", "all", 10, false}, {"waits", "few", 3, false}, {"pays", "all", 3, true}} {
		fmt.Fprintf(&b, "- name: %s\n  description: Calls step %d times.\n  inputSchema: {type: object, required: [id, ms]}\n  nodes:\n  - {id: entry, type: entry, next: c1}\n", t.name, t.calls)
		sum := make([]string, t.calls)
		for i := range t.calls {
			next, effect := fmt.Sprintf("c%d", i+2), "read"
			if i == t.calls-1 {
				next = "sum"
				if t.pays {
					effect = "write"
				}
			}
			fmt.Fprintf(&b, "  - {id: c%d, type: mcp, server: %s, tool: step, effect: %s, args: {id: {expr: $.entry.id}, step: %d, ms: {expr: $.entry.ms}}, next: %s}\n", i+1, t.server, effect, i+1, next)
			sum[i] = fmt.Sprintf("$.c%d.v", i+1)
		}
		fmt.Fprintf(&b, "  - {id: sum, type: transform, transform: {expr: '{\"sum\": %s}'}, next: exit}\n  - {id: exit, type: exit}\n", strings.Join(sum, " + "))
	}
	return b.String()
}

// sums are the right results.
var sums = map[string]int{"three": 6, "ten": 55, "waits": 6, "pays": 6}
