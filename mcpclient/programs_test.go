package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/tests/testbin"
)

// fakePrograms is a server of type exec, named fake, whose programs are those of the fake program, and the file
// that has a line for each of their starts.
func fakePrograms(t testing.TB) (u *config.Upstream, starts string) {
	t.Helper()
	path := testbin.Build(t, "toolgraph/tests/fakeprogram")
	dir := t.TempDir()
	starts = filepath.Join(dir, "starts")
	u = &config.Upstream{
		Name: text("fake"), Transport: config.Exec, Dir: dir,
		Env: []config.Setting{{Name: text("STARTS"), Value: text(starts)}, {Name: text("MODE"), Value: text("fast")}},
	}
	for _, name := range []string{"cat", "args", "env", "text", "flood", "fail", "binary", "stubborn", "leave"} {
		u.Programs = append(u.Programs, &config.Program{Name: text(name), Command: []config.Text{text(path), text(name)}})
	}
	u.Programs = append(u.Programs,
		&config.Program{Name: text("missing"), Command: []config.Text{text("no-such-program")}, Effect: config.ReadEffect})
	return u, starts
}

func TestProgramValues(t *testing.T) {
	u, starts := fakePrograms(t)
	p := pool(t, u, WithPrograms())
	for _, c := range []struct{ tool, args, want string }{
		{"cat", `{}`, `""`},
		{"cat", `{"stdin":"plain\n"}`, `"plain\n"`},
		{"cat", `{"stdin":{"b":1,"a":[1.50]}}`, `{"b":1,"a":[1.5]}`},
		{"cat", `{"stdin":null}`, `null`},
		{"cat", `{"stdin":"42"}`, `42`},
		{"args", `{"args":["a b","$(id)","*","--x"]}`, `["a b","$(id)","*","--x"]`},
		{"env", `{"args":["MODE"]}`, `"fast"`},
		{"text", `{"args":["it reads nothing"],"stdin":"` + strings.Repeat("x", 1<<20) + `"}`, `"it reads nothing"`},
	} {
		mustCall(t, p, c.tool, c.args, c.want)
	}
	if n := countLines(t, starts); n != 8 {
		t.Errorf("%d programs were started, expected one for each call", n)
	}
}

// A program that writes while it reads cannot block: both directions are served at once.
func TestProgramOfMegabytes(t *testing.T) {
	u, _ := fakePrograms(t)
	p := pool(t, u, WithPrograms())
	long := `"` + strings.Repeat("0123456789abcdef", 1<<18) + `"` // 4 MiB
	mustCall(t, p, "cat", `{"stdin":`+long+`}`, long)
}

func TestProgramFailures(t *testing.T) {
	u, starts := fakePrograms(t)
	p := pool(t, u, WithPrograms(), WithSecrets(config.NewSecrets("secret-key")))
	e := mustFail(t, p, "fail", `{"args":["3"],"stdin":"warning\n\u001b[31mthe key secret-key is wrong\u001b[0m\n"}`, CodeToolError)
	if e.ExitCode == nil || *e.ExitCode != 3 || !strings.HasSuffix(e.Message, "exited with status 3") {
		t.Errorf("exit code: %v: %s", e.ExitCode, e.Message)
	}
	if got := strings.Join(e.Stderr, "|"); got != "warning|the key [redacted] is wrong" {
		t.Errorf("standard error: %q", got)
	}
	if got := encoded(t, e.Result); got != `{"done":1}` {
		t.Errorf("result: %s", got)
	}
	e = mustFail(t, p, "binary", `{}`, CodeBadResult)
	if !strings.Contains(e.Error(), "is not a text in UTF-8; let the program write text, or base64") {
		t.Error(e)
	}
	e = mustFail(t, p, "missing", `{}`, CodeServerStart)
	if !strings.Contains(e.Error(), `command "no-such-program" not found in PATH`) {
		t.Error(e)
	}
	before := countLines(t, starts)
	for args, want := range map[string]string{
		`{"args":"x"}`: "arguments.args: expected an array", `{"input":1}`: "arguments.input: unknown property, expected one of args, stdin",
		`{"args":["a",1]}`: "arguments.args[1]: expected a string", `{"args":["a\u0000b"]}`: "args[0] holds a zero byte",
	} {
		if e := mustFail(t, p, "cat", args, CodeInvalidArguments); !strings.Contains(e.Message, want) {
			t.Errorf("%s: %s, expected %s", args, e.Message, want)
		}
	}
	if e := mustFail(t, p, "cta", `{}`, CodeUnknownTool); e.Hint != `did you mean "cat"?` {
		t.Error(e)
	}
	if now := countLines(t, starts); now != before {
		t.Errorf("%d programs were started by calls that cannot succeed", now-before)
	}
}

func TestProgramsAreOff(t *testing.T) {
	u, starts := fakePrograms(t)
	p := pool(t, u)
	e := mustFail(t, p, "cat", `{}`, CodeNotAllowed)
	if !strings.Contains(e.Error(), "not called, because this process may start no programs; if you trust the programs of this file, add --allow-exec") {
		t.Error(e)
	}
	if _, err := os.Stat(starts); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a program was started")
	}
	tools, err := p.ListTools(t.Context(), "fake")
	if err != nil || len(tools) != 10 {
		t.Fatalf("%v: %v", tools, err)
	}
	var schema struct {
		Type                 string
		AdditionalProperties *bool
		Properties           map[string]json.RawMessage
	}
	if err := json.Unmarshal(tools[0].InputSchema, &schema); err != nil || schema.Type != "object" || *schema.AdditionalProperties || len(schema.Properties) != 2 {
		t.Errorf("%v: %s", err, tools[0].InputSchema)
	}
	if tools[0].Annotations != nil || string(tools[9].Annotations) != `{"destructiveHint":false,"readOnlyHint":true}` {
		t.Errorf("annotations: %s %s", tools[0].Annotations, tools[9].Annotations)
	}
}

// The limit of a node is before that of the program, which is before that of the server.
func TestProgramTimeouts(t *testing.T) {
	u, _ := fakePrograms(t)
	u.Timeout = 3
	u.Programs[0].Timeout = 2
	s := settingsOf(u)
	if s.timeoutOf("cat") != 2 || s.timeoutOf("args") != 3 {
		t.Error("the time limits are not those of the file")
	}
}

func TestF28BytesOfStdin(t *testing.T) {
	u, _ := fakePrograms(t)
	p := pool(t, u, WithPrograms())
	odd := `"$(id) ` + "`id`" + `; rm -rf x\r\nline 2\n\u0000\u001b[0m\u2028 ä 😀 \"quoted\" \\n"`
	got, err := callTool(p, "cat", `{"stdin":`+odd+`}`)
	if err != nil {
		t.Fatal(err)
	}
	var sent, back string
	if json.Unmarshal([]byte(odd), &sent) != nil || json.Unmarshal([]byte(got), &back) != nil || sent != back {
		t.Errorf("sent %q, got back %q", sent, back)
	}
}

// The program writes without end, more than any limit: what is held of it is bounded.
func TestF28OutputWithoutEnd(t *testing.T) {
	u, _ := fakePrograms(t)
	const limit = 8 << 20
	p := pool(t, u, WithPrograms(), withAdjust(func(s *settings) { s.maxMessage = limit }))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	e := mustFail(t, p, "flood", `{}`, CodeTooLarge)
	runtime.ReadMemStats(&after)
	if want := fmt.Sprintf("the program was ended, because it wrote more than %d bytes to its standard output", limit); e.Message != want {
		t.Errorf("%s, expected %s", e.Message, want)
	}
	// A buffer that grows to the limit allocates a few times its size, with the race detector more of it.
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 16*limit {
		t.Errorf("%d bytes were allocated for an output with a limit of %d", taken, limit)
	}
}
