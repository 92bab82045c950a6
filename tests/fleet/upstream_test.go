//go:build unix

package fleet

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// upstream is the server that the graphs call. It counts the payments, which are not safe to repeat.
type upstream struct {
	*httptest.Server

	mu        sync.Mutex            // guards what follows
	gates     map[int]chan struct{} // a call of look with such an id waits, instead of some time
	paid      map[int]int
	looked    map[int]int
	held      int // calls of hold that have begun
	cancelled int // of them, those that were cancelled
	active    int // calls in flight
	stopped   int // how often the server was killed
}

// look is how long a call takes.
const look = 50 * time.Millisecond

func startUpstream(t *testing.T) *upstream {
	u := &upstream{gates: map[int]chan struct{}{}, paid: map[int]int{}, looked: map[int]int{}}
	u.Server = httptest.NewServer(u)
	t.Cleanup(func() { u.Close() })
	return u
}

// kill ends the server with its connections, and returns how many calls were in flight. What it has counted stays.
func (u *upstream) kill() (inFlight int) {
	u.mu.Lock()
	inFlight = u.active
	u.stopped++
	u.mu.Unlock()
	_ = u.Listener.Close()
	u.CloseClientConnections()
	u.Close()
	return inFlight
}

// revive starts the server again at its address.
func (u *upstream) revive(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", u.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	next := httptest.NewUnstartedServer(u)
	_ = next.Listener.Close()
	next.Listener = l
	next.Start()
	u.Server = next
}

// inFlight returns how many calls are in flight.
func (u *upstream) inFlight() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.active
}

// stops returns how often the server was killed.
func (u *upstream) stops() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.stopped
}

const definitions = `{"tools":[
	{"name":"pay","inputSchema":{"type":"object"}},
	{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
	{"name":"hold","inputSchema":{"type":"object"}}]}`

// ServeHTTP answers one message of MCP.
func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name      string `json:"name"`
			Arguments struct {
				ID int `json:"id"`
			} `json:"arguments"`
		} `json:"params"`
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	result := "{}"
	switch {
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
		return
	case m.Method == "initialize":
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"up","version":"1"}}`
	case m.Method == "tools/list":
		result = definitions
	case m.Method == "tools/call":
		n := u.call(r, m.Params.Name, m.Params.Arguments.ID)
		result = fmt.Sprintf(`{"content":[{"type":"text","text":"%d"}]}`, n)
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func (u *upstream) call(r *http.Request, tool string, id int) int {
	u.mu.Lock()
	u.active++
	u.mu.Unlock()
	defer func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.active--
	}()
	switch tool {
	case "pay":
		u.mu.Lock()
		u.paid[id]++
		n := u.paid[id]
		u.mu.Unlock()
		time.Sleep(look) // in which the process can be killed
		return n
	case "look":
		u.mu.Lock()
		u.looked[id]++
		gate := u.gates[id]
		u.mu.Unlock()
		if gate == nil {
			time.Sleep(look)
		} else {
			<-gate
		}
		return id
	}
	u.mu.Lock()
	u.held++
	u.mu.Unlock()
	<-r.Context().Done()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.cancelled++
	return 0
}

// gate makes the calls of look with an id wait until the gate is open.
func (u *upstream) gate(id int) (open func()) {
	gate := make(chan struct{})
	u.mu.Lock()
	defer u.mu.Unlock()
	u.gates[id] = gate
	return func() { close(gate) }
}

func (u *upstream) count(id int) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.paid[id]
}

func (u *upstream) looks(id int) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.looked[id]
}

func (u *upstream) holds() (held, cancelled int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.held, u.cancelled
}

// lookedAt returns how many calls of look there were with an id.
func (u *upstream) lookedAt(id int) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.looked[id]
}

// graphFile has the tools order, which pays between steps that may be repeated; confirm, which asks
// first; hold, whose call lasts until it is cancelled; late, which pays before it asks and after that; and
// beside, which asks beside a call that is not safe to repeat.
const graphFile = `version: "1.0"
server: {name: shop, version: 1.0.0}
mcpServers:
  up: {type: http, url: "%s/mcp"}
tools:
- name: order
  inputSchema: {type: object, properties: {id: {type: integer}, steps: {type: integer, default: 1}}, required: [id]}
  nodes:
  - {id: entry, type: entry, next: look}
  - {id: look, type: mcp, server: up, tool: look, effect: read, args: {id: {expr: $.entry.id}}, next: more}
  - id: more
    type: switch
    conditions: [{rule: {"<": [{"var": "$executionCount(\"look\")"}, {"var": $.entry.steps}]}, next: look}]
    next: pay
  - {id: pay, type: mcp, server: up, tool: pay, args: {id: {expr: $.entry.id}}, next: after}
  - {id: after, type: mcp, server: up, tool: look, effect: read, args: {id: {expr: $.entry.id}}, next: value}
  - {id: value, type: transform, transform: {expr: '{"id": $.after, "paid": $.pay}'}, next: exit}
  - {id: exit, type: exit}
- name: confirm
  inputSchema: {type: object, properties: {id: {type: integer}}, required: [id]}
  nodes:
  - {id: entry, type: entry, next: sure}
  - {id: sure, type: ask, message: "Pay?", next: pay}
  - {id: pay, type: mcp, server: up, tool: pay, args: {id: {expr: $.entry.id}}, next: value}
  - {id: value, type: transform, transform: {expr: '{"id": $.entry.id, "paid": $.pay}'}, next: exit}
  - {id: exit, type: exit}
- name: hold
  nodes:
  - {id: entry, type: entry, next: hold}
  - {id: hold, type: mcp, server: up, tool: hold, next: exit}
  - {id: exit, type: exit}
- name: late
  inputSchema: {type: object, properties: {id: {type: integer}}, required: [id]}
  nodes:
  - {id: entry, type: entry, next: pay}
  - {id: pay, type: mcp, server: up, tool: pay, args: {id: {expr: $.entry.id}}, next: asking}
  - {id: asking, type: graph, tool: ask, args: {id: {expr: $.entry.id}}, next: again}
  - {id: again, type: mcp, server: up, tool: pay, args: {id: {expr: $.entry.id}}, next: value}
  - {id: value, type: transform, transform: {expr: '{"id": $.entry.id, "paid": [$.pay, $.again]}'}, next: exit}
  - {id: exit, type: exit}
- name: ask
  inputSchema: {type: object, properties: {id: {type: integer}}, required: [id]}
  nodes:
  - {id: entry, type: entry, next: look}
  - {id: look, type: mcp, server: up, tool: look, effect: read, args: {id: {expr: $.entry.id}}, next: sure}
  - {id: sure, type: ask, message: "Pay?", next: exit}
  - {id: exit, type: exit}
- name: beside
  inputSchema: {type: object, properties: {id: {type: integer}}, required: [id]}
  nodes:
  - {id: entry, type: entry, next: both}
  - id: both
    type: parallel
    branches:
      hold: {type: mcp, server: up, tool: hold}
      ask: {type: graph, tool: ask, args: {id: {expr: $.entry.id}}}
    next: exit
  - {id: exit, type: exit}
`
