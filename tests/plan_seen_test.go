package tests

import (
	"strings"
	"testing"
)

// What a tool without an outputSchema answers is unknown, until two runs of this client have seen its form; values are never shown.
func TestSearchShowsSeenForms(t *testing.T) {
	t.Parallel()
	s := start(t, exposing+`plan: {calls: [up.answer], confirm: []}`)
	search := func() string {
		return s.call("search_tools", `{"query":"answer"}`).text(t)
	}
	if got := search(); !strings.Contains(got, "up.answer(") || !strings.Contains(got, ") → unknown") {
		t.Fatalf("before any run: %s", got)
	}
	for i, answer := range []string{
		`{"name":"first","tags":["a"],"only":1}`, `{"name":"second","tags":[],"size":2}`, `{"name":"third","tags":["b"],"size":2.5}`,
	} {
		plan := `{"steps":[{"id":"a","call":"up.answer","args":{"params":{"content":[],"structuredContent":` + answer + `}}}]}`
		if r := s.call("run_plan", plan); r.IsError {
			t.Fatal(r.text(t))
		}
		want := []string{"→ unknown", "→ seen {name: string, tags: [any]}", "→ seen {name: string, tags: [string], size?: integer|number}"}[i]
		if got := search(); !strings.Contains(got, want) || strings.Contains(got, "second") || strings.Contains(got, "only") {
			t.Errorf("after %d runs: %s\nwant %s", i+1, got, want)
		}
	}
	if got := s.call("search_tools", `{"names":["up.answer"]}`).text(t); !strings.Contains(got, `output: unknown; seen so far: {"type":["object"],"properties":{"name":{"type":["string"]}`) {
		t.Errorf("the whole definition: %s", got)
	}
}
