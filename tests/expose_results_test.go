package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// A result of an exposed tool over maxResultBytes is handled as that of a graph: a summary, and read_result. Of a tool
// with an outputSchema it is a failure, for a summary does not fit it.
func TestExposedResultsThatAreTooLarge(t *testing.T) {
	t.Parallel()
	pulled := t.TempDir() + "/pulled"
	typed := `{"structured": {"name":"structured","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["items"]}}}`
	if err := os.WriteFile(pulled, []byte(typed), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, `server: {name: one, version: 1.0.0}
executionLimits: {maxResultBytes: 4000}
mcpServers: {up: {command: $FAKE}, typed: {command: $FAKE, args: ["rugpull=`+pulled+`"]}}
expose: ["up.*", typed.structured]`)
	type answer struct {
		IsError    bool
		Structured json.RawMessage `json:"structuredContent"`
		Content    []struct{ Type, Text, URI string }
	}
	call := func(tool, args string) (a answer) {
		t.Helper()
		r := s.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
		if err := json.Unmarshal(r.Result, &a); err != nil {
			t.Fatalf("%s: %s %+v", tool, r.Result, r.Error)
		}
		return a
	}
	if a := call("up__structured", `{"n":20,"size":150}`); a.Structured == nil || a.IsError { // below the limit, though it has its text twice
		t.Errorf("%+v", a)
	}
	for tool, args := range map[string]string{"up__structured": `{"n":100,"size":100}`, "up__items": `{"n":100,"size":100}`, "typed__structured": `{"n":100,"size":100}`} {
		a := call(tool, args)
		if a.IsError != strings.HasPrefix(tool, "typed") || a.Structured != nil || len(a.Content) != 2 || a.Content[1].Type != "resource_link" || len(a.Content[0].Text) > 4000 {
			t.Errorf("%s: %+v", tool, a)
			continue
		}
		part := call("read_result", fmt.Sprintf(`{"uri":%q,"select":"$count($type($) = 'array' ? $ : items)"}`, a.Content[1].URI))
		if part.IsError || part.Content[0].Text != "100" {
			t.Errorf("%s: %+v", tool, part)
		}
	}
	large := fmt.Sprintf(`{"params":{"structuredContent":{"a":1},"content":[{"type":"text","text":"%s"}]}}`, strings.Repeat("x", 5000))
	if a := call("up__answer", large); string(a.Structured) != `{"a":1}` || len(a.Content) != 1 || len(a.Content[0].Text) > 4000 {
		t.Errorf("content beside a small value: %+v", a)
	}
}

// A link in the result of an exposed tool can be read: also one beside structuredContent, and one of a failure. One that no
// result has named cannot.
func TestLinksOfExposedResults(t *testing.T) {
	t.Parallel()
	s := start(t, `server: {name: one, version: 1.0.0}
mcpServers: {up: {command: $FAKE}, other: {command: $FAKE}}
expose: [up.answer, up.links]`)
	read := func(uri string) string {
		t.Helper()
		answer := s.request("resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
		if answer.Error != nil {
			return answer.Error.Message
		}
		return string(answer.Result)
	}
	link := func(uri string) string {
		return fmt.Sprintf(`"content":[{"type":"resource_link","uri":%q,"name":"n","title":"T"}]`, uri)
	}
	for uri, result := range map[string]string{
		"doc:beside": `{"structuredContent":{"a":1},` + link("doc:beside") + `}`,
		"doc:failed": `{"isError":true,` + link("doc:failed") + `}`,
		"doc:alone":  `{` + link("doc:alone") + `}`,
	} {
		if got := read(uri); !strings.Contains(got, "only resources that a result of this process has named can be read") {
			t.Errorf("before: %s", got)
		}
		if got := s.request("tools/call", `{"name":"up__answer","arguments":{"params":`+result+`}}`); !strings.Contains(string(got.Result), uri) {
			t.Errorf("%s %+v", got.Result, got.Error)
		}
		if got := read(uri); !strings.Contains(got, "about "+uri) {
			t.Errorf("after: %s", got)
		}
	}
}

// A server that asks for something that only a client has is refused with a JSON-RPC error, and the log names the server.
func TestExposedServersMayNotAskForRoots(t *testing.T) {
	t.Parallel()
	s := start(t, exposing+`expose: [up.callback]`)
	for _, method := range []string{"roots/list", "sampling/createMessage"} {
		got := s.call("up__callback", `{"method":"`+method+`","params":{}}`)
		if !strings.Contains(got.text(t), "-32601") || !strings.Contains(got.text(t), "this client does not offer "+method) {
			t.Errorf("%s: %+v", method, got)
		}
		eventually(t, "the log names "+method, func() bool { return strings.Contains(s.stderr.String(), "server=up method="+method) })
	}
	if len(s.asked) > 0 {
		t.Errorf("the client was asked for %v", s.asked)
	}
}
