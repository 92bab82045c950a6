package tests

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"toolgraph/tests/issuer"
)

// recordedRuns has tools that call a server, so that clients can read resources.
const recordedRuns = `server: {name: r, version: 1.0.0}
mcpServers: {up: {command: $FAKE}}
tools:
  - name: greet
    prompt: true
    inputSchema: {type: object, properties: {who: {type: string, suggest: [me]}}}
    nodes:
      - {id: entry, type: entry, next: said}
      - {id: said, type: mcp, server: up, tool: echo, args: {text: {expr: $.entry.who}}, next: text}
      - {id: text, type: transform, transform: {expr: '"hello " & $.entry.who'}, next: exit}
      - {id: exit, type: exit}
  - {name: inner, hidden: true, steps: [{id: x, expr: '"inner"'}]}
  - {name: outer, steps: [{id: x, call: inner}]}
  - {name: fails, steps: [{id: x, expr: '$error("no")'}]}
`

var runID = regexp.MustCompile(`"id":"([A-Z2-7]{26})"`)

const runsTemplate = `"resourceTemplates":[{"uriTemplate":"run://{run}/result","name":"result","title":"Result of a run",`

// The result of a recorded run is a resource, of a template that is listed; ids of runs are completed.
func TestResultsOfRunsAreResources(t *testing.T) {
	t.Parallel()
	for door, ask := range everyDoor(t, recordedRuns) {
		if got := ask("resources/templates/list", "", ""); !strings.Contains(got, runsTemplate) {
			t.Errorf("%s: %s", door, got)
		}
		got := ask("tools/call", "greet", `"name":"greet","arguments":{"who":"`+door+`"}`)
		id := runID.FindStringSubmatch(got)
		if id == nil {
			t.Fatalf("%s: %s", door, got)
		}
		uri := "run://" + id[1] + "/result"
		if got := ask("resources/read", uri, `"uri":"`+uri+`"`); !strings.Contains(got, `"contents":[{"uri":"`+uri+`","mimeType":"application/json","text":"\"hello `+door+`\""}]`) {
			t.Errorf("%s: %s", door, got)
		}
		if got := ask("resources/list", "", ""); !strings.Contains(got, `"resources":[]`) {
			t.Errorf("%s: %s", door, got)
		}
		ref := `"ref":{"type":"ref/resource","uri":"run://{run}/result"},"argument":{"name":"run","value":"` + id[1][:8] + `"}`
		if values, _, _ := decodedCompletion(t, ask("completion/complete", "", ref)); len(values) != 1 || values[0] != id[1] {
			t.Errorf("%s: %v", door, values)
		}
		const none = "run://AAAAAAAAAAAAAAAAAAAAAAAAAA/result"
		if got := ask("resources/read", none, `"uri":"`+none+`"`); !strings.Contains(got, "unknown result") {
			t.Errorf("%s: %s", door, got)
		}
	}
}

// A run of another subject, and one of another file, are as unknown as one that there never was.
func TestResultsOfRunsBelongToTheirSubject(t *testing.T) {
	t.Parallel()
	const resource = "http://localhost:8080/mcp"
	a := issuer.New(t)
	state := t.TempDir()
	_, addr := startHTTP(t, recordedRuns, nil, "--oauth-issuer", a.URL, "--oauth-resource", resource, "--state", state)
	request := func(subject, method, params string) string {
		_, body := post(t, addr, a.Token(subject, resource, ""), fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params))
		return body
	}
	id := runID.FindStringSubmatch(request("alice", "tools/call", `"name":"greet","arguments":{"who":"x"}`))[1]
	read := func(subject, id string) string {
		return strings.ReplaceAll(request(subject, "resources/read", `"uri":"run://`+id+`/result"`), id, "ID")
	}
	unknown := read("alice", "AAAAAAAAAAAAAAAAAAAAAAAAAA")
	if got := read("alice", id); !strings.Contains(got, `hello x`) {
		t.Errorf("%s", got)
	}
	if got := read("bob", id); got != unknown || !strings.Contains(got, "unknown result") {
		t.Errorf("%s\nwant %s", got, unknown)
	}
	if got := read("alice", id); !strings.Contains(got, `hello x`) { // also when it is in memory
		t.Errorf("%s", got)
	}
	if got := read("bob", id); got != unknown {
		t.Errorf("%s\nwant %s", got, unknown)
	}
	ref := `"ref":{"type":"ref/resource","uri":"run://{run}/result"},"argument":{"name":"run","value":""}`
	if values, _, _ := decodedCompletion(t, request("bob", "completion/complete", ref)); len(values) != 0 {
		t.Errorf("bob sees %v", values)
	}
	if values, _, _ := decodedCompletion(t, request("alice", "completion/complete", ref)); len(values) != 1 || values[0] != id {
		t.Errorf("alice sees %v", values)
	}
	_, plain := startHTTP(t, strings.Replace(recordedRuns, "name: r,", "name: other,", 1), nil, "--state", state)
	_, got := post(t, plain, "", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"run://`+id+`/result"}}`)
	if got = strings.ReplaceAll(got, id, "ID"); got != unknown {
		t.Errorf("a client of another file: %s", got)
	}
}

// Without a history there is no template.
func TestNoResultsWithoutHistory(t *testing.T) {
	t.Parallel()
	_, addr := startHTTP(t, recordedRuns, nil, "--no-history")
	if _, body := post(t, addr, "", `{"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}`); !strings.Contains(body, `"resourceTemplates":[]`) {
		t.Errorf("%s", body)
	}
	ref := `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"run://{run}/result"},"argument":{"name":"run","value":""}}}`
	if _, body := post(t, addr, "", ref); !strings.Contains(body, `-32602`) {
		t.Errorf("%s", body)
	}
}
