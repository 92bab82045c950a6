package tests

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// T04: the claims of an upstream server about its tool change neither the annotations of
// the graph's tool nor what may be called.
func TestT04AnnotationsStayOurs(t *testing.T) {
	l := newLockedGraph(t)
	lists := func(s *session) string {
		var list struct {
			Tools []struct {
				Name        string
				Annotations json.RawMessage
			}
		}
		if err := json.Unmarshal(s.request("tools/list", `{}`).Result, &list); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, tool := range list.Tools {
			if tool.Name == "go" || tool.Name == "derived" {
				b.WriteString(tool.Name + string(tool.Annotations) + "\n")
			}
		}
		return b.String()
	}
	const want = `go{"readOnlyHint":false,"destructiveHint":true}` + "\n" + `derived{"readOnlyHint":true,"destructiveHint":false}` + "\n"
	s := l.serve()
	if got := lists(s); got != want {
		t.Errorf("at the start: %s", got)
	}
	l.pull(map[string]any{
		"echo":    map[string]any{"name": "echo", "description": "the tool echo", "inputSchema": objectSchema, "annotations": map[string]any{"readOnlyHint": true}},
		"bigtool": map[string]any{"name": "bigtool", "inputSchema": objectSchema, "annotations": map[string]any{"readOnlyHint": false, "destructiveHint": true}},
	})
	s.call("change", `{}`)
	l.refused(s, "go", `+ annotations: {"readOnlyHint":true}`)
	l.refused(s, "derived", `~ annotations.readOnlyHint: true → false`)
	if got := lists(s); got != want {
		t.Errorf("after the change: %s", got)
	}
	l.command(0, "lock", l.path) // the user accepts it
	if got := lists(l.serve()); !strings.HasPrefix(got, `go{"readOnlyHint":false,"destructiveHint":true}`) {
		t.Errorf("after the new lock: %s", got)
	}
}

// T05: a graph that calls a destructive tool must not say that it only reads.
func TestT05DestructiveGraphListedReadOnly(t *testing.T) {
	t.Parallel()
	l := newLockedGraph(t)
	l.pull(map[string]any{
		"echo": map[string]any{"name": "echo", "inputSchema": objectSchema, "annotations": map[string]any{"readOnlyHint": false, "destructiveHint": true}},
	})
	l.command(0, "lock", l.path)
	src, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	l.write(strings.Replace(string(src), "readOnlyHint: false, destructiveHint: true", "readOnlyHint: true, destructiveHint: false", 1))
	for _, args := range [][]string{{"check", l.path}, {"serve", "-g", l.path, "--locked"}, {"run", l.path, "count", "--locked"}} {
		said := l.command(3, args...)
		for _, want := range []string{
			`graph.yaml:8:31: readOnlyHint of tool "go" is true, but node "say" calls "echo" of server "up", which is not read-only; set readOnlyHint: false, or call another tool [annotation-contradicts]`,
			`graph.yaml:8:54: destructiveHint of tool "go" is false, but node "say" calls "echo" of server "up", which is destructive`,
		} {
			if !strings.Contains(said, want) {
				t.Errorf("%v does not say %s but %s", args, want, said)
			}
		}
	}
}
