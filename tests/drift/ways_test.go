package drift

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// replace replaces a part of the graph file.
func (w *world) replace(pairs ...string) {
	w.Helper()
	src, err := os.ReadFile(filepath.Join(w.dir, "graph.yaml"))
	if err != nil {
		w.Fatal(err)
	}
	changed := strings.NewReplacer(pairs...).Replace(string(src))
	if changed == string(src) {
		w.Fatalf("%q changes nothing", pairs)
	}
	w.write("graph.yaml", []byte(changed))
}

func (w *world) has(text string, parts ...string) {
	w.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			w.Errorf("no %q in\n%s", part, text)
		}
	}
}

// People read the step, the field, the values, the effect and the lock; -v also lists what does not matter; GitHub gets an
// annotation at the node.
func TestReports(t *testing.T) {
	w := recorded(t)
	w.change(&seeded{
		Answers: map[string]map[string]any{"search": {"total": "2", "server": "b"}},
		Tools:   map[string]any{"create": map[string]any{"inputSchema": map[string]any{"required": []any{"title", "project"}}}},
	})
	out := w.run(1, "drift", "graph.yaml")
	w.has(out, `graph.yaml:10:9: tool "report", step 1.found, node "found": up.search: .total was number and is text: 2 → "2"`, "the run fails", "in run ",
		`arguments.project required, but missing`, `lock: + inputSchema.required[1]: "project"`, "2 changes would give something else; 1 recorded run of 1 tool, 4 calls made")
	if strings.Contains(out, "does not matter") {
		t.Errorf("what does not matter is listed:\n%s", out)
	}
	w.has(w.run(1, "drift", "graph.yaml", "-v"), `does not matter: report: node "found": up.search: .server has another value: "a" → "b"`, "not called: up.create: it may change something")
	w.has(w.run(1, "drift", "graph.yaml", "--format", "github"), "::error file=graph.yaml,line=10,col=9::tool \"report\"", "line=12,col=9", "%0Alock: ")
}

// Without a lock and trust nothing is called; with one of the two, or the word of the file, what reads is.
func TestWhoIsBelieved(t *testing.T) {
	w := newWorld(t)
	w.run(0, "run", "graph.yaml", "report", "q=pages")
	w.change(&seeded{Answers: map[string]map[string]any{"search": {"total": 3}}})
	check := func(code int, made bool) {
		t.Helper()
		w.forget()
		r := w.drift(code)
		if n := w.called(); (n["search"] > 0) != made || n["create"] > 0 {
			t.Errorf("made %v of %d", n, r.Calls)
		}
	}
	check(0, false)
	w.has(w.run(0, "drift", "graph.yaml"), "not called: up.search: what it does is unknown; write effect: read at the node, or run toolgraph lock; its definition was compared")
	w.replace("call: up.search,", "call: up.search, effect: read,")
	check(1, true)
	w.change(&seeded{Tools: map[string]any{"search": map[string]any{"annotations": map[string]any{"readOnlyHint": false}}}})
	check(0, false)
	w.replace("effect: read,", "effect: write,", "{command:", "{trusted: true, command:")
	w.change(&seeded{})
	check(0, false)
	w.replace("effect: write,", "")
	check(0, true)
	w.change(&seeded{Tools: map[string]any{"search": map[string]any{"annotations": nil}}})
	check(0, false)
}

// The cassette of a test is compared like a run.
func TestCassettes(t *testing.T) {
	w := newWorld(t)
	w.write("graph.test.yaml", []byte("tests:\n  - {name: all, tool: report, args: {q: pages}, expect: {partial: {next: 3}}}\n"))
	w.run(0, "lock", "graph.yaml")
	w.run(0, "test", "graph.yaml", "--record")
	w.forget()
	if r := w.drift(0, "--runs", "0"); r.Calls != 4 || w.called()["create"] > 0 {
		t.Errorf("%+v", r)
	}
	w.change(&seeded{Answers: map[string]map[string]any{"search": {"total": 3}}})
	w.has(w.run(1, "drift", "graph.yaml"), ".total has another value: 2 → 3", "in test all", "the result differs: .next")
}

// Calls are bounded; what was not called is reported.
func TestMostCalls(t *testing.T) {
	w := recorded(t)
	w.forget()
	w.has(w.run(0, "drift", "graph.yaml", "--max-calls", "3"), "3 calls made", "not called: up.read: the limit of calls or of bytes is reached; raise --max-calls")
	if n := w.called(); n["search"]+n["read"] != 3 {
		t.Errorf("made %v, expected 3", n)
	}
	w.has(w.run(2, "drift", "graph.yaml", "--runs", "-1"), "--runs is -1")
	w.has(w.run(1, "drift", "graph.yaml", "--max-time", "1ns"), "raise --max-time")
}

// A server that does not start, a file without runs and a graph that has changed are failures of their own.
func TestNothingToCompare(t *testing.T) {
	w := newWorld(t)
	w.has(w.run(1, "drift", "graph.yaml"), "has no successful recorded run and no cassette")
	w.run(0, "lock", "graph.yaml")
	w.run(0, "run", "graph.yaml", "report", "q=pages")
	w.replace("format: plain", "format: html")
	w.has(w.run(1, "drift", "graph.yaml"), `not compared: report, run `, `it has no answer for a call of node "pages": the graph has changed since`, "no recorded run could be compared")
	w.replace("format: html", "format: plain", "rugpull=", "crashatstart, rugpull=")
	w.has(w.run(1, "drift", "graph.yaml"), `server "up" cannot be reached`, "cannot open the database", "no drift")
}

// Secrets are neither shown nor a difference.
func TestSecrets(t *testing.T) {
	const secret = "correct-horse-battery"
	t.Setenv("DRIFT_TOKEN", secret)
	w := newWorld(t)
	w.replace("diary=", `"${DRIFT_TOKEN}", diary=`)
	answer := map[string]map[string]any{"search": {"updated": "with " + secret, "server": secret}}
	w.change(&seeded{Answers: answer})
	w.run(0, "lock", "graph.yaml")
	w.run(0, "run", "graph.yaml", "report", "q=pages")
	answer["search"]["updated"], answer["search"]["total"] = "since "+secret, secret
	w.change(&seeded{Answers: answer})
	for _, format := range []string{"text", "json", "github"} {
		if out := w.run(1, "drift", "graph.yaml", "-v", "--format", format); strings.Contains(out, secret) || !strings.Contains(out, "[redacted]") {
			t.Errorf("%s: the secret, or no mark for it, is in\n%s", format, out)
		}
	}
}
