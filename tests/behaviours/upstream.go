package behaviours

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"
)

// Secret is a value that the graph files have as ${BEHAVIOURS_SECRET}: processes get it in their environment.
const (
	Secret    = "correct-horse-battery"
	SecretEnv = "BEHAVIOURS_SECRET"
)

// upstream is the MCP server of all behaviours, in the process of the test, so that it counts across crashes. Each
// behaviour has a path of its own. The name of a tool says what it does.
type upstream struct {
	*httptest.Server

	mu    sync.Mutex // guards what follows
	calls map[string][]call
	ended map[string]int // notifications/cancelled
}

type call struct {
	tool, args string
	key        string // the idempotency key, without the run
	n          int    // of calls of this tool with these arguments, from 1
}

// tools are what the server lists, each with its annotations.
var tools = map[string]string{
	"echo":    `{}`, // its arguments
	"read":    `{"readOnlyHint":true}`,
	"put":     `{"idempotentHint":true}`,
	"remove":  `{"destructiveHint":true}`,
	"hang":    `{}`,                      // never answers
	"stick":   `{}`,                      // never answers a first call, then its arguments
	"look":    `{"readOnlyHint":true}`,   // as stick
	"set":     `{"idempotentHint":true}`, // as stick
	"fail":    `{}`,                      // isError
	"trip":    `{}`,                      // isError, once hang was called
	"need":    `{}`,                      // its arguments; its inputSchema requires x
	"busy":    `{}`,                      // isError twice, then its arguments
	"odd":     `{}`,                      // isError for an odd x
	"refuse":  `{}`,                      // a JSON-RPC error
	"drop":    `{}`,                      // ends the connection
	"large":   `{}`,                      // a text of n bytes
	"nothing": `{}`,
	"leak":    `{}`, // the secret
	"job":     `{}`, // {n: how often it was called with these arguments}
	"slow":    `{}`, // answers after ms
}

func newUpstream() *upstream {
	u := &upstream{calls: map[string][]call{}, ended: map[string]int{}}
	u.Server = httptest.NewServer(u)
	return u
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Version   string          `json:"protocolVersion"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      map[string]any  `json:"_meta"`
	} `json:"params"`
}

// ServeHTTP answers the requests of processes.
func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var in request
	src, err := io.ReadAll(r.Body) // to its end, so that the server sees when the connection ends
	if err != nil || json.Unmarshal(src, &in) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	behaviour := strings.TrimPrefix(r.URL.Path, "/")
	body := ""
	switch in.Method {
	case "initialize":
		body = fmt.Sprintf(`"result":{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"up","version":"1"}}`, in.Params.Version)
	case "tools/list":
		body = `"result":{"tools":[` + strings.Join(listed(), ",") + `]}`
	case "tools/call":
		body = u.call(r, behaviour, &in)
	case "notifications/cancelled":
		u.mu.Lock()
		u.ended[behaviour]++
		u.mu.Unlock()
	default:
		body = `"error":{"code":-32601,"message":"unknown method"}`
	}
	if len(in.ID) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if body == "" {
		panic(http.ErrAbortHandler) // ends the connection
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, in.ID, body)
}

func listed() []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		required := ""
		if name == "need" {
			required = `,"required":["x"]`
		}
		all = append(all, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"%s},"annotations":%s}`, name, required, tools[name]))
	}
	return all
}

// call counts a call and returns its result, or a JSON-RPC error; empty to end the connection.
func (u *upstream) call(r *http.Request, behaviour string, in *request) string {
	made := u.count(behaviour, in)
	var args struct {
		X, N, Ms int
	}
	_ = json.Unmarshal(in.Params.Arguments, &args)
	switch in.Params.Name {
	case "hang":
		<-r.Context().Done()
		return ""
	case "stick", "look", "set":
		if made.n == 1 {
			<-r.Context().Done()
			return ""
		}
	case "fail":
		return failed("no such file")
	case "trip":
		for u.made(behaviour, "hang") == 0 && r.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		return failed("tripped")
	case "busy":
		if made.n <= 2 {
			return failed("busy")
		}
	case "odd":
		if args.X%2 == 1 {
			return failed(fmt.Sprintf("%d is odd", args.X))
		}
	case "refuse":
		return `"error":{"code":-32000,"message":"refused"}`
	case "drop":
		return ""
	case "large":
		return structured(fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", args.N)))
	case "nothing":
		return `"result":{"content":[]}`
	case "leak":
		return structured(fmt.Sprintf(`{"token":%q}`, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))
	case "job":
		return structured(fmt.Sprintf(`{"n":%d}`, made.n))
	case "slow":
		time.Sleep(time.Duration(args.Ms) * time.Millisecond)
	}
	return structured(string(in.Params.Arguments))
}

func failed(text string) string {
	return fmt.Sprintf(`"result":{"isError":true,"content":[{"type":"text","text":%q}]}`, text)
}

func structured(object string) string {
	return `"result":{"content":[],"structuredContent":` + object + `}`
}

func (u *upstream) count(behaviour string, in *request) call {
	u.mu.Lock()
	defer u.mu.Unlock()
	key, _ := in.Params.Meta["toolgraph/idempotencyKey"].(string)
	_, at, _ := strings.Cut(key, "/")
	c := call{tool: in.Params.Name, args: string(in.Params.Arguments), key: at, n: 1}
	for _, before := range u.calls[behaviour] {
		if before.tool == c.tool && before.args == c.args {
			c.n++
		}
	}
	u.calls[behaviour] = append(u.calls[behaviour], c)
	return c
}

// made counts the calls of a tool.
func (u *upstream) made(behaviour, tool string) (n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, c := range u.calls[behaviour] {
		if c.tool == tool {
			n++
		}
	}
	return n
}

// counted returns how often each tool was called, and how many calls were cancelled: "echo 3, hang 1, cancelled 1".
func (u *upstream) counted(behaviour string) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	times := map[string]int{}
	for _, c := range u.calls[behaviour] {
		times[c.tool]++
	}
	var all []string
	for _, tool := range slices.Sorted(maps.Keys(times)) {
		all = append(all, fmt.Sprintf("%s %d", tool, times[tool]))
	}
	if n := u.ended[behaviour]; n > 0 {
		all = append(all, fmt.Sprintf("cancelled %d", n))
	}
	return strings.Join(all, ", ")
}

// keys returns the idempotency keys of the calls, in order, without the run: "1, 1#2".
func (u *upstream) keys(behaviour string) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	var b bytes.Buffer
	for i, c := range u.calls[behaviour] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.key)
	}
	return b.String()
}
