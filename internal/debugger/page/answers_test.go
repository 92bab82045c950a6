package page

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
)

// changing are the parts of an answer that differ from run to run, and messages, which
// other tests hold.
var changing = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`"(start|started|ended|graph|hash|file|path)":"[^"]*"`), `"$1":"…"`},
	{regexp.MustCompile(`"(ms|rev|start|held)":[0-9.e-]+`), `"$1":0`},
	{regexp.MustCompile(`"times":\[(\[[^\]]*\],?)*\]`), `"times":["…"]`}, // the longest difference comes first
	{regexp.MustCompile(`"(message|hint|caret)":"(\\.|[^"\\])*"`), `"$1":"…"`},
	{regexp.MustCompile(`\b[0-9A-Z]{26}\b`), `ID`},
}

// The answers of the API, each key and its order.
func TestAnswers(t *testing.T) {
	store, err := sqlite.Open(t.TempDir(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	c := open(t, store)
	var out strings.Builder
	ask := func(method, path, body string, ids ...string) {
		t.Helper()
		real := path
		for i, id := range ids {
			real = strings.ReplaceAll(real, []string{"RUN", "OTHER"}[i], id)
		}
		_, answer := c.ask(method, real, body)
		out.WriteString(strings.TrimSpace(method+" "+path+" "+body) + "\n" + answer + "\n")
	}
	for _, path := range []string{"/api/project", "/api/source", "/api/graphs/count", "/api/graphs/none"} {
		ask("GET", path, "")
	}
	ask("PUT", "/api/breakpoints/count", `{"node": "add"}`)
	a := c.start(`{"tool": "count", "args": {"n": 1}}`)
	c.until(a, "paused")
	ask("GET", "/api/runs/RUN", "", a)
	ask("GET", "/api/runs/RUN/steps/3", "", a)
	for _, change := range []string{`{"node": "add", "removed": true}`, `{"node": "end", "condition": "true"}`, `{"node": "end", "condition": "$.add >"}`} {
		ask("PUT", "/api/breakpoints/count", change)
	}
	ask("GET", "/api/breakpoints/count", "")
	ask("POST", "/api/runs/RUN/edit", `{"node": "begin", "value": 0}`, a)
	for _, then := range []string{"paused", "finished"} {
		good[info](c, "POST", "/api/runs/"+a+"/control", `{"action": "resume"}`)
		c.until(a, then)
	}
	ask("PUT", "/api/breakpoints/count", `{"node": "end", "removed": true}`)
	b := c.start(`{"tool": "count", "args": {"n": 2, "deep": {"list": [1, 2]}}}`)
	c.until(b, "finished")
	failed := c.start(`{"tool": "fail", "args": {"x": 1}}`)
	c.until(failed, "error")
	for _, path := range []string{
		"", "/path", "/steps", "/steps/0", "/steps/2", "/steps/3", "/steps/4", "/steps/99", "/value?of=args", "/value?of=context&at=3",
		"/value?of=output&at=5", "/value?of=input&at=4", "/value?of=none", "/value?of=args&path=%5B%22n%22%5D", "/whole?of=result", "/whole?of=args&indent=1",
		"/search?of=context&at=5&text=N", "/search?of=args&text=", "/table?of=expression&kind=jsonata&source=%5B%7B%22a%22:1%7D,%7B%22b%22:2%7D%5D&at=3", "/table?of=args",
		"/value?of=context&at=5&marks=1",
	} {
		ask("GET", "/api/runs/RUN"+path, "", a)
	}
	for _, path := range []string{"", "/steps", "/steps/1"} {
		ask("GET", "/api/runs/RUN"+path, "", failed)
	}
	ask("GET", "/api/runs?limit=2", "")
	ask("GET", "/api/runs?since=x", "")
	ask("POST", "/api/runs", `{"tool": "count", "args": {"n": "x"}}`)
	ask("POST", "/api/runs/RUN/evaluate", `{"kind": "jsonata", "source": "{'a': [$.add, null, true]}", "at": 6}`, a)
	ask("POST", "/api/runs/RUN/evaluate", `{"kind": "jsonata", "source": "1 +", "at": 6}`, a)
	ask("POST", "/api/runs/RUN/evaluate", `{"kind": "rule", "source": "{\"no\": 1}", "at": 6}`, a)
	ask("POST", "/api/runs/RUN/watch", `{"sources": ["$.add", "$.none"], "at": 6}`, a)
	ask("GET", "/api/diff?a=RUN&b=OTHER", "", a, b)
	ask("GET", "/api/diff?a=RUN&b=RUN", "", b)
	ask("GET", "/api/questions", "")
	got := out.String()
	for _, r := range changing {
		got = r.pattern.ReplaceAllString(got, r.by)
	}
	const golden = "testdata/answers.golden"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (UPDATE_GOLDEN=1 writes it anew):\n%s", golden, got)
	}
}
