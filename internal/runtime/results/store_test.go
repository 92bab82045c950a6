package results

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/serving/server"
)

// call calls read_result and returns its texts, or the error.
func call(t *testing.T, k *Store, of File, args string) string {
	t.Helper()
	tool, err := k.Tool(of)
	if err != nil {
		t.Fatal(err)
	}
	given, err := value.Decode([]byte(args))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := tool.Run(t.Context(), given, server.Watch{})
	if err != nil {
		return "error: " + err.Error()
	}
	return strings.Join(answer.Notice.Texts, " | ")
}

func put(t *testing.T, k *Store, of File, run string, v value.Value) *server.Notice {
	t.Helper()
	n, err := k.Put(t.Context(), of, Result{Run: run, Tool: "a", Value: v, Bytes: value.Size(v)})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func fileOf(secrets ...string) File {
	return File{Path: "/g.yaml", Secrets: config.NewSecrets(secrets...), Limits: map[string]int{"a": 20}}
}

// Results in memory make room for others, the least recently used first; one that does not fit is
// not held, and its summary says so, without a link.
func TestMemoryMakesRoom(t *testing.T) {
	k := New(nil)
	k.memory = newMemory(3*overhead + 300)
	of := fileOf()
	text := strings.Repeat("x", 90)
	for run := range 3 {
		put(t, k, of, fmt.Sprint(run), text)
	}
	const read = `{"uri":"run://%d/result","select":"$length($)"}`
	if got := call(t, k, of, fmt.Sprintf(read, 0)); got != "90" {
		t.Error(got)
	}
	put(t, k, of, "3", text)
	for run, want := range []string{"90", "error: unknown result", "90", "90"} {
		if got := call(t, k, of, fmt.Sprintf(read, run)); !strings.HasPrefix(got, want) {
			t.Errorf("run %d: %s", run, got)
		}
	}
	put(t, k, of, "3", "again "+text)
	if got := call(t, k, of, fmt.Sprintf(read, 3)); got != "96" || k.memory.bytes > k.memory.most || k.memory.recent.Len() != len(k.memory.byRun) {
		t.Errorf("%s, %d bytes", got, k.memory.bytes)
	}
	n := put(t, k, of, "4", strings.Repeat(text, 100))
	if n.Link != nil || !strings.Contains(n.Texts[0], "could not be stored") || strings.Contains(n.Texts[0], "run://") {
		t.Errorf("%+v", n)
	}
	if got := call(t, k, of, fmt.Sprintf(read, 4)); !strings.HasPrefix(got, "error: unknown result") {
		t.Error(got)
	}
}

// Secrets are gone before an expression sees the value, also those that the file got later, and
// those whose parts an expression joins.
func TestSecretsAreGoneBefore(t *testing.T) {
	k := New(nil)
	old := fileOf("first-secret", "987654321")
	put(t, k, old, "1", value.FromPlain(map[string]any{
		"a": "a first-secret", "b": "another-one", "n": 987654321.0, "h": []any{"another", "-one"},
	}))
	fresh := fileOf("first-secret", "another-one")
	for _, c := range []struct {
		of         File
		expr, want string
	}{
		{old, `$substring($.a, 2, 5)`, `"[reda"`},
		{old, `$.n`, `"[redacted]"`},
		{old, `$substring($.b, 0, 7)`, `"another"`},
		{fresh, `$substring($.b, 0, 7)`, `"[redact"`},
		{fresh, `$join($.h)`, `"[redacted]"`},
		{fresh, `$.a & ($join($.h) & \"12345678\")`, `"a [redacted][redact | characters 0 to 20 of 32; next offset: 20`},
		{fresh, `$base64encode($join($.h))`, `"[redacted]"`},
	} {
		if got := call(t, k, c.of, `{"uri":"run://1/result","select":"`+c.expr+`"}`); !strings.HasPrefix(got, c.want) || strings.Contains(got, "first-secret") {
			t.Errorf("%s: %s", c.expr, got)
		}
	}
}

// A result is known only to its own file, and while its tool is listed and has a limit.
func TestFileOfResult(t *testing.T) {
	k := New(nil)
	of := fileOf()
	put(t, k, of, "1", "a long text, longer than the limit")
	other, hidden := of, of
	other.Path = "/other.yaml"
	hidden.Limits = map[string]int{"b": 20}
	for _, of := range []File{other, hidden} {
		if got := call(t, k, of, `{"uri":"run://1/result"}`); !strings.HasPrefix(got, "error: unknown result") {
			t.Errorf("%+v: %s", of, got)
		}
	}
}

func TestPage(t *testing.T) {
	for _, c := range []struct {
		text                string
		offset, most, limit int
		want                string
	}{
		{"abc", 0, 3, 3, "abc"},
		{"", 0, 5, 5, ""},
		{"abc", 0, 1 << 40, 2, "ab | characters 0 to 2 of 3; next offset: 2"},
		{"abc", 2, 5, 5, "c | characters 2 to 3 of 3"},
		{"aöü", 1, 1, 10, "ö | characters 1 to 2 of 3; next offset: 2"},
		{"öü", 0, 2, 3, "ö | characters 0 to 1 of 2; next offset: 1"},
		{"😀b", 0, 2, 1, "😀 | characters 0 to 1 of 2; next offset: 1"},
		{"abc", 3, 5, 5, "error: offset is 3, and the answer has 3 characters, numbered from 0; use a smaller one"},
		{"abc", 1 << 40, 5, 5, "error: offset is 1099511627776, and the answer has 3 characters, numbered from 0; use a smaller one"},
		{strings.Repeat("x", 500), 0, 500, 400, strings.Repeat("x", 300) + " | characters 0 to 300 of 500; next offset: 300"},
	} {
		n, err := window{c.offset, c.most, c.limit}.of([]byte(c.text))
		got := fmt.Sprint("error: ", err)
		if err == nil {
			got = strings.Join(n.Texts, " | ")
		}
		if got != c.want {
			t.Errorf("%q from %d, most %d, limit %d\ngot  %s\nwant %s", c.text, c.offset, c.most, c.limit, got, c.want)
		}
	}
}
