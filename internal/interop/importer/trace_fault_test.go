package importer_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/interop/importer"
	"toolgraph/internal/project"
)

// A trace that cannot be read gives an error with its line.
func TestHostileTraces(t *testing.T) {
	t.Parallel()
	use := `{"type":"assistant","message":{"content":[{"type":"tool_use","id":%q,"name":"mcp__s__t","input":%s}]}}`
	answer := `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":%s}]}}`
	deep := strings.Repeat("[", 900) + strings.Repeat("]", 900)
	for name, c := range map[string]struct{ trace, want string }{
		"empty":                  {"", "trace:1:1: the file has no entries"},
		"not JSON":               {"{\"type\":\"user\"}\n{\"type\": x}", "trace:2:10: not JSON"},
		"a text":                 {"\n\n\"text\"", "trace:3:1: found text, expected an object of a trace"},
		"a list of texts":        {"[\n {},\n  1]", "trace:3:3: found a number, expected an object"},
		"a list that ends early": {"[{},\n{}", "trace:2:3: not JSON: the list does not end"},
		"more after the list":    {"[]\n[]", "trace:1:3: not JSON: found more after the list"},
		"a broken list":          {"[{},\n {},,]", "trace:2:5: not JSON"},
		"no server":              {`{"tool":"t"}`, "trace:1:1: a call has no server"},
		"a server of a number":   {`{"server":1,"tool":"t"}`, `trace:1:1: "server" is a number, expected text`},
		"args of a list":         {`{"server":"s","tool":"t","args":[]}`, "trace:1:1: the arguments are an array, expected an object"},
		"only failures":          {`{"server":"s","tool":"t","error":"no"}`, "none of its 1 call has succeeded"},
		"only unanswered calls":  {fmt.Sprintf(use, "1", "{}"), "none of its 1 call has succeeded"},
		"only other tools":       {`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash"}]}}`, "no calls of MCP tools"},
		"an id of two calls":     {fmt.Sprintf(use, "1", "{}") + "\n" + fmt.Sprintf(use, "1", `{"a":1}`), `trace:2:1: the tool_use id "1" is also that of another call, on line 1`},
		"two results":            {fmt.Sprintf(use, "1", "{}") + "\n" + fmt.Sprintf(answer, "1", `"a"`) + "\n" + fmt.Sprintf(answer, "1", `"b"`), `trace:3:1: the call "1" has a second result`},
		"no id":                  {`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"mcp__s__t"}]}}`, "trace:1:1: the tool_use of"},
		"a result of a number":   {fmt.Sprintf(use, "1", "{}") + "\n" + fmt.Sprintf(answer, "1", "7"), "trace:2:1: content of the tool_result is a number"},
		"a long name":            {`{"server":"s","tool":"t","args":{"` + strings.Repeat("x", 1001) + `":1},"result":1}`, "trace:1:1: an argument has a name of 1001 bytes, expected at most 1000"},
		"deep arguments":         {`{"server":"s","tool":"t","args":{"a":` + deep + `},"result":1}`, "trace:1:1: the arguments are nested deeper than 200 levels"},
		"a deep result":          {`{"server":"s","tool":"t","result":` + deep + `}`, "trace:1:1: the result cannot be read: nested deeper than 200 levels"},
		"too deep for JSON":      {strings.Repeat(`{"a":`, 5000), "trace:1:"},
		"too deep a list":        {strings.Repeat(`[`, 20000), "trace:1:"},
		"too many calls":         {strings.Repeat(`{"server":"s","tool":"t","result":1}`+"\n", 2001), "found 2001 calls, expected at most 2000"},
		"too many values":        {`{"server":"s","tool":"t","args":{"a":[` + strings.Repeat("0,", 20_000) + `0]},"result":1}`, "the arguments have 20003 values"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := importer.AgentTrace(t.Context(), "trace", []byte(c.trace), importer.TraceOptions{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// Repeated entries of resumed sessions, lines of unknown types and results without a call are no
// errors.
func TestLenientTraces(t *testing.T) {
	t.Parallel()
	use := `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"mcp__s__t","input":{"a":"alpha"}}]}}`
	answer := `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"beta"}]}]}}`
	lines := []string{
		`{"type":"file-history-snapshot","x":[1]}`, `{"type":"user","message":"hello"}`, `{"type":"assistant","message":{"content":["text",{"type":7}]}}`,
		`{"type":["list"]}`, `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"9","content":"lost"}]}}`,
		use, use, answer, answer, "  ", `{"server":"s","tool":"u","args":null,"result":{"content":[{"type":["x"]}]}}`,
	}
	f := imported(t, "trace", []byte("\uFEFF"+strings.Join(lines, "\r\n")), importer.TraceOptions{})
	if !strings.Contains(string(f.Graph), "from trace: 2 calls.") {
		t.Errorf("got\n%s", f.Graph)
	}
}

// Names that YAML, expressions, terminals or comments read as something else stay names.
func TestHostileNamesOfATrace(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"entry", "and", "a\nb: c", "# x", "\x1b[31m", "é", "0", "-", "{{", "__proto__", strings.Repeat("x", 600), "a`b"} {
		raw, err := json.Marshal(map[string]any{"server": "s", "tool": name, "args": map[string]any{name: "alpha-1"}, "result": map[string]any{name: "beta-22"}})
		if err != nil {
			t.Fatal(err)
		}
		second, err := json.Marshal(map[string]any{"server": "s", "tool": name, "args": map[string]any{name: "beta-22", "b": "x/alpha-1/beta-22"}, "result": 1})
		if err != nil {
			t.Fatal(err)
		}
		f := imported(t, "trace", []byte(string(raw)+"\n"+string(second)), importer.TraceOptions{Test: true})
		if _, err := project.Parse(t.Context(), "graph.yaml", f.Graph, config.Options{AssumeEnv: true}); err != nil {
			t.Errorf("%q: %v\n%s", name, err, f.Graph)
		}
	}
}

// What is looked through does not grow with the square of the trace.
func TestLargeTraceIsBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, `{"server":"s","tool":"t","args":{"text":%q,"id":"id-%d"},"result":[`, strings.Repeat("abcdef", 300), i)
		for j := range 300 {
			fmt.Fprintf(&b, `{"id":"abcdef","n":"abcdef%d","m":[%d]},`, j, i*j)
		}
		b.WriteString("0]}\n")
	}
	if _, err := importer.AgentTrace(t.Context(), "trace", []byte(b.String()), importer.TraceOptions{}); err != nil {
		t.Fatal(err)
	}
}

func FuzzAgentTrace(f *testing.F) {
	f.Add([]byte(`{"server":"s","tool":"t","args":{"a":"alpha","b":[1,{"expr":"x"}]},"result":{"content":[{"type":"text","text":"{\"id\":\"alpha\"}"}]}}`))
	f.Add([]byte(`[{"server":"s","tool":"a","result":["alpha"]},{"server":"s","tool":"b","args":{"x":"alpha","y":"alphas alpha"},"result":1e300}]`))
	f.Add([]byte(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"mcp__s__t","input":{"token":"abcdefg"}}]}}` + "\n" +
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":"\u0000\ud800"}]}}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := importer.AgentTrace(t.Context(), "trace", src, importer.TraceOptions{Test: true})
		if err != nil {
			return
		}
		if _, err := config.ParseData("graph.yaml", file.Graph); err != nil {
			t.Errorf("the graph cannot be read: %v\n%s", err, file.Graph)
		}
	})
}

// A call with an argument called expr is left out, and a comment says why.
func TestArgumentCalledExpr(t *testing.T) {
	t.Parallel()
	call := `{"server":"s","tool":"t","args":{"expr":"1"},"result":1}`
	f := imported(t, "trace", []byte(call+"\n"+`{"server":"s","tool":"u","result":2}`), importer.TraceOptions{})
	if text := string(f.Graph); strings.Contains(text, "tool: t\n") || !strings.Contains(text, "# Not imported: s.t, whose argument expr") {
		t.Errorf("got\n%s", text)
	}
	if _, err := importer.AgentTrace(t.Context(), "trace", []byte(call), importer.TraceOptions{}); err == nil || !strings.Contains(err.Error(), "whose argument expr") {
		t.Errorf("got %v", err)
	}
}
