package importer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/interop/importer"
	"toolgraph/internal/project"
)

// A trace of twelve calls with value flows becomes a graph that makes the same calls, with the
// same arguments, and gives the last result, on the answers of the trace.
func TestTwelveCallsAreReproduced(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"session.jsonl", "calls.json"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := imported(t, name, read(t, name), importer.TraceOptions{Test: true})
			result := repeated(t, f)
			var trace []struct {
				Server, Tool string
				Args         any
			}
			if err := json.Unmarshal(read(t, "calls.json"), &trace); err != nil {
				t.Fatal(err)
			}
			if len(result.Calls) != 12 || len(trace) != 12 {
				t.Fatalf("made %d calls, the trace has %d", len(result.Calls), len(trace))
			}
			for i, call := range result.Calls {
				want := trace[i]
				if args, isObject := want.Args.(map[string]any); isObject && args["token"] != nil {
					args["token"] = "[redacted]"
				}
				if call.Server != want.Server || call.Tool != want.Tool || !sameJSON(t, call.Args, want.Args) {
					t.Errorf("call %d is %s.%s with %s, in the trace %s.%s with %s",
						i, call.Server, call.Tool, asJSON(t, call.Args), want.Server, want.Tool, asJSON(t, want.Args))
				}
			}
			if got := asJSON(t, result.Value); got != `{"state":"closed"}` {
				t.Errorf("the result is %s", got)
			}
		})
	}
}

func TestTraceGolden(t *testing.T) {
	t.Parallel()
	f := imported(t, "session.jsonl", read(t, "session.jsonl"), importer.TraceOptions{Test: true})
	golden(t, "session.yaml", f.Graph)
	golden(t, "session.test.yaml", f.Test)
}

// What is written for the last argument of the last call.
func TestOrigins(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ trace, want string }{
		"a path": {
			`{"server":"s","tool":"a","result":{"a b":[{"c":"alpha"}]}}
			 {"server":"s","tool":"b","args":{"x":"alpha"}}`,
			"x: {expr: \"a.`a b`[0].c\"}",
		},
		"a path through lists of lists": {
			`{"server":"s","tool":"a","result":[[1,2],[3,["alpha","beta"]]]}
			 {"server":"s","tool":"b","args":{"x":"beta"}}`,
			`x: {expr: "((a[1])[1])[1]"}`,
		},
		"a key with a backquote": {
			"{\"server\":\"s\",\"tool\":\"a\",\"result\":{\"`\":\"alpha\"}}\n{\"server\":\"s\",\"tool\":\"b\",\"args\":{\"x\":\"alpha\"}}",
			"x: {expr: '$lookup(a, \"`\")'}",
		},
		"a whole object": {
			`{"server":"s","tool":"a","result":{"page":{"n":17,"of":"all"}}}
			 {"server":"s","tool":"b","args":{"x":{"of":"all","n":17}}}`,
			`x: {expr: a.page}`,
		},
		"inside lists and objects": {
			`{"server":"s","tool":"a","result":{"id":4711}}
			 {"server":"s","tool":"b","args":{"x":{"ids":[4711,"twelve"]}}}`,
			"x: {ids: [{expr: a.id}, {expr: args.ids}]}",
		},
		"a list of the caller": {
			`{"server":"s","tool":"b","args":{"x":["alpha","beta"]}}`, `x: {expr: args.x}`,
		},
		"trivial values": {
			`{"server":"s","tool":"a","result":{"a":true,"b":0,"c":1,"d":"","e":"ab","f":null,"g":[]}}
			 {"server":"s","tool":"b","args":{"x":[true,0,1,"","ab",null,[]]}}`,
			`x: [true, 0, 1, "", ab, null, []]`,
		},
		"in several results": {
			`{"server":"s","tool":"a","result":{"id":"alpha"}}
			 {"server":"s","tool":"c","result":["alpha"]}
			 {"server":"s","tool":"b","args":{"x":"alpha"}}`,
			"x: {expr: a.id}",
		},
		"twice in one result": {
			`{"server":"s","tool":"a","result":{"deep":{"id":"alpha"},"id":"alpha"}}
			 {"server":"s","tool":"b","args":{"x":"alpha"}}`,
			"x: {expr: a.id}",
		},
		"an argument before a result": {
			`{"server":"s","tool":"a","args":{"id":"alpha"},"result":{"id":"alpha"}}
			 {"server":"s","tool":"b","args":{"x":"alpha"}}`,
			`x: {expr: args.id}`,
		},
		"inside a text": {
			`{"server":"s","tool":"a","result":{"id":"abc-123","n":123456}}
			 {"server":"s","tool":"b","args":{"x":"https://h/abc-123/123456?q=abc-1234"}}`,
			`x: {expr: '"https://h/" & a.id & "/" & a.n & "?q=abc-1234"'}`,
		},
		"too short inside a text": {
			`{"server":"s","tool":"a","result":{"id":"ab1"}}
			 {"server":"s","tool":"b","args":{"x":"https://h/ab1"}}`,
			`x: {expr: args.x}`,
		},
		"an object with the key expr": {
			`{"server":"s","tool":"b","args":{"x":{"expr":"1 + 1"}}}`, `x: {expr: args.x}`,
		},
		"a number that a float has not": {
			`{"server":"s","tool":"a","result":{"id":12345678901234567890}}
			 {"server":"s","tool":"b","args":{"x":12345678901234567890}}`,
			`x: {expr: a.id}`,
		},
		"a result in a text item": {
			`{"server":"s","tool":"a","result":{"content":[{"type":"text","text":"{\"id\":\"alpha\"}"}]}}
			 {"server":"s","tool":"b","args":{"x":"alpha"}}`,
			`x: {expr: a.id}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trace := c.trace[:len(c.trace)-1] + `,"result":true}`
			f := imported(t, "trace.jsonl", []byte(trace), importer.TraceOptions{Test: true})
			want := c.want
			if !strings.Contains(string(f.Graph), want) {
				t.Errorf("got\n%s\nwant\n%s", f.Graph, want)
			}
			repeated(t, f)
		})
	}
}

// Calls that were asked for in one message cannot use each other's results.
func TestParallelCallsAreIndependent(t *testing.T) {
	t.Parallel()
	use := `{"type":"tool_use","id":"%s","name":"mcp__s__%[1]s","input":{"x":"alpha"}}`
	result := `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"%s","content":"alpha"}]}}`
	trace := fmt.Sprintf(`{"type":"assistant","message":{"content":[`+use+`,`+use+"]}}\n"+result+"\n"+result, "a", "b", "a", "b")
	f := imported(t, "trace.jsonl", []byte(strings.Replace(trace, `"input":{"x":"alpha"}`, `"input":{}`, 1)), importer.TraceOptions{})
	if !strings.Contains(string(f.Graph), "x: {expr: args.x}") {
		t.Errorf("the second call reads the result of the first:\n%s", f.Graph)
	}
}

func TestSecretsOfATraceAreNotWritten(t *testing.T) {
	t.Parallel()
	trace := `{"server":"s","tool":"a","args":{"apiKey":"sk-live-1234","pin":987654},"result":{"id":"issue-77","session":{"token":"tok-abcdef"}}}
{"server":"s","tool":"b","args":{"value":"sk-live-1234","url":"https://h/?k=sk-live-1234","both":"https://h/issue-77/?k=sk-live-1234","n":987654,"t":"tok-abcdef"},"result":{"token":"tok-abcdef","echo":"sk-live-1234"}}
{"server":"s","tool":"c","args":{"t":"tok-abcdef","u":"https://h/tok-abcdef"},"result":"987654"}`
	f := imported(t, "trace.jsonl", []byte(trace), importer.TraceOptions{Test: true})
	for _, secret := range []string{"sk-live-1234", "987654", "tok-abcdef"} {
		for name, content := range map[string][]byte{"graph": f.Graph, "test": f.Test, "cassette": f.Cassette} {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("the %s has %q:\n%s", name, secret, content)
			}
		}
	}
	if n := strings.Count(string(f.Graph), "# TODO: a secret"); n < 2 {
		t.Errorf("found %d TODO comments about secrets:\n%s", n, f.Graph)
	}
	repeated(t, f)
}

func TestRangeOfCalls(t *testing.T) {
	t.Parallel()
	src := read(t, "calls.json")
	f := imported(t, "calls.json", src, importer.TraceOptions{First: 4, Last: 6, Tool: "release", ServersFile: true, Test: true})
	if s := string(f.Graph); strings.Contains(s, "mcpServers") || !strings.Contains(s, "name: release") || !strings.Contains(s, "Calls 7 to 12 of the trace are not imported.") {
		t.Errorf("got\n%s", s)
	}
	if _, err := importer.AgentTrace(t.Context(), "calls.json", src, importer.TraceOptions{First: 13}); err == nil || !strings.Contains(err.Error(), "no call 13") {
		t.Errorf("got %v", err)
	}
}

func imported(t *testing.T, path string, src []byte, opts importer.TraceOptions) *importer.File {
	t.Helper()
	f, err := importer.AgentTrace(t.Context(), path, src, opts)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// repeated runs the test of an imported file and returns its result, which must have passed.
func repeated(t *testing.T, f *importer.File) *graphtest.Result {
	t.Helper()
	dir := t.TempDir()
	graph := filepath.Join(dir, "graph.yaml")
	for path, content := range map[string][]byte{
		graph:                                 f.Graph,
		filepath.Join(dir, "graph.test.yaml"): f.Test,
		filepath.Join(dir, "graph.cassette.json"): f.Cassette,
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := project.Load(t.Context(), graph, config.Options{AssumeEnv: true}); err != nil {
		t.Fatalf("%v\n%s", err, f.Graph)
	}
	suite, err := graphtest.Load(filepath.Join(dir, "graph.test.yaml"))
	if err != nil {
		t.Fatalf("%v\n%s", err, f.Test)
	}
	report, err := suite.Run(t.Context(), graphtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	result := report.Results[0]
	if result.Status != graphtest.Passed {
		t.Fatalf("%s\n%s", result.Text(), f.Graph)
	}
	return result
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// golden compares with a file of testdata; UPDATE_GOLDEN=1 writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(filepath.Join("testdata", name), got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, name); !bytes.Equal(got, want) {
		t.Errorf("%s differs from what is imported now, which UPDATE_GOLDEN=1 writes:\n%s", name, got)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := value.Encode(value.FromPlain(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func sameJSON(t *testing.T, a, b any) bool {
	t.Helper()
	var one, other any
	if err := json.Unmarshal([]byte(asJSON(t, a)), &one); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(asJSON(t, b)), &other); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(one, other)
}
