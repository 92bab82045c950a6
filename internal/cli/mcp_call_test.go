package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
	"toolgraph/mcpclient"
)

// A value is text where only text is allowed, however the schema says so.
func TestPairValueOfUnions(t *testing.T) {
	for _, c := range []struct{ schema, text, want string }{
		{`{"type": "string"}`, `5`, `"5"`},
		{`{"type": ["string", "null"]}`, `5`, `"5"`},
		{`{"type": ["string", "null"]}`, `null`, `null`},
		{`{"anyOf": [{"type": "string"}, {"type": "null"}]}`, `true`, `"true"`},
		{`{"anyOf": [{"type": "string"}, {"type": "integer"}]}`, `5`, `5`},
		{`{"enum": ["1", "2"]}`, `1`, `"1"`},
		{`{"type": "integer"}`, `5`, `5`},
		{`{"type": "integer"}`, `many`, `"many"`},
		{`{"type": "array", "items": {"type": "string"}}`, `["a"]`, `["a"]`},
		{`{}`, `5`, `5`},
		{`not JSON`, `5`, `5`},
	} {
		got, err := value.Encode(project.FromText(schemaData([]byte(c.schema)), c.text))
		if err != nil || string(got) != c.want {
			t.Errorf("%s of %s: got %s, want %s (%v)", c.text, c.schema, got, c.want, err)
		}
	}
}

// Input that nothing announces is read to its end when it comes, and is not waited for when not.
func TestReadOffered(t *testing.T) {
	if src, err := readOffered(t.Context(), strings.NewReader(""), time.Second); err != nil || len(src) > 0 {
		t.Errorf("nothing: %q, %v", src, err)
	}
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		go func() {
			time.Sleep(inputPatience / 2)
			fmt.Fprint(out, `{"a":`)
			time.Sleep(2 * inputPatience) // what has begun is waited for
			fmt.Fprint(out, `1}`)
			out.Close()
		}()
		if src, err := readOffered(t.Context(), in, inputPatience); err != nil || string(src) != `{"a":1}` {
			t.Errorf("a slow input: %q, %v", src, err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		defer out.Close()
		begun := time.Now()
		_, err := readOffered(t.Context(), in, inputPatience)
		if err == nil || !strings.Contains(err.Error(), "--args '{}' for none") || time.Since(begun) != inputPatience {
			t.Errorf("an open input: %v after %v", err, time.Since(begun))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		defer out.Close()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := readOffered(ctx, in, inputPatience); err == nil || !strings.Contains(err.Error(), "interrupted") {
			t.Errorf("an interrupted input: %v", err)
		}
	})
}

func TestCallInput(t *testing.T) {
	for _, c := range []struct {
		given, stdin string
		words        []string
		want         string // the object, the values and the pairs; or the error
	}{
		{"", `{"a":1}`, nil, `{"a":1} {} []`},
		{"", `{"a":1}`, []string{"b=2"}, ` {} [b=2]`},
		{"", `{"a":1}`, []string{"-", "b=2"}, `{"a":1} {} [b=2]`},
		{`{"a":2}`, `{"a":1}`, nil, `{"a":2} {} []`},
		{`-`, `{"a":1}`, nil, `{"a":1} {} []`},
		{"", "", []string{`a:=[1]`, "b=x:=y", "c:=null"}, ` {"a":[1],"c":null} [b=x:=y]`},
		{"", "", []string{"a:=b"}, `"b" is not JSON`},
		{"{}", "", []string{"-"}, "remove one of them"},
	} {
		f := callFlags{args: c.given, given: c.given != ""}
		in, err := f.input(t.Context(), program.Streams{In: strings.NewReader(c.stdin)}, c.words)
		values, _ := value.Encode(in.values)
		got := fmt.Sprintf("%s %s %v", in.object, values, in.pairs)
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%q with %q and %q: got %s, want %s", c.words, c.given, c.stdin, got, c.want)
		}
	}
}

func TestSearched(t *testing.T) {
	of := &listed{}
	of.add(fromSync, mcpclient.Tool{Name: "list", Description: "All issues of a repository"},
		mcpclient.Tool{Name: "create_issue", Description: "In a repository"}, mcpclient.Tool{Name: "other"})
	names := func(words string) (names []string) {
		for _, t := range searched(of.Tools, words) {
			names = append(names, t.Name)
		}
		return names
	}
	if got := names("ISSUE"); !slices.Equal(got, []string{"create_issue", "list"}) {
		t.Errorf("issue: %q", got)
	}
	if got := names("issue repository"); !slices.Equal(got, []string{"list", "create_issue"}) {
		t.Errorf("both words: %q", got)
	}
	if got := names(""); len(got) != 3 {
		t.Errorf("no words: %q", got)
	}
}

// Definitions are the server's text: a terminal does not act on it, and it is bounded.
func TestPrintToolOfAHostileServer(t *testing.T) {
	tool := &mcpclient.Tool{
		Name: "a\x1b[2J", Title: strings.Repeat("t", 10_000), Description: "\x1b]0;x\x07" + strings.Repeat("d", 100_000),
		InputSchema:  json.RawMessage(`{"properties": {"x\u202e": {"enum": ["a", "b", "c", "d", "e\u001b"], "description": 7, "default": "\u001b[1m"}, "y": {"$ref": "#/properties/y"}}}`),
		OutputSchema: json.RawMessage(`not JSON`), Annotations: json.RawMessage(`[]`),
	}
	var out bytes.Buffer
	if err := printTool(&out, &listed{Server: "s"}, &listedTool{Tool: *tool, Source: fromServer}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\x07\u202e") || out.Len() > 10_000 {
		t.Errorf("%d bytes: %.500q", out.Len(), out.String())
	}
	if !strings.Contains(out.String(), "one of a, b, c, d, e") {
		t.Errorf("%s", out.String())
	}
}

// inRegistry makes a directory the current one, with a registry that has this server.
func inRegistry(t *testing.T, server config.Upstream) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	entry := map[string]any{"command": server.Command.Value}
	src, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"fake": entry}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(".toolgraph", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(".toolgraph", "servers.json"), src, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A signal ends a call, and the commands around it.
func TestCallEndsWithASignal(t *testing.T) {
	inRegistry(t, config.Upstream{Command: config.Text{Value: "no-such-program"}})
	for _, args := range [][]string{{"mcp", "call", "fake.x", "a=1"}, {"mcp", "tools", "--live"}, {"mcp", "info", "fake.x", "--live"}} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(program.SignalError{Signal: syscall.SIGTERM})
		var out, failed bytes.Buffer
		if code := Run(ctx, args, program.Streams{In: strings.NewReader(""), Out: &out, Err: &failed}); code != 143 {
			t.Errorf("%v: the exit code is %d, want 143: %s%s", args, code, &out, &failed)
		}
	}
}
